/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts that a reader would miss first. The trees judge each block by its looks, and these parts
 * look like template: they are short, and are links, names and numbers. Most labels that the trees
 * learnt from call these parts template, too. So rules make them content after the trees.
 */
#ifndef TMPL_HEADLINE_H
#define TMPL_HEADLINE_H

#include "detect/explain.h"
#include "feature/reading.h"
#include "table/counts.h"

/* A page that the trees have judged. The rules below change its verdicts. */
typedef struct {
    tmpl_verdict_t *verdicts;
    const tmpl_reading_t *reading; /* with its text and scores */
    const tmpl_counts_t *counts;   /* records may be NULL, as without a store */
    uint32_t min_df;
    tmpl_explain_t *explain;     /* may be NULL */
    const unsigned char *inside; /* of first_look.h, for each block; NULL: none is inside */
} tmpl_ruled_t;

/*
 * The headline, and what stands beside it.
 *   1. A heading is a candidate if TMPL_HEADLINE_TITLED of its words are in the page's title and,
 *      unless it is an h1, it has TMPL_HEADLINE_SHARE of the title's words; or if it is the page's
 *      only h1. Its score is the share of the title's words that it has. The best candidate becomes
 *      content. If each h1 outside of quotes gets half a point more, another candidate may be best:
 *      that one becomes content, too, because one of the two may be the site's name. Among equal
 *      candidates, the best one is the nearest to content behind it.
 *   2. A byline is a block of TMPL_BYLINE_WORDS words at most between the headline and the content
 *      behind it, TMPL_BYLINE_BLOCKS blocks at most, or just before the headline. A byline names
 *      the author, the date or the price: by a tag time, by rel or itemprop, by a class or id such
 *      as "byline" or "price", or by a year. The byline becomes content, and so do blocks of a few
 *      words beside it, such as the name beside a date.
 *   3. Of TMPL_BYLINE_BLOCKS blocks behind the headline these become content: text in the same
 *      header or hgroup, a byline's length with an amount of money there, and the next text if it
 *      ends like a sentence. Text has TMPL_LEAD_WORDS words, most of them in no link. None is above
 *      TMPL_SURE_TEMPLATE, in nav, footer, form or aside, or a phrase (part_words.h).
 * Without a candidate, the first block with the title's words becomes
 * content if a class or id names it as a title, and it is no link: Doxygen's headlines are no
 * headings.
 * Blocks of the site (tmpl_is_of_site()) are not changed.
 */
void tmpl_headline(const tmpl_ruled_t *judged);

/*
 * The blocks of the best candidate of rule 1, with half a point more for an h1. If there is none,
 * the first block with TMPL_HEADLINE_SHARE of the title's words that has as few others as a
 * candidate: old pages have no headings. Empty: none.
 */
tmpl_span_t tmpl_headline_find(const tmpl_ruled_t *judged);

/* How a block says that it is a byline. */
typedef enum {
    TMPL_BYLINE_NONE,
    TMPL_BYLINE_NAMED, /* by a class or id */
    TMPL_BYLINE_SAID   /* by a tag, rel or itemprop, or a year */
} tmpl_byline_e;

/* Whether a block is a byline, wherever it stands: rule 2. Never a block of the site. */
tmpl_byline_e tmpl_byline_of(const tmpl_ruled_t *judged, uint32_t block);

#define TMPL_HEADLINE_TITLED 0.7F
#define TMPL_HEADLINE_SHARE  0.4F
#define TMPL_BYLINE_WORDS    20
#define TMPL_BYLINE_BLOCKS   12
#define TMPL_LEAD_WORDS      6

static inline int tmpl_is_inside(const tmpl_ruled_t *judged, uint32_t block)
{
    return judged->inside != NULL && judged->inside[block];
}

/*
 * Whether a block is of the site, and not this page's own: each of its segments has DF >= 2, and DF
 * >= min_df or a DF above half of the site's pages. Blocks inside are not of the site.
 */
static inline int tmpl_is_of_site(const tmpl_ruled_t *judged, uint32_t block)
{
    const tmpl_page_t *page = judged->reading->page;
    const tmpl_record_t *records = judged->counts->records;
    const tmpl_block_t *b = &page->blocks[block];
    if (tmpl_is_inside(judged, block)) {
        return 0;
    }
    for (uint32_t s = b->first_segment; s < b->after_segment; s++) {
        uint32_t df = records != NULL ? records[page->segments[s].key].df : 0;
        if (df < 2 || (df < judged->min_df && 2 * (uint64_t)df <= judged->counts->pages)) {
            return 0;
        }
    }
    return 1;
}

#endif
