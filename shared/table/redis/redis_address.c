/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include <apr_escape.h>
#include <apr_strings.h>
#include <apr_uri.h>

#define NUMBER_MOST 65535 /* of ports and of databases */
#define PORT        6379

static const char unix_scheme[] = "redis+unix://";

/* text with %xx decoded; NULL if it is malformed, or NULL. */
static const char *unescape(const char *text, apr_pool_t *pool)
{
    return text == NULL ? NULL : apr_punescape_url(pool, text, NULL, NULL, 0);
}

static apr_status_t number_parse(unsigned *number, const char *what, const char *text,
                                 unsigned least, tmpl_error_t *err)
{
    char *end;

    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || n < least ||
        n > NUMBER_MOST) {
        return tmpl_fail(err, APR_EINVAL, "%s \"%s\" is no number from %u to %d", what, text, least,
                         NUMBER_MOST);
    }
    *number = (unsigned)n;
    return APR_SUCCESS;
}

static apr_status_t tcp_parse(tmpl_redis_address_t *address, const char *uri, tmpl_error_t *err,
                              apr_pool_t *pool)
{
    unsigned port = PORT;
    apr_status_t rv = APR_SUCCESS;
    apr_uri_t parts;

    if (apr_uri_parse(pool, uri, &parts) != APR_SUCCESS || parts.hostname == NULL ||
        parts.hostname[0] == '\0' || parts.query != NULL || parts.fragment != NULL) {
        return tmpl_fail(err, APR_EINVAL,
                         "not of the form redis://[user:pass@]host[:port][/db], port 1 to 65535");
    }
    int has_user = parts.user != NULL && parts.user[0] != '\0';
    address->user = has_user ? unescape(parts.user, pool) : NULL;
    address->password = unescape(parts.password, pool);
    if (parts.user != NULL && (address->password == NULL || (has_user && address->user == NULL))) {
        return tmpl_fail(err, APR_EINVAL,
                         "user and password for %s are not of the form user:pass or :pass",
                         parts.hostname);
    }
    if (parts.port_str != NULL) {
        rv = number_parse(&port, "port", parts.port_str, 1, err);
    }
    if (rv == APR_SUCCESS && parts.path != NULL && parts.path[1] != '\0') {
        rv = number_parse(&address->db, "database", parts.path + 1, 0, err);
    }
    address->host = parts.hostname;
    address->port = (apr_port_t)port;
    address->name = apr_psprintf(
        pool, strchr(parts.hostname, ':') != NULL ? "redis://[%s]:%u/%u" : "redis://%s:%u/%u",
        address->host, port, address->db);
    return rv;
}

static apr_status_t query_parse(tmpl_redis_address_t *address, char *query, tmpl_error_t *err,
                                apr_pool_t *pool)
{
    apr_status_t rv = APR_SUCCESS;
    char *state, *pair = apr_strtok(query, "&", &state);

    for (; rv == APR_SUCCESS && pair != NULL; pair = apr_strtok(NULL, "&", &state)) {
        char *equals = strchr(pair, '=');
        const char *value = equals == NULL ? NULL : unescape(equals + 1, pool);

        if (value == NULL || value[0] == '\0') {
            return tmpl_fail(err, APR_EINVAL, "%s: db, user and pass need a value", unix_scheme);
        }
        *equals = '\0';
        if (strcmp(pair, "db") == 0) {
            rv = number_parse(&address->db, "database", value, 0, err);
        }
        else if (strcmp(pair, "user") == 0) {
            address->user = value;
        }
        else if (strcmp(pair, "pass") == 0) {
            address->password = value;
        }
        else {
            rv =
                tmpl_fail(err, APR_EINVAL, "%s: \"%s\" is not db, user or pass", unix_scheme, pair);
        }
    }
    return rv;
}

static apr_status_t unix_parse(tmpl_redis_address_t *address, const char *uri, tmpl_error_t *err,
                               apr_pool_t *pool)
{
    char *rest = apr_pstrdup(pool, uri + strlen(unix_scheme));
    char *query = strchr(rest, '?');
    struct sockaddr_un probe;

    if (query != NULL) {
        *query++ = '\0';
        apr_status_t rv = query_parse(address, query, err, pool);
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    if (address->user != NULL && address->password == NULL) {
        return tmpl_fail(err, APR_EINVAL, "%s: a user needs pass= as well", unix_scheme);
    }
    address->path = unescape(rest, pool);
    if (address->path == NULL || address->path[0] != '/' || address->path[1] == '\0') {
        return tmpl_fail(err, APR_EINVAL,
                         "not of the form redis+unix:///path[?db=n&user=u&pass=p]");
    }
    if (strlen(address->path) >= sizeof(probe.sun_path)) {
        return tmpl_fail(err, APR_EINVAL, "%s: a socket's path has at most %d bytes", unix_scheme,
                         (int)sizeof(probe.sun_path) - 1);
    }
    address->name = apr_psprintf(pool, "%s%s?db=%u", unix_scheme, address->path, address->db);
    return APR_SUCCESS;
}

apr_status_t tmpl_redis_address_parse(tmpl_redis_address_t *address, const char *uri,
                                      tmpl_error_t *err, apr_pool_t *pool)
{
    *address = (tmpl_redis_address_t){ 0 };
    return strncmp(uri, unix_scheme, strlen(unix_scheme)) == 0 ? unix_parse(address, uri, err, pool)
                                                               : tcp_parse(address, uri, err, pool);
}
