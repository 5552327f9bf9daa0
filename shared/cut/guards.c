/* SPDX-License-Identifier: Apache-2.0 */
#include "cut/steps.h"
#include "dom/xpath.h"

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
static void note_selector(tmpl_explain_t *explain, const tmpl_page_t *page, const tmpl_node_t *node,
                          const tmpl_selector_t *selector)
{
    for (uint32_t s = node->first_segment; explain != NULL && s < node->after_segment; s++) {
        explain->blocks[page->segments[s].block].selector = selector;
    }
}

static void apply_css(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                      const apr_array_header_t *selectors, int template, unsigned char *matched,
                      tmpl_explain_t *explain, apr_pool_t *pool)
{
    unsigned char **memos = memos_make(selectors, page, pool);
    uint32_t after = 0; /* nodes in front of this one are in an element that matches */
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        for (int k = 0; node->after_segment > node->first_segment && k < selectors->nelts; k++) {
            const tmpl_selector_t *selector = APR_ARRAY_IDX(selectors, k, const tmpl_selector_t *);
            if ((i < after && matched[k]) || tmpl_selector_xpath(selector) != NULL ||
                !tmpl_selector_matches(selector, page, i, memos[k])) {
                continue;
            }
            matched[k] = 1;
            if (i >= after) {
                tmpl_verdict_set(verdicts, page, node->first_segment, node->after_segment,
                                 template);
                note_selector(explain, page, node, selector);
                after = node->after;
            }
        }
    }
}

static xmlDoc *page_tree(const tmpl_page_t *page, apr_pool_t *pool)
{
    tmpl_decoder_t decoder;
    tmpl_decoder_find(&decoder, page->src, page->len, NULL, pool);
    tmpl_dom_opts_t opts = { .decoder = &decoder };
    return tmpl_dom(page, &opts, pool);
}

/* Applies XPath selectors. Returns 0 if one takes too many steps, or the tree too much memory. */
static int apply_xpath(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                       const apr_array_header_t *selectors, int template, unsigned char *matched,
                       tmpl_explain_t *explain, apr_pool_t *pool)
{
    xmlDoc *doc = NULL;
    for (int i = 0; i < selectors->nelts; i++) {
        const tmpl_selector_t *selector = APR_ARRAY_IDX(selectors, i, const tmpl_selector_t *);
        const char *text = tmpl_selector_xpath(selector);
        uint32_t *nodes, n;
        if (text == NULL) {
            continue;
        }
        if (doc == NULL && (doc = page_tree(page, pool)) == NULL) {
            return 0;
        }
        if (!tmpl_xpath_select(&nodes, &n, text, doc, pool)) {
            return 0;
        }
        for (uint32_t k = 0; k < n; k++) {
            const tmpl_node_t *node = &page->nodes[nodes[k]];
            matched[i] |= node->after_segment > node->first_segment;
            tmpl_verdict_set(verdicts, page, node->first_segment, node->after_segment, template);
            note_selector(explain, page, node, selector);
        }
    }
    return 1;
}

/* Applies all selectors. Returns what apply_xpath returns. */
static int apply_selectors(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                           const apr_array_header_t *selectors, int template,
                           unsigned char *matched, tmpl_explain_t *explain, apr_pool_t *pool)
{
    if (selectors == NULL || selectors->nelts == 0) {
        return 1;
    }
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    apply_css(verdicts, page, selectors, template, matched, explain, scratch);
    int done = apply_xpath(verdicts, page, selectors, template, matched, explain, scratch);
    apr_pool_destroy(scratch);
    return done;
}

const unsigned char *tmpl_guards_apply(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                       const tmpl_guards_t *guards, tmpl_decline_e *decline,
                                       tmpl_explain_t *explain, apr_pool_t *pool)
{
    int n_keep = guards->keep != NULL ? guards->keep->nelts : 0;
    int n_drop = guards->drop != NULL ? guards->drop->nelts : 0;
    if (n_keep + n_drop == 0) {
        return NULL;
    }
    unsigned char *matched = apr_pcalloc(pool, (apr_size_t)(n_keep + n_drop));
    int dropped = apply_selectors(verdicts, page, guards->drop, 1, matched + n_keep, explain, pool);
    tmpl_explain_note(explain, page, verdicts, TMPL_RULE_DROP);
    /* last, so keep wins */
    int kept = apply_selectors(verdicts, page, guards->keep, 0, matched, explain, pool);
    tmpl_explain_note(explain, page, verdicts, TMPL_RULE_KEEP);
    if (decline != NULL && !(dropped && kept)) {
        *decline = TMPL_DECLINE_XPATH;
    }
    return matched;
}
