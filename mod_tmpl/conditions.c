/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The backend has sent its page whatever the client has, as it does not know the tag of what is
 * sent. So the conditions are answered here, in front of compressing filters and of mod_cache.
 *
 * There is no date: If-Modified-Since and If-Unmodified-Since have no effect (RFC 9110, 13.1.3 and
 * 13.1.4). httpd answers If-Range by the tag when it sends the data.
 */
#include "conditions.h"
#include "brigade.h"
#include "fields.h"
#include "section.h"
#include "status/counters.h"
#include "validators.h"

/* Whether a Cache-Control field has a directive whose value is a number of seconds. */
static int has_seconds(const char *control, const char *directive)
{
    const char *at = control != NULL ? ap_strcasestr(control, directive) : NULL;
    apr_size_t digits = at != NULL ? strspn(at += strlen(directive), "0123456789") : 0;

    return digits > 0 && (at[digits] == '\0' || strchr(", \t", at[digits]) != NULL);
}

/*
 * A page without validators and without a time for which it is fresh is not kept by mod_cache, as
 * it may be a person's own. A tag of what is sent must not change that. (An invalid time is none.)
 */
static void keep_uncached(request_rec *r, const tmpl_ctx_t *ctx)
{
    const char *control = tmpl_field(r, "Cache-Control");

    if (ctx->etag == NULL && tmpl_field(r, "Expires") == NULL &&
        !has_seconds(control, "max-age=") && !has_seconds(control, "s-maxage=")) {
        apr_table_setn(r->subprocess_env, "no-cache", "1");
    }
}

/* Replaces the data that is held by a bucket; NULL: by nothing. */
static void replace_held(tmpl_ctx_t *ctx, apr_bucket *e)
{
    apr_bucket_brigade *made = apr_brigade_create(ctx->held->p, ctx->held->bucket_alloc);

    if (e != NULL) {
        APR_BRIGADE_INSERT_TAIL(made, e);
    }
    tmpl_brigade_replace(ctx->held, made);
}

/*
 * Whether a filter behind TMPL compresses: 200 has Accept-Encoding in Vary, so 304 needs it. Of
 * AddOutputFilterByType it has the name BYTYPE:DEFLATE.
 */
static int is_compressed(const ap_filter_t *f)
{
    while (f != NULL && ap_strcasestr(f->frec->name, "deflate") == NULL &&
           ap_strcasestr(f->frec->name, "brotli") == NULL) {
        f = f->next;
    }
    return f != NULL;
}

/*
 * The tag is sent as the client has it: compressing filters ignore a 304, and mod_cache refreshes a
 * page only by the page's own tag.
 */
static void send_unchanged(request_rec *r, tmpl_ctx_t *ctx, const char *held)
{
    replace_held(ctx, NULL);
    r->status = HTTP_NOT_MODIFIED;
    r->status_line = NULL;
    apr_table_setn(r->headers_out, "ETag", held);
    if (is_compressed(ctx->filter->next)) {
        apr_table_mergen(r->headers_out, "Vary", "Accept-Encoding");
    }
    /* 304 has no type, and no length, which mod_cache would keep for a page that is compressed */
    tmpl_field_unset(r, "Content-Length");
    tmpl_field_unset(r, "Content-Type");
    r->content_type = NULL;
    tmpl_count(TMPL_COUNTER_UNCHANGED, 1);
}

/* Whether If-Match lets the page be sent. Its tag may have a compressing filter's suffix. */
static int is_matched(request_rec *r, const char *etag)
{
    const char *list = apr_table_getm(r->pool, r->headers_in, "If-Match");
    const char *held = list != NULL ? tmpl_etag_held(list, etag, r->pool) : NULL;

    /* a weak tag does not match */
    return (held != NULL && *held == '"') ||
           ap_condition_if_match(r, r->headers_out) != AP_CONDITION_NOMATCH;
}

void tmpl_conditions_answer(request_rec *r, tmpl_ctx_t *ctx)
{
    const char *etag = apr_table_get(r->headers_out, "ETag");
    const char *list = apr_table_getm(r->pool, r->headers_in, "If-None-Match"), *held;
    /* httpd forbids a 304 in place of an ErrorDocument */
    int may = r->method_number == M_GET && !r->no_local_copy;

    if (!tmpl_conf_tags_content(ctx->conf) || !tmpl_conf_edits(ctx->conf) || etag == NULL) {
        return;
    }
    if (may && !is_matched(r, etag)) {
        replace_held(ctx, ap_bucket_error_create(HTTP_PRECONDITION_FAILED, NULL, r->pool,
                                                 ctx->held->bucket_alloc));
    }
    else if (may && list != NULL && (held = tmpl_etag_held(list, etag, r->pool)) != NULL) {
        send_unchanged(r, ctx, held);
    }
    else {
        keep_uncached(r, ctx);
    }
}
