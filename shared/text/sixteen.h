/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen bytes of text at once, each by itself: what compilers make one instruction of. */
#ifndef TMPL_SIXTEEN_H
#define TMPL_SIXTEEN_H

#include "text/eight.h"

#define TMPL_SIXTEEN 16

typedef unsigned char tmpl_sixteen_t __attribute__((vector_size(TMPL_SIXTEEN)));

/* The bytes from at on. What is from limit on is not read, and is 0. */
static inline tmpl_sixteen_t tmpl_sixteen(const char *at, const char *limit)
{
    tmpl_sixteen_t bytes;
    char last[TMPL_SIXTEEN] = { 0 };
    if (limit - at < TMPL_SIXTEEN) {
        at = memcpy(last, at, (size_t)(limit - at));
    }
    memcpy(&bytes, at, TMPL_SIXTEEN);
    return bytes;
}

/* How many bytes stand before the first that is marked in one of the halves; 16 if none is: see eight.h. */
static inline unsigned tmpl_sixteen_first(uint64_t first, uint64_t second)
{
    return first != 0    ? tmpl_eight_first(first)
           : second != 0 ? TMPL_SIXTEEN / 2 + tmpl_eight_first(second)
                         : TMPL_SIXTEEN;
}

/* The halves of sixteen bytes. */
static inline uint64_t tmpl_sixteen_low(tmpl_sixteen_t bytes)
{
    return tmpl_eight((const char *)&bytes);
}

static inline uint64_t tmpl_sixteen_high(tmpl_sixteen_t bytes)
{
    return tmpl_eight((const char *)&bytes + TMPL_SIXTEEN / 2);
}

#endif
