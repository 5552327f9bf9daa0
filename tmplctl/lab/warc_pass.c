/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pass: the records of archives through the stages. The caller's thread reads records and appends
 * what became of them; the other threads do what is between. Memory holds the records of one part
 * of the stages.
 */
#include <limits.h>

#include "ctl.h"
#include "files.h"
#include "settings.h"
#include "warc.h"

/* Records of one part of the stages, in bytes: their pages are in memory together. */
#define WARC_PART_BYTES (16 * 1024 * 1024)

/* Content of a record that is held in memory at most: a page, with its head and chunks. */
#define CONTENT_MOST (2 * TMPL_DEFAULT_MAX_BODY)

/* How often the state is saved at the end of an input. */
#define SAVE_AFTER apr_time_from_msec(250)

/* A record in the stages. */
typedef struct {
    ctl_item_t item;
    tmpl_warc_record_t record;
    const char *content; /* NULL: too long for memory, still to be read */
    int may_have_page;
    ctl_warc_page_t page;
    tmpl_buf_t written;
} warc_item_t;

/* --- reading --- */

/* Whether this pass names faults of inputs: of two, the first. */
static int names_faults(const ctl_warc_run_t *run)
{
    return run->state.pass == 0;
}

static void close_input(ctl_warc_run_t *run)
{
    apr_status_t status = run->warc != NULL ? tmpl_warc_failed(run->warc) : APR_SUCCESS;
    if (status != APR_SUCCESS) {
        ctl_say("%s: cannot read to its end: %s", ctl_warc_input(run, run->state.file),
                ctl_error_text(status, run->file_pool));
        run->failed = 1;
    }
    else if (run->warc != NULL && run->is_cut) {
        if (names_faults(run)) {
            ctl_say("%s: it has no record, or no whole one at its end",
                    ctl_warc_input(run, run->state.file));
        }
        run->failed = 1;
    }
    apr_pool_clear(run->file_pool);
    run->warc = NULL;
    run->before += run->sizes[run->state.file];
    run->state.file++;
}

/* Opens the current input. On failure prints the reason. */
static apr_status_t open_input(ctl_warc_run_t *run)
{
    const char *path = ctl_warc_input(run, run->state.file);
    apr_file_t *file;
    tmpl_error_t err;
    apr_status_t status =
        path == CTL_STDIN
            ? apr_file_open_stdin(&file, run->file_pool)
            : apr_file_open(&file, path, APR_FOPEN_READ | APR_FOPEN_BINARY, 0, run->file_pool);
    if (status != APR_SUCCESS) {
        ctl_say("%s: %s", path, ctl_error_text(status, run->file_pool));
        return status;
    }
    status = tmpl_warc_open(&run->warc, file, ctl_codecs, &err, run->file_pool);
    run->is_cut = 1;
    if (status != APR_SUCCESS) {
        ctl_say("%s: %s", path, err.text);
        run->warc = NULL;
    }
    return status;
}

static void note_damage(ctl_warc_run_t *run, const char *text)
{
    run->is_cut = 1; /* until a whole record follows */
    run->state.damaged++;
    if (names_faults(run)) {
        ctl_say("%s: %s", ctl_warc_input(run, run->state.file), text);
    }
}

/* Whether the pass has a use for the record. */
static int is_wanted(const ctl_warc_run_t *run, warc_item_t *item, apr_pool_t *pool)
{
    item->may_have_page = ctl_warc_may_have_page(&item->record, pool);
    return item->may_have_page || (run->responses && run->run.judges);
}

/* Reads the next record of the current input that is wanted. APR_EOF: there is none. */
static apr_status_t take_record(ctl_warc_run_t *run, warc_item_t *item, apr_pool_t *pool)
{
    tmpl_error_t err;
    for (;;) {
        apr_status_t status = tmpl_warc_next(run->warc, &item->record, &err, pool);
        if (status == APR_EOF) {
            return status;
        }
        run->is_cut = 0;
        if (status == APR_SUCCESS && is_wanted(run, item, pool)) {
            status = tmpl_warc_content(run->warc, &item->content, CONTENT_MOST, &err, pool);
            if (status == APR_SUCCESS || status == APR_ENOSPC) {
                run->state.records++;
                return APR_SUCCESS;
            }
        }
        else if (status == APR_SUCCESS) {
            run->state.records++;
        }
        if (status != APR_SUCCESS) {
            note_damage(run, err.text);
        }
        item->content = NULL; /* of a damaged record, too: the pool has it */
        apr_pool_clear(pool);
    }
}

static int take_item(ctl_run_t *base, ctl_item_t *at)
{
    ctl_warc_run_t *run = (ctl_warc_run_t *)base;
    warc_item_t *item = (warc_item_t *)at;
    while (run->state.file < base->ctl->args->nelts) {
        if (run->warc == NULL && open_input(run) != APR_SUCCESS) {
            run->failed = 1;
            close_input(run);
            continue;
        }
        if (take_record(run, item, at->pool) == APR_SUCCESS) {
            run->taken += item->record.length;
            if (item->content != NULL && run->taken < WARC_PART_BYTES) {
                return CTL_TAKE_ITEM;
            }
            run->taken = 0;
            return CTL_TAKE_LAST;
        }
        close_input(run);
        if (apr_time_now() - run->saved >= SAVE_AFTER) {
            return CTL_TAKE_STOP; /* the state is saved between inputs */
        }
    }
    return CTL_TAKE_NONE;
}

/* --- judging --- */

static void read_item(ctl_run_t *run, ctl_item_t *at)
{
    warc_item_t *item = (warc_item_t *)at;
    ctl_warc_page_t *page = &item->page;
    if (!item->may_have_page) {
        return;
    }
    if (item->content == NULL) {
        page->decline = TMPL_DECLINE_TOO_LARGE;
        return;
    }
    ctl_warc_page_read(page, &item->record, item->content, run->ctl->options.site, at->pool);
    at->input = page->input;
    at->page.path = at->page.url = page->url;
    at->is_page = page->decline == TMPL_DECLINE_NONE;
}

static void write_item(ctl_run_t *base, ctl_item_t *at)
{
    const ctl_warc_run_t *run = (const ctl_warc_run_t *)base;
    warc_item_t *item = (warc_item_t *)at;
    int is_edited = 0;
    if (!base->judges || item->content == NULL) {
        return;
    }
    tmpl_buf_init(&item->written, at->pool);
    if (at->is_page && ctl_run_observes(base)) {
        tmpl_buf_add(&item->written, at->rendered.bytes, at->rendered.len);
    }
    else if (at->is_page && at->rendered.lost == NULL && (at->rendered.edited || !run->responses)) {
        is_edited = 1;
        ctl_warc_written(&item->written, run, at, &item->page, &item->record);
    }
    if (!is_edited && run->responses) {
        tmpl_buf_t head = { .at = (char *)item->record.head.text, .len = item->record.head.len };
        tmpl_warc_add(&item->written, &head, item->content, (apr_size_t)item->record.length);
    }
    ctl_warc_compress(&item->written, run);
}

/*
 * Reads a record that is too long for memory to its end, and copies it if all records are copied.
 * If it is damaged, what was written of it goes.
 */
static void read_long(ctl_warc_run_t *run, const warc_item_t *item, apr_pool_t *pool)
{
    apr_off_t begin = run->out.len;
    int copies = run->responses && run->run.judges;
    tmpl_buf_t buf;
    tmpl_error_t err;
    apr_size_t len;
    const char *piece;
    tmpl_buf_init(&buf, pool);
    tmpl_warc_pack_t *pack = tmpl_warc_pack_begin(&buf, run->gzip);
    tmpl_warc_pack_add(pack, item->record.head.text, item->record.head.len);
    apr_status_t status;
    while ((status = tmpl_warc_piece(run->warc, &piece, &len, &err)) == APR_SUCCESS && len > 0) {
        if (copies) {
            tmpl_warc_pack_add(pack, piece, len);
            ctl_warc_sink_add(&run->out, buf.at, buf.len);
            tmpl_buf_clear(&buf);
        }
    }
    tmpl_warc_pack_add(pack, "\r\n\r\n", 4);
    tmpl_warc_pack_end(pack);
    if (status != APR_SUCCESS) {
        note_damage(run, err.text);
    }
    if (copies && status == APR_SUCCESS) {
        ctl_warc_sink_add(&run->out, buf.at, buf.len);
        run->state.written++;
    }
    else if (copies) {
        ctl_warc_sink_cut(&run->out, begin);
    }
}

static void report_item(ctl_run_t *base, ctl_item_t *at)
{
    ctl_warc_run_t *run = (ctl_warc_run_t *)base;
    const warc_item_t *item = (const warc_item_t *)at;
    if (item->content == NULL) {
        read_long(run, item, at->pool);
    }
    if (!base->judges) {
        return;
    }
    run->state.responses += item->may_have_page;
    if (item->may_have_page && item->page.decline != TMPL_DECLINE_NONE) {
        base->counts.declined[item->page.decline]++;
    }
    else if (item->may_have_page) {
        ctl_run_count(base, at);
    }
    ctl_warc_sink_add(&run->out, item->written.at, item->written.len);
    run->state.written += item->written.len > 0;
}

/* --- all records --- */

static void show_progress(const ctl_warc_run_t *run)
{
    double seconds = (double)(apr_time_now() - run->began) / APR_USEC_PER_SEC;
    apr_off_t read = run->before + (run->warc != NULL ? tmpl_warc_consumed(run->warc) : 0);
    long long pages = run->run.judges ? run->run.counts.pages : run->run.counts.learnt;
    ctl_progress("%s: %lld pages, %.0f/s, %.0f%% read", run->run.judges ? "cleaning" : "learning",
                 pages, seconds > 0 ? (double)pages / seconds : 0,
                 run->size > 0 ? 100 * (double)read / (double)run->size : 0);
}

static int warc_goes_on(ctl_run_t *base)
{
    ctl_warc_run_t *run = (ctl_warc_run_t *)base;
    apr_time_t now = apr_time_now();
    show_progress(run);
    if (run->warc == NULL && now - run->saved >= SAVE_AFTER) {
        run->saved = now;
        run->failed |= ctl_warc_part_save(run) != APR_SUCCESS;
    }
    return run->out.failed == APR_SUCCESS;
}

apr_status_t ctl_warc_pass(ctl_warc_run_t *run, int learns, int judges)
{
    static const ctl_stages_t stages = { take_item,   read_item,    write_item,
                                         report_item, warc_goes_on, sizeof(warc_item_t) };
    run->run.stages = &stages;
    run->before = 0;
    for (int i = 0; i < run->state.file; i++) {
        run->before += run->sizes[i];
    }
    run->saved = apr_time_now();
    apr_status_t status = ctl_run_pass(&run->run, learns, judges, INT_MAX);
    if (status == APR_SUCCESS) {
        status = ctl_warc_part_save(run);
    }
    apr_pool_clear(run->file_pool);
    run->warc = NULL;
    return status == APR_SUCCESS && run->state.file < run->run.ctl->args->nelts ? APR_INCOMPLETE
                                                                                : status;
}
