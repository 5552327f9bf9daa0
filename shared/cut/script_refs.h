/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements that the page's scripts look up. Scripts are never cut. A script that does not find its
 * element stops with an exception. A script that looks for its own position, and whose box was cut,
 * hides or fills the next box outwards, which belongs to the page.
 */
#ifndef TMPL_SCRIPT_REFS_H
#define TMPL_SCRIPT_REFS_H

#include "page/page.h"

/*
 * Returns a byte for each node, from pool: 1 if the element must stay, as an empty box at least.
 * NULL if no element must stay. These elements must stay:
 *   1. the first element with an id or class that a script names in document.getElementById,
 *      getElementsByClassName or querySelector (the first name of the selector); but not controls,
 *      because rule 8 of closure.h keeps forms whole;
 *   2. the box of a script that uses document.currentScript or document.write, and the element in
 *      front of the script in this box;
 *   3. the box of a template with an id: the template marks, between two comments, where a script
 *      inserts what the server sends later;
 *   4. all ancestors of these.
 */
unsigned char *tmpl_script_refs(const tmpl_page_t *page, apr_pool_t *pool);

#endif
