/* SPDX-License-Identifier: Apache-2.0 */
/* The store that a command works on: the one that was named, or one of its own for this run. */
#ifndef CTL_OPEN_STORE_H
#define CTL_OPEN_STORE_H

#include "ctl.h"

typedef struct {
    tmpl_store_t *store;
    apr_pool_t *pool; /* of the store */
} ctl_store_t;

/* Opens --store, or else one in memory, for this run only. Has said what fails. */
apr_status_t ctl_store_open(ctl_store_t *store, ctl_t *ctl);

void ctl_store_close(ctl_store_t *store);

/*
 * Does work on --store, or else on the one that TMPL_STORE names in the environment. Returns an
 * exit code, that of work if the store could be opened.
 */
int ctl_store_with(ctl_t *ctl, int (*work)(ctl_t *ctl, tmpl_store_t *store));

/* Says why a call on a site failed; returns CTL_FAILED. */
int ctl_store_failed(const ctl_t *ctl, const char *site, apr_status_t status,
                     const tmpl_error_t *err);

#endif
