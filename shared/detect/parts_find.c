/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/parts_find.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/numbering.h"
#include "detect/parts_page.h"

/* Blocks of more words are not looked up in the table of phrases. */
#define PHRASE_WORDS 30

/* Nor are blocks of which the trees are sure. */
#define SURE_CONTENT  0.05F
#define SURE_TEMPLATE 0.97F
#define NOTICE_LEAST  0.3F
#define RELATED_LEAST 0.3F
#define POINTER_LEAST 0.1F

#define KEPT_PARTS (TMPL_PART_BIT(TMPL_PART_CAPTION) | TMPL_PART_BIT(TMPL_PART_BYLINE))

#define WORDS_MAX 0xFFFF

/* A part that needs a picture near, and how many blocks may be between. */
#define CREDIT      TMPL_PART_COUNT
#define CREDIT_NEAR 3

/*
 * The rules for single blocks, in the order of their weight: a block of at most so many words and
 * at least that templateness, of which all segments have one of the hints, or which has one of the
 * phrases, is of that part.
 */
static const struct {
    unsigned all, phrases; /* one of these */
    unsigned not_in;       /* and not in these elements */
    uint32_t words;
    float least;
    unsigned char part;
} rules[] = {
#define HINT(id)   TMPL_HINT_##id
#define PHRASE(id) TMPL_PHRASE_##id
#define TEXT       (TMPL_IN_VERBATIM | TMPL_IN_QUOTE | TMPL_IN_TABLE)
    { HINT(HIDDEN), 0, 0, WORDS_MAX, 0.1F, TMPL_PART_HIDDEN },
    { HINT(TWIN), 0, 0, WORDS_MAX, 0.5F, TMPL_PART_HIDDEN },
    { HINT(DIALOG), 0, 0, WORDS_MAX, 0.3F, TMPL_PART_NOTICE },
    { HINT(COOKIE), 0, 0, WORDS_MAX, 0.15F, TMPL_PART_NOTICE },
    { HINT(BUTTON), 0, TMPL_IN_HEADING, 12, 0.05F, TMPL_PART_CONTROL },
    { 0, PHRASE(CONTROL), TMPL_IN_VERBATIM, 12, 0.3F, TMPL_PART_CONTROL },
    { HINT(SHARE), 0, TMPL_IN_HEADING, 12, 0.3F, TMPL_PART_CONTROL },
    { HINT(OFFER), 0, 0, WORDS_MAX, 0.3F, TMPL_PART_NOTICE },
    { HINT(POPUP), 0, 0, WORDS_MAX, 0.6F, TMPL_PART_NOTICE },
    { 0, PHRASE(NOTICE), 0, 60, NOTICE_LEAST, TMPL_PART_NOTICE },
    { HINT(QA), 0, 0, WORDS_MAX, 0.1F, TMPL_PART_QA },
    { HINT(BIO), 0, 0, WORDS_MAX, 0.3F, TMPL_PART_BYLINE },
    { HINT(RELATED), 0, 0, WORDS_MAX, 0.3F, TMPL_PART_RELATED },
    { HINT(TAGS), PHRASE(TAGS), 0, 20, 0.3F, TMPL_PART_RELATED },
    { 0, PHRASE(RELATED), 0, 10, RELATED_LEAST, TMPL_PART_RELATED },
    { 0, PHRASE(POINTER), TEXT, 40, POINTER_LEAST, TMPL_PART_RELATED },
    { HINT(CAPTION), 0, TMPL_IN_VERBATIM, WORDS_MAX, 0, TMPL_PART_CAPTION },
    { 0, PHRASE(CREDIT), TEXT | TMPL_IN_HEADING, 25, 0.1F, CREDIT },
    { HINT(FIGURE), 0, TEXT | TMPL_IN_HEADING, 60, 0, TMPL_PART_CAPTION },
};
#define RULES (sizeof(rules) / sizeof(rules[0]))

static int is_near_picture(const tmpl_parts_page_t *p, uint32_t b)
{
    uint32_t first = b > CREDIT_NEAR ? b - CREDIT_NEAR : 0;
    uint32_t after = b + 2 < p->page->n_blocks ? b + 2 : p->page->n_blocks;
    for (uint32_t i = first; i < after; i++) {
        if (tmpl_tally_of(p->judged->reading, i).images > 0) {
            return 1;
        }
    }
    return 0;
}

static unsigned hints_of_rules(void)
{
    unsigned hints = 0;
    for (unsigned i = 0; i < RULES; i++) {
        hints |= rules[i].all;
    }
    return hints;
}

/* The part of a block by the rules; TEMPLATE if there is none. */
static unsigned char part_of(const tmpl_parts_page_t *p, uint32_t b)
{
    uint32_t words = tmpl_part_words(p, b, b + 1);
    float ratio = p->verdicts[b].ratio;
    unsigned in = tmpl_part_context(p, b)->in;
    int may = words > 0 && ((p->all[b] & hints_of_rules()) != 0 || p->phrases[b] != 0);
    for (unsigned i = 0; may && i < RULES; i++) {
        if (((rules[i].all & p->all[b]) || (rules[i].phrases & p->phrases[b])) &&
            !(rules[i].not_in & in) && words <= rules[i].words && ratio >= rules[i].least) {
            if (rules[i].part != CREDIT) {
                return rules[i].part;
            }
            if (is_near_picture(p, b)) {
                return TMPL_PART_CAPTION;
            }
        }
    }
    return TMPL_PART_TEMPLATE;
}

/* A short line of who or when. */
static int is_byline(const tmpl_parts_page_t *p, uint32_t b)
{
    const unsigned names = TMPL_HINT_AUTHOR | TMPL_HINT_DATE | TMPL_HINT_META | TMPL_HINT_USER;
    uint32_t words = tmpl_part_words(p, b, b + 1);
    if (words == 0 || words > 20 || p->verdicts[b].part != TMPL_PART_TEMPLATE ||
        (words > 8 && tmpl_tally_of(p->judged->reading, b).ends)) {
        return 0;
    }
    return (p->some[b] & names) != 0 || (words <= 12 && (p->phrases[b] & TMPL_PHRASE_WHEN));
}

/* A term, or a description, of a few words, beside another. */
static int is_term(const tmpl_parts_page_t *p, uint32_t b)
{
    const tmpl_page_t *page = p->page;
    int is_dt = page->nodes[page->blocks[b].node].tag == TMPL_TAG_DT;
    uint32_t other = is_dt ? b + 1 : b - 1;
    return (tmpl_part_context(p, b)->in & TMPL_IN_TERM) && other < page->n_blocks &&
           (tmpl_part_context(p, other)->in & TMPL_IN_TERM) && tmpl_part_words(p, b, b + 1) <= 12 &&
           tmpl_part_words(p, other, other + 1) <= 12;
}

static int is_facts(const tmpl_parts_page_t *p, uint32_t b)
{
    uint32_t words = tmpl_part_words(p, b, b + 1);
    return words > 0 && words <= 40 && !(p->some[b] & TMPL_HINT_CODE) &&
           ((p->all[b] & (TMPL_HINT_FACTS | TMPL_HINT_PRICE)) != 0 || is_term(p, b));
}

/* The part of a block of content that no region and no rule has taken. */
static unsigned char rest_of(const tmpl_parts_page_t *p, uint32_t b)
{
    if (is_byline(p, b)) {
        return TMPL_PART_BYLINE;
    }
    if (is_facts(p, b)) {
        return TMPL_PART_FACTS;
    }
    return TMPL_PART_BODY;
}

/* Text of so many words that was said before is not said again. */
#define SAID_WORDS 6
#define SAID_LEAST 0.1F

#define SAID_LONG       30
#define SAID_LEAST_LONG 0.3F
#define SAID_SHARE      5

static uint64_t hash_of(const tmpl_page_t *page, const tmpl_block_t *block)
{
    uint64_t hash = 0;
    for (uint32_t s = block->first_segment; s < block->after_segment; s++) {
        tmpl_span_t span = page->segments[s].span;
        while (span.start < span.end && tmpl_is_space(page->src[span.start])) {
            span.start++;
        }
        while (span.start < span.end && tmpl_is_space(page->src[span.end - 1])) {
            span.end--;
        }
        hash = XXH3_64bits_withSeed(page->src + span.start, tmpl_span_len(span), hash);
    }
    return hash;
}

/* Whether a block may be a copy: of long texts the trees must be less sure that they are content. */
static int may_be_copy(const tmpl_parts_page_t *p, uint32_t b)
{
    const unsigned own = TMPL_IN_TABLE | TMPL_IN_VERBATIM | TMPL_IN_TERM | TMPL_IN_QUOTE;
    float least = tmpl_part_words(p, b, b + 1) > SAID_LONG ? SAID_LEAST_LONG : SAID_LEAST;
    return p->verdicts[b].ratio > least && !(tmpl_part_context(p, b)->in & own);
}

/* A page of which more was said before is made so: an index and what it lists. */
static void find_said(tmpl_parts_page_t *p)
{
    const tmpl_page_t *page = p->page;
    uint32_t *copies = apr_palloc(p->pool, page->n_blocks * sizeof(*copies));
    uint32_t n_copies = 0;
    uint32_t words = 0;
    tmpl_numbering_t said;
    tmpl_numbering_init(&said, 64, p->pool, p->pool);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        uint32_t own = p->words[b + 1] - p->words[b];
        if (own < 2 * SAID_WORDS || p->verdicts[b].template) {
            continue;
        }
        uint32_t n = said.n;
        uint32_t number = tmpl_numbering_add(&said, hash_of(page, &page->blocks[b]));
        words += number < n ? own : 0;
        if (number < n && may_be_copy(p, b)) {
            copies[n_copies++] = b;
        }
    }
    for (uint32_t i = 0; words * SAID_SHARE <= (uint64_t)p->kept[page->n_blocks] && i < n_copies;
         i++) {
        p->verdicts[copies[i]].part = TMPL_PART_HIDDEN;
    }
}

static void prepare(tmpl_parts_page_t *p)
{
    const tmpl_page_t *page = p->page;
    uint32_t n = page->n_blocks;
    p->kept = apr_palloc(p->pool, (n + 1) * sizeof(*p->kept));
    p->kept[0] = 0;
    for (uint32_t b = 0; b < n; b++) {
        p->kept[b + 1] = p->kept[b] + (p->verdicts[b].template ? 0 : p->words[b + 1] - p->words[b]);
    }
    tmpl_parts_hints(p);
    p->phrases = apr_pcalloc(p->pool, n * sizeof(*p->phrases));
    for (uint32_t b = 0; b < n; b++) {
        uint32_t words = tmpl_part_words(p, b, b + 1);
        float ratio = p->verdicts[b].ratio;
        int is_sure = ratio < SURE_CONTENT || (ratio > SURE_TEMPLATE && p->verdicts[b].template);
        if (words > 0 && words <= PHRASE_WORDS && !is_sure &&
            !(p->verdicts[b].template && tmpl_part_is_chrome(p, b))) {
            p->phrases[b] = (unsigned short)tmpl_phrases_of(page, &page->blocks[b]);
        }
    }
}

/* A lead has so many words, and so many blocks may be between it and the headline. */
#define LEAD_WORDS  80
#define LEAD_BLOCKS 4

/* The last block of the headline; TMPL_NONE if there is none. */
static uint32_t find_headline(const tmpl_parts_page_t *p)
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
    uint32_t headline = find_headline(p);
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

void tmpl_parts_find(const tmpl_judged_t *judged, apr_pool_t *pool)
{
    tmpl_parts_page_t p = { .judged = judged,
                            .page = judged->reading->page,
                            .verdicts = judged->verdicts,
                            .words = judged->reading->before.words,
                            .pool = pool };
    prepare(&p);
    find_said(&p);
    tmpl_parts_regions(&p);
    find_lead(&p);
    for (uint32_t b = 0; b < p.page->n_blocks; b++) {
        tmpl_verdict_t *verdict = &p.verdicts[b];
        if (verdict->part == TMPL_PART_TEMPLATE &&
            !(verdict->template && tmpl_part_is_chrome(&p, b))) {
            verdict->part = part_of(&p, b);
            /* the trees decide on captions and authors */
            if (verdict->template && (KEPT_PARTS & TMPL_PART_BIT(verdict->part))) {
                verdict->part = TMPL_PART_TEMPLATE;
            }
        }
        if (verdict->part == TMPL_PART_TEMPLATE && !verdict->template) {
            verdict->part = rest_of(&p, b);
        }
        verdict->template = verdict->part == TMPL_PART_TEMPLATE;
    }
}
