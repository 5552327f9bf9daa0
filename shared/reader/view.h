/* SPDX-License-Identifier: Apache-2.0 */
/* The reader view as it is written: what becomes of each element (view.c). */
#ifndef TMPL_VIEW_H
#define TMPL_VIEW_H

#include <apr_hash.h>

#include "content/walk.h"
#include "html/attr.h"

/* --- html_writer.c --- */

/*
 * HTML as it is written: the elements that are open, and the text and formats of one line of text.
 * A start tag is written with the first content of its element, so an empty element leaves nothing.
 * Whatever the page does, the result is read as it was meant: only what may stand in an element is
 * written there, and the elements that HTML wants around it are added.
 */

/* Elements in one another at most; deeper ones are left out, but not their content. */
#define TMPL_HTML_DEPTH   100
#define TMPL_HTML_FORMATS 24

/* What may stand in an element. */
typedef enum {
    TMPL_HTML_FLOW,  /* blocks; text gets a p */
    TMPL_HTML_ITEM,  /* blocks; text that is its first content needs no p */
    TMPL_HTML_TEXT,  /* text with formats */
    TMPL_HTML_LIST,  /* li */
    TMPL_HTML_TERMS, /* dt and dd */
    TMPL_HTML_TABLE, /* thead, tbody, tfoot */
    TMPL_HTML_ROWS,  /* tr */
    TMPL_HTML_CELLS  /* td and th */
} tmpl_html_holds_e;

/* An element that is open. */
typedef struct {
    const char *name;
    const char *attributes; /* that are written in any case, with a space in front; "": none */
    const xmlNode *node;    /* of the page; NULL: the element was added */
    tmpl_html_holds_e holds;
    int begun; /* it has content that is written */
} tmpl_html_element_t;

/* Adds the attributes that an element has from its node of the page. */
typedef void tmpl_html_attributes_t(void *baton, tmpl_buf_t *out,
                                    const tmpl_html_element_t *element);

typedef struct {
    tmpl_html_attributes_t *attributes;
    void *baton;
    tmpl_buf_t out;
    apr_size_t limit; /* bytes of out at most; more is not written, but sets over */
    int over;
    tmpl_html_element_t open[TMPL_HTML_DEPTH];
    uint32_t n;
    uint32_t written; /* how many of open have their start tag in out */
    tmpl_html_element_t formats[TMPL_HTML_FORMATS];
    uint32_t n_formats;
    uint32_t formats_written;
    int in_text;        /* a line of text is open */
    int in_p;           /* in a p of its own */
    int space;          /* white space stands in front of what comes next in the line */
    int breaks;         /* so do as many line breaks */
    int rule;           /* a rule stands in front of the next block */
    tmpl_buf_t anchors; /* targets of links, which are written with the next text */
} tmpl_html_writer_t;

/* Begins to write, in body; what is written is from pool. attributes and baton are set then. */
void tmpl_html_init(tmpl_html_writer_t *html, apr_size_t limit, apr_pool_t *pool);

/*
 * Opens an element. attributes must live as long as it is open. Returns 0 if it is left out:
 * elements html too deeply, or text is around it.
 */
int tmpl_html_open(tmpl_html_writer_t *html, tmpl_html_holds_e holds, const char *name,
                   const char *attributes, const xmlNode *node);

/* Closes all elements that were opened for node, and what is open in them; none may be. */
void tmpl_html_close(tmpl_html_writer_t *html, const xmlNode *node);

/* Closes the innermost element. */
void tmpl_html_close_last(tmpl_html_writer_t *html);

/* Opens a format, an element in text. Returns 0 if there are too many. */
int tmpl_html_format(tmpl_html_writer_t *html, const char *name, const char *attributes,
                     const xmlNode *node);

/* Closes the format that was opened for node, if it is the last one. */
void tmpl_html_unformat(tmpl_html_writer_t *html, const xmlNode *node);

/* A border of blocks: ends the line of text; in an element that holds text only it is a space. */
void tmpl_html_part(tmpl_html_writer_t *html);

/* Writes the start tags of all elements that are open, for content that is no text. */
void tmpl_html_block(tmpl_html_writer_t *html);

/* The same for text, and begins a line of text if there is none. */
void tmpl_html_line(tmpl_html_writer_t *html);

/* Writes text in UTF-8; white space that begins a line is left out. */
void tmpl_html_text(tmpl_html_writer_t *html, const char *text);

/* A line break; two of them begin a new p. */
void tmpl_html_break(tmpl_html_writer_t *html);

/* Whether a name is one of a list, as "a b c". */
static inline int tmpl_html_is_any(const char *name, const char *names)
{
    return tmpl_span_is_any(name, (tmpl_span_t){ 0, (uint32_t)strlen(name) }, names);
}

/* The innermost element that is open. */
static inline tmpl_html_element_t *tmpl_html_top(tmpl_html_writer_t *html)
{
    return &html->open[html->n - 1];
}

static inline void tmpl_html_escape(tmpl_buf_t *out, const char *text)
{
    tmpl_buf_add_html(out, text, strlen(text));
}

/* Writes markup where out ends, or text with references, unless the page is over its limit. */
void tmpl_html_markup(tmpl_html_writer_t *html, const char *markup);
void tmpl_html_escaped(tmpl_html_writer_t *html, const char *text);

/* --- view.c --- */

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
