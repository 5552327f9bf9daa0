/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmpl_clean's steps as stages, over many pages. Pages are in flight in parts: threads read and
 * write the pages of a part in any order; the caller's thread takes, learns and reports them in
 * their order, while the other threads wait. So results do not depend on the number of threads.
 */
#ifndef CTL_STAGES_H
#define CTL_STAGES_H

#include "clean.h"
#include "open_store.h"

/* The most threads that may be asked for. */
#define CTL_JOBS_MOST 256

/* A page in flight: the first member of a command's own state, which is zero before take. */
typedef struct {
    int index;
    apr_pool_t *pool; /* its own until it has been reported */
    int is_page;      /* input has a page */
    tmpl_input_t input;
    int parsed; /* outcome has it */
    tmpl_outcome_t outcome;
} ctl_item_t;

typedef void ctl_stage_f(void *baton, ctl_item_t *item);

/* What take() returns. */
#define CTL_TAKE_NONE 0 /* there are no more items */
#define CTL_TAKE_ITEM 1
#define CTL_TAKE_LAST 2 /* an item that no other may follow in its part */
#define CTL_TAKE_STOP 3 /* no item: the part ends */

typedef struct {
    /* the caller's thread, in order: fetches an item; NULL: items have numbers only */
    int (*take)(void *baton, ctl_item_t *item);
    ctl_stage_f *read;   /* any thread: fills input, and sets is_page */
    ctl_stage_f *write;  /* any thread: makes the output of the outcome */
    ctl_stage_f *report; /* the caller's thread, in order */
    apr_size_t size;     /* bytes of a command's state */
} ctl_stages_t;

typedef struct {
    int jobs;                      /* threads, 1 to CTL_JOBS_MOST; 1: the caller's does all */
    const tmpl_clean_opts_t *opts; /* mode LEARN: pages are not judged */
    const ctl_store_t *store;
    int learns;               /* pages are learnt; else they are looked up, if they are judged */
    int (*more)(void *baton); /* 0: begin no further part */
    void *baton;              /* for the stages and more */
} ctl_work_t;

/*
 * Runs items 0 to n - 1 through all stages, with fewer threads if the system has no more. What the
 * store says against a page is in its outcome. APR_SUCCESS; an error if there is no memory: then no
 * item was begun.
 */
apr_status_t ctl_stages_run(const ctl_stages_t *stages, const ctl_work_t *work, int n,
                            apr_pool_t *pool);

#endif
