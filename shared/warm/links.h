/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The links of a page to other pages of its site, and the order in which to follow them: getLinks and
 * Algorithm 1 of Alarte, Insa, Silva, Tamarit (WWV 2014).
 */
#ifndef TMPL_LINKS_H
#define TMPL_LINKS_H

#include <apr_tables.h>

#include "page/page.h"
#include "warm/address.h"

typedef struct {
    const char *uri; /* what to ask for: "/path?query" */
    const char *id;  /* two links with equal ids lead to one page */
    uint32_t node;   /* the a element */
} tmpl_link_t;

/*
 * The links of the page at address, tmpl_link_t from pool, in the order of their first appearance: href of
 * a elements, against base href if the page has one. Links to other hosts, to the page itself and repeats
 * are left out (the paper's getLinks and its note 3), and so are files that by their name are no pages
 * (.pdf, .png). Bytes above 0x7f are escaped as they stand, so links with such bytes are found only on
 * pages in UTF-8.
 */
apr_array_header_t *tmpl_links(const tmpl_page_t *page, const tmpl_address_t *address,
                               apr_pool_t *pool);

/*
 * Sorts links of page by Algorithm 1: by link relevance to uri, the key page's own; among equals each next
 * one is the link farthest in the DOM tree from those taken of the same relevance (Definition 5), the first
 * on the page where that is equal, too. Only the first most are kept: the cost is links times most.
 */
void tmpl_links_order(apr_array_header_t *links, const tmpl_page_t *page, const char *uri, int most,
                      apr_pool_t *pool);

#endif
