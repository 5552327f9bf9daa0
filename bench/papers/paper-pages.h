/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of a site with the labels of their text, for the experiments of the papers. The list of
 * sites comes from bench/papers/paper-sites on standard input: for each site a line "= KEY", then
 * the paths of its pages, one a line, in the order in which the pages are seen.
 *
 * The labels of DIR/pages/NAME.html are in DIR/gold/NAME.tsv, one row for each text node,
 * "LABEL<TAB>BLOCK<TAB>TEXT". Rows and segments are matched by their text, in order.
 */
#ifndef TMPL_PAPER_PAGES_H
#define TMPL_PAPER_PAGES_H

#include <stdio.h>

#include <apr_tables.h>

#include "detect/verdict.h"
#include "feature/document.h"

typedef struct {
    const char *path;
    const tmpl_page_t *page;
    tmpl_document_t document;
    const char *labels; /* one for each segment: 'C' content, 'T' template, ' ' no label */
    uint32_t *template; /* for each block, the length of its segments that are template */
    uint32_t *content;  /* for each block, the length of its segments that are content */
    double parsing;     /* seconds of CPU */
} paper_page_t;

typedef struct {
    const char *key;
    apr_array_header_t *pages; /* of paper_page_t */
    uint32_t declined;         /* pages that could not be parsed; they are left out */
    uint64_t labelled;         /* bytes of text with a label */
    uint64_t text;             /* bytes of text */
    apr_pool_t *pool;
} paper_site_t;

/* Reads the next site of the list; NULL at its end. It lives in pool. */
paper_site_t *paper_site_next(FILE *list, const tmpl_tag_set_t *separators, apr_pool_t *pool);

/* A page and its gold rows; for tests. */
void paper_page_label(paper_page_t *page, const char *gold, apr_size_t len, apr_pool_t *pool);

/*
 * Right and wrong verdicts, in bytes of text and in blocks (a block has the label of most of its
 * text).
 */
typedef struct {
    uint64_t template_text, found_text;     /* bytes of template; of these, bytes called template */
    uint64_t content_text, lost_text;       /* bytes of content; of these, bytes called template */
    uint64_t template_blocks, found_blocks; /* the same in blocks */
    uint64_t content_blocks, lost_blocks;
} paper_score_t;

void paper_score_add(paper_score_t *score, const paper_page_t *page,
                     const tmpl_verdict_t *verdicts);

/* 0..1, of text. Recall is 1 without template, precision is 1 if nothing was called template. */
double paper_recall(const paper_score_t *score);
double paper_precision(const paper_score_t *score);

/* Seconds of CPU that this thread has used. */
double paper_clock(void);

/* Ends the program. */
void paper_die(const char *what, const char *why) __attribute__((noreturn));

#endif
