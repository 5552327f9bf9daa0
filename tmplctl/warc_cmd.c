/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmplctl warc: a pass that learns and one that judges, over the same records (warc_pass.c); what
 * is not finished is kept for the next run (warc_part.c).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include <xxhash.h>

#include "ctl.h"
#include "file_io.h"
#include "interrupt.h"
#include "json.h"
#include "progress.h"
#include "warc.h"

/* --- options that go together, and the inputs --- */

static int has_suffix(const char *text, const char *end)
{
    apr_size_t len = strlen(text), n = strlen(end);
    return len >= n && strcmp(text + len - n, end) == 0;
}

/* Modes that are about a page rather than a form of it. */
static int is_no_form(const ctl_mode_t *mode)
{
    static const char *const names[] = { "highlight", "blocks", "fingerprint" };
    apr_size_t i = 0;
    while (i < 3 && strcmp(names[i], mode->name) != 0) {
        i++;
    }
    return i < 3;
}

/* Says what is wrong with options that do not go together; NULL: nothing. */
static const char *wrong_options(const ctl_warc_run_t *run)
{
    const ctl_options_t *options = &run->ctl->options;
    const ctl_mode_t *mode = run->form.mode;
    int has_own_store = options->out != NULL && options->store == NULL && !ctl_warc_observes(run);
    int is_html =
        mode != NULL && (strcmp(mode->name, "strip") == 0 || strcmp(mode->name, "annotate") == 0);
    return run->learns_only && options->store == NULL ? "--mode learn needs --store"
           : run->learns_only && (options->out != NULL || options->frozen || options->incremental)
               ? "--mode learn goes with neither --out nor --frozen nor --incremental"
           : options->frozen && options->store == NULL ? "--frozen needs --store"
           : options->frozen && options->incremental   ? "--frozen excludes --incremental"
           : run->form.responses && !is_html           ? "--responses needs mode strip or annotate"
           : ctl_warc_observes(run) &&
                   (options->incremental || options->frozen || options->index != NULL)
               ? "--mode keys goes with neither --incremental nor --frozen nor --index"
           : run->form.responses && run->form.json_lines ? "--responses excludes lines of JSON"
           : options->index != NULL &&
                   (run->learns_only || run->form.json_lines || options->out == NULL)
               ? "--index is of a file of records: name one by --out"
           : has_own_store && strchr(options->out, '?') != NULL
               ? "--out with a \"?\" needs --store: the run's own would be beside it, and ends at "
                 "\"?\""
               : NULL;
}

/* Fills the form, and checks the options. */
static apr_status_t check_options(ctl_warc_run_t *run)
{
    tmpl_error_t err;
    ctl_options_t *options = &run->ctl->options;
    const char *out = options->out != NULL ? options->out : "";
    run->learns_only = strcmp(options->mode, "learn") == 0;
    run->form.responses = options->responses;
    run->form.gzip = has_suffix(out, ".gz");
    run->form.json_lines =
        options->json_lines || has_suffix(out, ".jsonl") || has_suffix(out, ".jsonl.gz");
    if (!run->learns_only && ctl_mode_parse(&run->form.mode, options->mode, &err) != APR_SUCCESS) {
        ctl_say("warc: --mode: %s", err.text);
        return err.status;
    }
    if (run->form.mode != NULL && is_no_form(run->form.mode)) {
        ctl_say("warc: --mode: %s is for clean", options->mode);
        return APR_EINVAL;
    }
    const char *wrong = wrong_options(run);
    if (wrong != NULL) {
        ctl_say("warc: %s", wrong);
    }
    return wrong != NULL ? APR_EINVAL : APR_SUCCESS;
}

/* Whether a run reads its inputs once only. */
static int reads_once(const ctl_warc_run_t *run)
{
    const ctl_options_t *options = &run->ctl->options;
    return options->incremental || options->frozen || run->learns_only || ctl_warc_observes(run);
}

/* Measures the inputs, and describes the run. */
static apr_status_t measure_inputs(ctl_warc_run_t *run)
{
    ctl_t *ctl = run->ctl;
    int n = ctl->args->nelts;
    run->sizes = apr_pcalloc(ctl->pool, ((apr_size_t)n + 1) * sizeof(*run->sizes));
    tmpl_buf_t what;
    tmpl_buf_init(&what, ctl->pool);
    tmpl_buf_add_text(
        &what, apr_psprintf(ctl->pool, TMPL_VERSION " %016" APR_UINT64_T_HEX_FMT, ctl->given));
    for (int i = 0; i < n; i++) {
        apr_finfo_t info = { .size = 0 };
        const char *path = ctl_warc_input(run, i);
        apr_status_t status =
            path == CTL_STDIN ? APR_SUCCESS
                              : apr_stat(&info, path, APR_FINFO_SIZE | APR_FINFO_TYPE, ctl->pool);
        if (status == APR_SUCCESS && info.filetype == APR_DIR) {
            status = APR_FROM_OS_ERROR(EISDIR);
        }
        if (status != APR_SUCCESS && status != APR_INCOMPLETE) {
            ctl_say("warc: %s: %s", path, ctl_error_text(status, ctl->pool));
            return status;
        }
        if (info.filetype != APR_REG && !reads_once(run)) {
            ctl_say("warc: %s can be read once only: name --incremental or --frozen",
                    path == CTL_STDIN ? "standard input" : path);
            return APR_EINVAL;
        }
        run->sizes[i] = info.size;
        run->size += info.size;
        tmpl_buf_add_text(&what,
                          apr_psprintf(ctl->pool, "\n%" APR_OFF_T_FMT " %s", info.size, path));
    }
    run->state.run = XXH3_64bits(what.at, what.len);
    return APR_SUCCESS;
}

/* --- what is said of a run --- */

static const char *const count_names[] = {
#define COUNT_NAME(id, name) name,
    CTL_WARC_COUNTS(COUNT_NAME)
#undef COUNT_NAME
};

/* The object of --report, which the caller completes. */
static json_t *state_report(const ctl_warc_state_t *state)
{
    json_t *report = json_object(), *declined = json_object();
    for (int i = 0; i < CTL_WARC_COUNT_COUNT; i++) {
        json_object_set_new(report, count_names[i], json_integer(state->counts[i]));
    }
    for (int i = 0; i < TMPL_DECLINE_COUNT; i++) {
        if (state->declined[i] > 0 && i != TMPL_DECLINE_NONE) {
            json_object_set_new(declined, tmpl_decline_name((tmpl_decline_e)i),
                                json_integer(state->declined[i]));
        }
    }
    json_object_set_new(report, "declined", declined);
    json_object_set_new(report, "learnt", json_integer(state->learnt));
    return report;
}

void ctl_warc_progress(ctl_warc_run_t *run)
{
    char text[100];
    tmpl_store_usage_t usage = { 0 };
    double seconds = (double)(apr_time_now() - run->began) / APR_USEC_PER_SEC;
    apr_off_t read = run->before + (run->warc != NULL ? tmpl_warc_consumed(run->warc) : 0);
    json_int_t pages = !run->judges ? run->state.learnt : *ctl_warc_count(run, CTL_WARC_PAGES);
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

/* Writes --report; an exit code. sites: those of the tables. */
static int write_counts(ctl_warc_run_t *run, json_int_t sites)
{
    ctl_t *ctl = run->ctl;
    tmpl_error_t err;
    double seconds = (double)run->state.micros / APR_USEC_PER_SEC;
    json_int_t pages = run->learns_only ? run->state.learnt : *ctl_warc_count(run, CTL_WARC_PAGES);
    json_t *json = state_report(&run->state);
    json_object_update_new(json, json_pack("{s:I, s:f, s:f}", "sites", sites, "seconds", seconds,
                                           "pages_per_second",
                                           seconds > 0 ? (double)pages / seconds : 0.0));
    if (strcmp(ctl->options.report, "-") == 0) {
        return ctl_json_print(json);
    }
    char *text = json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    json_decref(json);
    apr_status_t status = ctl_file_write(ctl->options.report, text, strlen(text), &err, ctl->pool);
    free(text);
    if (status != APR_SUCCESS) {
        ctl_say("warc: --report %s: cannot write: %s", ctl->options.report, err.text);
    }
    return status == APR_SUCCESS ? CTL_OK : CTL_FAILED;
}

/* Prints one line, if standard output has nothing else. */
static void print_counts(const ctl_warc_run_t *run, json_int_t sites)
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

/* --- the passes --- */

/* The next pass begins at the first input, and counts records anew. */
static void begin_pass(ctl_warc_run_t *run)
{
    const ctl_warc_state_t first = run->state;
    run->state = (ctl_warc_state_t){ .run = first.run,
                                     .pass = 1,
                                     .learnt = first.learnt,
                                     .out = first.out,
                                     .micros = first.micros };
    run->state.counts[CTL_WARC_STORE_FAILURES] = first.counts[CTL_WARC_STORE_FAILURES];
}

static apr_status_t warc_passes(ctl_warc_run_t *run)
{
    const ctl_options_t *options = &run->ctl->options;
    if (options->incremental || options->frozen || ctl_warc_observes(run)) {
        return ctl_warc_pass(run, options->incremental, 1);
    }
    apr_status_t status = APR_SUCCESS;
    if (run->state.pass == 0) {
        status = ctl_warc_pass(run, 1, 0);
        if (status == APR_SUCCESS && !run->learns_only) {
            begin_pass(run);
        }
    }
    return status == APR_SUCCESS && !run->learns_only ? ctl_warc_pass(run, 0, 1) : status;
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
    if (check_options(&run) != APR_SUCCESS || measure_inputs(&run) != APR_SUCCESS) {
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
    int code = ctl->options.report != NULL ? write_counts(&run, sites) : CTL_OK;
    print_counts(&run, sites);
    return run.failed                                           ? CTL_FAILED
           : *ctl_warc_count(&run, CTL_WARC_STORE_FAILURES) > 0 ? CTL_STORE_FAILED
                                                                : code;
}
