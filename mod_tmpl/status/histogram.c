/* SPDX-License-Identifier: Apache-2.0 */
#include <apr_atomic.h>

#include "histogram.h"
#include "shm.h"

typedef struct {
    volatile apr_uint64_t buckets[TMPL_HISTOGRAM_BUCKETS];
    volatile apr_uint64_t microseconds;
} counts_t;

const apr_interval_time_t tmpl_histogram_bounds[TMPL_HISTOGRAM_BUCKETS - 1] = TMPL_HISTOGRAM_BOUNDS;

static const struct {
    const char *name;
    const char *explanation;
} stages[] = {
#define TMPL_STAGE_ROW(id, name, explanation) { name, explanation },
    TMPL_STAGES(TMPL_STAGE_ROW)
#undef TMPL_STAGE_ROW
};

static counts_t *histograms; /* one for each stage; NULL: no memory */

const char *tmpl_stage_name(tmpl_stage_e stage)
{
    return stages[stage].name;
}

const char *tmpl_stage_text(tmpl_stage_e stage)
{
    return stages[stage].explanation;
}

void tmpl_histograms_create(server_rec *s)
{
    histograms = tmpl_shm(s, "histograms", TMPL_STAGE_COUNT * sizeof(*histograms));
}

void tmpl_stage_took(tmpl_stage_e stage, apr_interval_time_t took)
{
    int i = 0;

    if (histograms == NULL) {
        return;
    }
    while (i < TMPL_HISTOGRAM_BUCKETS - 1 && took > tmpl_histogram_bounds[i]) {
        i++;
    }
    apr_atomic_inc64(&histograms[stage].buckets[i]);
    apr_atomic_add64(&histograms[stage].microseconds, took > 0 ? (apr_uint64_t)took : 0);
}

tmpl_histogram_t tmpl_histogram(tmpl_stage_e stage)
{
    tmpl_histogram_t histogram = { 0 };
    int i;

    if (histograms != NULL) {
        for (i = 0; i < TMPL_HISTOGRAM_BUCKETS; i++) {
            histogram.buckets[i] = apr_atomic_read64(&histograms[stage].buckets[i]);
            histogram.count += histogram.buckets[i];
        }
        histogram.microseconds = apr_atomic_read64(&histograms[stage].microseconds);
    }
    return histogram;
}
