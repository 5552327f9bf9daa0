/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the backend is asked for: no compression that cannot be undone here, no range of a page that
 * is to be changed, and validators of the backend's own page.
 *
 * mod_proxy has a hook for this, but runs it for HTTP/1 only. So the request's own fields are
 * changed before mod_proxy reads them, whatever protocol it speaks, and are restored before
 * anything reads the answer.
 */
#include "request.h"
#include "accept.h"
#include "control.h"
#include "fields.h"
#include "lists/lists.h"
#include "validators.h"

/* The fields that are changed. */
static const char *const changed[] = {
    "Accept-Encoding", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "Range", NULL
};

/* Whether text begins with one of the prefixes, in any case. The list ends in NULL. */
static int begins_with(const char *text, const char *const *prefixes)
{
    while (*prefixes != NULL && ap_cstr_casecmpn(text, *prefixes, strlen(*prefixes)) != 0) {
        prefixes++;
    }
    return *prefixes != NULL;
}

/* Whether the answer may be a page, as far as the request shows. */
static int may_be_page(const request_rec *r)
{
    static const char *const others[] = { "image/",
                                          "video/",
                                          "audio/",
                                          "font/",
                                          "application/pdf",
                                          "application/zip",
                                          "application/octet-stream",
                                          NULL };
    static const char *const wanted[] = { "image",  "video", "audio",    "font", "style",
                                          "script", "track", "manifest", NULL };
    const char *destination = apr_table_get(r->headers_in, "Sec-Fetch-Dest");
    /* the type is mod_mime's guess from the name */
    return (r->content_type == NULL || !begins_with(r->content_type, others)) &&
           (destination == NULL || !begins_with(destination, wanted));
}

int tmpl_request_names_page(const request_rec *r)
{
    static const char *const pages[] = { "text/html", "application/xhtml+xml", DIR_MAGIC_TYPE,
                                         "application/x-httpd-", NULL };
    return r->content_type == NULL || begins_with(r->content_type, pages);
}

/* Whether a field has a tag that was made of what was sent: the backend does not know it. */
static int has_content_tag(request_rec *r, const char *field, const tmpl_conf_t *conf)
{
    const char *list = apr_table_getm(r->pool, r->headers_in, field);
    return tmpl_conf_tags_content(conf) && list != NULL &&
           tmpl_etag_names_variant(list, tmpl_conf_variant(conf, r->pool), r->pool);
}

/*
 * Whether the backend may be asked for a range. A range of a page cannot be changed as the whole
 * page is: a client would get bytes of another representation than it has, and a crawler that
 * requests ranges would get unchanged pages. A client that names a strong tag of the backend has
 * the backend's own representation (RFC 9110, 13.1.5). For a weak tag no range may be sent. A date
 * may be from before pages were changed.
 */
static int may_be_part(request_rec *r, const tmpl_conf_t *conf)
{
    const char *condition = apr_table_get(r->headers_in, "If-Range");
    if (condition != NULL && *condition == '"') {
        return !has_content_tag(r, "If-Range", conf);
    }
    return (condition == NULL || strncmp(condition, "W/", 2) != 0) && !tmpl_request_names_page(r);
}

/*
 * Leaves gzip and identity in Accept-Encoding, with their weights: what can be undone here, and by
 * httpd's INFLATE for other filters, which knows gzip only.
 */
static void accept_readable(request_rec *r)
{
    static const char name[] = "Accept-Encoding";
    apr_array_header_t *readable = apr_array_make(r->pool, 4, sizeof(const char *));
    const char *rest = apr_table_getm(r->pool, r->headers_in, name);
    if (rest == NULL) {
        return;
    }
    while (*(rest += strspn(rest, ", \t")) != '\0') {
        const char *item = rest, *coding;
        rest += strcspn(rest, ",");
        coding = apr_pstrmemdup(r->pool, item, strcspn(item, ";, \t"));
        if (ap_cstr_casecmp(coding, "gzip") == 0 || ap_cstr_casecmp(coding, "x-gzip") == 0 ||
            ap_cstr_casecmp(coding, "identity") == 0) {
            tmpl_field_list_add(readable, apr_pstrmemdup(r->pool, item, (apr_size_t)(rest - item)));
        }
    }
    apr_table_setn(r->headers_in, name,
                   readable->nelts > 0 ? apr_array_pstrcat(r->pool, readable, ',') : "identity");
}

/* Adds HTML to Accept: variants are made of HTML, so a choice by Accept must be able to be HTML. */
static void accept_html(request_rec *r)
{
    const char *accept = apr_table_getm(r->pool, r->headers_in, "Accept");
    if (accept != NULL) {
        tmpl_request_t *record = tmpl_request_of(r);
        record->accept = accept;
        record->html = tmpl_accept_html(accept, tmpl_conf_offers(tmpl_conf_of(r)), r->pool);
        apr_table_setn(r->headers_in, "Accept", record->html);
    }
}

/*
 * Replaces the variant's tags in If-None-Match by the backend's, unless they were made of what was
 * sent; the tags that keep names stay. If
 * the mode sends another type than HTML, drops the tags of other variants: the tag of an HTML page
 * must not confirm a body that is not HTML.
 */
static void translate_tags(request_rec *r, const tmpl_conf_t *conf, unsigned keep)
{
    const char *list = apr_table_getm(r->pool, r->headers_in, "If-None-Match");
    if (list == NULL) {
        return;
    }
    const char *variant = tmpl_conf_variant(conf, r->pool);
    keep |= tmpl_conf_type(conf) == NULL ? TMPL_TAGS_OTHERS : 0;
    keep |= tmpl_conf_tags_content(conf) ? 0 : TMPL_TAGS_BACKENDS;
    const char *other = tmpl_etag_for_backend(list, variant, keep, r->pool);
    if (other == NULL) {
        apr_table_unset(r->headers_in, "If-None-Match");
    }
    else if (other != list) {
        apr_table_setn(r->headers_in, "If-None-Match", other);
    }
}

/*
 * The backend compares a date with its own page. It does not know that other parts are cut today,
 * or that the client's copy is from before pages were changed. If the URI does not name a page, the
 * date stays.
 */
static void drop_date(request_rec *r)
{
    if (may_be_page(r) && tmpl_request_names_page(r)) {
        apr_table_unset(r->headers_in, "If-Modified-Since");
    }
}

/*
 * <If> adds to Vary the fields that its expression reads, whether the expression is true or not. A
 * response in mode off needs these fields in Vary, too: another request for the same page may have
 * another mode. A proxy replaces headers_out by its backend's fields, so Vary is copied to
 * err_headers_out, where it stays. httpd's header filter removes duplicates.
 */
static void keep_vary(request_rec *r)
{
    const char *vary = apr_table_getm(r->pool, r->headers_out, "Vary");
    if (vary != NULL) {
        apr_table_mergen(r->err_headers_out, "Vary", vary);
    }
}

/* Whether mod_proxy will handle r: by its URI, or by a SetHandler, as for FastCGI scripts. */
static int is_proxied(const request_rec *r)
{
    static const char scheme[] = "proxy:";
    return r->proxyreq != PROXYREQ_NONE ||
           (r->handler != NULL && strncmp(r->handler, scheme, sizeof(scheme) - 1) == 0);
}

/* The mode of the variant that r prefers to HTML; TMPL_MODE_OFF: none. */
static tmpl_mode_e mode_asked_for(request_rec *r)
{
    unsigned offers = tmpl_conf_offers(tmpl_conf_of(r));
    return offers != 0 ? tmpl_accept_mode(apr_table_getm(r->pool, r->headers_in, "Accept"), offers)
                       : TMPL_MODE_OFF;
}

/* If r prefers a variant, gives r a copy of its section in that mode, as an <If> would do. */
static void negotiate(request_rec *r)
{
    tmpl_mode_e mode = mode_asked_for(r);
    if (mode != TMPL_MODE_OFF) {
        ap_conf_vector_t *inner = ap_create_per_dir_config(r->pool);
        tmpl_conf_t *conf = tmpl_conf_create(r->pool, NULL);
        conf->mode = mode;
        ap_set_module_config(inner, &tmpl_module, conf);
        r->per_dir_config = ap_merge_per_dir_configs(r->pool, r->per_dir_config, inner);
    }
}

int tmpl_request_type_checker(request_rec *r)
{
    if (r->prev != NULL) {
        /* an internal redirect, such as to an ErrorDocument: both requests share the fields */
        tmpl_request_restore(r->prev);
    }
    if (r->main == NULL && mode_asked_for(r) != TMPL_MODE_OFF) {
        accept_html(r);
    }
    return DECLINED;
}

int tmpl_request_fixups(request_rec *r)
{
    tmpl_request_restore(r);
    /* a list has tags of its own, whatever the mode of pages is */
    if (r->main != NULL || !tmpl_conf_is_used_by(r->server) || tmpl_lists_handles(r)) {
        return DECLINED;
    }
    keep_vary(r);
    negotiate(r);
    const tmpl_conf_t *conf = tmpl_request_conf(r);
    if (tmpl_conf_edits(conf) && !is_proxied(r) && !tmpl_control_is_off(r) &&
        tmpl_script_field(r, conf) == NULL) {
        /*
         * httpd's own handlers compare the backend's tag, mod_cache the module's: the list has both
         */
        translate_tags(r, conf, TMPL_TAGS_OURS);
        drop_date(r);
    }
    if (tmpl_conf_mode(conf) == TMPL_MODE_HIGHLIGHT) {
        /* it has no validators: a copy that the client has is of another mode */
        apr_table_unset(r->headers_in, "If-None-Match");
        apr_table_unset(r->headers_in, "If-Modified-Since");
    }
    return DECLINED;
}

int tmpl_request_handler(request_rec *r)
{
    const tmpl_conf_t *conf = tmpl_request_conf(r);
    if (r->main != NULL || tmpl_conf_mode(conf) == TMPL_MODE_OFF || tmpl_control_is_off(r) ||
        !may_be_page(r) || tmpl_script_field(r, conf) != NULL) {
        return DECLINED;
    }
    if (tmpl_conf_offers(conf) != 0 && tmpl_conf_type(conf) != NULL) {
        accept_html(r);
    }
    if (!is_proxied(r)) {
        return DECLINED;
    }
    tmpl_request_of(r)->sent = tmpl_fields_copy(r->headers_in, changed, r->pool);
    accept_readable(r);
    if (tmpl_conf_edits(conf)) {
        if (!may_be_part(r, conf)) {
            /* httpd answers ranges from the changed page */
            apr_table_unset(r->headers_in, "Range");
            apr_table_unset(r->headers_in, "If-Range");
        }
        if (r->method_number == M_GET && has_content_tag(r, "If-Match", conf)) {
            apr_table_unset(r->headers_in, "If-Match");
        }
        translate_tags(r, conf, 0);
        drop_date(r);
    }
    return DECLINED;
}

void tmpl_request_restore(request_rec *r)
{
    tmpl_request_t *record = tmpl_request_of(r);
    /* RequestHeader may have changed Accept since */
    if (record->html != NULL && apr_table_get(r->headers_in, "Accept") == record->html) {
        apr_table_setn(r->headers_in, "Accept", record->accept);
    }
    record->html = NULL;
    if (record->sent != NULL) {
        tmpl_fields_restore(r->headers_in, changed, record->sent);
        record->sent = NULL;
    }
}
