/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The LMDB environment of one directory, and transactions on it. It adds what LMDB lacks for use
 * within a request:
 * - a deadline for writers;
 * - it follows a map that another process made larger;
 * - it opens an environment again that a failed write has made useless (MDB_PANIC).
 *
 * Return codes are LMDB's: 0, an errno (ETIMEDOUT past a deadline), or MDB_*.
 */
#ifndef TMPL_LMDB_ENV_H
#define TMPL_LMDB_ENV_H

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

#include <apr_pools.h>
#include <apr_time.h>

#include <lmdb.h>

#include "table/provider.h"

/*
 * The writers' lock: a robust mutex in DIR/writer.lock, which every process maps. It is taken
 * before LMDB's own write lock, which has no time limit: if its holder is stopped, others wait for
 * ever. A holder that dies releases it: LMDB drops the transaction of a dead process itself.
 *
 * apr_proc_mutex has no lock that unrelated processes (httpd and tmplctl) can open by name: its
 * locks of pthread, posixsem and sysvsem are for children only, its flock refuses a file that
 * exists, and its fcntl deletes the file.
 */

/* Which file or directory it is, whatever its path. All zero: none. */
typedef struct {
    dev_t dev;
    ino_t ino;
} tmpl_lmdb_id_t;

/* Whether a path leads to a file. */
int tmpl_lmdb_is_file(const char *path, const tmpl_lmdb_id_t *id);

/* The content of DIR/writer.lock. */
typedef struct {
    pthread_mutex_t mutex;
    /* the data.mdb whose readers and writers use the lock.mdb of the directory */
    tmpl_lmdb_id_t file;
} tmpl_lmdb_shared_t;

typedef struct {
    int fd;
    tmpl_lmdb_shared_t *shared;
} tmpl_lmdb_lock_t;

typedef enum {
    TMPL_DB_META,
    TMPL_DB_SITES,
    TMPL_DB_ENTRIES,
    TMPL_DB_DROPPED,
    TMPL_DB_COUNT
} tmpl_db_e;

typedef struct tmpl_lmdb_t {
    const char *dir;
    const char *path;    /* of data.mdb */
    tmpl_lmdb_id_t file; /* data.mdb, as it was opened */
    MDB_dbi dbi[TMPL_DB_COUNT];
    /* the site at which the search for one to forget goes on; only the writer may use it */
    char search_from[TMPL_SITE_MAX + 1];
    char moved[48]; /* the name of the damaged file that opening has moved aside; empty: none */
    /* for lmdb_env.c */
    /* held for reading by every transaction, for writing to change the map or the environment */
    pthread_rwlock_t map_lock;
    MDB_env *env;    /* NULL after it could not be opened again */
    size_t map_size; /* of env, or of the next env */
    tmpl_lmdb_lock_t writer;
    MDB_txn *writing; /* the write transaction; only its owner may look */
    unsigned locking; /* threads that may hold a lock of LMDB's, or the writers' lock; atomic */
    /* for lmdb_open.c */
    apr_pool_t *pool; /* its own; has no parent */
    struct tmpl_lmdb_t *next;
    unsigned refs;
    pid_t pid;             /* the process that opened it; a child must not use what it inherits */
    tmpl_lmdb_id_t dir_id; /* the directory, whatever its path */
    int leaves_damaged;
    int is_lost; /* the file is no longer in dir, and a newer environment has dir open */
} tmpl_lmdb_t;

/* Opens the environment, and notes which file it has. Stop it even if this fails. */
int tmpl_lmdb_start(tmpl_lmdb_t *db);
void tmpl_lmdb_stop(tmpl_lmdb_t *db);

/*
 * Opens the databases, or makes them by deadline if they are missing: only then this waits for
 * other writers. A new file gets a random secret.
 */
int tmpl_lmdb_tables(tmpl_lmdb_t *db, apr_time_t deadline);

/*
 * Whether the file of db is no longer the one in its directory: somebody has removed or replaced
 * it. Opening the directory again then gives another environment.
 */
int tmpl_lmdb_is_lost(const tmpl_lmdb_t *db);

/* Begins a read transaction. This takes no lock for longer than it takes to find a free slot. */
int tmpl_lmdb_read_begin(tmpl_lmdb_t *db, MDB_txn **txn);
void tmpl_lmdb_read_end(tmpl_lmdb_t *db, MDB_txn *txn);

/* Begins the write transaction. Waits for its turn; ETIMEDOUT at deadline (on tmpl_clock). */
int tmpl_lmdb_write_begin(tmpl_lmdb_t *db, apr_time_t deadline, MDB_txn **txn);
/* Commits if rc, the result of the transaction so far, is 0. Returns rc, or the commit's result. */
int tmpl_lmdb_write_end(tmpl_lmdb_t *db, MDB_txn *txn, int rc);

/* The store's secret, in a transaction; empty: none. */
int tmpl_lmdb_secret_get(tmpl_lmdb_t *db, MDB_txn *txn, char secret[TMPL_SECRET_SIZE]);
int tmpl_lmdb_secret_put(tmpl_lmdb_t *db, MDB_txn *txn, const char *secret);

/* The bytes of the map that records take, and the size of the map. Call it within a transaction. */
void tmpl_lmdb_bytes(tmpl_lmdb_t *db, MDB_txn *txn, uint64_t *used, uint64_t *most);
/*
 * Whether the map has so few free pages left, now or with bytes more in it, that they are kept for
 * deleting. Call it within the write transaction.
 */
int tmpl_lmdb_is_tight(tmpl_lmdb_t *db, uint64_t bytes);
/*
 * Makes the map as large as size asks for, unless it is larger already; 0: a little larger than it
 * is, so that something can be deleted: LMDB writes changed pages to new places, and a full map has
 * none. Call it outside of transactions.
 */
int tmpl_lmdb_grow(tmpl_lmdb_t *db, size_t size);
/* Frees the pages that dead readers hold. */
void tmpl_lmdb_reader_check(tmpl_lmdb_t *db);

/* Fills err with what rc means for a directory. */
apr_status_t tmpl_lmdb_fail(const char *dir, int rc, tmpl_error_t *err, const char *doing);

/*
 * Opening the LMDB environment of a directory. All users of the directory in this process share it,
 * as LMDB forbids opening it twice.
 *
 * Damage is found when the first process opens the file. If somebody overwrites or truncates the
 * file while a process has it open, a signal may end that process: the file is mapped into memory.
 */

/*
 * Opens dir, and creates it if it is missing. If this process has dir open already, adds a user.
 * The map grows to the largest size that a user asks for. APR_SUCCESS, or an error with text.
 *
 * If no process has the directory open, walks the file first (lmdb_walk.c). A damaged file is
 * renamed to data.mdb.damaged-TIME, and the store begins anew; with leaves_damaged it is an error.
 */
apr_status_t tmpl_lmdb_open(tmpl_lmdb_t **db, const char *dir, apr_size_t map_size,
                            int leaves_damaged, tmpl_error_t *err);
/* Removes a user. The last user to leave writes all to disk and closes the environment. */
void tmpl_lmdb_close(tmpl_lmdb_t *db);

/* --- checks of a directory by somebody who does not have it open --- */

/*
 * Walks the file in dir while nobody writes it. APR_SUCCESS, or an error with text: APR_EGENERAL if
 * it is damaged, APR_TIMEUP if others wrote it until deadline (on tmpl_clock).
 */
apr_status_t tmpl_lmdb_examine(const char *dir, apr_time_t deadline, tmpl_error_t *err,
                               apr_pool_t *pool);

/*
 * Finds damage in an LMDB file without LMDB, which trusts its file and may crash on a damaged one.
 * The walk reads each page in use once and checks all that LMDB relies on: that trees, their pages,
 * the nodes in them and the lists of free pages are within bounds, in order, and each page is in
 * one place only. Contents of records are not checked; the store reads those with care.
 *
 * LMDB has nothing for this. Of 400 files with one drawn byte changed, mostly in heads of pages,
 * LMDB crashed on 19, or went round in a circle, when they were read and written. mdb_env_copy2()
 * found 16; the walk finds 50, those 19 among them.
 */

/*
 * Walks path, which nobody may write meanwhile. 0, also if the file is missing or empty;
 * MDB_CORRUPTED, with the number of a bad page; MDB_VERSION_MISMATCH for a file of another version
 * of LMDB; or an errno.
 */
int tmpl_lmdb_walk(const char *path, size_t *bad_page);

/*
 * The content of an LMDB store, and how sites come and go in a transaction of the caller.
 * Databases:
 *
 *     sites      name -> head (provider.h), serial (4), seen (8), 0 (4), and, if the site has
 *                listed documents, their serial (4); little-endian
 *     entries    serial (4, big-endian), number (4, big-endian, bits reversed) -> a bucket
 *     dropped    serial (4, big-endian) -> nothing: its buckets are to be deleted
 *     meta       "format" -> a byte; "serial" -> the last serial given (4); "evicted" -> how many
 *                sites were forgotten for others (4); "secret" -> the secret of the store
 *
 * To forget a site of any size is to drop its serial; later writes delete its buckets in slices.
 * Bits are reversed so that a bucket is next to the one it was split from.
 *
 * Return codes are LMDB's.
 */

/* The store holds its most sites, and none of them may be forgotten for another. */
#define TMPL_LMDB_SITES_FULL (MDB_LAST_ERRCODE + 1)
/* The record of a site cannot be read. */
#define TMPL_LMDB_SITE_DAMAGED (MDB_LAST_ERRCODE + 2)

#define TMPL_LMDB_SITE_SIZE (TMPL_HEAD_SIZE + 4 + 8 + 4)

typedef struct {
    tmpl_head_t head;
    uint32_t serial;
    uint64_t seen;   /* roughly the last use: microseconds since 1970; grows with each put */
    uint32_t listed; /* the serial of its listed documents; 0: it has none */
} tmpl_lmdb_site_t;

/*
 * The record of a site: MDB_NOTFOUND if there is none, TMPL_LMDB_SITE_DAMAGED if it cannot be read.
 */
int tmpl_site_get(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, tmpl_lmdb_site_t *site);
int tmpl_site_put(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, const tmpl_lmdb_site_t *site);

/* A serial that no site has had. */
int tmpl_serial_draw(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t *serial);

/* Forgets a site, damaged or not; MDB_NOTFOUND if there is none. */
int tmpl_site_forget(tmpl_lmdb_t *db, MDB_txn *txn, const char *name);

/* The most sites that one transaction forgets for others. */
#define TMPL_LMDB_EVICTED_MOST 8

/*
 * Looks at some sites, and forgets the least recently used one, or one with an impossible name.
 * Never forgets the site with the name spared, a frozen site, or a damaged one. MDB_NOTFOUND if
 * there is no site to forget.
 */
int tmpl_site_evict(tmpl_lmdb_t *db, MDB_txn *txn, const char *spared);
/*
 * Makes room for one more site in a store of at most `most` sites; otherwise TMPL_LMDB_SITES_FULL.
 * Forgets sites like tmpl_site_evict(), but divides a site's idle time by its number of documents:
 * a site of several documents has been requested before, and probably will be again. The divisor is
 * at most 8, so that even a large site goes once nobody requests it any more.
 */
int tmpl_site_room(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t most, const char *spared);
/* How many sites there are, and how many the two functions above forgot since the file was made. */
int tmpl_sites_count(tmpl_lmdb_t *db, MDB_txn *txn, uint64_t *sites, uint64_t *evicted);

/* Deletes up to budget buckets of one dropped serial. *done: there was no dropped serial. */
int tmpl_dropped_delete(tmpl_lmdb_t *db, MDB_txn *txn, unsigned budget, int *done);

/* The key of a bucket. */
#define TMPL_LMDB_KEY_SIZE 8
MDB_val tmpl_bucket_pack(unsigned char bytes[TMPL_LMDB_KEY_SIZE], uint32_t serial, uint32_t number);

#endif
