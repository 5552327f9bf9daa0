/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "admin.h"
#include "fill.h"
#include "views.h"

TMPL_FILE(tmpl_status_html, "mod_tmpl/status/status.html");
TMPL_FILE(tmpl_status_css, "mod_tmpl/status/status.css");
extern const char tmpl_status_html[] __attribute__((visibility("hidden")));
extern const char tmpl_status_css[] __attribute__((visibility("hidden")));

#define NONCE_BYTES 16

/* The decisions that are shown, at most. */
#define DECISIONS_MOST 100

/* The curve of a site, in units of its viewBox: pixels on a phone. */
#define LEFT   34
#define TOP    8
#define WIDTH  310
#define HEIGHT 150

/* The drawings of stages. */
#define STAGE_LEFT  10
#define STAGE_WIDTH 340
#define STAGE_BASE  70
#define STAGE_HIGH  64

static void set(json_t *to, const char *name, json_t *value)
{
    json_object_set_new(to, name, value);
}

/* Sets name to part / whole; to null if whole is 0. */
static void set_share(json_t *to, const char *name, double part, double whole)
{
    set(to, name, whole > 0 ? json_real(part / whole) : json_null());
}

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

/* ---- what is shown beside data.h's members ---- */

/* For each site the share of its pages that was declined. */
static void add_to_sites(json_t *sites)
{
    json_t *site;
    size_t i;

    json_array_foreach(sites, i, site)
    {
        double pages = tmpl_member_number(site, "pages"),
               declined = tmpl_member_number(site, "declined");

        set_share(site, "declined_share", declined, pages);
        set(site, "mostly_declined", json_boolean(2 * declined > pages));
    }
}

/* Leaves out decisions that are not shown. */
static void add_decisions(json_t *data)
{
    json_t *decisions = json_object_get(data, "decisions");
    json_int_t found = (json_int_t)json_array_size(decisions);

    while (json_array_size(decisions) > DECISIONS_MOST) {
        json_array_remove(decisions, DECISIONS_MOST);
    }
    set(data, "decisions_found", json_integer(found));
    set(data, "decisions_shown", json_integer((json_int_t)json_array_size(decisions)));
}

/* The sum of an object's numbers whose names begin with prefix. */
static json_int_t total(json_t *object, const char *prefix)
{
    json_int_t sum = 0;
    const json_t *number;
    const char *name;

    json_object_foreach(object, name, number)
    {
        sum += strncmp(name, prefix, strlen(prefix)) == 0 ? json_integer_value(number) : 0;
    }
    return sum;
}

static void add_sums(json_t *data)
{
    json_t *counters = json_object_get(data, "counters"), *stores = json_object_get(data, "stores"),
           *store;
    double in = tmpl_member_number(counters, "bytes-in");
    size_t i;

    set_share(data, "removed_share", in - tmpl_member_number(counters, "bytes-out"), in);
    set_share(data, "hit_share", tmpl_member_number(counters, "cache-hit"),
              (double)total(counters, "cache-"));
    json_object_update_new(data,
                           json_pack("{s:I, s:I, s:I}", "declined_responses",
                                     tmpl_member_sum(json_object_get(data, "declines"), "count"),
                                     "waiting_pages", tmpl_member_sum(stores, "waiting_pages"),
                                     "lost_pages", total(counters, "learn-lost-")));
    json_array_foreach(stores, i, store)
    {
        set(store, "paused", json_integer(total(json_object_get(store, "breakers_open"), "")));
        set(store, "all_errors", json_integer(total(json_object_get(store, "errors"), "")));
    }
}

/* The upper bound of the bucket that a share of all times reaches; "-" if there are no times. */
static json_t *below(const json_t *stage, double share, apr_pool_t *pool)
{
    double wanted = share * tmpl_member_number(stage, "count"), sum = 0;
    const json_t *bucket;
    size_t i;

    json_array_foreach(json_object_get(stage, "buckets"), i, bucket)
    {
        double bound = tmpl_member_number(bucket, "up_to");

        sum += tmpl_member_number(bucket, "count");
        if (sum > 0 && sum >= wanted) {
            return bound > 0 ? json_sprintf("\xE2\x89\xA4 %s", tmpl_text_duration(bound, pool))
                             : json_string("> 10 s");
        }
    }
    return json_string("-");
}

/* The places of the columns of a stage's drawing: one for each bucket, as high as its count. */
static void add_columns(json_t *stage, apr_pool_t *pool)
{
    const json_t *buckets = json_object_get(stage, "buckets");
    double most = 1, step = (double)STAGE_WIDTH / (double)json_array_size(buckets);
    json_t *bucket;
    size_t i;

    set(stage, "half", below(stage, 0.5, pool));
    set(stage, "nearly_all", below(stage, 0.95, pool));
    set(stage, "width", json_real(step - 3));
    json_array_foreach(buckets, i, bucket)
    {
        most = fmax(most, tmpl_member_number(bucket, "count"));
    }
    json_array_foreach(buckets, i, bucket)
    {
        double height = STAGE_HIGH * tmpl_member_number(bucket, "count") / most,
               x = STAGE_LEFT + step * (double)i;

        json_object_update_new(bucket, json_pack("{s:f, s:f, s:f, s:f, s:b}", "x", x, "y",
                                                 STAGE_BASE - height, "height", height, "middle",
                                                 x + step / 2, "is_named",
                                                 i % 5 == 0 && i + 1 < json_array_size(buckets)));
    }
}

/* The buckets of all stages as "times": an object for each bound, with the "counts" of stages. */
static void add_times(json_t *data, apr_pool_t *pool)
{
    const json_t *stages = json_object_get(data, "stages"), *bucket;
    json_t *times = json_array(), *stage;
    size_t i, at;

    json_array_foreach(json_object_get(json_array_get(stages, 0), "buckets"), at, bucket)
    {
        json_t *counts = json_array();

        json_array_foreach(stages, i, stage)
        {
            json_array_append(
                counts,
                json_object_get(json_array_get(json_object_get(stage, "buckets"), at), "count"));
        }
        json_array_append_new(times, json_pack("{s:O, s:o}", "up_to",
                                               json_object_get(bucket, "up_to"), "counts", counts));
    }
    json_array_foreach(stages, i, stage)
    {
        add_columns(stage, pool);
    }
    set(data, "times", times);
}

/* The configuration as "servers", each with its "settings", which follow each other. */
static void add_servers(json_t *data)
{
    json_t *servers = json_array(), *settings = NULL, *row;
    const char *last = NULL;
    size_t i;

    json_array_foreach(json_object_get(data, "configuration"), i, row)
    {
        const char *server = tmpl_member_text(row, "server");

        if (last == NULL || strcmp(server, last) != 0) {
            settings = json_array();
            json_array_append_new(servers,
                                  json_pack("{s:s, s:o}", "server", server, "settings", settings));
        }
        json_array_append(settings, row);
        last = server;
    }
    set(data, "servers", servers);
}

static void add_to_server(json_t *data, request_rec *r)
{
    add_sums(data);
    add_to_sites(json_object_get(data, "sites"));
    add_decisions(data);
    set(data, "any",
        json_boolean(strcmp(tmpl_member_text(data, "decisions_declined"), "any") == 0));
    add_times(data, r->pool);
    add_servers(data);
}

/* A line through the member name of all points; a dot if there is only one point. */
static json_t *line(const json_t *points, const char *name, double most, apr_pool_t *pool)
{
    const char *text = "";
    const json_t *point;
    size_t i;

    json_array_foreach(points, i, point)
    {
        double y = TOP + HEIGHT * (1 - tmpl_member_number(point, name));

        text = apr_psprintf(pool, "%s %.1f,%.1f",
                            i > 0 ? text : apr_psprintf(pool, "%.1f,%.1f", (double)LEFT, y),
                            LEFT + WIDTH * tmpl_member_number(point, "pages") / most, y);
    }
    return json_string(text);
}

static void add_curve(json_t *data, apr_pool_t *pool)
{
    const json_t *points = json_object_get(data, "curve");
    json_t *end = json_copy(json_array_get(points, json_array_size(points) - 1));
    double most = fmax(1, tmpl_member_number(end, "pages"));

    if (end != NULL) {
        set(end, "template_line", line(points, "template_share", most, pool));
        set(end, "known_line", line(points, "known_share", most, pool));
        set(data, "end", end);
    }
}

/* The share of each range of DFs among all segments; and, for who may use it, the form's token. */
static void add_to_tables(json_t *data, request_rec *r)
{
    char *key = apr_pstrdup(r->pool, tmpl_member_text(data, "query")), token[TMPL_TOKEN_SIZE];
    int may = tmpl_admin_allows(r);
    json_t *table, *range;
    size_t i, k;

    (void)ap_unescape_urlencoded(key);
    json_array_foreach(json_object_get(data, "tables"), i, table)
    {
        const json_t *ranges = json_object_get(table, "segments_by_df");
        double sum = (double)tmpl_member_sum(ranges, "segments");

        json_array_foreach(ranges, k, range)
        {
            set(range, "share", json_real(tmpl_member_number(range, "segments") / fmax(1, sum)));
        }
        if (may) {
            tmpl_admin_token(token, r, key, tmpl_member_text(table, "store"));
            set(table, "token", json_string(token));
        }
    }
}

static void add_to_site(json_t *data, request_rec *r)
{
    add_curve(data, r->pool);
    add_to_tables(data, r);
    add_decisions(data);
}

static void add_to_list(json_t *data, request_rec *r)
{
    const char *store = tmpl_member_text(data, "store");

    set(data, "store_query", json_string(ap_escape_urlencoded(r->pool, store)));
    set(data, "several", json_boolean(json_array_size(json_object_get(data, "stores")) > 1));
    add_to_sites(json_object_get(data, "sites"));
}

static const char *escape(apr_pool_t *pool, const char *text)
{
    return ap_escape_html(pool, text);
}

/* A page: status.html has parts for the name of each. */
static const struct {
    const char *name, *title;
    void (*add)(json_t *data, request_rec *r);
} views[TMPL_VIEW_COUNT] = {
    [TMPL_VIEW_SERVER] = { "is_server", "Status", add_to_server },
    [TMPL_VIEW_SITE] = { "is_site", "Site", add_to_site },
    [TMPL_VIEW_SITES] = { "is_list", "Sites", add_to_list },
};

void tmpl_html_write(request_rec *r, tmpl_view_e view, json_t *data, const char *location)
{
    views[view].add(data, r);
    json_object_update_new(data, json_pack("{s:b, s:s, s:s, s:s, s:o}", views[view].name, 1,
                                           "title", views[view].title, "nonce", allow_style(r),
                                           "css", tmpl_status_css, "host",
                                           tmpl_json_text(ap_get_server_name(r), r->pool)));
    set(data, "location", json_string_nocheck(location)); /* links need its very bytes */
    ap_set_content_type(r, "text/html; charset=utf-8");
    tmpl_fill(r, tmpl_status_html, data, escape);
}
