/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine of every store: it looks pages up, learns them, and reads and replaces whole sites, by the transactions
 * that a kind of store offers (provider.h). The rules are those of store.h; how entries stand in buckets is in
 * bucket/bucket.h.
 *
 *     keys of the pages --salt--> places --n--> numbers of buckets --get--> entries
 *         --rules.h--> entries that changed, a new head --grow, update, sweep, shrink--> buckets --commit-->
 *
 * Callers (store.c) have checked what they hand in. All functions return APR_SUCCESS or fill err.
 */
#ifndef TMPL_ENGINE_H
#define TMPL_ENGINE_H

#include "table/provider.h"

/* An open store. */
typedef struct {
    const tmpl_provider_t *provider;
    void *ctx;
} tmpl_engine_t;

/*
 * Looks up a page whose learn is OFF or LATER. counts has records for all keys, all zero, which are filled; so they
 * are in what follows.
 */
apr_status_t tmpl_engine_look(const tmpl_engine_t *engine, const tmpl_observation_t *page,
                              apr_time_t deadline, tmpl_counts_t *counts, tmpl_error_t *err,
                              apr_pool_t *pool);

/*
 * Learns n > 0 pages of one site in their order, whatever their learn says, in one transaction if nobody comes between.
 * *counted grows by the number of new documents. counts may be NULL. APR_ENOSPC: some are not learnt.
 * APR_EBUSY: others wrote the site until the deadline.
 */
apr_status_t tmpl_engine_learn(const tmpl_engine_t *engine, const tmpl_observation_t *const *pages,
                               uint32_t n, apr_time_t deadline, tmpl_counts_t *counts,
                               uint32_t *counted, tmpl_error_t *err, apr_pool_t *pool);

/* tmpl_store_export(): head is filled before the first entry. Stats are counted from it. */
apr_status_t tmpl_engine_dump(const tmpl_engine_t *engine, const char *site,
                              tmpl_store_stats_t *head,
                              apr_status_t (*each)(void *baton, const tmpl_entry_t *entry),
                              void *baton, tmpl_error_t *err, apr_pool_t *pool);

/* tmpl_store_import(), in one transaction. Of entries that have one key the last one counts. */
apr_status_t tmpl_engine_load(const tmpl_engine_t *engine, const char *site,
                              const tmpl_store_stats_t *head, const tmpl_entry_t *entries,
                              uint32_t n, tmpl_error_t *err, apr_pool_t *pool);

/*
 * For a store that is full: drops the dead of n buckets in a transaction that has begun, and commits. Returns what get
 * or commit has said.
 */
apr_status_t tmpl_engine_sweep(const tmpl_provider_t *provider, tmpl_txn_t *txn, uint32_t n);

/* Counts of a page before it is looked up: zero, with records from pool. */
tmpl_counts_t tmpl_counts_make(const tmpl_observation_t *page, apr_pool_t *pool);

#endif
