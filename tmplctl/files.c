/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <apr_atomic.h>
#include <apr_cstr.h>
#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include "progress.h"

/* Longest file name in a list; PATH_MAX is no more on any system this runs on. */
#define NAME_MOST 8192

const char *ctl_error_text(apr_status_t status, apr_pool_t *pool)
{
    char text[200];
    return apr_pstrdup(pool, apr_strerror(status, text, sizeof(text)));
}

static void add_file(apr_array_header_t *files, const char *path)
{
    ctl_file_t *file = apr_array_push(files);
    file->path = path;
    file->out = NULL;
    file->failed = 0;
}

/* The next name of a list, which may be empty; APR_EOF behind the last. APR_EINVAL, and *why, for what is no name. */
static apr_status_t next_name(char *name, const char **why, apr_file_t *in)
{
    apr_size_t len = 0;
    char c;
    apr_status_t status;
    while ((status = apr_file_getc(&c, in)) == APR_SUCCESS && c != '\n') {
        if (c == '\0' || len + 1 == NAME_MOST) {
            *why = c == '\0' ? "a zero byte: there must be one name a line"
                             : "a name of more than " APR_STRINGIFY(NAME_MOST) " bytes";
            return APR_EINVAL;
        }
        name[len++] = c;
    }
    len -= len > 0 && name[len - 1] == '\r';
    name[len] = '\0';
    return APR_STATUS_IS_EOF(status) && len > 0 ? APR_SUCCESS : status;
}

static apr_status_t add_list(apr_array_header_t *files, const char *list, apr_pool_t *pool)
{
    apr_file_t *in;
    char name[NAME_MOST];
    const char *why = NULL;
    int line = 1;
    apr_status_t status =
        list == CTL_STDIN ? apr_file_open_flags_stdin(&in, APR_FOPEN_BUFFERED, pool)
                          : apr_file_open(&in, list, APR_FOPEN_READ | APR_FOPEN_BUFFERED, 0, pool);
    if (status != APR_SUCCESS) {
        ctl_say("%s: %s", list, ctl_error_text(status, pool));
        return status;
    }
    for (; (status = next_name(name, &why, in)) == APR_SUCCESS; line++) {
        if (name[0] != '\0') {
            add_file(files, apr_pstrdup(pool, name));
        }
    }
    apr_file_close(in);
    if (APR_STATUS_IS_EOF(status)) {
        return APR_SUCCESS;
    }
    ctl_say("%s: line %d: %s", list, line, why != NULL ? why : ctl_error_text(status, pool));
    return status;
}

apr_status_t ctl_files_list(apr_array_header_t **files, ctl_t *ctl)
{
    const char *list = ctl->options.files_from;
    apr_status_t status = APR_SUCCESS;
    *files = apr_array_make(ctl->pool, ctl->args->nelts, sizeof(ctl_file_t));
    for (int i = 0; i < ctl->args->nelts && status == APR_SUCCESS; i++) {
        const char *arg = APR_ARRAY_IDX(ctl->args, i, const char *);
        if (arg == CTL_STDIN) {
            status = add_list(*files, arg, ctl->pool);
        }
        else {
            add_file(*files, arg);
        }
    }
    if (list != NULL && status == APR_SUCCESS) {
        status = add_list(*files, list, ctl->pool);
    }
    if (status == APR_SUCCESS && (*files)->nelts == 0) {
        ctl_say("%s: no FILE is named", ctl->command->name);
        return APR_EINVAL;
    }
    return status;
}

/* Length of name without the suffix of an HTML file; other suffixes belong to the name. */
static apr_size_t stem_len(const char *name)
{
    static const char *const suffixes[] = { ".html", ".htm", ".shtml", ".xhtml" };
    apr_size_t len = strlen(name);
    for (apr_size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        apr_size_t n = strlen(suffixes[i]);
        if (len > n && apr_cstr_casecmp(name + len - n, suffixes[i]) == 0) {
            return len - n;
        }
    }
    return len;
}

/* A file by what it is, whatever name it has; NULL if it is not there. */
static const char *inode_of(const char *path, apr_pool_t *pool)
{
    apr_finfo_t info;
    apr_int32_t want = APR_FINFO_DEV | APR_FINFO_INODE;
    if (apr_stat(&info, path, want, pool) != APR_SUCCESS) {
        return NULL;
    }
    return apr_psprintf(pool, "%" APR_UINT64_T_FMT ":%" APR_UINT64_T_FMT, (apr_uint64_t)info.device,
                        (apr_uint64_t)info.inode);
}

static apr_status_t check_overwriting(const apr_array_header_t *files, const char *dir,
                                      apr_pool_t *pool)
{
    apr_hash_t *inputs = apr_hash_make(pool);
    for (int i = 0; i < files->nelts; i++) {
        const char *path = APR_ARRAY_IDX(files, i, ctl_file_t).path;
        const char *inode = inode_of(path, pool);
        if (inode != NULL) {
            apr_hash_set(inputs, inode, APR_HASH_KEY_STRING, path);
        }
    }
    for (int i = 0; i < files->nelts; i++) {
        const ctl_file_t *file = &APR_ARRAY_IDX(files, i, ctl_file_t);
        const char *out = apr_pstrcat(pool, dir, "/", file->out, NULL);
        const char *inode = inode_of(out, pool);
        const char *input = inode == NULL ? NULL : apr_hash_get(inputs, inode, APR_HASH_KEY_STRING);
        if (input != NULL) {
            ctl_say("%s would be written to %s, over the input %s: choose another --out DIR",
                    file->path, out, input);
            return APR_EEXIST;
        }
    }
    return APR_SUCCESS;
}

apr_status_t ctl_files_name_outputs(const apr_array_header_t *files, const char *dir,
                                    const char *suffix, apr_pool_t *pool)
{
    apr_hash_t *names = apr_hash_make(pool);
    for (int i = 0; i < files->nelts; i++) {
        ctl_file_t *file = &APR_ARRAY_IDX(files, i, ctl_file_t);
        const char *name = apr_filepath_name_get(file->path);
        file->out = apr_psprintf(pool, "%.*s%s", (int)stem_len(name), name, suffix);
        const char *other = apr_hash_get(names, file->out, APR_HASH_KEY_STRING);
        if (other != NULL) {
            ctl_say("%s and %s would both be written to %s/%s: nothing has been written", other,
                    file->path, dir, file->out);
            return APR_EEXIST;
        }
        apr_hash_set(names, file->out, APR_HASH_KEY_STRING, file->path);
    }
    return check_overwriting(files, dir, pool);
}

/* Why a thing of that kind cannot be read as a page, or NULL. */
static const char *unfit(const apr_finfo_t *info)
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
    char text[200];
    /* by name first: opening a FIFO would wait for a writer */
    apr_status_t status = apr_stat(&info, path, APR_FINFO_TYPE | APR_FINFO_SIZE, pool);
    if (status == APR_INCOMPLETE) {
        status = APR_SUCCESS;
    }
    if (status == APR_SUCCESS && unfit(&info) != NULL) {
        return tmpl_fail(err, APR_EINVAL, "%s", unfit(&info));
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
    /* shorter than a moment ago: what is there is the page */
    if (status == APR_EOF && *len > 0) {
        status = APR_SUCCESS;
    }
    if (status != APR_SUCCESS) {
        return tmpl_fail(err, status, "%s", apr_strerror(status, text, sizeof(text)));
    }
    return APR_SUCCESS;
}

static apr_uint32_t written; /* files begun */

/* Whether that is something other than a file, which a file must not take the place of: /dev/null, say. */
static int is_special(const char *path, apr_pool_t *pool)
{
    apr_finfo_t info;
    apr_status_t status = apr_stat(&info, path, APR_FINFO_LINK | APR_FINFO_TYPE, pool);
    return status == APR_SUCCESS && info.filetype != APR_REG;
}

apr_status_t ctl_file_may_write(const char *dir, const char *name, tmpl_error_t *err,
                                apr_pool_t *pool)
{
    const char *final = apr_pstrcat(pool, dir, "/", name, NULL);
    if (is_special(final, pool)) {
        return tmpl_fail(err, APR_EEXIST, "%s: is there, and is no regular file", final);
    }
    if (access(dir, W_OK | X_OK) != 0) {
        apr_status_t status = APR_FROM_OS_ERROR(errno);
        return tmpl_fail(err, status, "%s: %s", final, ctl_error_text(status, pool));
    }
    return APR_SUCCESS;
}

apr_status_t ctl_file_write(const char *dir, const char *name, const char *body, apr_size_t len,
                            tmpl_error_t *err, apr_pool_t *pool)
{
    apr_file_t *out;
    char text[200];
    const char *final = apr_pstrcat(pool, dir, "/", name, NULL);
    apr_status_t status = ctl_file_may_write(dir, name, err, pool);
    if (status != APR_SUCCESS) {
        return status;
    }
    /* threads write several at once */
    const char *temp = apr_psprintf(pool, "%s/.tmplctl-%ld-%u.tmp", dir, (long)getpid(),
                                    (unsigned)apr_atomic_inc32(&written));
    apr_int32_t flags = APR_FOPEN_WRITE | APR_FOPEN_CREATE | APR_FOPEN_TRUNCATE | APR_FOPEN_BINARY;
    status = apr_file_open(&out, temp, flags, APR_FPROT_OS_DEFAULT, pool);
    if (status != APR_SUCCESS) {
        return tmpl_fail(err, status, "%s: %s", final, apr_strerror(status, text, sizeof(text)));
    }
    status = apr_file_write_full(out, body, len, NULL);
    apr_status_t closed = apr_file_close(out);
    if (status == APR_SUCCESS) {
        status = closed;
    }
    if (status == APR_SUCCESS) {
        status = apr_file_rename(temp, final, pool);
    }
    if (status != APR_SUCCESS) {
        apr_file_remove(temp, pool);
        return tmpl_fail(err, status, "%s: %s", final, apr_strerror(status, text, sizeof(text)));
    }
    return APR_SUCCESS;
}
