/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distances of two pages by their addresses, and of two links by their positions on a page: Alarte,
 * Insa, Silva and Tamarit, "Automatic Detection of Webpages that Share the Same Web Template" (WWV
 * 2014), section 3.2. Pages with near addresses share most of their template; links far apart on a
 * page lead to pages that share nothing but the template.
 */
#ifndef TMPL_DISTANCE_H
#define TMPL_DISTANCE_H

#include "page/page.h"

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
