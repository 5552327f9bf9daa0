/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges blocks in sets. A set of 64 blocks is one word; a set of more blocks is two or four words.
 *
 * Trees share their conditions (feature, limit), so test() computes once for each condition the set
 * of blocks above the limit. A tree begins with the set of all blocks at its root. A split divides
 * the set S that reaches it: S & above goes right, S & ~above goes left. At the end each leaf has a
 * set, and adds its value to these blocks. Values are integers, so the order of additions does not
 * matter.
 *
 * trees.c and trees_avx2.c include this. They define TREES_INLINE, because functions for different
 * processors cannot be inlined into each other, and above(values, limit, n): the set of at least
 * the first n values, 16 to 64, that are above the limit.
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
        set_t from = *(const set_t *)at;                                                           \
        set_t go = from & *(const set_t *)limited;                                                 \
        *(set_t *)left = from ^ go;                                                                \
        *(set_t *)right = go;                                                                      \
    } while (0)

/*
 * Computes the sets of all leaves from that of the root. A set is `words` words; above has the set
 * of each condition.
 */
TREES_INLINE void part(uint64_t *sets, const uint64_t *above, const split_t *split,
                       const split_t *after, const unsigned words)
{
    const uint64_t *at = sets + FIRST_SPLIT * words;
#pragma GCC unroll 4
    for (; split < after; split++, at += words) {
        const uint64_t *limited = above + split->condition * words;
        uint64_t *left = sets + split->left * words;
        uint64_t *right = sets + split->right * words;
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

/* words of a set of blocks */
#define MOST_WORDS (TMPL_JUDGED_AT_ONCE / TMPL_BLOCKS_AT_ONCE)

/* The state while blocks are judged. */
typedef struct {
    const uint64_t *above; /* sets, by condition */
    uint32_t n_words;      /* words in use */
    int64_t sums[TMPL_JUDGED_AT_ONCE];
    uint64_t sets[TMPL_LEAVES_NODES * MOST_WORDS];
} trees_judging_t;

/* Adds the values of a tree's n leaves to the sums of the blocks of one word. */
TREES_INLINE void add_leaves(int64_t *sums, const uint64_t *at, const int32_t *leaves, uint32_t n,
                             const unsigned words)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint64_t left = at[i * words]; left != 0; left &= left - 1) {
            sums[(uint32_t)__builtin_ctzll(left)] += leaves[i];
        }
    }
}

/* Compiled for each number of words in a set, so that loops unroll. */
TREES_INLINE void sum_trees(trees_judging_t *judging, const tmpl_trees_t *trees,
                            const unsigned words)
{
    const split_t *split = trees->splits;
    const int32_t *leaves = trees->leaves;
    for (uint32_t t = 0; t < trees->n_trees; t++) {
        const split_t *after = &trees->splits[trees->after_split[t]];
        uint32_t n = (uint32_t)(after - split) + 1;
        part(judging->sets, judging->above, split, after, words);
        for (uint32_t w = 0; w < (words == 1 ? 1 : judging->n_words); w++) {
            add_leaves(&judging->sums[w * TMPL_BLOCKS_AT_ONCE], &judging->sets[w], leaves, n,
                       words);
        }
        split = after;
        leaves += n;
    }
}

TREES_INLINE void judge(float *templateness, const tmpl_trees_t *trees, const uint64_t *room,
                        uint32_t n)
{
    trees_judging_t judging = { .above = room };
    uint32_t words = tmpl_words_for(n);
    uint64_t *all = &judging.sets[FIRST_SPLIT * words];
    for (uint32_t first = 0; first < n; first += TMPL_BLOCKS_AT_ONCE) {
        uint32_t blocks = n - first < TMPL_BLOCKS_AT_ONCE ? n - first : TMPL_BLOCKS_AT_ONCE;
        all[judging.n_words] = ~(uint64_t)0 >> (TMPL_BLOCKS_AT_ONCE - blocks);
        judging.n_words++;
    }
    if (words == 1) {
        sum_trees(&judging, trees, 1);
    }
    else if (words == 2) {
        sum_trees(&judging, trees, 2);
    }
    else {
        sum_trees(&judging, trees, MOST_WORDS);
    }
    for (uint32_t i = 0; i < n; i++) {
        templateness[i] =
            (float)(1 / (1 + exp(-(double)(judging.sums[i] + trees->bias) * TMPL_TREES_UNIT)));
    }
}

#endif
