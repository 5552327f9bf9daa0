/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page while its features are computed, whatever its site's table says. tmpl_read_blocks and
 * tmpl_layout_read fill what the layout needs; tmpl_read_text and tmpl_read_score fill the rest,
 * for rows.c and methods/regions.c.
 */
#ifndef TMPL_READING_H
#define TMPL_READING_H

#include <apr_tables.h>

#include "feature/feature.h"
#include "feature/lexicon.h"
#include "page/page.h"
#include "table/counts.h"

/* ---- the context of a node: its own element and those around it (context.c) ---- */

/*
 * A set: the node's own element and those around it. A member that is a feature has the bit of the
 * feature's distance from HEADING, the first such feature.
 */
#define TMPL_IN(id) (1 << (TMPL_BLOCK_FEATURE_##id - TMPL_BLOCK_FEATURE_HEADING))
enum {
    TMPL_IN_MAIN = TMPL_IN(IN_MAIN),
    TMPL_IN_ARTICLE = TMPL_IN(IN_ARTICLE),
    TMPL_IN_NAV = TMPL_IN(IN_NAV),
    TMPL_IN_ASIDE = TMPL_IN(IN_ASIDE),
    TMPL_IN_HEADER = TMPL_IN(IN_HEADER),
    TMPL_IN_FOOTER = TMPL_IN(IN_FOOTER),
    TMPL_IN_FORM = TMPL_IN(IN_FORM),
    TMPL_IN_LIST = TMPL_IN(IN_LIST),
    TMPL_IN_TABLE = TMPL_IN(IN_TABLE),
    TMPL_IN_VERBATIM = TMPL_IN(VERBATIM),
    TMPL_IN_QUOTE = TMPL_IN(IN_QUOTE),
    TMPL_IN_FIGURE = TMPL_IN(IN_FIGURE),
    /* these end at the next separator inside */
    TMPL_IN_HEADING = TMPL_IN(HEADING),
    TMPL_IN_PARAGRAPH = TMPL_IN(PARAGRAPH),
    TMPL_IN_ITEM = TMPL_IN(ITEM),
    TMPL_IN_CELL = TMPL_IN(CELL),
    TMPL_IN_TERM = TMPL_IN(TERM),
    TMPL_IN_OWN = TMPL_IN_HEADING | TMPL_IN_PARAGRAPH | TMPL_IN_ITEM | TMPL_IN_CELL | TMPL_IN_TERM,
    /* these are no features */
    TMPL_IN_LINK = 1 << 24,
    TMPL_LINKS_HERE = 1 << 25,  /* the node itself is a link, to a position on the page */
    TMPL_LINKS_WHOLE = 1 << 26, /* the node itself is a link, to an address with a host */
    TMPL_IN_FEATURES = TMPL_IN_LINK - 1
};

/*
 * 1 + steps up to each kind of element, by its name (lexicon.h); 0: there is none. The words of
 * the union add a step to four kinds at once.
 */
typedef union {
    uint16_t steps[(TMPL_NAME_COUNT + 3) / 4 * 4];
    uint64_t words[(TMPL_NAME_COUNT + 3) / 4];
} tmpl_near_t;

/* The context that nodes share. */
typedef struct {
    uint64_t layout; /* layout path */
    uint64_t said;   /* a hash of what else than class and id says kinds, of it and around it */
    tmpl_near_t near;
    unsigned in;    /* TMPL_IN_* */
    unsigned hints; /* TMPL_HINT_* of the node itself */
    uint32_t first; /* index of the first context with that path */
    /* only in the first context with that path: 1 + index in layout keys; 0: not set yet */
    uint32_t paths[TMPL_PATH_LEVELS];
} tmpl_context_t;

/* Contexts are kept in chunks, which never move. */
#define TMPL_CONTEXTS 16

/*
 * Finds the contexts of all nodes that hold text: fills contexts and context of reading. From pool.
 */
void tmpl_read_contexts(tmpl_reading_t *reading, apr_pool_t *pool);

/* ---- what is counted in the text of blocks (text_counts.c) ---- */

/*
 * X(name): counts of a block that are not summed over blocks. Words count in halves, so that all
 * counts are whole numbers and sums are exact; no page has 2^32 of anything.
 */
#define TMPL_TALLIES(X)                                                                            \
    X(titled) /* halves of words that are in the page's title, too */                              \
    X(stops)  /* ends of sentences */                                                              \
    X(commas)                                                                                      \
    X(chars) /* all but white space */                                                             \
    X(digits)                                                                                      \
    X(signs)                                                                                       \
    X(capitals) /* words that begin with a capital */                                              \
    X(links)                                                                                       \
    X(here)  /* links to a position on the page */                                                 \
    X(whole) /* links to an address with a host */                                                 \
    X(images)

typedef struct {
    uint32_t words;  /* in halves */
    uint32_t linked; /* words in links, in halves */
    uint32_t again;  /* bytes of segments that stand on the page more than once */
#define TMPL_TALLY(name) uint32_t name;
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
    unsigned char rights; /* there is a copyright sign */
    unsigned char ends;   /* it ends like a sentence */
    unsigned char lower;  /* it begins with a small letter */
} tmpl_tally_t;

/*
 * The counts of a block that are not sums, a byte each, in columns: pages have very many small
 * blocks.
 */
typedef struct {
#define TMPL_TALLY(name) unsigned char *name;
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
    unsigned char *marks; /* TMPL_MARK_*; with LARGE the counts are in large */
} tmpl_small_t;

#define TMPL_SMALL_COLUMNS (sizeof(tmpl_small_t) / sizeof(unsigned char *))

enum { TMPL_MARK_RIGHTS = 1, TMPL_MARK_ENDS = 2, TMPL_MARK_LOWER = 4, TMPL_MARK_LARGE = 8 };

/* The counts of a block that do not fit into bytes. */
typedef struct {
    uint32_t block;
    tmpl_tally_t tally;
} tmpl_large_t;

/* X(name): what is summed over blocks. */
#define TMPL_SUMS(X)                                                                               \
    X(words)                                                                                       \
    X(linked)                                                                                      \
    X(again)    /* bytes of segments that stand on the page more than once */                      \
    X(length)   /* bytes of segments, as page.h counts them */                                     \
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

/* A block of long text. */
typedef struct {
    uint32_t block;
    uint32_t before; /* halves of free words in the long texts before it */
} tmpl_long_t;

/* The fewest halves of free words in a long text: few blocks have them. */
#define TMPL_LONG_TEXT 24

/* Reads the text of all blocks: fills small, large, longs, before, again and title. From pool. */
void tmpl_read_text(tmpl_reading_t *reading, apr_pool_t *pool);

/* What was counted in block b. */
tmpl_tally_t tmpl_tally_of(const tmpl_reading_t *reading, uint32_t b);

/*
 * ---- what a page says more than once (said.c): segments with the same text, wherever they stand.
 * A headline that is repeated, a line for small screens, a teaser that a list repeats, the name of
 * each post's author. ----
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

/* ---- the page ---- */

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

/* The innermost box of a block, once the layout is read. */
static inline uint32_t tmpl_box_of(const tmpl_reading_t *reading, uint32_t block)
{
    uint32_t node = reading->page->blocks[block].node;
    unsigned back = reading->boxes[block];
    return back < TMPL_BOX_FAR ? node - back : tmpl_box_innermost(reading->page, node);
}

/* Begins to read a page, as far as its layout needs it. From pool. */
tmpl_reading_t *tmpl_read_blocks(const tmpl_page_t *page, apr_pool_t *pool);

#endif
