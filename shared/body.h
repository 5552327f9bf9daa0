/* SPDX-License-Identifier: Apache-2.0 */
/* What modes text and markdown send in place of a page: the content of what tmpl_clean() judged. */
#ifndef TMPL_BODY_H
#define TMPL_BODY_H

#include "clean.h"

/*
 * The page in that mode, which is text or markdown: *len bytes of UTF-8 and a NUL, from pool.
 * Markdown is of what strip's edits leave (markdown/markdown.h). Text is a line for each block that
 * is not template, or of a page that was declined for each; verdicts decide, not cuts, as leaving
 * out text is safe even where cutting its element is not.
 *
 * url is the page's absolute address, for Markdown; NULL: references stay relative. NULL if the
 * parser declined the page, or the Markdown would be too long.
 */
const char *tmpl_body(apr_size_t *len, const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                      const tmpl_clean_opts_t *opts, const char *url, apr_pool_t *pool);

#endif
