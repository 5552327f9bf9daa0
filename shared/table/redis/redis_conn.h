/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to a Redis server. APR connects, OpenSSL encrypts, hiredis parses the replies. One
 * deadline bounds a whole call: connecting, TLS, AUTH, SELECT, sending, and reading however slowly
 * the reply arrives.
 *
 * The deadline does not bound the look-up of a host name, which takes as long as the system's
 * resolver takes (/etc/resolv.conf). Only a new connection looks the name up. A literal address and
 * a unix socket need no look-up.
 *
 * Used by one thread at a time.
 */
#ifndef TMPL_REDIS_CONN_H
#define TMPL_REDIS_CONN_H

#include <hiredis/hiredis.h>

#include <apr_network_io.h>
#include <apr_time.h>

#include "base/tmpl.h"
#include "table/redis/redis_address.h"
#include "table/redis/redis_tls.h"

typedef struct {
    int argc;
    const char **argv;
    const size_t *lens; /* bytes of each argument; NULL: arguments are strings */
} tmpl_redis_command_t;

/* A server, and how a connection begins. */
typedef struct {
    const char *name; /* for messages */
    tmpl_redis_place_t place;
    tmpl_redis_login_t login;
    unsigned db;
    int must_be_master;    /* a replica is refused with APR_EAGAIN */
    tmpl_redis_tls_t *tls; /* NULL: none */
} tmpl_redis_server_t;

/* All zero: not connected. */
typedef struct {
    apr_pool_t *pool; /* the socket's; has no parent, because threads connect at the same time */
    apr_socket_t *socket;
    tmpl_redis_tls_session_t *tls; /* NULL: none */
    redisReader *reader;           /* NULL: not connected */
    int ends_line; /* the bytes read so far end a line; hiredis does not check how a string ends */
} tmpl_redis_conn_t;

/*
 * Sends n commands in one round trip, connecting first if necessary, and fills replies with n
 * replies from pool, which together may take max_reply bytes on the wire. APR_SUCCESS, also for
 * error replies to commands. Otherwise the connection is closed, and the result is APR_TIMEUP past
 * the deadline (on tmpl_clock), the system's error, or APR_EGENERAL for a reply that Redis would
 * not give; with text.
 */
apr_status_t tmpl_redis_conn_call(tmpl_redis_conn_t *conn, const tmpl_redis_server_t *server,
                                  const tmpl_redis_command_t *commands, int n, size_t max_reply,
                                  apr_time_t deadline, redisReply **replies, tmpl_error_t *err,
                                  apr_pool_t *pool);

/* Closes a connection, whether or not it was opened in whole. */
void tmpl_redis_conn_close(tmpl_redis_conn_t *conn);

#endif
