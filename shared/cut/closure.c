/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of rules in the comments below are from closure.h. */
#include "cut/closure.h"

#include <string.h>

#include "cut/control_texts.h"
#include "cut/headings.h"
#include "cut/joined_text.h"
#include "cut/refs.h"
#include "cut/script_refs.h"

typedef struct {
    const tmpl_page_t *page;
    const tmpl_verdict_t *verdicts;
    unsigned need;
    const unsigned char *script_refs; /* from tmpl_script_refs; NULL: no element must stay */
    uint32_t *content;                /* [i]: content segments before segment i */
    double *expected; /* [i]: expected content before segment i, in bytes (rule 7) */
    tmpl_cut_t *cuts;
    uint32_t n_cuts;
    uint32_t room;
    apr_pool_t *pool;      /* pool of the cuts */
    int in_template;       /* how many elements around were opened by rule 11 */
    uint32_t next_fixed;   /* the first control, from the current node on, that rule 5 keeps */
    unsigned char *opened; /* for each element that was not cut whole: its tmpl_uncut_e; or NULL */
    unsigned char *stays;  /* for each segment: why it stays if it is in no cut; or NULL */
} closure_t;

/* The page's confidence, as closure.h defines it. */
static double confidence_of(const tmpl_page_t *page, const tmpl_verdict_t *verdicts)
{
    double kept = 0, found = 0, content = 0;
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        double length = page->blocks[b].length;
        double expected = length * (1.0 - (double)verdicts[b].ratio);
        content += expected;
        if (!verdicts[b].template) {
            kept += length;
            found += expected;
        }
    }
    return kept > 0 ? 2 * found / (kept + content) : 0.0;
}

/* Fills the page's totals. Returns why it is declined. */
static tmpl_decline_e measure(tmpl_closure_t *out, const tmpl_page_t *page,
                              const tmpl_verdict_t *verdicts, const tmpl_guards_t *guards)
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
    return out->template_blocks == 0                  ? TMPL_DECLINE_NONE
           : 1.0 - out->ratio < guards->min_keep      ? TMPL_DECLINE_MIN_KEEP
           : out->confidence < guards->min_confidence ? TMPL_DECLINE_MIN_CONFIDENCE
                                                      : TMPL_DECLINE_NONE;
}

static void sum_expected(closure_t *c)
{
    const tmpl_page_t *page = c->page;
    for (uint32_t s = 0; s < page->n_segments; s++) {
        const tmpl_verdict_t *v = &c->verdicts[page->segments[s].block];
        c->content[s + 1] = c->content[s] + !v->template;
        int is_asked = v->template && v->part != TMPL_PART_TEMPLATE; /* by TmplParts */
        double share = is_asked ? 0 : 1.0 - (double)v->ratio;
        c->expected[s + 1] = c->expected[s] + share * page->segments[s].length;
    }
}

/* Whether the element holds a segment, and template segments only. */
static int is_all_template(const closure_t *c, const tmpl_node_t *node)
{
    return node->after_segment > node->first_segment &&
           c->content[node->after_segment] == c->content[node->first_segment];
}

static int is_template_segment(const closure_t *c, uint32_t segment)
{
    return c->verdicts[c->page->segments[segment].block].template;
}

/* Whether the element counts as template, and rules 4 and 6 allow to cut it. */
static int is_cuttable(const closure_t *c, const tmpl_node_t *node)
{
    return (c->in_template || is_all_template(c, node)) && !(node->flags & TMPL_NODE_SHADOW) &&
           !(tmpl_tag_flags(node->tag) & TMPL_IS_NEVER_EDIT);
}

static int holds_half(const closure_t *c, const tmpl_node_t *node)
{
    return node->after_segment - node->first_segment >= 2 &&
           c->expected[node->after_segment] - c->expected[node->first_segment] >
               c->expected[c->page->n_segments] / 2;
}

/*
 * The rule that forbids to cut the element whole: 7, 8, 9, 5 or 3. In an element opened by rule 11
 * every form is whole.
 */
static tmpl_uncut_e forbidden_by(const closure_t *c, uint32_t element)
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
static void add_cut(closure_t *c, tmpl_span_t span, uint32_t node)
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
static void end_run(closure_t *c, sibling_run_t *run)
{
    if (run->has_text) {
        c->n_cuts = run->first_cut;
        add_cut(c, run->span, TMPL_NONE);
    }
    *run = RUN_NONE;
}

static void extend_run(closure_t *c, sibling_run_t *run, tmpl_span_t span, uint32_t node)
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

static void open_in_closure(closure_t *c, uint32_t parent);

/*
 * Whether rule 5 keeps a control in the element. Elements come in document order, so the search
 * goes on where the last one ended.
 */
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
static void cut_around_code(closure_t *c, uint32_t element)
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
static int may_leave_code(const closure_t *c, const tmpl_node_t *node)
{
    return !tmpl_node_is_code(node) &&
           !(tmpl_tag_flags(c->page->nodes[node->parent].tag) & TMPL_IS_TABLE) &&
           !holds_property(c->page, (uint32_t)(node - c->page->nodes));
}

/* Cuts or opens a child of an element that is not cut whole. */
static void visit_child(closure_t *c, uint32_t child, sibling_run_t *run)
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
        open_in_closure(c, child);
        c->in_template--;
    }
    else if (node->first_segment < node->after_segment) {
        end_run(c, run);
        open_in_closure(c, child);
    }
    else if (uncut != TMPL_UNCUT_NONE || (node->flags & TMPL_NODE_SHADOW)) {
        end_run(c, run); /* a run may include a br or an empty element, not a script */
    }
}

/*
 * Visits a text directly in an opened element, or an image or empty link that may not be cut.
 * Returns whether it stays.
 */
static int visit_text(closure_t *c, uint32_t segment, sibling_run_t *run)
{
    const tmpl_segment_t *of = &c->page->segments[segment];
    if (is_template_segment(c, segment) && (of->may & TMPL_NODE_CUT)) {
        extend_run(c, run, of->span, TMPL_NONE);
        return 0;
    }
    end_run(c, run);
    if (c->stays != NULL && is_template_segment(c, segment)) {
        c->stays[segment] = c->opened[of->node] ? c->opened[of->node] : TMPL_UNCUT_UNSAFE;
    }
    return 1;
}

/* Visits the child elements and texts of parent in document order. */
static void open_in_closure(closure_t *c, uint32_t parent)
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

/*
 * The verdicts by which strip cuts: template controls of panels that stay are content (refs.h).
 * Returns a copy from pool, or verdicts if there are no such controls. verdicts does not change:
 * for annotate and for the fingerprint the controls are template.
 */
static const tmpl_verdict_t *cut_by(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                    const tmpl_guards_t *guards, apr_pool_t *pool)
{
    tmpl_verdict_t *with_controls = tmpl_refs_controls(verdicts, page, pool);
    if (with_controls != verdicts) {
        tmpl_guards_apply(with_controls, page, guards, NULL, NULL, pool);
    }
    return with_controls;
}

/* Content that a rule has rescued from the template is BODY. */
static void drop_parts(tmpl_verdict_t *verdicts, const tmpl_page_t *page, tmpl_part_set_t without)
{
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        tmpl_verdict_t *verdict = &verdicts[b];
        if (!verdict->template && verdict->part == TMPL_PART_TEMPLATE) {
            verdict->part = TMPL_PART_BODY;
        }
        verdict->template = verdict->template || (without & TMPL_PART_BIT(verdict->part)) != 0;
    }
}

/* Makes each block's part agree with its verdict. Returns the parts that go beside template. */
static tmpl_part_set_t settle_parts(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                    tmpl_part_set_t without)
{
    tmpl_part_set_t parts = 0;
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        unsigned char *part = &verdicts[b].part;
        if (!verdicts[b].template) {
            *part = *part == TMPL_PART_TEMPLATE ? TMPL_PART_BODY : *part;
        }
        else if (without & TMPL_PART_BIT(*part)) {
            parts |= TMPL_PART_BIT(*part);
        }
        else {
            *part = TMPL_PART_TEMPLATE;
        }
    }
    return parts;
}

/*
 * Makes the tables of reasons. Strip cuts each template segment that no rule keeps, so what stays
 * without the reason of a rule before is kept by rule 10.
 */
static void begin_reasons(closure_t *c, const tmpl_verdict_t *verdicts,
                          const tmpl_verdict_t *with_controls, apr_pool_t *pool)
{
    const tmpl_page_t *page = c->page;
    c->opened = apr_pcalloc(pool, page->n_nodes * sizeof(*c->opened));
    c->stays = apr_palloc(pool, page->n_segments * sizeof(*c->stays));
    for (uint32_t s = 0; s < page->n_segments; s++) {
        uint32_t block = page->segments[s].block;
        c->stays[s] = !verdicts[block].template       ? TMPL_UNCUT_NONE
                      : is_template_segment(c, s)     ? TMPL_UNCUT_JOINED
                      : with_controls[block].template ? TMPL_UNCUT_FORM
                                                      : TMPL_UNCUT_CONTROL;
    }
}

/* Whether a span is in a cut: cuts are in order, and none is inside another. */
static int is_in_cut(const closure_t *c, tmpl_span_t span)
{
    uint32_t first = 0; /* the first cut that may end behind the span's start */
    for (uint32_t n = c->n_cuts; n > 0; n /= 2) {
        uint32_t middle = first + n / 2;
        if (c->cuts[middle].span.end <= span.start) {
            first = middle + 1;
            n -= 1;
        }
    }
    return first < c->n_cuts && c->cuts[first].span.start <= span.start &&
           span.end <= c->cuts[first].span.end;
}

/* Writes down how much of each block is cut, and why the rest stays. */
static void explain_cuts(tmpl_explain_t *explain, const closure_t *c)
{
    const tmpl_page_t *page = c->page;
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        tmpl_explain_block_t *block = &explain->blocks[b];
        uint32_t first = TMPL_NONE; /* the first segment that is in no cut */
        uint32_t n = 0;
        for (uint32_t s = page->blocks[b].first_segment; s < page->blocks[b].after_segment; s++) {
            int is = is_in_cut(c, page->segments[s].span);
            first = !is && first == TMPL_NONE ? s : first;
            n += is ? 1 : 0;
        }
        block->covered = n == 0 ? TMPL_CUT_NONE : first == TMPL_NONE ? TMPL_CUT_ALL : TMPL_CUT_PART;
        block->uncut = first == TMPL_NONE ? TMPL_UNCUT_NONE : (tmpl_uncut_e)c->stays[first];
    }
}

/* Fills c->cuts by c->verdicts. */
static void find_cuts(closure_t *c, unsigned need)
{
    c->need = need;
    c->n_cuts = 0;
    sum_expected(c);
    open_in_closure(c, 0);
    if (need == TMPL_NODE_CUT) {
        c->n_cuts = tmpl_joined_text_drop(c->cuts, c->n_cuts, c->page);
    }
}

/* Texts that stay may keep their boxes, and controls in these: few pages need two tries. */
#define MOST_TRIES 3

/*
 * What strip leaves says which controls stay: their texts become content. Returns whether the cuts
 * are those of strip.
 */
static int keep_control_texts(closure_t *c, const tmpl_guards_t *guards, apr_pool_t *scratch)
{
    for (int i = 0; i < MOST_TRIES; i++) {
        find_cuts(c, TMPL_NODE_CUT);
        tmpl_verdict_t *with_texts =
            tmpl_control_texts(c->verdicts, c->page, c->cuts, c->n_cuts, scratch);
        if (with_texts == NULL) {
            return 1;
        }
        tmpl_guards_apply(with_texts, c->page, guards, NULL, NULL, scratch);
        c->verdicts = with_texts;
    }
    return 0;
}

/* Fills the closure's cuts. */
static void cut(tmpl_closure_t *closure, const tmpl_page_t *page, tmpl_verdict_t *verdicts,
                const tmpl_guards_t *guards, unsigned need, tmpl_explain_t *explain,
                apr_pool_t *pool)
{
    closure_t c = { .page = page, .verdicts = verdicts, .pool = pool };
    /* scratch is freed before the edits are made */
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    if (need == TMPL_NODE_CUT) {
        c.verdicts = cut_by(verdicts, page, guards, scratch);
        c.script_refs = tmpl_script_refs(page, scratch);
    }
    const tmpl_verdict_t *with_controls = c.verdicts;
    c.content = apr_pcalloc(scratch, (page->n_segments + 1) * sizeof(*c.content));
    c.expected = apr_pcalloc(scratch, (page->n_segments + 1) * sizeof(*c.expected));
    c.room = page->n_segments + 1;
    c.cuts = apr_palloc(pool, c.room * sizeof(*c.cuts));
    int are_strips = guards->control_texts && keep_control_texts(&c, guards, scratch);
    if (explain != NULL) {
        begin_reasons(&c, verdicts, with_controls, scratch);
    }
    if (!are_strips || need != TMPL_NODE_CUT || explain != NULL) {
        find_cuts(&c, need);
    }
    if (explain != NULL) {
        explain_cuts(explain, &c);
    }
    apr_pool_destroy(scratch);
    closure->cuts = c.cuts;
    closure->n_cuts = c.n_cuts;
}

void tmpl_closure(tmpl_closure_t *closure, const tmpl_page_t *page, tmpl_verdict_t *verdicts,
                  const tmpl_guards_t *guards, unsigned need, tmpl_explain_t *explain,
                  apr_pool_t *pool)
{
    *closure = (tmpl_closure_t){ .verdicts = verdicts, .decline = TMPL_DECLINE_NONE };
    closure->confidence = confidence_of(page, verdicts);
    tmpl_explain_note(explain, page, verdicts, TMPL_RULE_DETECTOR);
    drop_parts(verdicts, page, guards->without);
    tmpl_explain_note(explain, page, verdicts, TMPL_RULE_PARTS);
    tmpl_headings(verdicts, page, pool);
    tmpl_explain_note(explain, page, verdicts, TMPL_RULE_HEADING);
    tmpl_refs_links(verdicts, page, pool);
    tmpl_explain_note(explain, page, verdicts, TMPL_RULE_LINKS);
    drop_parts(verdicts, page, guards->without);
    tmpl_explain_note(explain, page, verdicts, TMPL_RULE_PARTS);
    closure->matched = tmpl_guards_apply(verdicts, page, guards, &closure->decline, explain, pool);
    closure->parts = settle_parts(verdicts, page, guards->without);
    tmpl_explain_note(explain, page, verdicts, TMPL_RULE_PARTS); /* verdicts are as they were */
    int guarded = closure->decline == TMPL_DECLINE_NONE;
    closure->decline = measure(closure, page, verdicts, guards);
    if (!guarded) {
        closure->decline = TMPL_DECLINE_XPATH;
    }
    if (closure->decline == TMPL_DECLINE_NONE && closure->template_blocks > 0) {
        cut(closure, page, verdicts, guards, need, explain, pool);
    }
}
