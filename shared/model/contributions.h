/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which features a block's templateness rests on: Saabas, "Interpreting random forests"
 * (blog.datadive.net, 2014), for boosted trees. Not used to judge a page.
 *
 * Each node of a tree has an expected value: a leaf its own, a split the mean of its two children,
 * weighted by the blocks of the page that go there, plus one for each. Blocks that are more likely
 * template than content weigh together as much as the others do. A block goes from the root to a
 * leaf, and each split on its way adds the change of the expected value to the contribution of the
 * feature that the split tests. So the sum over all trees is exact:
 *
 *     log(t / (1 - t)) = base + the contributions of all features, for templateness t
 *
 * base is the same for all blocks of a page. Contributions thus say what distinguishes a block from
 * other blocks of its page, template from content. If the model has first and last trees, they are
 * those in the first trees; what the last trees, which know what the first say of the rest of the
 * page, add to it is the contribution of the feature FIRST.
 */
#ifndef TMPL_CONTRIBUTIONS_H
#define TMPL_CONTRIBUTIONS_H

#include "feature/rows.h"
#include "model/trees.h"

/* A feature's value for a block, and by how much it raises the block's log odds to be template. */
typedef struct {
    tmpl_block_feature_e feature;
    float value;
    double by;
} tmpl_contribution_t;

#define TMPL_CONTRIBUTIONS 3

/* The contributions to one block: its log odds are base + the sum of by in most + rest. */
typedef struct {
    tmpl_contribution_t most[TMPL_CONTRIBUTIONS]; /* by falling |by| */
    double base;
    double rest; /* of the other features together */
} tmpl_contributions_t;

/*
 * Fills of, one for each of n_blocks blocks. The rows are those that tmpl_judge_rows has judged,
 * and templateness is its result. Temporary memory is from pool.
 */
void tmpl_contributions(tmpl_contributions_t *of, const tmpl_trees_t *trees, tmpl_rows_t *rows,
                        const float *templateness, uint32_t n_blocks, apr_pool_t *pool);

#endif
