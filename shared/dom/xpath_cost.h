/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an XPath may cost on a page, in steps of libxml2. A step takes some 10 to 200 ns, but
 * libxml2 does three things in one step that take time with the size of the page: it makes strings
 * of nodes, merges sets of nodes (by comparing each node with each), and compares two sets. Strings
 * that are made for a function are counted as steps. For the rest, an expression that has such a
 * step may take fewer steps, the larger the page.
 */
#ifndef TMPL_XPATH_COST_H
#define TMPL_XPATH_COST_H

#include <libxml/xpath.h>

/* What one step of an expression may do. */
enum {
    TMPL_XPATH_MERGES = 1, /* "|", "..", "//" within a path, axes that reach a node from many */
    TMPL_XPATH_CASTS = 2,  /* makes a string of any node, beside an operator: "a = 'x'" */
    TMPL_XPATH_PAIRS = 4,  /* compares nodes with nodes: "a = b" */
    TMPL_XPATH_READS = 8   /* makes a string of each node, but only once: "//p[. = 'x']" */
};

/* The TMPL_XPATH_ of a valid expression. */
unsigned tmpl_xpath_does(const char *text);

/*
 * The steps that a valid expression may take in a tree of tmpl_dom(): 100,000 and 100 for each
 * element, fewer for large pages, and for expressions that merge, cast or compare nodes.
 */
unsigned long tmpl_xpath_most(const char *text, const xmlDoc *doc);

/* From now on, functions that the context evaluates take steps for the text that they read. */
void tmpl_xpath_count_text(xmlXPathContext *context);

#endif
