/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmplctl warc: tmpl_clean's steps as stages, over the records of archives. The caller's thread
 * reads records and appends what became of them; the other threads do what is between. A pass that
 * learns and one that judges read the same records; memory holds those of one part of the stages.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_file_info.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include "ctl.h"
#include "file_io.h"
#include "interrupt.h"
#include "json.h"
#include "late_codecs.h"
#include "open_store.h"
#include "progress.h"
#include "settings.h"
#include "stages.h"
#include "warc_out.h"
#include "warc_page.h"
#include "warc_state.h"

/* Pages that a store learns at once; they are of many sites. */
#define WARC_BATCH 64
/* Records of one part of the stages, in bytes: their pages are in memory together. */
#define WARC_PART_BYTES (16 * 1024 * 1024)

/* Content of a record that is held in memory at most: a page, with its head and chunks. */
#define CONTENT_MOST (2 * TMPL_DEFAULT_MAX_BODY)

/* How often the state is saved, and progress computed: a kill costs the work of so long. */
#define SAVE_AFTER apr_time_from_msec(250)

/*
 * A run's own store, which is removed at the end. Its file may grow to four times the inputs, which
 * are mostly compressed, and 1 GiB; tables take far less.
 */
#define OWN_STORE      "lmdb:%s/tables?size=%" APR_OFF_T_FMT "M&sites=100000000"
#define OWN_STORE_MOST (1024 * 1024) /* MiB */

/* What a pass does. */
typedef enum { WARC_LEARNS = 1, WARC_JUDGES = 2 } warc_pass_e;

typedef struct {
    ctl_t *ctl;
    ctl_warc_form_t form;
    int gzip;
    int learns_only;
    const char *part; /* directory of the unfinished run; NULL: the output is standard output */
    const char *what; /* the run, for its state */
    ctl_store_t store;
    ctl_warc_sink_t out, index;
    const char *name; /* of the output, in an index */
    ctl_warc_state_t state;
    apr_off_t *sizes; /* of the inputs */
    apr_off_t size;   /* of all */
    apr_time_t began, saved;
    json_int_t micros_before; /* of the runs before this one */
    /* of the current pass */
    int passes; /* warc_pass_e's bits */
    tmpl_clean_opts_t opts;
    /* of the current file */
    apr_pool_t *file_pool;
    tmpl_warc_t *warc;
    apr_off_t before;   /* bytes of the files in front of it */
    int failed;         /* a file cannot be read, or not to its end */
    apr_uint64_t taken; /* bytes of records, since a part was ended for them */
} warc_cmd_run_t;

/* A record in the stages. */
typedef struct {
    tmpl_warc_record_t record;
    const char *content; /* NULL: too long for memory, still to be read */
    int may_have_page;
    ctl_warc_page_t page;
    tmpl_outcome_t outcome;
    int parsed; /* outcome has the page */
    ctl_rendered_t rendered;
    int is_page; /* written holds what became of a page */
    tmpl_buf_t written;
} warc_item_t;

static const char *input_of(const warc_cmd_run_t *run, int index)
{
    return APR_ARRAY_IDX(run->ctl->args, index, const char *);
}

static json_int_t *count_of(warc_cmd_run_t *run, ctl_warc_count_e which)
{
    return &run->state.counts[which];
}

/* Whether pages are only observed (mode keys): no store is asked, and nothing is judged. */
static int warc_observes(const warc_cmd_run_t *run)
{
    return run->form.mode != NULL && run->form.mode->mode == TMPL_MODE_LEARN;
}

/* --- reading --- */

static void close_input(warc_cmd_run_t *run)
{
    apr_status_t status = run->warc != NULL ? tmpl_warc_failed(run->warc) : APR_SUCCESS;
    if (status != APR_SUCCESS) {
        ctl_say("%s: cannot read to its end: %s", input_of(run, run->state.file),
                ctl_error_text(status, run->file_pool));
        run->failed = 1;
    }
    apr_pool_clear(run->file_pool);
    run->warc = NULL;
    run->before += run->sizes[run->state.file];
    run->state.file++;
    run->state.place = (tmpl_warc_place_t){ { 0, 0 }, 0 };
}

/* Opens the current input at its place. On failure prints the reason. */
static apr_status_t open_input(warc_cmd_run_t *run)
{
    const char *path = input_of(run, run->state.file);
    apr_file_t *file;
    tmpl_error_t err = { .text = "the place where the last run ended is missing" };
    apr_status_t status =
        path == CTL_STDIN
            ? apr_file_open_stdin(&file, run->file_pool)
            : apr_file_open(&file, path, APR_FOPEN_READ | APR_FOPEN_BINARY, 0, run->file_pool);
    if (status != APR_SUCCESS) {
        ctl_say("%s: %s", path, ctl_error_text(status, run->file_pool));
        return status;
    }
    status = tmpl_warc_open(&run->warc, file, ctl_codecs, &err, run->file_pool);
    const tmpl_warc_place_t *place = &run->state.place;
    if (status == APR_SUCCESS && (place->at.member > 0 || place->at.inside > 0)) {
        status = tmpl_warc_seek(run->warc, *place);
    }
    if (status != APR_SUCCESS) {
        ctl_say("%s: %s", path, err.text);
        run->warc = NULL;
    }
    return status;
}

/* Whether a pass names damage: of two, the first. */
static void note_damage(warc_cmd_run_t *run, const char *text)
{
    (*count_of(run, CTL_WARC_DAMAGED))++;
    if (run->passes != WARC_JUDGES || run->ctl->options.frozen) {
        ctl_say("%s: %s", input_of(run, run->state.file), text);
    }
}

/* Whether the pass has a use for the record. */
static int is_wanted(const warc_cmd_run_t *run, warc_item_t *item, apr_pool_t *pool)
{
    item->may_have_page = ctl_warc_may_have_page(&item->record, pool);
    return item->may_have_page || (run->form.responses && (run->passes & WARC_JUDGES) != 0);
}

/* Reads the next record of the current input that is wanted. APR_EOF: there is none. */
static apr_status_t take_record(warc_cmd_run_t *run, warc_item_t *item, apr_pool_t *pool)
{
    tmpl_error_t err;
    for (;;) {
        apr_status_t status = tmpl_warc_next(run->warc, &item->record, &err, pool);
        if (status == APR_EOF) {
            return status;
        }
        if (status == APR_SUCCESS && is_wanted(run, item, pool)) {
            status = tmpl_warc_content(run->warc, &item->content, CONTENT_MOST, &err, pool);
            if (status == APR_SUCCESS || status == APR_ENOSPC) {
                (*count_of(run, CTL_WARC_RECORDS))++;
                return APR_SUCCESS;
            }
        }
        else if (status == APR_SUCCESS) {
            (*count_of(run, CTL_WARC_RECORDS))++;
        }
        if (status != APR_SUCCESS) {
            note_damage(run, err.text);
        }
        item->content = NULL; /* of a damaged record, too: the pool has it */
        apr_pool_clear(pool);
    }
}

static int take_item(void *baton, const ctl_item_t *at)
{
    warc_cmd_run_t *run = baton;
    warc_item_t *item = at->state;
    while (run->state.file < run->ctl->args->nelts) {
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
    }
    return CTL_TAKE_NONE;
}

/* --- judging --- */

static void prepare_item(void *baton, const ctl_item_t *at)
{
    warc_cmd_run_t *run = baton;
    warc_item_t *item = at->state;
    ctl_warc_page_t *page = &item->page;
    tmpl_input_t *input = &page->input;
    if (!item->may_have_page) {
        return;
    }
    if (item->content == NULL) {
        page->decline = TMPL_DECLINE_TOO_LARGE;
        return;
    }
    ctl_warc_page_read(page, &item->record, item->content, run->ctl->options.site, at->pool);
    if (page->decline != TMPL_DECLINE_NONE) {
        return;
    }
    int learns = (run->passes & WARC_LEARNS) != 0;
    input->learn = learns ? TMPL_LEARNING_NOW : TMPL_LEARNING_OFF;
    item->parsed = tmpl_clean_read(&item->outcome, input, &run->opts, at->pool);
    if (item->parsed) {
        tmpl_clean_observe(&item->outcome, input, &run->opts, at->pool);
    }
    if (item->parsed && !learns && !warc_observes(run)) {
        tmpl_clean_count(&item->outcome, run->store.store, CTL_STORE_TIMEOUT, at->pool);
    }
}

/* Learns pages of any sites, of which nothing else is asked. */
static void learn_items(warc_cmd_run_t *run, tmpl_outcome_t **outcomes, uint32_t n,
                        apr_pool_t *pool)
{
    const tmpl_observation_t *pages[WARC_BATCH];
    tmpl_error_t err;
    for (uint32_t i = 0; i < n; i++) {
        pages[i] = &outcomes[i]->observation;
    }
    apr_status_t status =
        tmpl_store_learn(run->store.store, pages, n, CTL_STORE_TIMEOUT, NULL, &err, pool);
    if (status != APR_SUCCESS) {
        outcomes[n - 1]->store_error = err;
        *count_of(run, CTL_WARC_STORE_FAILURES) += n - 1;
    }
    run->state.learnt += n;
}

static void count_items(void *baton, const ctl_item_t *const *items, int n)
{
    warc_cmd_run_t *run = baton;
    tmpl_outcome_t *outcomes[WARC_BATCH];
    uint32_t n_parsed = 0, begin = 0;
    /* items are reported in order: the last one's pool outlives the others */
    apr_pool_t *pool = items[n - 1]->pool;
    for (int i = 0; i < n && (run->passes & WARC_LEARNS) != 0; i++) {
        warc_item_t *item = items[i]->state;
        if (item->parsed && item->outcome.decline == TMPL_DECLINE_NONE) {
            outcomes[n_parsed++] = &item->outcome;
        }
    }
    if (n_parsed > 0 && run->passes == WARC_LEARNS) {
        learn_items(run, outcomes, n_parsed, pool);
        return;
    }
    for (uint32_t i = 1; i <= n_parsed; i++) {
        if (i == n_parsed ||
            strcmp(outcomes[i]->observation.site, outcomes[begin]->observation.site) != 0) {
            tmpl_clean_count_many(outcomes + begin, i - begin, run->store.store, CTL_STORE_TIMEOUT,
                                  pool);
            begin = i;
        }
    }
}

/* Makes a member of gzip of what was written, if the output is to have them. */
static void compress_written(const warc_cmd_run_t *run, tmpl_buf_t *written)
{
    if (run->gzip && written->len > 0) {
        tmpl_buf_t plain = *written;
        tmpl_buf_init(written, plain.pool);
        ctl_gzip(written, plain.at, plain.len);
    }
}

static void finish_item(void *baton, const ctl_item_t *at)
{
    warc_cmd_run_t *run = baton;
    warc_item_t *item = at->state;
    ctl_warc_page_t *page = &item->page;
    if ((run->passes & WARC_JUDGES) == 0 || item->content == NULL) {
        return;
    }
    tmpl_buf_init(&item->written, at->pool);
    if (item->may_have_page && page->decline == TMPL_DECLINE_NONE) {
        ctl_page_t judged = {
            page->url, NULL, page->url, &page->input, &item->outcome, &run->opts
        };
        if (item->parsed && !warc_observes(run)) {
            tmpl_clean_decide(&item->outcome, &run->opts, at->pool);
        }
        run->form.mode->render(&item->rendered, &judged, at->pool);
        if (warc_observes(run)) {
            tmpl_buf_add(&item->written, item->rendered.bytes, item->rendered.len);
        }
        else if (item->rendered.lost == NULL && (item->rendered.edited || !run->form.responses)) {
            item->is_page = 1;
            ctl_warc_written(&item->written, &run->form, page, &item->record, &judged,
                             &item->rendered);
        }
    }
    if (!item->is_page && run->form.responses) {
        tmpl_buf_t head = { .at = (char *)item->record.head.text, .len = item->record.head.len };
        tmpl_warc_add(&item->written, &head, item->content, (apr_size_t)item->record.length);
    }
    compress_written(run, &item->written);
}

/*
 * Reads a record that is too long for memory to its end, and copies it if all records are copied.
 * If it is damaged, what was written of it goes.
 */
static void read_long(warc_cmd_run_t *run, const warc_item_t *item, apr_pool_t *pool)
{
    apr_off_t begin = run->out.len;
    int copies = run->form.responses && (run->passes & WARC_JUDGES) != 0;
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
        (*count_of(run, CTL_WARC_WRITTEN))++;
    }
    else if (copies) {
        ctl_warc_sink_cut(&run->out, begin);
    }
}

/* Counts a page that was judged. */
static void note_judged(warc_cmd_run_t *run, const warc_item_t *item)
{
    run->state.declined[item->outcome.decline]++;
    (*count_of(run, CTL_WARC_PAGES))++;
    *count_of(run, CTL_WARC_EDITED) += item->rendered.edited;
    *count_of(run, CTL_WARC_LOST) += item->rendered.lost != NULL;
    *count_of(run, CTL_WARC_BYTES_IN) += (json_int_t)item->page.input.len;
    *count_of(run, CTL_WARC_BYTES_OUT) +=
        item->rendered.lost == NULL ? (json_int_t)item->rendered.len : 0;
}

static void report_item(void *baton, const ctl_item_t *at)
{
    warc_cmd_run_t *run = baton;
    warc_item_t *item = at->state;
    const tmpl_error_t *err = &item->outcome.store_error;
    if (err->status != APR_SUCCESS && (*count_of(run, CTL_WARC_STORE_FAILURES))++ == 0) {
        ctl_say("%s: store: %s", item->page.url, err->text);
    }
    if (item->content == NULL) {
        read_long(run, item, at->pool);
    }
    if ((run->passes & WARC_JUDGES) == 0) {
        return;
    }
    *count_of(run, CTL_WARC_RESPONSES) += item->may_have_page;
    if (item->may_have_page && item->page.decline != TMPL_DECLINE_NONE) {
        run->state.declined[item->page.decline]++;
    }
    else if (item->may_have_page) {
        note_judged(run, item);
    }
    if (item->is_page && run->ctl->options.index != NULL) {
        const char *line = ctl_warc_index_line(&run->form, &item->page, run->name, run->out.len,
                                               item->written.len, at->pool);
        ctl_warc_sink_add(&run->index, line, line != NULL ? strlen(line) : 0);
    }
    ctl_warc_sink_add(&run->out, item->written.at, item->written.len);
    *count_of(run, CTL_WARC_WRITTEN) += item->written.len > 0;
}

/* --- progress --- */

static void show_progress(warc_cmd_run_t *run)
{
    char text[100];
    tmpl_store_usage_t usage = { 0 };
    double seconds = (double)(apr_time_now() - run->began) / APR_USEC_PER_SEC;
    apr_off_t read = run->before + (run->warc != NULL ? tmpl_warc_consumed(run->warc) : 0);
    json_int_t pages =
        run->passes == WARC_LEARNS ? run->state.learnt : *count_of(run, CTL_WARC_PAGES);
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

/* Saves how far the run is, between parts of the stages: all that was read is reported. */
static apr_status_t save_state(warc_cmd_run_t *run)
{
    tmpl_error_t err;
    ctl_t *ctl = run->ctl;
    apr_pool_t *pool;
    if (run->part == NULL) {
        return APR_SUCCESS;
    }
    apr_pool_create(&pool, ctl->pool);
    if (run->warc != NULL) {
        run->state.place = tmpl_warc_place(run->warc);
    }
    run->state.micros = run->micros_before + (apr_time_now() - run->began);
    run->state.out = run->out.len;
    run->state.index = run->index.len;
    apr_status_t status = ctl_warc_sink_flush(&run->out, pool);
    if (status == APR_SUCCESS) {
        status = ctl_warc_sink_flush(&run->index, pool);
    }
    if (status == APR_SUCCESS) {
        status = ctl_warc_state_save(&run->state, run->part, run->what, &err, pool);
        if (status != APR_SUCCESS) {
            ctl_say("warc: %s: cannot save the state: %s", run->part, err.text);
        }
    }
    apr_pool_destroy(pool);
    return status;
}

static int warc_goes_on(void *baton)
{
    warc_cmd_run_t *run = baton;
    if (apr_time_now() - run->saved >= SAVE_AFTER) {
        run->saved = apr_time_now();
        show_progress(run);
        if (save_state(run) != APR_SUCCESS) {
            run->failed = 1;
            return 0;
        }
    }
    return !ctl_interrupted() && run->out.failed == APR_SUCCESS;
}

/* --- passes --- */

/* Reads all inputs once, from the state's place on. */
static apr_status_t warc_pass(warc_cmd_run_t *run, int passes)
{
    static const ctl_stages_t stages = { take_item,   prepare_item, count_items,
                                         finish_item, report_item,  sizeof(warc_item_t) };
    ctl_t *ctl = run->ctl;
    int learns = (passes & WARC_LEARNS) != 0;
    ctl_work_t work = { .jobs = (int)ctl->options.jobs,
                        .batch = learns ? WARC_BATCH : 1,
                        .more = warc_goes_on,
                        .baton = run };
    run->passes = passes;
    run->opts = ctl->options.clean;
    run->opts.mode = (passes & WARC_JUDGES) != 0 ? run->form.mode->mode : TMPL_MODE_LEARN;
    run->before = 0;
    for (int i = 0; i < run->state.file; i++) {
        run->before += run->sizes[i];
    }
    run->saved = apr_time_now();
    ctl_progress_start((passes & WARC_JUDGES) != 0 ? "cleaning" : "learning", 1000);
    apr_status_t status = ctl_stages_run(&stages, &work, INT_MAX, ctl->pool);
    ctl_progress_end();
    if (status != APR_SUCCESS) {
        ctl_say("warc: --jobs %u: %s", ctl->options.jobs, ctl_error_text(status, ctl->pool));
        return status;
    }
    status = save_state(run);
    int is_done = run->state.file == ctl->args->nelts;
    if (run->warc != NULL) {
        apr_pool_clear(run->file_pool);
        run->warc = NULL;
    }
    return status == APR_SUCCESS && !is_done ? APR_INCOMPLETE : status;
}

/* The next pass begins at the first input, and counts records anew. */
static void begin_pass(warc_cmd_run_t *run)
{
    json_int_t learnt = run->state.learnt, failures = *count_of(run, CTL_WARC_STORE_FAILURES);
    apr_off_t out = run->state.out;
    json_int_t micros = run->state.micros;
    run->state = (ctl_warc_state_t){ .pass = 1, .learnt = learnt, .out = out, .micros = micros };
    *count_of(run, CTL_WARC_STORE_FAILURES) = failures;
}

static apr_status_t warc_passes(warc_cmd_run_t *run)
{
    const ctl_options_t *options = &run->ctl->options;
    if (options->incremental || options->frozen || warc_observes(run)) {
        return warc_pass(run, !options->incremental ? WARC_JUDGES : WARC_LEARNS | WARC_JUDGES);
    }
    apr_status_t status = APR_SUCCESS;
    if (run->state.pass == 0) {
        status = warc_pass(run, WARC_LEARNS);
        if (status == APR_SUCCESS && !run->learns_only) {
            begin_pass(run);
        }
    }
    return status == APR_SUCCESS && !run->learns_only ? warc_pass(run, WARC_JUDGES) : status;
}

/* --- the command line --- */

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
static const char *wrong_options(const warc_cmd_run_t *run)
{
    const ctl_options_t *options = &run->ctl->options;
    const ctl_mode_t *mode = run->form.mode;
    int is_html =
        mode != NULL && (strcmp(mode->name, "strip") == 0 || strcmp(mode->name, "annotate") == 0);
    return run->learns_only && options->store == NULL ? "--mode learn needs --store"
           : run->learns_only && (options->out != NULL || options->frozen || options->incremental)
               ? "--mode learn goes with neither --out nor --frozen nor --incremental"
           : options->frozen && options->store == NULL ? "--frozen needs --store"
           : options->frozen && options->incremental   ? "--frozen excludes --incremental"
           : run->form.responses && !is_html           ? "--responses needs mode strip or annotate"
           : warc_observes(run) &&
                   (options->incremental || options->frozen || options->index != NULL)
               ? "--mode keys goes with neither --incremental nor --frozen nor --index"
           : run->form.responses && run->form.json_lines ? "--responses excludes lines of JSON"
           : options->index != NULL &&
                   (run->learns_only || run->form.json_lines || options->out == NULL)
               ? "--index is of a file of records: name one by --out"
               : NULL;
}

/* Fills the form and checks the options; prints what is wrong. */
static apr_status_t check_warc_form(warc_cmd_run_t *run)
{
    tmpl_error_t err;
    ctl_options_t *options = &run->ctl->options;
    const char *out = options->out != NULL ? options->out : "";
    run->learns_only = strcmp(options->mode, "learn") == 0;
    run->form.responses = options->responses;
    run->gzip = has_suffix(out, ".gz");
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
static int reads_once(const warc_cmd_run_t *run)
{
    const ctl_options_t *options = &run->ctl->options;
    return options->incremental || options->frozen || run->learns_only || warc_observes(run);
}

/* Measures the inputs, and describes the run. */
static apr_status_t measure_inputs(warc_cmd_run_t *run)
{
    ctl_t *ctl = run->ctl;
    int n = ctl->args->nelts;
    run->sizes = apr_pcalloc(ctl->pool, ((apr_size_t)n + 1) * sizeof(*run->sizes));
    tmpl_buf_t what;
    tmpl_buf_init(&what, ctl->pool);
    tmpl_buf_add_text(&what, apr_psprintf(ctl->pool, "%016" APR_UINT64_T_HEX_FMT, ctl->given));
    for (int i = 0; i < n; i++) {
        apr_finfo_t info = { .size = 0 };
        const char *path = input_of(run, i);
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
    run->what = what.at;
    return APR_SUCCESS;
}

static const char *in_part(const warc_cmd_run_t *run, const char *name)
{
    return run->part != NULL ? apr_pstrcat(run->ctl->pool, run->part, "/", name, NULL) : NULL;
}

/* Whether both paths name one file, which exists. */
static int is_same_file(const char *a, const char *b, apr_pool_t *pool)
{
    apr_finfo_t x, y;
    return apr_stat(&x, a, APR_FINFO_IDENT, pool) == APR_SUCCESS &&
           apr_stat(&y, b, APR_FINFO_IDENT, pool) == APR_SUCCESS && x.device == y.device &&
           x.inode == y.inode;
}

/* Whether an output can have its name at the end, and replaces no input. */
static apr_status_t check_output(const warc_cmd_run_t *run, const char *path, tmpl_error_t *err)
{
    tmpl_error_t why;
    const char *dir, *name;
    apr_pool_t *pool = run->ctl->pool;
    ctl_file_split(&dir, &name, path, pool);
    apr_status_t status = ctl_file_check_writable(dir, name, &why, pool);
    for (int i = 0; status == APR_SUCCESS && i < run->ctl->args->nelts; i++) {
        const char *input = input_of(run, i);
        if (input != CTL_STDIN && is_same_file(path, input, pool)) {
            status = tmpl_fail(&why, APR_EEXIST, "it is an input");
        }
    }
    return status == APR_SUCCESS ? status
                                 : tmpl_fail(err, status, "%s: cannot write: %s", path, why.text);
}

static apr_status_t check_outputs(const warc_cmd_run_t *run, tmpl_error_t *err)
{
    const ctl_options_t *options = &run->ctl->options;
    apr_status_t status = check_output(run, options->out, err);
    if (status == APR_SUCCESS && options->index != NULL) {
        status = strcmp(options->index, options->out) == 0
                     ? tmpl_fail(err, APR_EINVAL, "--index and --out are one file")
                     : check_output(run, options->index, err);
    }
    return status;
}

/* Two runs must not write to one directory at once. The system ends the lock with the process. */
static apr_status_t lock_part(const warc_cmd_run_t *run, tmpl_error_t *err)
{
    apr_file_t *file;
    const char *path = in_part(run, "lock");
    apr_status_t status = apr_file_open(&file, path, APR_FOPEN_WRITE | APR_FOPEN_CREATE,
                                        APR_FPROT_OS_DEFAULT, run->ctl->pool);
    if (status == APR_SUCCESS) {
        status = apr_file_lock(file, APR_FLOCK_EXCLUSIVE | APR_FLOCK_NONBLOCK);
    }
    return APR_STATUS_IS_EAGAIN(status) || APR_STATUS_IS_EACCES(status)
               ? tmpl_fail(err, status, "%s: another run is at work there", run->part)
           : status != APR_SUCCESS ? tmpl_fail(err, status, "%s: cannot lock: %s", path,
                                               ctl_error_text(status, run->ctl->pool))
                                   : status;
}

/* Finds what an earlier run has left, or makes the directory for what this one will leave. */
static apr_status_t prepare_part(warc_cmd_run_t *run)
{
    ctl_t *ctl = run->ctl;
    tmpl_error_t err;
    if (ctl->options.out == NULL) {
        return APR_SUCCESS;
    }
    run->name = apr_filepath_name_get(ctl->options.out);
    run->part = apr_pstrcat(ctl->pool, ctl->options.out, ".part", NULL);
    apr_status_t status = check_outputs(run, &err);
    if (status == APR_SUCCESS) {
        status = apr_dir_make_recursive(in_part(run, "tables"), APR_FPROT_OS_DEFAULT, ctl->pool);
        status = status != APR_SUCCESS
                     ? tmpl_fail(&err, status, "%s: cannot make the directory: %s", run->part,
                                 ctl_error_text(status, ctl->pool))
                     : lock_part(run, &err);
    }
    if (status == APR_SUCCESS) {
        status = ctl_warc_state_load(&run->state, run->part, run->what, &err, ctl->pool);
        if (status == APR_SUCCESS) {
            ctl_say("goes on where an earlier run ended: %s", run->part);
        }
        status = status == APR_ENOENT ? APR_SUCCESS : status;
    }
    if (status != APR_SUCCESS) {
        ctl_say("warc: %s", err.text);
    }
    return status;
}

static apr_status_t open_outputs(warc_cmd_run_t *run)
{
    ctl_t *ctl = run->ctl;
    if (run->learns_only) {
        return APR_SUCCESS;
    }
    apr_status_t status =
        ctl_warc_sink_open(&run->out, in_part(run, "out"), run->state.out, ctl->pool);
    if (status == APR_SUCCESS && ctl->options.index != NULL) {
        status =
            ctl_warc_sink_open(&run->index, in_part(run, "index"), run->state.index, ctl->pool);
    }
    if (status == APR_SUCCESS && run->out.len == 0 && !run->form.json_lines &&
        !warc_observes(run)) {
        tmpl_buf_t info;
        tmpl_buf_init(&info, ctl->pool);
        ctl_warc_info(&info, &run->form, run->name != NULL ? run->name : "-", ctl->pool);
        compress_written(run, &info);
        ctl_warc_sink_add(&run->out, info.at, info.len);
    }
    return status;
}

/* Opens all that the run writes to. A run to a file has a store of its own, unless one is named. */
static apr_status_t prepare_warc(warc_cmd_run_t *run)
{
    ctl_t *ctl = run->ctl;
    apr_status_t status = prepare_part(run);
    if (status == APR_SUCCESS && run->part != NULL && ctl->options.store == NULL &&
        !warc_observes(run)) {
        apr_off_t size = 1024 + 4 * (run->size >> 20);
        size = size < OWN_STORE_MOST ? size : OWN_STORE_MOST;
        ctl->options.store = apr_psprintf(ctl->pool, OWN_STORE, run->part, size);
    }
    if (status == APR_SUCCESS) {
        status = ctl_store_open(&run->store, ctl);
    }
    run->micros_before = run->state.micros;
    return status == APR_SUCCESS ? open_outputs(run) : status;
}

/* Moves a finished file to its place, which may be on another file system. */
static apr_status_t move_output(const warc_cmd_run_t *run, const char *name, const char *to)
{
    const char *from = in_part(run, name);
    apr_status_t status = apr_file_rename(from, to, run->ctl->pool);
    if (APR_STATUS_IS_EXDEV(status)) {
        status = apr_file_copy(from, to, APR_FPROT_FILE_SOURCE_PERMS, run->ctl->pool);
    }
    if (status != APR_SUCCESS) {
        ctl_say("warc: cannot move %s to %s: %s", from, to, ctl_error_text(status, run->ctl->pool));
    }
    return status;
}

/* Removes a directory that has files only. */
static void remove_dir(const char *path, apr_pool_t *pool)
{
    apr_dir_t *dir;
    apr_finfo_t info;
    apr_array_header_t *names = apr_array_make(pool, 4, sizeof(const char *));
    if (apr_dir_open(&dir, path, pool) != APR_SUCCESS) {
        return;
    }
    while (apr_dir_read(&info, APR_FINFO_NAME, dir) == APR_SUCCESS) {
        APR_ARRAY_PUSH(names, const char *) = apr_pstrcat(pool, path, "/", info.name, NULL);
    }
    apr_dir_close(dir);
    for (int i = 0; i < names->nelts; i++) {
        apr_file_remove(APR_ARRAY_IDX(names, i, const char *), pool);
    }
    apr_dir_remove(path, pool);
}

/* The outputs get their names, and what else the directory has is removed. */
static apr_status_t finish_part(warc_cmd_run_t *run)
{
    ctl_t *ctl = run->ctl;
    if (run->part == NULL) {
        return ctl_warc_sink_flush(&run->out, ctl->pool);
    }
    apr_file_close(run->out.file);
    apr_status_t status = move_output(run, "out", ctl->options.out);
    if (status == APR_SUCCESS && ctl->options.index != NULL) {
        apr_file_close(run->index.file);
        status = move_output(run, "index", ctl->options.index);
    }
    if (status == APR_SUCCESS) {
        remove_dir(in_part(run, "tables"), ctl->pool);
        remove_dir(run->part, ctl->pool);
    }
    return status;
}

/* --- the end --- */

static apr_status_t count_site(void *baton, const char *site)
{
    (void)site;
    (*(json_int_t *)baton)++;
    return APR_SUCCESS;
}

/* Writes --report; an exit code. */
static int write_warc_report(warc_cmd_run_t *run, json_int_t sites)
{
    ctl_t *ctl = run->ctl;
    const char *dir, *name;
    tmpl_error_t err;
    double seconds = (double)run->state.micros / APR_USEC_PER_SEC;
    json_int_t pages = run->learns_only ? run->state.learnt : *count_of(run, CTL_WARC_PAGES);
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

/* Prints one line, if standard output has nothing else. */
static void print_warc_summary(warc_cmd_run_t *run, json_int_t sites)
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

int ctl_warc(ctl_t *ctl)
{
    warc_cmd_run_t run = { .ctl = ctl, .began = apr_time_now() };
    json_int_t sites = 0;
    if (check_warc_form(&run) != APR_SUCCESS || measure_inputs(&run) != APR_SUCCESS) {
        return CTL_USAGE;
    }
    apr_pool_create(&run.file_pool, ctl->pool);
    ctl_interrupt_catch();
    if (prepare_warc(&run) != APR_SUCCESS) {
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
        status = finish_part(&run);
    }
    if (status != APR_SUCCESS) {
        return CTL_FAILED;
    }
    int code = ctl->options.report != NULL ? write_warc_report(&run, sites) : CTL_OK;
    print_warc_summary(&run, sites);
    return run.failed                                     ? CTL_FAILED
           : *count_of(&run, CTL_WARC_STORE_FAILURES) > 0 ? CTL_STORE_FAILED
                                                          : code;
}
