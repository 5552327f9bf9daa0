/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When to stop loading pages of a site. The segments that all pages of a complete subdigraph share
 * are template by Alarte et al. (WWV 2014); by the site's table they are template once min_df
 * documents have them. The functions below measure how much of the shared text has reached that.
 */
#ifndef TMPL_OVERLAP_H
#define TMPL_OVERLAP_H

#include "page/page.h"

typedef struct tmpl_overlap_t tmpl_overlap_t;

/*
 * Begins with key_page, which counts as seen and must live as long as the result; most is the
 * number of pages that may be added. From pool.
 */
tmpl_overlap_t *tmpl_overlap_make(const tmpl_page_t *key_page, uint32_t most, apr_pool_t *pool);

/*
 * Adds page number i < most, each number once: its keys, and the hash of its text. Returns 0, and
 * does not count the page, if a page with the same text was added before: it is the same document.
 */
int tmpl_overlap_add(tmpl_overlap_t *overlap, uint32_t i, const uint64_t *keys, uint32_t n_keys,
                     uint64_t text);

/*
 * Takes the text of the key page that is on all n pages whose numbers are in pages. Returns the
 * share of that text, 0..1, that at least min_df of the pages added have; 1 if there is no such
 * text; 0 while fewer than min_df pages were added.
 */
double tmpl_overlap_settled(const tmpl_overlap_t *overlap, const uint32_t *pages, uint32_t n,
                            uint32_t min_df);

#endif
