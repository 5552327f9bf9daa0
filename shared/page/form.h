/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forms and their controls, which may stand apart in the tree. The form owner of a control (HTML,
 * 4.10.17.3) is the first of these:
 *   - the form that the control's attribute form names;
 *   - the form that HTML5's form element pointer points to at the control's start tag: in tables,
 *     and where end tags cross, the pointer outlives the form's element;
 *   - the form around the control.
 */
#ifndef TMPL_FORM_H
#define TMPL_FORM_H

#include <apr_tables.h>

#include "page/page.h"

/* A form, and which of its ancestors have TMPL_NODE_CONTROL because a control is outside. */
typedef struct {
    uint32_t node;
    uint32_t noted; /* the form and its ancestors below this node have the flag */
} tmpl_form_t;

typedef struct {
    tmpl_page_t *page;
    tmpl_form_t last;          /* the form opened last: only it can be the form element pointer */
    uint32_t open;             /* number of open forms */
    apr_array_header_t *named; /* controls with an attribute form; NULL: none yet */
    apr_pool_t *scratch;
} tmpl_forms_t;

/* Adds a form. The caller decrements open at the form's end. */
static inline void tmpl_form_start(tmpl_forms_t *forms, uint32_t node)
{
    forms->last = (tmpl_form_t){ node, node };
    forms->open++;
}

/*
 * Adds a control. has_pointer says that the form element pointer points to a form: the one opened
 * last. Sets TMPL_NODE_CONTROL for elements that hold the control but not its form, or the form but
 * not the control.
 */
void tmpl_form_control(tmpl_forms_t *forms, uint32_t node, int has_pointer);

/* Processes the controls that name their form, once all nodes are there. */
void tmpl_forms_finish(tmpl_forms_t *forms);

#endif
