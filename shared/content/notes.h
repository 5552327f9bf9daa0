/* SPDX-License-Identifier: Apache-2.0 */
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
#ifndef TMPL_NOTES_H
#define TMPL_NOTES_H

#include "dom/dom.h"
#include "content/href.h"

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
