/* SPDX-License-Identifier: Apache-2.0 */
/* tmplctl clean: the whole way, for files. */
#include <stdio.h>

#include <apr_strings.h>

#include "ctl.h"
#include "files.h"
#include "interrupt.h"
#include "open_store.h"
#include "progress.h"
#include "render.h"

/* What the summary line says. */
typedef struct {
    int pages; /* judged and written */
    int edited;
    int failed;
    int declined[TMPL_DECLINE_COUNT];
    int store_failures;
    apr_uint64_t bytes_in, bytes_out;
    apr_time_t start;
} tally_t;

typedef struct {
    ctl_t *ctl;
    const ctl_mode_t *mode;
    apr_array_header_t *files; /* ctl_file_t */
    ctl_store_t store;
    tally_t tally;
} run_t;

static void fail_file(run_t *run, ctl_file_t *file, const char *reason)
{
    ctl_say("%s: %s", file->path, reason);
    file->failed = 1;
    run->tally.failed++;
}

/* Said once: a store that is down is down for every page. */
static void note_store(run_t *run, const ctl_file_t *file, const tmpl_error_t *err)
{
    if (run->tally.store_failures++ == 0) {
        ctl_say("%s: store: %s", file->path, err->text[0] != '\0' ? err->text : "no answer");
    }
}

/* One file through the library; APR_SUCCESS unless it could not be read, which has been said. */
static apr_status_t judge(tmpl_outcome_t *outcome, tmpl_input_t *input, run_t *run,
                          ctl_file_t *file, tmpl_mode_e mode, int learn, apr_pool_t *pool)
{
    tmpl_error_t err;
    tmpl_clean_opts_t opts = run->ctl->options.clean;
    opts.mode = mode;
    *input = (tmpl_input_t){ .site = run->ctl->options.site,
                             .uri = apr_pstrcat(pool, "/", file->path, NULL),
                             .page_key = file->path,
                             .learn = learn };
    apr_status_t status = ctl_file_read(&input->body, &input->len, file->path, &err, pool);
    if (status != APR_SUCCESS) {
        fail_file(run, file, err.text);
        return status;
    }
    tmpl_clean(outcome, input, &opts, run->store.store, CTL_STORE_TIMEOUT, pool);
    if (outcome->store_error.status != APR_SUCCESS) {
        note_store(run, file, &outcome->store_error);
    }
    return APR_SUCCESS;
}

static void learn_file(run_t *run, ctl_file_t *file, apr_pool_t *pool)
{
    tmpl_outcome_t outcome;
    tmpl_input_t input;
    judge(&outcome, &input, run, file, TMPL_MODE_LEARN, 1, pool);
}

static void clean_file(run_t *run, ctl_file_t *file, apr_pool_t *pool)
{
    tmpl_outcome_t outcome;
    tmpl_input_t input;
    tmpl_error_t err;
    ctl_rendered_t rendered;
    ctl_page_t page = { file->path, &input, &outcome };
    int learn = !run->ctl->options.two_pass;
    if (judge(&outcome, &input, run, file, run->mode->mode, learn, pool) != APR_SUCCESS) {
        return;
    }
    run->mode->render(&rendered, &page, pool);
    if (ctl_file_write(run->ctl->options.out, file->out, rendered.bytes, rendered.len, &err,
                       pool) != APR_SUCCESS) {
        fail_file(run, file, apr_psprintf(pool, "not written: %s", err.text));
        return;
    }
    run->tally.pages++;
    run->tally.edited += rendered.edited;
    run->tally.declined[outcome.decline]++;
    run->tally.bytes_in += input.len;
    run->tally.bytes_out += rendered.len;
}

static void each_file(run_t *run, const char *title,
                      void (*work)(run_t *run, ctl_file_t *file, apr_pool_t *pool))
{
    apr_pool_t *pool;
    apr_pool_create(&pool, run->ctl->pool);
    ctl_progress_start(title, run->files->nelts);
    for (int i = 0; i < run->files->nelts && !ctl_interrupted(); i++) {
        ctl_file_t *file = &APR_ARRAY_IDX(run->files, i, ctl_file_t);
        if (!file->failed) {
            work(run, file, pool);
        }
        apr_pool_clear(pool);
        ctl_progress_step(i + 1);
    }
    ctl_progress_end();
    apr_pool_destroy(pool);
}

static void print_declined(const tally_t *tally)
{
    int total = 0;
    const char *before = " (";
    for (int i = 0; i < TMPL_DECLINE_COUNT; i++) {
        total += i != TMPL_DECLINE_NONE ? tally->declined[i] : 0;
    }
    printf(", %d declined", total);
    for (int i = 0; i < TMPL_DECLINE_COUNT; i++) {
        if (i != TMPL_DECLINE_NONE && tally->declined[i] > 0) {
            printf("%s%s %d", before, tmpl_decline_name((tmpl_decline_e)i), tally->declined[i]);
            before = ", ";
        }
    }
    printf("%s", total > 0 ? ")" : "");
}

static void print_summary(const tally_t *tally)
{
    double seconds = (double)(apr_time_now() - tally->start) / APR_USEC_PER_SEC;
    printf("%d page%s: %d edited", tally->pages, tally->pages == 1 ? "" : "s", tally->edited);
    print_declined(tally);
    printf("; %d failed; %" APR_UINT64_T_FMT " bytes in, %" APR_UINT64_T_FMT " out; %.2f s\n",
           tally->failed, tally->bytes_in, tally->bytes_out, seconds);
}

/* Everything that can be refused before anything is written. */
static apr_status_t prepare(run_t *run)
{
    ctl_t *ctl = run->ctl;
    run->mode = ctl_mode_find(ctl->options.mode);
    if (run->mode == NULL) {
        ctl_say("clean: --mode: \"%s\" is none of annotate, strip, text, json, fingerprint",
                ctl->options.mode);
        return APR_EINVAL;
    }
    apr_status_t status = ctl_files_list(&run->files, ctl);
    if (status == APR_SUCCESS) {
        status = ctl_files_name_outputs(run->files, ctl->options.out, run->mode->suffix, ctl->pool);
    }
    return status;
}

static apr_status_t make_out_dir(const ctl_t *ctl)
{
    const char *dir = ctl->options.out;
    apr_finfo_t info;
    apr_status_t status = apr_dir_make_recursive(dir, APR_FPROT_OS_DEFAULT, ctl->pool);
    if (status == APR_SUCCESS && apr_stat(&info, dir, APR_FINFO_TYPE, ctl->pool) == APR_SUCCESS &&
        info.filetype != APR_DIR) {
        status = APR_ENOTDIR;
    }
    if (status != APR_SUCCESS) {
        ctl_say("clean: --out %s: %s", dir, ctl_error_text(status, ctl->pool));
    }
    return status;
}

int ctl_clean(ctl_t *ctl)
{
    run_t run = { .ctl = ctl };
    run.tally.start = apr_time_now();
    if (prepare(&run) != APR_SUCCESS) {
        return CTL_USAGE;
    }
    if (make_out_dir(ctl) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    if (ctl_store_open(&run.store, ctl) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    if (ctl->options.two_pass) {
        each_file(&run, "learning", learn_file);
    }
    each_file(&run, "cleaning", clean_file);
    ctl_store_close(&run.store, ctl->pool);
    if (ctl_interrupted()) {
        ctl_say("interrupted: %d of %d pages are written", run.tally.pages, run.files->nelts);
        return CTL_FAILED;
    }
    print_summary(&run.tally);
    return run.tally.failed > 0 || run.tally.store_failures > 0 ? CTL_FAILED : CTL_OK;
}
