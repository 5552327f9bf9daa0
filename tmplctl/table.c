/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <stdio.h>
#include <string.h>

#include <apr_strings.h>

#include "plain.h"

struct ctl_table_t {
    const ctl_column_t *columns;
    int n;
    int *widths;
    apr_array_header_t *rows; /* const char *const * */
    apr_pool_t *pool;
};

static void widen(ctl_table_t *table, int column, const char *cell)
{
    int len = (int)strlen(cell);
    if (len > table->widths[column]) {
        table->widths[column] = len;
    }
}

ctl_table_t *ctl_table_make(const ctl_column_t *columns, int n, apr_pool_t *pool)
{
    ctl_table_t *table = apr_palloc(pool, sizeof(*table));
    table->columns = columns;
    table->n = n;
    table->widths = apr_pcalloc(pool, n * sizeof(*table->widths));
    table->rows = apr_array_make(pool, 64, sizeof(const char *const *));
    table->pool = pool;
    for (int i = 0; i < n; i++) {
        widen(table, i, columns[i].title);
    }
    return table;
}

void ctl_table_row(ctl_table_t *table, const char *const *cells)
{
    const char **row = apr_palloc(table->pool, table->n * sizeof(*cells));
    APR_ARRAY_PUSH(table->rows, const char **) = row;
    for (int i = 0; i < table->n; i++) {
        row[i] = ctl_plain(cells[i], table->pool);
        widen(table, i, row[i]);
    }
}

static void print_cell(const ctl_table_t *table, int column, const char *cell)
{
    int width = table->columns[column].right ? table->widths[column] : -table->widths[column];
    if (column + 1 == table->n && width < 0) {
        /* no trailing blanks */
        printf("%s\n", cell);
        return;
    }
    printf("%*s%s", width, cell, column + 1 == table->n ? "\n" : "  ");
}

void ctl_table_print(const ctl_table_t *table)
{
    for (int i = 0; i < table->n; i++) {
        print_cell(table, i, table->columns[i].title);
    }
    for (int r = 0; r < table->rows->nelts; r++) {
        const char **row = APR_ARRAY_IDX(table->rows, r, const char **);
        for (int i = 0; i < table->n; i++) {
            print_cell(table, i, row[i]);
        }
    }
}
