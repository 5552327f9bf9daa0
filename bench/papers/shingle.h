/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shingle, the batch method that the papers compare with. Bar-Yossef and Rajagopalan (WWW 2002),
 * section 4: pages are split into pagelets; pagelets with the same shingle are one cluster; copies
 * of a page count once. Ma, Goharian, Chowdhury and Chung (CIKM 2003): a pagelet on at least a
 * threshold of a collection's pages is template. Two passes over a batch: count, then judge.
 *
 * Here pagelets are the blocks of the page, so that all methods have one segmentation; the papers
 * split by the number of links, or at tables.
 */
#ifndef TMPL_SHINGLE_H
#define TMPL_SHINGLE_H

#include "detect/verdict.h"

typedef struct {
    uint32_t window; /* words in a shingle */
    uint32_t least;  /* a template block is on at least so many pages of the batch */
} shingle_opts_t;

/* Windows of 10 words, as in Broder et al. (1997), and 2 pages. */
extern const shingle_opts_t shingle_opts_default;

/*
 * The shingle of segments [first, after) of a page: the least hash of all windows of words (Broder
 * et al.), or the hash of all words if they fill no window. The probability that two texts have the
 * same shingle is the resemblance of their sets of windows.
 */
uint64_t shingle_of(const tmpl_page_t *page, uint32_t first, uint32_t after, uint32_t window);

/* Judges a batch of n pages; verdicts[i] has room for the blocks of pages[i]. */
void shingle_detect(tmpl_verdict_t *const *verdicts, const tmpl_page_t *const *pages, uint32_t n,
                    const shingle_opts_t *opts, apr_pool_t *pool);

#endif
