/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page's rows while they are filled. rows.c computes what is the same for all blocks;
 * rows_blocks.c, block by block, features of the position; rows_columns.c the rest, column by
 * column.
 */
#ifndef TMPL_ROWS_PARTS_H
#define TMPL_ROWS_PARTS_H

#include "feature/rows.h"

/* Logarithms of DF below this are kept. */
#define TMPL_KNOWN_DF 64

/* The site's table on a layout path. */
typedef struct {
    float repeated;
    float text;
    float df;
    uint32_t others; /* other pages that have the path */
} tmpl_path_row_t;

/* Features that all blocks in a box share. */
typedef struct {
    uint32_t node;
    uint32_t around; /* the box around it */
    float linked;
    float repeated;
    float score;
} tmpl_box_row_t;

/* A cache of boxes, because boxes around other boxes come again. */
#define TMPL_KNOWN_BOXES 64

/* Counts of the blocks [first, after), one column each. */
typedef struct {
#define TMPL_TALLY(name) uint32_t name[TMPL_BLOCKS_AT_ONCE];
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
    uint32_t depth[TMPL_BLOCKS_AT_ONCE];
    uint32_t length[TMPL_BLOCKS_AT_ONCE];
    /*
     * distance in blocks to the long text before, 0 for itself, and to the next; n_blocks if none
     */
    uint32_t last[TMPL_BLOCKS_AT_ONCE];
    uint32_t next[TMPL_BLOCKS_AT_ONCE];
    /* halves of free words in long text before it */
    uint32_t longs[TMPL_BLOCKS_AT_ONCE];
    /* ends of sentences in it and the three blocks on either side */
    uint32_t stops_near[TMPL_BLOCKS_AT_ONCE];
} tmpl_chunk_counts_t;

/* Blocks of the page with the same layout path. */
typedef struct {
    uint32_t blocks;
    uint32_t weight;
    double sum;
} tmpl_like_t;

/*
 * Templateness by the model's first trees. A block's weight is its number of words, in halves, plus
 * 1, so that blocks without words count, too. Sums are over the blocks before each block, with
 * TMPL_BEYOND more on either side.
 */
typedef struct {
    const float *templateness;
    uint32_t *weight;
    double *sum; /* sums of weight * templateness */
    tmpl_said_best_t *said;
    tmpl_like_t *like; /* by the index of the first context with the blocks' path */
} tmpl_first_t;

struct tmpl_rows_t {
    const tmpl_reading_t *reading;
    const tmpl_layout_t *layout;
    const tmpl_evidence_t *evidence;
    const tmpl_before_t *before; /* including repeated */
    tmpl_sums_t all;             /* sums of the page */
    uint32_t titled;             /* the first block behind an h1 */
    float pages;                 /* the feature pages */
    float repeated;              /* the feature repeated-page */
    tmpl_path_row_t *paths; /* one for each of the layout's keys; NULL: the table knows nothing */
    double *df_logs;        /* natural logarithms of DF below TMPL_KNOWN_DF; 0: not computed yet */
    /* the boxes of the last block; [0].node is TMPL_NONE before the first block */
    tmpl_box_row_t boxes[TMPL_BOXES];
    tmpl_box_row_t known[TMPL_KNOWN_BOXES]; /* by the lowest bits of their nodes */
    uint32_t best_first, best_after; /* blocks of the element with the best score; 0, 0: none */
    uint32_t long_before_best;
    uint32_t long_in_best;
    float best_share;
    tmpl_first_t first;
    tmpl_chunk_counts_t counts;
};

static inline float tmpl_share(uint32_t part, uint32_t all)
{
    /* most shares are 0 or 1 */
    return part == 0 || all == 0 ? 0.0F : part >= all ? 1.0F : (float)((double)part / all);
}

static inline float tmpl_share_in(double part, double all)
{
    return all > 0 ? part >= all ? 1.0F : (float)(part / all) : 0.0F;
}

/* On a site's first page the table holds only that page: it counts as unknown. */
static inline int tmpl_is_known(const tmpl_evidence_t *evidence)
{
    return evidence->pages > 1;
}

/* --- rows_blocks.c --- */

/* Fills the features of the position of n blocks; tmpl_rows_fill has cleared them. */
void tmpl_rows_fill_blocks(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t first, uint32_t n);

#endif
