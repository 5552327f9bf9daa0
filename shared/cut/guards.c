/* SPDX-License-Identifier: Apache-2.0 */
#include "cut/guards.h"

#include <apr_strings.h>

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

/* Notes the selector that had the last word on the blocks of an element. */
static void note_selector(tmpl_why_t *why, const tmpl_page_t *page, const tmpl_node_t *node,
                          const tmpl_selector_t *selector)
{
    for (uint32_t s = node->first_segment; why != NULL && s < node->after_segment; s++) {
        why->blocks[page->segments[s].block].selector = selector;
    }
}

static void apply(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                  const apr_array_header_t *selectors, int template, unsigned char *matched,
                  tmpl_why_t *why, apr_pool_t *pool)
{
    if (selectors == NULL || selectors->nelts == 0) {
        return;
    }
    unsigned char **memos = memos_make(selectors, page, pool);
    uint32_t after = 0; /* nodes in front of it are in an element that matches */
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        for (int k = 0; node->after_segment > node->first_segment && k < selectors->nelts; k++) {
            const tmpl_selector_t *selector = APR_ARRAY_IDX(selectors, k, const tmpl_selector_t *);
            if ((i < after && matched[k]) ||
                !tmpl_selector_matches_memo(selector, page, i, memos[k])) {
                continue;
            }
            matched[k] = 1;
            if (i >= after) {
                tmpl_verdict_set(verdicts, page, node->first_segment, node->after_segment,
                                 template);
                note_selector(why, page, node, selector);
                after = node->after;
            }
        }
    }
}

const unsigned char *tmpl_guards_apply(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                       const tmpl_guards_t *guards, tmpl_why_t *why,
                                       apr_pool_t *pool)
{
    int n_keep = guards->keep != NULL ? guards->keep->nelts : 0;
    int n_drop = guards->drop != NULL ? guards->drop->nelts : 0;
    if (n_keep + n_drop == 0) {
        return NULL;
    }
    unsigned char *matched = apr_pcalloc(pool, (apr_size_t)(n_keep + n_drop));
    apply(verdicts, page, guards->drop, 1, matched + n_keep, why, pool);
    tmpl_why_note(why, page, verdicts, TMPL_RULE_DROP);
    apply(verdicts, page, guards->keep, 0, matched, why, pool); /* last, so keep wins */
    tmpl_why_note(why, page, verdicts, TMPL_RULE_KEEP);
    return matched;
}
