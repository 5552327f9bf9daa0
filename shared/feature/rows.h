/* SPDX-License-Identifier: Apache-2.0 */
/* page + counts -> rows of features, one for each leaf block. */
#ifndef TMPL_ROWS_H
#define TMPL_ROWS_H

#include "feature/layout.h"

/* What the site's table says. */
typedef struct {
    const tmpl_record_t *segments; /* one for each of page->keys */
    const tmpl_record_t *paths;    /* one for each of layout->keys */
    uint32_t pages;                /* pages seen, this one included; 0: nothing is known */
    uint32_t min_df;
} tmpl_evidence_t;

/*
 * Prepares the rows of a page. The rows are filled some at a time, because all together take many
 * times the memory of the page. Evidence is stored in reading and replaces earlier evidence, so
 * only the rows made last can be filled. All arguments must outlive the rows, and pool must outlive
 * reading.
 */
typedef struct tmpl_rows_t tmpl_rows_t;
tmpl_rows_t *tmpl_rows_of(tmpl_reading_t *reading, const tmpl_layout_t *layout,
                          const tmpl_evidence_t *evidence, apr_pool_t *pool);

/*
 * Fills the columns with blocks [first, after), at most TMPL_BLOCKS_AT_ONCE; the rest of each
 * column stays as it is. The features of the group FIRST are 0.
 */
void tmpl_rows_fill(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t first, uint32_t after);

/*
 * Gives the rows what the model's first trees say of each block, for tmpl_rows_fill_first.
 * templateness must outlive the rows; their memory is from pool.
 */
void tmpl_rows_judged(tmpl_rows_t *of, const float *templateness, apr_pool_t *pool);

/* Fills the features of the group FIRST of n blocks, at most TMPL_BLOCKS_AT_ONCE. */
void tmpl_rows_fill_first(tmpl_columns_t *columns, const tmpl_rows_t *of, const uint32_t *blocks,
                          uint32_t n);

/*
 * Fills all page->n_blocks rows, of TMPL_BLOCK_FEATURE_COUNT floats each, with the group FIRST if
 * tmpl_rows_judged was called: for training (train/trees/features) and tests.
 */
void tmpl_rows_list(float *rows, tmpl_rows_t *of);

#endif
