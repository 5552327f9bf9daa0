/* SPDX-License-Identifier: Apache-2.0 */
#include "cut/steps.h"

#include <string.h>

#include "base/hash.h"
#include "html/attr.h"

/* How a script looks up an element: by name, by a selector that begins with a name, by position. */
typedef enum { ID, CLASS, NAMES, SELECTOR = NAMES, POSITION } lookup_e;

typedef struct {
    const tmpl_page_t *page;
    unsigned char *kept;      /* the result; NULL: no element so far */
    apr_hash_t *names[NAMES]; /* names in scripts that no element had so far */
    uint64_t bits[NAMES];     /* bit_of each name: most attributes need no look-up */
    apr_pool_t *pool;
} script_refs_t;

#define DOCUMENT "document."

static const struct {
    const char *member;
    lookup_e lookup;
} members[] = {
    { "getElementById(", ID },      { "getElementsByClassName(", CLASS },
    { "querySelector(", SELECTOR }, { "currentScript", POSITION },
    { "write", POSITION },
};

/* Keeps an element and its ancestors. */
static void keep_element(script_refs_t *p, uint32_t node)
{
    if (p->kept == NULL) {
        p->kept = apr_pcalloc(p->pool, p->page->n_nodes);
    }
    while (node != TMPL_NONE && !p->kept[node]) {
        p->kept[node] = 1;
        node = p->page->nodes[node].parent;
    }
}

/* Keeps an element, unless it is code, a control or cannot hold anything. */
static void keep_box(script_refs_t *p, uint32_t node)
{
    static const unsigned never = TMPL_IS_CODE | TMPL_IS_CONTROL | TMPL_IS_VOID;
    if (!(tmpl_tag_flags(p->page->nodes[node].tag) & never)) {
        keep_element(p, node);
    }
}

/* Keeps the parent of a script, and the script's preceding sibling. */
static void keep_around(script_refs_t *p, uint32_t script)
{
    const tmpl_node_t *nodes = p->page->nodes;
    uint32_t parent = nodes[script].parent;
    uint32_t before = script - 1;
    keep_element(p, parent);
    if (before != parent) {
        while (nodes[before].parent != parent) {
            before = nodes[before].parent;
        }
        keep_box(p, before);
    }
}

/* The string literal at the start of [at, end), without its quotes; empty if there is none. */
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

static int is_name_char(char c)
{
    return tmpl_is_alnum(c) || c == '-' || c == '_' || (unsigned char)c >= 0x80;
}

/* The id or class that a selector begins with; empty if it begins with something else. */
static tmpl_span_t first_name(const char *src, tmpl_span_t selector, lookup_e *lookup)
{
    tmpl_span_t name = { selector.start + 1, selector.start + 1 };
    char first = tmpl_span_len(selector) > 0 ? src[selector.start] : '\0';
    if (first != '#' && first != '.') {
        return (tmpl_span_t){ 0, 0 };
    }
    *lookup = first == '#' ? ID : CLASS;
    while (name.end < selector.end && is_name_char(src[name.end])) {
        name.end++;
    }
    return name;
}

/* A hash of the name, as one of 64 bits. */
static uint64_t name_bit(const char *src, tmpl_span_t name)
{
    return (uint64_t)1 << ((5 * tmpl_span_len(name) + (unsigned char)src[name.start]) & 63);
}

/* Adds the name that a script looks up; the name's string begins at the offset at. */
static void add_name(script_refs_t *p, lookup_e lookup, uint32_t at, uint32_t end)
{
    const char *src = p->page->src;
    tmpl_span_t name = string_at(src, at, end);
    if (lookup == SELECTOR) {
        name = first_name(src, name, &lookup);
    }
    if (tmpl_span_len(name) > 0) {
        if (p->names[lookup] == NULL) {
            p->names[lookup] = tmpl_hash_make(p->pool);
        }
        apr_hash_set(p->names[lookup], src + name.start, tmpl_span_len(name), p);
        p->bits[lookup] |= name_bit(src, name);
    }
}

static void read_script(script_refs_t *p, uint32_t script)
{
    const tmpl_node_t *node = &p->page->nodes[script];
    const char *src = p->page->src;
    uint32_t at = node->open.end;
    uint32_t end = node->close.start; /* 0 if there is no end tag */
    const char *hit;
    int by_position = 0;
    while (at < end && (hit = memmem(src + at, end - at, DOCUMENT, sizeof(DOCUMENT) - 1)) != NULL) {
        at = (uint32_t)(hit - src) + sizeof(DOCUMENT) - 1;
        for (unsigned i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
            uint32_t len = (uint32_t)strlen(members[i].member);
            if (end - at < len || memcmp(src + at, members[i].member, len) != 0) {
                continue;
            }
            if (members[i].lookup == POSITION) {
                by_position = 1;
            }
            else {
                add_name(p, members[i].lookup, at + len, end);
            }
        }
    }
    if (by_position) {
        keep_around(p, script);
    }
}

/* Keeps an element if a script looks up its name. Scripts find only the first with a name. */
static void keep_named(script_refs_t *p, uint32_t node, lookup_e by, tmpl_span_t name)
{
    const char *src = p->page->src;
    if ((p->bits[by] & name_bit(src, name)) &&
        apr_hash_get(p->names[by], src + name.start, tmpl_span_len(name)) != NULL) {
        apr_hash_set(p->names[by], src + name.start, tmpl_span_len(name), NULL);
        keep_box(p, node);
    }
}

/* Reads the id and the classes of an element. */
static void find_names(script_refs_t *p, uint32_t node)
{
    const char *src = p->page->src;
    const tmpl_known_attr_t *attr = p->page->attrs + p->page->nodes[node].attrs;
    for (; attr->value.start < p->page->nodes[node].open.end; attr++) {
        if (attr->name == TMPL_ATTR_ID) {
            keep_named(p, node, ID, attr->value);
        }
        else if (p->bits[CLASS] != 0 && attr->name == TMPL_ATTR_CLASS) {
            tmpl_span_t word = { attr->value.start, attr->value.start };
            while (tmpl_word_next(&word, src, attr->value)) {
                keep_named(p, node, CLASS, word);
            }
        }
    }
}

unsigned char *tmpl_script_refs(const tmpl_page_t *page, apr_pool_t *pool)
{
    script_refs_t p = { .page = page, .pool = pool };
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        if (node->tag == TMPL_TAG_SCRIPT) {
            read_script(&p, i);
        }
        else if (node->tag == TMPL_TAG_TEMPLATE &&
                 tmpl_node_attr(page, node, TMPL_ATTR_ID) != NULL) {
            keep_element(&p, node->parent);
        }
    }
    for (uint32_t i = 1; (p.bits[ID] | p.bits[CLASS]) != 0 && i < page->n_nodes; i++) {
        if (page->nodes[i].flags & TMPL_NODE_NAMED) {
            find_names(&p, i);
        }
    }
    return p.kept;
}
