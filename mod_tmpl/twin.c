/* SPDX-License-Identifier: Apache-2.0 */
#include "twin.h"
#include "control.h"
#include "fields.h"
#include "page_links.h"
#include "request.h"

/* Whether Markdown may be made of r's page. */
static int may_be_markdown(request_rec *r)
{
    return (tmpl_conf_offers(tmpl_conf_of(r)) & TMPL_VARIANT(TMPL_MODE_MARKDOWN)) &&
           !tmpl_control_is_off(r);
}

/* The page that r asks for as Markdown if nothing is found at r's own address; NULL: none. */
static const char *page_asked_for(request_rec *r)
{
    if (r->main != NULL || r->prev != NULL || r->method_number != M_GET ||
        r->proxyreq == PROXYREQ_PROXY || ap_request_has_body(r) || !may_be_markdown(r)) {
        return NULL;
    }
    return tmpl_twin_page(tmpl_uri_of(r, r->pool), r->pool);
}

static tmpl_twin_t *twin_for(request_rec *r)
{
    return tmpl_request_of(r)->twin = apr_pcalloc(r->pool, sizeof(tmpl_twin_t));
}

/*
 * The record of r, or of the request that was redirected to r within the server; NULL: none, or r
 * is NULL.
 */
static tmpl_twin_t *twin_of(const request_rec *r)
{
    while (r != NULL && tmpl_request_read(r)->twin == NULL) {
        r = r->prev;
    }
    return r != NULL ? tmpl_request_read(r)->twin : NULL;
}

int tmpl_twin_begin(request_rec *r)
{
    const tmpl_twin_t *missed = twin_of(r->prev);
    const char *uri = r->unparsed_uri;
    if (missed != NULL && missed->stage == TMPL_TWIN_MISSED) {
        tmpl_twin_t *twin = twin_for(r);
        twin->is_page = 1;
        /* by it rules tell the server's own requests from clients', and may trust them more */
        apr_table_unset(r->subprocess_env, "REDIRECT_STATUS");
        /* scripts get REQUEST_URI from it, and mod_rewrite THE_REQUEST */
        r->the_request = apr_pstrcat(r->pool, r->method, " ", uri, " ", r->protocol, NULL);
        twin->next = missed->is_page ? NULL : tmpl_twin_html(uri, r->pool);
    }
    return DECLINED;
}

void tmpl_twin_insert(request_rec *r)
{
    tmpl_twin_t *twin = r->main == NULL ? twin_of(r) : NULL;
    if (twin != NULL && twin->is_page) {
        ap_add_output_filter("TMPL_TWIN", twin, r, r->connection);
    }
}

/* The last request that a handler has redirected r to, or r: now as if nothing had been found. */
static request_rec *to_answer(request_rec *r, const tmpl_twin_t *twin)
{
    while (r->next != NULL) {
        /* httpd's own filters are those of the last request now */
        r = r->next;
    }
    tmpl_request_restore(r);
    r->status = HTTP_OK;
    r->status_line = NULL;
    /* without cookies of the response that is discarded, for instance: a cache would keep them */
    r->err_headers_out = twin->err_headers_out;
    return r;
}

/* Requests twin's next page in place of r, as a client that wants Markdown would. */
static void redirect(request_rec *r, const tmpl_twin_t *twin)
{
    static const char *const fields[] = { "Accept", NULL };
    const apr_table_t *sent = tmpl_fields_copy(r->headers_in, fields, r->pool);
    /* other fields stay: some modules check and set those that name the user only once */
    apr_table_setn(r->headers_in, "Accept", "text/markdown");
    /*
     * httpd checks no access if the section is the very one of the request before; but a
     * condition may read the URI
     */
    r->per_dir_config =
        ap_merge_per_dir_configs(r->pool, r->per_dir_config, ap_create_per_dir_config(r->pool));
    /* mod_rewrite's flag END, which would also end the rules for the page: the pool is the same */
    apr_pool_userdata_setn(NULL, "rewrite_really_last", NULL, r->pool);
    ap_internal_redirect(twin->next, r);
    tmpl_fields_restore(r->headers_in, fields, sent);
}

int tmpl_twin_handler(request_rec *r)
{
    tmpl_twin_t *twin = tmpl_request_read(r)->twin;
    if (twin == NULL) {
        const char *page = page_asked_for(r);
        if (page == NULL) {
            return DECLINED;
        }
        twin = twin_for(r);
        twin->next = page;
    }
    if (twin->stage != TMPL_TWIN_WAITS) {
        return DECLINED;
    }
    if (!may_be_markdown(r)) {
        return HTTP_NOT_FOUND;
    }
    twin->err_headers_out = apr_table_copy(r->pool, r->err_headers_out);
    twin->stage = TMPL_TWIN_TRIES;
    int status = ap_run_handler(r);
    twin->stage = TMPL_TWIN_DONE;
    if (twin->discarded != 0) {
        status = twin->discarded;
    }
    if (status == HTTP_NOT_FOUND && twin->next != NULL) {
        twin->stage = TMPL_TWIN_MISSED;
        redirect(to_answer(r, twin), twin);
        return OK;
    }
    if (twin->discarded != 0) {
        ap_die(HTTP_NOT_FOUND, to_answer(r, twin));
        return OK;
    }
    return status;
}

/* Whether r's response is Markdown: a site may make it itself. */
static int is_markdown(const request_rec *r)
{
    static const char type[] = "text/markdown";
    return r->content_type != NULL &&
           ap_cstr_casecmpn(r->content_type, type, sizeof(type) - 1) == 0;
}

int tmpl_twin_discards(request_rec *r, int is_html)
{
    tmpl_twin_t *twin = r->main == NULL ? twin_of(r) : NULL;
    if (twin == NULL || twin->stage != TMPL_TWIN_TRIES) {
        return 0;
    }
    if ((r->status == HTTP_NOT_FOUND && twin->next != NULL) ||
        (ap_is_HTTP_SUCCESS(r->status) && twin->is_page && !is_html && !is_markdown(r))) {
        twin->discarded = r->status;
        return 1;
    }
    return 0;
}

apr_status_t tmpl_twin_discard(tmpl_ctx_t *ctx, apr_bucket_brigade *bb)
{
    const char *data;
    apr_size_t len;
    apr_status_t rv = APR_SUCCESS;
    while (rv == APR_SUCCESS && !APR_BRIGADE_EMPTY(bb)) {
        apr_bucket *e = APR_BRIGADE_FIRST(bb);
        len = 0;
        if (!APR_BUCKET_IS_METADATA(e)) {
            rv = apr_bucket_read(e, &data, &len, APR_BLOCK_READ);
        }
        ctx->length += (apr_off_t)len;
        if (rv == APR_SUCCESS && ctx->length > tmpl_conf_max_body(ctx->conf)) {
            rv = APR_ENOSPC;
        }
        apr_bucket_delete(e);
    }
    return rv;
}

apr_status_t tmpl_twin_filter(ap_filter_t *f, apr_bucket_brigade *bb)
{
    request_rec *r = f->r;
    /* without a ctx the filter was named in a SetOutputFilter */
    if (f->ctx != NULL && ap_is_HTTP_SUCCESS(r->status)) {
        if (tmpl_field(r, "X-Robots-Tag") == NULL) {
            apr_table_setn(r->headers_out, "X-Robots-Tag", "noindex");
        }
        tmpl_link_canonical(r);
    }
    ap_remove_output_filter(f);
    return ap_pass_brigade(f->next, bb);
}
