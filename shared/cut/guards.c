/* SPDX-License-Identifier: Apache-2.0 */
#include "cut/guards.h"

#include <apr_strings.h>

#include "base/scratch.h"
#include "dom/xpath.h"

static int matches_any(const apr_array_header_t *selectors, unsigned char *const *memos,
                       const tmpl_page_t *page, uint32_t node)
{
    for (int i = 0; i < selectors->nelts; i++) {
        const tmpl_selector_t *selector = APR_ARRAY_IDX(selectors, i, const tmpl_selector_t *);
        if (tmpl_selector_xpath(selector) == NULL &&
            tmpl_selector_matches_memo(selector, page, node, memos[i])) {
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

static void apply_css(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                      const apr_array_header_t *selectors, int template, apr_pool_t *pool)
{
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

static xmlDoc *tree_of(const tmpl_page_t *page, apr_pool_t *pool)
{
    tmpl_decoder_t decoder;
    tmpl_decoder_find(&decoder, page->src, page->len, NULL, pool);
    tmpl_dom_opts_t opts = { .decoder = &decoder };
    return tmpl_dom(page, &opts, pool);
}

/* Returns 0 if an expression takes too many steps, or the tree too much memory. */
static int apply_xpath(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                       const apr_array_header_t *selectors, int template, apr_pool_t *pool)
{
    xmlDoc *doc = NULL;
    for (int i = 0; i < selectors->nelts; i++) {
        const char *text =
            tmpl_selector_xpath(APR_ARRAY_IDX(selectors, i, const tmpl_selector_t *));
        uint32_t *nodes, n;
        if (text == NULL) {
            continue;
        }
        if (doc == NULL && (doc = tree_of(page, pool)) == NULL) {
            return 0;
        }
        if (!tmpl_xpath_select(&nodes, &n, text, doc, page->n_nodes, pool)) {
            return 0;
        }
        for (uint32_t k = 0; k < n; k++) {
            const tmpl_node_t *node = &page->nodes[nodes[k]];
            tmpl_verdict_set(verdicts, page, node->first_segment, node->after_segment, template);
        }
    }
    return 1;
}

static int apply(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                 const apr_array_header_t *selectors, int template, apr_pool_t *pool)
{
    if (selectors == NULL || selectors->nelts == 0) {
        return 1;
    }
    apr_pool_t *scratch = tmpl_scratch(page->len, pool);
    apply_css(verdicts, page, selectors, template, scratch);
    int done = apply_xpath(verdicts, page, selectors, template, scratch);
    apr_pool_destroy(scratch);
    return done;
}

int tmpl_guards_apply(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                      const tmpl_guards_t *guards, tmpl_why_t *why, apr_pool_t *pool)
{
    int dropped = apply(verdicts, page, guards->drop, 1, pool);
    tmpl_why_note(why, page, verdicts, TMPL_RULE_DROP);
    int kept = apply(verdicts, page, guards->keep, 0, pool); /* last, so keep wins */
    tmpl_why_note(why, page, verdicts, TMPL_RULE_KEEP);
    return dropped && kept;
}
