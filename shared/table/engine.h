/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine of every store: it looks pages up and learns them, by transactions of the store
 * (provider.h).
 *
 *     keys of pages --salt--> ranks --n--> numbers of buckets --get--> entries --rules.h-->
 *     changed entries, new head --split, update, sweep--> buckets --commit-->
 *
 * A bucket packs some sixteen entries as columns; bucket.h has every byte.
 *
 * store.c checks what callers hand in. All functions return APR_SUCCESS or fill err.
 */
#ifndef TMPL_ENGINE_H
#define TMPL_ENGINE_H

#include "table/bucket.h"
#include "table/rules.h"

/* An open store: tmpl_store_t. */
typedef struct tmpl_engine_t {
    const tmpl_provider_t *provider;
    void *ctx;
    apr_interval_time_t patience; /* for calls without a deadline */
} tmpl_engine_t;

/* Counts of a page before it is looked up: zero, with room for a record of each key, from pool. */
tmpl_counts_t tmpl_counts_make(const tmpl_observation_t *page, apr_pool_t *pool);

/*
 * Looks up a page whose learn is OFF or LATER, and fills counts, which tmpl_counts_make() has made.
 * Writes nothing. Errors: those of get.
 */
apr_status_t tmpl_engine_look(const tmpl_engine_t *engine, const tmpl_observation_t *page,
                              apr_time_t deadline, tmpl_counts_t *counts, tmpl_error_t *err,
                              apr_pool_t *pool);

/*
 * Learns n > 0 pages of one site in their order, whatever their learn says, in one transaction. If
 * others write the site it tries again with fewer pages, until deadline (on tmpl_clock). Adds the
 * number of new documents to *counted. Fills the counts of each page, unless counts is NULL.
 * APR_ENOSPC: some pages are not learnt. APR_EBUSY: others wrote the site until the deadline.
 */
apr_status_t tmpl_engine_learn(const tmpl_engine_t *engine, const tmpl_observation_t *const *pages,
                               uint32_t n, apr_time_t deadline, tmpl_counts_t *counts,
                               uint32_t *counted, tmpl_error_t *err, apr_pool_t *pool);

/*
 * A transaction at work, for this folder: it finds the buckets of keys, reads their entries, and
 * writes those that have changed.
 *
 *     begin, fill keys, load     slots has the value of each key
 *     change values, save        the changed values are in the store
 *     end
 */

#define TMPL_GUESSES_MOST 5 /* guessed heads in a row that may be wrong */

/* An entry that some page needs, or that an import brings. */
typedef struct {
    tmpl_key_t key;
    uint32_t rank;
    uint32_t bucket; /* index of its bucket in tmpl_work_t.buckets */
    tmpl_slot_t slot;
} tmpl_work_entry_t;

/* A transaction at work. */
typedef struct {
    const tmpl_provider_t *provider;
    tmpl_txn_t *txn;
    apr_pool_t *pool;
    const tmpl_key_t *keys; /* the keys of all pages; a key may come twice */
    uint32_t n_keys;
    tmpl_slot_t **slots;        /* the slot of each key */
    tmpl_work_entry_t *entries; /* one for each key, in the order of their ranks */
    uint32_t n;
    tmpl_numbered_t *buckets; /* those that were read, then those that were split off */
    unsigned char *changed;   /* for each bucket: it must be written */
    uint32_t n_buckets;
    uint32_t *index; /* finds buckets by number: open addressing, 1 + index in buckets, 0: free */
    uint32_t n_index;
    uint32_t swept; /* what the head's swept will be */
    tmpl_bucket_scratch_t scratch;
    tmpl_bucket_limit_t limit;
} tmpl_work_t;

/* Begins a transaction, in a pool of its own. If that fails there is nothing to end. */
apr_status_t tmpl_work_begin(tmpl_work_t *w, const tmpl_engine_t *engine, tmpl_txn_t *txn,
                             apr_pool_t *pool);

/* Ends the transaction, and returns rv. */
apr_status_t tmpl_work_end(tmpl_work_t *w, apr_status_t rv);

/* The error of a site whose buckets others change while they are read: APR_EBUSY. */
apr_status_t tmpl_work_changed(const tmpl_work_t *w);

/* Makes one entry for each distinct key, in the order of ranks, and points slots to them. */
void tmpl_work_entries(tmpl_work_t *w);

/*
 * Makes the entries and reads their values; also reads n_sweep more buckets, to sweep them.
 * txn->head may be a guess: if the site turns out to have other buckets, reads those. Errors: those
 * of get.
 */
apr_status_t tmpl_work_load(tmpl_work_t *w, uint32_t n_sweep);

/* Writes all changes. The site will have n buckets, no fewer than now. Errors: those of commit. */
apr_status_t tmpl_work_save(tmpl_work_t *w, uint32_t n);

/*
 * Changes a site in a transaction, which is repeated while others write the site, until deadline
 * (on tmpl_clock).
 */
typedef apr_status_t (*tmpl_change_t)(tmpl_work_t *w, void *to);
apr_status_t tmpl_engine_change(const tmpl_engine_t *engine, const char *site, apr_time_t deadline,
                                tmpl_change_t change, void *to, tmpl_error_t *err,
                                apr_pool_t *pool);

/* APR_EINVAL with text unless a site's name has 1 to TMPL_SITE_MAX bytes. */
apr_status_t tmpl_site_check(const char *site, tmpl_error_t *err);

#endif
