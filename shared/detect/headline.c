/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/ascii.h"
#include "detect/part_words.h"
#include "detect/headline.h"

/* A block of content of so many bytes is the beginning of the text. */
#define TEXT_LENGTH 80

/* Blocks before the headline that may be its byline, and the words of a block beside a byline. */
#define BYLINE_BEFORE 4
#define BESIDE_WORDS  4

/* A text of more words that ends like a sentence is one. */
#define SENTENCE_WORDS 8

/* What being an h1 adds to a score. */
#define H1_BONUS 0.5F

typedef struct {
    uint32_t first, after; /* blocks */
    float score;
    uint32_t far; /* blocks between it and content */
} candidate_t;

/* Headings of a page that are looked at: the headline is among the first. */
#define HEADINGS_MOST 256

typedef struct {
    uint32_t nodes[HEADINGS_MOST];
    uint32_t n;
    uint32_t n_h1;
} candidates_t;

static void find_headings(candidates_t *headings, const tmpl_page_t *page)
{
    headings->n = 0;
    headings->n_h1 = 0;
    for (uint32_t i = 0; i < page->n_nodes && headings->n < HEADINGS_MOST; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        if ((tmpl_tag_flags((tmpl_tag_e)node->tag) & TMPL_IS_HEADING) &&
            node->first_segment < node->after_segment) {
            headings->nodes[headings->n++] = i;
            headings->n_h1 += node->tag == TMPL_TAG_H1 ? 1 : 0;
        }
    }
}

/* Blocks behind a heading in which its text is looked for. */
#define TEXT_FAR 100

/* The first block of text that is content, from a block on; at most TEXT_FAR blocks away. */
static uint32_t find_text(const tmpl_ruled_t *judged, uint32_t from)
{
    const tmpl_page_t *page = judged->reading->page;
    uint32_t most = page->n_blocks - from < TEXT_FAR ? page->n_blocks : from + TEXT_FAR;
    uint32_t b = from;
    while (b < most && (judged->verdicts[b].template || page->blocks[b].length < TEXT_LENGTH)) {
        b++;
    }
    return b;
}

/* Fills candidate for a heading, with bonus for an h1; returns 0 if the heading is no candidate. */
static int read_candidate(candidate_t *candidate, const tmpl_ruled_t *judged, uint32_t node,
                          int only_h1, float bonus)
{
    const tmpl_page_t *page = judged->reading->page;
    uint32_t title = judged->reading->title;
    int is_h1 = page->nodes[node].tag == TMPL_TAG_H1;
    uint32_t words = 0;
    uint32_t titled = 0;
    candidate->first = tmpl_first_block(page, node);
    candidate->after = tmpl_after_block(page, node);
    for (uint32_t b = candidate->first; b < candidate->after; b++) {
        tmpl_tally_t tally = tmpl_tally_of(judged->reading, b);
        if (tmpl_is_of_site(judged, b)) {
            return 0;
        }
        words += tally.words;
        titled += tally.titled;
    }
    float share = title > 0 ? (float)titled / (float)title : 0;
    int is_quoted = (tmpl_context(judged->reading, node)->in & TMPL_IN_QUOTE) != 0;
    candidate->score = (share < 1 ? share : 1) + (is_h1 && !is_quoted ? bonus : 0);
    return words > 0 &&
           ((is_h1 && only_h1) || ((is_h1 || share >= TMPL_HEADLINE_SHARE) &&
                                   (float)titled >= TMPL_HEADLINE_TITLED * (float)words));
}

/* Rule 1. Returns 0 if there is no candidate. */
static int find_headline(candidate_t *best, const tmpl_ruled_t *judged,
                         const candidates_t *headings, float bonus)
{
    best->score = -1;
    for (uint32_t i = 0; i < headings->n; i++) {
        candidate_t candidate;
        if (!read_candidate(&candidate, judged, headings->nodes[i], headings->n_h1 == 1, bonus) ||
            candidate.score < best->score) {
            continue;
        }
        candidate.far = find_text(judged, candidate.after) - candidate.after;
        if (candidate.score > best->score || candidate.far < best->far) {
            *best = candidate;
        }
    }
    return best->score >= 0;
}

/* Whether an attribute of the tag has one of the words that name an author, a date or a price. */
static int is_tag_of_byline(const tmpl_page_t *page, const tmpl_node_t *node)
{
    static const tmpl_attr_name_e names[] = { TMPL_ATTR_ITEMPROP, TMPL_ATTR_REL };
    unsigned hints = 0;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const tmpl_known_attr_t *attr = tmpl_node_attr(page, node, names[i]);
        hints |= attr != NULL ? tmpl_says_of_attr(page->src, attr).hints : 0;
    }
    return (hints & (TMPL_HINT_AUTHOR | TMPL_HINT_DATE | TMPL_HINT_PRICE)) != 0;
}

/* How many elements upwards a byline is looked for in tags, and in classes and ids. */
#define TAGS_UP  4
#define NAMES_UP 3

static tmpl_byline_e byline_of(const tmpl_ruled_t *judged, uint32_t node)
{
    const tmpl_page_t *page = judged->reading->page;
    unsigned about = tmpl_context(judged->reading, node)->near.steps[TMPL_NAME_ABOUT];
    int is_named = about > 0 && about <= NAMES_UP;
    for (int up = 0; up < TAGS_UP && node != 0; up++) {
        if (page->nodes[node].tag == TMPL_TAG_TIME || is_tag_of_byline(page, &page->nodes[node])) {
            return TMPL_BYLINE_SAID;
        }
        is_named |=
            up < NAMES_UP && (tmpl_context(judged->reading, node)->hints & TMPL_HINT_PRICE) != 0;
        node = page->nodes[node].parent;
    }
    return is_named ? TMPL_BYLINE_NAMED : TMPL_BYLINE_NONE;
}

/* Whether four digits alone, from 1990 to 2039, are at c. before is the byte before them. */
static int is_year(const char *c, uint32_t n, char before)
{
    return n >= 4 && !tmpl_is_digit(before) && tmpl_is_digit(c[2]) && tmpl_is_digit(c[3]) &&
           ((c[0] == '1' && c[1] == '9' && c[2] == '9') ||
            (c[0] == '2' && c[1] == '0' && c[2] <= '3')) &&
           (n == 4 || !tmpl_is_digit(c[4]));
}

static int has_year(const tmpl_page_t *page, const tmpl_block_t *block)
{
    for (uint32_t s = block->first_segment; s < block->after_segment; s++) {
        tmpl_span_t span = page->segments[s].span;
        for (uint32_t at = span.start; at < span.end; at++) {
            const char *c = page->src + at;
            if (is_year(c, span.end - at, at > span.start ? c[-1] : ' ')) {
                return 1;
            }
        }
    }
    return 0;
}

/*
 * Whether a block may be a part of a byline: not in a menu or a list of links, no heading, no
 * button, no sentence.
 */
static int may_be(const tmpl_ruled_t *judged, uint32_t block, uint32_t most)
{
    const tmpl_page_t *page = judged->reading->page;
    const tmpl_block_t *b = &page->blocks[block];
    tmpl_tally_t tally = tmpl_tally_of(judged->reading, block);
    unsigned in = tmpl_context(judged->reading, page->segments[b->first_segment].node)->in;
    int is_listed =
        (in & TMPL_IN_LIST) && 2 * tally.linked > tally.words && tally.words > 2 * BESIDE_WORDS;
    int is_away =
        is_listed || (in & (TMPL_IN_NAV | TMPL_IN_FOOTER | TMPL_IN_HEADING | TMPL_IN_FORM)) != 0;
    return tally.words > 0 && tally.words <= 2 * most && !is_away &&
           !(tally.ends && tally.words > 2 * SENTENCE_WORDS) && !tmpl_is_of_site(judged, block) &&
           !(tmpl_phrases_of(page, b) & TMPL_PHRASE_CONTROL);
}

/* A block of more segments is no byline: the search looks at the tags around each segment. */
#define BYLINE_SEGMENTS 32

tmpl_byline_e tmpl_byline_of(const tmpl_ruled_t *judged, uint32_t block)
{
    const tmpl_page_t *page = judged->reading->page;
    const tmpl_block_t *b = &page->blocks[block];
    tmpl_byline_e is = TMPL_BYLINE_NONE;
    if (!may_be(judged, block, TMPL_BYLINE_WORDS) ||
        b->after_segment - b->first_segment > BYLINE_SEGMENTS) {
        return TMPL_BYLINE_NONE;
    }
    for (uint32_t s = b->first_segment; s < b->after_segment && is < TMPL_BYLINE_SAID; s++) {
        tmpl_byline_e by = byline_of(judged, page->segments[s].node);
        is = by > is ? by : is;
    }
    return is < TMPL_BYLINE_SAID && has_year(page, b) ? TMPL_BYLINE_SAID : is;
}

static void set_byline(tmpl_verdict_t *verdict)
{
    verdict->template = 0;
    verdict->part = verdict->part == TMPL_PART_HEADLINE ? TMPL_PART_HEADLINE : TMPL_PART_BYLINE;
}

/* Rule 2 for the blocks [first, after). */
static void keep_byline(const tmpl_ruled_t *judged, uint32_t first, uint32_t after)
{
    int before = 0; /* the block before is a byline */
    for (uint32_t b = first; b < after; b++) {
        int is = tmpl_byline_of(judged, b) != TMPL_BYLINE_NONE;
        if (is && b > first && may_be(judged, b - 1, BESIDE_WORDS)) {
            set_byline(&judged->verdicts[b - 1]);
        }
        if (is || (before && may_be(judged, b, BESIDE_WORDS))) {
            set_byline(&judged->verdicts[b]);
        }
        before = is;
    }
}

/* Whether a block is a lead, or says how much; beside: in the headline's header, or next to it. */
static int is_lead(const tmpl_ruled_t *judged, uint32_t block, int in_header, int next)
{
    static const char *const signs[] = { "$", "\xE2\x82\xAC", "\xC2\xA3" }; /* also euro, pound */
    const tmpl_page_t *page = judged->reading->page;
    const tmpl_block_t *b = &page->blocks[block];
    tmpl_tally_t tally = tmpl_tally_of(judged->reading, block);
    unsigned in = tmpl_context(judged->reading, page->segments[b->first_segment].node)->in;
    uint32_t start = page->segments[b->first_segment].span.start;
    uint32_t len = page->segments[b->after_segment - 1].span.end - start;
    int is = tally.words >= 2 * TMPL_LEAD_WORDS && 2 * tally.linked < tally.words &&
             (in_header || (next && tally.ends));
    for (unsigned i = 0; in_header && tally.digits > 0 && i < sizeof(signs) / sizeof(*signs); i++) {
        is |= tally.words <= 2 * TMPL_BYLINE_WORDS &&
              memmem(page->src + start, len, signs[i], strlen(signs[i])) != NULL;
    }
    return is && !(in & (TMPL_IN_NAV | TMPL_IN_FOOTER | TMPL_IN_FORM | TMPL_IN_ASIDE)) &&
           judged->verdicts[block].ratio <= TMPL_SURE_TEMPLATE && !tmpl_is_of_site(judged, block) &&
           tmpl_phrases_of(page, b) == 0;
}

/* Rule 3 for the blocks behind a headline, which has the block before them. */
static void keep_lead(const tmpl_ruled_t *judged, uint32_t first)
{
    const tmpl_page_t *page = judged->reading->page;
    const uint32_t *words = judged->reading->before.words;
    uint32_t header = page->blocks[first - 1].node;
    while (header > 0 && page->nodes[header].tag != TMPL_TAG_HEADER &&
           page->nodes[header].tag != TMPL_TAG_HGROUP) {
        header = page->nodes[header].parent;
    }
    for (uint32_t b = first; b < page->n_blocks && b < first + TMPL_BYLINE_BLOCKS; b++) {
        int in_header = header > 0 && page->blocks[b].node < page->nodes[header].after;
        if (is_lead(judged, b, in_header, words[b] == words[first])) {
            judged->verdicts[b].template = 0;
        }
    }
}

/* Whether a block is named as a title, and is neither a link nor in a menu. */
static int is_named_title(const tmpl_ruled_t *judged, uint32_t block)
{
    enum { UP = 2 };
    const tmpl_page_t *page = judged->reading->page;
    const tmpl_context_t *context =
        tmpl_context(judged->reading, page->segments[page->blocks[block].first_segment].node);
    unsigned up = context->near.steps[TMPL_NAME_TITLE];
    return up > 0 && up <= UP && !(context->in & (TMPL_IN_NAV | TMPL_IN_FOOTER)) &&
           tmpl_tally_of(judged->reading, block).linked == 0;
}

/*
 * The first block that has the words of the page's title: old pages have no headings. named: only
 * one that is_named_title().
 */
static tmpl_span_t find_title(const tmpl_ruled_t *judged, int named)
{
    float title = (float)judged->reading->title;
    uint32_t n = judged->reading->page->n_blocks;
    uint32_t b = 0;
    for (; b < n; b++) {
        tmpl_tally_t tally = tmpl_tally_of(judged->reading, b);
        if (title > 0 && (float)tally.titled >= TMPL_HEADLINE_SHARE * title &&
            (float)tally.titled >= TMPL_HEADLINE_TITLED * (float)tally.words &&
            !tmpl_is_of_site(judged, b) && (!named || is_named_title(judged, b))) {
            break;
        }
    }
    return b < n ? (tmpl_span_t){ b, b + 1 } : (tmpl_span_t){ 0, 0 };
}

tmpl_span_t tmpl_headline_find(const tmpl_ruled_t *judged)
{
    candidates_t headings;
    candidate_t headline = { 0 };
    find_headings(&headings, judged->reading->page);
    int is = find_headline(&headline, judged, &headings, H1_BONUS);
    return is ? (tmpl_span_t){ headline.first, headline.after } : find_title(judged, 0);
}

static void keep_headline(const tmpl_ruled_t *judged, uint32_t first, uint32_t after)
{
    for (uint32_t b = first; b < after; b++) {
        judged->verdicts[b].template = 0;
        judged->verdicts[b].part = TMPL_PART_HEADLINE;
    }
    tmpl_explain_note(judged->explain, judged->reading->page, judged->verdicts, TMPL_RULE_HEADLINE);
}

void tmpl_headline(const tmpl_ruled_t *judged)
{
    static const float bonus_of_h1[] = { H1_BONUS, 0 };
    candidates_t headings;
    find_headings(&headings, judged->reading->page);
    for (unsigned i = 0; i < sizeof(bonus_of_h1) / sizeof(bonus_of_h1[0]); i++) {
        candidate_t headline = { 0 };
        if (!find_headline(&headline, judged, &headings, bonus_of_h1[i])) {
            tmpl_span_t title = find_title(judged, 1);
            keep_headline(judged, title.start, title.end);
            return;
        }
        keep_headline(judged, headline.first, headline.after);
        uint32_t most = headline.far < TMPL_BYLINE_BLOCKS ? headline.far : TMPL_BYLINE_BLOCKS;
        keep_byline(judged, headline.first > BYLINE_BEFORE ? headline.first - BYLINE_BEFORE : 0,
                    headline.after + most);
        keep_lead(judged, headline.after);
        tmpl_explain_note(judged->explain, judged->reading->page, judged->verdicts,
                          TMPL_RULE_BYLINE);
    }
}
