/* SPDX-License-Identifier: Apache-2.0 */
#include "cut/guards.h"

#include <apr_strings.h>

static int matches_any(const apr_array_header_t *selectors, unsigned char *const *memos,
                       const tmpl_page_t *page, uint32_t node)
{
    for (int i = 0; i < selectors->nelts; i++) {
        if (tmpl_selector_matches_memo(APR_ARRAY_IDX(selectors, i, const tmpl_selector_t *), page,
                                       node, memos[i])) {
            return 1;
        }
    }
    return 0;
}

/* A memo for each selector. */
static unsigned char **memos_make(const apr_array_header_t *selectors, const tmpl_page_t *page,
                                  apr_pool_t *pool)
{
    unsigned char **memos = apr_palloc(pool, (apr_size_t)selectors->nelts * sizeof(*memos));
    for (int i = 0; i < selectors->nelts; i++) {
        const tmpl_selector_t *selector = APR_ARRAY_IDX(selectors, i, const tmpl_selector_t *);
        memos[i] = apr_pcalloc(pool, tmpl_selector_memo_size(selector, page) + 1);
    }
    return memos;
}

static void apply(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                  const apr_array_header_t *selectors, int template, apr_pool_t *pool)
{
    if (selectors == NULL || selectors->nelts == 0) {
        return;
    }
    unsigned char **memos = memos_make(selectors, page, pool);
    for (uint32_t i = 0, next; i < page->n_nodes; i = next) {
        const tmpl_node_t *node = &page->nodes[i];
        next = i + 1;
        if (node->after_segment > node->first_segment && matches_any(selectors, memos, page, i)) {
            tmpl_verdict_set(verdicts, page, node->first_segment, node->after_segment, template);
            next = node->after; /* everything inside has been set, too */
        }
    }
}

void tmpl_guards_apply(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                       const tmpl_guards_t *guards, tmpl_why_t *why, apr_pool_t *pool)
{
    apply(verdicts, page, guards->drop, 1, pool);
    tmpl_why_note(why, page, verdicts, TMPL_RULE_DROP);
    apply(verdicts, page, guards->keep, 0, pool); /* last, so keep wins */
    tmpl_why_note(why, page, verdicts, TMPL_RULE_KEEP);
}
