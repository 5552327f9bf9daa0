/* SPDX-License-Identifier: Apache-2.0 */
/* What tmplctl warc says of a run: its progress, --report, and a line at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "file_io.h"
#include "json.h"
#include "progress.h"
#include "warc_run.h"

void ctl_warc_progress(ctl_warc_run_t *run)
{
    char text[100];
    tmpl_store_usage_t usage = { 0 };
    double seconds = (double)(apr_time_now() - run->began) / APR_USEC_PER_SEC;
    apr_off_t read = run->before + (run->warc != NULL ? tmpl_warc_consumed(run->warc) : 0);
    json_int_t pages =
        run->passes == CTL_WARC_LEARNS ? run->state.learnt : *ctl_warc_count(run, CTL_WARC_PAGES);
    (void)tmpl_store_usage(run->store.store, &usage, NULL);
    double share = run->size > 0 ? (double)read / (double)run->size : 0;
    int n = apr_snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT " pages, %.0f/s", pages,
                         seconds > 0 ? (double)pages / seconds : 0);
    if (usage.sites > 0) {
        n += apr_snprintf(text + n, sizeof(text) - (size_t)n, ", %" APR_UINT64_T_FMT " sites",
                          usage.sites);
    }
    if (share > 0.01) {
        apr_snprintf(text + n, sizeof(text) - (size_t)n, ", %.0f s left",
                     seconds * (1 - share) / share);
    }
    ctl_progress_note(text, run->ctl->options.progress);
    ctl_progress_step((int)(1000 * share));
}

int ctl_warc_report(ctl_warc_run_t *run, json_int_t sites)
{
    ctl_t *ctl = run->ctl;
    const char *dir, *name;
    tmpl_error_t err;
    double seconds = (double)run->state.micros / APR_USEC_PER_SEC;
    json_int_t pages = run->learns_only ? run->state.learnt : *ctl_warc_count(run, CTL_WARC_PAGES);
    json_t *json = ctl_warc_state_report(&run->state);
    json_object_update_new(json, json_pack("{s:I, s:f, s:f}", "sites", sites, "seconds", seconds,
                                           "pages_per_second",
                                           seconds > 0 ? (double)pages / seconds : 0.0));
    if (strcmp(ctl->options.report, "-") == 0) {
        return ctl_json_print(json);
    }
    char *text = json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    json_decref(json);
    ctl_file_split(&dir, &name, ctl->options.report, ctl->pool);
    apr_status_t status = ctl_file_write(dir, name, text, strlen(text), &err, ctl->pool);
    free(text);
    if (status != APR_SUCCESS) {
        ctl_say("warc: --report %s: cannot write: %s", ctl->options.report, err.text);
    }
    return status == APR_SUCCESS ? CTL_OK : CTL_FAILED;
}

void ctl_warc_summary(const ctl_warc_run_t *run, json_int_t sites)
{
    const json_int_t *counts = run->state.counts;
    const char *report = run->ctl->options.report;
    double seconds = (double)run->state.micros / APR_USEC_PER_SEC;
    json_int_t pages = run->learns_only ? run->state.learnt : counts[CTL_WARC_PAGES];
    if ((run->ctl->options.out == NULL && !run->learns_only) ||
        (report != NULL && strcmp(report, "-") == 0)) {
        return;
    }
    printf(
        "%" JSON_INTEGER_FORMAT " records: %" JSON_INTEGER_FORMAT " pages of %" JSON_INTEGER_FORMAT
        " sites, %" JSON_INTEGER_FORMAT " edited; %" JSON_INTEGER_FORMAT
        " damaged; %" JSON_INTEGER_FORMAT " bytes in, %" JSON_INTEGER_FORMAT " out; %.2f s\n",
        counts[CTL_WARC_RECORDS], pages, sites, counts[CTL_WARC_EDITED], counts[CTL_WARC_DAMAGED],
        counts[CTL_WARC_BYTES_IN], counts[CTL_WARC_BYTES_OUT], seconds);
}
