/* SPDX-License-Identifier: Apache-2.0 */
/*
 * References from one part of a page to another: links to a part that is cut would lead nowhere,
 * and a panel whose tab or button is cut could not be opened.
 */
#ifndef TMPL_REFS_H
#define TMPL_REFS_H

#include "detect/verdict.h"

/*
 * A block that holds nothing but links to template elements of the page becomes template. A link to
 * a heading does not count, because the heading's section may stay.
 */
void tmpl_refs_links(tmpl_verdict_t *verdicts, const tmpl_page_t *page, apr_pool_t *pool);

/*
 * Controls are a, button and li elements that name a panel: by aria-controls, data-target or
 * data-bs-target, or by href if they have role=tab, data-toggle or data-bs-toggle. A template
 * control is content if its panel holds content. verdicts does not change: returns a copy from pool
 * in which such controls are content, or verdicts if there are none.
 */
tmpl_verdict_t *tmpl_refs_controls(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                   apr_pool_t *pool);

#endif
