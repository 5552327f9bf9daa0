/* SPDX-License-Identifier: Apache-2.0 */
#include "store/bucket.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define HASH_SIZE   8
#define KIND_BITS   2
#define KIND_MASK   ((1u << KIND_BITS) - 1)
#define EXPLICIT    3 /* in the place of the kind: a segment that has its DF and fingerprints */
#define VARINT_MOST 5 /* bytes of 32 bits */
#define FIXED_MOST  (HASH_SIZE + 1 + 4 * VARINT_MOST)

/* The least power of two that is not below n, which is at most 2^24. */
static uint32_t power_above(uint32_t n)
{
    return n > 1 ? 1u << (32 - __builtin_clz(n - 1)) : 1;
}

uint32_t tmpl_bucket_of(const tmpl_buckets_t *buckets, tmpl_key_t key)
{
    uint32_t power = power_above(buckets->n);
    uint64_t hash = XXH3_64bits_withSeed(&key.hash, sizeof(key.hash), buckets->salt + key.kind);
    uint32_t i = (uint32_t)hash & (power - 1);

    return i < buckets->n ? i : i - power / 2;
}

uint32_t tmpl_bucket_split_from(uint32_t n)
{
    return n - power_above(n + 1) / 2;
}

/* ---- numbers ---- */

static unsigned char *put(unsigned char *at, uint32_t x)
{
    while (x > 127) {
        *at++ = (unsigned char)(x | 128);
        x >>= 7;
    }
    *at++ = (unsigned char)x;
    return at;
}

/* NULL: there is no number. */
static const unsigned char *get(const unsigned char *at, const unsigned char *end, uint32_t *x)
{
    uint64_t sum = 0;

    if (at < end && *at < 128) {
        *x = *at;
        return at + 1;
    }
    for (unsigned shift = 0; at < end && shift < 7 * VARINT_MOST; shift += 7) {
        sum |= (uint64_t)(*at & 127) << shift;
        if (*at++ < 128) {
            *x = (uint32_t)sum;
            return at;
        }
    }
    return NULL;
}

/* ---- reading ---- */

void tmpl_bucket_open(tmpl_bucket_reader_t *reader, const void *bytes, size_t len)
{
    const unsigned char *at = bytes, *end;

    memset(reader, 0, sizeof(*reader));
    if (len == 0) {
        return;
    }
    end = at + len;
    at = get(at, end, &reader->left);
    if (at == NULL || (size_t)(end - at) < 4 ||
        ((size_t)(end - at) - 4) / HASH_SIZE < reader->left) {
        reader->left = 0;
        return;
    }
    reader->clock = (uint32_t)tmpl_get_le(at, 4);
    reader->hashes = at + 4;
    reader->at = reader->hashes + (size_t)reader->left * HASH_SIZE;
    reader->end = end;
}

static const unsigned char *prints_get(const unsigned char *at, const unsigned char *end,
                                       tmpl_value_t *value)
{
    if (value->n > TMPL_FINGERPRINTS_MAX || value->n > value->df ||
        (size_t)(end - at) < 2 * (size_t)value->n) {
        return NULL;
    }
    for (uint32_t i = 0; i < value->n; i++, at += 2) {
        value->fingerprints[i] = (uint16_t)tmpl_get_le(at, 2);
    }
    return at;
}

static const unsigned char *path_get(const unsigned char *at, const unsigned char *end,
                                     tmpl_value_t *value)
{
    uint32_t once = 0;

    at = get(at, end, &value->df);
    at = at == NULL ? NULL : get(at, end, &value->text);
    at = at == NULL ? NULL : get(at, end, &once);
    value->repeated = value->text > once ? value->text - once : 0;
    value->n = 0;
    return at;
}

/* The value at a tag; NULL: there is none. */
static const unsigned char *value_get(const unsigned char *at, const unsigned char *end,
                                      uint32_t clock, tmpl_kind_e *kind, tmpl_value_t *value)
{
    unsigned tag, is;
    uint32_t since = 0;

    if (at >= end) {
        return NULL;
    }
    tag = *at++;
    is = tag & KIND_MASK;
    at = get(at, end, &since);
    if (at == NULL) {
        return NULL;
    }
    *kind = is == EXPLICIT ? TMPL_KIND_SEGMENT : (tmpl_kind_e)is;
    value->last = clock + since;
    if (is == TMPL_KIND_PATH) {
        return path_get(at, end, value);
    }
    value->text = value->repeated = 0;
    value->n = tag >> KIND_BITS;
    value->df = value->n > 0 ? value->n : 1;
    if (is == EXPLICIT || (is == TMPL_KIND_SEGMENT) == (value->n == 0)) {
        at = get(at, end, &value->df);
    }
    if (is == TMPL_KIND_DOCUMENT) {
        value->n = 0;
    }
    return at == NULL ? NULL : prints_get(at, end, value);
}

int tmpl_bucket_next(tmpl_bucket_reader_t *reader, tmpl_key_t *key, tmpl_value_t *value)
{
    if (reader->left == 0) {
        return 0;
    }
    reader->at = value_get(reader->at, reader->end, reader->clock, &key->kind, value);
    if (reader->at == NULL) {
        reader->left = 0;
        return 0;
    }
    key->hash = tmpl_get_le(reader->hashes, HASH_SIZE);
    reader->hashes += HASH_SIZE;
    reader->left--;
    return 1;
}

/* Behind n values, as far as they are any. */
static const unsigned char *values_skip(const unsigned char *at, const unsigned char *end,
                                        uint32_t n)
{
    for (; n > 0 && at < end; n--) {
        unsigned tag = *at++, is = tag & KIND_MASK, prints = tag >> KIND_BITS;
        int has_df = is == EXPLICIT || (is == TMPL_KIND_SEGMENT) == (prints == 0);

        for (int numbers = is == TMPL_KIND_PATH ? 4 : 1 + has_df; numbers > 0 && at < end; at++) {
            numbers -= *at < 128;
        }
        if (is != TMPL_KIND_DOCUMENT) {
            at += (size_t)(end - at) < 2 * (size_t)prints ? (size_t)(end - at) : 2 * (size_t)prints;
        }
    }
    return at;
}

int tmpl_bucket_find(const void *bytes, size_t len, tmpl_key_t key, tmpl_value_t *value)
{
    tmpl_bucket_reader_t reader;
    uint32_t behind = 0; /* entries that reader.at has passed */

    tmpl_bucket_open(&reader, bytes, len);
    for (uint32_t i = 0; i < reader.left; i++) {
        tmpl_kind_e kind;

        if (tmpl_get_le(reader.hashes + (size_t)i * HASH_SIZE, HASH_SIZE) != key.hash) {
            continue;
        }
        reader.at = values_skip(reader.at, reader.end, i - behind);
        reader.at = value_get(reader.at, reader.end, reader.clock, &kind, value);
        if (reader.at == NULL) {
            return 0;
        }
        if (kind == key.kind) {
            return 1;
        }
        behind = i + 1;
    }
    return 0;
}

/* ---- writing ---- */

static unsigned char *value_put(unsigned char *at, tmpl_kind_e kind, const tmpl_value_t *value,
                                uint32_t clock)
{
    int implied =
        kind == TMPL_KIND_DOCUMENT ? value->df == 1 : value->n > 0 && value->df == value->n;
    unsigned is = kind == TMPL_KIND_SEGMENT && value->n > 0 && !implied ? EXPLICIT : kind;
    unsigned n = kind == TMPL_KIND_PATH       ? 0
                 : kind == TMPL_KIND_DOCUMENT ? (unsigned)!implied
                                              : value->n;

    *at++ = (unsigned char)(is | n << KIND_BITS);
    at = put(at, value->last - clock);
    if (kind == TMPL_KIND_PATH) {
        at = put(at, value->df);
        at = put(at, value->text);
        return put(at, value->text - value->repeated);
    }
    if (!implied) {
        at = put(at, value->df);
    }
    for (uint32_t i = 0; kind == TMPL_KIND_SEGMENT && i < value->n; i++, at += 2) {
        tmpl_put_le(at, value->fingerprints[i], 2);
    }
    return at;
}

size_t tmpl_bucket_room(uint32_t n)
{
    return VARINT_MOST + 4 + (size_t)n * (FIXED_MOST + 2 * TMPL_FINGERPRINTS_MAX);
}

size_t tmpl_bucket_write(unsigned char *bytes, const tmpl_bucket_entry_t *entries, uint32_t n)
{
    unsigned char *at = bytes;
    uint32_t clock = UINT32_MAX;

    if (n == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        clock = entries[i].value->last < clock ? entries[i].value->last : clock;
    }
    at = put(at, n);
    tmpl_put_le(at, clock, 4);
    at += 4;
    for (uint32_t i = 0; i < n; i++, at += HASH_SIZE) {
        tmpl_put_le(at, entries[i].key.hash, HASH_SIZE);
    }
    for (uint32_t i = 0; i < n; i++) {
        at = value_put(at, entries[i].key.kind, entries[i].value, clock);
    }
    return (size_t)(at - bytes);
}
