/* SPDX-License-Identifier: Apache-2.0 */
#include "admin.h"
#include "data.h"
#include "handler.h"
#include "views.h"

/* The number of sites in one part of the list: the default, and the maximum. */
#define PART_DEFAULT "100"
#define PART_MOST    1000

#define N(array) (sizeof(array) / sizeof((array)[0]))

typedef enum { FORMAT_HTML, FORMAT_JSON, FORMAT_METRICS, FORMAT_COUNT } format_e;

/* What asks for a format: its name in the query, or its type in Accept. */
static const char *const formats[FORMAT_COUNT][2] = {
    [FORMAT_HTML] = { "html", "text/html" },
    [FORMAT_JSON] = { "json", "application/json" },
    [FORMAT_METRICS] = { "metrics", "application/openmetrics-text" },
};

/* The names in a query. */
static const char *const arguments[] = { "format", "site", "after", "n", "store", "declined" };

/* A request as the handler has read it. */
typedef struct {
    request_rec *r;
    const char *location; /* the handler's path, without a slash at its end */
    const char *rest;     /* the path behind location and a slash */
    apr_table_t *args;
    const char *site; /* the key of a site: of ?site=, or rest if that is not the name of a part */
    format_e format;
} asked_t;

/* A part of the status that a request can ask for. */
typedef struct {
    const char *name; /* the path behind location; NULL: a site */
    unsigned formats; /* bits of format_e */
    int (*send)(const asked_t *asked);
} part_t;

#define AS(format) (1u << FORMAT_##format)

int tmpl_status_handles(const request_rec *r)
{
    return r->handler != NULL && strcmp(r->handler, TMPL_STATUS_HANDLER) == 0;
}

/* Sends an answer that says what is wrong, and what a request can ask for. */
static int refuse(const asked_t *asked, int status, const char *text)
{
    const char *at = asked->location;

    asked->r->status = status;
    ap_set_content_type(asked->r, "text/plain; charset=utf-8");
    ap_rprintf(asked->r,
               "%s\nThere is:\n  %s\n  %s?format=html, json or metrics\n  %s/metrics\n"
               "  %s?declined=any, or a reason\n  %s/sites?n=NUMBER&after=NEXT&store=STORE\n"
               "  %s/SITE or ?site=SITE\n",
               text, at, at, at, at, at, at);
    return OK;
}

/* Reads the query, whose values may hold any byte but 0. Returns 0 if a name is not known. */
static int read_arguments(asked_t *asked)
{
    apr_pool_t *pool = asked->r->pool;
    char *rest = apr_pstrdup(pool, asked->r->args != NULL ? asked->r->args : "");
    char *argument, *state;
    size_t i;

    asked->args = apr_table_make(pool, 4);
    for (argument = apr_strtok(rest, "&", &state); argument != NULL;
         argument = apr_strtok(NULL, "&", &state)) {
        char *value = strchr(argument, '=');

        if (value == NULL || ap_unescape_urlencoded(value + 1) != OK) {
            return 0;
        }
        *value = '\0';
        for (i = 0; i < N(arguments) && strcmp(argument, arguments[i]) != 0; i++) {
        }
        if (i == N(arguments)) {
            return 0;
        }
        apr_table_setn(asked->args, argument, value + 1);
    }
    return 1;
}

/* Finds the format in the query, else by Accept; 0 if the part does not have the named format. */
static int find_format(asked_t *asked, unsigned has)
{
    const char *name = apr_table_get(asked->args, "format");
    const char *accept = apr_table_getm(asked->r->pool, asked->r->headers_in, "Accept");
    int i;

    for (i = 0; i < FORMAT_COUNT; i++) {
        if (name != NULL ? strcmp(name, formats[i][0]) == 0
                         : (has & (1u << i)) != 0 && accept != NULL &&
                               ap_strcasestr(accept, formats[i][1]) != NULL) {
            asked->format = (format_e)i;
            return (has & (1u << i)) != 0;
        }
    }
    asked->format = (has & AS(HTML)) != 0 ? FORMAT_HTML : FORMAT_METRICS;
    return name == NULL;
}

/* Sends data, and releases it. */
static int answer(const asked_t *asked, tmpl_view_e view, json_t *data)
{
    request_rec *r = asked->r;

    apr_table_mergen(r->headers_out, "Vary", "Accept");
    if (asked->format == FORMAT_JSON) {
        char *text = json_dumps(data, JSON_INDENT(1) | JSON_REAL_PRECISION(15));

        ap_set_content_type(r, "application/json");
        ap_rvputs(r, text, "\n", NULL);
        free(text);
    }
    else {
        tmpl_html_write(r, view, data, asked->location);
    }
    json_decref(data);
    return OK;
}

static int send_metrics(const asked_t *asked)
{
    return tmpl_metrics_write(asked->r);
}

static int send_server(const asked_t *asked)
{
    const char *declined = apr_table_get(asked->args, "declined");

    declined = declined != NULL ? declined : "";
    return !tmpl_data_is_filter(declined)
               ? refuse(asked, HTTP_BAD_REQUEST, "declined must be any, or a reason.")
           : asked->format == FORMAT_METRICS
               ? send_metrics(asked)
               : answer(asked, TMPL_VIEW_SERVER, tmpl_data_server(asked->r, declined));
}

static int send_sites(const asked_t *asked)
{
    const char *number = apr_table_get(asked->args, "n");
    char *end;
    apr_int64_t n = apr_strtoi64(number != NULL ? number : PART_DEFAULT, &end, 10);
    tmpl_error_t err;
    json_t *data;

    if (n < 1 || n > PART_MOST || *end != '\0') {
        return refuse(asked, HTTP_BAD_REQUEST, "n must be a number from 1 to 1000.");
    }
    data = tmpl_data_sites(asked->r, apr_table_get(asked->args, "store"),
                           apr_table_get(asked->args, "after"), (unsigned)n, &err);
    return data != NULL
               ? answer(asked, TMPL_VIEW_SITES, data)
               : refuse(asked,
                        err.status == APR_NOTFOUND ? HTTP_NOT_FOUND : HTTP_SERVICE_UNAVAILABLE,
                        apr_pstrcat(asked->r->pool, "The sites cannot be listed: ", err.text, ".",
                                    NULL));
}

static int send_site(const asked_t *asked)
{
    json_t *data = tmpl_data_site(asked->r, asked->site);

    return data != NULL
               ? answer(asked, TMPL_VIEW_SITE, data)
               : refuse(asked, HTTP_NOT_FOUND, "No site has this key: none was seen, or learnt.");
}

static const part_t parts[] = {
    { "", AS(HTML) | AS(JSON) | AS(METRICS), send_server },
    { "metrics", AS(METRICS), send_metrics },
    { "sites", AS(HTML) | AS(JSON), send_sites },
};
static const part_t site_part = { NULL, AS(HTML) | AS(JSON), send_site };

/*
 * Splits the path into location and rest. The location is the path of the section that has the
 * handler. If that path is a pattern, the location is the whole path of the request, without the
 * name of a part at its end.
 */
static void find_location(asked_t *asked)
{
    const request_rec *r = asked->r;
    const char *path = ((core_dir_config *)ap_get_core_module_config(r->per_dir_config))->d;
    const char *slash = strrchr(r->uri, '/'), *end = r->uri + strlen(r->uri);
    apr_size_t len = path != NULL && *path == '/' ? strlen(path) : 0;
    size_t i;

    len -= len > 0 && path[len - 1] == '/';
    if (len > 0 && strncmp(r->uri, path, len) == 0 && (r->uri[len] == '/' || r->uri[len] == '\0')) {
        end = r->uri + len;
    }
    else {
        for (i = 0; slash != NULL && i < N(parts); i++) {
            end = strcmp(slash + 1, parts[i].name) == 0 ? slash : end;
        }
    }
    asked->location = apr_pstrmemdup(r->pool, r->uri, (apr_size_t)(end - r->uri));
    asked->rest = *end == '/' ? end + 1 : end;
}

/* Finds the part that is asked for; if that is a site, also sets asked->site to its key. */
static const part_t *find_part(asked_t *asked)
{
    size_t i;

    asked->site = apr_table_get(asked->args, "site");
    if (asked->site != NULL && *asked->rest == '\0') {
        return &site_part;
    }
    for (i = 0; i < N(parts); i++) {
        if (strcmp(asked->rest, parts[i].name) == 0) {
            return &parts[i];
        }
    }
    asked->site = asked->rest;
    return &site_part;
}

int tmpl_status_handler(request_rec *r)
{
    asked_t asked = { .r = r };
    const part_t *part;

    if (!tmpl_status_handles(r)) {
        return DECLINED;
    }
    ap_allow_methods(r, REPLACE_ALLOW, "GET", "POST", NULL);
    if (r->method_number != M_GET && r->method_number != M_POST) {
        return HTTP_METHOD_NOT_ALLOWED;
    }
    apr_table_setn(r->headers_out, "Cache-Control", "no-store");
    apr_table_setn(r->headers_out, "X-Content-Type-Options", "nosniff");
    find_location(&asked);
    if (!read_arguments(&asked)) {
        return refuse(&asked, HTTP_BAD_REQUEST,
                      "The query cannot be read, or has a name that is not known.");
    }
    if (r->method_number == M_POST) {
        asked.site = apr_table_get(asked.args, "site");
        return asked.site != NULL
                   ? tmpl_admin_post(r, asked.location, asked.site)
                   : refuse(&asked, HTTP_BAD_REQUEST, "A POST must name a site: ?site=.");
    }
    part = find_part(&asked);
    return find_format(&asked, part->formats)
               ? part->send(&asked)
               : refuse(&asked, HTTP_BAD_REQUEST, "This page has no such format.");
}
