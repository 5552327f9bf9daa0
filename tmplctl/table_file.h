/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A site's table as text: JSON lines. The first is the head,
 *     {"format": "tmpl-table", "version": 1, "site": S, "pages": N, "table_version": N,
 *      "entries": N}
 * each other one an entry, sorted by kind and key,
 *     {"kind": "segment", "key": "0123456789abcdef", "df": N, "last": N, "seen": [N, ...]}
 *     {"kind": "path", "key": "0123456789abcdef", "df": N, "last": N, "text": N, "repeated": N}
 * where seen, the fingerprints of the documents counted, may be missing. The count in the head
 * makes a file that was cut short no file.
 */
#ifndef CTL_TABLE_FILE_H
#define CTL_TABLE_FILE_H

#include <stdio.h>

#include <apr_file_io.h>
#include <apr_tables.h>

#include "table/store.h"

typedef struct {
    tmpl_store_stats_t head;
    apr_array_header_t *entries; /* tmpl_entry_t */
} ctl_table_file_t;

/* Writes a site's table; sorts its entries. APR_EINVAL, with the reason, or the write's error. */
apr_status_t ctl_table_file_write(FILE *out, const char *site, ctl_table_file_t *table,
                                  tmpl_error_t *err);

/* Reads a table, from pool. APR_EINVAL with the number of the line and what is wrong with it. */
apr_status_t ctl_table_file_read(ctl_table_file_t *table, apr_file_t *in, tmpl_error_t *err,
                                 apr_pool_t *pool);

#endif
