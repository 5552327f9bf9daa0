/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_conn.h"

#include <stddef.h>
#include <string.h>

#include <apr_escape.h>
#include <apr_strings.h>

#include "base/number.h"

#define NUMBER_MOST   65535 /* the largest number of a port or a database */
#define PORT          6379
#define SENTINEL_PORT 26379
#define PLACES_MOST   16
#define PATH_MOST     107 /* bytes of a unix socket's path: its address has room for no more */

#define AUTHORITY "[user:pass@]host[:port]"
#define TLS_QUERY "[?ca=FILE&cert=FILE&key=FILE&server=NAME]"

#define DIM(a) (sizeof(a) / sizeof((a)[0]))

/* Keys of a query, and the schemes that have them. */
enum { OF_UNIX = 1, OF_TLS = 2, OF_SENTINEL = 4 };

/* The scheme is the form up to and with the slashes. */
static const struct {
    const char *form;
    tmpl_redis_mode_e mode;
    unsigned keys;
} schemes[] = {
    { "redis://" AUTHORITY "[/db]", TMPL_REDIS_SINGLE, 0 },
    { "rediss://" AUTHORITY "[/db]" TLS_QUERY, TMPL_REDIS_SINGLE, OF_TLS },
    { "redis+unix:///path[?db=n&user=u&pass=p]", TMPL_REDIS_SINGLE, OF_UNIX },
    { "redis+sentinel://" AUTHORITY "[,host[:port]...]/master[/db]"
      "[?sentinel-user=u&sentinel-pass=p]",
      TMPL_REDIS_SENTINEL, OF_SENTINEL },
    { "rediss+sentinel://" AUTHORITY "[,host[:port]...]/master[/db]" TLS_QUERY, TMPL_REDIS_SENTINEL,
      OF_SENTINEL | OF_TLS },
    { "redis+cluster://" AUTHORITY "[,host[:port]...]", TMPL_REDIS_CLUSTER, 0 },
    { "rediss+cluster://" AUTHORITY "[,host[:port]...]" TLS_QUERY, TMPL_REDIS_CLUSTER, OF_TLS },
};

static const struct {
    const char *key;
    unsigned of;
    size_t field; /* a const char * of the address; 0: the database */
} keys[] = {
    { "db", OF_UNIX, 0 },
    { "user", OF_UNIX, offsetof(tmpl_redis_address_t, login.user) },
    { "pass", OF_UNIX, offsetof(tmpl_redis_address_t, login.password) },
    { "ca", OF_TLS, offsetof(tmpl_redis_address_t, ca) },
    { "cert", OF_TLS, offsetof(tmpl_redis_address_t, cert) },
    { "key", OF_TLS, offsetof(tmpl_redis_address_t, key) },
    { "server", OF_TLS, offsetof(tmpl_redis_address_t, server) },
    { "sentinel-user", OF_SENTINEL, offsetof(tmpl_redis_address_t, sentinel_login.user) },
    { "sentinel-pass", OF_SENTINEL, offsetof(tmpl_redis_address_t, sentinel_login.password) },
};

/* Ends text at a character, and returns what follows it; NULL: text does not have it. */
static char *split(char *text, char at)
{
    char *rest = strchr(text, at);
    if (rest != NULL) {
        *rest++ = '\0';
    }
    return rest;
}

/* text with %xx decoded; NULL if text is malformed or NULL. */
static const char *unescape(const char *text, apr_pool_t *pool)
{
    return text == NULL ? NULL : apr_punescape_url(pool, text, NULL, NULL, 0);
}

static int number_parse(unsigned *number, const char *text, const char *least)
{
    int64_t n = 0;
    int ok = tmpl_number_between(&n, text, tmpl_units_none, least, APR_STRINGIFY(NUMBER_MOST));
    *number = (unsigned)n;
    return ok;
}

/* ---- places ---- */

int tmpl_redis_place_fill(tmpl_redis_place_t *place, const char *host, size_t len, long long port,
                          const tmpl_redis_place_t *asked)
{
    if (len == 0 && asked != NULL) {
        host = asked->host;
        len = strlen(host);
    }
    if (len == 0 || len >= sizeof(place->host) || port < 1 || port > NUMBER_MOST ||
        memchr(host, '\0', len) != NULL || (len == 1 && host[0] == '?')) {
        return 0;
    }
    memmove(place->host, host, len);
    place->host[len] = '\0';
    place->port = (apr_port_t)port;
    return 1;
}

int tmpl_redis_place_parse(tmpl_redis_place_t *place, const char *text,
                           const tmpl_redis_place_t *asked)
{
    const char *colon = strrchr(text, ':');
    unsigned port;
    return colon != NULL && number_parse(&port, colon + 1, "1") &&
           tmpl_redis_place_fill(place, text, (size_t)(colon - text), port, asked);
}

const char *tmpl_redis_place_show(const tmpl_redis_place_t *place, apr_pool_t *pool)
{
    int is_ipv6 = strchr(place->host, ':') != NULL;
    return place->port == 0 ? place->host
                            : apr_psprintf(pool, "%s%s%s:%u", is_ipv6 ? "[" : "", place->host,
                                           is_ipv6 ? "]" : "", place->port);
}

/* ---- the parts of a URI; the functions return 0 for what is not of its form ---- */

/* user:pass or :pass, which are still encoded. */
static int login_parse(tmpl_redis_login_t *login, char *text, apr_pool_t *pool)
{
    login->password = unescape(split(text, ':'), pool);
    login->user = text[0] != '\0' ? unescape(text, pool) : NULL;
    return login->password != NULL && (text[0] == '\0' || login->user != NULL);
}

/* "host", "host:port" or "[address]:port". */
static int host_parse(tmpl_redis_place_t *place, const char *text, apr_port_t usual,
                      apr_pool_t *pool)
{
    char *host, *scope;
    apr_port_t port;
    return apr_parse_addr_port(&host, &scope, &port, text, pool) == APR_SUCCESS && host != NULL &&
           scope == NULL && (text[0] == '[' || strchr(host, ':') == NULL) &&
           tmpl_redis_place_fill(place, host, strlen(host), port != 0 ? port : usual, NULL);
}

static int hosts_parse(tmpl_redis_address_t *address, char *text, apr_pool_t *pool)
{
    tmpl_redis_place_t *places = apr_pcalloc(pool, PLACES_MOST * sizeof(*places));
    unsigned most = address->mode == TMPL_REDIS_SINGLE ? 1 : PLACES_MOST;
    apr_port_t usual = address->mode == TMPL_REDIS_SENTINEL ? SENTINEL_PORT : PORT;
    char *login_end = strrchr(text, '@'); /* a password may hold an '@' */
    int ok = 1;
    if (login_end != NULL) {
        *login_end = '\0';
        ok = login_parse(&address->login, text, pool);
        text = login_end + 1;
    }
    for (char *next; ok && text != NULL; text = next) {
        next = split(text, ',');
        ok =
            address->n_places < most && host_parse(&places[address->n_places++], text, usual, pool);
    }
    address->places = places;
    return ok;
}

/* What follows the hosts: "/db", "/master/db", or nothing. */
static int path_parse(tmpl_redis_address_t *address, char *path, apr_pool_t *pool)
{
    const char *db = path;
    if (address->mode == TMPL_REDIS_SENTINEL) {
        db = path != NULL ? split(path, '/') : NULL;
        address->master = unescape(path, pool);
        /* an @ belongs to a password with a / in it */
        if (address->master == NULL || address->master[0] == '\0' || strchr(path, '@') != NULL) {
            return 0;
        }
    }
    return db == NULL || db[0] == '\0' ||
           (address->mode != TMPL_REDIS_CLUSTER && number_parse(&address->db, db, "0"));
}

static int unix_parse(tmpl_redis_address_t *address, const char *path, apr_pool_t *pool)
{
    tmpl_redis_place_t *place = apr_pcalloc(pool, sizeof(*place));
    path = unescape(path, pool);
    if (path == NULL || path[0] != '/' || path[1] == '\0' || strlen(path) > PATH_MOST) {
        return 0;
    }
    apr_cpystrn(place->host, path, sizeof(place->host));
    address->places = place;
    address->n_places = 1;
    return 1;
}

/* One pair, "key=value", with one of some keys. */
static int pair_parse(tmpl_redis_address_t *address, unsigned of, char *pair, apr_pool_t *pool)
{
    const char *value = unescape(split(pair, '='), pool);
    for (size_t i = 0; value != NULL && value[0] != '\0' && i < DIM(keys); i++) {
        if ((keys[i].of & of) != 0 && strcmp(pair, keys[i].key) == 0) {
            if (keys[i].field == 0) {
                return number_parse(&address->db, value, "0");
            }
            *(const char **)(void *)((char *)address + keys[i].field) = value;
            return 1;
        }
    }
    return 0;
}

static int query_parse(tmpl_redis_address_t *address, unsigned of, char *query, apr_pool_t *pool)
{
    const tmpl_redis_login_t *login = &address->login, *sentinel = &address->sentinel_login;
    char *state, *pair = apr_strtok(query, "&", &state);
    int ok = of != 0;
    for (; ok && pair != NULL; pair = apr_strtok(NULL, "&", &state)) {
        ok = pair_parse(address, of, pair, pool);
    }
    return ok && (login->user == NULL || login->password != NULL) &&
           (sentinel->user == NULL || sentinel->password != NULL) &&
           (address->cert == NULL) == (address->key == NULL);
}

/* The rest of a URI behind its scheme. */
static int rest_parse(tmpl_redis_address_t *address, unsigned of, char *rest, apr_pool_t *pool)
{
    if (strchr(rest, '#') != NULL) {
        return 0;
    }
    char *query = split(rest, '?');
    if (query != NULL && !query_parse(address, of, query, pool)) {
        return 0;
    }
    if (of == OF_UNIX) {
        return unix_parse(address, rest, pool);
    }
    char *path = split(rest, '/');
    return hosts_parse(address, rest, pool) && path_parse(address, path, pool);
}

/* The URI for messages. */
static const char *name_make(const tmpl_redis_address_t *address, const char *scheme,
                             apr_pool_t *pool)
{
    const char *name = scheme;
    for (unsigned i = 0; i < address->n_places; i++) {
        const tmpl_redis_place_t *place = &address->places[i];
        const char *shown = tmpl_redis_place_show(place, pool);
        name = apr_pstrcat(pool, name, i > 0 ? "," : "", shown, NULL);
    }
    if (address->master != NULL) {
        name = apr_pstrcat(pool, name, "/", address->master, NULL);
    }
    const char *db = apr_psprintf(pool, "%u", address->db);
    return address->mode == TMPL_REDIS_CLUSTER
               ? name
               : apr_pstrcat(pool, name, address->places->port == 0 ? "?db=" : "/", db, NULL);
}

apr_status_t tmpl_redis_address_parse(tmpl_redis_address_t *address, const char *uri,
                                      tmpl_error_t *err, apr_pool_t *pool)
{
    const char *forms = "";
    for (size_t i = 0; i < DIM(schemes); i++) {
        size_t len = (size_t)(strstr(schemes[i].form, "://") - schemes[i].form) + strlen("://");
        const char *scheme = apr_pstrmemdup(pool, schemes[i].form, len);
        if (strncmp(uri, scheme, len) != 0) {
            forms = apr_pstrcat(pool, forms, i > 0 ? ", " : "", scheme, NULL);
            continue;
        }
        *address = (tmpl_redis_address_t){ .mode = schemes[i].mode,
                                           .is_tls = (schemes[i].keys & OF_TLS) != 0 };
        if (!rest_parse(address, schemes[i].keys, apr_pstrdup(pool, uri + len), pool)) {
            /* does not quote the URI, which may hold a password */
            return tmpl_fail(err, APR_EINVAL,
                             "not of the form %s; / ? # & in user and password are %%2F %%3F %%23 "
                             "%%26; port 1 to %d",
                             schemes[i].form, NUMBER_MOST);
        }
        address->name = name_make(address, scheme, pool);
        return APR_SUCCESS;
    }
    return tmpl_fail(err, APR_EINVAL, "a Redis store is one of %s", forms);
}
