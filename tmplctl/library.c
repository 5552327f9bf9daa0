/* SPDX-License-Identifier: Apache-2.0 */
#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include <libxml/parser.h>
#include <libxml/uri.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "ctl.h"

const char *ctl_library_load(const char *library, const ctl_function_t *functions, size_t n)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    int found = handle != NULL;
    for (size_t i = 0; found && i < n; i++) {
        *functions[i].at = dlsym(handle, functions[i].name);
        found = *functions[i].at != NULL;
    }
    return found ? NULL : dlerror();
}

/* The same for what cannot go on without the library: prints the reason, and ends the process. */
static void library_require(const char *library, const ctl_function_t *functions, size_t n)
{
    const char *why = ctl_library_load(library, functions, n);
    if (why != NULL) {
        ctl_say("%s", why);
        exit(CTL_FAILED);
    }
}

/* Defines a function that loads its library once, and passes the call on to the pointer in `in`. */
#define FUNCTION_OF(in, once, load, type, name, parameters, arguments)                             \
    type name parameters                                                                           \
    {                                                                                              \
        pthread_once(&(once), load);                                                               \
        return (in).name arguments;                                                                \
    }

/* --- libxml2, which brings ICU and the library of C++, for commands that need a tree --- */

#if LIBXML_VERSION < 21400
#define XML_LIBRARY "libxml2.so.2"
#else
#define XML_LIBRARY "libxml2.so.16"
#endif

/* clang-format off */
#define XML_FUNCTIONS(X) \
    X(xmlNodePtr, xmlDocGetRootElement, (const xmlDoc *doc), (doc)) \
    X(xmlNodePtr, xmlDocSetRootElement, (xmlDocPtr doc, xmlNodePtr root), (doc, root)) \
    X(void, xmlFreeDoc, (xmlDocPtr doc), (doc)) \
    X(xmlDocPtr, xmlNewDoc, (const xmlChar *version), (version)) \
    X(xmlNodePtr, xmlNewDocNode, \
      (xmlDocPtr doc, xmlNsPtr space, const xmlChar *name, const xmlChar *content), \
      (doc, space, name, content)) \
    X(int, xmlStrlen, (const xmlChar *s), (s)) \
    X(char *, xmlURIUnescapeString, (const char *s, int len, char *target), (s, len, target)) \
    X(xmlXPathObjectPtr, xmlXPathCompiledEval, \
      (xmlXPathCompExprPtr expression, xmlXPathContextPtr context), (expression, context)) \
    X(xmlXPathCompExprPtr, xmlXPathCtxtCompile, (xmlXPathContextPtr context, const xmlChar *s), (context, s)) \
    X(xmlXPathObjectPtr, xmlXPathEvalExpression, (const xmlChar *s, xmlXPathContextPtr context), (s, context)) \
    X(void, xmlXPathFreeCompExpr, (xmlXPathCompExprPtr expression), (expression)) \
    X(void, xmlXPathFreeContext, (xmlXPathContextPtr context), (context)) \
    X(void, xmlXPathFreeObject, (xmlXPathObjectPtr object), (object)) \
    X(xmlXPathContextPtr, xmlXPathNewContext, (xmlDocPtr doc), (doc)) \
    X(long, xmlXPathOrderDocElems, (xmlDocPtr doc), (doc))
/* clang-format on */

#define XML_FIELD(type, name, parameters, arguments) __typeof__(name) *(name);
#define XML_ROW(type, name, parameters, arguments)   CTL_LATE_AT(name, xml.name),
#define XML_FUNCTION(type, name, parameters, arguments)                                            \
    FUNCTION_OF(xml, xml_once, xml_load, type, name, parameters, arguments)

static struct {
    void (*init)(void);
    __typeof__(xmlMemSetup) *set_memory;
    XML_FUNCTIONS(XML_FIELD)
} xml;

static pthread_once_t xml_once = PTHREAD_ONCE_INIT;

static void xml_load(void)
{
    static const ctl_function_t functions[] = { CTL_LATE_AT(xmlInitParser, xml.init),
                                                CTL_LATE_AT(xmlMemSetup, xml.set_memory),
                                                XML_FUNCTIONS(XML_ROW) };
    library_require(XML_LIBRARY, functions, sizeof(functions) / sizeof(functions[0]));
    xml.set_memory(free, ctl_malloc, ctl_realloc, ctl_strdup);
    xml.init(); /* here, before another thread can use libxml2: it is not thread-safe */
}

XML_FUNCTIONS(XML_FUNCTION)

/* --- OpenSSL, for TLS to Redis --- */

/* clang-format off */
#define TLS_FUNCTIONS(X) \
    X(void, ERR_clear_error, (void), ()) \
    X(unsigned long, ERR_peek_error, (void), ()) \
    X(unsigned long, ERR_peek_last_error, (void), ()) \
    X(const char *, ERR_reason_error_string, (unsigned long error), (error)) \
    X(long, SSL_CTX_ctrl, (SSL_CTX *context, int command, long number, void *data), (context, command, number, data)) \
    X(void, SSL_CTX_free, (SSL_CTX *context), (context)) \
    X(int, SSL_CTX_load_verify_file, (SSL_CTX *context, const char *file), (context, file)) \
    X(SSL_CTX *, SSL_CTX_new, (const SSL_METHOD *method), (method)) \
    X(int, SSL_CTX_set_default_verify_paths, (SSL_CTX *context), (context)) \
    X(uint64_t, SSL_CTX_set_options, (SSL_CTX *context, uint64_t options), (context, options)) \
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
    X(int, SSL_set_fd, (SSL *ssl, int fd), (ssl, fd)) \
    X(void, SSL_set_connect_state, (SSL *ssl), (ssl)) \
    X(int, SSL_write_ex, (SSL *ssl, const void *from, size_t len, size_t *written), (ssl, from, len, written)) \
    X(const SSL_METHOD *, TLS_client_method, (void), ()) \
    X(int, X509_VERIFY_PARAM_set1_ip_asc, (X509_VERIFY_PARAM *parameters, const char *address), (parameters, address)) \
    X(const char *, X509_verify_cert_error_string, (long error), (error))
/* clang-format on */

#define TLS_FIELD(type, name, parameters, arguments) __typeof__(name) *(name);
#define TLS_ROW(type, name, parameters, arguments)   CTL_LATE_AT(name, tls.name),
#define TLS_FUNCTION(type, name, parameters, arguments)                                            \
    FUNCTION_OF(tls, tls_once, tls_load, type, name, parameters, arguments)

static struct {
    TLS_FUNCTIONS(TLS_FIELD)
} tls;

static pthread_once_t tls_once = PTHREAD_ONCE_INIT;

#define TEXT_OF(number)  #number
#define NAME_OF(version) "libssl.so." TEXT_OF(version)

static void tls_load(void)
{
    /* libssl brings libcrypto, and dlsym() searches that, too */
    static const ctl_function_t functions[] = { TLS_FUNCTIONS(TLS_ROW) };
    library_require(NAME_OF(OPENSSL_SHLIB_VERSION), functions,
                    sizeof(functions) / sizeof(functions[0]));
}

TLS_FUNCTIONS(TLS_FUNCTION)
