/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared store, "redis://..." and "redis+unix://...": one hash per site, "tmpl:4:{SITE}"
 * (redis_table.h). A site is one key, so that it expires or is evicted as a whole; its name stands in
 * braces, so that whatever keys a site may get one day share a slot of a cluster. Braces and % in a name
 * are written %7B, %7D and %25.
 *
 * The 4 is the format of the hash: a change of the format counts it on. Sites in the first three,
 * "tmpl:{SITE}" to "tmpl:3:{SITE}", are neither read nor touched, and expire.
 *
 * A page is looked up by one HMGET, so its counts are of one moment; or, if they may be older, by what has been
 * read a moment ago (redis_epoch.h). Pages are learnt by WATCH and HMGET, counted here by the rules that every store has, and written by one transaction, which Redis
 * refuses if anybody has written the site since: then it is all done again, from what now
 * stands there. Counting here and not in a script of the server's spares it, who is one for many.
 *
 * Sites not observed for opts.idle expire. A server that takes no writes (read-only replica, out of
 * memory, disk trouble) is a full store: APR_ENOSPC with good counts.
 */
#include <string.h>

#include "table/redis/redis_visit.h"

#define KEPT_MOST ((size_t)8 << 20) /* bytes of what was read lately */

/* The counts of a page as it is; of LATER as if it were learnt. */
static apr_status_t look(tmpl_redis_visit_t *v, tmpl_counts_t *counts)
{
    apr_status_t rv = tmpl_redis_visit_ask(v, NULL);
    const tmpl_redis_head_t *head = tmpl_redis_table_head(v->table);
    tmpl_rules_site_t site = head->site;

    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (v->pages[0]->learn == TMPL_LEARNING_OFF) {
        tmpl_rules_look(v->rules, &site, counts);
    }
    else {
        counts->due = tmpl_rules_learn(v->rules, &site, counts, v->pool);
    }
    if (v->replies->nelts > 0) { /* it had to ask */
        tmpl_redis_visit_remember(v);
        tmpl_redis_visit_touch(v);
    }
    return APR_SUCCESS;
}

/* Looks a page up, by counts that may be so old. */
static apr_status_t look_up(tmpl_redis_store_t *store, const tmpl_observation_t *page,
                            apr_interval_time_t age, apr_time_t deadline, tmpl_counts_t *counts,
                            tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_redis_visit_t v;
    apr_status_t rv;

    tmpl_redis_visit_init(&v, store, &page, 1, deadline, err, pool);
    v.age = age;
    apr_pool_create(&v.pool, pool);
    tmpl_redis_visit_begin(&v);
    rv = look(&v, counts);
    tmpl_redis_visit_end(&v, rv);
    apr_pool_destroy(v.pool);
    return rv;
}

static apr_status_t observe(void *ctx, const tmpl_observation_t *obs, apr_time_t deadline,
                            tmpl_counts_t *counts, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_observation_t off = *obs;
    apr_status_t rv, looked;
    uint32_t counted = 0;

    if (obs->learn != TMPL_LEARNING_NOW) {
        return look_up(ctx, obs, obs->age, deadline, counts, err, pool);
    }
    rv = tmpl_redis_learn(ctx, &obs, 1, deadline, counts, &counted, err, pool);
    if (rv == APR_ENOSPC) {
        off.learn = TMPL_LEARNING_OFF;
        memset(counts->records, 0, obs->n * sizeof(*counts->records));
        counts->counted = 0;
        looked = look_up(ctx, &off, 0, deadline, counts, NULL, pool);
        rv = looked == APR_SUCCESS ? rv : looked;
        if (err != NULL) {
            err->status = rv;
        }
    }
    return rv;
}

static apr_status_t check(const char *uri, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_redis_address_t address;

    return tmpl_redis_address_parse(&address, uri, err, pool);
}

static apr_status_t store_free(void *data)
{
    tmpl_redis_store_t *store = data;

    /*
     * The condition is left as it is: to destroy it waits for whoever waits, and prefork may have interrupted
     * that for good to end the process.
     */
    pthread_mutex_destroy(&store->lock);
    return APR_SUCCESS;
}

static apr_status_t store_open(void **ctx, const char *uri, const tmpl_store_opts_t *opts,
                               tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_redis_store_t *store = apr_pcalloc(pool, sizeof(*store));
    tmpl_redis_address_t address;
    apr_status_t rv = tmpl_redis_address_parse(&address, uri, err, pool);

    if (rv == APR_SUCCESS) {
        store->opts = *opts;
        store->epochs = tmpl_redis_epochs_create(KEPT_MOST, pool);
        store->redis = tmpl_redis_create(&address, opts->max_connections, pool);
        store->sites = apr_pcalloc(pool, TMPL_REDIS_SITES * sizeof(*store->sites));
        pthread_mutex_init(&store->lock, NULL);
        pthread_cond_init(&store->freed, NULL);
        apr_pool_cleanup_register(pool, store, store_free, apr_pool_cleanup_null);
        *ctx = store;
    }
    return rv;
}

#define PROVIDER(uri_scheme)                                                                       \
    {                                                                                              \
        .scheme = (uri_scheme), .check = check, .open = store_open, .observe = observe,            \
        .learn = tmpl_redis_learn, .sites = tmpl_redis_sites, .forget = tmpl_redis_forget,         \
        .dump = tmpl_redis_dump, .load = tmpl_redis_load                                           \
    }

const tmpl_provider_t tmpl_provider_redis = PROVIDER("redis://");
const tmpl_provider_t tmpl_provider_redis_unix = PROVIDER("redis+unix://");
