/* SPDX-License-Identifier: Apache-2.0 */
/* The reader view as it is written: what becomes of each element (view.c). */
#ifndef TMPL_VIEW_H
#define TMPL_VIEW_H

#include <apr_hash.h>

#include "content/walk.h"
#include "reader/html_writer.h"

/* Bytes of text of a summary, at most. */
#define TMPL_SUMMARY_TEXT 400

/* What stands in a heading, a link or a cell. */
typedef struct {
    tmpl_buf_t text; /* the first bytes of the text, its white space as single spaces */
    int named;       /* one of them has a text that says what it shows */
    int heading;     /* there is a heading */
    int blocks;      /* it has several lines */
} tmpl_summary_t;

/* What of a link around several lines is a link: its heading, or its first line. */
typedef enum { TMPL_CARD_NONE, TMPL_CARD_HEADING, TMPL_CARD_LINE, TMPL_CARD_WRITTEN } tmpl_card_e;

/* A list of records that begins with a record. */
typedef struct {
    uint32_t n;    /* its records; 0: none begins */
    uint32_t node; /* where it begins */
} tmpl_post_list_t;

typedef struct {
    const tmpl_content_t *content;
    const tmpl_page_t *page;
    tmpl_walk_t walk;
    tmpl_html_writer_t html;
    tmpl_summary_t summary;
    tmpl_buf_t address;      /* temporary */
    apr_size_t start;        /* bytes that were written before the content */
    const xmlNode *link;     /* the open link; NULL: none */
    const char *href;        /* its attributes */
    tmpl_card_e card;        /* what of it is written as a link */
    const xmlNode *table;    /* the open table; NULL: none */
    uint32_t rows, cells;    /* of it, before the current ones */
    int headed;              /* its first row are headers */
    uint32_t wide;           /* boxes that scroll, so far */
    unsigned char levels[6]; /* levels of the headings around, in the page */
    uint32_t n_levels;
    uint32_t record;         /* the last one that began, or the first */
    tmpl_post_list_t *lists; /* by record */
    apr_hash_t *targets;     /* ids of elements to which links lead; NULL: there are none */
    const char **ids;        /* by node: the one that is written there; NULL: there are none */
    apr_pool_t *pool;
} tmpl_view_t;

/* --- view.c --- */

/* Prepares to write content; what is written is from pool, all else from scratch. */
void tmpl_view_init(tmpl_view_t *w, const tmpl_content_t *content, apr_size_t limit,
                    apr_pool_t *pool, apr_pool_t *scratch);

/* Writes the content of an element. */
void tmpl_view_content(tmpl_view_t *w, const xmlNode *top);

/* Whether the content has just begun: what the header says is not repeated there. */
int tmpl_view_begins(const tmpl_view_t *w);

/* Reads what stands in an element, before it is written, into w->summary. */
void tmpl_view_read(tmpl_view_t *w, const xmlNode *element);

/* A border of blocks. A card's link ends with the line that has it. */
void tmpl_view_border(tmpl_view_t *w);

/* The element, h2 to h6, of a heading of that level in the page: none is left out. */
const char *tmpl_view_heading(tmpl_view_t *w, unsigned level);

/* Opens a box that scrolls if its content is wide, for node; kind names it: "Table". */
void tmpl_view_wide(tmpl_view_t *w, const char *kind, const xmlNode *node);

/* Whether an element says in which language it is, or direction. */
int tmpl_view_has_language(tmpl_view_t *w, const xmlNode *node);

/* How the attributes of such a box begin. */
extern const char tmpl_view_box[];

/* --- phrasing.c: what stands in lines of text --- */

/* Writes an element that is no block; returns whether its content is left out. */
int tmpl_view_phrase(tmpl_view_t *w, const xmlNode *node, tmpl_element_e kind);

/*
 * Whether a safe address (href.h) may be written: an image's scheme must be http or https; if it is
 * relative, the page's own address is not known, or has such a scheme.
 */
int tmpl_view_may(const tmpl_view_t *w, const char *href, int is_image);

/* The address that such a href leads to, absolute if the page's is known, until the next call. */
const char *tmpl_view_address(tmpl_view_t *w, const char *href);

/* --- math.c --- */

/* Writes a formula as MathML; math is as tmpl_dom_math() returns it. */
void tmpl_view_math(tmpl_view_t *w, const xmlNode *math, int display);

/* --- attributes.c --- */

/* Finds the links into the page itself, as of footnotes, and the ids they lead to. Linear. */
void tmpl_view_targets(tmpl_view_t *w);

/*
 * The fragment in href, whose address is tmpl_view_address(), without '#', if an element of the
 * content has that id; else NULL.
 */
const char *tmpl_view_fragment(tmpl_view_t *w, const char *href, const char *address);

/* Writes the attributes that an element of the page keeps. */
void tmpl_view_attributes(void *view, tmpl_buf_t *out, const tmpl_html_element_t *element);

/* --- reader.c --- */

/* The date that the header has; NULL: none. */
const char *tmpl_view_date(const tmpl_metadata_t *metadata);

/* --- posts.c: who wrote the page and its records, and when --- */

/*
 * Whether a block, where the page begins, is a byline, and the view's header says all of it. A date
 * alone must have been judged to be byline: that of an event is none.
 */
int tmpl_view_is_byline(tmpl_view_t *w, const xmlNode *element);

/* Finds the records of the walk's content. */
void tmpl_posts_find(tmpl_view_t *w);

/*
 * Begins a list of records or a record with an element, before it is written. Returns the record
 * that begins; NULL: none does.
 */
const tmpl_group_record_t *tmpl_posts_begin(tmpl_view_t *w, const xmlNode *node);

/* Writes who wrote a record, and when, behind the start of its element. */
void tmpl_posts_head(tmpl_view_t *w, const tmpl_group_record_t *record);

#endif
