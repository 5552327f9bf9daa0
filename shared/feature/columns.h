/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is computed of each block in a column of numbers, for as many blocks at once as the processor can: each function fills
 * n values, and up to seven behind them. So much may be read of the columns that it is told of, too. A share is that of a part in all,
 * at most 1, and 0 where all is 0. Functions that call these are compiled for the kind of processors they are for.
 */
#ifndef TMPL_COLUMNS_H
#define TMPL_COLUMNS_H

#include <stdint.h>

/* How many values are computed of n: whole vectors of either kind. */
static inline uint32_t tmpl_column_end(uint32_t n)
{
    return (n + 7) & ~7U;
}

/* Up to 2^24, which are exact as floats, a quotient of these is rounded as one of doubles is. */
static inline float tmpl_share_of(uint32_t part, uint32_t all)
{
    float quotient = (float)(int32_t)part / (float)(int32_t)all;
    quotient = quotient < 1 ? quotient : 1;
    return (int32_t)all > 0 ? quotient : 0;
}

/* Shares of so many times a part. */
static inline void tmpl_put_shares(float *restrict to, const uint32_t *restrict part,
                                   uint32_t times, const uint32_t *restrict all, uint32_t n)
{
    for (uint32_t i = 0; i < tmpl_column_end(n); i++) {
        to[i] = tmpl_share_of(part[i] * times, all[i]);
    }
}

/* Of the same all. */
static inline void tmpl_put_shares_of(float *restrict to, const uint32_t *restrict part,
                                      uint32_t all, uint32_t n)
{
    for (uint32_t i = 0; i < tmpl_column_end(n); i++) {
        to[i] = tmpl_share_of(part[i], all);
    }
}

/* Of sums before each block: over the blocks from so many behind it to so many behind it. */
static inline void tmpl_put_shares_between(float *restrict to, const uint32_t *restrict part,
                                           const uint32_t *restrict all, int first, int after,
                                           uint32_t n)
{
    for (int i = 0; i < (int)tmpl_column_end(n); i++) {
        to[i] = tmpl_share_of(part[i + after] - part[i + first], all[i + after] - all[i + first]);
    }
}

/* 1 / (1 + steps) */
static inline void tmpl_put_near(float *restrict to, const uint32_t *restrict steps, uint32_t n)
{
    for (uint32_t i = 0; i < tmpl_column_end(n); i++) {
        to[i] = 1.0F / (float)(int32_t)(steps[i] + 1);
    }
}

/* Characters for each word, which are counted in halves: at most 20, and 0 where there is none. */
static inline void tmpl_put_letters(float *restrict to, const uint32_t *restrict chars,
                                    const uint32_t *restrict halves, uint32_t n)
{
    for (uint32_t i = 0; i < tmpl_column_end(n); i++) {
        float letters = (float)(int32_t)chars[i] / ((float)(int32_t)halves[i] * 0.5F);
        letters = letters < 20 ? letters : 20;
        to[i] = (int32_t)halves[i] > 0 ? letters : 0;
    }
}

/*
 * At most 64 values that are known by their index: bits of floats, 0 if not known yet; that of index 0 is 0. Returns those that are not,
 * bit i for the value at i: these are any values.
 */
static inline uint64_t tmpl_put_known(float *to, const uint32_t *index, const uint32_t *known,
                                      uint32_t n_known, uint32_t n)
{
    uint32_t *bits = (uint32_t *)(void *)to;
    uint64_t unknown = 0;
    for (uint32_t i = 0; i < n; i++) {
        bits[i] = index[i] < n_known ? known[index[i]] : 0;
        unknown |= (uint64_t)(bits[i] == 0 && index[i] != 0) << i;
    }
    return unknown;
}

#endif
