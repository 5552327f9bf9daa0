/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "report.h"
#include "counters.h"
#include "messages.h"
#include "page_links.h"
#include "sites.h"

/*
 * What the page has in common with its site. The larger share counts: some sites have an id of the
 * page in the path of each place, some hardly repeat a text. Pages that are not to be learnt, and
 * those of a site with too few documents, are not looked at.
 */
static tmpl_common_t common_of(const tmpl_outcome_t *outcome, const tmpl_input_t *input)
{
    const tmpl_observation_t *page = &outcome->observation;
    apr_uint32_t all[TMPL_KIND_COUNT] = { 0 }, known[TMPL_KIND_COUNT] = { 0 };
    tmpl_common_t common = { 0, 0 };
    if (outcome->counts.records == NULL || input->learn == TMPL_LEARNING_OFF || page->n == 0 ||
        outcome->counts.pages < TMPL_ALARM_KNOWN) {
        return (tmpl_common_t){ -1, 0 };
    }
    for (apr_uint32_t i = 0; i < page->n; i++) {
        all[page->keys[i].kind]++;
        known[page->keys[i].kind] += outcome->counts.records[i].df >= TMPL_ALARM_KNOWN;
    }
    for (int kind = 0; kind < TMPL_KIND_COUNT; kind++) {
        common.share =
            all[kind] > 0 ? fmax(common.share, (double)known[kind] / all[kind]) : common.share;
        common.known += known[kind];
    }
    return common;
}

/* A decision with the fields that every decision has. */
static tmpl_recent_t *new_decision(const tmpl_ctx_t *ctx, const char *site, const char *path,
                                   tmpl_decline_e reason, apr_pool_t *pool)
{
    tmpl_recent_t *decision = apr_pcalloc(pool, sizeof(*decision));
    decision->time = apr_time_now();
    apr_cpystrn(decision->site, site, sizeof(decision->site));
    apr_cpystrn(decision->path, path, sizeof(decision->path));
    decision->mode = tmpl_conf_mode(ctx->conf);
    decision->decline = reason;
    decision->common.share = -1;
    return decision;
}

static void report_to_site(const tmpl_recent_t *decision, const char *site, request_rec *r)
{
    tmpl_site_warning_t warning;
    if (tmpl_sites_add(site, decision, &warning)) {
        ap_log_rerror(APLOG_MARK, APLOG_WARNING, 0, r, TMPL_LOG_SITE_DECLINED, site,
                      warning.declined, warning.of, tmpl_decline_name(warning.reason),
                      tmpl_decline_text(warning.reason));
    }
    if (warning.alarm == TMPL_ALARM_BEGINS) {
        ap_log_rerror(APLOG_MARK, APLOG_WARNING, 0, r, TMPL_LOG_TEMPLATE_CHANGED, site);
    }
    else if (warning.alarm == TMPL_ALARM_ENDS) {
        ap_log_rerror(APLOG_MARK, APLOG_NOTICE, 0, r, TMPL_LOG_TEMPLATE_KNOWN, site);
    }
}

static void add_outcome(tmpl_recent_t *decision, const tmpl_outcome_t *outcome)
{
    decision->answered = outcome->counts.records != NULL;
    decision->state = outcome->state;
    decision->known = outcome->counts.pages;
    decision->frozen = outcome->counts.frozen;
    decision->learnt = outcome->counts.counted && outcome->store_error.status == APR_SUCCESS;
    decision->judged = outcome->verdicts != NULL;
    decision->detector = (tmpl_detector_e)(outcome->detector - tmpl_detector(0));
    /* the page of a cached decision has this field only */
    decision->blocks = outcome->page != NULL ? outcome->page->n_blocks : 0;
    decision->template_blocks = outcome->closure.template_blocks;
    decision->ratio = outcome->closure.ratio;
    decision->confidence = outcome->closure.confidence;
    decision->unmarked = outcome->unmarked;
}

static void count_decision(const tmpl_recent_t *decision, const tmpl_outcome_t *outcome)
{
    apr_uint64_t before = (apr_uint64_t)decision->length,
                 after = (apr_uint64_t)decision->length_after;
    if (decision->decline == TMPL_DECLINE_NONE) {
        tmpl_count(TMPL_COUNTER_PAGES, 1);
        tmpl_count_in(TMPL_GROUP_MODE, decision->mode);
        tmpl_count(TMPL_COUNTER_BYTES_IN, before);
        tmpl_count(TMPL_COUNTER_BYTES_OUT, after);
        tmpl_count(TMPL_COUNTER_BYTES_REMOVED, before > after ? before - after : 0);
    }
    if (decision->decline == TMPL_DECLINE_NONE && decision->judged) {
        tmpl_share_was(TMPL_SHARE_RATIO, decision->ratio);
        tmpl_share_was(TMPL_SHARE_CONFIDENCE, decision->confidence);
    }
    tmpl_count(TMPL_COUNTER_EDITED, outcome->edits.n > 0);
    /* a page that is due is counted when it has been learnt */
    tmpl_count(TMPL_COUNTER_LEARNED, outcome->counts.counted && !outcome->counts.due);
    tmpl_count(TMPL_COUNTER_NEAR_COPIES, outcome->counts.near_copy != 0);
    tmpl_stage_took(TMPL_STAGE_TOTAL, decision->took);
}

void tmpl_report_judged(const tmpl_judged_t *judged, const tmpl_ctx_t *ctx, request_rec *r,
                        apr_off_t before, apr_off_t after, apr_interval_time_t took)
{
    const tmpl_outcome_t *outcome = &judged->outcome;
    tmpl_recent_t *decision =
        new_decision(ctx, ctx->site, judged->input.uri, outcome->decline, r->pool);
    decision->length = before;
    decision->length_after = after;
    decision->took = took;
    decision->cached = judged->cached.cache != NULL ? 1 + (int)judged->cached.found : 0;
    add_outcome(decision, outcome);
    decision->document = outcome->document.id;
    decision->common = common_of(outcome, &judged->input);
    count_decision(decision, outcome);
    report_to_site(decision, ctx->site, r);
    ap_log_rerror(APLOG_MARK, APLOG_TRACE1, 0, r, TMPL_LOG_JUDGED, tmpl_state_name(outcome->state),
                  outcome->edits.n, after, before, took);
}

void tmpl_report_declined(const tmpl_ctx_t *ctx, request_rec *r, tmpl_decline_e reason)
{
    if (tmpl_decline_is_of_page(reason)) {
        const char *site = ctx->site != NULL ? ctx->site : tmpl_site_of(r, ctx->conf);
        report_to_site(new_decision(ctx, site, tmpl_uri_of(r, r->pool), reason, r->pool), site, r);
    }
}
