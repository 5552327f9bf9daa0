/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of what pages of a site share is known well enough: when to stop loading more of them. The
 * segments on all pages of a complete subdigraph are template by Alarte et al. (WWV 2014); the segment table
 * takes them for it once they have stood on min_df documents.
 */
#ifndef TMPL_OVERLAP_H
#define TMPL_OVERLAP_H

#include "page/page.h"

typedef struct tmpl_overlap_t tmpl_overlap_t;

/* Counts what stands on key_page, which must outlive it, with key_page as the one page seen. */
tmpl_overlap_t *tmpl_overlap_make(const tmpl_page_t *key_page, uint32_t most, apr_pool_t *pool);

/*
 * Another page has been seen: number i, below the most that was made room for, each given once. False, and
 * it does not count, if its text is that of a page seen before: then it is the same document.
 */
int tmpl_overlap_add(tmpl_overlap_t *overlap, uint32_t i, const uint64_t *keys, uint32_t n_keys,
                     uint64_t text);

/*
 * Of the key page's text that stands on all n pages with the numbers in pages, the share that stands on at
 * least min_df of the pages seen: 0 to 1, and 1 if there is no such text; but 0 while fewer than min_df pages
 * were seen, for nothing can be known then.
 */
double tmpl_overlap_settled(const tmpl_overlap_t *overlap, const uint32_t *pages, uint32_t n,
                            uint32_t min_df);

#endif
