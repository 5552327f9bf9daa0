/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds the page until all of it is there, has it judged, and passes it on as one brigade that
 * ends in EOS, which is what lets httpd say its length and answer ranges of it.
 *
 * While it holds, FLUSH is swallowed: a proxy asks for one whenever its backend pauses. What is
 * larger than TmplMaxBody is passed on as it came.
 */
#include "mod_tmpl.h"

#include "page/charset.h"

/* Data shorter than this is copied together, so that a dribbling backend costs no bucket a byte. */
#define SMALL (APR_BUCKET_BUFF_SIZE / 2)

/* Nothing more is to be done for the page: on with what is held and what has just come. */
static apr_status_t pass_all(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    apr_status_t rv;

    ctx->done = 1;
    APR_BRIGADE_CONCAT(ctx->held, bb);
    rv = ap_pass_brigade(f->next, ctx->held);
    apr_brigade_cleanup(ctx->held);
    return rv;
}

/* The body in one piece: the bucket's own bytes if there is one only, else a copy. */
static apr_status_t read_body(const char **body, tmpl_ctx_t *ctx, apr_pool_t *pool)
{
    apr_bucket *e = APR_BRIGADE_FIRST(ctx->held);
    apr_size_t total = (apr_size_t)ctx->length;
    apr_size_t len = 0;
    char *copy;
    apr_status_t rv;

    while (e != APR_BRIGADE_SENTINEL(ctx->held) && e->length != total) {
        e = APR_BUCKET_NEXT(e);
    }
    if (e != APR_BRIGADE_SENTINEL(ctx->held)) {
        rv = apr_bucket_read(e, body, &len, APR_BLOCK_READ);
        /* of a file that cannot be mapped this is the first piece */
        if (rv != APR_SUCCESS || len == total) {
            return rv;
        }
    }
    len = total;
    copy = apr_palloc(pool, total + 1);
    *body = copy;
    rv = apr_brigade_flatten(ctx->held, copy, &len);
    return rv == APR_SUCCESS && len != total ? APR_EGENERAL : rv;
}

/* The value of a key's expression; NULL if there is none, nothing in it, or it fails, of which httpd tells. */
static const char *key_of(request_rec *r, const ap_expr_info_t *expr)
{
    const char *why = NULL;
    const char *key = expr != NULL ? ap_expr_str_exec(r, expr, &why) : NULL;

    return why == NULL && key != NULL && *key != '\0' ? key : NULL;
}

/* As the client asked: after an internal redirect all pages of a site may have one script's address. */
static const char *uri_of(const request_rec *r, apr_pool_t *pool)
{
    while (r->prev != NULL) {
        r = r->prev;
    }
    return apr_uri_unparse(pool, &r->parsed_uri, APR_URI_UNP_OMITSITEPART);
}

/* A site is the server's own name for itself: what a client says in Host must not make tables. */
static void describe(tmpl_input_t *input, request_rec *r, const tmpl_conf_t *conf, apr_pool_t *pool)
{
    input->site = key_of(r, conf->site_key);
    if (input->site == NULL) {
        input->site = r->server->server_hostname;
    }
    input->page_key = key_of(r, conf->page_key);
    input->uri = uri_of(r, pool);
    input->charset = tmpl_charset_of_type(r->content_type, pool);
    input->learn = tmpl_may_learn(r, conf) ? TMPL_LEARNING_NOW : TMPL_LEARNING_OFF;
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

static void report(request_rec *r, const tmpl_outcome_t *outcome, apr_off_t before, apr_off_t after,
                   apr_interval_time_t took)
{
    tmpl_count(TMPL_COUNTER_PAGES, 1);
    if (outcome->verdicts != NULL) {
        tmpl_count_detector(outcome->detector);
    }
    tmpl_count(TMPL_COUNTER_EDITED, outcome->edits.n > 0);
    tmpl_count(TMPL_COUNTER_EDITS, outcome->edits.n);
    /* what is due is counted when it has been learnt */
    tmpl_count(TMPL_COUNTER_LEARNED, outcome->counts.counted && !outcome->counts.due);
    tmpl_count(TMPL_COUNTER_NEAR_COPIES, outcome->counts.near_copy != 0);
    tmpl_count(TMPL_COUNTER_BYTES_IN, (apr_uint64_t)before);
    tmpl_count(TMPL_COUNTER_BYTES_OUT, (apr_uint64_t)after);
    tmpl_count(TMPL_COUNTER_MICROSECONDS, took > 0 ? (apr_uint64_t)took : 0);
    ap_log_rerror(APLOG_MARK, APLOG_TRACE1, 0, r,
                  TMPL_LOG_JUDGED "%s: %u edits, %" APR_OFF_T_FMT " bytes of %" APR_OFF_T_FMT
                                  ", %" APR_TIME_T_FMT " us",
                  tmpl_state_name(outcome->state), outcome->edits.n, after, before, took);
}

/* The page is whole: judge it, change it, say so. */
static apr_status_t judge(ap_filter_t *f, tmpl_ctx_t *ctx, apr_pool_t *pool)
{
    request_rec *r = f->r;
    tmpl_outcome_t outcome = { 0 };
    tmpl_input_t input = { 0 };
    tmpl_cached_t cached;
    const char *fingerprint = NULL;
    apr_time_t start = tmpl_clock();
    apr_interval_time_t took;
    apr_off_t before = ctx->length;
    apr_off_t after;
    apr_status_t rv = read_body(&input.body, ctx, pool);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    input.len = (apr_size_t)ctx->length;
    describe(&input, r, ctx->conf, pool);
    if (!tmpl_cache_find(&cached, &outcome, &fingerprint, &input, ctx->conf, r, pool)) {
        tmpl_link_clean(&outcome, &input, ctx->conf, r, pool);
        if (tmpl_conf_headers(ctx->conf)) {
            fingerprint = tmpl_clean_fingerprint(&outcome, &input, pool);
        }
        tmpl_cache_keep(&cached, &outcome, fingerprint, &input, ctx->conf);
    }
    rv = tmpl_splice(ctx->held, &outcome.edits);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (ctx->raw != NULL && outcome.edits.n == 0) {
        tmpl_raw_restore(ctx, r);
    }
    after = length_after(ctx->length, &outcome.edits);
    took = tmpl_clock() - start;
    if (outcome.decline != TMPL_DECLINE_NONE) {
        tmpl_decline(r, ctx->conf, outcome.decline);
    }
    tmpl_headers_judged(r, ctx, &outcome, &cached, fingerprint, input.learn, after, took);
    report(r, &outcome, before, after, took);
    return APR_SUCCESS;
}

/* bb begins with EOS; what stands behind that is ignored. */
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
        /* given back before a slow client is served */
        apr_pool_create(&pool, f->r->pool);
        apr_pool_tag(pool, "tmpl_page");
        rv = judge(f, ctx, pool);
        apr_pool_destroy(pool);
    }
    return rv == APR_SUCCESS ? pass_all(f, ctx, bb) : rv;
}

/* The backend broke off: what there is of the page and the ERROR bucket say so further on. */
static apr_status_t give_up(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    tmpl_decline(f->r, ctx->conf, TMPL_DECLINE_BROKEN);
    return pass_all(f, ctx, bb);
}

/* On it goes as it comes; if it is kept as it came, the gate passes that on. */
static apr_status_t get_out_of_the_way(ap_filter_t *f, tmpl_ctx_t *ctx, apr_bucket_brigade *bb,
                                       tmpl_decline_e reason)
{
    if (ctx->raw != NULL) {
        ctx->bypass = reason;
        apr_brigade_cleanup(bb);
        return APR_EGENERAL;
    }
    tmpl_decline(f->r, ctx->conf, reason);
    ap_remove_output_filter(f);
    return pass_all(f, ctx, bb);
}

/* Moves e to what is held, in a form that outlives this call. */
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

/* Takes the data of e, which is no longer than all that may be held. */
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

apr_status_t tmpl_filter(ap_filter_t *f, apr_bucket_brigade *bb)
{
    tmpl_ctx_t *ctx = f->ctx;
    apr_off_t limit;
    const char *data;
    apr_size_t len;
    apr_status_t rv = APR_SUCCESS;

    if (ctx == NULL) {
        /* named in a SetOutputFilter: there is no gate that took this */
        ap_remove_output_filter(f);
        return ap_pass_brigade(f->next, bb);
    }
    if (ctx->done) {
        apr_brigade_cleanup(bb);
        return APR_SUCCESS;
    }
    limit = tmpl_conf_max_body(ctx->conf);
    while (rv == APR_SUCCESS && !APR_BRIGADE_EMPTY(bb)) {
        apr_bucket *e = APR_BRIGADE_FIRST(bb);

        if (APR_BUCKET_IS_EOS(e)) {
            return tmpl_raw_is_all(ctx) ? finish(f, ctx, bb)
                                        : get_out_of_the_way(f, ctx, bb, TMPL_DECLINE_INFLATE);
        }
        if (AP_BUCKET_IS_ERROR(e)) {
            return give_up(f, ctx, bb);
        }
        if (APR_BUCKET_IS_FLUSH(e)) {
            apr_bucket_delete(e);
        }
        else if (APR_BUCKET_IS_METADATA(e)) {
            rv = set_aside(ctx, e, f->r->pool);
        }
        else if (e->length == (apr_size_t)-1) {
            /* a pipe or the like: becomes data, and a rest */
            rv = apr_bucket_read(e, &data, &len, APR_BLOCK_READ);
        }
        else if ((apr_off_t)e->length > limit - ctx->length) {
            return get_out_of_the_way(f, ctx, bb, TMPL_DECLINE_TOO_LARGE);
        }
        else {
            rv = hold(ctx, e, f->r->pool);
        }
    }
    return rv;
}
