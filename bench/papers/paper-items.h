/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The figures of Chakrabarti, Kumar and Punera (WWW 2007, section 5): how much text and anchor text
 * and how many links are called template, and are template. Text is counted in bytes; each link
 * counts once and has the label of most of its text.
 */
#ifndef TMPL_PAPER_ITEMS_H
#define TMPL_PAPER_ITEMS_H

#include "paper-pages.h"

typedef enum { PAPER_TEXT, PAPER_ANCHOR_TEXT, PAPER_LINKS, PAPER_ITEMS } paper_item_e;

typedef struct {
    double found;    /* called template, and labelled template */
    double called;   /* called template */
    double template; /* labelled template */
} paper_counts_t;

/*
 * Adds a page with a verdict for each of its blocks. Text without a label is not counted. Scratch
 * from pool.
 */
void paper_counts_add(paper_counts_t counts[PAPER_ITEMS], const paper_page_t *page,
                      const tmpl_verdict_t *verdicts, apr_pool_t *pool);

/*
 * F of the template class: 2 found / (called + template), the harmonic mean of precision and
 * recall; 1 if both are 0.
 */
double paper_f(const paper_counts_t *counts);

#endif
