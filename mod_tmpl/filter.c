/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds the page until it is complete, has it judged, and passes it on as one brigade that ends in
 * EOS, so that httpd can set its length and answer ranges of it.
 *
 * FLUSH buckets are dropped meanwhile: a proxy sends one whenever its backend pauses. A page that
 * is larger than TmplMaxBody, or not complete within TmplMaxWait, is passed on as it came; the gate
 * sends a FLUSH when TmplMaxWait is over.
 */
#include "filter.h"
#include "append.h"
#include "gate.h"
#include "headers.h"
#include "judge.h"
#include "page_pool.h"
#include "raw.h"
#include "section.h"
#include "splice.h"
#include "status/counters.h"
#include "status/report.h"

/* Shorter data is copied together, so that a slow backend does not cost a bucket for each byte. */
#define SMALL (APR_BUCKET_BUFF_SIZE / 2)

/* Passes on the held data and bb; the filter has nothing more to do with the page. */
static apr_status_t pass_all(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    apr_status_t rv;

    ctx->done = 1;
    APR_BRIGADE_CONCAT(ctx->held, bb);
    rv = ap_pass_brigade(f->next, ctx->held);
    apr_brigade_cleanup(ctx->held);
    return rv;
}

static apr_off_t length_after(apr_off_t length, const tmpl_edits_t *edits)
{
    uint32_t i;

    for (i = 0; i < edits->n; i++) {
        length += (apr_off_t)strlen(tmpl_edit_text(edits, i));
        length -= tmpl_span_len(edits->edits[i].span);
    }
    return length;
}

/* The page is complete: judges it, changes it, sets the response's fields. */
static apr_status_t judge(ap_filter_t *f, tmpl_ctx_t *ctx, apr_pool_t *pool)
{
    request_rec *r = f->r;
    tmpl_judged_t judged;
    const tmpl_edits_t *edits = &judged.outcome.edits;
    apr_interval_time_t took;
    apr_off_t before = ctx->length;
    apr_off_t after;
    apr_time_t decided;
    int as_it_came;
    apr_status_t rv = tmpl_judge(&judged, ctx, r, pool);

    decided = tmpl_clock();
    if (rv == APR_SUCCESS && judged.body != NULL) {
        tmpl_splice_body(ctx->held, judged.body, judged.body_len);
    }
    else if (rv == APR_SUCCESS) {
        rv = tmpl_splice(ctx->held, edits);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    as_it_came = ctx->raw != NULL && edits->n == 0 && judged.body == NULL;
    after = as_it_came            ? ctx->raw_length
            : judged.body != NULL ? (apr_off_t)judged.body_len
                                  : length_after(ctx->length, edits);
    took = tmpl_clock() - judged.start;
    if (ctx->since != 0) {
        tmpl_stage_took(TMPL_STAGE_WAIT, judged.start - ctx->since);
    }
    tmpl_stage_took(TMPL_STAGE_WRITE, judged.start + took - decided);
    /* reads the page, which raw replaces */
    tmpl_report_judged(&judged, ctx, r, before, after, took);
    if (as_it_came) {
        tmpl_raw_restore(ctx, r);
    }
    if (judged.outcome.decline != TMPL_DECLINE_NONE) {
        tmpl_note_decline(r, ctx->conf, judged.outcome.decline);
    }
    tmpl_headers_judged(r, ctx, &judged, after, took);
    return APR_SUCCESS;
}

/* bb begins with EOS; whatever follows it is ignored. */
static apr_status_t finish(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    apr_bucket *eos = APR_BRIGADE_FIRST(bb);
    apr_pool_t *pool;
    apr_status_t rv = APR_SUCCESS;

    APR_BUCKET_REMOVE(eos);
    APR_BRIGADE_INSERT_TAIL(ctx->held, eos);
    apr_brigade_cleanup(bb);
    if (ctx->length == 0 && f->r->header_only) {
        tmpl_headers_head(f->r, ctx);
    }
    else {
        /* the pool is destroyed before a slow client is served */
        pool = tmpl_page_pool_begin(f->r->pool);
        rv = judge(f, ctx, pool);
        tmpl_page_pool_end(pool);
    }
    return rv == APR_SUCCESS ? pass_all(f, ctx, bb) : rv;
}

/* The backend broke off: passes on the part that came and the ERROR bucket. */
static apr_status_t give_up(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    tmpl_decline(f->r, ctx, TMPL_DECLINE_BROKEN);
    return pass_all(f, ctx, bb);
}

/* Lets the page pass as it comes. If ctx->raw has the page as it came, the gate passes raw on. */
static apr_status_t bypass(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb,
                           tmpl_decline_e reason)
{
    if (ctx->raw != NULL) {
        ctx->bypass = reason;
        apr_brigade_cleanup(bb);
        return APR_EGENERAL;
    }
    tmpl_decline(f->r, ctx, reason);
    ap_remove_output_filter(f);
    return pass_all(f, ctx, bb);
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
static apr_status_t hold(tmpl_ctx_t *ctx, apr_bucket *e, apr_pool_t *pool)
{
    const char *data;
    apr_size_t len;
    apr_status_t rv;

    ctx->length += (apr_off_t)e->length;
    if (e->length >= SMALL) {
        return set_aside(ctx, e, pool);
    }
    rv = apr_bucket_read(e, &data, &len, APR_BLOCK_READ);
    if (rv == APR_SUCCESS) {
        tmpl_append(ctx->held, data, len);
        apr_bucket_delete(e);
    }
    return rv;
}

/* Why the page cannot be held any more, now that the data of e has come. */
static tmpl_decline_e reason_to_bypass(const tmpl_ctx_t *ctx, const apr_bucket *e, request_rec *r)
{
    if ((apr_off_t)e->length > tmpl_conf_max_body(ctx->conf) - ctx->length) {
        return TMPL_DECLINE_TOO_LARGE;
    }
    return ctx->length == 0 ? tmpl_gate_recheck(r, TMPL_CODING_NONE) : TMPL_DECLINE_NONE;
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
    tmpl_gate_show_prev(ctx, f->r);
    if (ctx->done) {
        apr_brigade_cleanup(bb);
        return APR_SUCCESS;
    }
    while (rv == APR_SUCCESS && !APR_BRIGADE_EMPTY(bb)) {
        apr_bucket *e = APR_BRIGADE_FIRST(bb);

        if (APR_BUCKET_IS_EOS(e)) {
            return tmpl_raw_is_all(ctx) ? finish(f, ctx, bb)
                                        : bypass(f, ctx, bb, TMPL_DECLINE_INFLATE);
        }
        if (AP_BUCKET_IS_ERROR(e)) {
            return give_up(f, ctx, bb);
        }
        if (APR_BUCKET_IS_FLUSH(e)) {
            if (ctx->bypass != TMPL_DECLINE_NONE) {
                return bypass(f, ctx, bb, ctx->bypass);
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
            tmpl_decline_e reason = reason_to_bypass(ctx, e, f->r);

            if (reason != TMPL_DECLINE_NONE) {
                return bypass(f, ctx, bb, reason);
            }
            rv = hold(ctx, e, f->r->pool);
        }
    }
    return rv;
}
