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

/* Finds a key and fills value. Returns 0 if the bucket does not have it; value is unchanged. */
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

#endif
