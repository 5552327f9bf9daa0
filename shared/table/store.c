/* SPDX-License-Identifier: Apache-2.0 */
#include "table/store.h"

#include <string.h>

#include <apr_escape.h>
#include <apr_general.h>
#include <xxhash.h>
#include "table/listed.h"
#include "table/engine.h"

/*
 * Keys that one transaction learns at most, unless one page has more: others must get a turn. A
 * full batch of usual pages has fewer: a second transaction would write the same buckets again.
 */
#define KEYS_MOST 64000

static const tmpl_provider_t *const providers[] = {
    &tmpl_provider_lmdb,
    &tmpl_provider_redis,
    &tmpl_provider_memory,
};

const tmpl_store_opts_t tmpl_store_opts_default = {
    .max_sites = 10000,
    .idle = 30 * 24 * apr_time_from_sec((apr_time_t)3600),
    .map_size = sizeof(void *) > 4 ? (apr_size_t)1 << 30 : (apr_size_t)256 << 20,
    .max_connections = 16,
    .patience = apr_time_from_sec(30),
};

static const tmpl_provider_t *provider_find(const char *uri, tmpl_error_t *err)
{
    for (size_t i = 0; uri != NULL && i < sizeof(providers) / sizeof(providers[0]); i++) {
        if (strncmp(uri, providers[i]->scheme, strlen(providers[i]->scheme)) == 0) {
            return providers[i];
        }
    }
    if (uri != NULL && uri[0] == '/') {
        tmpl_fail(err, APR_EINVAL, "the store in a directory is lmdb:%s", uri);
        return NULL;
    }
    tmpl_fail(err, APR_EINVAL,
              "a store is lmdb:DIR[?size=BYTES&sites=N], redis://[user:pass@]host[:port][/db] or "
              "another form of Redis");
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
    opts->patience = opts->patience > 0 ? opts->patience : def->patience;
}

apr_status_t tmpl_store_open(tmpl_store_t **store, const char *uri, const tmpl_store_opts_t *opts,
                             tmpl_error_t *err, apr_pool_t *pool)
{
    const tmpl_provider_t *provider = provider_find(uri, err);
    tmpl_store_opts_t full;
    if (provider == NULL) {
        return APR_EINVAL;
    }
    opts_fill(&full, opts);
    tmpl_store_t *opened = apr_palloc(pool, sizeof(*opened));
    *opened = (tmpl_store_t){ .provider = provider, .patience = full.patience };
    apr_status_t rv = provider->open(&opened->ctx, uri, &full, err, pool);
    if (rv == APR_SUCCESS) {
        *store = opened;
    }
    return rv;
}

apr_status_t tmpl_site_check(const char *site, tmpl_error_t *err)
{
    size_t len = site == NULL ? 0 : strlen(site);
    if (len == 0 || len > TMPL_SITE_MAX) {
        return tmpl_fail(err, APR_EINVAL, "a site's name has 1 to %d bytes, this one %d",
                         TMPL_SITE_MAX, (int)len);
    }
    return APR_SUCCESS;
}

/* Looks a page up as it is now. */
static apr_status_t look_only(const tmpl_engine_t *engine, const tmpl_observation_t *page,
                              apr_time_t deadline, tmpl_counts_t *counts, tmpl_error_t *err,
                              apr_pool_t *pool)
{
    tmpl_observation_t off = *page;
    off.learn = TMPL_LEARNING_OFF;
    off.age = 0;
    *counts = tmpl_counts_make(page, pool);
    return tmpl_engine_look(engine, &off, deadline, counts, err, pool);
}

/* Learns a page; on a full store, looks it up. */
static apr_status_t learn_one(const tmpl_engine_t *engine, const tmpl_observation_t *page,
                              apr_time_t deadline, tmpl_counts_t *counts, tmpl_error_t *err,
                              apr_pool_t *pool)
{
    uint32_t counted = 0;
    apr_status_t rv = tmpl_engine_learn(engine, &page, 1, deadline, counts, &counted, err, pool);
    if (rv != APR_ENOSPC) {
        return rv;
    }
    tmpl_error_t failed = { 0 };
    apr_status_t looked = look_only(engine, page, deadline, counts, &failed, pool);
    return looked == APR_SUCCESS ? rv : tmpl_fail(err, looked, "%s", failed.text);
}

apr_status_t tmpl_store_observe(tmpl_store_t *store, const tmpl_observation_t *obs,
                                apr_interval_time_t timeout, tmpl_counts_t *counts,
                                tmpl_error_t *err, apr_pool_t *pool)
{
    apr_time_t deadline = tmpl_clock() + timeout;
    apr_status_t rv = tmpl_site_check(obs->site, err);
    *counts = (tmpl_counts_t){ 0 };
    if (rv != APR_SUCCESS) {
        return rv;
    }
    *counts = tmpl_counts_make(obs, pool);
    return obs->learn == TMPL_LEARNING_NOW
               ? learn_one(store, obs, deadline, counts, err, pool)
               : tmpl_engine_look(store, obs, deadline, counts, err, pool);
}

/* Takes the pages of one transaction: pages of the site that page number from belongs to. */
static uint32_t batch_take(const tmpl_observation_t *const *pages, uint32_t n, uint32_t from,
                           unsigned char *done, const tmpl_observation_t **taken)
{
    uint32_t n_taken = 0, keys = 0;
    for (uint32_t i = from; i < n && n_taken < TMPL_BATCH_MOST; i++) {
        if (done[i] || strcmp(pages[i]->site, pages[from]->site) != 0) {
            continue;
        }
        if (n_taken > 0 && keys + pages[i]->n > KEYS_MOST) {
            break;
        }
        done[i] = 1;
        taken[n_taken++] = pages[i];
        keys += pages[i]->n;
    }
    return n_taken;
}

/* Learns the pages of one transaction, and lists what was seen with them (listed.h). */
static apr_status_t batch_learn(const tmpl_engine_t *engine, const tmpl_observation_t **taken,
                                uint32_t n, apr_time_t deadline, tmpl_counts_t *counts,
                                uint32_t *counted, tmpl_error_t *err, apr_pool_t *pool)
{
    const tmpl_observation_t *seen[TMPL_BATCH_MOST];
    uint32_t n_seen = 0, n_learnt = 0;
    for (uint32_t i = 0; i < n; i++) {
        int only_seen = taken[i]->sighting != NULL && taken[i]->learn == TMPL_LEARNING_OFF;
        seen[n_seen] = taken[i];
        n_seen += taken[i]->sighting != NULL;
        taken[n_learnt] = taken[i];
        n_learnt += !only_seen;
    }
    apr_status_t rv = n_learnt > 0 ? tmpl_engine_learn(engine, taken, n_learnt, deadline, counts,
                                                       counted, err, pool)
                                   : APR_SUCCESS;
    return rv == APR_SUCCESS && n_seen > 0
               ? tmpl_site_list_apply(engine, seen, n_seen, deadline, err, pool)
               : rv;
}

/*
 * Learns pages, site by site. A site that takes no writes, or is damaged, or whose server fails,
 * does not keep the others from being learnt. Returns APR_ENOSPC, after which nobody tries again,
 * only if no site has another error. If counts is not NULL, all pages are of one site.
 */
static apr_status_t learn_all(const tmpl_engine_t *engine, const tmpl_observation_t *const *pages,
                              uint32_t n, apr_time_t deadline, tmpl_counts_t *counts,
                              uint32_t *counted, tmpl_error_t *err, apr_pool_t *pool)
{
    unsigned char *done = apr_pcalloc(pool, n + (apr_size_t)1);
    const tmpl_observation_t **taken = apr_palloc(pool, (n + (apr_size_t)1) * sizeof(*taken));
    apr_status_t refused = APR_SUCCESS;
    tmpl_error_t failed = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        apr_status_t rv = tmpl_site_check(pages[i]->site, err);
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        if (done[i]) {
            continue;
        }
        uint32_t some = batch_take(pages, n, i, done, taken);
        apr_status_t rv = batch_learn(engine, taken, some, deadline,
                                      counts != NULL ? counts + i : NULL, counted, &failed, pool);
        if (rv == APR_ENOSPC || rv == TMPL_EDAMAGED || rv == TMPL_EPART) {
            if (rv != APR_ENOSPC || refused == APR_SUCCESS) {
                refused = tmpl_fail(err, rv, "%s", failed.text);
            }
            if (rv == TMPL_EPART && tmpl_clock() >= deadline) {
                return refused; /* the server took the time: the other sites can be tried again */
            }
        }
        else if (rv != APR_SUCCESS) {
            return tmpl_fail(err, rv, "%s", failed.text);
        }
    }
    return refused;
}

apr_status_t tmpl_store_observe_many(tmpl_store_t *store, const tmpl_observation_t *const *pages,
                                     uint32_t n, apr_interval_time_t timeout, tmpl_counts_t *counts,
                                     tmpl_error_t *err, apr_pool_t *pool)
{
    uint32_t counted = 0;
    for (uint32_t i = 0; i < n; i++) {
        counts[i] = tmpl_counts_make(pages[i], pool);
    }
    return learn_all(store, pages, n, tmpl_clock() + timeout, counts, &counted, err, pool);
}

apr_status_t tmpl_store_learn(tmpl_store_t *store, const tmpl_observation_t *const *pages,
                              uint32_t n, apr_interval_time_t timeout, uint32_t *counted,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    uint32_t sum = 0;
    apr_status_t rv = learn_all(store, pages, n, tmpl_clock() + timeout, NULL, &sum, err, pool);
    if (counted != NULL) {
        *counted = sum;
    }
    return rv;
}

const char *tmpl_store_moved(const tmpl_store_t *store)
{
    return store->provider->moved != NULL ? store->provider->moved(store->ctx) : NULL;
}

int tmpl_store_is_lost(const tmpl_store_t *store)
{
    return store->provider->is_lost != NULL && store->provider->is_lost(store->ctx);
}

apr_status_t tmpl_store_examine(const char *uri, tmpl_error_t *err, apr_pool_t *pool)
{
    const tmpl_provider_t *provider = provider_find(uri, err);
    if (provider == NULL) {
        return APR_EINVAL;
    }
    return provider->examine != NULL
               ? provider->examine(uri, err, pool)
               : tmpl_fail(err, APR_ENOTIMPL, "only a store of LMDB has a file to look at");
}

void tmpl_secret_draw(char secret[TMPL_SECRET_SIZE])
{
    unsigned char bytes[16];
    (void)apr_generate_random_bytes(bytes, sizeof(bytes));
    (void)apr_escape_hex(secret, bytes, sizeof(bytes), 0, NULL);
}

uint64_t tmpl_seed(const char *secret)
{
    return secret != NULL && secret[0] != '\0' ? XXH3_64bits(secret, strlen(secret)) : 0;
}

apr_status_t tmpl_store_secret(tmpl_store_t *store, char secret[TMPL_SECRET_SIZE],
                               apr_interval_time_t timeout, tmpl_error_t *err, apr_pool_t *pool)
{
    secret[0] = '\0';
    return store->provider->secret != NULL
               ? store->provider->secret(store->ctx, NULL, secret, tmpl_clock() + timeout, err,
                                         pool)
               : APR_SUCCESS;
}

static apr_status_t is_any(void *baton, const char *site)
{
    (void)site;
    *(int *)baton = 1;
    return APR_EOF;
}

apr_status_t tmpl_store_take_secret(tmpl_store_t *store, const char *secret, tmpl_error_t *err,
                                    apr_pool_t *pool)
{
    char is[TMPL_SECRET_SIZE];
    int any = 0;
    apr_status_t rv = tmpl_store_secret(store, is, store->patience, err, pool);
    if (rv != APR_SUCCESS || strcmp(is, secret) == 0) {
        return rv;
    }
    rv = tmpl_store_sites(store, is_any, &any, err, pool);
    if (any) {
        return tmpl_fail(err, APR_EINVAL,
                         "the table was learnt with another secret than the sites of this store: "
                         "import it into a store without sites, or, if the servers of both have "
                         "the same TmplSecret, name it (--secret)");
    }
    return rv == APR_SUCCESS && store->provider->secret != NULL && strlen(secret) < sizeof(is)
               ? store->provider->secret(store->ctx, secret, is, tmpl_clock() + store->patience,
                                         err, pool)
               : rv;
}

apr_status_t tmpl_store_sites(tmpl_store_t *store, tmpl_each_site_t each, void *baton,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    return store->provider->sites(store->ctx, each, baton, err, pool);
}

apr_status_t tmpl_store_usage(tmpl_store_t *store, tmpl_store_usage_t *usage, tmpl_error_t *err)
{
    return store->provider->usage != NULL ? store->provider->usage(store->ctx, usage, err)
                                          : APR_ENOTIMPL;
}

apr_status_t tmpl_store_forget(tmpl_store_t *store, const char *site, tmpl_error_t *err,
                               apr_pool_t *pool)
{
    apr_status_t rv = tmpl_site_check(site, err);
    return rv != APR_SUCCESS ? rv : store->provider->forget(store->ctx, site, err, pool);
}
