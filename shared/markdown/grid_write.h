/* SPDX-License-Identifier: Apache-2.0 */
/* A table as it is written row by row, in GFM or HTML (grid.h says which). */
#ifndef TMPL_GRID_WRITE_H
#define TMPL_GRID_WRITE_H

#include "content/grid.h"
#include "markdown/write.h"

typedef struct {
    const xmlNode *node; /* the table that is being written; NULL: none */
    tmpl_grid_t grid;
    uint32_t rows;  /* rows of the table that are written or begun */
    uint32_t cells; /* cells of the last row that are written */
} tmpl_grid_writer_t;

/* Begins the table node, unless it is for layout: then table->node stays NULL. */
void tmpl_grid_begin(tmpl_grid_writer_t *table, const tmpl_page_t *page, const xmlNode *node);

/* Writes the next cell of a row, a td or th whose text is in leaf, and empties the leaf. */
void tmpl_grid_write_cell(tmpl_grid_writer_t *table, tmpl_flow_t *flow, tmpl_leaf_t *leaf,
                          const xmlNode *cell);

/* Ends a row that has cells. */
void tmpl_grid_end_row(const tmpl_grid_writer_t *table, tmpl_flow_t *flow);

/* Ends the table. */
void tmpl_grid_end(tmpl_grid_writer_t *table, tmpl_flow_t *flow);

#endif
