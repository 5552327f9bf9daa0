/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The buckets of a site: which of them is a key's, how many there are, and how their entries change. Pure
 * functions: no store is asked.
 *
 * A site has as many buckets as keep a few dozen entries in each on the average, by linear hashing (Litwin
 * 1980, "Linear hashing: a new tool for file and table addressing"): one more bucket takes its entries
 * from one other. Which bucket is a key's depends on a salt that the site draws once, so that nobody can
 * make texts that fall into the same.
 */
#ifndef TMPL_BUCKETS_H
#define TMPL_BUCKETS_H

#include "table/bucket/bucket.h"

/* The number of buckets of a site with so many entries. */
uint32_t tmpl_buckets_for(uint64_t entries);

/* A salt for a new site. */
uint64_t tmpl_buckets_salt(void);

/*
 * Where a key belongs however many buckets there are: a hash of 32 bits, of which the lowest choose the bucket, with
 * its bits reversed. In the order of places all keys of a bucket stand together, and a bucket next to that
 * which it was split from.
 */
uint32_t tmpl_bucket_place(uint64_t salt, tmpl_key_t key);

/* The bucket of a place among n > 0. */
uint32_t tmpl_bucket_at(uint32_t place, uint32_t n);

/* The least place of a bucket's keys: its number, bits reversed. */
uint32_t tmpl_bucket_order(uint32_t number);

/* The place at which the next bucket begins, behind the one of a place among n > 0; 0 behind the last. */
uint32_t tmpl_bucket_next(uint32_t place, uint32_t n);

/* The bucket that shares its entries with a new one, the n-th (n > 0). */
uint32_t tmpl_bucket_split_from(uint32_t n);

/*
 * How many buckets n > 0 are to become, where there were so many entries before and are so many now: as many
 * as these need, but few more or fewer at once, for a damaged head may say anything.
 */
uint32_t tmpl_buckets_wanted(uint32_t n, uint64_t before, uint64_t entries);

/* An entry to be written. */
typedef struct {
    tmpl_key_t key;
    const tmpl_value_t *value;
} tmpl_bucket_entry_t;

/* Memory for the functions below, used again by each call. All zero but for the pool to begin with. */
typedef struct {
    apr_pool_t *pool; /* buckets are made of this, too */
    tmpl_bucket_row_t *rows;
    unsigned char *rests;
    uint32_t rows_room, rests_room; /* entries */
} tmpl_bucket_scratch_t;

/* An age limit for entries: those that are dead at now are dropped. */
typedef struct {
    const tmpl_lifetimes_t *lifetimes;
    uint32_t now;
} tmpl_bucket_limit_t;

/*
 * Gives a bucket n entries, in place of those of the same keys, and drops its dead (limit NULL: none); *dead: how
 * many. Returns 0, and changes nothing, if the bucket would be too long.
 */
int tmpl_bucket_update(tmpl_bucket_t *bucket, const tmpl_bucket_entry_t *entries, uint32_t n,
                       const tmpl_bucket_limit_t *limit, uint32_t *dead,
                       tmpl_bucket_scratch_t *scratch);

/* Moves from the bucket to an empty one, the last of n, what belongs there. */
void tmpl_bucket_split(tmpl_bucket_t *from, tmpl_bucket_t *to, uint32_t n, uint64_t salt,
                       tmpl_bucket_scratch_t *scratch);

/* Moves all of one to another. Returns 0, and changes nothing, if that would be too long. */
int tmpl_bucket_merge(tmpl_bucket_t *into, tmpl_bucket_t *from, tmpl_bucket_scratch_t *scratch);

#endif
