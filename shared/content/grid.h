/* SPDX-License-Identifier: Apache-2.0 */
/* Which tables of a page have rows of data, and which lay it out. */
#ifndef TMPL_GRID_H
#define TMPL_GRID_H

#include "dom/dom.h"

typedef enum {
    TMPL_GRID_LAYOUT, /* a layout table, or no table of rows: only its content is written */
    TMPL_GRID_SIMPLE, /* GFM can express the table */
    TMPL_GRID_HTML    /* cells span others, or hold lists: the table is written as HTML */
} tmpl_grid_e;

typedef struct {
    tmpl_grid_e kind;
    uint32_t columns;
    int headed; /* the cells of the first row are all th */
} tmpl_grid_t;

/* Looks at a table up to the first table inside it, so that all tables take linear time. */
void tmpl_grid_read(tmpl_grid_t *grid, const tmpl_page_t *page, const xmlNode *table);

/* How many columns (colspan) or rows (rowspan) a cell says that it spans. */
long tmpl_grid_span(const xmlNode *cell, const char *name);

#endif
