/* SPDX-License-Identifier: Apache-2.0 */
/* Counters, in memory that all children share; restarts keep it. */
#include <apr_atomic.h>
#include <apr_shm.h>

#include <mod_status.h>

#include "status.h"
#include "messages.h"

typedef struct {
    volatile apr_uint64_t counters[TMPL_COUNTER_COUNT];
    volatile apr_uint64_t detectors[TMPL_DETECTOR_COUNT]; /* pages judged by each */
    volatile apr_uint64_t declines[TMPL_DECLINE_COUNT];
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

void tmpl_status_create(server_rec *s)
{
    /* the numbers of rows are part of the name: a module with other rows creates its own */
    static const char key_format[] = "mod_tmpl-counts-%d-%d-%d";
    apr_pool_t *pool = s->process->pool;
    const char *key =
        apr_psprintf(pool, key_format, TMPL_COUNTER_COUNT, TMPL_DETECTOR_COUNT, TMPL_DECLINE_COUNT);
    apr_shm_t *shm;
    void *kept = NULL;
    apr_status_t rv;

    apr_pool_userdata_get(&kept, key, pool);
    if (kept == NULL) {
        rv = apr_shm_create(&shm, sizeof(*counts), NULL, pool);
        if (rv != APR_SUCCESS) {
            ap_log_error(APLOG_MARK, APLOG_WARNING, rv, s, TMPL_LOG_COUNTERS);
            return;
        }
        kept = apr_shm_baseaddr_get(shm);
        memset(kept, 0, sizeof(*counts));
        apr_pool_userdata_set(kept, key, apr_pool_cleanup_null, pool);
    }
    counts = kept;
}

void tmpl_count(tmpl_counter_e counter, apr_uint64_t by)
{
    if (counts != NULL && by > 0) {
        apr_atomic_add64(&counts->counters[counter], by);
    }
}

void tmpl_count_detector(const tmpl_detector_t *detector)
{
    if (counts != NULL) {
        apr_atomic_add64(&counts->detectors[detector - tmpl_detector(0)], 1);
    }
}

void tmpl_count_decline(tmpl_decline_e reason)
{
    if (counts != NULL && (unsigned)reason < TMPL_DECLINE_COUNT) {
        apr_atomic_add64(&counts->declines[reason], 1);
    }
}

/* One row: "Tmpl-name: 5" for programs, else one of a table. */
static void print_row(request_rec *r, int flags, const char *group, const char *name,
                      const char *explanation, volatile apr_uint64_t *count)
{
    apr_uint64_t value = apr_atomic_read64(count);

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

int tmpl_status_report(request_rec *r, int flags)
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
                  &counts->counters[i]);
    }
    for (i = 0; i < TMPL_DETECTOR_COUNT; i++) {
        const tmpl_detector_t *detector = tmpl_detector((tmpl_detector_e)i);

        print_row(r, flags, "detector-", detector->name, detector->explanation,
                  &counts->detectors[i]);
    }
    for (i = TMPL_DECLINE_NONE + 1; i < TMPL_DECLINE_COUNT; i++) {
        print_row(r, flags, "declined-", tmpl_decline_name((tmpl_decline_e)i),
                  tmpl_decline_text((tmpl_decline_e)i), &counts->declines[i]);
    }
    if (!(flags & AP_STATUS_SHORT)) {
        ap_rputs(table ? "</table>\n" : "</dl>\n", r);
    }
    return OK;
}
