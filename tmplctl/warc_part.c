/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OUT.part, the directory of what is not finished: outputs, tables and the state. The state is that
 * of the last input that was read to its end: a run that was killed goes on with the next one.
 */
#include <string.h>

#include <apr_file_info.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include "ctl.h"
#include "file_io.h"
#include "progress.h"
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
static apr_status_t check_output(const ctl_warc_run_t *run, const char *path, tmpl_error_t *err)
{
    tmpl_error_t why;
    apr_pool_t *pool = run->ctl->pool;
    apr_status_t status = ctl_file_check_writable(path, &why, pool);
    for (int i = 0; status == APR_SUCCESS && i < run->ctl->args->nelts; i++) {
        const char *input = ctl_warc_input(run, i);
        if (input != CTL_STDIN && is_same_file(path, input, pool)) {
            status = tmpl_fail(&why, APR_EEXIST, "it is an input");
        }
    }
    return status == APR_SUCCESS ? status
                                 : tmpl_fail(err, status, "%s: cannot write: %s", path, why.text);
}

/* Whether both paths, of files that need not exist, name one. */
static int is_same_path(const char *a, const char *b, apr_pool_t *pool)
{
    const char *dir_a, *name_a, *dir_b, *name_b;
    ctl_file_split(&dir_a, &name_a, a, pool);
    ctl_file_split(&dir_b, &name_b, b, pool);
    return strcmp(name_a, name_b) == 0 && is_same_file(dir_a, dir_b, pool);
}

/* The report is an output, too: a long run should not end because it cannot be written. */
static apr_status_t check_outputs(const ctl_warc_run_t *run, tmpl_error_t *err)
{
    static const char *const options[] = { "--out", "--index", "--report" };
    const ctl_options_t *given = &run->ctl->options;
    int prints = given->report != NULL && strcmp(given->report, "-") == 0;
    const char *paths[] = { given->out, given->index, prints ? NULL : given->report };
    for (int i = 0; i < 3; i++) {
        apr_status_t status = paths[i] != NULL ? check_output(run, paths[i], err) : APR_SUCCESS;
        for (int j = 0; status == APR_SUCCESS && paths[i] != NULL && j < i; j++) {
            if (paths[j] != NULL && is_same_path(paths[i], paths[j], run->ctl->pool)) {
                status =
                    tmpl_fail(err, APR_EINVAL, "%s and %s are one file", options[i], options[j]);
            }
        }
        if (status != APR_SUCCESS) {
            return status;
        }
    }
    return APR_SUCCESS;
}

/* Two runs must not write to one directory at once. The system ends the lock with the process. */
static apr_status_t lock_part(const ctl_warc_run_t *run, tmpl_error_t *err)
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

/* Reads the state of an earlier run. APR_ENOENT: there is none. */
static apr_status_t load_state(ctl_warc_run_t *run, tmpl_error_t *err)
{
    const char *bytes, *path = in_part(run, STATE);
    apr_size_t len;
    apr_finfo_t info;
    uint64_t its = run->state.run;
    if (apr_stat(&info, path, APR_FINFO_TYPE, run->ctl->pool) != APR_SUCCESS) {
        return APR_ENOENT;
    }
    apr_status_t status = ctl_file_read(&bytes, &len, path, err, run->ctl->pool);
    if (status != APR_SUCCESS) {
        return status;
    }
    if (len != sizeof(run->state) || memcmp(bytes, &its, sizeof(its)) != 0) {
        return tmpl_fail(err, APR_EINVAL,
                         "%s is of a run with other inputs or options: remove it to begin anew",
                         run->part);
    }
    memcpy(&run->state, bytes, len);
    return APR_SUCCESS;
}

/* Finds what an earlier run has left, or makes the directory for what this one will leave. */
static apr_status_t prepare_part(ctl_warc_run_t *run)
{
    ctl_t *ctl = run->ctl;
    tmpl_error_t err;
    apr_status_t status = check_outputs(run, &err);
    if (status == APR_SUCCESS && ctl->options.out == NULL) {
        return APR_SUCCESS;
    }
    if (status == APR_SUCCESS) {
        run->name = apr_filepath_name_get(ctl->options.out);
        run->part = apr_pstrcat(ctl->pool, ctl->options.out, ".part", NULL);
        status = apr_dir_make_recursive(in_part(run, "tables"), APR_FPROT_OS_DEFAULT, ctl->pool);
        status = status != APR_SUCCESS
                     ? tmpl_fail(&err, status, "%s: cannot make the directory: %s", run->part,
                                 ctl_error_text(status, ctl->pool))
                     : lock_part(run, &err);
    }
    if (status == APR_SUCCESS) {
        status = load_state(run, &err);
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

/*
 * If an earlier run ended when this output had its name and the other had not, it loses the name.
 * len: its bytes, as the state says.
 */
static void unname_output(const ctl_warc_run_t *run, const char *name, const char *path,
                          apr_off_t len)
{
    apr_finfo_t info;
    apr_pool_t *pool = run->ctl->pool;
    const char *to = in_part(run, name);
    if (len > 0 && APR_STATUS_IS_ENOENT(apr_stat(&info, to, APR_FINFO_SIZE, pool)) &&
        apr_stat(&info, path, APR_FINFO_SIZE, pool) == APR_SUCCESS && info.size == len) {
        (void)apr_file_rename(path, to, pool);
    }
}

static apr_status_t open_outputs(ctl_warc_run_t *run)
{
    ctl_t *ctl = run->ctl;
    if (run->learns_only) {
        return APR_SUCCESS;
    }
    unname_output(run, "out", ctl->options.out, run->state.out);
    unname_output(run, "index", ctl->options.index, run->state.index);
    apr_status_t status =
        ctl_warc_sink_open(&run->out, in_part(run, "out"), run->state.out, ctl->pool);
    if (status == APR_SUCCESS && ctl->options.index != NULL) {
        status =
            ctl_warc_sink_open(&run->index, in_part(run, "index"), run->state.index, ctl->pool);
    }
    if (status == APR_SUCCESS && run->out.len == 0 && !run->form.json_lines &&
        !ctl_warc_observes(run)) {
        tmpl_buf_t info;
        tmpl_buf_init(&info, ctl->pool);
        ctl_warc_info(&info, &run->form, run->name != NULL ? run->name : "-", ctl->pool);
        ctl_warc_compress(&info, &run->form);
        ctl_warc_sink_add(&run->out, info.at, info.len);
    }
    return status;
}

apr_status_t ctl_warc_part_begin(ctl_warc_run_t *run)
{
    ctl_t *ctl = run->ctl;
    apr_status_t status = prepare_part(run);
    if (status == APR_SUCCESS && run->part != NULL && ctl->options.store == NULL &&
        !ctl_warc_observes(run)) {
        apr_off_t size = 1024 + 4 * (run->size >> 20);
        size = size < OWN_STORE_MOST ? size : OWN_STORE_MOST;
        ctl->options.store = apr_psprintf(ctl->pool, OWN_STORE, run->part, size);
    }
    if (status == APR_SUCCESS) {
        status = ctl_store_open(&run->store, ctl);
    }
    run->micros_before = run->state.micros;
    if (status == APR_SUCCESS) {
        status = open_outputs(run);
    }
    /* the tables that the run begins to fill are of these options only */
    return status == APR_SUCCESS ? ctl_warc_part_save(run) : status;
}

apr_status_t ctl_warc_part_save(ctl_warc_run_t *run)
{
    tmpl_error_t err;
    apr_pool_t *pool;
    if (run->part == NULL) {
        return run->out.failed != APR_SUCCESS ? ctl_warc_sink_flush(&run->out, run->ctl->pool)
                                              : APR_SUCCESS;
    }
    apr_pool_create(&pool, run->ctl->pool);
    apr_status_t status = ctl_warc_sink_flush(&run->out, pool);
    if (status == APR_SUCCESS) {
        status = ctl_warc_sink_flush(&run->index, pool);
    }
    if (status == APR_SUCCESS && run->warc == NULL) {
        run->state.micros = run->micros_before + (apr_time_now() - run->began);
        run->state.out = run->out.len;
        run->state.index = run->index.len;
        status = ctl_file_write(in_part(run, STATE), (const char *)&run->state, sizeof(run->state),
                                &err, pool);
        if (status != APR_SUCCESS) {
            ctl_say("warc: %s: cannot save the state: %s", run->part, err.text);
        }
    }
    apr_pool_destroy(pool);
    return status;
}

/* Moves a finished file to its place, which may be on another file system. */
static apr_status_t move_output(const ctl_warc_run_t *run, const char *name, const char *to)
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

apr_status_t ctl_warc_part_finish(ctl_warc_run_t *run)
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
        apr_file_remove(in_part(run, STATE), ctl->pool); /* first: the run is over */
        remove_dir(in_part(run, "tables"), ctl->pool);
        remove_dir(run->part, ctl->pool);
    }
    return status;
}
