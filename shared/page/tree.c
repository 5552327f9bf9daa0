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
    open_t *stack; /* [0] is the root */
    uint32_t n;
    uint32_t attrs; /* attributes in front of the current token */
    tmpl_forms_t forms;
} tree_t;

/*
 * Marks the elements that hold a node that is code: they may not be cut. The search ends at a
 * shadow root, because only its host needs it.
 */
static void set_code(tmpl_page_t *page, uint32_t node)
{
    while (node != TMPL_NONE && !(page->nodes[node].flags & (TMPL_NODE_CODE | TMPL_NODE_SHADOW))) {
        page->nodes[node].flags |= TMPL_NODE_CODE;
        node = page->nodes[node].parent;
    }
}

static uint64_t path_of(uint64_t parent, uint32_t name)
{
    uint64_t h = (parent ^ name) * 0x9E3779B97F4A7C15u;
    return h ^ (h >> 29);
}

static void open_node(tree_t *t, const tmpl_token_t *token)
{
    tmpl_page_t *page = t->build->page;
    uint32_t parent = t->stack[t->n - 1].node;
    const tmpl_node_t *up = &page->nodes[parent];
    uint32_t i = page->n_nodes++;
    tmpl_node_t *node = &page->nodes[i];
    unsigned flags = tmpl_tag_flags((tmpl_tag_e)token->tag);
    while (page->attrs[t->attrs].value.start < token->span.start) {
        t->attrs++;
    }
    *node = (tmpl_node_t){ .open = token->span,
                           .parent = parent,
                           .first_segment = page->n_segments,
                           .attrs = t->attrs,
                           .path = path_of(up->path, token->name),
                           .tag = token->tag,
                           .depth = (uint16_t)(up->depth + 1),
                           .flags = token->may };
    if (token->is_paired) {
        node->close = t->build->tokens->tokens[token->end].span;
    }
    if (token->flags & TMPL_TOKEN_OPEN_VALUE) {
        node->flags = 0;
    }
    if (token->flags & TMPL_TOKEN_NAMED) {
        node->flags |= TMPL_NODE_NAMED;
    }
    if (token->flags & TMPL_TOKEN_SHADOW) {
        node->flags |= TMPL_NODE_SHADOW;
    }
    else if (flags & TMPL_IS_QUIET) {
        node->flags |= TMPL_NODE_QUIET;
    }
    if (flags & TMPL_IS_CODE) {
        set_code(page, i);
    }
    if (flags & TMPL_IS_CONTROL) {
        tmpl_form_control(&t->forms, i, token->flags & TMPL_TOKEN_IN_FORM);
    }
    if (token->tag == TMPL_TAG_FORM) {
        tmpl_form_start(&t->forms, i);
    }
    if (t->build->separators->has[token->tag]) {
        t->build->edge = 1;
    }
    if (token->tag == TMPL_TAG_IMG) {
        tmpl_segment_image(t->build, i);
    }
    t->stack[t->n++] = (open_t){ i, token->end };
}

static void close_node(tree_t *t)
{
    tmpl_page_t *page = t->build->page;
    uint32_t i = t->stack[--t->n].node;
    tmpl_node_t *node = &page->nodes[i];
    if (node->tag == TMPL_TAG_A) {
        tmpl_segment_link(t->build, i);
    }
    t->forms.open -= node->tag == TMPL_TAG_FORM;
    node->after = page->n_nodes;
    node->after_segment = page->n_segments;
    if (t->build->separators->has[node->tag]) {
        t->build->edge = 1;
    }
}

/* Closes the elements that end at the token or before it. */
static void close_ended(tree_t *t, uint32_t token)
{
    while (t->stack[t->n - 1].end <= token) {
        close_node(t);
    }
}

/* The root is body, whether or not the source has a tag for it. */
static void open_root(tree_t *t)
{
    const tmpl_tokens_t *tokens = t->build->tokens;
    tmpl_node_t root = { .parent = TMPL_NONE, .tag = TMPL_TAG_BODY, .path = t->build->opts->seed };
    if (tokens->body != TMPL_NONE) {
        root.open = tokens->tokens[tokens->body].span;
        root.flags = tokens->tokens[tokens->body].may;
        while (t->build->page->attrs[root.attrs].value.start < root.open.start) {
            root.attrs++;
        }
    }
    t->build->page->nodes[0] = root;
    t->build->page->n_nodes = 1;
    t->stack[t->n++] = (open_t){ 0, TMPL_NONE };
}

tmpl_decline_e tmpl_tree_build(tmpl_build_t *build)
{
    const tmpl_tokens_t *tokens = build->tokens;
    uint32_t max_depth = build->opts->max_depth;
    tree_t t = { .build = build, .forms = { .page = build->page, .scratch = build->scratch } };
    uint32_t at = tokens->begin;
    t.stack = apr_palloc(build->scratch, (max_depth + 2) * sizeof(*t.stack));
    build->page->nodes = apr_palloc(build->pool, (tokens->n_nodes + 1) * sizeof(tmpl_node_t));
    open_root(&t);
    for (uint32_t i = 0; i < tokens->n; i++) {
        const tmpl_token_t *token = &tokens->tokens[i];
        if (token->flags & TMPL_TOKEN_TEXT_SHOWN) {
            tmpl_segment_text(build, t.stack[t.n - 1].node, (tmpl_span_t){ at, token->span.start },
                              token->flags & TMPL_TOKEN_TEXT_MAY);
        }
        close_ended(&t, i);
        if (token->is_node && t.n > max_depth) {
            build->tokens->declined_at = token->span.start;
            return TMPL_DECLINE_TOO_DEEP;
        }
        if (token->is_node) {
            open_node(&t, token);
            close_ended(&t, i);
        }
        at = token->span.end;
    }
    if (tokens->text & TMPL_TOKEN_TEXT_SHOWN) {
        tmpl_segment_text(build, t.stack[t.n - 1].node, (tmpl_span_t){ at, tokens->text_end },
                          tokens->text & TMPL_TOKEN_TEXT_MAY);
    }
    while (t.n > 0) {
        close_node(&t);
    }
    tmpl_forms_finish(&t.forms);
    return TMPL_DECLINE_NONE;
}
