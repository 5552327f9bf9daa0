/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted in the text of blocks. */
#ifndef TMPL_TEXT_COUNTS_H
#define TMPL_TEXT_COUNTS_H

#include <apr_pools.h>

#include "feature/feature.h"

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

#endif
