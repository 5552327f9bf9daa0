/* SPDX-License-Identifier: Apache-2.0 */
#include "model/judge_rows.h"

/* Pages of up to this many blocks keep their columns for the last trees, 30 KB for 64 blocks. */
#define KEPT_BLOCKS 1024

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

typedef struct {
    tmpl_rows_t *rows;
    uint32_t n_blocks;
    tmpl_columns_t *columns; /* columns of all blocks, or of TMPL_BLOCKS_AT_ONCE */
    int keeps_columns;
    int is_judged; /* the first trees have judged */
    apr_pool_t *pool;
} judging_t;

/*
 * Conditions are tested on whole columns: behind the last block of a page stand copies of the first
 * one in the columns.
 */
static void fill_up(tmpl_columns_t *columns, uint32_t n)
{
    for (unsigned f = 0; n < TMPL_BLOCKS_AT_ONCE && f < TMPL_BLOCK_FEATURE_COUNT; f++) {
        for (uint32_t i = n; i < TMPL_BLOCKS_AT_ONCE; i++) {
            columns->of[f][i] = columns->of[f][0];
        }
    }
}

/* The columns of the blocks from first on. */
static const tmpl_columns_t *columns_from(judging_t *judging, uint32_t first)
{
    uint32_t after = least(judging->n_blocks, first + TMPL_BLOCKS_AT_ONCE);
    uint32_t at = judging->keeps_columns ? first / TMPL_BLOCKS_AT_ONCE : 0;
    tmpl_columns_t *columns = &judging->columns[at];
    if (!judging->is_judged || !judging->keeps_columns) {
        tmpl_rows_fill(columns, judging->rows, first, after);
    }
    if (judging->is_judged) {
        tmpl_rows_fill_first(columns, judging->rows, first, after);
    }
    fill_up(columns, after - first);
    return columns;
}

static void judge_all(float *templateness, judging_t *judging, const tmpl_trees_t *trees)
{
    uint32_t most = least(judging->n_blocks, TMPL_JUDGED_AT_ONCE);
    uint64_t *room = apr_palloc(judging->pool, tmpl_trees_room(trees, most) * sizeof(*room));
    for (uint32_t first = 0; first < judging->n_blocks; first += most) {
        uint32_t n = least(most, judging->n_blocks - first);
        for (uint32_t at = 0; at < n; at += TMPL_BLOCKS_AT_ONCE) {
            tmpl_trees_test(room, trees, columns_from(judging, first + at), at, n);
        }
        tmpl_trees_judge(&templateness[first], trees, room, n);
    }
}

static judging_t begin(tmpl_rows_t *rows, uint32_t n_blocks, int keeps_columns, apr_pool_t *pool)
{
    uint32_t chunks = (n_blocks + TMPL_BLOCKS_AT_ONCE - 1) / TMPL_BLOCKS_AT_ONCE;
    judging_t judging = { .rows = rows, .n_blocks = n_blocks, .pool = pool };
    judging.keeps_columns = keeps_columns && n_blocks <= KEPT_BLOCKS;
    judging.columns =
        apr_palloc(pool, (judging.keeps_columns ? chunks : 1) * sizeof(*judging.columns));
    return judging;
}

void tmpl_judge_rows_first(float *templateness, const tmpl_trees_t *trees, tmpl_rows_t *rows,
                           uint32_t n_blocks, apr_pool_t *pool)
{
    judging_t judging = begin(rows, n_blocks, 0, pool);
    judge_all(templateness, &judging, trees);
}

void tmpl_judge_rows(float *templateness, const tmpl_trees_t *trees, tmpl_rows_t *rows,
                     uint32_t n_blocks, apr_pool_t *pool)
{
    const tmpl_trees_t *last = tmpl_trees_last(trees);
    judging_t judging = begin(rows, n_blocks, last != NULL, pool);
    float *first = last == NULL ? templateness : apr_palloc(pool, n_blocks * sizeof(*first));
    judge_all(first, &judging, trees);
    if (last != NULL) {
        tmpl_rows_judged(rows, first, pool);
        judging.is_judged = 1;
        judge_all(templateness, &judging, last);
    }
}
