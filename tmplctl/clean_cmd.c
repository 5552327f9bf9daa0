/* SPDX-License-Identifier: Apache-2.0 */
/* tmplctl clean: files through the stages. */
#include <stdio.h>

#include <apr_lib.h>
#include <apr_strings.h>

#include "ctl.h"
#include "files.h"
#include "page_input.h"
#include "stages.h"

typedef struct {
    ctl_run_t run;
    apr_array_header_t *files; /* ctl_file_t */
    ctl_fetch_t *fetch;        /* NULL: no input is a URL */
    apr_time_t start;
    int failed; /* pages that were not read, or not written in full */
    int binary; /* those of them that are no text */
    int done;   /* pages reported in the current pass */
} clean_run_t;

/* The state of a page in the stages. */
typedef struct {
    ctl_item_t item;
    const char *failed; /* why the output is missing or not complete */
    tmpl_error_t err;
} clean_item_t;

static ctl_file_t *file_of(const ctl_run_t *run, int index)
{
    return &APR_ARRAY_IDX(((const clean_run_t *)run)->files, index, ctl_file_t);
}

/* --- the stages --- */

static void read_file(ctl_run_t *run, ctl_item_t *item)
{
    clean_item_t *state = (clean_item_t *)item;
    const ctl_file_t *file = file_of(run, item->index);
    tmpl_input_t *input = &item->input;
    if (file->failed) {
        return;
    }
    item->page.path = file->path;
    item->page.address = file->address;
    if (ctl_page_read(input, &item->page.url, ((clean_run_t *)run)->fetch, file->path, file->site,
                      &state->err, item->pool) != APR_SUCCESS) {
        state->failed = state->err.text;
        return;
    }
    if (file->address != NULL) {
        input->uri = file->address;
        input->page_key = NULL;
    }
    item->is_page = 1;
}

/* Makes a directory, unless it is there. */
static apr_status_t make_dir(const char *dir, apr_pool_t *pool)
{
    apr_finfo_t info;
    apr_status_t status = apr_dir_make_recursive(dir, APR_FPROT_OS_DEFAULT, pool);
    if (status == APR_SUCCESS && apr_stat(&info, dir, APR_FINFO_TYPE, pool) == APR_SUCCESS &&
        info.filetype != APR_DIR) {
        status = APR_ENOTDIR;
    }
    return status;
}

/* Writes path; name is its end, and may have directories, which are made. */
static apr_status_t write_output(const char *path, const char *name, const ctl_rendered_t *rendered,
                                 tmpl_error_t *err, apr_pool_t *pool)
{
    const char *base = apr_filepath_name_get(path);
    if (base > path + strlen(path) - strlen(name)) {
        apr_status_t status =
            make_dir(apr_pstrmemdup(pool, path, (apr_size_t)(base - path) - 1), pool);
        if (status != APR_SUCCESS) {
            return tmpl_fail(err, status, "cannot make its directory: %s",
                             ctl_error_text(status, pool));
        }
    }
    return ctl_file_write(path, rendered->bytes, rendered->len, err, pool);
}

static void write_file(ctl_run_t *run, ctl_item_t *item)
{
    clean_item_t *state = (clean_item_t *)item;
    const char *out = file_of(run, item->index)->out;
    if (!item->is_page || !run->judges) {
        return;
    }
    state->failed = item->rendered.lost;
    if (out == NULL) {
        return;
    }
    const char *path = apr_pstrcat(item->pool, run->ctl->options.out, "/", out, NULL);
    if (write_output(path, out, &item->rendered, &state->err, item->pool) != APR_SUCCESS) {
        state->failed = apr_pstrcat(item->pool, "cannot write ", path, ": ", state->err.text, NULL);
    }
}

static void report_file(ctl_run_t *run, ctl_item_t *item)
{
    clean_run_t *clean = (clean_run_t *)run;
    const clean_item_t *state = (const clean_item_t *)item;
    ctl_file_t *file = file_of(run, item->index);
    if (state->failed != NULL) {
        ctl_say("%s: %s", file->path, state->failed);
        file->failed = 1;
        clean->failed++;
        clean->binary += state->err.status == CTL_EBINARY;
    }
    else if (item->is_page && run->judges) {
        ctl_run_count(run, item);
        if (item->outcome.decline != TMPL_DECLINE_NONE) {
            ctl_page_declined(&item->outcome, &item->input, file->path, item->pool);
        }
    }
    if (file->out == NULL && item->rendered.bytes != NULL) {
        /* main reports a failure */
        fwrite(item->rendered.bytes, 1, item->rendered.len, stdout);
    }
    ctl_progress("%s: %d/%d", run->judges ? "cleaning" : "learning", ++clean->done,
                 clean->files->nelts);
}

static apr_status_t run_passes(clean_run_t *clean)
{
    ctl_run_t *run = &clean->run;
    apr_status_t status = APR_SUCCESS;
    int observes = ctl_run_observes(run), two_pass = run->ctl->options.two_pass && !observes;
    if (two_pass) {
        status = ctl_run_pass(run, 1, 0, clean->files->nelts);
        clean->done = 0;
    }
    return status == APR_SUCCESS ? ctl_run_pass(run, !two_pass && !observes, 1, clean->files->nelts)
                                 : status;
}

/* --- before and after the pages --- */

/* Checks that the inputs can be read as often, and their outputs written where, as asked for. */
static apr_status_t check_inputs(const apr_array_header_t *files, const ctl_mode_t *mode,
                                 const ctl_t *ctl)
{
    if (ctl->options.out == NULL && files->nelts > 1 && !mode->is_line) {
        ctl_say("clean: standard output is for one page: %d inputs need --out DIR", files->nelts);
        return APR_EINVAL;
    }
    for (int i = 0, streams = 0; i < files->nelts; i++) {
        const char *path = APR_ARRAY_IDX(files, i, ctl_file_t).path;
        streams += path == CTL_STDIN;
        if (ctl->options.two_pass && (path == CTL_STDIN || ctl_page_is_url(path))) {
            ctl_say("clean: --two-pass reads each page twice, and %s is read once only", path);
            return APR_EINVAL;
        }
        if (streams > (ctl->options.files_from != CTL_STDIN)) {
            ctl_say("clean: standard input can be read once only");
            return APR_EINVAL;
        }
    }
    return APR_SUCCESS;
}

/* Checks what can be refused before anything is written; on failure prints the reason. */
static apr_status_t check_run(clean_run_t *clean)
{
    tmpl_error_t err;
    ctl_t *ctl = clean->run.ctl;
    const ctl_mode_t **mode = &clean->run.mode;
    if (ctl_mode_parse(mode, ctl->options.mode, &err) != APR_SUCCESS) {
        ctl_say("clean: --mode: %s", err.text);
        return err.status;
    }
    apr_status_t status = ctl_files_list(&clean->files, ctl);
    if (status == APR_SUCCESS) {
        status = check_inputs(clean->files, *mode, ctl);
    }
    return status == APR_SUCCESS && ctl->options.out != NULL
               ? ctl_files_name_outputs(clean->files, ctl->options.out, (*mode)->suffix, ctl->pool)
               : status;
}

/* Makes the fetcher of pages, if an input is a URL. */
static apr_status_t prepare_fetch(clean_run_t *clean)
{
    const ctl_t *ctl = clean->run.ctl;
    tmpl_error_t err;
    int i = 0;
    while (i < clean->files->nelts && !ctl_page_is_url(file_of(&clean->run, i)->path)) {
        i++;
    }
    if (i == clean->files->nelts) {
        return APR_SUCCESS;
    }
    if (ctl_fetch_open(&clean->fetch, &err, ctl->pool) != APR_SUCCESS) {
        ctl_say("clean: %s", err.text);
        return err.status;
    }
    ctl_fetch_pace(clean->fetch, apr_time_from_msec(ctl->options.delay));
    return APR_SUCCESS;
}

/* Makes the directory of outputs, and opens what the run needs. */
static apr_status_t prepare_run(clean_run_t *clean)
{
    ctl_run_t *run = &clean->run;
    ctl_t *ctl = run->ctl;
    apr_status_t status =
        ctl->options.out != NULL ? make_dir(ctl->options.out, ctl->pool) : APR_SUCCESS;
    if (status != APR_SUCCESS) {
        ctl_say("clean: --out %s: cannot make the directory: %s", ctl->options.out,
                ctl_error_text(status, ctl->pool));
        return status;
    }
    status = prepare_fetch(clean);
    if (status == APR_SUCCESS) {
        status = ctl_store_open(&run->store, ctl);
    }
    if (status == APR_SUCCESS && ctl_run_observes(run) && run->store.failed.status != APR_SUCCESS) {
        ctl_say("clean: --mode keys: the store does not tell its secret: %s",
                run->store.failed.text);
        status = run->store.failed.status;
    }
    return status;
}

static void print_declined(const long long *declined)
{
    long long total = 0;
    const char *before = " (";
    for (int i = 0; i < TMPL_DECLINE_COUNT; i++) {
        total += i != TMPL_DECLINE_NONE ? declined[i] : 0;
    }
    printf(", %lld declined", total);
    for (int i = 0; i < TMPL_DECLINE_COUNT; i++) {
        if (i != TMPL_DECLINE_NONE && declined[i] > 0) {
            printf("%s%s %lld", before, tmpl_decline_name((tmpl_decline_e)i), declined[i]);
            before = ", ";
        }
    }
    printf("%s", total > 0 ? ")" : "");
}

/* Prints one line to standard output. */
static void print_summary(const clean_run_t *clean)
{
    const ctl_counts_t *counts = &clean->run.counts;
    double seconds = (double)(apr_time_now() - clean->start) / APR_USEC_PER_SEC;
    printf("%lld page%s: %lld edited", counts->pages, counts->pages == 1 ? "" : "s",
           counts->edited);
    print_declined(counts->declined);
    printf("; %d failed", clean->failed);
    if (counts->store_failures > 0) {
        printf(", %lld store failure%s", counts->store_failures,
               counts->store_failures == 1 ? "" : "s");
    }
    printf("; %lld bytes in, %lld out; %.2f s\n", counts->bytes_in, counts->bytes_out, seconds);
}

int ctl_clean(ctl_t *ctl)
{
    static const ctl_stages_t stages = {
        .read = read_file, .write = write_file, .report = report_file, .size = sizeof(clean_item_t)
    };
    clean_run_t clean = { .run = { .ctl = ctl, .stages = &stages }, .start = apr_time_now() };
    if (check_run(&clean) != APR_SUCCESS) {
        return CTL_USAGE;
    }
    ctl_interrupt_catch();
    if (prepare_run(&clean) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    apr_status_t status = run_passes(&clean);
    ctl_store_close(&clean.run.store);
    if (status != APR_SUCCESS) {
        return CTL_FAILED;
    }
    if (ctl_interrupted() && clean.done < clean.files->nelts) {
        ctl_say("interrupted: %lld of %d pages written", clean.run.counts.pages,
                clean.files->nelts);
        return CTL_FAILED;
    }
    if (ctl->options.out != NULL) {
        print_summary(&clean);
    }
    return clean.failed > 0 ? clean.failed == clean.binary ? CTL_BINARY : CTL_FAILED
           : clean.run.counts.store_failures > 0 ? CTL_STORE_FAILED
                                                 : CTL_OK;
}
