/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in a heading, a link or a cell, read before it is written. */
#ifndef TMPL_GIST_H
#define TMPL_GIST_H

#include "base/buf.h"
#include "dom/dom.h"

/* Bytes of text that are kept, at most. */
#define TMPL_GIST_TEXT 400

typedef struct {
    tmpl_buf_t text; /* the first bytes of the text, its white space as single spaces */
    int images;      /* there are images */
    int named;       /* one of them has a text that says what it shows */
    int heading;     /* there is a heading */
    int blocks;      /* it has several lines */
} tmpl_gist_t;

/* Reads an element; gist->text is initialized. */
void tmpl_gist_read(tmpl_gist_t *gist, const tmpl_page_t *page, const xmlNode *element);

/* Adds a text with its white space as single spaces, up to TMPL_GIST_TEXT bytes. */
void tmpl_gist_add(tmpl_buf_t *to, const char *text);

#endif
