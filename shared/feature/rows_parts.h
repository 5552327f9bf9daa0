/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page's rows while they are filled. rows.c computes what is the same for all blocks,
 * rows_blocks.c, block by block, what depends on where a block stands, and rows_columns.c all else,
 * column by column, with the logarithms of rows_logs.c.
 */
#ifndef TMPL_ROWS_PARTS_H
#define TMPL_ROWS_PARTS_H

#include "feature/rows.h"

/*
 * Logarithms of values seen before: counts are small and come again. Zeroes are a cache that knows that of
 * 0, which no other value's place can be mistaken for.
 */
typedef struct {
    double x;
    float log;
} tmpl_known_log_t;

#define TMPL_KNOWN_LOG_BITS 8
#define TMPL_KNOWN_DF       64

/* What the table says of a layout path. */
typedef struct {
    float repeated;
    float text;
    float df;
} tmpl_path_row_t;

/* What a box says of the blocks in it. */
typedef struct {
    uint32_t node;
    uint32_t around; /* the box around it */
    float linked;
    float repeated;
    float score;
} tmpl_box_row_t;

/* Boxes seen before: those around other boxes come again. */
#define TMPL_KNOWN_BOXES 64

/* What is counted in blocks [first, after), each number for all of them. */
typedef struct {
#define TMPL_TALLY(name) uint32_t name[TMPL_BLOCKS_AT_ONCE];
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
    uint32_t depth[TMPL_BLOCKS_AT_ONCE];
    uint32_t words[TMPL_BLOCKS_AT_ONCE]; /* in halves */
    uint32_t length[TMPL_BLOCKS_AT_ONCE];
    /* bytes of segments that stand on the page more than once */
    uint32_t again[TMPL_BLOCKS_AT_ONCE];
    /* blocks back to the last long text, itself 0, and on to the next one; all blocks if there is none */
    uint32_t last[TMPL_BLOCKS_AT_ONCE];
    uint32_t next[TMPL_BLOCKS_AT_ONCE];
    /* halves of free words in long text before it */
    uint32_t longs[TMPL_BLOCKS_AT_ONCE];
    /* ends of sentences in it and the three blocks on either side */
    uint32_t stops_near[TMPL_BLOCKS_AT_ONCE];
} tmpl_counted_t;

struct tmpl_rows_t {
    const tmpl_reading_t *reading;
    const tmpl_layout_t *layout;
    const tmpl_evidence_t *evidence;
    const tmpl_before_t *before; /* with what the table says */
    tmpl_sums_t all;             /* of the page */
    uint32_t titled;             /* blocks from here on have an h1 before them */
    float pages;                 /* the features of that name, */
    float repeated;              /* and repeated-page */
    tmpl_known_log_t *logs;
    tmpl_path_row_t *paths; /* as the layout's keys; NULL: nothing is known */
    double *df_logs;        /* natural logarithms of DF below TMPL_KNOWN_DF; 0: not known yet */
    /* of the block whose row was filled last; TMPL_NONE: none was */
    tmpl_box_row_t boxes[TMPL_BOXES];
    tmpl_box_row_t known[TMPL_KNOWN_BOXES]; /* by the lowest bits of their nodes */
    const tmpl_context_t *context;          /* of its first segment; NULL: none was */
    float near[sizeof(tmpl_near_t) / sizeof(uint16_t)];
    uint32_t long_text; /* of the page */
    uint32_t best_first,
        best_after; /* blocks of the element that scores best; none: there is none */
    uint32_t long_before_best;
    uint32_t long_in_best;
    float best_share;
    tmpl_counted_t counts;
};

static inline float tmpl_share(uint32_t part, uint32_t all)
{
    /* most are none or all */
    return part == 0 || all == 0 ? 0.0F : part >= all ? 1.0F : (float)((double)part / all);
}

static inline float tmpl_share_in(double part, double all)
{
    return all > 0 ? part >= all ? 1.0F : (float)(part / all) : 0.0F;
}

/* A site's first page is told of as a page of no site is: the table holds only what it says itself. */
static inline int tmpl_is_known(const tmpl_evidence_t *evidence)
{
    return evidence->pages > 1;
}

/* --- rows_logs.c --- */

/* log(1 + x) */
float tmpl_log_of(const tmpl_rows_t *of, double x);

/*
 * log(1 + x) for x = i / 2, and for x = i / 2 / blocks, as the bits of floats: found once by any thread, and the same for all,
 * so it does not matter whose stays. 0: not known yet.
 */
#define TMPL_LOG_HALVES 16384
#define TMPL_LOG_SHARED 2048 /* among up to so many */
#define TMPL_LOG_BLOCKS 18
extern uint32_t tmpl_logs_of_halves[TMPL_LOG_HALVES];
extern uint32_t tmpl_logs_of_shared[TMPL_LOG_BLOCKS][TMPL_LOG_SHARED];

/* Of halves that so many blocks share. */
float tmpl_log_shared(const tmpl_rows_t *of, uint32_t halves, uint32_t blocks);

/* Of halves that are not known yet, as bits. */
void tmpl_logs_find(float *to, const tmpl_rows_t *of, const uint32_t *halves, uint64_t unknown);

/* --- rows_blocks.c --- */

/* The first long text from a block on, or what stands behind the last. */
const tmpl_long_t *tmpl_long_from(const tmpl_reading_t *reading, uint32_t block);

/* Fills what hangs on where n blocks stand; columns are clear. */
void tmpl_rows_fill_blocks(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t first, uint32_t n);

#endif
