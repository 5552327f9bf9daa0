/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/parts_find.h"

#include "detect/parts_page.h"

/* ---- hints of nodes and blocks ---- */

#define ANY 0xFFFFFF

/* More blocks of tags are those of the items of a list. */
#define TAGGED_MOST 20

/*
 * The most words of an element of which a hint says something: larger ones only have a name that
 * is made of another thing. And the largest share of the page's content, in per cent. A hint
 * without a row holds nowhere.
 */
static const struct {
    uint32_t words;
    unsigned share;
} most[TMPL_HINT_COUNT] = {
#define MOST(id, words, share) [TMPL_HINT_NUMBER_##id] = { words, share }
    MOST(HIDDEN, 200, 30),  MOST(DIALOG, ANY, 80),  MOST(COOKIE, ANY, 80),  MOST(OFFER, 200, 30),
    MOST(BUTTON, 8, 30),    MOST(SHARE, 60, 30),    MOST(COMMENT, ANY, 95), MOST(REVIEW, ANY, 80),
    MOST(QA, ANY, 80),      MOST(RELATED, ANY, 40), MOST(TAGS, 60, 30),     MOST(CAPTION, 120, 40),
    MOST(FIGURE, 60, 40),   MOST(AUTHOR, 25, 50),   MOST(DATE, 25, 50),     MOST(META, 50, 50),
    MOST(BIO, 150, 40),     MOST(PRICE, 20, 100),   MOST(FACTS, ANY, 60),   MOST(LEAD, 100, 50),
    MOST(CODE, ANY, 100),   MOST(POST, ANY, 100),   MOST(ARIA, 200, 30),    MOST(POPUP, 200, 25),
    MOST(THREAD, ANY, 101), MOST(USER, 30, 50),     MOST(TOGGLE, 40, 30),   MOST(MODAL, ANY, 80),
    MOST(STATS, 30, 50),    MOST(RECIPE, 600, 60),
};

static unsigned admit(const tmpl_parts_page_t *p, uint32_t i, unsigned own)
{
    const tmpl_page_t *page = p->page;
    uint32_t first = tmpl_first_block(page, i);
    uint32_t after = tmpl_after_block(page, i);
    uint32_t words = tmpl_part_words(p, first, after);
    uint64_t kept = p->kept[after] - p->kept[first];
    unsigned hints = 0;
    /* outside of a form a label is the text of an item that can be ticked, such as an ingredient */
    own &= page->nodes[i].tag == TMPL_TAG_LABEL &&
                   !(tmpl_context(p->judged->reading, i)->in & TMPL_IN_FORM)
               ? ~(unsigned)TMPL_HINT_BUTTON
               : ~0U;
    /* what hides an element of several blocks with content closes a panel */
    own &= after > first + 1 && 2 * kept > p->words[after] - p->words[first]
               ? ~(unsigned)(TMPL_HINT_HIDDEN | TMPL_HINT_ARIA)
               : ~0U;
    for (unsigned left = own; left != 0; left &= left - 1) {
        unsigned hint = (unsigned)__builtin_ctz(left);
        if (words <= most[hint].words &&
            kept * 100 <= (uint64_t)p->kept[page->n_blocks] * most[hint].share) {
            hints |= 1U << hint;
        }
    }
    return hints;
}

/*
 * Drops hints that are on most of the page: they name what the page is about, such as the articles
 * of a list.
 */
static void drop_frequent(tmpl_parts_page_t *p)
{
    const unsigned may_go = TMPL_HINT_REVIEW | TMPL_HINT_RELATED | TMPL_HINT_OFFER |
                            TMPL_HINT_POPUP | TMPL_HINT_BUTTON | TMPL_HINT_SHARE | TMPL_HINT_ARIA |
                            TMPL_HINT_HIDDEN;
    uint32_t n = p->page->n_blocks;
    uint32_t kept[TMPL_HINT_COUNT] = { 0 };
    uint32_t all = 0; /* words of content outside of notices */
    uint32_t tagged = 0;
    unsigned gone = 0;
    for (uint32_t b = 0; b < n; b++) {
        int is_notice = (p->all[b] & (TMPL_HINT_DIALOG | TMPL_HINT_COOKIE)) != 0;
        tagged += (p->all[b] & TMPL_HINT_TAGS) != 0;
        all += is_notice ? 0 : p->kept[b + 1] - p->kept[b];
        for (unsigned left = is_notice ? 0 : p->all[b] & may_go; left != 0; left &= left - 1) {
            kept[__builtin_ctz(left)] += p->kept[b + 1] - p->kept[b];
        }
    }
    for (unsigned i = 0; i < TMPL_HINT_COUNT; i++) {
        gone |= kept[i] * (uint64_t)2 > all ? 1U << i : 0;
    }
    gone |= tagged > TAGGED_MOST ? TMPL_HINT_TAGS : 0;
    for (uint32_t b = 0; gone != 0 && b < n; b++) {
        p->all[b] &= ~gone;
    }
}

/* Fills hints of nodes and blocks. */
static void find_hints(tmpl_parts_page_t *p)
{
    const tmpl_page_t *page = p->page;
    p->node_hints = apr_palloc(p->pool, page->n_nodes * sizeof(*p->node_hints));
    p->node_hints[0] = 0;
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        unsigned own = 0;
        if (node->first_segment < node->after_segment) {
            own = tmpl_context(p->judged->reading, i)->hints;
            own = own != 0 ? admit(p, i, own) : 0;
        }
        p->node_hints[i] = own | p->node_hints[node->parent];
    }
    p->all = apr_palloc(p->pool, page->n_blocks * sizeof(*p->all));
    p->some = apr_palloc(p->pool, page->n_blocks * sizeof(*p->some));
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        const tmpl_block_t *block = &page->blocks[b];
        p->all[b] = ~0U;
        p->some[b] = 0;
        for (uint32_t s = block->first_segment; s < block->after_segment; s++) {
            p->all[b] &= p->node_hints[page->segments[s].node];
            p->some[b] |= p->node_hints[page->segments[s].node];
        }
    }
    drop_frequent(p);
}

/* ---- parts ---- */

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
    find_hints(p);
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

/* "$" in an element of its own, and other signs: they are what the next block of their box is. */
static void join_signs(const tmpl_parts_page_t *p)
{
    const uint32_t *boxes = p->judged->reading->boxes;
    for (uint32_t b = p->page->n_blocks; b-- > 1;) {
        tmpl_tally_t tally = tmpl_tally_of(p->judged->reading, b - 1);
        if (tally.words == 0 && tally.chars > 0 && tally.images == 0 && boxes[b - 1] == boxes[b]) {
            p->verdicts[b - 1].template = p->verdicts[b].template;
            p->verdicts[b - 1].part = p->verdicts[b].part;
        }
    }
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
    join_signs(&p);
}
