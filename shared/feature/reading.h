/* SPDX-License-Identifier: Apache-2.0 */
/* A page while its features are computed: around.c, text.c and score.c fill it, feature.c reads. */
#ifndef TMPL_READING_H
#define TMPL_READING_H

#include "feature/feature.h"

/* Where a node stands: its own element and those around it. */
enum {
    TMPL_IN_MAIN = 0x0001,
    TMPL_IN_ARTICLE = 0x0002,
    TMPL_IN_NAV = 0x0004,
    TMPL_IN_ASIDE = 0x0008,
    TMPL_IN_HEADER = 0x0010,
    TMPL_IN_FOOTER = 0x0020,
    TMPL_IN_FORM = 0x0040,
    TMPL_IN_LIST = 0x0080,
    TMPL_IN_TABLE = 0x0100,
    TMPL_IN_LINK = 0x0200,
    TMPL_IN_VERBATIM = 0x0400,
    TMPL_IN_QUOTE = 0x0800,
    TMPL_IN_FIGURE = 0x20000,
    /* these hold only as far as the next separator inside */
    TMPL_IN_HEADING = 0x1000,
    TMPL_IN_PARAGRAPH = 0x2000,
    TMPL_IN_ITEM = 0x4000,
    TMPL_IN_CELL = 0x8000,
    TMPL_IN_TERM = 0x10000,
    TMPL_IN_OWN = 0x1F000
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

typedef struct {
    uint64_t layout;                /* its layout path */
    unsigned in;                    /* TMPL_IN_* */
    uint16_t near[TMPL_NAME_COUNT]; /* 1 + steps up to such a name; 0: there is none */
    uint32_t first_block;
    uint32_t after_block; /* blocks [first_block, after_block) have text inside */
    float score;          /* score.c */
} tmpl_around_t;

/* X(name): what is counted in a block, and summed over blocks. */
#define TMPL_TALLIES(X)                                                                            \
    X(words)                                                                                       \
    X(linked) /* words in links */                                                                 \
    X(stops)  /* ends of sentences */                                                              \
    X(commas)                                                                                      \
    X(chars) /* all but white space */                                                             \
    X(digits)                                                                                      \
    X(signs)                                                                                       \
    X(capitals) /* words */                                                                        \
    X(links)                                                                                       \
    X(here)   /* of these, to a place on the page */                                               \
    X(whole)  /* with a host */                                                                    \
    X(rights) /* copyright signs */                                                                \
    X(titled) /* words that the page's title has */                                                \
    X(images)                                                                                      \
    X(length)    /* bytes of segments, as page.h counts them */                                    \
    X(again)     /* of that, what stands on the page more than once */                             \
    X(long_text) /* free words of long text */                                                     \
    X(repeated)  /* length with DF >= 2 */                                                         \
    X(template)  /* with DF >= min_df */                                                           \
    X(df)        /* length times (DF - 1) / (pages - 1) */                                         \
    X(df_log)    /* length times log DF */

/* double: sums over a page are taken from differences. */
typedef struct {
#define TMPL_TALLY(name) double name;
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
} tmpl_tally_t;

/* Boxes of a block that are looked at. */
#define TMPL_BOXES 4

struct tmpl_reading_t {
    const tmpl_page_t *page;
    tmpl_around_t *around; /* of each node */
    tmpl_tally_t *blocks;
    tmpl_tally_t *before;          /* sums over the blocks before each; n_blocks + 1 */
    uint32_t *leaf;                /* of each block: the separator element it stands directly in */
    uint32_t (*boxes)[TMPL_BOXES]; /* of each block: its boxes, the innermost first */
    uint32_t *last;                /* of each block: blocks back to the last long text, itself 0 */
    uint32_t *next;                /* and on to the next; n_blocks if there is none */
    double title;                  /* words of the page's title */
    unsigned char *ends;           /* of each block: it ends like a sentence */
    unsigned char *lower;          /* it begins with a small letter */
    uint32_t best;                 /* the node that scores best; 0: none has a score */
};

/* Free words from which a block is long text. */
#define TMPL_LONG_TEXT 12

void tmpl_read_around(tmpl_reading_t *reading);
void tmpl_read_text(tmpl_reading_t *reading, apr_pool_t *pool);
void tmpl_read_score(tmpl_reading_t *reading);

/* Sums over the blocks [first, after) from sums before each block. */
tmpl_tally_t tmpl_tally_between(const tmpl_tally_t *before, uint32_t first, uint32_t after);

/* before[i + 1] = before[i] + blocks[i]; before has n + 1. */
void tmpl_tally_sum(tmpl_tally_t *before, const tmpl_tally_t *blocks, uint32_t n);

#endif
