/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The buckets of a site: which bucket a key belongs to, how many there are, and how their entries
 * change. Pure functions: they ask no store.
 *
 * The number of buckets keeps a few dozen entries in each on average, by linear hashing (Litwin
 * 1980, "Linear hashing: a new tool for file and table addressing"): a new bucket takes its entries
 * from one other bucket. The bucket of a key depends on a salt that each site draws once, so nobody
 * can write texts that all fall into one bucket.
 */
#ifndef TMPL_BUCKETS_H
#define TMPL_BUCKETS_H

#include "table/bucket/bucket.h"

/* The number of buckets of a site with so many entries. */
uint32_t tmpl_buckets_for(uint64_t entries);

/* A salt for a new site. */
uint64_t tmpl_buckets_salt(void);

/*
 * The rank of a key: a hash whose highest bits choose the bucket, in reversed order. Sorted by
 * rank, the keys of a bucket are neighbours, and a bucket is next to the one it was split from.
 */
uint32_t tmpl_bucket_rank(uint64_t salt, tmpl_key_t key);

/* The bucket of a rank among n > 0. */
uint32_t tmpl_bucket_at(uint32_t rank, uint32_t n);

/* The least rank of a bucket's keys: its number, bits reversed. */
uint32_t tmpl_bucket_first(uint32_t number);

/* The first rank of the next of n > 0 buckets, after the bucket of a rank; 0 after the last one. */
uint32_t tmpl_bucket_next(uint32_t rank, uint32_t n);

/* The bucket whose entries are shared with the new bucket number n > 0. */
uint32_t tmpl_bucket_split_from(uint32_t n);

/*
 * How many buckets a site with n > 0 of them should have after its entries went from before to
 * entries. The number changes by few at once, because a damaged head may name any number.
 */
uint32_t tmpl_buckets_wanted(uint32_t n, uint64_t before, uint64_t entries);

/* An entry to be written. */
typedef struct {
    tmpl_key_t key;
    const tmpl_value_t *value;
} tmpl_bucket_entry_t;

/* Memory that the functions below use again and again. Begin with all zero but the pool. */
typedef struct {
    apr_pool_t *pool; /* also for new buckets */
    tmpl_bucket_row_t *rows;
    unsigned char *rests;
    uint32_t rows_room, rests_room; /* entries */
} tmpl_bucket_scratch_t;

/* Entries that are dead at clock now are dropped. */
typedef struct {
    const tmpl_lifetimes_t *lifetimes;
    uint32_t now;
} tmpl_bucket_limit_t;

/*
 * Puts n entries into a bucket, replaces those of the same keys, and drops dead entries (limit
 * NULL: none). *dead: how many it dropped. Returns 0 if the bucket would be too long; it is
 * unchanged.
 */
int tmpl_bucket_update(tmpl_bucket_t *bucket, const tmpl_bucket_entry_t *entries, uint32_t n,
                       const tmpl_bucket_limit_t *limit, uint32_t *dead,
                       tmpl_bucket_scratch_t *scratch);

/* Moves entries of a bucket to a new one, the last of n. */
void tmpl_bucket_split(tmpl_bucket_t *from, tmpl_bucket_t *to, uint32_t n, uint64_t salt,
                       tmpl_bucket_scratch_t *scratch);

/* Moves all entries of one bucket to another. Returns 0 if that would be too long; both are
 * unchanged. */
int tmpl_bucket_merge(tmpl_bucket_t *into, tmpl_bucket_t *from, tmpl_bucket_scratch_t *scratch);

#endif
