/* SPDX-License-Identifier: Apache-2.0 */
#include "handler.h"
#include "child_store.h"
#include "data.h"
#include "fill.h"
#include "messages.h"

#include "base/buf.h"

/* The content of a file as a string; its path is from where make runs. */
#define HANDLER_FILE(name, path)                                                                   \
    __asm__(".pushsection .rodata\n" #name ":\n.incbin \"" path "\"\n.byte 0\n.popsection\n")

HANDLER_FILE(tmpl_status_html, "mod_tmpl/status/status.html");
HANDLER_FILE(tmpl_status_metrics, "mod_tmpl/status/status.metrics");
extern const char tmpl_status_html[] __attribute__((visibility("hidden")));
extern const char tmpl_status_metrics[] __attribute__((visibility("hidden")));

/* ---- what a form may change ---- */

/*
 * TmplAdmin: a site of a store is forgotten or frozen, by a form of the site's page. A request must
 * be a POST that TmplAdmin allows, and come from a page of this server. Each action is logged, and
 * so is each request that is refused.
 */

/* Bytes of the longest form: a store's name. */
#define FORM_MOST   4096
#define FIELDS_MOST 8

/* The values of the form's field "action". */
typedef enum { FREEZE, UNFREEZE, FORGET, ACTIONS } action_e;

static const char *const actions[ACTIONS] = {
    [FREEZE] = "freeze", [UNFREEZE] = "unfreeze", [FORGET] = "forget"
};

/* Whether TmplAdmin allows r to change anything. */
static int admin_allows(request_rec *r)
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

/*
 * Answers a POST about a site: with a redirect to the site's page, or, after forget, to location;
 * or with 403 or another status and a sentence that says what is wrong.
 */
static int admin_post(request_rec *r, const char *location, const char *site)
{
    const apr_table_t *form = read_form(r);
    const char *why = !admin_allows(r) ? "TmplAdmin does not allow you to change anything."
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

/* ---- answers ---- */

#define NONCE_BYTES 16

/* Allows the page's own style and forms, and nothing else. */
static const char *allow_style(request_rec *r)
{
    unsigned char bytes[NONCE_BYTES];
    char *nonce = apr_palloc(r->pool, 2 * NONCE_BYTES + 1);
    (void)apr_generate_random_bytes(bytes, sizeof(bytes));
    ap_bin2hex(bytes, sizeof(bytes), nonce);
    apr_table_setn(r->headers_out, "Content-Security-Policy",
                   apr_pstrcat(r->pool, "default-src 'none'; style-src 'nonce-", nonce,
                               "'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
                               NULL));
    apr_table_setn(r->headers_out, "Referrer-Policy", "same-origin");
    return nonce;
}

static const char *escape_html(apr_pool_t *pool, const char *text)
{
    return ap_escape_html(pool, text);
}

/* {{>NAME|COLUMN|COLUMN...}}: a table, in a box that scrolls, with a name; #COLUMN has numbers. */
static void begin_table(request_rec *r, char *text)
{
    const char *name = strsep(&text, "|");
    ap_rvputs(r, "<div class=\"scroll\" role=\"region\" aria-label=\"", name,
              "\" tabindex=\"0\"><table>\n<thead><tr>", NULL);
    while ((name = strsep(&text, "|")) != NULL) {
        int is_number = *name == '#';
        ap_rvputs(r, "<th scope=\"col\"", is_number ? " class=\"number\">" : ">", name + is_number,
                  "</th>", NULL);
    }
    ap_rputs("</tr></thead>\n<tbody>\n", r);
}

/*
 * Sends data as a page, with the response's fields; adds members to data. title is Status or
 * Site, for what tmpl_data_server() or tmpl_data_site() returned. The page loads nothing else and
 * has no script, and works under the Content-Security-Policy that it is sent with.
 */
static void send_page(request_rec *r, const char *title, json_t *data, const char *location)
{
    static const tmpl_language_t html = { escape_html, begin_table };
    /* status.html has parts for each title */
    json_object_update_new(data, json_pack("{s:b, s:s, s:s, s:b, s:s, s:o}", title, 1, "title",
                                           title, "any", "any", "is_admin", admin_allows(r),
                                           "nonce", allow_style(r), "host",
                                           tmpl_json_text(ap_get_server_name(r), r->pool)));
    /* links need its very bytes */
    json_object_set_new(data, "location", json_string_nocheck(location));
    ap_set_content_type(r, "text/html; charset=utf-8");
    tmpl_fill(r, tmpl_status_html, data, &html);
}

static const char *escape_label(apr_pool_t *pool, const char *text)
{
    return tmpl_escape(text, "\\\"\n", pool);
}

/* {{>NAME|TYPE|HELP}}: a metric. */
static void begin_metric(request_rec *r, char *text)
{
    const char *name = strsep(&text, "|"), *type = strsep(&text, "|");
    const char *suffix = strcmp(type, "counter") == 0 ? "_total" : "";
    ap_rvputs(r, "# HELP tmpl_", name, suffix, " ", text, "\n# TYPE tmpl_", name, suffix, " ", type,
              "\n", NULL);
}

/*
 * Sends data, of tmpl_data_server(), in the Prometheus text format 0.0.4. No label has a page's
 * path. A label has a site only if TmplMetricsSites names it.
 */
static void send_metrics(request_rec *r, json_t *data)
{
    static const tmpl_language_t metrics = { escape_label, begin_metric };
    json_object_set_new(data, "total_stage", json_string("total"));
    ap_set_content_type(r, "text/plain; version=0.0.4; charset=utf-8");
    tmpl_fill(r, tmpl_status_metrics, data, &metrics);
}

/* ---- requests ---- */

/* The number of decisions on a page; JSON has all of them. */
#define DECISIONS_MOST 100

/* A request as the handler has read it. */
typedef struct {
    request_rec *r;
    const char *location; /* the path, without /metrics or a slash at its end */
    int is_metrics;
    apr_table_t *args; /* format, site and declined: "" if the query does not have it */
} asked_t;

int tmpl_status_handles(const request_rec *r)
{
    return r->handler != NULL && strcmp(r->handler, TMPL_STATUS_HANDLER) == 0;
}

/* Sends an answer that says what is wrong, and what a request can ask for. */
static int handler_refuse(const asked_t *asked, int status, const char *text)
{
    const char *at = asked->location;
    asked->r->status = status;
    ap_set_content_type(asked->r, "text/plain; charset=utf-8");
    ap_rprintf(asked->r,
               "%s\nThere is:\n  %s\n  %s?format=html or json\n  %s/metrics\n"
               "  %s?declined=any, or a reason\n  %s?site=SITE\n",
               text, at, at, at, at, at);
    return OK;
}

static void read_path(asked_t *asked)
{
    static const char metrics[] = "/metrics";
    const char *uri = asked->r->uri;
    apr_size_t len = strlen(uri), end = sizeof(metrics) - 1;
    asked->is_metrics = len >= end && strcmp(uri + len - end, metrics) == 0;
    len -= asked->is_metrics ? end : len > 0 && uri[len - 1] == '/';
    asked->location = apr_pstrmemdup(asked->r->pool, uri, len);
}

/* Reads the query, whose values may hold any byte but 0. Returns 0 if a name is not known. */
static int read_arguments(asked_t *asked)
{
    static const char *const names[] = { "format", "site", "declined" };
    apr_pool_t *pool = asked->r->pool;
    char *rest = apr_pstrdup(pool, asked->r->args != NULL ? asked->r->args : "");
    char *name, *state;
    asked->args = apr_table_make(pool, 4);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        apr_table_setn(asked->args, names[i], "");
    }
    for (; (name = apr_strtok(rest, "&", &state)) != NULL; rest = NULL) {
        char *value = strchr(name, '=');
        if (value == NULL || ap_unescape_urlencoded(value + 1) != OK) {
            return 0;
        }
        *value = '\0';
        if (apr_table_get(asked->args, name) == NULL) {
            return 0;
        }
        apr_table_setn(asked->args, name, value + 1);
    }
    return 1;
}

/* Whether JSON is asked for, by the query, else by Accept. */
static int wants_json(const asked_t *asked)
{
    const char *format = apr_table_get(asked->args, "format");
    const char *accept = apr_table_getm(asked->r->pool, asked->r->headers_in, "Accept");
    return *format != '\0' ? strcmp(format, "json") == 0
                           : accept != NULL && ap_strcasestr(accept, "text/html") == NULL &&
                                 ap_strcasestr(accept, "application/json") != NULL;
}

static void send_json(request_rec *r, const json_t *data)
{
    char *text = json_dumps(data, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    ap_set_content_type(r, "application/json");
    ap_rvputs(r, text, "\n", NULL);
    free(text);
}

static int handler_answer(const asked_t *asked)
{
    const char *site = apr_table_get(asked->args, "site");
    int is_json = wants_json(asked), is_site = *site != '\0';
    size_t most = is_json ? SIZE_MAX : DECISIONS_MOST;
    json_t *data = is_site
                       ? tmpl_data_site(asked->r, site, most)
                       : tmpl_data_server(asked->r, apr_table_get(asked->args, "declined"), most);
    if (data == NULL) {
        return is_site
                   ? handler_refuse(asked, HTTP_NOT_FOUND,
                                    "No site has this key: none was seen, or learnt.")
                   : handler_refuse(asked, HTTP_BAD_REQUEST, "declined must be any, or a reason.");
    }
    apr_table_mergen(asked->r->headers_out, "Vary", "Accept");
    if (asked->is_metrics) {
        send_metrics(asked->r, data);
    }
    else if (is_json) {
        send_json(asked->r, data);
    }
    else {
        send_page(asked->r, is_site ? "Site" : "Status", data, asked->location);
    }
    json_decref(data);
    return OK;
}

int tmpl_status_handler(request_rec *r)
{
    asked_t asked = { .r = r };
    if (!tmpl_status_handles(r)) {
        return DECLINED;
    }
    ap_allow_methods(r, REPLACE_ALLOW, "GET", "POST", NULL);
    if (r->method_number != M_GET && r->method_number != M_POST) {
        return HTTP_METHOD_NOT_ALLOWED;
    }
    apr_table_setn(r->headers_out, "Cache-Control", "no-store");
    apr_table_setn(r->headers_out, "X-Content-Type-Options", "nosniff");
    read_path(&asked);
    if (!read_arguments(&asked)) {
        return handler_refuse(&asked, HTTP_BAD_REQUEST,
                              "The query cannot be read, or has a name that is not known.");
    }
    const char *site = apr_table_get(asked.args, "site");
    if (r->method_number == M_POST) {
        return *site != '\0'
                   ? admin_post(r, asked.location, site)
                   : handler_refuse(&asked, HTTP_BAD_REQUEST, "A POST must name a site: ?site=.");
    }
    const char *format = apr_table_get(asked.args, "format");
    if (*format != '\0' &&
        (asked.is_metrics || (strcmp(format, "html") != 0 && strcmp(format, "json") != 0))) {
        return handler_refuse(&asked, HTTP_BAD_REQUEST, "This page has no such format.");
    }
    if (asked.is_metrics && *site != '\0') {
        return handler_refuse(&asked, HTTP_NOT_FOUND, "A site has no metrics: TmplMetricsSites.");
    }
    return handler_answer(&asked);
}
