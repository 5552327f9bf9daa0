/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen bytes of text at once, each by itself: what compilers make one instruction of. */
#ifndef TMPL_BYTES16_H
#define TMPL_BYTES16_H

#include "base/bytes8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define TMPL_BYTES16 16

typedef unsigned char tmpl_bytes16_t __attribute__((vector_size(TMPL_BYTES16)));

/* The bytes from at on. What is from limit on is not read, and is 0. */
static inline tmpl_bytes16_t tmpl_bytes16(const char *at, const char *limit)
{
    tmpl_bytes16_t bytes;
    char last[TMPL_BYTES16] = { 0 };
    if (limit - at < TMPL_BYTES16) {
        at = memcpy(last, at, (size_t)(limit - at));
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

/* Of marks, 0xFF or 0 each: the bits of a number, of which the lowest is the first one. */
static inline unsigned tmpl_bytes16_bits(tmpl_bytes16_t marks)
{
#ifdef __SSE2__
    return (unsigned)_mm_movemask_epi8((__m128i)marks);
#else
    /* each byte's bit goes to the top byte: no two sums meet */
    const uint64_t bits = 0x8040201008040201u;
    uint64_t first = (tmpl_bytes16_low(marks) & bits) * TMPL_EACH(1) >> 56;
    uint64_t second = (tmpl_bytes16_high(marks) & bits) * TMPL_EACH(1) >> 56;
    return (unsigned)(first | second << 8);
#endif
}

#endif
