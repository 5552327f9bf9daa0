/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noscript is text to browsers that run scripts, and markup to all others. Pages are parsed as the
 * former do, but edits must be safe for both. Most noscripts are closed off: behind one, a parser
 * is in the state it had before. A page with another one is parsed twice, and an edit must be safe
 * in both results.
 */
#ifndef TMPL_NOSCRIPT_H
#define TMPL_NOSCRIPT_H

#include "html/builder.h"

/*
 * Whether the content of a noscript, [start, end), leaves the parser's state as it was in browsers
 * without scripts. Returns 0 if a simple check cannot tell. b is in front of the noscript.
 */
int tmpl_noscript_is_closed(const tmpl_builder_t *b, uint32_t start, uint32_t end);

/*
 * Removes the edits of page (parsed with scripts) that are not safe in without (parsed without),
 * and joins their foreign marks. Nothing else of without is used.
 */
void tmpl_noscript_agree(tmpl_tokens_t *page, const tmpl_tokens_t *without, apr_pool_t *pool);

#endif
