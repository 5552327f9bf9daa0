/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/comments.h"

#include <string.h>

#include "base/numbering.h"
#include "base/scratch.h"
#include "feature/hint_names.h"
#include "html/attr.h"

/* What a start tag says about its element. */
enum { COMMENT = 1, WHO_OR_WHEN = 2 };

static const struct {
    const char *name, *value;
    unsigned says;
} statements[] = {
    { "itemprop", "comment", COMMENT },
    { "itemprop", "author", WHO_OR_WHEN },
    { "itemprop", "datepublished", WHO_OR_WHEN },
    { "itemtype", "http://schema.org/comment", COMMENT },
    { "itemtype", "https://schema.org/comment", COMMENT },
};

static unsigned said_by(const char *src, const tmpl_attr_t *attr)
{
    unsigned says = 0;
    if (tmpl_span_is(src, attr->name, "class") || tmpl_span_is(src, attr->name, "id")) {
        tmpl_kinds_t kinds = tmpl_names_in(src + attr->value.start, tmpl_span_len(attr->value));
        return (kinds & TMPL_NAMED(COMMENT) ? COMMENT : 0) |
               (kinds & TMPL_NAMED(ABOUT) ? WHO_OR_WHEN : 0);
    }
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        if (tmpl_span_is(src, attr->name, statements[i].name) &&
            tmpl_has_word(src, attr->value, statements[i].value, tmpl_span_is)) {
            says |= statements[i].says;
        }
    }
    return says;
}

static const unsigned char said_by_tag[TMPL_TAG_COUNT] = {
    [TMPL_TAG_TIME] = WHO_OR_WHEN,
    [TMPL_TAG_CITE] = WHO_OR_WHEN,
};

static unsigned said_of(const tmpl_page_t *page, const tmpl_node_t *node)
{
    unsigned says = said_by_tag[node->tag];
    uint32_t at = tmpl_attr_first(page->src, node->open);
    tmpl_attr_t attr;
    while (tmpl_attr_next(&attr, page->src, node->open.end, &at) == TMPL_ATTR_FOUND) {
        says |= said_by(page->src, &attr);
    }
    return says;
}

/* Links, buttons and forms. */
static const unsigned char is_control[TMPL_TAG_COUNT] = {
    [TMPL_TAG_A] = 1,
    [TMPL_TAG_BUTTON] = 1,
    [TMPL_TAG_FORM] = 1,
};

typedef struct {
    const tmpl_page_t *page;
    uint32_t *text;      /* [i]: bytes of text outside of controls before segment i */
    uint32_t *sentences; /* [i]: the part of text[i] in long segments */
    apr_pool_t *pool;
    apr_pool_t *lines; /* memory for lines_in, cleared each time */
} comments_t;

static void add_segments(comments_t *c)
{
    const tmpl_page_t *page = c->page;
    uint32_t n = page->n_segments;
    unsigned char *in_control = apr_pcalloc(c->pool, n + 1);
    c->text = apr_palloc(c->pool, (n + 1) * sizeof(*c->text));
    c->sentences = apr_palloc(c->pool, (n + 1) * sizeof(*c->sentences));
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        if (is_control[node->tag]) {
            memset(in_control + node->first_segment, 1, node->after_segment - node->first_segment);
        }
    }
    c->text[0] = c->sentences[0] = 0;
    for (uint32_t s = 0; s < n; s++) {
        uint32_t length = in_control[s] ? 0 : page->segments[s].length;
        c->text[s + 1] = c->text[s] + length;
        c->sentences[s + 1] = c->sentences[s] + (length >= TMPL_COMMENTS_SENTENCE ? length : 0);
    }
}

static uint32_t text_in(const comments_t *c, const tmpl_node_t *node)
{
    return c->text[node->after_segment] - c->text[node->first_segment];
}

/* The lines in an element that say who wrote or when. */
typedef struct {
    uint32_t most;  /* the most lines that have the same path */
    int in_comment; /* a line is in an element that is called a comment */
} lines_t;

static lines_t lines_in(const comments_t *c, uint32_t region)
{
    const tmpl_page_t *page = c->page;
    const tmpl_node_t *nodes = page->nodes;
    lines_t lines = { 0 };
    tmpl_numbering_t paths;
    apr_pool_clear(c->lines);
    apr_array_header_t *counts = apr_array_make(c->lines, 8, sizeof(uint32_t));
    uint32_t comment_after = 0; /* the end of the last element called a comment */
    tmpl_numbering_init(&paths, 8, c->lines, c->lines);
    for (uint32_t i = region; i < nodes[region].after;) {
        unsigned says = nodes[i].tag == TMPL_TAG_FORM ? 0 : said_of(page, &nodes[i]);
        if (says & WHO_OR_WHEN) {
            uint32_t path = tmpl_numbering_add(&paths, nodes[i].path);
            if (path == (uint32_t)counts->nelts) {
                APR_ARRAY_PUSH(counts, uint32_t) = 0;
            }
            uint32_t n = ++APR_ARRAY_IDX(counts, path, uint32_t);
            lines.most = n > lines.most ? n : lines.most;
            lines.in_comment |= i < comment_after;
        }
        if ((says & COMMENT) && i > region && nodes[i].after > comment_after &&
            text_in(c, &nodes[i]) >= TMPL_COMMENTS_TEXT) {
            comment_after = nodes[i].after;
        }
        i = nodes[i].tag == TMPL_TAG_FORM ? nodes[i].after : i + 1;
    }
    return lines;
}

/* Rules 1 and 2, the cheap ones first. */
static int may_be_region(const comments_t *c, const tmpl_node_t *node)
{
    return (node->flags & TMPL_NODE_NAMED) && !(tmpl_tag_flags(node->tag) & TMPL_IS_NEVER_EDIT) &&
           node->tag != TMPL_TAG_FORM && text_in(c, node) >= TMPL_COMMENTS_TEXT &&
           c->sentences[node->first_segment] >= TMPL_COMMENTS_ARTICLE &&
           (said_of(c->page, node) & COMMENT);
}

/* Rule 3: whether the next element, or the region before, is a sibling and a comment. */
static int has_sibling(const comments_t *c, uint32_t i, uint32_t last)
{
    const tmpl_node_t *nodes = c->page->nodes;
    uint32_t next = nodes[i].after;
    return (next < c->page->n_nodes && nodes[next].path == nodes[i].path &&
            nodes[next].parent == nodes[i].parent && may_be_region(c, &nodes[next])) ||
           (last != TMPL_NONE && nodes[last].path == nodes[i].path &&
            nodes[last].parent == nodes[i].parent);
}

/* Rules 3 and 4. last is the region before. */
static int has_lines(const comments_t *c, uint32_t i, uint32_t last)
{
    lines_t lines = lines_in(c, i);
    return (lines.most > 1 || lines.in_comment || (lines.most > 0 && has_sibling(c, i, last))) &&
           text_in(c, &c->page->nodes[i]) >= (uint64_t)lines.most * TMPL_COMMENTS_TEXT;
}

/* The first word of the element's class. */
static tmpl_span_t class_of(const tmpl_page_t *page, const tmpl_node_t *node)
{
    tmpl_attr_t attr;
    tmpl_span_t word = { 0, 0 };
    if (tmpl_attr_find(&attr, page->src, node->open, "class")) {
        word = (tmpl_span_t){ attr.value.start, attr.value.start };
        tmpl_word_next(&word, page->src, attr.value);
    }
    return word;
}

/* Rule 5: whether a sibling before is a post. */
static int follows_post(const comments_t *c, uint32_t i)
{
    const tmpl_page_t *page = c->page;
    const tmpl_node_t *nodes = page->nodes;
    tmpl_span_t own = class_of(page, &nodes[i]);
    for (uint32_t s = nodes[i].parent + 1; tmpl_span_len(own) > 0 && s < i; s = nodes[s].after) {
        tmpl_span_t class = class_of(page, &nodes[s]);
        if (nodes[s].tag == nodes[i].tag && tmpl_span_len(class) == tmpl_span_len(own) &&
            memcmp(page->src + class.start, page->src + own.start, tmpl_span_len(own)) == 0 &&
            c->sentences[nodes[s].after_segment] > c->sentences[nodes[s].first_segment]) {
            return 1;
        }
    }
    return 0;
}

/* Rule 5: whether the page says that it is a thread. */
static int is_thread(const tmpl_page_t *page)
{
    static const char *const types[] = { "DiscussionForumPosting", "QAPage" };
    int found = 0;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        found |= memmem(page->src, page->len, types[i], strlen(types[i])) != NULL;
    }
    return found;
}

static void find_regions(apr_array_header_t *regions, const comments_t *c)
{
    const tmpl_page_t *page = c->page;
    uint32_t last = TMPL_NONE;
    for (uint32_t i = 0, next; i < page->n_nodes; i = next) {
        next = i + 1;
        if (!may_be_region(c, &page->nodes[i])) {
            continue;
        }
        /* if no lines are in it, none are in an element inside it */
        next = page->nodes[i].after;
        if (!has_lines(c, i, last)) {
            continue;
        }
        if (last == TMPL_NONE && follows_post(c, i)) {
            next = page->nodes[page->nodes[i].parent].after;
            continue;
        }
        APR_ARRAY_PUSH(regions, uint32_t) = i;
        last = i;
    }
}

apr_array_header_t *tmpl_comment_regions(const tmpl_page_t *page, apr_pool_t *pool)
{
    apr_array_header_t *regions = apr_array_make(pool, 4, sizeof(uint32_t));
    comments_t c = { .page = page, .pool = tmpl_scratch(page->len, pool) };
    apr_pool_create(&c.lines, c.pool);
    add_segments(&c);
    find_regions(regions, &c);
    if (is_thread(page)) {
        apr_array_clear(regions);
    }
    apr_pool_destroy(c.pool);
    return regions;
}
