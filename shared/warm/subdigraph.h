/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages that link each other: the n-complete subdigraph of a site that Algorithm 2 of Alarte, Insa, Silva,
 * Tamarit (WWV 2014) finds, a page at a time. Such pages are what a menu leads to, and share a template.
 */
#ifndef TMPL_SUBDIGRAPH_H
#define TMPL_SUBDIGRAPH_H

#include <apr_tables.h>

#include "warm/links.h"

typedef struct tmpl_subdigraph_t tmpl_subdigraph_t;

/* Sizes that are looked for, and links of a key page that are followed, at most. */
#define TMPL_SUBDIGRAPH_SIZE_MOST  16
#define TMPL_SUBDIGRAPH_LINKS_MOST 1000

/*
 * Looks for a complete subdigraph of size pages (1 to TMPL_SUBDIGRAPH_SIZE_MOST) among those that links, an
 * array of tmpl_link_t of at most TMPL_SUBDIGRAPH_LINKS_MOST, lead to. The array must stay as it is.
 */
tmpl_subdigraph_t *tmpl_subdigraph_make(const apr_array_header_t *links, uint32_t size,
                                        apr_pool_t *pool);

/*
 * The page behind link i was loaded, and has the links in its. Each i may be given once, in any order.
 * Returns 1 if there is a complete subdigraph of that size now, 0 if not. The search is exhaustive up to a
 * million steps; past them (a site made for it) a subdigraph may be missed.
 */
int tmpl_subdigraph_add(tmpl_subdigraph_t *graph, uint32_t i, const apr_array_header_t *its);

/*
 * The indices of the links to the pages of the largest complete subdigraph so far, the first one found of
 * that size, in the order in which they were added; *n are there, at most the size asked for. 0 before any page was added.
 */
const uint32_t *tmpl_subdigraph_best(const tmpl_subdigraph_t *graph, uint32_t *n);

#endif
