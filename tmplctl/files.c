/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <apr_cstr.h>
#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include "address/address.h"
#include "page_input.h"

/* --- the pages of a site that is a directory --- */

/* Length of a file's name without .html, .htm, .shtml or .xhtml; other suffixes belong to it. */
static apr_size_t stem_of(const char *name)
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

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Bytes of a file in which its first tag is looked for. */
#define SNIFFED 1024

/* Whether text begins with word, which is in small letters. */
static int begins_with_word(const char *text, const char *word)
{
    return apr_cstr_casecmpn(text, word, strlen(word)) == 0;
}

/* Whether a file begins like HTML: behind white space and comments with its doctype or html. */
static int begins_like_html(const char *path, apr_pool_t *pool)
{
    char text[SNIFFED + 1];
    apr_file_t *in;
    apr_size_t len = 0;
    if (apr_file_open(&in, path, APR_FOPEN_READ, 0, pool) != APR_SUCCESS) {
        return 0;
    }
    apr_file_read_full(in, text, SNIFFED, &len);
    apr_file_close(in);
    text[len] = '\0';
    const char *at = text + (begins_with_word(text, "\xef\xbb\xbf") ? 3 : 0);
    for (;;) {
        at += strspn(at, " \t\r\n\f");
        const char *end = begins_with_word(at, "<!--") ? strstr(at + 4, "-->") : NULL;
        if (end == NULL) {
            return begins_with_word(at, "<!doctype html") || begins_with_word(at, "<html");
        }
        at = end + 3;
    }
}

/* The address of a file below the directory of its host: index.html stands for its directory. */
static const char *address_of_file(const char *name, apr_pool_t *pool)
{
    static const char index[] = "index.html";
    const char *base = apr_filepath_name_get(name);
    apr_size_t len = strcmp(base, index) == 0 ? (apr_size_t)(base - name) : strlen(name);
    return tmpl_address_spell(apr_psprintf(pool, "/%.*s", (int)len, name), pool);
}

/* Adds the page of an entry of the tree, if it is one. */
static apr_status_t add_entry(apr_array_header_t *files, const FTSENT *entry, apr_size_t root,
                              const ctl_t *ctl)
{
    if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS) {
        ctl_say("%s: %s: %s", ctl->command->name, entry->fts_path,
                ctl_error_text(entry->fts_errno, ctl->pool));
        return APR_FROM_OS_ERROR(entry->fts_errno);
    }
    if (entry->fts_info == FTS_F && entry->fts_level > 0 &&
        (stem_of(entry->fts_name) < strlen(entry->fts_name) ||
         begins_like_html(entry->fts_path, ctl->pool))) {
        const char *path = apr_pstrdup(ctl->pool, entry->fts_path);
        const char *name = path + root + strspn(path + root, "/");
        APR_ARRAY_PUSH(files, ctl_file_t) =
            (ctl_file_t){ .path = path, .name = name, .address = address_of_file(name, ctl->pool) };
    }
    return APR_SUCCESS;
}

apr_status_t ctl_files_below(apr_array_header_t *files, const char *dir, const char *out,
                             const ctl_t *ctl)
{
    apr_finfo_t info = { 0 };
    char *const roots[] = { apr_pstrdup(ctl->pool, dir), NULL };
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    FTSENT *entry;
    int before = files->nelts;
    apr_status_t status = tree != NULL ? APR_SUCCESS : APR_FROM_OS_ERROR(errno);
    if (out != NULL) {
        apr_stat(&info, out, APR_FINFO_DEV | APR_FINFO_INODE, ctl->pool);
    }
    while (status == APR_SUCCESS && (entry = fts_read(tree)) != NULL) {
        if (entry->fts_info == FTS_D && entry->fts_level > 0 &&
            entry->fts_statp->st_dev == info.device && entry->fts_statp->st_ino == info.inode) {
            fts_set(tree, entry, FTS_SKIP);
        }
        status = add_entry(files, entry, strlen(dir), ctl);
    }
    if (tree != NULL) {
        fts_close(tree);
    }
    if (status == APR_SUCCESS && files->nelts == before) {
        ctl_say("%s: %s: no pages in this directory: no .html, .htm, .shtml or .xhtml, and no file "
                "that begins like HTML",
                ctl->command->name, dir);
        return APR_EINVAL;
    }
    return status;
}

/* --- the inputs --- */

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

/* Adds the names of a list, one a line. */
static apr_status_t add_list(apr_array_header_t *files, const char *list, apr_pool_t *pool)
{
    FILE *in = list == CTL_STDIN ? stdin : fopen(list, "re");
    const char *why = NULL;
    char *name = NULL;
    size_t room = 0;
    ssize_t len = 0;
    if (in == NULL) {
        ctl_say("%s: %s", list, strerror(errno));
        return APR_FROM_OS_ERROR(errno);
    }
    int line = 0;
    while ((len = getline(&name, &room, in)) >= 0) {
        line++;
        size_t n = strlen(name);
        if (n != (size_t)len) {
            why = "zero byte: the list must have one name per line";
            break;
        }
        n -= n > 0 && name[n - 1] == '\n';
        n -= n > 0 && name[n - 1] == '\r';
        if (n > 0) {
            add_file(files, apr_pstrmemdup(pool, name, n));
        }
    }
    if (ferror(in)) {
        why = strerror(errno);
    }
    if (why != NULL) {
        ctl_say("%s: line %d: %s", list, line, why);
    }
    free(name);
    if (in != stdin) {
        fclose(in);
    }
    return why != NULL ? APR_EINVAL : APR_SUCCESS;
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
    apr_status_t status = options->mirror != NULL
                              ? ctl_files_below(*files, options->mirror, options->out, ctl)
                              : add_named(*files, ctl);
    return status == APR_SUCCESS ? find_sites(*files, ctl) : status;
}

/* --- the outputs --- */

static apr_status_t check_overwriting(const apr_array_header_t *files, const char *dir,
                                      apr_pool_t *pool)
{
    apr_hash_t *inputs = apr_hash_make(pool);
    for (int i = 0; i < files->nelts; i++) {
        const char *path = APR_ARRAY_IDX(files, i, ctl_file_t).path;
        apr_hash_set(inputs, ctl_file_identity(path, pool), APR_HASH_KEY_STRING, path);
    }
    for (int i = 0; i < files->nelts; i++) {
        const ctl_file_t *file = &APR_ARRAY_IDX(files, i, ctl_file_t);
        const char *out = apr_pstrcat(pool, dir, "/", file->out, NULL);
        const char *input = apr_hash_get(inputs, ctl_file_identity(out, pool), APR_HASH_KEY_STRING);
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
                : apr_psprintf(pool, "%.*s%s", (int)stem_of(file->name), file->name, suffix);
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
