/* SPDX-License-Identifier: Apache-2.0 */
/* The URI of a Redis store, in parts. docs/stores.md describes every form. */
#ifndef TMPL_REDIS_ADDRESS_H
#define TMPL_REDIS_ADDRESS_H

#include <string.h>

#include <apr_network_io.h>

#include "base/tmpl.h"

/* How the server of a site is found. */
typedef enum {
    TMPL_REDIS_SINGLE,   /* there is one, at a known place */
    TMPL_REDIS_SENTINEL, /* one master, whose place the sentinels know */
    TMPL_REDIS_CLUSTER,  /* many masters; each of them knows the places of all */
} tmpl_redis_mode_e;

/* Where a server listens. */
typedef struct {
    char host[256];  /* a name, a literal address, or the path of a unix socket */
    apr_port_t port; /* 0: a unix socket */
} tmpl_redis_place_t;

static inline int tmpl_redis_place_equal(const tmpl_redis_place_t *a, const tmpl_redis_place_t *b)
{
    return a->port == b->port && strcmp(a->host, b->host) == 0;
}

/* The login. NULL: none; there may be a password without a user. */
typedef struct {
    const char *user;
    const char *password;
} tmpl_redis_login_t;

typedef struct {
    tmpl_redis_mode_e mode;
    const char *name;                 /* for messages: the URI without user, password and query */
    const tmpl_redis_place_t *places; /* places of the server, of sentinels, or of some nodes */
    unsigned n_places;
    const char *master; /* SENTINEL: the master's name */
    tmpl_redis_login_t login;
    tmpl_redis_login_t sentinel_login;
    unsigned db;
    int is_tls;
    const char *ca;     /* a PEM file of CA certificates; NULL: those of the system */
    const char *cert;   /* a PEM file with the client's certificate; NULL: none */
    const char *key;    /* a PEM file with the client's private key */
    const char *server; /* the name in the server's certificate; NULL: the host */
} tmpl_redis_address_t;

/*
 * Fills address from a URI of any form, with strings from pool. APR_SUCCESS, or APR_EINVAL with
 * text that names the valid form.
 */
apr_status_t tmpl_redis_address_parse(tmpl_redis_address_t *address, const char *uri,
                                      tmpl_error_t *err, apr_pool_t *pool);

/*
 * Fills place from "host:port" as Redis writes it: host may be an IPv6 address without brackets. An
 * empty host stands for the host of asked. Returns 0 if text is no place.
 */
int tmpl_redis_place_parse(tmpl_redis_place_t *place, const char *text,
                           const tmpl_redis_place_t *asked);

/* The place as a URI has it. */
const char *tmpl_redis_place_show(const tmpl_redis_place_t *place, apr_pool_t *pool);

/* Fills place from its parts. Returns 0 if the parts are no place. asked may be NULL. */
int tmpl_redis_place_fill(tmpl_redis_place_t *place, const char *host, size_t len, long long port,
                          const tmpl_redis_place_t *asked);

#endif
