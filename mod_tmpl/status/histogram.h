/* SPDX-License-Identifier: Apache-2.0 */
/* How long each stage of a page takes, and shares of the page: histograms, over all children. */
#ifndef TMPL_HISTOGRAM_H
#define TMPL_HISTOGRAM_H

#include "members.h"

/* What has a histogram: stages, and shares of a page that has verdicts and was not declined. */
typedef enum {
    TMPL_STAGE_WAIT,
    TMPL_STAGE_READ,
    TMPL_STAGE_STORE,
    TMPL_STAGE_DECIDE,
    TMPL_STAGE_WRITE,
    TMPL_STAGE_TOTAL,
    TMPL_SHARE_RATIO,
    TMPL_SHARE_CONFIDENCE,
    TMPL_MEASURES
} tmpl_measure_e;

/* post_config hook. */
void tmpl_histograms_create(server_rec *s);

/* Adds a time; a negative one counts as 0. */
void tmpl_stage_took(tmpl_measure_e stage, apr_interval_time_t took);

/* Adds the share of a page, 0 to 1. */
void tmpl_share_was(tmpl_measure_e share, double value);

/*
 * A histogram as data.h has it: a stage in seconds, or a share. Without values if there is no
 * shared memory. The caller owns it.
 */
json_t *tmpl_histogram(tmpl_measure_e of);

#endif
