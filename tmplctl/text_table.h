/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of text that standard output shows in aligned columns. */
#ifndef CTL_TEXT_TABLE_H
#define CTL_TEXT_TABLE_H

#include <apr_tables.h>

typedef struct ctl_text_table_t ctl_text_table_t;

typedef struct {
    const char *title;
    int right; /* aligned to the right, as numbers are */
} ctl_column_t;

/* An empty table from pool. columns, n of them, must outlive it. */
ctl_text_table_t *ctl_text_table_make(const ctl_column_t *columns, int n, apr_pool_t *pool);

/*
 * Adds a row with one cell per column. Control characters in cells are printed as \x1b. The table
 * keeps the strings, but not the array: the strings must outlive the table.
 */
void ctl_text_table_row(ctl_text_table_t *table, const char *const *cells);

/* The cell of a number, from pool. */
const char *ctl_number_cell(apr_uint64_t n, apr_pool_t *pool);

/* Prints titles and rows to standard output. */
void ctl_text_table_print(const ctl_text_table_t *table);

#endif
