/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The content of an LMDB store, and how sites come and go in a transaction of the caller.
 * Databases:
 *
 *     sites      name -> head (provider.h), serial (4), seen (8), changed (4); little-endian
 *     entries    serial (4, big-endian), number (4, big-endian, bits reversed) -> a bucket
 *     dropped    serial (4, big-endian) -> nothing: its buckets are to be deleted
 *     meta       "format" -> a byte; "serial" -> the last serial given (4)
 *
 * To forget a site of any size is to drop its serial; later writes delete its buckets in slices.
 * Bits are reversed so that a bucket is next to the one it was split from.
 *
 * Return codes are LMDB's.
 */
#ifndef TMPL_LMDB_TABLE_H
#define TMPL_LMDB_TABLE_H

#include "table/lmdb/lmdb_env.h"

/* The store holds as many sites as it may, and none that may be forgotten for another. */
#define TMPL_LMDB_SITES_FULL (MDB_LAST_ERRCODE + 1)
/* The record of a site cannot be read. */
#define TMPL_LMDB_SITE_DAMAGED (MDB_LAST_ERRCODE + 2)

#define TMPL_LMDB_SITE_SIZE (TMPL_HEAD_SIZE + 4 + 8 + 4)

typedef struct {
    tmpl_head_t head;
    uint32_t serial;
    uint64_t seen;    /* microseconds since 1970, roughly when it was last used; once seconds */
    uint32_t changed; /* buckets written one by one since all were last written in order */
} tmpl_site_t;

/* MDB_NOTFOUND if there is none, TMPL_LMDB_SITE_DAMAGED if it cannot be read. */
int tmpl_site_get(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, tmpl_site_t *site);
int tmpl_site_put(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, const tmpl_site_t *site);

/* A serial that no site has had. */
int tmpl_serial_draw(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t *serial);

/* Forgets a site, damaged or not; MDB_NOTFOUND if there is none. */
int tmpl_site_forget(tmpl_lmdb_t *db, MDB_txn *txn, const char *name);

/* Sites that a transaction forgets for others at most. */
#define TMPL_LMDB_EVICTED_MOST 8

/*
 * Forgets the site that was used least recently among some, but not the one with the name spared,
 * no frozen and no damaged one; or one of an impossible name. MDB_NOTFOUND if there is none.
 */
int tmpl_site_evict(tmpl_lmdb_t *db, MDB_txn *txn, const char *spared);
/*
 * Makes room for one more site where most are allowed: TMPL_LMDB_SITES_FULL. Forgets sites like
 * tmpl_site_evict(), but a site of several documents has been asked for before, and probably will
 * be again: the time that it was not used is divided by their number. That is at most 8, so that a
 * site that nobody asks for any more goes, however large it is.
 */
int tmpl_site_room(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t most, const char *spared);
/* How many sites these two have forgotten since the file was made. */
int tmpl_sites_evicted(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t *evicted);

/* Deletes up to budget buckets of one serial; *left: there are more. */
int tmpl_serial_delete(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t serial, unsigned budget, int *left);
/* Deletes up to budget buckets of one dropped serial. *done: no serial was dropped. */
int tmpl_dropped_delete(tmpl_lmdb_t *db, MDB_txn *txn, unsigned budget, int *done);

/* The key of a bucket. */
#define TMPL_LMDB_KEY_SIZE 8
MDB_val tmpl_bucket_pack(unsigned char bytes[TMPL_LMDB_KEY_SIZE], uint32_t serial, uint32_t number);

#endif
