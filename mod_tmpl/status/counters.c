/* SPDX-License-Identifier: Apache-2.0 */
#include <apr_atomic.h>

#include <mod_status.h>

#include "counters.h"
#include "shm.h"

/* The counts of a group stand side by side, one for each value of its enum. */
enum {
    MODES = TMPL_COUNTER_COUNT,
    DETECTORS = MODES + TMPL_MODE_COUNT,
    DECLINES = DETECTORS + TMPL_DETECTOR_COUNT,
    ALL = DECLINES + TMPL_DECLINE_COUNT
};

typedef struct {
    volatile apr_uint64_t counts[ALL];
    apr_time_t since; /* when the memory was new */
} shared_t;

static const struct {
    int at;             /* in shared_t.counts */
    unsigned first, n;  /* values below first are not shown */
    const char *prefix; /* of the names for mod_status, which does not show a group without it */
} groups[TMPL_GROUPS] = {
    [TMPL_GROUP_COUNTER] = { 0, 0, TMPL_COUNTER_COUNT, "" },
    [TMPL_GROUP_MODE] = { MODES, TMPL_MODE_OFF + 1, TMPL_MODE_COUNT, NULL },
    [TMPL_GROUP_DETECTOR] = { DETECTORS, 0, TMPL_DETECTOR_COUNT, "detector-" },
    [TMPL_GROUP_DECLINE] = { DECLINES, TMPL_DECLINE_NONE + 1, TMPL_DECLINE_COUNT, "declined-" },
};

static const char *const counters[][2] = {
#define COUNTER(id, name, explanation) { name, explanation },
    TMPL_COUNTERS(COUNTER)
#undef COUNTER
};

static shared_t *shared; /* NULL: no memory */

void tmpl_counters_create(server_rec *s)
{
    shared = tmpl_shm(s, "counters", sizeof(*shared));
    if (shared != NULL && shared->since == 0) {
        shared->since = apr_time_now();
    }
}

apr_time_t tmpl_counted_since(void)
{
    return shared != NULL ? shared->since : 0;
}

void tmpl_count(tmpl_counter_e counter, apr_uint64_t by)
{
    if (shared != NULL && by > 0) {
        apr_atomic_add64(&shared->counts[counter], by);
    }
}

void tmpl_count_in(tmpl_group_e group, unsigned value)
{
    if (shared != NULL && value < groups[group].n) {
        apr_atomic_inc64(&shared->counts[groups[group].at + (int)value]);
    }
}

int tmpl_counted(tmpl_counted_t *is, tmpl_group_e group, int i)
{
    unsigned value = groups[group].first + (unsigned)i;

    if (value >= groups[group].n) {
        return 0;
    }
    if (group == TMPL_GROUP_COUNTER) {
        *is = (tmpl_counted_t){ counters[value][0], counters[value][1], 0 };
    }
    else if (group == TMPL_GROUP_MODE) {
        *is = (tmpl_counted_t){ tmpl_mode_name((tmpl_mode_e)value), "", 0 };
    }
    else if (group == TMPL_GROUP_DETECTOR) {
        const tmpl_detector_t *detector = tmpl_detector((tmpl_detector_e)value);

        *is = (tmpl_counted_t){ detector->name, detector->explanation, 0 };
    }
    else {
        *is = (tmpl_counted_t){ tmpl_decline_name((tmpl_decline_e)value),
                                tmpl_decline_text((tmpl_decline_e)value), 0 };
    }
    if (shared != NULL) {
        is->count = apr_atomic_read64(&shared->counts[groups[group].at + (int)value]);
    }
    return 1;
}

/* Prints a count: "Tmpl-name: 5" for programs, else an item of a list or a row of a table. */
static void print(request_rec *r, int flags, const char *prefix, const tmpl_counted_t *is)
{
    if (flags & AP_STATUS_SHORT) {
        ap_rprintf(r, "Tmpl-%s%s: %" APR_UINT64_T_FMT "\n", prefix, is->name, is->count);
    }
    else if (flags & AP_STATUS_NOTABLE) {
        ap_rprintf(r, "<dt>%s%s: %" APR_UINT64_T_FMT "</dt><dd>%s</dd>\n", prefix, is->name,
                   is->count, is->text);
    }
    else {
        ap_rprintf(r, "<tr><td>%s%s</td><td>%" APR_UINT64_T_FMT "</td><td>%s</td></tr>\n", prefix,
                   is->name, is->count, is->text);
    }
}

int tmpl_counters_report(request_rec *r, int flags)
{
    int table = !(flags & (AP_STATUS_SHORT | AP_STATUS_NOTABLE));
    tmpl_counted_t is;
    int group, i;

    if (shared == NULL) {
        return DECLINED;
    }
    if (!(flags & AP_STATUS_SHORT)) {
        ap_rputs("<hr />\n<h2>mod_tmpl</h2>\n", r);
        ap_rputs(table ? "<table border=\"0\">\n<tr><th>Counter</th><th>Count</th><th></th></tr>\n"
                       : "<dl>\n",
                 r);
    }
    for (group = 0; group < TMPL_GROUPS; group++) {
        for (i = 0; groups[group].prefix != NULL && tmpl_counted(&is, group, i); i++) {
            print(r, flags, groups[group].prefix, &is);
        }
    }
    if (!(flags & AP_STATUS_SHORT)) {
        ap_rputs(table ? "</table>\n" : "</dl>\n", r);
    }
    return OK;
}
