/* SPDX-License-Identifier: Apache-2.0 */
#include "cut/refs.h"

#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>

#include "html/attr.h"

typedef enum { UNKNOWN, NO, YES } answer_e;

/* An element that is referred to; one for each id. It is gone through once, however many refer to it. */
typedef struct {
    uint32_t node; /* TMPL_NONE: it is not on the page */
    answer_e is;   /* what is asked of it: that it is gone, or has content */
} target_t;

typedef struct {
    uint32_t node;  /* what refers */
    uint32_t block; /* of links: which is nothing but such */
    target_t *to;
} ref_t;

typedef struct {
    const tmpl_page_t *page;
    tmpl_verdict_t *verdicts;
    apr_hash_t *targets;      /* by their ids; NULL: there are none yet */
    apr_array_header_t *refs; /* of ref_t, in order of blocks */
    uint32_t missing;         /* targets that have not been found */
    apr_pool_t *pool;
} refs_t;

static void add_ref(refs_t *r, uint32_t node, uint32_t block, tmpl_span_t id)
{
    const char *name = r->page->src + id.start;
    if (r->targets == NULL) {
        r->targets = apr_hash_make(r->pool);
        r->refs = apr_array_make(r->pool, 16, sizeof(ref_t));
    }
    target_t *to = apr_hash_get(r->targets, name, tmpl_span_len(id));
    if (to == NULL) {
        to = apr_palloc(r->pool, sizeof(*to));
        *to = (target_t){ TMPL_NONE, UNKNOWN };
        apr_hash_set(r->targets, name, tmpl_span_len(id), to);
        r->missing++;
    }
    APR_ARRAY_PUSH(r->refs, ref_t) = (ref_t){ node, block, to };
}

/* The id that a reference "#id" names; empty if it is none. */
static tmpl_span_t fragment(const char *src, tmpl_span_t value)
{
    int is_one = tmpl_span_len(value) > 1 && src[value.start] == '#';
    return is_one ? (tmpl_span_t){ value.start + 1, value.end } : (tmpl_span_t){ 0, 0 };
}

/* --- controls --- */

/* Attributes of controls: what they name, or that their href names what is shown. */
typedef enum { NAMES_ID, NAMES_FRAGMENT, SHOWS } says_e;

static const struct {
    const char *name;
    says_e says;
} attributes[] = {
    { "aria-controls", NAMES_ID },        { "data-target", NAMES_FRAGMENT },
    { "data-bs-target", NAMES_FRAGMENT }, { "data-toggle", SHOWS },
    { "data-bs-toggle", SHOWS },
};

enum { SHORTEST = sizeof("data-target") - 1 };

/* The id of what the element with this start tag shows and hides; empty if there is none. */
static tmpl_span_t controlled(const char *src, tmpl_span_t tag)
{
    tmpl_span_t id = { 0, 0 };
    int shows = 0;
    uint32_t at = tmpl_attr_first(src, tag);
    tmpl_attr_t attr;
    while (tmpl_attr_next(&attr, src, tag.end, &at) == TMPL_ATTR_FOUND) {
        shows |= tmpl_span_is(src, attr.name, "role") && tmpl_span_is(src, attr.value, "tab");
        for (unsigned i = 0;
             tmpl_span_len(attr.name) >= SHORTEST && i < sizeof(attributes) / sizeof(attributes[0]);
             i++) {
            if (tmpl_span_is(src, attr.name, attributes[i].name)) {
                says_e says = attributes[i].says;
                id = says == NAMES_ID         ? attr.value
                     : says == NAMES_FRAGMENT ? fragment(src, attr.value)
                                              : id;
                shows |= says == SHOWS;
            }
        }
    }
    if (tmpl_span_len(id) == 0 && shows && tmpl_attr_find(&attr, src, tag, "href")) {
        id = fragment(src, attr.value);
    }
    return id;
}

/* Whether it may be a control: most links say at once that they lead to another page, and nothing else is known of them. */
static int may_control(const tmpl_page_t *page, const tmpl_node_t *node)
{
    static const char usual[] = "<a href=\"";
    const char *tag = page->src + node->open.start;
    if (node->tag == TMPL_TAG_BUTTON || (node->flags & TMPL_NODE_NAMED)) {
        return node->tag == TMPL_TAG_BUTTON || node->tag == TMPL_TAG_LI || node->tag == TMPL_TAG_A;
    }
    return node->tag == TMPL_TAG_A && tmpl_span_len(node->open) > sizeof(usual) &&
           (memcmp(tag, usual, sizeof(usual) - 1) != 0 || tag[sizeof(usual) - 1] == '#');
}

static int is_template(const refs_t *r, const tmpl_node_t *node)
{
    for (uint32_t s = node->first_segment; s < node->after_segment; s++) {
        if (!r->verdicts[r->page->segments[s].block].template) {
            return 0;
        }
    }
    return node->first_segment < node->after_segment;
}

static void find_controls(refs_t *r)
{
    for (uint32_t i = 1; i < r->page->n_nodes; i++) {
        const tmpl_node_t *node = &r->page->nodes[i];
        if (may_control(r->page, node) && is_template(r, node)) {
            tmpl_span_t id = controlled(r->page->src, node->open);
            if (tmpl_span_len(id) > 0) {
                add_ref(r, i, 0, id);
            }
        }
    }
}

/* --- links --- */

/* The link around a segment, in the box of its block; TMPL_NONE if there is none. */
static uint32_t link_around(const tmpl_page_t *page, const tmpl_segment_t *segment, uint32_t box)
{
    uint32_t node = segment->node;
    while (node != box && page->nodes[node].tag != TMPL_TAG_A) {
        node = page->nodes[node].parent;
    }
    return node != box ? node : TMPL_NONE;
}

/* The references of a block that is nothing but links to parts of the page. */
static void find_links(refs_t *r, uint32_t block)
{
    const tmpl_page_t *page = r->page;
    const tmpl_block_t *b = &page->blocks[block];
    int before = r->refs != NULL ? r->refs->nelts : 0;
    uint32_t last = TMPL_NONE;
    for (uint32_t s = b->first_segment; s < b->after_segment; s++) {
        uint32_t link = link_around(page, &page->segments[s], b->node);
        tmpl_attr_t href;
        if (link == last && link != TMPL_NONE) {
            continue;
        }
        if (link == TMPL_NONE ||
            !tmpl_attr_find(&href, page->src, page->nodes[link].open, "href") ||
            tmpl_span_len(fragment(page->src, href.value)) == 0) {
            if (r->refs != NULL) {
                r->refs->nelts = before;
            }
            return;
        }
        add_ref(r, link, block, fragment(page->src, href.value));
        last = link;
    }
}

/* --- what they refer to --- */

/* Takes the first element with each id, and links by their name where there is none. */
static void find_targets(refs_t *r)
{
    static const struct {
        const char *attribute;
        int links;
    } ways[] = { { "id", 0 }, { "name", 1 } };
    const tmpl_page_t *page = r->page;
    tmpl_attr_t attr;
    for (int w = 0; w < 2; w++) {
        for (uint32_t i = 1; r->missing > 0 && i < page->n_nodes; i++) {
            const tmpl_node_t *node = &page->nodes[i];
            if ((ways[w].links ? node->tag == TMPL_TAG_A : node->flags & TMPL_NODE_NAMED) &&
                tmpl_attr_find(&attr, page->src, node->open, ways[w].attribute)) {
                target_t *to = apr_hash_get(r->targets, page->src + attr.value.start,
                                            tmpl_span_len(attr.value));
                if (to != NULL && to->node == TMPL_NONE) {
                    to->node = i;
                    r->missing--;
                }
            }
        }
    }
}

/* Whether what is referred to is, or stands in, template. A heading is a place on the page: its section may stay. */
static int is_gone(const refs_t *r, const target_t *to)
{
    const tmpl_node_t *nodes = r->page->nodes;
    uint32_t i = to->node;
    while (i != TMPL_NONE && nodes[i].first_segment == nodes[i].after_segment) {
        i = nodes[i].parent;
    }
    if (i == TMPL_NONE || !is_template(r, &nodes[i])) {
        return 0;
    }
    while (i != TMPL_NONE && !(tmpl_tag_flags(nodes[i].tag) & TMPL_IS_HEADING)) {
        i = nodes[i].parent;
    }
    return i == TMPL_NONE;
}

/* An element that all of a page refers to may be most of it. */
static int ask(const refs_t *r, target_t *to, int (*what)(const refs_t *r, const target_t *to))
{
    if (to->is == UNKNOWN) {
        to->is = what(r, to) ? YES : NO;
    }
    return to->is == YES;
}

static int has_content(const refs_t *r, const target_t *to)
{
    const tmpl_node_t *node = to->node != TMPL_NONE ? &r->page->nodes[to->node] : NULL;
    return node != NULL && node->first_segment < node->after_segment && !is_template(r, node);
}

/* The references [first, after) are a block: template, if none of them leads anywhere. */
static void judge_links(refs_t *r, int first, int after)
{
    const ref_t *refs = (const ref_t *)r->refs->elts;
    for (int i = first; i < after; i++) {
        if (!ask(r, refs[i].to, is_gone)) {
            return;
        }
    }
    r->verdicts[refs[first].block].template = 1;
}

void tmpl_refs_links(tmpl_verdict_t *verdicts, const tmpl_page_t *page, apr_pool_t *pool)
{
    refs_t r = { .page = page, .verdicts = verdicts };
    apr_pool_create(&r.pool, pool);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        if (!verdicts[b].template) {
            find_links(&r, b);
        }
    }
    find_targets(&r);
    for (int i = 0, next; r.refs != NULL && i < r.refs->nelts; i = next) {
        const ref_t *refs = (const ref_t *)r.refs->elts;
        for (next = i + 1; next < r.refs->nelts && refs[next].block == refs[i].block;) {
            next++;
        }
        judge_links(&r, i, next);
    }
    apr_pool_destroy(r.pool);
}

tmpl_verdict_t *tmpl_refs_controls(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                   apr_pool_t *pool)
{
    refs_t r = { .page = page, .verdicts = verdicts };
    apr_pool_create(&r.pool, pool);
    find_controls(&r);
    find_targets(&r);
    for (int i = 0; r.refs != NULL && i < r.refs->nelts; i++) {
        const ref_t *ref = &APR_ARRAY_IDX(r.refs, i, ref_t);
        if (ask(&r, ref->to, has_content)) {
            if (r.verdicts == verdicts) {
                r.verdicts = apr_pmemdup(pool, verdicts, page->n_blocks * sizeof(*verdicts));
            }
            const tmpl_node_t *control = &page->nodes[ref->node];
            tmpl_verdict_set(r.verdicts, page, control->first_segment, control->after_segment, 0);
        }
    }
    apr_pool_destroy(r.pool);
    return r.verdicts;
}
