/* SPDX-License-Identifier: Apache-2.0 */
#include "text_table.h"

#include <stdio.h>
#include <string.h>

#include <apr_strings.h>

#include <libxml/xmlstring.h>

#include "progress.h"

/* Spaces between columns. */
#define GAP 2

struct ctl_text_table_t {
    const ctl_column_t *columns;
    int n;
    int *widths;
    apr_array_header_t *rows; /* const char *const * */
    apr_pool_t *pool;
};

/* Characters of a cell; bytes if it is not UTF-8. */
static int width_of_cell(const char *cell)
{
    int width = xmlUTF8Strlen((const xmlChar *)cell);
    return width >= 0 ? width : (int)strlen(cell);
}

static void widen_column(ctl_text_table_t *table, int column, const char *cell)
{
    int width = width_of_cell(cell);
    if (width > table->widths[column]) {
        table->widths[column] = width;
    }
}

ctl_text_table_t *ctl_text_table_make(const ctl_column_t *columns, int n, apr_pool_t *pool)
{
    ctl_text_table_t *table = apr_palloc(pool, sizeof(*table));
    table->columns = columns;
    table->n = n;
    table->widths = apr_pcalloc(pool, (apr_size_t)n * sizeof(*table->widths));
    table->rows = apr_array_make(pool, 64, sizeof(const char *const *));
    table->pool = pool;
    for (int i = 0; i < n; i++) {
        widen_column(table, i, columns[i].title);
    }
    return table;
}

void ctl_text_table_row(ctl_text_table_t *table, const char *const *cells)
{
    const char **row = apr_palloc(table->pool, (apr_size_t)table->n * sizeof(*cells));
    APR_ARRAY_PUSH(table->rows, const char **) = row;
    for (int i = 0; i < table->n; i++) {
        row[i] = ctl_printable(cells[i], table->pool);
        widen_column(table, i, row[i]);
    }
}

const char *ctl_number_cell(apr_uint64_t n, apr_pool_t *pool)
{
    return apr_psprintf(pool, "%" APR_UINT64_T_FMT, n);
}

static void print_cell(const ctl_text_table_t *table, int column, const char *cell)
{
    int spaces = table->widths[column] - width_of_cell(cell);
    int right = table->columns[column].right;
    printf("%*s%s", right ? spaces : 0, "", cell);
    if (column + 1 < table->n) {
        printf("%*s", (right ? 0 : spaces) + GAP, "");
    }
    else {
        putchar('\n');
    }
}

void ctl_text_table_print(const ctl_text_table_t *table)
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
