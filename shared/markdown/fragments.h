/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page's Markdown consists of, for forms that list it: runs, each of one part and one place
 * of the page, whose Markdown stands alone and whose text is without marks; and the links and
 * images in them. Text whose verdict is template is left out, also where its element could not be
 * cut.
 */
#ifndef TMPL_FRAGMENTS_H
#define TMPL_FRAGMENTS_H

#include "base/buf.h"
#include "detect/verdict.h"
#include "markdown/inlines.h"

/* Links of a page that are listed, and images: further ones are in the Markdown only. */
#define TMPL_FRAGMENTS_LISTED 10000

/* A run ends where the next one begins; the last one, which is empty, ends the others. */
typedef struct {
    unsigned char part;        /* a tmpl_part_e */
    uint32_t place;            /* of places; TMPL_NONE */
    apr_size_t markdown, text; /* where it begins */
} tmpl_run_t;

/* Beside each other, links to one address are one link; so are equal images. */
typedef struct {
    const char *text, *address; /* text may be empty */
    int is_alt;                 /* text is that of an image */
    uint32_t run;
} tmpl_run_link_t;

typedef struct {
    const char *alt, *address; /* alt may be empty */
    apr_size_t text;           /* where the text beside it, or behind it, begins */
    uint32_t run;
} tmpl_run_image_t;

typedef struct {
    const tmpl_page_t *page;
    const tmpl_verdict_t *verdicts; /* by block; NULL: all is kept, as body */
    int whole;                      /* text whose verdict is template is kept, too */
    const uint32_t *places;         /* by segment, of what is written there; NULL: TMPL_NONE */
    unsigned char part;             /* of what is written next */
    uint32_t place;                 /* the same */
    tmpl_buf_t text;                /* lines; cells of a table have tabs between them */
    apr_size_t begin;               /* where in it the inlines that are written begin */
    apr_size_t link;                /* and its last link */
    const char *link_alt;           /* of the last image in that; "": none */
    apr_array_header_t *runs;       /* tmpl_run_t */
    apr_array_header_t *links;      /* tmpl_run_link_t */
    apr_array_header_t *images;     /* tmpl_run_image_t */
    apr_pool_t *pool;
} tmpl_fragments_t;

/* Fragments of page, from pool: nothing yet. */
void tmpl_fragments_init(tmpl_fragments_t *fragments, const tmpl_page_t *page,
                         const tmpl_verdict_t *verdicts, int whole, apr_pool_t *pool);

/* Whether a segment is kept; if it is, sets part if begins is set: what follows is its. */
int tmpl_fragments_keep(tmpl_fragments_t *fragments, uint32_t segment, int begins);

/* The same for a node: its first segment that is kept counts. A node without any is kept. */
int tmpl_fragments_keep_node(tmpl_fragments_t *fragments, uint32_t node, int begins);

/* Begins a run if the last one is of another part or place. Returns whether it did. */
int tmpl_fragments_run(tmpl_fragments_t *fragments, apr_size_t markdown);

/* The bytes [from, to) without line breaks in front and white space behind. */
typedef struct {
    const char *at;
    apr_size_t len;
} tmpl_slice_t;
tmpl_slice_t tmpl_fragments_slice(const char *text, apr_size_t from, apr_size_t to);

/* The text of a run. */
tmpl_slice_t tmpl_fragments_text(const tmpl_fragments_t *fragments, uint32_t run);

/* Adds finished inlines: their parts with their text, links and images; a '\n' or '\t' ends it. */
void tmpl_fragments_begin(tmpl_fragments_t *fragments);
void tmpl_fragments_part(tmpl_fragments_t *fragments, const tmpl_inline_part_t *part);
void tmpl_fragments_end(tmpl_fragments_t *fragments, char end);

/* Ends the line of a row of cells. */
void tmpl_fragments_end_row(tmpl_fragments_t *fragments);

/* Adds lines of text. */
void tmpl_fragments_lines(tmpl_fragments_t *fragments, const char *text, apr_size_t len);

#endif
