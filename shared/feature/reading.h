/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page while its features are computed, whatever its site's table says. tmpl_read_blocks and
 * tmpl_layout_read fill what the layout needs; tmpl_read_text and tmpl_read_score fill the rest,
 * for rows.c and methods/pagelevel.c.
 */
#ifndef TMPL_READING_H
#define TMPL_READING_H

#include "feature/tally.h"
#include "feature/feature.h"
#include "page/page.h"

/*
 * What a page says more than once: segments with the same text, wherever they stand. A headline
 * that is repeated, a line for small screens, a teaser that a list repeats, the name of each post's
 * author.
 */

/* The copies of a text. */
typedef struct {
    uint32_t first, last; /* blocks */
    uint32_t times;
} tmpl_copies_t;

typedef struct {
    uint32_t *text; /* of each segment: index in copies */
    uint32_t *rank; /* of each segment: copies before it */
    tmpl_copies_t *copies;
    uint32_t n;
} tmpl_said_t;

/* Finds the copies of all texts of a page. From pool. */
void tmpl_read_said(tmpl_said_t *said, const tmpl_page_t *page, apr_pool_t *pool);

/* Fills the features SAID_BEFORE to SAID_RANK of a block, at i; the columns are clear. */
void tmpl_said_fill(tmpl_columns_t *columns, uint32_t i, const tmpl_said_t *said,
                    const tmpl_page_t *page, uint32_t b);

/* The lowest templateness of the blocks with a text, and of all but one of them. */
typedef struct {
    float lowest, other;
    uint32_t block; /* has the lowest */
} tmpl_said_best_t;

/* The best verdict on each text, by the templateness of all blocks. From pool. */
tmpl_said_best_t *tmpl_said_judged(const tmpl_said_t *said, const tmpl_page_t *page,
                                   const float *templateness, apr_pool_t *pool);

/*
 * The lowest templateness of other blocks that say the same as block b: a mean over its text. 1 for
 * text that no other block says.
 */
float tmpl_said_best(const tmpl_said_t *said, const tmpl_said_best_t *best, const tmpl_page_t *page,
                     uint32_t b);

/* X(name): what is summed over blocks. */
#define TMPL_SUMS(X)                                                                               \
    X(words)                                                                                       \
    X(linked)                                                                                      \
    X(length)   /* bytes of segments, as page.h counts them */                                     \
    X(longs)    /* halves of free words in long texts */                                           \
    X(repeated) /* bytes of segments with DF >= 2 */

typedef struct {
#define TMPL_SUM(name) uint32_t name;
    TMPL_SUMS(TMPL_SUM)
#undef TMPL_SUM
} tmpl_sums_t;

/*
 * Sums over the blocks before each block, and one behind the last. TMPL_BEYOND more on either side
 * repeat the first and the last sum: blocks that do not exist add nothing.
 */
#define TMPL_BEYOND 16

typedef struct {
#define TMPL_SUM(name) uint32_t *name;
    TMPL_SUMS(TMPL_SUM)
#undef TMPL_SUM
} tmpl_before_t;

/* Sums over the blocks [first, after). */
static inline tmpl_sums_t tmpl_sums_between(const tmpl_before_t *before, uint32_t first,
                                            uint32_t after)
{
#define TMPL_SUM(name) .name = before->name[after] - before->name[first],
    return (tmpl_sums_t){ TMPL_SUMS(TMPL_SUM) };
#undef TMPL_SUM
}

/* Sets the sums beyond the blocks; the sum behind the last block is set already. */
static inline void tmpl_sums_beyond(uint32_t *before, uint32_t n_blocks)
{
    for (int i = 1; i <= TMPL_BEYOND; i++) {
        before[-i] = 0;
        before[n_blocks + (uint32_t)i] = before[n_blocks];
    }
}

/* The fewest halves of free words in a long text: few blocks have them. */
#define TMPL_LONG_TEXT 24

/* How many boxes of a block have features. */
#define TMPL_BOXES 4

struct tmpl_reading_t {
    const tmpl_page_t *page;
    tmpl_contexts_t contexts;
    uint32_t *boxes; /* of each block: its innermost box; filled with the layout */

    /* not needed by the layout, filled when the rows are prepared */
    tmpl_tally_t *tallies; /* of each block; NULL: not read yet */
    tmpl_before_t before;
    uint32_t *last_long; /* of each block: the last long text up to it; TMPL_NONE */
    uint32_t *next_long; /* and the next one from it on */
    tmpl_said_t said;
    uint32_t title;      /* words of the page's title, in halves */
    uint32_t main_after; /* the block behind the last one in main; all blocks if there is no main */
    float *scores;       /* of nodes */
    uint32_t best;       /* the node with the best score; 0: no node has a score */
};

/* The context of a node that holds text. */
static inline tmpl_context_t *tmpl_context(const tmpl_reading_t *reading, uint32_t node)
{
    return tmpl_context_of(&reading->contexts, node);
}

/* What was counted in block b. */
static inline tmpl_tally_t tmpl_tally_of(const tmpl_reading_t *reading, uint32_t b)
{
    return reading->tallies[b];
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

/*
 * The boxes of a block: elements around it that each hold more blocks than the one before.
 */

/*
 * The nearest element around node that holds more blocks than node; the root if there is none. node
 * must hold text.
 */
uint32_t tmpl_box_around(const tmpl_page_t *page, uint32_t node);

/* The innermost box of a block whose element is leaf: leaf itself if it holds other blocks, too. */
uint32_t tmpl_box_innermost(const tmpl_page_t *page, uint32_t leaf);

/* Fills boxes from the innermost one outwards, unless boxes[0] is the innermost one already. */
void tmpl_climb(uint32_t boxes[TMPL_BOXES], const tmpl_page_t *page, uint32_t innermost);

/* Begins to read a page, as far as its layout needs it. From pool. */
tmpl_reading_t *tmpl_read_blocks(const tmpl_page_t *page, apr_pool_t *pool);

/* Reads the text of all blocks: fills tallies to title. From pool. */
void tmpl_read_text(tmpl_reading_t *reading, apr_pool_t *pool);

/*
 * ---- scores: the element that most likely holds the page's content, in the way of Arc90's
 * Readability. Each block of free text gives points to the elements around it, less the farther
 * they are, and an element's score is its points times what is not links. Comments, reviews and
 * what is behind main give no points, unless the page is a thread: one comment must not decide what
 * is content. ----
 */

/* Fills scores and best of reading, whose text must have been read. From pool. */
void tmpl_read_score(tmpl_reading_t *reading, apr_pool_t *pool);

/* Whether a block is in an element that is named comments or reviews, or behind main. */
int tmpl_is_reply(const tmpl_reading_t *reading, uint32_t block);

/* Whether the page's canonical address is that of a thread. */
int tmpl_has_thread_address(const tmpl_page_t *page);

#endif
