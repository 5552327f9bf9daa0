/* SPDX-License-Identifier: Apache-2.0 */
#include <http_main.h>

#include "connections.h"
#include "counters.h"
#include "histogram.h"
#include "metrics.h"
#include "section.h"
#include "selectors.h"
#include "sites.h"
#include "stores.h"

#include "base/utf8.h"

typedef struct {
    request_rec *r;
    int open; /* whether the format is OpenMetrics */
} out_t;

/* The metrics that show one counter each. */
static const struct {
    const char *name; /* without _total */
    tmpl_counter_e counter;
} plain[] = {
    { "tmpl_edited_pages", TMPL_COUNTER_EDITED },
    { "tmpl_input_bytes", TMPL_COUNTER_BYTES_IN },
    { "tmpl_removed_bytes", TMPL_COUNTER_BYTES_REMOVED },
    { "tmpl_learnt_documents", TMPL_COUNTER_LEARNED },
    { "tmpl_near_copies", TMPL_COUNTER_NEAR_COPIES },
    { "tmpl_learn_queued", TMPL_COUNTER_LATER },
    { "tmpl_learn_done", TMPL_COUNTER_LATER_DONE },
    { "tmpl_learn_failures", TMPL_COUNTER_LATER_FAILURES },
};

/* A counter that a metric shows with a value of its label. */
typedef struct {
    const char *value;
    tmpl_counter_e counter;
} labelled_t;

static const labelled_t cache_results[] = {
    { "hit", TMPL_COUNTER_CACHE_HIT },
    { "miss", TMPL_COUNTER_CACHE_MISS },
    { "stale", TMPL_COUNTER_CACHE_STALE },
};

static const labelled_t losses[] = {
    { "full", TMPL_COUNTER_LATER_FULL },
    { "failed", TMPL_COUNTER_LATER_FAILED },
    { "room", TMPL_COUNTER_LATER_NO_ROOM },
};

static void family(const out_t *out, const char *name, const char *type, const char *help)
{
    /* only OpenMetrics names a counter without its suffix */
    const char *suffix = strcmp(type, "counter") == 0 && !out->open ? "_total" : "";

    ap_rprintf(out->r, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, suffix, help, name, suffix, type);
}

static void counter(const out_t *out, const char *name, const char *labels, apr_uint64_t value)
{
    ap_rprintf(out->r, "%s_total%s %" APR_UINT64_T_FMT "\n", name, labels, value);
}

/* text as the value of a label: in UTF-8, with escapes for characters that would end it. */
static const char *label_value(const char *text, apr_pool_t *pool)
{
    apr_size_t len = strlen(text), used;
    char *value = apr_palloc(pool, len * TMPL_UTF8_MOST + 1), *to = value;

    for (; len > 0; text += used, len -= used) {
        apr_uint32_t code = tmpl_utf8_next(text, len, &used);

        if (code == '\\' || code == '"' || code == '\n') {
            *to++ = '\\';
        }
        to += tmpl_utf8_put(to, code == '\n' ? 'n' : code);
    }
    *to = '\0';
    return value;
}

static const char *label(const char *name, const char *value, apr_pool_t *pool)
{
    return apr_pstrcat(pool, "{", name, "=\"", label_value(value, pool), "\"}", NULL);
}

static void labelled(const out_t *out, const char *name, const char *key, const char *help,
                     const labelled_t *rows, size_t n)
{
    size_t i;

    family(out, name, "counter", help);
    for (i = 0; i < n; i++) {
        counter(out, name, label(key, rows[i].value, out->r->pool), tmpl_counted(rows[i].counter));
    }
}

static void pages(const out_t *out)
{
    apr_pool_t *pool = out->r->pool;
    int i;

    family(out, "tmpl_pages", "counter", "Pages judged, without declined ones.");
    for (i = TMPL_MODE_OFF + 1; i < TMPL_MODE_COUNT; i++) {
        counter(out, "tmpl_pages", label("mode", tmpl_mode_name((tmpl_mode_e)i), pool),
                tmpl_counted_mode((tmpl_mode_e)i));
    }
    family(out, "tmpl_declined", "counter", "Responses that passed untouched.");
    for (i = TMPL_DECLINE_NONE + 1; i < TMPL_DECLINE_COUNT; i++) {
        counter(out, "tmpl_declined", label("reason", tmpl_decline_name((tmpl_decline_e)i), pool),
                tmpl_counted_decline((tmpl_decline_e)i));
    }
}

static void selectors(const out_t *out)
{
    apr_pool_t *pool = out->r->pool;
    tmpl_selector_pages_t is;
    int i;

    family(out, "tmpl_selector_pages", "counter",
           "Judged pages with an element that a selector of TmplKeep or TmplDrop matches.");
    for (i = 0; tmpl_selectors_get(&is, i); i++) {
        counter(out, "tmpl_selector_pages",
                apr_psprintf(pool, "{directive=\"%s\",selector=\"%s\"}", is.directive,
                             label_value(is.text, pool)),
                is.pages);
    }
}

/* Writes the histogram of a stage; has_label: with the stage as a label. */
static void histogram(const out_t *out, const char *name, tmpl_stage_e of, int has_label)
{
    tmpl_histogram_t times = tmpl_histogram(of);
    const char *stage = tmpl_stage_name(of);
    const char *inner = has_label ? apr_psprintf(out->r->pool, "stage=\"%s\",", stage) : "";
    const char *alone = has_label ? label("stage", stage, out->r->pool) : "";
    apr_uint64_t sum = 0;
    int i;

    for (i = 0; i < TMPL_HISTOGRAM_BUCKETS - 1; i++) {
        sum += times.buckets[i];
        ap_rprintf(out->r, "%s_bucket{%sle=\"%.5g\"} %" APR_UINT64_T_FMT "\n", name, inner,
                   (double)tmpl_histogram_bounds[i] / APR_USEC_PER_SEC, sum);
    }
    ap_rprintf(out->r,
               "%s_bucket{%sle=\"+Inf\"} %" APR_UINT64_T_FMT "\n%s_sum%s %.6f\n%s_count%s "
               "%" APR_UINT64_T_FMT "\n",
               name, inner, times.count, name, alone, (double)times.microseconds / APR_USEC_PER_SEC,
               name, alone, times.count);
}

static void histograms(const out_t *out)
{
    int i;

    family(out, "tmpl_page_seconds", "histogram", "Time spent on a complete page.");
    histogram(out, "tmpl_page_seconds", TMPL_STAGE_TOTAL, 0);
    family(out, "tmpl_stage_seconds", "histogram", "Time of each stage of a page.");
    for (i = 0; i < TMPL_STAGE_COUNT; i++) {
        if (i != TMPL_STAGE_TOTAL) {
            histogram(out, "tmpl_stage_seconds", (tmpl_stage_e)i, 1);
        }
    }
}

/* The labels of a store and one of its purposes. */
static const char *store_labels(const tmpl_store_status_t *store, int purpose, apr_pool_t *pool)
{
    return apr_psprintf(pool, "{store=\"%s\",purpose=\"%s\"}", label_value(store->name, pool),
                        tmpl_purpose_name((tmpl_purpose_e)purpose));
}

/* Writes how many sites each store forgot; only for stores that know this number. */
static void forgotten(const out_t *out, const apr_array_header_t *list)
{
    int i;

    family(out, "tmpl_store_sites_forgotten", "counter", "Sites that a store forgot for others.");
    for (i = 0; i < list->nelts; i++) {
        const char *name = APR_ARRAY_IDX(list, i, tmpl_store_status_t).name;
        apr_uint32_t n;

        if (tmpl_links_evicted(name, &n)) {
            counter(out, "tmpl_store_sites_forgotten",
                    apr_psprintf(out->r->pool, "{store=\"%s\"}", label_value(name, out->r->pool)),
                    n);
        }
    }
}

static void stores(const out_t *out)
{
    apr_pool_t *pool = out->r->pool;
    const apr_array_header_t *list = tmpl_stores_list(pool);
    apr_uint64_t waiting_pages = 0, waiting_bytes = 0;
    int i, p;

    family(out, "tmpl_store_errors", "counter", "Calls that a store did not answer.");
    for (i = 0; i < list->nelts; i++) {
        const tmpl_store_status_t *store = &APR_ARRAY_IDX(list, i, tmpl_store_status_t);

        for (p = 0; p < TMPL_PURPOSES; p++) {
            counter(out, "tmpl_store_errors", store_labels(store, p, pool), store->errors[p]);
        }
        waiting_pages += store->waiting_pages;
        waiting_bytes += store->waiting_bytes;
    }
    forgotten(out, list);
    family(out, "tmpl_breaker_open", "gauge", "Children that do not use a store now.");
    for (i = 0; i < list->nelts; i++) {
        const tmpl_store_status_t *store = &APR_ARRAY_IDX(list, i, tmpl_store_status_t);

        for (p = 0; p < TMPL_PURPOSES; p++) {
            ap_rprintf(out->r, "tmpl_breaker_open%s %" APR_UINT64_T_FMT "\n",
                       store_labels(store, p, pool), store->open[p]);
        }
    }
    family(out, "tmpl_learn_waiting_pages", "gauge", "Pages that wait to be learnt.");
    ap_rprintf(out->r, "tmpl_learn_waiting_pages %" APR_UINT64_T_FMT "\n", waiting_pages);
    family(out, "tmpl_learn_waiting_bytes", "gauge", "Bytes of the pages that wait.");
    ap_rprintf(out->r, "tmpl_learn_waiting_bytes %" APR_UINT64_T_FMT "\n", waiting_bytes);
}

/* The sites of TmplMetricsSites; a site that was not seen has zeros. */
static apr_array_header_t *chosen_sites(request_rec *r)
{
    const apr_array_header_t *keys = tmpl_conf_metrics_sites(ap_server_conf);
    apr_array_header_t *list = apr_array_make(r->pool, 4, sizeof(tmpl_site_t));
    int i;

    for (i = 0; keys != NULL && i < keys->nelts; i++) {
        const char *key = APR_ARRAY_IDX(keys, i, const char *);
        tmpl_site_t *site = apr_array_push(list);

        if (!tmpl_sites_find(site, key)) {
            memset(site, 0, sizeof(*site));
            apr_cpystrn(site->key, key, sizeof(site->key));
        }
    }
    return list;
}

static void sites(const out_t *out)
{
    apr_pool_t *pool = out->r->pool;
    const apr_array_header_t *list = chosen_sites(out->r);
    int i;

    if (list->nelts == 0) {
        return;
    }
    family(out, "tmpl_site_pages", "counter", "Pages of a site, with declined ones.");
    for (i = 0; i < list->nelts; i++) {
        const tmpl_site_t *site = &APR_ARRAY_IDX(list, i, tmpl_site_t);

        counter(out, "tmpl_site_pages", label("site", site->key, pool), site->pages);
    }
    family(out, "tmpl_site_declined", "counter", "Pages of a site that passed untouched.");
    for (i = 0; i < list->nelts; i++) {
        const tmpl_site_t *site = &APR_ARRAY_IDX(list, i, tmpl_site_t);

        counter(out, "tmpl_site_declined", label("site", site->key, pool), site->declined);
    }
    family(out, "tmpl_site_removed_ratio", "gauge",
           "Share of the bytes of a site's judged pages that was removed.");
    for (i = 0; i < list->nelts; i++) {
        const tmpl_site_t *site = &APR_ARRAY_IDX(list, i, tmpl_site_t);

        ap_rprintf(out->r, "tmpl_site_removed_ratio%s %.4f\n", label("site", site->key, pool),
                   site->bytes_in > site->bytes_out
                       ? (double)(site->bytes_in - site->bytes_out) / (double)site->bytes_in
                       : 0.0);
    }
}

int tmpl_metrics_write(request_rec *r)
{
    const char *accept = apr_table_getm(r->pool, r->headers_in, "Accept");
    out_t out = { r,
                  accept != NULL && ap_strcasestr(accept, "application/openmetrics-text") != NULL };
    size_t i;

    ap_set_content_type(r, out.open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                    : "text/plain; version=0.0.4; charset=utf-8");
    apr_table_mergen(r->headers_out, "Vary", "Accept");
    family(&out, "tmpl_build_info", "gauge", "The version of mod_tmpl.");
    ap_rprintf(r, "tmpl_build_info%s 1\n", label("version", TMPL_VERSION, r->pool));
    pages(&out);
    for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        const char *text = apr_pstrdup(r->pool, tmpl_counter_text(plain[i].counter));

        family(&out, plain[i].name, "counter", text);
        counter(&out, plain[i].name, "", tmpl_counted(plain[i].counter));
    }
    labelled(&out, "tmpl_cache", "result", "Look-ups in the cache of decisions.", cache_results,
             sizeof(cache_results) / sizeof(cache_results[0]));
    labelled(&out, "tmpl_learn_lost", "reason", "Pages that waited to be learnt, and were lost.",
             losses, sizeof(losses) / sizeof(losses[0]));
    selectors(&out);
    histograms(&out);
    stores(&out);
    sites(&out);
    if (out.open) {
        ap_rputs("# EOF\n", r);
    }
    return OK;
}
