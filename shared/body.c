/* SPDX-License-Identifier: Apache-2.0 */
#include "body.h"

#include "markdown/markdown.h"
#include "text/text.h"

static const char *visible_text(apr_size_t *len, const tmpl_outcome_t *outcome,
                                const tmpl_input_t *input, apr_pool_t *pool)
{
    const tmpl_verdict_t *verdicts =
        outcome->decline == TMPL_DECLINE_NONE ? outcome->verdicts : NULL;
    tmpl_decoder_t charset;
    tmpl_buf_t buf;
    tmpl_buf_init(&buf, pool);
    tmpl_decoder_find(&charset, input->body, input->len, input->charset, pool);
    for (uint32_t i = 0; i < outcome->page->n_blocks; i++) {
        apr_size_t before = buf.len;
        if (verdicts == NULL || !verdicts[i].template) {
            tmpl_text_block(&buf, outcome->page, i, &charset);
        }
        if (buf.len > before) {
            tmpl_buf_add(&buf, "\n", 1);
        }
    }
    *len = buf.len;
    return buf.at;
}

const char *tmpl_body(apr_size_t *len, const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                      const tmpl_clean_opts_t *opts, const char *url, apr_pool_t *pool)
{
    tmpl_markdown_opts_t markdown = { url, input->charset };
    tmpl_outcome_t again;
    if (outcome->page == NULL) {
        return NULL;
    }
    if (opts->mode == TMPL_MODE_TEXT) {
        return visible_text(len, outcome, input, pool);
    }
    if (outcome->page->nodes == NULL) {
        /* a decision from a cache: the page itself was not read */
        if (!tmpl_clean_read(&again, input, opts, pool)) {
            return NULL;
        }
        return tmpl_markdown(len, again.page, &outcome->edits, &markdown, pool);
    }
    return tmpl_markdown(len, outcome->page, &outcome->edits, &markdown, pool);
}
