/* SPDX-License-Identifier: Apache-2.0 */
#include "open_store.h"

#include <errno.h>
#include <stdlib.h>

#include <apr_env.h>
#include <apr_file_info.h>
#include <apr_strings.h>

#include "files.h"
#include "progress.h"

static apr_status_t open_uri(ctl_store_t *store, const char *uri, ctl_t *ctl)
{
    tmpl_error_t err;
    apr_pool_create(&store->pool, ctl->pool);
    apr_status_t status = tmpl_store_open(&store->store, uri, NULL, &err, store->pool);
    if (status != APR_SUCCESS) {
        ctl_say("%s: %s", store->dir != NULL ? "temporary store" : uri, err.text);
        apr_pool_destroy(store->pool);
    }
    return status;
}

static apr_status_t make_dir(const char **dir, apr_pool_t *pool)
{
    const char *parent;
    apr_status_t status = apr_temp_dir_get(&parent, pool);
    if (status != APR_SUCCESS) {
        ctl_say("no directory for temporary files: set TMPDIR");
        return status;
    }
    char *template = apr_pstrcat(pool, parent, "/tmplctl-XXXXXX", NULL);
    if (mkdtemp(template) == NULL) {
        status = errno;
        ctl_say("%s: %s", template, ctl_error_text(status, pool));
        return status;
    }
    *dir = template;
    return APR_SUCCESS;
}

/* The store makes files, no directories, so there is nothing to descend into. */
static void remove_dir(const char *dir, apr_pool_t *pool)
{
    apr_dir_t *entries;
    apr_finfo_t info;
    if (apr_dir_open(&entries, dir, pool) != APR_SUCCESS) {
        return;
    }
    apr_array_header_t *paths = apr_array_make(pool, 4, sizeof(const char *));
    while (apr_dir_read(&info, APR_FINFO_NAME | APR_FINFO_TYPE, entries) == APR_SUCCESS) {
        if (info.filetype != APR_DIR) {
            APR_ARRAY_PUSH(paths, const char *) = apr_pstrcat(pool, dir, "/", info.name, NULL);
        }
    }
    apr_dir_close(entries);
    for (int i = 0; i < paths->nelts; i++) {
        apr_file_remove(APR_ARRAY_IDX(paths, i, const char *), pool);
    }
    apr_status_t status = apr_dir_remove(dir, pool);
    if (status != APR_SUCCESS) {
        ctl_say("%s: not removed: %s", dir, ctl_error_text(status, pool));
    }
}

apr_status_t ctl_store_open(ctl_store_t *store, ctl_t *ctl)
{
    store->dir = NULL;
    if (ctl->options.store != NULL) {
        return open_uri(store, ctl->options.store, ctl);
    }
    apr_status_t status = make_dir(&store->dir, ctl->pool);
    if (status != APR_SUCCESS) {
        return status;
    }
    status = open_uri(store, apr_pstrcat(ctl->pool, "lmdb:", store->dir, NULL), ctl);
    if (status != APR_SUCCESS) {
        remove_dir(store->dir, ctl->pool);
    }
    return status;
}

void ctl_store_close(ctl_store_t *store, apr_pool_t *pool)
{
    apr_pool_destroy(store->pool);
    if (store->dir != NULL) {
        remove_dir(store->dir, pool);
    }
}

int ctl_store_with(ctl_t *ctl, int (*work)(ctl_t *ctl, tmpl_store_t *store))
{
    ctl_store_t store = { 0 };
    tmpl_error_t err;
    char *uri = NULL;
    if (ctl->options.store == NULL &&
        (apr_env_get(&uri, "TMPL_STORE", ctl->pool) != APR_SUCCESS || uri[0] == '\0')) {
        ctl_say("%s: which store? Name it with --store URI or in TMPL_STORE", ctl->command->name);
        return CTL_USAGE;
    }
    if (uri != NULL && tmpl_store_check_uri(uri, &err, ctl->pool) != APR_SUCCESS) {
        ctl_say("%s: TMPL_STORE: %s", ctl->command->name, err.text);
        return CTL_USAGE;
    }
    if (open_uri(&store, uri != NULL ? uri : ctl->options.store, ctl) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    int code = work(ctl, store.store);
    ctl_store_close(&store, ctl->pool);
    return code;
}

int ctl_store_failed(const ctl_t *ctl, const char *site, apr_status_t status,
                     const tmpl_error_t *err)
{
    if (APR_STATUS_IS_NOTFOUND(status)) {
        ctl_say("%s: the store knows no site \"%s\"", ctl->command->name, site);
    }
    else {
        ctl_say("%s: %s: %s", ctl->command->name, site, err->text);
    }
    return CTL_FAILED;
}
