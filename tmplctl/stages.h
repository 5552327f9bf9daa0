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
 * An item on its way: its number, its state (ctl_stages_t's size in bytes, zero at first), its pool. Both are
 * its own until it has been reported.
 */
typedef struct {
    int index;
    void *state;
    apr_pool_t *pool;
} ctl_item_t;

typedef void ctl_stage_f(void *baton, const ctl_item_t *item);

typedef struct {
    ctl_stage_f *prepare; /* any thread */
    /* the caller's thread, in order of the items: n >= 1 of them that follow each other */
    void (*count)(void *baton, const ctl_item_t *const *items, int n);
    ctl_stage_f *finish; /* any thread */
    ctl_stage_f *report; /* the caller's thread, in order of the items */
    apr_size_t size;
} ctl_stages_t;

/* How items are worked at. */
typedef struct {
    int jobs;  /* threads for prepare and finish, 1 to CTL_JOBS_MOST; 1: the caller's does it all */
    int batch; /* items that are counted at once, at most */
    int (*more)(void *baton); /* once it is 0 no item is begun any more: those begun are finished */
    void *baton;              /* for stages and more */
} ctl_work_t;

/*
 * Puts items 0 to n - 1 through all stages in turn. At most batch of them, and with more than one job
 * 2 * jobs more, are on their way at once. APR_SUCCESS, or why there are no threads: then no item was begun.
 */
apr_status_t ctl_stages_run(const ctl_stages_t *stages, const ctl_work_t *work, int n,
                            apr_pool_t *pool);

#endif
