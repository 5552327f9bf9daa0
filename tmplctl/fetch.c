/* SPDX-License-Identifier: Apache-2.0 */
#include "page_input.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>
#include <apr_thread_mutex.h>

/*
 * curl's type checks are macros around the functions' names; here the functions are called by
 * pointer.
 */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "base/buf.h"
#include "library.h"

/* libcurl, with some thirty libraries that it brings (library.h). Its ABI is that of 2006. */
#define LIBRARY "libcurl.so.4"

/* X(name): the functions that are used, without "curl_". */
#define CURL_FUNCTIONS(X)                                                                          \
    X(global_init)                                                                                 \
    X(global_cleanup)                                                                              \
    X(easy_init)                                                                                   \
    X(easy_cleanup)                                                                                \
    X(easy_setopt)                                                                                 \
    X(easy_getinfo)                                                                                \
    X(easy_header)                                                                                 \
    X(easy_perform)                                                                                \
    X(easy_strerror)

typedef struct {
#define FIELD(name) __typeof__(curl_##name) *(name);
    CURL_FUNCTIONS(FIELD)
#undef FIELD
} curl_t;

struct ctl_fetch_t {
    curl_t lib;
    CURL *curl;
    apr_interval_time_t delay;
    apr_time_t last_response;                          /* when it ended, 0 before the first */
    int (*allows)(const void *rules, const char *uri); /* NULL: all */
    const void *rules;
    apr_thread_mutex_t *lock; /* one request at a time */
    char error[CURL_ERROR_SIZE];
};

typedef struct {
    tmpl_buf_t bytes;
    int too_long;
} body_t;

/* curl's write callback. Returning 0 ends the transfer. */
static size_t add_body(char *bytes, size_t size, size_t n, void *baton)
{
    body_t *body = baton;
    (void)size; /* is 1 */
    if (body->bytes.len + n > CTL_FETCH_MOST) {
        body->too_long = 1;
        return 0;
    }
    tmpl_buf_add(&body->bytes, bytes, n);
    return n;
}

/* A field of the last response, from pool; NULL if it has none of that name. */
static const char *response_field(const ctl_fetch_t *fetch, const char *name, apr_pool_t *pool)
{
    struct curl_header *field;
    CURLHcode code = fetch->lib.easy_header(fetch->curl, name, 0, CURLH_HEADER, -1, &field);
    return code == CURLHE_OK ? apr_pstrdup(pool, field->value) : NULL;
}

/* curl's progress callback: a signal ends the transfer. */
static int is_interrupted(void *baton, curl_off_t to_receive, curl_off_t received,
                          curl_off_t to_send, curl_off_t sent)
{
    (void)baton;
    (void)to_receive;
    (void)received;
    (void)to_send;
    (void)sent;
    return ctl_interrupted() != 0;
}

static apr_status_t close_fetch(void *data)
{
    const ctl_fetch_t *fetch = data;
    fetch->lib.easy_cleanup(fetch->curl);
    fetch->lib.global_cleanup();
    return APR_SUCCESS;
}

/* On failure err has the loader's reason: libcurl is not installed, or lacks a function. */
static apr_status_t load_curl(curl_t *lib, tmpl_error_t *err)
{
    const ctl_function_t functions[] = {
#define FUNCTION(name) { "curl_" #name, (void **)(void *)&lib->name },
        CURL_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    const char *why =
        ctl_library_load(LIBRARY, functions, sizeof(functions) / sizeof(functions[0]));
    return why == NULL ? APR_SUCCESS : tmpl_fail(err, APR_EDSOOPEN, "%s", why);
}

/* Sets the options of all requests. */
static void set_up(const ctl_fetch_t *fetch)
{
    CURL *curl = fetch->curl;
    const curl_t *lib = &fetch->lib;
    lib->easy_setopt(curl, CURLOPT_ERRORBUFFER, fetch->error);
    lib->easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    lib->easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    lib->easy_setopt(curl, CURLOPT_USERAGENT, CTL_AGENT "/" TMPL_VERSION);
    lib->easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
    lib->easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)apr_time_as_msec(CTL_FETCH_CONNECT));
    lib->easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)apr_time_as_msec(CTL_FETCH_TIMEOUT));
    lib->easy_setopt(curl, CURLOPT_WRITEFUNCTION, add_body);
    lib->easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, is_interrupted);
    lib->easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    /* OpenSSL and the curl command obey this variable, libcurl does not */
    const char *authorities = getenv("SSL_CERT_FILE");
    if (authorities != NULL && *authorities != '\0') {
        lib->easy_setopt(curl, CURLOPT_CAINFO, authorities);
    }
}

apr_status_t ctl_fetch_open(ctl_fetch_t **fetch, tmpl_error_t *err, apr_pool_t *pool)
{
    ctl_fetch_t *new = apr_pcalloc(pool, sizeof(*new));
    signal(SIGPIPE, SIG_IGN); /* with CURLOPT_NOSIGNAL, libcurl leaves it to the program */
    apr_status_t status = load_curl(&new->lib, err);
    if (status != APR_SUCCESS ||
        apr_thread_mutex_create(&new->lock, APR_THREAD_MUTEX_DEFAULT, pool) != APR_SUCCESS) {
        return status != APR_SUCCESS ? status : tmpl_fail(err, APR_ENOMEM, "cannot make a lock");
    }
    if (new->lib.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return tmpl_fail(err, APR_EGENERAL, "cannot initialise libcurl");
    }
    new->curl = new->lib.easy_init();
    if (new->curl == NULL) {
        new->lib.global_cleanup();
        return tmpl_fail(err, APR_EGENERAL, "cannot initialise libcurl");
    }
    set_up(new);
    apr_pool_cleanup_register(pool, new, close_fetch, apr_pool_cleanup_null);
    *fetch = new;
    return APR_SUCCESS;
}

void ctl_fetch_pace(ctl_fetch_t *fetch, apr_interval_time_t delay)
{
    fetch->delay = delay;
}

void ctl_fetch_obey(ctl_fetch_t *fetch, int (*allows)(const void *rules, const char *uri),
                    const void *rules)
{
    fetch->allows = allows;
    fetch->rules = rules;
}

/* Waits until the next request is due, in steps short enough for Ctrl-C. */
static void wait_for_request(const ctl_fetch_t *fetch)
{
    apr_time_t turn = fetch->last_response != 0 ? fetch->last_response + fetch->delay : 0;
    for (apr_time_t now; (now = apr_time_now()) < turn && !ctl_interrupted();) {
        apr_interval_time_t step = apr_time_from_msec(100);
        apr_sleep(turn - now < step ? turn - now : step);
    }
}

/*
 * Sends one request. If the response is not complete: an error, and response has the part that
 * came.
 */
static apr_status_t request(ctl_fetch_t *fetch, const tmpl_address_t *address,
                            ctl_response_t *response, tmpl_error_t *err, apr_pool_t *pool)
{
    body_t body = { .too_long = 0 };
    wait_for_request(fetch);
    if (ctl_interrupted()) {
        return tmpl_fail(err, APR_EINTR, "interrupted");
    }
    *response = (ctl_response_t){ .at = *address };
    tmpl_buf_init(&body.bytes, pool);
    fetch->error[0] = '\0';
    fetch->lib.easy_setopt(fetch->curl, CURLOPT_URL, tmpl_address_url(address, pool));
    fetch->lib.easy_setopt(fetch->curl, CURLOPT_WRITEDATA, &body);
    CURLcode code = fetch->lib.easy_perform(fetch->curl);
    fetch->last_response = apr_time_now();
    fetch->lib.easy_getinfo(fetch->curl, CURLINFO_RESPONSE_CODE, &response->status);
    response->body = body.bytes.at;
    response->len = body.bytes.len;
    response->type = response_field(fetch, "Content-Type", pool);
    response->location = response_field(fetch, "Location", pool);
    if (body.too_long) {
        return tmpl_fail(err, APR_ENOSPC, "the body is longer than %d bytes", CTL_FETCH_MOST);
    }
    if (code == CURLE_ABORTED_BY_CALLBACK) {
        return tmpl_fail(err, APR_EINTR, "interrupted");
    }
    if (code != CURLE_OK) {
        return tmpl_fail(err, APR_EGENERAL, "%s",
                         fetch->error[0] != '\0' ? fetch->error : fetch->lib.easy_strerror(code));
    }
    return APR_SUCCESS;
}

apr_status_t ctl_fetch_get(ctl_fetch_t *fetch, const tmpl_address_t *address,
                           ctl_response_t *response, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_address_t at = *address;
    for (int hop = 0; hop <= CTL_FETCH_REDIRECTS; hop++) {
        if (fetch->allows != NULL && !fetch->allows(fetch->rules, at.uri)) {
            return tmpl_fail(err, APR_EACCES, "robots.txt forbids %s", at.uri);
        }
        apr_status_t status = request(fetch, &at, response, err, pool);
        if (status != APR_SUCCESS || response->status / 100 != 3 || response->location == NULL) {
            return status;
        }
        tmpl_address_t from = at;
        status = tmpl_address_parse(&at, response->location, &from, err, pool);
        if (status != APR_SUCCESS) {
            return tmpl_fail(err, APR_EGENERAL, "redirects to \"%s\", which is not a URL of http",
                             response->location);
        }
        if (!tmpl_address_same_host(&at, address)) {
            return tmpl_fail(err, APR_EGENERAL, "redirects to another host: %s",
                             tmpl_address_url(&at, pool));
        }
    }
    return tmpl_fail(err, APR_EGENERAL, "redirects more than %d times", CTL_FETCH_REDIRECTS);
}

apr_status_t ctl_fetch_page(ctl_fetch_t *fetch, const tmpl_address_t *address,
                            ctl_response_t *response, tmpl_error_t *err, apr_pool_t *pool)
{
    static const char html[] = "text/html";
    apr_thread_mutex_lock(fetch->lock);
    apr_status_t status = ctl_fetch_get(fetch, address, response, err, pool);
    apr_thread_mutex_unlock(fetch->lock);
    if (status != APR_SUCCESS) {
        return status;
    }
    if (response->status != 200) {
        return tmpl_fail(err, APR_EGENERAL, "HTTP %ld", response->status);
    }
    if (response->type == NULL || apr_cstr_casecmpn(response->type, html, sizeof(html) - 1) != 0) {
        return tmpl_fail(err, APR_EGENERAL, "its Content-Type is %s, not %s",
                         response->type != NULL ? response->type : "missing", html);
    }
    return APR_SUCCESS;
}
