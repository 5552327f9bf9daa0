/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the trees that judge of what a model's text says. */
#include "model/trees_model.h"

#include <math.h>

#include "model/trees_source.h"

static int64_t in_units(double number)
{
    return llrint(number / TMPL_TREES_UNIT);
}

static void set_columns(tmpl_trees_t *trees, const tmpl_condition_t *conditions, uint32_t n,
                        apr_pool_t *pool)
{
    column_t *columns = apr_pcalloc(pool, TMPL_BLOCK_FEATURE_COUNT * sizeof(*columns));
    float *limits = apr_palloc(pool, n * sizeof(*limits));
    for (uint32_t i = 0; i < n; i++) {
        trees->n_columns += i == 0 || conditions[i].feature != conditions[i - 1].feature;
        columns[trees->n_columns - 1] = (column_t){ conditions[i].feature, i + 1 };
        limits[i] = conditions[i].limit;
    }
    trees->n_conditions = n;
    trees->columns = columns;
    trees->limits = limits;
}

/* The number of leaves of tree t. */
static uint32_t leaves_of(const tmpl_trees_t *trees, uint32_t t)
{
    return trees->after_split[t] - (t > 0 ? trees->after_split[t - 1] : 0) + 1;
}

/* A table of values above the least of them. */
typedef struct {
    int64_t least;
    uint64_t values[TMPL_LEAVES_FEW];
} table_t;

/*
 * The first or the second table of a tree. Blocks at leaves of the second table have the first
 * entry of the first one, too; so the second table counts from the first leaf.
 */
static table_t table_of(const int64_t *leaves, uint32_t n, uint32_t which)
{
    table_t table = { 0 };
    int64_t values[TMPL_LEAVES_FEW] = { which == 0 ? leaves[0] : 0 };
    uint32_t begin = which * (TMPL_LEAVES_FEW - 1);
    uint32_t have = n > begin + 1 ? n - begin : 1;
    have = have < TMPL_LEAVES_FEW ? have : TMPL_LEAVES_FEW;
    table.least = values[0];
    for (uint32_t i = 1; i < have; i++) {
        values[i] = leaves[begin + i] - (which == 0 ? 0 : leaves[0]);
        table.least = values[i] < table.least ? values[i] : table.least;
    }
    for (uint32_t i = 0; i < have; i++) {
        table.values[i] = (uint64_t)(values[i] - table.least);
    }
    return table;
}

/* Sets how many tables a tree has, and bytes a value; no bytes if a tree has too many leaves. */
static void set_sizes(tmpl_trees_t *trees)
{
    const int64_t *leaves = trees->leaves;
    uint32_t most = 0;
    uint64_t bits = 0;
    for (uint32_t t = 0; t < trees->n_trees; t++) {
        uint32_t n = leaves_of(trees, t);
        most = n > most ? n : most;
        for (uint32_t which = 0; which < 2 && most <= TMPL_LEAVES_TWICE; which++) {
            table_t table = table_of(leaves, n, which);
            for (uint32_t i = 0; i < TMPL_LEAVES_FEW; i++) {
                bits |= table.values[i];
            }
        }
        leaves += n;
    }
    trees->n_tables = most > TMPL_LEAVES_FEW ? 2 : 1;
    trees->n_bytes = most <= TMPL_LEAVES_TWICE;
    while (trees->n_bytes > 0 && trees->n_bytes < TMPL_VALUE_BYTES &&
           bits >> 8 * trees->n_bytes != 0) {
        trees->n_bytes++;
    }
}

static void set_tree_bytes(tmpl_trees_t *trees, apr_pool_t *pool)
{
    const int64_t *leaves = trees->leaves;
    set_sizes(trees);
    size_t size = (size_t)trees->n_bytes * TMPL_LEAVES_FEW;
    unsigned char *bytes = apr_pcalloc(pool, (trees->n_trees + 1) * trees->n_tables * size);
    trees->bytes = bytes;
    trees->least = trees->bias;
    for (uint32_t t = 0; trees->n_bytes > 0 && t < trees->n_trees; t++) {
        uint32_t n = leaves_of(trees, t);
        for (uint32_t which = 0; which < trees->n_tables; which++, bytes += size) {
            table_t table = table_of(leaves, n, which);
            trees->least += table.least;
            for (uint32_t i = 0; i < size; i++) {
                bytes[i] =
                    (unsigned char)(table.values[i % TMPL_LEAVES_FEW] >> 8 * (i / TMPL_LEAVES_FEW));
            }
        }
        leaves += n;
    }
}

/* Adds a tree of n > 1 nodes behind splits and leaves, each in their order. */
static void add_tree(split_t **splits, int64_t **leaves, const tmpl_tree_node_t *nodes, uint32_t n)
{
    uint16_t offset[TMPL_LEAVES_NODES];
    uint16_t n_splits = 0, n_leaves = 0;
    for (uint32_t i = 0; i < n; i++) {
        offset[i] =
            (uint16_t)(nodes[i].left == 0 ? SET_OF_LEAF(n_leaves++) : SET_OF_SPLIT(n_splits++));
    }
    for (uint32_t i = 0; i < n; i++) {
        const tmpl_tree_node_t *node = &nodes[i];
        if (node->left == 0) {
            *(*leaves)++ = in_units((double)node->value);
            continue;
        }
        *(*splits)++ = (split_t){ .condition = node->condition * (uint32_t)sizeof(uint64_t),
                                  .left = offset[node->left],
                                  .right = offset[node->right] };
    }
}

/* The trees of a part; a tree of one leaf becomes part of the bias. */
static tmpl_trees_t *make_part(const tmpl_trees_part_t *part, double bias, apr_pool_t *pool)
{
    tmpl_trees_t *trees = apr_pcalloc(pool, sizeof(*trees));
    const tmpl_tree_node_t *nodes = part->nodes;
    uint32_t n_nodes = 0;
    for (uint32_t t = 0; t < part->n_trees; t++) {
        n_nodes += part->sizes[t];
    }
    uint32_t *after_split = apr_palloc(pool, part->n_trees * sizeof(*after_split));
    split_t *splits = apr_palloc(pool, n_nodes / 2 * sizeof(*splits));
    int64_t *leaves = apr_palloc(pool, n_nodes * sizeof(*leaves));
    trees->splits = splits;
    trees->leaves = leaves;
    trees->after_split = after_split;
    trees->bias = in_units(bias);
    for (uint32_t t = 0; t < part->n_trees; nodes += part->sizes[t++]) {
        if (part->sizes[t] == 1) {
            trees->bias += in_units((double)nodes->value);
            continue;
        }
        add_tree(&splits, &leaves, nodes, part->sizes[t]);
        after_split[trees->n_trees++] = (uint32_t)(splits - trees->splits);
    }
    set_columns(trees, part->conditions, part->n_conditions, pool);
    set_tree_bytes(trees, pool);
    return trees;
}

const tmpl_trees_t *tmpl_trees_make(const tmpl_trees_source_t *source, apr_pool_t *pool)
{
    tmpl_trees_t *trees = make_part(&source->parts[0], source->bias, pool);
    trees->last = source->n_parts > 1 ? make_part(&source->parts[1], 0, pool) : NULL;
    trees->id = source->id;
    trees->threshold = source->threshold;
    return trees;
}

apr_status_t tmpl_trees_parse(const tmpl_trees_t **trees, const tmpl_model_text_t *text,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_trees_source_t source;
    apr_status_t status = tmpl_trees_source_read(&source, text, err, pool);
    *trees = status == APR_SUCCESS ? tmpl_trees_make(&source, pool) : NULL;
    return status;
}

const tmpl_trees_t *tmpl_trees_last(const tmpl_trees_t *trees)
{
    return trees->last;
}

double tmpl_trees_threshold(const tmpl_trees_t *trees)
{
    return trees->threshold;
}

uint64_t tmpl_trees_id(const tmpl_trees_t *trees)
{
    return trees->id;
}
