/* SPDX-License-Identifier: Apache-2.0 */
#include "page/form.h"

#include "base/hash.h"

typedef struct {
    uint32_t node;
    tmpl_span_t form; /* the id of its form */
} form_named_t;

/* Whether node is `other` or holds it. A node that is still open holds all later nodes so far. */
static int form_holds(const tmpl_node_t *nodes, uint32_t node, uint32_t other)
{
    return node <= other && (nodes[node].after == 0 || other < nodes[node].after);
}

static void form_note(tmpl_page_t *page, tmpl_form_t *form, uint32_t control)
{
    tmpl_node_t *nodes = page->nodes;
    uint32_t i = control;
    for (; !form_holds(nodes, i, form->node); i = nodes[i].parent) {
        nodes[i].flags |= TMPL_NODE_CONTROL;
    }
    for (; form->noted > i; form->noted = nodes[form->noted].parent) {
        nodes[form->noted].flags |= TMPL_NODE_CONTROL;
    }
}

void tmpl_form_control(tmpl_forms_t *forms, uint32_t node, int has_pointer)
{
    const tmpl_node_t *nodes = forms->page->nodes;
    const tmpl_known_attr_t *form = tmpl_node_attr(forms->page, &nodes[node], TMPL_ATTR_FORM);
    if (form != NULL) {
        if (forms->named == NULL) {
            forms->named = apr_array_make(forms->scratch, 4, sizeof(form_named_t));
        }
        APR_ARRAY_PUSH(forms->named, form_named_t) = (form_named_t){ node, form->value };
    }
    else if (has_pointer) {
        form_note(forms->page, &forms->last, node);
    }
    else if (forms->open > 0) {
        uint32_t around = nodes[node].parent;
        while (nodes[around].tag != TMPL_TAG_FORM) {
            around = nodes[around].parent;
        }
        form_note(forms->page, &(tmpl_form_t){ around, around }, node);
    }
}

/* The page's forms by id; if several have the same id, the first. */
static apr_hash_t *forms_by_id(const tmpl_forms_t *forms)
{
    const tmpl_page_t *page = forms->page;
    apr_hash_t *found = tmpl_hash_make(forms->scratch);
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        const tmpl_known_attr_t *id =
            node->tag == TMPL_TAG_FORM ? tmpl_node_attr(page, node, TMPL_ATTR_ID) : NULL;
        if (id != NULL &&
            apr_hash_get(found, page->src + id->value.start, tmpl_span_len(id->value)) == NULL) {
            tmpl_form_t *form = apr_palloc(forms->scratch, sizeof(*form));
            *form = (tmpl_form_t){ i, i };
            apr_hash_set(found, page->src + id->value.start, tmpl_span_len(id->value), form);
        }
    }
    return found;
}

void tmpl_forms_finish(tmpl_forms_t *forms)
{
    if (forms->named == NULL) {
        return;
    }
    apr_hash_t *by_id = forms_by_id(forms);
    for (int i = 0; i < forms->named->nelts; i++) {
        const form_named_t *named = &APR_ARRAY_IDX(forms->named, i, form_named_t);
        tmpl_form_t *form =
            apr_hash_get(by_id, forms->page->src + named->form.start, tmpl_span_len(named->form));
        if (form != NULL) {
            form_note(forms->page, form, named->node);
        }
    }
}
