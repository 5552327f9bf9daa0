/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The links of a page to other pages of its site, and the order to follow them in: getLinks and
 * Algorithm 1 of Alarte, Insa, Silva and Tamarit (WWV 2014).
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

#endif
