/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate stands in front of all content filters of a request. At the first data it decides,
 * once, whether the response is taken. What is declined passes as it came: nothing has been added
 * to its filters, so nothing is inflated in vain. For what is only read it adds TMPL_BESIDE behind
 * the filters that generate content, and goes. For what is held it adds httpd's INFLATE if
 * the body is gzipped, and TMPL, and stays to guard them: if one of them fails, the part of the page
 * that TMPL holds must never look like a whole one; if its end does not come, it goes on as it is.
 */
#include "mod_tmpl.h"

/* Codings of a body. */
typedef enum {
    CODING_NONE,
    CODING_GZIP, /* INFLATE can undo it */
    CODING_OTHER
} coding_e;

/* httpd has three places for the encoding; they hold one list together. */
static coding_e coding_of(request_rec *r)
{
    const char *encoding = tmpl_field(r, "Content-Encoding");
    const char *rest;
    char *token;
    coding_e coding = CODING_NONE;

    if (r->content_encoding != NULL) {
        encoding = encoding == NULL
                       ? r->content_encoding
                       : apr_pstrcat(r->pool, encoding, ",", r->content_encoding, NULL);
    }
    for (rest = encoding; rest != NULL && *rest != '\0';) {
        token = ap_get_token(r->pool, &rest, 0);
        if (*token != '\0' && ap_cstr_casecmp(token, "identity") != 0) {
            int gzip = ap_cstr_casecmp(token, "gzip") == 0 || ap_cstr_casecmp(token, "x-gzip") == 0;

            coding = gzip && coding == CODING_NONE ? CODING_GZIP : CODING_OTHER;
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
 * application/xhtml+xml is not HTML either: browsers read it as XML, where <script/> is a whole
 * element and CDATA sections are text, so what we find balanced might not be.
 */
static int is_no_html(request_rec *r)
{
    static const char html[] = "text/html";
    const char *type = r->content_type;

    return type == NULL || strcspn(type, "; \t") != sizeof(html) - 1 ||
           ap_cstr_casecmpn(type, html, sizeof(html) - 1) != 0;
}

static int is_unreadable(request_rec *r)
{
    coding_e coding = coding_of(r);

    return coding == CODING_OTHER ||
           (coding == CODING_GZIP && ap_get_output_filter_handle("INFLATE") == NULL);
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

/* Compressed it is longer still. */
static int is_too_large(request_rec *r)
{
    const char *length = tmpl_field(r, "Content-Length");
    apr_off_t bytes;

    return length != NULL && ap_parse_strict_length(&bytes, length) &&
           bytes > tmpl_conf_max_body(tmpl_conf_of(r));
}

/* In this order; the first that applies is the reason. */
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

void tmpl_decline(request_rec *r, const tmpl_conf_t *conf, tmpl_decline_e reason)
{
    ap_log_rerror(APLOG_MARK, APLOG_DEBUG, 0, r, TMPL_LOG_DECLINED "declined: %s: %s",
                  tmpl_decline_name(reason), tmpl_decline_text(reason));
    tmpl_count_decline(reason);
    if (r->main == NULL && !is_no_html(r)) {
        tmpl_headers_declined(r, reason, tmpl_conf_headers(conf));
    }
}

/* Whether the answer may be another one for each who asks. Many say Vary: Cookie to all. */
static int is_chosen_by_person(request_rec *r)
{
    const char *vary = tmpl_field(r, "Vary");

    return vary != NULL &&
           (ap_find_token(r->pool, vary, "*") || (apr_table_get(r->headers_in, "Cookie") != NULL &&
                                                  ap_find_token(r->pool, vary, "Cookie")));
}

/* A page that is one person's must leave no trace in what all of a site's visitors share. */
static int is_somebodys_own(request_rec *r)
{
    const char *control = tmpl_field(r, "Cache-Control");

    /* a form, a client certificate or OpenID Connect make a user without Authorization */
    return r->user != NULL || apr_table_get(r->headers_in, "Authorization") != NULL ||
           tmpl_field(r, "Set-Cookie") != NULL || is_chosen_by_person(r) ||
           (control != NULL && (ap_find_token(r->pool, control, "private") ||
                                ap_find_token(r->pool, control, "no-store")));
}

int tmpl_may_learn(request_rec *r, const tmpl_conf_t *conf)
{
    const char *why;

    if (r->status != HTTP_OK || r->method_number != M_GET || r->header_only) {
        return 0;
    }
    if (conf->learn == NULL || conf->learn->when == TMPL_LEARN_PUBLIC) {
        return !is_somebodys_own(r);
    }
    if (conf->learn->when != TMPL_LEARN_IF) {
        return conf->learn->when == TMPL_LEARN_ALWAYS;
    }
    /* below 0 it has failed, of which httpd tells */
    return ap_expr_exec(r, conf->learn->expr, &why) > 0;
}

void tmpl_gate_insert(request_rec *r)
{
    const tmpl_conf_t *conf = tmpl_conf_of(r);
    tmpl_ctx_t *ctx;

    if (tmpl_conf_mode(conf) != TMPL_MODE_OFF) {
        ctx = apr_pcalloc(r->pool, sizeof(*ctx));
        ctx->conf = conf;
        ap_add_output_filter("TMPL_GATE", ctx, r, r->connection);
    }
}

/* The page is only read, where one comes: to be learnt, or, in mode headers, for the log. */
static void take_copy(ap_filter_t *f, tmpl_ctx_t *ctx)
{
    request_rec *r = f->r;

    if (!r->header_only && (ctx->learn || tmpl_conf_mode(ctx->conf) == TMPL_MODE_HEADERS)) {
        ctx->held = apr_brigade_create(r->pool, f->c->bucket_alloc);
        ctx->piece = apr_brigade_create(r->pool, f->c->bucket_alloc);
        ctx->inflated = coding_of(r) == CODING_GZIP;
        ctx->filter = ap_add_output_filter("TMPL_BESIDE", ctx, r, f->c);
        tmpl_request_set_beside(r, ctx);
    }
}

/* The filters are added while the gate is in the chain, so that f->next is what they become. */
static void take(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    request_rec *r = f->r;
    ap_filter_t *inflate = NULL;

    ctx->held = apr_brigade_create(r->pool, f->c->bucket_alloc);
    ctx->piece = apr_brigade_create(r->pool, f->c->bucket_alloc);
    /* INFLATE changes it */
    ctx->etag = apr_table_get(r->headers_out, "ETag");
    if (coding_of(r) == CODING_GZIP) {
        int nothing = APR_BUCKET_IS_EOS(APR_BRIGADE_FIRST(bb));

        /* to INFLATE no body is a broken one; to HEAD it is what there is */
        ctx->inflated = !nothing || r->header_only;
        inflate = nothing ? NULL : ap_add_output_filter("INFLATE", NULL, r, f->c);
    }
    ctx->filter = ap_add_output_filter("TMPL", ctx, r, f->c);
    if (inflate != NULL && f->next == inflate && inflate->next == ctx->filter) {
        tmpl_raw_start(ctx, r);
    }
}

/* From here on as if we had never been. */
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
    tmpl_decline(r, ctx->conf, reason);
    apr_brigade_cleanup(bb);
    APR_BRIGADE_CONCAT(bb, ctx->held);
    if (reason == TMPL_DECLINE_SLOW) {
        APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_flush_create(f->c->bucket_alloc));
    }
    return ap_pass_brigade(next, bb);
}

/*
 * The filters between here and TMPL are not to be relied on any more, so they are passed by.
 * Nothing has been sent yet: the client gets a clean error.
 */
static apr_status_t break_off(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    apr_bucket_alloc_t *alloc = f->c->bucket_alloc;
    int status = f->r->proxyreq ? HTTP_BAD_GATEWAY : HTTP_INTERNAL_SERVER_ERROR;

    tmpl_decline(f->r, ctx->conf, TMPL_DECLINE_BROKEN);
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

/* Keeps the page as it comes, while it may be passed on so: not once the backend has broken off. */
static void keep_raw(tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    if (ctx->raw != NULL && (has_error(bb) || tmpl_raw_keep(ctx, bb) != APR_SUCCESS)) {
        tmpl_raw_drop(ctx);
    }
}

/* Why the page is to be passed on as it came, now that the filters behind have answered rv. */
static tmpl_decline_e reason_to_pass_raw(const tmpl_ctx_t *ctx, apr_status_t rv)
{
    if (ctx->raw == NULL || ctx->done || rv == APR_SUCCESS) {
        return TMPL_DECLINE_NONE;
    }
    if (ctx->bypass != TMPL_DECLINE_NONE) {
        return ctx->bypass;
    }
    /* EINVAL is how INFLATE says that so much out of so little is more than httpd allows */
    return APR_STATUS_IS_EINVAL(rv) ? TMPL_DECLINE_TOO_LARGE : TMPL_DECLINE_INFLATE;
}

/* Passes bb on to the filters that we have added, or the page by them. */
static apr_status_t pass_or_bypass(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    apr_status_t rv;
    tmpl_decline_e reason;

    keep_raw(ctx, bb);
    if (ctx->raw != NULL && ctx->raw_length > tmpl_conf_max_body(ctx->conf)) {
        return pass_raw(f, ctx, bb, TMPL_DECLINE_TOO_LARGE);
    }
    rv = ap_pass_brigade(f->next, bb);
    reason = reason_to_pass_raw(ctx, rv);
    if (reason != TMPL_DECLINE_NONE) {
        return pass_raw(f, ctx, bb, reason);
    }
    ctx->failed = rv != APR_SUCCESS && !ctx->done;
    return rv;
}

/* When the page has been waited for long enough, on tmpl_clock. */
static apr_time_t end_of_wait(const tmpl_ctx_t *ctx)
{
    return ctx->since == 0 ? TMPL_WAIT_FOR_EVER : ctx->since + tmpl_conf_max_wait(ctx->conf);
}

/* The first byte of the page is when waiting begins. */
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

/* Whether the page has been waited for long enough; paused: its backend has just paused, and is waited for here. */
static int is_late(request_rec *r, const tmpl_ctx_t *ctx, int paused)
{
    apr_interval_time_t left = end_of_wait(ctx) - tmpl_clock();

    return ctx->since != 0 && (left <= 0 || (paused && tmpl_wait_is_silent(r, left)));
}

/* Passes bb on, and all that is held, should the end of the page be late. */
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

/* Whether the response is taken. */
static int decide(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    tmpl_decline_e reason;

    tmpl_request_restore(f->r);
    if (f->r->status == HTTP_NOT_MODIFIED) {
        tmpl_headers_not_modified(f->r, ctx->conf);
        return 0;
    }
    reason = reason_to_decline(f->r);
    if (reason != TMPL_DECLINE_NONE) {
        tmpl_decline(f->r, ctx->conf, reason);
        return 0;
    }
    tmpl_judge_expect(ctx, f->r);
    if (!tmpl_conf_holds(ctx->conf)) {
        take_copy(f, ctx);
        return 0;
    }
    take(f, ctx, bb);
    return 1;
}

/* Guards bb piece by piece: what comes of a bucket of unknown length is not waited for any longer either. */
static apr_status_t guard_pieces(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    apr_status_t rv = APR_SUCCESS;

    if (APR_BUCKET_IS_EOS(APR_BRIGADE_LAST(bb))) {
        /* who has passed it on may have given back the connection */
        tmpl_request_set_backend(f->r, NULL);
    }
    while (rv == APR_SUCCESS && !ctx->done && !APR_BRIGADE_EMPTY(bb)) {
        rv = tmpl_wait_for_piece(ctx->piece, bb, end_of_wait(ctx));
        if (APR_STATUS_IS_EAGAIN(rv)) {
            APR_BRIGADE_INSERT_TAIL(ctx->piece, apr_bucket_flush_create(f->c->bucket_alloc));
        }
        else if (rv != APR_SUCCESS) {
            ctx->failed = 1;
            return guard(f, ctx, bb);
        }
        rv = guard(f, ctx, ctx->piece);
        apr_brigade_cleanup(ctx->piece);
    }
    return rv == APR_SUCCESS && !APR_BRIGADE_EMPTY(bb) ? guard(f, ctx, bb) : rv;
}

apr_status_t tmpl_gate(ap_filter_t *f, apr_bucket_brigade *bb)
{
    tmpl_ctx_t *ctx = f->ctx;

    if (APR_BRIGADE_EMPTY(bb)) {
        return APR_SUCCESS;
    }
    /* without a ctx it was named in a SetOutputFilter, and has no say */
    if (ctx != NULL && (ctx->filter != NULL || decide(f, ctx, bb))) {
        return guard_pieces(f, ctx, bb);
    }
    ap_remove_output_filter(f);
    return ap_pass_brigade(f->next, bb);
}
