/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page says more than once: segments with the same text, wherever they stand. A headline
 * that is repeated, a line for small screens, a teaser that a list repeats, the name of each post's
 * author.
 */
#ifndef TMPL_SAID_H
#define TMPL_SAID_H

#include "feature/feature.h"
#include "page/page.h"

/* The copies of a text. */
typedef struct {
    uint32_t first, last; /* blocks */
    uint32_t times;
} tmpl_copies_t;

typedef struct {
    uint32_t *text; /* of each segment: index in copies */
    uint32_t *rank; /* of each segment: copies before it */
    tmpl_copies_t *copies;
    uint32_t n;
} tmpl_said_t;

/* Finds the copies of all texts of a page. From pool. */
void tmpl_read_said(tmpl_said_t *said, const tmpl_page_t *page, apr_pool_t *pool);

/* Fills the features SAID_BEFORE to SAID_RANK of a block, at i; the columns are clear. */
void tmpl_said_fill(tmpl_columns_t *columns, uint32_t i, const tmpl_said_t *said,
                    const tmpl_page_t *page, uint32_t b);

/* The lowest templateness of the blocks with a text, and of all but one of them. */
typedef struct {
    float lowest, other;
    uint32_t block; /* has the lowest */
} tmpl_said_best_t;

/* The best verdict on each text, by the templateness of all blocks. From pool. */
tmpl_said_best_t *tmpl_said_judged(const tmpl_said_t *said, const tmpl_page_t *page,
                                   const float *templateness, apr_pool_t *pool);

/*
 * The lowest templateness of other blocks that say the same as block b: a mean over its text. 1 for
 * text that no other block says.
 */
float tmpl_said_best(const tmpl_said_t *said, const tmpl_said_best_t *best, const tmpl_page_t *page,
                     uint32_t b);

#endif
