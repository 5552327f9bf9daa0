/* SPDX-License-Identifier: Apache-2.0 */
/* tmplctl clean: tmpl_clean's steps as stages, over many files. */
#include <apr_lib.h>
#include <apr_strings.h>

#include "clean_summary.h"
#include "ctl.h"
#include "file_io.h"
#include "files.h"
#include "interrupt.h"
#include "open_store.h"
#include "progress.h"
#include "render.h"
#include "stages.h"

/* Pages that a store learns in one transaction; a store in memory gains nothing from batches. */
#define BATCH 16

typedef struct {
    ctl_t *ctl;
    const ctl_mode_t *mode;
    apr_array_header_t *files; /* ctl_file_t */
    ctl_store_t store;
    ctl_clean_summary_t summary;
    /* of the current pass */
    tmpl_clean_opts_t opts;
    int learn; /* pages are learnt */
    int done;  /* pages reported */
} run_t;

/* The state of a page in the stages. */
typedef struct {
    tmpl_input_t input;
    tmpl_outcome_t outcome;
    ctl_rendered_t rendered;
    int read;           /* input has the bytes */
    int parsed;         /* outcome has the page */
    const char *failed; /* why the output is missing or not complete */
    tmpl_error_t err;
} page_t;

static ctl_file_t *file_of(const run_t *run, int index)
{
    return &APR_ARRAY_IDX(run->files, index, ctl_file_t);
}

static void prepare_page(void *baton, const ctl_item_t *item)
{
    run_t *run = baton;
    page_t *page = item->state;
    apr_pool_t *pool = item->pool;
    const ctl_file_t *file = file_of(run, item->index);
    tmpl_input_t *input = &page->input;
    if (file->failed) {
        return;
    }
    *input =
        (tmpl_input_t){ .site = run->ctl->options.site,
                        .uri = file->address != NULL ? file->address
                                                     : apr_pstrcat(pool, "/", file->path, NULL),
                        .page_key = file->address != NULL ? NULL : file->path,
                        .learn = run->learn ? TMPL_LEARNING_NOW : TMPL_LEARNING_OFF };
    if (ctl_file_read(&input->body, &input->len, file->path, &page->err, pool) != APR_SUCCESS) {
        page->failed = page->err.text;
        return;
    }
    page->read = 1;
    page->parsed = tmpl_clean_read(&page->outcome, input, &run->opts, pool);
    if (page->parsed) {
        tmpl_clean_observe(&page->outcome, input, &run->opts, pool);
    }
    page->outcome.store_error = run->store.failed;
    /* look-ups may happen in any order: only learning changes what others see */
    if (page->parsed && !run->learn && run->store.failed.status == APR_SUCCESS) {
        tmpl_clean_count(&page->outcome, run->store.store, CTL_STORE_TIMEOUT, pool);
    }
}

static void count_pages(void *baton, const ctl_item_t *const *items, int n)
{
    run_t *run = baton;
    tmpl_outcome_t *outcomes[BATCH];
    uint32_t n_parsed = 0;
    for (int i = 0; i < n; i++) {
        page_t *page = items[i]->state;
        if (page->parsed) {
            outcomes[n_parsed++] = &page->outcome;
        }
    }
    if (run->learn && n_parsed > 0 && run->store.failed.status == APR_SUCCESS) {
        /* items are reported in order: the last one's pool outlives the others */
        tmpl_clean_count_many(outcomes, n_parsed, run->store.store, CTL_STORE_TIMEOUT,
                              items[n - 1]->pool);
    }
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

/* Writes dir/name; makes the directories that name contains. */
static apr_status_t write_output(const char *dir, const char *name, const ctl_rendered_t *rendered,
                                 tmpl_error_t *err, apr_pool_t *pool)
{
    const char *base = apr_filepath_name_get(name);
    if (base > name) {
        dir = apr_psprintf(pool, "%s/%.*s", dir, (int)(base - name) - 1, name);
        apr_status_t status = make_dir(dir, pool);
        if (status != APR_SUCCESS) {
            return tmpl_fail(err, status, "cannot make its directory: %s",
                             ctl_error_text(status, pool));
        }
    }
    return ctl_file_write(dir, base, rendered->bytes, rendered->len, err, pool);
}

static void finish_page(void *baton, const ctl_item_t *item)
{
    run_t *run = baton;
    page_t *page = item->state;
    apr_pool_t *pool = item->pool;
    const ctl_file_t *file = file_of(run, item->index);
    ctl_page_t judged = { file->path, file->address, &page->input, &page->outcome };
    if (page->parsed) {
        tmpl_clean_decide(&page->outcome, &run->opts, pool);
    }
    if (!page->read || run->opts.mode == TMPL_MODE_LEARN) {
        return;
    }
    run->mode->render(&page->rendered, &judged, pool);
    page->failed = page->rendered.lost;
    if (write_output(run->ctl->options.out, file->out, &page->rendered, &page->err, pool) !=
        APR_SUCCESS) {
        page->failed = apr_pstrcat(pool, "cannot write ", run->ctl->options.out, "/", file->out,
                                   ": ", page->err.text, NULL);
    }
}

/* Prints the first failure only: a store that is down fails for every page. */
static void note_store_failure(run_t *run, const ctl_file_t *file, const tmpl_error_t *err)
{
    if (run->summary.store_failures++ == 0) {
        ctl_say("%s: store: %s", file->path, err->text);
    }
}

static void note_page(ctl_clean_summary_t *summary, const page_t *page)
{
    summary->pages++;
    summary->edited += page->rendered.edited;
    summary->declined[page->outcome.decline]++;
    summary->bytes_in += page->input.len;
    summary->bytes_out += page->rendered.len;
}

static void report_page(void *baton, const ctl_item_t *item)
{
    run_t *run = baton;
    const page_t *page = item->state;
    ctl_file_t *file = file_of(run, item->index);
    if (page->outcome.store_error.status != APR_SUCCESS) {
        note_store_failure(run, file, &page->outcome.store_error);
    }
    if (page->failed != NULL) {
        ctl_say("%s: %s", file->path, page->failed);
        file->failed = 1;
        run->summary.failed++;
    }
    else if (page->read && run->opts.mode != TMPL_MODE_LEARN) {
        note_page(&run->summary, page);
    }
    ctl_progress_step(++run->done);
}

static int go_on(void *baton)
{
    (void)baton;
    return !ctl_interrupted();
}

/* Runs all files through the stages once. */
static apr_status_t run_pass(run_t *run, const char *title, tmpl_mode_e mode, int learn)
{
    static const ctl_stages_t stages = { prepare_page, count_pages, finish_page, report_page,
                                         sizeof(page_t) };
    ctl_t *ctl = run->ctl;
    ctl_work_t work = { .jobs = (int)ctl->options.jobs,
                        .batch = ctl->options.store != NULL && learn ? BATCH : 1,
                        .more = go_on,
                        .baton = run };
    run->opts = ctl->options.clean;
    run->opts.mode = mode;
    run->learn = learn;
    run->done = 0;
    ctl_progress_start(title, run->files->nelts);
    apr_status_t status = ctl_stages_run(&stages, &work, run->files->nelts, ctl->pool);
    ctl_progress_end();
    if (status != APR_SUCCESS) {
        ctl_say("clean: --jobs %u: cannot start the threads: %s", ctl->options.jobs,
                ctl_error_text(status, ctl->pool));
    }
    return status;
}

static apr_status_t run_passes(run_t *run)
{
    int two = run->ctl->options.two_pass;
    apr_status_t status = two ? run_pass(run, "learning", TMPL_MODE_LEARN, 1) : APR_SUCCESS;
    return status == APR_SUCCESS ? run_pass(run, "cleaning", run->mode->mode, !two) : status;
}

/* Checks what can be refused before anything is written; on failure prints the reason. */
static apr_status_t check_run(run_t *run)
{
    tmpl_error_t err;
    ctl_t *ctl = run->ctl;
    if (ctl_mode_parse(&run->mode, ctl->options.mode, &err) != APR_SUCCESS) {
        ctl_say("clean: --mode: %s", err.text);
        return err.status;
    }
    apr_status_t status = ctl_files_list(&run->files, ctl);
    if (status == APR_SUCCESS) {
        status = ctl_files_name_outputs(run->files, ctl->options.out, run->mode->suffix, ctl->pool);
    }
    return status;
}

static apr_status_t make_out_dir(const ctl_t *ctl)
{
    apr_status_t status = make_dir(ctl->options.out, ctl->pool);
    if (status != APR_SUCCESS) {
        ctl_say("clean: --out %s: cannot make the directory: %s", ctl->options.out,
                ctl_error_text(status, ctl->pool));
    }
    return status;
}

int ctl_clean(ctl_t *ctl)
{
    run_t run = { .ctl = ctl, .summary = { .start = apr_time_now() } };
    if (check_run(&run) != APR_SUCCESS) {
        return CTL_USAGE;
    }
    ctl_interrupt_catch();
    if (make_out_dir(ctl) != APR_SUCCESS || ctl_store_open(&run.store, ctl) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    apr_status_t status = run_passes(&run);
    ctl_store_close(&run.store);
    if (status != APR_SUCCESS) {
        return CTL_FAILED;
    }
    if (ctl_interrupted() && run.done < run.files->nelts) {
        ctl_say("interrupted: %d of %d pages written", run.summary.pages, run.files->nelts);
        return CTL_FAILED;
    }
    ctl_clean_summary_print(&run.summary);
    return ctl_clean_summary_code(&run.summary);
}
