/* SPDX-License-Identifier: Apache-2.0 */
#include "cut/steps.h"

/*
 * Where an element's section is: behind it, up to the next heading of its rank or above; or around
 * it, in the element `within`. A ROW is a heading only if all its cells are th.
 */
typedef enum { NO_HEADING, BEHIND, AROUND, ROW } section_e;

#define RANKS 8

static const struct {
    unsigned char section; /* a section_e */
    unsigned char rank;    /* for BEHIND; 1 is the highest */
    unsigned char within;  /* the tag that heading and section are in; 0: the parent */
} headings[TMPL_TAG_COUNT] = {
    [TMPL_TAG_H1] = { BEHIND, 1, 0 },
    [TMPL_TAG_H2] = { BEHIND, 2, 0 },
    [TMPL_TAG_H3] = { BEHIND, 3, 0 },
    [TMPL_TAG_H4] = { BEHIND, 4, 0 },
    [TMPL_TAG_H5] = { BEHIND, 5, 0 },
    [TMPL_TAG_H6] = { BEHIND, 6, 0 },
    [TMPL_TAG_DT] = { BEHIND, 7, TMPL_TAG_DL },
    [TMPL_TAG_CAPTION] = { AROUND, 0, TMPL_TAG_TABLE },
    [TMPL_TAG_THEAD] = { AROUND, 0, TMPL_TAG_TABLE },
    [TMPL_TAG_TR] = { ROW, 0, TMPL_TAG_TABLE },
    [TMPL_TAG_FIGCAPTION] = { AROUND, 0, TMPL_TAG_FIGURE },
    [TMPL_TAG_LEGEND] = { AROUND, 0, TMPL_TAG_FIELDSET },
    [TMPL_TAG_SUMMARY] = { AROUND, 0, TMPL_TAG_DETAILS },
};

/* Sums over the segments before a segment, in bytes. */
typedef struct {
    uint32_t length;
    uint32_t content; /* the part of length that is content */
} sums_t;

typedef struct {
    const tmpl_page_t *page;
    tmpl_verdict_t *verdicts;
    sums_t *sums;
    uint32_t *linked; /* bytes in links and images before a segment; NULL until needed */
    apr_pool_t *pool;
    uint32_t next[RANKS]; /* [rank]: first segment of the next heading of that rank or above */
} headings_t;

static int is_template_at(const headings_t *h, uint32_t segment)
{
    return h->verdicts[h->page->segments[segment].block].template;
}

static void sum_lengths(headings_t *h)
{
    const tmpl_page_t *page = h->page;
    sums_t *sums = apr_palloc(h->pool, (page->n_segments + 1) * sizeof(*sums));
    sums[0] = (sums_t){ 0, 0 };
    for (uint32_t s = 0; s < page->n_segments; s++) {
        uint32_t length = page->segments[s].length;
        sums[s + 1].length = sums[s].length + length;
        sums[s + 1].content = sums[s].content + (is_template_at(h, s) ? 0 : length);
    }
    h->sums = sums;
}

/* Fills linked; few pages need it. */
static void sum_links(headings_t *h)
{
    const tmpl_page_t *page = h->page;
    uint32_t *linked = apr_pcalloc(h->pool, (page->n_segments + 1) * sizeof(*linked));
    for (uint32_t i = 0, next; i < page->n_nodes; i = next) {
        const tmpl_node_t *node = &page->nodes[i];
        int links = node->tag == TMPL_TAG_A || node->tag == TMPL_TAG_IMG;
        next = links ? node->after : i + 1;
        for (uint32_t s = node->first_segment; links && s < node->after_segment; s++) {
            linked[s + 1] = page->segments[s].length;
        }
    }
    for (uint32_t s = 0; s < page->n_segments; s++) {
        linked[s + 1] += linked[s];
    }
    h->linked = linked;
}

/* Whether the segments [first, after) are links and images only. */
static int is_linked(headings_t *h, uint32_t first, uint32_t after)
{
    if (h->linked == NULL) {
        sum_links(h);
    }
    return h->linked[after] - h->linked[first] == h->sums[after].length - h->sums[first].length;
}

/* Whether the element is made of whole blocks. */
static int has_own_blocks(const tmpl_page_t *page, const tmpl_node_t *node)
{
    const tmpl_segment_t *segments = page->segments;
    return page->blocks[segments[node->first_segment].block].first_segment >= node->first_segment &&
           page->blocks[segments[node->after_segment - 1].block].after_segment <=
               node->after_segment;
}

static void set_verdict(headings_t *h, const tmpl_node_t *node, int template)
{
    tmpl_verdict_set(h->verdicts, h->page, node->first_segment, node->after_segment, template);
}

/*
 * The element that holds the heading and its section: `within`, or the nearest ancestor with more
 * segments than the heading. NULL if there is no such element.
 */
static const tmpl_node_t *section_around(const tmpl_page_t *page, const tmpl_node_t *heading)
{
    unsigned within = headings[heading->tag].within;
    const tmpl_node_t *node = &page->nodes[heading->parent];
    while (node->parent != TMPL_NONE &&
           (within != 0 ? node->tag != within
                        : node->first_segment == heading->first_segment &&
                              node->after_segment == heading->after_segment)) {
        node = &page->nodes[node->parent];
    }
    return within != 0 && node->tag != within ? NULL : node;
}

/* A member of a forum, whose picture is below. */
static int is_byline(const headings_t *h, const tmpl_node_t *heading)
{
    uint32_t block = h->page->segments[heading->first_segment].block;
    return h->verdicts[block].part == TMPL_PART_BYLINE;
}

/* Whether an element, or one around it, is nav, aside or footer. */
static int is_at_edge(const headings_t *h, const tmpl_node_t *node)
{
    while (node->tag != TMPL_TAG_NAV && node->tag != TMPL_TAG_ASIDE &&
           node->tag != TMPL_TAG_FOOTER && node->parent != TMPL_NONE) {
        node = &h->page->nodes[node->parent];
    }
    return node->parent != TMPL_NONE;
}

/* Whether the detector is sure that a block of the element is content. */
static int is_sure_content(const headings_t *h, const tmpl_node_t *node)
{
    for (uint32_t s = node->first_segment; s < node->after_segment; s++) {
        if (h->verdicts[h->page->segments[s].block].ratio < TMPL_SURE_CONTENT) {
            return 1;
        }
    }
    return 0;
}

/* Whether rule 3 holds: nobody needs the heading of a section that goes. */
static int is_useless(headings_t *h, const tmpl_node_t *heading, const tmpl_node_t *box,
                      uint32_t first, uint32_t after)
{
    return !is_byline(h, heading) && (is_at_edge(h, heading) || !is_sure_content(h, heading)) &&
           (box->tag == TMPL_TAG_FORM || is_linked(h, first, after));
}

/* Rules 1, 3 and 4 of steps.h. The section in box is the segments [first, after). */
static void judge_behind(headings_t *h, const tmpl_node_t *heading, const tmpl_node_t *box,
                         uint32_t first, uint32_t after)
{
    const sums_t *own = &h->sums[heading->first_segment];
    const sums_t *from = &h->sums[first];
    const sums_t *to = &h->sums[after];
    if (from->content == own->content && !is_template_at(h, first) &&
        2 * (uint64_t)(to->content - from->content) > to->length - from->length) {
        set_verdict(h, heading, 0);
    }
    else if (from->content - own->content == from->length - own->length &&
             heading->tag != TMPL_TAG_H1 && to->content == from->content) {
        if (heading->tag == TMPL_TAG_DT) {
            tmpl_verdict_set(h->verdicts, h->page, first, after, 0);
        }
        else if (is_useless(h, heading, box, first, after)) {
            set_verdict(h, heading, 1);
        }
    }
}

/* Whether no cell of the row holds two blocks, as in layout tables. *all_th: all cells are th. */
static int is_data_row(const tmpl_page_t *page, const tmpl_node_t *row, int *all_th)
{
    *all_th = 1;
    for (uint32_t i = (uint32_t)(row - page->nodes) + 1; i < row->after; i = page->nodes[i].after) {
        const tmpl_node_t *cell = &page->nodes[i];
        *all_th &= cell->tag == TMPL_TAG_TH;
        if (cell->after_segment > cell->first_segment &&
            page->segments[cell->first_segment].block !=
                page->segments[cell->after_segment - 1].block) {
            return 0;
        }
    }
    return 1;
}

/* Rule 5. Returns whether the row is a template heading of its table. */
static int judge_row(headings_t *h, const tmpl_node_t *row)
{
    int all_th;
    if (!is_data_row(h->page, row, &all_th)) {
        return 0;
    }
    if (h->sums[row->after_segment].content > h->sums[row->first_segment].content) {
        set_verdict(h, row, 0);
        return 0;
    }
    return all_th;
}

static void judge_heading(headings_t *h, const tmpl_node_t *heading)
{
    const tmpl_node_t *box = section_around(h->page, heading);
    unsigned rank = headings[heading->tag].rank;
    unsigned section = headings[heading->tag].section;
    if (box == NULL || !has_own_blocks(h->page, heading)) {
        return;
    }
    if (section == AROUND || section == ROW) {
        if (section == ROW && !judge_row(h, heading)) {
            return;
        }
        if (h->sums[box->after_segment].content - h->sums[heading->after_segment].content +
                h->sums[heading->first_segment].content - h->sums[box->first_segment].content >
            0) {
            set_verdict(h, heading, 0);
        }
        return;
    }
    uint32_t after = h->next[rank] < box->after_segment ? h->next[rank] : box->after_segment;
    if (heading->after_segment < after) {
        judge_behind(h, heading, box, heading->after_segment, after);
    }
}

void tmpl_headings(tmpl_verdict_t *verdicts, const tmpl_page_t *page, apr_pool_t *pool)
{
    headings_t h = { .page = page, .verdicts = verdicts };
    apr_pool_create(&h.pool, pool);
    sum_lengths(&h);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        h.next[rank] = page->n_segments;
    }
    /* backwards, because a section may begin with a heading of its own */
    for (uint32_t i = page->n_nodes; i-- > 1;) {
        const tmpl_node_t *node = &page->nodes[i];
        if (headings[node->tag].section == NO_HEADING ||
            node->first_segment == node->after_segment) {
            continue;
        }
        judge_heading(&h, node);
        for (unsigned rank = headings[node->tag].rank; rank > 0 && rank < RANKS; rank++) {
            h.next[rank] = node->first_segment;
        }
    }
    apr_pool_destroy(h.pool);
}
