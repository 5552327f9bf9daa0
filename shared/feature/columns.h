/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of features, with a value for each block, which are computed from one or two columns of
 * counts. Each function fills n values. A share is part / all, at most 1, and 0 where all is 0.
 */
#ifndef TMPL_COLUMNS_H
#define TMPL_COLUMNS_H

#include <stdint.h>

/* Numbers up to 2^24 are exact as floats, so their quotient is rounded once. */
static inline float tmpl_share_of(uint32_t part, uint32_t all)
{
    float quotient = (float)(int32_t)part / (float)(int32_t)all;
    quotient = quotient < 1 ? quotient : 1;
    return (int32_t)all > 0 ? quotient : 0;
}

/* The shares of times * part in all. */
static inline void tmpl_put_shares(float *restrict to, const uint32_t *restrict part,
                                   uint32_t times, const uint32_t *restrict all, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = tmpl_share_of(part[i] * times, all[i]);
    }
}

/* The same with one value of all for every block. */
static inline void tmpl_put_shares_of(float *restrict to, const uint32_t *restrict part,
                                      uint32_t all, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = tmpl_share_of(part[i], all);
    }
}

/*
 * Fills the shares in blocks [i + first, i + after). part and all are sums over the blocks before
 * each block.
 */
static inline void tmpl_put_shares_between(float *restrict to, const uint32_t *restrict part,
                                           const uint32_t *restrict all, int first, int after,
                                           uint32_t n)
{
    for (int i = 0; i < (int)n; i++) {
        to[i] = tmpl_share_of(part[i + after] - part[i + first], all[i + after] - all[i + first]);
    }
}

/* 1 / (1 + steps) */
static inline void tmpl_put_near(float *restrict to, const uint32_t *restrict steps, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = 1.0F / (float)(int32_t)(steps[i] + 1);
    }
}

/* Characters of a word, at most 20; 0 where there is no word. Words are counted in halves. */
static inline void tmpl_put_letters(float *restrict to, const uint32_t *restrict chars,
                                    const uint32_t *restrict halves, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        float letters = (float)(int32_t)chars[i] / ((float)(int32_t)halves[i] * 0.5F);
        letters = letters < 20 ? letters : 20;
        to[i] = (int32_t)halves[i] > 0 ? letters : 0;
    }
}

/* Counts of halves, in wholes. */
static inline void tmpl_put_halves(float *restrict to, const uint32_t *restrict halves, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = (float)(int32_t)halves[i] * 0.5F;
    }
}

static inline void tmpl_put_counts(float *restrict to, const uint32_t *restrict counts, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = (float)(int32_t)counts[i];
    }
}

#endif
