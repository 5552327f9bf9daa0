/* SPDX-License-Identifier: Apache-2.0 */
#include <apr_atomic.h>

#include "histogram.h"
#include "shm.h"

#define BUCKETS 17

typedef struct {
    volatile apr_uint64_t buckets[BUCKETS];
    volatile apr_uint64_t sum; /* of the values, in millionths: of a second, or of the whole */
} counts_t;

/* 100 microseconds to 10 seconds */
static const apr_int64_t times[] = { 100,     250,     500,     1000,    2500,   5000,
                                     10000,   25000,   50000,   100000,  250000, 500000,
                                     1000000, 2500000, 5000000, 10000000 };
/* closer near 100 %, where most pages have their confidence */
static const apr_int64_t shares[] = { 100000, 200000, 300000, 400000, 500000, 600000,
                                      700000, 800000, 900000, 950000, 990000, 1000000 };

static const struct {
    const char *name, *text;
    const apr_int64_t *bounds; /* upper bounds of the buckets but the last one, inclusive */
    int n;                     /* buckets */
} rows[TMPL_MEASURES] = {
    [TMPL_STAGE_WAIT] = { "wait", "from the first byte of a held page to its last one", times, 17 },
    [TMPL_STAGE_READ] = { "read", "the page is parsed", times, 17 },
    [TMPL_STAGE_STORE] = { "count", "its text is looked up in the store", times, 17 },
    [TMPL_STAGE_DECIDE] = { "decide", "its blocks are judged, and its edits are made", times, 17 },
    [TMPL_STAGE_WRITE] = { "write", "the edits are put into the page", times, 17 },
    [TMPL_STAGE_TOTAL] = { "total", "all that is done with a complete page", times, 17 },
    [TMPL_SHARE_RATIO] = { "template", "share of a judged page's text that is template", shares,
                           13 },
    [TMPL_SHARE_CONFIDENCE] = { "confidence", "how sure the detector is of a judged page", shares,
                                13 },
};

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
    while (i < rows[stage].n - 1 && took > rows[stage].bounds[i]) {
        i++;
    }
    apr_atomic_inc64(&histograms[stage].buckets[i]);
    apr_atomic_add64(&histograms[stage].sum, took > 0 ? (apr_uint64_t)took : 0);
}

void tmpl_share_was(tmpl_measure_e share, double value)
{
    tmpl_stage_took(share, (apr_int64_t)(value * 1000000 + 0.5));
}

json_t *tmpl_histogram(tmpl_measure_e of)
{
    json_t *buckets = json_array();
    json_int_t count = 0;
    double sum = histograms != NULL ? (double)apr_atomic_read64(&histograms[of].sum) / 1000000 : 0;
    int i;

    for (i = 0; i < rows[of].n; i++) {
        json_int_t n =
            histograms != NULL ? (json_int_t)apr_atomic_read64(&histograms[of].buckets[i]) : 0;

        count += n;
        json_array_append_new(buckets,
                              json_pack("{s:o, s:I}", "up_to",
                                        tmpl_json_time(i < rows[of].n - 1 ? rows[of].bounds[i] : 0),
                                        "count", n));
    }
    return json_pack("{s:s, s:s, s:I, s:f, s:o}", of >= TMPL_SHARE_RATIO ? "share" : "stage",
                     rows[of].name, "text", rows[of].text, "count", count,
                     of >= TMPL_SHARE_RATIO ? "sum" : "seconds", sum, "buckets", buckets);
}
