/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mode highlight: the page as it is, with each block shaded by its verdict, and why. For people who
 * look at a page in a browser; scripts are not needed.
 *
 * Nothing takes room, and no element is added to body, so that the page's own selectors
 * (:last-child, p + p) match what they did:
 *
 *   - Elements get attributes: data-tmpl-is, what the style shades it by; data-tmpl-of, the blocks
 *     it shows; title, why; and tabindex, so that the keyboard reaches it. The first of two
 *     attributes of a name counts, so they stand in front of the page's own; a page's own title and
 *     tabindex are left alone.
 *   - In the head, just before body, stand a style and, as empty meta elements, the lines of the
 *     legend and a note for each block. The head itself, which browsers do not display, is the
 *     panel in which they are shown. A note is shown while the focus is in its block; of an element
 *     with a title of its own also while the pointer is on it.
 *
 * The style sets outline and box-shadow only, and nothing in print. It is inline: where the page's
 * Content-Security-Policy forbids that, only the titles are left.
 *
 * An element is shaded if all its text is of one block: the outermost such element. Text of a block
 * in an element that has other blocks, too, is shown by a dashed line around that element.
 */
#ifndef TMPL_HIGHLIGHT_H
#define TMPL_HIGHLIGHT_H

#include "rewrite/findings.h"
#include "rewrite/rewrite.h"

/* Segments of a page at most: each takes up to 4 KB of memory, with what why.h has. */
#define TMPL_HIGHLIGHT_SEGMENTS 16384

/* Edits of the page of findings; their texts are from pool. They only insert. */
void tmpl_highlight(tmpl_edits_t *edits, const tmpl_findings_t *findings, apr_pool_t *pool);

#endif
