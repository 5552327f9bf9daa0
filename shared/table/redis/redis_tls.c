/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_conn.h"

#include <errno.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

struct tmpl_redis_tls_t {
    SSL_CTX *context;
    const char *server; /* the name to expect; NULL: the host's name */
};

/* ---- what all sessions share ---- */

static apr_status_t tls_free(void *data)
{
    tmpl_redis_tls_t *tls = data;
    SSL_CTX_free(tls->context);
    return APR_SUCCESS;
}

/* OpenSSL's last error, as text. */
static const char *last_reason(void)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    return reason != NULL ? reason : "out of memory";
}

static apr_status_t file_refuse(const char *what, const char *file, tmpl_error_t *err)
{
    /* if a file cannot be read, the system's error comes first, and others follow from it */
    unsigned long first = ERR_peek_error();
    char text[128];
    const char *why = ERR_GET_LIB(first) == ERR_LIB_SYS
                          ? apr_strerror(ERR_GET_REASON(first), text, sizeof(text))
                          : last_reason();
    return tmpl_fail(err, APR_EINVAL, "cannot use %s %s: %s", what, file, why);
}

static apr_status_t files_read(SSL_CTX *context, const tmpl_redis_address_t *address,
                               tmpl_error_t *err)
{
    ERR_clear_error();
    if (address->ca == NULL) {
        if (SSL_CTX_set_default_verify_paths(context) != 1) {
            return file_refuse("the CA certificates", "of the system", err);
        }
    }
    else if (SSL_CTX_load_verify_file(context, address->ca) != 1) {
        return file_refuse("the CA certificates in", address->ca, err);
    }
    if (address->cert == NULL) {
        return APR_SUCCESS;
    }
    if (SSL_CTX_use_certificate_chain_file(context, address->cert) != 1) {
        return file_refuse("the certificate in", address->cert, err);
    }
    /* this also checks that the key is that of the certificate */
    return SSL_CTX_use_PrivateKey_file(context, address->key, SSL_FILETYPE_PEM) == 1
               ? APR_SUCCESS
               : file_refuse("the key in", address->key, err);
}

apr_status_t tmpl_redis_tls_create(tmpl_redis_tls_t **made, const tmpl_redis_address_t *address,
                                   tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_redis_tls_t *tls = apr_pcalloc(pool, sizeof(*tls));
    ERR_clear_error();
    tls->context = SSL_CTX_new(TLS_client_method());
    tls->server = address->server;
    apr_pool_cleanup_register(pool, tls, tls_free, apr_pool_cleanup_null);
    if (tls->context == NULL || SSL_CTX_set_min_proto_version(tls->context, TLS1_2_VERSION) != 1) {
        return tmpl_fail(err, APR_ENOMEM, "cannot use TLS: %s", last_reason());
    }
    SSL_CTX_set_verify(tls->context, SSL_VERIFY_PEER, NULL);
    /* a server that has gone says no goodbye; replies tell their length, so none is cut */
    SSL_CTX_set_options(tls->context, SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(tls->context,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    apr_status_t rv = files_read(tls->context, address, err);
    if (rv == APR_SUCCESS) {
        *made = tls;
    }
    return rv;
}

/* ---- sessions ---- */

/* Has the certificate compared with a name or a literal address. */
static int name_expect(SSL *ssl, const char *host)
{
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1) {
        return 1;
    }
    return SSL_set1_host(ssl, host) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1;
}

tmpl_redis_tls_session_t *tmpl_redis_tls_begin(tmpl_redis_tls_t *tls, int fd, const char *host)
{
    SSL *ssl = SSL_new(tls->context);
    if (ssl == NULL || !name_expect(ssl, tls->server != NULL ? tls->server : host) ||
        SSL_set_fd(ssl, fd) != 1) {
        SSL_free(ssl);
        return NULL;
    }
    SSL_set_connect_state(ssl);
    return (tmpl_redis_tls_session_t *)ssl;
}

int tmpl_redis_tls_is_in_handshake(const tmpl_redis_tls_session_t *session)
{
    return !SSL_is_init_finished((const SSL *)session);
}

void tmpl_redis_tls_end(tmpl_redis_tls_session_t *session)
{
    SSL_free((SSL *)session);
}

/* What a call that returned rc means. */
static apr_status_t outcome(SSL *ssl, int rc, int *for_read, tmpl_error_t *err)
{
    int error = SSL_get_error(ssl, rc), saved = errno;
    long verified = SSL_get_verify_result(ssl);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
        *for_read = error == SSL_ERROR_WANT_READ;
        return APR_EAGAIN;
    }
    if (error == SSL_ERROR_SSL && verified != X509_V_OK) {
        return tmpl_fail(err, APR_EACCES, "the server's certificate is refused: %s",
                         X509_verify_cert_error_string(verified));
    }
    if (error == SSL_ERROR_SSL) {
        return tmpl_fail(err, APR_EACCES, "TLS fails: %s", last_reason());
    }
    return error == SSL_ERROR_SYSCALL && saved != 0 ? APR_FROM_OS_ERROR(saved) : APR_EOF;
}

apr_status_t tmpl_redis_tls_transfer(tmpl_redis_tls_session_t *session, char *into,
                                     const char *from, size_t *len, int *for_read,
                                     tmpl_error_t *err)
{
    SSL *ssl = (SSL *)session;
    ERR_clear_error();
    errno = 0;
    int rc = into != NULL ? SSL_read_ex(ssl, into, *len, len) : SSL_write_ex(ssl, from, *len, len);
    return rc == 1 ? APR_SUCCESS : outcome(ssl, rc, for_read, err);
}
