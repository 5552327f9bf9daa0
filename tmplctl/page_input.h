/* SPDX-License-Identifier: Apache-2.0 */
/* Where pages come from: the web (fetch.c), a file, a URL, or standard input (page_input.c). */
#ifndef CTL_PAGE_INPUT_H
#define CTL_PAGE_INPUT_H

#include "address/address.h"
#include "ctl.h"

/* --- fetch.c: pages from the web, one at a time and at a polite pace --- */

typedef struct ctl_fetch_t ctl_fetch_t;

/* A response. A field is NULL if the response has no field of that name. */
typedef struct {
    long status;       /* HTTP's */
    tmpl_address_t at; /* the address of this response, after all redirects */
    const char *body;
    apr_size_t len;
    const char *type;     /* Content-Type */
    const char *location; /* Location */
} ctl_response_t;

/* The crawler's name in User-Agent fields and in robots.txt. */
#define CTL_AGENT "tmplctl"

/* Bytes of the longest body that is read, and redirects that are followed. */
#define CTL_FETCH_MOST      (4 * 1024 * 1024)
#define CTL_FETCH_REDIRECTS 5

/* How long a connection and a whole response may take. */
#define CTL_FETCH_CONNECT apr_time_from_sec(10)
#define CTL_FETCH_TIMEOUT apr_time_from_sec(30)

/* Makes a fetcher that lives until pool is cleaned up. */
apr_status_t ctl_fetch_open(ctl_fetch_t **fetch, tmpl_error_t *err, apr_pool_t *pool);

/* Sets the time from the end of a response to the next request. */
void ctl_fetch_pace(ctl_fetch_t *fetch, apr_interval_time_t delay);

/* Requests only what is allowed from now on: "/path?query" by the rules of a robots.txt. */
void ctl_fetch_obey(ctl_fetch_t *fetch, int (*allows)(const void *rules, const char *uri),
                    const void *rules);

/*
 * Requests the page at address; strings of response come from pool. Follows redirects on the same
 * host. A complete response that is not a redirect is a success, whatever its status. On failure
 * err has the reason, without the address: APR_EACCES if the rules forbid the page, APR_EINTR after
 * a signal, APR_ENOSPC for a body above CTL_FETCH_MOST (response has its beginning), or
 * APR_EGENERAL.
 */
apr_status_t ctl_fetch_get(ctl_fetch_t *fetch, const tmpl_address_t *address,
                           ctl_response_t *response, tmpl_error_t *err, apr_pool_t *pool);

/*
 * ctl_fetch_get for a page: also fails if the response is not 200, or not text/html. Any thread may
 * call this one: requests of others wait.
 */
apr_status_t ctl_fetch_page(ctl_fetch_t *fetch, const tmpl_address_t *address,
                            ctl_response_t *response, tmpl_error_t *err, apr_pool_t *pool);

/* --- page_input.c: the page that a command is about --- */

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
 * is a gzip or zstd file is inflated. A file's document is its path. That of standard input is the
 * page's canonical address or, without one, its bytes. fetch is used for a URL only. Sets *url,
 * unless it is NULL, to the address of a page from the web, behind redirects; else to NULL. Any
 * thread may call this. On failure err has the reason, without arg: CTL_EBINARY if the input is no
 * text.
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
