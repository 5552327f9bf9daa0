/* SPDX-License-Identifier: Apache-2.0 */
#include "table/engine.h"

#include <string.h>

#include "table/work.h"

#define SWEPT_LEAST 2     /* buckets that learning sweeps, plus one for each page */
#define DUMP_MOST   65536 /* buckets that an export reads at once */

tmpl_counts_t tmpl_counts_make(const tmpl_observation_t *page, apr_pool_t *pool)
{
    return (tmpl_counts_t){ .records = apr_palloc(pool, (page->n + (apr_size_t)1) *
                                                            sizeof(tmpl_record_t)) };
}

/* The keys of n pages: of each page its keys, then the two keys of its document. */
static void keys_fill(tmpl_work_t *w, const tmpl_observation_t *const *pages, uint32_t n)
{
    apr_size_t total = 0;
    for (uint32_t i = 0; i < n; i++) {
        total += pages[i]->n + (apr_size_t)2;
    }
    tmpl_key_t *keys = apr_palloc(w->pool, total * sizeof(*keys));
    w->keys = keys;
    w->n_keys = (uint32_t)total;
    for (uint32_t i = 0; i < n; i++) {
        if (pages[i]->n > 0) {
            memcpy(keys, pages[i]->keys, pages[i]->n * sizeof(*keys));
        }
        keys += pages[i]->n;
        *keys++ = tmpl_document_id(pages[i]->document);
        *keys++ = tmpl_document_text(pages[i]->document);
    }
}

/* A page with its slots, which begin at *slots; moves *slots to those of the next page. */
static tmpl_rules_page_t rules_page(const tmpl_observation_t *page, tmpl_slot_t *const **slots)
{
    tmpl_slot_t *const *at = *slots;
    *slots += page->n + 2;
    return (tmpl_rules_page_t){ page, at, at[page->n], at[page->n + 1] };
}

static apr_status_t look(tmpl_work_t *w, const tmpl_observation_t *page, tmpl_counts_t *counts)
{
    keys_fill(w, &page, 1);
    apr_status_t rv = tmpl_work_load(w, 0);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    tmpl_slot_t *const *slots = w->slots;
    tmpl_rules_page_t rules = rules_page(page, &slots);
    if (page->learn == TMPL_LEARNING_LATER) {
        counts->due = tmpl_rules_learn(&rules, &w->txn->head.site, counts, w->pool);
    }
    else {
        tmpl_rules_look(&rules, &w->txn->head.site, counts);
    }
    counts->fading = w->txn->fading;
    return APR_SUCCESS;
}

apr_status_t tmpl_engine_look(const tmpl_engine_t *engine, const tmpl_observation_t *page,
                              apr_time_t deadline, tmpl_counts_t *counts, tmpl_error_t *err,
                              apr_pool_t *pool)
{
    tmpl_txn_t txn = { .site = page->site,
                       .age = page->age,
                       .policy = page->policy,
                       .deadline = deadline,
                       .err = err };
    tmpl_work_t w;
    apr_status_t rv = tmpl_work_begin(&w, engine, &txn, pool);
    return rv == APR_SUCCESS ? tmpl_work_end(&w, look(&w, page, counts)) : rv;
}

static apr_status_t learn(tmpl_work_t *w, const tmpl_observation_t *const *pages, uint32_t n,
                          tmpl_counts_t *counts, uint32_t *counted)
{
    tmpl_rules_site_t *site = &w->txn->head.site;
    keys_fill(w, pages, n);
    apr_status_t rv = tmpl_work_load(w, SWEPT_LEAST + n);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    tmpl_slot_t *const *slots = w->slots;
    uint64_t before = site->entries;
    int written = 0;
    for (uint32_t i = 0; i < n; i++) {
        tmpl_rules_page_t rules = rules_page(pages[i], &slots);
        tmpl_counts_t own = counts != NULL ? counts[i] : tmpl_counts_make(pages[i], w->pool);
        written |= tmpl_rules_learn(&rules, site, &own, w->pool);
        *counted += (uint32_t)own.counted;
        if (counts != NULL) {
            counts[i] = own;
        }
    }
    if (!written) {
        return APR_SUCCESS;
    }
    return tmpl_work_save(w, w->txn->head.n > 0
                                 ? tmpl_buckets_wanted(w->txn->head.n, before, site->entries)
                                 : tmpl_buckets_for(site->entries));
}

/* Tries once to learn pages. Sets *counted. */
static apr_status_t learn_once(const tmpl_engine_t *engine, const tmpl_observation_t *const *pages,
                               uint32_t n, apr_time_t deadline, tmpl_counts_t *counts,
                               uint32_t *counted, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_txn_t txn = { .site = pages[0]->site,
                       .write = 1,
                       .policy = pages[n - 1]->policy,
                       .deadline = deadline,
                       .err = err };
    tmpl_work_t w;
    *counted = 0;
    apr_status_t rv = tmpl_work_begin(&w, engine, &txn, pool);
    return rv == APR_SUCCESS ? tmpl_work_end(&w, learn(&w, pages, n, counts, counted)) : rv;
}

/*
 * The more pages a transaction has, the longer it takes and the more probably another one gets
 * ahead of it. So each refusal halves the number of pages.
 */
apr_status_t tmpl_engine_learn(const tmpl_engine_t *engine, const tmpl_observation_t *const *pages,
                               uint32_t n, apr_time_t deadline, tmpl_counts_t *counts,
                               uint32_t *counted, tmpl_error_t *err, apr_pool_t *pool)
{
    uint32_t size = n, tries = 0;
    int was_busy = 0;
    for (uint32_t done = 0, count; done < n;) {
        uint32_t some = size < n - done ? size : n - done;
        apr_status_t rv = learn_once(engine, pages + done, some, deadline,
                                     counts != NULL ? counts + done : NULL, &count, err, pool);
        if (rv == APR_SUCCESS) {
            done += some;
            *counted += count;
            tries = 0;
        }
        else if (rv == APR_EBUSY && tmpl_work_pause(tries++, deadline)) {
            size = (some + 1) / 2;
            was_busy = 1;
        }
        else if (rv == APR_TIMEUP && was_busy) {
            /* the store is well: the others took the time */
            return tmpl_fail(err, APR_EBUSY, "site %s: others write it", pages[0]->site);
        }
        else {
            return rv;
        }
    }
    return APR_SUCCESS;
}

apr_status_t tmpl_engine_sweep(const tmpl_provider_t *provider, tmpl_txn_t *txn, uint32_t n)
{
    tmpl_work_t w = {
        .provider = provider, .txn = txn, .pool = txn->pool, .scratch = { .pool = txn->pool }
    };
    apr_status_t rv = tmpl_work_load(&w, n);
    return rv != APR_SUCCESS || !txn->found ? rv : tmpl_work_save(&w, txn->head.n);
}

/* ---- whole sites ---- */

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

static apr_status_t dump(tmpl_work_t *w, tmpl_store_stats_t *stats,
                         apr_status_t (*each)(void *baton, const tmpl_entry_t *entry), void *baton)
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
                                           .frozen = w->txn->head.site.frozen,
                                           .bytes = w->provider->size(w->txn) };
        }
        for (uint32_t i = 0; rv == APR_SUCCESS && i < n; i++) {
            rv = bucket_dump(w, &buckets[i].is, each, baton, rows);
        }
        from += n;
    } while (rv == APR_SUCCESS && from < head.n);
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
