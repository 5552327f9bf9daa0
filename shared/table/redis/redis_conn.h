/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Redis server and this process's connections to it. hiredis speaks the protocol; sockets are
 * ours, as a call is held to one deadline for all it does: waiting for a connection, looking up the
 * name, connecting, AUTH, SELECT, sending, and reading however slowly the answer comes.
 *
 * Safe to use from many threads. A connection that failed in any way is closed, and the next call
 * that gets it connects anew.
 */
#ifndef TMPL_REDIS_CONN_H
#define TMPL_REDIS_CONN_H

#include <hiredis/hiredis.h>

#include "base/tmpl.h"

#include <apr_time.h>

typedef struct {
    const char *name; /* for messages: the URI without user and password */
    const char *host; /* NULL: a unix socket */
    const char *port;
    const char *path;
    const char *user;     /* may be NULL while there is a password */
    const char *password; /* may be NULL */
    unsigned db;
} tmpl_redis_address_t;

typedef struct tmpl_redis_t tmpl_redis_t;
typedef struct tmpl_redis_conn_t tmpl_redis_conn_t;

/* A command: arguments with lengths. */
typedef struct {
    int argc;
    const char **argv;
    const size_t *lens;
} tmpl_redis_command_t;

/* Fills address from a URI of either scheme: APR_SUCCESS, or APR_EINVAL with text. */
apr_status_t tmpl_redis_address_parse(tmpl_redis_address_t *address, const char *uri,
                                      tmpl_error_t *err, apr_pool_t *pool);

/* Connects to nothing yet. A cleanup on pool closes all connections. */
tmpl_redis_t *tmpl_redis_create(const tmpl_redis_address_t *address, unsigned max_connections,
                                apr_pool_t *pool);

/*
 * A connection for calls that belong together, as WATCH and EXEC do; give it back in any case. APR_TIMEUP:
 * none became free.
 */
apr_status_t tmpl_redis_take(tmpl_redis_t *redis, apr_time_t deadline, tmpl_redis_conn_t **conn,
                             tmpl_error_t *err);
void tmpl_redis_give(tmpl_redis_t *redis, tmpl_redis_conn_t *conn);

/*
 * n commands in one round trip, and a reply to each, from pool, of at most max_reply bytes together. APR_SUCCESS, also
 * for error replies to commands; APR_TIMEUP past the deadline; else what went wrong, with text. What is asked first
 * on a connection that turns out to have been closed is asked again on a new one: let it be something that may
 * be done twice.
 */
apr_status_t tmpl_redis_exchange(tmpl_redis_t *redis, tmpl_redis_conn_t *conn,
                                 const tmpl_redis_command_t *commands, int n, size_t max_reply,
                                 apr_time_t deadline, redisReply **replies, tmpl_error_t *err,
                                 apr_pool_t *pool);

/* One command and its reply, as above, on any connection. */
apr_status_t tmpl_redis_call(tmpl_redis_t *redis, const tmpl_redis_command_t *command,
                             size_t max_reply, apr_time_t deadline, redisReply **reply,
                             tmpl_error_t *err, apr_pool_t *pool);

/* An error reply's text as status and text. APR_ENOSPC: the server takes no writes. */
apr_status_t tmpl_redis_fail(const tmpl_redis_t *redis, const char *text, size_t len,
                             tmpl_error_t *err);
/* A reply that is not what it must be. */
apr_status_t tmpl_redis_garbage(const tmpl_redis_t *redis, tmpl_error_t *err);

const char *tmpl_redis_name(const tmpl_redis_t *redis);

#endif
