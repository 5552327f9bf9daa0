/* SPDX-License-Identifier: Apache-2.0 */
/* Pages from the web, one at a time and at a polite pace. */
#ifndef CTL_FETCH_H
#define CTL_FETCH_H

#include "address/address.h"

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

#endif
