/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of a site side by side: a bucket holds those of all kinds whose keys fall into it. On its own an
 * entry would cost a store several times its bytes.
 *
 * As bytes: the clock of the entry seen least recently (4, little-endian); then for each entry its hash
 * (8, little-endian), and behind all hashes for each entry in the same order
 *     tag (1)                kind, and in the upper six bits how many fingerprints there are
 *     since                  last, less the clock above
 *     of a path              DF, text, text that is not repeated
 *     of a document          DF if the upper bits are not 0
 *     of a segment           DF if there are no fingerprints, or if the kind in the tag is 3; otherwise it is
 *                            their number. Then the fingerprints (2 each)
 * Numbers but for the clock and fingerprints are as short as they can be: seven bits a byte from the
 * lowest on, the eighth says that more follow. The number of entries stands in front, in the same
 * way. So a segment seen once takes 12 or 13 bytes, one of the template 11 to 13.
 *
 * A site has as many buckets as keep so many entries in each on the average, by linear hashing (Litwin
 * 1980, "Linear hashing: a new tool for file and table addressing"): one more bucket takes its
 * entries from one other. Which bucket is a key's depends on a number that the site draws once, so that
 * nobody can make texts that fall into the same.
 */
#ifndef TMPL_STORE_BUCKET_H
#define TMPL_STORE_BUCKET_H

#include "store/entry.h"

#define TMPL_BUCKETS_MOST (1u << 24)
#define TMPL_BUCKET_MOST  65536 /* bytes */

/* The buckets of a site: how many, and by what keys are placed. */
typedef struct {
    uint32_t n;
    uint64_t salt;
} tmpl_buckets_t;

/* The bucket of a key, if there are n > 0. */
uint32_t tmpl_bucket_of(const tmpl_buckets_t *buckets, tmpl_key_t key);

/* The bucket that shares its entries with a new one, the n-th (n > 0). */
uint32_t tmpl_bucket_split_from(uint32_t n);

/* Reading one. */
typedef struct {
    const unsigned char *hashes; /* of the next entry on */
    const unsigned char *at, *end;
    uint32_t left;
    uint32_t clock;
} tmpl_bucket_reader_t;

/* Bytes that are no bucket have no entries, or fewer than they say. */
void tmpl_bucket_open(tmpl_bucket_reader_t *reader, const void *bytes, size_t len);
/* The next entry; 0: there is none. */
int tmpl_bucket_next(tmpl_bucket_reader_t *reader, tmpl_key_t *key, tmpl_value_t *value);

/* The value of a key; 0: it is not there. */
int tmpl_bucket_find(const void *bytes, size_t len, tmpl_key_t key, tmpl_value_t *value);

/* An entry to be written. */
typedef struct {
    tmpl_key_t key;
    const tmpl_value_t *value;
} tmpl_bucket_entry_t;

/* Bytes that n entries may take. */
size_t tmpl_bucket_room(uint32_t n);
/* Writes n entries to bytes that have room for them; returns how many bytes they take, 0 if n is 0. */
size_t tmpl_bucket_write(unsigned char *bytes, const tmpl_bucket_entry_t *entries, uint32_t n);

#endif
