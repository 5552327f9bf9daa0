/* SPDX-License-Identifier: Apache-2.0 */
/* A complete page, held or copied: how it is described to the library, and what is counted. */
#include "judge.h"
#include "connections.h"
#include "personal.h"
#include "section.h"

#include "html/charset.h"

/* The body as one string: the bucket's own bytes if there is only one, else a copy. */
static apr_status_t read_body(const char **body, const tmpl_ctx_t *ctx, apr_pool_t *pool)
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
        /* a file that cannot be mapped gives its first part only */
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

/* The value of a key's expression; NULL if it is not set, is empty, or fails, which httpd logs. */
static const char *key_of(request_rec *r, const ap_expr_info_t *expr)
{
    const char *why = NULL;
    const char *key = expr != NULL ? ap_expr_str_exec(r, expr, &why) : NULL;

    return why == NULL && key != NULL && *key != '\0' ? key : NULL;
}

/* After an internal redirect all pages of a site may have one script's URI. */
const char *tmpl_uri_of(const request_rec *r, apr_pool_t *pool)
{
    while (r->prev != NULL) {
        r = r->prev;
    }
    return apr_uri_unparse(pool, &r->parsed_uri, APR_URI_UNP_OMITSITEPART);
}

/* The default site is the ServerName: what a client sends in Host must not create tables. */
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
    input->charset = tmpl_charset_of_type(r->content_type, pool);
    input->learn = ctx->learn ? TMPL_LEARNING_NOW : TMPL_LEARNING_OFF;
}

apr_status_t tmpl_judge(tmpl_judged_t *judged, const tmpl_ctx_t *ctx, request_rec *r,
                        apr_pool_t *pool)
{
    const tmpl_conf_t *conf = ctx->conf;
    tmpl_input_t *input = &judged->input;
    tmpl_outcome_t *outcome = &judged->outcome;
    tmpl_clean_opts_t opts;
    apr_status_t rv;

    memset(judged, 0, sizeof(*judged));
    judged->start = tmpl_clock();
    rv = read_body(&input->body, ctx, pool);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    input->len = (apr_size_t)ctx->length;
    describe(input, ctx, r, pool);
    if (!tmpl_cache_find(&judged->cached, outcome, &judged->fingerprint, input, conf, r, pool)) {
        tmpl_link_clean(outcome, input, conf, r, pool);
        if (tmpl_conf_headers(conf) || !tmpl_conf_holds(conf)) {
            judged->fingerprint = tmpl_clean_fingerprint(outcome, input, pool);
            tmpl_conf_opts(&opts, conf);
            tmpl_clean_version(outcome, &opts, pool);
        }
        tmpl_cache_keep(&judged->cached, outcome, judged->fingerprint, input, conf);
    }
    return APR_SUCCESS;
}
