/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is written: the state of one walk over a page's tree. A paragraph, heading or cell is
 * collected in leaf, and written to flow at the next boundary of blocks.
 */
#ifndef TMPL_WRITER_H
#define TMPL_WRITER_H

#include "content/grid.h"
#include "content/notes.h"
#include "content/walk.h"
#include "markdown/write.h"

/* A table as it is written row by row, in GFM or HTML (content/grid.h says which). */
typedef struct {
    const xmlNode *node; /* the table that is being written; NULL: none */
    tmpl_grid_t grid;
    uint32_t rows;  /* rows of the table that are written or begun */
    uint32_t cells; /* cells of the last row that are written */
} tmpl_grid_writer_t;

/* A list that is open. */
typedef struct {
    int ordered;
    int begun; /* an item was written */
    int holds; /* the last item is still open: a list follows that belongs to it */
    int terms; /* a dl */
    int term;  /* the item of its last term is open */
    char mark; /* '-' or '+', '.' or ')' */
    uint32_t number;
} tmpl_open_list_t;

typedef struct {
    const tmpl_page_t *page;
    tmpl_walk_t walk;
    tmpl_flow_t flow;
    tmpl_leaf_t leaf;
    tmpl_buf_t code;          /* the code of a pre */
    const tmpl_note_t *notes; /* by the page's nodes; NULL: there are none */
    const xmlNode *link;      /* the open link; NULL: none */
    const char *href;         /* of the link that began last; NULL: it is not written */
    const xmlNode *one_leaf;  /* open element whose text is one leaf: a heading, a cell; or NULL */
    tmpl_write_e where;       /* where the text of one_leaf goes */
    tmpl_open_list_t lists[TMPL_FLOW_DEPTH];
    uint32_t n_lists;       /* some may be beyond the limit */
    apr_size_t behind_list; /* bytes of Markdown when the last list ended */
    char last_mark;         /* mark of the last list that ended */
    tmpl_grid_writer_t table;
    apr_array_header_t *inlines;     /* notes in sentences, which are written at the end */
    const char *title;               /* what is written at the top; NULL: nothing */
    apr_size_t behind_title;         /* bytes of Markdown when it was written */
    const xmlNode *headline;         /* the heading that says it; NULL: none */
    int before;                      /* in front of the headline */
    const tmpl_groups_t *groups;     /* the records of the page */
    const tmpl_group_record_t *post; /* the post that began last; NULL: none */
    const xmlNode *card;             /* the card that is written in one line; NULL: none */
    int divides;            /* a sign divides what follows in a card from what was written */
    apr_size_t behind_card; /* bytes of Markdown when the last card ended */
    apr_size_t divided;     /* bytes of Markdown where a rule divides nothing: behind a heading */
    tmpl_span_t block;      /* the last paragraph or heading of the Markdown, with its empty line */
    tmpl_buf_t linked;      /* the address of the link in the last heading; empty: none */
    apr_size_t rule;        /* where the rule began that ends at divided; 0: there is none */
    const xmlNode *said;    /* text that the line of a callout says; NULL: none */
    apr_pool_t *pool;
} tmpl_writer_t;

/*
 * Whether the finished leaf has nothing to write. Empties one that menus left, that is
 * a sign between two parts of a line, or that repeats the title directly behind it.
 */
int tmpl_writer_is_empty(tmpl_writer_t *w);

/* Writes the paragraph that was collected, if it has any text. */
void tmpl_writer_flush(tmpl_writer_t *w);

/* A boundary of blocks: ends a paragraph. In a heading or cell it separates words or lines. */
void tmpl_writer_part(tmpl_writer_t *w);

/* Writes the finished leaf as a heading of level 1 to 6, if it has any text. */
void tmpl_writer_heading(tmpl_writer_t *w, unsigned level);
/* Writes the sign between parts of a card, if a part begins with text, which is not blank. */
void tmpl_writer_divide(tmpl_writer_t *w, const char *text);

/* Ends a heading that began at an offset of the Markdown: a rule behind it divides nothing. */
void tmpl_writer_end_heading(tmpl_writer_t *w, apr_size_t from);

/* Begins an element whose text is one leaf. Returns 0 if the element is in another one. */
int tmpl_writer_begin_leaf(tmpl_writer_t *w, const xmlNode *node, tmpl_write_e where);

/* Ends an element whose text is one leaf. Returns 0 if the element is in another one. */
int tmpl_writer_end_leaf(tmpl_writer_t *w, const xmlNode *node);

/* Whether an element is kept (fragments.h): a listing, a table or an image. */
static inline int tmpl_writer_keeps(const tmpl_writer_t *w, const xmlNode *node)
{
    return w->flow.fragments == NULL ||
           tmpl_fragments_keep_node(w->flow.fragments, tmpl_dom_node(node),
                                    tmpl_leaf_is_empty(&w->leaf));
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
