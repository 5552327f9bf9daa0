/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a model's text says (trees.h), as arrays: trees_source.c reads it from a text, models/arrays
 * writes it as a constant, and trees_model.c makes the trees that judge.
 */
#ifndef TMPL_TREES_SOURCE_H
#define TMPL_TREES_SOURCE_H

#include "model/trees.h"

/* A split's condition: values above the limit go to the right. */
typedef struct {
    float limit;
    uint32_t feature;
} tmpl_condition_t;

typedef struct {
    uint32_t condition; /* of a split: an index */
    float value;        /* of a leaf */
    uint16_t left;      /* children of a split, by their number in the tree; 0: it is a leaf */
    uint16_t right;
} tmpl_tree_node_t;

/* Some trees: those before "last", or those behind it. */
typedef struct {
    uint32_t n_trees;
    uint32_t n_conditions;
    const unsigned char *sizes;         /* the number of nodes of each tree */
    const tmpl_tree_node_t *nodes;      /* nodes of the first tree, of the second, ... */
    const tmpl_condition_t *conditions; /* each once, by feature, then by limit */
} tmpl_trees_part_t;

typedef struct {
    uint64_t id; /* of the text, tmpl_model_text_id() */
    double threshold;
    double bias;
    uint32_t n_parts; /* 1, or 2 if there is a "last" */
    tmpl_trees_part_t parts[2];
} tmpl_trees_source_t;

/* Reads a text; the arrays are from pool. APR_EINVAL as tmpl_trees_parse. */
apr_status_t tmpl_trees_source_read(tmpl_trees_source_t *source, const tmpl_model_text_t *text,
                                    tmpl_error_t *err, apr_pool_t *pool);

/* The trees, from pool, in milliseconds; source is not needed afterwards. */
const tmpl_trees_t *tmpl_trees_make(const tmpl_trees_source_t *source, apr_pool_t *pool);

#endif
