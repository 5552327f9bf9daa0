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
#include "stages.h"

/* Pages that a store learns at once; one in memory gains nothing from it. */
#define BATCH 16

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
    /* of the pass that is going on */
    tmpl_clean_opts_t opts;
    int learn; /* each page changes what the next ones see */
    int done;  /* pages */
} run_t;

/* A page on its way through the stages. */
typedef struct {
    tmpl_input_t input;
    tmpl_outcome_t outcome;
    ctl_rendered_t rendered;
    int read;           /* there are bytes */
    int parsed;         /* and a page */
    const char *failed; /* why nothing is written of it, or not all */
    tmpl_error_t err;
} page_t;

static ctl_file_t *file_of(const run_t *run, int index)
{
    return &APR_ARRAY_IDX(run->files, index, ctl_file_t);
}

static void prepare_page(void *baton, const ctl_item_t *of)
{
    run_t *run = baton;
    page_t *item = of->state;
    apr_pool_t *pool = of->pool;
    const ctl_file_t *file = file_of(run, of->index);
    tmpl_input_t *input = &item->input;
    if (file->failed) {
        return;
    }
    *input = (tmpl_input_t){ .site = run->ctl->options.site,
                             .uri = apr_pstrcat(pool, "/", file->path, NULL),
                             .page_key = file->path,
                             .learn = run->learn };
    if (ctl_file_read(&input->body, &input->len, file->path, &item->err, pool) != APR_SUCCESS) {
        item->failed = item->err.text;
        return;
    }
    item->read = 1;
    item->parsed = tmpl_clean_read(&item->outcome, input, &run->opts, pool);
    if (item->parsed) {
        tmpl_clean_observe(&item->outcome, input, &run->opts, pool);
    }
    /* the order of look-ups alone does not matter */
    if (item->parsed && !run->learn) {
        tmpl_clean_count(&item->outcome, run->store.store, CTL_STORE_TIMEOUT, pool);
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
    if (run->learn && n_parsed > 0) {
        /* the last one's pool lives longest */
        tmpl_clean_count_many(outcomes, n_parsed, run->store.store, CTL_STORE_TIMEOUT,
                              items[n - 1]->pool);
    }
}

static void finish_page(void *baton, const ctl_item_t *of)
{
    run_t *run = baton;
    page_t *item = of->state;
    apr_pool_t *pool = of->pool;
    const ctl_file_t *file = file_of(run, of->index);
    ctl_page_t page = { file->path, &item->input, &item->outcome };
    if (item->parsed) {
        tmpl_clean_decide(&item->outcome, &run->opts, pool);
    }
    if (!item->read || run->opts.mode == TMPL_MODE_LEARN) {
        return;
    }
    run->mode->render(&item->rendered, &page, pool);
    item->failed = item->rendered.lost;
    if (ctl_file_write(run->ctl->options.out, file->out, item->rendered.bytes, item->rendered.len,
                       &item->err, pool) != APR_SUCCESS) {
        item->failed = apr_pstrcat(pool, "not written: ", item->err.text, NULL);
    }
}

/* Said once: a store that is down is down for every page. */
static void note_store(run_t *run, const ctl_file_t *file, const tmpl_error_t *err)
{
    if (run->tally.store_failures++ == 0) {
        ctl_say("%s: store: %s", file->path, err->text[0] != '\0' ? err->text : "no answer");
    }
}

static void add_page(tally_t *tally, const page_t *item)
{
    tally->pages++;
    tally->edited += item->rendered.edited;
    tally->declined[item->outcome.decline]++;
    tally->bytes_in += item->input.len;
    tally->bytes_out += item->rendered.len;
}

static void report_page(void *baton, const ctl_item_t *of)
{
    run_t *run = baton;
    const page_t *item = of->state;
    ctl_file_t *file = file_of(run, of->index);
    if (item->outcome.store_error.status != APR_SUCCESS) {
        note_store(run, file, &item->outcome.store_error);
    }
    if (item->failed != NULL) {
        ctl_say("%s: %s", file->path, item->failed);
        file->failed = 1;
        run->tally.failed++;
    }
    else if (item->read && run->opts.mode != TMPL_MODE_LEARN) {
        add_page(&run->tally, item);
    }
    ctl_progress_step(++run->done);
}

static int go_on(void *baton)
{
    (void)baton;
    return !ctl_interrupted();
}

/* All files once. */
static apr_status_t pass(run_t *run, const char *title, tmpl_mode_e mode, int learn)
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
        ctl_say("clean: --jobs %u: %s", ctl->options.jobs, ctl_error_text(status, ctl->pool));
    }
    return status;
}

static apr_status_t passes(run_t *run)
{
    int two = run->ctl->options.two_pass;
    apr_status_t status = two ? pass(run, "learning", TMPL_MODE_LEARN, 1) : APR_SUCCESS;
    return status == APR_SUCCESS ? pass(run, "cleaning", run->mode->mode, !two) : status;
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
    ctl_interrupt_catch();
    if (make_out_dir(ctl) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    if (ctl_store_open(&run.store, ctl) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    apr_status_t status = passes(&run);
    ctl_store_close(&run.store);
    if (status != APR_SUCCESS) {
        return CTL_FAILED;
    }
    if (ctl_interrupted() && run.done < run.files->nelts) {
        ctl_say("interrupted: %d of %d pages are written", run.tally.pages, run.files->nelts);
        return CTL_FAILED;
    }
    print_summary(&run.tally);
    return run.tally.failed > 0 || run.tally.store_failures > 0 ? CTL_FAILED : CTL_OK;
}
