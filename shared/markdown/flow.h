/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of Markdown in their containers (CommonMark 0.31, 5): block quotes and items of lists. A
 * container is written with its first block, so an empty one leaves nothing. Whatever a text says,
 * it is read as text again: the signs that CommonMark and GFM would read as something else where
 * they stand are escaped.
 */
#ifndef TMPL_FLOW_H
#define TMPL_FLOW_H

#include "markdown/fragments.h"

/* The depth of containers in one another at most; deeper containers are left out. */
#define TMPL_FLOW_DEPTH 100

typedef enum {
    TMPL_FLOW_TEXT, /* a paragraph or a heading: the next item may follow without an empty line */
    TMPL_FLOW_OTHER
} tmpl_flow_e;

/* What was written last. */
typedef enum {
    TMPL_BEHIND_NOTHING,
    TMPL_BEHIND_TITLE,
    TMPL_BEHIND_HEADING,
    TMPL_BEHIND_RULE,
    TMPL_BEHIND_LIST, /* that has ended */
    TMPL_BEHIND_CARDS,
    TMPL_BEHIND_BLOCK
} tmpl_behind_e;

/* A container that is open. */
typedef struct {
    const char *head;     /* quote: its first line; NULL: none */
    char marker[12];      /* item: "- " or "12. "; quote: "> "; note: "[^1]: " */
    unsigned char width;  /* width of marker */
    unsigned char indent; /* indent of the lines behind the first one */
    unsigned char quote;
    unsigned char used;  /* marker was written */
    unsigned char first; /* the first item of its list */
    unsigned char joins; /* no empty line is needed behind a text of the item around */
} tmpl_container_t;

typedef struct {
    tmpl_buf_t out;
    apr_size_t limit; /* bytes of out at most; more is not written, but sets over */
    int over;
    tmpl_container_t open[TMPL_FLOW_DEPTH];
    uint32_t n;
    uint32_t ignored; /* containers that are open beyond the limit */
    uint32_t around;  /* number of containers around the last block */
    uint32_t shared;  /* how many of these are still open */
    tmpl_flow_e last;
    tmpl_behind_e behind;        /* set to BLOCK by each block */
    apr_size_t began;            /* where the last block began, with its empty line */
    int begun;                   /* a block was written */
    tmpl_fragments_t *fragments; /* gets what is written, too; NULL: not wanted */
    uint32_t outside;            /* containers around that the run of fragments does not write */
} tmpl_flow_t;

/* fragments may be NULL: if not, each of its runs stands alone, without containers begun before. */
void tmpl_flow_init(tmpl_flow_t *flow, apr_size_t limit, tmpl_fragments_t *fragments,
                    apr_pool_t *pool);

/* Opens a block quote. head is its first line, or NULL. */
void tmpl_flow_quote(tmpl_flow_t *flow, const char *head);

/* Opens an item of a list; first: it is the first that is written. marker: 11 bytes at most. */
void tmpl_flow_item(tmpl_flow_t *flow, const char *marker, int first);

/* Opens a footnote, whose number has 5 digits at most. */
void tmpl_flow_note(tmpl_flow_t *flow, unsigned number);

/* Closes the container that was opened last. Returns whether a block was written in it. */
int tmpl_flow_close(tmpl_flow_t *flow);

/* Begins a block: writes an empty line if it needs one, and the containers' markers or indents. */
void tmpl_flow_begin(tmpl_flow_t *flow, tmpl_flow_e kind);

/* Ends a line of a block and begins the next one. */
void tmpl_flow_break(tmpl_flow_t *flow);

/* Ends the last line of a block. */
void tmpl_flow_end(tmpl_flow_t *flow);

/* --- write.c: what is written in blocks --- */

/* What a text becomes: this decides what ends it, and what may stand in it. */
typedef enum {
    TMPL_WRITE_PARAGRAPH, /* may have several lines; the next border of blocks ends it */
    TMPL_WRITE_LINE,      /* a paragraph in which borders are spaces: a term or a summary */
    TMPL_WRITE_CARD,      /* the same; signs stand at borders */
    TMPL_WRITE_HEADING,   /* one line, behind its number signs */
    TMPL_WRITE_CELL       /* of a table: one line between bars */
} tmpl_write_e;

/* Writes inlines as Markdown, without the end of the last line, and empties them. */
void tmpl_write_markdown(tmpl_flow_t *flow, tmpl_inlines_t *inlines, tmpl_write_e where);

/* Writes inlines as HTML in one line, and empties them. */
void tmpl_write_html(tmpl_flow_t *flow, tmpl_inlines_t *inlines);

/*
 * Writes a block of code: its text as it is, between two fences longer than all runs of '`' in it.
 * language is one word without '`', or NULL.
 */
void tmpl_write_code(tmpl_flow_t *flow, const char *text, apr_size_t len, const char *language);

/* Writes a formula in TeX (content/kinds.h) on lines of its own. */
void tmpl_write_formula(tmpl_flow_t *flow, const char *tex);

#endif
