/* SPDX-License-Identifier: Apache-2.0 */
#include "data.h"
#include "fill.h"
#include "views.h"

TMPL_FILE(tmpl_status_metrics, "mod_tmpl/status/status.metrics");
extern const char tmpl_status_metrics[] __attribute__((visibility("hidden")));

/* text as the value of a label: with escapes for characters that would end it. */
static const char *escape(apr_pool_t *pool, const char *text)
{
    char *value = apr_palloc(pool, 2 * strlen(text) + 1), *to = value;

    for (; *text != '\0'; text++) {
        if (*text == '\\' || *text == '"' || *text == '\n') {
            *to++ = '\\';
        }
        *to++ = (char)(*text == '\n' ? 'n' : *text);
    }
    *to = '\0';
    return value;
}

/* Adds to each bucket how many values are not above it. */
static void add_below(json_t *histograms)
{
    json_t *histogram, *bucket;
    size_t i, k;

    json_array_foreach(histograms, i, histogram)
    {
        json_int_t below = 0;

        json_array_foreach(json_object_get(histogram, "buckets"), k, bucket)
        {
            below += tmpl_member_count(bucket, "count");
            json_object_set_new(bucket, "below", json_integer(below));
        }
    }
}

static void add_ratios(json_t *sites)
{
    json_t *site;
    size_t i;

    json_array_foreach(sites, i, site)
    {
        double in = tmpl_member_number(site, "bytes_in"),
               out = tmpl_member_number(site, "bytes_out");

        json_object_set_new(site, "removed_ratio", json_real(in > out ? (in - out) / in : 0));
    }
}

int tmpl_metrics_write(request_rec *r)
{
    const char *accept = apr_table_getm(r->pool, r->headers_in, "Accept");
    int is_open = accept != NULL && ap_strcasestr(accept, "application/openmetrics-text") != NULL;
    json_t *data = tmpl_data_figures(r);
    const json_t *stores = json_object_get(data, "stores");

    add_below(json_object_get(data, "stages"));
    add_below(json_object_get(data, "shares"));
    add_ratios(json_object_get(data, "sites"));
    /* only OpenMetrics names a counter without its suffix */
    json_object_update_new(data,
                           json_pack("{s:b, s:s, s:s, s:I, s:I}", "is_open", is_open, "total",
                                     is_open ? "" : "_total", "total_stage", "total",
                                     "waiting_pages", tmpl_member_sum(stores, "waiting_pages"),
                                     "waiting_bytes", tmpl_member_sum(stores, "waiting_bytes")));
    ap_set_content_type(r, is_open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                   : "text/plain; version=0.0.4; charset=utf-8");
    apr_table_mergen(r->headers_out, "Vary", "Accept");
    tmpl_fill(r, tmpl_status_metrics, data, escape);
    json_decref(data);
    return OK;
}
