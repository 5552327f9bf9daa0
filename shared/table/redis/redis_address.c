/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_address.h"

#include <stddef.h>
#include <string.h>
#include <sys/un.h>

#include <apr_escape.h>
#include <apr_strings.h>

#include "base/number.h"

#define NUMBER_MOST   65535 /* the largest number of a port or a database */
#define PORT          6379
#define SENTINEL_PORT 26379
#define PLACES_MOST   16

#define AUTHORITY "[user:pass@]host[:port]"
#define TLS_QUERY "[?ca=FILE&cert=FILE&key=FILE&server=NAME]"

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

#define DIM(a) (sizeof(a) / sizeof((a)[0]))

/* What the parsers of the parts share. */
typedef struct {
    tmpl_redis_address_t *address;
    const char *form;
    unsigned keys;
    tmpl_error_t *err;
    apr_pool_t *pool;
} parse_t;

static apr_status_t form_refuse(const parse_t *p)
{
    return tmpl_fail(p->err, APR_EINVAL, "not of the form %s, port 1 to %d", p->form, NUMBER_MOST);
}

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

/* An error never quotes the refused text, which may be a part of a password. */
static apr_status_t number_parse(unsigned *number, const char *what, const char *text,
                                 const char *least, tmpl_error_t *err)
{
    int64_t n;
    if (!tmpl_number_between(&n, text, tmpl_units_none, least, APR_STRINGIFY(NUMBER_MOST))) {
        return tmpl_fail(err, APR_EINVAL, "the %s is no number from %s to %d", what, least,
                         NUMBER_MOST);
    }
    *number = (unsigned)n;
    return APR_SUCCESS;
}

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
    unsigned port = 0;
    return colon != NULL && number_parse(&port, "port", colon + 1, "1", NULL) == APR_SUCCESS &&
           tmpl_redis_place_fill(place, text, (size_t)(colon - text), port, asked);
}

const char *tmpl_redis_place_show(const tmpl_redis_place_t *place, apr_pool_t *pool)
{
    int is_ipv6 = strchr(place->host, ':') != NULL;
    return place->port == 0 ? place->host
                            : apr_psprintf(pool, "%s%s%s:%u", is_ipv6 ? "[" : "", place->host,
                                           is_ipv6 ? "]" : "", place->port);
}

/* Parses user:pass or :pass, which are still encoded. */
static apr_status_t login_parse(const parse_t *p, char *text)
{
    tmpl_redis_login_t *login = &p->address->login;
    login->password = unescape(split(text, ':'), p->pool);
    login->user = text[0] != '\0' ? unescape(text, p->pool) : NULL;
    if (login->password == NULL || (text[0] != '\0' && login->user == NULL)) {
        return tmpl_fail(p->err, APR_EINVAL,
                         "user and password are not of the form user:pass or :pass, with %%xx for "
                         "special characters");
    }
    return APR_SUCCESS;
}

/* "host", "host:port" or "[address]:port". */
static apr_status_t host_parse(const parse_t *p, tmpl_redis_place_t *place, char *text)
{
    unsigned port = p->address->mode == TMPL_REDIS_SENTINEL ? SENTINEL_PORT : PORT;
    char *host = text, *end = text + strcspn(text, ":");
    if (text[0] == '[') {
        host++;
        end = strchr(text, ']');
        if (end == NULL) {
            return form_refuse(p);
        }
        *end++ = '\0';
    }
    if (*end == ':') {
        *end++ = '\0';
        apr_status_t rv = number_parse(&port, "port", end, "1", p->err);
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    else if (*end != '\0') {
        return form_refuse(p);
    }
    return tmpl_redis_place_fill(place, host, strlen(host), port, NULL) ? APR_SUCCESS
                                                                        : form_refuse(p);
}

static apr_status_t hosts_parse(const parse_t *p, char *text)
{
    tmpl_redis_place_t *places = apr_pcalloc(p->pool, PLACES_MOST * sizeof(*places));
    char *login_end = strrchr(text, '@'); /* a password may hold an '@' */
    apr_status_t rv = APR_SUCCESS;
    unsigned n = 0;
    if (login_end != NULL) {
        *login_end = '\0';
        rv = login_parse(p, text);
        text = login_end + 1;
    }
    while (rv == APR_SUCCESS && text != NULL) {
        char *next = split(text, ',');
        if (n == (p->address->mode == TMPL_REDIS_SINGLE ? 1 : PLACES_MOST)) {
            return n == 1 ? form_refuse(p)
                          : tmpl_fail(p->err, APR_EINVAL, "more than %d hosts", PLACES_MOST);
        }
        rv = host_parse(p, &places[n++], text);
        text = next;
    }
    p->address->places = places;
    p->address->n_places = n;
    return rv;
}

/* What follows the hosts: "/db", "/master/db", or nothing. */
static apr_status_t path_parse(const parse_t *p, char *path)
{
    tmpl_redis_address_t *address = p->address;
    const char *number = path;
    if (address->mode == TMPL_REDIS_SENTINEL) {
        const char *db = split(path, '/');
        address->master = unescape(path, p->pool);
        number = db != NULL ? db : "";
        /* an @ belongs to a password with a / in it */
        if (address->master == NULL || address->master[0] == '\0' || strchr(path, '@') != NULL) {
            return form_refuse(p);
        }
    }
    if (number[0] == '\0') {
        return APR_SUCCESS;
    }
    return address->mode == TMPL_REDIS_CLUSTER
               ? tmpl_fail(p->err, APR_EINVAL, "a Redis Cluster has no databases: %s", p->form)
               : number_parse(&address->db, "database", number, "0", p->err);
}

static apr_status_t unix_parse(const parse_t *p, const char *path)
{
    struct sockaddr_un probe;
    tmpl_redis_place_t *place = apr_pcalloc(p->pool, sizeof(*place));
    path = unescape(path, p->pool);
    if (path == NULL || path[0] != '/' || path[1] == '\0') {
        return form_refuse(p);
    }
    if (strlen(path) >= sizeof(probe.sun_path)) {
        return tmpl_fail(p->err, APR_EINVAL, "a socket's path has at most %d bytes",
                         (int)sizeof(probe.sun_path) - 1);
    }
    apr_cpystrn(place->host, path, sizeof(place->host));
    p->address->places = place;
    p->address->n_places = 1;
    return APR_SUCCESS;
}

/* One pair, "key=value". */
static apr_status_t pair_parse(const parse_t *p, char *pair)
{
    const char *value = unescape(split(pair, '='), p->pool);
    if (value == NULL || value[0] == '\0') {
        return tmpl_fail(p->err, APR_EINVAL,
                         "a key of the query needs a value (%%26 is an & in one): %s", p->form);
    }
    for (size_t i = 0; i < DIM(keys); i++) {
        if ((keys[i].of & p->keys) != 0 && strcmp(pair, keys[i].key) == 0) {
            if (keys[i].field == 0) {
                return number_parse(&p->address->db, "database", value, "0", p->err);
            }
            *(const char **)(void *)((char *)p->address + keys[i].field) = value;
            return APR_SUCCESS;
        }
    }
    return tmpl_fail(p->err, APR_EINVAL,
                     "the query has a key (%%26 is an & in a value) that is none of %s", p->form);
}

static apr_status_t query_parse(const parse_t *p, char *query)
{
    const tmpl_redis_address_t *address = p->address;
    apr_status_t rv = APR_SUCCESS;
    char *state, *pair = apr_strtok(query, "&", &state);
    for (; rv == APR_SUCCESS && pair != NULL; pair = apr_strtok(NULL, "&", &state)) {
        rv = pair_parse(p, pair);
    }
    if (rv == APR_SUCCESS &&
        ((address->login.user != NULL && address->login.password == NULL) ||
         (address->sentinel_login.user != NULL && address->sentinel_login.password == NULL) ||
         (address->cert == NULL) != (address->key == NULL))) {
        rv =
            tmpl_fail(p->err, APR_EINVAL, "a user needs a password, and a cert a key: %s", p->form);
    }
    return rv;
}

/*
 * Whether an @ stands behind the end of the hosts: then a character of a password was taken for
 * that end.
 */
static int is_password_cut(const parse_t *p, const char *rest)
{
    const char *end = rest + strcspn(rest, "/?#");
    return p->keys != OF_UNIX && strchr(end, '@') != NULL;
}

/* The rest of a URI behind its scheme. */
static apr_status_t rest_parse(const parse_t *p, char *rest)
{
    if (strchr(rest, '#') != NULL) {
        return form_refuse(p);
    }
    char *query = split(rest, '?');
    apr_status_t rv = query == NULL  ? APR_SUCCESS
                      : p->keys != 0 ? query_parse(p, query)
                                     : form_refuse(p);
    if (rv != APR_SUCCESS || p->keys == OF_UNIX) {
        return rv != APR_SUCCESS ? rv : unix_parse(p, rest);
    }
    char *path = split(rest, '/');
    rv = hosts_parse(p, rest);
    return rv != APR_SUCCESS ? rv : path_parse(p, path != NULL ? path : rest + strlen(rest));
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
    *address = (tmpl_redis_address_t){ 0 };
    for (size_t i = 0; i < DIM(schemes); i++) {
        size_t len = (size_t)(strstr(schemes[i].form, "://") - schemes[i].form) + strlen("://");
        parse_t p = { address, schemes[i].form, schemes[i].keys, err, pool };

        if (strncmp(uri, schemes[i].form, len) != 0) {
            forms = apr_pstrcat(pool, forms, i > 0 ? ", " : "",
                                apr_pstrmemdup(pool, schemes[i].form, len), NULL);
            continue;
        }
        address->mode = schemes[i].mode;
        address->is_tls = (schemes[i].keys & OF_TLS) != 0;
        apr_status_t rv = rest_parse(&p, apr_pstrdup(pool, uri + len));
        if (rv != APR_SUCCESS && is_password_cut(&p, uri + len)) {
            return tmpl_fail(err, rv,
                             "an @ is behind / ? or #: in user and password write / ? # & as %%2F "
                             "%%3F %%23 %%26: %s",
                             p.form);
        }
        if (rv == APR_SUCCESS) {
            address->name = name_make(address, apr_pstrmemdup(pool, uri, len), pool);
        }
        return rv;
    }
    return tmpl_fail(err, APR_EINVAL, "a Redis store is one of %s", forms);
}
