/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/resolve.h"

#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "table/provider.h"

#define FRESH apr_time_from_sec(30)
#define STEP  apr_time_from_msec(1) /* between two looks at a look-up that is under way */

/* A look-up, in memory of its own: glibc may still be at it when we no longer are. */
typedef struct lookup_t {
    struct lookup_t *next; /* of those abandoned */
    struct gaicb cb;
    struct addrinfo hints;
    char port[16];
    char host[];
} lookup_t;

struct tmpl_resolver_t {
    const char *host;
    const char *port;
    pthread_mutex_t lock;
    struct addrinfo *found;
    apr_time_t stale_at;
    unsigned turn; /* which of the addresses */
    lookup_t *running;
};

/* Look-ups that went on when their resolver ended. */
static pthread_mutex_t abandoned_lock = PTHREAD_MUTEX_INITIALIZER;
static lookup_t *abandoned;

static void lookup_free(lookup_t *lookup)
{
    if (lookup->cb.ar_result != NULL) {
        freeaddrinfo(lookup->cb.ar_result);
    }
    free(lookup);
}

/* Frees those that have come to an end since; adds one (or NULL). */
static void lookup_abandon(lookup_t *lookup)
{
    pthread_mutex_lock(&abandoned_lock);
    if (lookup != NULL) {
        gai_cancel(&lookup->cb);
        lookup->next = abandoned;
        abandoned = lookup;
    }
    for (lookup_t **at = &abandoned; *at != NULL;) {
        lookup_t *old = *at;

        if (gai_error(&old->cb) == EAI_INPROGRESS) {
            at = &old->next;
        }
        else {
            *at = old->next;
            lookup_free(old);
        }
    }
    pthread_mutex_unlock(&abandoned_lock);
}

static apr_status_t resolver_free(void *data)
{
    tmpl_resolver_t *r = data;

    lookup_abandon(r->running);
    if (r->found != NULL) {
        freeaddrinfo(r->found);
    }
    pthread_mutex_destroy(&r->lock);
    return APR_SUCCESS;
}

tmpl_resolver_t *tmpl_resolver_create(const char *host, const char *port, apr_pool_t *pool)
{
    tmpl_resolver_t *r = apr_pcalloc(pool, sizeof(*r));

    lookup_abandon(NULL);
    r->host = host;
    r->port = port;
    pthread_mutex_init(&r->lock, NULL);
    apr_pool_cleanup_register(pool, r, resolver_free, apr_pool_cleanup_null);
    return r;
}

/* An address in digits needs no look-up. */
static int lookup_digits(tmpl_resolver_t *r)
{
    struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                              .ai_socktype = SOCK_STREAM };

    return getaddrinfo(r->host, r->port, &hints, &r->found);
}

static int lookup_start(tmpl_resolver_t *r)
{
    size_t len = strlen(r->host);
    lookup_t *lookup = calloc(1, sizeof(*lookup) + len + 1);
    struct gaicb *list[1];
    int rc;

    if (lookup == NULL) {
        return EAI_MEMORY;
    }
    memcpy(lookup->host, r->host, len);
    strncpy(lookup->port, r->port, sizeof(lookup->port) - 1);
    lookup->hints.ai_socktype = SOCK_STREAM;
    lookup->hints.ai_flags = AI_NUMERICSERV | AI_ADDRCONFIG;
    lookup->cb.ar_name = lookup->host;
    lookup->cb.ar_service = lookup->port;
    lookup->cb.ar_request = &lookup->hints;
    list[0] = &lookup->cb;
    rc = getaddrinfo_a(GAI_NOWAIT, list, 1, NULL);
    if (rc != 0) {
        free(lookup);
        return rc;
    }
    r->running = lookup;
    return 0;
}

/* With the lock held: 0 with r->found good for use, EAI_INPROGRESS, or why not. */
static int lookup_step(tmpl_resolver_t *r)
{
    int rc;

    if (r->found != NULL && (r->stale_at == 0 || tmpl_clock() < r->stale_at)) {
        return 0;
    }
    if (r->found == NULL && r->running == NULL && lookup_digits(r) == 0) {
        r->stale_at = 0; /* never */
        return 0;
    }
    rc = r->running == NULL ? lookup_start(r) : 0;
    if (rc == 0) {
        rc = gai_error(&r->running->cb);
    }
    if (rc == EAI_INPROGRESS) {
        /* what was found before is better than waiting */
        return r->found != NULL ? 0 : rc;
    }
    if (rc == 0) {
        if (r->found != NULL) {
            freeaddrinfo(r->found);
        }
        r->found = r->running->cb.ar_result;
        r->running->cb.ar_result = NULL;
    }
    if (r->running != NULL) {
        lookup_free(r->running);
        r->running = NULL;
    }
    r->stale_at = tmpl_clock() + FRESH;
    /* and better than nothing */
    return r->found != NULL ? 0 : rc;
}

/* The one whose turn it is, with the lock held. */
static void address_copy(tmpl_resolver_t *r, struct sockaddr_storage *address, socklen_t *len)
{
    struct addrinfo *at = r->found;

    for (unsigned i = 0; i < r->turn; i++) {
        at = at->ai_next != NULL ? at->ai_next : r->found;
    }
    memcpy(address, at->ai_addr, at->ai_addrlen);
    *len = at->ai_addrlen;
}

apr_status_t tmpl_resolver_get(tmpl_resolver_t *r, apr_time_t deadline,
                               struct sockaddr_storage *address, socklen_t *len,
                               const char **reason)
{
    for (;;) {
        int rc;

        pthread_mutex_lock(&r->lock);
        rc = lookup_step(r);
        if (rc == 0) {
            address_copy(r, address, len);
        }
        pthread_mutex_unlock(&r->lock);
        if (rc == 0) {
            return APR_SUCCESS;
        }
        if (rc != EAI_INPROGRESS) {
            *reason = gai_strerror(rc);
            return APR_EGENERAL;
        }
        if (tmpl_clock() + STEP >= deadline) {
            return APR_TIMEUP;
        }
        apr_sleep(STEP);
    }
}

void tmpl_resolver_next(tmpl_resolver_t *r)
{
    pthread_mutex_lock(&r->lock);
    r->turn = (r->turn + 1) % 16;
    if (r->stale_at != 0) {
        r->stale_at = 1;
    }
    pthread_mutex_unlock(&r->lock);
}
