/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include <gumbo.h>

#include "html/construct.h"
#include "rewrite/rewrite.h"

static const tmpl_mark_t presets[] = {
#define PRESET(...) { __VA_ARGS__ },
    TMPL_MARKS(PRESET)
#undef PRESET
};
#define PRESETS (sizeof(presets) / sizeof(presets[0]))

const tmpl_marks_t *oracle_all_marks(apr_pool_t *pool)
{
    tmpl_marks_t *marks = NULL;
    for (size_t i = 0; i < PRESETS; i++) {
        tmpl_marks_add(&marks, presets[i].name, NULL, pool);
    }
    tmpl_marks_add(&marks, "data-x-tmpl=own", NULL, pool);
    tmpl_marks_add(&marks, "<!--x-tmpl own--><!--x-tmpl /own-->", NULL, pool);
    return marks;
}

/* Foreign marks are left out of both trees, and the marks of presets. */
typedef enum { WITHOUT_MARKS, WITHOUT_MARKED } filter_e;

typedef struct {
    FILE *out;
    filter_e filter;
    int in_text;
    int in_run;
} writer_t;

static int is_mark(const GumboNode *node, const char *text)
{
    return node->type == GUMBO_NODE_COMMENT && strcmp(node->v.text.text, text) == 0;
}

/* Whether a comment, with its delimiters, has that text. */
static int is_text_of(const char *comment, const char *text)
{
    size_t len = strlen(text);
    return strlen(comment) == len + strlen("<!---->") && memcmp(comment + 4, text, len) == 0;
}

static int is_mark_attribute(const char *name)
{
    for (size_t i = 0; i < PRESETS; i++) {
        if (strcmp(name, presets[i].attribute) == 0) {
            return 1;
        }
    }
    return strcmp(name, "data-x-tmpl") == 0;
}

/* A comment that may be in one tree only, or differ between the trees. */
static int is_passed_over(const GumboNode *node)
{
    if (node->type != GUMBO_NODE_COMMENT) {
        return 0;
    }
    const char *text = node->v.text.text;
    for (size_t i = 0; i < PRESETS; i++) {
        if (is_text_of(presets[i].begin, text) || is_text_of(presets[i].end, text)) {
            return 1;
        }
    }
    text += *text == '?'; /* <?tmpl> */
    while (*text != '\0' && ((unsigned char)*text <= ' ' || (unsigned char)*text >= 0x7F)) {
        text++; /* what a reader may trim */
    }
    text += *text == '/';
    text += strncmp(text, "x-", 2) == 0 ? 2 : 0; /* a foreign mark, renamed */
    return *node->v.text.text == '\0' || strncmp(text, "tmpl", 4) == 0;
}

static void write_attributes(writer_t *w, const GumboElement *element)
{
    for (unsigned i = 0; i < element->attributes.length; i++) {
        const GumboAttribute *a = element->attributes.data[i];
        if (is_mark_attribute(a->name)) {
            continue;
        }
        fprintf(w->out, " %s=\"%s\"", a->name, a->value);
    }
}

static void write_node(writer_t *w, const GumboNode *node);

static int has(const GumboNode *node, const char *name)
{
    return gumbo_get_attribute(&node->v.element.attributes, name) != NULL;
}

/*
 * What remains of an element that is cut except for its code. The page has no nodes in quiet
 * elements. meta and link with an itemprop are cut with their item.
 */
static void write_code(writer_t *w, const GumboNode *node, int in_item)
{
    const GumboVector *children = &node->v.element.children;
    in_item |= has(node, "itemscope") && !has(node, "itemprop");
    for (unsigned i = 0; i < children->length; i++) {
        const GumboNode *child = children->data[i];
        if (child->type == GUMBO_NODE_ELEMENT || child->type == GUMBO_NODE_TEMPLATE) {
            GumboTag tag = child->v.element.tag;
            const char *name = gumbo_normalized_tagname(tag);
            unsigned flags = tmpl_tag_flags(tmpl_tag_find(name, strlen(name)));
            int is_property = in_item && (tag == GUMBO_TAG_META || tag == GUMBO_TAG_LINK) &&
                              has(child, "itemprop");
            if ((flags & TMPL_IS_CODE) && !is_property) {
                write_node(w, child);
            }
            else if (!(flags & TMPL_IS_QUIET)) {
                write_code(w, child, in_item);
            }
        }
    }
}

static void write_children(writer_t *w, const GumboVector *children)
{
    for (unsigned i = 0; i < children->length; i++) {
        const GumboNode *child = children->data[i];
        if (w->filter == WITHOUT_MARKED && (is_mark(child, "tmpl") || is_mark(child, "/tmpl"))) {
            w->in_run = is_mark(child, "tmpl");
        }
        else if (!w->in_run && !is_passed_over(child)) {
            write_node(w, child);
        }
    }
    if (w->in_run) {
        fprintf(w->out, "[a run that does not end in its parent]");
        w->in_run = 0;
    }
}

static void write_element(writer_t *w, const GumboNode *node)
{
    const GumboElement *e = &node->v.element;
    const GumboAttribute *mark = gumbo_get_attribute(&e->attributes, "data-tmpl");
    if (w->filter == WITHOUT_MARKED && mark != NULL) {
        if (strcmp(mark->value, "code") == 0) {
            write_code(w, node, 0);
        }
        return;
    }
    w->in_text = 0;
    fputs("\n<", w->out);
    if (e->tag == GUMBO_TAG_UNKNOWN) {
        GumboStringPiece name = e->original_tag;
        gumbo_tag_from_original_text(&name);
        fprintf(w->out, "%.*s", (int)name.length, name.data != NULL ? name.data : "");
    }
    else {
        fputs(gumbo_normalized_tagname(e->tag), w->out);
    }
    write_attributes(w, e);
    fputs(">{", w->out);
    write_children(w, &e->children);
    w->in_text = 0;
    fputs("}", w->out);
}

static void write_node(writer_t *w, const GumboNode *node)
{
    switch (node->type) {
    case GUMBO_NODE_ELEMENT:
    case GUMBO_NODE_TEMPLATE:
        write_element(w, node);
        break;
    case GUMBO_NODE_COMMENT:
        fprintf(w->out, "\n<!--%s-->", node->v.text.text);
        w->in_text = 0;
        break;
    case GUMBO_NODE_DOCUMENT:
        write_children(w, &node->v.document.children);
        break;
    default: /* text of all kinds; adjacent texts are joined */
        if (!w->in_text) {
            fputs("\n\"", w->out);
        }
        fputs(node->v.text.text, w->out);
        w->in_text = 1;
    }
}

/* Whether every select contains only options: until 2025 browsers dropped the rest. */
static int has_old_selects(const char *html)
{
    while ((html = strcasestr(html, "<select")) != NULL) {
        for (html = strchr(html + 1, '<'); html != NULL && strncasecmp(html, "</select", 8) != 0;
             html = strchr(html + 1, '<')) {
            if (strncasecmp(html, "<opt", 4) != 0 && strncasecmp(html, "</opt", 5) != 0) {
                return 0;
            }
        }
        if (html == NULL) {
            return 1;
        }
    }
    return 1;
}

/* Whether white space follows the start of a table: HTML now reopens formatting elements there. */
static int has_blank_in_table(const char *html)
{
    html = strcasestr(html, "<table");
    while (html != NULL && (html = strchr(html, '>')) != NULL) {
        size_t blank = strspn(++html, " \n\t\r\f");
        if (blank > 0 && html[blank] == '<') {
            return 1;
        }
    }
    return 0;
}

int oracle_knows(const char *html)
{
    static const char *const beyond[] = { "<isindex", "<menuitem", "shadowrootmode",
                                          "<search",  "<dialog",   "<rb",
                                          "<rtc" };
    for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
        if (strcasestr(html, beyond[i]) != NULL) {
            return 0;
        }
    }
    int is_foreign = strcasestr(html, "<svg") != NULL || strcasestr(html, "<math") != NULL;
    int ends_foreign = strcasestr(html, "</p") != NULL || strcasestr(html, "</br") != NULL;
    return has_old_selects(html) && !has_blank_in_table(html) && !(is_foreign && ends_foreign);
}

/* Tags at which Gumbo splits elements before it has inserted the preceding text into the tree. */
static int takes_apart(const tmpl_token_t *token)
{
    if (token->type == TMPL_TOKEN_START) {
        return token->tag == TMPL_TAG_A || token->tag == TMPL_TAG_NOBR;
    }
    return token->type == TMPL_TOKEN_END &&
           (token->tag == TMPL_TAG_FORM ||
            (tmpl_tag_flags((tmpl_tag_e)token->tag) & TMPL_IS_FORMATTING));
}

/*
 * Such text is then not where HTML5 puts it, for example after a form; a comment in between avoids
 * that. (Gumbo does not report the positions of those tags, so our scanner finds them.)
 */
static const char *mended(size_t *out_len, const char *bytes, size_t len, apr_pool_t *pool)
{
    tmpl_tokens_t tokens;
    static const char *const texts[] = { "<!---->" };
    tmpl_edits_t edits = { .texts = texts };
    *out_len = len;
    if (tmpl_construct(&tokens, bytes, (uint32_t)len, UINT32_MAX - 1, UINT32_MAX, pool, pool) !=
        TMPL_DECLINE_NONE) {
        return bytes;
    }
    tmpl_edit_t *comments = apr_palloc(pool, (tokens.n + 1) * sizeof(*comments));
    for (uint32_t i = 0; i < tokens.n; i++) {
        tmpl_span_t here = { tokens.tokens[i].span.start, tokens.tokens[i].span.start };
        if (takes_apart(&tokens.tokens[i])) {
            comments[edits.n++] = (tmpl_edit_t){ here, 0 };
        }
    }
    edits.edits = comments;
    return tmpl_edits_apply(out_len, &edits, bytes, len, pool);
}

/* The tree of the bytes as text, malloc'd. */
static char *tree(const char *bytes, size_t len, filter_e filter, apr_pool_t *pool)
{
    char *text = NULL;
    size_t text_len = 0;
    GumboOptions options = kGumboDefaultOptions;
    const char *source = mended(&len, bytes, len, pool);
    GumboOutput *output = gumbo_parse_with_options(&options, source, len);
    writer_t w = { .out = open_memstream(&text, &text_len), .filter = filter };
    write_node(&w, output->document);
    fclose(w.out);
    gumbo_destroy_output(&options, output);
    return text;
}

/* Compares the trees and frees them. */
static void compare(oracle_result_t *result, const char *what, char *expected, char *found)
{
    if (result->what == NULL && strcmp(expected, found) != 0) {
        size_t same = 0;
        while (expected[same] == found[same]) {
            same++;
        }
        same = same > 160 ? same - 160 : 0;
        result->what = what;
        result->expected = strndup(expected + same, 400);
        result->found = strndup(found + same, 400);
    }
    free(expected);
    free(found);
}

static const char *edited(size_t *len, const tmpl_page_t *page, const tmpl_closure_t *closure,
                          int strip, apr_pool_t *pool)
{
    tmpl_edits_t edits;
    if (strip) {
        tmpl_strip(&edits, closure, pool);
    }
    else {
        tmpl_annotate(&edits, page, closure, NULL, pool);
    }
    return tmpl_edits_apply(len, &edits, page->src, page->len, pool);
}

/* Whether the comments of each mark come in turn, begin and end. */
static int is_flat(const tmpl_edits_t *edits, const tmpl_marks_t *marks)
{
    for (uint32_t m = 0; m < marks->n; m++) {
        int is_open = 0;
        for (uint32_t i = 0; i < edits->n; i++) {
            const char *text = tmpl_edit_text(edits, i);
            int begins = strcmp(text, marks->marks[m]->begin) == 0;
            if (!begins && strcmp(text, marks->marks[m]->end) != 0) {
                continue;
            }
            if (begins == is_open) {
                return 0;
            }
            is_open = begins;
        }
        if (is_open) {
            return 0;
        }
    }
    return 1;
}

/* Judges marks of all presets. */
static void judge_marks(oracle_result_t *result, const tmpl_page_t *page,
                        const tmpl_closure_t *closure, apr_pool_t *pool)
{
    tmpl_edits_t edits;
    apr_size_t len;
    const tmpl_marks_t *marks = oracle_all_marks(pool);
    double unmarked = tmpl_annotate(&edits, page, closure, marks, pool);
    const char *bytes = tmpl_edits_apply(&len, &edits, page->src, page->len, pool);
    compare(result, "all marks", tree(page->src, page->len, WITHOUT_MARKS, pool),
            tree(bytes, len, WITHOUT_MARKS, pool));
    compare(result, "comments of marks", strdup("flat"),
            strdup(is_flat(&edits, marks) ? "flat" : "not flat"));
    compare(result, "the share without a mark", strdup("0..1"),
            strdup(unmarked >= 0 && unmarked <= 1 ? "0..1" : "beyond"));
}

void oracle_judge(oracle_result_t *result, const tmpl_page_t *page, tmpl_verdict_t *verdicts,
                  apr_pool_t *pool)
{
    tmpl_guards_t guards = { 0 };
    tmpl_closure_t closure;
    size_t len;
    const char *bytes;
    *result = (oracle_result_t){ 0 };
    for (int strip = 0; strip <= 1; strip++) {
        tmpl_closure(&closure, page, verdicts, &guards, strip ? TMPL_NODE_CUT : TMPL_NODE_MARK,
                     NULL, pool);
        bytes = edited(&len, page, &closure, 0, pool);
        compare(result, strip ? "marks on what is cut" : "annotate",
                tree(page->src, page->len, WITHOUT_MARKS, pool),
                tree(bytes, len, WITHOUT_MARKS, pool));
        if (!strip) {
            judge_marks(result, page, &closure, pool);
        }
        if (strip) {
            const char *cut = edited(&len, page, &closure, 1, pool);
            char *found = tree(cut, len, WITHOUT_MARKS, pool);
            bytes = edited(&len, page, &closure, 0, pool);
            compare(result, "strip", tree(bytes, len, WITHOUT_MARKED, pool), found);
        }
    }
    result->cuts = closure.n_cuts;
}

/* The oracle's tree by bytes of the source. */
typedef struct {
    const char *src;
    uint32_t len;
    uint32_t *parents; /* of the element whose tag begins here, or of the text that is here */
    uint32_t elements;
    unsigned char *rounds; /* of the adoption agency for the link whose tag begins here */
    uint32_t worn_link;    /* the first link with the maximum of rounds; len without one */
    uint32_t last_link;
} places_t;

/*
 * After that many blocks a formatting element stays in the last one, open and active: 13.2.6.4.7.
 */
#define MAX_ROUNDS 8

#define BODY    (TMPL_NONE - 1) /* the parent of nodes in body */
#define NOWHERE (TMPL_NONE - 2)

static int has_own_tag(const places_t *p, const GumboNode *node)
{
    static const unsigned copies =
        GUMBO_INSERTION_IMPLIED | GUMBO_INSERTION_CONVERTED_FROM_END_TAG |
        GUMBO_INSERTION_RECONSTRUCTED_FORMATTING_ELEMENT | GUMBO_INSERTION_ADOPTION_AGENCY_CLONED;
    const GumboStringPiece *tag = &node->v.element.original_tag;
    return !(node->parse_flags & copies) && tag->length > 0 && tag->data >= p->src &&
           tag->data < p->src + p->len;
}

/* Each round leaves a copy of the link. */
static void note_link(places_t *p, const GumboNode *node)
{
    uint32_t at = (uint32_t)(node->v.element.original_tag.data - p->src);
    if (has_own_tag(p, node)) {
        p->last_link = at > p->last_link ? at : p->last_link;
    }
    else if ((node->parse_flags & GUMBO_INSERTION_ADOPTION_AGENCY_CLONED) && at < p->len &&
             p->rounds[at] < MAX_ROUNDS && ++p->rounds[at] == MAX_ROUNDS && at < p->worn_link) {
        p->worn_link = at;
    }
}

/*
 * A link in a link removes the outer one from the stack and the list, unless its rounds did. Gumbo
 * removes the innermost active link instead, thus also the copy that remains after the last round.
 * Browsers do not.
 */
static int takes_a_copy(const places_t *p)
{
    return p->worn_link < p->last_link;
}

/* Notes for the children of an element that their parent's tag is at offset parent. */
static void note_children(places_t *p, const GumboNode *node, uint32_t parent)
{
    const GumboVector *children = &node->v.element.children;
    for (unsigned i = 0; i < children->length; i++) {
        const GumboNode *child = children->data[i];
        if (child->type == GUMBO_NODE_ELEMENT || child->type == GUMBO_NODE_TEMPLATE) {
            const char *name = gumbo_normalized_tagname(child->v.element.tag);
            uint32_t inner = parent;
            if (child->v.element.tag == GUMBO_TAG_A) {
                note_link(p, child);
            }
            if (has_own_tag(p, child)) {
                inner = (uint32_t)(child->v.element.original_tag.data - p->src);
                p->elements += p->parents[inner] == NOWHERE;
                p->parents[inner] = parent;
            }
            if (!(tmpl_tag_flags(tmpl_tag_find(name, strlen(name))) & TMPL_IS_QUIET)) {
                note_children(p, child, inner);
            }
        }
        else if (child->type != GUMBO_NODE_COMMENT) {
            uint32_t at = (uint32_t)(child->v.text.original_text.data - p->src);
            for (uint32_t n = 0; n < child->v.text.original_text.length; n++) {
                p->parents[at + n] = parent;
            }
        }
    }
}

/*
 * Whether the node or text at offset is a child of that node. HTML5 may have moved it out if it is
 * directly in a table, not in a cell.
 */
static int stands_in(const places_t *p, const tmpl_page_t *page, uint32_t offset, uint32_t node)
{
    const tmpl_node_t *n = &page->nodes[node];
    return p->parents[offset] == (node == 0 ? BODY : n->open.start) ||
           (p->parents[offset] != NOWHERE &&
            (n->tag == TMPL_TAG_COLGROUP || (tmpl_tag_flags((tmpl_tag_e)n->tag) & TMPL_IS_TABLE)));
}

static void note_body(places_t *p, const GumboNode *html)
{
    const GumboVector *children = &html->v.element.children;
    for (uint32_t i = 0; i < p->len; i++) {
        p->parents[i] = NOWHERE;
    }
    for (unsigned i = 0; i < children->length; i++) {
        const GumboNode *child = children->data[i];
        if (child->type == GUMBO_NODE_ELEMENT && child->v.element.tag == GUMBO_TAG_BODY) {
            note_children(p, child, BODY);
        }
    }
}

/*
 * Whether elements may have left a quiet element, in which they have no nodes: elements around it
 * without an end tag can be split. (An svg without one ends in its start tag.)
 */
static int may_lack_nodes(const tmpl_page_t *page)
{
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const tmpl_node_t *n = &page->nodes[i];
        if ((n->flags & TMPL_NODE_QUIET) && tmpl_span_len(n->close) == 0 &&
            n->tag != TMPL_TAG_SVG && n->tag != TMPL_TAG_MATH) {
            return 1;
        }
    }
    return 0;
}

/*
 * The offset of the first node or text of the page with another parent; len if an element is
 * missing.
 */
static uint32_t first_astray(const places_t *p, const tmpl_page_t *page)
{
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        if (!stands_in(p, page, page->nodes[i].open.start, page->nodes[i].parent)) {
            return page->nodes[i].open.start;
        }
    }
    for (uint32_t i = 0; i < page->n_segments; i++) {
        const tmpl_segment_t *s = &page->segments[i];
        uint32_t at = s->span.start + (uint32_t)strspn(page->src + s->span.start, " \n\t\r\f");
        if (s->span.start != page->nodes[s->node].open.start && !stands_in(p, page, at, s->node)) {
            return at;
        }
    }
    return p->elements != page->n_nodes - 1 ? page->len : TMPL_NONE;
}

const char *oracle_tree(const char *bytes, size_t len, apr_pool_t *pool)
{
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { 0 };
    GumboOptions options = kGumboDefaultOptions;
    const char *source = mended(&len, bytes, len, pool);
    source = apr_pstrmemdup(pool, source, len);
    if (tmpl_page_parse(&page, source, len, &opts, pool) != TMPL_DECLINE_NONE ||
        !oracle_knows(source) || strcasestr(source, "<noscript") != NULL || may_lack_nodes(page)) {
        return NULL;
    }
    places_t p = { .src = source, .len = page->len, .worn_link = page->len };
    p.parents = apr_palloc(pool, len * sizeof(*p.parents));
    p.rounds = apr_pcalloc(pool, len);
    GumboOutput *output = gumbo_parse_with_options(&options, source, len);
    note_body(&p, output->root);
    gumbo_destroy_output(&options, output);
    uint32_t astray = takes_a_copy(&p) ? TMPL_NONE : first_astray(&p, page);
    return astray == TMPL_NONE ? NULL : source + astray;
}

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

void oracle_draw(tmpl_verdict_t *verdicts, const tmpl_page_t *page, unsigned percent,
                 uint64_t *seed)
{
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        verdicts[b].template = next(seed) % 100 < percent;
        verdicts[b].ratio = verdicts[b].template ? 1.0F : 0.0F;
    }
}
