/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens -> which elements they open, where these end, and which are safe to edit, by the rules of HTML5's tree
 * construction (13.2.6).
 *
 * An element may be cut if the source holds both its tags, what is between them is closed off from the
 * rest, and the rest parses the same without it. Where HTML5 does something beyond opening and
 * closing an element (implied end tags, the adoption agency, foster parenting, reconstruction of active
 * formatting elements, ignored tags), everything that this could reach is marked unsafe. So an answer "safe"
 * is exact and "unsafe" is a guess. Where elements end is exact, but for those that HTML5 moves out of a table:
 * they end as if they stood there.
 */
#ifndef TMPL_BALANCE_H
#define TMPL_BALANCE_H

#include "page/scan.h"

/*
 * Fills what scan.h says it finds out. src and len are what the tokens were scanned from. Declines
 * svg and math content that is not balanced, and nesting deeper than max_depth.
 */
tmpl_decline_e tmpl_balance(tmpl_tokens_t *tokens, const char *src, uint32_t len,
                            uint32_t max_depth, apr_pool_t *pool);

#endif
