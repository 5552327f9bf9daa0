/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTML as it is written: the elements that are open, and the text and formats of one line of text.
 * A start tag is written with the first content of its element, so an empty element leaves nothing.
 * Whatever the page does, the result is read as it was meant: only what may stand in an element is
 * written there, and the elements that HTML wants around it are added.
 */
#ifndef TMPL_HTML_WRITER_H
#define TMPL_HTML_WRITER_H

#include <libxml/tree.h>

#include "base/buf.h"
#include "html/attr.h"

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

#endif
