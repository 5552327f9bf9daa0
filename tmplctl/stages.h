/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs items through four stages, in parts. Threads prepare and finish the items of a part in any
 * order; the caller's thread takes, counts and reports them in their order, while the other threads
 * wait.
 * So results do not depend on the number of threads.
 */
#ifndef CTL_STAGES_H
#define CTL_STAGES_H

#include <apr_pools.h>

/* The most threads that may be asked for. */
#define CTL_JOBS_MOST 256

/* Items of a part: enough that threads do not wait for long for the last one. */
#define CTL_PART_MOST(jobs) (4 * (jobs) + 32)

/* An item in flight. state and pool are its own until it has been reported. */
typedef struct {
    int index;
    void *state; /* ctl_stages_t's size bytes, zero when prepare gets them */
    apr_pool_t *pool;
} ctl_item_t;

typedef void ctl_stage_f(void *baton, const ctl_item_t *item);

/* What take() returns. */
#define CTL_TAKE_NONE 0 /* there are no more items */
#define CTL_TAKE_ITEM 1
#define CTL_TAKE_LAST 2 /* an item that no other may follow in its part */

typedef struct {
    /* the caller's thread, in order: fetches an item, CTL_TAKE_...; NULL: items have numbers only */
    int (*take)(void *baton, const ctl_item_t *item);
    ctl_stage_f *prepare; /* any thread */
    /* the caller's thread, in order: n >= 1 consecutive items */
    void (*count)(void *baton, const ctl_item_t *const *items, int n);
    ctl_stage_f *finish; /* any thread */
    ctl_stage_f *report; /* the caller's thread, in order */
    apr_size_t size;     /* bytes of an item's state */
} ctl_stages_t;

typedef struct {
    int jobs;  /* threads for prepare and finish, 1 to CTL_JOBS_MOST; 1: the caller's does all */
    int batch; /* items that count gets at once, at most */
    int (*more)(void *baton); /* 0: begin no further part */
    void *baton;              /* for the stages and more */
} ctl_work_t;

/*
 * Runs items 0 to n - 1 through all stages, with fewer threads if the system has no more. At most
 * batch items are in flight, or CTL_PART_MOST(jobs) if that is more and jobs > 1. APR_SUCCESS; an
 * error if there is no memory: then no item was begun.
 */
apr_status_t ctl_stages_run(const ctl_stages_t *stages, const ctl_work_t *work, int n,
                            apr_pool_t *pool);

#endif
