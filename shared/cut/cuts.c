/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of rules in the comments below are from closure.h. */
#include <string.h>

#include "base/ascii.h"
#include "cut/steps.h"

static void sum_expected(tmpl_cuts_t *c)
{
    const tmpl_page_t *page = c->page;
    c->content[0] = 0;
    c->expected[0] = 0;
    for (uint32_t s = 0; s < page->n_segments; s++) {
        const tmpl_verdict_t *v = &c->verdicts[page->segments[s].block];
        c->content[s + 1] = c->content[s] + !v->template;
        int is_asked = v->template && v->part != TMPL_PART_TEMPLATE; /* by TmplParts */
        double share = is_asked ? 0 : 1.0 - (double)v->ratio;
        c->expected[s + 1] = c->expected[s] + share * page->segments[s].length;
    }
}

/* Whether the element holds a segment, and template segments only. */
static int is_all_template(const tmpl_cuts_t *c, const tmpl_node_t *node)
{
    return node->after_segment > node->first_segment &&
           c->content[node->after_segment] == c->content[node->first_segment];
}

/* Whether the element counts as template, and rules 4 and 6 allow to cut it. */
static int is_cuttable(const tmpl_cuts_t *c, const tmpl_node_t *node)
{
    return (c->in_template || is_all_template(c, node)) && !(node->flags & TMPL_NODE_SHADOW) &&
           !(tmpl_tag_flags(node->tag) & TMPL_IS_NEVER_EDIT);
}

static int holds_half(const tmpl_cuts_t *c, const tmpl_node_t *node)
{
    return node->after_segment - node->first_segment >= 2 &&
           c->expected[node->after_segment] - c->expected[node->first_segment] >
               c->expected[c->page->n_segments] / 2;
}

/*
 * The rule that forbids to cut the element whole: 7, 8, 9, 5 or 3. In an element opened by rule 11
 * every form is whole.
 */
static tmpl_uncut_e forbidden_by(const tmpl_cuts_t *c, uint32_t element)
{
    const tmpl_node_t *node = &c->page->nodes[element];
    int strip = c->need == TMPL_NODE_CUT;
    return holds_half(c, node)                                             ? TMPL_UNCUT_HALF
           : strip && !c->in_template && (node->flags & TMPL_NODE_CONTROL) ? TMPL_UNCUT_FORM
           : c->script_refs != NULL && c->script_refs[element]             ? TMPL_UNCUT_SCRIPT
           : !(node->flags & c->need)                                      ? TMPL_UNCUT_UNSAFE
           : strip && (node->flags & TMPL_NODE_CODE)                       ? TMPL_UNCUT_CODE
                                                                           : TMPL_UNCUT_NONE;
}

/* There may be more cuts than segments: rules 3 and 11 cut elements without text. */
static void add_cut(tmpl_cuts_t *c, tmpl_span_t span, uint32_t node)
{
    if (c->n_cuts == c->room) {
        tmpl_cut_t *larger = apr_palloc(c->pool, 2 * (apr_size_t)c->room * sizeof(*larger));
        c->cuts = memcpy(larger, c->cuts, c->n_cuts * sizeof(*larger));
        c->room *= 2;
    }
    c->cuts[c->n_cuts++] = (tmpl_cut_t){ span, node };
}

/* A run of template siblings (rule 2). Each of its elements has a cut until the run ends. */
typedef struct {
    tmpl_span_t span; /* empty: no run */
    uint32_t first_cut;
    int has_text;
} sibling_run_t;

#define RUN_NONE ((sibling_run_t){ { 0, 0 }, 0, 0 })

/* Ends a run. With text among them, its siblings become one cut. */
static void end_run(tmpl_cuts_t *c, sibling_run_t *run)
{
    if (run->has_text) {
        c->n_cuts = run->first_cut;
        add_cut(c, run->span, TMPL_NONE);
    }
    *run = RUN_NONE;
}

static void extend_run(tmpl_cuts_t *c, sibling_run_t *run, tmpl_span_t span, uint32_t node)
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

static void open_element(tmpl_cuts_t *c, uint32_t parent);

/*
 * Whether rule 5 keeps a control in the element. Elements come in document order, so the search
 * goes on where the last one ended.
 */
static int holds_fixed_control(tmpl_cuts_t *c, uint32_t element)
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

/* Whether the element is a microdata item (HTML, 5.2), and not a property of another item. */
static int is_item(const tmpl_page_t *page, const tmpl_node_t *node)
{
    return tmpl_node_attr(page, node, TMPL_ATTR_ITEMSCOPE) != NULL &&
           tmpl_node_attr(page, node, TMPL_ATTR_ITEMPROP) == NULL;
}

/* Whether the element is code and a property of an item. */
static int is_property(const tmpl_page_t *page, const tmpl_node_t *node)
{
    return (node->tag == TMPL_TAG_META || node->tag == TMPL_TAG_LINK) &&
           tmpl_node_attr(page, node, TMPL_ATTR_ITEMPROP) != NULL;
}

/*
 * Rule 3. The element's tags are cut, too, because an empty element may be visible: as a bullet, a
 * box or a gap. White space is cut, too, because it would reopen formatting elements. Properties of
 * items are cut with the items, which are in the element, too (holds_property).
 */
static void cut_around_code(tmpl_cuts_t *c, uint32_t element)
{
    const tmpl_node_t *nodes = c->page->nodes;
    tmpl_span_t rest = tmpl_node_span(&nodes[element]);
    uint32_t after = nodes[element].after;
    for (uint32_t i = element; i < after;) {
        int is_code = tmpl_node_is_code(&nodes[i]);
        if (is_code && !is_property(c->page, &nodes[i])) {
            tmpl_span_t code = tmpl_node_span(&nodes[i]);
            if (code.start > rest.start) {
                add_cut(c, (tmpl_span_t){ rest.start, code.start }, element);
            }
            rest.start = code.end;
        }
        i = is_code || !(nodes[i].flags & TMPL_NODE_CODE) ? nodes[i].after : i + 1;
    }
    add_cut(c, rest, element);
}

/*
 * Whether the element holds code that is a property of an item around the element: without the
 * element it could become a property of another item.
 */
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

/* Whether rule 3 may replace the element by its code. */
static int may_leave_code(const tmpl_cuts_t *c, const tmpl_node_t *node)
{
    return !tmpl_node_is_code(node) &&
           !(tmpl_tag_flags(c->page->nodes[node->parent].tag) & TMPL_IS_TABLE) &&
           !holds_property(c->page, (uint32_t)(node - c->page->nodes));
}

/* Cuts or opens a child of an element that is not cut whole. */
static void visit_child(tmpl_cuts_t *c, uint32_t child, sibling_run_t *run)
{
    const tmpl_node_t *node = &c->page->nodes[child];
    int cuttable = is_cuttable(c, node);
    tmpl_uncut_e uncut = forbidden_by(c, child);
    if (cuttable && uncut == TMPL_UNCUT_NONE) {
        extend_run(c, run, tmpl_node_span(node), child);
        return;
    }
    if (cuttable && c->opened != NULL) {
        c->opened[child] = (unsigned char)uncut;
    }
    if (cuttable && uncut == TMPL_UNCUT_CODE && may_leave_code(c, node)) {
        end_run(c, run);
        cut_around_code(c, child);
    }
    else if (cuttable && c->need == TMPL_NODE_CUT && uncut != TMPL_UNCUT_HALF &&
             uncut != TMPL_UNCUT_FORM && (c->in_template || !holds_fixed_control(c, child))) {
        end_run(c, run);
        c->in_template++;
        open_element(c, child);
        c->in_template--;
    }
    else if (node->first_segment < node->after_segment) {
        end_run(c, run);
        open_element(c, child);
    }
    else if (uncut != TMPL_UNCUT_NONE || (node->flags & TMPL_NODE_SHADOW)) {
        end_run(c, run); /* a run may include a br or an empty element, not a script */
    }
}

/*
 * Visits a text directly in an opened element, or an image or empty link that may not be cut.
 * Returns whether it stays.
 */
static int visit_text(tmpl_cuts_t *c, uint32_t segment, sibling_run_t *run)
{
    const tmpl_segment_t *of = &c->page->segments[segment];
    if (c->verdicts[of->block].template && (of->may & TMPL_NODE_CUT)) {
        extend_run(c, run, of->span, TMPL_NONE);
        return 0;
    }
    end_run(c, run);
    return 1;
}

/* Visits the child elements and texts of parent in document order. */
static void open_element(tmpl_cuts_t *c, uint32_t parent)
{
    const tmpl_page_t *page = c->page;
    const tmpl_node_t *node = &page->nodes[parent];
    uint32_t child = parent + 1;
    uint32_t segment = node->first_segment;
    sibling_run_t run = RUN_NONE;
    int text_stays = 0; /* in front of the child */
    if (!c->in_template && c->content[node->after_segment] - c->content[node->first_segment] ==
                               node->after_segment - node->first_segment) {
        return; /* no template in it */
    }
    while (child < node->after || segment < node->after_segment) {
        if (!(node->flags & TMPL_NODE_RUN) || (c->script_refs != NULL && c->script_refs[parent])) {
            end_run(c, &run);
        }
        int text_first = segment < node->after_segment &&
                         (child >= node->after || segment < page->nodes[child].first_segment);
        if (text_first) {
            text_stays = visit_text(c, segment, &run);
            segment++;
        }
        else if (text_stays && page->nodes[child].tag == TMPL_TAG_BR) {
            child = page->nodes[child].after; /* rule 12 */
        }
        else {
            text_stays = 0;
            visit_child(c, child, &run);
            segment = page->nodes[child].after_segment;
            child = page->nodes[child].after;
        }
    }
    end_run(c, &run);
}

/* --- rule 10 --- */

/* Whether the bytes before end begin a UTF-8 sequence that more bytes would complete. */
static int is_incomplete_utf8(const char *src, uint32_t end)
{
    uint32_t p = end;
    while (p > 0 && end - p < 3 && ((unsigned char)src[p - 1] & 0xC0) == 0x80) {
        p--;
    }
    unsigned lead = p > 0 ? (unsigned char)src[p - 1] : 0;
    uint32_t want = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    return end - p < want;
}

/* Whether text that ends at end and text that begins at begin would be read as something new. */
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
    if (((unsigned char)right & 0xC0) == 0x80 && is_incomplete_utf8(page->src, end)) {
        return 1;
    }
    uint32_t p = end;
    while (p > 0 && end - p < LONGEST_REFERENCE &&
           (tmpl_is_alnum(page->src[p - 1]) || page->src[p - 1] == '#')) {
        p--;
    }
    return end - p == LONGEST_REFERENCE || (p > 0 && page->src[p - 1] == '&');
}

/*
 * Drops cuts that must not be made because of the text around them: if the cut's bytes were
 * deleted, the text in front of the cut and the text behind it could be read together as a tag, a
 * character reference, a line break or a character. "a &am" and "p; b" would become "a & b". Cuts
 * that touch each other are dropped together.
 */
static void drop_joining(tmpl_cuts_t *c)
{
    tmpl_cut_t *cuts = c->cuts;
    uint32_t kept = 0;
    for (uint32_t i = 0, next; i < c->n_cuts; i = next) {
        for (next = i + 1; next < c->n_cuts && cuts[next].span.start == cuts[next - 1].span.end;) {
            next++;
        }
        if (!would_join(c->page, cuts[i].span.start, cuts[next - 1].span.end)) {
            memmove(&cuts[kept], &cuts[i], (next - i) * sizeof(*cuts));
            kept += next - i;
        }
    }
    c->n_cuts = kept;
}

void tmpl_cuts_init(tmpl_cuts_t *c, const tmpl_page_t *page, const tmpl_verdict_t *verdicts,
                    apr_pool_t *pool, apr_pool_t *scratch)
{
    *c = (tmpl_cuts_t){ .page = page, .verdicts = verdicts, .pool = pool };
    c->content = apr_palloc(scratch, (page->n_segments + 1) * sizeof(*c->content));
    c->expected = apr_palloc(scratch, (page->n_segments + 1) * sizeof(*c->expected));
    c->room = page->n_segments + 1;
    c->cuts = apr_palloc(pool, c->room * sizeof(*c->cuts));
}

void tmpl_cuts_find(tmpl_cuts_t *c, unsigned need)
{
    c->need = need;
    c->n_cuts = 0;
    sum_expected(c);
    open_element(c, 0);
    if (need == TMPL_NODE_CUT) {
        drop_joining(c);
    }
}
