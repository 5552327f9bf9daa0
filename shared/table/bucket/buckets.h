/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The buckets of a site: how many there are, which is a key's, and how they are written anew when entries come,
 * die, or move. Every store that keeps buckets does so by this, whatever it keeps them in.
 *
 * A site has as many buckets as keep so many entries in each on the average, by linear hashing (Litwin
 * 1980, "Linear hashing: a new tool for file and table addressing"): one more bucket takes its
 * entries from one other. Which bucket is a key's depends on a number that the site draws once, so that
 * nobody can make texts that fall into the same.
 */
#ifndef TMPL_BUCKETS_H
#define TMPL_BUCKETS_H

#include <apr_pools.h>

#include "table/bucket/bucket.h"

#define TMPL_BUCKETS_MOST   (1u << 24)
#define TMPL_BUCKETS_MERGES 64 /* buckets that a site loses at once */

/* The buckets of a site: how many, and by what keys are placed. */
typedef struct {
    uint32_t n;
    uint64_t salt;
} tmpl_buckets_t;

/* How many buckets a site has that has so many entries. */
uint32_t tmpl_buckets_for(uint64_t entries);
/* Those of a site that is new, with a salt of its own. */
tmpl_buckets_t tmpl_buckets_new(uint64_t entries);

/* Where a key belongs however many buckets there are, and the bucket of that place among n > 0: by its lowest bits. */
uint64_t tmpl_bucket_place(uint64_t salt, tmpl_key_t key);
uint32_t tmpl_bucket_at(uint64_t place, uint32_t n);
/* Both at once. */
uint32_t tmpl_bucket_of(const tmpl_buckets_t *buckets, tmpl_key_t key);

/* The bucket that shares its entries with a new one, the n-th (n > 0). */
uint32_t tmpl_bucket_split_from(uint32_t n);

/*
 * How many n > 0 buckets are to become, where there were so many entries before and are so many now: as many as
 * these need, but a site's record may say more than there are, and then it gets few at once. New entries
 * always find theirs.
 */
uint32_t tmpl_buckets_wanted(uint32_t n, uint64_t before, uint64_t entries);
/* Above so many a site has too many: a third more than it needs, so that it does not go to and fro. */
uint32_t tmpl_buckets_enough(uint64_t entries);

/* Where buckets are written anew, one after the other; all zero but for the pool to begin with. */
typedef struct {
    apr_pool_t *pool;
    tmpl_bucket_row_t *rows;
    tmpl_bucket_gone_t *gone;
    unsigned char *rests, *bytes;
    size_t rows_room, gone_room, rests_room, bytes_room;
} tmpl_bucket_desk_t;

/* An entry to be written. */
typedef struct {
    tmpl_key_t key;
    const tmpl_value_t *value;
} tmpl_bucket_entry_t;

/*
 * What follows makes buckets anew on a desk, where they stand until it is used again; the old ones may be
 * overwritten then.
 *
 * Gives a bucket n entries, in place of those of the same keys, and takes its dead away, unless lifetimes is
 * NULL; *dead: how many. 0: it would have more bytes than a bucket may have, and is as it was.
 */
int tmpl_bucket_update(tmpl_bucket_desk_t *desk, tmpl_bucket_t *bucket,
                       const tmpl_bucket_entry_t *entries, uint32_t n,
                       const tmpl_lifetimes_t *lifetimes, uint32_t now, uint32_t *dead);

/* Moves from the bucket to another, empty one, the last of those after the split, what belongs there. */
void tmpl_bucket_split(tmpl_bucket_desk_t *desk, tmpl_bucket_t *from, tmpl_bucket_t *to,
                       const tmpl_buckets_t *after);

/* Moves all of one to another one; 0: it would have too many bytes, and nothing is done. */
int tmpl_bucket_merge(tmpl_bucket_desk_t *desk, tmpl_bucket_t *into, tmpl_bucket_t *from);

#endif
