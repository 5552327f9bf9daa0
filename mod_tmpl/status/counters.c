/* SPDX-License-Identifier: Apache-2.0 */
#include <apr_atomic.h>
#include <apr_shm.h>

#include "counters.h"
#include "messages.h"

/* ---- shared memory ---- */

typedef struct {
    apr_shm_t *shm; /* NULL: there is none */
    apr_size_t size;
} piece_t;

void *tmpl_shm(server_rec *s, const char *name, apr_size_t size)
{
    const char *key = apr_pstrcat(s->process->pool, "mod_tmpl-" TMPL_VERSION "-", name, NULL);
    piece_t *piece = ap_retained_data_get(key); /* outlives restarts */
    apr_status_t rv;
    if (piece == NULL) {
        piece = ap_retained_data_create(key, sizeof(*piece));
    }
    if (piece->shm != NULL && piece->size != size) {
        /* children from before the restart still use their own mapping */
        apr_shm_destroy(piece->shm);
        piece->shm = NULL;
    }
    if (piece->shm == NULL) {
        rv = apr_shm_create(&piece->shm, size, NULL, s->process->pool);
        if (rv != APR_SUCCESS) {
            piece->shm = NULL;
            ap_log_error(APLOG_MARK, APLOG_WARNING, rv, s, TMPL_LOG_COUNTERS);
            return NULL;
        }
        piece->size = size;
        memset(apr_shm_baseaddr_get(piece->shm), 0, size);
    }
    return apr_shm_baseaddr_get(piece->shm);
}

/* ---- counts ---- */

/* The buckets of a histogram; behind them stands the sum of its values, in millionths. */
#define BUCKETS 17

/* All values stand side by side: of a group one for each value of its enum, then the histograms. */
enum {
    MODES = TMPL_COUNTER_COUNT,
    DECLINES = MODES + TMPL_MODE_COUNT,
    HISTOGRAMS = DECLINES + TMPL_DECLINE_COUNT,
    SINCE = HISTOGRAMS + TMPL_MEASURES * (BUCKETS + 1), /* when the memory was new */
    ALL
};

static const struct {
    int at;            /* in values, and in counted */
    unsigned first, n; /* values below first are not shown */
} groups[TMPL_GROUPS] = {
    [TMPL_GROUP_COUNTER] = { 0, 0, TMPL_COUNTER_COUNT },
    [TMPL_GROUP_MODE] = { MODES, TMPL_MODE_OFF + 1, TMPL_MODE_COUNT },
    [TMPL_GROUP_DECLINE] = { DECLINES, TMPL_DECLINE_NONE + 1, TMPL_DECLINE_COUNT },
};

/* The names and explanations of all groups. */
static const char *const counted[HISTOGRAMS][2] = {
#define NAMED(id, name, explanation, ...) { name, explanation },
    TMPL_COUNTERS(NAMED) TMPL_MODES(NAMED) TMPL_DECLINES(NAMED)
#undef NAMED
};

/* 100 microseconds to 10 seconds */
static const apr_int64_t times[] = { 100,     250,     500,     1000,    2500,   5000,
                                     10000,   25000,   50000,   100000,  250000, 500000,
                                     1000000, 2500000, 5000000, 10000000 };
#define TIMES times, 16
/* closer near 100 %, where most pages have their confidence */
static const apr_int64_t shares[] = { 100000, 200000, 300000, 400000, 500000, 600000,
                                      700000, 800000, 900000, 950000, 990000, 1000000 };
#define SHARES shares, 12

static const struct {
    const char *name, *text;
    const apr_int64_t *bounds; /* upper bounds of the buckets but the last one, inclusive */
    int n;                     /* bounds */
} measures[TMPL_MEASURES] = {
    [TMPL_STAGE_WAIT] = { "wait", "from the first byte of a held page to its last one", TIMES },
    [TMPL_STAGE_READ] = { "read", "the page is parsed", TIMES },
    [TMPL_STAGE_STORE] = { "count", "its text is looked up in the store", TIMES },
    [TMPL_STAGE_DECIDE] = { "decide", "its blocks are judged, and its edits are made", TIMES },
    [TMPL_STAGE_WRITE] = { "write", "the edits are put into the page", TIMES },
    [TMPL_STAGE_TOTAL] = { "total", "all that is done with a complete page", TIMES },
    [TMPL_SHARE_RATIO] = { "template", "share of a judged page's text that is template", SHARES },
    [TMPL_SHARE_CONFIDENCE] = { "confidence", "how sure the detector is of a judged page", SHARES },
};

static volatile apr_uint64_t *values; /* ALL of them; NULL: no memory */

static void add_to(int at, apr_uint64_t by)
{
    if (values != NULL && by > 0) {
        apr_atomic_add64(&values[at], by);
    }
}

static apr_uint64_t value_at(int at)
{
    return values != NULL ? apr_atomic_read64(&values[at]) : 0;
}

void tmpl_counters_create(server_rec *s)
{
    values = tmpl_shm(s, "counters", ALL * sizeof(*values));
    if (value_at(SINCE) == 0) {
        add_to(SINCE, (apr_uint64_t)apr_time_now());
    }
}

apr_time_t tmpl_counted_since(void)
{
    return (apr_time_t)value_at(SINCE);
}

void tmpl_count(tmpl_counter_e counter, apr_uint64_t by)
{
    add_to((int)counter, by);
}

void tmpl_count_in(tmpl_group_e group, unsigned value)
{
    if (value < groups[group].n) {
        add_to(groups[group].at + (int)value, 1);
    }
}

int tmpl_counted(tmpl_counted_t *is, tmpl_group_e group, int i)
{
    unsigned value = groups[group].first + (unsigned)i;
    int at = groups[group].at + (int)value;
    if (value >= groups[group].n) {
        return 0;
    }
    *is = (tmpl_counted_t){ counted[at][0], counted[at][1], value_at(at) };
    return 1;
}

/* ---- histograms ---- */

static int buckets_of(tmpl_measure_e of)
{
    return HISTOGRAMS + (int)of * (BUCKETS + 1);
}

void tmpl_stage_took(tmpl_measure_e stage, apr_interval_time_t took)
{
    int i = 0;
    while (i < measures[stage].n && took > measures[stage].bounds[i]) {
        i++;
    }
    add_to(buckets_of(stage) + i, 1);
    add_to(buckets_of(stage) + BUCKETS, took > 0 ? (apr_uint64_t)took : 0);
}

void tmpl_share_was(tmpl_measure_e share, double value)
{
    tmpl_stage_took(share, (apr_int64_t)(value * 1000000 + 0.5));
}

json_t *tmpl_histogram(tmpl_measure_e of)
{
    int is_share = of >= TMPL_SHARE_RATIO, n = measures[of].n;
    json_int_t counts[BUCKETS], all = 0, below = 0;
    json_t *buckets = json_array();
    for (int i = 0; i <= n; i++) {
        counts[i] = (json_int_t)value_at(buckets_of(of) + i);
        all += counts[i];
    }
    for (int i = 0; i <= n; i++) {
        below += counts[i];
        json_array_append_new(buckets, json_pack("{s:o, s:I, s:I, s:f}", "up_to",
                                                 tmpl_json_time(i < n ? measures[of].bounds[i] : 0),
                                                 "count", counts[i], "below", below, "below_share",
                                                 all > 0 ? (double)below / (double)all : 0.0));
    }
    return json_pack("{s:s, s:s, s:I, s:f, s:o}", is_share ? "share" : "stage", measures[of].name,
                     "text", measures[of].text, "count", all, is_share ? "sum" : "seconds",
                     (double)value_at(buckets_of(of) + BUCKETS) / 1000000, "buckets", buckets);
}

int tmpl_decline_is_of_page(tmpl_decline_e reason)
{
    return reason != TMPL_DECLINE_SUBREQUEST && reason != TMPL_DECLINE_STATUS &&
           reason != TMPL_DECLINE_RANGE && reason != TMPL_DECLINE_TYPE &&
           reason != TMPL_DECLINE_FRAGMENT;
}
