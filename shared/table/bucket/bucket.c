/* SPDX-License-Identifier: Apache-2.0 */
#include "table/bucket/bucket.h"

#include <stddef.h>

#define HEAD_SIZE 7
#define LOW_SIZE  4 /* bytes of a hash's low part */
#define KIND_BITS 2
#define KIND_MASK ((1u << KIND_BITS) - 1)
#define EXPLICIT  3 /* instead of a kind: a segment that has both DF and fingerprints */

/* Bytes of a rest, by tag. */
#define REST_1(n)  0, (n) > 0 ? 2 * (n) : 4, 12, 4 + 2 * (n)
#define REST_4(n)  REST_1(n), REST_1((n) + 1), REST_1((n) + 2), REST_1((n) + 3)
#define REST_16(n) REST_4(n), REST_4((n) + 4), REST_4((n) + 8), REST_4((n) + 12)
static const unsigned char rest_sizes[256] = { REST_16(0), REST_16(16), REST_16(32), REST_16(48) };

/* Where the columns of a bucket begin. */
typedef struct {
    uint32_t n, clock;
    unsigned width; /* bytes of an age */
    const unsigned char *lows, *tops, *tags, *ages, *rests, *end;
} columns_t;

/* Returns 0 if the bytes cannot be a bucket. */
static int columns_open(columns_t *c, const tmpl_bucket_t *bucket)
{
    const unsigned char *at = bucket->bytes;
    if (bucket->len < HEAD_SIZE || bucket->len > TMPL_BUCKET_MOST) {
        return 0;
    }
    c->n = (uint32_t)tmpl_get_le(at, 2);
    c->width = at[2];
    c->clock = (uint32_t)tmpl_get_le(at + 3, 4);
    if (c->n == 0 || c->width - 1 > 3 ||
        (bucket->len - HEAD_SIZE) / (LOW_SIZE + 2 + c->width) < c->n) {
        return 0;
    }
    c->lows = at + HEAD_SIZE;
    c->tops = c->lows + (size_t)LOW_SIZE * c->n;
    c->tags = c->tops + c->n;
    c->ages = c->tags + c->n;
    c->rests = c->ages + (size_t)c->width * c->n;
    c->end = at + bucket->len;
    return 1;
}

static uint64_t hash_at(const columns_t *c, uint32_t i)
{
    return tmpl_get_le(c->lows + (size_t)LOW_SIZE * i, LOW_SIZE) | (uint64_t)c->tops[i] << 32;
}

static uint32_t last_at(const columns_t *c, uint32_t i)
{
    const unsigned char *age = c->ages + (size_t)c->width * i;
    /* nearly all ages take two bytes: this avoids a call */
    return c->clock + (uint32_t)(c->width == 2 ? tmpl_get_le(age, 2) : tmpl_get_le(age, c->width));
}

static tmpl_kind_e kind_of(unsigned tag)
{
    return (tag & KIND_MASK) == EXPLICIT ? TMPL_KIND_SEGMENT : (tmpl_kind_e)(tag & KIND_MASK);
}

/* The DF of an entry; only some rests hold it. */
static uint32_t df_of(unsigned tag, const unsigned char *rest)
{
    unsigned is = tag & KIND_MASK, prints = tag >> KIND_BITS;
    return is == TMPL_KIND_DOCUMENT                ? 1
           : is == TMPL_KIND_SEGMENT && prints > 0 ? prints
                                                   : (uint32_t)tmpl_get_le(rest, 4);
}

/* Fills all fields of value but last. */
static void rest_get(tmpl_value_t *value, unsigned tag, const unsigned char *rest)
{
    unsigned is = tag & KIND_MASK;
    value->df = df_of(tag, rest);
    value->text = value->repeated = value->n = 0;
    if (is == TMPL_KIND_PATH) {
        value->text = (uint32_t)tmpl_get_le(rest + 4, 4);
        value->repeated = (uint32_t)tmpl_get_le(rest + 8, 4);
        /* only a damaged bucket has more repeated text than text */
        value->repeated = value->repeated < value->text ? value->repeated : value->text;
    }
    else if (is != TMPL_KIND_DOCUMENT) {
        rest += is == EXPLICIT ? 4 : 0;
        value->n = tag >> KIND_BITS;
        value->n = value->n < value->df ? value->n : value->df;
        for (uint32_t i = 0; i < value->n; i++) {
            value->fingerprints[i] = (uint16_t)tmpl_get_le(rest + 2 * i, 2);
        }
    }
}

/* Whether one of eight hashes has these low bits. The compiler compares four at once. */
static inline int eight_have(const unsigned char *lows, uint32_t low)
{
    uint32_t eight[8], found = 0;
    memcpy(eight, lows, sizeof(eight));
    for (int i = 0; i < 8; i++) {
        found |= eight[i] == low;
    }
    return (int)found;
}

/* The first entry from i on with this hash; n if there is none. */
static uint32_t hash_find(const columns_t *c, uint32_t i, uint64_t hash)
{
    const uint32_t low = htole32((uint32_t)hash);
    for (; i < c->n; i += 8) {
        /* bytes behind the last hash may be compared, too, as long as they are the bucket's */
        if (c->end - c->lows >= (ptrdiff_t)LOW_SIZE * (i + 8) &&
            !eight_have(c->lows + (size_t)LOW_SIZE * i, low)) {
            continue;
        }
        for (uint32_t k = i; k < i + 8 && k < c->n; k++) {
            if (hash_at(c, k) == hash) {
                return k;
            }
        }
    }
    return c->n;
}

int tmpl_bucket_find(const tmpl_bucket_t *bucket, tmpl_key_t key, tmpl_value_t *value)
{
    columns_t c;
    size_t at = 0;
    if (!columns_open(&c, bucket)) {
        return 0;
    }
    uint32_t i = hash_find(&c, 0, key.hash);
    while (i < c.n && kind_of(c.tags[i]) != key.kind) {
        i = hash_find(&c, i + 1, key.hash);
    }
    if (i == c.n) {
        return 0;
    }
    for (uint32_t k = 0; k < i; k++) {
        at += rest_sizes[c.tags[k]];
    }
    if ((size_t)(c.end - c.rests) < at + rest_sizes[c.tags[i]]) {
        return 0;
    }
    rest_get(value, c.tags[i], c.rests + at);
    value->last = last_at(&c, i);
    return 1;
}

uint32_t tmpl_bucket_count(const tmpl_bucket_t *bucket)
{
    columns_t c;
    return columns_open(&c, bucket) ? c.n : 0;
}

uint32_t tmpl_bucket_read(tmpl_bucket_row_t *rows, const tmpl_bucket_t *bucket)
{
    columns_t c;
    if (!columns_open(&c, bucket)) {
        return 0;
    }
    const unsigned char *rest = c.rests;
    for (uint32_t i = 0; i < c.n; i++) {
        unsigned char tag = c.tags[i], len = rest_sizes[tag];
        if (c.end - rest < len) {
            return 0;
        }
        rows[i] =
            (tmpl_bucket_row_t){ hash_at(&c, i), rest, last_at(&c, i), df_of(tag, rest), tag, len };
        rest += len;
    }
    return rest == c.end ? c.n : 0;
}

tmpl_key_t tmpl_bucket_key(const tmpl_bucket_row_t *row)
{
    return (tmpl_key_t){ row->hash, kind_of(row->tag) };
}

void tmpl_bucket_value(tmpl_value_t *value, const tmpl_bucket_row_t *row)
{
    rest_get(value, row->tag, row->rest);
    value->last = row->last;
}

void tmpl_bucket_row(tmpl_bucket_row_t *row, tmpl_key_t key, const tmpl_value_t *value,
                     unsigned char room[TMPL_BUCKET_REST_MOST])
{
    unsigned n = key.kind == TMPL_KIND_SEGMENT ? value->n : 0;
    unsigned is = n > 0 && value->df != n ? EXPLICIT : key.kind;
    unsigned tag = is | n << KIND_BITS;
    unsigned char *at = room;
    if (is == EXPLICIT || is == TMPL_KIND_PATH || (is == TMPL_KIND_SEGMENT && n == 0)) {
        tmpl_put_le(at, value->df, 4);
        at += 4;
    }
    if (is == TMPL_KIND_PATH) {
        tmpl_put_le(at, value->text, 4);
        tmpl_put_le(at + 4, value->repeated, 4);
    }
    for (uint32_t i = 0; i < n; i++) {
        tmpl_put_le(at + 2 * i, value->fingerprints[i], 2);
    }
    *row = (tmpl_bucket_row_t){ key.hash,           room,           value->last, value->df,
                                (unsigned char)tag, rest_sizes[tag] };
}

static unsigned width_of(uint32_t age)
{
    return age < 1u << 8 ? 1 : age < 1u << 16 ? 2 : age < 1u << 24 ? 3 : 4;
}

int tmpl_bucket_write(tmpl_bucket_t *bucket, const tmpl_bucket_row_t *rows, uint32_t n,
                      apr_pool_t *pool)
{
    uint32_t clock = UINT32_MAX, latest = 0;
    size_t len = HEAD_SIZE;
    for (uint32_t i = 0; i < n; i++) {
        clock = rows[i].last < clock ? rows[i].last : clock;
        latest = rows[i].last > latest ? rows[i].last : latest;
        len += rows[i].len;
    }
    if (n == 0) {
        *bucket = (tmpl_bucket_t){ 0 };
        return 1;
    }
    unsigned width = width_of(latest - clock);
    len += (size_t)n * (LOW_SIZE + 2 + width);
    if (len > TMPL_BUCKET_MOST) {
        return 0;
    }
    unsigned char *bytes = apr_palloc(pool, len), *lows = bytes + HEAD_SIZE;
    unsigned char *tops = lows + (size_t)LOW_SIZE * n, *tags = tops + n, *ages = tags + n;
    unsigned char *rest = ages + (size_t)width * n;
    tmpl_put_le(bytes, n, 2);
    bytes[2] = (unsigned char)width;
    tmpl_put_le(bytes + 3, clock, 4);
    for (uint32_t i = 0; i < n; i++, ages += width) {
        tmpl_put_le(lows + (size_t)LOW_SIZE * i, rows[i].hash, LOW_SIZE);
        tops[i] = (unsigned char)(rows[i].hash >> 32);
        tags[i] = rows[i].tag;
        tmpl_put_le(ages, rows[i].last - clock, width);
        memcpy(rest, rows[i].rest, rows[i].len);
        rest += rows[i].len;
    }
    *bucket = (tmpl_bucket_t){ bytes, len };
    return 1;
}
