/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of a site side by side: a bucket holds those of all kinds whose keys fall into it (buckets.h). On its
 * own an entry would cost a store several times its bytes.
 *
 * As bytes: the clock of the entry seen least recently (4, little-endian); then for each entry the lower bytes of its hash
 * (4, little-endian), so that several are compared at once, behind all of these for each the highest byte, and behind these for
 * each entry in the same order
 *     tag (1)                kind, and in the upper six bits how many fingerprints there are
 *     since                  last, less the clock above
 *     of a path              DF, text, text that is not repeated
 *     of a document          DF if the upper bits are not 0
 *     of a segment           DF if there are no fingerprints, or if the kind in the tag is 3; otherwise it is
 *                            their number. Then the fingerprints (2 each)
 * Entries beside each other that have all of this in common have it once: in front of it stands a byte like the tag of a document,
 * with their number (2 to 63) in the upper bits. What a page brings falls so into few runs on a site with short lifetimes, where
 * a bucket has many entries of the same pages; new entries are put in an order that makes for it.
 * Numbers but for the clock and fingerprints are as short as they can be: seven bits a byte from the
 * lowest on, the eighth says that more follow. The number of entries stands in front, in the same
 * way. So a segment seen once takes 9 or 10 bytes, one of the template 8 to 10, and in a run hardly more than 5.
 */
#ifndef TMPL_BUCKET_H
#define TMPL_BUCKET_H

#include "table/entry.h"

#define TMPL_BUCKET_MOST 65536 /* bytes */

/* A bucket, wherever its bytes are kept. */
typedef struct {
    const unsigned char *bytes;
    size_t len;
} tmpl_bucket_t;

/* An entry as it stands in a bucket, or is to: it can be moved without its value being read. */
typedef struct {
    uint64_t hash;
    const unsigned char *rest; /* of its value, behind since */
    uint32_t last, df;
    unsigned char tag, len; /* len: of rest */
} tmpl_bucket_row_t;

/* Reading one. */
typedef struct {
    const unsigned char *lows,
        *tops; /* of the next entry on: its hash, without the highest byte, and that */
    const unsigned char *at, *end;
    uint32_t left;
    uint32_t clock;
    uint32_t run; /* of left, those that have the value of row */
    tmpl_bucket_row_t row;
} tmpl_bucket_reader_t;

/* Bytes that are no bucket, or too many, have no entries, or fewer than they say. */
void tmpl_bucket_open(tmpl_bucket_reader_t *reader, const void *bytes, size_t len);
/* The next entry; 0: there is none. */
int tmpl_bucket_next(tmpl_bucket_reader_t *reader, tmpl_key_t *key, tmpl_value_t *value);

/* The value of a key; 0: it is not there. */
int tmpl_bucket_find(const void *bytes, size_t len, tmpl_key_t key, tmpl_value_t *value);

#define TMPL_BUCKET_REST_MOST (5 + 2 * TMPL_FINGERPRINTS_MAX)

/* The row of an entry, whose value goes to room. */
void tmpl_bucket_row(tmpl_bucket_row_t *row, tmpl_key_t key, const tmpl_value_t *value,
                     unsigned char room[TMPL_BUCKET_REST_MOST]);
tmpl_kind_e tmpl_bucket_row_kind(const tmpl_bucket_row_t *row);

/* How many rows a bucket may have; fills them, and returns their number: they point into the bucket. */
uint32_t tmpl_bucket_count(const tmpl_bucket_t *bucket);
uint32_t tmpl_bucket_rows(tmpl_bucket_row_t *rows, const tmpl_bucket_t *bucket);

/*
 * A row that leaves its bucket: its number, and where its value begins and ends. Of a run the first that leaves has all
 * of it, and how many of it are left; the others have nothing.
 */
typedef struct {
    uint32_t row;
    const unsigned char *from, *to;
    uint32_t left;
} tmpl_bucket_gone_t;

/* A bucket that is changed. */
typedef struct {
    tmpl_bucket_t is;
    const tmpl_bucket_row_t *rows; /* n new ones */
    uint32_t n;
    const tmpl_lifetimes_t *lifetimes; /* NULL: nothing is dead */
    uint32_t now;
    tmpl_bucket_gone_t *gone; /* room for all rows there are */
    /* found out */
    uint32_t n_gone, dead; /* dead: among those gone; the others give way to new ones */
    int fits;              /* it needs no other clock, and all of it can be read */
} tmpl_bucket_change_t;

/* Finds out what is to happen: who is dead, and who gives way to a new row of the same key. */
void tmpl_bucket_change_find(tmpl_bucket_change_t *change);
/* Writes the new rows, and behind them those that stay, as they are, if that fits; returns the number of bytes. */
size_t tmpl_bucket_change_write(unsigned char *bytes, const tmpl_bucket_change_t *change);

/* Bytes that n rows may take. */
size_t tmpl_bucket_room(const tmpl_bucket_row_t *rows, uint32_t n);
/* Writes n rows to bytes that have room for them; returns how many bytes they take, 0 if n is 0. */
size_t tmpl_bucket_write(unsigned char *bytes, const tmpl_bucket_row_t *rows, uint32_t n);

#endif
