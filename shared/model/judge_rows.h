/* SPDX-License-Identifier: Apache-2.0 */
/* rows + model -> templateness of each block of a page. */
#ifndef TMPL_JUDGE_ROWS_H
#define TMPL_JUDGE_ROWS_H

#include "feature/rows.h"
#include "model/trees.h"

/*
 * Whether the last trees need not judge a block, by the templateness that the first trees give it:
 * they would hardly ever change the verdict (docs/lab/accuracy.md).
 */
static inline int tmpl_is_sure(float first)
{
    return first < 0.05F || first > 0.97F;
}

/*
 * Fills the templateness, 0..1, of all blocks. If the model has first and last trees, the first
 * trees judge all blocks; then the last trees judge those again of which the first are not sure,
 * with the results for all blocks as features. Temporary memory is from pool.
 */
typedef struct tmpl_judging_t tmpl_judging_t;
tmpl_judging_t *tmpl_judge_rows(float *templateness, const tmpl_trees_t *trees, tmpl_rows_t *rows,
                                uint32_t n_blocks, apr_pool_t *pool);

/*
 * Fills the templateness of n blocks of a page, in their order, by the first trees as on a site's
 * first page: with the features of the group SITE as 0. That of other blocks stays as it is.
 */
void tmpl_judge_rows_alone(float *templateness, const tmpl_trees_t *trees, tmpl_judging_t *judging,
                           const uint32_t *blocks, uint32_t n, apr_pool_t *pool);

/* The same by the first trees alone. */
void tmpl_judge_rows_first(float *templateness, const tmpl_trees_t *trees, tmpl_rows_t *rows,
                           uint32_t n_blocks, apr_pool_t *pool);

#endif
