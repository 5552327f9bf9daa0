/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages that all link each other: the n-complete subdigraph of a site that Algorithm 2 of Alarte,
 * Insa, Silva and Tamarit (WWV 2014) finds, one page at a time. Such pages have a menu in common,
 * and thus a template.
 */
#ifndef TMPL_SUBDIGRAPH_H
#define TMPL_SUBDIGRAPH_H

#include <apr_tables.h>

#include "methods/warm/links.h"

typedef struct tmpl_subdigraph_t tmpl_subdigraph_t;

/* The largest size to search for, and the most links of a key page. */
#define TMPL_SUBDIGRAPH_SIZE_MOST  16
#define TMPL_SUBDIGRAPH_LINKS_MOST 1000

/*
 * Begins to search for a complete subdigraph of size pages (1 to TMPL_SUBDIGRAPH_SIZE_MOST) among
 * the targets of links, an array of tmpl_link_t of at most TMPL_SUBDIGRAPH_LINKS_MOST, which must
 * not change. From pool.
 */
tmpl_subdigraph_t *tmpl_subdigraph_make(const apr_array_header_t *links, uint32_t size,
                                        apr_pool_t *pool);

/*
 * Adds the target of link i; its has the links of that page. Add each i once, in any order. Returns
 * 1 if there is a complete subdigraph of the size now, else 0. The search is exhaustive up to a
 * million steps; only a site made to be slow needs more, and there a subdigraph may be missed.
 */
int tmpl_subdigraph_add(tmpl_subdigraph_t *graph, uint32_t i, const apr_array_header_t *its);

/*
 * The largest complete subdigraph so far; of several of that size, the first one found. Returns the
 * *n indices of its links, in the order in which they were added. *n is at most the size searched
 * for; 0 if no page was added.
 */
const uint32_t *tmpl_subdigraph_best(const tmpl_subdigraph_t *graph, uint32_t *n);

#endif
