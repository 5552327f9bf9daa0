/* SPDX-License-Identifier: Apache-2.0 */
/* tmplctl forget and check. */
#include <stdio.h>

#include "ctl.h"
#include "interrupt.h"
#include "open_store.h"
#include "progress.h"

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
