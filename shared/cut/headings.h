/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headings and their sections. A detector judges each block by itself, and the heading "Parameters"
 * stands on every page of a manual; but a heading is needed as long as its section is there, and
 * useless without it.
 *
 *   heading                            section
 *   h1 .. h6                           what follows in the nearest ancestor that holds more text,
 *                                      up to the next heading of its rank or above
 *   dt                                 what follows in its dl, up to the next dt
 *   caption, thead, a row of th        the rest of the table
 *   figcaption, legend, summary        the rest of the figure, fieldset, details
 */
#ifndef TMPL_HEADINGS_H
#define TMPL_HEADINGS_H

#include "detect/verdict.h"

/*
 * Adjusts the verdicts of headings that are made of whole blocks, of their sections, and of rows:
 *   1. A template h1 to h6 or dt becomes content if its section begins with content and more than
 *      half of the section's length is content.
 *   2. Any other template heading becomes content if there is content in its section.
 *   3. A content h2 to h6 becomes template if its section is template, and is links and images
 *      only, or both are in a form of their own. (A heading over a byline stays, one that is a
 *      byline, and one that is surely content, unless it is in nav, aside or footer.)
 *   4. The template section of a content dt becomes content.
 *   5. In a row whose cells have a block each at most, all cells become content if one is content.
 */
void tmpl_headings(tmpl_verdict_t *verdicts, const tmpl_page_t *page, apr_pool_t *pool);

#endif
