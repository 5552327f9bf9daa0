/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/protect.h"

/* Elements in which parts (rule 1) and pairs (rule 3) stay as they are. */
#define IN_EDGE (TMPL_IN_NAV | TMPL_IN_FOOTER | TMPL_IN_ASIDE | TMPL_IN_FORM)

/* Rows that hold a path or a key. */
typedef struct {
    uint32_t n;
    uint32_t last; /* the row counted last */
} rows_with_t;

typedef struct {
    const tmpl_judged_t *judged;
    const tmpl_page_t *page;
    uint32_t *content;  /* [i]: bytes of content, by the trees, in the blocks before block i */
    rows_with_t *paths; /* the rows that hold each layout path */
    rows_with_t *keys;  /* the rows that hold each segment's key */
} groups_t;

/* A group: the rows among the children of a parent that are like the first one. */
typedef struct {
    uint32_t first;
    uint32_t n;
    uint32_t n_content; /* rows that are content */
} group_t;

static void sum_up(groups_t *g)
{
    g->content[0] = 0;
    for (uint32_t b = 0; b < g->page->n_blocks; b++) {
        int is_template = g->judged->verdicts[b].template;
        g->content[b + 1] = g->content[b] + (is_template ? 0 : g->page->blocks[b].length);
    }
}

static uint32_t first_of(const groups_t *g, uint32_t node)
{
    return tmpl_first_block(g->page, node);
}

static uint32_t after_of(const groups_t *g, uint32_t node)
{
    return tmpl_after_block(g->page, node);
}

static uint32_t content_in(const groups_t *g, uint32_t node)
{
    return g->content[after_of(g, node)] - g->content[first_of(g, node)];
}

static uint32_t length_of(const groups_t *g, uint32_t node)
{
    const uint32_t *length = g->judged->reading->before.length;
    return length[after_of(g, node)] - length[first_of(g, node)];
}

static int is_content(const groups_t *g, uint32_t row)
{
    return 2 * (uint64_t)content_in(g, row) > length_of(g, row);
}

static int holds_text(const tmpl_node_t *node)
{
    return node->first_segment < node->after_segment;
}

/* Whether the element holds text, and its first and last block whole. */
static int is_row(const tmpl_page_t *page, uint32_t i)
{
    const tmpl_node_t *node = &page->nodes[i];
    return holds_text(node) &&
           page->blocks[tmpl_first_block(page, i)].first_segment == node->first_segment &&
           page->blocks[tmpl_after_block(page, i) - 1].after_segment == node->after_segment;
}

static int is_alike(const groups_t *g, uint32_t a, uint32_t b)
{
    static const unsigned char by_tag[TMPL_TAG_COUNT] = {
        [TMPL_TAG_LI] = 1, [TMPL_TAG_TR] = 1, [TMPL_TAG_DD] = 1, [TMPL_TAG_DT] = 1
    };
    unsigned tag = g->page->nodes[a].tag;
    return tag == g->page->nodes[b].tag &&
           (by_tag[tag] || tmpl_context(g->judged->reading, a)->layout ==
                               tmpl_context(g->judged->reading, b)->layout);
}

/* The next row of the group from child i on; the index behind the parent if there is none. */
static uint32_t row_from(const groups_t *g, uint32_t first, uint32_t i)
{
    const tmpl_node_t *nodes = g->page->nodes;
    uint32_t after = nodes[nodes[first].parent].after;
    while (i < after && !(is_row(g->page, i) && is_alike(g, i, first))) {
        i = nodes[i].after;
    }
    return i;
}

static uint32_t after_rows(const groups_t *g, const group_t *group)
{
    return g->page->nodes[g->page->nodes[group->first].parent].after;
}

static uint32_t next_row(const groups_t *g, const group_t *group, uint32_t row)
{
    return row_from(g, group->first, g->page->nodes[row].after);
}

static rows_with_t *path_of(const groups_t *g, uint32_t block)
{
    return &g->paths[g->judged->layout->blocks[block].paths[0] - g->page->n_keys];
}

static rows_with_t *key_of(const groups_t *g, uint32_t block)
{
    return &g->keys[g->page->segments[g->page->blocks[block].first_segment].key];
}

static void count_row(rows_with_t *with, uint32_t row)
{
    with->n += with->last != row ? 1 : 0;
    with->last = row;
}

static int is_at_edge(const groups_t *g, uint32_t node)
{
    return (tmpl_context(g->judged->reading, node)->in & IN_EDGE) != 0;
}

/* Whether rule 1 holds for a block of a row that is content. */
static int is_part(const groups_t *g, const group_t *group, uint32_t block)
{
    uint32_t words = tmpl_tally_of(g->judged->reading, block).words;
    uint32_t with = path_of(g, block)->n;
    return words > 0 && words <= 2 * TMPL_PART_WORDS && 3 * with >= 2 * group->n &&
           4 * key_of(g, block)->n <= 3 * with && !tmpl_is_of_site(g->judged, block) &&
           !is_at_edge(g, g->page->segments[g->page->blocks[block].first_segment].node);
}

static void keep_parts(const groups_t *g, const group_t *group)
{
    for (uint32_t row = group->first; row < after_rows(g, group); row = next_row(g, group, row)) {
        for (uint32_t b = first_of(g, row); b < after_of(g, row); b++) {
            *path_of(g, b) = (rows_with_t){ 0 };
            *key_of(g, b) = (rows_with_t){ 0 };
        }
    }
    for (uint32_t row = group->first; row < after_rows(g, group); row = next_row(g, group, row)) {
        for (uint32_t b = first_of(g, row); b < after_of(g, row); b++) {
            count_row(path_of(g, b), row);
            count_row(key_of(g, b), row);
        }
    }
    for (uint32_t row = group->first; row < after_rows(g, group); row = next_row(g, group, row)) {
        for (uint32_t b = first_of(g, row); b < after_of(g, row); b++) {
            if (g->judged->verdicts[b].template && is_content(g, row) && is_part(g, group, b)) {
                g->judged->verdicts[b].template = 0;
            }
        }
    }
}

static void keep_rows(const groups_t *g, const group_t *group)
{
    for (uint32_t row = group->first; row < after_rows(g, group); row = next_row(g, group, row)) {
        for (uint32_t b = first_of(g, row); b < after_of(g, row); b++) {
            if (!is_content(g, row) && tmpl_tally_of(g->judged->reading, b).words > 0 &&
                !tmpl_is_of_site(g->judged, b)) {
                g->judged->verdicts[b].template = 0;
            }
        }
    }
}

/* How many blocks before a group of pairs are searched for content; the most words of a row. */
#define PAIRS_BESIDE 3
#define PAIRS_WORDS  12

static int is_beside_content(const groups_t *g, uint32_t parent)
{
    uint32_t best = g->judged->reading->best;
    uint32_t first = tmpl_first_block(g->page, parent);
    if (best != 0 && parent > best && parent < g->page->nodes[best].after) {
        return 1;
    }
    for (uint32_t b = first; b > 0 && first - b < PAIRS_BESIDE; b--) {
        if (!g->judged->verdicts[b - 1].template) {
            return 1;
        }
    }
    return 0;
}

static uint32_t parts_of(const groups_t *g, uint32_t row)
{
    const tmpl_node_t *nodes = g->page->nodes;
    uint32_t n = 0;
    for (uint32_t c = row + 1; c < nodes[row].after; c = nodes[c].after) {
        n += holds_text(&nodes[c]) ? 1 : 0;
    }
    return n;
}

/* Rule 3. A dd is the value of its dt, and headings.h keeps the dt with it. */
static int are_pairs(const groups_t *g, const group_t *group)
{
    const tmpl_page_t *page = g->page;
    uint32_t parent = page->nodes[group->first].parent;
    if (page->nodes[group->first].tag != TMPL_TAG_DD) {
        for (uint32_t row = group->first; row < after_rows(g, group);
             row = next_row(g, group, row)) {
            if (parts_of(g, row) != 2) {
                return 0;
            }
        }
    }
    tmpl_sums_t sums =
        tmpl_sums_between(&g->judged->reading->before, tmpl_first_block(page, parent),
                          tmpl_after_block(page, parent));
    return 5 * sums.linked < sums.words && sums.words <= 2 * PAIRS_WORDS * group->n &&
           !is_at_edge(g, group->first) && is_beside_content(g, parent);
}

static void judge_group(const groups_t *g, uint32_t first)
{
    group_t group = { .first = first };
    for (uint32_t row = first; row < after_rows(g, &group); row = next_row(g, &group, row)) {
        group.n++;
        group.n_content += is_content(g, row) ? 1 : 0;
    }
    int are_content = 3 * group.n_content >= 2 * group.n;
    if (are_content && group.n >= 2) {
        keep_parts(g, &group);
    }
    if (group.n >= 3 && group.n_content < group.n && (are_content || are_pairs(g, &group))) {
        keep_rows(g, &group);
    }
}

void tmpl_groups(const tmpl_judged_t *judged, apr_pool_t *pool)
{
    const tmpl_page_t *page = judged->reading->page;
    groups_t g = { .judged = judged, .page = page };
    g.content = apr_palloc(pool, (page->n_blocks + 1) * sizeof(*g.content));
    g.paths = apr_palloc(pool, (judged->layout->n_keys + 1) * sizeof(*g.paths));
    g.keys = apr_palloc(pool, (page->n_keys + 1) * sizeof(*g.keys));
    sum_up(&g);
    for (uint32_t i = 0, next; i < page->n_nodes; i = next) {
        /* where all is content nothing changes */
        int done = !holds_text(&page->nodes[i]) || content_in(&g, i) == length_of(&g, i);
        unsigned char seen[TMPL_TAG_COUNT] = { 0 };
        next = done ? page->nodes[i].after : i + 1;
        for (uint32_t c = i + 1; c < page->nodes[i].after && !done; c = page->nodes[c].after) {
            if (!seen[page->nodes[c].tag] && is_row(page, c)) {
                seen[page->nodes[c].tag] = 1;
                judge_group(&g, c);
            }
        }
    }
}
