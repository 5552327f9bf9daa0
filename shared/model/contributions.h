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
 * base is the same for all blocks of a page that the same trees judge. Contributions thus say what
 * distinguishes a block from other blocks of its page, template from content.
 *
 * If the model has first and last trees, the contributions to a block are those in the last trees,
 * unless the first trees are sure (judge_rows.h): then they are those in the first trees. The
 * features of the group FIRST are what the first trees say of the block and of blocks near it or
 * like it. If such a feature agrees with what the first trees say of the block itself, its
 * contribution is shared out to the features in proportion to their contributions in the first
 * trees (the rescale rule of Shrikumar, Greenside and Kundaje, "Learning Important Features Through
 * Propagating Activation Differences", ICML 2017). If it does not agree, its contribution stays:
 * the other blocks are the reason. The sum is exact either way.
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
