/* SPDX-License-Identifier: Apache-2.0 */
#include "open_store.h"

#include <string.h>

#include <apr_env.h>
#include <apr_file_info.h>
#include <apr_strings.h>

#include "files.h"
#include "progress.h"

/* Of a run that leaves no table behind. */
#define OWN "memory:"

/* LMDB makes a store where there is none, which is of no use to who looks into one: a name that is not right. */
static apr_status_t check_there(const char *uri, const ctl_t *ctl)
{
    static const char scheme[] = "lmdb:";
    static const unsigned looks = CTL_IN_SEGMENTS | CTL_IN_STATS | CTL_IN_FORGET | CTL_IN_EXPORT;
    apr_finfo_t info;
    if ((ctl->command->bit & looks) == 0 || strncmp(uri, scheme, strlen(scheme)) != 0) {
        return APR_SUCCESS;
    }
    const char *data = apr_pstrcat(ctl->pool, uri + strlen(scheme), "/data.mdb", NULL);
    apr_status_t status = apr_stat(&info, data, APR_FINFO_TYPE, ctl->pool);
    if (status != APR_SUCCESS) {
        ctl_say("%s: %s: there is no store: %s", ctl->command->name, uri,
                ctl_error_text(status, ctl->pool));
    }
    return status;
}

static apr_status_t open_uri(ctl_store_t *store, const char *uri, ctl_t *ctl)
{
    tmpl_error_t err;
    apr_status_t status = check_there(uri, ctl);
    if (status != APR_SUCCESS) {
        return status;
    }
    apr_pool_create(&store->pool, ctl->pool);
    status = tmpl_store_open(&store->store, uri, NULL, &err, store->pool);
    if (status != APR_SUCCESS) {
        ctl_say("%s: %s", ctl->command->name, err.text);
        apr_pool_destroy(store->pool);
    }
    return status;
}

apr_status_t ctl_store_open(ctl_store_t *store, ctl_t *ctl)
{
    return open_uri(store, ctl->options.store != NULL ? ctl->options.store : OWN, ctl);
}

void ctl_store_close(ctl_store_t *store)
{
    apr_pool_destroy(store->pool);
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
    ctl_store_close(&store);
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
