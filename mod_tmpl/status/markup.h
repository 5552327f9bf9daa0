/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes HTML. A text never becomes markup: tmpl_put() escapes each of its arguments, and nothing
 * else writes text.
 */
#ifndef TMPL_MARKUP_H
#define TMPL_MARKUP_H

#include "json.h"

/* A page that is being written. */
typedef struct {
    request_rec *r;
    const char *location; /* the path of the handler, without a slash at its end */
    const json_t *data;   /* what is shown: data.h */
    double now;           /* seconds since 1970 */
} tmpl_html_t;

/*
 * Writes markup; each %s in it is a text, to be put between tags or into double quotes, and %% is a
 * percent sign.
 */
void tmpl_put(const tmpl_html_t *h, const char *markup, ...) __attribute__((format(printf, 2, 3)));

/* Numbers for people, from the request's pool. */
const char *tmpl_text_count(const tmpl_html_t *h, json_int_t n);      /* 12,345 */
const char *tmpl_text_bytes(const tmpl_html_t *h, double bytes);      /* 1.2 MB */
const char *tmpl_text_share(const tmpl_html_t *h, double share);      /* 12.3 % */
const char *tmpl_text_duration(const tmpl_html_t *h, double seconds); /* 2.5 ms */
const char *tmpl_text_moment(const tmpl_html_t *h, double seconds);   /* 2026-01-31 12:00:00Z */

/* Writes the content of a row's cell. name is the name of the column. */
typedef void tmpl_cell_f(const tmpl_html_t *h, const json_t *row, const char *name);

/* Cells of members that are texts, numbers, or times; empty if the row has no such member. */
tmpl_cell_f tmpl_cell_text, tmpl_cell_count, tmpl_cell_bytes, tmpl_cell_share, tmpl_cell_bar,
    tmpl_cell_moment, tmpl_cell_ago;

typedef struct {
    const char *title;
    const char *name; /* the name of the row's member */
    tmpl_cell_f *write;
    int is_number; /* the cells are aligned to the right */
} tmpl_column_t;

/*
 * Writes a table with a row for each element of the array rows, or, if rows is empty, the text
 * empty. The first column names its row. A wide table scrolls in a box of its own.
 */
void tmpl_put_table(const tmpl_html_t *h, const char *caption, const tmpl_column_t *columns, int n,
                    const json_t *rows, const char *empty);

/* Writes a section's beginning, up to its heading; end it with </section>. */
void tmpl_put_section(const tmpl_html_t *h, const char *id, const char *heading);

#endif
