/* SPDX-License-Identifier: Apache-2.0 */
/* Pages from the web, one at a time and not too fast. */
#ifndef CTL_FETCH_H
#define CTL_FETCH_H

#include "ctl.h"
#include "warm/address.h"
#include "warm/robots.h"

typedef struct ctl_fetch_t ctl_fetch_t;

typedef struct {
    long status;       /* HTTP's */
    tmpl_address_t at; /* where it came from in the end */
    const char *body;
    apr_size_t len;
    const char *type; /* the Content-Type field; NULL if there was none */
    const char *tmpl; /* the Tmpl field, which mod_tmpl adds; likewise */
} ctl_answer_t;

/* How a crawler of ours names itself in requests and is named in robots.txt. */
#define CTL_AGENT "tmplctl"

/* Bytes of the longest body that is read, and redirects that are followed. */
#define CTL_FETCH_MOST      (4 * 1024 * 1024)
#define CTL_FETCH_REDIRECTS 5

/* How long a server may take to accept a connection, and to give all of an answer. */
#define CTL_FETCH_CONNECT apr_time_from_sec(10)
#define CTL_FETCH_TIMEOUT apr_time_from_sec(30)

/*
 * Makes ready to fetch, by the proxy at that URL unless it is NULL (then as curl's environment variables
 * say), until pool is cleaned up. APR_EINVAL, with the reason, for a proxy that is none.
 */
apr_status_t ctl_fetch_open(ctl_fetch_t **fetch, const char *proxy, tmpl_error_t *err,
                            apr_pool_t *pool);

/* From now on so much time passes between the end of any answer and this one's next request. */
void ctl_fetch_pace(ctl_fetch_t *fetch, apr_interval_time_t delay);

/*
 * Asks for the page at address; answer's strings come from pool. Redirects are followed on the same host and
 * where robots (NULL: anywhere) lets us. Any complete answer that is no redirect is a success, whatever its
 * status. Otherwise an error with the reason, which does not name the address: APR_EACCES where robots
 * forbids it, APR_EINTR after a signal, APR_ENOSPC for more than CTL_FETCH_MOST bytes, and answer has what came.
 */
apr_status_t ctl_fetch_get(ctl_fetch_t *fetch, const tmpl_address_t *address,
                           const tmpl_robots_t *robots, ctl_answer_t *answer, tmpl_error_t *err,
                           apr_pool_t *pool);

#endif
