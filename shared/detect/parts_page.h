/* SPDX-License-Identifier: Apache-2.0 */
/* A page while the parts of its blocks are found. Only for parts_*.c. */
#ifndef TMPL_PARTS_PAGE_H
#define TMPL_PARTS_PAGE_H

#include "detect/part_words.h"
#include "detect/headline.h"
#include "detect/records.h"
#include "feature/lexicon.h"

/* Names of who wrote a text, and when. */
#define TMPL_HINTS_WHO_OR_WHEN (TMPL_HINT_AUTHOR | TMPL_HINT_DATE | TMPL_HINT_META | TMPL_HINT_USER)

typedef struct {
    const tmpl_ruled_t *judged;
    const tmpl_page_t *page;
    tmpl_verdict_t *verdicts;
    const uint32_t *words; /* [b]: halves of words before block b */
    uint32_t *kept; /* [b]: halves of words of content before block b, less those of comments */
    unsigned *node_hints; /* of each node: its own hints that hold, and those of nodes around it */
    unsigned *all;        /* of each block: the hints that all of its segments have */
    unsigned *some;       /* of each block: the hints that one of its segments has */
    unsigned rule_hints;  /* the hints that are in rules for single blocks */
    unsigned short *phrases; /* of each block: TMPL_PHRASE_* */
    const tmpl_records_t *records;
    unsigned char *headed; /* of each block: 1: the heading of a region says what it is */
    apr_pool_t *pool;
} tmpl_parts_page_t;

static inline uint32_t tmpl_part_words(const tmpl_parts_page_t *p, uint32_t first, uint32_t after)
{
    return (p->words[after] - p->words[first]) / 2;
}

static inline const tmpl_context_t *tmpl_part_context(const tmpl_parts_page_t *p, uint32_t block)
{
    const tmpl_block_t *b = &p->page->blocks[block];
    return tmpl_context(p->judged->reading, p->page->segments[b->first_segment].node);
}

/* Whether a block is in a part of the page that is template as a whole. */
static inline int tmpl_part_is_chrome(const tmpl_parts_page_t *p, uint32_t block)
{
    unsigned in = tmpl_part_context(p, block)->in;
    return (in & (TMPL_IN_NAV | TMPL_IN_FOOTER | TMPL_IN_HEADER | TMPL_IN_ASIDE)) != 0 &&
           !(in & TMPL_IN_ARTICLE);
}

/* Sets the part of blocks in regions: comments, reviews, related pages. */
void tmpl_parts_regions(tmpl_parts_page_t *p);

/*
 * Makes the blocks of a field of records agree on their part: most of them decide, at a tie for a
 * part that stays by default. A field that names, dates or prices records that stay, stays.
 */
void tmpl_parts_records(tmpl_parts_page_t *p);

/* The hints that are in rules for single blocks: most blocks have none of them. */
unsigned tmpl_parts_rule_hints(void);

/* The part of a block by the rules for single blocks; TEMPLATE if there is none. */
unsigned char tmpl_parts_rule(const tmpl_parts_page_t *p, uint32_t block);

/* The part of a block of content that no rule knows: BYLINE, FACTS or BODY. */
unsigned char tmpl_parts_rest(const tmpl_parts_page_t *p, uint32_t block);

#endif
