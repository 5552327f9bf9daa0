/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the store of a command, and reports what fails. */
#ifndef CTL_OPEN_STORE_H
#define CTL_OPEN_STORE_H

#include "ctl.h"

typedef struct {
    tmpl_store_t *store;
    apr_pool_t *pool;    /* the store's own */
    tmpl_error_t failed; /* clean: the store did not tell its secret, and must not be used */
} ctl_store_t;

/*
 * Opens --store or, without it, a store in memory. On failure prints the reason. A store that is
 * only read must be there, and not be damaged. A store that does not tell its secret must not get
 * keys made without it. So this is an error, except for clean, which then judges pages without a
 * store.
 */
apr_status_t ctl_store_open(ctl_store_t *store, ctl_t *ctl);

/* The same for a store at uri. */
apr_status_t ctl_store_open_at(ctl_store_t *store, const char *uri, ctl_t *ctl);

void ctl_store_close(ctl_store_t *store);

/*
 * Fills *uri with --store or, without it, the store that TMPL_STORE names. CTL_OK; or CTL_USAGE,
 * with the reason printed.
 */
int ctl_store_uri(const char **uri, const ctl_t *ctl);

/* Looks for damage in the store at uri, as the owner of its directory. An exit code. */
int ctl_store_examine(const char *uri, const ctl_t *ctl);

/*
 * Calls work with --store or, without it, the store that TMPL_STORE names. Returns work's exit
 * code; CTL_USAGE or CTL_FAILED, with the reason printed, if no store was opened.
 */
int ctl_store_with(ctl_t *ctl, int (*work)(ctl_t *ctl, tmpl_store_t *store));

/* Prints why a call for a site failed; returns CTL_FAILED. */
int ctl_store_failed(const ctl_t *ctl, const char *site, apr_status_t status,
                     const tmpl_error_t *err);

#endif
