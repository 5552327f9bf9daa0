/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Chakrabarti, Kumar and Punera (WWW 2007, section 5) count: text, anchor text and links that are called
 * template, and that are. Text is counted in bytes, links each as one: a link is what most of its text is.
 */
#ifndef TMPL_PAPER_ITEMS_H
#define TMPL_PAPER_ITEMS_H

#include "paper-pages.h"

typedef enum { PAPER_TEXT, PAPER_ANCHOR_TEXT, PAPER_LINKS, PAPER_ITEMS } paper_item_e;

typedef struct {
    double found;    /* called template, and so it is */
    double called;   /* called template */
    double template; /* template */
} paper_counts_t;

/* Adds a page with a verdict for each of its blocks. What has no label is not counted. Scratch from pool. */
void paper_counts_add(paper_counts_t counts[PAPER_ITEMS], const paper_page_t *page,
                      const tmpl_verdict_t *verdicts, apr_pool_t *pool);

/* F of the template class: 2 found / (called + template), the harmonic mean of precision and recall; 1 of nothing. */
double paper_f(const paper_counts_t *counts);

#endif
