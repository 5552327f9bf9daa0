/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The embedded store, "lmdb:DIR": a table in a directory, shared by threads and processes of one
 * machine, without a server.
 *
 * - Open it after fork. Every user of a directory within a process shares one environment.
 * - A page that brings nothing new (a look-up, a text known and fresh) takes a read transaction,
 *   which waits for nobody. Learning takes one write transaction: one writer at a time.
 * - Commits are not flushed (MDB_NOSYNC): the table survives the death of any process at any
 *   moment, kill -9 included, as the kernel has the pages; it is flushed at close. A power loss or
 *   a kernel crash is another matter: what was learnt since the last close may be lost, and on a
 *   file system that does not keep the order of writes the file may be damaged, in which case it
 *   is to be deleted: nothing in it cannot be learnt again.
 * - Full map, full disk, read-only disk: APR_ENOSPC; nothing is learnt, counts are read. Dead
 *   entries and idle sites are still deleted then, out of pages kept in reserve.
 * - A damaged file is an error of open where that can be seen: no LMDB file, cut short. LMDB keeps
 *   no checksums. A file that has been cut short since is an error of whoever begins a transaction then; who is in the
 *   midst of one when that happens is killed by it (SIGBUS).
 *
 * lmdb.c observes, lmdb_admin.c does the rest.
 */
#ifndef TMPL_LMDB_STORE_H
#define TMPL_LMDB_STORE_H

#include "table/lmdb/lmdb_places.h"

typedef struct {
    tmpl_lmdb_t *db;
    tmpl_lmdb_notes_t *notes; /* for who reads */
    tmpl_store_opts_t opts;
} tmpl_lmdb_store_t;

/* Says in err what rc means of a site. */
apr_status_t tmpl_lmdb_site_fail(const tmpl_lmdb_store_t *store, int rc, const char *site,
                                 tmpl_error_t *err, const char *doing);

apr_status_t tmpl_lmdb_sites(void *ctx, apr_status_t (*each)(void *baton, const char *site),
                             void *baton, tmpl_error_t *err, apr_pool_t *pool);
apr_status_t tmpl_lmdb_forget(void *ctx, const char *site, tmpl_error_t *err, apr_pool_t *pool);
apr_status_t tmpl_lmdb_dump(void *ctx, const char *site, tmpl_store_stats_t *head,
                            apr_status_t (*each)(void *baton, const tmpl_entry_t *entry),
                            void *baton, tmpl_error_t *err, apr_pool_t *pool);
apr_status_t tmpl_lmdb_load(void *ctx, const char *site, const tmpl_store_stats_t *head,
                            const tmpl_entry_t *entries, uint32_t n, tmpl_error_t *err,
                            apr_pool_t *pool);

#endif
