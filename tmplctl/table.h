/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of text in aligned columns. */
#ifndef CTL_TABLE_H
#define CTL_TABLE_H

#include <apr_tables.h>

typedef struct ctl_table_t ctl_table_t;

typedef struct {
    const char *title;
    int right; /* aligned to the right, as numbers are */
} ctl_column_t;

ctl_table_t *ctl_table_make(const ctl_column_t *columns, int n, apr_pool_t *pool);

/*
 * Adds a row of as many cells as there are columns; control characters in them are shown as \x1b. The strings must
 * live as long as the table.
 */
void ctl_table_row(ctl_table_t *table, const char *const *cells);

/* Prints titles and rows to standard output. */
void ctl_table_print(const ctl_table_t *table);

#endif
