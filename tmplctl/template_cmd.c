/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmplctl template: the text of a site's template, such as its address and opening hours. A store
 * holds hashes only, so the text comes from a page.
 */
#include <stdio.h>

#include <apr_hash.h>

#include "ctl.h"
#include "page_input.h"
#include "text/text.h"

/* Whether more than half of a block's text is template by its DF, so that it is the site's. */
static int is_repeated(const tmpl_outcome_t *outcome, uint32_t block, uint32_t min_df)
{
    const tmpl_page_t *page = outcome->page;
    const tmpl_block_t *b = &page->blocks[block];
    uint64_t repeated = 0;
    for (uint32_t s = b->first_segment; s < b->after_segment; s++) {
        const tmpl_segment_t *segment = &page->segments[s];
        repeated += outcome->counts.records[segment->key].df >= min_df ? segment->length : 0;
    }
    return 2 * repeated > b->length;
}

/* Prints the text of the blocks that are the site's template, each text once. */
static void print_template(const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                           uint32_t min_df, apr_pool_t *pool)
{
    tmpl_decoder_t charset;
    apr_hash_t *printed = apr_hash_make(pool);
    tmpl_decoder_find(&charset, input->body, input->len, input->charset, pool);
    for (uint32_t b = 0; b < outcome->page->n_blocks; b++) {
        tmpl_buf_t text;
        if (!outcome->verdicts[b].template || !is_repeated(outcome, b, min_df)) {
            continue;
        }
        tmpl_buf_init(&text, pool);
        tmpl_text_block(&text, outcome->page, b, &charset);
        if (text.len > 0 && apr_hash_get(printed, text.at, (apr_ssize_t)text.len) == NULL) {
            apr_hash_set(printed, text.at, (apr_ssize_t)text.len, text.at);
            fwrite(text.at, 1, text.len, stdout);
            putchar('\n');
        }
    }
}

static int show_template(ctl_t *ctl, tmpl_store_t *store)
{
    const char *arg = APR_ARRAY_IDX(ctl->args, 0, const char *);
    const char *site = ctl_page_site(ctl, arg);
    uint32_t min_df = ctl->options.clean.policy.min_df;
    tmpl_clean_opts_t opts = ctl->options.clean;
    tmpl_input_t input;
    tmpl_outcome_t outcome;
    int code = ctl_page_load(&input, ctl, arg, site);
    if (code != CTL_OK) {
        return code;
    }
    opts.mode = TMPL_MODE_HEADERS;
    opts.guards.min_keep = 0; /* a page of nothing but template shows it best */
    opts.guards.min_confidence = 0;
    tmpl_clean(&outcome, &input, &opts, store, CTL_STORE_TIMEOUT, ctl->pool);
    if (outcome.store_error.status != APR_SUCCESS) {
        ctl_say("%s: store: %s", arg, outcome.store_error.text);
        return CTL_FAILED;
    }
    if (outcome.page == NULL || outcome.decline != TMPL_DECLINE_NONE) {
        return ctl_page_declined(&outcome, &input, arg, ctl->pool);
    }
    if (outcome.counts.pages == 0) {
        ctl_store_has_no(ctl, store, site);
        return CTL_FAILED;
    }
    if (outcome.counts.pages < min_df) {
        ctl_say("template: site %s: %u pages are learnt, and text is template from %u on", site,
                outcome.counts.pages, min_df);
        return CTL_FAILED;
    }
    print_template(&outcome, &input, min_df, ctl->pool);
    return CTL_OK;
}

int ctl_template(ctl_t *ctl)
{
    if (ctl_page_site(ctl, APR_ARRAY_IDX(ctl->args, 0, const char *)) == NULL) {
        return CTL_USAGE;
    }
    return ctl_store_with(ctl, show_template);
}
