/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/writer.h"

void tmpl_writer_flush(tmpl_writer_t *w)
{
    tmpl_leaf_finish(&w->leaf);
    if (!tmpl_leaf_is_empty(&w->leaf)) {
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
