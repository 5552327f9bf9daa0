/* SPDX-License-Identifier: Apache-2.0 */
#include "store/redis_conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include <apr_escape.h>
#include <apr_strings.h>
#include <apr_uri.h>

#define DB_MOST 65535

static const char tcp_scheme[] = "redis://";
static const char unix_scheme[] = "redis+unix://";

/* %xx undone; NULL if it is not well formed. NULL stays NULL. */
static const char *unescape(const char *text, apr_pool_t *pool)
{
    return text == NULL ? NULL : apr_punescape_url(pool, text, NULL, NULL, 0);
}

static apr_status_t db_parse(tmpl_redis_address_t *address, const char *text, tmpl_error_t *err)
{
    char *end;
    unsigned long db;

    errno = 0;
    db = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || db > DB_MOST) {
        return tmpl_fail(err, APR_EINVAL, "database \"%s\" is no number from 0 to %d", text,
                         DB_MOST);
    }
    address->db = (unsigned)db;
    return APR_SUCCESS;
}

static apr_status_t tcp_parse(tmpl_redis_address_t *address, const char *uri, tmpl_error_t *err,
                              apr_pool_t *pool)
{
    apr_uri_t parts;
    const char *host;

    if (apr_uri_parse(pool, uri, &parts) != APR_SUCCESS || parts.hostname == NULL ||
        parts.hostname[0] == '\0' || parts.query != NULL || parts.fragment != NULL) {
        return tmpl_fail(err, APR_EINVAL,
                         "not of the form redis://[user:pass@]host[:port][/db], port 1 to 65535");
    }
    if (parts.port_str != NULL && parts.port_str[0] != '\0' && parts.port == 0) {
        return tmpl_fail(err, APR_EINVAL, "port \"%s\" is not 1 to 65535", parts.port_str);
    }
    host = parts.hostname;
    address->host = host;
    address->port = apr_psprintf(pool, "%u", parts.port != 0 ? parts.port : 6379);
    if (parts.user != NULL && parts.user[0] != '\0') {
        address->user = unescape(parts.user, pool);
    }
    address->password = unescape(parts.password, pool);
    if (parts.user != NULL &&
        (address->password == NULL || (parts.user[0] != '\0' && address->user == NULL))) {
        return tmpl_fail(err, APR_EINVAL,
                         "user and password of %s%s are not of the form user:pass or :pass",
                         tcp_scheme, host);
    }
    if (parts.path != NULL && parts.path[0] == '/' && parts.path[1] != '\0') {
        apr_status_t rv = db_parse(address, parts.path + 1, err);

        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    address->name =
        apr_psprintf(pool, strchr(host, ':') != NULL ? "redis://[%s]:%s/%u" : "redis://%s:%s/%u",
                     host, address->port, address->db);
    return APR_SUCCESS;
}

static apr_status_t query_parse(tmpl_redis_address_t *address, char *query, tmpl_error_t *err,
                                apr_pool_t *pool)
{
    char *state, *pair;

    for (pair = apr_strtok(query, "&", &state); pair; pair = apr_strtok(NULL, "&", &state)) {
        char *equals = strchr(pair, '=');
        const char *value = equals == NULL ? NULL : unescape(equals + 1, pool);
        apr_status_t rv = APR_SUCCESS;

        if (value == NULL || value[0] == '\0') {
            return tmpl_fail(err, APR_EINVAL, "%s: db, user and pass need a value", unix_scheme);
        }
        *equals = '\0';
        if (strcmp(pair, "db") == 0) {
            rv = db_parse(address, value, err);
        }
        else if (strcmp(pair, "user") == 0) {
            address->user = value;
        }
        else if (strcmp(pair, "pass") == 0) {
            address->password = value;
        }
        else {
            rv = tmpl_fail(err, APR_EINVAL, "%s: \"%s\" is none of db, user, pass", unix_scheme,
                           pair);
        }
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    return APR_SUCCESS;
}

static apr_status_t unix_parse(tmpl_redis_address_t *address, const char *uri, tmpl_error_t *err,
                               apr_pool_t *pool)
{
    char *rest = apr_pstrdup(pool, uri + strlen(unix_scheme));
    char *query = strchr(rest, '?');
    struct sockaddr_un probe;

    if (query != NULL) {
        apr_status_t rv;

        *query = '\0';
        rv = query_parse(address, query + 1, err, pool);
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
    memset(address, 0, sizeof(*address));
    return strncmp(uri, unix_scheme, strlen(unix_scheme)) == 0 ? unix_parse(address, uri, err, pool)
                                                               : tcp_parse(address, uri, err, pool);
}
