/* SPDX-License-Identifier: Apache-2.0 */
/* tmplctl clean: files through the stages. */
#include <stdio.h>

#include <apr_lib.h>
#include <apr_strings.h>

#include "base/buf.h"
#include "ctl.h"
#include "file_io.h"
#include "files.h"
#include "interrupt.h"
#include "json.h"
#include "open_store.h"
#include "page_input.h"
#include "progress.h"
#include "render.h"
#include "stages.h"

/* What a run has done. */
typedef struct {
    apr_time_t start;
    int pages; /* judged and written */
    int edited;
    int failed; /* pages that were not read, or not written in full */
    int binary; /* those of them that are no text */
    int declined[TMPL_DECLINE_COUNT];
    int store_failures; /* pages that the store did not learn or look up, in each pass */
    apr_uint64_t bytes_in, bytes_out;
} summary_t;

typedef struct {
    ctl_t *ctl;
    const ctl_mode_t *mode;
    apr_array_header_t *files; /* ctl_file_t */
    ctl_fetch_t *fetch;        /* NULL: no input is a URL */
    ctl_store_t store;
    summary_t summary;
    /* of the current pass */
    tmpl_clean_opts_t opts;
    int is_first; /* of two passes */
    int done;     /* pages reported */
} clean_cmd_run_t;

/* Whether pages are only observed: no store is asked, and nothing is judged. */
static int run_observes(const clean_cmd_run_t *run)
{
    return run->mode->mode == TMPL_MODE_LEARN;
}

/* The state of a page in the stages. */
typedef struct {
    ctl_item_t item;
    ctl_rendered_t rendered;
    const char *url;    /* of a page from the web */
    const char *line;   /* for --report; NULL: none */
    const char *failed; /* why the output is missing or not complete */
    tmpl_error_t err;
} page_t;

static ctl_file_t *file_of(const clean_cmd_run_t *run, int index)
{
    return &APR_ARRAY_IDX(run->files, index, ctl_file_t);
}

static void read_file(void *baton, ctl_item_t *item)
{
    clean_cmd_run_t *run = baton;
    page_t *page = (page_t *)item;
    const ctl_file_t *file = file_of(run, item->index);
    tmpl_input_t *input = &item->input;
    if (file->failed) {
        return;
    }
    if (ctl_page_read(input, &page->url, run->fetch, file->path, file->site, &page->err,
                      item->pool) != APR_SUCCESS) {
        page->failed = page->err.text;
        *input = (tmpl_input_t){ 0 }; /* it may have the bytes of what is no page */
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

/* Makes the output of a page that was judged; writes it, unless it goes to standard output. */
static void render_page(const clean_cmd_run_t *run, page_t *page, const ctl_file_t *file,
                        const ctl_page_t *judged, apr_pool_t *pool)
{
    run->mode->render(&page->rendered, judged, pool);
    page->failed = page->rendered.lost;
    if (file->out == NULL) {
        return;
    }
    const char *path = apr_pstrcat(pool, run->ctl->options.out, "/", file->out, NULL);
    if (write_output(path, file->out, &page->rendered, &page->err, pool) != APR_SUCCESS) {
        page->failed = apr_pstrcat(pool, "cannot write ", path, ": ", page->err.text, NULL);
    }
}

static void write_edited(void *baton, ctl_item_t *item)
{
    clean_cmd_run_t *run = baton;
    page_t *page = (page_t *)item;
    const ctl_file_t *file = file_of(run, item->index);
    ctl_page_t judged = { file->path,   file->address,  page->url,
                          &item->input, &item->outcome, &run->opts };
    if (item->is_page && !run->is_first) {
        render_page(run, page, file, &judged, item->pool);
    }
    if (run->ctl->options.report != NULL &&
        (page->failed != NULL || (item->is_page && !run->is_first))) {
        page->line = ctl_json_line(&judged, &page->rendered, run->ctl->options.mode, page->failed,
                                   item->pool);
    }
}

/* Prints the first failure only: a store that is down fails for every page. */
static void note_store_failure(clean_cmd_run_t *run, const ctl_file_t *file,
                               const tmpl_error_t *err)
{
    if (run->summary.store_failures++ == 0) {
        ctl_say("%s: store: %s", file->path, err->text);
    }
}

static void note_page(summary_t *summary, const page_t *page)
{
    summary->pages++;
    summary->edited += page->rendered.edited;
    summary->declined[page->item.outcome.decline]++;
    summary->bytes_in += page->item.input.len;
    summary->bytes_out += page->rendered.len;
}

static void report_page(void *baton, ctl_item_t *item)
{
    clean_cmd_run_t *run = baton;
    const page_t *page = (const page_t *)item;
    ctl_file_t *file = file_of(run, item->index);
    if (item->outcome.store_error.status != APR_SUCCESS) {
        note_store_failure(run, file, &item->outcome.store_error);
    }
    if (page->failed != NULL) {
        ctl_say("%s: %s", file->path, page->failed);
        file->failed = 1;
        run->summary.failed++;
        run->summary.binary += page->err.status == CTL_EBINARY;
    }
    else if (item->is_page && !run->is_first) {
        note_page(&run->summary, page);
        if (item->outcome.decline != TMPL_DECLINE_NONE) {
            ctl_page_declined(&item->outcome, &item->input, file->path, item->pool);
        }
    }
    if (file->out == NULL && page->rendered.bytes != NULL) {
        /* main reports a failure */
        fwrite(page->rendered.bytes, 1, page->rendered.len, stdout);
    }
    if (page->line != NULL) {
        file->line = apr_pstrdup(run->ctl->pool, page->line);
    }
    ctl_progress_step(++run->done);
}

static int may_go_on(void *baton)
{
    (void)baton;
    return !ctl_interrupted();
}

/* Runs all files through the stages once. */
static apr_status_t run_pass(clean_cmd_run_t *run, const char *title, tmpl_mode_e mode, int learn)
{
    static const ctl_stages_t stages = { NULL, read_file, write_edited, report_page,
                                         sizeof(page_t) };
    ctl_t *ctl = run->ctl;
    ctl_work_t work = { .jobs = (int)ctl->options.jobs,
                        .opts = &run->opts,
                        .store = &run->store,
                        .learns = learn,
                        .more = may_go_on,
                        .baton = run };
    run->opts = ctl->options.clean;
    run->opts.mode = mode;
    run->done = 0;
    ctl_progress_start(title, run->files->nelts);
    apr_status_t status = ctl_stages_run(&stages, &work, run->files->nelts, ctl->pool);
    ctl_progress_end();
    if (status != APR_SUCCESS) {
        ctl_say("clean: --jobs %u: %s", ctl->options.jobs, ctl_error_text(status, ctl->pool));
    }
    return status;
}

static apr_status_t run_passes(clean_cmd_run_t *run)
{
    int observes = run_observes(run);
    apr_status_t status = APR_SUCCESS;
    run->is_first = run->ctl->options.two_pass && !observes;
    if (run->is_first) {
        status = run_pass(run, "learning", TMPL_MODE_LEARN, 1);
        run->is_first = 0;
    }
    int learn = !run->ctl->options.two_pass && !observes;
    return status == APR_SUCCESS ? run_pass(run, "cleaning", run->mode->mode, learn) : status;
}

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

/* Whether lines of --report go to standard output. */
static int reports_to_stdout(const ctl_t *ctl)
{
    return ctl->options.report != NULL && strcmp(ctl->options.report, "-") == 0;
}

static apr_status_t check_report(const apr_array_header_t *files, const ctl_t *ctl)
{
    if (reports_to_stdout(ctl) && ctl->options.out == NULL) {
        ctl_say("clean: --report -: standard output gets the page: name a FILE, or --out DIR");
        return APR_EINVAL;
    }
    const char *other = reports_to_stdout(ctl) ? NULL
                                               : ctl_files_find(files, ctl->options.out,
                                                                ctl->options.report, ctl->pool);
    if (other != NULL) {
        ctl_say("clean: --report %s would overwrite %s", ctl->options.report, other);
        return APR_EEXIST;
    }
    return APR_SUCCESS;
}

/* Checks what can be refused before anything is written; on failure prints the reason. */
static apr_status_t check_run(clean_cmd_run_t *run)
{
    tmpl_error_t err;
    ctl_t *ctl = run->ctl;
    if (ctl_mode_parse(&run->mode, ctl->options.mode, &err) != APR_SUCCESS) {
        ctl_say("clean: --mode: %s", err.text);
        return err.status;
    }
    apr_status_t status = ctl_files_list(&run->files, ctl);
    if (status == APR_SUCCESS) {
        status = check_inputs(run->files, run->mode, ctl);
    }
    if (status == APR_SUCCESS && ctl->options.out != NULL) {
        status = ctl_files_name_outputs(run->files, ctl->options.out, run->mode->suffix, ctl->pool);
    }
    if (status == APR_SUCCESS && ctl->options.report != NULL) {
        status = check_report(run->files, ctl);
    }
    return status;
}

/* Passes on the status of writing --report; on failure prints the reason. */
static apr_status_t report_written(const ctl_t *ctl, apr_status_t status, const tmpl_error_t *err)
{
    if (status != APR_SUCCESS) {
        ctl_say("clean: --report %s: cannot write: %s", ctl->options.report, err->text);
    }
    return status;
}

/* Checks that --report can be written, before the pages take their time. */
static apr_status_t prepare_report(const ctl_t *ctl)
{
    const char *path = ctl->options.report;
    tmpl_error_t err;
    if (path == NULL || reports_to_stdout(ctl)) {
        return APR_SUCCESS;
    }
    return report_written(ctl, ctl_file_check_writable(path, &err, ctl->pool), &err);
}

/* Makes the directory of outputs, and the fetcher of pages, where they are needed. */
static apr_status_t prepare_run(clean_cmd_run_t *run)
{
    ctl_t *ctl = run->ctl;
    tmpl_error_t err;
    apr_status_t status =
        ctl->options.out != NULL ? make_dir(ctl->options.out, ctl->pool) : APR_SUCCESS;
    if (status != APR_SUCCESS) {
        ctl_say("clean: --out %s: cannot make the directory: %s", ctl->options.out,
                ctl_error_text(status, ctl->pool));
        return status;
    }
    status = prepare_report(ctl);
    if (status != APR_SUCCESS) {
        return status;
    }
    for (int i = 0; i < run->files->nelts && run->fetch == NULL; i++) {
        if (!ctl_page_is_url(file_of(run, i)->path)) {
            continue;
        }
        status = ctl_fetch_open(&run->fetch, NULL, &err, ctl->pool);
        if (status != APR_SUCCESS) {
            ctl_say("clean: %s", err.text);
            return status;
        }
        ctl_fetch_pace(run->fetch, apr_time_from_msec(ctl->options.delay));
    }
    status = ctl_store_open(&run->store, ctl);
    if (status == APR_SUCCESS && run_observes(run) && run->store.failed.status != APR_SUCCESS) {
        ctl_say("clean: --mode keys: the store does not tell its secret: %s",
                run->store.failed.text);
        status = run->store.failed.status;
    }
    return status;
}

/* Writes the lines of --report, in the order of the inputs. An exit code. */
static int write_report(const clean_cmd_run_t *run)
{
    const ctl_t *ctl = run->ctl;
    const char *path = ctl->options.report;
    tmpl_buf_t lines;
    tmpl_error_t err;
    if (path == NULL) {
        return CTL_OK;
    }
    tmpl_buf_init(&lines, ctl->pool);
    for (int i = 0; i < run->files->nelts; i++) {
        const char *line = file_of(run, i)->line;
        tmpl_buf_add_text(&lines, line != NULL ? line : "");
    }
    if (reports_to_stdout(ctl)) {
        fwrite(lines.at, 1, lines.len, stdout);
        return CTL_OK;
    }
    apr_status_t status = ctl_file_write(path, lines.at, lines.len, &err, ctl->pool);
    return report_written(ctl, status, &err) == APR_SUCCESS ? CTL_OK : CTL_FAILED;
}

static void print_declined(const int *declined)
{
    int total = 0;
    const char *before = " (";
    for (int i = 0; i < TMPL_DECLINE_COUNT; i++) {
        total += i != TMPL_DECLINE_NONE ? declined[i] : 0;
    }
    printf(", %d declined", total);
    for (int i = 0; i < TMPL_DECLINE_COUNT; i++) {
        if (i != TMPL_DECLINE_NONE && declined[i] > 0) {
            printf("%s%s %d", before, tmpl_decline_name((tmpl_decline_e)i), declined[i]);
            before = ", ";
        }
    }
    printf("%s", total > 0 ? ")" : "");
}

/* Prints one line to standard output. */
static void print_summary(const summary_t *summary)
{
    double seconds = (double)(apr_time_now() - summary->start) / APR_USEC_PER_SEC;
    printf("%d page%s: %d edited", summary->pages, summary->pages == 1 ? "" : "s", summary->edited);
    print_declined(summary->declined);
    printf("; %d failed", summary->failed);
    if (summary->store_failures > 0) {
        printf(", %d store failure%s", summary->store_failures,
               summary->store_failures == 1 ? "" : "s");
    }
    printf("; %" APR_UINT64_T_FMT " bytes in, %" APR_UINT64_T_FMT " out; %.2f s\n",
           summary->bytes_in, summary->bytes_out, seconds);
}

/* The exit code, as the man page lists them. */
static int code_of(const summary_t *summary)
{
    if (summary->failed > 0) {
        return summary->failed == summary->binary ? CTL_BINARY : CTL_FAILED;
    }
    return summary->store_failures > 0 ? CTL_STORE_FAILED : CTL_OK;
}

int ctl_clean(ctl_t *ctl)
{
    clean_cmd_run_t run = { .ctl = ctl, .summary = { .start = apr_time_now() } };
    if (check_run(&run) != APR_SUCCESS) {
        return CTL_USAGE;
    }
    ctl_interrupt_catch();
    if (prepare_run(&run) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    apr_status_t status = run_passes(&run);
    ctl_store_close(&run.store);
    if (status != APR_SUCCESS) {
        return CTL_FAILED;
    }
    int reported = write_report(&run);
    if (ctl_interrupted() && run.done < run.files->nelts) {
        ctl_say("interrupted: %d of %d pages written", run.summary.pages, run.files->nelts);
        return CTL_FAILED;
    }
    if (ctl->options.out != NULL && !reports_to_stdout(ctl)) {
        print_summary(&run.summary);
    }
    int code = code_of(&run.summary);
    return code != CTL_OK ? code : reported;
}
