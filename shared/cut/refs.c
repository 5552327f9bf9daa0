/* SPDX-License-Identifier: Apache-2.0 */
#include "cut/steps.h"

#include <string.h>

#include <apr_strings.h>

#include "base/hash.h"
#include "html/attr.h"

typedef enum { UNKNOWN, NO, YES } answer_e;

/* The element that an id refers to: one for each id, so that it is judged once. */
typedef struct {
    uint32_t node;   /* TMPL_NONE: not on the page */
    answer_e answer; /* whether it is template (for links), or holds content (for controls) */
} target_t;

typedef struct {
    uint32_t node;  /* the link or control */
    uint32_t block; /* for a link: its block, which holds links only */
    target_t *to;
} fragment_ref_t;

typedef struct {
    const tmpl_page_t *page;
    tmpl_verdict_t *verdicts;
    apr_hash_t *targets;      /* by id; NULL: empty */
    apr_array_header_t *refs; /* of ref_t, in order of blocks; NULL: empty */
    uint32_t missing;         /* targets without a node so far */
    apr_pool_t *pool;
} refs_t;

static void add_ref(refs_t *r, uint32_t node, uint32_t block, tmpl_span_t id)
{
    const char *name = r->page->src + id.start;
    if (r->targets == NULL) {
        r->targets = tmpl_hash_make(r->pool);
        r->refs = apr_array_make(r->pool, 16, sizeof(fragment_ref_t));
    }
    target_t *to = apr_hash_get(r->targets, name, tmpl_span_len(id));
    if (to == NULL) {
        to = apr_palloc(r->pool, sizeof(*to));
        *to = (target_t){ TMPL_NONE, UNKNOWN };
        apr_hash_set(r->targets, name, tmpl_span_len(id), to);
        r->missing++;
    }
    APR_ARRAY_PUSH(r->refs, fragment_ref_t) = (fragment_ref_t){ node, block, to };
}

/* The id in a reference "#id"; empty if value is something else. */
static tmpl_span_t fragment(const char *src, tmpl_span_t value)
{
    int is_one = tmpl_span_len(value) > 1 && src[value.start] == '#';
    return is_one ? (tmpl_span_t){ value.start + 1, value.end } : (tmpl_span_t){ 0, 0 };
}

/* --- controls --- */

/* How an attribute of a control names the panel: by its id, by "#id", or by the href beside it. */
typedef enum { BY_NOTHING, BY_ID, BY_FRAGMENT, BY_HREF } naming_e;

static const naming_e namings[TMPL_ATTR_COUNT] = {
    [TMPL_ATTR_ARIA_CONTROLS] = BY_ID,        [TMPL_ATTR_DATA_TARGET] = BY_FRAGMENT,
    [TMPL_ATTR_DATA_BS_TARGET] = BY_FRAGMENT, [TMPL_ATTR_DATA_TOGGLE] = BY_HREF,
    [TMPL_ATTR_DATA_BS_TOGGLE] = BY_HREF,
};

/* The id of the panel that a control names; empty if it names none. */
static tmpl_span_t panel_of(const tmpl_page_t *page, const tmpl_node_t *control)
{
    const char *src = page->src;
    const tmpl_known_attr_t *attr = page->attrs + control->attrs;
    tmpl_span_t id = { 0, 0 };
    int by_href = 0;
    for (; attr->value.start < control->open.end; attr++) {
        naming_e naming = namings[attr->name];
        id = naming == BY_ID         ? attr->value
             : naming == BY_FRAGMENT ? fragment(src, attr->value)
                                     : id;
        by_href |= naming == BY_HREF ||
                   (attr->name == TMPL_ATTR_ROLE && tmpl_span_is(src, attr->value, "tab"));
    }
    if (tmpl_span_len(id) == 0 && by_href) {
        const tmpl_known_attr_t *href = tmpl_node_attr(page, control, TMPL_ATTR_HREF);
        id = href != NULL ? fragment(src, href->value) : id;
    }
    return id;
}

static int is_template_element(const refs_t *r, const tmpl_node_t *node)
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
        if (node->tag != TMPL_TAG_BUTTON && node->tag != TMPL_TAG_LI && node->tag != TMPL_TAG_A) {
            continue;
        }
        tmpl_span_t id = panel_of(r->page, node);
        if (tmpl_span_len(id) > 0 && is_template_element(r, node)) {
            add_ref(r, i, 0, id);
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

/* The id that the link around a segment names; empty if there is no such link. */
static tmpl_span_t linked_id(const tmpl_page_t *page, uint32_t segment, uint32_t box,
                             uint32_t *link)
{
    *link = link_around(page, &page->segments[segment], box);
    const tmpl_known_attr_t *href =
        *link != TMPL_NONE ? tmpl_node_attr(page, &page->nodes[*link], TMPL_ATTR_HREF) : NULL;
    return href != NULL ? fragment(page->src, href->value) : (tmpl_span_t){ 0, 0 };
}

/* Adds the references of a block, if it holds nothing but links to parts of the page. */
static void find_links(refs_t *r, uint32_t block)
{
    const tmpl_block_t *b = &r->page->blocks[block];
    uint32_t link;
    uint32_t last = TMPL_NONE;
    for (uint32_t s = b->first_segment; s < b->after_segment; s++) {
        if (tmpl_span_len(linked_id(r->page, s, b->node, &link)) == 0) {
            return;
        }
    }
    for (uint32_t s = b->first_segment; s < b->after_segment; s++) {
        tmpl_span_t id = linked_id(r->page, s, b->node, &link);
        if (link != last) {
            add_ref(r, link, block, id);
        }
        last = link;
    }
}

/* --- targets --- */

/* The target of an id is the first element with it; without one, the first a with that name. */
static void find_targets(refs_t *r)
{
    static const tmpl_attr_name_e ways[] = { TMPL_ATTR_ID, TMPL_ATTR_NAME };
    const tmpl_page_t *page = r->page;
    for (int w = 0; w < 2; w++) {
        for (uint32_t i = 1; r->missing > 0 && i < page->n_nodes; i++) {
            const tmpl_node_t *node = &page->nodes[i];
            int may_be = ways[w] == TMPL_ATTR_ID || node->tag == TMPL_TAG_A;
            const tmpl_known_attr_t *name = may_be ? tmpl_node_attr(page, node, ways[w]) : NULL;
            target_t *to = name != NULL ? apr_hash_get(r->targets, page->src + name->value.start,
                                                       tmpl_span_len(name->value))
                                        : NULL;
            if (to != NULL && to->node == TMPL_NONE) {
                to->node = i;
                r->missing--;
            }
        }
    }
}

/*
 * Whether the target is template. A target without text is template if its nearest ancestor with
 * text is template. A heading does not count as template, because its section may stay.
 */
static int is_template_target(const refs_t *r, const target_t *to)
{
    const tmpl_node_t *nodes = r->page->nodes;
    uint32_t i = to->node;
    while (i != TMPL_NONE && nodes[i].first_segment == nodes[i].after_segment) {
        i = nodes[i].parent;
    }
    if (i == TMPL_NONE || !is_template_element(r, &nodes[i])) {
        return 0;
    }
    while (i != TMPL_NONE && !(tmpl_tag_flags(nodes[i].tag) & TMPL_IS_HEADING)) {
        i = nodes[i].parent;
    }
    return i == TMPL_NONE;
}

/* Judges a target once: a target may be most of the page, and very many links may refer to it. */
static int judged(const refs_t *r, target_t *to, int (*judge)(const refs_t *r, const target_t *to))
{
    if (to->answer == UNKNOWN) {
        to->answer = judge(r, to) ? YES : NO;
    }
    return to->answer == YES;
}

static int has_content(const refs_t *r, const target_t *to)
{
    const tmpl_node_t *node = to->node != TMPL_NONE ? &r->page->nodes[to->node] : NULL;
    return node != NULL && node->first_segment < node->after_segment &&
           !is_template_element(r, node);
}

/* Judges a block of the references [first, after): it is template if all their targets are. */
static void judge_links(refs_t *r, int first, int after)
{
    const fragment_ref_t *refs = (const fragment_ref_t *)r->refs->elts;
    for (int i = first; i < after; i++) {
        if (!judged(r, refs[i].to, is_template_target)) {
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
        const fragment_ref_t *refs = (const fragment_ref_t *)r.refs->elts;
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
        const fragment_ref_t *ref = &APR_ARRAY_IDX(r.refs, i, fragment_ref_t);
        if (judged(&r, ref->to, has_content)) {
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
