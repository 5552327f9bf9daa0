/* SPDX-License-Identifier: Apache-2.0 */
#include "page/end_tag.h"

static void end_form(tmpl_balance_t *b, uint32_t end)
{
    uint32_t form = tmpl_opens_find(&b->s, TMPL_TAG_FORM, tmpl_scope_plain);
    int was_open = b->form != 0;
    b->form = 0;
    if (form != 0 && form == b->s.n - 1 && was_open) {
        tmpl_opens_close(&b->s, form, end);
        return;
    }
    tmpl_opens_taint(&b->s, 0);
    tmpl_balance_top(b)->mixed = 1;
    if (form != 0 && was_open) {
        /* Only the form leaves the stack, and what may be left open in it stays open. */
        while ((tmpl_balance_top(b)->flags & TMPL_IS_IMPLIED) && b->s.n - 1 > form) {
            tmpl_opens_close(&b->s, b->s.n - 1, TMPL_NONE);
        }
        tmpl_opens_remove(&b->s, form);
    }
}

static void end_heading(tmpl_balance_t *b, uint32_t end, uint32_t name)
{
    for (uint32_t i = b->s.n - 1; i > 0 && !tmpl_scope_plain(&b->s.stack[i]); i--) {
        if (b->s.stack[i].flags & TMPL_IS_HEADING) {
            tmpl_opens_close(&b->s, i, b->s.stack[i].name == name ? end : TMPL_NONE);
            return;
        }
    }
}

/*
 * Closes nothing: what comes behind goes on in the elements still open, and whatever comes first must
 * stay, because it is what leads the parser back into body.
 */
static void end_body(tmpl_balance_t *b)
{
    if (!tmpl_in_body(b)) {
        tmpl_open_body(b, TMPL_NONE);
    }
    tmpl_opens_taint(&b->s, 1);
    b->after_body = 1;
}

/* Which kind of scope an end tag looks for its element in. */
static tmpl_scope_t scope_of(unsigned tag, unsigned flags)
{
    if (tag == TMPL_TAG_P) {
        return tmpl_scope_button;
    }
    if (tag == TMPL_TAG_LI) {
        return tmpl_scope_item;
    }
    if (tag == TMPL_TAG_TABLE || (flags & TMPL_IS_PART)) {
        return tmpl_scope_table;
    }
    return (flags & TMPL_IS_SPECIAL) || tag == TMPL_TAG_DD || tag == TMPL_TAG_DT
               ? tmpl_scope_plain
               : tmpl_scope_special;
}

/* An end tag in a select ends an option, a group, the select, or with it the cell around it. */
static int select_end(tmpl_balance_t *b, unsigned tag, uint32_t name)
{
    uint32_t select = tmpl_select_mode(b);
    if (select == 0 || tag == TMPL_TAG_OPTION || tag == TMPL_TAG_OPTGROUP ||
        tag == TMPL_TAG_SELECT) {
        return 0;
    }
    tmpl_opens_taint(&b->s, 0);
    if (tmpl_ends_select(b, tag, name)) {
        tmpl_opens_close(&b->s, select, TMPL_NONE);
        return 0;
    }
    return 1;
}

/* End tags that find their element by a search of their own; true if this is one. */
static int special_end(tmpl_balance_t *b, uint32_t i, unsigned tag, unsigned flags)
{
    uint32_t name = b->tokens[i].name;
    if (flags & TMPL_IS_RAW || tag == TMPL_TAG_HEAD ||
        (tag != TMPL_TAG_BR && (flags & TMPL_IS_VOID))) {
        return 1; /* paired with its start tag, or ignored */
    }
    if (tag == TMPL_TAG_BODY || tag == TMPL_TAG_HTML) {
        end_body(b);
        return 1;
    }
    if (!tmpl_in_body(b) && tag == TMPL_TAG_BR) {
        tmpl_open_body(b, TMPL_NONE); /* read as if it were a start tag */
    }
    if (!tmpl_in_body(b) || select_end(b, tag, name)) {
        return 1;
    }
    tmpl_leave_colgroup(b, tag == TMPL_TAG_COLGROUP ? TMPL_TAG_COL : tag);
    if (tag == TMPL_TAG_FORM) {
        end_form(b, i);
    }
    else if (flags & TMPL_IS_FORMATTING) {
        tmpl_opens_adopt(&b->s, name, i);
    }
    else if (flags & TMPL_IS_HEADING) {
        end_heading(b, i, name);
    }
    return tag == TMPL_TAG_FORM || (flags & (TMPL_IS_FORMATTING | TMPL_IS_HEADING)) != 0;
}

void tmpl_end_tag_odd(tmpl_balance_t *b, uint32_t i)
{
    unsigned tag = b->tokens[i].tag;
    unsigned flags = tmpl_tag_flags((tmpl_tag_e)tag);
    if (special_end(b, i, tag, flags)) {
        return;
    }
    if (b->after_body) {
        b->after_body = 0;
        tmpl_opens_taint(&b->s, 1); /* leads back into body, even if it closes nothing */
    }
    uint32_t index = tmpl_opens_find(&b->s, b->tokens[i].name, scope_of(tag, flags));
    if (index > 1) {
        tmpl_opens_close(&b->s, index, i);
    }
    else if (tag == TMPL_TAG_P || tag == TMPL_TAG_BR) {
        tmpl_opens_taint(&b->s, 0); /* makes an element of its own */
        if (tag == TMPL_TAG_BR) {
            tmpl_opens_reconstruct(&b->s);
        }
    }
}
