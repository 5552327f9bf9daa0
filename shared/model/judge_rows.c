/* SPDX-License-Identifier: Apache-2.0 */
#include "model/judge_rows.h"

#include <string.h>

/* Pages of up to this many blocks keep their columns for the last trees, 40 KB for 64 blocks. */
#define KEPT_BLOCKS 1024

static uint32_t least_number(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The columns of a page: of all its blocks, or of the blocks from first on. */
struct tmpl_judging_t {
    tmpl_rows_t *rows;
    uint32_t n_blocks;
    int keeps_all;
    uint32_t first;
    tmpl_columns_t *columns;
    tmpl_columns_t *gathered; /* those of blocks that are judged again */
    uint64_t *room;           /* tmpl_trees_room() */
    int is_alone;             /* the features of the group SITE are to be 0 */
    int is_last;              /* the last trees judge: those of the group FIRST are to be filled */
};

/*
 * Conditions are tested on 16 blocks at a time: behind the last of n blocks stand copies of the
 * first one in the columns.
 */
static void fill_up(tmpl_columns_t *columns, uint32_t n)
{
    for (unsigned f = 0; n % 16 != 0 && f < TMPL_BLOCK_FEATURE_COUNT; f++) {
        for (uint32_t i = n; i % 16 != 0; i++) {
            columns->of[f][i] = columns->of[f][0];
        }
    }
}

/* Fills the columns of the blocks from first on, a multiple of TMPL_BLOCKS_AT_ONCE. */
static tmpl_columns_t *fill(tmpl_judging_t *filled, uint32_t first)
{
    tmpl_columns_t *columns = &filled->columns[filled->keeps_all ? first / TMPL_BLOCKS_AT_ONCE : 0];
    uint32_t after = least_number(filled->n_blocks, first + TMPL_BLOCKS_AT_ONCE);
    tmpl_rows_fill(columns, filled->rows, first, after);
    fill_up(columns, after - first);
    filled->first = first;
    return columns;
}

static const tmpl_columns_t *filled_before(tmpl_judging_t *filled, uint32_t first)
{
    return filled->keeps_all        ? &filled->columns[first / TMPL_BLOCKS_AT_ONCE]
           : filled->first == first ? filled->columns
                                    : fill(filled, first);
}

static tmpl_judging_t begin_judging(tmpl_rows_t *rows, const tmpl_trees_t *trees, uint32_t n_blocks,
                                    int keeps_all, apr_pool_t *pool)
{
    uint32_t chunks = (n_blocks + TMPL_BLOCKS_AT_ONCE - 1) / TMPL_BLOCKS_AT_ONCE;
    tmpl_judging_t filled = { .rows = rows, .n_blocks = n_blocks };
    filled.keeps_all = keeps_all && n_blocks <= KEPT_BLOCKS;
    filled.columns = apr_palloc(pool, (filled.keeps_all ? chunks : 1) * sizeof(*filled.columns));
    filled.gathered = apr_palloc(pool, sizeof(*filled.gathered));
    filled.room = apr_palloc(pool, tmpl_trees_room(trees) * sizeof(*filled.room));
    return filled;
}

static void judge_all(float *templateness, tmpl_judging_t *filled, const tmpl_trees_t *trees)
{
    for (uint32_t first = 0; first < filled->n_blocks; first += TMPL_BLOCKS_AT_ONCE) {
        uint32_t n = least_number(filled->n_blocks - first, TMPL_BLOCKS_AT_ONCE);
        tmpl_trees_judge(&templateness[first], trees, fill(filled, first), n, filled->room);
    }
}

/* Gathers the rows of n blocks, at most TMPL_BLOCKS_AT_ONCE. */
static const tmpl_columns_t *gather(tmpl_judging_t *filled, const uint32_t *blocks, uint32_t n)
{
    tmpl_columns_t *to = filled->gathered;
    uint32_t in[TMPL_BLOCKS_AT_ONCE];
    for (uint32_t i = 0, after; i < n; i = after) {
        uint32_t first = blocks[i] - blocks[i] % TMPL_BLOCKS_AT_ONCE;
        const tmpl_columns_t *from = filled_before(filled, first);
        for (after = i; after < n && blocks[after] - first < TMPL_BLOCKS_AT_ONCE; after++) {
            in[after] = blocks[after] - first;
        }
        for (unsigned f = 0; f < TMPL_BLOCK_FEATURE_FIRST; f++) {
#pragma GCC unroll 4
            for (uint32_t k = i; k < after; k++) {
                to->of[f][k] = from->of[f][in[k]];
            }
        }
    }
    if (filled->is_alone) {
        memset(to->of[TMPL_BLOCK_FEATURE_PAGES], 0,
               (TMPL_BLOCK_FEATURE_FIRST - TMPL_BLOCK_FEATURE_PAGES) * sizeof(to->of[0]));
    }
    if (filled->is_last) {
        tmpl_rows_fill_first(to, filled->rows, blocks, n);
    }
    fill_up(to, n);
    return to;
}

/* Judges n blocks again. */
static void judge_some(float *templateness, tmpl_judging_t *filled, const tmpl_trees_t *trees,
                       const uint32_t *blocks, uint32_t n_all)
{
    float judged[TMPL_BLOCKS_AT_ONCE];
    for (uint32_t n; n_all > 0; blocks += n, n_all -= n) {
        n = least_number(n_all, TMPL_BLOCKS_AT_ONCE);
        tmpl_trees_judge(judged, trees, gather(filled, blocks, n), n, filled->room);
        for (uint32_t i = 0; i < n; i++) {
            templateness[blocks[i]] = judged[i];
        }
    }
}

/* Judges by the last trees those of n blocks of which the first trees are not sure; NULL: all. */
static void judge_unsure(float *templateness, tmpl_judging_t *filled, const tmpl_trees_t *last,
                         const uint32_t *blocks, uint32_t n, apr_pool_t *pool)
{
    uint32_t *unsure = apr_palloc(pool, n * sizeof(*unsure));
    uint32_t n_unsure = 0;
    for (uint32_t i = 0; i < n; i++) {
        unsure[n_unsure] = blocks != NULL ? blocks[i] : i;
        n_unsure += !tmpl_is_sure(templateness[unsure[n_unsure]]);
    }
    const float *first = apr_pmemdup(pool, templateness, filled->n_blocks * sizeof(*templateness));
    tmpl_rows_judged(filled->rows, first, pool);
    filled->is_last = 1;
    judge_some(templateness, filled, last, unsure, n_unsure);
}

void tmpl_judge_rows_alone(float *templateness, const tmpl_trees_t *trees, tmpl_judging_t *judging,
                           const uint32_t *blocks, uint32_t n, apr_pool_t *pool)
{
    const tmpl_trees_t *last = tmpl_trees_last(trees);
    judging->is_alone = 1;
    judging->is_last = 0;
    judge_some(templateness, judging, trees, blocks, n);
    if (last != NULL && n > 0) {
        judge_unsure(templateness, judging, last, blocks, n, pool);
    }
}

void tmpl_judge_rows_first(float *templateness, const tmpl_trees_t *trees, tmpl_rows_t *rows,
                           uint32_t n_blocks, apr_pool_t *pool)
{
    tmpl_judging_t filled = begin_judging(rows, trees, n_blocks, 0, pool);
    judge_all(templateness, &filled, trees);
}

tmpl_judging_t *tmpl_judge_rows(float *templateness, const tmpl_trees_t *trees, tmpl_rows_t *rows,
                                uint32_t n_blocks, apr_pool_t *pool)
{
    const tmpl_trees_t *last = tmpl_trees_last(trees);
    tmpl_judging_t *filled = apr_palloc(pool, sizeof(*filled));
    *filled = begin_judging(rows, trees, n_blocks, 1, pool);
    judge_all(templateness, filled, trees);
    if (last != NULL) {
        judge_unsure(templateness, filled, last, NULL, n_blocks, pool);
    }
    return filled;
}
