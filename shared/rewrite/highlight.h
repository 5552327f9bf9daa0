/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mode highlight: the page as it is, with each block shaded by its verdict, and why. For people who
 * look at a page in a browser; scripts are not needed.
 *
 * Nothing takes room, and no element is added to body, so that the page's own selectors
 * (:last-child, p + p) match the same elements as before:
 *
 *   - Elements get attributes: data-tmpl-is, by which the style shades the element; title, the
 *     reasons; and tabindex, so that the keyboard reaches the element, and a corner of the window
 *     shows its reasons, in place of what the page has as its ::after. They stand in front of the
 *     page's own attributes, because the first of two attributes of a name counts. A page's own
 *     tabindex is left alone.
 *   - In the head, just before body, stand a style and, as empty meta elements, the lines of the
 *     legend. The head itself, which browsers do not display, is the panel that shows it.
 *
 * The style sets box-shadow, which is behind letters, and on pictures and controls outline; nothing
 * in print. It adds space behind the page's end for the legend, which a click closes. It is inline:
 * where the page's Content-Security-Policy forbids that, only the titles are left.
 *
 * The outermost element whose text is all of one block is shaded. If an element also has text of
 * other blocks, a line without shade shows the text that is directly in it.
 */
#ifndef TMPL_HIGHLIGHT_H
#define TMPL_HIGHLIGHT_H

#include "cut/closure.h"
#include "rewrite/rewrite.h"

/* Segments of a page at most: each takes up to 4 KB of memory, including its reasons. */
#define TMPL_HIGHLIGHT_SEGMENTS 16384

/*
 * Makes the edits. They only insert; their texts are from pool. closure is the one for strip, and
 * has filled explain.
 */
void tmpl_highlight(tmpl_edits_t *edits, const tmpl_closure_t *closure,
                    const tmpl_explain_t *explain, apr_pool_t *pool);

#endif
