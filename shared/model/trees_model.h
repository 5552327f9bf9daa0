/* SPDX-License-Identifier: Apache-2.0 */
/* A model in memory: trees_model.c makes it, trees.c and trees_avx2.c judge by it. */
#ifndef TMPL_TREES_MODEL_H
#define TMPL_TREES_MODEL_H

#include <math.h>

#include "model/trees.h"

/* Values of leaves are multiples of this. */
#define TMPL_TREES_UNIT 0x1p-16

/*
 * The sets of a tree: first those of its leaves; then, behind the room for TMPL_LEAVES_MOST of
 * them, the sets that its splits divide. The first of these is the root's set.
 */
#define FIRST_SPLIT TMPL_LEAVES_MOST

/* Four bytes: a page reads all splits. */
typedef struct {
    uint16_t condition;
    unsigned char left, right; /* the sets for its children */
} split_t;

/* The conditions of a feature. */
typedef struct {
    uint32_t feature;
    uint32_t after_condition; /* index behind the last one */
} column_t;

struct tmpl_trees_t {
    const tmpl_trees_t *last; /* the trees behind "last"; NULL: there are none */
    uint64_t id;
    double threshold;
    int64_t bias; /* in units, as are leaves */
    uint32_t n_trees;
    uint32_t n_conditions;
    uint32_t n_columns;
    const uint32_t *after_split; /* index behind the last split of each tree */
    const split_t *splits;       /* splits of the first tree, of the second, ... */
    const int32_t *leaves;       /* values of leaves, tree by tree */
    const column_t *columns;     /* the features that splits test */
    const float *limits;         /* limits of the conditions, rising within each feature */
};

/*
 * Whether the functions for AVX2 may be called. TMPL_NO_AVX2 in the environment of the process
 * forbids it, for tests and measurements.
 */
int tmpl_has_avx2(void);

/*
 * tmpl_trees_judge for any processor, and for those with AVX2: what they say of the blocks is the
 * same bits.
 */
void tmpl_trees_judge_anywhere(float *templateness, const tmpl_trees_t *trees,
                               const tmpl_columns_t *columns, uint32_t n, uint64_t *room);

#if defined(__x86_64__) && defined(__SSE2__)
#define TMPL_FOR_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

void tmpl_trees_judge_avx2(float *templateness, const tmpl_trees_t *trees,
                           const tmpl_columns_t *columns, uint32_t n, uint64_t *room);
#endif

#endif
