/* SPDX-License-Identifier: Apache-2.0 */
#include "table/engine.h"

#include <string.h>

#include <apr_general.h>

#define SWEPT_LEAST 2 /* buckets that learning sweeps, plus one for each page */

/* The random wait before a refused transaction is tried again; it doubles with each refusal. */
#define PAUSE_LEAST   apr_time_from_msec(1)
#define PAUSE_DOUBLED 4 /* times at most */

tmpl_counts_t tmpl_counts_make(const tmpl_observation_t *page, apr_pool_t *pool)
{
    const apr_size_t n = page->n + (apr_size_t)1;
    return (tmpl_counts_t){ .records = apr_palloc(pool, n * sizeof(tmpl_record_t)),
                            .fresh = apr_pcalloc(pool, n) };
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

static apr_status_t txn_look(tmpl_work_t *w, const tmpl_observation_t *page, tmpl_counts_t *counts)
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
    return rv == APR_SUCCESS ? tmpl_work_end(&w, txn_look(&w, page, counts)) : rv;
}

static apr_status_t txn_learn(tmpl_work_t *w, const tmpl_observation_t *const *pages, uint32_t n,
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
    apr_pool_t *scratch;
    apr_pool_create(&scratch, w->pool);
    for (uint32_t i = 0; i < n; i++) {
        tmpl_rules_page_t rules = rules_page(pages[i], &slots);
        tmpl_counts_t own = counts != NULL ? counts[i] : tmpl_counts_make(pages[i], scratch);
        written |= tmpl_rules_learn(&rules, site, &own, w->pool);
        *counted += (uint32_t)own.counted;
        if (counts != NULL) {
            counts[i] = own;
        }
        apr_pool_clear(scratch);
    }
    if (!written) {
        return APR_SUCCESS;
    }
    return tmpl_work_save(w, w->txn->head.n > 0
                                 ? tmpl_buckets_wanted(w->txn->head.n, before, site->entries)
                                 : tmpl_buckets_for(site->entries));
}

/*
 * Waits before a refused transaction is tried again: a random time that grows with tries. Returns 0
 * if the wait would end after the deadline.
 */
static int pause_for(uint32_t tries, apr_time_t deadline)
{
    apr_interval_time_t most = PAUSE_LEAST << (tries < PAUSE_DOUBLED ? tries : PAUSE_DOUBLED);
    uint16_t drawn = 0;
    (void)apr_generate_random_bytes((unsigned char *)&drawn, sizeof(drawn));
    if (drawn % most >= deadline - tmpl_clock()) {
        return 0;
    }
    apr_sleep(drawn % most);
    return 1;
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
    return rv == APR_SUCCESS ? tmpl_work_end(&w, txn_learn(&w, pages, n, counts, counted)) : rv;
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
        else if (rv == APR_EBUSY && pause_for(tries++, deadline)) {
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

apr_status_t tmpl_engine_change(const tmpl_engine_t *engine, const char *site, apr_time_t deadline,
                                tmpl_change_t change, void *to, tmpl_error_t *err, apr_pool_t *pool)
{
    apr_status_t rv = tmpl_site_check(site, err);
    uint32_t tries = 0;
    if (rv != APR_SUCCESS) {
        return rv;
    }
    do {
        tmpl_txn_t txn = { .site = site, .write = 1, .deadline = deadline, .err = err };
        tmpl_work_t w;
        rv = tmpl_work_begin(&w, engine, &txn, pool);
        rv = rv == APR_SUCCESS ? tmpl_work_end(&w, change(&w, to)) : rv;
    } while (rv == APR_EBUSY && pause_for(tries++, deadline));
    return rv;
}
