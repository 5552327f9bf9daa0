/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The LMDB environment of one directory. All users of the directory in this process share it, as
 * LMDB forbids opening it twice. It adds what LMDB lacks for use within a request:
 * - a deadline for writers (lmdb_lock.h);
 * - it follows a map that another process made larger;
 * - it opens an environment again that a failed write has made useless (MDB_PANIC).
 *
 * Damage is found when the first process opens the file. If somebody overwrites or truncates the
 * file while a process has it open, a signal may end that process: the file is mapped into memory.
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
    TMPL_DB_DROPPED,
    TMPL_DB_COUNT
} tmpl_db_e;

#define TMPL_LMDB_FILE "data.mdb"
#define TMPL_LMDB_META "meta" /* the name of TMPL_DB_META */

/*
 * Whether meta says that the file has the format of this version: 0, MDB_INCOMPATIBLE, or
 * MDB_NOTFOUND if it does not say.
 */
int tmpl_lmdb_format(MDB_txn *txn, MDB_dbi meta);

/*
 * Sets those limits in opts that uri, "lmdb:DIR[?size=BYTES&sites=N]", names; the others stay as
 * they are. APR_SUCCESS, or APR_EINVAL with text.
 */
apr_status_t tmpl_lmdb_address_parse(const char *uri, tmpl_store_opts_t *opts, tmpl_error_t *err,
                                     apr_pool_t *pool);

/*
 * Opens dir, and creates it if it is missing. If this process has dir open already, adds a user.
 * The map grows to the largest size that a user asks for. APR_SUCCESS, or an error with text.
 *
 * If no process has the directory open, walks the file first (lmdb_walk.h). A damaged file is
 * renamed to data.mdb.damaged-TIME, and the store begins anew; with leaves_damaged it is an error.
 */
apr_status_t tmpl_lmdb_open(tmpl_lmdb_t **db, const char *dir, apr_size_t map_size,
                            int leaves_damaged, tmpl_error_t *err);
/* Removes a user. The last user to leave writes all to disk and closes the environment. */
void tmpl_lmdb_close(tmpl_lmdb_t *db);

/* The name of the damaged file that opening has moved aside; NULL: none was. */
const char *tmpl_lmdb_moved(const tmpl_lmdb_t *db);

/*
 * Whether the file of db is no longer the one in its directory: somebody has removed or replaced
 * it. Opening the directory again then gives another environment.
 */
int tmpl_lmdb_is_lost(const tmpl_lmdb_t *db);

/*
 * Walks the file in dir while nobody writes it. APR_SUCCESS, or an error with text: APR_EGENERAL if
 * it is damaged, APR_TIMEUP if others wrote it until deadline (on tmpl_clock).
 */
apr_status_t tmpl_lmdb_examine(const char *dir, apr_time_t deadline, tmpl_error_t *err);

/*
 * Whether tmpl_lmdb_open() would open dir as it is, and could write to it. Creates and changes
 * nothing. Walks the file if no process has the directory open: otherwise that was done when it was
 * opened. APR_SUCCESS, or an error with text.
 */
apr_status_t tmpl_lmdb_test(const char *dir, tmpl_error_t *err);

/* Begins a read transaction. This takes no lock for longer than it takes to find a free slot. */
int tmpl_lmdb_read_begin(tmpl_lmdb_t *db, MDB_txn **txn);
void tmpl_lmdb_read_end(tmpl_lmdb_t *db, MDB_txn *txn);

/* Begins the write transaction. Waits for its turn; ETIMEDOUT at deadline (on tmpl_clock). */
int tmpl_lmdb_write_begin(tmpl_lmdb_t *db, apr_time_t deadline, MDB_txn **txn);
/* Commits if rc, the result of the transaction so far, is 0. Returns rc, or the commit's result. */
int tmpl_lmdb_write_end(tmpl_lmdb_t *db, MDB_txn *txn, int rc);

/* The store's secret, in a transaction; empty: none. A new file gets a random one. */
int tmpl_lmdb_secret_get(tmpl_lmdb_t *db, MDB_txn *txn, char secret[TMPL_SECRET_SIZE]);
int tmpl_lmdb_secret_put(tmpl_lmdb_t *db, MDB_txn *txn, const char *secret);

/* The bytes of the map that records take, and the size of the map. Call it within a transaction. */
void tmpl_lmdb_bytes(tmpl_lmdb_t *db, MDB_txn *txn, uint64_t *used, uint64_t *most);
/*
 * Whether the map has so few free pages left, now or with bytes more in it, that they are kept for
 * deleting. Call it within the write transaction.
 */
int tmpl_lmdb_is_tight(tmpl_lmdb_t *db, uint64_t bytes);
/* Whether less than 1 / share of the map is free. Call it within the write transaction. */
int tmpl_lmdb_lacks_share(tmpl_lmdb_t *db, unsigned share);
/*
 * Makes the map a little larger than was asked for, so that something can be deleted: LMDB writes
 * changed pages to new places, and a full map has none. Call it outside of transactions.
 */
int tmpl_lmdb_grow(tmpl_lmdb_t *db);
/* Frees the pages that dead readers hold. */
void tmpl_lmdb_reader_check(tmpl_lmdb_t *db);

const char *tmpl_lmdb_dir(const tmpl_lmdb_t *db);
MDB_dbi tmpl_lmdb_dbi(const tmpl_lmdb_t *db, tmpl_db_e which);
/*
 * The site at which the search for one to forget goes on: TMPL_SITE_MAX + 1 bytes. Only the writer
 * may use it.
 */
char *tmpl_lmdb_search_from(tmpl_lmdb_t *db);

/* Fills err with what rc means for a directory, or for the directory of an environment. */
apr_status_t tmpl_lmdb_dir_fail(const char *dir, int rc, tmpl_error_t *err, const char *doing);
apr_status_t tmpl_lmdb_fail(const tmpl_lmdb_t *db, int rc, tmpl_error_t *err, const char *doing);

#endif
