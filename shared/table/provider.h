/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kind of store implements. store.c finds the provider by the URI's scheme, checks what
 * callers hand in (so no provider needs to) and passes the call on. Contracts are store.h's.
 */
#ifndef TMPL_PROVIDER_H
#define TMPL_PROVIDER_H

#include "table/store.h"

typedef struct {
    const char *scheme; /* the URI up to and with the colon */
    apr_status_t (*check)(const char *uri, tmpl_error_t *err, apr_pool_t *pool);
    /* Fills *ctx; a cleanup on pool closes it. */
    apr_status_t (*open)(void **ctx, const char *uri, const tmpl_store_opts_t *opts,
                         tmpl_error_t *err, apr_pool_t *pool);
    /* counts comes zeroed, with records allocated and zeroed; deadline is on tmpl_clock. */
    apr_status_t (*observe)(void *ctx, const tmpl_observation_t *obs, apr_time_t deadline,
                            tmpl_counts_t *counts, tmpl_error_t *err, apr_pool_t *pool);
    /*
     * tmpl_store_learn() of pages that have been checked; *counted comes as 0. counts, if it is not NULL: that of each,
     * as observe has it; then all are of one site, and tmpl_store_observe_many() is asked for.
     */
    apr_status_t (*learn)(void *ctx, const tmpl_observation_t *const *pages, uint32_t n,
                          apr_time_t deadline, tmpl_counts_t *counts, uint32_t *counted,
                          tmpl_error_t *err, apr_pool_t *pool);
    apr_status_t (*sites)(void *ctx, apr_status_t (*each)(void *baton, const char *site),
                          void *baton, tmpl_error_t *err, apr_pool_t *pool);
    apr_status_t (*forget)(void *ctx, const char *site, tmpl_error_t *err, apr_pool_t *pool);
    /*
     * "export" and "import" of store.h; the latter is a word of its own in C++. head is filled
     * before the first entry is given. Stats are counted from it.
     */
    apr_status_t (*dump)(void *ctx, const char *site, tmpl_store_stats_t *head,
                         apr_status_t (*each)(void *baton, const tmpl_entry_t *entry), void *baton,
                         tmpl_error_t *err, apr_pool_t *pool);
    apr_status_t (*load)(void *ctx, const char *site, const tmpl_store_stats_t *head,
                         const tmpl_entry_t *entries, uint32_t n, tmpl_error_t *err,
                         apr_pool_t *pool);
} tmpl_provider_t;

/* Counts as observe has them: zero, with records of all of a page's keys, zero, too; in pool. */
tmpl_counts_t tmpl_counts_make(const tmpl_observation_t *page, apr_pool_t *pool);

extern const tmpl_provider_t tmpl_provider_lmdb;
extern const tmpl_provider_t tmpl_provider_redis;
extern const tmpl_provider_t tmpl_provider_redis_unix;
extern const tmpl_provider_t tmpl_provider_memory; /* memory.c */

#endif
