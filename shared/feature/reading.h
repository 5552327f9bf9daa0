/* SPDX-License-Identifier: Apache-2.0 */
/* A page while its features are computed: around.c, text.c and score.c fill it, rows*.c and detect/regions.c read. */
#ifndef TMPL_READING_H
#define TMPL_READING_H

#include <apr_tables.h>

#include "feature/feature.h"

/*
 * Where a node stands: its own element and those around it. What is a feature has the bit of its distance
 * from the first one, HEADING.
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
    /* these hold only as far as the next separator inside */
    TMPL_IN_HEADING = TMPL_IN(HEADING),
    TMPL_IN_PARAGRAPH = TMPL_IN(PARAGRAPH),
    TMPL_IN_ITEM = TMPL_IN(ITEM),
    TMPL_IN_CELL = TMPL_IN(CELL),
    TMPL_IN_TERM = TMPL_IN(TERM),
    TMPL_IN_OWN = TMPL_IN_HEADING | TMPL_IN_PARAGRAPH | TMPL_IN_ITEM | TMPL_IN_CELL | TMPL_IN_TERM,
    /* these are no features */
    TMPL_IN_LINK = 1 << 24,
    TMPL_LINKS_HERE = 1 << 25,  /* itself a link, to a place on the page */
    TMPL_LINKS_WHOLE = 1 << 26, /* to an address with a host */
    TMPL_IN_FEATURES = TMPL_IN_LINK - 1
};

/*
 * What classes and ids name: X(id). From COMMENT on, each has a feature NAMED_id, in this order. GOOD
 * is what people call content, BAD what they call everything around it.
 */
#define TMPL_NAMES(X)                                                                              \
    X(GOOD)                                                                                        \
    X(BAD)                                                                                         \
    X(COMMENT)                                                                                     \
    X(MENU)                                                                                        \
    X(SIDE)                                                                                        \
    X(MORE)                                                                                        \
    X(EDGE)                                                                                        \
    X(SHARE)                                                                                       \
    X(ABOUT)                                                                                       \
    X(OFFER)

typedef enum {
#define TMPL_NAME_ID(id) TMPL_NAME_##id,
    TMPL_NAMES(TMPL_NAME_ID)
#undef TMPL_NAME_ID
        TMPL_NAME_COUNT
} tmpl_name_e;

/* The kinds of names in a class or id, as bits 1 << TMPL_NAME_*. In names.c. */
unsigned tmpl_names_in(const char *value, uint32_t len);

/* 1 + steps up to a name of each kind; 0: there is none. In words, so that four go on at once. */
typedef union {
    uint16_t steps[(TMPL_NAME_COUNT + 3) / 4 * 4];
    uint64_t words[(TMPL_NAME_COUNT + 3) / 4];
} tmpl_near_t;

/* What nodes that stand alike have in common. */
typedef struct {
    uint64_t layout; /* their layout path */
    tmpl_near_t near;
    unsigned in;    /* TMPL_IN_* */
    uint32_t first; /* the first place with that path */
    uint32_t
        paths[TMPL_PATH_LEVELS]; /* of it: 1 + index of the layout's key; 0: there is none yet */
} tmpl_place_t;

/* Places are kept in chunks, which never move. */
#define TMPL_PLACES 16

/* Scores of so many nodes are kept together, if one of them has a score. */
#define TMPL_SCORES 256

/*
 * X(name): what is counted in a block, and not summed over blocks. Words count in halves, so that all counts are whole
 * numbers: no page has 2^32 of anything, and no sum of them is rounded.
 */
#define TMPL_TALLIES(X)                                                                            \
    X(titled) /* halves of words that the page's title has */                                      \
    X(stops)  /* ends of sentences */                                                              \
    X(commas)                                                                                      \
    X(chars) /* all but white space */                                                             \
    X(digits)                                                                                      \
    X(signs)                                                                                       \
    X(capitals) /* words */                                                                        \
    X(links)                                                                                       \
    X(here)  /* of these, to a place on the page */                                                \
    X(whole) /* with a host */                                                                     \
    X(images)

typedef struct {
    uint32_t words;  /* in halves */
    uint32_t linked; /* of these, in links */
    uint32_t again;  /* bytes of segments that stand on the page more than once */
#define TMPL_TALLY(name) uint32_t name;
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
    unsigned char rights; /* there is a copyright sign */
    unsigned char ends;   /* it ends like a sentence */
    unsigned char lower;  /* it begins with a small letter */
} tmpl_tally_t;

/*
 * What is kept of it beside the sums, a byte each, for pages have very many small blocks: columns, in which blocks stand side by
 * side.
 */
typedef struct {
#define TMPL_TALLY(name) unsigned char *name;
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
    unsigned char *marks; /* TMPL_MARK_*; with LARGE all else is in large */
} tmpl_small_t;

#define TMPL_SMALL_COLUMNS (sizeof(tmpl_small_t) / sizeof(unsigned char *))

enum { TMPL_MARK_RIGHTS = 1, TMPL_MARK_ENDS = 2, TMPL_MARK_LOWER = 4, TMPL_MARK_LARGE = 8 };

/* What is counted in a block of which a byte cannot say all. */
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
 * Sums over the blocks before each, and before where one would follow the last. So many more numbers on either side say
 * what the first and the last say: blocks that are not there add nothing to a sum.
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

/* Sets what stands beyond the blocks, of which the last sum is known. */
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
    uint32_t before; /* halves of free words in those before it */
} tmpl_long_t;

/* Boxes of a block that are looked at. */
#define TMPL_BOXES 4

struct tmpl_reading_t {
    const tmpl_page_t *page;
    uint32_t *place;            /* of each node; of those without text, nothing is asked */
    apr_array_header_t *places; /* tmpl_place_t *, TMPL_PLACES of them each */

    /* what tmpl_layout_t does not need, read later */
    tmpl_small_t small;
    apr_array_header_t *large; /* tmpl_large_t, in the order of blocks */
    apr_array_header_t *longs; /* tmpl_long_t, and one behind the last block; NULL: not read yet */
    tmpl_before_t before;
    unsigned char *boxes; /* of each block, for tmpl_box_of; read with the layout */
    float **scores;       /* of nodes, by TMPL_SCORES; NULL: all 0 (score.c) */
    unsigned char *again; /* of each key: it stands on the page more than once */
    uint32_t title;       /* words of the page's title, in halves */
    uint32_t best;        /* the node that scores best; 0: none has a score */
};

static inline tmpl_place_t *tmpl_place_at(const tmpl_reading_t *reading, uint32_t i)
{
    return &APR_ARRAY_IDX(reading->places, i / TMPL_PLACES, tmpl_place_t *)[i % TMPL_PLACES];
}

/* The place of a node. */
static inline tmpl_place_t *tmpl_place(const tmpl_reading_t *reading, uint32_t node)
{
    return tmpl_place_at(reading, reading->place[node]);
}

static inline float tmpl_score(const tmpl_reading_t *reading, uint32_t node)
{
    const float *scores = reading->scores[node / TMPL_SCORES];
    return scores != NULL ? scores[node % TMPL_SCORES] : 0;
}

/* The blocks [first, after) that have text inside a node that has. */
static inline uint32_t tmpl_first_block(const tmpl_page_t *page, uint32_t node)
{
    return page->segments[page->nodes[node].first_segment].block;
}

static inline uint32_t tmpl_after_block(const tmpl_page_t *page, uint32_t node)
{
    return page->segments[page->nodes[node].after_segment - 1].block + 1;
}

/* Free words from which a block is long text, in halves: few blocks are. */
#define TMPL_LONG_TEXT 24

void tmpl_read_around(tmpl_reading_t *reading, apr_pool_t *pool);
void tmpl_read_text(tmpl_reading_t *reading, apr_pool_t *pool);
void tmpl_read_score(tmpl_reading_t *reading, apr_pool_t *pool);

/* The innermost box of a leaf, and the one around a box; the root's is the root. */
uint32_t tmpl_box_innermost(const tmpl_page_t *page, uint32_t leaf);
uint32_t tmpl_box_around(const tmpl_page_t *page, uint32_t node);

/* A box that stands farther than a byte can say is looked for each time: few do. */
#define TMPL_BOX_FAR 255u

/* The innermost box of a block, once the layout is read. */
static inline uint32_t tmpl_box_of(const tmpl_reading_t *reading, uint32_t block)
{
    uint32_t node = reading->page->blocks[block].node;
    unsigned back = reading->boxes[block];
    return back < TMPL_BOX_FAR ? node - back : tmpl_box_innermost(reading->page, node);
}

/* The boxes around a block's innermost one; those there were stay if that is the first of them. */
void tmpl_climb(uint32_t boxes[TMPL_BOXES], const tmpl_page_t *page, uint32_t innermost);

/* What was counted in a block. In text.c. */
tmpl_tally_t tmpl_tally_of(const tmpl_reading_t *reading, uint32_t b);

#endif
