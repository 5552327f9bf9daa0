/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"

#include <errno.h>
#include <unistd.h>

#include <apr_atomic.h>
#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include "base/buf.h"

const char *ctl_error_text(apr_status_t status, apr_pool_t *pool)
{
    char text[200];
    return apr_pstrdup(pool, apr_strerror(status, text, sizeof(text)));
}

/* Returns status; if it is an error, err has its text. */
static apr_status_t passed_on(apr_status_t status, tmpl_error_t *err, apr_pool_t *pool)
{
    return status == APR_SUCCESS ? status
                                 : tmpl_fail(err, status, "%s", ctl_error_text(status, pool));
}

/* Why such a file cannot be read as a page, or NULL. */
static const char *why_unreadable(const apr_finfo_t *info)
{
    if (info->filetype == APR_DIR) {
        return "is a directory";
    }
    if (info->filetype != APR_REG) {
        return "is not a regular file";
    }
    if (info->size == 0) {
        return "is empty";
    }
    return info->size > CTL_FILE_MOST ? "is larger than 1 GiB" : NULL;
}

apr_status_t ctl_file_read(const char **body, apr_size_t *len, const char *path, tmpl_error_t *err,
                           apr_pool_t *pool)
{
    apr_file_t *in = NULL;
    apr_finfo_t info;
    /* before it is opened: opening a FIFO would wait for a writer */
    apr_status_t status = apr_stat(&info, path, APR_FINFO_TYPE | APR_FINFO_SIZE, pool);
    if (status == APR_INCOMPLETE) {
        status = APR_SUCCESS;
    }
    if (status == APR_SUCCESS && why_unreadable(&info) != NULL) {
        return tmpl_fail(err, APR_EINVAL, "%s", why_unreadable(&info));
    }
    if (status == APR_SUCCESS) {
        status = apr_file_open(&in, path, APR_FOPEN_READ | APR_FOPEN_BINARY, 0, pool);
    }
    if (status == APR_SUCCESS) {
        char *buffer = apr_palloc(pool, (apr_size_t)info.size);
        status = apr_file_read_full(in, buffer, (apr_size_t)info.size, len);
        *body = buffer;
        apr_file_close(in);
    }
    /* the file was shortened since apr_stat: what was read is the page */
    if (status == APR_EOF && *len > 0) {
        status = APR_SUCCESS;
    }
    return passed_on(status, err, pool);
}

apr_status_t ctl_stdin_read(const char **body, apr_size_t *len, tmpl_error_t *err, apr_pool_t *pool)
{
    enum { STEP = 64 * 1024 };
    tmpl_buf_t buf;
    ssize_t n;
    tmpl_buf_init(&buf, pool);
    do {
        n = read(STDIN_FILENO, tmpl_buf_room(&buf, STEP), STEP);
        buf.len += n > 0 ? (apr_size_t)n : 0;
    } while (n > 0 && buf.len <= CTL_FILE_MOST);
    *body = buf.at;
    *len = buf.len;
    if (n < 0 && errno == EINTR) {
        return tmpl_fail(err, APR_EINTR, "interrupted");
    }
    if (n < 0) {
        return passed_on(APR_FROM_OS_ERROR(errno), err, pool);
    }
    return *len > CTL_FILE_MOST ? tmpl_fail(err, APR_EINVAL, "is larger than 1 GiB")
           : *len == 0          ? tmpl_fail(err, APR_EINVAL, "is empty")
                                : APR_SUCCESS;
}

static void split_path(const char **dir, const char **name, const char *path, apr_pool_t *pool)
{
    *name = apr_filepath_name_get(path);
    apr_size_t len = (apr_size_t)(*name - path);
    *dir = len == 0 ? "." : len == 1 ? "/" : apr_pstrmemdup(pool, path, len - 1);
}

/* The identity of a file that exists; else NULL. */
static const char *inode_of(const char *path, apr_pool_t *pool)
{
    apr_finfo_t info;
    return apr_stat(&info, path, APR_FINFO_IDENT, pool) != APR_SUCCESS
               ? NULL
               : apr_psprintf(pool, "%" APR_UINT64_T_FMT ":%" APR_UINT64_T_FMT,
                              (apr_uint64_t)info.device, (apr_uint64_t)info.inode);
}

const char *ctl_file_identity(const char *path, apr_pool_t *pool)
{
    const char *dir, *name, *inode = inode_of(path, pool);
    if (inode != NULL) {
        return inode;
    }
    split_path(&dir, &name, path, pool);
    inode = inode_of(dir, pool);
    return inode != NULL ? apr_pstrcat(pool, inode, "/", name, NULL) : path;
}

/* Whether path is something that a file must not replace: /dev/null, a link. */
static int is_special(const char *path, apr_pool_t *pool)
{
    apr_finfo_t info;
    apr_status_t status = apr_stat(&info, path, APR_FINFO_LINK | APR_FINFO_TYPE, pool);
    return status == APR_SUCCESS && info.filetype != APR_REG;
}

apr_status_t ctl_file_check_writable(const char *path, tmpl_error_t *err, apr_pool_t *pool)
{
    const char *dir, *name;
    split_path(&dir, &name, path, pool);
    if (is_special(path, pool)) {
        return tmpl_fail(err, APR_EEXIST, "it exists and is not a regular file");
    }
    if (access(dir, W_OK | X_OK) != 0) {
        return passed_on(APR_FROM_OS_ERROR(errno), err, pool);
    }
    return APR_SUCCESS;
}

static apr_status_t write_new(const char *path, const char *body, apr_size_t len, apr_pool_t *pool)
{
    apr_file_t *out;
    apr_int32_t flags = APR_FOPEN_WRITE | APR_FOPEN_CREATE | APR_FOPEN_TRUNCATE | APR_FOPEN_BINARY;
    apr_status_t status = apr_file_open(&out, path, flags, APR_FPROT_OS_DEFAULT, pool);
    if (status != APR_SUCCESS) {
        return status;
    }
    status = apr_file_write_full(out, body, len, NULL);
    apr_status_t closed = apr_file_close(out);
    return status != APR_SUCCESS ? status : closed;
}

apr_status_t ctl_file_write(const char *path, const char *body, apr_size_t len, tmpl_error_t *err,
                            apr_pool_t *pool)
{
    static apr_uint32_t temporaries; /* names used: threads write several files at once */
    const char *dir, *name;
    apr_status_t status = ctl_file_check_writable(path, err, pool);
    if (status != APR_SUCCESS) {
        return status;
    }
    split_path(&dir, &name, path, pool);
    const char *temporary = apr_psprintf(pool, "%s/.tmplctl-%ld-%u.tmp", dir, (long)getpid(),
                                         (unsigned)apr_atomic_inc32(&temporaries));
    status = write_new(temporary, body, len, pool);
    if (status == APR_SUCCESS) {
        status = apr_file_rename(temporary, path, pool);
    }
    if (status != APR_SUCCESS) {
        apr_file_remove(temporary, pool);
    }
    return passed_on(status, err, pool);
}
