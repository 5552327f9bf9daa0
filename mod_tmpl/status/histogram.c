/* SPDX-License-Identifier: Apache-2.0 */
#include <apr_atomic.h>

#include "histogram.h"
#include "shm.h"

typedef struct {
    volatile apr_uint64_t buckets[TMPL_HISTOGRAM_BUCKETS];
    volatile apr_uint64_t sum;
} counts_t;

/* 100 microseconds to 10 seconds */
static const apr_int64_t times[] = { 100,     250,     500,     1000,    2500,   5000,
                                     10000,   25000,   50000,   100000,  250000, 500000,
                                     1000000, 2500000, 5000000, 10000000 };
/* closer near 100 %, where most pages have their confidence */
static const apr_int64_t shares[] = { 100000, 200000, 300000, 400000, 500000, 600000,
                                      700000, 800000, 900000, 950000, 990000, 1000000 };

/* Empty histograms: one bucket more than bounds. */
#define STAGE(id, name, explanation) { name, explanation, 0, times, 17, { 0 }, 0, 0 },
#define SHARE(id, name, explanation) { name, explanation, 1, shares, 13, { 0 }, 0, 0 },
static const tmpl_histogram_t empty[] = { TMPL_STAGES(STAGE) TMPL_SHARES(SHARE) };
#undef STAGE
#undef SHARE

static counts_t *histograms; /* TMPL_MEASURES of them; NULL: no memory */

void tmpl_histograms_create(server_rec *s)
{
    histograms = tmpl_shm(s, "histograms", TMPL_MEASURES * sizeof(*histograms));
}

void tmpl_stage_took(tmpl_measure_e stage, apr_interval_time_t took)
{
    int i = 0;

    if (histograms == NULL) {
        return;
    }
    while (i < empty[stage].n - 1 && took > empty[stage].bounds[i]) {
        i++;
    }
    apr_atomic_inc64(&histograms[stage].buckets[i]);
    apr_atomic_add64(&histograms[stage].sum, took > 0 ? (apr_uint64_t)took : 0);
}

void tmpl_share_was(tmpl_measure_e share, double value)
{
    tmpl_stage_took(share, (apr_int64_t)(value * 1000000 + 0.5));
}

tmpl_histogram_t tmpl_histogram(tmpl_measure_e of)
{
    tmpl_histogram_t histogram = empty[of];
    int i;

    if (histograms != NULL) {
        for (i = 0; i < histogram.n; i++) {
            histogram.buckets[i] = apr_atomic_read64(&histograms[of].buckets[i]);
            histogram.count += histogram.buckets[i];
        }
        histogram.sum = apr_atomic_read64(&histograms[of].sum);
    }
    return histogram;
}
