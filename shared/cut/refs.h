/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What refers to another part of the same page: a link leads nowhere once that is cut, and a panel that waits for
 * its tab or button to be shown is lost with that.
 */
#ifndef TMPL_REFS_H
#define TMPL_REFS_H

#include "detect/verdict.h"

/* A block that is nothing but links to elements of the page that are template, and no headings, becomes template. */
void tmpl_refs_links(tmpl_verdict_t *verdicts, const tmpl_page_t *page, apr_pool_t *pool);

/*
 * A control (a, button or li) that names an element by aria-controls, data-target or data-bs-target, or by its href if it is
 * a tab or has data-toggle or data-bs-toggle, becomes content if the element holds any. The verdicts stay as they are: returns
 * a copy in pool with such controls, or verdicts where there are none.
 */
tmpl_verdict_t *tmpl_refs_controls(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                   apr_pool_t *pool);

#endif
