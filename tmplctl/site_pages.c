/* SPDX-License-Identifier: Apache-2.0 */
#include "site_pages.h"

#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "progress.h"

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
static void thin_out(apr_array_header_t *paths, uint32_t most)
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
    thin_out(paths, most);
    return paths;
}
