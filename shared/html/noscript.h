/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noscript is text to browsers that run scripts, and markup to all others. Pages are parsed as by a
 * browser that runs scripts, but edits must be safe for both kinds of browsers. Most noscripts are
 * closed: behind such a noscript the parser's state is the same as in front of it. A page with a
 * noscript that may not be closed is parsed twice, and an edit must be safe in both results.
 */
#ifndef TMPL_NOSCRIPT_H
#define TMPL_NOSCRIPT_H

#include "html/builder.h"

/*
 * Whether a noscript with the content [start, end) is closed: without scripts, the parser's state
 * is the same behind it as in front of it. Returns 0 if a simple check cannot tell. b is the state
 * in front of the noscript.
 */
int tmpl_noscript_is_closed(const tmpl_builder_t *b, uint32_t start, uint32_t end);

/*
 * Removes the edits of page (parsed with scripts) that are not safe in without (parsed without),
 * and joins their foreign marks. Nothing else of without is used.
 */
void tmpl_noscript_agree(tmpl_tokens_t *page, const tmpl_tokens_t *without, apr_pool_t *pool);

#endif
