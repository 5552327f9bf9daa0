/* SPDX-License-Identifier: Apache-2.0 */
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
#ifndef TMPL_LMDB_TABLE_H
#define TMPL_LMDB_TABLE_H

#include "table/lmdb/lmdb_env.h"

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

/* Deletes up to budget buckets of one serial. *left: the serial has more buckets. */
int tmpl_serial_delete(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t serial, unsigned budget, int *left);
/* Deletes up to budget buckets of one dropped serial. *done: there was no dropped serial. */
int tmpl_dropped_delete(tmpl_lmdb_t *db, MDB_txn *txn, unsigned budget, int *done);

/* The key of a bucket. */
#define TMPL_LMDB_KEY_SIZE 8
MDB_val tmpl_bucket_pack(unsigned char bytes[TMPL_LMDB_KEY_SIZE], uint32_t serial, uint32_t number);

#endif
