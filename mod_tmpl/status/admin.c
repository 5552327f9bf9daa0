/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include <apr_crypto.h>
#include <apr_siphash.h>

#include "admin.h"
#include "child_store.h"
#include "messages.h"
#include "section.h"
#include "shm.h"

#include "table/export_file.h"

/* Bytes of the longest form: a store's name and a token. */
#define FORM_MOST    4096
#define FIELDS_MOST  8
#define LOOK_TIMEOUT apr_time_from_sec(2)

/* An action that is being carried out. */
typedef struct {
    request_rec *r;
    const char *location;
    const char *site;
    tmpl_store_t *store;
    tmpl_error_t err;
} admin_t;

static const unsigned char *key; /* NULL: no shared memory, so no token is good */

void tmpl_admin_create(server_rec *s)
{
    static const unsigned char none[APR_SIPHASH_KSIZE];
    unsigned char *memory = tmpl_shm(s, "admin", APR_SIPHASH_KSIZE);

    if (memory != NULL && memcmp(memory, none, sizeof(none)) == 0 &&
        apr_generate_random_bytes(memory, APR_SIPHASH_KSIZE) != APR_SUCCESS) {
        memory = NULL;
    }
    key = memory;
}

int tmpl_admin_allows(request_rec *r)
{
    const tmpl_conf_t *conf = tmpl_conf_of(r);
    const char *err = NULL;

    return key != NULL && conf->admin != NULL && ap_expr_exec(r, conf->admin, &err) > 0;
}

void tmpl_admin_token(char token[TMPL_TOKEN_SIZE], const request_rec *r, const char *site,
                      const char *store)
{
    unsigned char mac[APR_SIPHASH_DSIZE];
    /* the lengths make sure that two different triples never give the same text */
    const char *text =
        apr_psprintf(r->pool, "%" APR_SIZE_T_FMT ":%s%" APR_SIZE_T_FMT ":%s%s", strlen(site), site,
                     strlen(store), store, r->user != NULL ? r->user : "");

    apr_siphash24_auth(mac, text, strlen(text), key);
    ap_bin2hex(mac, sizeof(mac), token);
}

/*
 * Whether the browser says that another site's page made the request. A page cannot set
 * Sec-Fetch-Site; if this field is missing, Origin says where the page is from. A client that sends
 * neither field is no browser.
 */
static int is_cross_site(const request_rec *r)
{
    const char *fetch = apr_table_get(r->headers_in, "Sec-Fetch-Site");
    const char *origin = apr_table_get(r->headers_in, "Origin");
    const char *host = apr_table_get(r->headers_in, "Host");
    const char *after = origin != NULL ? ap_strstr_c(origin, "://") : NULL;

    return (fetch != NULL && strcmp(fetch, "same-origin") != 0) ||
           (origin != NULL &&
            (after == NULL || host == NULL || ap_cstr_casecmp(after + 3, host) != 0));
}

static int admin_answer(request_rec *r, int status, const char *text)
{
    r->status = status;
    ap_set_content_type(r, "text/plain; charset=utf-8");
    ap_rvputs(r, text, "\n", NULL);
    return OK;
}

/* ---- actions: each returns APR_SUCCESS, or fills err ---- */

static apr_status_t export(admin_t *admin)
{
    request_rec *r = admin->r;
    tmpl_export_file_t table;
    char *bytes = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&bytes, &len);
    apr_status_t rv = out == NULL ? tmpl_fail(&admin->err, APR_ENOMEM, "no memory")
                                  : tmpl_export_file_fill(&table, admin->store, admin->site,
                                                          LOOK_TIMEOUT, &admin->err, r->pool);

    if (rv == APR_SUCCESS) {
        rv = tmpl_export_file_write(out, admin->site, &table, &admin->err);
    }
    if (out != NULL) {
        (void)fclose(out);
    }
    if (rv == APR_SUCCESS) {
        ap_set_content_type(r, "application/x-ndjson");
        apr_table_setn(r->headers_out, "Content-Disposition",
                       "attachment; filename=\"site.tmpl.jsonl\"");
        ap_rwrite(bytes, (int)len, r);
    }
    free(bytes);
    return rv;
}

/* The values of the form's field "action". */
static int is_action(const char *name)
{
    return strcmp(name, "export") == 0 || strcmp(name, "freeze") == 0 ||
           strcmp(name, "unfreeze") == 0 || strcmp(name, "forget") == 0;
}

static apr_status_t carry_out(admin_t *admin, const char *action)
{
    apr_pool_t *pool = admin->r->pool;
    tmpl_error_t *err = &admin->err;

    return admin->store == NULL            ? err->status
           : strcmp(action, "export") == 0 ? export(admin)
           : strcmp(action, "forget") == 0
               ? tmpl_store_forget(admin->store, admin->site, err, pool)
               : tmpl_store_freeze(admin->store, admin->site, strcmp(action, "freeze") == 0, err,
                                   pool);
}

/* ---- requests ---- */

/* The fields of the form in the body; NULL: there is none, or it is too long. */
static const apr_table_t *read_form(request_rec *r)
{
    apr_table_t *form = apr_table_make(r->pool, FIELDS_MOST);
    apr_array_header_t *pairs = NULL;

    if (ap_parse_form_data(r, NULL, &pairs, FIELDS_MOST, FORM_MOST) != OK || pairs == NULL) {
        return NULL;
    }
    while (pairs->nelts > 0) {
        const ap_form_pair_t *pair = apr_array_pop(pairs);
        apr_size_t len = FORM_MOST;
        char *value;

        if (apr_brigade_pflatten(pair->value, &value, &len, r->pool) != APR_SUCCESS) {
            return NULL;
        }
        apr_table_setn(form, pair->name, apr_pstrmemdup(r->pool, value, len));
    }
    return form;
}

static const char *field(const apr_table_t *form, const char *name)
{
    const char *value = form != NULL ? apr_table_get(form, name) : NULL;

    return value != NULL ? value : "";
}

static const char *user_of(const request_rec *r)
{
    return r->user != NULL ? r->user : "a user without a name";
}

static int admin_run(admin_t *admin, const char *action, const char *store)
{
    request_rec *r = admin->r;

    admin->store = tmpl_child_store_named(store, &admin->err);
    apr_status_t rv = carry_out(admin, action);
    ap_log_rerror(APLOG_MARK, APLOG_NOTICE, 0, r, TMPL_LOG_ADMIN, user_of(r), r->useragent_ip,
                  action, admin->site, store, rv == APR_SUCCESS ? "done" : admin->err.text);
    if (rv != APR_SUCCESS) {
        return admin_answer(r, rv == APR_NOTFOUND ? HTTP_NOT_FOUND : HTTP_SERVICE_UNAVAILABLE,
                            admin->err.text);
    }
    if (strcmp(action, "export") == 0) {
        return OK; /* it has sent its answer */
    }
    apr_table_setn(r->headers_out, "Location",
                   strcmp(action, "forget") == 0
                       ? admin->location
                       : apr_pstrcat(r->pool, admin->location,
                                     "?site=", ap_escape_urlencoded(r->pool, admin->site), NULL));
    return admin_answer(r, HTTP_SEE_OTHER, "It is done.");
}

/* Says why the request for an action is refused, with the status; NULL: it is allowed. */
static const char *why_not(const admin_t *admin, const apr_table_t *form, const char *action,
                           int *status)
{
    char token[TMPL_TOKEN_SIZE];

    *status = HTTP_FORBIDDEN;
    if (!tmpl_admin_allows(admin->r)) {
        return "TmplAdmin does not allow you to change anything.";
    }
    if (is_cross_site(admin->r)) {
        return "The request comes from a page of another site.";
    }
    if (form == NULL) {
        *status = HTTP_BAD_REQUEST;
        return "The request has no form, or one that is too long.";
    }
    tmpl_admin_token(token, admin->r, admin->site, field(form, "store"));
    if (strlen(field(form, "token")) != sizeof(token) - 1 ||
        !apr_crypto_equals(field(form, "token"), token, sizeof(token))) {
        return "The form is older than the start of httpd, or was not made for you: load the "
               "site's page again.";
    }
    *status = HTTP_BAD_REQUEST;
    return is_action(action) ? NULL : "action must be export, freeze, unfreeze or forget.";
}

int tmpl_admin_post(request_rec *r, const char *location, const char *site)
{
    admin_t admin = { .r = r, .location = location, .site = site };
    const apr_table_t *form = read_form(r);
    const char *action = field(form, "action");
    int status;
    const char *why = why_not(&admin, form, action, &status);
    if (why == NULL) {
        return admin_run(&admin, action, field(form, "store"));
    }
    ap_log_rerror(APLOG_MARK, APLOG_WARNING, 0, r, TMPL_LOG_ADMIN_REFUSED, user_of(r),
                  r->useragent_ip, is_action(action) ? action : "change", site, why);
    return admin_answer(r, status, why);
}
