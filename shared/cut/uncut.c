/* SPDX-License-Identifier: Apache-2.0 */
#include "cut/uncut.h"

#include "base/names.h"
#include "cut/closure.h"
#include "cut/script_refs.h"

TMPL_ENUM_COLUMN(tmpl_uncut_name, tmpl_uncut_e, TMPL_UNCUTS, TMPL_COLUMN_2)
TMPL_ENUM_COLUMN(tmpl_uncut_text, tmpl_uncut_e, TMPL_UNCUTS, TMPL_COLUMN_3)

void tmpl_uncut_begin(tmpl_uncut_t *uncut, const tmpl_page_t *page, tmpl_verdict_t *verdicts,
                      const tmpl_guards_t *guards, apr_pool_t *pool)
{
    const tmpl_verdict_t *cut_by = tmpl_closure_cut_by(verdicts, page, guards, pool);
    *uncut = (tmpl_uncut_t){ page, cut_by, tmpl_script_refs(page, pool), NULL, NULL };
    uncut->content = apr_pcalloc(pool, (page->n_segments + 1) * sizeof(*uncut->content));
    uncut->expected = apr_pcalloc(pool, (page->n_segments + 1) * sizeof(*uncut->expected));
    for (uint32_t s = 0; s < page->n_segments; s++) {
        const tmpl_verdict_t *v = &cut_by[page->segments[s].block];
        uncut->content[s + 1] = uncut->content[s] + !v->template;
        uncut->expected[s + 1] =
            uncut->expected[s] + (1.0 - (double)v->ratio) * page->segments[s].length;
    }
}

/* The outermost template element around a segment; TMPL_NONE: there is none. */
static uint32_t outermost(const tmpl_uncut_t *uncut, uint32_t segment)
{
    const tmpl_node_t *nodes = uncut->page->nodes;
    uint32_t found = TMPL_NONE;
    uint32_t i = uncut->page->segments[segment].node;
    while (i != TMPL_NONE &&
           uncut->content[nodes[i].after_segment] == uncut->content[nodes[i].first_segment]) {
        found = i;
        i = nodes[i].parent;
    }
    return found;
}

/* Whether a script refers to one of the elements from inner up to outer. */
static int is_script(const tmpl_uncut_t *uncut, uint32_t inner, uint32_t outer)
{
    const tmpl_node_t *nodes = uncut->page->nodes;
    for (uint32_t i = inner; uncut->script_refs != NULL; i = nodes[i].parent) {
        if (uncut->script_refs[i]) {
            return 1;
        }
        if (i == outer) {
            return 0;
        }
    }
    return 0;
}

tmpl_uncut_e tmpl_uncut_reason(const tmpl_uncut_t *uncut, uint32_t segment)
{
    const tmpl_page_t *page = uncut->page;
    const tmpl_segment_t *s = &page->segments[segment];
    if (!uncut->cut_by[s->block].template) {
        return TMPL_UNCUT_CONTROL;
    }
    uint32_t outer = outermost(uncut, segment);
    const tmpl_node_t *inner = &page->nodes[s->node];
    if (outer != TMPL_NONE && is_script(uncut, s->node, outer)) {
        return TMPL_UNCUT_SCRIPT;
    }
    if (inner->flags & TMPL_NODE_CONTROL) {
        return TMPL_UNCUT_FORM;
    }
    if (!(s->may & TMPL_NODE_CUT) && !(inner->flags & TMPL_NODE_CUT)) {
        return TMPL_UNCUT_UNSAFE;
    }
    if (outer != TMPL_NONE && uncut->expected[page->nodes[outer].after_segment] -
                                      uncut->expected[page->nodes[outer].first_segment] >
                                  uncut->expected[page->n_segments] / 2) {
        return TMPL_UNCUT_HALF;
    }
    return TMPL_UNCUT_JOINED;
}
