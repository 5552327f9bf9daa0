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

#include <string.h>

#include <apr_network_io.h>
#include <apr_tables.h>
#include <apr_time.h>

#include <hiredis/hiredis.h>

#include "base/tmpl.h"

/* The URI of a Redis store, in parts. docs/stores.md describes every form. */

/* How the server of a site is found. */
typedef enum {
    TMPL_REDIS_SINGLE,   /* there is one, at a known place */
    TMPL_REDIS_SENTINEL, /* one master, whose place the sentinels know */
    TMPL_REDIS_CLUSTER,  /* many masters; each of them knows the places of all */
} tmpl_redis_mode_e;

/* Where a server listens. */
typedef struct {
    char host[256];  /* a name, a literal address, or the path of a unix socket */
    apr_port_t port; /* 0: a unix socket */
} tmpl_redis_place_t;

static inline int tmpl_redis_place_equal(const tmpl_redis_place_t *a, const tmpl_redis_place_t *b)
{
    return a->port == b->port && strcmp(a->host, b->host) == 0;
}

/* The login. NULL: none; there may be a password without a user. */
typedef struct {
    const char *user;
    const char *password;
} tmpl_redis_login_t;

typedef struct {
    tmpl_redis_mode_e mode;
    const char *name;                 /* for messages: the URI without user, password and query */
    const tmpl_redis_place_t *places; /* places of the server, of sentinels, or of some nodes */
    unsigned n_places;
    const char *master; /* SENTINEL: the master's name */
    tmpl_redis_login_t login;
    tmpl_redis_login_t sentinel_login;
    unsigned db;
    int is_tls;
    const char *ca;     /* a PEM file of CA certificates; NULL: those of the system */
    const char *cert;   /* a PEM file with the client's certificate; NULL: none */
    const char *key;    /* a PEM file with the client's private key */
    const char *server; /* the name in the server's certificate; NULL: the host */
} tmpl_redis_address_t;

/*
 * Fills address from a URI of any form, with strings from pool. APR_SUCCESS, or APR_EINVAL with
 * text that names the valid form.
 */
apr_status_t tmpl_redis_address_parse(tmpl_redis_address_t *address, const char *uri,
                                      tmpl_error_t *err, apr_pool_t *pool);

/*
 * Fills place from "host:port" as Redis writes it: host may be an IPv6 address without brackets. An
 * empty host stands for the host of asked. Returns 0 if text is no place.
 */
int tmpl_redis_place_parse(tmpl_redis_place_t *place, const char *text,
                           const tmpl_redis_place_t *asked);

/* The place as a URI has it. */
const char *tmpl_redis_place_show(const tmpl_redis_place_t *place, apr_pool_t *pool);

/* Fills place from its parts. Returns 0 if the parts are no place. asked may be NULL. */
int tmpl_redis_place_fill(tmpl_redis_place_t *place, const char *host, size_t len, long long port,
                          const tmpl_redis_place_t *asked);

/* Replies of Redis, and what its errors mean. */

/* hiredis' reader, which refuses arrays of more than 2^20 elements; NULL: out of memory. */
redisReader *tmpl_redis_reader_create(void);

/* Whether a reply is an error that begins with that word. */
int tmpl_redis_is_error(const redisReply *reply, const char *word);

/*
 * APR_SUCCESS, or, if the reply is an error, the status that it stands for, with text. APR_ENOSPC:
 * the server takes no writes. name: the server's name, for the message.
 */
apr_status_t tmpl_redis_check(const char *name, const redisReply *reply, tmpl_error_t *err);

/* The same for a reply that Redis would not give. */
apr_status_t tmpl_redis_garbage(const char *name, tmpl_error_t *err);

/*
 * TLS for connections to Redis, by OpenSSL. hiredis has TLS since 1.0 only, as a separate library,
 * and does not compare the certificate with the server's name. OpenSSL raises SIGPIPE if the server
 * is gone: the process must ignore it, as httpd and tmplctl do.
 */

typedef struct tmpl_redis_tls_t tmpl_redis_tls_t;                 /* what all sessions share */
typedef struct tmpl_redis_tls_session_t tmpl_redis_tls_session_t; /* the TLS of one connection */

/*
 * Reads the certificates and the key that address names. A cleanup on pool frees it. APR_SUCCESS;
 * APR_EINVAL if a file cannot be used; with text.
 */
apr_status_t tmpl_redis_tls_create(tmpl_redis_tls_t **tls, const tmpl_redis_address_t *address,
                                   tmpl_error_t *err, apr_pool_t *pool);

/*
 * A session over fd, which does not block. host: the name that the certificate must have. NULL: no
 * memory.
 */
tmpl_redis_tls_session_t *tmpl_redis_tls_begin(tmpl_redis_tls_t *tls, int fd, const char *host);

/* Whether the handshake is not over yet: the first calls to read and write do it. */
int tmpl_redis_tls_is_in_handshake(const tmpl_redis_tls_session_t *session);

/* Frees the session; does not close fd. session may be NULL. */
void tmpl_redis_tls_end(tmpl_redis_tls_session_t *session);

/*
 * Reads up to *len bytes to into, or, if into is NULL, writes some from from, after the handshake
 * if there was none yet, and sets *len. APR_SUCCESS, some bytes; APR_EAGAIN: call again with the
 * same arguments when the socket is readable, or writable if *for_read is 0; APR_EOF; APR_EACCES if
 * we or the server refuse the other's certificate; or another error. err has text where it says
 * more than the status.
 */
apr_status_t tmpl_redis_tls_transfer(tmpl_redis_tls_session_t *session, char *into,
                                     const char *from, size_t *len, int *for_read,
                                     tmpl_error_t *err);

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
    tmpl_redis_tls_t *tls; /* NULL: none */
} tmpl_redis_server_t;

/* All zero: not connected. */
typedef struct tmpl_redis_conn_t {
    struct tmpl_redis_conn_t *next; /* for redis_client.c */
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
