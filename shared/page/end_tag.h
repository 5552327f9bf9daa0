/* SPDX-License-Identifier: Apache-2.0 */
/* What an end tag does by HTML5 (13.2.6.4): which element it ends. */
#ifndef TMPL_END_TAG_H
#define TMPL_END_TAG_H

#include "page/modes.h"

/* tmpl_end_tag for one that does more than to end the innermost open element, or something else. */
void tmpl_end_tag_odd(tmpl_balance_t *b, uint32_t i);

/* Follows the end tag that is the token i, outside of svg, math and template. */
static inline void tmpl_end_tag(tmpl_balance_t *b, uint32_t i)
{
    const unsigned odd = TMPL_IS_RAW | TMPL_IS_VOID | TMPL_IS_NEVER_EDIT;
    const tmpl_open_t *o = tmpl_opens_top(&b->s);
    if (o->name != b->tokens[i].name || (o->flags & odd) || o->tag == TMPL_TAG_FORM ||
        b->after_body || b->s.n_of[TMPL_TAG_SELECT] > 0) {
        tmpl_end_tag_odd(b, i);
    }
    else if (o->flags & TMPL_IS_FORMATTING) {
        tmpl_opens_adopt(&b->s, o->name, i);
    }
    else {
        tmpl_opens_close(&b->s, b->s.n - 1, i);
    }
}

#endif
