/* SPDX-License-Identifier: Apache-2.0 */
#include "cut/steps.h"

#include "base/hash.h"
#include "html/attr.h"

/* Blocks for each control: a form has headings and notes between its fields, a field has a hint. */
#define FORM_BLOCKS  4
#define FIELD_BLOCKS 2

/* What has been done with an element. */
enum {
    PASSED = 1, /* it is, or is around, a control that stays */
    ASKED = 2   /* what is beside a field was looked for in it */
};

typedef struct {
    const tmpl_page_t *page;
    apr_array_header_t *controls; /* uint32_t: those that stay, in order */
    unsigned char *done;          /* for each element */
    int32_t *around; /* [i]: how many more taken elements are around segment i than around i - 1 */
    apr_hash_t *texts;    /* ids of elements that are texts of controls; NULL: none */
    apr_hash_t *labelled; /* ids of controls; NULL: none */
    apr_pool_t *scratch;
} control_texts_t;

static int is_hidden_control(const tmpl_page_t *page, const tmpl_node_t *node)
{
    tmpl_attr_t type;
    return node->tag == TMPL_TAG_INPUT && tmpl_attr_find(&type, page->src, node->open, "type") &&
           tmpl_span_is(page->src, type.value, "hidden");
}

/* Whether a script has asked for a piece of a page, as it seems: no page has neither. */
static int is_fragment(const tmpl_page_t *page)
{
    return tmpl_span_len(page->nodes[0].open) == 0 && tmpl_span_len(page->title) == 0;
}

static void find_staying(control_texts_t *t, const tmpl_cut_t *cuts, uint32_t n_cuts)
{
    const tmpl_page_t *page = t->page;
    uint32_t cut = is_fragment(page) ? n_cuts : 0;
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        if (!(tmpl_tag_flags(node->tag) & TMPL_IS_CONTROL)) {
            continue;
        }
        while (cut < n_cuts && cuts[cut].span.end <= node->open.start) {
            cut++;
        }
        if ((cut == n_cuts || node->open.start < cuts[cut].span.start) &&
            !is_hidden_control(page, node)) {
            APR_ARRAY_PUSH(t->controls, uint32_t) = i;
        }
    }
}

/* The texts in an element are content. Elements may be very many, and in each other. */
static void take(control_texts_t *t, uint32_t element)
{
    t->around[t->page->nodes[element].first_segment]++;
    t->around[t->page->nodes[element].after_segment]--;
}

/* A copy of verdicts in which what was taken is content; NULL: it was. */
static tmpl_verdict_t *with_taken(const control_texts_t *t, const tmpl_verdict_t *verdicts,
                                  apr_pool_t *pool)
{
    tmpl_verdict_t *copy = NULL;
    int32_t around = 0;
    for (uint32_t s = 0; s < t->page->n_segments; s++) {
        uint32_t block = t->page->segments[s].block;
        around += t->around[s];
        if (around > 0 && copy == NULL && verdicts[block].template) {
            copy = apr_pmemdup(pool, verdicts, t->page->n_blocks * sizeof(*verdicts));
        }
        if (around > 0 && copy != NULL) {
            copy[block].template = 0;
        }
    }
    return copy;
}

/* The controls in front of a node. */
static uint32_t controls_before(const control_texts_t *t, uint32_t node)
{
    const uint32_t *controls = (const uint32_t *)t->controls->elts;
    uint32_t first = 0;
    for (uint32_t n = (uint32_t)t->controls->nelts; n > 0; n /= 2) {
        uint32_t middle = first + n / 2;
        if (controls[middle] < node) {
            first = middle + 1;
            n -= 1;
        }
    }
    return first;
}

static int holds_landmark(const tmpl_page_t *page, uint32_t element)
{
    static const unsigned char is_landmark[TMPL_TAG_COUNT] = {
        [TMPL_TAG_ARTICLE] = 1,
        [TMPL_TAG_MAIN] = 1,
        [TMPL_TAG_NAV] = 1,
    };
    for (uint32_t i = element + 1; i < page->nodes[element].after; i++) {
        if (is_landmark[page->nodes[i].tag]) {
            return 1;
        }
    }
    return 0;
}

/* Whether an element with text is more of a form, or of a field, than of a page. */
static int is_about_controls(const control_texts_t *t, uint32_t element, uint64_t most)
{
    const tmpl_node_t *node = &t->page->nodes[element];
    const tmpl_segment_t *segments = t->page->segments;
    uint32_t blocks = segments[node->after_segment - 1].block - segments[node->first_segment].block;
    uint32_t controls = controls_before(t, node->after) - controls_before(t, element);
    return blocks < most * controls &&
           !(node->tag == TMPL_TAG_FORM && holds_landmark(t->page, element));
}

/* Rule 5. */
static void take_parts_of_form(control_texts_t *t, uint32_t form)
{
    static const unsigned char is_part[TMPL_TAG_COUNT] = {
        [TMPL_TAG_BUTTON] = 1, [TMPL_TAG_LABEL] = 1,  [TMPL_TAG_LEGEND] = 1,
        [TMPL_TAG_METER] = 1,  [TMPL_TAG_OUTPUT] = 1,
    };
    for (uint32_t i = form + 1; i < t->page->nodes[form].after; i++) {
        if (is_part[t->page->nodes[i].tag]) {
            take(t, i);
        }
    }
}

static void take_summaries(control_texts_t *t, uint32_t details)
{
    const tmpl_node_t *nodes = t->page->nodes;
    for (uint32_t i = details + 1; i < nodes[details].after; i = nodes[i].after) {
        if (nodes[i].tag == TMPL_TAG_SUMMARY) {
            take(t, i);
        }
    }
}

static void add_id(control_texts_t *t, apr_hash_t **ids, const char *id, apr_ssize_t len)
{
    if (*ids == NULL) {
        *ids = tmpl_hash_make(t->scratch);
    }
    apr_hash_set(*ids, id, len, "");
}

/* Adds the ids that an attribute names, with white space between them. */
static void add_text_ids(control_texts_t *t, const tmpl_node_t *node, const char *attribute)
{
    const char *src = t->page->src;
    tmpl_attr_t attr;
    if (!tmpl_attr_find(&attr, src, node->open, attribute)) {
        return;
    }
    for (uint32_t at = attr.value.start; at < attr.value.end;) {
        uint32_t start = tmpl_behind_space(src, at, attr.value.end);
        for (at = start; at < attr.value.end && !tmpl_is_space(src[at]);) {
            at++;
        }
        add_id(t, &t->texts, src + start, at - start);
    }
}

/* The innermost element with text around a field. */
static void take_beside(control_texts_t *t, uint32_t field)
{
    const tmpl_node_t *nodes = t->page->nodes;
    uint32_t i = nodes[field].parent;
    for (; !(t->done[i] & ASKED); i = nodes[i].parent) {
        t->done[i] |= ASKED;
        if (nodes[i].first_segment < nodes[i].after_segment) {
            if ((nodes[i].flags & TMPL_NODE_CONTROL) && is_about_controls(t, i, FIELD_BLOCKS)) {
                take(t, i);
            }
            return;
        }
    }
}

/* Goes up from a control to the first element that another control has passed. */
static void pass_up(control_texts_t *t, uint32_t control)
{
    const tmpl_page_t *page = t->page;
    take(t, control);
    for (uint32_t i = control; i != 0 && !(t->done[i] & PASSED); i = page->nodes[i].parent) {
        const tmpl_node_t *node = &page->nodes[i];
        int is_form = node->tag == TMPL_TAG_FORM;
        t->done[i] |= PASSED;
        add_text_ids(t, node, "aria-labelledby");
        add_text_ids(t, node, "aria-describedby");
        if (node->tag == TMPL_TAG_LABEL) {
            take(t, i);
        }
        if (node->tag == TMPL_TAG_DETAILS) {
            take_summaries(t, i);
        }
        if ((is_form || node->tag == TMPL_TAG_FIELDSET) &&
            node->first_segment < node->after_segment) {
            if (is_about_controls(t, i, FORM_BLOCKS)) {
                take(t, i);
            }
            else if (is_form) {
                take_parts_of_form(t, i);
            }
        }
    }
}

/* The texts that ids name: labels, and what aria attributes refer to. */
static void take_named(control_texts_t *t)
{
    const tmpl_page_t *page = t->page;
    for (uint32_t i = 1; i < page->n_nodes && (t->texts != NULL || t->labelled != NULL); i++) {
        const tmpl_node_t *node = &page->nodes[i];
        const tmpl_known_attr_t *id =
            t->texts != NULL ? tmpl_node_attr(page, node, TMPL_ATTR_ID) : NULL;
        tmpl_attr_t of;
        if ((id != NULL &&
             apr_hash_get(t->texts, page->src + id->value.start, tmpl_span_len(id->value))) ||
            (node->tag == TMPL_TAG_LABEL && t->labelled != NULL &&
             tmpl_attr_find(&of, page->src, node->open, "for") &&
             apr_hash_get(t->labelled, page->src + of.value.start, tmpl_span_len(of.value)))) {
            take(t, i);
        }
    }
}

static void take_texts_of(control_texts_t *t, uint32_t control)
{
    const tmpl_node_t *node = &t->page->nodes[control];
    const tmpl_known_attr_t *id = tmpl_node_attr(t->page, node, TMPL_ATTR_ID);
    if (id != NULL) {
        add_id(t, &t->labelled, t->page->src + id->value.start, tmpl_span_len(id->value));
    }
    pass_up(t, control);
    if (node->tag != TMPL_TAG_BUTTON) {
        take_beside(t, control);
    }
}

tmpl_verdict_t *tmpl_control_texts(const tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                   const tmpl_cut_t *cuts, uint32_t n, apr_pool_t *pool)
{
    control_texts_t t = { .page = page };
    tmpl_verdict_t *with = NULL;
    apr_pool_create(&t.scratch, pool);
    t.controls = apr_array_make(t.scratch, 16, sizeof(uint32_t));
    find_staying(&t, cuts, n);
    if (t.controls->nelts > 0) {
        t.done = apr_pcalloc(t.scratch, page->n_nodes);
        t.around = apr_pcalloc(t.scratch, (page->n_segments + 1) * sizeof(*t.around));
        for (int c = 0; c < t.controls->nelts; c++) {
            take_texts_of(&t, APR_ARRAY_IDX(t.controls, c, uint32_t));
        }
        take_named(&t);
        with = with_taken(&t, verdicts, pool);
    }
    apr_pool_destroy(t.scratch);
    return with;
}
