/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS for connections to Redis, by OpenSSL. hiredis has TLS since 1.0 only, as a separate library,
 * and does not compare the certificate with the server's name. A build without OpenSSL (make
 * TLS=no) refuses rediss:// URIs.
 */
#ifndef TMPL_REDIS_TLS_H
#define TMPL_REDIS_TLS_H

#include "table/redis/redis_address.h"

typedef struct tmpl_redis_tls_t tmpl_redis_tls_t;                 /* what all sessions share */
typedef struct tmpl_redis_tls_session_t tmpl_redis_tls_session_t; /* the TLS of one connection */

/*
 * Reads the certificates and the key that address names. A cleanup on pool frees it. APR_SUCCESS;
 * APR_EINVAL if a file cannot be used; APR_ENOTIMPL in a build without TLS; with text.
 */
apr_status_t tmpl_redis_tls_create(tmpl_redis_tls_t **tls, const tmpl_redis_address_t *address,
                                   tmpl_error_t *err, apr_pool_t *pool);

#ifdef TMPL_TLS

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

#else /* there is no session */

#define tmpl_redis_tls_begin(tls, fd, host)     NULL
#define tmpl_redis_tls_is_in_handshake(session) 0
#define tmpl_redis_tls_end(session)             (void)(session)
#define tmpl_redis_tls_transfer(session, into, from, len, for_read, e)                             \
    tmpl_fail(e, APR_ENOTIMPL, "no TLS")

#endif

#endif
