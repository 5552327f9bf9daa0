/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is computed of each block in a column of numbers, for four blocks at once: each function fills n values, and up
 * to three behind them. So much may be read of the columns that it is told of, too. A share is that of a part in all,
 * at most 1, and 0 where all is 0.
 */
#ifndef TMPL_COLUMNS_H
#define TMPL_COLUMNS_H

#include <stdint.h>

/* Shares of so many times a part. */
void tmpl_put_shares(float *to, const uint32_t *part, int times, const uint32_t *all, uint32_t n);

/* Of the same all. */
void tmpl_put_shares_of(float *to, const uint32_t *part, uint32_t all, uint32_t n);

/* Of sums before each block: over the blocks from so many behind it to so many behind it. */
void tmpl_put_shares_between(float *to, const uint32_t *part, const uint32_t *all, int first,
                             int after, uint32_t n);

/* 1 / (1 + steps) */
void tmpl_put_near(float *to, const uint32_t *steps, uint32_t n);

/* Characters for each word, which are counted in halves: at most 20, and 0 where there is none. */
void tmpl_put_letters(float *to, const uint32_t *chars, const uint32_t *halves, uint32_t n);

#endif
