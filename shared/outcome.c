/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome.h"

#include <string.h>

#include <xxhash.h>

#include "base/buf.h"
#include "fingerprint/fingerprint.h"

const char *tmpl_clean_fingerprint(const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                                   apr_pool_t *pool)
{
    if (outcome->decline != TMPL_DECLINE_NONE || outcome->verdicts == NULL) {
        return NULL;
    }
    return tmpl_fingerprint_text(outcome->page, outcome->verdicts, input->charset, pool);
}

/* Adds the texts of selectors, each with its NUL, and a NUL behind all. */
static void add_selectors(tmpl_buf_t *buf, const apr_array_header_t *selectors)
{
    for (int i = 0; selectors != NULL && i < selectors->nelts; i++) {
        const char *text = tmpl_selector_text(APR_ARRAY_IDX(selectors, i, const tmpl_selector_t *));
        tmpl_buf_add(buf, text, strlen(text) + 1);
    }
    tmpl_buf_add_byte(buf, '\0');
}

#define ADD(buf, value) tmpl_buf_add(buf, (const char *)&(value), sizeof(value))

/* A hash of what decides the verdicts of all pages of the site. */
static uint32_t hash_of_site(const tmpl_outcome_t *outcome, const tmpl_clean_opts_t *opts,
                             apr_pool_t *pool)
{
    const tmpl_detect_opts_t *detect = &opts->detect;
    tmpl_models_id_t models = tmpl_models_id(&detect->models);
    tmpl_buf_t buf;
    tmpl_buf_init(&buf, pool);
    tmpl_buf_add(&buf, TMPL_VERSION, sizeof(TMPL_VERSION));
    ADD(&buf, models);
    ADD(&buf, opts->detector);
    ADD(&buf, detect->smoothing);
    ADD(&buf, detect->ratio);
    ADD(&buf, detect->threshold);
    ADD(&buf, opts->policy.min_df);
    ADD(&buf, opts->guards.min_keep);
    ADD(&buf, opts->guards.without);
    ADD(&buf, opts->guards.min_confidence);
    add_selectors(&buf, opts->guards.keep);
    add_selectors(&buf, opts->guards.drop);
    if (opts->page.separators != NULL) {
        ADD(&buf, *opts->page.separators);
    }
    ADD(&buf, outcome->counts.pages);
    ADD(&buf, outcome->counts.version);
    return (uint32_t)XXH3_64bits(buf.at, buf.len);
}

/* A hash of the counts of the page's keys, without the times of their entries. */
static uint32_t hash_of_counts(const tmpl_outcome_t *outcome, apr_pool_t *pool)
{
    const tmpl_record_t *records = outcome->counts.records;
    uint32_t n = records != NULL ? outcome->observation.n : 0;
    uint32_t *numbers = apr_palloc(pool, (3 * (apr_size_t)n + 1) * sizeof(*numbers));
    for (uint32_t i = 0; i < n; i++) {
        numbers[3 * (size_t)i] = records[i].df;
        numbers[3 * (size_t)i + 1] = records[i].text;
        numbers[3 * (size_t)i + 2] = records[i].repeated;
    }
    return (uint32_t)XXH3_64bits(numbers, 3 * (size_t)n * sizeof(*numbers));
}

void tmpl_clean_version(tmpl_outcome_t *outcome, const tmpl_clean_opts_t *opts, apr_pool_t *pool)
{
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    outcome->version =
        (uint64_t)hash_of_site(outcome, opts, scratch) << 32 | hash_of_counts(outcome, scratch);
    apr_pool_destroy(scratch);
}
