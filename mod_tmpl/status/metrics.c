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

static void gauge(const out_t *out, const char *name, const char *labels, apr_uint64_t value)
{
    ap_rprintf(out->r, "%s%s %" APR_UINT64_T_FMT "\n", name, labels, value);
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

/* Writes a histogram; stage NULL: without a label. */
static void histogram(const out_t *out, const char *name, const tmpl_histogram_t *of,
                      const char *stage)
{
    const char *inner = stage != NULL ? apr_psprintf(out->r->pool, "stage=\"%s\",", stage) : "";
    const char *alone = stage != NULL ? label("stage", stage, out->r->pool) : "";
    apr_uint64_t below = 0;
    int i;

    for (i = 0; i < of->n - 1; i++) {
        below += of->buckets[i];
        ap_rprintf(out->r, "%s_bucket{%sle=\"%.5g\"} %" APR_UINT64_T_FMT "\n", name, inner,
                   (double)of->bounds[i] / 1000000, below);
    }
    ap_rprintf(out->r,
               "%s_bucket{%sle=\"+Inf\"} %" APR_UINT64_T_FMT "\n%s_sum%s %.6f\n%s_count%s "
               "%" APR_UINT64_T_FMT "\n",
               name, inner, of->count, name, alone, (double)of->sum / 1000000, name, alone,
               of->count);
}

static void histograms(const out_t *out)
{
    tmpl_histogram_t total = tmpl_stage_histogram(TMPL_STAGE_TOTAL);
    int i;

    family(out, "tmpl_page_seconds", "histogram", "Time spent on a complete page.");
    histogram(out, "tmpl_page_seconds", &total, NULL);
    family(out, "tmpl_stage_seconds", "histogram", "Time of each stage of a page.");
    for (i = 0; i < TMPL_STAGE_COUNT; i++) {
        tmpl_histogram_t times = tmpl_stage_histogram((tmpl_stage_e)i);

        if (i != TMPL_STAGE_TOTAL) {
            histogram(out, "tmpl_stage_seconds", &times, tmpl_stage_name((tmpl_stage_e)i));
        }
    }
    for (i = 0; i < TMPL_SHARE_COUNT; i++) {
        tmpl_histogram_t shares = tmpl_share_histogram((tmpl_share_e)i);
        const char *name = apr_pstrcat(out->r->pool, "tmpl_page_", tmpl_share_name((tmpl_share_e)i),
                                       "_ratio", NULL);

        family(out, name, "histogram", tmpl_share_text((tmpl_share_e)i));
        histogram(out, name, &shares, NULL);
    }
}

/* The labels of a store and one of its purposes. */
static const char *store_labels(const tmpl_store_status_t *store, int purpose, apr_pool_t *pool)
{
    return apr_psprintf(pool, "{store=\"%s\",purpose=\"%s\"}", label_value(store->name, pool),
                        tmpl_purpose_name((tmpl_purpose_e)purpose));
}

/* What a store says of itself: a field of tmpl_store_usage_t each. */
static const struct {
    const char *name, *type, *help;
    void (*write)(const out_t *out, const char *name, const char *labels, apr_uint64_t value);
    apr_size_t field;
} usages[] = {
    { "tmpl_store_used_bytes", "gauge", "Bytes in use of the file of a store.", gauge,
      offsetof(tmpl_store_usage_t, bytes) },
    { "tmpl_store_max_bytes", "gauge", "Bytes that the file of a store may grow to.", gauge,
      offsetof(tmpl_store_usage_t, max_bytes) },
    { "tmpl_store_sites", "gauge", "Sites in a store.", gauge,
      offsetof(tmpl_store_usage_t, sites) },
    { "tmpl_store_max_sites", "gauge", "Sites that a store holds at most.", gauge,
      offsetof(tmpl_store_usage_t, max_sites) },
    { "tmpl_store_sites_forgotten", "counter", "Sites that a store forgot for others.", counter,
      offsetof(tmpl_store_usage_t, evicted) },
};

/* Writes how full each store is; only for stores that know it. */
static void usage(const out_t *out, const apr_array_header_t *list)
{
    tmpl_store_usage_t *of = apr_palloc(out->r->pool, (apr_size_t)list->nelts * sizeof(*of));
    char *known = apr_palloc(out->r->pool, (apr_size_t)list->nelts);
    size_t u;
    int i;

    for (i = 0; i < list->nelts; i++) {
        known[i] = (char)tmpl_links_usage(APR_ARRAY_IDX(list, i, tmpl_store_status_t).name, &of[i]);
    }
    for (u = 0; u < sizeof(usages) / sizeof(usages[0]); u++) {
        family(out, usages[u].name, usages[u].type, usages[u].help);
        for (i = 0; i < list->nelts; i++) {
            const char *name = APR_ARRAY_IDX(list, i, tmpl_store_status_t).name;

            if (known[i]) {
                usages[u].write(out, usages[u].name, label("store", name, out->r->pool),
                                *(const uint64_t *)((const char *)&of[i] + usages[u].field));
            }
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
    usage(out, list);
    family(out, "tmpl_breaker_open", "gauge", "Children that do not use a store now.");
    for (i = 0; i < list->nelts; i++) {
        const tmpl_store_status_t *store = &APR_ARRAY_IDX(list, i, tmpl_store_status_t);

        for (p = 0; p < TMPL_PURPOSES; p++) {
            gauge(out, "tmpl_breaker_open", store_labels(store, p, pool), store->open[p]);
        }
    }
    family(out, "tmpl_store_full", "gauge", "Children whose last write to a store found no room.");
    for (i = 0; i < list->nelts; i++) {
        const tmpl_store_status_t *store = &APR_ARRAY_IDX(list, i, tmpl_store_status_t);

        gauge(out, "tmpl_store_full", label("store", store->name, pool), store->full);
    }
    family(out, "tmpl_learn_waiting_pages", "gauge", "Pages that wait to be learnt.");
    gauge(out, "tmpl_learn_waiting_pages", "", waiting_pages);
    family(out, "tmpl_learn_waiting_bytes", "gauge", "Bytes of the pages that wait.");
    gauge(out, "tmpl_learn_waiting_bytes", "", waiting_bytes);
}

/* The sites that this server has seen, by what their last page found. */
static void states(const out_t *out)
{
    tmpl_sites_census_t census = tmpl_sites_census();
    int i;

    family(out, "tmpl_sites", "gauge", "Sites seen, by their state at their last page.");
    for (i = 0; i < TMPL_STATE_COUNT; i++) {
        gauge(out, "tmpl_sites", label("state", tmpl_state_name((tmpl_state_e)i), out->r->pool),
              census.by_state[i]);
    }
    family(out, "tmpl_sites_frozen", "gauge", "Sites seen that were frozen at their last page.");
    gauge(out, "tmpl_sites_frozen", "", census.frozen);
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
    gauge(&out, "tmpl_build_info", label("version", TMPL_VERSION, r->pool), 1);
    family(&out, "tmpl_start_time_seconds", "gauge", "When counting began: seconds since 1970.");
    ap_rprintf(r, "tmpl_start_time_seconds %.3f\n",
               (double)tmpl_counted_since() / APR_USEC_PER_SEC);
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
    states(&out);
    sites(&out);
    if (out.open) {
        ap_rputs("# EOF\n", r);
    }
    return OK;
}
