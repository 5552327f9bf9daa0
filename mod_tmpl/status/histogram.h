/* SPDX-License-Identifier: Apache-2.0 */
/* How long each stage of a page takes, and shares of the page: histograms, over all children. */
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

/* X(id, name, explanation): shares of a page that has verdicts and was not declined, 0 to 1. */
#define TMPL_SHARES(X)                                                                             \
    X(RATIO, "template", "share of a judged page's text that is template")                         \
    X(CONFIDENCE, "confidence", "how sure the detector is of a judged page")

/* What has a histogram: first the stages, then the shares. */
typedef enum {
#define TMPL_STAGE_ID(id, name, explanation) TMPL_STAGE_##id,
#define TMPL_SHARE_ID(id, name, explanation) TMPL_SHARE_##id,
    TMPL_STAGES(TMPL_STAGE_ID) TMPL_SHARES(TMPL_SHARE_ID)
#undef TMPL_STAGE_ID
#undef TMPL_SHARE_ID
        TMPL_MEASURES
} tmpl_measure_e;

#define TMPL_HISTOGRAM_BUCKETS 17

/* Values are in millionths: microseconds, or millionths of the whole. */
typedef struct {
    const char *name, *text;
    int is_share;
    const apr_int64_t *bounds; /* upper bounds of the buckets but the last one, inclusive */
    int n;                     /* buckets */
    apr_uint64_t buckets[TMPL_HISTOGRAM_BUCKETS]; /* the number of values in each */
    apr_uint64_t count;                           /* the sum of buckets */
    apr_uint64_t sum;                             /* of all values */
} tmpl_histogram_t;

/* post_config hook. */
void tmpl_histograms_create(server_rec *s);

/* Adds a time; a negative one counts as 0. */
void tmpl_stage_took(tmpl_measure_e stage, apr_interval_time_t took);

/* Adds the share of a page. */
void tmpl_share_was(tmpl_measure_e share, double value);

/* A histogram; without values if there is no shared memory. */
tmpl_histogram_t tmpl_histogram(tmpl_measure_e of);

#endif
