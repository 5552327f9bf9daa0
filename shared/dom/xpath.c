/* SPDX-License-Identifier: Apache-2.0 */
#include "dom/xpath.h"

#include <string.h>

#include <apr_strings.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

#include "dom/xpath_cost.h"

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

apr_status_t tmpl_xpath_check(const char *text, tmpl_error_t *err)
{
    xmlError found = { 0 };
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
    context->opLimit = tmpl_xpath_most(text, doc);
    tmpl_xpath_count_text(context);
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

const char *tmpl_xpath_of(const xmlNode *element, apr_pool_t *pool)
{
    xmlChar *path = xmlGetNodePath(element);
    const char *copy = path != NULL ? apr_pstrdup(pool, (const char *)path) : "";
    xmlFree(path);
    return copy;
}
