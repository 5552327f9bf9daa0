/* SPDX-License-Identifier: Apache-2.0 */
/* What a page says that records can be found by: names, dates, and titles that are links. */
#ifndef TMPL_RECORD_MARKS_H
#define TMPL_RECORD_MARKS_H

#include "content/record_fields.h"

typedef enum {
    TMPL_MARKS_AUTHORS,
    TMPL_MARKS_DATES,
    TMPL_MARKS_TITLES, /* links to the pages of cards */
    TMPL_RECORD_MARKS
} tmpl_record_mark_e;

typedef struct {
    tmpl_record_page_t p;
    apr_array_header_t *marks[TMPL_RECORD_MARKS]; /* nodes (uint32_t), in order */
    uint32_t *facts; /* [i]: prices, dates, ratings and pictures before node i */
} tmpl_record_marks_t;

/*
 * Reads the marks of a page, and fills the rest of m->p, whose page, edits, decoder and pool are
 * set. From pool. Returns 0 if the page can have no records. A large part of the page that edits
 * delete has no marks: only names and dates near text that stays are records'.
 */
int tmpl_record_marks_read(tmpl_record_marks_t *m, apr_pool_t *pool);

#endif
