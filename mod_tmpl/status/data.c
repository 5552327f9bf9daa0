/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"
#include "child_store.h"
#include "counters.h"
#include "data.h"
#include "sites.h"
#include "stores.h"

#include <http_main.h>
#include <scoreboard.h>

/* For json_pack. */
#define N(number) ((json_int_t)(number))

static json_t *object_of_counts(tmpl_group_e group)
{
    json_t *json = json_object();
    tmpl_counted_t is;
    for (int i = 0; tmpl_counted(&is, group, i); i++) {
        json_object_set_new(json, is.name, json_integer(N(is.count)));
    }
    return json;
}

/* Each reason to decline; *pages becomes the number of declined responses that are pages. */
static json_t *declines(json_int_t *pages)
{
    json_t *list = json_array();
    tmpl_counted_t is;
    *pages = 0;
    for (int i = 0; tmpl_counted(&is, TMPL_GROUP_DECLINE, i); i++) {
        *pages += tmpl_decline_is_of_page((tmpl_decline_e)(i + 1)) ? N(is.count) : 0;
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:I}", "reason", is.name, "text", is.text, "advice",
                            tmpl_decline_advice((tmpl_decline_e)(i + 1)), "count", N(is.count)));
    }
    return list;
}

static json_t *histograms(int first, int last)
{
    json_t *list = json_array();
    for (int i = first; i <= last; i++) {
        json_array_append_new(list, tmpl_histogram((tmpl_measure_e)i));
    }
    return list;
}

/* The stores, each with how full it is, null if that is not known. */
static json_t *stores(apr_pool_t *pool)
{
    json_t *list = tmpl_stores(pool), *store;
    size_t i;
    json_array_foreach(list, i, store)
    {
        tmpl_store_usage_t is;
        json_object_update_new(
            store, tmpl_child_store_usage(tmpl_stores_name((int)i), &is)
                       ? json_pack("{s:I, s:I, s:I, s:I, s:I}", "bytes", N(is.bytes), "max_bytes",
                                   N(is.max_bytes), "sites", N(is.sites), "max_sites",
                                   N(is.max_sites), "sites_forgotten", N(is.evicted))
                       : json_pack("{s:n, s:n, s:n, s:n, s:n}", "bytes", "max_bytes", "sites",
                                   "max_sites", "sites_forgotten"));
    }
    return list;
}

static void add_cache(json_t *to, apr_pool_t *pool)
{
    tmpl_cache_usage_t is = tmpl_cache_usage(ap_server_conf, pool);
    json_object_update_new(to, json_pack("{s:I, s:I, s:I}", "cache_entries", N(is.entries),
                                         "cache_bytes", N(is.bytes), "cache_max_bytes",
                                         N(is.max_bytes)));
}

/* ---- sites ---- */

/* The last pages of a site: how many there are, how many were declined, and the reasons. */
static json_t *window(const tmpl_site_t *site)
{
    unsigned counts[TMPL_DECLINE_COUNT];
    json_t *reasons = json_object();
    tmpl_site_declines(site, counts);
    for (int i = TMPL_DECLINE_NONE + 1; i < TMPL_DECLINE_COUNT; i++) {
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
        double in = (double)site->bytes_in, out = (double)site->bytes_out;
        json_object_update_new(
            json,
            json_pack("{s:I, s:I, s:I, s:o, s:I, s:I, s:f, s:s, s:I, s:b, s:f, s:o, s:o, s:o, s:o}",
                      "pages", N(site->pages), "judged", N(site->pages - site->declined),
                      "declined", N(site->declined), "last_pages", window(site), "bytes_in",
                      N(site->bytes_in), "bytes_out", N(site->bytes_out), "removed_share",
                      in > out ? (in - out) / in : 0.0, "state", tmpl_state_name(site->state),
                      "documents", N(site->known), "frozen", site->frozen, "template_share",
                      site->template_share, "first_seen", tmpl_json_time(site->first), "last_seen",
                      tmpl_json_time(site->last), "last_learnt", tmpl_json_time(site->learnt),
                      "template_changed", tmpl_json_time(site->alarm.began)));
    }
    return json;
}

/* The sites of TmplMetricsSites; a site that was not seen has zeros. */
static json_t *chosen_sites(const apr_array_header_t *seen, apr_pool_t *pool)
{
    static const tmpl_site_t unseen;
    const apr_array_header_t *keys = tmpl_conf_metrics_sites(ap_server_conf);
    json_t *list = json_array();
    for (int i = 0; keys != NULL && i < keys->nelts; i++) {
        const char *key = APR_ARRAY_IDX(keys, i, const char *);
        const tmpl_site_t *site = &unseen;
        for (int k = 0; k < seen->nelts && site == &unseen; k++) {
            const tmpl_site_t *other = &APR_ARRAY_IDX(seen, k, tmpl_site_t);
            site = strcmp(other->key, key) == 0 ? other : site;
        }
        json_array_append_new(list, site_of(key, site, pool));
    }
    return list;
}

/*
 * Adds the sites that were seen: how many, how many in each state, how many frozen, and of how many
 * the template has changed; those with most pages.
 */
static void add_sites(json_t *to, apr_pool_t *pool)
{
    const apr_array_header_t *seen = tmpl_sites_list(pool);
    json_int_t counts[TMPL_STATE_COUNT] = { 0 }, frozen = 0, changed = 0;
    json_t *states = json_object(), *list = json_array();
    int i;
    for (i = 0; i < seen->nelts; i++) {
        const tmpl_site_t *site = &APR_ARRAY_IDX(seen, i, tmpl_site_t);
        counts[(unsigned)site->state % TMPL_STATE_COUNT]++; /* whatever memory holds */
        frozen += site->frozen != 0;
        changed += site->alarm.began != 0;
        if (i < TMPL_DATA_SITES) {
            json_array_append_new(list, site_of(site->key, site, pool));
        }
    }
    for (i = 0; i < TMPL_STATE_COUNT; i++) {
        json_object_set_new(states, tmpl_state_name((tmpl_state_e)i), json_integer(counts[i]));
    }
    json_object_update_new(to, json_pack("{s:i, s:o, s:I, s:I, s:o, s:o}", "sites_seen",
                                         seen->nelts, "sites_by_state", states, "sites_frozen",
                                         frozen, "sites_changed", changed, "sites", list,
                                         "metrics_sites", chosen_sites(seen, pool)));
}

/* ---- decisions ---- */

/* Which decisions: all, all that were declined, or those of a tmpl_decline_e; -1: no such name. */
enum { ALL = TMPL_DECLINE_NONE, ALL_DECLINED = TMPL_DECLINE_COUNT };

static int reason_of(const char *name)
{
    int i = TMPL_DECLINE_NONE + 1;
    if (*name == '\0') {
        return ALL;
    }
    while (i < TMPL_DECLINE_COUNT && strcmp(name, tmpl_decline_name((tmpl_decline_e)i)) != 0) {
        i++;
    }
    return i < TMPL_DECLINE_COUNT || strcmp(name, "any") == 0 ? i : -1;
}

static json_t *decision_of(const tmpl_recent_t *decision, apr_pool_t *pool)
{
    json_t *json = site_of(decision->site, NULL, pool);
    json_object_update_new(
        json,
        json_pack("{s:o, s:o, s:s, s:o, s:f, s:I, s:I, s:s?}", "time",
                  tmpl_json_time(decision->time), "path", tmpl_json_text(decision->path, pool),
                  "mode", tmpl_mode_name(decision->mode), "declined",
                  decision->decline == TMPL_DECLINE_NONE
                      ? json_null()
                      : json_pack("{s:s, s:s}", "reason", tmpl_decline_name(decision->decline),
                                  "text", tmpl_decline_text(decision->decline)),
                  "milliseconds", (double)decision->took / 1000, "bytes_in", N(decision->length),
                  "bytes_out", N(decision->length_after), "cache",
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

/* The last decisions that were declined for a reason, about one site; site NULL: about all. */
static json_t *decisions(const char *site, int declined, size_t most, apr_pool_t *pool)
{
    const apr_array_header_t *last = tmpl_recent_list(pool);
    json_t *list = json_array();
    for (int i = 0; i < last->nelts && json_array_size(list) < most; i++) {
        const tmpl_recent_t *decision = &APR_ARRAY_IDX(last, i, tmpl_recent_t);
        int decline = (int)decision->decline;
        if ((site == NULL || strcmp(decision->site, site) == 0) &&
            (declined == ALL || declined == decline ||
             (declined == ALL_DECLINED && decline != TMPL_DECLINE_NONE))) {
            json_array_append_new(list, decision_of(decision, pool));
        }
    }
    return list;
}

/* ---- the server ---- */

static json_t *begin_answer(void)
{
    return json_pack("{s:i, s:s, s:o}", "schema_version", TMPL_DATA_SCHEMA, "version", TMPL_VERSION,
                     "time", tmpl_json_time(apr_time_now()));
}

/* The sum of the member name of all objects of an array. */
static json_int_t sum_of(const json_t *array, const char *name)
{
    json_int_t sum = 0;
    const json_t *object;
    size_t i;
    json_array_foreach(array, i, object)
    {
        sum += json_integer_value(json_object_get(object, name));
    }
    return sum;
}

json_t *tmpl_data_server(request_rec *r, const char *declined, size_t most)
{
    int reason = reason_of(declined);
    if (reason < 0) {
        return NULL;
    }
    json_t *json = begin_answer(), *known = stores(r->pool);
    json_int_t declined_pages;
    json_t *reasons = declines(&declined_pages);
    json_object_update_new(
        json,
        json_pack(
            "{s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:I, s:I, s:o, s:I, s:s, s:o}",
            "server", tmpl_json_text(ap_get_server_name(r), r->pool), "restarted",
            tmpl_json_time(ap_scoreboard_image->global->restart_time), "counted_since",
            tmpl_json_time(tmpl_counted_since()), "counters", object_of_counts(TMPL_GROUP_COUNTER),
            "modes", object_of_counts(TMPL_GROUP_MODE), "declined_responses",
            sum_of(reasons, "count"), "declined_pages", declined_pages, "declines", reasons,
            "stages", histograms(TMPL_STAGE_WAIT, TMPL_STAGE_TOTAL), "shares",
            histograms(TMPL_SHARE_RATIO, TMPL_SHARE_CONFIDENCE), "waiting_pages",
            sum_of(known, "waiting_pages"), "waiting_bytes", sum_of(known, "waiting_bytes"),
            "stores", known, "decisions_kept", N(tmpl_conf_recent(ap_server_conf)),
            "decisions_declined", declined, "decisions", decisions(NULL, reason, most, r->pool)));
    add_cache(json, r->pool);
    add_sites(json, r->pool);
    return json;
}

/* ---- one site ---- */

/*
 * What the stores know of a site: one object for each store that knows it. The stores that cannot
 * tell go to unread, with the reason.
 */
static json_t *tables(const char *key, json_t *unread, apr_pool_t *pool)
{
    json_t *known = tmpl_stores(pool), *list = json_array(), *status;
    const tmpl_clean_opts_t presets = tmpl_clean_opts_default();
    size_t i;
    json_array_foreach(known, i, status)
    {
        const char *name = tmpl_stores_name((int)i);
        const json_t *paused = json_object_get(status, "breakers_open");
        tmpl_error_t err = { APR_EGENERAL, "the store does not answer" };
        tmpl_store_stats_t stats;
        /* not asked if any child found it silent: this request would wait for it */
        tmpl_store_t *store = json_integer_value(json_object_get(paused, "look-up")) == 0
                                  ? tmpl_child_store_named(name, &err)
                                  : NULL;
        if (store != NULL &&
            tmpl_store_stats(store, key, &presets.policy, &stats, &err, pool) == APR_SUCCESS) {
            json_array_append_new(
                list, json_pack("{s:O, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I}", "store",
                                json_object_get(status, "store"), "documents", N(stats.pages),
                                "version", N(stats.version), "entries", N(stats.entries), "live",
                                N(stats.live), "template", N(stats.template), "bytes",
                                N(stats.bytes), "frozen", stats.frozen, "listed", N(stats.listed)));
        }
        else if (err.status != APR_NOTFOUND) {
            json_array_append_new(unread,
                                  json_pack("{s:O, s:o}", "store", json_object_get(status, "store"),
                                            "why", tmpl_json_text(err.text, pool)));
        }
    }
    json_decref(known);
    return list;
}

json_t *tmpl_data_site(request_rec *r, const char *key, size_t most)
{
    json_t *unread = json_array(), *found = tables(key, unread, r->pool);
    tmpl_site_t site;
    int seen = tmpl_sites_find(&site, key);
    if (!seen && json_array_size(found) == 0 && json_array_size(unread) == 0) {
        json_decref(unread);
        json_decref(found);
        return NULL;
    }
    json_t *json = begin_answer();
    json_object_update_new(json, site_of(key, seen ? &site : NULL, r->pool));
    json_object_update_new(json, json_pack("{s:o, s:o, s:o}", "tables", found, "unread", unread,
                                           "decisions", decisions(key, ALL, most, r->pool)));
    return json;
}
