/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parting sets of blocks by the splits of a tree, for both ways of judging. Who includes this says with TREES_INLINE what
 * processor it is for: functions of one kind are not put into those of another.
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
 * Parts the set at the root's place by the splits of a tree, into those of its leaves. A set has so many words, and
 * places are so many words apart; above has the blocks above each condition's limit.
 */
TREES_INLINE void part(uint64_t *places, const uint64_t *above, const split_t *split,
                       const split_t *after, const unsigned words, const unsigned stride)
{
    const char *at = (const char *)places + (size_t)PLACE_OF_SPLITS * stride;
#pragma GCC unroll 2
    for (; split < after; split++, at += sizeof(*places) * stride) {
        const char *limited = (const char *)above + (size_t)split->condition * words;
        char *left = (char *)places + (size_t)split->left * stride;
        char *right = (char *)places + (size_t)split->right * stride;
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
