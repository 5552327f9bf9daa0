/* SPDX-License-Identifier: Apache-2.0 */
/* The page that a command is about: a file, or a URL. */
#ifndef CTL_PAGE_INPUT_H
#define CTL_PAGE_INPUT_H

#include "ctl.h"

/* Whether the argument is a URL and no file. */
int ctl_page_is_url(const char *arg);

/*
 * The site of the command: --site or, for a URL, its host. NULL, with the reason printed, if there
 * is neither, or the URL is not valid.
 */
const char *ctl_page_site(ctl_t *ctl, const char *arg);

/*
 * Reads the file, or requests the URL, into input, for site. A file's document is its path. CTL_OK;
 * otherwise the reason is printed.
 */
int ctl_page_load(tmpl_input_t *input, ctl_t *ctl, const char *arg, const char *site);

/*
 * Loads the page of the first argument and calls work with it. store is the store of --store if
 * --store and a site are given, else NULL. Returns work's exit code; or another one, with the
 * reason printed.
 */
int ctl_page_with(ctl_t *ctl, int (*work)(ctl_t *ctl, const tmpl_input_t *input, const char *name,
                                          tmpl_store_t *store));

/* Prints why a page was declined; returns CTL_FAILED. */
int ctl_page_declined(const tmpl_outcome_t *outcome, const tmpl_input_t *input, const char *name,
                      apr_pool_t *pool);

/*
 * Where the page was declined, from pool: "byte B, line L: TAG"; NULL if it was declined as a
 * whole.
 */
const char *ctl_page_place(const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                           apr_pool_t *pool);

#endif
