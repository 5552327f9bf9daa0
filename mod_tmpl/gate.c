/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate stands in front of all content filters of a request. At the first data it decides, once,
 * what becomes of the response (tmpl_life_e). A declined response passes as it came, and the gate
 * removes itself. For a page that is only read the gate adds TMPL_TEE behind the filters that
 * generate content, and removes itself. For a page that is held it adds TMPL there, and stays to
 * guard the filters in between: if one of them fails, the part of the page that TMPL holds must
 * never look like a complete page; if the end of the page is late, the page passes as it came.
 */
#include "filters.h"
#include "control.h"
#include "decide.h"
#include "headers.h"
#include "judge.h"
#include "lists/lists.h"
#include "page_links.h"
#include "request.h"
#include "status/handler.h"
#include "twin.h"

static void add_gate(request_rec *r, tmpl_life_e life)
{
    tmpl_ctx_t *ctx = apr_pcalloc(r->pool, sizeof(*ctx));
    ctx->conf = tmpl_request_conf(r);
    ctx->life = life;
    ap_add_output_filter("TMPL_GATE", ctx, r, r->connection);
}

void tmpl_gate_insert(request_rec *r)
{
    /* in mode off the gate only removes Tmpl-Control */
    if (!tmpl_status_handles(r) && !tmpl_lists_handles(r) &&
        (tmpl_conf_mode(tmpl_request_conf(r)) != TMPL_MODE_OFF ||
         (r->main == NULL && tmpl_conf_is_used_by(r->server)))) {
        add_gate(r, TMPL_UNDECIDED);
    }
}

void tmpl_gate_error(request_rec *r)
{
    /* a next request is for an ErrorDocument that fails, too: httpd's own page is sent */
    if (r->next == NULL && !tmpl_control_is_off(r) && tmpl_twin_discards(r, 0)) {
        add_gate(r, TMPL_DISCARDED);
    }
}

/* Adds the filter of a page that is taken behind the filters that generate content. */
static void take_with(ap_filter_t *f, tmpl_ctx_t *ctx, const char *filter, tmpl_life_e life)
{
    ctx->life = life;
    ctx->held = apr_brigade_create(f->r->pool, f->c->bucket_alloc);
    ctx->chunk = apr_brigade_create(f->r->pool, f->c->bucket_alloc);
    ctx->filter = ap_add_output_filter(filter, ctx, f->r, f->c);
}

/*
 * A filter of the configuration that stands in front of TMPL, such as SUBSTITUTE, is to read the
 * page: httpd inflates it for that filter. INFLATE takes an empty body for a broken one.
 */
static void inflate_for_others(ap_filter_t *f, const tmpl_ctx_t *ctx, const apr_bucket_brigade *bb)
{
    if (ctx->codec == &tmpl_codec_gzip && f->next != ctx->filter &&
        !APR_BUCKET_IS_EOS(APR_BRIGADE_FIRST(bb)) &&
        ap_get_output_filter_handle("INFLATE") != NULL) {
        ap_add_output_filter("INFLATE", NULL, f->r, f->c);
    }
}

/* Takes a page that is not declined; bb is its beginning. */
static void take_page(ap_filter_t *f, tmpl_ctx_t *ctx, const apr_bucket_brigade *bb)
{
    request_rec *r = f->r;
    if (tmpl_conf_holds(ctx->conf)) {
        /* before a filter behind the gate changes it */
        ctx->etag = apr_table_get(r->headers_out, "ETag");
        ctx->codec = tmpl_coding_of(r);
        take_with(f, ctx, "TMPL", TMPL_HELD);
        inflate_for_others(f, ctx, bb);
    }
    else if (!r->header_only && (ctx->learn || tmpl_conf_mode(ctx->conf) == TMPL_MODE_HEADERS)) {
        /* to learn the page, or, in mode headers, for the log */
        take_with(f, ctx, "TMPL_TEE", TMPL_PASSING);
        tmpl_request_of(r)->copied = ctx;
    }
}

/* Whether the page passes as it comes. Any form of the page but HTML needs its end. */
static int is_learnt_only(request_rec *r, const tmpl_conf_t *conf, unsigned control)
{
    return (control & TMPL_CONTROL_LEARN) ||
           (tmpl_conf_type(conf) == NULL && tmpl_control_streams(r));
}

/* Decides what becomes of the response that begins with bb: sets ctx->life. */
static void decide_life(ap_filter_t *f, tmpl_ctx_t *ctx, const apr_bucket_brigade *bb)
{
    request_rec *r = f->r;
    unsigned control = tmpl_control_take(r);
    int is_off = (control & TMPL_CONTROL_OFF) || tmpl_control_is_off(r);
    ctx->life = TMPL_BYPASSED;
    if (tmpl_conf_mode(ctx->conf) == TMPL_MODE_OFF) {
        return;
    }
    tmpl_request_restore(r);
    if (!is_off && tmpl_twin_discards(r, tmpl_is_html(r))) {
        ctx->life = TMPL_DISCARDED;
        return;
    }
    const char *script = is_off ? NULL : tmpl_script_field(r, ctx->conf);
    tmpl_headers_unset_foreign(r, ctx->conf);
    tmpl_headers_vary(r, ctx->conf, script, tmpl_is_html(r));
    if (is_learnt_only(r, ctx->conf, control) && !is_off) {
        ctx->conf = tmpl_conf_in_mode(ctx->conf, TMPL_MODE_LEARN, r->pool);
    }
    if (r->status == HTTP_NOT_MODIFIED) {
        if (!is_off && script == NULL) { /* else the client's changed copy is not right */
            tmpl_headers_not_modified(r, ctx->conf);
        }
        return;
    }
    tmpl_decline_e reason = tmpl_reason_to_decline(r, script != NULL);
    if (reason == TMPL_DECLINE_NONE && is_off) {
        reason = TMPL_DECLINE_BACKEND;
    }
    if (reason != TMPL_DECLINE_NONE) {
        tmpl_decline(r, ctx, reason);
        return;
    }
    tmpl_judge_expect(ctx, r);
    if (control & TMPL_CONTROL_NO_LEARN) {
        ctx->learn = 0;
    }
    if (!tmpl_conf_holds(ctx->conf) && !(control & TMPL_CONTROL_LEARN)) {
        /* the page may still be declined; a page that is only learnt has no variants */
        tmpl_link_alternates(r, ctx->conf);
    }
    take_page(f, ctx, bb);
}

/*
 * Sends an error, as nothing has been sent yet. Bypasses the filters up to TMPL: one of them has
 * failed.
 */
static apr_status_t break_off(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    apr_bucket_alloc_t *alloc = f->c->bucket_alloc;
    int status = f->r->proxyreq ? HTTP_BAD_GATEWAY : HTTP_INTERNAL_SERVER_ERROR;
    tmpl_decline(f->r, ctx, TMPL_DECLINE_BROKEN);
    ctx->life = TMPL_DONE;
    f->r->no_cache = 1;
    apr_brigade_cleanup(ctx->held);
    apr_brigade_cleanup(bb);
    APR_BRIGADE_INSERT_TAIL(bb, ap_bucket_error_create(status, NULL, f->r->pool, alloc));
    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_eos_create(alloc));
    return ap_pass_brigade(ctx->filter->next, bb);
}

/* When the page is late, on tmpl_clock(). */
static apr_time_t end_of_wait(const tmpl_ctx_t *ctx)
{
    return ctx->since == 0 ? TMPL_WAIT_FOR_EVER : ctx->since + tmpl_conf_max_wait(ctx->conf);
}

/* Notes when the first byte of the page comes. */
static void note_time(tmpl_ctx_t *ctx, const apr_bucket_brigade *bb)
{
    for (const apr_bucket *e = APR_BRIGADE_FIRST(bb);
         ctx->since == 0 && e != APR_BRIGADE_SENTINEL(bb); e = APR_BUCKET_NEXT(e)) {
        if (!APR_BUCKET_IS_METADATA(e) && e->length > 0) {
            ctx->since = tmpl_clock();
        }
    }
}

/* Whether the page is late. With paused set the backend has just paused: waits for the backend. */
static int page_is_late(request_rec *r, const tmpl_ctx_t *ctx, int paused)
{
    apr_interval_time_t left = end_of_wait(ctx) - tmpl_clock();
    return ctx->since != 0 && (left <= 0 || (paused && tmpl_wait_is_silent(r, left)));
}

static int is_held(const tmpl_ctx_t *ctx)
{
    return ctx->life == TMPL_HELD || ctx->life == TMPL_LATE;
}

/* Passes bb to the filters up to TMPL. If one of them fails, the page will never be complete. */
static apr_status_t pass_held(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    apr_status_t rv = ap_pass_brigade(f->next, bb);
    if (rv != APR_SUCCESS && is_held(ctx)) {
        ctx->life = TMPL_FAILED;
    }
    return rv;
}

/* Passes bb to TMPL. If the end of the page is late, lets TMPL pass on all that it holds. */
static apr_status_t pass_in_time(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb, int last)
{
    int paused = APR_BUCKET_IS_FLUSH(APR_BRIGADE_LAST(bb));
    note_time(ctx, bb);
    apr_status_t rv = pass_held(f, ctx, bb);
    if (rv == APR_SUCCESS && !last && is_held(ctx) && page_is_late(f->r, ctx, paused)) {
        ctx->life = TMPL_LATE;
        apr_brigade_cleanup(bb);
        APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_flush_create(f->c->bucket_alloc));
        rv = pass_held(f, ctx, bb);
    }
    return rv;
}

/* Passes bb on, or, once a filter has failed, drops it. */
static apr_status_t guard_brigade(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    int last = APR_BUCKET_IS_EOS(APR_BRIGADE_LAST(bb));
    apr_status_t rv = ctx->life == TMPL_FAILED ? APR_EGENERAL : pass_in_time(f, ctx, bb, last);
    if (ctx->life != TMPL_FAILED) {
        return rv;
    }
    /* until EOS the handler may still answer with an error of its own */
    if (last) {
        return break_off(f, ctx, bb);
    }
    apr_brigade_cleanup(bb);
    return rv;
}

/*
 * Guards bb chunk by chunk: a bucket of unknown length is read here, with the same limit of time.
 */
static apr_status_t guard_chunks(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    apr_status_t rv = APR_SUCCESS;
    if (APR_BUCKET_IS_EOS(APR_BRIGADE_LAST(bb))) {
        /* the sender of EOS may have released the connection */
        tmpl_request_of(f->r)->backend = NULL;
    }
    while (rv == APR_SUCCESS && is_held(ctx) && !APR_BRIGADE_EMPTY(bb)) {
        rv = tmpl_wait_for_chunk(ctx->chunk, bb, end_of_wait(ctx));
        if (APR_STATUS_IS_EAGAIN(rv)) {
            APR_BRIGADE_INSERT_TAIL(ctx->chunk, apr_bucket_flush_create(f->c->bucket_alloc));
        }
        else if (rv != APR_SUCCESS) {
            ctx->life = TMPL_FAILED;
            break;
        }
        rv = guard_brigade(f, ctx, ctx->chunk);
        apr_brigade_cleanup(ctx->chunk);
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    return ctx->life == TMPL_FAILED ? guard_brigade(f, ctx, bb) : tmpl_gate(f, bb);
}

apr_status_t tmpl_gate(ap_filter_t *f, apr_bucket_brigade *bb)
{
    tmpl_ctx_t *ctx = f->ctx;
    if (APR_BRIGADE_EMPTY(bb)) {
        return APR_SUCCESS;
    }
    /* without a ctx the filter was named in a SetOutputFilter, and does nothing */
    if (ctx != NULL && ctx->life == TMPL_UNDECIDED) {
        decide_life(f, ctx, bb);
    }
    if (ctx != NULL && ctx->life == TMPL_DISCARDED) {
        return tmpl_twin_discard(ctx, bb);
    }
    if (ctx != NULL && (is_held(ctx) || ctx->life == TMPL_FAILED)) {
        return guard_chunks(f, ctx, bb);
    }
    ap_remove_output_filter(f);
    return ap_pass_brigade(f->next, bb);
}
