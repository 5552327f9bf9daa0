/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The LMDB environment of one directory, shared by all who open that directory in this process
 * (LMDB forbids opening it twice), with what LMDB lacks for use within a request:
 * - a deadline for writers: LMDB waits for its write lock as long as it takes, for ever if its
 *   holder is stopped. A robust mutex of our own, in DIR/writer.lock (lmdb_lock.h), stands in front of it;
 * - a map that another process made larger is followed;
 * - an environment that a failed write has made useless (MDB_PANIC) is opened anew.
 *
 * Return codes are LMDB's: 0, an errno (ETIMEDOUT past a deadline), or MDB_*.
 */
#ifndef TMPL_LMDB_ENV_H
#define TMPL_LMDB_ENV_H

#include <lmdb.h>

#include "table/provider.h"

typedef struct tmpl_lmdb_t tmpl_lmdb_t;

typedef enum {
    TMPL_DB_META,
    TMPL_DB_SITES,
    TMPL_DB_ENTRIES,
    TMPL_DB_DOOMED,
    TMPL_DB_COUNT
} tmpl_db_e;

/*
 * Opens dir, creating it if missing, or joins those who have it open. The map grows to the largest
 * size that anybody asks for. APR_SUCCESS, or an error with text.
 */
apr_status_t tmpl_lmdb_open(tmpl_lmdb_t **db, const char *dir, apr_size_t map_size,
                            tmpl_error_t *err);
/* Leaves it; the last one to leave writes all to disk and closes. */
void tmpl_lmdb_close(tmpl_lmdb_t *db);

int tmpl_lmdb_read_begin(tmpl_lmdb_t *db, MDB_txn **txn);
void tmpl_lmdb_read_end(tmpl_lmdb_t *db, MDB_txn *txn);

/* Waits until deadline for its turn: ETIMEDOUT. */
int tmpl_lmdb_write_begin(tmpl_lmdb_t *db, apr_time_t deadline, MDB_txn **txn);
/* Commits if rc, what has become of the transaction so far, is 0; returns rc or the commit's. */
int tmpl_lmdb_write_end(tmpl_lmdb_t *db, MDB_txn *txn, int rc);

/*
 * Whether the map has so few free pages left that they are kept for deleting, or would have with so many bytes more
 * in it. To be asked within a write transaction, whose own writing does not count.
 */
int tmpl_lmdb_is_tight(tmpl_lmdb_t *db, uint64_t bytes);
/*
 * Lets the map have a little more than was asked for, for who deletes: LMDB writes anew what it changes, so that on a map
 * without a page nothing can be deleted either. Not to be called within a transaction. 0, or why it was not possible.
 */
int tmpl_lmdb_grow(tmpl_lmdb_t *db);
/* Frees what readers that died hold on to. */
void tmpl_lmdb_reader_check(tmpl_lmdb_t *db);

const char *tmpl_lmdb_dir(const tmpl_lmdb_t *db);
MDB_dbi tmpl_lmdb_dbi(const tmpl_lmdb_t *db, tmpl_db_e which);
/* Where the search for idle sites goes on; only for who writes. TMPL_SITE_MAX + 1 bytes. */
char *tmpl_lmdb_idle_from(tmpl_lmdb_t *db);

/* Whether rc means that nothing can be written while reading goes on. */
int tmpl_lmdb_is_full(int rc);
/* Says in err what rc means in a directory, or in the one of an environment. */
apr_status_t tmpl_lmdb_dir_fail(const char *dir, int rc, tmpl_error_t *err, const char *doing);
apr_status_t tmpl_lmdb_fail(const tmpl_lmdb_t *db, int rc, tmpl_error_t *err, const char *doing);

#endif
