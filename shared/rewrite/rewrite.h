/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuts -> edits -> bytes. An edit replaces a span of the source; bytes outside the edits are not
 * changed. Nothing here knows stores or detectors. Edits are allocated from pool; the edits of
 * tmpl_annotate and tmpl_strip do not point into the page.
 */
#ifndef TMPL_REWRITE_H
#define TMPL_REWRITE_H

#include "cut/closure.h"
#include "rewrite/mark.h"

/*
 * Replaces the bytes of span by a text. An empty span inserts. A page may have as many edits as
 * elements, so the text is an index: half the size of a pointer.
 */
typedef struct {
    tmpl_span_t span;
    uint32_t text; /* index in tmpl_edits_t.texts */
} tmpl_edit_t;

/* Edits in order of position; none overlaps another. All zero: no edits. */
typedef struct {
    const tmpl_edit_t *edits;
    uint32_t n;
    const char *const *texts; /* "" deletes */
} tmpl_edits_t;

/* The text that replaces the span of edit i. */
static inline const char *tmpl_edit_text(const tmpl_edits_t *edits, uint32_t i)
{
    return edits->texts[edits->edits[i].text];
}

/*
 * Marks the cuts of closure, which was made for TMPL_NODE_MARK; marks NULL: tmpl_marks_default. The
 * kind of a mark decides where it is written:
 *
 *     attribute and comments  the attribute on elements that are cut, the comments around runs.
 *                             Foreign marks become data-x-tmpl and <!--x-tmpl-->: every data-tmpl
 *                             that is left is ours
 *     attribute               on the topmost elements in cuts on which readers obey the attribute
 *     comments                around cuts; cuts with only white space between them share a pair
 *
 * An element that has the attribute of the second kind already, or the attribute against it, is not
 * changed. Comments of the third kind make ranges. Our ranges and ranges that the page brings never
 * overlap: text in the page's ranges gets no mark. Comments are flat and closed. The page must list
 * its comments (page.h) if tmpl_marks_need_comments().
 *
 * The value of preset parts is from closure->verdicts.
 *
 * Returns the share of template text, 0..1, that is in no mark, neither ours nor the page's own.
 * With several marks: the share for the mark that marks least. Edits point to marks.
 */
double tmpl_annotate(tmpl_edits_t *edits, const tmpl_page_t *page, const tmpl_closure_t *closure,
                     const tmpl_marks_t *marks, apr_pool_t *pool);

/* Deletes the bytes of every cut. */
void tmpl_strip(tmpl_edits_t *edits, const tmpl_closure_t *closure, apr_pool_t *pool);

/*
 * Applies edits to the len bytes at src. Returns the result, *out_len bytes and a NUL, from pool.
 * For callers without a bucket brigade.
 */
const char *tmpl_edits_apply(apr_size_t *out_len, const tmpl_edits_t *edits, const char *src,
                             apr_size_t len, apr_pool_t *pool);

#endif
