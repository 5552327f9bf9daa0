/* SPDX-License-Identifier: Apache-2.0 */
#include "dom/xpath.h"

#include <string.h>

#include <apr_strings.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

#include "base/ascii.h"

/* Bytes of an expression at most. */
#define LONGEST 1000

/* Keeps the first error of libxml2; libxml2 would print errors otherwise. */
static void keep_error(void *data, xmlErrorPtr error)
{
    xmlError *first = data;
    if (first->code == XML_ERR_OK) {
        first->code = error->code;
        first->int1 = error->int1; /* bytes of the expression before the error */
    }
}

/*
 * Evaluates an expression in a small document: libxml2 compiles unknown functions, variables and
 * prefixes without an error.
 */
static apr_status_t try_out(xmlXPathCompExpr *expression, xmlXPathContext *context,
                            const char *text, tmpl_error_t *err)
{
    xmlDoc *doc = xmlNewDoc((const xmlChar *)"1.0");
    xmlNode *html = doc != NULL ? xmlNewDocNode(doc, NULL, (const xmlChar *)"html", NULL) : NULL;
    apr_status_t rv = APR_SUCCESS;
    if (html == NULL) {
        xmlFreeDoc(doc);
        return tmpl_fail(err, APR_ENOMEM, "no memory for XPath");
    }
    xmlDocSetRootElement(doc, html);
    context->doc = doc;
    xmlXPathObject *object = xmlXPathCompiledEval(expression, context);
    if (object == NULL) {
        rv = tmpl_fail(err, APR_EINVAL,
                       "XPath '%s': it has a function, a variable or a prefix that XPath 1.0 does "
                       "not have",
                       text);
    }
    else if (object->type != XPATH_NODESET) {
        rv = tmpl_fail(err, APR_EINVAL, "XPath '%s': it selects no elements", text);
    }
    xmlXPathFreeObject(object);
    xmlFreeDoc(doc);
    return rv;
}

/* Whether a path in a predicate begins at the root: it would be read again for each element. */
static int reads_page_again(const char *text)
{
    int depth = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\'') {
            const char *end = strchr(at + 1, *at);
            at = end != NULL ? end : at + strlen(at) - 1;
            continue;
        }
        depth += (*at == '[') - (*at == ']');
        if (*at == '/' && depth > 0 && !tmpl_is_alnum(at[-1]) && (signed char)at[-1] >= 0 &&
            strchr("/_-.)]*", at[-1]) == NULL) {
            return 1;
        }
    }
    return 0;
}

apr_status_t tmpl_xpath_check(const char *text, tmpl_error_t *err)
{
    xmlError found = { 0 };
    if (strlen(text) > LONGEST) {
        return tmpl_fail(err, APR_EINVAL, "XPath '%.40s...': it is longer than %d bytes", text,
                         LONGEST);
    }
    if (reads_page_again(text)) {
        return tmpl_fail(err, APR_EINVAL, "XPath '%s': a path in [] begins at an element, not at /",
                         text);
    }
    xmlXPathContext *context = xmlXPathNewContext(NULL);
    if (context == NULL) {
        return tmpl_fail(err, APR_ENOMEM, "no memory for XPath");
    }
    context->error = keep_error;
    context->userData = &found;
    xmlXPathCompExpr *expression = xmlXPathCtxtCompile(context, (const xmlChar *)text);
    apr_status_t rv = APR_SUCCESS;
    if (expression == NULL) {
        rv =
            tmpl_fail(err, APR_EINVAL, "XPath '%s': invalid at character %d", text, found.int1 + 1);
    }
    else {
        rv = try_out(expression, context, text, err);
    }
    xmlXPathFreeCompExpr(expression);
    xmlXPathFreeContext(context);
    return rv;
}

/* The page's node of a node of the tree, or of the element around; TMPL_NONE outside of body. */
static uint32_t page_node_of(const xmlNode *node)
{
    while (node != NULL && node->type != XML_ELEMENT_NODE) {
        node = node->parent;
    }
    return node != NULL ? tmpl_dom_node(node) : TMPL_NONE;
}

/* Whether steps may reach one node from several: sets of nodes are merged then. */
static int merges_nodes(const char *text)
{
    const char *from = strstr(text, "//");
    return (from != NULL && strstr(from + 2, "//") != NULL) || strstr(text, "..") != NULL ||
           strstr(text, "::") != NULL || strchr(text, '|') != NULL;
}

/*
 * libxml2 counts steps, but some take time with the size of the page: they make a string of a node,
 * or merge sets of nodes by comparing each node with each. So there are fewer steps, the larger the
 * page.
 */
static unsigned long most_steps(const char *text, const xmlDoc *doc)
{
    const uint64_t all = 5000000, work = 1000000000;
    uint64_t nodes = 1, read = 0; /* bytes of the strings of all nodes */
    const xmlNode *top = xmlDocGetRootElement(doc);
    for (const xmlNode *node = top; node != NULL; node = tmpl_dom_next(node, top, 0)) {
        uint64_t len = node->type == XML_TEXT_NODE ? strlen((const char *)node->content) : 0;
        nodes++;
        for (const xmlNode *up = node; len > 0 && up != NULL; up = up->parent) {
            read += len;
        }
    }
    uint64_t cost = merges_nodes(text) ? nodes + read / nodes : read / nodes;
    uint64_t most = work / (cost + 1);
    return most < all ? most : all;
}

int tmpl_xpath_select(uint32_t **nodes, uint32_t *n, const char *text, xmlDoc *doc,
                      apr_pool_t *pool)
{
    xmlError found = { 0 };
    xmlXPathContext *context = xmlXPathNewContext(doc);
    *n = 0;
    *nodes = NULL;
    if (context == NULL) {
        return 0;
    }
    context->error = keep_error;
    context->userData = &found;
    context->opLimit = most_steps(text, doc) + 1; /* 0 would be no limit */
    xmlXPathOrderDocElems(doc); /* else it takes a walk over siblings to compare two elements */
    /* in parentheses: libxml2 evaluates plain paths as a stream, in which "//div//div//div" takes
       as many states as there are sets of three elements within one another */
    const char *as_filter = apr_pstrcat(pool, "(", text, ")", NULL);
    /* compiled for each page: libxml2 writes into a compiled expression, and threads share ours */
    xmlXPathObject *object = xmlXPathEvalExpression((const xmlChar *)as_filter, context);
    if (object != NULL && object->type == XPATH_NODESET && object->nodesetval != NULL) {
        const xmlNodeSet *set = object->nodesetval;
        *nodes = apr_palloc(pool, ((apr_size_t)set->nodeNr + 1) * sizeof(**nodes));
        for (int i = 0; i < set->nodeNr; i++) {
            uint32_t node = page_node_of(set->nodeTab[i]);
            if (node != TMPL_NONE) {
                (*nodes)[(*n)++] = node;
            }
        }
    }
    xmlXPathFreeObject(object);
    xmlXPathFreeContext(context);
    return object != NULL && found.code == XML_ERR_OK;
}
