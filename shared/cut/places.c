/* SPDX-License-Identifier: Apache-2.0 */
#include "cut/places.h"

#include <string.h>

#include <apr_hash.h>

#include "html/attr.h"

/* What is named, or asked for otherwise. */
typedef enum { ID, CLASS, NAMES, SELECTOR = NAMES, HERE } asked_e;

typedef struct {
    const tmpl_page_t *page;
    unsigned char *held;      /* NULL: nothing is, yet */
    apr_hash_t *names[NAMES]; /* that scripts ask for, and no element had, yet */
    uint64_t bits[NAMES];     /* of these, bit_of: few names have to be looked up */
    apr_pool_t *pool;
} places_t;

#define DOCUMENT "document."

static const struct {
    const char *member;
    asked_e asked;
} members[] = {
    { "getElementById(", ID },
    { "getElementsByClassName(", CLASS },
    { "querySelector(", SELECTOR },
    { "currentScript", HERE },
    { "write", HERE },
};

/* The element with all that is around it. */
static void hold(places_t *p, uint32_t node)
{
    if (p->held == NULL) {
        p->held = apr_pcalloc(p->pool, p->page->n_nodes);
    }
    while (node != TMPL_NONE && !p->held[node]) {
        p->held[node] = 1;
        node = p->page->nodes[node].parent;
    }
}

static void hold_box(places_t *p, uint32_t node)
{
    static const unsigned never = TMPL_IS_CODE | TMPL_IS_CONTROL | TMPL_IS_VOID;
    if (!(tmpl_tag_flags(p->page->nodes[node].tag) & never)) {
        hold(p, node);
    }
}

/* The box that a script stands in, and the element in front of it there. */
static void hold_around(places_t *p, uint32_t script)
{
    const tmpl_node_t *nodes = p->page->nodes;
    uint32_t parent = nodes[script].parent;
    uint32_t before = script - 1;
    hold(p, parent);
    if (before != parent) {
        while (nodes[before].parent != parent) {
            before = nodes[before].parent;
        }
        hold_box(p, before);
    }
}

/* The string that stands first in [at, end), without its quotes; empty if something else does. */
static tmpl_span_t string_at(const char *src, uint32_t at, uint32_t end)
{
    at = tmpl_behind_space(src, at, end);
    if (at < end && (src[at] == '"' || src[at] == '\'' || src[at] == '`')) {
        const char *quote = memchr(src + at + 1, src[at], end - at - 1);
        if (quote != NULL) {
            return (tmpl_span_t){ at + 1, (uint32_t)(quote - src) };
        }
    }
    return (tmpl_span_t){ 0, 0 };
}

static int is_name(char c)
{
    return tmpl_is_alnum(c) || c == '-' || c == '_' || (unsigned char)c >= 0x80;
}

/* The id or class that a selector begins with; empty if it begins with something else. */
static tmpl_span_t first_name(const char *src, tmpl_span_t selector, asked_e *asked)
{
    tmpl_span_t name = { selector.start + 1, selector.start + 1 };
    char first = tmpl_span_len(selector) > 0 ? src[selector.start] : '\0';
    if (first != '#' && first != '.') {
        return (tmpl_span_t){ 0, 0 };
    }
    *asked = first == '#' ? ID : CLASS;
    while (name.end < selector.end && is_name(src[name.end])) {
        name.end++;
    }
    return name;
}

static uint64_t bit_of(const char *src, tmpl_span_t name)
{
    return (uint64_t)1 << ((5 * tmpl_span_len(name) + (unsigned char)src[name.start]) & 63);
}

static void ask(places_t *p, asked_e asked, uint32_t at, uint32_t end)
{
    const char *src = p->page->src;
    tmpl_span_t name = string_at(src, at, end);
    if (asked == SELECTOR) {
        name = first_name(src, name, &asked);
    }
    if (tmpl_span_len(name) > 0) {
        if (p->names[asked] == NULL) {
            p->names[asked] = apr_hash_make(p->pool);
        }
        apr_hash_set(p->names[asked], src + name.start, tmpl_span_len(name), p);
        p->bits[asked] |= bit_of(src, name);
    }
}

static void read_script(places_t *p, uint32_t script)
{
    const tmpl_node_t *node = &p->page->nodes[script];
    const char *src = p->page->src;
    uint32_t at = node->open.end;
    uint32_t end = node->close.start; /* 0, if there is none */
    const char *hit;
    int here = 0;
    while (at < end && (hit = memmem(src + at, end - at, DOCUMENT, sizeof(DOCUMENT) - 1)) != NULL) {
        at = (uint32_t)(hit - src) + sizeof(DOCUMENT) - 1;
        for (unsigned i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
            uint32_t len = (uint32_t)strlen(members[i].member);
            if (end - at < len || memcmp(src + at, members[i].member, len) != 0) {
                continue;
            }
            if (members[i].asked == HERE) {
                here = 1;
            }
            else {
                ask(p, members[i].asked, at + len, end);
            }
        }
    }
    if (here) {
        hold_around(p, script);
    }
}

/* Of the elements with a name the first is the one that is asked for. */
static void found(places_t *p, uint32_t node, asked_e as, tmpl_span_t name)
{
    const char *src = p->page->src;
    if ((p->bits[as] & bit_of(src, name)) &&
        apr_hash_get(p->names[as], src + name.start, tmpl_span_len(name)) != NULL) {
        apr_hash_set(p->names[as], src + name.start, tmpl_span_len(name), NULL);
        hold_box(p, node);
    }
}

static void find_names(places_t *p, uint32_t node)
{
    const char *src = p->page->src;
    tmpl_span_t tag = p->page->nodes[node].open;
    uint32_t at = tmpl_attr_first(src, tag);
    tmpl_attr_t attr;
    while (tmpl_attr_next(&attr, src, tag.end, &at) == TMPL_ATTR_FOUND) {
        if (tmpl_span_is(src, attr.name, "id")) {
            found(p, node, ID, attr.value);
        }
        else if (p->bits[CLASS] != 0 && tmpl_span_is(src, attr.name, "class")) {
            tmpl_span_t word = { attr.value.start, attr.value.start };
            while (tmpl_word_next(&word, src, attr.value)) {
                found(p, node, CLASS, word);
            }
        }
    }
}

unsigned char *tmpl_places(const tmpl_page_t *page, apr_pool_t *pool)
{
    places_t p = { .page = page, .pool = pool };
    tmpl_attr_t attr;
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        if (node->tag == TMPL_TAG_SCRIPT) {
            read_script(&p, i);
        }
        else if (node->tag == TMPL_TAG_TEMPLATE &&
                 tmpl_attr_find(&attr, page->src, node->open, "id")) {
            hold(&p, node->parent);
        }
    }
    for (uint32_t i = 1; (p.bits[ID] | p.bits[CLASS]) != 0 && i < page->n_nodes; i++) {
        if (page->nodes[i].flags & TMPL_NODE_NAMED) {
            find_names(&p, i);
        }
    }
    return p.held;
}
