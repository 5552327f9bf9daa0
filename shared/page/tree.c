/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skeleton -> nodes, by libxml2's SAX parser. At startElement the parser stands at the '>' of the
 * start tag, at endElement and characters just behind; an event without a mark there was implied.
 */
#include <pthread.h>
#include <string.h>

#include <libxml/HTMLparser.h>

#include "page/attr.h"
#include "page/build.h"

/* One entry per element that libxml2 has open. */
typedef struct {
    uint32_t node;
    uint32_t token; /* its start tag; TMPL_NONE if it was implied: then node is its parent */
} open_t;

/* What the parser reads: the skeleton, written as it asks for more. */
typedef struct {
    tmpl_walk_t walk;
    char bytes[TMPL_MARK_BYTES]; /* the mark that is being handed over */
    uint32_t at;
    uint32_t len;
} input_t;

typedef struct {
    tmpl_build_t *build;
    htmlParserCtxtPtr parser;
    open_t *stack;
    uint32_t n;
    uint32_t room;
    uint32_t max_depth;
    tmpl_walk_t marks; /* stands at the first mark that no event has come for */
    input_t input;
    tmpl_decline_e decline;
} tree_t;

static void stop(tree_t *t, tmpl_decline_e decline)
{
    t->decline = decline;
    xmlStopParser(t->parser);
}

/* Where the parser stands in the skeleton. */
static uint32_t position(const tree_t *t)
{
    const xmlParserInput *input = t->parser->input;
    return (uint32_t)(input->consumed + (unsigned long)(input->cur - input->base));
}

static const tmpl_token_t *token_of(const tree_t *t, const tmpl_walk_t *mark)
{
    return &t->build->tokens->tokens[mark->token];
}

/*
 * The mark of the tag where the parser stands, or NULL. Marks that it has passed without a word are
 * end tags that close nothing; if there is anything else among them the page is not understood.
 */
static const tmpl_walk_t *mark_here(tree_t *t)
{
    uint32_t at = position(t);
    while (!t->marks.done && t->marks.at < at) {
        if (t->marks.is_text || token_of(t, &t->marks)->type == TMPL_TOKEN_START) {
            stop(t, TMPL_DECLINE_UNCOVERED);
            return NULL;
        }
        tmpl_walk_next(&t->marks);
    }
    return !t->marks.done && t->marks.at == at && !t->marks.is_text ? &t->marks : NULL;
}

static void push(tree_t *t, uint32_t node, uint32_t token)
{
    if (t->n == t->room) {
        open_t *grown = apr_palloc(t->build->scratch, 2 * t->room * sizeof(*grown));
        memcpy(grown, t->stack, t->n * sizeof(*grown));
        t->stack = grown;
        t->room *= 2;
    }
    t->stack[t->n++] = (open_t){ node, token };
}

/* An element may no longer be taken out if it holds code that the page may need. */
static void set_code(tmpl_page_t *page, uint32_t node)
{
    while (node != TMPL_NONE && !(page->nodes[node].flags & TMPL_NODE_CODE)) {
        page->nodes[node].flags |= TMPL_NODE_CODE;
        node = page->nodes[node].parent;
    }
}

static uint64_t path_of(uint64_t parent, uint32_t name)
{
    uint64_t h = (parent ^ name) * 0x9E3779B97F4A7C15u;
    return h ^ (h >> 29);
}

static uint32_t add_node(tree_t *t, const tmpl_token_t *token)
{
    tmpl_page_t *page = t->build->page;
    uint32_t parent = t->stack[t->n - 1].node;
    const tmpl_node_t *up = &page->nodes[parent];
    uint32_t i = page->n_nodes++;
    unsigned flags = tmpl_tag_flags((tmpl_tag_e)token->tag);
    page->nodes[i] = (tmpl_node_t){ .open = token->span,
                                    .parent = parent,
                                    .first_segment = page->n_segments,
                                    .path = path_of(up->path, token->name),
                                    .tag = token->tag,
                                    .depth = (uint16_t)(up->depth + 1),
                                    .flags = (unsigned char)(up->flags & TMPL_NODE_QUIET) };
    if (flags & TMPL_IS_QUIET) {
        page->nodes[i].flags |= TMPL_NODE_QUIET;
    }
    if (flags & TMPL_IS_CODE) {
        set_code(page, i);
    }
    if (t->build->separators->has[token->tag]) {
        t->build->edge = 1;
    }
    return i;
}

static void start_element(void *baton, const xmlChar *name, const xmlChar **attributes)
{
    tree_t *t = baton;
    const tmpl_walk_t *mark = mark_here(t);
    (void)attributes;
    if (t->decline != TMPL_DECLINE_NONE) {
        return;
    }
    if (mark == NULL || !tmpl_walk_is(mark, (const char *)name)) {
        push(t, t->stack[t->n - 1].node, TMPL_NONE);
        return;
    }
    const tmpl_token_t *token = token_of(t, mark);
    if (token->type != TMPL_TOKEN_START) {
        stop(t, TMPL_DECLINE_UNCOVERED); /* an element that an end tag opens */
        return;
    }
    uint32_t node = add_node(t, token);
    tmpl_node_t *n = &t->build->page->nodes[node];
    push(t, node, mark->token);
    tmpl_walk_next(&t->marks);
    if (n->depth > t->max_depth) {
        stop(t, TMPL_DECLINE_TOO_DEEP);
        return;
    }
    if (tmpl_tag_flags((tmpl_tag_e)n->tag) & TMPL_IS_VOID) {
        n->flags |= token->may;
    }
    if (n->tag == TMPL_TAG_IMG && !(n->flags & TMPL_NODE_QUIET)) {
        tmpl_segment_image(t->build, node);
    }
}

/* The end tag has come; if the element was balanced with this one, it is known to be safe. */
static void close_node(tree_t *t, const open_t *open, const tmpl_walk_t *mark, const xmlChar *name)
{
    const tmpl_token_t *start = &t->build->tokens->tokens[open->token];
    tmpl_node_t *node = &t->build->page->nodes[open->node];
    if (mark == NULL || token_of(t, mark)->type != TMPL_TOKEN_END ||
        !tmpl_walk_is(mark, (const char *)name)) {
        return;
    }
    node->close = token_of(t, mark)->span;
    if (start->pair == mark->token) {
        node->flags |= start->may;
    }
    tmpl_walk_next(&t->marks);
}

static void end_element(void *baton, const xmlChar *name)
{
    tree_t *t = baton;
    if (t->decline != TMPL_DECLINE_NONE || t->n <= 1) {
        return;
    }
    const tmpl_walk_t *mark = mark_here(t);
    open_t open = t->stack[--t->n];
    if (open.token == TMPL_NONE || t->decline != TMPL_DECLINE_NONE) {
        return;
    }
    tmpl_page_t *page = t->build->page;
    tmpl_node_t *node = &page->nodes[open.node];
    close_node(t, &open, mark, name);
    if (node->tag == TMPL_TAG_A && !(node->flags & TMPL_NODE_QUIET)) {
        tmpl_segment_link(t->build, open.node);
    }
    node->after = page->n_nodes;
    node->after_segment = page->n_segments;
    if (t->build->separators->has[node->tag]) {
        t->build->edge = 1;
    }
}

static void add_text(tree_t *t, uint32_t token)
{
    const tmpl_tokens_t *tokens = t->build->tokens;
    uint32_t node = t->stack[t->n - 1].node;
    if (!(t->build->page->nodes[node].flags & TMPL_NODE_QUIET)) {
        tmpl_span_t span = { token > 0 ? tokens->tokens[token - 1].span.end : tokens->begin,
                             token < tokens->n ? tokens->tokens[token].span.start
                                               : t->build->page->len };
        int may_cut = token < tokens->n ? tokens->tokens[token].text : tokens->text;
        tmpl_segment_text(t->build, node, span, may_cut);
    }
}

/* Texts that only a comment parts come as one. */
static void characters(void *baton, const xmlChar *text, int len)
{
    tree_t *t = baton;
    (void)text;
    (void)len;
    if (t->decline != TMPL_DECLINE_NONE) {
        return;
    }
    uint32_t at = position(t);
    for (; !t->marks.done && t->marks.at <= at; tmpl_walk_next(&t->marks)) {
        if (t->marks.is_text) {
            add_text(t, t->marks.token);
        }
        else if (token_of(t, &t->marks)->type == TMPL_TOKEN_START) {
            stop(t, TMPL_DECLINE_UNCOVERED);
            return;
        }
    }
}

static void init_parser(void)
{
    xmlInitParser();
}

/* libxml2's xmlInputReadCallback: up to len bytes more of the skeleton; 0 at its end. */
static int read_skeleton(void *baton, char *to, int len)
{
    input_t *in = baton;
    uint32_t room = len > 0 ? (uint32_t)len : 0;
    uint32_t n = 0;
    while (n < room) {
        if (in->at == in->len) {
            if (in->walk.done) {
                break;
            }
            in->len = tmpl_walk_bytes(&in->walk, in->bytes);
            in->at = 0;
            tmpl_walk_next(&in->walk);
        }
        uint32_t take = in->len - in->at < room - n ? in->len - in->at : room - n;
        memcpy(to + n, in->bytes + in->at, take);
        in->at += take;
        n += take;
    }
    return (int)n;
}

/* Runs a parser over the skeleton that calls us and builds nothing. False if there is no memory. */
static int run_parser(tree_t *t)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_parser);
    t->parser = htmlNewParserCtxt();
    if (t->parser == NULL) {
        return 0;
    }
    memset(t->parser->sax, 0, sizeof(*t->parser->sax));
    t->parser->sax->startElement = start_element;
    t->parser->sax->endElement = end_element;
    t->parser->sax->characters = characters;
    t->parser->sax->ignorableWhitespace = characters;
    t->parser->userData = t;
    tmpl_walk_begin(&t->marks, t->build->tokens);
    tmpl_walk_begin(&t->input.walk, t->build->tokens);
    t->input.len = sizeof(TMPL_SKELETON_HEAD) - 1;
    memcpy(t->input.bytes, TMPL_SKELETON_HEAD, t->input.len);
    htmlCtxtReadIO(t->parser, read_skeleton, NULL, &t->input, NULL, NULL,
                   HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING |
                       HTML_PARSE_NONET | HTML_PARSE_NOIMPLIED | HTML_PARSE_IGNORE_ENC);
    return 1;
}

/* The root: body, whether or not it has a tag in the source. */
static void add_root(tree_t *t)
{
    const tmpl_tokens_t *tokens = t->build->tokens;
    tmpl_node_t root = { .parent = TMPL_NONE, .tag = TMPL_TAG_BODY, .path = t->build->opts->seed };
    for (uint32_t i = 0; i < tokens->n; i++) {
        const tmpl_token_t *token = &tokens->tokens[i];
        if (token->tag == TMPL_TAG_BODY && token->type == TMPL_TOKEN_START) {
            root.open = token->span;
            root.flags = token->may;
            break;
        }
    }
    t->build->page->nodes[0] = root;
    t->build->page->n_nodes = 1;
    push(t, 0, TMPL_NONE);
}

tmpl_decline_e tmpl_tree_build(tmpl_build_t *build)
{
    tree_t t = { .build = build, .room = 64 };
    tmpl_page_t *page = build->page;
    t.max_depth = build->opts->max_depth;
    t.stack = apr_palloc(build->scratch, t.room * sizeof(*t.stack));
    page->nodes = apr_palloc(build->pool, (build->skeleton.elements + 1) * sizeof(*page->nodes));
    add_root(&t);
    if (!run_parser(&t)) {
        return TMPL_DECLINE_UNCOVERED;
    }
    /* At the end of the page, too, end tags may close nothing. */
    while (!t.marks.done && !t.marks.is_text && token_of(&t, &t.marks)->type == TMPL_TOKEN_END) {
        tmpl_walk_next(&t.marks);
    }
    if (t.decline == TMPL_DECLINE_NONE && !t.marks.done) {
        t.decline = TMPL_DECLINE_UNCOVERED;
    }
    page->nodes[0].after = page->n_nodes;
    page->nodes[0].after_segment = page->n_segments;
    htmlFreeParserCtxt(t.parser);
    return t.decline;
}
