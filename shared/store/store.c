/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"

#include <string.h>
#include <time.h>

#include "store/provider.h"

struct tmpl_store_t {
    const tmpl_provider_t *provider;
    void *ctx;
};

static const tmpl_provider_t *const providers[] = {
    &tmpl_provider_lmdb,
    &tmpl_provider_redis,
    &tmpl_provider_redis_unix,
};

const tmpl_store_opts_t tmpl_store_opts_default = {
    .max_sites = 10000,
    .idle = 30 * 24 * apr_time_from_sec((apr_time_t)3600),
    .map_size = sizeof(void *) > 4 ? (apr_size_t)1 << 30 : (apr_size_t)256 << 20,
    .max_connections = 16,
};

apr_time_t tmpl_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return apr_time_make((apr_time_t)now.tv_sec, now.tv_nsec / 1000);
}

static const tmpl_provider_t *provider_find(const char *uri, tmpl_error_t *err)
{
    for (size_t i = 0; uri != NULL && i < sizeof(providers) / sizeof(providers[0]); i++) {
        if (strncmp(uri, providers[i]->scheme, strlen(providers[i]->scheme)) == 0) {
            return providers[i];
        }
    }
    tmpl_fail(err, APR_EINVAL,
              "a store is lmdb:DIR, redis://[user:pass@]host[:port][/db] or "
              "redis+unix:///path[?db=n&user=u&pass=p]");
    return NULL;
}

apr_status_t tmpl_store_check_uri(const char *uri, tmpl_error_t *err, apr_pool_t *pool)
{
    const tmpl_provider_t *provider = provider_find(uri, err);

    return provider == NULL ? APR_EINVAL : provider->check(uri, err, pool);
}

/* Limits of 0 make no sense: they mean the default. */
static void opts_fill(tmpl_store_opts_t *opts, const tmpl_store_opts_t *given)
{
    const tmpl_store_opts_t *def = &tmpl_store_opts_default;

    *opts = given != NULL ? *given : *def;
    opts->max_sites = opts->max_sites > 0 ? opts->max_sites : def->max_sites;
    opts->idle = opts->idle > 0 ? opts->idle : def->idle;
    opts->map_size = opts->map_size > 0 ? opts->map_size : def->map_size;
    opts->max_connections =
        opts->max_connections > 0 ? opts->max_connections : def->max_connections;
}

apr_status_t tmpl_store_open(tmpl_store_t **store, const char *uri, const tmpl_store_opts_t *opts,
                             tmpl_error_t *err, apr_pool_t *pool)
{
    const tmpl_provider_t *provider = provider_find(uri, err);
    tmpl_store_opts_t full;
    tmpl_store_t *s;
    apr_status_t rv;

    if (provider == NULL) {
        return APR_EINVAL;
    }
    opts_fill(&full, opts);
    s = apr_pcalloc(pool, sizeof(*s));
    s->provider = provider;
    rv = provider->open(&s->ctx, uri, &full, err, pool);
    if (rv == APR_SUCCESS) {
        *store = s;
    }
    return rv;
}

static apr_status_t site_check(const char *site, tmpl_error_t *err)
{
    size_t len = site == NULL ? 0 : strlen(site);

    if (len == 0 || len > TMPL_SITE_MAX) {
        return tmpl_fail(err, APR_EINVAL, "a site's name has 1 to %d bytes, this one %d",
                         TMPL_SITE_MAX, (int)len);
    }
    return APR_SUCCESS;
}

static apr_status_t policy_check(const tmpl_policy_t *policy, tmpl_error_t *err)
{
    if (policy->min_df < TMPL_MIN_DF_LEAST || policy->min_df > TMPL_MIN_DF_MOST) {
        return tmpl_fail(err, APR_EINVAL, "min_df is %u, it must be %d to %d", policy->min_df,
                         TMPL_MIN_DF_LEAST, TMPL_MIN_DF_MOST);
    }
    if (policy->lifetime_tb == 0 || policy->lifetime_n == 0) {
        return tmpl_fail(err, APR_EINVAL, "the lifetime's Tb and N must be 1 or more");
    }
    return APR_SUCCESS;
}

apr_status_t tmpl_store_observe(tmpl_store_t *store, const char *site,
                                const tmpl_document_t *document, const tmpl_key_t *keys, uint32_t n,
                                const tmpl_policy_t *policy, int learn, apr_interval_time_t timeout,
                                tmpl_counts_t *counts, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_observation_t obs = { site, document, keys, n, policy, learn, tmpl_clock() + timeout };
    apr_status_t rv;

    memset(counts, 0, sizeof(*counts));
    rv = site_check(site, err);
    if (rv == APR_SUCCESS) {
        rv = policy_check(policy, err);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (keys[i].kind <= TMPL_KIND_DOCUMENT || keys[i].kind >= TMPL_KIND_COUNT) {
            return tmpl_fail(err, APR_EINVAL, "key %u is of unknown kind %d", i, keys[i].kind);
        }
    }
    counts->records = apr_pcalloc(pool, (n + 1) * sizeof(*counts->records));
    return store->provider->observe(store->ctx, &obs, counts, err, pool);
}

apr_status_t tmpl_store_stats(tmpl_store_t *store, const char *site, const tmpl_policy_t *policy,
                              tmpl_store_stats_t *stats, tmpl_error_t *err, apr_pool_t *pool)
{
    apr_status_t rv = site_check(site, err);

    if (rv == APR_SUCCESS) {
        rv = policy_check(policy, err);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    memset(stats, 0, sizeof(*stats));
    return store->provider->stats(store->ctx, site, policy, stats, err, pool);
}

apr_status_t tmpl_store_sites(tmpl_store_t *store,
                              apr_status_t (*each)(void *baton, const char *site), void *baton,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    return store->provider->sites(store->ctx, each, baton, err, pool);
}

apr_status_t tmpl_store_forget(tmpl_store_t *store, const char *site, tmpl_error_t *err,
                               apr_pool_t *pool)
{
    apr_status_t rv = site_check(site, err);

    return rv != APR_SUCCESS ? rv : store->provider->forget(store->ctx, site, err, pool);
}

apr_status_t tmpl_store_export(tmpl_store_t *store, const char *site, tmpl_store_stats_t *head,
                               apr_status_t (*each)(void *baton, const tmpl_entry_t *entry),
                               void *baton, tmpl_error_t *err, apr_pool_t *pool)
{
    apr_status_t rv = site_check(site, err);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    memset(head, 0, sizeof(*head));
    return store->provider->dump(store->ctx, site, head, each, baton, err, pool);
}

apr_status_t tmpl_store_import(tmpl_store_t *store, const char *site,
                               const tmpl_store_stats_t *head, const tmpl_entry_t *entries,
                               uint32_t n, tmpl_error_t *err, apr_pool_t *pool)
{
    apr_status_t rv = site_check(site, err);

    for (uint32_t i = 0; rv == APR_SUCCESS && i < n; i++) {
        const tmpl_entry_t *e = &entries[i];

        if ((unsigned)e->key.kind >= TMPL_KIND_COUNT || e->record.df == 0 ||
            e->record.last > head->pages || e->n_fingerprints > e->record.df) {
            rv = tmpl_fail(err, APR_EINVAL, "entry %u of %u of site %s makes no sense", i + 1, n,
                           site);
        }
    }
    return rv != APR_SUCCESS ? rv
                             : store->provider->load(store->ctx, site, head, entries, n, err, pool);
}
