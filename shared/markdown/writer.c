/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/writer.h"

#include <string.h>

#include "markdown/lead_in.h"

int tmpl_writer_is_empty(tmpl_writer_t *w)
{
    if (w->before && !tmpl_leaf_is_empty(&w->leaf) && tmpl_lead_in_is_tail(&w->leaf)) {
        tmpl_buf_clear(&w->leaf.text);
    }
    return tmpl_leaf_is_empty(&w->leaf);
}

void tmpl_writer_flush(tmpl_writer_t *w)
{
    tmpl_leaf_finish(&w->leaf);
    if (!tmpl_writer_is_empty(w)) {
        tmpl_flow_begin(&w->flow, TMPL_FLOW_TEXT);
        tmpl_write_markdown(&w->flow, &w->leaf, TMPL_WRITE_PARAGRAPH);
        tmpl_flow_end(&w->flow);
    }
}

void tmpl_writer_part(tmpl_writer_t *w)
{
    if (w->one_leaf == NULL) {
        tmpl_writer_flush(w);
    }
    else if (w->where == TMPL_WRITE_CELL) {
        tmpl_leaf_break(&w->leaf);
    }
    else {
        tmpl_leaf_space(&w->leaf);
        w->divides |= w->card != NULL && w->one_leaf == w->card;
    }
}

void tmpl_writer_divide(tmpl_writer_t *w, const char *text)
{
    if (w->divides && text[strspn(text, " \t\n\r\f")] != '\0') {
        if (!tmpl_leaf_is_empty(&w->leaf)) {
            tmpl_leaf_divide(&w->leaf, "\xC2\xB7");
        }
        w->divides = 0;
    }
}

int tmpl_writer_begin_leaf(tmpl_writer_t *w, const xmlNode *node, tmpl_write_e where)
{
    tmpl_writer_part(w);
    if (w->one_leaf != NULL) {
        return 0;
    }
    w->one_leaf = node;
    w->where = where;
    return 1;
}

int tmpl_writer_end_leaf(tmpl_writer_t *w, const xmlNode *node)
{
    if (w->one_leaf != node) {
        tmpl_writer_part(w);
        return 0;
    }
    w->one_leaf = NULL;
    return 1;
}

void tmpl_writer_heading(tmpl_writer_t *w, unsigned level)
{
    if (!tmpl_writer_is_empty(w)) {
        tmpl_flow_begin(&w->flow, TMPL_FLOW_TEXT);
        tmpl_buf_add(&w->flow.out, "######", level);
        tmpl_buf_add_text(&w->flow.out, " ");
        tmpl_write_markdown(&w->flow, &w->leaf, TMPL_WRITE_HEADING);
        tmpl_flow_end(&w->flow);
    }
}
