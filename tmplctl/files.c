/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include "file_io.h"
#include "page_input.h"
#include "progress.h"
#include "site_pages.h"

/* Bytes of the longest file name in a list: above PATH_MAX of every system this runs on. */
#define NAME_MOST 8191

/* What the output of a page from the web is called: the last part of its path, or the host. */
static const char *name_of_url(const char *url, apr_pool_t *pool)
{
    const char *host = strstr(url, "://") + 3;
    const char *path = host + strcspn(host, "/?#");
    const char *at = memrchr(host, '@', (apr_size_t)(path - host)); /* behind it is no password */
    host = at != NULL ? at + 1 : host;
    const char *name = apr_pstrmemdup(pool, path, strcspn(path, "?#"));
    name = apr_filepath_name_get(name);
    return *name != '\0' ? name : apr_pstrmemdup(pool, host, (apr_size_t)(path - host));
}

static void add_file(apr_array_header_t *files, const char *path)
{
    const char *name = path == CTL_STDIN       ? "stdin"
                       : ctl_page_is_url(path) ? name_of_url(path, files->pool)
                                               : apr_filepath_name_get(path);
    APR_ARRAY_PUSH(files, ctl_file_t) = (ctl_file_t){ .path = path, .name = name };
}

/*
 * Reads the next line of a list into name (NAME_MOST + 1 bytes). APR_EOF behind the last;
 * APR_EINVAL and *why for a line that cannot be a name.
 */
static apr_status_t next_name(char *name, const char **why, apr_file_t *in)
{
    apr_size_t len = 0;
    char c;
    apr_status_t status;
    while ((status = apr_file_getc(&c, in)) == APR_SUCCESS && c != '\n') {
        if (c == '\0' || len == NAME_MOST) {
            *why = c == '\0' ? "zero byte: the list must have one name per line"
                             : "longer than " APR_STRINGIFY(NAME_MOST) " bytes";
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
    char name[NAME_MOST + 1];
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

/* Sets the site of each input. Without a store any key is as good: nobody else sees the table. */
static apr_status_t find_sites(const apr_array_header_t *files, ctl_t *ctl)
{
    for (int i = 0; i < files->nelts; i++) {
        ctl_file_t *file = &APR_ARRAY_IDX(files, i, ctl_file_t);
        int is_free = ctl->options.store == NULL && ctl->options.site == NULL;
        file->site = is_free && !ctl_page_is_url(file->path) ? "-" : ctl_page_site(ctl, file->path);
        if (file->site == NULL) {
            return APR_EINVAL;
        }
    }
    return APR_SUCCESS;
}

/* Adds the inputs of the command line, then those of --files-from. */
static apr_status_t add_named(apr_array_header_t *files, const ctl_t *ctl)
{
    const char *list = ctl->options.files_from;
    for (int i = 0; i < ctl->args->nelts; i++) {
        add_file(files, APR_ARRAY_IDX(ctl->args, i, const char *));
    }
    apr_status_t status = list != NULL ? add_list(files, list, ctl->pool) : APR_SUCCESS;
    if (status == APR_SUCCESS && files->nelts == 0 && list == NULL && ctl->options.out == NULL) {
        add_file(files, ctl_page_from_stdin());
    }
    if (status == APR_SUCCESS && files->nelts == 0) {
        ctl_say("%s: no FILE given: name files, or a list with --files-from LIST",
                ctl->command->name);
        return APR_EINVAL;
    }
    return status;
}

apr_status_t ctl_files_list(apr_array_header_t **files, ctl_t *ctl)
{
    const ctl_options_t *options = &ctl->options;
    *files = apr_array_make(ctl->pool, ctl->args->nelts, sizeof(ctl_file_t));
    if (options->mirror != NULL && (ctl->args->nelts > 0 || options->files_from != NULL)) {
        ctl_say("clean: --mirror takes all pages of %s: name no FILE and no LIST beside it",
                options->mirror);
        return APR_EINVAL;
    }
    if (options->mirror != NULL && options->out == NULL) {
        ctl_say("clean: --mirror needs --out DIR");
        return APR_EINVAL;
    }
    apr_status_t status = options->mirror != NULL
                              ? ctl_mirror_pages(*files, options->mirror, options->out, ctl->pool)
                              : add_named(*files, ctl);
    return status == APR_SUCCESS ? find_sites(*files, ctl) : status;
}

apr_size_t ctl_files_stem(const char *name)
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

/* The identity of a file, whatever path leads to it; NULL if it does not exist. */
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

/* What tells a file from others, even if it, or its directory too, does not exist yet. */
static const char *identity_of(const char *path, apr_pool_t *pool)
{
    const char *dir, *name;
    char *full;
    const char *inode = inode_of(path, pool);
    if (inode != NULL) {
        return inode;
    }
    ctl_file_split(&dir, &name, path, pool);
    inode = inode_of(dir, pool);
    if (inode != NULL) {
        return apr_pstrcat(pool, inode, "/", name, NULL);
    }
    return apr_filepath_merge(&full, NULL, path, 0, pool) == APR_SUCCESS ? full : path;
}

const char *ctl_files_find(const apr_array_header_t *files, const char *dir, const char *path,
                           apr_pool_t *pool)
{
    const char *identity = identity_of(path, pool);
    for (int i = 0; i < files->nelts; i++) {
        const ctl_file_t *file = &APR_ARRAY_IDX(files, i, ctl_file_t);
        if (strcmp(identity, identity_of(file->path, pool)) == 0) {
            return file->path;
        }
        const char *out = dir != NULL ? apr_pstrcat(pool, dir, "/", file->out, NULL) : NULL;
        if (out != NULL && strcmp(identity, identity_of(out, pool)) == 0) {
            return out;
        }
    }
    return NULL;
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
            ctl_say("%s: its output %s would overwrite the input %s: choose another --out DIR",
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
        file->out =
            file->address != NULL && strcmp(suffix, ".html") == 0
                ? file->name
                : apr_psprintf(pool, "%.*s%s", (int)ctl_files_stem(file->name), file->name, suffix);
        const char *other = apr_hash_get(names, file->out, APR_HASH_KEY_STRING);
        if (other != NULL && file->address != NULL) {
            file->out = apr_pstrcat(pool, file->name, suffix, NULL);
            other = apr_hash_get(names, file->out, APR_HASH_KEY_STRING);
        }
        if (other != NULL) {
            ctl_say("%s and %s have the same output %s/%s: clean them into different directories",
                    other, file->path, dir, file->out);
            return APR_EEXIST;
        }
        apr_hash_set(names, file->out, APR_HASH_KEY_STRING, file->path);
    }
    return check_overwriting(files, dir, pool);
}
