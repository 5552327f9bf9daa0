/* SPDX-License-Identifier: Apache-2.0 */
/* tmplctl forget, check, export and import. */
#include <stdio.h>

#include "ctl.h"
#include "file_io.h"
#include "interrupt.h"
#include "open_store.h"
#include "progress.h"
#include "table/export_file.h"

static int forget_site(ctl_t *ctl, tmpl_store_t *store)
{
    tmpl_error_t err;
    const char *site = APR_ARRAY_IDX(ctl->args, 0, const char *);
    ctl_interrupt_catch();
    apr_status_t status = tmpl_store_forget(store, site, &err, ctl->pool);
    if (status != APR_SUCCESS) {
        return ctl_store_failed(ctl, site, status, &err);
    }
    return CTL_OK;
}

int ctl_forget(ctl_t *ctl)
{
    return ctl_store_with(ctl, forget_site);
}

int ctl_check(ctl_t *ctl)
{
    const char *uri;
    int code = ctl_store_uri(&uri, ctl);
    if (code == CTL_OK) {
        code = ctl_store_examine(uri, ctl);
    }
    if (code == CTL_OK) {
        printf("%s: no damage found\n", uri);
    }
    return code;
}

static int export_site(ctl_t *ctl, tmpl_store_t *store)
{
    const char *site = APR_ARRAY_IDX(ctl->args, 0, const char *);
    tmpl_error_t err;
    tmpl_export_file_t table;
    apr_status_t status =
        tmpl_export_file_fill(&table, store, site, CTL_STORE_TIMEOUT, &err, ctl->pool);
    if (status == APR_SUCCESS) {
        status = tmpl_export_file_write(stdout, site, &table, &err);
        if (APR_STATUS_IS_EPIPE(status)) {
            return CTL_FAILED; /* main ends without a message */
        }
    }
    return status == APR_SUCCESS ? CTL_OK : ctl_store_failed(ctl, site, status, &err);
}

/* Reads all input before it writes to the store: a bad line leaves the site unchanged. */
static int import_site(ctl_t *ctl, tmpl_store_t *store)
{
    const char *site = APR_ARRAY_IDX(ctl->args, 0, const char *);
    tmpl_error_t err;
    tmpl_export_file_t table;
    apr_status_t status = tmpl_export_file_read(&table, stdin, "standard input", &err, ctl->pool);
    /* with an operator's secret, the store's does not matter */
    if (status == APR_SUCCESS && ctl->options.clean.page.seed == 0) {
        status = tmpl_store_take_secret(store, table.secret, &err, ctl->pool);
    }
    if (status == APR_SUCCESS) {
        ctl_interrupt_catch();
        status = tmpl_export_file_import(&table, store, site, &err, ctl->pool);
    }
    return status == APR_SUCCESS ? CTL_OK : ctl_store_failed(ctl, site, status, &err);
}

int ctl_export(ctl_t *ctl)
{
    return ctl_store_with(ctl, export_site);
}

int ctl_import(ctl_t *ctl)
{
    return ctl_store_with(ctl, import_site);
}
