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
    tmpl_node_t *nodes;
    open_t *stack; /* [0] is the root */
    uint32_t n;
    const tmpl_known_attr_t *attr; /* the first one that is not in front of the current token */
    tmpl_forms_t *forms;
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

/* What its tag means for a node that has been added. */
static inline void read_tag(tree_t *t, const tmpl_token_t *token, uint32_t i)
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
static inline uint32_t open_node(tree_t *t, const tmpl_token_t *token)
{
    tmpl_page_t *page = t->build->page;
    uint32_t parent = t->stack[t->n - 1].node;
    const tmpl_node_t *up = &t->nodes[parent];
    uint32_t i = page->n_nodes++;
    unsigned flags = token->flags & TMPL_TOKEN_OPEN_VALUE ? 0 : token->may;
    while (t->attr->value.start < token->span.start) {
        t->attr++;
    }
    t->nodes[i] = (tmpl_node_t){
        .open = token->span,
        .close = token->is_paired ? t->build->tokens->tokens[token->end].span : (tmpl_span_t){ 0 },
        .parent = parent,
        .first_segment = page->n_segments,
        .attrs = (uint32_t)(t->attr - page->attrs),
        .path = tmpl_path_mix(up->path, token->name),
        .tag = token->tag,
        .depth = (uint16_t)(up->depth + 1),
        .flags = (unsigned char)(flags | (token->flags & TMPL_TOKEN_NAMED ? TMPL_NODE_NAMED : 0)),
    };
    read_tag(t, token, i);
    return i;
}

static inline void end_node(tree_t *t, uint32_t i)
{
    tmpl_page_t *page = t->build->page;
    tmpl_node_t *node = &t->nodes[i];
    if (node->tag == TMPL_TAG_A) {
        tmpl_segment_link(t->build, i);
    }
    t->forms->open -= node->tag == TMPL_TAG_FORM;
    node->after = page->n_nodes;
    node->after_segment = page->n_segments;
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
        while (t->build->page->attrs[root.attrs].value.start < root.open.start) {
            root.attrs++;
        }
    }
    t->nodes[0] = root;
    t->build->page->n_nodes = 1;
    t->stack[t->n++] = (open_t){ 0, TMPL_NONE };
}

/* Adds the text between two tokens, if it is displayed. */
static inline void read_text(tree_t *t, tmpl_span_t span, unsigned flags)
{
    if (flags & TMPL_TOKEN_TEXT_SHOWN) {
        tmpl_segment_text(t->build, t->stack[t->n - 1].node, span, flags & TMPL_TOKEN_TEXT_MAY);
    }
    else if (tmpl_span_len(span) > 0) {
        t->build->apart = 1;
    }
}

tmpl_decline_e tmpl_tree_build(tmpl_build_t *build)
{
    const tmpl_tokens_t *tokens = build->tokens;
    uint32_t max_depth = build->opts->max_depth;
    tmpl_forms_t forms = { .page = build->page, .scratch = build->scratch };
    tree_t t = { .build = build, .attr = build->page->attrs, .forms = &forms };
    uint32_t at = tokens->begin;
    t.stack = apr_palloc(build->scratch, (max_depth + 2) * sizeof(*t.stack));
    t.nodes = apr_palloc(build->pool, (tokens->n_nodes + 1) * sizeof(tmpl_node_t));
    build->page->nodes = t.nodes;
    open_root(&t);
    for (uint32_t i = 0; i < tokens->n; i++) {
        const tmpl_token_t *token = &tokens->tokens[i];
        read_text(&t, (tmpl_span_t){ at, token->span.start }, token->flags);
        build->apart |= tmpl_tag_flags((tmpl_tag_e)token->tag) & SEPARATES_WORDS;
        while (t.stack[t.n - 1].end <= i) {
            end_node(&t, t.stack[--t.n].node);
        }
        if (token->is_node) {
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
        at = token->span.end;
    }
    read_text(&t, (tmpl_span_t){ at, tokens->text_end }, tokens->text);
    while (t.n > 0) {
        end_node(&t, t.stack[--t.n].node);
    }
    tmpl_forms_finish(&forms);
    return TMPL_DECLINE_NONE;
}
