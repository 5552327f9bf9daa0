/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens -> nodes of a page.
 *
 * A form and its controls may stand apart in the tree. The form owner of a control (HTML,
 * 4.10.17.3) is the first of these:
 *   - the form that the control's attribute form names;
 *   - the form that HTML5's form element pointer points to at the control's start tag: in tables,
 *     and where end tags cross, the pointer outlives the form's element;
 *   - the form around the control.
 * Elements that hold a control but not its form, or the form but not the control, get
 * TMPL_NODE_CONTROL.
 */
#include <apr_strings.h>

#include "html/attr.h"
#include "page/build.h"

/* An element that is open. */
typedef struct {
    uint32_t node;
    uint32_t end; /* the token at which it ends */
} open_t;

/* A form, and which of its ancestors have TMPL_NODE_CONTROL because a control is outside. */
typedef struct {
    uint32_t node;
    uint32_t noted; /* the form and its ancestors below this node have the flag */
} form_t;

typedef struct {
    uint32_t node;
    tmpl_span_t form; /* the id of its form */
} named_control_t;

typedef struct {
    tmpl_build_t *build;
    tmpl_page_t *page;
    const tmpl_token_t *tokens;
    uint32_t attr; /* the first attribute that is not in front of the current token */
    tmpl_node_t *nodes;
    open_t *stack; /* [0] is the root */
    uint32_t n;
    form_t last_form;          /* the one opened last: only it can be the form element pointer */
    uint32_t open_forms;       /* number of open forms */
    apr_array_header_t *named; /* controls with an attribute form: named_control_t */
} tree_t;

/* Tags that separate words: of elements that are not inline. */
#define SEPARATES_WORDS (TMPL_IS_SPECIAL | TMPL_IS_CLOSES_P)

/*
 * Marks the elements that hold a node that is code: they may not be cut. The search ends at a
 * shadow root, because only its host needs it.
 */
static void set_code(tmpl_node_t *nodes, uint32_t node)
{
    while (node != TMPL_NONE && !(nodes[node].flags & (TMPL_NODE_CODE | TMPL_NODE_SHADOW))) {
        nodes[node].flags |= TMPL_NODE_CODE;
        node = nodes[node].parent;
    }
}

/* --- forms --- */

/* Whether node is `other` or holds it. A node that is still open holds all later nodes so far. */
static int holds(const tmpl_node_t *nodes, uint32_t node, uint32_t other)
{
    return node <= other && (nodes[node].after == 0 || other < nodes[node].after);
}

static void note_owner(tmpl_node_t *nodes, form_t *form, uint32_t control)
{
    uint32_t i = control;
    for (; !holds(nodes, i, form->node); i = nodes[i].parent) {
        nodes[i].flags |= TMPL_NODE_CONTROL;
    }
    for (; form->noted > i; form->noted = nodes[form->noted].parent) {
        nodes[form->noted].flags |= TMPL_NODE_CONTROL;
    }
}

/* has_pointer says that the form element pointer points to a form: the one opened last. */
static void read_control(tree_t *t, uint32_t control, int has_pointer)
{
    const tmpl_known_attr_t *form = tmpl_node_attr(t->page, &t->nodes[control], TMPL_ATTR_FORM);
    if (form != NULL) {
        APR_ARRAY_PUSH(t->named, named_control_t) = (named_control_t){ control, form->value };
    }
    else if (has_pointer) {
        note_owner(t->nodes, &t->last_form, control);
    }
    else if (t->open_forms > 0) {
        uint32_t around = t->nodes[control].parent;
        while (t->nodes[around].tag != TMPL_TAG_FORM) {
            around = t->nodes[around].parent;
        }
        note_owner(t->nodes, &(form_t){ around, around }, control);
    }
}

/* Finds the forms that controls name, once all nodes are there: the first with that id. */
static void read_named_controls(const tree_t *t)
{
    if (t->named->nelts == 0) {
        return;
    }
    const char *src = t->page->src;
    apr_pool_t *scratch = t->build->scratch;
    apr_hash_t *by_id = tmpl_hash_make(scratch);
    for (uint32_t i = t->page->n_nodes; i-- > 0;) {
        const tmpl_known_attr_t *id = t->nodes[i].tag == TMPL_TAG_FORM
                                          ? tmpl_node_attr(t->page, &t->nodes[i], TMPL_ATTR_ID)
                                          : NULL;
        if (id != NULL) {
            form_t *form = apr_pmemdup(scratch, &(form_t){ i, i }, sizeof(*form));
            apr_hash_set(by_id, src + id->value.start, tmpl_span_len(id->value), form);
        }
    }
    for (int i = 0; i < t->named->nelts; i++) {
        const named_control_t *named = &APR_ARRAY_IDX(t->named, i, named_control_t);
        form_t *form = apr_hash_get(by_id, src + named->form.start, tmpl_span_len(named->form));
        if (form != NULL) {
            note_owner(t->nodes, form, named->node);
        }
    }
}

/* --- nodes --- */

/* What its tag means for a node that has been added. */
static inline void tree_read_tag(tree_t *t, const tmpl_token_t *token, uint32_t i)
{
    unsigned flags = tmpl_tag_flags((tmpl_tag_e)token->tag);
    if (token->flags & TMPL_TOKEN_SHADOW) {
        t->nodes[i].flags |= TMPL_NODE_SHADOW;
    }
    else if (flags & TMPL_IS_QUIET) {
        t->nodes[i].flags |= TMPL_NODE_QUIET;
    }
    if (flags & TMPL_IS_CODE) {
        set_code(t->nodes, i);
    }
    if (flags & TMPL_IS_CONTROL) {
        read_control(t, i, token->flags & TMPL_TOKEN_IN_FORM);
    }
    if (token->tag == TMPL_TAG_FORM) {
        t->last_form = (form_t){ i, i };
        t->open_forms++;
    }
    if (token->tag == TMPL_TAG_IMG) {
        tmpl_segment_image(t->build, i);
    }
    t->build->edge |= t->build->separators->has[token->tag];
}

/* Adds a node; returns its index. */
static inline uint32_t open_node(tree_t *t, const tmpl_token_t *token)
{
    uint32_t parent = t->stack[t->n - 1].node;
    const tmpl_node_t *up = &t->nodes[parent];
    uint32_t i = t->page->n_nodes++;
    tmpl_node_t *node = &t->nodes[i];
    while (t->page->attrs[t->attr].value.start < token->span.start) {
        t->attr++;
    }
    node->open = token->span;
    node->close = (tmpl_span_t){ 0, 0 };
    if (token->is_paired) {
        node->close = t->tokens[token->end].span;
    }
    node->parent = parent;
    node->first_segment = t->page->n_segments;
    node->after = 0;
    node->attrs = t->attr;
    node->path = tmpl_path_mix(up->path, token->name);
    node->depth = (uint16_t)(up->depth + 1);
    node->tag = token->tag;
    node->flags = token->flags & TMPL_TOKEN_OPEN_VALUE ? 0 : token->may;
    if (token->flags & TMPL_TOKEN_NAMED) {
        node->flags |= TMPL_NODE_NAMED;
    }
    tree_read_tag(t, token, i);
    return i;
}

static inline void end_node(tree_t *t, uint32_t i)
{
    tmpl_node_t *node = &t->nodes[i];
    if (node->tag == TMPL_TAG_A) {
        tmpl_segment_link(t->build, i);
    }
    else if (node->tag == TMPL_TAG_FORM) {
        t->open_forms--;
    }
    node->after = t->page->n_nodes;
    node->after_segment = t->page->n_segments;
    t->build->edge |= t->build->separators->has[node->tag];
}

/* The root is body, whether or not the source has a tag for it. */
static void open_root(tree_t *t)
{
    const tmpl_tokens_t *tokens = t->build->tokens;
    tmpl_node_t root = { .parent = TMPL_NONE, .tag = TMPL_TAG_BODY, .path = t->build->opts->seed };
    if (tokens->body != TMPL_NONE) {
        root.open = tokens->tokens[tokens->body].span;
        root.flags = tokens->tokens[tokens->body].may;
        while (t->page->attrs[root.attrs].value.start < root.open.start) {
            root.attrs++;
        }
    }
    t->nodes[0] = root;
    t->page->n_nodes = 1;
    t->stack[t->n++] = (open_t){ 0, TMPL_NONE };
}

/* Adds the text from at to end, if it is displayed. */
static inline void tree_read_text(tree_t *t, uint32_t at, uint32_t end, unsigned flags)
{
    if (flags & TMPL_TOKEN_TEXT_SHOWN) {
        tmpl_segment_text(t->build, t->stack[t->n - 1].node, (tmpl_span_t){ at, end },
                          flags & TMPL_TOKEN_TEXT_MAY);
    }
    else if (at < end) {
        t->build->apart = 1;
    }
}

tmpl_decline_e tmpl_tree_build(tmpl_build_t *build)
{
    const tmpl_tokens_t *tokens = build->tokens;
    uint32_t max_depth = build->opts->max_depth;
    uint32_t n_tokens = tokens->n;
    uint32_t at = tokens->begin;
    tree_t t = { .build = build, .page = build->page, .tokens = tokens->tokens };
    t.named = apr_array_make(build->scratch, 0, sizeof(named_control_t));
    t.stack = apr_palloc(build->scratch, (max_depth + 2) * sizeof(*t.stack));
    t.nodes = apr_palloc(build->pool, (tokens->n_nodes + 1) * sizeof(tmpl_node_t));
    build->page->nodes = t.nodes;
    open_root(&t);
    for (uint32_t i = 0; i < n_tokens; i++) {
        const tmpl_token_t *token = &t.tokens[i];
        tree_read_text(&t, at, token->span.start, token->flags);
        at = token->span.end;
        build->apart |= token->tag != TMPL_TAG_WBR
                            ? tmpl_tag_flags((tmpl_tag_e)token->tag) & SEPARATES_WORDS
                            : 0;
        while (t.stack[t.n - 1].end <= i) {
            end_node(&t, t.stack[--t.n].node);
        }
        if (!token->is_node) {
            continue;
        }
        if (t.n > max_depth) {
            build->tokens->declined_at = token->span.start;
            return TMPL_DECLINE_TOO_DEEP;
        }
        uint32_t node = open_node(&t, token);
        if (token->end <= i) {
            end_node(&t, node);
        }
        else {
            t.stack[t.n++] = (open_t){ node, token->end };
        }
    }
    tree_read_text(&t, at, tokens->text_end, tokens->text);
    while (t.n > 0) {
        end_node(&t, t.stack[--t.n].node);
    }
    read_named_controls(&t);
    return TMPL_DECLINE_NONE;
}
