/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"
#include "child_store.h"
#include "page_links.h"
#include "personal.h"
#include "listed_page.h"
#include "status/counters.h"

#include "body.h"
#include "clean.h"
#include "feature/echo.h"
#include "html/charset.h"

void tmpl_judge_expect(tmpl_ctx_t *ctx, request_rec *r)
{
    ctx->site = tmpl_site_of(r, ctx->conf);
    ctx->page_key = tmpl_key_of(r, ctx->conf->page_key);
    ctx->learn = tmpl_may_learn(r, ctx->conf) != 0;
    ctx->lists = tmpl_may_list(r, ctx->conf);
}

/* How a page is learnt: after its request, if that can be. */
static tmpl_learning_e learning_of(const tmpl_conf_t *conf)
{
    return tmpl_conf_delay(conf) > 0 && tmpl_child_learns_later() ? TMPL_LEARNING_LATER
                                                                  : TMPL_LEARNING_NOW;
}

static void describe(tmpl_input_t *input, const tmpl_ctx_t *ctx, request_rec *r, apr_pool_t *pool)
{
    input->site = ctx->site;
    input->page_key = ctx->page_key;
    input->uri = tmpl_uri_of(r, pool);
    input->fields = tmpl_fields_shown(r, TMPL_ECHO_LEAST, pool);
    /* with the charset that AddDefaultCharset adds when the fields are sent */
    input->charset = tmpl_charset_of_type(ap_make_content_type(r, r->content_type), pool);
    input->learn = ctx->learn ? learning_of(ctx->conf) : TMPL_LEARNING_OFF;
}

/* Whether a seed is known, of the store or of its replica, and the site's name is valid. */
static int is_usable(tmpl_child_store_t *ours, const tmpl_input_t *input, const tmpl_conf_t *conf,
                     apr_uint64_t *seed, apr_interval_time_t *timeout, request_rec *r,
                     apr_pool_t *pool)
{
    return ours != NULL && tmpl_child_store_takes(ours, input->site, r) &&
           (tmpl_child_store_seed(ours, seed, timeout, pool) ||
            (conf->store_read != NULL &&
             tmpl_child_store_seed(conf->store_read, seed, timeout, pool)));
}

/*
 * Asks a store about a page's site, without any key; with LATER, also whether it knows the
 * document. Returns 0 if it cannot be asked now.
 */
static int ask_site(tmpl_counts_t *counts, tmpl_child_store_t *asked,
                    const tmpl_observation_t *page, apr_interval_time_t timeout, apr_pool_t *pool)
{
    tmpl_observation_t alone = { .site = page->site,
                                 .document = page->document,
                                 .policy = page->policy,
                                 .learn = page->learn,
                                 .age = page->age };
    tmpl_error_t err = { APR_SUCCESS, "" };
    apr_time_t began;
    tmpl_store_t *store = tmpl_child_store_begin(asked, &began);
    if (store == NULL) {
        return 0;
    }
    err.status = tmpl_store_observe(store, &alone, timeout, counts, &err, pool);
    tmpl_health_report(&asked->health, TMPL_PURPOSE_LOOKUP, began, tmpl_clock(), &err);
    return err.status == APR_SUCCESS;
}

/* Reports the times of a page that has just been judged: read from start to parsed. */
static void report_times(const tmpl_outcome_t *outcome, apr_time_t start, apr_time_t parsed)
{
    tmpl_stage_took(TMPL_STAGE_READ, parsed - start);
    if (outcome->was_asked) {
        tmpl_stage_took(TMPL_STAGE_STORE, outcome->store_took);
    }
    tmpl_stage_took(TMPL_STAGE_DECIDE, tmpl_clock() - parsed - outcome->store_took);
}

/* Reports what a store has answered about a page; it was open from opened on. */
static void report_answer(tmpl_child_store_t *asked, const tmpl_outcome_t *outcome,
                          apr_time_t began, apr_time_t opened)
{
    tmpl_health_report_room(&asked->health, &outcome->store_error,
                            outcome->counts.counted && !outcome->counts.due);
    /* a page that was declined before it was counted says nothing about the store */
    if (outcome->was_asked) {
        /* without the time of judging, which would make the breaker's pause longer */
        tmpl_health_report(&asked->health, TMPL_PURPOSE_LOOKUP, began, opened + outcome->store_took,
                           &outcome->store_error);
    }
}

/*
 * What is to be queued of a page: the page with its sighting, or, if the page is known or learnt
 * already, only the sighting. NULL: nothing.
 */
static const tmpl_observation_t *to_queue(const tmpl_outcome_t *outcome, apr_pool_t *pool)
{
    const tmpl_observation_t *page = &outcome->observation;
    const tmpl_observation_t alone = { .site = page->site,
                                       .document = page->document,
                                       .policy = page->policy,
                                       .learn = TMPL_LEARNING_OFF,
                                       .sighting = page->sighting };
    return outcome->counts.due      ? page
           : page->sighting != NULL ? apr_pmemdup(pool, &alone, sizeof(alone))
                                    : NULL;
}

/* What is left to do for a page after the store (or its replica, `asked`) has answered. */
static void learn_page(tmpl_outcome_t *outcome, tmpl_child_store_t *ours,
                       const tmpl_child_store_t *asked, tmpl_store_t *store,
                       const tmpl_conf_t *conf, apr_pool_t *pool)
{
    apr_interval_time_t timeout = tmpl_conf_timeout(conf);
    const tmpl_observation_t *page = to_queue(outcome, pool);
    if (page != NULL && learning_of(conf) == TMPL_LEARNING_NOW) {
        outcome->store_error.status =
            tmpl_store_learn(store, &page, 1, timeout, NULL, &outcome->store_error, pool);
    }
    else if (page != NULL) {
        tmpl_child_store_put_aside(ours, page, tmpl_conf_delay(conf), &outcome->store_error);
    }
    if (asked != ours && outcome->counts.fading) {
        tmpl_counts_t counts;
        /* a replica cannot keep it */
        outcome->observation.age = 0;
        outcome->observation.learn = TMPL_LEARNING_OFF;
        (void)ask_site(&counts, ours, &outcome->observation, timeout, pool);
    }
}

/* The names of what was decided: fingerprint and version, if somebody reads them. */
static void find_ids(tmpl_judged_t *judged, const tmpl_ctx_t *ctx, const tmpl_clean_opts_t *opts,
                     apr_pool_t *pool)
{
    int is_shown = tmpl_conf_headers(ctx->conf) || !tmpl_conf_holds(ctx->conf) ||
                   tmpl_conf_mode(ctx->conf) == TMPL_MODE_JSON;
    if (is_shown || ctx->lists != TMPL_LISTS_NOT) {
        judged->fingerprint = tmpl_clean_fingerprint(&judged->outcome, &judged->input, pool);
    }
    if (is_shown) {
        tmpl_clean_version(&judged->outcome, opts, pool);
    }
}

/* Judges a page with a store, and counts it. opts are those of ctx; their seed is set. */
static void ask_and_judge(tmpl_judged_t *judged, const tmpl_ctx_t *ctx, tmpl_clean_opts_t *opts,
                          request_rec *r, apr_pool_t *pool)
{
    const tmpl_conf_t *conf = ctx->conf;
    const tmpl_input_t *input = &judged->input;
    tmpl_outcome_t *outcome = &judged->outcome;
    tmpl_child_store_t *ours = tmpl_child_store_of(conf), *asked = NULL;
    apr_interval_time_t timeout = tmpl_conf_timeout(conf) - judged->waited;
    int usable = is_usable(ours, input, conf, &opts->page.seed, &timeout, r, pool);
    apr_time_t start = tmpl_clock(), parsed, began, opened;
    tmpl_store_t *store = NULL;
    /* parse first: a page that the parser declines must not use up the breaker's only trial */
    if (!tmpl_clean_read(outcome, input, opts, pool)) {
        return;
    }
    parsed = tmpl_clock();
    if (usable && conf->store_read != NULL && input->learn != TMPL_LEARNING_NOW) {
        asked = conf->store_read;
        store = tmpl_child_store_begin(asked, &began);
    }
    if (usable && store == NULL) {
        asked = ours;
        store = tmpl_child_store_begin(asked, &began);
    }
    opened = tmpl_clock();
    tmpl_clean_judge(outcome, input, opts, store, timeout, pool);
    report_times(outcome, start, parsed);
    find_ids(judged, ctx, opts, pool);
    if (store != NULL) {
        tmpl_listed_page_t sighted = { ctx,   input, judged->fingerprint,
                                       asked, store, timeout - outcome->store_took };
        report_answer(asked, outcome, began, opened);
        judged->changed = tmpl_listed_page_look(&sighted, outcome, r, pool);
        learn_page(outcome, ours, asked, store, conf, pool);
    }
}

static void judge_by_store(tmpl_judged_t *judged, const tmpl_ctx_t *ctx, tmpl_clean_opts_t *opts,
                           request_rec *r, apr_pool_t *pool)
{
    apr_atomic_inc32(&tmpl_child_stores_users);
    ask_and_judge(judged, ctx, opts, r, pool);
    apr_atomic_dec32(&tmpl_child_stores_users);
}

/*
 * Whether a decision still holds, by what the store says of the site. If it says nothing, the
 * decision holds: without a store the page would be judged as the first one of an unknown site.
 */
static tmpl_cached_e age_of(tmpl_decision_t *decision, tmpl_judged_t *judged,
                            const tmpl_conf_t *conf, const tmpl_clean_opts_t *opts,
                            apr_pool_t *pool)
{
    int may_learn = judged->input.learn != TMPL_LEARNING_OFF;
    /* a site that was forgotten may have grown to where it was, without this page */
    const tmpl_observation_t site = { .site = judged->input.site,
                                      .document = &decision->document,
                                      .policy = &opts->policy,
                                      .learn = may_learn && !decision->near_copy
                                                   ? TMPL_LEARNING_LATER
                                                   : TMPL_LEARNING_OFF,
                                      .age = opts->age };
    tmpl_child_store_t *ours = tmpl_child_store_of(conf);
    tmpl_child_store_t *asked = conf->store_read != NULL ? conf->store_read : ours;
    tmpl_counts_t counts;
    int answers = ours != NULL && ask_site(&counts, asked, &site, tmpl_conf_timeout(conf), pool);
    judged->waited = tmpl_clock() - judged->start;
    if (!answers && asked != ours) {
        return TMPL_CACHED_STALE; /* behind the replica there is another store to ask */
    }
    if (!answers) {
        judged->waited = tmpl_conf_timeout(conf); /* it is not asked again for this page */
        return TMPL_CACHED_HIT;
    }
    if (may_learn && !decision->learned && !counts.frozen) {
        return TMPL_CACHED_PERSONAL;
    }
    if (tmpl_decision_is_stale(decision, counts.version, counts.pages, opts->policy.lifetime_tb,
                               apr_time_now()) ||
        counts.due || (asked != ours && counts.fading)) {
        return TMPL_CACHED_STALE;
    }
    decision->pages = counts.pages;
    return TMPL_CACHED_HIT;
}

/* Takes the decision about a page from the cache. Returns 0 if there is none that holds. */
static int find_decision(tmpl_judged_t *judged, const tmpl_ctx_t *ctx,
                         const tmpl_clean_opts_t *opts, request_rec *r, apr_pool_t *pool)
{
    tmpl_decision_t decision;
    if (tmpl_cache_find(&judged->cached, &decision, &judged->input, ctx->conf, r, pool)) {
        apr_atomic_inc32(&tmpl_child_stores_users);
        judged->cached.found = age_of(&decision, judged, ctx->conf, opts, pool);
        apr_atomic_dec32(&tmpl_child_stores_users);
    }
    tmpl_cache_count(&judged->cached);
    if (judged->cached.found != TMPL_CACHED_HIT) {
        return 0;
    }
    tmpl_decision_outcome(&judged->outcome, &decision, pool);
    judged->fingerprint = decision.fingerprint;
    judged->body = decision.body;
    judged->body_len = decision.body_len;
    judged->changed = tmpl_listed_page_changed(ctx, judged->input.uri,
                                               tmpl_conf_timeout(ctx->conf) - judged->waited, pool);
    return 1;
}

/* Makes what is sent in place of the page. If that fails, the page passes untouched. */
static void make_body(tmpl_judged_t *judged, const tmpl_clean_opts_t *opts, int tags_content,
                      request_rec *r, apr_pool_t *pool)
{
    tmpl_outcome_t *outcome = &judged->outcome;
    tmpl_outcome_t written = *outcome;
    if (tags_content) { /* it must not change with the site's table; the field Tmpl says these */
        written.version = 0;
        written.closure.confidence = -1;
    }
    judged->body =
        tmpl_body(&judged->body_len, &written, &judged->input, opts,
                  tmpl_canonical_url(judged->input.uri, r, pool), judged->fingerprint, pool);
    if (judged->body == NULL) {
        outcome->decline = TMPL_DECLINE_MARKDOWN;
        outcome->edits.n = 0;
    }
}

apr_status_t tmpl_judge(tmpl_judged_t *judged, const tmpl_ctx_t *ctx, apr_bucket_brigade *page,
                        request_rec *r, apr_pool_t *pool)
{
    const tmpl_conf_t *conf = ctx->conf;
    tmpl_input_t *input = &judged->input;
    tmpl_outcome_t *outcome = &judged->outcome;
    tmpl_clean_opts_t opts;
    char *body;
    memset(judged, 0, sizeof(*judged));
    judged->start = tmpl_clock();
    judged->inflated = page != ctx->held ? ctx->codec->encoding : NULL;
    apr_status_t rv = apr_brigade_pflatten(page, &body, &input->len, pool);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    input->body = body;
    describe(input, ctx, r, pool);
    tmpl_conf_opts(&opts, conf);
    int is_known = find_decision(judged, ctx, &opts, r, pool);
    if (!is_known) {
        opts.lasts = judged->cached.cache != NULL;
        judge_by_store(judged, ctx, &opts, r, pool);
    }
    if (tmpl_conf_type(conf) != NULL && outcome->decline == TMPL_DECLINE_NONE &&
        judged->body == NULL) {
        make_body(judged, &opts, tmpl_conf_tags_content(conf), r, pool);
    }
    if (!is_known && outcome->decline != TMPL_DECLINE_MARKDOWN) {
        /* a person's own text is not kept */
        tmpl_cache_keep(&judged->cached, outcome, judged->fingerprint,
                        tmpl_is_personal(r) ? NULL : judged->body, judged->body_len, input, conf);
    }
    return APR_SUCCESS;
}
