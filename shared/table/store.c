/* SPDX-License-Identifier: Apache-2.0 */
#include "table/store.h"

#include <string.h>

#include <apr_escape.h>
#include <apr_general.h>
#include <xxhash.h>
#include "table/site_listed.h"
#include "table/work.h"

#define DUMP_MOST    65536 /* buckets that an export reads at once */
#define BUCKET_BYTES 32    /* what a bucket costs a store, besides its own bytes, roughly */

/* Keys that one transaction learns at most, unless one page has more: others must get a turn. */
#define KEYS_MOST 40000

static const tmpl_provider_t *const providers[] = {
    &tmpl_provider_lmdb,
    &tmpl_provider_redis,
    &tmpl_provider_memory,
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

static apr_status_t site_check(const char *site, tmpl_error_t *err)
{
    size_t len = site == NULL ? 0 : strlen(site);
    if (len == 0 || len > TMPL_SITE_MAX) {
        return tmpl_fail(err, APR_EINVAL, "a site's name has 1 to %d bytes, this one %d",
                         TMPL_SITE_MAX, (int)len);
    }
    return APR_SUCCESS;
}

/* Whether learning a page would write nothing. The entries of its document tell. */
static int is_page_known(const tmpl_engine_t *engine, const tmpl_observation_t *page,
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
    if (engine->provider->look_first && is_page_known(engine, page, deadline, pool)) {
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
    apr_status_t rv = site_check(obs->site, err);
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
        apr_status_t rv = site_check(pages[i]->site, err);
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
    const char *next;
    return tmpl_store_sites_part(store, NULL, UINT32_MAX, each, baton, &next, err, pool);
}

apr_status_t tmpl_store_sites_part(tmpl_store_t *store, const char *from, uint32_t n,
                                   tmpl_each_site_t each, void *baton, const char **next,
                                   tmpl_error_t *err, apr_pool_t *pool)
{
    *next = NULL;
    return store->provider->sites(store->ctx, from, n, each, baton, next, err, pool);
}

apr_status_t tmpl_store_usage(tmpl_store_t *store, tmpl_store_usage_t *usage, tmpl_error_t *err)
{
    return store->provider->usage != NULL ? store->provider->usage(store->ctx, usage, err)
                                          : APR_ENOTIMPL;
}

apr_status_t tmpl_store_forget(tmpl_store_t *store, const char *site, tmpl_error_t *err,
                               apr_pool_t *pool)
{
    apr_status_t rv = site_check(site, err);
    return rv != APR_SUCCESS ? rv : store->provider->forget(store->ctx, site, err, pool);
}

/* ---- whole sites ---- */

/* Calls each with the entries of a bucket. */
static apr_status_t entries_export(const tmpl_work_t *w, const tmpl_bucket_t *bucket,
                                   tmpl_each_entry_t each, void *baton, tmpl_bucket_row_t *rows)
{
    uint32_t n = tmpl_bucket_read(rows, bucket);
    apr_status_t rv = APR_SUCCESS;
    for (uint32_t i = 0; rv == APR_SUCCESS && i < n; i++) {
        tmpl_value_t value;
        tmpl_entry_t entry;
        tmpl_bucket_value(&value, &rows[i]);
        tmpl_value_export(&entry, tmpl_bucket_key(&rows[i]), &value);
        rv = each(baton, &entry);
        if (rv != APR_SUCCESS) {
            tmpl_fail(w->txn->err, rv, "the export of %s was broken off", w->txn->site);
        }
    }
    return rv;
}

static apr_status_t site_unknown(const tmpl_work_t *w)
{
    return tmpl_fail(w->txn->err, APR_NOTFOUND, "the store does not know the site %s",
                     w->txn->site);
}

/*
 * Reads n buckets from number from on into memory of the transaction. If the site has changed its
 * buckets since head: at the beginning, corrects head and tries again; later, fails, because
 * entries would be missing or come twice.
 */
static apr_status_t slice_read(tmpl_work_t *w, tmpl_head_t *head, uint32_t from,
                               tmpl_numbered_t **buckets, uint32_t *n)
{
    for (int guess = 0; guess < TMPL_GUESSES_MOST; guess++) {
        *n = head->n - from < DUMP_MOST ? head->n - from : DUMP_MOST;
        *buckets = apr_pcalloc(w->txn->pool, (*n + (apr_size_t)1) * sizeof(**buckets));
        for (uint32_t i = 0; i < *n; i++) {
            (*buckets)[i].number = from + i;
        }
        apr_status_t rv = w->provider->get(w->txn, *buckets, *n);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        if (!w->txn->found) {
            return site_unknown(w);
        }
        if (tmpl_head_same_buckets(&w->txn->head, head)) {
            return APR_SUCCESS;
        }
        if (from > 0) {
            break;
        }
        *head = w->txn->head;
    }
    return tmpl_work_changed(w);
}

static apr_status_t buckets_export(tmpl_work_t *w, tmpl_store_stats_t *stats,
                                   tmpl_each_entry_t each, void *baton)
{
    tmpl_bucket_row_t *rows =
        apr_palloc(w->pool, TMPL_BUCKET_MOST / TMPL_BUCKET_ENTRY_LEAST * sizeof(*rows));
    tmpl_head_t head = w->txn->head; /* a guess */
    tmpl_numbered_t *buckets;
    uint32_t from = 0, n;
    apr_status_t rv;
    apr_pool_create(&w->txn->pool, w->pool);
    do {
        apr_pool_clear(w->txn->pool); /* a damaged head may name 2^24 buckets */
        rv = slice_read(w, &head, from, &buckets, &n);
        if (rv == APR_SUCCESS && from == 0) {
            *stats = (tmpl_store_stats_t){ .pages = w->txn->head.site.pages,
                                           .version = w->txn->head.site.version,
                                           .entries = w->txn->head.site.entries,
                                           .frozen = w->txn->head.site.frozen };
        }
        for (uint32_t i = 0; rv == APR_SUCCESS && i < n; i++) {
            stats->bytes += buckets[i].is.len > 0 ? buckets[i].is.len + BUCKET_BYTES : 0;
            rv = entries_export(w, &buckets[i].is, each, baton, rows);
        }
        from += n;
    } while (rv == APR_SUCCESS && from < head.n);
    return rv;
}

apr_status_t tmpl_store_export(tmpl_store_t *store, const char *site, tmpl_store_stats_t *head,
                               tmpl_each_entry_t each, void *baton, tmpl_error_t *err,
                               apr_pool_t *pool)
{
    tmpl_txn_t txn = { .site = site, .deadline = tmpl_clock() + store->patience, .err = err };
    tmpl_work_t w;
    apr_status_t rv = site_check(site, err);
    if (rv == APR_SUCCESS) {
        rv = tmpl_work_begin(&w, store, &txn, pool);
    }
    return rv == APR_SUCCESS ? tmpl_work_end(&w, buckets_export(&w, head, each, baton)) : rv;
}

/* Changes a whole site in a transaction, which is repeated while others write the site. */
static apr_status_t site_change(const tmpl_store_t *store, const char *site,
                                apr_status_t (*change)(tmpl_work_t *w, const void *to),
                                const void *to, tmpl_error_t *err, apr_pool_t *pool)
{
    apr_time_t deadline = tmpl_clock() + store->patience;
    apr_status_t rv = site_check(site, err);
    uint32_t tries = 0;
    if (rv != APR_SUCCESS) {
        return rv;
    }
    do {
        tmpl_txn_t txn = { .site = site, .write = 1, .deadline = deadline, .err = err };
        tmpl_work_t w;
        rv = tmpl_work_begin(&w, store, &txn, pool);
        rv = rv == APR_SUCCESS ? tmpl_work_end(&w, change(&w, to)) : rv;
    } while (rv == APR_EBUSY && tmpl_work_pause(tries++, deadline));
    return rv;
}

static apr_status_t head_freeze(tmpl_work_t *w, const void *to)
{
    int frozen = *(const int *)to;
    tmpl_numbered_t none = { 0 }; /* stores sort the array, which may not be NULL */
    apr_status_t rv = w->provider->get(w->txn, &none, 0);
    if (rv == APR_SUCCESS && !w->txn->found) {
        rv = site_unknown(w);
    }
    if (rv == APR_SUCCESS && w->txn->head.site.frozen != frozen) {
        w->txn->head.site.frozen = frozen;
        rv = w->provider->commit(w->txn, &none, 0);
    }
    return rv;
}

apr_status_t tmpl_store_freeze(tmpl_store_t *store, const char *site, int frozen, tmpl_error_t *err,
                               apr_pool_t *pool)
{
    return site_change(store, site, head_freeze, &frozen, err, pool);
}

/* The content of an import. */
typedef struct {
    const tmpl_store_stats_t *head;
    const tmpl_entry_t *entries;
    uint32_t n;
} import_t;

static apr_status_t entries_import(tmpl_work_t *w, const void *to)
{
    const import_t *import = to;
    const tmpl_store_stats_t *head = import->head;
    const tmpl_entry_t *entries = import->entries;
    uint32_t n = import->n;
    tmpl_key_t *keys = apr_palloc(w->pool, (n + (apr_size_t)1) * sizeof(*keys));
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = entries[i].key;
    }
    w->keys = keys;
    w->n_keys = n;
    w->txn->found = 0;
    w->txn->head =
        (tmpl_head_t){ .site = { head->pages, head->version, 0, 0 }, .salt = tmpl_buckets_salt() };
    tmpl_work_entries(w);
    for (uint32_t i = 0; i < n; i++) {
        tmpl_value_import(&w->slots[i]->value, &entries[i]);
        w->slots[i]->written = 1;
    }
    w->txn->head.site.entries = w->n;
    return tmpl_work_save(w, tmpl_buckets_for(w->n));
}

apr_status_t tmpl_store_import(tmpl_store_t *store, const char *site,
                               const tmpl_store_stats_t *head, const tmpl_entry_t *entries,
                               uint32_t n, tmpl_error_t *err, apr_pool_t *pool)
{
    const import_t import = { head, entries, n };
    return site_change(store, site, entries_import, &import, err, pool);
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
    t.lifetimes = tmpl_lifetimes(policy);
    apr_status_t rv = tmpl_store_export(store, site, stats, tally, &t, err, pool);
    tmpl_listed_head_t list = { 0 };
    rv = rv == APR_SUCCESS ? tmpl_site_list_read(store, site, 0, 0, &list, NULL, NULL, err, pool)
                           : rv;
    stats->listed = list.n;
    return rv;
}

uint64_t tmpl_seed(const char *secret)
{
    return secret != NULL && secret[0] != '\0' ? XXH3_64bits(secret, strlen(secret)) : 0;
}
