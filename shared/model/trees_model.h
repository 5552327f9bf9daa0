/* SPDX-License-Identifier: Apache-2.0 */
/* A model as it is judged by: trees_model.c makes it from its text, trees.c and trees_avx2.c go through it. */
#ifndef TMPL_TREES_MODEL_H
#define TMPL_TREES_MODEL_H

#include <math.h>

#include "model/trees.h"

/* What a leaf's value is a multiple of. */
#define TMPL_TREES_UNIT 0x1p-40

/*
 * Where the sets of a tree's leaves are, one place after another, and behind the last that a tree may have those that
 * its splits part, the root's first. Places and conditions are told in bytes, as if a set had one word.
 */
#define PLACE_OF_LEAF(i)  ((i) * sizeof(uint64_t))
#define PLACE_OF_SPLIT(i) PLACE_OF_LEAF(TMPL_LEAVES_MOST + (i))
#define PLACE_OF_SPLITS   PLACE_OF_SPLIT(0)

typedef struct {
    uint32_t condition;
    uint16_t left, right; /* the places of what it parts its set into */
} split_t;

/* Leaves of a tree whose values are looked up by their numbers, and the most bytes of such a value. */
#define TMPL_LEAVES_FEW  16
#define TMPL_VALUE_BYTES 6

/* The conditions of a feature. */
typedef struct {
    uint32_t feature;
    uint32_t after_condition; /* they end there */
} column_t;

struct tmpl_trees_t {
    uint64_t id;
    double threshold;
    int64_t bias; /* in UNITs, as are leaves */
    uint32_t n_trees;
    uint32_t n_conditions;
    uint32_t n_columns;
    const uint32_t
        *after_split; /* of each tree: its splits end there. Trees of one leaf are in the bias */
    const split_t *splits;   /* of the first tree, of the second, ... */
    const int64_t *leaves;   /* likewise */
    const column_t *columns; /* the features that some split asks for */
    const float *limits;     /* of conditions: by feature, and rising; each once */

    /* Where each tree has few leaves: what these have above the least of their tree, byte by byte. */
    const unsigned char *
        bytes; /* of each tree, and of one of zeros: the lowest of TMPL_LEAVES_FEW, the next, ... */
    uint32_t n_bytes; /* of a value; 0: there are no such tables */
    int64_t least;    /* the bias and all trees' least leaves */
};

/* Words of a set of n blocks: one, two or four. */
static inline uint32_t tmpl_words_for(uint32_t n)
{
    uint32_t words = (n + TMPL_BLOCKS_AT_ONCE - 1) / TMPL_BLOCKS_AT_ONCE;
    return words < 3 ? words : TMPL_JUDGED_AT_ONCE / TMPL_BLOCKS_AT_ONCE;
}

static inline float tmpl_templateness(int64_t sum)
{
    return (float)(1 / (1 + exp(-(double)sum * TMPL_TREES_UNIT)));
}

/* tmpl_trees_judge for any processor, and for those with AVX2: the results are the same bits. */
void tmpl_trees_judge_anywhere(float *templateness, const tmpl_trees_t *trees, const uint64_t *room,
                               uint32_t n);

#if defined(__x86_64__) && defined(__SSE2__)
#define TMPL_FOR_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

/* Whether functions that are TMPL_FOR_AVX2 may be called. TMPL_NO_AVX2 forbids it, to test and measure the others. */
static inline int tmpl_has_avx2(void)
{
#ifdef TMPL_NO_AVX2
    return 0;
#else
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#endif
}

/* Only for models with n_bytes > 0. */
void tmpl_trees_judge_avx2(float *templateness, const tmpl_trees_t *trees, const uint64_t *room,
                           uint32_t n);
#endif

#endif
