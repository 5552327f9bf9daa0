/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that wait to be learnt many at a time, as those of httpd do (TmplLearnDelay). */
#ifndef BENCH_LATER_H
#define BENCH_LATER_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "table/store.h"

#define BATCH_MOST 256

typedef struct {
    tmpl_observation_t *pages[BATCH_MOST]; /* from tmpl_observation_copy() */
    uint32_t n, most;                      /* they are due when they are so many */
} batch_t;

/* Ends the program with what a store or a detector has said, unless that was success. */
static inline void check(apr_status_t rv, const tmpl_error_t *err)
{
    if (rv != APR_SUCCESS) {
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, err->text);
        exit(2);
    }
}

/* Has a batch learnt, which is empty then; clears the pool, which is for this. */
static inline void batch_learn(tmpl_store_t *store, batch_t *batch, apr_pool_t *pool)
{
    tmpl_error_t err = { 0 };

    check(tmpl_store_learn(store, (const tmpl_observation_t *const *)batch->pages, batch->n,
                           apr_time_from_sec(10), NULL, &err, pool),
          &err);
    while (batch->n > 0) {
        free(batch->pages[--batch->n]);
    }
    apr_pool_clear(pool);
}

#endif
