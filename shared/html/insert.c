/* SPDX-License-Identifier: Apache-2.0 */
/* "Creating and inserting nodes", 13.2.6.1, and what else the rules of several modes do. */
#include "html/builder.h"

/* Whether start tag i must stay because it does more than open its element. */
static inline int is_fixed(tmpl_builder_t *b, uint32_t i)
{
    if (b->tokens[i].name == 0) {
        tmpl_taint_all(b); /* browsers may read its name as another name on the page */
    }
    return b->fixed || b->s.events != b->began || tmpl_top(b)->keeps || b->tokens[i].name == 0;
}

/* Whether the current tag is moved in front of the table that it stands in. */
static inline int is_moved(tmpl_builder_t *b)
{
    if (!b->foster || !(tmpl_top(b)->flags & TMPL_IS_TABLE)) {
        return 0;
    }
    tmpl_taint_all(b);
    return 1;
}

void tmpl_insert_empty(tmpl_builder_t *b, uint32_t i)
{
    int edit = !is_moved(b) & !is_fixed(b, i);
    tmpl_add_node(b, &b->tokens[i]);
    b->tokens[i].end = i;
    b->tokens[i].may = (unsigned char)(edit ? TMPL_NODE_MARK | TMPL_NODE_CUT : 0);
}

static void insert_raw(tmpl_builder_t *b, uint32_t i)
{
    tmpl_insert_empty(b, i);
    b->tokens[i].end = TMPL_NONE;
    b->tokens[i].is_raw = 1;
    b->raw = i;
    tmpl_scan_raw(&b->scan, tmpl_tag_at(b, i));
    if (b->tokens[i].tag == TMPL_TAG_NOSCRIPT) {
        b->noscript |= !tmpl_noscript_is_closed(b, b->tokens[i].span.end, b->scan.at);
    }
}

/* Whether the content of an element is text up to its end tag. */
static inline int is_raw(const tmpl_builder_t *b, tmpl_tag_e tag)
{
    return (tmpl_tag_flags(tag) & TMPL_IS_RAW) || (tag == TMPL_TAG_NOSCRIPT && b->scripting);
}

void tmpl_insert(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    if (tmpl_tag_flags(tag) & TMPL_IS_VOID) {
        tmpl_insert_empty(b, i);
    }
    else if (is_raw(b, tag)) {
        insert_raw(b, i);
    }
    else {
        int moved = is_moved(b);
        int fixed = is_fixed(b, i);
        tmpl_add_node(b, &b->tokens[i]);
        tmpl_open_t *o = tmpl_opens_push(&b->s, i, tag, b->tokens[i].name);
        o->may &= (unsigned char)(fixed ? ~TMPL_NODE_CUT : ~0);
        o->tainted |= (unsigned char)moved;
    }
}

void tmpl_open_body(tmpl_builder_t *b, uint32_t token)
{
    tmpl_opens_push(&b->s, token, TMPL_TAG_BODY, TMPL_TAG_BODY)->quiet = 0;
    b->out->body = token;
    b->mode = TMPL_IN_BODY;
}

void tmpl_reset_mode(tmpl_builder_t *b)
{
    static const unsigned char modes[TMPL_TAG_COUNT] = {
        [TMPL_TAG_TD] = TMPL_IN_CELL,          [TMPL_TAG_TH] = TMPL_IN_CELL,
        [TMPL_TAG_TR] = TMPL_IN_ROW,           [TMPL_TAG_TBODY] = TMPL_IN_TABLE_BODY,
        [TMPL_TAG_THEAD] = TMPL_IN_TABLE_BODY, [TMPL_TAG_TFOOT] = TMPL_IN_TABLE_BODY,
        [TMPL_TAG_CAPTION] = TMPL_IN_CAPTION,  [TMPL_TAG_COLGROUP] = TMPL_IN_COLGROUP,
        [TMPL_TAG_TABLE] = TMPL_IN_TABLE,      [TMPL_TAG_HEAD] = TMPL_IN_HEAD,
        [TMPL_TAG_BODY] = TMPL_IN_BODY,
    };
    for (uint32_t i = b->s.n - 1; i > 0; i--) {
        tmpl_tag_e tag = b->s.stack[i].tag;
        if (tag == TMPL_TAG_TEMPLATE) {
            b->mode = APR_ARRAY_IDX(b->templates, b->templates->nelts - 1, tmpl_insertion_e);
            return;
        }
        if (modes[tag] != 0) {
            b->mode = (tmpl_insertion_e)modes[tag];
            return;
        }
    }
    b->mode = TMPL_AFTER_HEAD;
}

void tmpl_end_implied(tmpl_builder_t *b, tmpl_tag_e except)
{
    while ((tmpl_top(b)->flags & (TMPL_IS_IMPLIED | TMPL_IS_PART)) == TMPL_IS_IMPLIED &&
           tmpl_top(b)->tag != except) {
        tmpl_opens_close(&b->s, b->s.n - 1, TMPL_NONE);
    }
}
