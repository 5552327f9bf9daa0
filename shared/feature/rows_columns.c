/* SPDX-License-Identifier: Apache-2.0 */
/* Features that are computed from counts, column by column. */
#include <string.h>

#include "feature/rows_parts.h"

#define COLUMN(id) columns->of[TMPL_BLOCK_FEATURE_##id]

/* ---- columns: a value for each of n blocks, of one or two columns of counts ---- */

/* Numbers up to 2^24 are exact as floats, so their quotient is rounded once. */
static inline float share_in_all(uint32_t part, uint32_t all)
{
    float quotient = (float)(int32_t)part / (float)(int32_t)all;
    quotient = quotient < 1 ? quotient : 1;
    return (int32_t)all > 0 ? quotient : 0;
}

/* The shares of times * part in all. */
static inline void put_shares(float *restrict to, const uint32_t *restrict part, uint32_t times,
                              const uint32_t *restrict all, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = share_in_all(part[i] * times, all[i]);
    }
}

/* The same with one value of all for every block. */
static inline void put_shares_of(float *restrict to, const uint32_t *restrict part, uint32_t all,
                                 uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = share_in_all(part[i], all);
    }
}

/*
 * Fills the shares in blocks [i + first, i + after). part and all are sums over the blocks before
 * each block.
 */
static inline void put_shares_between(float *restrict to, const uint32_t *restrict part,
                                      const uint32_t *restrict all, int first, int after,
                                      uint32_t n)
{
    for (int i = 0; i < (int)n; i++) {
        to[i] = share_in_all(part[i + after] - part[i + first], all[i + after] - all[i + first]);
    }
}

/* 1 / (1 + steps) */
static inline void put_near(float *restrict to, const uint32_t *restrict steps, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = 1.0F / (float)(int32_t)(steps[i] + 1);
    }
}

/* Characters of a word, at most 20; 0 where there is no word. Words are counted in halves. */
static inline void put_letters(float *restrict to, const uint32_t *restrict chars,
                               const uint32_t *restrict halves, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        float letters = (float)(int32_t)chars[i] / ((float)(int32_t)halves[i] * 0.5F);
        letters = letters < 20 ? letters : 20;
        to[i] = (int32_t)halves[i] > 0 ? letters : 0;
    }
}

/* Counts of halves, in wholes. */
static inline void put_halves(float *restrict to, const uint32_t *restrict halves, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = (float)(int32_t)halves[i] * 0.5F;
    }
}

static inline void put_counts(float *restrict to, const uint32_t *restrict counts, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = (float)(int32_t)counts[i];
    }
}

/* ---- counts ---- */

/* The tallies of n blocks as columns. */
static void unpack(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t first, uint32_t n)
{
    tmpl_chunk_counts_t *counts = &of->counts;
    for (uint32_t i = 0; i < n; i++) {
        const tmpl_tally_t *tally = &of->reading->tallies[first + i];
        counts->length[i] = of->reading->page->blocks[first + i].length;
#define TMPL_TALLY(name) counts->name[i] = tally->name;
        TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
        COLUMN(RIGHTS)[i] = tally->rights;
        COLUMN(ENDS)[i] = tally->ends;
        COLUMN(LOWER)[i] = tally->lower;
    }
}

static inline uint32_t smaller_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Blocks on either side of which free words are counted. */
#define FREE_BESIDE 8

/* Free words in the blocks [i + first, i + after); before: halves of them before each block. */
static void put_free(float *restrict to, const uint32_t *restrict before, int first, int after,
                     uint32_t n)
{
    for (int i = 0; i < (int)n; i++) {
        to[i] = (float)(int32_t)(before[i + after] - before[i + first]) * 0.5F;
    }
}

/* The same for each of these blocks that exists: at is the first block, of n_blocks. */
static void put_free_mean(float *restrict to, const uint32_t *restrict before, int first, int after,
                          uint32_t n, int at, int n_blocks)
{
    put_free(to, before, first, after, n);
    for (int i = 0; i < (int)n; i++, at++) {
        int begin = at + first > 0 ? at + first : 0;
        int blocks = (at + after < n_blocks ? at + after : n_blocks) - begin;
        to[i] /= (float)(blocks > 0 ? blocks : 1);
    }
}

static void put_beside_free(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t first,
                            uint32_t n)
{
    uint32_t sums[TMPL_BLOCKS_AT_ONCE + 2 * FREE_BESIDE + 1];
    const uint32_t *before = sums + FREE_BESIDE;
    const uint32_t *words = of->before->words + first - FREE_BESIDE;
    const uint32_t *linked = of->before->linked + first - FREE_BESIDE;
    int at = (int)first;
    int all = (int)of->reading->page->n_blocks;
    for (uint32_t i = 0; i < n + 2 * FREE_BESIDE + 1; i++) {
        sums[i] = words[i] - linked[i];
    }
    put_free(COLUMN(FREE), before, 0, 1, n);
    put_free(COLUMN(FREE_LAST), before, -1, 0, n);
    put_free(COLUMN(FREE_NEXT), before, 1, 2, n);
    put_free_mean(COLUMN(FREE_1), before, -1, 2, n, at, all);
    put_free_mean(COLUMN(FREE_3), before, -3, 4, n, at, all);
    put_free_mean(COLUMN(FREE_8), before, -FREE_BESIDE, FREE_BESIDE + 1, n, at, all);
    put_free_mean(COLUMN(FREE_LAST_3), before, -3, 0, n, at, all);
    put_free_mean(COLUMN(FREE_NEXT_3), before, 1, 4, n, at, all);
}

/* Words before each block, and behind it. */
static void put_around(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t first, uint32_t n)
{
    const uint32_t *words = of->before->words + first;
    uint32_t all = of->all.words;
    uint32_t rest[TMPL_BLOCKS_AT_ONCE] = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        rest[i] = all - words[i + 1];
    }
    put_halves(COLUMN(LEAD), words, n);
    put_halves(COLUMN(REST), rest, n);
}

static void put_text(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t n)
{
    const tmpl_chunk_counts_t *counts = &of->counts;
    put_halves(COLUMN(WORDS), counts->words, n);
    put_counts(COLUMN(LINKS), counts->links, n);
    put_counts(COLUMN(COMMAS), counts->commas, n);
    put_counts(COLUMN(IMAGES), counts->images, n);
    put_counts(COLUMN(DEPTH), counts->depth, n);
    put_shares(COLUMN(STOPS), counts->stops, 2, counts->words, n);
    put_shares(COLUMN(CAPITALS), counts->capitals, 2, counts->words, n);
    put_shares(COLUMN(DIGITS), counts->digits, 1, counts->chars, n);
    put_shares(COLUMN(SIGNS), counts->signs, 1, counts->chars, n);
    put_letters(COLUMN(LETTERS), counts->chars, counts->words, n);
    put_shares(COLUMN(AGAIN), counts->again, 1, counts->length, n);
    put_shares(COLUMN(TITLE), counts->titled, 1, counts->words, n);
    put_shares_of(COLUMN(TITLE_SHARE), counts->titled, of->reading->title, n);
    put_shares(COLUMN(LINKS_HERE), counts->here, 1, counts->links, n);
    put_shares(COLUMN(LINKS_WHOLE), counts->whole, 1, counts->links, n);
}

static void put_place(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t first, uint32_t n)
{
    tmpl_chunk_counts_t *counts = &of->counts;
    float *titled = COLUMN(TITLED);
    float *best = COLUMN(BEST);
    float *best_share = COLUMN(BEST_SHARE);
    put_shares_of(COLUMN(BEFORE), of->before->words + first, of->all.words, n);
    put_shares_of(COLUMN(LONG_BEFORE), counts->longs, of->all.longs, n);
    put_near(COLUMN(LONG_LAST), counts->last, n);
    put_near(COLUMN(LONG_NEXT), counts->next, n);
    for (uint32_t i = 0; i < n; i++) {
        counts->next[i] = smaller_of(counts->next[i], counts->last[i]);
    }
    put_near(COLUMN(LONG_NEAR), counts->next, n);
    for (uint32_t i = 0; i < n; i++) {
        counts->longs[i] = first + i > of->best_first ? counts->longs[i] - of->long_before_best : 0;
    }
    if (of->best_after > 0) {
        put_shares_of(COLUMN(BEST_BEFORE), counts->longs, of->long_in_best, n);
        for (uint32_t i = 0; i < n; i++) {
            best[i] = (float)(first + i - of->best_first < of->best_after - of->best_first);
            best_share[i] = of->best_share;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        titled[i] = (float)(first + i >= of->titled);
    }
}

static void put_beside(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t first, uint32_t n)
{
    const uint32_t *words = of->before->words + first;
    const uint32_t *linked = of->before->linked + first;
    const uint32_t *length = of->before->length + first;
    const uint32_t *repeated = of->before->repeated + first;
    float *own = COLUMN(LINKED);
    uint32_t near[TMPL_BLOCKS_AT_ONCE] = { 0 };
    put_shares_between(own, linked, words, 0, 1, n);
    put_shares_between(COLUMN(LINKED_LAST), linked, words, -1, 0, n);
    put_shares_between(COLUMN(LINKED_NEXT), linked, words, 1, 2, n);
    put_shares_between(COLUMN(LINKED_1), linked, words, -1, 2, n);
    put_shares_between(COLUMN(LINKED_3), linked, words, -3, 4, n);
    put_shares_between(COLUMN(LINKED_8), linked, words, -8, 9, n);
    put_shares_between(COLUMN(LINKED_LAST_3), linked, words, -3, 0, n);
    put_shares_between(COLUMN(LINKED_NEXT_3), linked, words, 1, 4, n);
    for (uint32_t i = 0; i < n; i++) { /* 1 for a link without words */
        own[i] = of->counts.words[i] > 0 ? own[i] : (float)(of->counts.links[i] > 0);
    }
    for (int i = 0; i < (int)n; i++) {
        near[i] = words[i + 4] - words[i - 3];
    }
    put_shares(COLUMN(STOPS_3), of->counts.stops_near, 2, near, n);
    if (tmpl_is_known(of->evidence)) {
        put_shares_between(COLUMN(REPEATED), repeated, length, 0, 1, n);
        put_shares_between(COLUMN(REPEATED_1), repeated, length, -1, 2, n);
        put_shares_between(COLUMN(REPEATED_3), repeated, length, -3, 4, n);
    }
}

/* Clears the features [first, after). */
static void clear(tmpl_columns_t *columns, unsigned first, unsigned after, uint32_t n)
{
    for (unsigned f = first; f < after; f++) {
        memset(columns->of[f], 0, n * sizeof(columns->of[f][0]));
    }
}

void tmpl_rows_fill(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t first, uint32_t after)
{
    uint32_t n = after - first;
    /* the other features are filled for each block */
    clear(columns, TMPL_BLOCK_FEATURE_SAID_BEFORE, TMPL_BLOCK_FEATURE_BEFORE, n);
    clear(columns, TMPL_BLOCK_FEATURE_BEST, TMPL_BLOCK_FEATURE_COUNT, n);
    tmpl_rows_fill_blocks(columns, of, first, n);
    unpack(columns, of, first, n);
    put_beside(columns, of, first, n);
    put_beside_free(columns, of, first, n);
    put_around(columns, of, first, n);
    put_text(columns, of, n);
    put_place(columns, of, first, n);
}
