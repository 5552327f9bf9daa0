/* SPDX-License-Identifier: Apache-2.0 */
/* A model as it is judged by: trees_model.c makes it from its text, trees.c goes through it. */
#ifndef TMPL_TREES_MODEL_H
#define TMPL_TREES_MODEL_H

#include "detect/trees.h"

/* What a leaf's value is a multiple of. */
#define TMPL_TREES_UNIT 0x1p-40

typedef struct {
    uint32_t condition;
    /* What it parts its set into: places among the splits of its tree, and the leaves behind these. */
    uint16_t left, right;
} split_t;

typedef struct {
    uint32_t after_split; /* its splits end there */
    uint32_t first_leaf;
} tree_t;

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
    const tree_t *trees;
    const split_t *splits;   /* of the first tree, of the second, ... */
    const int64_t *leaves;   /* likewise */
    const column_t *columns; /* the features that some split asks for */
    const float *limits;     /* of conditions: by feature, and rising; each once */
};

#endif
