/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL, for TLS to Redis (library.h). */
#ifdef TMPL_TLS

#include <pthread.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "library.h"

/* clang-format off */
#define FUNCTIONS(X) \
    X(void, BIO_clear_flags, (BIO *bio, int flags), (bio, flags)) \
    X(int, BIO_free, (BIO *bio), (bio)) \
    X(void *, BIO_get_data, (BIO *bio), (bio)) \
    X(int, BIO_get_new_index, (void), ()) \
    X(void, BIO_meth_free, (BIO_METHOD *method), (method)) \
    X(BIO_METHOD *, BIO_meth_new, (int type, const char *name), (type, name)) \
    X(int, BIO_meth_set_ctrl, (BIO_METHOD *method, long (*control)(BIO *, int, long, void *)), (method, control)) \
    X(int, BIO_meth_set_read, (BIO_METHOD *method, int (*reads)(BIO *, char *, int)), (method, reads)) \
    X(int, BIO_meth_set_write, (BIO_METHOD *method, int (*writes)(BIO *, const char *, int)), (method, writes)) \
    X(BIO *, BIO_new, (const BIO_METHOD *method), (method)) \
    X(void, BIO_set_data, (BIO *bio, void *data), (bio, data)) \
    X(void, BIO_set_flags, (BIO *bio, int flags), (bio, flags)) \
    X(void, BIO_set_init, (BIO *bio, int init), (bio, init)) \
    X(void, ERR_clear_error, (void), ()) \
    X(unsigned long, ERR_peek_error, (void), ()) \
    X(unsigned long, ERR_peek_last_error, (void), ()) \
    X(const char *, ERR_reason_error_string, (unsigned long error), (error)) \
    X(long, SSL_CTX_ctrl, (SSL_CTX *context, int command, long number, void *data), (context, command, number, data)) \
    X(void, SSL_CTX_free, (SSL_CTX *context), (context)) \
    X(int, SSL_CTX_load_verify_file, (SSL_CTX *context, const char *file), (context, file)) \
    X(SSL_CTX *, SSL_CTX_new, (const SSL_METHOD *method), (method)) \
    X(int, SSL_CTX_set_default_verify_paths, (SSL_CTX *context), (context)) \
    X(void, SSL_CTX_set_verify, (SSL_CTX *context, int mode, SSL_verify_cb callback), (context, mode, callback)) \
    X(int, SSL_CTX_use_PrivateKey_file, (SSL_CTX *context, const char *file, int type), (context, file, type)) \
    X(int, SSL_CTX_use_certificate_chain_file, (SSL_CTX *context, const char *file), (context, file)) \
    X(long, SSL_ctrl, (SSL *ssl, int command, long number, void *data), (ssl, command, number, data)) \
    X(void, SSL_free, (SSL *ssl), (ssl)) \
    X(X509_VERIFY_PARAM *, SSL_get0_param, (SSL *ssl), (ssl)) \
    X(int, SSL_get_error, (const SSL *ssl, int rc), (ssl, rc)) \
    X(long, SSL_get_verify_result, (const SSL *ssl), (ssl)) \
    X(int, SSL_is_init_finished, (const SSL *ssl), (ssl)) \
    X(SSL *, SSL_new, (SSL_CTX *context), (context)) \
    X(int, SSL_read_ex, (SSL *ssl, void *to, size_t room, size_t *len), (ssl, to, room, len)) \
    X(int, SSL_set1_host, (SSL *ssl, const char *host), (ssl, host)) \
    X(void, SSL_set_bio, (SSL *ssl, BIO *in, BIO *out), (ssl, in, out)) \
    X(void, SSL_set_connect_state, (SSL *ssl), (ssl)) \
    X(int, SSL_write_ex, (SSL *ssl, const void *from, size_t len, size_t *written), (ssl, from, len, written)) \
    X(const SSL_METHOD *, TLS_client_method, (void), ()) \
    X(int, X509_VERIFY_PARAM_set1_ip_asc, (X509_VERIFY_PARAM *parameters, const char *address), (parameters, address)) \
    X(const char *, X509_verify_cert_error_string, (long error), (error))
/* clang-format on */

static struct {
    FUNCTIONS(CTL_LATE_FIELD)
} found;

static pthread_once_t once = PTHREAD_ONCE_INIT;

#define TEXT_OF(number)  #number
#define NAME_OF(version) "libssl.so." TEXT_OF(version)

static void load(void)
{
    /* libssl brings libcrypto, and dlsym() searches that, too */
    static const ctl_function_t functions[] = { FUNCTIONS(CTL_LATE_ROW) };
    ctl_library_require(NAME_OF(OPENSSL_SHLIB_VERSION), functions,
                        sizeof(functions) / sizeof(functions[0]));
}

FUNCTIONS(CTL_LATE_FUNCTION)

#endif
