/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen bytes of text in a vector: compilers make each operation one instruction. */
#ifndef TMPL_BYTES16_H
#define TMPL_BYTES16_H

#include "base/bytes8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define TMPL_BYTES16 16

typedef unsigned char tmpl_bytes16_t __attribute__((vector_size(TMPL_BYTES16)));

/* The n < 16 bytes at `at`, and 0 behind them: by loads that overlap, without a call of memcpy. */
static inline tmpl_bytes16_t tmpl_bytes16_part(const char *at, size_t n)
{
    uint64_t halves[2] = { 0, 0 };
    if (n >= 8) {
        halves[0] = tmpl_bytes8(at);
        halves[1] = n > 8 ? tmpl_bytes8(at + n - 8) >> 8 * (16 - n) : 0;
    }
    else if (n >= 4) {
        halves[0] = tmpl_bytes4(at) | (uint64_t)tmpl_bytes4(at + n - 4) << 8 * (n - 4);
    }
    else if (n > 0) {
        const unsigned char *byte = (const unsigned char *)at;
        halves[0] =
            byte[0] | (uint64_t)byte[n / 2] << 8 * (n / 2) | (uint64_t)byte[n - 1] << 8 * (n - 1);
    }
    halves[0] = htole64(halves[0]);
    halves[1] = htole64(halves[1]);
    tmpl_bytes16_t bytes;
    memcpy(&bytes, halves, sizeof(bytes));
    return bytes;
}

/* The bytes at `at`. Bytes from limit on are not read, and are 0 in the result. */
static inline tmpl_bytes16_t tmpl_bytes16(const char *at, const char *limit)
{
    tmpl_bytes16_t bytes;
    if (limit - at < TMPL_BYTES16) {
        return tmpl_bytes16_part(at, (size_t)(limit - at));
    }
    memcpy(&bytes, at, TMPL_BYTES16);
    return bytes;
}

/* The halves of sixteen bytes. */
static inline uint64_t tmpl_bytes16_low(tmpl_bytes16_t bytes)
{
    return tmpl_bytes8((const char *)&bytes);
}

static inline uint64_t tmpl_bytes16_high(tmpl_bytes16_t bytes)
{
    return tmpl_bytes8((const char *)&bytes + TMPL_BYTES16 / 2);
}

/* A number whose bit i is set if byte i of marks is 0xFF. All bytes of marks are 0xFF or 0. */
static inline unsigned tmpl_bytes16_bits(tmpl_bytes16_t marks)
{
#ifdef __SSE2__
    return (unsigned)_mm_movemask_epi8((__m128i)marks);
#else
    /* the multiplication moves the bit of each byte to the top byte; no two sums meet */
    const uint64_t bits = 0x8040201008040201u;
    uint64_t first = (tmpl_bytes16_low(marks) & bits) * TMPL_EACH(1) >> 56;
    uint64_t second = (tmpl_bytes16_high(marks) & bits) * TMPL_EACH(1) >> 56;
    return (unsigned)(first | second << 8);
#endif
}

/* The sixteen bytes at `at`, all of which may be read. */
static inline tmpl_bytes16_t tmpl_bytes16_load(const char *at)
{
    tmpl_bytes16_t bytes;
    memcpy(&bytes, at, TMPL_BYTES16);
    return bytes;
}

/* 0xFF for each byte that is HTML's white space. */
static inline tmpl_bytes16_t tmpl_bytes16_spaces(tmpl_bytes16_t bytes)
{
    return (tmpl_bytes16_t)((bytes == ' ') | ((bytes - '\t' <= '\r' - '\t') & (bytes != '\v')));
}

#endif
