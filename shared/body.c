/* SPDX-License-Identifier: Apache-2.0 */
#include "body.h"

#include "data/page_data.h"
#include "markdown/markdown.h"
#include "reader/reader.h"
#include "text/text.h"

/* Marks the blocks in elements that say what the one in front of them says, which stays. */
static unsigned char *find_said(const tmpl_page_t *page, const tmpl_verdict_t *verdicts,
                                apr_pool_t *pool)
{
    unsigned char *said = apr_pcalloc(pool, page->n_blocks + 1);
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i], *twin = tmpl_node_twin(page, node);
        uint32_t s = twin != NULL ? twin->first_segment : 0;
        while (twin != NULL && s < twin->after_segment &&
               (verdicts == NULL || !verdicts[page->segments[s].block].template)) {
            s++;
        }
        int is = twin != NULL && s == twin->after_segment;
        for (s = node->first_segment; is && s < node->after_segment; s++) {
            said[page->segments[s].block] |= page->blocks[page->segments[s].block].node >= i;
        }
    }
    return said;
}

static const char *visible_text(apr_size_t *len, const tmpl_page_t *page,
                                const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                                apr_pool_t *pool)
{
    const tmpl_verdict_t *verdicts =
        outcome->decline == TMPL_DECLINE_NONE ? outcome->verdicts : NULL;
    tmpl_decoder_t charset;
    tmpl_buf_t buf;
    tmpl_buf_init(&buf, pool);
    tmpl_decoder_find(&charset, input->body, input->len, input->charset, pool);
    const unsigned char *said = find_said(page, verdicts, pool);
    for (uint32_t i = 0; i < page->n_blocks; i++) {
        apr_size_t before = buf.len;
        if ((verdicts == NULL || !verdicts[i].template) && !said[i]) {
            tmpl_text_lines(&buf, page, i, &charset);
        }
        if (buf.len > before) {
            tmpl_buf_add(&buf, "\n", 1);
        }
    }
    *len = buf.len;
    return buf.at;
}

/* The content's tree and metadata are gone when it is written. as_data: for mode JSON. */
static const char *written_of(apr_size_t *len, tmpl_mode_e mode, const tmpl_page_t *page,
                              const tmpl_edits_t *edits, const tmpl_content_opts_t *opts,
                              const tmpl_data_opts_t *as_data, apr_pool_t *pool)
{
    tmpl_content_t content;
    const char *written = NULL;
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    if (tmpl_content_read(&content, page, edits, opts, scratch)) {
        written = mode == TMPL_MODE_JSON     ? tmpl_data(len, &content, as_data, pool)
                  : mode == TMPL_MODE_READER ? tmpl_reader(len, &content, pool)
                                             : tmpl_markdown(len, &content, NULL, pool);
    }
    apr_pool_destroy(scratch);
    return written;
}

const char *tmpl_body(apr_size_t *len, const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                      const tmpl_clean_opts_t *opts, const char *url, const char *fingerprint,
                      apr_pool_t *pool)
{
    tmpl_content_opts_t as = { .url = url,
                               .verdicts = outcome->verdicts,
                               .charset = input->charset,
                               .posts = opts->mode != TMPL_MODE_JSON,
                               .titles = opts->mode == TMPL_MODE_MARKDOWN,
                               .languages = opts->mode == TMPL_MODE_READER };
    tmpl_outcome_t again;
    const tmpl_page_t *page = outcome->page;
    if (page == NULL) {
        return NULL;
    }
    if (page->nodes == NULL) {
        /* a decision from a cache: the page itself was not read */
        if (!tmpl_clean_read(&again, input, opts, pool) || again.page->n_blocks != page->n_blocks) {
            return NULL;
        }
        page = again.page;
    }
    if (opts->mode == TMPL_MODE_TEXT) {
        return visible_text(len, page, outcome, input, pool);
    }
    int is_declined = outcome->decline != TMPL_DECLINE_NONE;
    tmpl_data_opts_t data = { is_declined ? tmpl_decline_name(outcome->decline) : NULL,
                              outcome->closure.confidence, fingerprint, outcome->version };
    return written_of(len, opts->mode, page, &outcome->edits, &as, &data, pool);
}
