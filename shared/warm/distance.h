/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far apart two pages are by their addresses, and two links by their places on a page: Alarte,
 * Insa, Silva, Tamarit, "Automatic Detection of Webpages that Share the Same Web Template" (WWV 2014),
 * section 3.2. What they are for: pages near by address share most of a template, links far apart on a
 * page lead to pages that share nothing else.
 */
#ifndef TMPL_DISTANCE_H
#define TMPL_DISTANCE_H

#include "page/page.h"

/*
 * hDistance(from, to), Definition 2, in directories. An address is here the words that a '/' ends: what
 * stands behind the last '/', and from the first '?' on, is the name of a resource and does not count. A
 * '/' in front is none. 0: the same directory. +k: to is k directories below from. -k: k directories of
 * from lie above the last one that both share.
 */
int tmpl_hyperlink_distance(const char *from, const char *to);

/*
 * Link relevance, Definition 4, of links at hyperlink distances a and b from the key page: below 0 if a
 * comes first, 0 if neither, above 0 if b does. First 0, then below the key page, near before far, then
 * outside, near before far.
 */
int tmpl_link_relevance(int a, int b);

/*
 * dDistance(a, b), Definition 3: the edges of the tree on the way from node a to node b, by their lowest
 * common ancestor. 0 if a is b.
 */
uint32_t tmpl_dom_distance(const tmpl_page_t *page, uint32_t a, uint32_t b);

#endif
