/* SPDX-License-Identifier: Apache-2.0 */
#include "model/judge_rows.h"

#include <apr_strings.h>

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Judges n blocks; rows has been filled up to the first of them. */
static void judge_some(float *templateness, const tmpl_trees_t *trees, tmpl_rows_t *rows,
                       uint32_t first, uint32_t n, uint64_t *room)
{
    tmpl_columns_t columns;
    for (uint32_t at = 0; at < n; at += TMPL_BLOCKS_AT_ONCE) {
        uint32_t after = least(n, at + TMPL_BLOCKS_AT_ONCE);
        tmpl_rows_fill(&columns, rows, first + at, first + after);
        tmpl_trees_test(room, trees, &columns, at, n);
    }
    tmpl_trees_judge(&templateness[first], trees, room, n);
}

void tmpl_judge_rows_first(float *templateness, const tmpl_trees_t *trees, tmpl_rows_t *rows,
                           uint32_t n_blocks, apr_pool_t *pool)
{
    uint32_t most = least(n_blocks, TMPL_JUDGED_AT_ONCE);
    uint64_t *room = apr_palloc(pool, tmpl_trees_room(trees, most) * sizeof(*room));
    for (uint32_t first = 0; first < n_blocks; first += most) {
        judge_some(templateness, trees, rows, first, least(most, n_blocks - first), room);
    }
}

void tmpl_judge_rows(float *templateness, const tmpl_trees_t *trees, tmpl_rows_t *rows,
                     uint32_t n_blocks, apr_pool_t *pool)
{
    tmpl_judge_rows_first(templateness, trees, rows, n_blocks, pool);
    if (tmpl_trees_last(trees) != NULL) {
        float *first = apr_pmemdup(pool, templateness, n_blocks * sizeof(*first));
        tmpl_rows_judged(rows, first, pool);
        tmpl_judge_rows_first(templateness, tmpl_trees_last(trees), rows, n_blocks, pool);
    }
}
