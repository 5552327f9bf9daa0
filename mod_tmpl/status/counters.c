/* SPDX-License-Identifier: Apache-2.0 */
/* Counters, in memory that all children share; restarts keep it. */
#include <apr_atomic.h>

#include <mod_status.h>

#include "counters.h"
#include "shm.h"

typedef struct {
    volatile apr_uint64_t counters[TMPL_COUNTER_COUNT];
    volatile apr_uint64_t modes[TMPL_MODE_COUNT];
    volatile apr_uint64_t detectors[TMPL_DETECTOR_COUNT]; /* pages judged by each */
    volatile apr_uint64_t declines[TMPL_DECLINE_COUNT];
    apr_time_t since; /* when the memory was new */
} counts_t;

static const struct {
    const char *name;
    const char *explanation;
} counter_rows[] = {
#define TMPL_COUNTER_ROW(id, name, explanation) { name, explanation },
    TMPL_COUNTERS(TMPL_COUNTER_ROW)
#undef TMPL_COUNTER_ROW
};

static counts_t *counts;

void tmpl_counters_create(server_rec *s)
{
    counts = tmpl_shm(s, "counters", sizeof(*counts));
    if (counts != NULL && counts->since == 0) {
        counts->since = apr_time_now();
    }
}

apr_time_t tmpl_counted_since(void)
{
    return counts != NULL ? counts->since : 0;
}

void tmpl_count(tmpl_counter_e counter, apr_uint64_t by)
{
    if (counts != NULL && by > 0) {
        apr_atomic_add64(&counts->counters[counter], by);
    }
}

void tmpl_count_mode(tmpl_mode_e mode)
{
    if (counts != NULL) {
        apr_atomic_inc64(&counts->modes[mode]);
    }
}

void tmpl_count_detector(const tmpl_detector_t *detector)
{
    if (counts != NULL) {
        apr_atomic_inc64(&counts->detectors[detector - tmpl_detector(0)]);
    }
}

void tmpl_count_decline(tmpl_decline_e reason)
{
    if (counts != NULL && (unsigned)reason < TMPL_DECLINE_COUNT) {
        apr_atomic_inc64(&counts->declines[reason]);
    }
}

apr_uint64_t tmpl_counted(tmpl_counter_e counter)
{
    return counts != NULL ? apr_atomic_read64(&counts->counters[counter]) : 0;
}

apr_uint64_t tmpl_counted_mode(tmpl_mode_e mode)
{
    return counts != NULL ? apr_atomic_read64(&counts->modes[mode]) : 0;
}

apr_uint64_t tmpl_counted_detector(tmpl_detector_e detector)
{
    return counts != NULL ? apr_atomic_read64(&counts->detectors[detector]) : 0;
}

apr_uint64_t tmpl_counted_decline(tmpl_decline_e reason)
{
    return counts != NULL ? apr_atomic_read64(&counts->declines[reason]) : 0;
}

const char *tmpl_counter_name(tmpl_counter_e counter)
{
    return counter_rows[counter].name;
}

const char *tmpl_counter_text(tmpl_counter_e counter)
{
    return counter_rows[counter].explanation;
}

/* Prints a counter: "Tmpl-name: 5" for programs, else an item of a list or a row of a table. */
static void print_row(request_rec *r, int flags, const char *group, const char *name,
                      const char *explanation, apr_uint64_t value)
{
    if (flags & AP_STATUS_SHORT) {
        ap_rprintf(r, "Tmpl-%s%s: %" APR_UINT64_T_FMT "\n", group, name, value);
    }
    else if (flags & AP_STATUS_NOTABLE) {
        ap_rprintf(r, "<dt>%s%s: %" APR_UINT64_T_FMT "</dt><dd>%s</dd>\n", group, name, value,
                   explanation);
    }
    else {
        ap_rprintf(r, "<tr><td>%s%s</td><td>%" APR_UINT64_T_FMT "</td><td>%s</td></tr>\n", group,
                   name, value, explanation);
    }
}

int tmpl_counters_report(request_rec *r, int flags)
{
    int table = !(flags & (AP_STATUS_SHORT | AP_STATUS_NOTABLE));
    int i;

    if (counts == NULL) {
        return DECLINED;
    }
    if (!(flags & AP_STATUS_SHORT)) {
        ap_rputs("<hr />\n<h2>mod_tmpl</h2>\n", r);
        ap_rputs(table ? "<table border=\"0\">\n<tr><th>Counter</th><th>Count</th><th></th></tr>\n"
                       : "<dl>\n",
                 r);
    }
    for (i = 0; i < TMPL_COUNTER_COUNT; i++) {
        print_row(r, flags, "", counter_rows[i].name, counter_rows[i].explanation,
                  tmpl_counted((tmpl_counter_e)i));
    }
    for (i = 0; i < TMPL_DETECTOR_COUNT; i++) {
        const tmpl_detector_t *detector = tmpl_detector((tmpl_detector_e)i);

        print_row(r, flags, "detector-", detector->name, detector->explanation,
                  tmpl_counted_detector((tmpl_detector_e)i));
    }
    for (i = TMPL_DECLINE_NONE + 1; i < TMPL_DECLINE_COUNT; i++) {
        print_row(r, flags, "declined-", tmpl_decline_name((tmpl_decline_e)i),
                  tmpl_decline_text((tmpl_decline_e)i), tmpl_counted_decline((tmpl_decline_e)i));
    }
    if (!(flags & AP_STATUS_SHORT)) {
        ap_rputs(table ? "</table>\n" : "</dl>\n", r);
    }
    return OK;
}
