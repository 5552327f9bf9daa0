/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_topology.h"

#include <pthread.h>
#include <string.h>

#include <apr_strings.h>

#include "table/provider.h"
#include "table/redis/redis_error.h"
#include "table/redis/redis_slot.h"

#define ASKED_MOST   16                   /* servers that are asked where all are */
#define ASK_INTERVAL apr_time_from_sec(1) /* least time between two questions */
#define PLACES_REPLY ((size_t)4 << 20)    /* bytes of the answer */

typedef struct {
    tmpl_redis_node_t *node; /* NULL: none */
    unsigned users;
} entry_t;

typedef tmpl_redis_topology_t topology_t;

struct tmpl_redis_topology_t {
    tmpl_redis_address_t address;
    tmpl_redis_tls_t *tls;
    unsigned max_connections;
    pthread_mutex_t lock; /* protects all below */
    pthread_cond_t answered;
    int is_asking;       /* a thread asks where the servers are */
    int is_known;        /* it is known where the servers are */
    int is_stale;        /* the servers may have changed */
    apr_time_t asked;    /* when a server was asked last */
    tmpl_error_t failed; /* error of the last answer; status APR_SUCCESS: it was good */
    unsigned first;      /* the candidate that is asked first */
    unsigned n_nodes;    /* highest number in use */
    entry_t nodes[TMPL_REDIS_NODES_MOST + 1]; /* by number, from 1 */
    uint16_t slots[TMPL_REDIS_SLOTS];         /* numbers of nodes; 0: none */
};

/* The question and its reader, by mode; NULL: there is nothing to ask. */
static const struct {
    tmpl_redis_command_t (*ask)(const tmpl_redis_address_t *address, apr_pool_t *pool);
    apr_status_t (*read)(const redisReply *reply, const tmpl_redis_server_t *asked,
                         apr_array_header_t *ranges, tmpl_error_t *err);
} finders[] = {
    [TMPL_REDIS_SINGLE] = { NULL, NULL },
    [TMPL_REDIS_SENTINEL] = { tmpl_redis_sentinel_ask, tmpl_redis_sentinel_read },
    [TMPL_REDIS_CLUSTER] = { tmpl_redis_cluster_ask, tmpl_redis_cluster_read },
};

/* ---- the nodes; the caller holds topology->lock ---- */

/* Frees the nodes that nobody uses and that have no slot. */
static void nodes_sweep(topology_t *topology)
{
    unsigned char has_slot[TMPL_REDIS_NODES_MOST + 1] = { 0 };

    for (unsigned slot = 0; slot < TMPL_REDIS_SLOTS; slot++) {
        has_slot[topology->slots[slot]] = 1;
    }
    for (unsigned i = 1; i <= topology->n_nodes; i++) {
        entry_t *entry = &topology->nodes[i];

        if (entry->node != NULL && entry->users == 0 && !has_slot[i]) {
            tmpl_redis_node_destroy(entry->node);
            entry->node = NULL;
        }
    }
}

/* The number of the node at a place, which is created if it is new; 0: there is no room. */
static unsigned node_at(topology_t *topology, const tmpl_redis_place_t *place)
{
    const tmpl_redis_address_t *address = &topology->address;
    char name[sizeof(place->host) + 32];
    unsigned room = 0;

    for (unsigned i = 1; i <= TMPL_REDIS_NODES_MOST; i++) {
        const entry_t *entry = &topology->nodes[i];

        if (entry->node == NULL) {
            room = room == 0 ? i : room;
        }
        else if (tmpl_redis_place_equal(&tmpl_redis_node_server(entry->node)->place, place)) {
            return i;
        }
        if (i > topology->n_nodes && room != 0) {
            break;
        }
    }
    if (room == 0) {
        return 0;
    }
    tmpl_redis_server_t server = { .name = address->name,
                                   .place = *place,
                                   .login = address->login,
                                   .db = address->db,
                                   .must_be_master = address->mode == TMPL_REDIS_SENTINEL,
                                   .tls = topology->tls };
    if (address->mode != TMPL_REDIS_SINGLE) {
        apr_snprintf(name, sizeof(name), "%s:%u", place->host, place->port);
        server.name = name;
    }
    topology->nodes[room].node = tmpl_redis_node_create(&server, topology->max_connections);
    if (room > topology->n_nodes) {
        topology->n_nodes = room;
    }
    return topology->nodes[room].node != NULL ? room : 0;
}

/* Notes which slots are where. All others have no server from now on. */
static void slots_replace(topology_t *topology, const tmpl_redis_range_t *ranges, int n)
{
    memset(topology->slots, 0, sizeof(topology->slots));
    for (int i = 0; i < n; i++) {
        unsigned node = node_at(topology, &ranges[i].place);

        for (unsigned slot = ranges[i].first; slot <= ranges[i].last; slot++) {
            topology->slots[slot] = (uint16_t)node;
        }
    }
    nodes_sweep(topology);
    topology->is_known = 1;
    topology->is_stale = 0;
}

/* ---- asking where the servers are ---- */

void tmpl_redis_topology_set_stale(topology_t *topology)
{
    pthread_mutex_lock(&topology->lock);
    /* ask another server: the last one may be cut off from the others, and never know */
    topology->first += !topology->is_stale;
    topology->is_stale = topology->address.mode != TMPL_REDIS_SINGLE;
    pthread_mutex_unlock(&topology->lock);
}

/*
 * Lists the servers to ask: those that the URI names and, in a cluster, the nodes that are known.
 */
static unsigned candidates_list(topology_t *topology, tmpl_redis_place_t places[ASKED_MOST])
{
    const tmpl_redis_address_t *address = &topology->address;
    unsigned n = 0;

    for (; n < address->n_places && n < ASKED_MOST; n++) {
        places[n] = address->places[n];
    }
    pthread_mutex_lock(&topology->lock);
    for (unsigned i = 1; address->mode == TMPL_REDIS_CLUSTER && i <= topology->n_nodes; i++) {
        if (topology->nodes[i].node != NULL && n < ASKED_MOST) {
            places[n++] = tmpl_redis_node_server(topology->nodes[i].node)->place;
        }
    }
    pthread_mutex_unlock(&topology->lock);
    return n;
}

/* Asks one server, over a connection of its own. */
static apr_status_t ask_at(const topology_t *topology, const tmpl_redis_place_t *place,
                           apr_array_header_t *ranges, apr_time_t deadline, tmpl_error_t *err,
                           apr_pool_t *pool)
{
    const tmpl_redis_address_t *address = &topology->address;
    int is_sentinel = address->mode == TMPL_REDIS_SENTINEL;
    tmpl_redis_server_t server = { .name = tmpl_redis_place_show(place, pool),
                                   .place = *place,
                                   .login = is_sentinel ? address->sentinel_login : address->login,
                                   .tls = topology->tls };
    tmpl_redis_command_t command = finders[address->mode].ask(address, pool);
    tmpl_redis_conn_t conn = { 0 };
    redisReply *reply;
    apr_status_t rv = tmpl_redis_conn_call(&conn, &server, &command, 1, PLACES_REPLY, deadline,
                                           &reply, err, pool);

    tmpl_redis_conn_close(&conn);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    return reply->type == REDIS_REPLY_ERROR
               ? tmpl_redis_fail(server.name, reply, err)
               : finders[address->mode].read(reply, &server, ranges, err);
}

/*
 * Asks the candidates one after the other, each for its share of the time that is left. If none
 * answers, the error is that of a late one, or of the last one if none was late.
 */
static apr_status_t ask_all(topology_t *topology, apr_time_t deadline, tmpl_error_t *err,
                            apr_pool_t *pool)
{
    tmpl_redis_place_t places[ASKED_MOST];
    unsigned n = candidates_list(topology, places);
    apr_status_t rv = APR_EGENERAL;
    tmpl_error_t late = { 0 };

    for (unsigned i = 0; rv != APR_SUCCESS && i < n; i++) {
        apr_array_header_t *ranges = apr_array_make(pool, 8, sizeof(tmpl_redis_range_t));
        apr_time_t now = tmpl_clock();

        pthread_mutex_lock(&topology->lock);
        const tmpl_redis_place_t *place = &places[topology->first % n];
        pthread_mutex_unlock(&topology->lock);
        rv = ask_at(topology, place, ranges, now + (deadline - now) / (n - i), err, pool);
        pthread_mutex_lock(&topology->lock);
        if (rv == APR_SUCCESS) {
            slots_replace(topology, (const tmpl_redis_range_t *)(const void *)ranges->elts,
                          ranges->nelts);
        }
        else {
            topology->first++; /* a server that fails is asked last the next time */
        }
        pthread_mutex_unlock(&topology->lock);
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

/* Whether to ask now. The caller holds topology->lock. */
static int is_due(const topology_t *topology, apr_time_t deadline)
{
    apr_time_t now = tmpl_clock();

    return !topology->is_asking && (!topology->is_known || topology->is_stale) && now < deadline &&
           (topology->asked == 0 || now >= topology->asked + ASK_INTERVAL);
}

/*
 * Asks, and wakes the threads that wait for the answer. If all places are known, this takes at most
 * half of the time that is left, because the servers may be where they were.
 */
static void ask(topology_t *topology, int is_known, apr_time_t deadline, apr_pool_t *pool)
{
    tmpl_error_t failed = { 0 };
    apr_time_t now = tmpl_clock();

    failed.status =
        ask_all(topology, is_known ? now + (deadline - now) / 2 : deadline, &failed, pool);
    pthread_mutex_lock(&topology->lock);
    topology->failed = failed;
    topology->is_asking = 0;
    pthread_cond_broadcast(&topology->answered);
    pthread_mutex_unlock(&topology->lock);
}

apr_status_t tmpl_redis_topology_find(topology_t *topology, apr_time_t deadline, tmpl_error_t *err,
                                      apr_pool_t *pool)
{
    struct timespec until = tmpl_clock_timespec(deadline);
    int rc = 0;

    if (topology->address.mode == TMPL_REDIS_SINGLE) {
        return APR_SUCCESS;
    }
    pthread_mutex_lock(&topology->lock);
    /* while another thread asks, this one goes on with what is known */
    while (topology->is_asking && !topology->is_known && rc == 0) {
        rc = pthread_cond_clockwait(&topology->answered, &topology->lock, CLOCK_MONOTONIC, &until);
    }
    if (is_due(topology, deadline)) {
        int is_known = topology->is_known;

        topology->is_asking = 1;
        topology->asked = tmpl_clock();
        pthread_mutex_unlock(&topology->lock);
        ask(topology, is_known, deadline, pool);
        pthread_mutex_lock(&topology->lock);
    }
    tmpl_error_t failed = topology->failed;
    int is_known = topology->is_known;
    pthread_mutex_unlock(&topology->lock);
    if (failed.status != APR_SUCCESS) {
        return tmpl_fail(err, failed.status, "%s", failed.text);
    }
    return is_known ? APR_SUCCESS
                    : tmpl_fail(err, APR_TIMEUP, "%s: no answer in time", topology->address.name);
}

/* ---- using nodes ---- */

unsigned tmpl_redis_topology_at(topology_t *topology, unsigned slot)
{
    pthread_mutex_lock(&topology->lock);
    unsigned number = topology->slots[slot];
    pthread_mutex_unlock(&topology->lock);
    return number;
}

unsigned tmpl_redis_topology_take(topology_t *topology, unsigned slot)
{
    pthread_mutex_lock(&topology->lock);
    unsigned number = topology->slots[slot];
    topology->nodes[number].users += number != 0;
    topology->is_stale |= number == 0;
    pthread_mutex_unlock(&topology->lock);
    return number;
}

unsigned tmpl_redis_topology_refer(topology_t *topology, const tmpl_redis_referral_t *referral)
{
    pthread_mutex_lock(&topology->lock);
    unsigned number = node_at(topology, &referral->to.place);
    topology->nodes[number].users += number != 0;
    if (!referral->is_ask) {
        topology->slots[referral->to.first] = (uint16_t)number;
        topology->is_stale = 1;
    }
    pthread_mutex_unlock(&topology->lock);
    return number;
}

void tmpl_redis_topology_give(topology_t *topology, unsigned number)
{
    pthread_mutex_lock(&topology->lock);
    topology->nodes[number].users--;
    pthread_mutex_unlock(&topology->lock);
}

tmpl_redis_node_t *tmpl_redis_topology_node(const topology_t *topology, unsigned number)
{
    return topology->nodes[number].node;
}

void tmpl_redis_topology_firsts(topology_t *topology, apr_array_header_t *slots)
{
    unsigned char listed[TMPL_REDIS_NODES_MOST + 1] = { 1 };

    pthread_mutex_lock(&topology->lock);
    for (unsigned slot = 0; slot < TMPL_REDIS_SLOTS; slot++) {
        unsigned number = topology->slots[slot];

        if (!listed[number]) {
            listed[number] = 1;
            APR_ARRAY_PUSH(slots, unsigned) = slot;
        }
    }
    pthread_mutex_unlock(&topology->lock);
}

/* ---- creating ---- */

static apr_status_t topology_free(void *data)
{
    topology_t *topology = data;

    for (unsigned i = 1; i <= topology->n_nodes; i++) {
        if (topology->nodes[i].node != NULL) {
            tmpl_redis_node_destroy(topology->nodes[i].node);
        }
    }
    /* not the condition, as in tmpl_redis_node_destroy() */
    pthread_mutex_destroy(&topology->lock);
    return APR_SUCCESS;
}

topology_t *tmpl_redis_topology_create(const tmpl_redis_address_t *address, tmpl_redis_tls_t *tls,
                                       unsigned max_connections, apr_pool_t *pool)
{
    topology_t *topology = apr_pcalloc(pool, sizeof(*topology));

    topology->address = *address;
    topology->tls = tls;
    topology->max_connections = max_connections;
    pthread_mutex_init(&topology->lock, NULL);
    pthread_cond_init(&topology->answered, NULL);
    if (address->mode == TMPL_REDIS_SINGLE) {
        tmpl_redis_range_t all = { 0, TMPL_REDIS_SLOTS - 1, *address->places };

        slots_replace(topology, &all, 1);
    }
    apr_pool_cleanup_register(pool, topology, topology_free, apr_pool_cleanup_null);
    return topology;
}
