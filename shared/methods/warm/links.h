/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The links of a page to other pages of its site, and the order to follow them in: getLinks,
 * Algorithm 1 and the distances of section 3.2 of Alarte, Insa, Silva and Tamarit, "Automatic
 * Detection of Webpages that Share the Same Web Template" (WWV 2014). Pages with near addresses
 * share most of their template; links far apart on a page lead to pages that share nothing but the
 * template.
 */
#ifndef TMPL_LINKS_H
#define TMPL_LINKS_H

#include <apr_tables.h>

#include "page/page.h"
#include "address/address.h"

typedef struct {
    const char *uri; /* to request: "/path?query" */
    const char *id;  /* links with equal ids lead to the same document */
    uint32_t node;   /* the a element */
} tmpl_link_t;

/*
 * The links of the page at address, an array of tmpl_link_t from pool, in the order of their first
 * appearance: the href of a elements, resolved against the page's base. Left out are
 *   1. links to other hosts and to the page itself, and repeated links (getLinks and its note 3);
 *   2. files whose extension is not that of a page (.pdf, .png).
 * Bytes above 0x7f are escaped without conversion, so such links are right on pages in UTF-8 only.
 */
apr_array_header_t *tmpl_links(const tmpl_page_t *page, const tmpl_address_t *address,
                               apr_pool_t *pool);

/*
 * Sorts links of page by Algorithm 1: by relevance to uri, the address of the key page; among links
 * of equal relevance, the next is the one farthest in the tree from those before it (Definition 5),
 * or the first on the page if several are. Keeps the first most links. Time: links times most.
 */
void tmpl_links_order(apr_array_header_t *links, const tmpl_page_t *page, const char *uri, int most,
                      apr_pool_t *pool);

/*
 * hDistance(from, to), Definition 2, in directories: the parts of an address that end with a '/'.
 * The leading '/' is not one, and the name behind the last '/', with the query, does not count.
 *    0: the same directory
 *   +k: to is k directories below from
 *   -k: from is k directories below the last directory that both share
 */
int tmpl_hyperlink_distance(const char *from, const char *to);

/*
 * Compares links at hyperlink distances a and b from the key page by relevance, Definition 4: below
 * 0 if a is more relevant, 0 if equal, above 0 if b is. The order is 0, 1, 2, ..., -1, -2, ...
 */
int tmpl_link_relevance(int a, int b);

/*
 * dDistance(a, b), Definition 3: the number of edges on the path from node a to node b in the tree.
 */
uint32_t tmpl_dom_distance(const tmpl_page_t *page, uint32_t a, uint32_t b);

#endif
