/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run: many pages through tmpl_clean's steps, in one pass or two, for clean and warc. Pages are
 * in flight in parts: threads read and write the pages of a part in any order; the caller's thread
 * takes, learns and reports them in their order, while the other threads wait. So results do not
 * depend on the number of threads.
 */
#ifndef CTL_STAGES_H
#define CTL_STAGES_H

#include "clean.h"
#include "ctl.h"
#include "render.h"

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
    ctl_page_t page;         /* path is set for each item that is_page */
    ctl_rendered_t rendered; /* of a page that was judged */
} ctl_item_t;

typedef struct ctl_run_t ctl_run_t;
typedef void ctl_stage_f(ctl_run_t *run, ctl_item_t *item);

/* What take() returns. */
#define CTL_TAKE_NONE 0 /* there are no more items */
#define CTL_TAKE_ITEM 1
#define CTL_TAKE_LAST 2 /* an item that no other may follow in its part */
#define CTL_TAKE_STOP 3 /* no item: the part ends */

typedef struct {
    /* the caller's thread, in order: fetches an item; NULL: items have numbers only */
    int (*take)(ctl_run_t *run, ctl_item_t *item);
    ctl_stage_f *read;           /* any thread: fills input and the names of page, sets is_page */
    ctl_stage_f *write;          /* any thread: writes what was rendered */
    ctl_stage_f *report;         /* the caller's thread, in order */
    int (*more)(ctl_run_t *run); /* between parts; 0: begin no further one. NULL: go on */
    apr_size_t size;             /* bytes of a command's state */
} ctl_stages_t;

typedef struct {
    long long pages;          /* that were judged */
    long long edited;         /* of them, those that had template */
    long long lost;           /* of them, those whose output is missing or not complete */
    long long learnt;         /* in a pass that only learns */
    long long store_failures; /* pages that the store did not learn or look up, in each pass */
    long long bytes_in, bytes_out;
    long long declined[TMPL_DECLINE_COUNT];
} ctl_counts_t;

/* The first member of a command's own state. */
struct ctl_run_t {
    ctl_t *ctl;
    const ctl_stages_t *stages;
    const ctl_mode_t *mode; /* NULL: pages are only learnt */
    ctl_store_t store;
    ctl_counts_t counts;
    /* of the current pass */
    int learns; /* pages are learnt; else they are looked up, if they are judged */
    int judges;
    tmpl_clean_opts_t opts; /* in mode LEARN pages are not judged */
};

/* Whether pages are only observed (mode keys): no store is asked, and nothing is judged. */
static inline int ctl_run_observes(const ctl_run_t *run)
{
    return run->mode != NULL && run->mode->mode == TMPL_MODE_LEARN;
}

/*
 * Runs items 0 to n - 1 through all stages, with fewer threads than --jobs if the system has no
 * more, until a signal comes. What the store says against a page is in its outcome; prints the
 * first such message. An error, which is printed, if there is no memory: then no item was begun.
 */
apr_status_t ctl_run_pass(ctl_run_t *run, int learns, int judges, int n);

/* Counts a page that was judged and rendered. */
void ctl_run_count(ctl_run_t *run, const ctl_item_t *item);

#endif
