/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The buckets of a site: which bucket a key belongs to, how many there are, and how their entries
 * change. Pure functions: they ask no store.
 *
 * The number of buckets keeps some sixteen entries in each on average, by linear hashing (Litwin
 * 1980, "Linear hashing: a new tool for file and table addressing"): a new bucket takes its entries
 * from one other bucket. The bucket of a key depends on a salt that each site draws once, so nobody
 * can write texts that all fall into one bucket.
 */
#ifndef TMPL_BUCKETS_H
#define TMPL_BUCKETS_H

#include "table/bucket.h"

/* The number of buckets of a site with so many entries. */
uint32_t tmpl_buckets_for(uint64_t entries);

/* A salt for a new site. */
uint64_t tmpl_buckets_salt(void);

/*
 * The rank of a key: a hash whose highest bits choose the bucket, in reversed order. Sorted by
 * rank, the keys of a bucket are neighbours, and a bucket is next to the one it was split from.
 */
uint32_t tmpl_bucket_rank(uint64_t salt, tmpl_key_t key);

/* How many of a rank's highest bits tell n buckets apart. */
static inline unsigned tmpl_buckets_bits(uint32_t n)
{
    return n > 1 ? 32 - (unsigned)__builtin_clz(n - 1) : 0;
}

/* The least rank of a bucket's keys: its number, bits reversed. */
static inline uint32_t tmpl_bucket_first(uint32_t number)
{
    uint32_t n = __builtin_bswap32(number);
    n = (n >> 4 & 0x0f0f0f0f) | (n & 0x0f0f0f0f) << 4;
    n = (n >> 2 & 0x33333333) | (n & 0x33333333) << 2;
    return (n >> 1 & 0x55555555) | (n & 0x55555555) << 1;
}

/* The bucket that a rank belongs to, of n > 0 buckets. */
static inline uint32_t tmpl_bucket_at(uint32_t rank, uint32_t n)
{
    unsigned bits = tmpl_buckets_bits(n);
    if (bits == 0) {
        return 0;
    }
    uint32_t i = tmpl_bucket_first(rank >> (32 - bits) << (32 - bits));
    return i < n ? i : i - (1u << (bits - 1));
}

/*
 * The first rank of the bucket that follows a rank's bucket, of n > 0; 0 if that is the last one.
 */
uint32_t tmpl_bucket_next(uint32_t rank, uint32_t n);

/* The bucket that gives entries to the new bucket number n > 0. */
uint32_t tmpl_bucket_split_from(uint32_t n);

/* Buckets that a site gets at once at most, besides those for new entries. */
#define TMPL_BUCKETS_GROWTH 64

/*
 * The number of buckets that a site with n > 0 buckets should have after its number of entries went
 * from before to entries: no fewer, because buckets with few entries cost little; and few more,
 * because a damaged head may name any number.
 */
uint32_t tmpl_buckets_wanted(uint32_t n, uint64_t before, uint64_t entries);

/* An entry to be written. */
typedef struct {
    tmpl_key_t key;
    const tmpl_value_t *value;
} tmpl_bucket_entry_t;

/* Memory that the functions below use again and again. The caller sets pool, and the rest to 0. */
typedef struct {
    apr_pool_t *pool; /* also for new buckets */
    tmpl_bucket_row_t *rows;
    unsigned char *rests;
    uint32_t rows_room, rests_room; /* room in entries */
} tmpl_bucket_scratch_t;

/* Which entries are dropped: those that are dead at clock now. */
typedef struct {
    const tmpl_lifetimes_t *lifetimes;
    uint32_t now;
} tmpl_bucket_limit_t;

/*
 * Puts n entries into a bucket in place of entries with the same keys, and drops dead entries
 * (limit NULL: drops none). Sets *dead to the number of entries dropped. Returns 0, and leaves the
 * bucket unchanged, if it would be too long.
 */
int tmpl_bucket_update(tmpl_bucket_t *bucket, const tmpl_bucket_entry_t *entries, uint32_t n,
                       const tmpl_bucket_limit_t *limit, uint32_t *dead,
                       tmpl_bucket_scratch_t *scratch);

/* Moves the entries that belong to a new bucket, the last of n, out of an old one. */
void tmpl_bucket_split(tmpl_bucket_t *from, tmpl_bucket_t *to, uint32_t n, uint64_t salt,
                       tmpl_bucket_scratch_t *scratch);

#endif
