/* SPDX-License-Identifier: Apache-2.0 */
/* What modes text and markdown send in place of a page: the content that tmpl_clean() found. */
#ifndef TMPL_BODY_H
#define TMPL_BODY_H

#include "clean.h"

/*
 * Returns the page in opts->mode, TEXT or MARKDOWN: *len bytes of UTF-8 and a NUL, from pool. NULL
 * if the parser declined the page, or the Markdown would be too long.
 *
 * Markdown shows what strip's edits leave (markdown/markdown.h). Text has a line for each content
 * block; if the page was declined, a line for each block. Verdicts decide, not cuts: text may be
 * left out safely even where its element cannot be cut.
 *
 * url is the page's absolute address, for Markdown; NULL: references stay relative.
 */
const char *tmpl_body(apr_size_t *len, const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                      const tmpl_clean_opts_t *opts, const char *url, apr_pool_t *pool);

#endif
