/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What belongs together as a form, though it may stand apart in the tree: a control's form owner (HTML,
 * 4.10.17.3) is the form that its attribute form names; or HTML5's form element pointer when its start tag came,
 * which outlives the form's element in tables and where end tags cross; or the form that it stands in.
 */
#ifndef TMPL_FORM_H
#define TMPL_FORM_H

#include <apr_tables.h>

#include "page/page.h"

/* A form, and the outermost element around it that is known to hold it, but not all of its controls. */
typedef struct {
    uint32_t node;
    uint32_t noted; /* elements from the form up to this one, which is not among them, are noted */
} tmpl_form_t;

typedef struct {
    tmpl_page_t *page;
    tmpl_form_t last;          /* the form that was opened last: no other one can be the pointer */
    uint32_t open;             /* forms that what comes stands in */
    apr_array_header_t *named; /* controls with an attribute form; NULL: none yet */
    apr_pool_t *scratch;
} tmpl_forms_t;

/* A form has begun. Its end takes one from open. */
static inline void tmpl_form_start(tmpl_forms_t *forms, uint32_t node)
{
    forms->last = (tmpl_form_t){ node, node };
    forms->open++;
}

/*
 * A control has begun; has_pointer says that the form opened last is HTML5's form element pointer. Elements that hold
 * the control, but not its form, or the form, but not the control, get TMPL_NODE_CONTROL.
 */
void tmpl_form_control(tmpl_forms_t *forms, uint32_t node, int has_pointer);

/* All nodes are there: controls that name their form. */
void tmpl_forms_finish(tmpl_forms_t *forms);

#endif
