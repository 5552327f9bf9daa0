/* SPDX-License-Identifier: Apache-2.0 */
/* A run of tmplctl warc, which its files share. Functions that fail have printed the reason. */
#ifndef CTL_WARC_RUN_H
#define CTL_WARC_RUN_H

#include "ctl.h"
#include "open_store.h"
#include "warc_out.h"
#include "warc_state.h"

/* What a pass does. */
typedef enum { CTL_WARC_LEARNS = 1, CTL_WARC_JUDGES = 2 } ctl_warc_pass_e;

typedef struct {
    ctl_t *ctl;
    ctl_warc_form_t form;
    int learns_only;
    const char *part; /* directory of the unfinished run; NULL: the output is standard output */
    const char *what; /* the run, for its state */
    ctl_store_t store;
    ctl_warc_sink_t out, index;
    const char *name; /* of the output, in an index */
    ctl_warc_state_t state;
    apr_off_t *sizes; /* of the inputs */
    apr_off_t size;   /* of all */
    apr_time_t began, saved;
    json_int_t micros_before; /* of the runs before this one */
    /* of the current pass */
    int passes; /* ctl_warc_pass_e's bits */
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

/* --- warc_options.c --- */

/* Fills the form, and checks the options. */
apr_status_t ctl_warc_options_check(ctl_warc_run_t *run);

/* Measures the inputs, and describes the run. */
apr_status_t ctl_warc_inputs_check(ctl_warc_run_t *run);

/* --- warc_part.c --- */

/*
 * Opens all that the run writes to, where an earlier run has left it. A run to a file has a store
 * of its own, unless one is named.
 */
apr_status_t ctl_warc_part_begin(ctl_warc_run_t *run);

/* Saves how far the run is, between parts of the stages: all that was read is reported. */
apr_status_t ctl_warc_part_save(ctl_warc_run_t *run);

/* The outputs get their names, and what else the directory has is removed. */
apr_status_t ctl_warc_part_finish(ctl_warc_run_t *run);

/* --- warc_pass.c --- */

/*
 * Reads all inputs once, from the state's place on; passes is ctl_warc_pass_e's bits.
 * APR_INCOMPLETE: it was interrupted, or cannot write.
 */
apr_status_t ctl_warc_pass(ctl_warc_run_t *run, int passes);

/* --- warc_report.c --- */

void ctl_warc_progress(ctl_warc_run_t *run);

/* Writes --report; an exit code. sites: those of the tables. */
int ctl_warc_report(ctl_warc_run_t *run, json_int_t sites);

/* Prints one line, if standard output has nothing else. */
void ctl_warc_summary(const ctl_warc_run_t *run, json_int_t sites);

#endif
