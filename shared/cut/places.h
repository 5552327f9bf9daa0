/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places that scripts ask for. Scripts stay, also those of what is cut. One that does not find its element stops with an exception;
 * one that asks where it stands itself, and has lost its box, hides or fills the box around that, which is the page's.
 */
#ifndef TMPL_PLACES_H
#define TMPL_PLACES_H

#include "page/page.h"

/*
 * A byte for each node, from pool: whether the element has to stay, as an empty box at least. NULL: none has to. Those are
 * - the first element of an id or class that a script in the page names in document.getElementById, getElementsByClassName or
 *   querySelector, in which the first name counts; not controls, for a form is not left with a part of what it sends;
 * - the box of a script that uses document.currentScript or document.write, and the element in front of it;
 * - the box of a template with an id, which marks the place, between two comments, of what a script moves there later;
 * - and all boxes around these.
 */
unsigned char *tmpl_places(const tmpl_page_t *page, apr_pool_t *pool);

#endif
