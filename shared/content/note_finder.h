/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How footnotes are found, for notes.h: in one walk over the body, links that look like references
 * are kept with the fragments that they name, and the elements of those fragments become notes.
 */
#ifndef TMPL_NOTE_FINDER_H
#define TMPL_NOTE_FINDER_H

#include <apr_hash.h>
#include <apr_tables.h>

#include "dom/dom.h"
#include "content/notes.h"
#include "detect/kept_notes.h"

/* The text of a label, without brackets and the like. */
typedef struct {
    char text[32];
    apr_size_t bytes; /* length of the text, with brackets and the like */
    uint32_t characters, letters, digits;
    int without; /* something in it is left out */
} tmpl_label_t;

/* The element that a fragment names. */
typedef struct {
    int sure;           /* a reference that will be written stands in front of it */
    int seen;           /* the walk has passed the element with that id */
    unsigned number;    /* number of the note; 0: the element is no note */
    tmpl_label_t label; /* label of the first reference */
} tmpl_note_target_t;

typedef struct {
    const xmlNode *node; /* a link, or a note */
    tmpl_note_target_t *target;
} tmpl_note_place_t;

typedef struct {
    const tmpl_page_t *page;
    const xmlNode *body;
    const tmpl_hrefs_t *hrefs;
    apr_hash_t *targets;         /* tmpl_note_target_t by the id of its element */
    apr_array_header_t *links;   /* of tmpl_note_place_t: references */
    apr_array_header_t *notes;   /* of tmpl_note_place_t */
    const xmlNode *table;        /* the table in which the walk is; NULL: none, or one of layout */
    const xmlNode *behind_table; /* the node behind it */
    int is_html;                 /* whether it is written as HTML; -1: not known */
    const tmpl_note_target_t
        *inside;           /* target of the note in which the walk is; NULL: in no note */
    const xmlNode *behind; /* the node behind that note */
    tmpl_note_t *found;    /* by the page's nodes */
    apr_pool_t *pool;
} tmpl_note_finder_t;

static inline tmpl_note_t *tmpl_note_at(const tmpl_note_finder_t *f, const xmlNode *node)
{
    return &f->found[tmpl_dom_node(node)];
}

/* What is around a reference or a note. */
enum {
    TMPL_NOTE_IN_TABLE = 1,
    TMPL_NOTE_IN_LEAF = 2 /* or in a quote: cmark-gfm ends a note at its empty lines */,
    TMPL_NOTE_IN_LINK = 4,
    TMPL_NOTE_IN_MUCH = 8
};
int tmpl_note_around(const tmpl_note_finder_t *f, const xmlNode *node);

/*
 * Reads an element that may be a label, without the parts that are left out. Returns 0 if the
 * element is no label: it has a long text, an image, or a reference.
 */
int tmpl_label_read(const tmpl_note_finder_t *f, const xmlNode *element, tmpl_label_t *label);

/* Whether a node is a text with more than the characters that may stand beside labels. */
int tmpl_label_is_text(const xmlNode *node);

/* Whether an element's class or role has a word in it. */
int tmpl_note_says(const tmpl_note_finder_t *f, const xmlNode *element, const char *word);

/* The fragment of the page that a link names; NULL: the link leads elsewhere. */
const char *tmpl_note_fragment(const tmpl_note_finder_t *f, const xmlNode *link);

/* Keeps a link that is a reference. */
void tmpl_note_see_reference(tmpl_note_finder_t *f, const xmlNode *link);

#endif
