/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"
#include "connections.h"
#include "counters.h"
#include "data.h"
#include "histogram.h"
#include "in_force.h"
#include "recent.h"
#include "section.h"
#include "selectors.h"
#include "sites.h"
#include "stores.h"

#include "text/decode.h"

#include <scoreboard.h>

json_t *tmpl_data_string(const char *text, apr_pool_t *pool)
{
    const tmpl_decoder_t utf8 = { "UTF-8", NULL };
    tmpl_buf_t buf;

    tmpl_buf_init(&buf, pool);
    tmpl_decode(&buf, &utf8, text, strlen(text));
    return json_stringn(buf.at, buf.len);
}

static json_t *integer(apr_uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *seconds(apr_int64_t microseconds)
{
    return json_real((double)microseconds / APR_USEC_PER_SEC);
}

/* time in seconds since 1970; null if time is 0. */
static json_t *moment(apr_time_t time)
{
    return time != 0 ? seconds(time) : json_null();
}

static void set(json_t *to, const char *name, json_t *value)
{
    json_object_set_new(to, name, value);
}

/* Sets the two strings that name a site (data.h). */
static void set_site(json_t *to, const char *key, apr_pool_t *pool)
{
    set(to, "site", tmpl_data_string(key, pool));
    set(to, "query", json_string(ap_escape_urlencoded(pool, key)));
}

static json_t *counters(void)
{
    json_t *json = json_object();
    int i;

    for (i = 0; i < TMPL_COUNTER_COUNT; i++) {
        set(json, tmpl_counter_name((tmpl_counter_e)i), integer(tmpl_counted((tmpl_counter_e)i)));
    }
    return json;
}

static json_t *modes(void)
{
    json_t *json = json_object();
    int i;

    for (i = TMPL_MODE_OFF + 1; i < TMPL_MODE_COUNT; i++) {
        set(json, tmpl_mode_name((tmpl_mode_e)i), integer(tmpl_counted_mode((tmpl_mode_e)i)));
    }
    return json;
}

static json_t *detectors(void)
{
    json_t *json = json_object();
    int i;

    for (i = 0; i < TMPL_DETECTOR_COUNT; i++) {
        set(json, tmpl_detector((tmpl_detector_e)i)->name,
            integer(tmpl_counted_detector((tmpl_detector_e)i)));
    }
    return json;
}

static json_t *declines(void)
{
    json_t *list = json_array();
    int i;

    for (i = TMPL_DECLINE_NONE + 1; i < TMPL_DECLINE_COUNT; i++) {
        json_t *json = json_object();

        set(json, "reason", json_string(tmpl_decline_name((tmpl_decline_e)i)));
        set(json, "text", json_string(tmpl_decline_text((tmpl_decline_e)i)));
        set(json, "advice", json_string(tmpl_decline_advice((tmpl_decline_e)i)));
        set(json, "count", integer(tmpl_counted_decline((tmpl_decline_e)i)));
        json_array_append_new(list, json);
    }
    return list;
}

/* The selectors of TmplKeep and TmplDrop, and the pages on which each matched. */
static json_t *selectors(apr_pool_t *pool)
{
    json_t *list = json_array();
    tmpl_selector_pages_t is;
    int i;

    for (i = 0; tmpl_selectors_get(&is, i); i++) {
        json_t *json = json_object();

        set(json, "directive", json_string(is.directive));
        set(json, "selector", tmpl_data_string(is.text, pool));
        set(json, "pages", integer(is.pages));
        json_array_append_new(list, json);
    }
    return list;
}

/* The buckets, each with the count of its own times: the counts are not cumulative. */
static json_t *buckets(const tmpl_histogram_t *histogram)
{
    json_t *list = json_array();
    int i;

    for (i = 0; i < histogram->n; i++) {
        json_t *json = json_object();

        set(json, "up_to", i < histogram->n - 1 ? seconds(histogram->bounds[i]) : json_null());
        set(json, "count", integer(histogram->buckets[i]));
        json_array_append_new(list, json);
    }
    return list;
}

static json_t *shares(void)
{
    json_t *list = json_array();
    int i;

    for (i = 0; i < TMPL_SHARE_COUNT; i++) {
        tmpl_histogram_t histogram = tmpl_share_histogram((tmpl_share_e)i);
        json_t *json = json_object();

        set(json, "share", json_string(tmpl_share_name((tmpl_share_e)i)));
        set(json, "text", json_string(tmpl_share_text((tmpl_share_e)i)));
        set(json, "count", integer(histogram.count));
        set(json, "sum", json_real((double)histogram.sum / 1000000));
        set(json, "buckets", buckets(&histogram));
        json_array_append_new(list, json);
    }
    return list;
}

static json_t *stages(void)
{
    json_t *list = json_array();
    int i;

    for (i = 0; i < TMPL_STAGE_COUNT; i++) {
        tmpl_histogram_t histogram = tmpl_stage_histogram((tmpl_stage_e)i);
        json_t *json = json_object();

        set(json, "stage", json_string(tmpl_stage_name((tmpl_stage_e)i)));
        set(json, "text", json_string(tmpl_stage_text((tmpl_stage_e)i)));
        set(json, "count", integer(histogram.count));
        set(json, "seconds", seconds((apr_int64_t)histogram.sum));
        set(json, "buckets", buckets(&histogram));
        json_array_append_new(list, json);
    }
    return list;
}

/* A number for each purpose. */
static json_t *by_purpose(const apr_uint64_t *numbers)
{
    json_t *json = json_object();
    int i;

    for (i = 0; i < TMPL_PURPOSES; i++) {
        set(json, tmpl_purpose_name((tmpl_purpose_e)i), integer(numbers[i]));
    }
    return json;
}

static json_t *events(const tmpl_store_status_t *store, apr_pool_t *pool)
{
    json_t *list = json_array();
    apr_uint32_t i;

    for (i = 0; i < store->n_events; i++) {
        const tmpl_store_event_t *event = &store->events[i];
        json_t *json = json_object();

        set(json, "time", moment(event->time));
        set(json, "event", json_string(tmpl_store_event_name(event->what)));
        set(json, "purpose", json_string(tmpl_purpose_name(event->purpose)));
        set(json, "text", tmpl_data_string(event->text, pool));
        json_array_append_new(list, json);
    }
    return list;
}

/* Adds how full a store is; null: that is not known. */
static void set_usage(json_t *to, const char *name)
{
    tmpl_store_usage_t usage;
    int known = tmpl_links_usage(name, &usage);

    set(to, "bytes", known ? integer(usage.bytes) : json_null());
    set(to, "max_bytes", known ? integer(usage.max_bytes) : json_null());
    set(to, "sites", known ? integer(usage.sites) : json_null());
    set(to, "max_sites", known ? integer(usage.max_sites) : json_null());
    set(to, "sites_forgotten", known ? integer(usage.evicted) : json_null());
}

static json_t *stores(apr_pool_t *pool)
{
    const apr_array_header_t *known = tmpl_stores_list(pool);
    json_t *list = json_array();
    int i;

    for (i = 0; i < known->nelts; i++) {
        const tmpl_store_status_t *store = &APR_ARRAY_IDX(known, i, tmpl_store_status_t);
        json_t *json = json_object();

        set(json, "store", tmpl_data_string(store->name, pool));
        set(json, "errors", by_purpose(store->errors));
        set(json, "breakers_open", by_purpose(store->open));
        set(json, "waiting_pages", integer(store->waiting_pages));
        set(json, "waiting_bytes", integer(store->waiting_bytes));
        set(json, "full", integer(store->full));
        set_usage(json, store->name);
        set(json, "events", events(store, pool));
        json_array_append_new(list, json);
    }
    return list;
}

/* The last pages of a site: how many there are, how many were declined, and the reasons. */
static json_t *window(const tmpl_site_t *site)
{
    unsigned counts[TMPL_DECLINE_COUNT] = { 0 };
    json_t *json = json_object(), *reasons = json_object();
    apr_uint32_t i;

    for (i = 0; i < site->window_n; i++) {
        counts[site->window[i] % TMPL_DECLINE_COUNT]++;
    }
    for (i = TMPL_DECLINE_NONE + 1; i < TMPL_DECLINE_COUNT; i++) {
        if (counts[i] > 0) {
            set(reasons, tmpl_decline_name((tmpl_decline_e)i), integer(counts[i]));
        }
    }
    set(json, "pages", integer(site->window_n));
    set(json, "declined", integer(site->window_n - counts[TMPL_DECLINE_NONE]));
    set(json, "reasons", reasons);
    return json;
}

/* Adds the figures of a site. */
static void set_figures(json_t *to, const tmpl_site_t *site)
{
    set(to, "pages", integer(site->pages));
    set(to, "declined", integer(site->declined));
    set(to, "last_pages", window(site));
    set(to, "bytes_in", integer(site->bytes_in));
    set(to, "bytes_out", integer(site->bytes_out));
    set(to, "state", json_string(tmpl_state_name(site->state)));
    set(to, "documents", integer(site->known));
    set(to, "frozen", json_boolean(site->frozen));
    set(to, "template_share",
        json_real(site->n_points > 0 ? site->points[site->n_points - 1].cut : 0));
    set(to, "first_seen", moment(site->first));
    set(to, "last_seen", moment(site->last));
    set(to, "last_learnt", moment(site->learnt));
}

static json_t *curve(const tmpl_site_t *site)
{
    json_t *list = json_array();
    apr_uint32_t i;

    for (i = 0; i < site->n_points; i++) {
        json_t *json = json_object();

        set(json, "pages", integer(site->points[i].pages));
        set(json, "template_share", json_real(site->points[i].cut));
        set(json, "known_share", json_real(site->points[i].known));
        json_array_append_new(list, json);
    }
    return list;
}

/* The number of sites in each state. */
static json_t *by_state(const tmpl_sites_census_t *census)
{
    json_t *json = json_object();
    int i;

    for (i = 0; i < TMPL_STATE_COUNT; i++) {
        set(json, tmpl_state_name((tmpl_state_e)i), integer(census->by_state[i]));
    }
    return json;
}

static json_t *top_sites(const apr_array_header_t *seen, apr_pool_t *pool)
{
    json_t *list = json_array();
    int i;

    for (i = 0; i < seen->nelts && i < TMPL_DATA_SITES; i++) {
        const tmpl_site_t *site = &APR_ARRAY_IDX(seen, i, tmpl_site_t);
        json_t *json = json_object();

        set_site(json, site->key, pool);
        set_figures(json, site);
        json_array_append_new(list, json);
    }
    return list;
}

static json_t *decline_of(const tmpl_recent_t *decision, apr_pool_t *pool)
{
    json_t *json = json_object();

    if (decision->decline == TMPL_DECLINE_NONE) {
        json_decref(json);
        return json_null();
    }
    set(json, "reason", json_string(tmpl_decline_name(decision->decline)));
    set(json, "text", json_string(tmpl_decline_text(decision->decline)));
    if (decision->line > 0) {
        set(json, "byte", integer(decision->at));
        set(json, "line", integer(decision->line));
        set(json, "tag", tmpl_data_string(decision->tag, pool));
    }
    return json;
}

static json_t *decision_of(const tmpl_recent_t *decision, apr_pool_t *pool)
{
    json_t *json = json_object();

    set(json, "time", moment(decision->time));
    set_site(json, decision->site, pool);
    set(json, "path", tmpl_data_string(decision->path, pool));
    set(json, "mode", json_string(tmpl_mode_name(decision->mode)));
    set(json, "declined", decline_of(decision, pool));
    set(json, "milliseconds", json_real((double)decision->took / 1000));
    set(json, "bytes_in", integer((apr_uint64_t)decision->length));
    set(json, "bytes_out", integer((apr_uint64_t)decision->length_after));
    set(json, "cache",
        decision->cached != 0 ? json_string(tmpl_cached_name((tmpl_cached_e)(decision->cached - 1)))
                              : json_null());
    if (decision->judged) {
        set(json, "detector", json_string(tmpl_detector(decision->detector)->name));
        set(json, "state", json_string(tmpl_state_name(decision->state)));
        set(json, "blocks", integer(decision->blocks));
        set(json, "template", integer(decision->template_blocks));
        set(json, "ratio", json_real(decision->ratio));
        set(json, "confidence", json_real(decision->confidence));
        if (decision->unmarked >= 0) {
            set(json, "unmarked", json_real(decision->unmarked));
        }
    }
    return json;
}

int tmpl_data_is_filter(const char *declined)
{
    int i = TMPL_DECLINE_NONE + 1;

    while (i < TMPL_DECLINE_COUNT && strcmp(declined, tmpl_decline_name((tmpl_decline_e)i)) != 0) {
        i++;
    }
    return i < TMPL_DECLINE_COUNT || *declined == '\0' || strcmp(declined, TMPL_DATA_ANY) == 0;
}

/* Whether a filter takes the decision. */
static int is_taken(const tmpl_recent_t *decision, const char *declined)
{
    return *declined == '\0' || (decision->decline != TMPL_DECLINE_NONE &&
                                 (strcmp(declined, TMPL_DATA_ANY) == 0 ||
                                  strcmp(declined, tmpl_decline_name(decision->decline)) == 0));
}

/* The last decisions that the filter takes, about one site; site NULL: about all sites. */
static json_t *decisions(const char *site, const char *declined, apr_pool_t *pool)
{
    const apr_array_header_t *last = tmpl_recent_list(pool);
    json_t *list = json_array();
    int i;

    for (i = 0; i < last->nelts; i++) {
        const tmpl_recent_t *decision = &APR_ARRAY_IDX(last, i, tmpl_recent_t);

        if ((site == NULL || strcmp(decision->site, site) == 0) && is_taken(decision, declined)) {
            json_array_append_new(list, decision_of(decision, pool));
        }
    }
    return list;
}

static json_t *begin(void)
{
    json_t *json = json_object();

    set(json, "schema_version", json_integer(TMPL_DATA_SCHEMA));
    set(json, "version", json_string(TMPL_VERSION));
    set(json, "time", moment(apr_time_now()));
    return json;
}

json_t *tmpl_data_server(request_rec *r, const char *declined)
{
    json_t *json = begin();
    const apr_array_header_t *seen = tmpl_sites_list(r->pool);
    tmpl_sites_census_t census = tmpl_sites_census();

    set(json, "server", tmpl_data_string(ap_get_server_name(r), r->pool));
    set(json, "restarted", moment(ap_scoreboard_image->global->restart_time));
    set(json, "counted_since", moment(tmpl_counted_since()));
    set(json, "counters", counters());
    set(json, "modes", modes());
    set(json, "detectors", detectors());
    set(json, "declines", declines());
    set(json, "selectors", selectors(r->pool));
    set(json, "stages", stages());
    set(json, "shares", shares());
    set(json, "stores", stores(r->pool));
    set(json, "sites_seen", json_integer(seen->nelts));
    set(json, "sites_by_state", by_state(&census));
    set(json, "sites_frozen", integer(census.frozen));
    set(json, "sites", top_sites(seen, r->pool));
    set(json, "decisions_kept", integer(tmpl_recent_size()));
    set(json, "decisions_declined", json_string(declined));
    set(json, "decisions", decisions(NULL, declined, r->pool));
    set(json, "configuration", tmpl_in_force(r->pool));
    return json;
}

/* The number of segments in each range of DFs, up to the greatest DF of the table. */
static json_t *by_df(const tmpl_store_stats_t *stats)
{
    json_t *list = json_array();
    int i, n = TMPL_STATS_DF;

    while (n > 0 && stats->by_df[n - 1] == 0) {
        n--;
    }
    for (i = 0; i < n; i++) {
        json_t *json = json_object();

        set(json, "from", integer(i > 0 ? ((apr_uint64_t)1 << (i - 1)) + 1 : 1));
        set(json, "to", integer((apr_uint64_t)1 << i));
        set(json, "segments", integer(stats->by_df[i]));
        json_array_append_new(list, json);
    }
    return list;
}

static json_t *table(const char *name, const tmpl_store_stats_t *stats, apr_pool_t *pool)
{
    json_t *json = json_object();

    set(json, "store", tmpl_data_string(name, pool));
    set(json, "documents", integer(stats->pages));
    set(json, "version", integer(stats->version));
    set(json, "entries", integer(stats->entries));
    set(json, "live", integer(stats->live));
    set(json, "template", integer(stats->template));
    set(json, "bytes", integer(stats->bytes));
    set(json, "frozen", json_boolean(stats->frozen));
    set(json, "segments_by_df", by_df(stats));
    return json;
}

/*
 * What the stores know of a site: one object for each store that knows it. The stores that cannot
 * tell go to unread, with the reason.
 */
static json_t *tables(const char *key, json_t *unread, apr_pool_t *pool)
{
    const apr_array_header_t *known = tmpl_stores_list(pool);
    json_t *list = json_array();
    int i;

    for (i = 0; i < known->nelts; i++) {
        const tmpl_store_status_t *status = &APR_ARRAY_IDX(known, i, tmpl_store_status_t);
        const char *name = status->name;
        tmpl_error_t err = { APR_EGENERAL, "the store does not answer" };
        tmpl_store_stats_t stats;
        /* not asked if any child found it silent: this request would wait for it */
        tmpl_store_t *store =
            status->open[TMPL_PURPOSE_LOOKUP] == 0 ? tmpl_links_store(name, &err) : NULL;

        if (store != NULL && tmpl_store_stats(store, key, &tmpl_clean_opts_default.policy, &stats,
                                              &err, pool) == APR_SUCCESS) {
            json_array_append_new(list, table(name, &stats, pool));
        }
        else if (err.status != APR_NOTFOUND) {
            json_t *json = json_object();

            set(json, "store", tmpl_data_string(name, pool));
            set(json, "why", tmpl_data_string(err.text, pool));
            json_array_append_new(unread, json);
        }
    }
    return list;
}

json_t *tmpl_data_site(request_rec *r, const char *key)
{
    json_t *json = begin(), *unread = json_array(), *found = tables(key, unread, r->pool);
    tmpl_site_t *site = apr_palloc(r->pool, sizeof(*site));
    int seen = tmpl_sites_find(site, key);

    if (!seen && json_array_size(found) == 0 && json_array_size(unread) == 0) {
        json_decref(json);
        json_decref(unread);
        json_decref(found);
        return NULL;
    }
    set_site(json, key, r->pool);
    if (seen) {
        set_figures(json, site);
        set(json, "curve", curve(site));
    }
    set(json, "tables", found);
    set(json, "unread", unread);
    set(json, "decisions", decisions(key, "", r->pool));
    return json;
}

typedef struct {
    json_t *list;
    apr_pool_t *pool;
} part_t;

static apr_status_t add_site(void *baton, const char *key)
{
    const part_t *part = baton;
    tmpl_site_t *site = apr_palloc(part->pool, sizeof(*site));
    json_t *json = json_object();

    set_site(json, key, part->pool);
    if (tmpl_sites_find(site, key)) {
        set_figures(json, site);
    }
    json_array_append_new(part->list, json);
    return APR_SUCCESS;
}

static json_t *store_names(apr_pool_t *pool)
{
    const apr_array_header_t *known = tmpl_stores_list(pool);
    json_t *list = json_array();
    int i;

    for (i = 0; i < known->nelts; i++) {
        json_array_append_new(
            list, tmpl_data_string(APR_ARRAY_IDX(known, i, tmpl_store_status_t).name, pool));
    }
    return list;
}

json_t *tmpl_data_sites(request_rec *r, const char *name, const char *after, unsigned n,
                        tmpl_error_t *err)
{
    part_t part = { json_array(), r->pool };
    tmpl_store_t *store = tmpl_links_store(name, err);
    const char *next = NULL;
    json_t *json;

    if (store == NULL || tmpl_store_sites_part(store, after, n, add_site, &part, &next, err,
                                               r->pool) != APR_SUCCESS) {
        json_decref(part.list);
        return NULL;
    }
    json = begin();
    set(json, "stores", store_names(r->pool));
    set(json, "store",
        name != NULL ? tmpl_data_string(name, r->pool)
                     : json_incref(json_array_get(json_object_get(json, "stores"), 0)));
    set(json, "sites", part.list);
    set(json, "next",
        next != NULL ? json_string(ap_escape_urlencoded(r->pool, next)) : json_null());
    return json;
}
