/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page as a tree of libxml2, for Markdown and for XPath: html, head and body; the elements that
 * the page's nodes stand for, with their attributes; and the displayed text in UTF-8, with its
 * white space. Adjacent text is one node. Between elements, white space outside a pre is one space.
 * The tree is made only when needed, and costs about as much as parsing the page.
 *
 * In names, '_' stands for each byte that XML forbids there; control characters are left out. An
 * element has at most TMPL_DOM_ATTRIBUTES attributes, the first of each name.
 */
#ifndef TMPL_DOM_H
#define TMPL_DOM_H

#include <libxml/tree.h>

#include "page/page.h"
#include "text/decode.h"

#define TMPL_DOM_ATTRIBUTES 64

typedef struct {
    const tmpl_decoder_t *decoder; /* the page's decoder */
    const tmpl_span_t *without;    /* parts to leave out, in order; elements begin outside */
    uint32_t n_without;
    const unsigned char *parts; /* by the page's nodes; NULL: none has any */
    unsigned left_out;          /* bit i: nodes of part i are left out */
    /*
     * For content: without elements whose text is not displayed, but for scripts of JSON-LD (of
     * 256 KB at most, in head), math (without its content), MathJax's scripts, and iframes; without
     * spans that have no id and no class that Markdown needs, but not their content; and without
     * attributes from body on: tmpl_dom_attribute() reads them.
     */
    int content;
    int languages; /* but with spans that have lang or dir */
} tmpl_dom_opts_t;

/*
 * Makes the tree, all of it from pool: libxml2's functions may read the tree, but neither change
 * nor free it. NULL if the tree would take more than tmpl_page_memory() bytes.
 */
xmlDoc *tmpl_dom(const tmpl_page_t *page, const tmpl_dom_opts_t *opts, apr_pool_t *pool);

/*
 * What reads a tree may keep a pointer in psvi of elements in body, until something else reads it.
 */

/* The index of the page's node that an element stands for; TMPL_NONE in and around the head. */
static inline uint32_t tmpl_dom_node(const xmlNode *element)
{
    return (uint32_t)(uintptr_t)element->_private - 1;
}

/* The tag of an element in body; TMPL_TAG_OTHER for other nodes. */
static inline tmpl_tag_e tmpl_dom_tag(const tmpl_page_t *page, const xmlNode *node)
{
    return node->type == XML_ELEMENT_NODE ? (tmpl_tag_e)page->nodes[tmpl_dom_node(node)].tag
                                          : TMPL_TAG_OTHER;
}

/* The same, but that of the part of a table which the element's role says that it is. */
tmpl_tag_e tmpl_dom_table_role(const tmpl_page_t *page, const tmpl_node_t *node);

static inline tmpl_tag_e tmpl_dom_table_tag(const tmpl_page_t *page, const xmlNode *node)
{
    tmpl_tag_e tag = tmpl_dom_tag(page, node);
    const tmpl_node_t *n = &page->nodes[tmpl_dom_node(node)];
    int may_be = (tag == TMPL_TAG_DIV || tag == TMPL_TAG_SPAN || tag == TMPL_TAG_P) &&
                 (n->flags & TMPL_NODE_NAMED);
    return may_be ? tmpl_dom_table_role(page, n) : tag;
}

/* Whether a text is white space alone. TMPL_BYTES16 bytes behind a text may be read. */
static inline int tmpl_dom_is_blank(const xmlNode *text)
{
    return text->content[strspn((const char *)text->content, " \t\n\r\f")] == '\0';
}

/* The first element from a node on, which may be NULL, among its siblings; NULL: there is none. */
static inline const xmlNode *tmpl_dom_element(const xmlNode *node)
{
    while (node != NULL && node->type != XML_ELEMENT_NODE) {
        node = node->next;
    }
    return node;
}

/* The index of the segment that a text begins with; TMPL_NONE: it is white space alone. */
static inline uint32_t tmpl_dom_segment(const xmlNode *text)
{
    return (uint32_t)(uintptr_t)text->_private - 1;
}

/*
 * A math element of the tree with its content, from pool; NULL if there is none, or it is very
 * long. Its elements are no nodes of the page: tmpl_dom_node() is TMPL_NONE.
 */
const xmlNode *tmpl_dom_math(const xmlNode *math, apr_pool_t *pool);

/* The attribute's value, which lives as long as the tree; NULL if there is no such attribute. */
const char *tmpl_dom_attribute(const xmlNode *element, const char *name);

/* The same for an element in body, of an attribute that the scan lists (html/attr.h): faster. */
const char *tmpl_dom_listed(const xmlNode *element, tmpl_attr_name_e name);

/* The next node in top in document order; NULL at the end. If over is set, the content of node is
 * skipped. */
xmlNode *tmpl_dom_next(const xmlNode *node, const xmlNode *top, int over);

#endif
