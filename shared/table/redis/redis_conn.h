/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Redis server and this process's connections to it. APR connects and reads, hiredis parses the
 * replies. One deadline bounds a whole call: waiting for a free connection, connecting, AUTH,
 * SELECT, sending, and reading however slowly the reply arrives.
 *
 * The deadline does not bound the look-up of a host name, which takes as long as the system's
 * resolver takes (/etc/resolv.conf). Only a new connection looks the name up. A literal address and
 * a unix socket need no look-up.
 *
 * Safe to use from many threads. A connection that fails is closed, and the next call that takes it
 * connects again.
 *
 * The connections are not an apr_reslist: it has one timeout for all callers instead of a deadline
 * for each, and it aborts the process if its pool is destroyed while a connection is in use. That
 * is how httpd's prefork ends a child.
 */
#ifndef TMPL_REDIS_CONN_H
#define TMPL_REDIS_CONN_H

#include <hiredis/hiredis.h>

#include <apr_network_io.h>
#include <apr_time.h>

#include "base/tmpl.h"

typedef struct {
    const char *name; /* for messages: the URI without user and password */
    const char *host; /* NULL: a unix socket */
    apr_port_t port;
    const char *path;     /* of the unix socket */
    const char *user;     /* NULL: none; there may be a password without a user */
    const char *password; /* NULL: none */
    unsigned db;
} tmpl_redis_address_t;

typedef struct tmpl_redis_t tmpl_redis_t;
typedef struct tmpl_redis_conn_t tmpl_redis_conn_t;

typedef struct {
    int argc;
    const char **argv;
    const size_t *lens; /* of the arguments; NULL: they are strings */
} tmpl_redis_command_t;

/*
 * Fills address from a URI of either scheme (store.h), with strings from pool. APR_SUCCESS, or
 * APR_EINVAL with text.
 */
apr_status_t tmpl_redis_address_parse(tmpl_redis_address_t *address, const char *uri,
                                      tmpl_error_t *err, apr_pool_t *pool);

/* Does not connect yet. A cleanup on pool closes all connections. */
tmpl_redis_t *tmpl_redis_create(const tmpl_redis_address_t *address, unsigned max_connections,
                                apr_pool_t *pool);

/*
 * Takes a connection for calls that belong together, as WATCH and EXEC do. The caller gives it back
 * in any case. APR_SUCCESS, or APR_TIMEUP if none became free by deadline (on tmpl_clock).
 */
apr_status_t tmpl_redis_take(tmpl_redis_t *redis, apr_time_t deadline, tmpl_redis_conn_t **conn,
                             tmpl_error_t *err);
void tmpl_redis_give(tmpl_redis_t *redis, tmpl_redis_conn_t *conn);

/*
 * Sends n commands in one round trip and fills replies with n replies from pool, which together may
 * take max_reply bytes on the wire. APR_SUCCESS, also for error replies to commands; APR_TIMEUP
 * past the deadline; otherwise the system's error, or APR_EGENERAL for what Redis would not reply;
 * with text. The first exchange on a connection that turns out to be closed is repeated on a new
 * one, so its commands must be such that may run twice.
 */
apr_status_t tmpl_redis_exchange(tmpl_redis_t *redis, tmpl_redis_conn_t *conn,
                                 const tmpl_redis_command_t *commands, int n, size_t max_reply,
                                 apr_time_t deadline, redisReply **replies, tmpl_error_t *err,
                                 apr_pool_t *pool);

/* The same for one command, on any connection. */
apr_status_t tmpl_redis_call(tmpl_redis_t *redis, const tmpl_redis_command_t *command,
                             size_t max_reply, apr_time_t deadline, redisReply **reply,
                             tmpl_error_t *err, apr_pool_t *pool);

/*
 * Returns the status that the text of an error reply stands for, and fills err. APR_ENOSPC: the
 * server takes no writes.
 */
apr_status_t tmpl_redis_fail(const tmpl_redis_t *redis, const char *text, size_t len,
                             tmpl_error_t *err);
/* The same for a reply that Redis would not give. */
apr_status_t tmpl_redis_garbage(const tmpl_redis_t *redis, tmpl_error_t *err);

/* The server's name for messages, without user and password. */
const char *tmpl_redis_name(const tmpl_redis_t *redis);

#endif
