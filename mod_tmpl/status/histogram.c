/* SPDX-License-Identifier: Apache-2.0 */
#include <apr_atomic.h>

#include "histogram.h"
#include "shm.h"

typedef struct {
    volatile apr_uint64_t buckets[TMPL_HISTOGRAM_BUCKETS];
    volatile apr_uint64_t sum;
} counts_t;

/* The bounds of all histograms of one kind. */
typedef struct {
    int n; /* buckets: one more than bounds */
    apr_int64_t bounds[TMPL_HISTOGRAM_BUCKETS - 1];
} scale_t;

/* 100 microseconds to 10 seconds */
static const scale_t of_times = { 17,
                                  { 100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000,
                                    250000, 500000, 1000000, 2500000, 5000000, 10000000 } };
/* closer near 100 %, where most pages have their confidence */
static const scale_t of_shares = { 13,
                                   { 100000, 200000, 300000, 400000, 500000, 600000, 700000, 800000,
                                     900000, 950000, 990000, 1000000 } };

typedef struct {
    const char *name;
    const char *explanation;
} row_t;

#define ROW(id, name, explanation) { name, explanation },
static const row_t stages[] = { TMPL_STAGES(ROW) };
static const row_t shares[] = { TMPL_SHARES(ROW) };
#undef ROW

static counts_t *histograms; /* one for each stage, then for each share; NULL: no memory */

const char *tmpl_stage_name(tmpl_stage_e stage)
{
    return stages[stage].name;
}

const char *tmpl_stage_text(tmpl_stage_e stage)
{
    return stages[stage].explanation;
}

const char *tmpl_share_name(tmpl_share_e share)
{
    return shares[share].name;
}

const char *tmpl_share_text(tmpl_share_e share)
{
    return shares[share].explanation;
}

void tmpl_histograms_create(server_rec *s)
{
    histograms =
        tmpl_shm(s, "histograms", (TMPL_STAGE_COUNT + TMPL_SHARE_COUNT) * sizeof(*histograms));
}

static void histogram_add(int which, const scale_t *scale, apr_int64_t value)
{
    int i = 0;

    if (histograms == NULL) {
        return;
    }
    while (i < scale->n - 1 && value > scale->bounds[i]) {
        i++;
    }
    apr_atomic_inc64(&histograms[which].buckets[i]);
    apr_atomic_add64(&histograms[which].sum, value > 0 ? (apr_uint64_t)value : 0);
}

void tmpl_stage_took(tmpl_stage_e stage, apr_interval_time_t took)
{
    histogram_add((int)stage, &of_times, took);
}

void tmpl_share_was(tmpl_share_e share, double value)
{
    histogram_add(TMPL_STAGE_COUNT + (int)share, &of_shares, (apr_int64_t)(value * 1000000 + 0.5));
}

static tmpl_histogram_t histogram_get(int which, const scale_t *scale)
{
    tmpl_histogram_t histogram = { .bounds = scale->bounds, .n = scale->n };
    int i;

    if (histograms != NULL) {
        for (i = 0; i < scale->n; i++) {
            histogram.buckets[i] = apr_atomic_read64(&histograms[which].buckets[i]);
            histogram.count += histogram.buckets[i];
        }
        histogram.sum = apr_atomic_read64(&histograms[which].sum);
    }
    return histogram;
}

tmpl_histogram_t tmpl_stage_histogram(tmpl_stage_e stage)
{
    return histogram_get((int)stage, &of_times);
}

tmpl_histogram_t tmpl_share_histogram(tmpl_share_e share)
{
    return histogram_get(TMPL_STAGE_COUNT + (int)share, &of_shares);
}
