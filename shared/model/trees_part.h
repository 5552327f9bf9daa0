/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests conditions, and divides sets of blocks by the splits of a tree, for trees.c and
 * trees_avx2.c. These define TREES_INLINE, because functions for different processors cannot be
 * inlined into each other, and above(values, limit, n): the set of at least the first n values, 16
 * to 64, that are above the limit.
 */
#ifndef TMPL_TREES_PART_H
#define TMPL_TREES_PART_H

#include "model/trees_model.h"

/*
 * Fills one word of the set of each condition, for at least the first n values of each column;
 * words is the number of words in a set. Limits rise, so once a set is empty all further sets are.
 */
TREES_INLINE void find_above(uint64_t *sets, uint32_t words, const tmpl_trees_t *trees,
                             const tmpl_columns_t *columns, const unsigned n)
{
    const float *limit = trees->limits;
    for (uint32_t i = 0; i < trees->n_columns; i++) {
        const float *values = columns->of[trees->columns[i].feature];
        const float *after = &trees->limits[trees->columns[i].after_condition];
        uint64_t set = 1;
        for (; limit < after && set != 0; limit++, sets += words) {
            *sets = set = above(values, *limit, n);
        }
        for (; limit < after; limit++, sets += words) {
            *sets = 0;
        }
    }
}

/* find_above for n blocks. */
TREES_INLINE void test(uint64_t *sets, uint32_t words, const tmpl_trees_t *trees,
                       const tmpl_columns_t *columns, uint32_t n)
{
    if (n > 48) {
        find_above(sets, words, trees, columns, 64);
    }
    else if (n > 32) {
        find_above(sets, words, trees, columns, 48);
    }
    else if (n > 16) {
        find_above(sets, words, trees, columns, 32);
    }
    else {
        find_above(sets, words, trees, columns, 16);
    }
}

/* Sets of two words and of four. */
typedef uint64_t words2_t __attribute__((vector_size(16), aligned(8), may_alias));
typedef uint64_t words4_t __attribute__((vector_size(32), aligned(8), may_alias));

#define TREES_GO(set_t)                                                                            \
    do {                                                                                           \
        set_t from = *(const set_t *)(const void *)at;                                             \
        set_t go = from & *(const set_t *)(const void *)limited;                                   \
        *(set_t *)(void *)left = from ^ go;                                                        \
        *(set_t *)(void *)right = go;                                                              \
    } while (0)

/*
 * Computes the sets of all leaves from that of the root. A set is `words` words, and sets are
 * stride words apart; above has the set of each condition.
 */
TREES_INLINE void part(uint64_t *sets, const uint64_t *above, const split_t *split,
                       const split_t *after, const unsigned words, const unsigned stride)
{
    const char *at = (const char *)sets + (size_t)SETS_OF_SPLITS * stride;
#pragma GCC unroll 4
    for (; split < after; split++, at += sizeof(*sets) * stride) {
        const char *limited = (const char *)above + (size_t)split->condition * words;
        char *left = (char *)sets + (size_t)split->left * stride;
        char *right = (char *)sets + (size_t)split->right * stride;
        if (words == 1) {
            TREES_GO(uint64_t);
        }
        else if (words == 2) {
            TREES_GO(words2_t);
        }
        else {
            TREES_GO(words4_t);
        }
    }
}

#endif
