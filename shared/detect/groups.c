/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "detect/protect.h"

static int bit(unsigned b)
{
    const char *e = getenv("PROTECT");
    return e == NULL || (strtoul(e, NULL, 16) >> b & 1);
}

typedef struct {
    const tmpl_judged_t *judged;
    const tmpl_page_t *page;
    uint32_t *length;  /* before block */
    uint32_t *content;
    uint32_t *rows_with; /* of each path: rows */
    uint32_t *last_row;
    uint32_t *key_rows;
    uint32_t *key_last;
} groups_t;

static void sum_up(groups_t *g)
{
    g->length[0] = g->content[0] = 0;
    for (uint32_t b = 0; b < g->page->n_blocks; b++) {
        uint32_t length = g->page->blocks[b].length;
        g->length[b + 1] = g->length[b] + length;
        g->content[b + 1] = g->content[b] + (g->judged->verdicts[b].template ? 0 : length);
    }
}

static int holds_text(const tmpl_node_t *node)
{
    return node->first_segment < node->after_segment;
}

/* Whether the element is a whole number of blocks */
static int is_whole(const tmpl_page_t *page, const tmpl_node_t *node)
{
    const tmpl_block_t *first = &page->blocks[page->segments[node->first_segment].block];
    const tmpl_block_t *last = &page->blocks[page->segments[node->after_segment - 1].block];
    return first->first_segment == node->first_segment && last->after_segment == node->after_segment;
}

static uint32_t first_block(const groups_t *g, uint32_t i)
{
    return tmpl_first_block(g->page, i);
}

static uint32_t after_block(const groups_t *g, uint32_t i)
{
    return tmpl_after_block(g->page, i);
}

static int alike(const groups_t *g, uint32_t a, uint32_t b)
{
    const tmpl_node_t *x = &g->page->nodes[a];
    const tmpl_node_t *y = &g->page->nodes[b];
    if (x->tag != y->tag) {
        return 0;
    }
    return x->tag == TMPL_TAG_LI || x->tag == TMPL_TAG_TR || x->tag == TMPL_TAG_DD || x->tag == TMPL_TAG_DT ||
        tmpl_context(g->judged->reading, a)->layout == tmpl_context(g->judged->reading, b)->layout;
}

#define EACH_ROW(g, row, first) \
    for (uint32_t row = (first); row < (g)->page->nodes[(g)->page->nodes[first].parent].after; row = (g)->page->nodes[row].after) \
        if (holds_text(&(g)->page->nodes[row]) && is_whole((g)->page, &(g)->page->nodes[row]) && alike(g, row, first))

static uint32_t content_of(const groups_t *g, uint32_t row)
{
    return g->content[after_block(g, row)] - g->content[first_block(g, row)];
}

static uint32_t length_of(const groups_t *g, uint32_t row)
{
    return g->length[after_block(g, row)] - g->length[first_block(g, row)];
}

static int is_content(const groups_t *g, uint32_t row)
{
    return 2 * content_of(g, row) > length_of(g, row);
}

static uint32_t path_of(const groups_t *g, uint32_t b)
{
    return g->judged->layout->parts[b].paths[0] - g->page->n_keys;
}

static int own(const groups_t *g, uint32_t b)
{
    const tmpl_block_t *block = &g->page->blocks[b];
    for (uint32_t s = block->first_segment; s < block->after_segment; s++) {
        if (!tmpl_is_of_site(g->judged, s)) {
            return 1;
        }
    }
    return 0;
}

#define IN_BAD (TMPL_IN_NAV | TMPL_IN_FOOTER | TMPL_IN_ASIDE | TMPL_IN_FORM)

static void keep_parts(groups_t *g, uint32_t first, uint32_t n)
{
    const tmpl_page_t *page = g->page;
    EACH_ROW(g, row, first) {
        for (uint32_t b = first_block(g, row); b < after_block(g, row); b++) {
            g->rows_with[path_of(g, b)] = 0;
            g->last_row[path_of(g, b)] = 0;
            for (uint32_t s = page->blocks[b].first_segment; s < page->blocks[b].after_segment; s++) {
                g->key_rows[page->segments[s].key] = 0;
                g->key_last[page->segments[s].key] = 0;
            }
        }
    }
    EACH_ROW(g, row, first) {
        for (uint32_t b = first_block(g, row); b < after_block(g, row); b++) {
            uint32_t path = path_of(g, b);
            g->rows_with[path] += g->last_row[path] != row;
            g->last_row[path] = row;
            uint32_t key = page->segments[page->blocks[b].first_segment].key;
            g->key_rows[key] += g->key_last[key] != row;
            g->key_last[key] = row;
        }
    }
    EACH_ROW(g, row, first) {
        if (!is_content(g, row)) {
            continue;
        }
        for (uint32_t b = first_block(g, row); b < after_block(g, row); b++) {
            tmpl_tally_t tally = tmpl_tally_of(g->judged->reading, b);
            uint32_t with = g->rows_with[path_of(g, b)];
            uint32_t key = page->segments[page->blocks[b].first_segment].key;
            const tmpl_context_t *context = tmpl_context(g->judged->reading, page->segments[page->blocks[b].first_segment].node);
            if (g->judged->verdicts[b].template && tally.words > 0 && tally.words <= 20 && 3 * with >= 2 * n &&
                4 * g->key_rows[key] <= 3 * with && own(g, b) && !(context->in & IN_BAD)) {
                g->judged->verdicts[b].template = 0;
            }
        }
    }
}

static void keep_rows(groups_t *g, uint32_t first)
{
    EACH_ROW(g, row, first) {
        if (is_content(g, row)) {
            continue;
        }
        for (uint32_t b = first_block(g, row); b < after_block(g, row); b++) {
            if (own(g, b)) {
                g->judged->verdicts[b].template = 0;
            }
        }
    }
}

static void group(groups_t *g, uint32_t first)
{
    uint32_t n = 0, content = 0, template = 0, parts = 0;
    EACH_ROW(g, row, first) {
        int is = is_content(g, row);
        n++;
        content += (uint32_t)is;
        template += (uint32_t)!is;
        parts += is && content_of(g, row) < length_of(g, row);
    }
    if (bit(2) && n >= 2 && parts > 0 && 3 * content >= 2 * n) {
        keep_parts(g, first, n);
    }
    if (bit(3) && n >= 3 && template > 0 && 3 * content >= 2 * n) {
        keep_rows(g, first);
    }
}

static void group_children(groups_t *g, uint32_t parent)
{
    unsigned char seen[TMPL_TAG_COUNT] = { 0 };
    const tmpl_page_t *page = g->page;
    for (uint32_t c = parent + 1; c < page->nodes[parent].after; c = page->nodes[c].after) {
        if (holds_text(&page->nodes[c]) && is_whole(page, &page->nodes[c]) && !seen[page->nodes[c].tag]) {
            seen[page->nodes[c].tag] = 1;
            group(g, c);
        }
    }
}

void tmpl_groups(const tmpl_judged_t *judged, apr_pool_t *pool)
{
    const tmpl_page_t *page = judged->reading->page;
    groups_t g = { .judged = judged, .page = page };
    g.length = apr_palloc(pool, (page->n_blocks + 1) * sizeof(uint32_t));
    g.content = apr_palloc(pool, (page->n_blocks + 1) * sizeof(uint32_t));
    g.rows_with = apr_palloc(pool, (judged->layout->n_keys + 1) * sizeof(uint32_t));
    g.last_row = apr_palloc(pool, (judged->layout->n_keys + 1) * sizeof(uint32_t));
    g.key_rows = apr_palloc(pool, (page->n_keys + 1) * sizeof(uint32_t));
    g.key_last = apr_palloc(pool, (page->n_keys + 1) * sizeof(uint32_t));
    sum_up(&g);
    uint32_t next;
    for (uint32_t i = 0; i < page->n_nodes; i = next) {
        const tmpl_node_t *node = &page->nodes[i];
        next = i + 1;
        if (!holds_text(node)) {
            next = node->after;
            continue;
        }
        uint32_t content = content_of(&g, i);
        if (content == 0 || content == length_of(&g, i)) {
            next = node->after;
            continue;
        }
        group_children(&g, i);
    }
}
