/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One walk over a content's tree for all who write it: it says what each element is, whatever its
 * tag. Elements of the same kind mean the same in Markdown and in the reader view.
 */
#ifndef TMPL_WALK_H
#define TMPL_WALK_H

#include "content/content.h"
#include "content/element_kinds.h"

/* What an element is. Blocks are first: at their start and end is a border of blocks. */
typedef enum {
    TMPL_ELEMENT_NONE,    /* its content stands for it */
    TMPL_ELEMENT_BLOCK,   /* the same, between borders of blocks */
    TMPL_ELEMENT_HEADING, /* h1 to h6, or by its role and aria-level */
    TMPL_ELEMENT_QUOTE,
    TMPL_ELEMENT_CALLOUT,
    TMPL_ELEMENT_DETAILS,
    TMPL_ELEMENT_SUMMARY, /* or the title of a post */
    TMPL_ELEMENT_FIGURE,
    TMPL_ELEMENT_FIGCAPTION,
    TMPL_ELEMENT_LIST,
    TMPL_ELEMENT_ITEM,
    TMPL_ELEMENT_TERMS, /* dl */
    TMPL_ELEMENT_TERM,
    TMPL_ELEMENT_DESCRIPTION,
    TMPL_ELEMENT_CODE,
    TMPL_ELEMENT_RULE,
    TMPL_ELEMENT_TABLE, /* of data or for layout */
    TMPL_ELEMENT_CAPTION,
    TMPL_ELEMENT_ROWS, /* thead, tbody, tfoot */
    TMPL_ELEMENT_ROW,
    TMPL_ELEMENT_CELL,
    TMPL_ELEMENT_RECORD,   /* a post or a small card: content/groups.h */
    TMPL_ELEMENT_HEADLINE, /* the page's headline, in a post */
    TMPL_ELEMENT_NOTE,
    TMPL_ELEMENT_LINK, /* the first that is no block */
    TMPL_ELEMENT_IMAGE,
    TMPL_ELEMENT_MEDIA,   /* iframe, video, audio */
    TMPL_ELEMENT_FORMULA, /* the walk's formula, with all that is in the element */
    TMPL_ELEMENT_FORMAT,  /* em, code, sub, time ... */
    TMPL_ELEMENT_SPAN,
    TMPL_ELEMENT_BREAK,
    TMPL_ELEMENT_WORD_BREAK,
    TMPL_ELEMENT_BUTTON,
    TMPL_ELEMENT_RUBY_SIGN, /* rp: for those who do not write ruby */
    TMPL_ELEMENT_REFERENCE, /* of a note */
    TMPL_ELEMENT_INLINE_NOTE,
    TMPL_ELEMENT_LEFT_OUT, /* says nothing: the name of an icon, which a font shows as a picture */
    TMPL_ELEMENT_COUNT
} tmpl_element_e;

/* Whether there are borders of blocks at an element's start and end. */
static inline int tmpl_element_is_block(tmpl_element_e kind)
{
    return kind != TMPL_ELEMENT_NONE && kind < TMPL_ELEMENT_LINK;
}

/* Who writes. All functions get the walk's writer. */
typedef struct {
    /* At an element's start; returns whether its content is skipped. */
    int (*enter)(void *writer, const xmlNode *element, tmpl_element_e kind);
    /* At its end, whether or not its content was skipped. */
    void (*leave)(void *writer, const xmlNode *element, tmpl_element_e kind);
    void (*text)(void *writer, const xmlNode *text);
    int lines;  /* for a form without markup for them: notes, posts, cards and images of formulas
                   are elements of their own, in place of what their tags say */
    int listed; /* posts and cards are listed elsewhere: RECORD is a BLOCK, and their links stay */
} tmpl_walker_t;

typedef struct {
    const tmpl_walker_t *walker;
    void *writer;
    const int *over; /* the walk ends when this is set */
    const tmpl_content_t *content;
    const tmpl_note_t *notes; /* by the page's nodes; NULL: no note is written */
    tmpl_formula_t formula;
    struct {
        const char *address, *text;
        const xmlNode *parent;
    } image; /* the last one that was written, if no text is behind it; NULL: none */
} tmpl_walk_t;

/* Prepares a walk; pool: for what is temporary. */
void tmpl_walk_init(tmpl_walk_t *walk, const tmpl_walker_t *walker, void *writer, const int *over,
                    const tmpl_content_t *content, apr_pool_t *pool);

/* Walks over the content of an element. Uses psvi of its elements. */
void tmpl_walk(tmpl_walk_t *walk, const xmlNode *top);

/* The level of a heading, 1 to 6. */
unsigned tmpl_walk_level(const xmlNode *heading);

/* The sign in the box of an item that is a task, ' ' or 'x'; '\0': the item is none. */
char tmpl_walk_task(const tmpl_walk_t *walk, const xmlNode *item);

/* What is written of a link. */
typedef enum {
    TMPL_LINK_TEXT,     /* its content: it leads nowhere, or to the heading around it, or is code */
    TMPL_LINK_LEFT_OUT, /* nothing: a permalink */
    TMPL_LINK_MAIL,     /* text in place of its content: a mail address that was hidden */
    TMPL_LINK_WHOLE
} tmpl_link_e;

/*
 * Reads a link with its address, *href, which is safe (href.h) for MAIL and WHOLE, and *text for
 * MAIL, both from pool. heading: the heading or term around it; NULL: none.
 */
tmpl_link_e tmpl_walk_link(const char **href, const char **text, const tmpl_walk_t *walk,
                           const xmlNode *link, const xmlNode *heading, apr_pool_t *pool);

/*
 * Whether a link stands directly behind another one, and styles part them: not if both lead to the
 * same address and the second one begins with a small letter, as parts of one word do.
 */
int tmpl_walk_is_parted(const tmpl_walk_t *walk, const xmlNode *link);

/* The date of a record as the page shows it to readers, or else its day; NULL: there is none. */
const char *tmpl_walk_date(const tmpl_group_record_t *record, apr_pool_t *pool);

/*
 * Whether the page has an image twice side by side, for screens of two sizes: by its address, or in
 * one element by a text of some length: galleries may name pictures alike. text: tmpl_image_text().
 * Who writes it sets walk->image.
 */
int tmpl_walk_is_repeated(const tmpl_walk_t *walk, const xmlNode *image, const char *address,
                          const char *text);

#endif
