/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OUT.part, the directory of what is not finished: output, tables and the state. The state is that
 * of the last input that was read to its end: a run that was killed goes on with the next one.
 */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>

#include <apr_file_info.h>
#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include "ctl.h"
#include "files.h"
#include "warc.h"

/*
 * A run's own store, which is removed at the end. Its file may grow to four times the inputs, which
 * are mostly compressed, and 1 GiB; tables take far less.
 */
#define OWN_STORE      "lmdb:%s/tables?size=%" APR_OFF_T_FMT "M&sites=100000000"
#define OWN_STORE_MOST (1024 * 1024) /* MiB */

/* The file of the state, which only the same program reads. */
#define STATE "state"

static const char *in_part(const ctl_warc_run_t *run, const char *name)
{
    return run->part != NULL ? apr_pstrcat(run->run.ctl->pool, run->part, "/", name, NULL) : NULL;
}

/* --- the output --- */

/* Cuts a file to len bytes, and goes to its end. */
static apr_status_t cut_file(apr_file_t *file, apr_off_t len)
{
    apr_status_t status = apr_file_trunc(file, len);
    return status == APR_SUCCESS ? apr_file_seek(file, APR_SET, &len) : status;
}

/* Opens a file, of which the first len bytes stay; it must have them. */
static apr_status_t open_at(apr_file_t **file, const char *path, apr_off_t len, apr_pool_t *pool)
{
    apr_int32_t flags = APR_FOPEN_WRITE | APR_FOPEN_CREATE | APR_FOPEN_BINARY | APR_FOPEN_BUFFERED;
    apr_finfo_t info;
    apr_status_t status = apr_file_open(file, path, flags, APR_FPROT_OS_DEFAULT, pool);
    if (status == APR_SUCCESS) {
        status = apr_file_info_get(&info, APR_FINFO_SIZE, *file);
    }
    if (status != APR_SUCCESS) {
        return status;
    }
    return info.size < len ? APR_EOF : cut_file(*file, len);
}

/* Opens the output behind its first len bytes; NULL: standard output. */
static apr_status_t sink_open(ctl_warc_sink_t *sink, const char *path, apr_off_t len,
                              apr_pool_t *pool)
{
    *sink = (ctl_warc_sink_t){ .path = path != NULL ? path : "standard output",
                               .is_own = path != NULL,
                               .len = len };
    apr_status_t status = path != NULL
                              ? open_at(&sink->file, path, len, pool)
                              : apr_file_open_flags_stdout(&sink->file, APR_FOPEN_BUFFERED, pool);
    if (status != APR_SUCCESS) {
        ctl_say("warc: %s: cannot write: %s", sink->path, ctl_error_text(status, pool));
    }
    return status;
}

void ctl_warc_sink_add(ctl_warc_sink_t *sink, const char *bytes, apr_size_t len)
{
    if (sink->failed == APR_SUCCESS && len > 0) {
        sink->failed = apr_file_write_full(sink->file, bytes, len, NULL);
        sink->len += (apr_off_t)len;
    }
}

void ctl_warc_sink_cut(ctl_warc_sink_t *sink, apr_off_t len)
{
    /* in front of standard output there may be others' bytes, or it is a pipe */
    apr_status_t status = sink->is_own ? apr_file_flush(sink->file) : APR_FROM_OS_ERROR(ESPIPE);
    status = status == APR_SUCCESS ? cut_file(sink->file, len) : status;
    sink->failed = sink->failed == APR_SUCCESS ? status : sink->failed;
    sink->len = len;
}

/* Passes all on to the system. Prints the first failure. */
static apr_status_t sink_flush(ctl_warc_sink_t *sink, apr_pool_t *pool)
{
    apr_status_t status = sink->file == NULL            ? APR_SUCCESS
                          : sink->failed == APR_SUCCESS ? apr_file_flush(sink->file)
                                                        : sink->failed;
    if (status != APR_SUCCESS && sink->path != NULL) {
        ctl_say("warc: %s: cannot write: %s", sink->path, ctl_error_text(status, pool));
        sink->path = NULL;
    }
    return status;
}

/* --- the start of a run --- */

/*
 * Whether the output and the report can have their names at the end, and replace no input: a long
 * run should not end because one cannot be written.
 */
static apr_status_t check_outputs(const ctl_t *ctl, tmpl_error_t *err)
{
    apr_pool_t *pool = ctl->pool;
    apr_hash_t *others = apr_hash_make(pool);
    const char *paths[] = { ctl->options.out, ctl->options.report };
    for (int i = 0; i < ctl->args->nelts; i++) {
        const char *input = APR_ARRAY_IDX(ctl->args, i, const char *);
        apr_hash_set(others, ctl_file_identity(input, pool), APR_HASH_KEY_STRING, "it is an input");
    }
    for (int i = 0; i < 2; i++) {
        tmpl_error_t why;
        const char *path = paths[i];
        if (path == NULL || strcmp(path, "-") == 0) {
            continue;
        }
        const char *identity = ctl_file_identity(path, pool);
        const char *other = apr_hash_get(others, identity, APR_HASH_KEY_STRING);
        apr_status_t status = ctl_file_check_writable(path, &why, pool);
        if (status != APR_SUCCESS || other != NULL) {
            return tmpl_fail(err, APR_EEXIST, "%s: cannot write: %s", path,
                             status != APR_SUCCESS ? why.text : other);
        }
        apr_hash_set(others, identity, APR_HASH_KEY_STRING, "it is --out, too");
    }
    return APR_SUCCESS;
}

/* Two runs must not write to one directory at once. The system ends the lock with the process. */
static apr_status_t lock_part(const ctl_warc_run_t *run, tmpl_error_t *err)
{
    apr_file_t *file;
    const char *path = in_part(run, "lock");
    apr_status_t status = apr_file_open(&file, path, APR_FOPEN_WRITE | APR_FOPEN_CREATE,
                                        APR_FPROT_OS_DEFAULT, run->run.ctl->pool);
    if (status == APR_SUCCESS) {
        status = apr_file_lock(file, APR_FLOCK_EXCLUSIVE | APR_FLOCK_NONBLOCK);
    }
    return APR_STATUS_IS_EAGAIN(status) || APR_STATUS_IS_EACCES(status)
               ? tmpl_fail(err, status, "%s: another run is at work there", run->part)
           : status != APR_SUCCESS ? tmpl_fail(err, status, "%s: cannot lock: %s", path,
                                               ctl_error_text(status, run->run.ctl->pool))
                                   : status;
}

/* Reads the state of an earlier run, if there is one. */
static apr_status_t load_state(ctl_warc_run_t *run, tmpl_error_t *err)
{
    const char *bytes, *path = in_part(run, STATE);
    apr_size_t len;
    apr_finfo_t info;
    apr_pool_t *pool = run->run.ctl->pool;
    uint64_t its = run->state.run;
    if (apr_stat(&info, path, APR_FINFO_TYPE, pool) != APR_SUCCESS) {
        return APR_SUCCESS;
    }
    apr_status_t status = ctl_file_read(&bytes, &len, path, err, pool);
    if (status != APR_SUCCESS) {
        return status;
    }
    if (len != sizeof(run->state) || memcmp(bytes, &its, sizeof(its)) != 0) {
        return tmpl_fail(err, APR_EINVAL,
                         "%s is of a run with other inputs or options: remove it to begin anew",
                         run->part);
    }
    memcpy(&run->state, bytes, len);
    run->run.counts = run->state.counts;
    ctl_say("goes on where an earlier run ended: %s", run->part);
    return APR_SUCCESS;
}

/* Finds what an earlier run has left, or makes the directory for what this one will leave. */
static apr_status_t prepare_part(ctl_warc_run_t *run)
{
    ctl_t *ctl = run->run.ctl;
    tmpl_error_t err;
    apr_status_t status = check_outputs(ctl, &err);
    if (status == APR_SUCCESS && ctl->options.out != NULL) {
        run->part = apr_pstrcat(ctl->pool, ctl->options.out, ".part", NULL);
        status = apr_dir_make_recursive(in_part(run, "tables"), APR_FPROT_OS_DEFAULT, ctl->pool);
        status = status != APR_SUCCESS
                     ? tmpl_fail(&err, status, "%s: cannot make the directory: %s", run->part,
                                 ctl_error_text(status, ctl->pool))
                     : lock_part(run, &err);
        status = status == APR_SUCCESS ? load_state(run, &err) : status;
    }
    if (status != APR_SUCCESS) {
        ctl_say("warc: %s", err.text);
    }
    return status;
}

static apr_status_t open_output(ctl_warc_run_t *run)
{
    const ctl_t *ctl = run->run.ctl;
    if (run->run.mode == NULL) {
        return APR_SUCCESS;
    }
    apr_status_t status = sink_open(&run->out, in_part(run, "out"), run->state.out, ctl->pool);
    if (status == APR_SUCCESS && run->out.len == 0 && !run->json_lines &&
        !ctl_run_observes(&run->run)) {
        const char *out = ctl->options.out;
        tmpl_buf_t info;
        tmpl_buf_init(&info, ctl->pool);
        ctl_warc_info(&info, run, out != NULL ? apr_filepath_name_get(out) : "-", ctl->pool);
        ctl_warc_compress(&info, run);
        ctl_warc_sink_add(&run->out, info.at, info.len);
    }
    return status;
}

apr_status_t ctl_warc_part_begin(ctl_warc_run_t *run)
{
    ctl_t *ctl = run->run.ctl;
    apr_status_t status = prepare_part(run);
    if (status == APR_SUCCESS && run->part != NULL && ctl->options.store == NULL &&
        !ctl_run_observes(&run->run)) {
        apr_off_t size = 1024 + 4 * (run->size >> 20);
        size = size < OWN_STORE_MOST ? size : OWN_STORE_MOST;
        ctl->options.store = apr_psprintf(ctl->pool, OWN_STORE, run->part, size);
    }
    if (status == APR_SUCCESS) {
        status = ctl_store_open(&run->run.store, ctl);
    }
    run->micros_before = run->state.micros;
    if (status == APR_SUCCESS) {
        status = open_output(run);
    }
    /* the tables that the run begins to fill are of these options only */
    return status == APR_SUCCESS ? ctl_warc_part_save(run) : status;
}

/* --- between inputs, and at the end --- */

apr_status_t ctl_warc_part_save(ctl_warc_run_t *run)
{
    tmpl_error_t err;
    apr_pool_t *pool;
    if (run->part == NULL && run->out.failed == APR_SUCCESS) {
        return APR_SUCCESS;
    }
    apr_pool_create(&pool, run->run.ctl->pool);
    apr_status_t status = sink_flush(&run->out, pool);
    if (status == APR_SUCCESS && run->part != NULL && run->warc == NULL) {
        run->state.micros = run->micros_before + (apr_time_now() - run->began);
        run->state.out = run->out.len;
        run->state.counts = run->run.counts;
        status = ctl_file_write(in_part(run, STATE), (const char *)&run->state, sizeof(run->state),
                                &err, pool);
        if (status != APR_SUCCESS) {
            ctl_say("warc: %s: cannot save the state: %s", run->part, err.text);
        }
    }
    apr_pool_destroy(pool);
    return status;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

apr_status_t ctl_warc_part_finish(ctl_warc_run_t *run)
{
    const ctl_t *ctl = run->run.ctl;
    const char *from = in_part(run, "out");
    if (run->part == NULL) {
        return sink_flush(&run->out, ctl->pool);
    }
    apr_file_close(run->out.file);
    /* first: the run is over, and a state without its output is of no use */
    apr_file_remove(in_part(run, STATE), ctl->pool);
    apr_status_t status = apr_file_rename(from, ctl->options.out, ctl->pool);
    if (status != APR_SUCCESS) {
        ctl_say("warc: cannot move %s to %s: %s", from, ctl->options.out,
                ctl_error_text(status, ctl->pool));
        return status;
    }
    (void)nftw(run->part, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return APR_SUCCESS;
}
