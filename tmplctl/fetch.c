/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch.h"

#include <stdlib.h>
#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/buf.h"
#include "curl_lib.h"
#include "interrupt.h"

struct ctl_fetch_t {
    ctl_curl_t lib;
    CURL *curl;
    apr_interval_time_t delay;
    char error[CURL_ERROR_SIZE];
};

/* End of the last answer, 0 before the first: one for all, for a proxy's requests reach the site, too. */
static apr_time_t last_answer;

/* An answer on its way in. */
typedef struct {
    ctl_answer_t *answer;
    const char *location;
    tmpl_buf_t body;
    int too_long;
    apr_pool_t *pool;
} receipt_t;

static size_t take_body(char *bytes, size_t size, size_t n, void *baton)
{
    receipt_t *receipt = baton;
    (void)size; /* is 1 */
    if (receipt->body.len + n > CTL_FETCH_MOST) {
        receipt->too_long = 1;
        return 0;
    }
    tmpl_buf_add(&receipt->body, bytes, n);
    return n;
}

/* The field's value if the line is that field's; NULL otherwise. */
static const char *value_of(const char *line, size_t len, const char *name, apr_pool_t *pool)
{
    size_t n = strlen(name);
    if (len <= n || line[n] != ':' || apr_cstr_casecmpn(line, name, n) != 0) {
        return NULL;
    }
    char *value = apr_pstrmemdup(pool, line + n + 1, len - n - 1);
    value[strcspn(value, "\r\n")] = '\0';
    return value + strspn(value, " \t");
}

static size_t take_field(char *line, size_t size, size_t n, void *baton)
{
    receipt_t *receipt = baton;
    const struct {
        const char *name;
        const char **value;
    } fields[] = {
        { "Content-Type", &receipt->answer->type },
        { "Tmpl", &receipt->answer->tmpl },
        { "Location", &receipt->location },
    };
    (void)size; /* is 1 */
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        const char *value = value_of(line, n, fields[i].name, receipt->pool);
        if (value != NULL) {
            *fields[i].value = value;
        }
    }
    return n;
}

static int is_over(void *baton, curl_off_t to_come, curl_off_t came, curl_off_t to_go,
                   curl_off_t went)
{
    (void)baton;
    (void)to_come;
    (void)came;
    (void)to_go;
    (void)went;
    return ctl_interrupted() != 0;
}

static apr_status_t close_fetch(void *data)
{
    const ctl_fetch_t *fetch = data;
    fetch->lib.easy_cleanup(fetch->curl);
    fetch->lib.global_cleanup();
    return APR_SUCCESS;
}

/* What holds for every request. CURLE_OK, or what curl does not take. */
static CURLcode set_up(ctl_fetch_t *fetch, const char *proxy)
{
    CURL *curl = fetch->curl;
    const ctl_curl_t *lib = &fetch->lib;
    lib->easy_setopt(curl, CURLOPT_ERRORBUFFER, fetch->error);
    lib->easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    lib->easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    lib->easy_setopt(curl, CURLOPT_USERAGENT, CTL_AGENT "/" TMPL_VERSION);
    lib->easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
    lib->easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)apr_time_as_msec(CTL_FETCH_CONNECT));
    lib->easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)apr_time_as_msec(CTL_FETCH_TIMEOUT));
    lib->easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    lib->easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_field);
    lib->easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, is_over);
    lib->easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    /* OpenSSL and curl's own tool heed this; libcurl does not */
    const char *authorities = getenv("SSL_CERT_FILE");
    if (authorities != NULL && *authorities != '\0') {
        lib->easy_setopt(curl, CURLOPT_CAINFO, authorities);
    }
    if (proxy == NULL) {
        return CURLE_OK;
    }
    /* the environment's list of hosts that need no proxy is not about this one */
    lib->easy_setopt(curl, CURLOPT_NOPROXY, "");
    return lib->easy_setopt(curl, CURLOPT_PROXY, proxy);
}

apr_status_t ctl_fetch_open(ctl_fetch_t **fetch, const char *proxy, tmpl_error_t *err,
                            apr_pool_t *pool)
{
    ctl_fetch_t *new = apr_pcalloc(pool, sizeof(*new));
    if (proxy != NULL && apr_cstr_casecmpn(proxy, "http://", 7) != 0) {
        return tmpl_fail(err, APR_EINVAL, "\"%s\" is no http URL", proxy);
    }
    apr_status_t status = ctl_curl_load(&new->lib, err, pool);
    if (status != APR_SUCCESS) {
        return status;
    }
    if (new->lib.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return tmpl_fail(err, APR_EGENERAL, "libcurl does not start");
    }
    new->curl = new->lib.easy_init();
    if (new->curl == NULL || set_up(new, proxy) != CURLE_OK) {
        new->lib.easy_cleanup(new->curl);
        new->lib.global_cleanup();
        return tmpl_fail(err, APR_EGENERAL, "libcurl does not start");
    }
    apr_pool_cleanup_register(pool, new, close_fetch, apr_pool_cleanup_null);
    *fetch = new;
    return APR_SUCCESS;
}

void ctl_fetch_pace(ctl_fetch_t *fetch, apr_interval_time_t delay)
{
    fetch->delay = delay;
}

/* Waits until it is time for the next request, in steps short enough for Ctrl-C. */
static void wait_for_turn(const ctl_fetch_t *fetch)
{
    apr_time_t turn = last_answer != 0 ? last_answer + fetch->delay : 0;
    for (apr_time_t now; (now = apr_time_now()) < turn && !ctl_interrupted();) {
        apr_interval_time_t step = apr_time_from_msec(100);
        apr_sleep(turn - now < step ? turn - now : step);
    }
}

/* One request and its answer, or why there is none. */
static apr_status_t ask(ctl_fetch_t *fetch, const tmpl_address_t *address, receipt_t *receipt,
                        tmpl_error_t *err)
{
    wait_for_turn(fetch);
    if (ctl_interrupted()) {
        return tmpl_fail(err, APR_EINTR, "interrupted");
    }
    *receipt->answer = (ctl_answer_t){ .at = *address };
    receipt->location = NULL;
    tmpl_buf_init(&receipt->body, receipt->pool);
    fetch->error[0] = '\0';
    fetch->lib.easy_setopt(fetch->curl, CURLOPT_URL, tmpl_address_url(address, receipt->pool));
    fetch->lib.easy_setopt(fetch->curl, CURLOPT_WRITEDATA, receipt);
    fetch->lib.easy_setopt(fetch->curl, CURLOPT_HEADERDATA, receipt);
    CURLcode code = fetch->lib.easy_perform(fetch->curl);
    last_answer = apr_time_now();
    fetch->lib.easy_getinfo(fetch->curl, CURLINFO_RESPONSE_CODE, &receipt->answer->status);
    receipt->answer->body = receipt->body.at;
    receipt->answer->len = receipt->body.len;
    if (receipt->too_long) {
        return tmpl_fail(err, APR_ENOSPC, "longer than %d bytes", CTL_FETCH_MOST);
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
                           const tmpl_robots_t *robots, ctl_answer_t *answer, tmpl_error_t *err,
                           apr_pool_t *pool)
{
    tmpl_address_t at = *address;
    for (int hop = 0; hop <= CTL_FETCH_REDIRECTS; hop++) {
        receipt_t receipt = { .answer = answer, .pool = pool };
        if (robots != NULL && !tmpl_robots_allow(robots, at.uri)) {
            return tmpl_fail(err, APR_EACCES, "robots.txt forbids %s", at.uri);
        }
        apr_status_t status = ask(fetch, &at, &receipt, err);
        if (status != APR_SUCCESS || answer->status / 100 != 3 || receipt.location == NULL) {
            return status;
        }
        tmpl_address_t from = at;
        status = tmpl_address_parse(&at, receipt.location, &from, err, pool);
        if (status != APR_SUCCESS) {
            return tmpl_fail(err, APR_EGENERAL, "redirects to \"%s\"", receipt.location);
        }
        if (!tmpl_address_same_host(&at, address)) {
            return tmpl_fail(err, APR_EGENERAL, "redirects to another host: %s",
                             tmpl_address_url(&at, pool));
        }
    }
    return tmpl_fail(err, APR_EGENERAL, "redirects more than %d times", CTL_FETCH_REDIRECTS);
}
