/* SPDX-License-Identifier: Apache-2.0 */
/* Tables, row by row (grid_write.h). */
#include "markdown/handlers.h"

static int enter_table(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_writer_part(w);
    if (w->one_leaf == NULL && w->table.node == NULL) {
        if (!tmpl_writer_keeps(w, node)) {
            return 1;
        }
        tmpl_grid_begin(&w->table, w->page, node);
    }
    return 0;
}

static void leave_table(tmpl_writer_t *w, const xmlNode *node)
{
    if (w->table.node == node) {
        tmpl_grid_end(&w->table, &w->flow);
    }
    else {
        tmpl_writer_part(w);
    }
}

static int enter_row(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_writer_part(w);
    w->table.cells = 0;
    return 0;
}

static void leave_row(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    if (w->table.node == NULL || w->one_leaf != NULL || w->table.cells == 0) {
        tmpl_writer_part(w);
    }
    else {
        tmpl_grid_end_row(&w->table, &w->flow);
    }
}

static int enter_cell(tmpl_writer_t *w, const xmlNode *node)
{
    if (w->table.node == NULL || w->one_leaf != NULL) {
        tmpl_writer_part(w);
        return 0;
    }
    tmpl_writer_begin_leaf(w, node, TMPL_WRITE_CELL);
    return 0;
}

static void leave_cell(tmpl_writer_t *w, const xmlNode *node)
{
    if (tmpl_writer_end_leaf(w, node)) {
        tmpl_grid_write_cell(&w->table, &w->flow, &w->leaf, node);
    }
}

const tmpl_handler_t tmpl_handler_table = { enter_table, leave_table };
const tmpl_handler_t tmpl_handler_row = { enter_row, leave_row };
const tmpl_handler_t tmpl_handler_cell = { enter_cell, leave_cell };
