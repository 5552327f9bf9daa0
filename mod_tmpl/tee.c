/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a page while it is sent: the response passes as it comes, unchanged. The data is copied,
 * up to TmplMaxBody, and the copy is judged when the client has been served. So the verdicts are
 * logged, not sent. A page that is too large, or never ends, passes all the same.
 *
 * The thread that served the page judges it. With HTTP/1 the connection's next request waits until
 * the page is judged, and %D and %T include that time.
 *
 * With HTTP/2 the thread that serves a stream judges its page behind the end of that stream: the
 * log_transaction hook runs on the connection's thread, for which all other streams would wait.
 */
#include "filters.h"
#include "brigade.h"
#include "decide.h"
#include "stopping.h"
#include "judge.h"
#include "page_pool.h"
#include "status/report.h"
#include "headers.h"

/* Stops reading the page. */
static void stop_copying(ap_filter_t *f, tmpl_ctx_t *ctx)
{
    ctx->life = TMPL_BYPASSED;
    apr_brigade_cleanup(ctx->held);
    ap_remove_output_filter(f);
}

static void decline_copy(ap_filter_t *f, tmpl_ctx_t *ctx, tmpl_decline_e reason)
{
    stop_copying(f, ctx);
    tmpl_decline(f->r, ctx, reason);
}

static apr_status_t copy_data(tmpl_ctx_t *ctx, apr_bucket *e)
{
    const char *data;
    apr_size_t len;
    apr_status_t rv = apr_bucket_read(e, &data, &len, APR_BLOCK_READ);
    if (rv == APR_SUCCESS) {
        tmpl_brigade_append(ctx->held, data, len);
        ctx->length += (apr_off_t)len;
    }
    return rv;
}

/* Copies the data of bb, whose buckets have known lengths. At EOS the copy is complete. */
static apr_status_t copy_brigade(ap_filter_t *f, tmpl_ctx_t *ctx, const apr_bucket_brigade *bb)
{
    apr_status_t rv = APR_SUCCESS;
    for (apr_bucket *e = APR_BRIGADE_FIRST(bb);
         rv == APR_SUCCESS && ctx->life == TMPL_PASSING && e != APR_BRIGADE_SENTINEL(bb);
         e = APR_BUCKET_NEXT(e)) {
        if (APR_BUCKET_IS_EOS(e)) {
            /* a handler also sends EOS when its client has disconnected */
            ctx->life = f->c->aborted ? TMPL_BYPASSED : TMPL_COPIED;
            ap_remove_output_filter(f);
        }
        else if (AP_BUCKET_IS_ERROR(e)) {
            decline_copy(f, ctx, TMPL_DECLINE_BROKEN);
        }
        else if (!APR_BUCKET_IS_METADATA(e)) {
            tmpl_decline_e reason = tmpl_reason_to_stop(ctx, e, f->r, 1);
            if (reason != TMPL_DECLINE_NONE) {
                decline_copy(f, ctx, reason);
            }
            else {
                rv = copy_data(ctx, e);
            }
        }
    }
    return rv;
}

/* Copies a chunk and passes it on. */
static apr_status_t pass_copied(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *chunk)
{
    apr_status_t rv = copy_brigade(f, ctx, chunk);
    if (rv == APR_SUCCESS) {
        rv = ap_pass_brigade(f->next, chunk);
        apr_brigade_cleanup(chunk);
    }
    return rv;
}

static void judge_copy(const tmpl_ctx_t *ctx, apr_bucket_brigade *page, request_rec *r,
                       apr_pool_t *pool)
{
    tmpl_judged_t judged;
    if (tmpl_judge(&judged, ctx, page, r, pool) != APR_SUCCESS) {
        return;
    }
    apr_interval_time_t took = tmpl_clock() - judged.start;
    apr_off_t length = (apr_off_t)judged.input.len;
    if (judged.outcome.decline != TMPL_DECLINE_NONE) {
        tmpl_decline_judged(r, ctx->conf, judged.outcome.decline);
    }
    tmpl_field_note(r, &judged, took);
    tmpl_report_judged(&judged, ctx, r, length, length, took);
}

/* Judges the copy, after all of the page has been passed on. */
static void read_copy(tmpl_ctx_t *ctx, request_rec *r)
{
    apr_bucket_brigade *page;
    tmpl_decline_e reason = tmpl_brigade_page(&page, ctx);
    apr_pool_t *pool;
    ctx->life = TMPL_DONE;
    if (reason != TMPL_DECLINE_NONE) {
        tmpl_decline(r, ctx, reason);
    }
    else {
        pool = tmpl_page_pool_begin(r->pool);
        judge_copy(ctx, page, r, pool);
        tmpl_page_pool_end(pool);
        apr_brigade_cleanup(page);
    }
    apr_brigade_cleanup(ctx->held);
}

apr_status_t tmpl_tee(ap_filter_t *f, apr_bucket_brigade *bb)
{
    tmpl_ctx_t *ctx = f->ctx;
    apr_status_t rv = APR_SUCCESS;
    apr_time_t end = 0;
    if (ctx == NULL || ctx->life != TMPL_PASSING) {
        /* the filter was named in a SetOutputFilter, without a gate; or reading has stopped */
        ap_remove_output_filter(f);
        return ap_pass_brigade(f->next, bb);
    }
    while (rv == APR_SUCCESS && ctx->life == TMPL_PASSING && !APR_BRIGADE_EMPTY(bb)) {
        rv = tmpl_wait_for_chunk(ctx->chunk, bb, end);
        end = 0;
        if (APR_STATUS_IS_EAGAIN(rv)) {
            /* send what there is, then wait for the rest */
            APR_BRIGADE_INSERT_TAIL(ctx->chunk, apr_bucket_flush_create(f->c->bucket_alloc));
            end = TMPL_WAIT_FOR_EVER;
            rv = APR_SUCCESS;
        }
        if (rv == APR_SUCCESS) {
            rv = pass_copied(f, ctx, ctx->chunk);
        }
    }
    if (rv != APR_SUCCESS && ctx->life == TMPL_PASSING) {
        stop_copying(f, ctx);
    }
    if (ctx->life == TMPL_COPIED && f->c->master != NULL) {
        read_copy(ctx, f->r);
    }
    return rv == APR_SUCCESS && !APR_BRIGADE_EMPTY(bb) ? ap_pass_brigade(f->next, bb) : rv;
}

int tmpl_tee_served(request_rec *r)
{
    if (tmpl_stopping_is_closing()) {
        return DECLINED;
    }
    /* after an internal redirect another request has answered */
    for (; r != NULL; r = r->next) {
        tmpl_ctx_t *ctx = tmpl_request_read(r)->copied;
        if (ctx != NULL && ctx->life == TMPL_COPIED) {
            read_copy(ctx, r);
        }
    }
    return DECLINED;
}
