/* SPDX-License-Identifier: Apache-2.0 */
/* Permalinks: links in headings and terms of documentation, for people who copy addresses. */
#ifndef TMPL_PERMALINK_H
#define TMPL_PERMALINK_H

#include "dom/dom.h"

/*
 * Whether a link with that href is the permalink of leaf, the heading or term around it: the link
 * leads to a fragment, and its text is symbols only. A link that is the whole heading is no
 * permalink: its symbols are the heading's text, as "+" where operators are documented.
 */
int tmpl_permalink_is(const tmpl_page_t *page, const xmlNode *leaf, const xmlNode *link,
                      const char *href);

/* Whether text is symbols only: no letters, no digits, and no signs of footnotes. */
int tmpl_permalink_is_symbols(const char *text, apr_size_t len);

/* Whether a link into the page is a whole heading or term: its text needs no link to itself. */
int tmpl_permalink_is_whole(const xmlNode *leaf, const xmlNode *link, const char *href);

#endif
