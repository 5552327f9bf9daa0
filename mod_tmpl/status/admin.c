/* SPDX-License-Identifier: Apache-2.0 */
#include "admin.h"
#include "child_store.h"
#include "messages.h"

/* Bytes of the longest form: a store's name. */
#define FORM_MOST   4096
#define FIELDS_MOST 8

/* The values of the form's field "action". */
typedef enum { FREEZE, UNFREEZE, FORGET, ACTIONS } action_e;

static const char *const actions[ACTIONS] = {
    [FREEZE] = "freeze", [UNFREEZE] = "unfreeze", [FORGET] = "forget"
};

int tmpl_admin_allows(request_rec *r)
{
    const tmpl_conf_t *conf = tmpl_conf_of(r);
    const char *err = NULL;
    return conf->admin != NULL && ap_expr_exec(r, conf->admin, &err) > 0;
}

/*
 * Whether the browser says that a page of this server made the request. A page cannot set these
 * fields. Old browsers send neither with a form of another site, so a request without both is
 * refused, too.
 */
static int is_same_origin(const request_rec *r)
{
    const char *fetch = apr_table_get(r->headers_in, "Sec-Fetch-Site");
    const char *origin = apr_table_get(r->headers_in, "Origin");
    const char *host = apr_table_get(r->headers_in, "Host");
    const char *after = origin != NULL ? ap_strstr_c(origin, "://") : NULL;
    return (fetch != NULL || origin != NULL) &&
           (fetch == NULL || strcmp(fetch, "same-origin") == 0) &&
           (origin == NULL ||
            (after != NULL && host != NULL && ap_cstr_casecmp(after + 3, host) == 0));
}

static int admin_answer(request_rec *r, int status, const char *text)
{
    r->status = status;
    ap_set_content_type(r, "text/plain; charset=utf-8");
    ap_rvputs(r, text, "\n", NULL);
    return OK;
}

/* The fields of the form in the body; none if there is no form, or it is too long. */
static const apr_table_t *read_form(request_rec *r)
{
    apr_table_t *form = apr_table_make(r->pool, FIELDS_MOST);
    apr_array_header_t *pairs = NULL;
    if (ap_parse_form_data(r, NULL, &pairs, FIELDS_MOST, FORM_MOST) != OK || pairs == NULL) {
        return form;
    }
    while (pairs->nelts > 0) {
        const ap_form_pair_t *pair = apr_array_pop(pairs);
        apr_size_t len = FORM_MOST;
        char *value;
        if (apr_brigade_pflatten(pair->value, &value, &len, r->pool) == APR_SUCCESS) {
            apr_table_setn(form, pair->name, apr_pstrmemdup(r->pool, value, len));
        }
    }
    return form;
}

static const char *field(const apr_table_t *form, const char *name)
{
    const char *value = apr_table_get(form, name);
    return value != NULL ? value : "";
}

static const char *user_of(const request_rec *r)
{
    return r->user != NULL ? r->user : "a user without a name";
}

static int carry_out(request_rec *r, const char *location, const char *site, action_e action,
                     const char *name)
{
    tmpl_error_t err;
    tmpl_store_t *store = tmpl_child_store_named(name, &err);
    apr_status_t rv = store == NULL ? err.status
                      : action == FORGET
                          ? tmpl_store_forget(store, site, &err, r->pool)
                          : tmpl_store_freeze(store, site, action == FREEZE, &err, r->pool);
    ap_log_rerror(APLOG_MARK, APLOG_NOTICE, 0, r, TMPL_LOG_ADMIN, user_of(r), r->useragent_ip,
                  actions[action], site, name, rv == APR_SUCCESS ? "done" : err.text);
    if (rv != APR_SUCCESS) {
        return admin_answer(r, rv == APR_NOTFOUND ? HTTP_NOT_FOUND : HTTP_SERVICE_UNAVAILABLE,
                            err.text);
    }
    if (action != FORGET) {
        location =
            apr_pstrcat(r->pool, location, "?site=", ap_escape_urlencoded(r->pool, site), NULL);
    }
    apr_table_setn(r->headers_out, "Location", location);
    return admin_answer(r, HTTP_SEE_OTHER, "It is done.");
}

int tmpl_admin_post(request_rec *r, const char *location, const char *site)
{
    const apr_table_t *form = read_form(r);
    const char *why = !tmpl_admin_allows(r) ? "TmplAdmin does not allow you to change anything."
                      : !is_same_origin(r)
                          ? "The request does not say that it comes from a page of this server."
                          : NULL;
    int action = 0, status = why != NULL ? HTTP_FORBIDDEN : HTTP_BAD_REQUEST;
    while (action < ACTIONS && strcmp(field(form, "action"), actions[action]) != 0) {
        action++;
    }
    if (why == NULL && action < ACTIONS) {
        return carry_out(r, location, site, (action_e)action, field(form, "store"));
    }
    why =
        why != NULL ? why : "The request needs a form whose action is freeze, unfreeze or forget.";
    ap_log_rerror(APLOG_MARK, APLOG_WARNING, 0, r, TMPL_LOG_ADMIN_REFUSED, user_of(r),
                  r->useragent_ip, action < ACTIONS ? actions[action] : "change", site, why);
    return admin_answer(r, status, why);
}
