/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides sets of blocks by the splits of a tree, for trees.c and trees_avx2.c, which define
 * TREES_INLINE: functions for different processors cannot be inlined into each other.
 */
#ifndef TMPL_TREES_PART_H
#define TMPL_TREES_PART_H

#include "model/trees_model.h"

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
#pragma GCC unroll 2
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
