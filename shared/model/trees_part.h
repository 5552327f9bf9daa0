/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges up to 64 blocks at once: a set of blocks is one word.
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
 * Fills the set of each condition, for at least the first n values of each column. Limits rise, so
 * once a set is empty all further sets are.
 */
TREES_INLINE void find_above(uint64_t *sets, const tmpl_trees_t *trees,
                             const tmpl_columns_t *columns, const unsigned n)
{
    const float *limit = trees->limits;
    for (uint32_t i = 0; i < trees->n_columns; i++) {
        const float *values = columns->of[trees->columns[i].feature];
        const float *after = &trees->limits[trees->columns[i].after_condition];
        uint64_t set = 1;
        for (; limit < after && set != 0; limit++) {
            *sets++ = set = above(values, *limit, n);
        }
        for (; limit < after; limit++) {
            *sets++ = 0;
        }
    }
}

/* find_above for n blocks. */
TREES_INLINE void test(uint64_t *sets, const tmpl_trees_t *trees, const tmpl_columns_t *columns,
                       uint32_t n)
{
    if (n > 48) {
        find_above(sets, trees, columns, 64);
    }
    else if (n > 32) {
        find_above(sets, trees, columns, 48);
    }
    else if (n > 16) {
        find_above(sets, trees, columns, 32);
    }
    else {
        find_above(sets, trees, columns, 16);
    }
}

/* Computes the sets of all leaves of a tree from that of its root. */
TREES_INLINE void part(uint64_t *sets, const uint64_t *above, const split_t *split,
                       const split_t *after)
{
#pragma GCC unroll 4
    for (const uint64_t *at = &sets[FIRST_SPLIT]; split < after; split++, at++) {
        uint64_t from = *at;
        uint64_t go = from & above[split->condition];
        sets[split->left] = from ^ go;
        sets[split->right] = go;
    }
}

/* Adds the values of a tree's n leaves to the sums of the blocks. */
TREES_INLINE void add_leaves(int64_t *sums, const uint64_t *sets, const int32_t *leaves, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint64_t left = sets[i]; left != 0; left &= left - 1) {
            sums[(uint32_t)__builtin_ctzll(left)] += leaves[i];
        }
    }
}

TREES_INLINE void judge(float *templateness, const tmpl_trees_t *trees,
                        const tmpl_columns_t *columns, uint32_t n, uint64_t *above)
{
    int64_t sums[TMPL_BLOCKS_AT_ONCE] = { 0 };
    uint64_t sets[TMPL_LEAVES_NODES] = { 0 };
    const split_t *split = trees->splits;
    const int32_t *leaves = trees->leaves;
    test(above, trees, columns, n);
    sets[FIRST_SPLIT] = ~(uint64_t)0 >> (TMPL_BLOCKS_AT_ONCE - n);
    for (uint32_t t = 0; t < trees->n_trees; t++) {
        const split_t *after = &trees->splits[trees->after_split[t]];
        uint32_t n_leaves = (uint32_t)(after - split) + 1;
        part(sets, above, split, after);
        add_leaves(sums, sets, leaves, n_leaves);
        split = after;
        leaves += n_leaves;
    }
    for (uint32_t i = 0; i < n; i++) {
        templateness[i] =
            (float)(1 / (1 + exp(-(double)(sums[i] + trees->bias) * TMPL_TREES_UNIT)));
    }
}

#endif
