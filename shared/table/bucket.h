/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bucket: entries of a site, of all kinds, packed into one value of a store. An entry on its own
 * would cost a store several times its bytes. Integers are little-endian, n is the number of
 * entries:
 *
 *     offset   bytes   what
 *     0        2       n, at least 1
 *     2        1       w: bytes of an age, 1 to 4
 *     3        4       clock: the least "last" of all entries
 *     7        1       r: the number of runs
 *     8        2 r     each run: a tag (1), and how many entries in a row have it (1)
 *              4 n     each entry's hash, its low 32 bits
 *              n       each entry's hash, its bits 32 to 39
 *              w n     each entry's age: last - clock
 *              ...     each entry's rest, whose length its tag tells
 *
 * The bits 0-1 of a tag are the kind, its bits 2-7 the number of fingerprints. Entries with the
 * same tag stand together.
 *
 *     kind in the tag   rest
 *     0 DOCUMENT        nothing; DF is 1
 *     1 SEGMENT         fingerprints (2 each), as many as DF; without fingerprints DF (4)
 *     2 PATH            DF (4), text (4), repeated text (4)
 *     3 SEGMENT         DF (4), fingerprints (2 each); DF is larger because min_df was raised
 *
 * If w is 2, a segment seen once takes 9 bytes, a segment of the template 11, a document 7. The
 * bucket itself takes 8, and 2 for each run. A reader treats a bucket whose bytes do not add up as
 * empty, and never reads beyond its bytes.
 */
#ifndef TMPL_BUCKET_H
#define TMPL_BUCKET_H

#include <apr_pools.h>

#include "table/provider.h"

#define TMPL_BUCKET_MOST        65536 /* bytes of a bucket; a longer one is not read */
#define TMPL_BUCKET_ENTRY_LEAST 6     /* bytes of an entry */

/* An encoded entry: it can be moved to another bucket without being decoded. */
typedef struct {
    uint64_t hash;
    const unsigned char *rest;
    uint32_t last, df;
    unsigned char tag, len; /* len: bytes of rest */
    uint32_t next;          /* for tmpl_bucket_write() */
} tmpl_bucket_row_t;

#define TMPL_BUCKET_REST_MOST (4 + 2 * TMPL_FINGERPRINTS_MAX)

/* A bucket to search: where its columns begin. */
typedef struct {
    uint32_t n, clock;
    unsigned width; /* bytes of an age */
    const unsigned char *runs, *lows, *tops, *ages, *rests, *end;
} tmpl_bucket_columns_t;

/* Fills columns. Returns 0 if the bytes cannot be a bucket: then nothing is found. */
int tmpl_bucket_open(tmpl_bucket_columns_t *columns, const tmpl_bucket_t *bucket);

/*
 * Finds a key and fills value, whose fingerprints are in the bucket. Returns 0 if the bucket does
 * not have it; value is unchanged.
 */
int tmpl_bucket_find(const tmpl_bucket_columns_t *columns, tmpl_key_t key, tmpl_value_t *value);

/* The most entries that tmpl_bucket_read() may return: it returns fewer if bytes are damaged. */
uint32_t tmpl_bucket_count(const tmpl_bucket_t *bucket);

/* Fills rows, which point into the bucket. Returns their number; 0 if the bytes are damaged. */
uint32_t tmpl_bucket_read(tmpl_bucket_row_t *rows, const tmpl_bucket_t *bucket);

/* Encodes an entry; its rest goes to room, which must live as long as the row. */
void tmpl_bucket_row(tmpl_bucket_row_t *row, tmpl_key_t key, const tmpl_value_t *value,
                     unsigned char room[TMPL_BUCKET_REST_MOST]);

tmpl_key_t tmpl_bucket_key(const tmpl_bucket_row_t *row);
void tmpl_bucket_value(tmpl_value_t *value, const tmpl_bucket_row_t *row);

/* Makes a bucket of n rows, from pool. Returns 0 if it would be too long; *bucket is unchanged. */
int tmpl_bucket_write(tmpl_bucket_t *bucket, tmpl_bucket_row_t *rows, uint32_t n, apr_pool_t *pool);

/*
 * The buckets of a site: which bucket a key belongs to, how many there are, and how their entries
 * change. Pure functions: they ask no store.
 *
 * The number of buckets keeps some sixteen entries in each on average, by linear hashing (Litwin
 * 1980, "Linear hashing: a new tool for file and table addressing"): a new bucket takes its entries
 * from one other bucket. The bucket of a key depends on a salt that each site draws once, so nobody
 * can write texts that all fall into one bucket.
 */

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
int tmpl_bucket_update(tmpl_bucket_t *bucket, const tmpl_entry_t *entries, uint32_t n,
                       const tmpl_bucket_limit_t *limit, uint32_t *dead,
                       tmpl_bucket_scratch_t *scratch);

/* Moves the entries that belong to a new bucket, the last of n, out of an old one. */
void tmpl_bucket_split(tmpl_bucket_t *from, tmpl_bucket_t *to, uint32_t n, uint64_t salt,
                       tmpl_bucket_scratch_t *scratch);

#endif
