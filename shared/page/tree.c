/* SPDX-License-Identifier: Apache-2.0 */
#include "page/tree.h"

#include "html/attr.h"
#include "page/form.h"
#include "page/segment.h"

/* An element that is open. */
typedef struct {
    uint32_t node;
    uint32_t end; /* the token at which it ends */
} open_t;

typedef struct {
    tmpl_build_t *build;
    const tmpl_token_t *tokens;
    const tmpl_known_attr_t *attrs;
    uint32_t attr; /* the first attribute that is not in front of the current token */
    tmpl_node_t *nodes;
    uint32_t n_nodes;
    open_t *stack; /* [0] is the root */
    uint32_t n;
    tmpl_forms_t *forms;
} tree_tree_t;

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

/* What its tag means for a node that has been added. */
static inline void tree_read_tag(tree_tree_t *t, const tmpl_token_t *token, uint32_t i)
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
        tmpl_form_control(t->forms, i, token->flags & TMPL_TOKEN_IN_FORM);
    }
    if (token->tag == TMPL_TAG_FORM) {
        tmpl_form_start(t->forms, i);
    }
    if (token->tag == TMPL_TAG_IMG) {
        tmpl_segment_image(t->build, i);
    }
    t->build->edge |= t->build->separators->has[token->tag];
}

/* Adds a node; returns its index. */
static inline uint32_t open_node(tree_tree_t *t, const tmpl_token_t *token)
{
    uint32_t parent = t->stack[t->n - 1].node;
    const tmpl_node_t *up = &t->nodes[parent];
    uint32_t i = t->n_nodes++;
    tmpl_node_t *node = &t->nodes[i];
    while (t->attrs[t->attr].value.start < token->span.start) {
        t->attr++;
    }
    node->open = token->span;
    node->close = (tmpl_span_t){ 0, 0 };
    if (token->is_paired) {
        node->close = t->tokens[token->end].span;
    }
    node->parent = parent;
    node->first_segment = t->build->page->n_segments;
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

static inline void end_node(tree_tree_t *t, uint32_t i)
{
    tmpl_node_t *node = &t->nodes[i];
    if (node->tag == TMPL_TAG_A) {
        tmpl_segment_link(t->build, i);
    }
    else if (node->tag == TMPL_TAG_FORM) {
        t->forms->open--;
    }
    node->after = t->n_nodes;
    node->after_segment = t->build->page->n_segments;
    t->build->edge |= t->build->separators->has[node->tag];
}

/* The root is body, whether or not the source has a tag for it. */
static void open_root(tree_tree_t *t)
{
    const tmpl_tokens_t *tokens = t->build->tokens;
    tmpl_node_t root = { .parent = TMPL_NONE, .tag = TMPL_TAG_BODY, .path = t->build->opts->seed };
    if (tokens->body != TMPL_NONE) {
        root.open = tokens->tokens[tokens->body].span;
        root.flags = tokens->tokens[tokens->body].may;
        while (t->attrs[root.attrs].value.start < root.open.start) {
            root.attrs++;
        }
    }
    t->nodes[0] = root;
    t->n_nodes = 1;
    t->stack[t->n++] = (open_t){ 0, TMPL_NONE };
}

/* Adds the text from at to end, if it is displayed. */
static inline void tree_read_text(tree_tree_t *t, uint32_t at, uint32_t end, unsigned flags)
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
    tmpl_page_t *page = build->page;
    uint32_t max_depth = build->opts->max_depth;
    uint32_t n_tokens = tokens->n;
    uint32_t at = tokens->begin;
    tmpl_forms_t forms = { .page = page, .scratch = build->scratch };
    tree_tree_t t = {
        .build = build, .tokens = tokens->tokens, .attrs = page->attrs, .forms = &forms
    };
    t.stack = apr_palloc(build->scratch, (max_depth + 2) * sizeof(*t.stack));
    t.nodes = apr_palloc(build->pool, (tokens->n_nodes + 1) * sizeof(tmpl_node_t));
    page->nodes = t.nodes;
    open_root(&t);
    for (uint32_t i = 0; i < n_tokens; i++) {
        const tmpl_token_t *token = &t.tokens[i];
        tree_read_text(&t, at, token->span.start, token->flags);
        at = token->span.end;
        build->apart |= tmpl_tag_flags((tmpl_tag_e)token->tag) & SEPARATES_WORDS;
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
    page->n_nodes = t.n_nodes;
    tmpl_forms_finish(&forms);
    return TMPL_DECLINE_NONE;
}
