/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page's content as it is written as Markdown: the state of one walk over its tree. Text is
 * collected, with its formats, in inlines; what becomes of it, and when, is the writer's state.
 */
#ifndef TMPL_WRITER_H
#define TMPL_WRITER_H

#include "content/walk.h"
#include "markdown/fragments.h"

/* --- flow.c --- */

/*
 * Lines of Markdown in their containers (CommonMark 0.31, 5): block quotes and items of lists. A
 * container is written with its first block, so an empty one leaves nothing. Whatever a text says,
 * it is read as text again: the signs that CommonMark and GFM would read as something else where
 * they stand are escaped.
 */

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
    char marker[16];      /* item: "- ", "12. " or "- [x] "; quote: "> "; note: "[^1]: " */
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

/* Writes a formula in TeX (content/element_kinds.h) on lines of its own. */
void tmpl_write_formula(tmpl_flow_t *flow, const char *tex);

/* --- writer.c --- */

/* A table as it is written row by row, in GFM or HTML (content/element_kinds.h says which). */
typedef struct {
    const xmlNode *node; /* NULL: none is written */
    tmpl_grid_t grid;
    uint32_t rows;  /* rows of the table that are written or begun */
    uint32_t cells; /* cells of the last row that are written */
} tmpl_table_t;

/* A list that is open. */
typedef struct {
    int begun; /* an item was written */
    int terms; /* a dl */
    int open;  /* so is its last item: a term, or a list directly behind it belongs to it */
    char mark; /* '-' or '+'; '.' or ')' behind numbers */
    uint32_t number;
} tmpl_open_list_t;

/* A paragraph that begins with "•": two of them in a row are items of a list. */
typedef struct {
    const char *sign; /* NULL: it begins with none */
    const char *mark; /* what is written for the sign in a list */
    apr_size_t at;    /* where the sign was written */
    apr_size_t end;   /* where the paragraph ended */
    int listed;       /* it is an item already */
} tmpl_bullet_t;

typedef struct {
    const tmpl_page_t *page;
    tmpl_walk_t walk;
    tmpl_flow_t flow;
    tmpl_inlines_t inlines;
    tmpl_write_e state;    /* what the text of inlines becomes */
    const xmlNode *holder; /* the element whose text it is; NULL: state is PARAGRAPH */
    const xmlNode *link;   /* the open link; NULL: none */
    tmpl_open_list_t lists[TMPL_FLOW_DEPTH];
    uint32_t n_lists;     /* some may be beyond the limit */
    char last_mark;       /* of the last list that ended */
    tmpl_bullet_t bullet; /* the last paragraph, if it begins with a sign of an item */
    int by_break;         /* a line break began the paragraph */
    tmpl_table_t table;
    const char *title;               /* what is written at the top; NULL: nothing */
    const tmpl_group_record_t *post; /* the post that began last; NULL: none */
    const xmlNode *said;             /* text that the line of a callout says; NULL: none */
    apr_array_header_t *side_notes;  /* notes in sentences, which are written at the end */
    int divides;    /* a sign divides what follows in a card from what was written */
    int before;     /* in front of the headline */
    apr_size_t own; /* bytes of their text that are in no link, in front of the headline */
    int facts;      /* that text says who, when or how much */
    apr_pool_t *pool;
} tmpl_writer_t;

/* What is written at the start of an element, which returns whether its content is skipped, and at
 * its end. NULL: nothing; a block without leave ends with a border. */
typedef struct {
    int (*enter)(tmpl_writer_t *w, const xmlNode *node);
    void (*leave)(tmpl_writer_t *w, const xmlNode *node);
} tmpl_action_t;

/* By tmpl_element_e: of block_elements.c and inline_elements.c. A border is in front of a block. */
extern const tmpl_action_t tmpl_block_actions[];
extern const tmpl_action_t tmpl_inline_actions[];

/* Writes the content of an element. */
void tmpl_writer_content(tmpl_writer_t *w, const xmlNode *top);

/* The sign of an item that a text begins with; NULL: it begins with none. */
const char *tmpl_writer_sign(const char *text);

/* Writes the paragraph that was collected, if it has any text. */
void tmpl_writer_flush(tmpl_writer_t *w);

/* A border of blocks: ends a paragraph. In a heading or cell it separates words or lines. */
void tmpl_writer_border(tmpl_writer_t *w);

/* Begins an element whose text is of one kind, unless it is in another one. */
void tmpl_writer_hold(tmpl_writer_t *w, const xmlNode *node, tmpl_write_e state);

/* Ends it. Returns 0, and passes a border, if another one holds the text. */
int tmpl_writer_release(tmpl_writer_t *w, const xmlNode *node);

/* Writes finished inlines as a heading of level 1 to 6, if they have any text. */
void tmpl_writer_heading(tmpl_writer_t *w, unsigned level);

/* Writes the sign between parts of a card, if a part begins with text, which is not blank. */
void tmpl_writer_divide(tmpl_writer_t *w, const char *text);

/* Writes the notes that stand in sentences. */
void tmpl_writer_inline_notes(tmpl_writer_t *w);

/* Adds a text as a link, if there is an address. */
void tmpl_writer_link(tmpl_writer_t *w, const char *text, const char *address);

/* Whether an element is kept (fragments.h): a listing, a table or an image. */
static inline int tmpl_writer_keeps(const tmpl_writer_t *w, const xmlNode *node)
{
    return w->flow.fragments == NULL ||
           tmpl_fragments_keep_node(w->flow.fragments, tmpl_dom_node(node),
                                    tmpl_inlines_is_empty(&w->inlines));
}

/* Whether a table is being written as HTML: no Markdown is read in it. */
static inline int tmpl_writer_in_html(const tmpl_writer_t *w)
{
    return w->table.node != NULL && w->table.grid.kind == TMPL_GRID_HTML;
}

/* The innermost list that is open; NULL: there is none, or it is beyond the limit. */
static inline tmpl_open_list_t *tmpl_writer_list(tmpl_writer_t *w)
{
    return w->n_lists > 0 && w->n_lists <= TMPL_FLOW_DEPTH ? &w->lists[w->n_lists - 1] : NULL;
}

#endif
