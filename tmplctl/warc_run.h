/* SPDX-License-Identifier: Apache-2.0 */
/* A run of tmplctl warc, which its files share. Functions that fail have printed the reason. */
#ifndef CTL_WARC_RUN_H
#define CTL_WARC_RUN_H

#include <jansson.h>

#include "ctl.h"
#include "open_store.h"
#include "warc_out.h"

/* X(id, name): numbers of --report. */
#define CTL_WARC_COUNTS(X)                                                                         \
    X(RECORDS, "records")               /* whole ones, of all types */                             \
    X(DAMAGED, "damaged")               /* places of damage, each of which cost a record */        \
    X(RESPONSES, "responses")           /* records that may have a page */                         \
    X(PAGES, "pages")                   /* pages that were judged */                               \
    X(EDITED, "edited")                 /* of them, those that had template */                     \
    X(LOST, "lost")                     /* of them, those that have no output */                   \
    X(WRITTEN, "written")               /* records or lines written */                             \
    X(STORE_FAILURES, "store_failures") /* pages that the store did not learn or look up */        \
    X(BYTES_IN, "bytes_in")             /* of pages, decoded */                                    \
    X(BYTES_OUT, "bytes_out")           /* of what became of them */

typedef enum {
#define CTL_WARC_COUNT_ID(id, name) CTL_WARC_##id,
    CTL_WARC_COUNTS(CTL_WARC_COUNT_ID)
#undef CTL_WARC_COUNT_ID
        CTL_WARC_COUNT_COUNT
} ctl_warc_count_e;

/* How far a run has come, between two inputs: what it says, and where the next run goes on. */
typedef struct {
    uint64_t run; /* a hash of its options and inputs */
    json_int_t counts[CTL_WARC_COUNT_COUNT];
    json_int_t declined[TMPL_DECLINE_COUNT];
    json_int_t learnt; /* pages of the first pass */
    json_int_t micros; /* of all passes and runs */
    int pass;
    int file;             /* index among the inputs */
    apr_off_t out, index; /* bytes of the output, of the index */
} ctl_warc_state_t;

typedef struct {
    ctl_t *ctl;
    ctl_warc_form_t form;
    int learns_only;
    const char *part; /* directory of the unfinished run; NULL: the output is standard output */
    ctl_store_t store;
    ctl_warc_sink_t out, index;
    const char *name; /* of the output, in an index */
    ctl_warc_state_t state;
    apr_off_t *sizes; /* of the inputs */
    apr_off_t size;   /* of all */
    apr_time_t began, saved, shown;
    json_int_t micros_before; /* of the runs before this one */
    /* of the current pass */
    int judges; /* else it learns only */
    tmpl_clean_opts_t opts;
    /* of the current file */
    apr_pool_t *file_pool;
    tmpl_warc_t *warc;
    apr_off_t before;   /* bytes of the files in front of it */
    int failed;         /* a file cannot be read, or not to its end, or has no record */
    int is_cut;         /* the current file has given no record yet, or no whole one at its end */
    apr_uint64_t taken; /* bytes of records, since a part was ended for them */
} ctl_warc_run_t;

static inline const char *ctl_warc_input(const ctl_warc_run_t *run, int index)
{
    return APR_ARRAY_IDX(run->ctl->args, index, const char *);
}

static inline json_int_t *ctl_warc_count(ctl_warc_run_t *run, ctl_warc_count_e which)
{
    return &run->state.counts[which];
}

/* Whether pages are only observed (mode keys): no store is asked, and nothing is judged. */
static inline int ctl_warc_observes(const ctl_warc_run_t *run)
{
    return run->form.mode != NULL && run->form.mode->mode == TMPL_MODE_LEARN;
}

/* --- warc_part.c --- */

/*
 * Opens all that the run writes to, where an earlier run has left it: at the end of an input. A run
 * to a file has a store of its own, unless one is named.
 */
apr_status_t ctl_warc_part_begin(ctl_warc_run_t *run);

/*
 * Between parts of the stages, when all that was read is reported: writes what waits and, between
 * two inputs, saves how far the run is.
 */
apr_status_t ctl_warc_part_save(ctl_warc_run_t *run);

/* The outputs get their names, and what else the directory has is removed. */
apr_status_t ctl_warc_part_finish(ctl_warc_run_t *run);

/* --- warc_pass.c --- */

/*
 * Reads all inputs once, from the state's file on. APR_INCOMPLETE: it was interrupted, or cannot
 * write.
 */
apr_status_t ctl_warc_pass(ctl_warc_run_t *run, int learns, int judges);

/* --- warc_cmd.c --- */

void ctl_warc_progress(ctl_warc_run_t *run);

#endif
