/* SPDX-License-Identifier: Apache-2.0 */
/* The page that a command is about: a file, a URL, or standard input. */
#ifndef CTL_PAGE_INPUT_H
#define CTL_PAGE_INPUT_H

#include "ctl.h"
#include "fetch.h"

/* The status of an input that is no text. Its exit code is CTL_BINARY. */
#define CTL_EBINARY (APR_OS_START_USERERR + 1)

/*
 * CTL_STDIN, for a command that no page was named to. If people would have to type the page, a line
 * on standard error says that it is awaited.
 */
const char *ctl_page_from_stdin(void);

/* Whether the argument is a URL and no file. */
int ctl_page_is_url(const char *arg);

/* Parses a URL. Returns 0, with the reason printed, if it is not valid. */
int ctl_page_parse_url(tmpl_address_t *address, const ctl_t *ctl, const char *url);

/*
 * The site of the command: --site or, for a URL, its host. NULL, with the reason printed, if there
 * is neither, or the URL is not valid.
 */
const char *ctl_page_site(ctl_t *ctl, const char *arg);

/*
 * Reads a file, the page at a URL, or standard input (CTL_STDIN) into input, for site; a page that
 * is a gzip file is inflated. A file's document is its path. That of standard input is the page's
 * canonical address or, without one, its bytes. fetch is used for a URL only. Sets *url, unless it
 * is NULL, to the address of a page from the web, behind redirects; else to NULL. Any thread may
 * call this. On failure err has the reason, without arg: CTL_EBINARY if the input is no text.
 */
apr_status_t ctl_page_read(tmpl_input_t *input, const char **url, ctl_fetch_t *fetch,
                           const char *arg, const char *site, tmpl_error_t *err, apr_pool_t *pool);

/* ctl_page_read for a command with one page. An exit code; if not CTL_OK, the reason is printed. */
int ctl_page_load(tmpl_input_t *input, ctl_t *ctl, const char *arg, const char *site);

/* Why a page was declined, and where; in pool. */
const char *ctl_page_why_declined(const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                                  apr_pool_t *pool);
/* Prints it; returns CTL_FAILED. */
int ctl_page_declined(const tmpl_outcome_t *outcome, const tmpl_input_t *input, const char *name,
                      apr_pool_t *pool);

/*
 * Where the page was declined, from pool: "byte B, line L: TAG"; NULL if it was declined as a
 * whole.
 */
const char *ctl_page_place(const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                           apr_pool_t *pool);

#endif
