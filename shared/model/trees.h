/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boosted trees (Friedman, "Greedy Function Approximation: A Gradient Boosting Machine", 2001): the
 * templateness of a block is 1 / (1 + exp(-(bias + the sum of one leaf of each tree))).
 *
 * As text, divided by blanks, # before a comment:
 *     tmpl-trees 2
 *     threshold T                      a block with more templateness may be template, 0..1
 *     bias B
 *     tree N                           N nodes in as many lines, node 0 the root
 *     split FEATURE LIMIT LEFT RIGHT   FEATURE as feature.h names it; FEATURE <= LIMIT goes to node
 *                                      LEFT, all else to RIGHT; both are behind this node
 *     leaf VALUE                       -100..100, read to multiples of 2^-16
 *     last                             optional: the trees below judge, with a bias of 0; the trees
 *                                      above give them the features of the group FIRST
 *     end
 */
#ifndef TMPL_TREES_H
#define TMPL_TREES_H

#include "feature/feature.h"
#include "model/lines.h"

/* The first line of a model that is not a comment. */
#define TMPL_TREES_HEAD "tmpl-trees 2"

/* Limits of a model. */
#define TMPL_TREES_MOST   10000
#define TMPL_LEAVES_MOST  32
#define TMPL_LEAVES_NODES (2 * TMPL_LEAVES_MOST - 1)
/* different ones of the trees before "last", and of those behind it */
#define TMPL_CONDITIONS_MOST UINT16_MAX

typedef struct tmpl_trees_t tmpl_trees_t;

/*
 * Reads a model; all of it is from pool and constant afterwards. Returns APR_EINVAL with the file,
 * the line, what is wrong there and what would be valid.
 */
apr_status_t tmpl_trees_parse(const tmpl_trees_t **trees, const tmpl_model_text_t *text,
                              tmpl_error_t *err, apr_pool_t *pool);

/*
 * The same in two steps. models/arrays writes the arrays of the built-in model as constants.
 */

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

/* Reads a text; the arrays are from pool. APR_EINVAL as above. */
apr_status_t tmpl_trees_source_read(tmpl_trees_source_t *source, const tmpl_model_text_t *text,
                                    tmpl_error_t *err, apr_pool_t *pool);

/* The trees, from pool, in milliseconds; source is not needed afterwards. */
const tmpl_trees_t *tmpl_trees_make(const tmpl_trees_source_t *source, apr_pool_t *pool);

double tmpl_trees_threshold(const tmpl_trees_t *trees);

/* The trees that judge after the first ones; NULL if the model has no "last". */
const tmpl_trees_t *tmpl_trees_last(const tmpl_trees_t *trees);

/* A hash of the model's text, the same wherever it is read. */
uint64_t tmpl_trees_id(const tmpl_trees_t *trees);

/* How many uint64_t judging takes, by these trees or by the last ones. */
uint32_t tmpl_trees_room(const tmpl_trees_t *trees);

/*
 * Fills the templateness, 0..1, of the first n blocks in columns, 1 to TMPL_BLOCKS_AT_ONCE; behind
 * them are numbers, too, up to a multiple of 16. The value of a block does not depend on the
 * others. room has tmpl_trees_room() words.
 */
void tmpl_trees_judge(float *templateness, const tmpl_trees_t *trees, const tmpl_columns_t *columns,
                      uint32_t n, uint64_t *room);

#endif
