/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page while its features are computed, whatever its site's table says. tmpl_read_blocks and
 * tmpl_layout_read fill what the layout needs; tmpl_read_text and tmpl_read_score fill the rest,
 * for rows.c and methods/regions.c.
 */
#ifndef TMPL_READING_H
#define TMPL_READING_H

#include <apr_tables.h>

#include "feature/context.h"
#include "feature/said.h"
#include "feature/text_counts.h"
#include "page/page.h"

/* Scores are kept in chunks of this many nodes; a chunk is kept if one of its nodes has a score. */
#define TMPL_SCORES 256

/* How many boxes of a block have features. */
#define TMPL_BOXES 4

/*
 * The largest distance of a box, in nodes, that a byte holds: a box farther away is searched each
 * time.
 */
#define TMPL_BOX_FAR 255u

struct tmpl_reading_t {
    const tmpl_page_t *page;
    uint32_t *context;            /* for each node that holds text: index in contexts */
    apr_array_header_t *contexts; /* tmpl_context_t *, to TMPL_CONTEXTS each */

    /* not needed by the layout, filled when the rows are prepared */
    tmpl_small_t small;
    apr_array_header_t *large; /* tmpl_large_t, in the order of blocks */
    apr_array_header_t *longs; /* tmpl_long_t, and one behind the last block; NULL: not read yet */
    tmpl_before_t before;
    unsigned char *boxes; /* of each block, for tmpl_box_of; filled with the layout */
    uint32_t main_after; /* the block behind the last one in main; all blocks if there is no main */
    float **scores;      /* chunks of TMPL_SCORES nodes; NULL: all 0 */
    unsigned char *again; /* for each key: it is on the page more than once */
    tmpl_said_t said;
    uint32_t title; /* words of the page's title, in halves */
    uint32_t best;  /* the node with the best score; 0: no node has a score */
};

static inline tmpl_context_t *tmpl_context_at(const tmpl_reading_t *reading, uint32_t i)
{
    return &APR_ARRAY_IDX(reading->contexts, i / TMPL_CONTEXTS,
                          tmpl_context_t *)[i % TMPL_CONTEXTS];
}

/* The context of a node that holds text. */
static inline tmpl_context_t *tmpl_context(const tmpl_reading_t *reading, uint32_t node)
{
    return tmpl_context_at(reading, reading->context[node]);
}

/* The blocks [first, after) with text inside a node that holds text. */
static inline uint32_t tmpl_first_block(const tmpl_page_t *page, uint32_t node)
{
    return page->segments[page->nodes[node].first_segment].block;
}

static inline uint32_t tmpl_after_block(const tmpl_page_t *page, uint32_t node)
{
    return page->segments[page->nodes[node].after_segment - 1].block + 1;
}

/* Begins to read a page, as far as its layout needs it. From pool. */
tmpl_reading_t *tmpl_read_blocks(const tmpl_page_t *page, apr_pool_t *pool);

#endif
