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

#include "table/provider.h"

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
 * Drops the dead entries of n buckets in a transaction that has begun, and commits it. For a full
 * store.
 */
apr_status_t tmpl_engine_sweep(const tmpl_provider_t *provider, tmpl_txn_t *txn, uint32_t n);

#endif
