/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"
#include "child_store.h"
#include "counters.h"
#include "data.h"
#include "histogram.h"
#include "in_force.h"
#include "recent.h"
#include "section.h"
#include "selectors.h"
#include "sites.h"
#include "stores.h"

#include <http_main.h>
#include <scoreboard.h>

/* For json_pack: an integer, and a truth value. */
#define N(number)   ((json_int_t)(number))
#define IS(boolean) ((boolean) != 0)

static json_t *object_of_counts(tmpl_group_e group)
{
    json_t *json = json_object();
    tmpl_counted_t is;
    int i;

    for (i = 0; tmpl_counted(&is, group, i); i++) {
        json_object_set_new(json, is.name, json_integer(N(is.count)));
    }
    return json;
}

static json_t *declines(void)
{
    json_t *list = json_array();
    tmpl_counted_t is;
    int i;

    for (i = 0; tmpl_counted(&is, TMPL_GROUP_DECLINE, i); i++) {
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:I}", "reason", is.name, "text", is.text, "advice",
                            tmpl_decline_advice((tmpl_decline_e)(i + 1)), "count", N(is.count)));
    }
    return list;
}

static json_t *histograms(int first, int last)
{
    json_t *list = json_array();
    int i;

    for (i = first; i <= last; i++) {
        json_array_append_new(list, tmpl_histogram((tmpl_measure_e)i));
    }
    return list;
}

/* ---- stores ---- */

/* A number for each purpose. */
static json_t *by_purpose(const apr_uint64_t *numbers)
{
    json_t *json = json_object();
    int i;

    for (i = 0; i < TMPL_PURPOSES; i++) {
        json_object_set_new(json, tmpl_purpose_name((tmpl_purpose_e)i),
                            json_integer(N(numbers[i])));
    }
    return json;
}

static json_t *events(const tmpl_store_status_t *store, apr_pool_t *pool)
{
    json_t *list = json_array();
    apr_uint32_t i;

    for (i = 0; i < store->n_events; i++) {
        const tmpl_store_event_t *event = &store->events[i];

        json_array_append_new(list,
                              json_pack("{s:o, s:s, s:s, s:o}", "time", tmpl_json_time(event->time),
                                        "event", tmpl_store_event_name(event->what), "purpose",
                                        tmpl_purpose_name(event->purpose), "text",
                                        tmpl_json_text(event->text, pool)));
    }
    return list;
}

/* How full a store is; all null if that is not known. */
static json_t *usage(const char *store)
{
    tmpl_store_usage_t is;

    return tmpl_child_store_usage(store, &is)
               ? json_pack("{s:I, s:I, s:I, s:I, s:I}", "bytes", N(is.bytes), "max_bytes",
                           N(is.max_bytes), "sites", N(is.sites), "max_sites", N(is.max_sites),
                           "sites_forgotten", N(is.evicted))
               : json_pack("{s:n, s:n, s:n, s:n, s:n}", "bytes", "max_bytes", "sites", "max_sites",
                           "sites_forgotten");
}

static json_t *stores(apr_pool_t *pool)
{
    const apr_array_header_t *known = tmpl_stores_list(pool);
    json_t *list = json_array();
    int i;

    for (i = 0; i < known->nelts; i++) {
        const tmpl_store_status_t *store = &APR_ARRAY_IDX(known, i, tmpl_store_status_t);
        json_t *json =
            json_pack("{s:o, s:o, s:o, s:I, s:I, s:I}", "store", tmpl_json_text(store->name, pool),
                      "errors", by_purpose(store->errors), "breakers_open", by_purpose(store->open),
                      "waiting_pages", N(store->waiting_pages), "waiting_bytes",
                      N(store->waiting_bytes), "full", N(store->full));

        json_object_update_new(json, usage(store->name));
        json_object_set_new(json, "events", events(store, pool));
        json_array_append_new(list, json);
    }
    return list;
}

/* ---- sites ---- */

/* The last pages of a site: how many there are, how many were declined, and the reasons. */
static json_t *window(const tmpl_site_t *site)
{
    unsigned counts[TMPL_DECLINE_COUNT];
    json_t *reasons = json_object();
    int i;

    tmpl_site_declines(site, counts);
    for (i = TMPL_DECLINE_NONE + 1; i < TMPL_DECLINE_COUNT; i++) {
        if (counts[i] > 0) {
            json_object_set_new(reasons, tmpl_decline_name((tmpl_decline_e)i),
                                json_integer(counts[i]));
        }
    }
    return json_pack("{s:I, s:I, s:o}", "pages", N(site->window_n), "declined",
                     N(site->window_n - counts[TMPL_DECLINE_NONE]), "reasons", reasons);
}

/* The two strings that name a site (data.h), and its figures; site NULL: it has none. */
static json_t *site_of(const char *key, const tmpl_site_t *site, apr_pool_t *pool)
{
    json_t *json = json_pack("{s:o, s:s}", "site", tmpl_json_text(key, pool), "query",
                             ap_escape_urlencoded(pool, key));

    if (site != NULL) {
        json_object_update_new(
            json,
            json_pack("{s:I, s:I, s:o, s:I, s:I, s:s, s:I, s:b, s:f, s:o, s:o, s:o}", "pages",
                      N(site->pages), "declined", N(site->declined), "last_pages", window(site),
                      "bytes_in", N(site->bytes_in), "bytes_out", N(site->bytes_out), "state",
                      tmpl_state_name(site->state), "documents", N(site->known), "frozen",
                      IS(site->frozen), "template_share",
                      site->n_points > 0 ? (double)site->points[site->n_points - 1].cut : 0.0,
                      "first_seen", tmpl_json_time(site->first), "last_seen",
                      tmpl_json_time(site->last), "last_learnt", tmpl_json_time(site->learnt)));
    }
    return json;
}

static json_t *curve(const tmpl_site_t *site)
{
    json_t *list = json_array();
    apr_uint32_t i;

    for (i = 0; i < site->n_points; i++) {
        const tmpl_site_point_t *point = &site->points[i];

        json_array_append_new(list, json_pack("{s:I, s:f, s:f}", "pages", N(point->pages),
                                              "template_share", (double)point->cut, "known_share",
                                              (double)point->known));
    }
    return list;
}

static json_t *top_sites(const apr_array_header_t *seen, apr_pool_t *pool)
{
    json_t *list = json_array();
    int i;

    for (i = 0; i < seen->nelts && i < TMPL_DATA_SITES; i++) {
        const tmpl_site_t *site = &APR_ARRAY_IDX(seen, i, tmpl_site_t);

        json_array_append_new(list, site_of(site->key, site, pool));
    }
    return list;
}

/* The sites of TmplMetricsSites; a site that was not seen has zeros. */
static json_t *chosen_sites(apr_pool_t *pool)
{
    const apr_array_header_t *keys = tmpl_conf_metrics_sites(ap_server_conf);
    json_t *list = json_array();
    int i;

    for (i = 0; keys != NULL && i < keys->nelts; i++) {
        const char *key = APR_ARRAY_IDX(keys, i, const char *);
        tmpl_site_t site;

        if (!tmpl_sites_find(&site, key)) {
            memset(&site, 0, sizeof(site));
        }
        json_array_append_new(list, site_of(key, &site, pool));
    }
    return list;
}

/* ---- decisions ---- */

static json_t *decline_of(const tmpl_recent_t *decision, apr_pool_t *pool)
{
    json_t *json;

    if (decision->decline == TMPL_DECLINE_NONE) {
        return json_null();
    }
    json = json_pack("{s:s, s:s}", "reason", tmpl_decline_name(decision->decline), "text",
                     tmpl_decline_text(decision->decline));
    if (decision->line > 0) {
        json_object_update_new(json, json_pack("{s:I, s:I, s:o}", "byte", N(decision->at), "line",
                                               N(decision->line), "tag",
                                               tmpl_json_text(decision->tag, pool)));
    }
    return json;
}

static json_t *decision_of(const tmpl_recent_t *decision, apr_pool_t *pool)
{
    json_t *json = json_pack("{s:o}", "time", tmpl_json_time(decision->time));

    json_object_update_new(json, site_of(decision->site, NULL, pool));
    json_object_update_new(
        json, json_pack("{s:o, s:s, s:o, s:f, s:I, s:I, s:s?}", "path",
                        tmpl_json_text(decision->path, pool), "mode",
                        tmpl_mode_name(decision->mode), "declined", decline_of(decision, pool),
                        "milliseconds", (double)decision->took / 1000, "bytes_in",
                        N(decision->length), "bytes_out", N(decision->length_after), "cache",
                        decision->cached ? tmpl_cached_name((tmpl_cached_e)(decision->cached - 1))
                                         : NULL));
    if (decision->judged) {
        json_object_update_new(
            json, json_pack("{s:s, s:s, s:I, s:I, s:f, s:f}", "detector",
                            tmpl_detector(decision->detector)->name, "state",
                            tmpl_state_name(decision->state), "blocks", N(decision->blocks),
                            "template", N(decision->template_blocks), "ratio", decision->ratio,
                            "confidence", decision->confidence));
    }
    if (decision->judged && decision->unmarked >= 0) {
        json_object_set_new(json, "unmarked", json_real(decision->unmarked));
    }
    return json;
}

/* Whether a filter takes the decisions with that decline. */
static int is_taken(tmpl_decline_e decline, const char *declined)
{
    return *declined == '\0' ||
           (decline != TMPL_DECLINE_NONE && (strcmp(declined, TMPL_DATA_ANY) == 0 ||
                                             strcmp(declined, tmpl_decline_name(decline)) == 0));
}

int tmpl_data_is_filter(const char *declined)
{
    int i = TMPL_DECLINE_NONE + 1;

    while (i < TMPL_DECLINE_COUNT && !is_taken((tmpl_decline_e)i, declined)) {
        i++;
    }
    return i < TMPL_DECLINE_COUNT;
}

/* The last decisions that the filter takes, about one site; site NULL: about all sites. */
static json_t *decisions(const char *site, const char *declined, apr_pool_t *pool)
{
    const apr_array_header_t *last = tmpl_recent_list(pool);
    json_t *list = json_array();
    int i;

    for (i = 0; i < last->nelts; i++) {
        const tmpl_recent_t *decision = &APR_ARRAY_IDX(last, i, tmpl_recent_t);

        if ((site == NULL || strcmp(decision->site, site) == 0) &&
            is_taken(decision->decline, declined)) {
            json_array_append_new(list, decision_of(decision, pool));
        }
    }
    return list;
}

/* ---- the server ---- */

static json_t *begin(void)
{
    return json_pack("{s:i, s:s, s:o}", "schema_version", TMPL_DATA_SCHEMA, "version", TMPL_VERSION,
                     "time", tmpl_json_time(apr_time_now()));
}

/* Adds how many sites were seen, how many are in each state, and how many of them are frozen. */
static void set_census(json_t *to, const apr_array_header_t *seen)
{
    json_int_t counts[TMPL_STATE_COUNT] = { 0 }, frozen = 0;
    json_t *states = json_object();
    int i;

    for (i = 0; i < seen->nelts; i++) {
        const tmpl_site_t *site = &APR_ARRAY_IDX(seen, i, tmpl_site_t);

        counts[(unsigned)site->state % TMPL_STATE_COUNT]++; /* whatever memory holds */
        frozen += site->frozen != 0;
    }
    for (i = 0; i < TMPL_STATE_COUNT; i++) {
        json_object_set_new(states, tmpl_state_name((tmpl_state_e)i), json_integer(counts[i]));
    }
    json_object_update_new(to, json_pack("{s:i, s:o, s:I}", "sites_seen", seen->nelts,
                                         "sites_by_state", states, "sites_frozen", frozen));
}

static json_t *figures(request_rec *r, const apr_array_header_t *seen)
{
    json_t *json = begin();

    json_object_update_new(
        json,
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "server",
                  tmpl_json_text(ap_get_server_name(r), r->pool), "restarted",
                  tmpl_json_time(ap_scoreboard_image->global->restart_time), "counted_since",
                  tmpl_json_time(tmpl_counted_since()), "counters",
                  object_of_counts(TMPL_GROUP_COUNTER), "modes", object_of_counts(TMPL_GROUP_MODE),
                  "detectors", object_of_counts(TMPL_GROUP_DETECTOR), "declines", declines(),
                  "selectors", tmpl_selectors(r->pool), "stages",
                  histograms(TMPL_STAGE_WAIT, TMPL_STAGE_TOTAL), "shares",
                  histograms(TMPL_SHARE_RATIO, TMPL_SHARE_CONFIDENCE), "stores", stores(r->pool)));
    set_census(json, seen);
    return json;
}

json_t *tmpl_data_figures(request_rec *r)
{
    json_t *json = figures(r, tmpl_sites_list(r->pool));

    json_object_set_new(json, "sites", chosen_sites(r->pool));
    return json;
}

json_t *tmpl_data_server(request_rec *r, const char *declined)
{
    const apr_array_header_t *seen = tmpl_sites_list(r->pool);
    json_t *json = figures(r, seen);

    json_object_update_new(json,
                           json_pack("{s:o, s:I, s:s, s:o, s:o}", "sites", top_sites(seen, r->pool),
                                     "decisions_kept", N(tmpl_recent_size()), "decisions_declined",
                                     declined, "decisions", decisions(NULL, declined, r->pool),
                                     "configuration", tmpl_in_force(r->pool)));
    return json;
}

/* ---- one site ---- */

/* The number of segments in each range of DFs, up to the greatest DF of the table. */
static json_t *by_df(const tmpl_store_stats_t *stats)
{
    json_t *list = json_array();
    int i, n = TMPL_STATS_DF;

    while (n > 0 && stats->by_df[n - 1] == 0) {
        n--;
    }
    for (i = 0; i < n; i++) {
        json_array_append_new(list, json_pack("{s:I, s:I, s:I}", "from",
                                              i > 0 ? ((json_int_t)1 << (i - 1)) + 1 : N(1), "to",
                                              (json_int_t)1 << i, "segments", N(stats->by_df[i])));
    }
    return list;
}

static json_t *table(const char *name, const tmpl_store_stats_t *stats, apr_pool_t *pool)
{
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:o}", "store",
                     tmpl_json_text(name, pool), "documents", N(stats->pages), "version",
                     N(stats->version), "entries", N(stats->entries), "live", N(stats->live),
                     "template", N(stats->template), "bytes", N(stats->bytes), "frozen",
                     IS(stats->frozen), "segments_by_df", by_df(stats));
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
        tmpl_error_t err = { APR_EGENERAL, "the store does not answer" };
        tmpl_store_stats_t stats;
        /* not asked if any child found it silent: this request would wait for it */
        tmpl_store_t *store = status->open[TMPL_PURPOSE_LOOKUP] == 0
                                  ? tmpl_child_store_named(status->name, &err)
                                  : NULL;

        if (store != NULL && tmpl_store_stats(store, key, &tmpl_clean_opts_default.policy, &stats,
                                              &err, pool) == APR_SUCCESS) {
            json_array_append_new(list, table(status->name, &stats, pool));
        }
        else if (err.status != APR_NOTFOUND) {
            json_array_append_new(unread, json_pack("{s:o, s:o}", "store",
                                                    tmpl_json_text(status->name, pool), "why",
                                                    tmpl_json_text(err.text, pool)));
        }
    }
    return list;
}

json_t *tmpl_data_site(request_rec *r, const char *key)
{
    json_t *json, *unread = json_array(), *found = tables(key, unread, r->pool);
    tmpl_site_t *site = apr_palloc(r->pool, sizeof(*site));
    int seen = tmpl_sites_find(site, key);

    if (!seen && json_array_size(found) == 0 && json_array_size(unread) == 0) {
        json_decref(unread);
        json_decref(found);
        return NULL;
    }
    json = begin();
    json_object_update_new(json, site_of(key, seen ? site : NULL, r->pool));
    if (seen) {
        json_object_set_new(json, "curve", curve(site));
    }
    json_object_update_new(json, json_pack("{s:o, s:o, s:o}", "tables", found, "unread", unread,
                                           "decisions", decisions(key, "", r->pool)));
    return json;
}

/* ---- the sites of a store ---- */

typedef struct {
    json_t *list;
    apr_pool_t *pool;
} part_t;

static apr_status_t add_site(void *baton, const char *key)
{
    const part_t *part = baton;
    tmpl_site_t site;

    json_array_append_new(part->list,
                          site_of(key, tmpl_sites_find(&site, key) ? &site : NULL, part->pool));
    return APR_SUCCESS;
}

static json_t *store_names(apr_pool_t *pool)
{
    const apr_array_header_t *known = tmpl_stores_list(pool);
    json_t *list = json_array();
    int i;

    for (i = 0; i < known->nelts; i++) {
        json_array_append_new(
            list, tmpl_json_text(APR_ARRAY_IDX(known, i, tmpl_store_status_t).name, pool));
    }
    return list;
}

json_t *tmpl_data_sites(request_rec *r, const char *name, const char *after, unsigned n,
                        tmpl_error_t *err)
{
    part_t part = { json_array(), r->pool };
    tmpl_store_t *store = tmpl_child_store_named(name, err);
    const char *next = NULL;
    json_t *json, *names;

    if (store == NULL || tmpl_store_sites_part(store, after, n, add_site, &part, &next, err,
                                               r->pool) != APR_SUCCESS) {
        json_decref(part.list);
        return NULL;
    }
    json = begin();
    names = store_names(r->pool);
    json_object_update_new(json,
                           json_pack("{s:o, s:o, s:o, s:s?}", "stores", names, "store",
                                     name != NULL ? tmpl_json_text(name, r->pool)
                                                  : json_incref(json_array_get(names, 0)),
                                     "sites", part.list, "next",
                                     next != NULL ? ap_escape_urlencoded(r->pool, next) : NULL));
    return json;
}
