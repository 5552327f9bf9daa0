/* SPDX-License-Identifier: Apache-2.0 */
#include "cut/steps.h"

#include <string.h>

#include "base/hash.h"
#include "html/attr.h"
#include "page/places.h"

typedef struct {
    const tmpl_page_t *page;
    unsigned char *kept;                /* the result; NULL: no element so far */
    apr_hash_t *names[TMPL_LOOK_NAMES]; /* names in scripts that no element had so far */
    uint64_t bits[TMPL_LOOK_NAMES];     /* bit_of each name: most attributes need no look-up */
    apr_pool_t *pool;
} script_refs_t;

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

/* A hash of the name, as one of 64 bits. */
static uint64_t name_bit(const char *src, tmpl_span_t name)
{
    return (uint64_t)1 << ((5 * tmpl_span_len(name) + (unsigned char)src[name.start]) & 63);
}

/* Adds the name that a script looks up. */
static void add_name(script_refs_t *p, const tmpl_script_look_t *look)
{
    const char *src = p->page->src;
    if (tmpl_span_len(look->name) > 0) {
        if (p->names[look->by] == NULL) {
            p->names[look->by] = tmpl_hash_make(p->pool);
        }
        apr_hash_set(p->names[look->by], src + look->name.start, tmpl_span_len(look->name), p);
        p->bits[look->by] |= name_bit(src, look->name);
    }
}

static void read_script(script_refs_t *p, uint32_t script)
{
    const tmpl_node_t *node = &p->page->nodes[script];
    tmpl_script_look_t look = { .at = node->open.end };
    int by_position = 0;
    /* close is empty if there is no end tag */
    while (tmpl_script_look(&look, p->page->src, node->close.start)) {
        if (look.by == TMPL_LOOK_POSITION) {
            by_position = 1;
        }
        else {
            add_name(p, &look);
        }
    }
    if (by_position) {
        keep_around(p, script);
    }
}

/* Keeps an element if a script looks up its name. Scripts find only the first with a name. */
static void keep_named(script_refs_t *p, uint32_t node, tmpl_look_e by, tmpl_span_t name)
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
            keep_named(p, node, TMPL_LOOK_ID, attr->value);
        }
        else if (p->bits[TMPL_LOOK_CLASS] != 0 && attr->name == TMPL_ATTR_CLASS) {
            tmpl_span_t word = { attr->value.start, attr->value.start };
            while (tmpl_word_next(&word, src, attr->value)) {
                keep_named(p, node, TMPL_LOOK_CLASS, word);
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
    for (uint32_t i = 1; (p.bits[TMPL_LOOK_ID] | p.bits[TMPL_LOOK_CLASS]) != 0 && i < page->n_nodes;
         i++) {
        if (page->nodes[i].flags & TMPL_NODE_NAMED) {
            find_names(&p, i);
        }
    }
    return p.kept;
}
