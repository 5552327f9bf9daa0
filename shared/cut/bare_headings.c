/* SPDX-License-Identifier: Apache-2.0 */
#include "cut/closure.h"

#include "text/text.h"

/* So many bare headings of one rank in a row are a list. */
#define LIST 3

typedef struct {
    const tmpl_page_t *page;
    const tmpl_verdict_t *verdicts;
    uint32_t
        *bare; /* the last n of room, in order; run of them were added last: they may be a list */
    uint32_t room, n, run;
    uint32_t next; /* the next heading that stays; 0: none */
} bare_t;

static int stays(const bare_t *b, uint32_t segment)
{
    const tmpl_segment_t *s = &b->page->segments[segment];
    return !b->verdicts[s->block].template && !tmpl_text_is_unsaid(b->page, s);
}

/* The first segment from one on that stays; before if there is none. */
static uint32_t first_that_stays(const bare_t *b, uint32_t segment, uint32_t before)
{
    while (segment < before && !stays(b, segment)) {
        segment++;
    }
    return segment;
}

/* Whether there is a film, a sound or a formula among nodes. */
static int has_media(const bare_t *b, uint32_t node, uint32_t before)
{
    static const unsigned char is_media[TMPL_TAG_COUNT] = {
        [TMPL_TAG_IFRAME] = 1, [TMPL_TAG_VIDEO] = 1, [TMPL_TAG_AUDIO] = 1, [TMPL_TAG_MATH] = 1
    };
    while (node < before && !is_media[b->page->nodes[node].tag]) {
        node++;
    }
    return node < before;
}

static unsigned rank_of(const bare_t *b, uint32_t node)
{
    return node != 0 ? b->page->nodes[node].tag - TMPL_TAG_H1 + 1U : 0;
}

/*
 * Whether a heading may go: a short one, without a digit, which is a fact, that is neither a link
 * nor an item, nor stands below a picture or an h1.
 */
static int may_go(const bare_t *b, uint32_t node)
{
    enum { LONGEST = 80 };
    const tmpl_node_t *nodes = b->page->nodes, *heading = &nodes[node];
    const tmpl_segment_t *segments = b->page->segments;
    uint32_t length = 0, before = heading->first_segment;
    for (uint32_t s = heading->first_segment; s < heading->after_segment; s++) {
        length += segments[s].length;
        for (uint32_t i = segments[s].span.start; i < segments[s].span.end; i++) {
            length += tmpl_is_digit(b->page->src[i]) ? LONGEST : 0;
        }
    }
    for (uint32_t up = heading->parent; up != TMPL_NONE; up = nodes[up].parent) {
        if (nodes[up].tag == TMPL_TAG_A || nodes[up].tag == TMPL_TAG_LI ||
            nodes[up].tag == TMPL_TAG_TABLE || nodes[up].tag == TMPL_TAG_SUMMARY) {
            return 0;
        }
    }
    for (uint32_t i = node; i < heading->after; i++) {
        length += nodes[i].tag == TMPL_TAG_A ? LONGEST : 0;
    }
    while (before > 0 && !stays(b, before - 1)) {
        before--;
    }
    const tmpl_node_t *of = before > 0 ? &nodes[segments[before - 1].node] : heading;
    int is_below = of->tag == TMPL_TAG_IMG;
    while (of->parent != TMPL_NONE && !is_below) {
        is_below = of->tag == TMPL_TAG_H1;
        of = &nodes[of->parent];
    }
    return heading->tag != TMPL_TAG_H1 && length < LONGEST && !is_below && before > 0;
}

/* Ends a run of bare headings: they stay, if they are a list. */
static void end_run(bare_t *b)
{
    if (b->run >= LIST) {
        b->next = b->bare[b->room - b->n];
        b->n -= b->run;
    }
    b->run = 0;
}

static void read_bare_heading(bare_t *b, uint32_t node)
{
    const tmpl_node_t *nodes = b->page->nodes;
    uint32_t first = b->run > 0 ? b->bare[b->room - b->n] : b->next;
    uint32_t before = first != 0 ? nodes[first].first_segment : b->page->n_segments;
    int is_bare = nodes[node].after_segment < before &&
                  first_that_stays(b, nodes[node].after_segment, before) == before &&
                  !has_media(b, nodes[node].after, first != 0 ? first : b->page->n_nodes);
    if (b->run > 0 && (!is_bare || rank_of(b, first) != rank_of(b, node))) {
        end_run(b);
    }
    first = b->run > 0 ? first : b->next;
    if (is_bare && b->n < b->room && rank_of(b, first) <= rank_of(b, node) && may_go(b, node)) {
        b->n++;
        b->run++;
        b->bare[b->room - b->n] = node;
        return;
    }
    end_run(b);
    b->next = node;
}

uint32_t tmpl_bare_headings(const uint32_t **bare, const tmpl_page_t *page,
                            const tmpl_verdict_t *verdicts, apr_pool_t *pool)
{
    /* each has a block of its own, or is passed */
    bare_t b = { .page = page, .verdicts = verdicts, .room = page->n_blocks };
    b.bare = apr_palloc(pool, b.room * sizeof(*b.bare));
    for (uint32_t i = page->n_nodes; i-- > 1;) {
        const tmpl_node_t *node = &page->nodes[i];
        if ((tmpl_tag_flags((tmpl_tag_e)node->tag) & TMPL_IS_HEADING) &&
            first_that_stays(&b, node->first_segment, node->after_segment) < node->after_segment) {
            read_bare_heading(&b, i);
        }
    }
    end_run(&b);
    *bare = b.bare + b.room - b.n;
    return b.n;
}
