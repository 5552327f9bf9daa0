/* SPDX-License-Identifier: Apache-2.0 */
#include "model/contributions.h"

#include <math.h>

#include "model/judge_rows.h"
#include "model/trees_model.h"

/* What a node is worth: a split's children follow it, so a tree is summed up from its end. */
typedef struct {
    double expected; /* in log odds */
    double weight;   /* the sum over the blocks of the page that reach it */
} worth_t;

/* Trees, and the worth of their nodes. */
typedef struct {
    const tmpl_trees_t *trees;
    const uint32_t *features; /* by condition */
    worth_t *splits;          /* in the order of trees->splits */
    worth_t *leaves;
    double base;
} worths_t;

/* A tree: where its splits and leaves begin. */
typedef struct {
    uint32_t split, after, leaf;
} contributions_tree_t;

static contributions_tree_t tree_at(const tmpl_trees_t *trees, uint32_t t)
{
    uint32_t first = t > 0 ? trees->after_split[t - 1] : 0;
    /* a tree has one leaf more than splits */
    return (contributions_tree_t){ first, trees->after_split[t], first + t };
}

/* The node with a set of trees_model.h; split is its index, or TMPL_NONE for a leaf. */
static worth_t *worth_at(const worths_t *w, const contributions_tree_t *tree, uint32_t set,
                         uint32_t *split)
{
    if (set < FIRST_SPLIT) {
        *split = TMPL_NONE;
        return &w->leaves[tree->leaf + set];
    }
    *split = tree->split + set - FIRST_SPLIT;
    return &w->splits[*split];
}

/* The child to which a block goes from a split; columns has the block at i. */
static worth_t *go(const worths_t *w, const contributions_tree_t *tree,
                   const tmpl_columns_t *columns, uint32_t i, uint32_t *split)
{
    const split_t *s = &w->trees->splits[*split];
    uint32_t condition = s->condition;
    float value = columns->of[w->features[condition]][i];
    return worth_at(w, tree, value <= w->trees->limits[condition] ? s->left : s->right, split);
}

/* Adds the weight of a block to the nodes that it reaches. */
static void weigh_block(const worths_t *w, double weight, const tmpl_columns_t *columns, uint32_t i)
{
    for (uint32_t t = 0; t < w->trees->n_trees; t++) {
        contributions_tree_t tree = tree_at(w->trees, t);
        for (uint32_t split = tree.split; split != TMPL_NONE;) {
            go(w, &tree, columns, i, &split)->weight += weight;
        }
    }
}

/* Adds a block's contributions to by, one for each feature. */
static void add_contributions(double *by, const worths_t *w, const tmpl_columns_t *columns,
                              uint32_t i)
{
    for (uint32_t t = 0; t < w->trees->n_trees; t++) {
        contributions_tree_t tree = tree_at(w->trees, t);
        for (uint32_t split = tree.split; split != TMPL_NONE;) {
            const worth_t *from = &w->splits[split];
            uint32_t feature = w->features[w->trees->splits[split].condition];
            by[feature] += go(w, &tree, columns, i, &split)->expected - from->expected;
        }
    }
}

static worths_t begin_worths(const tmpl_trees_t *trees, apr_pool_t *pool)
{
    uint32_t n_splits = trees->n_trees > 0 ? trees->after_split[trees->n_trees - 1] : 0;
    uint32_t *features = apr_palloc(pool, (trees->n_conditions + 1) * sizeof(*features));
    worths_t w = { .trees = trees, .features = features };
    for (uint32_t c = 0, k = 0; c < trees->n_conditions; c++) {
        k += c == trees->columns[k].after_condition;
        features[c] = trees->columns[k].feature;
    }
    w.splits = apr_pcalloc(pool, (n_splits + 1) * sizeof(*w.splits));
    w.leaves = apr_pcalloc(pool, (n_splits + trees->n_trees + 1) * sizeof(*w.leaves));
    for (uint32_t l = 0; l < n_splits + trees->n_trees; l++) {
        w.leaves[l].expected = (double)trees->leaves[l] * TMPL_TREES_UNIT;
    }
    return w;
}

/* Computes the expected values once all blocks are weighed. */
static void expect_worths(worths_t *w)
{
    w->base = (double)w->trees->bias * TMPL_TREES_UNIT;
    for (uint32_t t = 0; t < w->trees->n_trees; t++) {
        contributions_tree_t tree = tree_at(w->trees, t);
        uint32_t unused;
        for (uint32_t s = tree.after; s-- > tree.split;) {
            const worth_t *left = worth_at(w, &tree, w->trees->splits[s].left, &unused);
            const worth_t *right = worth_at(w, &tree, w->trees->splits[s].right, &unused);
            double a = left->weight + 1;
            double b = right->weight + 1;
            w->splits[s].expected = (a * left->expected + b * right->expected) / (a + b);
        }
        w->base += w->splits[tree.split].expected;
    }
}

static void contributions_pick(tmpl_contributions_t *of, const double *by,
                               const tmpl_columns_t *columns, uint32_t i)
{
    unsigned char taken[TMPL_BLOCK_FEATURE_COUNT] = { 0 };
    for (unsigned k = 0; k < TMPL_CONTRIBUTIONS; k++) {
        uint32_t most = TMPL_BLOCK_FEATURE_COUNT;
        for (uint32_t f = 0; f < TMPL_BLOCK_FEATURE_COUNT; f++) {
            if (!taken[f] && (most == TMPL_BLOCK_FEATURE_COUNT || fabs(by[f]) > fabs(by[most]))) {
                most = f;
            }
        }
        taken[most] = 1;
        of->most[k] =
            (tmpl_contribution_t){ (tmpl_block_feature_e)most, columns->of[most][i], by[most] };
    }
    of->rest = 0;
    for (uint32_t f = 0; f < TMPL_BLOCK_FEATURE_COUNT; f++) {
        of->rest += taken[f] ? 0 : by[f];
    }
}

/* Sets the weight of a content block and of a template block: both kinds weigh n_blocks / 2. */
static void set_weights(double weights[2], const float *templateness, uint32_t n_blocks)
{
    uint32_t n[2] = { 0, 0 };
    for (uint32_t b = 0; b < n_blocks; b++) {
        n[templateness[b] > 0.5F]++;
    }
    for (int kind = 0; kind < 2; kind++) {
        weights[kind] = n[kind] > 0 ? n_blocks / (2.0 * n[kind]) : 0;
    }
}

/* What the last trees add to what the first say of a block: the feature FIRST. */
static void add_last(double *by, tmpl_columns_t *columns, uint32_t i, double base,
                     float templateness)
{
    double odds = base;
    for (uint32_t f = 0; f < TMPL_BLOCK_FEATURE_COUNT; f++) {
        odds += by[f];
    }
    float first = (float)(1 / (1 + exp(-odds)));
    double last = fmin(fmax((double)templateness, 1e-7), 1 - 1e-7);
    columns->of[TMPL_BLOCK_FEATURE_FIRST][i] = first;
    by[TMPL_BLOCK_FEATURE_FIRST] = tmpl_is_sure(first) ? 0 : log(last / (1 - last)) - odds;
}

void tmpl_contributions(tmpl_contributions_t *of, const tmpl_trees_t *trees, tmpl_rows_t *rows,
                        const float *templateness, uint32_t n_blocks, apr_pool_t *pool)
{
    tmpl_columns_t *columns = apr_palloc(pool, sizeof(*columns));
    worths_t worths = begin_worths(trees, pool);
    double weights[2];
    set_weights(weights, templateness, n_blocks);
    for (uint32_t b = 0, n; b < n_blocks; b += n) {
        n = n_blocks - b < TMPL_BLOCKS_AT_ONCE ? n_blocks - b : TMPL_BLOCKS_AT_ONCE;
        tmpl_rows_fill(columns, rows, b, b + n);
        for (uint32_t i = 0; i < n; i++) {
            weigh_block(&worths, weights[templateness[b + i] > 0.5F], columns, i);
        }
    }
    expect_worths(&worths);
    for (uint32_t b = 0, n; b < n_blocks; b += n) {
        n = n_blocks - b < TMPL_BLOCKS_AT_ONCE ? n_blocks - b : TMPL_BLOCKS_AT_ONCE;
        tmpl_rows_fill(columns, rows, b, b + n);
        for (uint32_t i = 0; i < n; i++) {
            double by[TMPL_BLOCK_FEATURE_COUNT] = { 0 };
            add_contributions(by, &worths, columns, i);
            if (tmpl_trees_last(trees) != NULL) {
                add_last(by, columns, i, worths.base, templateness[b + i]);
            }
            of[b + i].base = worths.base;
            contributions_pick(&of[b + i], by, columns, i);
        }
    }
}
