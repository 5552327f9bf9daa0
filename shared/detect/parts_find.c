/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/parts_find.h"

#include "detect/parts_page.h"
#include "feature/score.h"

/* Blocks of more words are not looked up in the table of phrases. */
#define PHRASE_WORDS 30

/*
 * Nor are blocks of which the trees are sure, but for phrases that say what they are inside an
 * article, too.
 */
#define SURE_CONTENT  0.05F
#define SURE_TEMPLATE 0.97F
#define SURE_PHRASES  (TMPL_PHRASE_ADVERT | TMPL_PHRASE_STATE)
#define SURE_WORDS    6 /* of such a phrase, at most */

/* Template of these parts stays template: the trees decide. */
#define KEPT_PARTS (TMPL_PART_BIT(TMPL_PART_CAPTION) | TMPL_PART_BIT(TMPL_PART_BYLINE))

/* Bytes of a sign between links. */
#define SIGN 2

/* "Reply - Permalink" below a comment: all of its texts are controls. */
static unsigned controls_of(const tmpl_page_t *page, const tmpl_block_t *block)
{
    unsigned found = 0;
    for (uint32_t s = block->first_segment; s < block->after_segment; s++) {
        tmpl_block_t part = { .first_segment = s, .after_segment = s + 1 };
        unsigned is = tmpl_phrases_of(page, &part) & TMPL_PHRASE_CONTROL;
        if (is == 0 && page->segments[s].length > SIGN) {
            return 0;
        }
        found |= is;
    }
    return found;
}

static unsigned phrases_of(const tmpl_parts_page_t *p, uint32_t b)
{
    uint32_t words = tmpl_part_words(p, b, b + 1);
    const tmpl_verdict_t *verdict = &p->verdicts[b];
    int is_sure = verdict->ratio < SURE_CONTENT;
    if (words == 0 || words > (is_sure ? SURE_WORDS : PHRASE_WORDS) ||
        (verdict->template && (verdict->ratio > SURE_TEMPLATE || tmpl_part_is_chrome(p, b)))) {
        return 0;
    }
    unsigned phrases = tmpl_phrases_of(p->page, &p->page->blocks[b]);
    phrases |= tmpl_is_reply(p->judged->reading, b) ? controls_of(p->page, &p->page->blocks[b]) : 0;
    /* by a name of an advertisement it is one */
    phrases |=
        (phrases & TMPL_PHRASE_NOTICE) && (p->all[b] & TMPL_HINT_OFFER) ? TMPL_PHRASE_ADVERT : 0U;
    return is_sure ? phrases & SURE_PHRASES : phrases;
}

/* Comments are no part of the content that shares are of: a long one would change all of them. */
static int is_comment(const tmpl_parts_page_t *p, uint32_t b)
{
    return tmpl_part_context(p, b)->near.steps[TMPL_NAME_REVIEW] == 0 &&
           tmpl_is_reply(p->judged->reading, b);
}

static void prepare_parts(tmpl_parts_page_t *p)
{
    const tmpl_page_t *page = p->page;
    uint32_t n = page->n_blocks;
    p->kept = apr_palloc(p->pool, (n + 1) * sizeof(*p->kept));
    p->kept[0] = 0;
    int is_thread = tmpl_has_thread_address(page);
    for (uint32_t b = 0; b < n; b++) {
        int is_left = p->verdicts[b].template || (!is_thread && is_comment(p, b));
        p->kept[b + 1] = p->kept[b] + (is_left ? 0 : p->words[b + 1] - p->words[b]);
    }
    tmpl_parts_hints(p);
    p->phrases = apr_pcalloc(p->pool, n * sizeof(*p->phrases));
    p->headed = apr_pcalloc(p->pool, n * sizeof(*p->headed));
    for (uint32_t b = 0; b < n; b++) {
        p->phrases[b] = (unsigned short)phrases_of(p, b);
    }
}

/* A lead has so many words, and so many blocks may be between it and the headline. */
#define LEAD_WORDS  80
#define LEAD_BLOCKS 4

/* The last block of the headline; TMPL_NONE if there is none. */
static uint32_t end_of_headline(const tmpl_parts_page_t *p)
{
    uint32_t last = TMPL_NONE;
    for (uint32_t b = 0; b < p->page->n_blocks; b++) {
        last = p->verdicts[b].part == TMPL_PART_HEADLINE ? b : last;
    }
    return last;
}

/* The first text behind the headline, if it is called so. */
static void find_lead(const tmpl_parts_page_t *p)
{
    const tmpl_page_t *page = p->page;
    uint32_t headline = end_of_headline(p);
    uint32_t b = headline + 1;
    while (headline != TMPL_NONE && b < page->n_blocks && b <= headline + LEAD_BLOCKS &&
           (p->verdicts[b].part != TMPL_PART_TEMPLATE || p->verdicts[b].template ||
            tmpl_part_words(p, b, b + 1) < 4)) {
        b++;
    }
    if (headline == TMPL_NONE || b >= page->n_blocks || b > headline + LEAD_BLOCKS ||
        tmpl_part_words(p, b, b + 1) > LEAD_WORDS) {
        return;
    }
    if (p->some[b] & TMPL_HINT_LEAD) {
        p->verdicts[b].part = TMPL_PART_LEAD;
    }
}

/* The rule of bylines keeps prices beside the headline, too. */
static int is_price(const tmpl_parts_page_t *p, uint32_t b)
{
    return p->verdicts[b].part == TMPL_PART_BYLINE && (p->some[b] & TMPL_HINT_PRICE) &&
           !(p->some[b] & TMPL_HINTS_WHO_OR_WHEN);
}

void tmpl_parts_find(const tmpl_ruled_t *judged, const tmpl_records_t *records, apr_pool_t *pool)
{
    tmpl_parts_page_t p = { .judged = judged,
                            .page = judged->reading->page,
                            .verdicts = judged->verdicts,
                            .words = judged->reading->before.words,
                            .rule_hints = tmpl_parts_rule_hints(),
                            .records = records,
                            .pool = pool };
    prepare_parts(&p);
    tmpl_parts_regions(&p);
    find_lead(&p);
    for (uint32_t b = 0; b < p.page->n_blocks; b++) {
        tmpl_verdict_t *verdict = &p.verdicts[b];
        if (is_price(&p, b)) {
            verdict->part = TMPL_PART_FACTS;
        }
        if (verdict->part == TMPL_PART_TEMPLATE &&
            !(verdict->template && tmpl_part_is_chrome(&p, b))) {
            verdict->part = tmpl_parts_rule(&p, b);
            /* the trees decide on captions and authors */
            if (verdict->template && (KEPT_PARTS & TMPL_PART_BIT(verdict->part))) {
                verdict->part = TMPL_PART_TEMPLATE;
            }
        }
        if (verdict->part == TMPL_PART_TEMPLATE && !verdict->template) {
            verdict->part = tmpl_parts_rest(&p, b);
        }
        verdict->template = verdict->part == TMPL_PART_TEMPLATE;
    }
    tmpl_parts_records(&p);
}
