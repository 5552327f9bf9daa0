/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds the page until it is complete, has it judged, and passes it on as one brigade that ends in
 * EOS, so that httpd can set its length and answer ranges of it. A compressed page is held as it
 * came, and inflated at its end: if nothing is changed, or it cannot be inflated, the client gets
 * it compressed as it came.
 *
 * FLUSH buckets are dropped meanwhile: a proxy sends one whenever its backend pauses. A page that
 * is larger than TmplMaxBody, or not complete within TmplMaxWait, is passed on as it came; the gate
 * sends a FLUSH when TmplMaxWait is over.
 */
#include "filters.h"
#include "brigade.h"
#include "validators.h"
#include "decide.h"
#include "headers.h"
#include "judge.h"
#include "page_pool.h"
#include "status/counters.h"
#include "status/report.h"

/* Shorter data is copied together, so that a slow backend does not cost a bucket for each byte. */
#define SMALL (APR_BUCKET_BUFF_SIZE / 2)

/* Passes on the held data and bb. */
static apr_status_t pass_all(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb,
                             tmpl_life_e life)
{
    ctx->life = life;
    APR_BRIGADE_CONCAT(ctx->held, bb);
    apr_status_t rv = ap_pass_brigade(f->next, ctx->held);
    apr_brigade_cleanup(ctx->held);
    return rv;
}

/* Lets the page pass as it came, and the rest as it comes. */
static apr_status_t bypass_page(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb,
                                tmpl_decline_e reason)
{
    tmpl_decline(f->r, ctx, reason);
    ap_remove_output_filter(f);
    return pass_all(f, ctx, bb, TMPL_BYPASSED);
}

/* Puts what was decided about page into the held data. Pointers into page are invalid then. */
static apr_status_t change_held(tmpl_ctx_t *ctx, apr_bucket_brigade *page,
                                const tmpl_judged_t *judged)
{
    apr_bucket_brigade *made = page;
    apr_status_t rv = APR_SUCCESS;
    if (judged->body != NULL) {
        made = apr_brigade_create(page->p, page->bucket_alloc);
        tmpl_brigade_append(made, judged->body, judged->body_len);
    }
    else if (judged->outcome.edits.n > 0) {
        rv = tmpl_brigade_edit(page, &judged->outcome.edits);
    }
    else {
        return APR_SUCCESS;
    }
    if (made != ctx->held) {
        tmpl_brigade_replace(ctx->held, made);
    }
    return rv;
}

/* Judges page, which the held data says; changes the held data, and sets the response's fields. */
static apr_status_t judge_page(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *page,
                               apr_pool_t *pool)
{
    request_rec *r = f->r;
    tmpl_judged_t judged;
    apr_off_t after;
    apr_status_t rv = tmpl_judge(&judged, ctx, page, r, pool);
    apr_time_t decided = tmpl_clock();
    if (rv == APR_SUCCESS) {
        rv = change_held(ctx, page, &judged);
    }
    if (rv != APR_SUCCESS || (rv = apr_brigade_length(ctx->held, 1, &after)) != APR_SUCCESS) {
        return rv;
    }
    apr_interval_time_t took = tmpl_clock() - judged.start;
    if (ctx->since != 0) {
        tmpl_stage_took(TMPL_STAGE_WAIT, judged.start - ctx->since);
    }
    tmpl_stage_took(TMPL_STAGE_WRITE, judged.start + took - decided);
    tmpl_report_judged(&judged, ctx, r, (apr_off_t)judged.input.len, after, took);
    if (judged.outcome.decline != TMPL_DECLINE_NONE) {
        tmpl_decline_judged(r, ctx->conf, judged.outcome.decline);
    }
    tmpl_headers_judged(r, ctx, &judged, after, took);
    tmpl_conditions_answer(r, ctx);
    return APR_SUCCESS;
}

/* The page is complete. */
static apr_status_t judge_held(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *page)
{
    /* the pool is destroyed before a slow client is served */
    apr_pool_t *pool = tmpl_page_pool_begin(f->r->pool);
    apr_status_t rv = judge_page(f, ctx, page, pool);
    tmpl_page_pool_end(pool);
    if (page != ctx->held) {
        apr_brigade_destroy(page);
    }
    return rv;
}

/* bb begins with EOS; whatever follows it is ignored. */
static apr_status_t filter_finish_page(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    apr_bucket *eos = APR_BRIGADE_FIRST(bb);
    apr_bucket_brigade *page;
    tmpl_decline_e reason;
    apr_status_t rv = APR_SUCCESS;
    APR_BUCKET_REMOVE(eos);
    APR_BRIGADE_INSERT_TAIL(ctx->held, eos);
    apr_brigade_cleanup(bb);
    if (ctx->length == 0 && f->r->header_only) {
        tmpl_headers_head(f->r, ctx);
    }
    else {
        reason = tmpl_brigade_page(&page, ctx);
        if (reason != TMPL_DECLINE_NONE) {
            tmpl_conditions_answer(f->r, ctx);
            return bypass_page(f, ctx, bb, reason);
        }
        rv = judge_held(f, ctx, page);
    }
    return rv == APR_SUCCESS ? pass_all(f, ctx, bb, TMPL_DONE) : rv;
}

/* Moves e to the held data, in a form that outlives this call. */
static apr_status_t set_aside(tmpl_ctx_t *ctx, apr_bucket *e, apr_pool_t *pool)
{
    const char *data;
    apr_size_t len;
    apr_status_t rv = apr_bucket_setaside(e, pool);
    if (rv == APR_ENOTIMPL && !APR_BUCKET_IS_METADATA(e)) {
        rv = apr_bucket_read(e, &data, &len, APR_BLOCK_READ);
        if (rv == APR_SUCCESS) {
            rv = apr_bucket_setaside(e, pool);
        }
    }
    if (rv != APR_SUCCESS && rv != APR_ENOTIMPL) {
        return rv;
    }
    APR_BUCKET_REMOVE(e);
    APR_BRIGADE_INSERT_TAIL(ctx->held, e);
    return APR_SUCCESS;
}

/* Takes the data of e, which fits within TmplMaxBody. */
static apr_status_t hold_bucket(tmpl_ctx_t *ctx, apr_bucket *e, apr_pool_t *pool)
{
    const char *data;
    apr_size_t len;
    ctx->length += (apr_off_t)e->length;
    if (e->length >= SMALL) {
        return set_aside(ctx, e, pool);
    }
    apr_status_t rv = apr_bucket_read(e, &data, &len, APR_BLOCK_READ);
    if (rv == APR_SUCCESS) {
        tmpl_brigade_append(ctx->held, data, len);
        apr_bucket_delete(e);
    }
    return rv;
}

apr_status_t tmpl_filter(ap_filter_t *f, apr_bucket_brigade *bb)
{
    tmpl_ctx_t *ctx = f->ctx;
    const char *data;
    apr_size_t len;
    apr_status_t rv = APR_SUCCESS;
    if (ctx == NULL) {
        /* the filter was named in a SetOutputFilter, without a gate */
        ap_remove_output_filter(f);
        return ap_pass_brigade(f->next, bb);
    }
    if (ctx->life == TMPL_DONE) {
        apr_brigade_cleanup(bb);
        return APR_SUCCESS;
    }
    while (rv == APR_SUCCESS && !APR_BRIGADE_EMPTY(bb)) {
        apr_bucket *e = APR_BRIGADE_FIRST(bb);
        if (APR_BUCKET_IS_EOS(e)) {
            /* a handler also sends EOS when its client has disconnected: this may be half a page */
            return f->c->aborted ? pass_all(f, ctx, bb, TMPL_DONE) : filter_finish_page(f, ctx, bb);
        }
        if (AP_BUCKET_IS_ERROR(e)) {
            /* the backend broke off: nothing has been sent, so the client gets the error alone */
            tmpl_decline(f->r, ctx, TMPL_DECLINE_BROKEN);
            apr_brigade_cleanup(ctx->held);
            return pass_all(f, ctx, bb, TMPL_DONE);
        }
        if (APR_BUCKET_IS_FLUSH(e)) {
            if (ctx->life == TMPL_LATE) {
                return bypass_page(f, ctx, bb, TMPL_DECLINE_SLOW);
            }
            apr_bucket_delete(e);
        }
        else if (APR_BUCKET_IS_METADATA(e)) {
            rv = set_aside(ctx, e, f->r->pool);
        }
        else if (e->length == (apr_size_t)-1) {
            /* a pipe or similar: splits into data and a rest */
            rv = apr_bucket_read(e, &data, &len, APR_BLOCK_READ);
        }
        else {
            tmpl_decline_e reason = tmpl_reason_to_stop(ctx, e, f->r, ctx->codec != NULL);
            if (reason != TMPL_DECLINE_NONE) {
                return bypass_page(f, ctx, bb, reason);
            }
            rv = hold_bucket(ctx, e, f->r->pool);
        }
    }
    return rv;
}
