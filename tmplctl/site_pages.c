/* SPDX-License-Identifier: Apache-2.0 */
#include "site_pages.h"

#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#include <apr_cstr.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include "file_io.h"
#include "progress.h"
#include "address/address.h"

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int is_page(const FTSENT *entry)
{
    const char *dot = strrchr(entry->fts_name, '.');
    return entry->fts_info == FTS_F && dot != NULL &&
           (apr_cstr_casecmp(dot, ".html") == 0 || apr_cstr_casecmp(dot, ".htm") == 0);
}

/* Keeps most of the paths, evenly spread. */
static void thin_out_paths(apr_array_header_t *paths, uint32_t most)
{
    uint32_t n = (uint32_t)paths->nelts;
    if (n <= most) {
        return;
    }
    for (uint32_t i = 0; i < most; i++) {
        APR_ARRAY_IDX(paths, i, const char *) =
            APR_ARRAY_IDX(paths, (apr_uint64_t)i * n / most, const char *);
    }
    paths->nelts = (int)most;
}

apr_array_header_t *ctl_site_pages(const char *dir, uint32_t most, const apr_finfo_t *out,
                                   apr_pool_t *pool)
{
    const char *overwritten = NULL;
    apr_array_header_t *paths = apr_array_make(pool, 64, sizeof(const char *));
    char *const roots[] = { apr_pstrdup(pool, dir), NULL };
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    FTSENT *entry;
    while (tree != NULL && (entry = fts_read(tree)) != NULL) {
        if (is_page(entry)) {
            const char *path = apr_pstrdup(pool, entry->fts_path);
            APR_ARRAY_PUSH(paths, const char *) = path;
            if (entry->fts_statp->st_dev == out->device && entry->fts_statp->st_ino == out->inode) {
                overwritten = path;
            }
        }
    }
    if (tree != NULL) {
        fts_close(tree);
    }
    if (paths->nelts == 0) {
        ctl_say("train: %s: no pages (.html, .htm) in this directory", dir);
        return NULL;
    }
    if (overwritten != NULL) {
        ctl_say("train: the model would overwrite the page %s: choose another --out", overwritten);
        return NULL;
    }
    thin_out_paths(paths, most);
    return paths;
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
static apr_status_t add_mirrored(apr_array_header_t *files, const FTSENT *entry, apr_size_t root,
                                 apr_pool_t *pool)
{
    if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS) {
        ctl_say("clean: %s: %s", entry->fts_path, ctl_error_text(entry->fts_errno, pool));
        return APR_FROM_OS_ERROR(entry->fts_errno);
    }
    if (entry->fts_info == FTS_F && entry->fts_level > 0 &&
        (ctl_files_stem(entry->fts_name) < strlen(entry->fts_name) ||
         begins_like_html(entry->fts_path, pool))) {
        const char *path = apr_pstrdup(pool, entry->fts_path);
        const char *name = path + root + strspn(path + root, "/");
        APR_ARRAY_PUSH(files, ctl_file_t) =
            (ctl_file_t){ .path = path, .name = name, .address = address_of_file(name, pool) };
    }
    return APR_SUCCESS;
}

apr_status_t ctl_mirror_pages(apr_array_header_t *files, const char *dir, const char *out,
                              apr_pool_t *pool)
{
    apr_finfo_t info = { 0 };
    char *const roots[] = { apr_pstrdup(pool, dir), NULL };
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    FTSENT *entry;
    apr_status_t status = tree != NULL ? APR_SUCCESS : APR_FROM_OS_ERROR(errno);
    apr_stat(&info, out, APR_FINFO_DEV | APR_FINFO_INODE, pool);
    while (status == APR_SUCCESS && (entry = fts_read(tree)) != NULL) {
        if (entry->fts_info == FTS_D && entry->fts_level > 0 &&
            entry->fts_statp->st_dev == info.device && entry->fts_statp->st_ino == info.inode) {
            fts_set(tree, entry, FTS_SKIP);
        }
        status = add_mirrored(files, entry, strlen(dir), pool);
    }
    if (tree != NULL) {
        fts_close(tree);
    }
    if (status == APR_SUCCESS && files->nelts == 0) {
        ctl_say(
            "clean: --mirror: %s: no pages in this directory: no .html, .htm, .shtml or .xhtml, "
            "and no file that begins like HTML",
            dir);
        return APR_EINVAL;
    }
    return status;
}
