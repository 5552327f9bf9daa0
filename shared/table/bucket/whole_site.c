/* SPDX-License-Identifier: Apache-2.0 */
/* Whole sites: their export, their import, and freezing. */
#include "table/bucket/work.h"

#define DUMP_MOST 65536 /* buckets that an export reads at once */

/* Calls each with the entries of a bucket. */
static apr_status_t bucket_dump(const tmpl_work_t *w, const tmpl_bucket_t *bucket,
                                apr_status_t (*each)(void *baton, const tmpl_entry_t *entry),
                                void *baton, tmpl_bucket_row_t *rows)
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

static tmpl_numbered_t *dump_plan(tmpl_work_t *w, uint32_t from, uint32_t *n)
{
    *n = w->txn->head.n - from < DUMP_MOST ? w->txn->head.n - from : DUMP_MOST;
    tmpl_numbered_t *buckets = apr_pcalloc(w->txn->pool, (*n + (apr_size_t)1) * sizeof(*buckets));
    for (uint32_t i = 0; i < *n; i++) {
        buckets[i].number = from + i;
    }
    return buckets;
}

/* Reads the first buckets and the head in one get: others may write the site between two gets. */
static apr_status_t dump_begin(tmpl_work_t *w, tmpl_numbered_t **buckets, uint32_t *n)
{
    for (int guess = 0; guess < TMPL_GUESSES_MOST; guess++) {
        tmpl_head_t guessed = w->txn->head;
        *buckets = dump_plan(w, 0, n);
        apr_status_t rv = w->provider->get(w->txn, *buckets, *n);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        if (!w->txn->found) {
            return site_unknown(w);
        }
        if (tmpl_head_same_buckets(&w->txn->head, &guessed)) {
            return APR_SUCCESS;
        }
    }
    return tmpl_fail(w->txn->err, APR_EBUSY, "site %s: it changes faster than it can be read",
                     w->txn->site);
}

/*
 * A site may have more buckets than one get reads, and may learn between two gets. If that split or
 * merged buckets, entries would be missing or come twice.
 */
static apr_status_t dump(tmpl_work_t *w, tmpl_store_stats_t *stats,
                         apr_status_t (*each)(void *baton, const tmpl_entry_t *entry), void *baton)
{
    tmpl_bucket_row_t *rows =
        apr_palloc(w->pool, TMPL_BUCKET_MOST / TMPL_BUCKET_ENTRY_LEAST * sizeof(*rows));
    tmpl_numbered_t *buckets;
    uint32_t n;
    apr_pool_t *scratch;
    apr_status_t rv = dump_begin(w, &buckets, &n);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    apr_pool_create(&scratch, w->pool);
    const tmpl_head_t head = w->txn->head;
    stats->pages = head.site.pages;
    stats->version = head.site.version;
    stats->entries = head.site.entries;
    stats->frozen = head.site.frozen;
    stats->bytes = w->provider->size(w->txn);
    for (uint32_t from = 0; rv == APR_SUCCESS && from < head.n;) {
        for (uint32_t i = 0; rv == APR_SUCCESS && i < n; i++) {
            rv = bucket_dump(w, &buckets[i].is, each, baton, rows);
        }
        from += n;
        if (rv == APR_SUCCESS && from < head.n) {
            /* a damaged head may name 2^24 buckets */
            apr_pool_clear(scratch);
            w->txn->pool = scratch;
            buckets = dump_plan(w, from, &n);
            rv = w->provider->get(w->txn, buckets, n);
            if (rv == APR_SUCCESS && !tmpl_head_same_buckets(&w->txn->head, &head)) {
                rv = tmpl_fail(w->txn->err, APR_EBUSY, "site %s: it changes while it is read",
                               w->txn->site);
            }
        }
    }
    return rv;
}

apr_status_t tmpl_engine_dump(const tmpl_engine_t *engine, const char *site,
                              tmpl_store_stats_t *head,
                              apr_status_t (*each)(void *baton, const tmpl_entry_t *entry),
                              void *baton, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_txn_t txn = { .site = site, .deadline = tmpl_clock() + engine->patience, .err = err };
    tmpl_work_t w;
    apr_status_t rv = tmpl_work_begin(&w, engine, &txn, pool);
    return rv == APR_SUCCESS ? tmpl_work_end(&w, dump(&w, head, each, baton)) : rv;
}

/* Changes a whole site in a transaction, which is repeated while others write the site. */
static apr_status_t site_change(const tmpl_engine_t *engine, const char *site,
                                apr_status_t (*change)(tmpl_work_t *w, const void *to),
                                const void *to, tmpl_error_t *err, apr_pool_t *pool)
{
    apr_time_t deadline = tmpl_clock() + engine->patience;
    apr_status_t rv;
    uint32_t tries = 0;
    do {
        tmpl_txn_t txn = { .site = site, .write = 1, .deadline = deadline, .err = err };
        tmpl_work_t w;
        rv = tmpl_work_begin(&w, engine, &txn, pool);
        rv = rv == APR_SUCCESS ? tmpl_work_end(&w, change(&w, to)) : rv;
    } while (rv == APR_EBUSY && tmpl_work_pause(tries++, deadline));
    return rv;
}

static apr_status_t freeze(tmpl_work_t *w, const void *to)
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

apr_status_t tmpl_engine_freeze(const tmpl_engine_t *engine, const char *site, int frozen,
                                tmpl_error_t *err, apr_pool_t *pool)
{
    return site_change(engine, site, freeze, &frozen, err, pool);
}

/* The content of an import. */
typedef struct {
    const tmpl_store_stats_t *head;
    const tmpl_entry_t *entries;
    uint32_t n;
} import_t;

static apr_status_t load(tmpl_work_t *w, const void *to)
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

apr_status_t tmpl_engine_load(const tmpl_engine_t *engine, const char *site,
                              const tmpl_store_stats_t *head, const tmpl_entry_t *entries,
                              uint32_t n, tmpl_error_t *err, apr_pool_t *pool)
{
    const import_t import = { head, entries, n };
    return site_change(engine, site, load, &import, err, pool);
}
