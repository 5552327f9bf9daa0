/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What elements of a page are beyond their tags: callouts, listings, tables of data, images, films,
 * formulas, notes.
 */
#ifndef TMPL_ELEMENT_KINDS_H
#define TMPL_ELEMENT_KINDS_H

#include "base/buf.h"
#include "content/href.h"
#include "dom/dom.h"

/* --- callout.c --- */

/*
 * Callouts: notes, tips and warnings in boxes, as publishers and generators mark them by classes.
 * In Markdown they are alerts of GitHub: a quote that begins with [!NOTE].
 */

/* The first line of an element's alert, as "[!NOTE]"; NULL if the element is no callout. */
const char *tmpl_callout_of(const tmpl_page_t *page, const xmlNode *element);

/* The text in an element that only says which callout it is, as "Note"; NULL if there is none. */
const xmlNode *tmpl_callout_title(const xmlNode *element, const char *line);

/* --- listing.c --- */

/*
 * Adds the text of pre to code as it is, but without blank lines at its start and white space at
 * its end, and without numbers of lines. Nothing is added for a pre that has only such numbers.
 * Returns the language: one word without '`', from pool. It is named by an attribute or a class of
 * pre, of an element around it, or of a code element in it; NULL if none names a language.
 */
const char *tmpl_listing_read(tmpl_buf_t *code, const tmpl_page_t *page, const xmlNode *pre,
                              apr_pool_t *pool);

/* --- grid.c: which tables have rows of data, and which lay the page out --- */

typedef enum {
    TMPL_GRID_LAYOUT, /* a layout table, or no table of rows: only its content is written */
    TMPL_GRID_SIMPLE, /* GFM can express the table */
    TMPL_GRID_HTML    /* cells span others, or hold lists: the table is written as HTML */
} tmpl_grid_e;

typedef struct {
    tmpl_grid_e kind;
    uint32_t columns;
    int headed; /* the cells of the first row are all th */
} tmpl_grid_t;

/* Looks at a table up to the first table inside it, so that all tables take linear time. */
void tmpl_grid_read(tmpl_grid_t *grid, const tmpl_page_t *page, const xmlNode *table);

/* How many columns (colspan) or rows (rowspan) a cell says that it spans. */
long tmpl_grid_span(const xmlNode *cell, const char *name);

/* --- media.c --- */

/*
 * Images, and films and sounds: iframes of players, video, audio. Pages whose scripts load images
 * late have the address in an attribute of the script, and nothing, or the address of a
 * placeholder, in src.
 */

/*
 * The safe address (href.h) of an img. NULL if there is none, if the image counts visits or keeps
 * the place of another, or if it is a small icon or portrait without a text.
 */
const char *tmpl_image_address(const xmlNode *image, apr_pool_t *pool);

/*
 * The alternative text of an img. "" if the page says that it needs none, or if it only names an
 * icon, or is a sign as "+"; NULL if there is none, or only the name of a file, or "image".
 */
const char *tmpl_image_text(const xmlNode *image);

/* Whether an image with that text is written as it: it is a smiley, by its class or its text. */
int tmpl_image_is_smiley(const xmlNode *image, const char *text);

/*
 * The safe address (href.h) of what an iframe, video or audio plays, and *title, what the page
 * calls it, or else its kind. NULL if it is none: an iframe of another host than those of
 * well-known players and maps, or a film without controls, which only decorates.
 */
const char *tmpl_player_address(const char **title, const xmlNode *player);

/* --- formula.c --- */

/*
 * Formulas of a page as TeX, from where pages have them: annotations of MathML, as KaTeX writes
 * them; its attribute alttext; MathML itself (https://www.w3.org/TR/mathml-core/); MathJax's
 * scripts and elements; images with the TeX in alt, or in their address. A formula is often there
 * twice, for eyes and for screen readers: then it is read once.
 */

/* The last formula of a walk over a page's tree. */
typedef struct {
    const char *tex; /* one line, safe to stand between $; NULL: a formula that is elsewhere, too */
    int display;     /* it stands on a line of its own */
    apr_pool_t *pool;       /* the caller's, for the last formula alone: it is cleared */
    const xmlNode *without; /* the last element that looked like a formula's, but holds none */
} tmpl_formula_t;

/*
 * Whether an element is a formula, with all that is in it. Elements are asked in order of the
 * document, and not in a formula.
 */
int tmpl_formula_is(tmpl_formula_t *formula, const tmpl_page_t *page, const xmlNode *element);

/* --- mathml.c --- */

/*
 * Adds the TeX of a math element, or of an mjx-math, which MathJax makes of MathML. Characters and
 * elements that have no name in TeX here are written as they are, or as their content.
 */
void tmpl_mathml_write(tmpl_buf_t *tex, const xmlNode *math);

/* --- notes.c --- */

/*
 * Footnotes of a page, as GFM writes them: [^1] for a reference, [^1]: for a note.
 *
 * A reference is a link to a fragment of the page. Its text is a label (detect/kept_notes.h). It
 * stands in or around a sup, or has a class or role that says footnote or noteref.
 *
 * A note is the li, p, div, aside or dd (for a dt: the dd behind it) that the fragment names. It
 * follows a reference, stands in no table, quote or other note, has no heading, and is short.
 *
 * A note in the sentence is a span that a class calls sidenote, marginnote or inline-footnote; or
 * footnote, behind a label or an input.
 *
 * A reference whose fragment is not there, because it was cut, is left out. A link to anything else
 * stays a link. So does each reference beyond TMPL_NOTES_MOST.
 */

/* References of a page that are looked at, at most. */
#define TMPL_NOTES_MOST 10000

typedef enum {
    TMPL_NOTE_NONE,
    TMPL_NOTE_REFERENCE, /* a link */
    TMPL_NOTE_TEXT,      /* the note */
    TMPL_NOTE_INLINE,    /* a note that stands in the sentence, where its reference would be */
    TMPL_NOTE_LEFT_OUT   /* a reference to nothing; in a note: a link back, or its label again */
} tmpl_note_e;

/* An element's part in footnotes. */
typedef struct {
    tmpl_note_e kind;
    unsigned number; /* the note's number: from 1 on, in order of the notes; 0: no note */
} tmpl_note_t;

/*
 * Finds the footnotes in body. Returns the part of each of the page's nodes, from pool; NULL if
 * there are no footnotes. In front of each note stands a reference outside of links, pre and tables
 * that are HTML. Takes linear time.
 */
const tmpl_note_t *tmpl_notes_find(const tmpl_page_t *page, const xmlNode *body,
                                   const tmpl_hrefs_t *hrefs, apr_pool_t *pool);

#endif
