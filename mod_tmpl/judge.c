/* SPDX-License-Identifier: Apache-2.0 */
/* A complete page, held or copied: how it is described to the library, and what is counted. */
#include "judge.h"
#include "canonical.h"
#include "connections.h"
#include "personal.h"
#include "section.h"
#include "twin.h"

#include "body.h"
#include "outcome.h"
#include "html/charset.h"
#include "address/address.h"

/* The data of ctx->held, in place: an array of struct iovec, one for each bucket. */
static apr_status_t read_parts(apr_array_header_t **parts, const tmpl_ctx_t *ctx, apr_pool_t *pool)
{
    apr_off_t total = 0;
    apr_status_t rv = APR_SUCCESS;
    apr_bucket *e;

    *parts = apr_array_make(pool, 16, sizeof(struct iovec));
    for (e = APR_BRIGADE_FIRST(ctx->held);
         rv == APR_SUCCESS && e != APR_BRIGADE_SENTINEL(ctx->held); e = APR_BUCKET_NEXT(e)) {
        const char *data;
        apr_size_t len;

        if (APR_BUCKET_IS_METADATA(e)) {
            continue;
        }
        /* a file that cannot be mapped gives its first part; the next bucket is the rest */
        rv = apr_bucket_read(e, &data, &len, APR_BLOCK_READ);
        if (rv == APR_SUCCESS && len > 0) {
            APR_ARRAY_PUSH(*parts, struct iovec) = (struct iovec){ (void *)data, len };
            total += (apr_off_t)len;
        }
    }
    return rv == APR_SUCCESS && total != ctx->length ? APR_EGENERAL : rv;
}

/* The body as one string: the part itself if there is only one, else a copy. */
static const char *join(const apr_array_header_t *parts, apr_pool_t *pool)
{
    const struct iovec *vec = (const struct iovec *)parts->elts;

    return parts->nelts == 1 ? vec->iov_base
                             : apr_pstrcatv(pool, vec, (apr_size_t)parts->nelts, NULL);
}

/* The value of a key's expression; NULL if it is not set, is empty, or fails, which httpd logs. */
static const char *key_of(request_rec *r, const ap_expr_info_t *expr)
{
    const char *why = NULL;
    const char *key = expr != NULL ? ap_expr_str_exec(r, expr, &why) : NULL;

    return why == NULL && key != NULL && *key != '\0' ? key : NULL;
}

/*
 * Uses the first request: after an internal redirect all pages of a site may have one script's URI.
 * For a twin this is the first request for its page.
 * Does not use parsed_uri: httpd decodes its path, and a decoded %3F would begin a query.
 */
const char *tmpl_uri_of(const request_rec *r, apr_pool_t *pool)
{
    /* only path and query of the result are used; a client may also send an address with a host */
    static const tmpl_address_t base = { "http", "localhost", APR_URI_HTTP_DEFAULT_PORT, "/" };
    tmpl_address_t address;
    tmpl_error_t err;
    const char *uri;

    while (r->prev != NULL && !tmpl_twin_is_page(r)) {
        r = r->prev;
    }
    /* "//a/b" would be a host and a path; httpd reads it as a path, too */
    for (uri = r->unparsed_uri; uri[0] == '/' && uri[1] == '/'; uri++) {
    }
    return tmpl_address_parse(&address, uri, &base, &err, pool) == APR_SUCCESS
               ? address.uri
               /* ftp://, whose directories mod_proxy_ftp sends as HTML */
               : apr_uri_unparse(pool, &r->parsed_uri, APR_URI_UNP_OMITSITEPART);
}

/* The default site is the ServerName: a Host field that a client sends must not create tables. */
const char *tmpl_site_of(request_rec *r, const tmpl_conf_t *conf)
{
    const char *site = key_of(r, conf->site_key);

    return site != NULL ? site : r->server->server_hostname;
}

void tmpl_judge_expect(tmpl_ctx_t *ctx, request_rec *r)
{
    ctx->site = tmpl_site_of(r, ctx->conf);
    ctx->page_key = key_of(r, ctx->conf->page_key);
    ctx->learn = tmpl_may_learn(r, ctx->conf) != 0;
}

static void describe(tmpl_input_t *input, const tmpl_ctx_t *ctx, request_rec *r, apr_pool_t *pool)
{
    input->site = ctx->site;
    input->page_key = ctx->page_key;
    input->uri = tmpl_uri_of(r, pool);
    /* with the charset that AddDefaultCharset adds when the fields are sent */
    input->charset = tmpl_charset_of_type(ap_make_content_type(r, r->content_type), pool);
    input->learn = ctx->learn ? TMPL_LEARNING_NOW : TMPL_LEARNING_OFF;
}

/* Makes the body that modes text and markdown send. If that fails, the page passes untouched. */
static void make_body(tmpl_judged_t *judged, const tmpl_conf_t *conf, request_rec *r,
                      apr_pool_t *pool)
{
    tmpl_outcome_t *outcome = &judged->outcome;
    tmpl_clean_opts_t opts;

    if (tmpl_conf_type(conf) == NULL || outcome->decline != TMPL_DECLINE_NONE) {
        return;
    }
    tmpl_conf_opts(&opts, conf);
    judged->body = tmpl_body(&judged->body_len, outcome, &judged->input, &opts,
                             tmpl_canonical_url(judged->input.uri, r, pool), pool);
    if (judged->body == NULL) {
        outcome->decline = TMPL_DECLINE_MARKDOWN;
        outcome->edits.n = 0;
    }
}

apr_status_t tmpl_judge(tmpl_judged_t *judged, const tmpl_ctx_t *ctx, request_rec *r,
                        apr_pool_t *pool)
{
    const tmpl_conf_t *conf = ctx->conf;
    tmpl_input_t *input = &judged->input;
    tmpl_outcome_t *outcome = &judged->outcome;
    apr_array_header_t *parts;
    tmpl_clean_opts_t opts;
    apr_status_t rv;
    int found;

    memset(judged, 0, sizeof(*judged));
    judged->start = tmpl_clock();
    rv = read_parts(&parts, ctx, pool);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    input->len = (apr_size_t)ctx->length;
    describe(input, ctx, r, pool);
    found = tmpl_cache_find(&judged->cached, outcome, &judged->fingerprint, input, parts, conf, r,
                            pool);
    if (!found || tmpl_conf_type(conf) != NULL) {
        input->body = join(parts, pool);
    }
    if (!found) {
        tmpl_link_clean(outcome, input, conf, r, pool);
        if (tmpl_conf_headers(conf) || !tmpl_conf_holds(conf)) {
            judged->fingerprint = tmpl_clean_fingerprint(outcome, input, pool);
            tmpl_conf_opts(&opts, conf);
            tmpl_clean_version(outcome, &opts, pool);
        }
        tmpl_cache_keep(&judged->cached, outcome, judged->fingerprint, input, conf);
    }
    make_body(judged, conf, r, pool);
    return APR_SUCCESS;
}
