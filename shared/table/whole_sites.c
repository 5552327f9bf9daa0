/* SPDX-License-Identifier: Apache-2.0 */
/* Whole sites: export and import, figures, freezing. */
#include <string.h>

#include "table/listed.h"
#include "table/store.h"

#define DUMP_MOST    65536 /* buckets that an export reads at once */
#define BUCKET_BYTES 32    /* what a bucket costs a store, besides its own bytes, roughly */

/* Calls each with the entries of a bucket. */
static apr_status_t entries_export(const tmpl_work_t *w, const tmpl_bucket_t *bucket,
                                   tmpl_each_entry_t each, void *baton, tmpl_bucket_row_t *rows)
{
    uint32_t n = tmpl_bucket_read(rows, bucket);
    apr_status_t rv = APR_SUCCESS;
    for (uint32_t i = 0; rv == APR_SUCCESS && i < n; i++) {
        tmpl_value_t value;
        tmpl_entry_t entry = { tmpl_bucket_key(&rows[i]), &value };
        tmpl_bucket_value(&value, &rows[i]);
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
    apr_status_t rv = tmpl_site_check(site, err);
    if (rv == APR_SUCCESS) {
        rv = tmpl_work_begin(&w, store, &txn, pool);
    }
    return rv == APR_SUCCESS ? tmpl_work_end(&w, buckets_export(&w, head, each, baton)) : rv;
}

static apr_status_t head_freeze(tmpl_work_t *w, void *to)
{
    int frozen = *(int *)to;
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
    return tmpl_engine_change(store, site, tmpl_clock() + store->patience, head_freeze, &frozen,
                              err, pool);
}

/* The content of an import. */
typedef struct {
    const tmpl_store_stats_t *head;
    const tmpl_entry_t *entries;
    uint32_t n;
} site_content_t;

static apr_status_t entries_import(tmpl_work_t *w, void *to)
{
    const site_content_t *import = to;
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
        w->slots[i]->value = *entries[i].value;
        w->slots[i]->written = 1;
    }
    w->txn->head.site.entries = w->n;
    return tmpl_work_save(w, tmpl_buckets_for(w->n));
}

apr_status_t tmpl_store_import(tmpl_store_t *store, const char *site,
                               const tmpl_store_stats_t *head, const tmpl_entry_t *entries,
                               uint32_t n, tmpl_error_t *err, apr_pool_t *pool)
{
    site_content_t import = { head, entries, n };
    return tmpl_engine_change(store, site, tmpl_clock() + store->patience, entries_import, &import,
                              err, pool);
}

typedef struct {
    const tmpl_lifetimes_t *lifetimes;
    uint32_t min_df;
    tmpl_store_stats_t *stats;
} tally_t;

static apr_status_t tally(void *baton, const tmpl_entry_t *entry)
{
    tally_t *t = baton;
    const tmpl_value_t *value = entry->value;
    if (tmpl_value_live(value, t->lifetimes, t->stats->pages)) {
        t->stats->live++;
        if (entry->key.kind == TMPL_KIND_SEGMENT) {
            t->stats->template += value->df >= t->min_df;
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
