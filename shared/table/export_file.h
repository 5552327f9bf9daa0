/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of sites as JSON lines, one table after another, for export and import by tmplctl. The
 * first line describes the table:
 *     {"format": "tmpl-table", "version": 1, "site": S, "pages": N, "table_version": N,
 *      "entries": N, "secret": S, "listed": N, "since": N, "edition": N, "evicted": B}
 * Each further line is an entry. Entries are sorted by kind and key:
 *     {"kind": "segment", "key": "0123456789abcdef", "df": N, "last": N, "seen": [N, ...]}
 *     {"kind": "path", "key": "0123456789abcdef", "df": N, "last": N, "text": N, "repeated": N}
 * After the entries come the listed documents (listed.h), in the order of their addresses:
 *     {"kind": "listed", "address": S, "title": S, "day": N, "first": N, "changed": N, "text": N,
 *      "layout": N, "fingerprint": "0123456789abcdef"}
 * A table without listed documents has neither these lines nor the last four members of the first
 * one. seen, the fingerprints of the documents that were counted, is optional. The number of
 * entries in the first line shows whether a file was cut short. If two entries have one key, the
 * last one counts. Keys are made with the secret of the store. Files of former versions have no
 * secret: their keys were made without one.
 */
#ifndef TMPL_EXPORT_FILE_H
#define TMPL_EXPORT_FILE_H

#include <stdio.h>

#include <apr_tables.h>

#include "table/listed.h"
#include "table/store.h"

typedef struct {
    const char *site;              /* whose table was read */
    char secret[TMPL_SECRET_SIZE]; /* the secret of the table's store */
    tmpl_store_stats_t head;
    apr_array_header_t *entries; /* tmpl_entry_t */
    tmpl_listed_head_t list;
    apr_array_header_t *listed; /* tmpl_listed_t */
} tmpl_export_file_t;

/*
 * Fills table from a store; its entries come from pool. timeout is for tmpl_store_secret(). Errors:
 * those of tmpl_store_secret() and tmpl_store_export().
 */
apr_status_t tmpl_export_file_fill(tmpl_export_file_t *table, tmpl_store_t *store, const char *site,
                                   apr_interval_time_t timeout, tmpl_error_t *err,
                                   apr_pool_t *pool);

/*
 * Sorts the entries of a site's table, and writes the table to out. On failure err has the reason:
 * APR_EINVAL for a site whose name is not UTF-8, or the error of the write.
 */
apr_status_t tmpl_export_file_write(FILE *out, const char *site, tmpl_export_file_t *table,
                                    tmpl_error_t *err);

/*
 * Replaces a site by a table that was read. Errors: those of tmpl_store_import().
 */
apr_status_t tmpl_export_file_import(const tmpl_export_file_t *table, tmpl_store_t *store,
                                     const char *site, tmpl_error_t *err, apr_pool_t *pool);

/*
 * Reads the next table from in, which messages call name; its entries come from pool. *lines counts
 * the lines of in that were read, 0 before the first table. APR_EOF: there is no other table. On
 * failure err has the reason: APR_EINVAL with the number of the invalid line, or the error of the
 * read.
 */
apr_status_t tmpl_export_file_read(tmpl_export_file_t *table, FILE *in, const char *name,
                                   unsigned *lines, tmpl_error_t *err, apr_pool_t *pool);

#endif
