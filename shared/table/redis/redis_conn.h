/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to a Redis server, and commands for it. APR connects, OpenSSL encrypts, hiredis
 * parses the replies. One deadline bounds a whole call: connecting, TLS, AUTH, SELECT, sending, and
 * reading however slowly the reply arrives. hiredis' own connections have a timeout for each
 * system call instead, and none with TLS in Debian 12.
 *
 * The deadline does not bound the look-up of a host name, which takes as long as the system's
 * resolver takes (/etc/resolv.conf). Only a new connection looks the name up. A literal address and
 * a unix socket need no look-up.
 *
 * A connection is used by one thread at a time.
 */
#ifndef TMPL_REDIS_CONN_H
#define TMPL_REDIS_CONN_H

#include <apr_network_io.h>
#include <apr_tables.h>
#include <apr_time.h>

#include "base/tmpl.h"
#include "table/redis/redis_address.h"
#include "table/redis/redis_reply.h"
#include "table/redis/redis_tls.h"

/* A word of a command. */
typedef struct {
    const char *bytes;
    size_t len;
} tmpl_redis_word_t;

/* An empty list of commands, of which each is an array of words. */
apr_array_header_t *tmpl_redis_list(apr_pool_t *pool);

/*
 * Adds a command to a list. The words are texts up to NULL; more of them may be added to the array
 * that is returned. Words are not copied.
 */
apr_array_header_t *tmpl_redis_command(apr_array_header_t *list, ...) __attribute__((sentinel));
static inline void tmpl_redis_word(apr_array_header_t *command, const void *bytes, size_t len)
{
    APR_ARRAY_PUSH(command, tmpl_redis_word_t) = (tmpl_redis_word_t){ bytes, len };
}

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
typedef struct tmpl_redis_conn_t {
    struct tmpl_redis_conn_t *next; /* for redis_topology.c */
    apr_pool_t *pool; /* the socket's; has no parent, because threads connect at the same time */
    apr_socket_t *socket;
    tmpl_redis_tls_session_t *tls; /* NULL: none */
    redisReader *reader;           /* NULL: not connected */
    int ends_line; /* the bytes read so far end a line; hiredis does not check how a string ends */
    int is_idle;   /* it may have been idle for long, so the server may have closed it */
} tmpl_redis_conn_t;

/*
 * Sends the commands of a list in one round trip, connecting first if necessary, and fills *replies
 * with a reply to each, from the pool of list. If an idle connection turns out to be closed, sends
 * them again on a new one: the commands must do no harm if they run twice. All replies together may
 * have 64 KB for each word of the commands, and not much more than 64 MB.
 *
 * APR_SUCCESS, also for error replies to commands. Otherwise the connection is closed, and the
 * result is APR_TIMEUP past the deadline (on tmpl_clock), the system's error, or APR_EGENERAL for a
 * reply that Redis would not give; with text.
 */
apr_status_t tmpl_redis_conn_call(tmpl_redis_conn_t *conn, const tmpl_redis_server_t *server,
                                  const apr_array_header_t *list, apr_time_t deadline,
                                  redisReply ***replies, tmpl_error_t *err);

/* Closes a connection, whether or not it was opened in whole. */
void tmpl_redis_conn_close(tmpl_redis_conn_t *conn);

#endif
