/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items that go through stages, several at once. Some stages may be done by any thread in any order;
 * others are done by the caller's thread, for one item after the other, so that what they count and print
 * does not depend on the number of threads.
 */
#ifndef CTL_STAGES_H
#define CTL_STAGES_H

#include <apr_pools.h>

/* The most threads that may be asked for. */
#define CTL_JOBS_MOST 256

/*
 * An item on its way: number index of all, its state (size bytes, zero at first), its pool. Both are its
 * own until it has been reported.
 */
typedef void ctl_stage_f(void *baton, int index, void *state, apr_pool_t *pool);

typedef struct {
    ctl_stage_f *prepare; /* any thread */
    ctl_stage_f *count;   /* the caller's thread, in order of the items */
    ctl_stage_f *finish;  /* any thread */
    ctl_stage_f *report;  /* the caller's thread, in order of the items */
    apr_size_t size;      /* of an item's state */
} ctl_stages_t;

/*
 * Puts items 0 to n - 1 through all stages in turn. jobs: threads for prepare and finish, 1 to
 * CTL_JOBS_MOST; with 1 the caller's thread does it all. At most 2 * jobs + 1 items are on their way at
 * once. Once more() is 0 no item is begun any more, and those on their way are finished. baton is what
 * stages and more are given. APR_SUCCESS, or why there are no threads: then no item was begun.
 */
apr_status_t ctl_stages_run(const ctl_stages_t *stages, int n, int jobs, int (*more)(void *baton),
                            void *baton, apr_pool_t *pool);

#endif
