/* SPDX-License-Identifier: Apache-2.0 */
#include "cut/heads.h"
#include "base/scratch.h"

typedef enum { NO_HEAD, BEHIND, AROUND, ROW } body_e;

#define RANKS 8

/* Which elements are heads, and where what they head is. */
static const struct {
    /* BEHIND it, up to the next head of its rank or a lower one; what is AROUND it; or that, of a ROW of th */
    unsigned char body;
    unsigned char rank;
    unsigned char within; /* the element that both are in; 0: the one around it */
} heads[TMPL_TAG_COUNT] = {
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

/* Of the segments before one. */
typedef struct {
    uint32_t length;
    uint32_t content; /* of that */
} sums_t;

typedef struct {
    const tmpl_page_t *page;
    tmpl_verdict_t *verdicts;
    sums_t *sums;
    uint32_t *linked; /* likewise; NULL until it is asked for */
    apr_pool_t *pool;
    uint32_t next[RANKS]; /* the first segment of the next head of a rank or a lower one */
} heads_t;

static int is_template(const heads_t *h, uint32_t segment)
{
    return h->verdicts[h->page->segments[segment].block].template;
}

static void sum_up(heads_t *h)
{
    const tmpl_page_t *page = h->page;
    sums_t *sums = apr_palloc(h->pool, (page->n_segments + 1) * sizeof(*sums));
    sums[0] = (sums_t){ 0, 0 };
    for (uint32_t s = 0; s < page->n_segments; s++) {
        uint32_t length = page->segments[s].length;
        sums[s + 1].length = sums[s].length + length;
        sums[s + 1].content = sums[s].content + (is_template(h, s) ? 0 : length);
    }
    h->sums = sums;
}

/* The same of what is in links, or a picture: for the few pages on which it is asked for. */
static void sum_links(heads_t *h)
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

/* Whether the segments [first, after) are all in links. */
static int is_linked(heads_t *h, uint32_t first, uint32_t after)
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

static void set_verdict(heads_t *h, const tmpl_node_t *node, int template)
{
    tmpl_verdict_set(h->verdicts, h->page, node->first_segment, node->after_segment, template);
}

/* The element that holds a head and what it heads; NULL if there is none. */
static const tmpl_node_t *around(const tmpl_page_t *page, const tmpl_node_t *head)
{
    unsigned within = heads[head->tag].within;
    const tmpl_node_t *node = &page->nodes[head->parent];
    while (node->parent != TMPL_NONE &&
           (within != 0 ? node->tag != within
                        : node->first_segment == head->first_segment &&
                              node->after_segment == head->after_segment)) {
        node = &page->nodes[node->parent];
    }
    return within != 0 && node->tag != within ? NULL : node;
}

/* A heading or a term, and the segments [first, after) that it heads. */
static void judge_behind(heads_t *h, const tmpl_node_t *head, uint32_t first, uint32_t after)
{
    const sums_t *own = &h->sums[head->first_segment];
    const sums_t *from = &h->sums[first];
    const sums_t *to = &h->sums[after];
    if (from->content == own->content && !is_template(h, first) &&
        2 * (uint64_t)(to->content - from->content) > to->length - from->length) {
        set_verdict(h, head, 0);
    }
    else if (from->content - own->content == from->length - own->length &&
             head->tag != TMPL_TAG_H1 && to->content == from->content) {
        if (head->tag == TMPL_TAG_DT) {
            tmpl_verdict_set(h->verdicts, h->page, first, after,
                             0); /* a term is of no use without */
        }
        else if (is_linked(h, first, after)) {
            set_verdict(h, head, 1);
        }
    }
}

/* Whether the cells of a row are data, a block each; and whether all are heads. */
static int is_row(const tmpl_page_t *page, const tmpl_node_t *row, int *head)
{
    *head = 1;
    for (uint32_t i = (uint32_t)(row - page->nodes) + 1; i < row->after; i = page->nodes[i].after) {
        const tmpl_node_t *cell = &page->nodes[i];
        *head &= cell->tag == TMPL_TAG_TH;
        if (cell->after_segment > cell->first_segment &&
            page->segments[cell->first_segment].block !=
                page->segments[cell->after_segment - 1].block) {
            return 0;
        }
    }
    return 1;
}

/* A row of data stays as a whole. Whether it is one of heads that may stay with its table. */
static int judge_row(heads_t *h, const tmpl_node_t *row)
{
    int head;
    if (!is_row(h->page, row, &head)) {
        return 0;
    }
    if (h->sums[row->after_segment].content > h->sums[row->first_segment].content) {
        set_verdict(h, row, 0);
        return 0;
    }
    return head;
}

static void judge_head(heads_t *h, const tmpl_node_t *head)
{
    const tmpl_node_t *box = around(h->page, head);
    unsigned rank = heads[head->tag].rank;
    unsigned body = heads[head->tag].body;
    if (box == NULL || !has_own_blocks(h->page, head)) {
        return;
    }
    if (body == AROUND || body == ROW) {
        if (body == ROW && !judge_row(h, head)) {
            return;
        }
        if (h->sums[box->after_segment].content - h->sums[head->after_segment].content +
                h->sums[head->first_segment].content - h->sums[box->first_segment].content >
            0) {
            set_verdict(h, head, 0);
        }
        return;
    }
    uint32_t after = h->next[rank] < box->after_segment ? h->next[rank] : box->after_segment;
    if (head->after_segment < after) {
        judge_behind(h, head, head->after_segment, after);
    }
}

void tmpl_heads(tmpl_verdict_t *verdicts, const tmpl_page_t *page, apr_pool_t *pool)
{
    heads_t h = { .page = page, .verdicts = verdicts };
    h.pool = tmpl_scratch(page->len, pool);
    sum_up(&h);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        h.next[rank] = page->n_segments;
    }
    /* From the last one on: a heading may head what begins with another one. */
    for (uint32_t i = page->n_nodes; i-- > 1;) {
        const tmpl_node_t *node = &page->nodes[i];
        if (heads[node->tag].body == NO_HEAD || node->first_segment == node->after_segment) {
            continue;
        }
        judge_head(&h, node);
        for (unsigned rank = heads[node->tag].rank; rank > 0 && rank < RANKS; rank++) {
            h.next[rank] = node->first_segment;
        }
    }
    apr_pool_destroy(h.pool);
}
