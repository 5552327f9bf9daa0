/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The buckets of one site in an LMDB store: read and written within a transaction of the caller's, made more
 * and fewer, swept, walked through.
 *
 * Buckets stand in the order of their numbers' bits from the lowest on, so that a new one stands next to the one
 * it shares its entries with, and the pages of the file stay full. Keys in the order of their places
 * (tmpl_bucket_place, lowest bits first) so are in the order of the file, too, however many buckets there are.
 *
 * Return codes are LMDB's. Where *site changes put it after.
 */
#ifndef TMPL_LMDB_BUCKETS_H
#define TMPL_LMDB_BUCKETS_H

#include "table/lmdb/lmdb_places.h"

/* A cursor over a site's buckets, and where they are written anew. */
typedef struct {
    tmpl_lmdb_t *db;
    MDB_cursor *cursor;
    tmpl_site_t *site;
    tmpl_bucket_desk_t desk;
    tmpl_lmdb_places_t *places; /* of all buckets, from anchor on; NULL: they are looked up */
    tmpl_bucket_t anchor;
    int in_order; /* buckets are got in the order of the file, with few left out: changes no answer */
} tmpl_lmdb_buckets_t;

int tmpl_lmdb_buckets_begin(tmpl_lmdb_buckets_t *buckets, tmpl_lmdb_t *db, MDB_txn *txn,
                            tmpl_site_t *site, apr_pool_t *pool);
void tmpl_lmdb_buckets_end(tmpl_lmdb_buckets_t *buckets);

/* The same for who only reads: where buckets stand is looked for in notes, and noted. */
int tmpl_lmdb_buckets_begin_reading(tmpl_lmdb_buckets_t *buckets, tmpl_lmdb_t *db, MDB_txn *txn,
                                    tmpl_site_t *site, tmpl_lmdb_notes_t *notes, apr_pool_t *pool);
void tmpl_lmdb_buckets_end_reading(tmpl_lmdb_buckets_t *buckets, tmpl_lmdb_notes_t *notes);

/* The order of numbers and places in the file. */
uint32_t tmpl_bits_reversed(uint32_t n);

/* Says that the n-th bucket will be wanted soon: it is in no cache of the processor. Changes no answer. */
void tmpl_lmdb_bucket_expect(const tmpl_lmdb_buckets_t *buckets, uint32_t n);
/* The n-th bucket; one that is not there is empty, and an empty one is not kept. */
int tmpl_lmdb_bucket_get(tmpl_lmdb_buckets_t *buckets, uint32_t n, tmpl_bucket_t *bucket);
int tmpl_lmdb_bucket_put(tmpl_lmdb_buckets_t *buckets, uint32_t n, const tmpl_bucket_t *bucket);

/* As many buckets more as the site's entries call for, which were so many before. Changes *site. */
int tmpl_lmdb_buckets_grow(tmpl_lmdb_buckets_t *buckets, uint64_t before);
/* As many fewer, a few at a time: the last one goes back to the one it was parted from. Likewise. */
int tmpl_lmdb_buckets_shrink(tmpl_lmdb_buckets_t *buckets);

/*
 * Writes all buckets of a site that has some anew, in order and at the end of the file, where they fill its pages:
 * changes one by one leave these half-empty, and so would writing them where others follow. renew gets each first, and
 * may give it other bytes or return an error, which is returned; NULL: they stay as they are. They get a new serial; those of
 * the old one are deleted at once if they are few, or by and by (tmpl_doomed_sweep). Likewise.
 */
int tmpl_lmdb_buckets_order(tmpl_lmdb_buckets_t *buckets,
                            int (*renew)(void *baton, uint32_t number, tmpl_bucket_t *bucket),
                            void *baton);

/* Moves the sweeper on over budget entries, deleting the dead ones. Likewise. */
int tmpl_lmdb_buckets_sweep(tmpl_lmdb_buckets_t *buckets, const tmpl_lifetimes_t *lifetimes,
                            unsigned budget);

/* Calls each with the entries until it returns something other than 0. */
int tmpl_lmdb_buckets_walk(tmpl_lmdb_buckets_t *buckets,
                           int (*each)(void *baton, tmpl_key_t key, const tmpl_value_t *value),
                           void *baton);

#endif
