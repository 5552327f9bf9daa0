/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Footnotes: the trees take lists of short texts with links at a page's end for template, but a
 * note that the text refers to is a part of the text.
 *
 *   1. A reference is a link in content to a fragment of the page, with or without the canonical
 *      address. Its text is a label ("1", "[2]", "*"), and it stands in or around a sup, begins
 *      with "[", or has a class or role that says footnote or noteref.
 *   2. Its note is the li, p, div, aside or dd behind it that has the fragment's id, or begins with
 *      the element that has it; or what follows a heading that is nothing but the label. It has
 *      TMPL_NOTE_SEGMENTS segments at most. The note becomes content.
 * What is in nav or footer stays template: shops have legal notes there. Blocks of the site
 * (headline.h) are not changed.
 */
#ifndef TMPL_KEPT_NOTES_H
#define TMPL_KEPT_NOTES_H

#include "detect/headline.h"

#define TMPL_NOTE_SEGMENTS 100

/* Whether a text is a label: a number, with letters or not, a letter or a sign; not "new". */
static inline int tmpl_is_note_label(uint32_t characters, uint32_t letters, uint32_t digits)
{
    return characters > 0 && letters <= (digits > 0 ? 4 : 1);
}

/* The elements that may be notes, by tag. */
extern const unsigned char tmpl_note_tags[TMPL_TAG_COUNT];

void tmpl_kept_notes(const tmpl_ruled_t *judged, apr_pool_t *pool);

#endif
