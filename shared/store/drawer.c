/* SPDX-License-Identifier: Apache-2.0 */
#include "store/drawer.h"

#include <endian.h>
#include <string.h>

#define HASH_SIZE 8

int tmpl_drawer_takes(tmpl_kind_e kind, const tmpl_value_t *value)
{
    return value->df == 1 && ((kind == TMPL_KIND_SEGMENT && value->n == 1) ||
                              (kind == TMPL_KIND_DOCUMENT && value->n == 0));
}

size_t tmpl_drawer_stride(tmpl_kind_e kind)
{
    return kind == TMPL_KIND_DOCUMENT ? HASH_SIZE + 4 : HASH_SIZE + 6;
}

/* The least power of two that is not below n; n is at most 2^31. */
static uint32_t power_above(uint32_t n)
{
    return n > 1 ? (uint32_t)1 << (32 - __builtin_clz(n - 1)) : 1;
}

uint32_t tmpl_drawer_of(uint64_t hash, uint32_t n)
{
    uint32_t power = power_above(n);
    uint32_t i = (uint32_t)(hash & TMPL_DRAWERS_MOST & (power - 1));

    return i < n ? i : i - power / 2;
}

uint32_t tmpl_drawer_split_from(uint32_t n)
{
    return n - power_above(n + 1) / 2;
}

uint32_t tmpl_drawers_for(uint32_t entries)
{
    uint32_t n = entries / TMPL_DRAWER_MOST + 1;

    return n < TMPL_DRAWERS_MOST ? n : TMPL_DRAWERS_MOST;
}

void tmpl_drawer_read(tmpl_drawer_t *drawer, tmpl_kind_e kind, const void *bytes, size_t len)
{
    drawer->kind = kind;
    drawer->len =
        len <= TMPL_DRAWER_FULL * tmpl_drawer_stride(kind) && len % tmpl_drawer_stride(kind) == 0
            ? len
            : 0;
    memcpy(drawer->bytes, bytes, drawer->len);
}

static void hash_pack(unsigned char *bytes, uint64_t hash)
{
    hash = htobe64(hash);
    memcpy(bytes, &hash, HASH_SIZE);
}

static uint64_t hash_unpack(const unsigned char *bytes)
{
    uint64_t hash;

    memcpy(&hash, bytes, HASH_SIZE);
    return be64toh(hash);
}

int tmpl_drawer_at(const tmpl_drawer_t *drawer, size_t i, tmpl_key_t *key, tmpl_value_t *value)
{
    size_t stride = tmpl_drawer_stride(drawer->kind);
    const unsigned char *p = drawer->bytes + i * stride;

    if ((i + 1) * stride > drawer->len) {
        return 0;
    }
    *key = (tmpl_key_t){ hash_unpack(p), drawer->kind };
    tmpl_drawer_value(drawer->kind, drawer->bytes, (uint32_t)i, value);
    return 1;
}

uint32_t tmpl_drawer_find(tmpl_kind_e kind, const void *bytes, size_t len, uint64_t hash)
{
    size_t stride = tmpl_drawer_stride(kind);
    const unsigned char *p = bytes;
    unsigned char wanted[HASH_SIZE];

    hash_pack(wanted, hash);
    for (size_t at = 0; at + stride <= len; at += stride) {
        if (memcmp(p + at, wanted, HASH_SIZE) == 0) {
            return (uint32_t)(at / stride);
        }
    }
    return TMPL_NONE;
}

void tmpl_drawer_value(tmpl_kind_e kind, const void *bytes, uint32_t i, tmpl_value_t *value)
{
    size_t stride = tmpl_drawer_stride(kind);

    tmpl_value_unpack(value, kind, (const unsigned char *)bytes + i * stride + HASH_SIZE,
                      stride - HASH_SIZE);
}

void tmpl_drawer_remove(tmpl_drawer_t *drawer, uint32_t i)
{
    size_t stride = tmpl_drawer_stride(drawer->kind), at = i * stride;

    memmove(drawer->bytes + at, drawer->bytes + at + stride, drawer->len - at - stride);
    drawer->len -= stride;
}

int tmpl_drawer_add(tmpl_drawer_t *drawer, uint64_t hash, const tmpl_value_t *value)
{
    unsigned char packed[TMPL_VALUE_MAX];
    size_t len = tmpl_value_pack(packed, value, drawer->kind);

    if (drawer->len >= TMPL_DRAWER_FULL * tmpl_drawer_stride(drawer->kind)) {
        return 0;
    }
    hash_pack(drawer->bytes + drawer->len, hash);
    memcpy(drawer->bytes + drawer->len + HASH_SIZE, packed, len);
    drawer->len += HASH_SIZE + len;
    return 1;
}

uint32_t tmpl_drawer_trim(tmpl_drawer_t *drawer, const tmpl_lifetimes_t *lifetimes, uint32_t now)
{
    size_t stride = tmpl_drawer_stride(drawer->kind), dead = 0;
    tmpl_value_t value;

    while (dead < drawer->len) {
        tmpl_drawer_value(drawer->kind, drawer->bytes, (uint32_t)(dead / stride), &value);
        if (tmpl_value_live(&value, lifetimes, now)) {
            break;
        }
        dead += stride;
    }
    memmove(drawer->bytes, drawer->bytes + dead, drawer->len - dead);
    drawer->len -= dead;
    return (uint32_t)(dead / stride);
}

void tmpl_drawer_split(tmpl_drawer_t *from, tmpl_drawer_t *to, uint32_t n)
{
    size_t stride = tmpl_drawer_stride(from->kind), kept = 0;

    to->kind = from->kind;
    to->len = 0;
    for (size_t at = 0; at < from->len; at += stride) {
        const unsigned char *entry = from->bytes + at;
        int moves = tmpl_drawer_of(hash_unpack(entry), n + 1) == n;
        unsigned char *place = moves ? to->bytes + to->len : from->bytes + kept;

        memmove(place, entry, stride);
        *(moves ? &to->len : &kept) += stride;
    }
    from->len = kept;
}

/* When an entry was last seen. */
static uint64_t last_at(const unsigned char *entry)
{
    return tmpl_get_le(entry + HASH_SIZE, 4);
}

int tmpl_drawer_merge(tmpl_drawer_t *into, const tmpl_drawer_t *from)
{
    size_t stride = tmpl_drawer_stride(into->kind);
    size_t len = into->len + from->len, a = into->len, b = from->len;

    if (len > TMPL_DRAWER_FULL * stride) {
        return 0;
    }
    into->len = len;
    while (b > 0) { /* from the back, so that none is overwritten that is still to move */
        int older =
            a == 0 || last_at(into->bytes + a - stride) <= last_at(from->bytes + b - stride);
        const unsigned char *latest = older ? from->bytes + b - stride : into->bytes + a - stride;

        len -= stride;
        memmove(into->bytes + len, latest, stride);
        *(older ? &b : &a) -= stride;
    }
    return 1;
}
