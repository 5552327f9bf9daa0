/* SPDX-License-Identifier: Apache-2.0 */
#include "lists.h"
#include "child_store.h"
#include "formats.h"
#include "page_links.h"
#include "validators.h"

#include "address/address.h"
#include "table/listed.h"

#define MAX_AGE "max-age=300"

typedef enum { SITEMAP, SITEMAP_MD, LLMS, FEED, KINDS } list_kind_e;

static const struct {
    const char *handler, *end, *type; /* end: of the path; the first that fits counts */
} list_kinds[KINDS] = {
    [SITEMAP] = { "tmpl-sitemap", "", "application/xml; charset=utf-8" },
    [SITEMAP_MD] = { "tmpl-sitemap", ".md", "text/markdown; charset=utf-8" },
    [LLMS] = { "tmpl-sitemap", "/llms.txt", "text/plain; charset=utf-8" },
    [FEED] = { "tmpl-feed", "", "application/atom+xml; charset=utf-8" },
};

static int ends_in(const char *text, const char *end)
{
    size_t len = strlen(text), n = strlen(end);
    return len >= n && strcmp(text + len - n, end) == 0;
}

/* KINDS: none of ours. */
static list_kind_e kind_for(const request_rec *r)
{
    int i = KINDS - 1;
    while (i >= 0 && (r->handler == NULL || strcmp(r->handler, list_kinds[i].handler) != 0 ||
                      !ends_in(r->uri, list_kinds[i].end))) {
        i--;
    }
    return i < 0 ? KINDS : (list_kind_e)i;
}

int tmpl_lists_handles(const request_rec *r)
{
    return kind_for(r) != KINDS;
}

/* The part that the query names; 0 without a query; -1 for any other query. */
static int part_of(const request_rec *r)
{
    static const char name[] = "part=";
    const size_t len = sizeof(name) - 1;
    if (r->args == NULL) {
        return 0;
    }
    /* one digit: there are eight parts */
    return strncmp(r->args, name, len) == 0 && r->args[len] >= '1' &&
                   r->args[len] < '1' + TMPL_SITEMAP_PARTS && r->args[len + 1] == '\0'
               ? r->args[len] - '0'
               : -1;
}

/* The store of the list, whose head is read. NULL: it fails, which is reported. */
static tmpl_store_t *list_begin(tmpl_list_t *list, tmpl_error_t *err)
{
    request_rec *r = list->r;
    const tmpl_conf_t *conf = tmpl_conf_of(r);
    tmpl_child_store_t *ours = tmpl_child_store_of(conf);
    apr_time_t began;
    err->status = APR_SUCCESS;
    list->site = tmpl_site_of(r, conf);
    if (ours == NULL || !tmpl_child_store_takes(ours, list->site, r)) {
        return NULL;
    }
    tmpl_store_t *store = tmpl_child_store_begin(ours, &began);
    if (store == NULL) {
        return NULL;
    }
    err->status =
        tmpl_site_list_read(store, list->site, 0, 0, &list->head, NULL, NULL, err, r->pool);
    if (err->status == APR_NOTFOUND) {
        err->status = APR_SUCCESS; /* an empty list */
    }
    tmpl_health_report(&ours->health, TMPL_PURPOSE_LOOKUP, began, tmpl_clock(), err);
    return err->status == APR_SUCCESS ? store : NULL;
}

static int unavailable(request_rec *r)
{
    apr_table_setn(r->err_headers_out, "Retry-After", "10");
    apr_table_setn(r->err_headers_out, "Cache-Control", "no-store");
    return HTTP_SERVICE_UNAVAILABLE;
}

/* Part of a list has been sent: the client must not take it for the whole. */
static int list_break_off(request_rec *r)
{
    apr_bucket_alloc_t *alloc = r->connection->bucket_alloc;
    apr_bucket_brigade *bb = apr_brigade_create(r->pool, alloc);
    APR_BRIGADE_INSERT_TAIL(bb, ap_bucket_error_create(HTTP_BAD_GATEWAY, NULL, r->pool, alloc));
    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_eos_create(alloc));
    (void)ap_pass_brigade(r->output_filters, bb);
    r->connection->keepalive = AP_CONN_CLOSE;
    return DONE;
}

static apr_status_t list_send(tmpl_list_t *list, list_kind_e kind, int part, tmpl_error_t *err)
{
    return kind == SITEMAP      ? tmpl_sitemap_send(list, part, err)
           : kind == FEED       ? tmpl_feed_send(list, err)
           : kind == SITEMAP_MD ? tmpl_outline_send(list, TMPL_OUTLINE_SITEMAP, err)
                                : tmpl_outline_send(list, TMPL_OUTLINE_LLMS, err);
}

/* The list's entity tag, as the client has it: perhaps with the suffix of a compressing filter. */
static const char *list_tag(const tmpl_list_t *list)
{
    request_rec *r = list->r;
    const char *etag =
        apr_psprintf(r->pool, "\"%x-%x-%x\"", list->head.since, list->head.edition, list->head.n);
    const char *named = apr_table_getm(r->pool, r->headers_in, "If-None-Match");
    const char *held = named != NULL ? tmpl_etag_listed(named, etag, NULL, r->pool) : NULL;
    return held != NULL ? held : etag;
}

/* Sends the list with its validators. */
static int list_answer(tmpl_list_t *list, list_kind_e kind, int part)
{
    request_rec *r = list->r;
    tmpl_error_t err;
    apr_atomic_inc32(&tmpl_child_stores_users);
    list->store = list_begin(list, &err);
    apr_atomic_dec32(&tmpl_child_stores_users);
    if (list->store == NULL) {
        return unavailable(r);
    }
    ap_set_content_type(r, list_kinds[kind].type);
    apr_table_setn(r->headers_out, "Cache-Control", MAX_AGE);
    apr_table_setn(r->headers_out, "ETag", list_tag(list));
    int status = ap_meets_conditions(r);
    if (status != OK || r->header_only) {
        return status;
    }
    if (list_send(list, kind, part, &err) == APR_SUCCESS) {
        return OK;
    }
    return kind == SITEMAP ? list_break_off(r) : unavailable(r);
}

int tmpl_lists_handler(request_rec *r)
{
    list_kind_e kind = kind_for(r);
    tmpl_list_t list = { .r = r, .now = (apr_uint32_t)apr_time_sec(r->request_time) };
    int part = part_of(r);
    if (kind == KINDS) {
        return DECLINED;
    }
    ap_allow_methods(r, REPLACE_ALLOW, "GET", NULL);
    if (r->method_number != M_GET) {
        return HTTP_METHOD_NOT_ALLOWED;
    }
    if (part < 0 || (part > 0 && kind != SITEMAP)) {
        return HTTP_NOT_FOUND;
    }
    list.origin = tmpl_address_spell(tmpl_canonical_url("", r, r->pool), r->pool);
    return list_answer(&list, kind, part);
}
