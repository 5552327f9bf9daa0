/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmplctl warc: a pass that learns and one that judges, over the same records (warc_pass.c); what
 * is not finished is kept for the next run (warc_part.c).
 */
#include "ctl.h"
#include "interrupt.h"
#include "progress.h"
#include "warc_run.h"

/* The next pass begins at the first input, and counts records anew. */
static void begin_pass(ctl_warc_run_t *run)
{
    json_int_t learnt = run->state.learnt, failures = *ctl_warc_count(run, CTL_WARC_STORE_FAILURES);
    apr_off_t out = run->state.out;
    json_int_t micros = run->state.micros;
    run->state = (ctl_warc_state_t){ .pass = 1, .learnt = learnt, .out = out, .micros = micros };
    *ctl_warc_count(run, CTL_WARC_STORE_FAILURES) = failures;
}

static apr_status_t warc_passes(ctl_warc_run_t *run)
{
    const ctl_options_t *options = &run->ctl->options;
    if (options->incremental || options->frozen || ctl_warc_observes(run)) {
        return ctl_warc_pass(run, !options->incremental ? CTL_WARC_JUDGES
                                                        : CTL_WARC_LEARNS | CTL_WARC_JUDGES);
    }
    apr_status_t status = APR_SUCCESS;
    if (run->state.pass == 0) {
        status = ctl_warc_pass(run, CTL_WARC_LEARNS);
        if (status == APR_SUCCESS && !run->learns_only) {
            begin_pass(run);
        }
    }
    return status == APR_SUCCESS && !run->learns_only ? ctl_warc_pass(run, CTL_WARC_JUDGES)
                                                      : status;
}

static apr_status_t count_site(void *baton, const char *site)
{
    (void)site;
    (*(json_int_t *)baton)++;
    return APR_SUCCESS;
}

int ctl_warc(ctl_t *ctl)
{
    ctl_warc_run_t run = { .ctl = ctl, .began = apr_time_now() };
    json_int_t sites = 0;
    if (ctl_warc_options_check(&run) != APR_SUCCESS || ctl_warc_inputs_check(&run) != APR_SUCCESS) {
        return CTL_USAGE;
    }
    apr_pool_create(&run.file_pool, ctl->pool);
    ctl_interrupt_catch();
    if (ctl_warc_part_begin(&run) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    apr_status_t status = warc_passes(&run);
    run.state.micros = run.micros_before + (apr_time_now() - run.began);
    (void)tmpl_store_sites(run.store.store, count_site, &sites, NULL, ctl->pool);
    ctl_store_close(&run.store);
    if (status == APR_INCOMPLETE && ctl_interrupted()) {
        ctl_say("interrupted%s", run.part != NULL ? ": the same command goes on from here" : "");
    }
    if (status == APR_SUCCESS) {
        status = ctl_warc_part_finish(&run);
    }
    if (status != APR_SUCCESS) {
        return CTL_FAILED;
    }
    int code = ctl->options.report != NULL ? ctl_warc_report(&run, sites) : CTL_OK;
    ctl_warc_summary(&run, sites);
    return run.failed                                           ? CTL_FAILED
           : *ctl_warc_count(&run, CTL_WARC_STORE_FAILURES) > 0 ? CTL_STORE_FAILED
                                                                : code;
}
