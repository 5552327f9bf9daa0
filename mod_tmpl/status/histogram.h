/* SPDX-License-Identifier: Apache-2.0 */
/* How long each stage of a page takes: histograms, over all children. */
#ifndef TMPL_HISTOGRAM_H
#define TMPL_HISTOGRAM_H

#include "mod_tmpl.h"

/* X(id, name, explanation) */
#define TMPL_STAGES(X)                                                                             \
    X(WAIT, "wait", "from the first byte of a held page to its last one")                          \
    X(READ, "read", "the page is parsed")                                                          \
    X(STORE, "count", "its text is looked up in the store")                                        \
    X(DECIDE, "decide", "its blocks are judged, and its edits are made")                           \
    X(WRITE, "write", "the edits are put into the page")                                           \
    X(TOTAL, "total", "all that is done with a complete page")

typedef enum {
#define TMPL_STAGE_ID(id, name, explanation) TMPL_STAGE_##id,
    TMPL_STAGES(TMPL_STAGE_ID)
#undef TMPL_STAGE_ID
        TMPL_STAGE_COUNT
} tmpl_stage_e;

/*
 * Upper bounds of the buckets, in microseconds, inclusive. One more bucket has all longer times.
 */
#define TMPL_HISTOGRAM_BOUNDS                                                                      \
    {                                                                                              \
        100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 500000, 1000000,     \
            2500000, 5000000, 10000000                                                             \
    }
#define TMPL_HISTOGRAM_BUCKETS 17
extern const apr_interval_time_t tmpl_histogram_bounds[TMPL_HISTOGRAM_BUCKETS - 1];

typedef struct {
    apr_uint64_t buckets[TMPL_HISTOGRAM_BUCKETS]; /* the number of times in each */
    apr_uint64_t count;                           /* the sum of buckets */
    apr_uint64_t microseconds;                    /* the sum of all times */
} tmpl_histogram_t;

const char *tmpl_stage_name(tmpl_stage_e stage);
const char *tmpl_stage_text(tmpl_stage_e stage);

/* post_config hook. */
void tmpl_histograms_create(server_rec *s);

/* Adds a time; a negative one counts as 0. */
void tmpl_stage_took(tmpl_stage_e stage, apr_interval_time_t took);

/* The histogram of a stage; all zero if there is no shared memory. */
tmpl_histogram_t tmpl_histogram(tmpl_stage_e stage);

#endif
