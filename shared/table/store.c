/* SPDX-License-Identifier: Apache-2.0 */
#include "table/store.h"

#include <string.h>

#include <apr_escape.h>
#include <apr_general.h>

#include "table/engine.h"

/* Keys that one transaction learns at most, unless one page has more: others must get a turn. */
#define KEYS_MOST 40000

struct tmpl_store_t {
    tmpl_engine_t engine;
};

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
    tmpl_store_t *s;
    apr_status_t rv;
    if (provider == NULL) {
        return APR_EINVAL;
    }
    opts_fill(&full, opts);
    s = apr_pcalloc(pool, sizeof(*s));
    s->engine.provider = provider;
    s->engine.patience = full.patience;
    rv = provider->open(&s->engine.ctx, uri, &full, err, pool);
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

static int keys_good(const tmpl_observation_t *obs, uint32_t n_segments)
{
    uint64_t hashes = 0;
    unsigned others = 0;
    for (uint32_t i = 0; i < obs->n; i++) {
        hashes |= obs->keys[i].hash;
    }
    for (uint32_t i = 0; i < n_segments; i++) {
        others |= (unsigned)obs->keys[i].kind ^ TMPL_KIND_SEGMENT;
    }
    for (uint32_t i = n_segments; i < obs->n; i++) {
        others |= (unsigned)obs->keys[i].kind ^ TMPL_KIND_PATH;
    }
    return hashes <= TMPL_HASH_MASK && others == 0;
}

static int shares_good(const tmpl_observation_t *obs, uint32_t n_segments)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < obs->n_shares; i++) {
        most = obs->shares[i].key > most ? obs->shares[i].key : most;
    }
    return obs->n_shares == 0 || most < n_segments;
}

static int blocks_good(const tmpl_observation_t *obs, uint32_t n_segments)
{
    const uint32_t n_paths = obs->n - n_segments;
    int good = 1;
    for (uint32_t i = 0; i < obs->n_blocks; i++) {
        const tmpl_block_paths_t *block = &obs->blocks[i];
        for (int level = 0; level < TMPL_PATH_LEVELS; level++) {
            good &= block->paths[level] == TMPL_NONE || block->paths[level] - n_segments < n_paths;
        }
        good &= block->first <= block->after && block->after <= obs->n_shares;
    }
    return good;
}

static apr_status_t observation_check(const tmpl_observation_t *obs, tmpl_error_t *err)
{
    uint32_t n_segments = tmpl_observation_segments(obs);
    apr_status_t rv = site_check(obs->site, err);
    if (rv == APR_SUCCESS) {
        rv = policy_check(obs->policy, err);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (!keys_good(obs, n_segments)) {
        return tmpl_fail(err, APR_EINVAL,
                         "a key is out of order, of a kind unknown, or of more than %d bits",
                         TMPL_HASH_BITS);
    }
    if (!shares_good(obs, n_segments)) {
        return tmpl_fail(err, APR_EINVAL, "a share is of no segment");
    }
    return blocks_good(obs, n_segments)
               ? APR_SUCCESS
               : tmpl_fail(err, APR_EINVAL, "a block names paths or shares that are not there");
}

/* Whether learning a page would write nothing. The entries of its document tell. */
static int is_known(const tmpl_engine_t *engine, const tmpl_observation_t *page,
                    apr_time_t deadline, apr_pool_t *pool)
{
    tmpl_observation_t alone = { .site = page->site,
                                 .document = page->document,
                                 .policy = page->policy,
                                 .learn = TMPL_LEARNING_LATER };
    tmpl_counts_t counts = tmpl_counts_make(&alone, pool);
    return tmpl_engine_look(engine, &alone, deadline, &counts, NULL, pool) == APR_SUCCESS &&
           !counts.due;
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
    if (engine->provider->look_first && is_known(engine, page, deadline, pool)) {
        return look_only(engine, page, deadline, counts, err, pool);
    }
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
    apr_status_t rv = observation_check(obs, err);
    memset(counts, 0, sizeof(*counts));
    if (rv != APR_SUCCESS) {
        return rv;
    }
    *counts = tmpl_counts_make(obs, pool);
    return obs->learn == TMPL_LEARNING_NOW
               ? learn_one(&store->engine, obs, deadline, counts, err, pool)
               : tmpl_engine_look(&store->engine, obs, deadline, counts, err, pool);
}

static apr_status_t observations_check(const tmpl_observation_t *const *pages, uint32_t n,
                                       tmpl_error_t *err)
{
    apr_status_t rv = APR_SUCCESS;
    for (uint32_t i = 0; rv == APR_SUCCESS && i < n; i++) {
        rv = observation_check(pages[i], err);
    }
    return rv;
}

/* Takes the pages of one transaction: pages of the site that page number from belongs to. */
static uint32_t pages_take(const tmpl_observation_t *const *pages, uint32_t n, uint32_t from,
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

/*
 * Learns pages, site by site. A site that takes no writes, or is damaged, or whose server fails,
 * does not keep the others from being learnt. Returns APR_ENOSPC, after which nobody tries again,
 * only if no site has another error. If counts is not NULL, all pages are of one site.
 */
static apr_status_t learn_all(const tmpl_engine_t *engine, const tmpl_observation_t *const *pages,
                              uint32_t n, apr_time_t deadline, tmpl_counts_t *counts,
                              uint32_t *counted, tmpl_error_t *err, apr_pool_t *pool)
{
    unsigned char *done = apr_pcalloc(pool, n);
    const tmpl_observation_t **taken = apr_palloc(pool, n * sizeof(*taken));
    apr_status_t refused = APR_SUCCESS;
    tmpl_error_t failed = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        if (done[i]) {
            continue;
        }
        uint32_t some = pages_take(pages, n, i, done, taken);
        apr_status_t rv =
            tmpl_engine_learn(engine, taken, some, deadline, counts != NULL ? counts + i : NULL,
                              counted, &failed, pool);
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
    apr_time_t deadline = tmpl_clock() + timeout;
    apr_status_t rv = observations_check(pages, n, err);
    uint32_t counted = 0;
    for (uint32_t i = 1; rv == APR_SUCCESS && i < n; i++) {
        if (strcmp(pages[i]->site, pages[0]->site) != 0) {
            rv = tmpl_fail(err, APR_EINVAL, "pages of two sites: %s and %s", pages[0]->site,
                           pages[i]->site);
        }
    }
    if (rv != APR_SUCCESS || n == 0) {
        return rv;
    }
    for (uint32_t i = 0; i < n; i++) {
        counts[i] = tmpl_counts_make(pages[i], pool);
    }
    return learn_all(&store->engine, pages, n, deadline, counts, &counted, err, pool);
}

apr_status_t tmpl_store_learn(tmpl_store_t *store, const tmpl_observation_t *const *pages,
                              uint32_t n, apr_interval_time_t timeout, uint32_t *counted,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    apr_time_t deadline = tmpl_clock() + timeout;
    apr_status_t rv = observations_check(pages, n, err);
    uint32_t sum = 0;
    if (rv == APR_SUCCESS && n > 0) {
        rv = learn_all(&store->engine, pages, n, deadline, NULL, &sum, err, pool);
    }
    if (counted != NULL) {
        *counted = sum;
    }
    return rv;
}

const char *tmpl_store_moved(const tmpl_store_t *store)
{
    const tmpl_engine_t *engine = &store->engine;
    return engine->provider->moved != NULL ? engine->provider->moved(engine->ctx) : NULL;
}

int tmpl_store_is_lost(const tmpl_store_t *store)
{
    const tmpl_engine_t *engine = &store->engine;
    return engine->provider->is_lost != NULL && engine->provider->is_lost(engine->ctx);
}

apr_status_t tmpl_store_examine(const char *uri, tmpl_error_t *err, apr_pool_t *pool)
{
    const tmpl_provider_t *provider = provider_find(uri, err);
    if (provider == NULL) {
        return APR_EINVAL;
    }
    return provider->examine != NULL ? provider->examine(uri, err, pool)
                                     : tmpl_fail(err, APR_ENOTIMPL, "the store has no file");
}

apr_status_t tmpl_store_test(const char *uri, tmpl_error_t *err, apr_pool_t *pool)
{
    const tmpl_provider_t *provider = provider_find(uri, err);
    if (provider == NULL) {
        return APR_EINVAL;
    }
    return provider->test != NULL ? provider->test(uri, err, pool) : APR_SUCCESS;
}

void tmpl_secret_draw(char secret[TMPL_SECRET_SIZE])
{
    unsigned char bytes[16];
    (void)apr_generate_random_bytes(bytes, sizeof(bytes));
    (void)apr_escape_hex(secret, bytes, sizeof(bytes), 0, NULL);
}

apr_status_t tmpl_store_secret(tmpl_store_t *store, char secret[TMPL_SECRET_SIZE],
                               apr_interval_time_t timeout, tmpl_error_t *err, apr_pool_t *pool)
{
    const tmpl_engine_t *engine = &store->engine;
    secret[0] = '\0';
    return engine->provider->secret != NULL
               ? engine->provider->secret(engine->ctx, NULL, secret, tmpl_clock() + timeout, err,
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
    const tmpl_engine_t *engine = &store->engine;
    char is[TMPL_SECRET_SIZE];
    int any = 0;
    apr_status_t rv = tmpl_store_secret(store, is, engine->patience, err, pool);
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
    return rv == APR_SUCCESS && engine->provider->secret != NULL && strlen(secret) < sizeof(is)
               ? engine->provider->secret(engine->ctx, secret, is, tmpl_clock() + engine->patience,
                                          err, pool)
               : rv;
}

typedef struct {
    const tmpl_lifetimes_t *lifetimes;
    uint32_t min_df;
    tmpl_store_stats_t *stats;
} tally_t;

static apr_status_t tally(void *baton, const tmpl_entry_t *entry)
{
    tally_t *t = baton;
    tmpl_value_t value = { .df = entry->record.df, .last = entry->record.last };
    if (tmpl_value_live(&value, t->lifetimes, t->stats->pages)) {
        t->stats->live++;
        if (entry->key.kind == TMPL_KIND_SEGMENT) {
            t->stats->template += value.df >= t->min_df;
            t->stats->by_df[value.df > 1 ? 32 - __builtin_clz(value.df - 1) : 0]++;
        }
    }
    return APR_SUCCESS;
}

apr_status_t tmpl_store_stats(tmpl_store_t *store, const char *site, const tmpl_policy_t *policy,
                              tmpl_store_stats_t *stats, tmpl_error_t *err, apr_pool_t *pool)
{
    tally_t t = { .min_df = policy->min_df, .stats = stats };
    apr_status_t rv = site_check(site, err);
    if (rv == APR_SUCCESS) {
        rv = policy_check(policy, err);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    memset(stats, 0, sizeof(*stats));
    t.lifetimes = tmpl_lifetimes(policy);
    return tmpl_engine_dump(&store->engine, site, stats, tally, &t, err, pool);
}

apr_status_t tmpl_store_sites(tmpl_store_t *store,
                              apr_status_t (*each)(void *baton, const char *site), void *baton,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    const char *next;
    return tmpl_store_sites_part(store, NULL, UINT32_MAX, each, baton, &next, err, pool);
}

apr_status_t tmpl_store_sites_part(tmpl_store_t *store, const char *from, uint32_t n,
                                   apr_status_t (*each)(void *baton, const char *site), void *baton,
                                   const char **next, tmpl_error_t *err, apr_pool_t *pool)
{
    const tmpl_engine_t *engine = &store->engine;
    *next = NULL;
    return engine->provider->sites(engine->ctx, from, n, each, baton, next, err, pool);
}

apr_status_t tmpl_store_usage(tmpl_store_t *store, tmpl_store_usage_t *usage, tmpl_error_t *err)
{
    const tmpl_engine_t *engine = &store->engine;
    return engine->provider->usage != NULL ? engine->provider->usage(engine->ctx, usage, err)
                                           : APR_ENOTIMPL;
}

apr_status_t tmpl_store_forget(tmpl_store_t *store, const char *site, tmpl_error_t *err,
                               apr_pool_t *pool)
{
    apr_status_t rv = site_check(site, err);
    return rv != APR_SUCCESS ? rv
                             : store->engine.provider->forget(store->engine.ctx, site, err, pool);
}

apr_status_t tmpl_store_freeze(tmpl_store_t *store, const char *site, int frozen, tmpl_error_t *err,
                               apr_pool_t *pool)
{
    apr_status_t rv = site_check(site, err);
    return rv != APR_SUCCESS ? rv : tmpl_engine_freeze(&store->engine, site, frozen, err, pool);
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
    return tmpl_engine_dump(&store->engine, site, head, each, baton, err, pool);
}

static int entry_good(const tmpl_entry_t *e, const tmpl_store_stats_t *head)
{
    const tmpl_record_t *r = &e->record;
    int is_path = e->key.kind == TMPL_KIND_PATH;
    return (unsigned)e->key.kind < TMPL_KIND_COUNT && e->key.hash <= TMPL_HASH_MASK && r->df > 0 &&
           r->last <= head->pages && e->n_fingerprints <= (is_path ? 0 : r->df) &&
           r->repeated <= r->text && (is_path || r->text == 0);
}

apr_status_t tmpl_store_import(tmpl_store_t *store, const char *site,
                               const tmpl_store_stats_t *head, const tmpl_entry_t *entries,
                               uint32_t n, tmpl_error_t *err, apr_pool_t *pool)
{
    apr_status_t rv = site_check(site, err);
    for (uint32_t i = 0; rv == APR_SUCCESS && i < n; i++) {
        const tmpl_entry_t *e = &entries[i];

        if (!entry_good(e, head)) {
            rv = tmpl_fail(err, APR_EINVAL, "entry %u of %u of site %s makes no sense", i + 1, n,
                           site);
        }
    }
    return rv != APR_SUCCESS ? rv
                             : tmpl_engine_load(&store->engine, site, head, entries, n, err, pool);
}
