/* SPDX-License-Identifier: Apache-2.0 */
#include "clean.h"

#include "base/names.h"
#include "feature/echo.h"
#include "room.h"
#include "rewrite/highlight.h"

TMPL_ENUM_COLUMN(tmpl_mode_name, tmpl_mode_e, TMPL_MODES, TMPL_COLUMN_2)
TMPL_ENUM_FIND(tmpl_mode_find, TMPL_MODES)
TMPL_ENUM_COLUMN(tmpl_state_name, tmpl_state_e, TMPL_STATES, TMPL_COLUMN_2)

/* Whether the mode needs verdicts, and the detector can judge the page without counts. */
static int judges_alone(const tmpl_outcome_t *outcome, const tmpl_clean_opts_t *opts)
{
    return outcome->detector->need != TMPL_NEED_COUNTS && opts->mode > TMPL_MODE_LEARN;
}

void tmpl_clean_observe(tmpl_outcome_t *outcome, const tmpl_input_t *input,
                        const tmpl_clean_opts_t *opts, apr_pool_t *pool)
{
    tmpl_observation_t *observation = &outcome->observation;
    const tmpl_page_t *page = outcome->page;
    if (tmpl_takes_too_much(page, opts, page->n_keys)) {
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
    if (tmpl_takes_too_much(page, opts, observation->n)) {
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
        outcome->detector->judge(verdicts, &of, pool);
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
