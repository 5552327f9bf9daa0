/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate stands in front of all content filters of a request. At the first data it decides, once,
 * whether the response is taken. A declined response passes as it came: the gate adds no filter, so
 * nothing is inflated in vain. For a page that is only read the gate adds TMPL_BESIDE behind the
 * filters that generate content, and removes itself. For a page that is held the gate adds httpd's
 * INFLATE if the body is gzipped, and TMPL, and stays to guard these filters: if one of them fails,
 * the part of the page that TMPL holds must never look like a complete page; if the end of the page
 * is late, the page passes as it came.
 */
#include "gate.h"
#include "connections.h"
#include "control.h"
#include "headers.h"
#include "judge.h"
#include "messages.h"
#include "raw.h"
#include "request.h"
#include "section.h"
#include "status/counters.h"
#include "status/handler.h"
#include "status/report.h"
#include "twin.h"
#include "wait.h"

/* Reads all three places where httpd keeps parts of the list of codings. */
tmpl_coding_e tmpl_gate_coding(request_rec *r)
{
    const char *encoding = tmpl_field(r, "Content-Encoding");
    const char *rest;
    char *token;
    tmpl_coding_e coding = TMPL_CODING_NONE;

    if (r->content_encoding != NULL) {
        encoding = encoding == NULL
                       ? r->content_encoding
                       : apr_pstrcat(r->pool, encoding, ",", r->content_encoding, NULL);
    }
    for (rest = encoding; rest != NULL && *rest != '\0';) {
        token = ap_get_token(r->pool, &rest, 0);
        if (*token != '\0' && ap_cstr_casecmp(token, "identity") != 0) {
            int gzip = ap_cstr_casecmp(token, "gzip") == 0 || ap_cstr_casecmp(token, "x-gzip") == 0;

            coding = gzip && coding == TMPL_CODING_NONE ? TMPL_CODING_GZIP : TMPL_CODING_OTHER;
        }
        while (*rest != '\0' && *rest != ',') {
            rest++;
        }
        rest += *rest == ',';
    }
    return coding;
}

static int is_subrequest(request_rec *r)
{
    return r->main != NULL;
}

static int is_part(request_rec *r)
{
    return tmpl_field(r, "Content-Range") != NULL;
}

static int is_not_200(request_rec *r)
{
    return r->status != HTTP_OK;
}

/*
 * application/xhtml+xml is not HTML: browsers read it as XML, where <script/> is a whole element
 * and CDATA sections are text, so an element that seems balanced here might not be.
 */
static int is_html(request_rec *r)
{
    static const char html[] = "text/html";
    const char *type = r->content_type;

    return type != NULL && strcspn(type, "; \t") == sizeof(html) - 1 &&
           ap_cstr_casecmpn(type, html, sizeof(html) - 1) == 0;
}

static int is_no_html(request_rec *r)
{
    return !is_html(r);
}

tmpl_decline_e tmpl_gate_recheck(request_rec *r, tmpl_coding_e most)
{
    return !is_html(r)                  ? TMPL_DECLINE_TYPE
           : tmpl_gate_coding(r) > most ? TMPL_DECLINE_ENCODING
                                        : TMPL_DECLINE_NONE;
}

static int is_unreadable(request_rec *r)
{
    tmpl_coding_e coding = tmpl_gate_coding(r);

    return coding == TMPL_CODING_OTHER ||
           (coding == TMPL_CODING_GZIP && ap_get_output_filter_handle("INFLATE") == NULL);
}

static int is_not_to_be_changed(request_rec *r)
{
    const char *control = tmpl_field(r, "Cache-Control");

    return control != NULL && ap_find_token(r->pool, control, "no-transform");
}

static int is_attachment(request_rec *r)
{
    const char *disposition = tmpl_field(r, "Content-Disposition");

    return disposition != NULL &&
           ap_cstr_casecmp(ap_get_token(r->pool, &disposition, 0), "attachment") == 0;
}

/* If the body is compressed, the page is longer still. */
static int is_too_large(request_rec *r)
{
    const char *length = tmpl_field(r, "Content-Length");
    apr_off_t bytes;

    return length != NULL && ap_parse_strict_length(&bytes, length) &&
           bytes > tmpl_conf_max_body(tmpl_conf_of(r));
}

/* The first row that applies is the reason. */
static const struct {
    tmpl_decline_e reason;
    int (*applies)(request_rec *r);
} reasons[] = {
    { TMPL_DECLINE_SUBREQUEST, is_subrequest }, { TMPL_DECLINE_RANGE, is_part },
    { TMPL_DECLINE_STATUS, is_not_200 },        { TMPL_DECLINE_TYPE, is_no_html },
    { TMPL_DECLINE_ENCODING, is_unreadable },   { TMPL_DECLINE_NO_TRANSFORM, is_not_to_be_changed },
    { TMPL_DECLINE_ATTACHMENT, is_attachment }, { TMPL_DECLINE_TOO_LARGE, is_too_large },
};

static tmpl_decline_e reason_to_decline(request_rec *r)
{
    size_t i;

    for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        if (reasons[i].applies(r)) {
            return reasons[i].reason;
        }
    }
    return TMPL_DECLINE_NONE;
}

void tmpl_note_decline(request_rec *r, const tmpl_conf_t *conf, tmpl_decline_e reason)
{
    ap_log_rerror(APLOG_MARK, APLOG_DEBUG, 0, r, TMPL_LOG_DECLINED, tmpl_decline_name(reason),
                  tmpl_decline_text(reason));
    tmpl_count_in(TMPL_GROUP_DECLINE, reason);
    if (r->main == NULL && is_html(r)) {
        tmpl_headers_declined(r, reason, tmpl_conf_headers(conf));
    }
}

void tmpl_decline(request_rec *r, const tmpl_ctx_t *ctx, tmpl_decline_e reason)
{
    tmpl_note_decline(r, ctx->conf, reason);
    tmpl_report_declined(ctx, r, reason);
}

void tmpl_gate_insert(request_rec *r)
{
    const tmpl_conf_t *conf = tmpl_request_conf(r);
    tmpl_ctx_t *ctx;

    if (tmpl_status_handles(r)) {
        return;
    }
    /* in mode off the gate only removes Tmpl-Control */
    if (tmpl_conf_mode(conf) != TMPL_MODE_OFF ||
        (r->main == NULL && tmpl_links_are_used_by(r->server))) {
        ctx = apr_pcalloc(r->pool, sizeof(*ctx));
        ctx->conf = conf;
        ap_add_output_filter("TMPL_GATE", ctx, r, r->connection);
    }
}

void tmpl_gate_error(request_rec *r)
{
    tmpl_ctx_t *ctx;

    /* a next request is for an ErrorDocument that fails, too: httpd's own page is sent */
    if (r->next == NULL && !tmpl_control_is_off(r) && tmpl_twin_discards(r, 0)) {
        ctx = apr_pcalloc(r->pool, sizeof(*ctx));
        ctx->conf = tmpl_request_conf(r);
        ctx->discard = 1;
        ap_add_output_filter("TMPL_GATE", ctx, r, r->connection);
    }
}

/* Adds the filter that only reads the page: to learn it, or, in mode headers, for the log. */
static void take_copy(ap_filter_t *f, tmpl_ctx_t *ctx)
{
    request_rec *r = f->r;

    if (!r->header_only && (ctx->learn || tmpl_conf_mode(ctx->conf) == TMPL_MODE_HEADERS)) {
        ctx->filter = ap_add_output_filter("TMPL_BESIDE", ctx, r, f->c);
        tmpl_request_set_beside(r, ctx);
    }
}

/*
 * Adds the filters that hold the page. To be called while the gate is in the chain, so that f->next
 * is the first of these filters.
 */
static void take(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    request_rec *r = f->r;
    ap_filter_t *inflate = NULL;

    ctx->held = apr_brigade_create(r->pool, f->c->bucket_alloc);
    ctx->chunk = apr_brigade_create(r->pool, f->c->bucket_alloc);
    /* before INFLATE changes it */
    ctx->etag = apr_table_get(r->headers_out, "ETag");
    if (tmpl_gate_coding(r) == TMPL_CODING_GZIP) {
        int nothing = APR_BUCKET_IS_EOS(APR_BRIGADE_FIRST(bb));

        /* INFLATE takes an empty body for a broken one; the answer to HEAD has no body */
        ctx->inflated = !nothing || r->header_only;
        inflate = nothing ? NULL : ap_add_output_filter("INFLATE", NULL, r, f->c);
    }
    ctx->filter = ap_add_output_filter("TMPL", ctx, r, f->c);
    if (inflate != NULL && f->next == inflate && inflate->next == ctx->filter) {
        tmpl_raw_start(ctx, r);
    }
}

/* Removes all filters of the module and passes the page on as it came. */
static apr_status_t pass_raw(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb,
                             tmpl_decline_e reason)
{
    ap_filter_t *next = ctx->filter->next;
    ap_filter_t *passed_by;
    request_rec *r = f->r;

    for (passed_by = f; passed_by != next; passed_by = passed_by->next) {
        ap_remove_output_filter(passed_by);
    }
    f->next = next;
    ctx->done = 1;
    tmpl_raw_restore(ctx, r);
    tmpl_decline(r, ctx, reason);
    apr_brigade_cleanup(bb);
    APR_BRIGADE_CONCAT(bb, ctx->held);
    if (reason == TMPL_DECLINE_SLOW) {
        APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_flush_create(f->c->bucket_alloc));
    }
    return ap_pass_brigade(next, bb);
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
    ctx->done = 1;
    f->r->no_cache = 1;
    apr_brigade_cleanup(ctx->held);
    apr_brigade_cleanup(bb);
    APR_BRIGADE_INSERT_TAIL(bb, ap_bucket_error_create(status, NULL, f->r->pool, alloc));
    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_eos_create(alloc));
    return ap_pass_brigade(ctx->filter->next, bb);
}

static int has_error(const apr_bucket_brigade *bb)
{
    const apr_bucket *e = APR_BRIGADE_FIRST(bb);

    while (e != APR_BRIGADE_SENTINEL(bb) && !AP_BUCKET_IS_ERROR(e)) {
        e = APR_BUCKET_NEXT(e);
    }
    return e != APR_BRIGADE_SENTINEL(bb);
}

/*
 * Keeps the page as it comes. If the backend breaks off, or the page cannot be read, drops what is
 * kept: then the page must not be passed on as it came.
 */
static void keep_raw(tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    if (ctx->raw != NULL &&
        (has_error(bb) || tmpl_raw_keep(ctx, bb, tmpl_conf_max_body(ctx->conf)) != APR_SUCCESS)) {
        tmpl_raw_drop(ctx);
    }
}

/* Why the page is to be passed on as it came, after the next filters have returned rv. */
static tmpl_decline_e reason_to_pass_raw(const tmpl_ctx_t *ctx, apr_status_t rv)
{
    if (ctx->raw == NULL || ctx->done || rv == APR_SUCCESS) {
        return TMPL_DECLINE_NONE;
    }
    if (ctx->bypass != TMPL_DECLINE_NONE) {
        return ctx->bypass;
    }
    /* INFLATE returns EINVAL if the page inflates by more than httpd allows */
    return APR_STATUS_IS_EINVAL(rv) ? TMPL_DECLINE_TOO_LARGE : TMPL_DECLINE_INFLATE;
}

void tmpl_gate_show_prev(tmpl_ctx_t *ctx, request_rec *r)
{
    if (ctx->prev != NULL) {
        r->prev = ctx->prev;
        ctx->prev = NULL;
    }
}

/*
 * INFLATE leaves alone what answers a request that was redirected within the server, such as one
 * for the page of a twin. So r looks as if it were the first request until TMPL gets data.
 */
static apr_status_t pass_on(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    request_rec *r = f->r;
    apr_status_t rv;

    if (ctx->inflated && ctx->length == 0) {
        ctx->prev = r->prev;
        r->prev = NULL;
    }
    rv = ap_pass_brigade(f->next, bb);
    tmpl_gate_show_prev(ctx, r);
    return rv;
}

/* Passes bb to the filters that were added, or lets the whole page bypass these filters. */
static apr_status_t pass_or_bypass(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    apr_status_t rv;
    tmpl_decline_e reason;

    keep_raw(ctx, bb);
    if (ctx->raw != NULL && ctx->raw_length > tmpl_conf_max_body(ctx->conf)) {
        return pass_raw(f, ctx, bb, TMPL_DECLINE_TOO_LARGE);
    }
    rv = pass_on(f, ctx, bb);
    reason = reason_to_pass_raw(ctx, rv);
    if (reason != TMPL_DECLINE_NONE) {
        return pass_raw(f, ctx, bb, reason);
    }
    ctx->failed = rv != APR_SUCCESS && !ctx->done;
    return rv;
}

/* When the page is late, on tmpl_clock(). */
static apr_time_t end_of_wait(const tmpl_ctx_t *ctx)
{
    return ctx->since == 0 ? TMPL_WAIT_FOR_EVER : ctx->since + tmpl_conf_max_wait(ctx->conf);
}

/* Notes when the first byte of the page comes. */
static void note_time(tmpl_ctx_t *ctx, const apr_bucket_brigade *bb)
{
    const apr_bucket *e;

    for (e = APR_BRIGADE_FIRST(bb); ctx->since == 0 && e != APR_BRIGADE_SENTINEL(bb);
         e = APR_BUCKET_NEXT(e)) {
        if (!APR_BUCKET_IS_METADATA(e) && e->length > 0) {
            ctx->since = tmpl_clock();
        }
    }
}

/* Whether the page is late. With paused set the backend has just paused: waits for the backend. */
static int is_late(request_rec *r, const tmpl_ctx_t *ctx, int paused)
{
    apr_interval_time_t left = end_of_wait(ctx) - tmpl_clock();

    return ctx->since != 0 && (left <= 0 || (paused && tmpl_wait_is_silent(r, left)));
}

/* Passes bb on. If the end of the page is late, passes on all held data, too. */
static apr_status_t pass_taken(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    int last = APR_BUCKET_IS_EOS(APR_BRIGADE_LAST(bb));
    int paused = APR_BUCKET_IS_FLUSH(APR_BRIGADE_LAST(bb));
    apr_status_t rv;

    note_time(ctx, bb);
    rv = pass_or_bypass(f, ctx, bb);
    if (rv != APR_SUCCESS || last || ctx->done || !is_late(f->r, ctx, paused)) {
        return rv;
    }
    ctx->bypass = TMPL_DECLINE_SLOW;
    apr_brigade_cleanup(bb);
    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_flush_create(f->c->bucket_alloc));
    return pass_or_bypass(f, ctx, bb);
}

static apr_status_t guard(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    int last = APR_BUCKET_IS_EOS(APR_BRIGADE_LAST(bb));
    apr_status_t rv = APR_EGENERAL;

    if (ctx->done) {
        ap_remove_output_filter(f);
        return ap_pass_brigade(f->next, bb);
    }
    if (!ctx->failed) {
        rv = pass_taken(f, ctx, bb);
    }
    if (!ctx->failed) {
        return rv;
    }
    /* until EOS the handler may still answer with an error of its own */
    if (last) {
        return break_off(f, ctx, bb);
    }
    apr_brigade_cleanup(bb);
    return rv;
}

/* Whether the response does not just pass: it is taken, or discarded. */
static int decide(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    unsigned control = tmpl_control_take(f->r);
    int is_off = TMPL_CONTROL_HAS(control, OFF) || tmpl_control_is_off(f->r);
    tmpl_decline_e reason;

    if (tmpl_conf_mode(ctx->conf) == TMPL_MODE_OFF) {
        return 0;
    }
    tmpl_request_restore(f->r);
    if (!is_off && tmpl_twin_discards(f->r, is_html(f->r))) {
        ctx->discard = 1;
        return 1;
    }
    tmpl_headers_unset_foreign(f->r, ctx->conf);
    tmpl_headers_negotiated(f->r, ctx->conf, !is_no_html(f->r));
    if (TMPL_CONTROL_HAS(control, LEARN) && !is_off) {
        ctx->conf = tmpl_conf_in_mode(ctx->conf, TMPL_MODE_LEARN, f->r->pool);
    }
    if (f->r->status == HTTP_NOT_MODIFIED) {
        if (!is_off) { /* with is_off the client's changed copy is no longer right */
            tmpl_headers_not_modified(f->r, ctx->conf);
        }
        return 0;
    }
    reason = reason_to_decline(f->r);
    if (reason == TMPL_DECLINE_NONE && is_off) {
        reason = TMPL_DECLINE_BACKEND;
    }
    if (reason != TMPL_DECLINE_NONE) {
        tmpl_decline(f->r, ctx, reason);
        return 0;
    }
    tmpl_judge_expect(ctx, f->r);
    if (TMPL_CONTROL_HAS(control, NO_LEARN)) {
        ctx->learn = 0;
    }
    if (!tmpl_conf_holds(ctx->conf)) {
        /* the page may still be declined; a page that is only learnt has no Markdown */
        if (!TMPL_CONTROL_HAS(control, LEARN)) {
            tmpl_headers_alternate(f->r, ctx->conf);
        }
        take_copy(f, ctx);
        return 0;
    }
    take(f, ctx, bb);
    return 1;
}

/*
 * Guards bb chunk by chunk: a bucket of unknown length is read here, with the same limit of time.
 */
static apr_status_t guard_chunks(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    apr_status_t rv = APR_SUCCESS;

    if (APR_BUCKET_IS_EOS(APR_BRIGADE_LAST(bb))) {
        /* the sender of EOS may have released the connection */
        tmpl_request_set_backend(f->r, NULL);
    }
    while (rv == APR_SUCCESS && !ctx->done && !APR_BRIGADE_EMPTY(bb)) {
        rv = tmpl_wait_for_chunk(ctx->chunk, bb, end_of_wait(ctx));
        if (APR_STATUS_IS_EAGAIN(rv)) {
            APR_BRIGADE_INSERT_TAIL(ctx->chunk, apr_bucket_flush_create(f->c->bucket_alloc));
        }
        else if (rv != APR_SUCCESS) {
            ctx->failed = 1;
            return guard(f, ctx, bb);
        }
        rv = guard(f, ctx, ctx->chunk);
        apr_brigade_cleanup(ctx->chunk);
    }
    return rv == APR_SUCCESS && !APR_BRIGADE_EMPTY(bb) ? guard(f, ctx, bb) : rv;
}

apr_status_t tmpl_gate(ap_filter_t *f, apr_bucket_brigade *bb)
{
    tmpl_ctx_t *ctx = f->ctx;

    if (APR_BRIGADE_EMPTY(bb)) {
        return APR_SUCCESS;
    }
    /* without a ctx the filter was named in a SetOutputFilter, and does nothing */
    if (ctx != NULL && (ctx->filter != NULL || ctx->discard || decide(f, ctx, bb))) {
        return ctx->discard ? tmpl_twin_discard(ctx, bb) : guard_chunks(f, ctx, bb);
    }
    ap_remove_output_filter(f);
    return ap_pass_brigade(f->next, bb);
}
