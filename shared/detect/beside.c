/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/beside.h"

#include <math.h>
#include <string.h>

#include "detect/part_words.h"

/* Segments of an element that is looked at, and of a figure or card around it. */
#define SEGMENTS_MOST 1000

/* The fewest words that stay in a card. */
#define CARD_WORDS 15

typedef struct {
    const tmpl_ruled_t *judged;
    const tmpl_page_t *page;
    int is_thread;
    const tmpl_node_t *heading; /* the last one with text */
} beside_t;

/* What a rule says of an element. AS_BODY: whatever the names in it say. */
typedef enum { NOTHING, STAYS, STAYS_AS_BODY, GOES, GOES_AS_RELATED } says_e;

static int stays_at(const beside_t *p, uint32_t segment)
{
    return !p->judged->verdicts[p->page->segments[segment].block].template;
}

/* Sums over the blocks of an element: in halves of words, without those that go. */
typedef struct {
    uint32_t words, kept, linked;
} word_sums_t;

static int is_small(const tmpl_node_t *node)
{
    return node->after_segment - node->first_segment <= SEGMENTS_MOST;
}

static word_sums_t sums_of(const beside_t *p, const tmpl_node_t *node)
{
    word_sums_t sums = { 0, 0, 0 };
    uint32_t i = (uint32_t)(node - p->page->nodes);
    for (uint32_t b = tmpl_first_block(p->page, i); b < tmpl_after_block(p->page, i); b++) {
        tmpl_tally_t tally = tmpl_tally_of(p->judged->reading, b);
        int stays = !p->judged->verdicts[b].template;
        sums.words += tally.words;
        sums.kept += stays ? tally.words : 0;
        sums.linked += stays ? tally.linked : 0;
    }
    return sums;
}

/* The element around a node that has one of two tags; NULL: there is none. */
static const tmpl_node_t *around(const beside_t *p, const tmpl_node_t *node, tmpl_tag_e a,
                                 tmpl_tag_e b)
{
    while (node->parent != TMPL_NONE && node->tag != a && node->tag != b) {
        node = &p->page->nodes[node->parent];
    }
    return node->parent != TMPL_NONE ? node : NULL;
}

/* The nearest element around a node that holds more text than it. */
static const tmpl_node_t *box_of(const beside_t *p, const tmpl_node_t *node)
{
    return &p->page->nodes[tmpl_box_around(p->page, (uint32_t)(node - p->page->nodes))];
}

static says_e says_of_quote(const beside_t *p, const tmpl_node_t *quote)
{
    const tmpl_node_t *box = box_of(p, quote);
    if (p->is_thread) {
        word_sums_t sums = sums_of(p, quote);
        return 2 * sums.kept < sums.words ? GOES : NOTHING;
    }
    return (box->first_segment < quote->first_segment && stays_at(p, quote->first_segment - 1)) ||
                   (quote->after_segment < box->after_segment && stays_at(p, quote->after_segment))
               ? STAYS
               : NOTHING;
}

static says_e says_of_caption(const beside_t *p, const tmpl_node_t *caption)
{
    const tmpl_node_t *figure = around(p, caption, TMPL_TAG_FIGURE, TMPL_TAG_FIGURE);
    if (figure == NULL || !is_small(figure)) {
        return NOTHING;
    }
    uint32_t s = figure->first_segment;
    while (s < figure->after_segment && !stays_at(p, s)) {
        s++;
    }
    return s < figure->after_segment ? STAYS : NOTHING;
}

/* Whether all words that stay are links to other pages. */
static int is_of_links(const beside_t *p, const tmpl_node_t *node, uint32_t least)
{
    word_sums_t sums = sums_of(p, node);
    uint32_t s = node->first_segment;
    while (s < node->after_segment &&
           !(tmpl_context(p->judged->reading, p->page->segments[s].node)->in & TMPL_LINKS_HERE)) {
        s++;
    }
    return sums.kept > 2 * least && sums.kept == sums.linked && s == node->after_segment;
}

static says_e says_of_list(const beside_t *p, const tmpl_node_t *list)
{
    const tmpl_node_t *box = box_of(p, list);
    uint32_t first = list->first_segment;
    if (box->first_segment == first || !stays_at(p, first - 1)) {
        return NOTHING;
    }
    const tmpl_segment_t *before = &p->page->segments[first - 1];
    const tmpl_block_t *block = &p->page->blocks[before->block];
    if (tmpl_ends_in(p->page, before->span, ":") ||
        tmpl_ends_in(p->page, before->span, "\xEF\xBC\x9A")) { /* of full width */
        return tmpl_phrases_of(p->page, block) == 0 ? STAYS_AS_BODY : NOTHING;
    }
    const tmpl_node_t *paragraph = &p->page->nodes[block->node];
    return list->tag == TMPL_TAG_UL && paragraph->tag == TMPL_TAG_P &&
                   &p->page->nodes[paragraph->parent] == box &&
                   around(p, box, TMPL_TAG_ARTICLE, TMPL_TAG_ARTICLE) != NULL &&
                   tmpl_tally_of(p->judged->reading, before->block).ends &&
                   is_of_links(p, list, TMPL_BESIDE_LINKS)
               ? GOES_AS_RELATED
               : NOTHING;
}

static says_e says_of_heading(const beside_t *p, const tmpl_node_t *heading)
{
    const tmpl_node_t *card = around(p, heading, TMPL_TAG_ARTICLE, TMPL_TAG_LI);
    if (p->is_thread || card == NULL || p->heading > card || !is_small(card) ||
        sums_of(p, heading).words == 0) {
        return NOTHING;
    }
    word_sums_t sums = sums_of(p, card);
    return sums.kept >= 2 * CARD_WORDS && 2 * sums.kept > sums.words ? STAYS : NOTHING;
}

static says_e says_of_aside(const beside_t *p, const tmpl_node_t *aside)
{
    return is_of_links(p, aside, 0) ? GOES_AS_RELATED : NOTHING;
}

typedef says_e rule_t(const beside_t *p, const tmpl_node_t *node);

static rule_t *const rules[TMPL_TAG_COUNT] = {
    [TMPL_TAG_BLOCKQUOTE] = says_of_quote, [TMPL_TAG_FIGCAPTION] = says_of_caption,
    [TMPL_TAG_UL] = says_of_list,          [TMPL_TAG_OL] = says_of_list,
    [TMPL_TAG_DL] = says_of_list,          [TMPL_TAG_TABLE] = says_of_list,
    [TMPL_TAG_ASIDE] = says_of_aside,
};

static void set_block(const beside_t *p, uint32_t b, says_e says)
{
    tmpl_verdict_t *verdict = &p->judged->verdicts[b];
    uint32_t node = p->page->segments[p->page->blocks[b].first_segment].node;
    if (says == GOES_AS_RELATED) {
        verdict->template = 1;
        verdict->part = TMPL_PART_RELATED;
    }
    else if (says == GOES) {
        verdict->template |= verdict->ratio >= TMPL_SURE_CONTENT;
    }
    else if (verdict->template && verdict->ratio <= TMPL_SURE_TEMPLATE &&
             !(tmpl_context(p->judged->reading, node)->in &
               (TMPL_IN_NAV | TMPL_IN_FOOTER | TMPL_IN_FORM)) &&
             !tmpl_is_of_site(p->judged, b)) {
        verdict->template = 0;
        verdict->part = says == STAYS_AS_BODY ? TMPL_PART_BODY : verdict->part;
    }
}

/* Headings in a row, at most, that go because what they head went: more are a list. */
#define EMPTY_MOST 2

/* The headings of a page while it is read from its end. */
typedef struct {
    float lost[TMPL_TAG_H6 + 1]; /* by tag: up to the next heading of that tag or above, content in
                                  * what went, as the trees expect it, in halves of words; endless
                                  * if something stays */
    uint32_t empty[EMPTY_MOST];  /* headings in a row without text that go, or TMPL_NONE */
    uint32_t n_empty;
} empty_headings_t;

/* The tag of a block that is a heading; 0: it is none. */
static unsigned heading_tag(const beside_t *p, uint32_t b)
{
    unsigned tag = p->page->nodes[p->page->blocks[b].node].tag;
    return tag >= TMPL_TAG_H1 && tag <= TMPL_TAG_H6 ? tag : 0;
}

/* A block that is no heading, or the first one that stays, which may be the page's. */
static void see_text(const beside_t *p, empty_headings_t *h, uint32_t b)
{
    const tmpl_verdict_t *verdict = &p->judged->verdicts[b];
    float words = (float)tmpl_tally_of(p->judged->reading, b).words * (1 - verdict->ratio);
    for (unsigned tag = TMPL_TAG_H1; tag <= TMPL_TAG_H6; tag++) {
        h->lost[tag] += verdict->template ? words : INFINITY;
    }
    for (uint32_t i = 0; !verdict->template && i < h->n_empty && h->n_empty <= EMPTY_MOST; i++) {
        if (h->empty[i] != TMPL_NONE) {
            set_block(p, h->empty[i], GOES);
        }
    }
    h->n_empty = verdict->template ? h->n_empty : 0;
}

/* A heading goes if what it heads went, unless that may be text, or it is a sentence. */
static void see_heading(const beside_t *p, empty_headings_t *h, uint32_t b, unsigned tag)
{
    float lost = h->lost[tag];
    if (!p->judged->verdicts[b].template && tag != TMPL_TAG_H1 && lost > 0 && lost < INFINITY) {
        tmpl_tally_t tally = tmpl_tally_of(p->judged->reading, b);
        int is_let = 2 * tally.linked > tally.words || lost < 2 * TMPL_BESIDE_LOST;
        h->empty[h->n_empty % EMPTY_MOST] = is_let && !tally.ends ? b : TMPL_NONE;
        h->n_empty++;
    }
    memset(&h->lost[tag], 0, (TMPL_TAG_H6 + 1 - tag) * sizeof(h->lost[0]));
}

static void judge_headings(const beside_t *p)
{
    empty_headings_t h = { .n_empty = 0 };
    uint32_t b = p->page->n_blocks, first = 0;
    while (first < b && (p->judged->verdicts[first].template || heading_tag(p, first) == 0)) {
        first++;
    }
    while (b-- > first) {
        unsigned tag = b > first ? heading_tag(p, b) : 0;
        if (tag != 0) {
            see_heading(p, &h, b, tag);
        }
        else {
            see_text(p, &h, b);
        }
    }
}

void tmpl_beside(const tmpl_ruled_t *judged)
{
    const tmpl_page_t *page = judged->reading->page;
    beside_t p = { judged, page, tmpl_has_thread_address(page), NULL };
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        int is_heading = (tmpl_tag_flags((tmpl_tag_e)node->tag) & TMPL_IS_HEADING) != 0;
        rule_t *rule = is_heading ? says_of_heading : rules[node->tag];
        if (rule == NULL || node->first_segment == node->after_segment || !is_small(node)) {
            continue;
        }
        says_e says = rule(&p, node);
        for (uint32_t s = node->first_segment; says != NOTHING && s < node->after_segment; s++) {
            set_block(&p, page->segments[s].block, says);
        }
        p.heading = is_heading ? node : p.heading;
    }
    judge_headings(&p);
}
