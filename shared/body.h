/* SPDX-License-Identifier: Apache-2.0 */
/* What modes text to reader send in place of a page: the content that was found. */
#ifndef TMPL_BODY_H
#define TMPL_BODY_H

#include "clean.h"

/*
 * Returns the page in opts->mode, TEXT, MARKDOWN, JSON or READER: *len bytes of UTF-8 and a NUL,
 * from pool. NULL if the parser declined the page, or the result would be too long.
 *
 * Markdown (markdown/markdown.h) and the reader view (reader/reader.h) show what strip's edits
 * leave, JSON the content blocks of that (data/page_data.h). Text has a line for each content
 * block; if the page was declined, a line for each block. Verdicts decide, not cuts: text may be
 * left out safely even where its element cannot be cut.
 *
 * url is the page's absolute address, for all but text; NULL: references stay relative.
 * fingerprint is that of the page, for JSON, or NULL. JSON has outcome->version, unless it is 0.
 */
const char *tmpl_body(apr_size_t *len, const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                      const tmpl_clean_opts_t *opts, const char *url, const char *fingerprint,
                      apr_pool_t *pool);

#endif
