/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a run of tmplctl warc has come: what was counted, and where it goes on after it was
 * killed. It is a file of JSON in the directory OUT.part, which has the unfinished output, too.
 */
#ifndef CTL_WARC_STATE_H
#define CTL_WARC_STATE_H

#include <jansson.h>

#include "archive/warc_read.h"

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

typedef struct {
    json_int_t counts[CTL_WARC_COUNT_COUNT];
    json_int_t declined[TMPL_DECLINE_COUNT];
    json_int_t learnt; /* pages of the first pass */
    json_int_t micros; /* of all passes and runs */
    int pass;
    int file; /* index among the inputs */
    tmpl_warc_place_t place;
    apr_off_t out, index; /* bytes of the output, of the index */
} ctl_warc_state_t;

/* Its name there. */
#define CTL_WARC_STATE "state.json"

/* The object of --report, which the caller completes. */
json_t *ctl_warc_state_report(const ctl_warc_state_t *state);

/*
 * Reads dir's state. run says what the run is to do, with how many inputs. APR_ENOENT: there is
 * none; APR_EINVAL with text: it is of another run, or damaged.
 */
apr_status_t ctl_warc_state_load(ctl_warc_state_t *state, const char *dir, const char *run,
                                 int inputs, tmpl_error_t *err, apr_pool_t *pool);

/* Replaces dir's state; fails as ctl_file_write(). */
apr_status_t ctl_warc_state_save(const ctl_warc_state_t *state, const char *dir, const char *run,
                                 tmpl_error_t *err, apr_pool_t *pool);

#endif
