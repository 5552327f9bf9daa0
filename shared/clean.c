/* SPDX-License-Identifier: Apache-2.0 */
#include "clean.h"

#include <string.h>

#include <xxhash.h>

#include "base/buf.h"
#include "base/names.h"
#include "feature/echo.h"
#include "fingerprint/fingerprint.h"
#include "rewrite/rewrite.h"

TMPL_ENUM_COLUMN(tmpl_mode_name, tmpl_mode_e, TMPL_MODES, TMPL_COLUMN_2)
TMPL_ENUM_FIND(tmpl_mode_find, TMPL_MODES)
TMPL_ENUM_COLUMN(tmpl_state_name, tmpl_state_e, TMPL_STATES, TMPL_COLUMN_2)

/* Whether the mode needs verdicts, and the detector can judge the page without counts. */
static int judges_alone(const tmpl_outcome_t *outcome, const tmpl_clean_opts_t *opts)
{
    return outcome->detector->need != TMPL_NEED_COUNTS && opts->mode > TMPL_MODE_LEARN;
}

static uint64_t larger_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/*
 * Whether a page with n_keys keys takes too much memory for its size. Its elements, texts and keys
 * stay until the request ends. The store, the detector and the closure need memory one after
 * another. A copy of the observation may wait to be learnt all the time.
 */
static int takes_too_much(const tmpl_page_t *page, const tmpl_clean_opts_t *opts, uint64_t n_keys)
{
    enum { CLOSURE_BYTES = 40, MARK_BYTES = 4 * sizeof(tmpl_edit_t) };
    tmpl_detector_memory_t detector = tmpl_detector_memory(opts->detector, page);
    uint64_t more_marks =
        opts->mode == TMPL_MODE_ANNOTATE && opts->marks != NULL ? opts->marks->n - 1 : 0;
    uint64_t observed = n_keys * sizeof(tmpl_key_t) + page->n_segments * sizeof(tmpl_share_t) +
                        page->n_blocks * sizeof(tmpl_block_paths_t);
    uint64_t kept = page->n_nodes * sizeof(*page->nodes) +
                    page->n_segments * sizeof(*page->segments) +
                    page->n_keys * sizeof(*page->keys) + page->n_blocks * sizeof(*page->blocks) +
                    observed + n_keys * sizeof(tmpl_record_t);
    uint64_t counting = n_keys * TMPL_STORE_KEY_BYTES + detector.early;
    uint64_t judging = observed + detector.judging;
    uint64_t cutting =
        observed + page->n_segments * (CLOSURE_BYTES + more_marks * MARK_BYTES) + detector.early;
    uint64_t most = larger_of(counting, larger_of(judging, cutting));
    return kept + most > tmpl_page_memory(page->len) ||
           (opts->mode == TMPL_MODE_HIGHLIGHT && page->n_segments > TMPL_HIGHLIGHT_SEGMENTS);
}

void tmpl_clean_observe(tmpl_outcome_t *outcome, const tmpl_input_t *input,
                        const tmpl_clean_opts_t *opts, apr_pool_t *pool)
{
    tmpl_observation_t *observation = &outcome->observation;
    const tmpl_page_t *page = outcome->page;
    if (takes_too_much(page, opts, page->n_keys)) {
        outcome->decline = TMPL_DECLINE_TOO_MANY;
        return;
    }
    outcome->reading = outcome->detector->read(observation, outcome->page, pool);
    tmpl_echoes_empty(observation, page,
                      &(tmpl_brought_t){ input->uri, input->fields, TMPL_ECHO_LEAST }, pool);
    outcome->document =
        tmpl_document(outcome->page, input->uri, input->page_key, opts->page.seed, pool);
    observation->site = input->site;
    observation->document = &outcome->document;
    observation->policy = &opts->policy;
    observation->learn = input->learn;
    observation->age = opts->age;
    /* now the detector's own keys are known, too */
    if (takes_too_much(page, opts, observation->n)) {
        outcome->decline = TMPL_DECLINE_TOO_MANY;
    }
}

void tmpl_clean_count(tmpl_outcome_t *outcome, tmpl_store_t *store, apr_interval_time_t timeout,
                      apr_pool_t *pool)
{
    if (outcome->decline != TMPL_DECLINE_NONE) {
        return;
    }
    apr_time_t began = tmpl_clock();
    apr_status_t rv = tmpl_store_observe(store, &outcome->observation, timeout, &outcome->counts,
                                         &outcome->store_error, pool);
    outcome->was_asked = 1;
    outcome->store_took = tmpl_clock() - began;
    outcome->store_error.status = rv; /* the failure of an earlier attempt is no error */
    if (rv != APR_SUCCESS && rv != APR_ENOSPC) {
        outcome->counts = (tmpl_counts_t){ 0 };
    }
}

void tmpl_clean_count_many(tmpl_outcome_t *const *outcomes, uint32_t n, tmpl_store_t *store,
                           apr_interval_time_t timeout, apr_pool_t *pool)
{
    const tmpl_observation_t **pages = apr_palloc(pool, n * sizeof(*pages));
    tmpl_counts_t *counts = apr_palloc(pool, n * sizeof(*counts));
    uint32_t n_pages = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (outcomes[i]->decline == TMPL_DECLINE_NONE) {
            pages[n_pages++] = &outcomes[i]->observation;
        }
    }
    int all = n_pages > 1 && tmpl_store_observe_many(store, pages, n_pages, timeout, counts, NULL,
                                                     pool) == APR_SUCCESS;
    for (uint32_t i = 0, at = 0; i < n; i++) {
        if (!all) {
            tmpl_clean_count(outcomes[i], store, timeout, pool);
        }
        else if (outcomes[i]->decline == TMPL_DECLINE_NONE) {
            outcomes[i]->counts = counts[at++];
        }
    }
}

/* This page itself does not count as known. */
static tmpl_state_e state_of(const tmpl_counts_t *counts, uint32_t min_df)
{
    uint32_t before = counts->pages - (counts->counted ? 1 : 0);
    return before == 0              ? TMPL_STATE_COLD
           : counts->pages < min_df ? TMPL_STATE_LEARNING
                                    : TMPL_STATE_WARM;
}

/*
 * The texts whose attributes decide about a page: those of selectors and marks. NULL: an XPath
 * expression may read others than it names.
 */
static const apr_array_header_t *texts_read(const tmpl_clean_opts_t *opts, apr_pool_t *pool)
{
    const apr_array_header_t *lists[] = { opts->guards.keep, opts->guards.drop };
    apr_array_header_t *read = apr_array_make(pool, 4, sizeof(const char *));
    for (int of = 0; of < 2; of++) {
        for (int i = 0; lists[of] != NULL && i < lists[of]->nelts; i++) {
            const tmpl_selector_t *selector = APR_ARRAY_IDX(lists[of], i, const tmpl_selector_t *);
            const char *xpath = tmpl_selector_xpath(selector);
            if (xpath != NULL && strstr(xpath, "attribute") != NULL) {
                return NULL;
            }
            APR_ARRAY_PUSH(read, const char *) = tmpl_selector_text(selector);
        }
    }
    for (uint32_t i = 0; opts->marks != NULL && i < opts->marks->n; i++) {
        APR_ARRAY_PUSH(read, const char *) = opts->marks->marks[i]->attribute;
        APR_ARRAY_PUSH(read, const char *) = opts->marks->marks[i]->against;
    }
    return read;
}

int tmpl_clean_read(tmpl_outcome_t *outcome, const tmpl_input_t *input,
                    const tmpl_clean_opts_t *opts, apr_pool_t *pool)
{
    tmpl_page_opts_t page_opts = opts->page;
    *outcome = (tmpl_outcome_t){ .detector = tmpl_detector(opts->detector),
                                 .declined_at = TMPL_NONE,
                                 .unmarked = -1 };
    if (outcome->detector->separators != NULL) {
        page_opts.separators = outcome->detector->separators;
    }
    page_opts.charset = input->charset;
    page_opts.declined_at = &outcome->declined_at;
    page_opts.comments = opts->mode == TMPL_MODE_ANNOTATE && opts->marks != NULL &&
                         tmpl_marks_need_comments(opts->marks);
    page_opts.read = opts->lasts ? texts_read(opts, pool) : NULL;
    outcome->decline = tmpl_page_parse(&outcome->page, input->body, input->len, &page_opts, pool);
    return outcome->decline == TMPL_DECLINE_NONE;
}

/* Whether the page itself is sent, with its forms, not a text that is made of it. */
static int sends_the_page(tmpl_mode_e mode)
{
    return mode == TMPL_MODE_ANNOTATE || mode == TMPL_MODE_STRIP || mode == TMPL_MODE_HIGHLIGHT;
}

/* verdicts -> edits */
static void edit(tmpl_outcome_t *outcome, tmpl_verdict_t *verdicts, const tmpl_clean_opts_t *opts,
                 apr_pool_t *pool)
{
    int marks = opts->mode == TMPL_MODE_HEADERS || opts->mode == TMPL_MODE_ANNOTATE;
    tmpl_guards_t guards = opts->guards;
    guards.control_texts = sends_the_page(opts->mode);
    tmpl_closure(&outcome->closure, outcome->page, verdicts, &guards,
                 marks ? TMPL_NODE_MARK : TMPL_NODE_CUT, opts->detect.explain, pool);
    outcome->decline = outcome->closure.decline;
    if (outcome->decline != TMPL_DECLINE_NONE) {
        return;
    }
    if (opts->mode == TMPL_MODE_ANNOTATE) {
        outcome->unmarked =
            tmpl_annotate(&outcome->edits, outcome->page, &outcome->closure, opts->marks, pool);
    }
    else if (opts->mode == TMPL_MODE_HIGHLIGHT) {
        tmpl_highlight(&outcome->edits, &outcome->closure, opts->detect.explain, pool);
    }
    else if (!marks) {
        tmpl_strip(&outcome->edits, &outcome->closure, pool);
    }
}

void tmpl_clean_decide(tmpl_outcome_t *outcome, const tmpl_clean_opts_t *given, apr_pool_t *pool)
{
    tmpl_clean_opts_t own = *given;
    const tmpl_clean_opts_t *opts = &own;
    tmpl_explain_t explain = { .pool = pool };
    tmpl_case_t of = { outcome->page,    &outcome->observation, outcome->reading,
                       &outcome->counts, opts->policy.min_df,   &opts->detect };
    if (outcome->decline != TMPL_DECLINE_NONE) {
        return;
    }
    if (outcome->counts.records == NULL && !judges_alone(outcome, opts)) {
        outcome->decline = TMPL_DECLINE_STORE;
        return;
    }
    if (opts->detector != TMPL_DETECTOR_AUTO) {
        own.guards.without = 0; /* all content is BODY */
    }
    if (opts->mode == TMPL_MODE_HIGHLIGHT && opts->detect.explain == NULL) {
        own.detect.explain = &explain;
    }
    if (opts->detect.explain != NULL) {
        opts->detect.explain->detector = outcome->detector->name;
        opts->detect.explain->counts = &outcome->counts;
    }
    outcome->state = state_of(&outcome->counts, opts->policy.min_df);
    if (opts->mode > TMPL_MODE_LEARN) {
        tmpl_verdict_t *verdicts = apr_pcalloc(pool, outcome->page->n_blocks * sizeof(*verdicts));
        apr_pool_t *scratch;
        apr_pool_create(&scratch, pool);
        outcome->detector->judge(verdicts, &of, scratch);
        apr_pool_destroy(scratch);
        outcome->verdicts = verdicts;
        edit(outcome, verdicts, opts, pool);
    }
}

void tmpl_clean_judge(tmpl_outcome_t *outcome, const tmpl_input_t *input,
                      const tmpl_clean_opts_t *opts, tmpl_store_t *store,
                      apr_interval_time_t timeout, apr_pool_t *pool)
{
    if (store != NULL || judges_alone(outcome, opts)) {
        tmpl_clean_observe(outcome, input, opts, pool);
    }
    if (store != NULL) {
        tmpl_clean_count(outcome, store, timeout, pool);
    }
    tmpl_clean_decide(outcome, opts, pool);
}

void tmpl_clean(tmpl_outcome_t *outcome, const tmpl_input_t *input, const tmpl_clean_opts_t *opts,
                tmpl_store_t *store, apr_interval_time_t timeout, apr_pool_t *pool)
{
    if (tmpl_clean_read(outcome, input, opts, pool)) {
        tmpl_clean_judge(outcome, input, opts, store, timeout, pool);
    }
}

/* ---- what names an outcome ---- */

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
