/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a site's buckets stand in LMDB's map. To look one up in LMDB's tree costs more than to search it, and between
 * two commits all who read find each where the one before found it: so it is noted. A note holds as long as somebody
 * reads the same snapshot, and is asked for in its transaction only, so nothing in it can be out of date.
 *
 * Safe to use from many threads.
 */
#ifndef TMPL_LMDB_PLACES_H
#define TMPL_LMDB_PLACES_H

#include "table/lmdb/lmdb_table.h"

/* A site with more buckets has no notes: they would take 1 MB. */
#define TMPL_PLACES_MOST 65536

/* The notes of one store. */
typedef struct tmpl_lmdb_notes_t tmpl_lmdb_notes_t;

/* Notes that are freed when pool is cleaned up: nobody may read the store any more. */
tmpl_lmdb_notes_t *tmpl_lmdb_notes_create(apr_pool_t *pool);

/* The places of one site's buckets in one snapshot. */
typedef struct tmpl_lmdb_places_t tmpl_lmdb_places_t;

/*
 * Those in the snapshot that txn reads, where anchor is the first bucket of the site. To be given back before txn ends.
 * NULL: there are none, for want of memory or of that bucket, or as the site is too large.
 */
tmpl_lmdb_places_t *tmpl_lmdb_places_take(tmpl_lmdb_notes_t *notes, MDB_txn *txn,
                                          const tmpl_site_t *site, const tmpl_bucket_t *anchor);
void tmpl_lmdb_places_give(tmpl_lmdb_notes_t *notes, tmpl_lmdb_places_t *places);

/* The n-th bucket; 0: it has not been noted. anchor as it was when they were taken. */
int tmpl_lmdb_place_get(const tmpl_lmdb_places_t *places, uint32_t n, const tmpl_bucket_t *anchor,
                        tmpl_bucket_t *bucket);
void tmpl_lmdb_place_note(tmpl_lmdb_places_t *places, uint32_t n, const tmpl_bucket_t *anchor,
                          const tmpl_bucket_t *bucket);

#endif
