/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host names to addresses within a deadline: getaddrinfo alone may take as long as it likes. What
 * was found is kept for a while. Safe to use from many threads.
 */
#ifndef TMPL_RESOLVE_H
#define TMPL_RESOLVE_H

#include <sys/socket.h>

#include <apr_pools.h>
#include <apr_time.h>

typedef struct tmpl_resolver_t tmpl_resolver_t;

/* host and port must live as long as pool. */
tmpl_resolver_t *tmpl_resolver_create(const char *host, const char *port, apr_pool_t *pool);

/*
 * One of the host's addresses. APR_SUCCESS; APR_TIMEUP; APR_EGENERAL if the name has none, with
 * *reason (a constant) saying why.
 */
apr_status_t tmpl_resolver_get(tmpl_resolver_t *resolver, apr_time_t deadline,
                               struct sockaddr_storage *address, socklen_t *len,
                               const char **reason);

/* The address last given led nowhere: give another one next time, and look the name up again. */
void tmpl_resolver_next(tmpl_resolver_t *resolver);

#endif
