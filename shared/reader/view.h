/* SPDX-License-Identifier: Apache-2.0 */
/* The reader view as it is written: what becomes of each element (view.c). */
#ifndef TMPL_VIEW_H
#define TMPL_VIEW_H

#include "content/groups.h"
#include "content/walk.h"
#include "reader/targets.h"
#include "reader/html_writer.h"

/* Bytes of text of a summary, at most. */
#define TMPL_SUMMARY_TEXT 400

/* What stands in a heading, a link or a cell. */
typedef struct {
    tmpl_buf_t text; /* the first bytes of the text, its white space as single spaces */
    int images;      /* there are images */
    int named;       /* one of them has a text that says what it shows */
    int heading;     /* there is a heading */
    int blocks;      /* it has several lines */
} tmpl_summary_t;

typedef struct {
    const tmpl_content_t *content;
    const tmpl_page_t *page;
    tmpl_walk_t walk;
    tmpl_html_writer_t html;
    tmpl_targets_t targets;
    tmpl_summary_t summary;
    tmpl_buf_t address;      /* temporary */
    tmpl_buf_t code;         /* the text of a pre */
    apr_size_t start;        /* bytes that were written before the content */
    int languages;           /* elements may have lang and dir */
    const xmlNode *link;     /* the open link; NULL: none */
    const char *label;       /* the text of the link around, if it is short; "": none */
    int card;                /* what of the link is written as one (walk.c) */
    const xmlNode *table;    /* the open table; NULL: none */
    uint32_t rows, cells;    /* of it, before the current ones */
    int headed;              /* its first row are headers */
    uint32_t wide;           /* boxes that scroll, so far */
    unsigned char levels[6]; /* levels of the headings around, in the page */
    uint32_t n_levels;
    uint32_t record;  /* of them: the next one */
    uint32_t *counts; /* by record: how many are in the list that it begins; 0: it begins none */
    unsigned char *marks; /* by node of the page: what begins there; NULL: there are no records */
    apr_pool_t *pool;
} tmpl_view_t;

typedef enum { TMPL_TOLD_NOTHING, TMPL_TOLD_DATE, TMPL_TOLD_AUTHOR } tmpl_told_e;

/*
 * What of the view's header a text in UTF-8 says again: an author, perhaps with the date, or the
 * date alone, with words like "by" and "posted on". NOTHING: it says anything else (reader.c).
 */
tmpl_told_e tmpl_header_tells(const tmpl_metadata_t *metadata, const char *text);

/* Whether the content has just begun: what the header says is not repeated there. */
int tmpl_view_begins(const tmpl_view_t *w);

/* Prepares to write content; what is written is from pool, all else from scratch. */
void tmpl_view_init(tmpl_view_t *w, const tmpl_content_t *content, apr_size_t limit,
                    apr_pool_t *pool, apr_pool_t *scratch);

/* Writes the content of an element. */
void tmpl_view_content(tmpl_view_t *w, const xmlNode *top);

/*
 * Whether an address may be written: it is safe (href.h), and an image's scheme is http or https;
 * or it is relative, and the page's own address is not known.
 */
int tmpl_view_may(const tmpl_view_t *w, const char *href, int is_image);

/* The address that such a href leads to, absolute if the page's is known, until the next call. */
const char *tmpl_view_address(tmpl_view_t *w, const char *href);

/* How the attributes of a box that scrolls begin. */
extern const char tmpl_view_box[];

/* The level, 2 to 6, of a heading of that level in the page: none is left out. */
unsigned tmpl_view_level(tmpl_view_t *w, unsigned level);

/* Opens a box that scrolls if its content is wide, for node; kind names it: "Table". */
void tmpl_view_wide(tmpl_view_t *w, const char *kind, const xmlNode *node);

/* Writes the attributes that an element of the page keeps (attributes.c). */
void tmpl_view_attributes(void *walk, tmpl_buf_t *out, const tmpl_html_element_t *element);

/* Writes a formula as MathML; math is as tmpl_dom_math() returns it. */
void tmpl_view_math(tmpl_view_t *w, const xmlNode *math, int display);

/* --- posts.c --- */

/* Finds the records of the walk's content. */
void tmpl_posts_find(tmpl_view_t *w);

/* Begins a list of records or a record with an element, before it is written. */
void tmpl_posts_begin(tmpl_view_t *w, const xmlNode *node);

/* Writes who wrote the record that begins with an element, and when, behind the element's start. */
void tmpl_posts_head(tmpl_view_t *w, const xmlNode *node);

#endif
