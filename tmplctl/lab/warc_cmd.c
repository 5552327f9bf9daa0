/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmplctl warc: a pass that learns and one that judges, over the same records (warc_pass.c); what
 * is not finished is kept for the next run (warc_part.c).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <apr_fnmatch.h>
#include <apr_strings.h>

#include <xxhash.h>

#include "ctl.h"
#include "files.h"
#include "render.h"
#include "warc.h"

/* --- options that go together, and the inputs --- */

/* Says what is wrong with options that do not go together; NULL: nothing. */
static const char *wrong_options(const ctl_warc_run_t *run)
{
    const ctl_options_t *options = &run->run.ctl->options;
    const ctl_mode_t *mode = run->run.mode;
    int learns_only = mode == NULL, observes = ctl_run_observes(&run->run);
    int writes_html =
        mode != NULL && (mode->mode == TMPL_MODE_STRIP || mode->mode == TMPL_MODE_ANNOTATE);
    int has_own_store = options->out != NULL && options->store == NULL && !observes;
    const struct {
        int is;
        const char *why;
    } wrong[] = {
        { learns_only && options->store == NULL, "--mode learn needs --store" },
        { learns_only && (options->out != NULL || options->frozen || options->incremental),
          "--mode learn goes with neither --out nor --frozen nor --incremental" },
        { options->frozen && options->store == NULL, "--frozen needs --store" },
        { options->frozen && options->incremental, "--frozen excludes --incremental" },
        { run->responses && !writes_html, "--responses needs mode strip or annotate" },
        { run->responses && run->json_lines, "--responses excludes lines of JSON" },
        { observes && (options->incremental || options->frozen),
          "--mode keys goes with neither --incremental nor --frozen" },
        { has_own_store && strchr(options->out, '?') != NULL,
          "--out with a \"?\" needs --store: the run's own would be beside it, and ends at \"?\"" },
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (wrong[i].is) {
            return wrong[i].why;
        }
    }
    return NULL;
}

static int is_named(const char *name, const char *pattern)
{
    return name != NULL && apr_fnmatch(pattern, name, 0) == APR_SUCCESS;
}

/* Fills what is written of a page, and checks the options. */
static apr_status_t check_options(ctl_warc_run_t *run)
{
    tmpl_error_t err;
    const ctl_options_t *options = &run->run.ctl->options;
    const char *out = options->out;
    run->responses = options->responses;
    run->gzip = is_named(out, "*.gz");
    run->json_lines =
        options->json_lines || is_named(out, "*.jsonl") || is_named(out, "*.jsonl.gz");
    if (strcmp(options->mode, "learn") != 0) {
        if (ctl_mode_parse(&run->run.mode, options->mode, &err) != APR_SUCCESS) {
            ctl_say("warc: --mode: %s", err.text);
            return err.status;
        }
        if (run->run.mode->type == NULL) {
            ctl_say("warc: --mode: %s is for clean", options->mode);
            return APR_EINVAL;
        }
    }
    const char *wrong = wrong_options(run);
    if (wrong != NULL) {
        ctl_say("warc: %s", wrong);
    }
    return wrong != NULL ? APR_EINVAL : APR_SUCCESS;
}

/* Whether a run learns in one pass, and judges in another. */
static int reads_twice(const ctl_run_t *run)
{
    const ctl_options_t *options = &run->ctl->options;
    return run->mode != NULL && !options->incremental && !options->frozen && !ctl_run_observes(run);
}

/* Measures an input. On failure prints the reason. */
static apr_status_t measure_input(apr_off_t *size, const ctl_warc_run_t *run, const char *path)
{
    apr_finfo_t info = { .size = 0 };
    apr_pool_t *pool = run->run.ctl->pool;
    apr_status_t status = APR_SUCCESS;
    if (path != CTL_STDIN) {
        status = apr_stat(&info, path, APR_FINFO_SIZE | APR_FINFO_TYPE, pool);
    }
    if (status == APR_SUCCESS && info.filetype == APR_DIR) {
        status = APR_FROM_OS_ERROR(EISDIR);
    }
    if (status != APR_SUCCESS && status != APR_INCOMPLETE) {
        ctl_say("warc: %s: %s", path, ctl_error_text(status, pool));
        return status;
    }
    if (info.filetype != APR_REG && reads_twice(&run->run)) {
        ctl_say("warc: %s can be read once only: name --incremental or --frozen",
                path == CTL_STDIN ? "standard input" : path);
        return APR_EINVAL;
    }
    *size = info.size;
    return APR_SUCCESS;
}

/* Measures the inputs, and describes the run. */
static apr_status_t measure_inputs(ctl_warc_run_t *run)
{
    const ctl_t *ctl = run->run.ctl;
    apr_status_t status = APR_SUCCESS;
    tmpl_buf_t what;
    tmpl_buf_init(&what, ctl->pool);
    tmpl_buf_add_text(
        &what, apr_psprintf(ctl->pool, TMPL_VERSION " %016" APR_UINT64_T_HEX_FMT, ctl->given));
    run->sizes = apr_pcalloc(ctl->pool, ((apr_size_t)ctl->args->nelts + 1) * sizeof(*run->sizes));
    for (int i = 0; status == APR_SUCCESS && i < ctl->args->nelts; i++) {
        const char *path = ctl_warc_input(run, i);
        status = measure_input(&run->sizes[i], run, path);
        run->size += run->sizes[i];
        tmpl_buf_add_text(&what,
                          apr_psprintf(ctl->pool, "\n%" APR_OFF_T_FMT " %s", run->sizes[i], path));
    }
    run->state.run = XXH3_64bits(what.at, what.len);
    return status;
}

/* --- what is said of a run --- */

static long long pages_of(const ctl_warc_run_t *run)
{
    return run->run.mode == NULL ? run->run.counts.learnt : run->run.counts.pages;
}

static json_t *report_of(const ctl_warc_run_t *run, long long sites)
{
    const ctl_warc_state_t *state = &run->state;
    const ctl_counts_t *counts = &run->run.counts;
    double seconds = (double)state->micros / APR_USEC_PER_SEC;
    json_t *declined = json_object();
    for (int i = 0; i < TMPL_DECLINE_COUNT; i++) {
        if (counts->declined[i] > 0 && i != TMPL_DECLINE_NONE) {
            json_object_set_new(declined, tmpl_decline_name((tmpl_decline_e)i),
                                json_integer(counts->declined[i]));
        }
    }
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:f, s:f}",
                     "records", state->records, "damaged", state->damaged, "responses",
                     state->responses, "pages", counts->pages, "edited", counts->edited, "lost",
                     counts->lost, "written", state->written, "store_failures",
                     counts->store_failures, "bytes_in", counts->bytes_in, "bytes_out",
                     counts->bytes_out, "declined", declined, "learnt", counts->learnt, "sites",
                     sites, "seconds", seconds, "pages_per_second",
                     seconds > 0 ? (double)pages_of(run) / seconds : 0.0);
}

/* Writes --report; an exit code. sites: those of the tables. */
static int write_report(const ctl_warc_run_t *run, long long sites)
{
    const ctl_t *ctl = run->run.ctl;
    tmpl_error_t err;
    json_t *json = report_of(run, sites);
    if (strcmp(ctl->options.report, "-") == 0) {
        return ctl_json_print(json);
    }
    const char *text = ctl_json_line(json, JSON_INDENT(1), ctl->pool);
    apr_status_t status = ctl_file_write(ctl->options.report, text, strlen(text), &err, ctl->pool);
    if (status != APR_SUCCESS) {
        ctl_say("warc: --report %s: cannot write: %s", ctl->options.report, err.text);
    }
    return status == APR_SUCCESS ? CTL_OK : CTL_FAILED;
}

/* Prints one line, if standard output has nothing else. */
static void print_summary(const ctl_warc_run_t *run, long long sites)
{
    const ctl_options_t *options = &run->run.ctl->options;
    const ctl_counts_t *counts = &run->run.counts;
    if ((options->out == NULL && run->run.mode != NULL) ||
        (options->report != NULL && strcmp(options->report, "-") == 0)) {
        return;
    }
    printf("%lld records: %lld pages of %lld sites, %lld edited; %lld damaged; %lld bytes in, %lld "
           "out; %.2f s\n",
           run->state.records, pages_of(run), sites, counts->edited, run->state.damaged,
           counts->bytes_in, counts->bytes_out, (double)run->state.micros / APR_USEC_PER_SEC);
}

/* --- the passes --- */

/* The next pass begins at the first input, and counts records anew. */
static void begin_pass(ctl_warc_run_t *run)
{
    const ctl_warc_state_t *first = &run->state;
    ctl_counts_t *counts = &run->run.counts;
    run->state = (ctl_warc_state_t){
        .run = first->run, .pass = 1, .out = first->out, .micros = first->micros
    };
    *counts = (ctl_counts_t){ .learnt = counts->learnt, .store_failures = counts->store_failures };
}

static apr_status_t run_passes(ctl_warc_run_t *run)
{
    if (run->run.mode != NULL && !reads_twice(&run->run)) {
        return ctl_warc_pass(run, run->run.ctl->options.incremental, 1);
    }
    apr_status_t status = run->state.pass == 0 ? ctl_warc_pass(run, 1, 0) : APR_SUCCESS;
    if (status != APR_SUCCESS || run->run.mode == NULL) {
        return status;
    }
    if (run->state.pass == 0) {
        begin_pass(run);
    }
    return ctl_warc_pass(run, 0, 1);
}

static apr_status_t count_site(void *baton, const char *site)
{
    (void)site;
    (*(long long *)baton)++;
    return APR_SUCCESS;
}

int ctl_warc(ctl_t *ctl)
{
    ctl_warc_run_t run = { .run = { .ctl = ctl }, .began = apr_time_now() };
    long long sites = 0;
    if (check_options(&run) != APR_SUCCESS || measure_inputs(&run) != APR_SUCCESS) {
        return CTL_USAGE;
    }
    apr_pool_create(&run.file_pool, ctl->pool);
    ctl_interrupt_catch();
    if (ctl_warc_part_begin(&run) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    apr_status_t status = run_passes(&run);
    run.state.micros = run.micros_before + (apr_time_now() - run.began);
    (void)tmpl_store_sites(run.run.store.store, count_site, &sites, NULL, ctl->pool);
    ctl_store_close(&run.run.store);
    if (status == APR_INCOMPLETE && ctl_interrupted()) {
        ctl_say("interrupted%s", run.part != NULL ? ": the same command goes on from here" : "");
    }
    if (status == APR_SUCCESS) {
        status = ctl_warc_part_finish(&run);
    }
    if (status != APR_SUCCESS) {
        return CTL_FAILED;
    }
    int code = ctl->options.report != NULL ? write_report(&run, sites) : CTL_OK;
    print_summary(&run, sites);
    return run.failed ? CTL_FAILED : run.run.counts.store_failures > 0 ? CTL_STORE_FAILED : code;
}
