/* SPDX-License-Identifier: Apache-2.0 */
#include "cut/guards.h"

static int matches_any(const apr_array_header_t *selectors, const tmpl_page_t *page, uint32_t node)
{
    for (int i = 0; i < selectors->nelts; i++) {
        if (tmpl_selector_matches(APR_ARRAY_IDX(selectors, i, const tmpl_selector_t *), page,
                                  node)) {
            return 1;
        }
    }
    return 0;
}

static void apply(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                  const apr_array_header_t *selectors, int template)
{
    if (selectors == NULL || selectors->nelts == 0) {
        return;
    }
    for (uint32_t i = 0, next; i < page->n_nodes; i = next) {
        const tmpl_node_t *node = &page->nodes[i];
        next = i + 1;
        if (node->after_segment > node->first_segment && matches_any(selectors, page, i)) {
            tmpl_verdict_set(verdicts, page, node->first_segment, node->after_segment, template);
            next = node->after; /* everything inside has been set, too */
        }
    }
}

void tmpl_guards_apply(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                       const tmpl_guards_t *guards)
{
    apply(verdicts, page, guards->drop, 1);
    apply(verdicts, page, guards->keep, 0); /* last, so keep wins */
}
