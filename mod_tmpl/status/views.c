/* SPDX-License-Identifier: Apache-2.0 */
#include "admin.h"
#include "fill.h"
#include "views.h"

#include "base/buf.h"

TMPL_FILE(tmpl_status_html, "mod_tmpl/status/status.html");
TMPL_FILE(tmpl_status_metrics, "mod_tmpl/status/status.metrics");
extern const char tmpl_status_html[] __attribute__((visibility("hidden")));
extern const char tmpl_status_metrics[] __attribute__((visibility("hidden")));

#define NONCE_BYTES 16

/* ---- the page ---- */

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

/* For who may use them, adds the tokens of the forms about a site's tables. */
static void add_tokens(json_t *data, request_rec *r)
{
    const char *query = json_string_value(json_object_get(data, "query"));
    char *key = apr_pstrdup(r->pool, query), token[TMPL_TOKEN_SIZE];
    json_t *table;
    size_t i;

    if (key == NULL || !tmpl_admin_allows(r)) {
        return;
    }
    (void)ap_unescape_urlencoded(key);
    json_array_foreach(json_object_get(data, "tables"), i, table)
    {
        tmpl_admin_token(token, r, key, json_string_value(json_object_get(table, "store")));
        json_object_set_new(table, "token", json_string(token));
    }
}

static const char *escape_html(apr_pool_t *pool, const char *text)
{
    return ap_escape_html(pool, text);
}

/* {{>CAPTION|COLUMN|COLUMN...}}: a table, in a box that scrolls; #COLUMN has numbers. */
static void begin_table(request_rec *r, const json_t *data, char *text)
{
    const char *name = strsep(&text, "|");

    (void)data;
    ap_rvputs(r, "<div class=\"scroll\" role=\"region\" aria-label=\"", name,
              "\" tabindex=\"0\"><table>\n<caption>", name, "</caption>\n<thead><tr>", NULL);
    while ((name = strsep(&text, "|")) != NULL) {
        int is_number = *name == '#';

        ap_rvputs(r, "<th scope=\"col\"", is_number ? " class=\"number\">" : ">", name + is_number,
                  "</th>", NULL);
    }
    ap_rputs("</tr></thead>\n<tbody>\n", r);
}

void tmpl_view_page(request_rec *r, const char *title, json_t *data, const char *location)
{
    static const tmpl_language_t html = { escape_html, begin_table };

    add_tokens(data, r);
    /* status.html has parts for each title */
    json_object_update_new(data, json_pack("{s:b, s:s, s:s, s:s, s:o}", title, 1, "title", title,
                                           "any", "any", "nonce", allow_style(r), "host",
                                           tmpl_json_text(ap_get_server_name(r), r->pool)));
    /* links need its very bytes */
    json_object_set_new(data, "location", json_string_nocheck(location));
    ap_set_content_type(r, "text/html; charset=utf-8");
    tmpl_fill(r, tmpl_status_html, data, &html);
}

/* ---- metrics ---- */

static const char *escape_label(apr_pool_t *pool, const char *text)
{
    return tmpl_escape(text, "\\\"\n", pool);
}

/* {{>NAME|TYPE|HELP}}: a metric. Only OpenMetrics names a counter without its suffix. */
static void begin_metric(request_rec *r, const json_t *data, char *text)
{
    const char *name = strsep(&text, "|"), *type = strsep(&text, "|");
    const char *suffix =
        strcmp(type, "counter") == 0 && !json_object_get(data, "is_open") ? "_total" : "";

    ap_rvputs(r, "# HELP tmpl_", name, suffix, " ", text, "\n# TYPE tmpl_", name, suffix, " ", type,
              "\n", NULL);
}

void tmpl_view_metrics(request_rec *r, json_t *data)
{
    static const tmpl_language_t metrics = { escape_label, begin_metric };
    const char *accept = apr_table_getm(r->pool, r->headers_in, "Accept");

    if (accept != NULL && ap_strcasestr(accept, "application/openmetrics-text") != NULL) {
        json_object_set_new(data, "is_open", json_true());
    }
    json_object_set_new(data, "total_stage", json_string("total"));
    ap_set_content_type(r, json_object_get(data, "is_open")
                               ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                               : "text/plain; version=0.0.4; charset=utf-8");
    tmpl_fill(r, tmpl_status_metrics, data, &metrics);
}
