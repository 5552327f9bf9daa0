/* SPDX-License-Identifier: Apache-2.0 */
#include "page/modes.h"

void tmpl_open_body(tmpl_balance_t *b, uint32_t token)
{
    tmpl_opens_push(&b->s, token, TMPL_TAG_BODY, TMPL_TAG_BODY);
}

int tmpl_ends_select(const tmpl_balance_t *b, unsigned tag, uint32_t in_scope)
{
    return (tag == TMPL_TAG_TABLE || tmpl_is_part(tag)) && tag != TMPL_TAG_COL &&
           tag != TMPL_TAG_COLGROUP && tmpl_opens_find(&b->s, in_scope, tmpl_scope_table) != 0;
}
