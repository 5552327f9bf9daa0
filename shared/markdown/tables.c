/* SPDX-License-Identifier: Apache-2.0 */
/* Tables, row by row. */
#include "markdown/handlers.h"

#include <apr_strings.h>

/* Adds n equal cells: empty cells, or cells of the row below the head. */
static void add_cells(tmpl_flow_t *flow, const char *cell, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        tmpl_buf_add_text(&flow->out, cell);
    }
}

static void add_delimiters(const tmpl_grid_writer_t *table, tmpl_flow_t *flow)
{
    tmpl_flow_break(flow);
    tmpl_buf_add_text(&flow->out, "|");
    add_cells(flow, " --- |", table->grid.columns);
}

static void add_span(tmpl_flow_t *flow, const xmlNode *cell, const char *name)
{
    long span = tmpl_grid_span(cell, name);
    char attribute[20];
    if (span > 1 && span <= 1000) {
        apr_snprintf(attribute, sizeof(attribute), " %s=\"%ld\"", name, span);
        tmpl_buf_add_text(&flow->out, attribute);
    }
}

/* Begins the table node, unless it is for layout: then table->node stays NULL. */
static void begin_table(tmpl_grid_writer_t *table, const tmpl_page_t *page, const xmlNode *node)
{
    tmpl_grid_read(&table->grid, page, node);
    if (table->grid.kind != TMPL_GRID_LAYOUT) {
        table->node = node;
        table->rows = 0;
    }
}

/* Begins the row in front of its first cell. */
static void begin_row(tmpl_grid_writer_t *table, tmpl_flow_t *flow)
{
    int simple = table->grid.kind == TMPL_GRID_SIMPLE;
    if (table->rows++ > 0) {
        tmpl_flow_break(flow);
    }
    else {
        tmpl_flow_begin(flow, TMPL_FLOW_OTHER);
        tmpl_buf_add_text(&flow->out, simple ? "" : "<table>");
        if (simple && !table->grid.headed) {
            tmpl_buf_add_text(&flow->out, "|");
            add_cells(flow, "  |", table->grid.columns);
            add_delimiters(table, flow);
        }
        if (!simple || !table->grid.headed) {
            tmpl_flow_break(flow);
        }
    }
    tmpl_buf_add_text(&flow->out, simple ? "|" : "<tr>");
}

/* Writes the next cell of a row, a td or th whose text is in leaf, and empties the leaf. */
static void write_cell(tmpl_grid_writer_t *table, tmpl_flow_t *flow, tmpl_leaf_t *leaf,
                       const xmlNode *cell)
{
    if (table->cells++ == 0) {
        begin_row(table, flow);
    }
    tmpl_leaf_finish(leaf);
    if (table->grid.kind == TMPL_GRID_SIMPLE) {
        tmpl_buf_add_text(&flow->out, " ");
        tmpl_write_markdown(flow, leaf, TMPL_WRITE_CELL);
        tmpl_buf_add_text(&flow->out, " |");
        return;
    }
    const char *name = (const char *)cell->name;
    tmpl_buf_add_text(&flow->out, "<");
    tmpl_buf_add_text(&flow->out, name);
    add_span(flow, cell, "colspan");
    add_span(flow, cell, "rowspan");
    tmpl_buf_add_text(&flow->out, ">");
    tmpl_write_html(flow, leaf);
    tmpl_buf_add_text(&flow->out, "</");
    tmpl_buf_add_text(&flow->out, name);
    tmpl_buf_add_text(&flow->out, ">");
}

/* Ends a row that has cells. */
static void end_row(const tmpl_grid_writer_t *table, tmpl_flow_t *flow)
{
    if (flow->fragments != NULL) {
        tmpl_fragments_end_row(flow->fragments);
    }
    if (table->grid.kind == TMPL_GRID_HTML) {
        tmpl_buf_add_text(&flow->out, "</tr>");
    }
    else if (table->rows == 1 && table->grid.headed) {
        add_cells(flow, "  |", table->grid.columns - table->cells);
        add_delimiters(table, flow);
    }
}

/* Ends the table. */
static void end_table(tmpl_grid_writer_t *table, tmpl_flow_t *flow)
{
    table->node = NULL;
    if (table->rows > 0 && table->grid.kind == TMPL_GRID_HTML) {
        tmpl_flow_break(flow);
        tmpl_buf_add_text(&flow->out, "</table>");
    }
    if (table->rows > 0) {
        tmpl_flow_end(flow);
    }
}

static int enter_table(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_writer_part(w);
    if (w->one_leaf == NULL && w->table.node == NULL) {
        if (!tmpl_writer_keeps(w, node)) {
            return 1;
        }
        begin_table(&w->table, w->page, node);
    }
    return 0;
}

static void leave_table(tmpl_writer_t *w, const xmlNode *node)
{
    if (w->table.node == node) {
        end_table(&w->table, &w->flow);
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
        end_row(&w->table, &w->flow);
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
        write_cell(&w->table, &w->flow, &w->leaf, node);
    }
}

const tmpl_handler_t tmpl_handler_table = { enter_table, leave_table };
const tmpl_handler_t tmpl_handler_row = { enter_row, leave_row };
const tmpl_handler_t tmpl_handler_cell = { enter_cell, leave_cell };
