/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_client.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "base/clock.h"

#define POLYNOMIAL   0x1021u
#define ASKED_MOST   16                   /* servers that are asked where all are */
#define ASK_INTERVAL apr_time_from_sec(1) /* least time between two questions */

/* ---- what the servers say ---- */

unsigned tmpl_redis_slot(const char *key)
{
    const char *open = strchr(key, '{');
    const char *close = open != NULL ? strchr(open, '}') : NULL;
    size_t len = strlen(key);
    unsigned crc = 0;
    if (close != NULL && close > open + 1) {
        key = open + 1;
        len = (size_t)(close - key);
    }
    for (size_t i = 0; i < len; i++) {
        crc ^= (unsigned)(unsigned char)key[i] << 8;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc << 1) ^ ((crc & 0x8000u) != 0 ? POLYNOMIAL : 0);
        }
    }
    return (crc & 0xffffu) % TMPL_REDIS_SLOTS;
}

/*
 * The reply has two strings, the host and the port, or is nil if the sentinel does not know the
 * name.
 */
apr_status_t tmpl_redis_sentinel_read(const redisReply *reply, const tmpl_redis_server_t *asked,
                                      apr_array_header_t *ranges, tmpl_error_t *err)
{
    tmpl_redis_range_t all = { 0, TMPL_REDIS_SLOTS - 1, { "", 0 } };
    if (reply->type == REDIS_REPLY_NIL) {
        return tmpl_fail(err, APR_EGENERAL, "%s: the sentinel knows no master of that name",
                         asked->name);
    }
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2 ||
        reply->element[0]->type != REDIS_REPLY_STRING ||
        reply->element[1]->type != REDIS_REPLY_STRING ||
        !tmpl_redis_place_fill(&all.place, reply->element[0]->str, reply->element[0]->len,
                               strtol(reply->element[1]->str, NULL, 10), &asked->place)) {
        return tmpl_redis_garbage(asked->name, err);
    }
    APR_ARRAY_PUSH(ranges, tmpl_redis_range_t) = all;
    return APR_SUCCESS;
}

/* Reads a range: first slot, last slot, and the master (host, port, and more). Replicas follow. */
static int range_read(tmpl_redis_range_t *range, const redisReply *reply,
                      const tmpl_redis_place_t *asked)
{
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements < 3 ||
        reply->element[0]->type != REDIS_REPLY_INTEGER ||
        reply->element[1]->type != REDIS_REPLY_INTEGER ||
        reply->element[2]->type != REDIS_REPLY_ARRAY || reply->element[2]->elements < 2) {
        return 0;
    }
    long long first = reply->element[0]->integer, last = reply->element[1]->integer;
    const redisReply *host = reply->element[2]->element[0], *port = reply->element[2]->element[1];
    range->first = (unsigned)first;
    range->last = (unsigned)last;
    /* no host: the node does not know by what name we call it */
    return first >= 0 && first <= last && last < TMPL_REDIS_SLOTS &&
           (host->type == REDIS_REPLY_STRING || host->type == REDIS_REPLY_NIL) &&
           port->type == REDIS_REPLY_INTEGER &&
           tmpl_redis_place_fill(&range->place, host->str, host->len, port->integer, asked);
}

apr_status_t tmpl_redis_cluster_read(const redisReply *reply, const tmpl_redis_server_t *asked,
                                     apr_array_header_t *ranges, tmpl_error_t *err)
{
    if (reply->type != REDIS_REPLY_ARRAY) {
        return tmpl_redis_garbage(asked->name, err);
    }
    for (size_t i = 0; i < reply->elements; i++) {
        tmpl_redis_range_t range;
        if (!range_read(&range, reply->element[i], &asked->place)) {
            return tmpl_redis_garbage(asked->name, err);
        }
        APR_ARRAY_PUSH(ranges, tmpl_redis_range_t) = range;
    }
    return ranges->nelts > 0
               ? APR_SUCCESS
               : tmpl_fail(err, APR_EAGAIN, "%s: no server of the Redis Cluster has a slot yet",
                           asked->name);
}

/* "MOVED 3999 127.0.0.1:6381", and the same with ASK. */
int tmpl_redis_referral_read(tmpl_redis_referral_t *referral, const redisReply *reply,
                             const tmpl_redis_place_t *asked)
{
    char *end;
    referral->is_ask = tmpl_redis_is_error(reply, "ASK ");
    if (!referral->is_ask && !tmpl_redis_is_error(reply, "MOVED ")) {
        return 0;
    }
    const char *digits = strchr(reply->str, ' ') + 1;
    unsigned long slot = strtoul(digits, &end, 10);
    referral->to.first = referral->to.last = (unsigned)slot;
    return end > digits && slot < TMPL_REDIS_SLOTS && *end == ' ' &&
           tmpl_redis_place_parse(&referral->to.place, end + 1, asked);
}

/* ---- the servers of a store ---- */

struct tmpl_redis_t {
    tmpl_redis_address_t address;
    tmpl_redis_tls_t *tls; /* NULL: none */
    unsigned max_connections;
    pthread_mutex_t lock; /* protects all below */
    pthread_cond_t answered;
    int is_asking;       /* a thread asks where the servers are */
    int is_known;        /* it is known where the servers are */
    int is_stale;        /* the servers may have changed */
    apr_time_t asked;    /* when a server was asked last */
    tmpl_error_t failed; /* error of the last answer; status APR_SUCCESS: it was good */
    unsigned first;      /* the candidate that is asked first */
    unsigned n_nodes;
    tmpl_redis_node_t *nodes[TMPL_REDIS_NODES_MOST + 1]; /* by number, from 1; [0] is NULL */
    uint16_t slots[TMPL_REDIS_SLOTS];                    /* numbers of nodes; 0: none */
};

const tmpl_redis_address_t *tmpl_redis_address(const tmpl_redis_t *redis)
{
    return &redis->address;
}

/* ---- the nodes; the caller holds the lock ---- */

/* The number of the node at a place, which is created if it is new; 0: there is no room. */
static uint16_t place_node(tmpl_redis_t *redis, const tmpl_redis_place_t *place)
{
    const tmpl_redis_address_t *address = &redis->address;
    char name[sizeof(place->host) + 32];
    for (unsigned i = 1; i <= redis->n_nodes; i++) {
        if (tmpl_redis_place_equal(&redis->nodes[i]->server.place, place)) {
            return (uint16_t)i;
        }
    }
    if (redis->n_nodes == TMPL_REDIS_NODES_MOST) {
        return 0;
    }
    tmpl_redis_server_t server = { .name = address->name,
                                   .place = *place,
                                   .login = address->login,
                                   .db = address->db,
                                   .tls = redis->tls };
    if (address->mode != TMPL_REDIS_SINGLE) {
        apr_snprintf(name, sizeof(name), "%s:%u", place->host, place->port);
        server.name = name;
    }
    tmpl_redis_node_t *node = tmpl_redis_node_create(&server, redis->max_connections);
    if (node == NULL) {
        return 0;
    }
    redis->nodes[++redis->n_nodes] = node;
    return (uint16_t)redis->n_nodes;
}

/* Notes which slots are where. All others have no server from now on. */
static void slots_replace(tmpl_redis_t *redis, const tmpl_redis_range_t *ranges, int n)
{
    unsigned char has_slot[TMPL_REDIS_NODES_MOST + 1] = { 0 };
    memset(redis->slots, 0, sizeof(redis->slots));
    for (int i = 0; i < n; i++) {
        uint16_t node = place_node(redis, &ranges[i].place);
        has_slot[node] = 1;
        for (unsigned slot = ranges[i].first; slot <= ranges[i].last; slot++) {
            redis->slots[slot] = node;
        }
    }
    for (unsigned i = 1; i <= redis->n_nodes; i++) {
        if (!has_slot[i]) {
            tmpl_redis_node_leave(redis->nodes[i]);
        }
    }
    redis->is_known = 1;
    redis->is_stale = 0;
}

/* ---- asking where the servers are ---- */

void tmpl_redis_set_stale(tmpl_redis_t *redis)
{
    pthread_mutex_lock(&redis->lock);
    /* ask another server: the last one may be cut off from the others, and never know */
    redis->first += !redis->is_stale;
    redis->is_stale = redis->address.mode != TMPL_REDIS_SINGLE;
    pthread_mutex_unlock(&redis->lock);
}

/*
 * Lists the servers to ask: those that the URI names and, in a cluster, the nodes that are known.
 */
static unsigned candidates_list(tmpl_redis_t *redis, tmpl_redis_place_t places[ASKED_MOST])
{
    const tmpl_redis_address_t *address = &redis->address;
    unsigned n = 0;
    for (; n < address->n_places && n < ASKED_MOST; n++) {
        places[n] = address->places[n];
    }
    pthread_mutex_lock(&redis->lock);
    /* the newest first: a former node may be gone */
    for (unsigned i = redis->n_nodes; address->mode == TMPL_REDIS_CLUSTER && i > 0; i--) {
        if (n < ASKED_MOST) {
            places[n++] = redis->nodes[i]->server.place;
        }
    }
    pthread_mutex_unlock(&redis->lock);
    return n;
}

/* Asks one server, over a connection of its own. */
static apr_status_t ask_at(const tmpl_redis_t *redis, const tmpl_redis_place_t *place,
                           apr_array_header_t *ranges, apr_time_t deadline, tmpl_error_t *err,
                           apr_pool_t *pool)
{
    const tmpl_redis_address_t *address = &redis->address;
    int is_sentinel = address->mode == TMPL_REDIS_SENTINEL;
    tmpl_redis_server_t server = { .name = tmpl_redis_place_show(place, pool),
                                   .place = *place,
                                   .login = is_sentinel ? address->sentinel_login : address->login,
                                   .tls = redis->tls };
    apr_array_header_t *list = tmpl_redis_list(pool);
    tmpl_redis_conn_t conn = { 0 };
    redisReply **reply;
    if (is_sentinel) {
        tmpl_redis_command(list, "SENTINEL", "get-master-addr-by-name", address->master, NULL);
    }
    else {
        tmpl_redis_command(list, "CLUSTER", "SLOTS", NULL);
    }
    apr_status_t rv = tmpl_redis_conn_call(&conn, &server, list, deadline, &reply, err);
    tmpl_redis_conn_close(&conn);
    if (rv == APR_SUCCESS) {
        rv = tmpl_redis_check(server.name, *reply, err);
    }
    return rv != APR_SUCCESS ? rv
           : is_sentinel     ? tmpl_redis_sentinel_read(*reply, &server, ranges, err)
                             : tmpl_redis_cluster_read(*reply, &server, ranges, err);
}

/*
 * Asks the candidates one after the other, each for its share of the time that is left. If none
 * answers, the error is that of a late one, or of the last one if none was late.
 */
static apr_status_t ask_all(tmpl_redis_t *redis, apr_time_t deadline, tmpl_error_t *err,
                            apr_pool_t *pool)
{
    tmpl_redis_place_t places[ASKED_MOST];
    tmpl_error_t late = { 0 };
    apr_status_t rv = APR_EGENERAL;
    unsigned n = candidates_list(redis, places);
    for (unsigned i = 0; rv != APR_SUCCESS && i < n; i++) {
        apr_array_header_t *ranges = apr_array_make(pool, 8, sizeof(tmpl_redis_range_t));
        apr_time_t now = tmpl_clock();
        pthread_mutex_lock(&redis->lock);
        const tmpl_redis_place_t *place = &places[redis->first % n];
        pthread_mutex_unlock(&redis->lock);
        rv = ask_at(redis, place, ranges, now + (deadline - now) / (n - i), err, pool);
        pthread_mutex_lock(&redis->lock);
        if (rv == APR_SUCCESS) {
            slots_replace(redis, (const tmpl_redis_range_t *)(const void *)ranges->elts,
                          ranges->nelts);
        }
        else {
            redis->first++; /* a server that fails is asked last the next time */
        }
        pthread_mutex_unlock(&redis->lock);
        if (APR_STATUS_IS_TIMEUP(rv)) {
            late = *err;
        }
    }
    if (rv != APR_SUCCESS && late.status != APR_SUCCESS) {
        *err = late;
        return late.status;
    }
    return rv;
}

/* Whether to ask now. The caller holds the lock. */
static int is_due(const tmpl_redis_t *redis, apr_time_t deadline)
{
    apr_time_t now = tmpl_clock();
    return !redis->is_asking && (!redis->is_known || redis->is_stale) && now < deadline &&
           (redis->asked == 0 || now >= redis->asked + ASK_INTERVAL);
}

/*
 * Asks, and wakes the threads that wait for the answer. If all places are known, this takes at most
 * half of the time that is left, because the servers may be where they were. The caller holds the
 * lock, which is released meanwhile.
 */
static void servers_ask(tmpl_redis_t *redis, apr_time_t deadline, apr_pool_t *pool)
{
    tmpl_error_t failed = { 0 };
    apr_time_t now = tmpl_clock();
    apr_time_t until = redis->is_known ? now + (deadline - now) / 2 : deadline;
    redis->is_asking = 1;
    redis->asked = now;
    pthread_mutex_unlock(&redis->lock);
    failed.status = ask_all(redis, until, &failed, pool);
    pthread_mutex_lock(&redis->lock);
    redis->failed = failed;
    redis->is_asking = 0;
    pthread_cond_broadcast(&redis->answered);
}

apr_status_t tmpl_redis_find(tmpl_redis_t *redis, apr_time_t deadline, tmpl_error_t *err,
                             apr_pool_t *pool)
{
    struct timespec until = tmpl_clock_timespec(deadline);
    int rc = 0;
    if (redis->address.mode == TMPL_REDIS_SINGLE) {
        return APR_SUCCESS;
    }
    pthread_mutex_lock(&redis->lock);
    /* while another thread asks, this one goes on with what is known */
    while (redis->is_asking && !redis->is_known && rc == 0) {
        rc = pthread_cond_clockwait(&redis->answered, &redis->lock, CLOCK_MONOTONIC, &until);
    }
    if (is_due(redis, deadline)) {
        servers_ask(redis, deadline, pool);
    }
    tmpl_error_t failed = redis->failed;
    int is_known = redis->is_known;
    pthread_mutex_unlock(&redis->lock);
    if (failed.status != APR_SUCCESS) {
        return tmpl_fail(err, failed.status, "%s", failed.text);
    }
    return is_known ? APR_SUCCESS
                    : tmpl_fail(err, APR_TIMEUP, "%s: no answer in time", redis->address.name);
}

/* ---- using nodes ---- */

tmpl_redis_node_t *tmpl_redis_node_of(tmpl_redis_t *redis, unsigned slot)
{
    pthread_mutex_lock(&redis->lock);
    tmpl_redis_node_t *node = redis->nodes[redis->slots[slot]];
    redis->is_stale |= node == NULL;
    pthread_mutex_unlock(&redis->lock);
    return node;
}

tmpl_redis_node_t *tmpl_redis_refer(tmpl_redis_t *redis, const tmpl_redis_referral_t *referral)
{
    pthread_mutex_lock(&redis->lock);
    uint16_t number = place_node(redis, &referral->to.place);
    if (!referral->is_ask) {
        redis->slots[referral->to.first] = number;
        redis->is_stale = 1;
    }
    tmpl_redis_node_t *node = redis->nodes[number];
    pthread_mutex_unlock(&redis->lock);
    return node;
}

void tmpl_redis_firsts(tmpl_redis_t *redis, apr_array_header_t *slots)
{
    unsigned char listed[TMPL_REDIS_NODES_MOST + 1] = { 1 };
    pthread_mutex_lock(&redis->lock);
    for (unsigned slot = 0; slot < TMPL_REDIS_SLOTS; slot++) {
        unsigned number = redis->slots[slot];
        if (!listed[number]) {
            listed[number] = 1;
            APR_ARRAY_PUSH(slots, unsigned) = slot;
        }
    }
    pthread_mutex_unlock(&redis->lock);
}

/* ---- creating ---- */

static apr_status_t nodes_free(void *data)
{
    tmpl_redis_t *redis = data;
    for (unsigned i = 1; i <= redis->n_nodes; i++) {
        tmpl_redis_node_destroy(redis->nodes[i]);
    }
    /* not the condition, as in tmpl_redis_node_destroy() */
    pthread_mutex_destroy(&redis->lock);
    return APR_SUCCESS;
}

apr_status_t tmpl_redis_create(tmpl_redis_t **made, const tmpl_redis_address_t *address,
                               unsigned max_connections, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_redis_t *redis = apr_pcalloc(pool, sizeof(*redis));
    redis->address = *address;
    redis->max_connections = max_connections;
    apr_status_t rv =
        address->is_tls ? tmpl_redis_tls_create(&redis->tls, address, err, pool) : APR_SUCCESS;
    if (rv != APR_SUCCESS) {
        return rv;
    }
    pthread_mutex_init(&redis->lock, NULL);
    pthread_cond_init(&redis->answered, NULL);
    if (address->mode == TMPL_REDIS_SINGLE) {
        tmpl_redis_range_t all = { 0, TMPL_REDIS_SLOTS - 1, *address->places };
        slots_replace(redis, &all, 1);
    }
    /* its cleanup runs before that of TLS, which was created first */
    apr_pool_cleanup_register(pool, redis, nodes_free, apr_pool_cleanup_null);
    *made = redis;
    return APR_SUCCESS;
}
