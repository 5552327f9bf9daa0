/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page's content as it is written as Markdown: the state of one walk over its tree. Text is
 * collected, with its formats, in inlines; what becomes of it, and when, is the writer's state.
 */
#ifndef TMPL_WRITER_H
#define TMPL_WRITER_H

#include "content/walk.h"
#include "markdown/flow.h"

/* A table as it is written row by row, in GFM or HTML (content/kinds.h says which). */
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

typedef struct {
    const tmpl_page_t *page;
    tmpl_walk_t walk;
    tmpl_flow_t flow;
    tmpl_inlines_t inlines;
    tmpl_write_e state;    /* what the text of inlines becomes */
    const xmlNode *holder; /* the element whose text it is; NULL: state is PARAGRAPH */
    const xmlNode *link;   /* the open link; NULL: none */
    tmpl_open_list_t lists[TMPL_FLOW_DEPTH];
    uint32_t n_lists; /* some may be beyond the limit */
    char last_mark;   /* of the last list that ended */
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
