/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that wait and are learnt in batches, as in httpd (TmplLearnDelay). */
#ifndef BENCH_PAGE_BATCH_H
#define BENCH_PAGE_BATCH_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "table/store.h"

#define BATCH_MOST 256

typedef struct {
    tmpl_observation_t *pages[BATCH_MOST]; /* from tmpl_observation_copy() */
    uint32_t n, most;                      /* most: the size of a batch */
} batch_t;

/* Ends the program with the message of a store or a detector, unless it succeeded. */
static inline void check(apr_status_t rv, const tmpl_error_t *err)
{
    if (rv != APR_SUCCESS) {
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, err->text);
        exit(2);
    }
}

/*
 * Learns and empties a batch; clears pool, which is for this only. Returns the store's status.
 */
static inline apr_status_t batch_try(tmpl_store_t *store, batch_t *batch,
                                     apr_interval_time_t timeout, uint32_t *counted,
                                     tmpl_error_t *err, apr_pool_t *pool)
{
    apr_status_t rv = tmpl_store_learn(store, (const tmpl_observation_t *const *)batch->pages,
                                       batch->n, timeout, counted, err, pool);

    while (batch->n > 0) {
        free(batch->pages[--batch->n]);
    }
    apr_pool_clear(pool);
    return rv;
}

/* As batch_try; ends the program if the store fails. */
static inline void batch_learn(tmpl_store_t *store, batch_t *batch, apr_pool_t *pool)
{
    tmpl_error_t err = { 0 };

    check(batch_try(store, batch, apr_time_from_sec(10), NULL, &err, pool), &err);
}

#endif
