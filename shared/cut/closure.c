/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cut/closure.h"
#include "base/ascii.h"
#include "base/scratch.h"
#include "cut/heads.h"
#include "cut/places.h"
#include "cut/refs.h"
#include "html/attr.h"

typedef struct {
    const tmpl_page_t *page;
    const tmpl_verdict_t *verdicts;
    unsigned need;
    const unsigned char *places; /* tmpl_places; NULL where nothing is cut */
    uint32_t *content;           /* content[i]: segments before i that are content */
    double *unique; /* unique[i]: length before segment i that is not known as template */
    tmpl_cut_t *cuts;
    uint32_t n_cuts;
    uint32_t room;
    apr_pool_t *pool;    /* of the cuts */
    int in_shell;        /* all that is visited is template, and may not be cut as a whole */
    uint32_t next_fixed; /* the first control, from what is visited on, that may not be cut */
} closure_t;

static void apply(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                  const apr_array_header_t *selectors, int template)
{
    if (selectors == NULL || selectors->nelts == 0) {
        return;
    }
    uint32_t next = 0;
    while (next < page->n_nodes) {
        uint32_t i = next++;
        const tmpl_node_t *node = &page->nodes[i];
        for (int k = 0; node->after_segment > node->first_segment && k < selectors->nelts; k++) {
            if (tmpl_selector_matches(APR_ARRAY_IDX(selectors, k, const tmpl_selector_t *), page,
                                      i)) {
                tmpl_verdict_set(verdicts, page, node->first_segment, node->after_segment,
                                 template);
                next = node->after; /* what is inside has been set with it */
                break;
            }
        }
    }
}

/* Sums up the page; false if the cuts would leave too little of it. */
static int measure(tmpl_closure_t *out, const tmpl_page_t *page, const tmpl_verdict_t *verdicts,
                   double min_keep)
{
    uint64_t length = 0;
    out->blocks = page->n_blocks;
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        if (verdicts[b].template) {
            out->template_blocks++;
            length += page->blocks[b].length;
        }
    }
    out->ratio = page->length > 0 ? (double)length / page->length : 0.0;
    return out->template_blocks == 0 || 1.0 - out->ratio >= min_keep;
}

static void sum_up(closure_t *c, apr_pool_t *pool)
{
    const tmpl_page_t *page = c->page;
    c->content = apr_palloc(pool, (page->n_segments + 1) * sizeof(*c->content));
    c->unique = apr_palloc(pool, (page->n_segments + 1) * sizeof(*c->unique));
    c->content[0] = 0;
    c->unique[0] = 0;
    for (uint32_t s = 0; s < page->n_segments; s++) {
        const tmpl_verdict_t *v = &c->verdicts[page->segments[s].block];
        c->content[s + 1] = c->content[s] + !v->template;
        c->unique[s + 1] = c->unique[s] + (1.0 - (double)v->ratio) * page->segments[s].length;
    }
}

/* Whether every segment of the element is template, and there is one. */
static int is_template(const closure_t *c, const tmpl_node_t *node)
{
    return node->after_segment > node->first_segment &&
           c->content[node->after_segment] == c->content[node->first_segment];
}

static int is_template_segment(const closure_t *c, uint32_t segment)
{
    return c->verdicts[c->page->segments[segment].block].template;
}

/* What of it may not be missing from what is left. In a shell a form is there as a whole. */
static unsigned needed(const closure_t *c, const tmpl_node_t *node)
{
    unsigned kept = c->in_shell ? TMPL_NODE_CODE : TMPL_NODE_CODE | TMPL_NODE_CONTROL;
    return c->need == TMPL_NODE_CUT ? node->flags & kept : 0;
}

/*
 * Whether the element is template, and not most of what is the page's own: all of it may go that the source lets go. A shadow
 * root goes with its host alone.
 */
static int may_go(const closure_t *c, const tmpl_node_t *node)
{
    if (!(c->in_shell || is_template(c, node)) || (node->flags & TMPL_NODE_SHADOW) ||
        (tmpl_tag_flags(node->tag) & TMPL_IS_NEVER_EDIT)) {
        return 0;
    }
    double unique = c->unique[node->after_segment] - c->unique[node->first_segment];
    return unique <= c->unique[c->page->n_segments] / 2 ||
           node->after_segment - node->first_segment < 2;
}

static tmpl_span_t span_of(const tmpl_node_t *node)
{
    return (tmpl_span_t){ node->open.start,
                          tmpl_span_len(node->close) > 0 ? node->close.end : node->open.end };
}

/* Every cut holds a segment of its own, but in template that has code or may not be cut as a whole. */
static void add_cut(closure_t *c, tmpl_span_t span, uint32_t node)
{
    if (c->n_cuts == c->room) {
        tmpl_cut_t *larger = apr_palloc(c->pool, 2 * (apr_size_t)c->room * sizeof(*larger));
        c->cuts = memcpy(larger, c->cuts, c->n_cuts * sizeof(*larger));
        c->room *= 2;
    }
    c->cuts[c->n_cuts++] = (tmpl_cut_t){ span, node };
}

/*
 * A run: siblings that are template, with text among them, and what stands between them and holds no
 * text. open is where it began; last is what it may end with.
 */
typedef struct {
    tmpl_span_t span;
    uint32_t only; /* the element, while there is no more than one piece */
    uint32_t first_cut;
    int has_text;
} run_t;

#define RUN_NONE ((run_t){ { 0, 0 }, TMPL_NONE, 0, 0 })

/* Ends a run: one cut for text with all around it; elements alone keep the cuts they have. */
static void end_run(closure_t *c, run_t *run)
{
    if (run->has_text) {
        c->n_cuts = run->first_cut;
        add_cut(c, run->span, TMPL_NONE);
    }
    *run = RUN_NONE;
}

static void extend_run(closure_t *c, run_t *run, tmpl_span_t span, uint32_t node)
{
    if (tmpl_span_len(run->span) == 0) {
        run->span.start = span.start;
        run->first_cut = c->n_cuts;
    }
    run->span.end = span.end;
    if (node == TMPL_NONE) {
        run->has_text = 1;
    }
    else {
        add_cut(c, span, node);
    }
}

static void open_element(closure_t *c, uint32_t parent);
static void open_shell(closure_t *c, uint32_t parent);

/* Whether a control in the element has to stay. Elements are visited in document order, so that no node is looked at twice. */
static int holds_fixed_control(closure_t *c, uint32_t element)
{
    const tmpl_page_t *page = c->page;
    uint32_t i = c->next_fixed > element ? c->next_fixed : element;
    while (i < page->n_nodes && ((page->nodes[i].flags & TMPL_NODE_CUT) ||
                                 !(tmpl_tag_flags(page->nodes[i].tag) & TMPL_IS_CONTROL))) {
        i++;
    }
    c->next_fixed = i;
    return i < page->nodes[element].after;
}

/* Whether it is an item (HTML, 5.2) that is no property of another one: what is said of it goes with it. */
static int is_item(const tmpl_page_t *page, const tmpl_node_t *node)
{
    tmpl_attr_t attr;
    return tmpl_attr_find(&attr, page->src, node->open, "itemscope") &&
           !tmpl_attr_find(&attr, page->src, node->open, "itemprop");
}

/* Whether it is code that is a property of an item. */
static int is_property(const tmpl_page_t *page, const tmpl_node_t *node)
{
    tmpl_attr_t attr;
    return (node->tag == TMPL_TAG_META || node->tag == TMPL_TAG_LINK) &&
           tmpl_attr_find(&attr, page->src, node->open, "itemprop");
}

/*
 * All of an element goes but its code, which stands where the element did: what holds nothing to see would
 * be seen itself, as bullets, boxes and room that is kept free. White space would open formatting elements again: it goes, too.
 */
static void cut_around_code(closure_t *c, uint32_t element)
{
    const tmpl_node_t *nodes = c->page->nodes;
    tmpl_span_t rest = span_of(&nodes[element]);
    uint32_t after = nodes[element].after;
    uint32_t after_item = 0;
    for (uint32_t i = element; i < after;) {
        int is_code = tmpl_node_is_code(&nodes[i]);
        if (i >= after_item && !is_code && is_item(c->page, &nodes[i])) {
            after_item = nodes[i].after;
        }
        if (is_code && !(i < after_item && is_property(c->page, &nodes[i]))) {
            tmpl_span_t code = span_of(&nodes[i]);
            if (code.start > rest.start) {
                add_cut(c, (tmpl_span_t){ rest.start, code.start }, element);
            }
            rest.start = code.end;
        }
        i = is_code || !(nodes[i].flags & TMPL_NODE_CODE) ? nodes[i].after : i + 1;
    }
    add_cut(c, rest, element);
}

/* Whether something that is code is a property of an item that does not go with the element: elsewhere it would be another's. */
static int holds_property(const tmpl_page_t *page, uint32_t element)
{
    uint32_t i = element;
    while (i < page->nodes[element].after) {
        const tmpl_node_t *node = &page->nodes[i];
        if (is_property(page, node)) {
            return 1;
        }
        i = (node->flags & TMPL_NODE_CODE) && !is_item(page, node) ? i + 1 : node->after;
    }
    return 0;
}

/* Whether code may stand where the element does: in front of a table's parts not all of it stays where it is. */
static int may_leave_code(const closure_t *c, const tmpl_node_t *node)
{
    return (node->flags & c->need) && !tmpl_node_is_code(node) &&
           !(tmpl_tag_flags(c->page->nodes[node->parent].tag) & TMPL_IS_TABLE) &&
           !holds_property(c->page, (uint32_t)(node - c->page->nodes));
}

/* One child of an element that is not cut itself. */
static void visit_child(closure_t *c, uint32_t child, run_t *run)
{
    const tmpl_node_t *node = &c->page->nodes[child];
    int goes = may_go(c, node);
    unsigned kept = needed(c, node);
    int is_place = c->places != NULL && c->places[child];
    if (goes && !is_place && (node->flags & c->need) && !kept) {
        extend_run(c, run, span_of(node), child);
        return;
    }
    if (goes && !is_place && kept == TMPL_NODE_CODE && may_leave_code(c, node)) {
        end_run(c, run);
        cut_around_code(c, child);
    }
    else if (goes && c->need == TMPL_NODE_CUT && !(kept & TMPL_NODE_CONTROL) &&
             (c->in_shell || !holds_fixed_control(c, child))) {
        end_run(c, run);
        open_shell(c, child);
    }
    else if (node->first_segment < node->after_segment) {
        end_run(c, run);
        open_element(c, child);
    }
    else if (!(node->flags & c->need) || kept || is_place || (node->flags & TMPL_NODE_SHADOW)) {
        end_run(c, run); /* a run may go on over a br or an empty element, not over a script */
    }
}

/* Text directly in the element (or the segment of an image or a link, which may not be cut). */
static void visit_text(closure_t *c, uint32_t segment, run_t *run)
{
    if (is_template_segment(c, segment) && (c->page->segments[segment].may & TMPL_NODE_CUT)) {
        extend_run(c, run, c->page->segments[segment].span, TMPL_NONE);
    }
    else {
        end_run(c, run);
    }
}

/* Goes over what stands directly in parent, in document order: child elements and text. */
static void open_element(closure_t *c, uint32_t parent)
{
    const tmpl_page_t *page = c->page;
    const tmpl_node_t *node = &page->nodes[parent];
    uint32_t child = parent + 1;
    uint32_t segment = node->first_segment;
    run_t run = RUN_NONE;
    if (!c->in_shell && c->content[node->after_segment] - c->content[node->first_segment] ==
                            node->after_segment - node->first_segment) {
        return; /* no template in it */
    }
    while (child < node->after || segment < node->after_segment) {
        if (!(node->flags & TMPL_NODE_RUN) || (c->places != NULL && c->places[parent])) {
            end_run(c, &run);
        }
        int text_first = segment < node->after_segment &&
                         (child >= node->after || segment < page->nodes[child].first_segment ||
                          page->segments[segment].span.end <= page->nodes[child].open.start);
        if (text_first) {
            visit_text(c, segment, &run);
            segment++;
        }
        else {
            visit_child(c, child, &run);
            segment = page->nodes[child].after_segment > segment ? page->nodes[child].after_segment
                                                                 : segment;
            child = page->nodes[child].after;
        }
    }
    end_run(c, &run);
}

/*
 * An element that is template, but may not be cut as a whole: all goes that may, boxes without text
 * and forms among it. Not where a control has to stay, for its form needs the others.
 */
static void open_shell(closure_t *c, uint32_t parent)
{
    int outside = c->in_shell;
    c->in_shell = 1;
    open_element(c, parent);
    c->in_shell = outside;
}

/* Whether the bytes before end are the beginning of a UTF-8 sequence that more bytes would complete. */
static int is_cut_short(const char *src, uint32_t end)
{
    uint32_t p = end;
    while (p > 0 && end - p < 3 && ((unsigned char)src[p - 1] & 0xC0) == 0x80) {
        p--;
    }
    unsigned lead = p > 0 ? (unsigned char)src[p - 1] : 0;
    uint32_t want = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    return end - p < want;
}

/*
 * Whether text that ends at end and text that begins at begin would, put together, be read as something
 * new: a tag, a character reference, a line break, a character.
 */
static int would_join(const tmpl_page_t *page, uint32_t end, uint32_t begin)
{
    enum { LONGEST_REFERENCE = 40 };
    if (end == 0 || begin >= page->len || page->src[begin] == '<') {
        return 0;
    }
    char left = page->src[end - 1];
    char right = page->src[begin];
    if (left == '<' || (left == '\r' && right == '\n')) {
        return 1;
    }
    if (((unsigned char)right & 0xC0) == 0x80 && is_cut_short(page->src, end)) {
        return 1;
    }
    uint32_t p = end;
    while (p > 0 && end - p < LONGEST_REFERENCE &&
           (tmpl_is_alnum(page->src[p - 1]) || page->src[p - 1] == '#')) {
        p--;
    }
    return end - p == LONGEST_REFERENCE || (p > 0 && page->src[p - 1] == '&');
}

/* Leaves out cuts that would join what is left around them. */
static void drop_joining(closure_t *c)
{
    uint32_t kept = 0;
    uint32_t next;
    for (uint32_t i = 0; i < c->n_cuts; i = next) {
        /* Cuts that touch are one. */
        for (next = i + 1;
             next < c->n_cuts && c->cuts[next].span.start == c->cuts[next - 1].span.end;) {
            next++;
        }
        if (!would_join(c->page, c->cuts[i].span.start, c->cuts[next - 1].span.end)) {
            memmove(&c->cuts[kept], &c->cuts[i], (next - i) * sizeof(*c->cuts));
            kept += next - i;
        }
    }
    c->n_cuts = kept;
}

static void guard(tmpl_verdict_t *verdicts, const tmpl_page_t *page, const tmpl_guards_t *guards)
{
    apply(verdicts, page, guards->drop, 1);
    apply(verdicts, page, guards->keep, 0); /* who asks for both wants it kept */
}

/* The verdicts to cut by: a tab is template, but its panel is not to be seen without. */
static const tmpl_verdict_t *cut_by(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                    const tmpl_guards_t *guards, apr_pool_t *pool)
{
    tmpl_verdict_t *shown = tmpl_refs_controls(verdicts, page, pool);
    if (shown != verdicts) {
        guard(shown, page, guards);
    }
    return shown;
}

void tmpl_closure(tmpl_closure_t *closure, const tmpl_page_t *page, tmpl_verdict_t *verdicts,
                  const tmpl_guards_t *guards, unsigned need, apr_pool_t *pool)
{
    closure_t c = { .page = page, .verdicts = verdicts, .need = need };
    apr_pool_t *scratch;
    *closure = (tmpl_closure_t){ .decline = TMPL_DECLINE_NONE };
    tmpl_heads(verdicts, page, pool);
    tmpl_refs_links(verdicts, page, pool);
    guard(verdicts, page, guards);
    if (!measure(closure, page, verdicts, guards->min_keep)) {
        closure->decline = TMPL_DECLINE_MIN_KEEP;
        return;
    }
    if (closure->template_blocks == 0) {
        return;
    }
    /* The sums are gone before the edits are made. */
    scratch = tmpl_scratch(page->len, pool);
    if (need == TMPL_NODE_CUT) {
        c.verdicts = cut_by(verdicts, page, guards, scratch);
        c.places = tmpl_places(page, scratch);
    }
    sum_up(&c, scratch);
    c.pool = pool;
    c.room = page->n_segments + 1;
    c.cuts = apr_palloc(pool, c.room * sizeof(*c.cuts));
    open_element(&c, 0);
    apr_pool_destroy(scratch);
    if (need == TMPL_NODE_CUT) {
        drop_joining(&c);
    }
    closure->cuts = c.cuts;
    closure->n_cuts = c.n_cuts;
}
