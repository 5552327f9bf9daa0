/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of forms and controls that stay. A detector takes "Name", "Send" and "optional" for
 * template wherever they stand, but nobody can use a form without them.
 *
 * A control is a button, or an input that is not hidden, a select or a textarea. Its texts are
 *   1. what is in it, and in a label around it or for it;
 *   2. the elements that aria-labelledby and aria-describedby name, of it or of an element around;
 *   3. the summary of each details around it;
 *   4. all texts of its form and of each fieldset around it, unless that is more of a page than
 *      of a form: it has more than FORM_BLOCKS blocks for each control that stays, or it is a
 *      form with article, nav or main;
 *   5. of a form that is a page all labels, legends, buttons, outputs and meters, and the innermost
 *      elements with text around its fields, if they have few blocks.
 */
#ifndef TMPL_CONTROL_TEXTS_H
#define TMPL_CONTROL_TEXTS_H

#include "cut/closure.h"

/*
 * A copy of verdicts, from pool, in which blocks with texts of controls that are in no cut are
 * content; NULL if they are all content. cuts are n, in order. On a page without body tag and title
 * all controls stay: it is an answer to a script, and the page that it goes to needs them.
 */
tmpl_verdict_t *tmpl_control_texts(const tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                   const tmpl_cut_t *cuts, uint32_t n, apr_pool_t *pool);

#endif
