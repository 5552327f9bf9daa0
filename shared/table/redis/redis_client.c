/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_client.h"

#include <pthread.h>
#include <string.h>

#include <apr_strings.h>

#include "table/provider.h"
#include "table/redis/redis_error.h"
#include "table/redis/redis_places.h"
#include "table/redis/redis_slot.h"

#define NODES_MOST   1024
#define HOPS_MOST    5                    /* servers that one exchange goes to */
#define ASKED_MOST   16                   /* servers that are asked where all are */
#define ASK_INTERVAL apr_time_from_sec(1) /* between two questions where the servers are */
#define PLACES_REPLY ((size_t)4 << 20)    /* bytes of the answer */
#define WORD_MOST    64                   /* bytes of the reply to ASKING */

typedef struct {
    tmpl_redis_node_t *node; /* NULL: none */
    unsigned users;          /* sessions */
} entry_t;

struct tmpl_redis_t {
    tmpl_redis_address_t address;
    tmpl_redis_tls_t *tls;
    unsigned max_connections;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t answered;
    int is_asking;                    /* a thread asks where the servers are */
    int is_known;                     /* where the servers are */
    int is_stale;                     /* it may have changed */
    apr_time_t asked;                 /* the last time */
    tmpl_error_t failed;              /* of the last answer; status APR_SUCCESS: it was good */
    unsigned first;                   /* the candidate that is asked first */
    unsigned n_nodes;                 /* highest number in use */
    entry_t nodes[NODES_MOST + 1];    /* by number, from 1 */
    uint16_t slots[TMPL_REDIS_SLOTS]; /* numbers of nodes; 0: none */
};

/* By mode; NULL: there is nothing to ask. */
static const struct {
    tmpl_redis_command_t (*ask)(const tmpl_redis_address_t *address, apr_pool_t *pool);
    apr_status_t (*read)(const redisReply *reply, const tmpl_redis_server_t *asked,
                         apr_array_header_t *ranges, tmpl_error_t *err);
} finders[] = {
    [TMPL_REDIS_SINGLE] = { NULL, NULL },
    [TMPL_REDIS_SENTINEL] = { tmpl_redis_sentinel_ask, tmpl_redis_sentinel_read },
    [TMPL_REDIS_CLUSTER] = { tmpl_redis_cluster_ask, tmpl_redis_cluster_read },
};

const char *tmpl_redis_name(const tmpl_redis_t *redis)
{
    return redis->address.name;
}

static tmpl_redis_node_t *node_of(const tmpl_redis_t *redis, const tmpl_redis_session_t *session)
{
    return redis->nodes[session->node].node;
}

const char *tmpl_redis_session_name(const tmpl_redis_t *redis, const tmpl_redis_session_t *session)
{
    return session->node != 0 ? tmpl_redis_node_server(node_of(redis, session))->name
                              : redis->address.name;
}

/* ---- the nodes; the caller holds redis->lock ---- */

/* Frees the nodes that nobody uses and that have no slot. */
static void nodes_sweep(tmpl_redis_t *redis)
{
    unsigned char has_slot[NODES_MOST + 1] = { 0 };

    for (unsigned slot = 0; slot < TMPL_REDIS_SLOTS; slot++) {
        has_slot[redis->slots[slot]] = 1;
    }
    for (unsigned i = 1; i <= redis->n_nodes; i++) {
        entry_t *entry = &redis->nodes[i];

        if (entry->node != NULL && entry->users == 0 && !has_slot[i]) {
            tmpl_redis_node_destroy(entry->node);
            entry->node = NULL;
        }
    }
}

/* The number of the node at a place, which is created if it is new; 0: there is no room. */
static unsigned node_at(tmpl_redis_t *redis, const tmpl_redis_place_t *place)
{
    const tmpl_redis_address_t *address = &redis->address;
    char name[sizeof(place->host) + 32];
    unsigned room = 0;

    for (unsigned i = 1; i <= NODES_MOST; i++) {
        const entry_t *entry = &redis->nodes[i];

        if (entry->node == NULL) {
            room = room == 0 ? i : room;
        }
        else if (tmpl_redis_place_equal(&tmpl_redis_node_server(entry->node)->place, place)) {
            return i;
        }
        if (i > redis->n_nodes && room != 0) {
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
                                   .tls = redis->tls };
    if (address->mode != TMPL_REDIS_SINGLE) {
        apr_snprintf(name, sizeof(name), "%s:%u", place->host, place->port);
        server.name = name;
    }
    redis->nodes[room].node = tmpl_redis_node_create(&server, redis->max_connections);
    if (room > redis->n_nodes) {
        redis->n_nodes = room;
    }
    return redis->nodes[room].node != NULL ? room : 0;
}

/* Notes which slots are where. All others have no server from now on. */
static void slots_replace(tmpl_redis_t *redis, const tmpl_redis_range_t *ranges, int n)
{
    memset(redis->slots, 0, sizeof(redis->slots));
    for (int i = 0; i < n; i++) {
        unsigned node = node_at(redis, &ranges[i].place);

        for (unsigned slot = ranges[i].first; slot <= ranges[i].last; slot++) {
            redis->slots[slot] = (uint16_t)node;
        }
    }
    nodes_sweep(redis);
    redis->is_known = 1;
    redis->is_stale = 0;
}

/* ---- asking where the servers are ---- */

static void set_stale(tmpl_redis_t *redis)
{
    pthread_mutex_lock(&redis->lock);
    redis->is_stale = redis->address.mode != TMPL_REDIS_SINGLE;
    pthread_mutex_unlock(&redis->lock);
}

/* Whom to ask: those that the URI names, and in a cluster the nodes that are known. */
static unsigned candidates_list(tmpl_redis_t *redis, tmpl_redis_place_t places[ASKED_MOST])
{
    const tmpl_redis_address_t *address = &redis->address;
    unsigned n = 0;

    for (; n < address->n_places && n < ASKED_MOST; n++) {
        places[n] = address->places[n];
    }
    pthread_mutex_lock(&redis->lock);
    for (unsigned i = 1; address->mode == TMPL_REDIS_CLUSTER && i <= redis->n_nodes; i++) {
        if (redis->nodes[i].node != NULL && n < ASKED_MOST) {
            places[n++] = tmpl_redis_node_server(redis->nodes[i].node)->place;
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

/* Asks one after the other, each for its share of the time that is left. */
static apr_status_t ask_all(tmpl_redis_t *redis, apr_time_t deadline, tmpl_error_t *err,
                            apr_pool_t *pool)
{
    tmpl_redis_place_t places[ASKED_MOST];
    unsigned n = candidates_list(redis, places);
    apr_status_t rv = APR_EGENERAL;

    for (unsigned i = 0; rv != APR_SUCCESS && i < n; i++) {
        apr_array_header_t *ranges = apr_array_make(pool, 8, sizeof(tmpl_redis_range_t));
        apr_time_t now = tmpl_clock();

        rv = ask_at(redis, &places[redis->first % n], ranges, now + (deadline - now) / (n - i), err,
                    pool);
        pthread_mutex_lock(&redis->lock);
        if (rv == APR_SUCCESS) {
            slots_replace(redis, (const tmpl_redis_range_t *)(const void *)ranges->elts,
                          ranges->nelts);
        }
        else {
            redis->first++; /* who fails is asked last the next time */
        }
        pthread_mutex_unlock(&redis->lock);
    }
    return rv;
}

/* Whether to ask now. The caller holds redis->lock. */
static int is_due(const tmpl_redis_t *redis, apr_time_t deadline)
{
    apr_time_t now = tmpl_clock();

    return !redis->is_asking && (!redis->is_known || redis->is_stale) && now < deadline &&
           (redis->asked == 0 || now >= redis->asked + ASK_INTERVAL);
}

/*
 * Asks, and tells the threads that wait for it. Where all is known this takes half of the time that
 * is left, as the servers may be where they were.
 */
static void ask(tmpl_redis_t *redis, int is_known, apr_time_t deadline, apr_pool_t *pool)
{
    tmpl_error_t failed = { 0 };
    apr_time_t now = tmpl_clock();

    failed.status = ask_all(redis, is_known ? now + (deadline - now) / 2 : deadline, &failed, pool);
    pthread_mutex_lock(&redis->lock);
    redis->failed = failed;
    redis->is_asking = 0;
    pthread_cond_broadcast(&redis->answered);
    pthread_mutex_unlock(&redis->lock);
}

/*
 * Asks where the servers are, if that is due. APR_SUCCESS if the last answer, of now or before, was
 * good.
 */
static apr_status_t find(tmpl_redis_t *redis, apr_time_t deadline, tmpl_error_t *err,
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
        int is_known = redis->is_known;

        redis->is_asking = 1;
        redis->asked = tmpl_clock();
        pthread_mutex_unlock(&redis->lock);
        ask(redis, is_known, deadline, pool);
        pthread_mutex_lock(&redis->lock);
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

/* ---- sessions ---- */

tmpl_redis_session_t tmpl_redis_session(const tmpl_redis_t *redis, const char *key)
{
    int is_cluster = redis->address.mode == TMPL_REDIS_CLUSTER;

    return (tmpl_redis_session_t){ .slot = is_cluster ? tmpl_redis_slot(key) : 0 };
}

void tmpl_redis_session_end(tmpl_redis_t *redis, tmpl_redis_session_t *session)
{
    if (session->held != NULL) {
        tmpl_redis_node_give(node_of(redis, session), session->held);
    }
    if (session->node != 0) {
        pthread_mutex_lock(&redis->lock);
        redis->nodes[session->node].users--;
        pthread_mutex_unlock(&redis->lock);
    }
    *session = (tmpl_redis_session_t){ .slot = session->slot };
}

/* The number of the slot's node; 0: none is known. */
static unsigned node_now(tmpl_redis_t *redis, unsigned slot)
{
    pthread_mutex_lock(&redis->lock);
    unsigned node = redis->slots[slot];
    pthread_mutex_unlock(&redis->lock);
    return node;
}

/* Finds the session's node, unless it has one. */
static apr_status_t route(tmpl_redis_t *redis, tmpl_redis_session_t *session, apr_time_t deadline,
                          tmpl_error_t *err, apr_pool_t *pool)
{
    if (session->node != 0) {
        return APR_SUCCESS;
    }
    apr_status_t rv = find(redis, deadline, err, pool);
    pthread_mutex_lock(&redis->lock);
    session->node = redis->slots[session->slot];
    redis->nodes[session->node].users += session->node != 0;
    redis->is_stale |= session->node == 0;
    pthread_mutex_unlock(&redis->lock);
    if (session->node != 0) {
        return APR_SUCCESS;
    }
    return rv != APR_SUCCESS ? rv
                             : tmpl_fail(err, TMPL_EPART, "%s: no server has slot %u",
                                         redis->address.name, session->slot);
}

/* Lets the session go on elsewhere, to a node that has a user more already. */
static apr_status_t move(tmpl_redis_t *redis, tmpl_redis_session_t *session, unsigned node,
                         int is_asking, tmpl_error_t *err)
{
    int was_bound = session->is_bound;

    tmpl_redis_session_end(redis, session);
    session->node = node;
    session->is_asking = is_asking;
    session->is_bound = was_bound;
    return was_bound ? tmpl_fail(err, APR_EBUSY, "%s: the site is at another server now",
                                 redis->address.name)
                     : APR_SUCCESS;
}

/* Goes where a referral leads, and notes that a slot has moved. */
static apr_status_t follow(tmpl_redis_t *redis, tmpl_redis_session_t *session,
                           const tmpl_redis_referral_t *referral, tmpl_error_t *err)
{
    pthread_mutex_lock(&redis->lock);
    unsigned node = node_at(redis, &referral->to.place);
    redis->nodes[node].users += node != 0;
    if (!referral->is_ask) {
        redis->slots[referral->to.first] = (uint16_t)node;
        redis->is_stale = 1;
    }
    pthread_mutex_unlock(&redis->lock);
    return node != 0 ? move(redis, session, node, referral->is_ask, err)
                     : tmpl_fail(err, APR_ENOMEM, "%s: it has more than %d servers",
                                 redis->address.name, NODES_MOST);
}

/*
 * After the session's node has failed, or turned out to be a replica: goes to another one if that
 * has the slot now. Sets *moved.
 */
static apr_status_t look_elsewhere(tmpl_redis_t *redis, tmpl_redis_session_t *session, int *moved,
                                   apr_time_t deadline, tmpl_error_t *err, apr_pool_t *pool)
{
    set_stale(redis);
    apr_status_t rv = find(redis, deadline, NULL, pool);
    unsigned node = node_now(redis, session->slot);
    *moved = node != 0 && node != session->node;
    if (!*moved) {
        return rv;
    }
    tmpl_redis_session_t to = { .slot = session->slot };
    rv = route(redis, &to, deadline, err, pool);
    return rv == APR_SUCCESS ? move(redis, session, to.node, 0, err) : rv;
}

/* ---- exchanges ---- */

/* The commands with ASKING in front of each, and of a transaction only once. Returns their number. */
static int asking_add(tmpl_redis_command_t *all, int *places, const tmpl_redis_command_t *commands,
                      int n)
{
    static const char *asking[] = { "ASKING" };
    int in_transaction = 0, total = 0;

    for (int i = 0; i < n; i++) {
        if (!in_transaction) {
            all[total++] = (tmpl_redis_command_t){ 1, asking, NULL };
        }
        in_transaction |= strcmp(commands[i].argv[0], "MULTI") == 0;
        places[i] = total;
        all[total++] = commands[i];
    }
    return total;
}

static apr_status_t call_asking(const tmpl_redis_t *redis, const tmpl_redis_session_t *session,
                                const tmpl_redis_command_t *commands, int n, size_t max_reply,
                                apr_time_t deadline, redisReply **replies, tmpl_error_t *err,
                                apr_pool_t *pool)
{
    apr_size_t most = 2 * (apr_size_t)n;
    tmpl_redis_command_t *all = apr_palloc(pool, most * sizeof(*all));
    redisReply **all_replies = apr_palloc(pool, most * sizeof(*all_replies));
    int *places = apr_palloc(pool, (apr_size_t)n * sizeof(*places));
    int total = asking_add(all, places, commands, n);
    apr_status_t rv =
        tmpl_redis_node_call(node_of(redis, session), session->held, all, total,
                             max_reply + most * WORD_MOST, deadline, all_replies, err, pool);

    for (int i = 0; rv == APR_SUCCESS && i < n; i++) {
        replies[i] = all_replies[places[i]];
    }
    return rv;
}

/* Sends the commands to the session's node. */
static apr_status_t call(const tmpl_redis_t *redis, tmpl_redis_session_t *session,
                         const tmpl_redis_command_t *commands, int n, size_t max_reply,
                         apr_time_t deadline, redisReply **replies, tmpl_error_t *err,
                         apr_pool_t *pool)
{
    tmpl_redis_node_t *node = node_of(redis, session);
    int is_cluster = redis->address.mode == TMPL_REDIS_CLUSTER;
    apr_time_t began = tmpl_clock();

    if (session->held == NULL) {
        apr_status_t rv = tmpl_redis_node_take(node, deadline, &session->held, err);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        if (is_cluster && !tmpl_redis_node_allows(node)) {
            return tmpl_fail(err, TMPL_EPART, "%s: the server has failed a moment ago",
                             tmpl_redis_node_server(node)->name);
        }
    }
    apr_status_t rv =
        session->is_asking
            ? call_asking(redis, session, commands, n, max_reply, deadline, replies, err, pool)
            : tmpl_redis_node_call(node, session->held, commands, n, max_reply, deadline, replies,
                                   err, pool);
    if (is_cluster) {
        tmpl_redis_node_report(node, began, rv);
    }
    return rv;
}

/* Whether one of the replies leads to another server. */
static int is_referred(const tmpl_redis_t *redis, const tmpl_redis_session_t *session,
                       tmpl_redis_referral_t *referral, redisReply *const *replies, int n)
{
    const tmpl_redis_server_t *server = tmpl_redis_node_server(node_of(redis, session));

    for (int i = 0; i < n; i++) {
        if (tmpl_redis_referral_read(referral, replies[i], &server->place)) {
            return redis->address.mode == TMPL_REDIS_CLUSTER;
        }
    }
    return 0;
}

/* Whether the server says that it is no master, or that its cluster is not whole. */
static int is_deposed(redisReply *const *replies, int n)
{
    for (int i = 0; i < n; i++) {
        if (tmpl_redis_is_error(replies[i], "READONLY") ||
            tmpl_redis_is_error(replies[i], "CLUSTERDOWN")) {
            return 1;
        }
    }
    return 0;
}

/* One try. Sets *again if the session is at another server, and the commands are to be sent there. */
static apr_status_t try_exchange(tmpl_redis_t *redis, tmpl_redis_session_t *session,
                                 const tmpl_redis_command_t *commands, int n, size_t max_reply,
                                 apr_time_t deadline, redisReply **replies, int *again,
                                 tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_redis_referral_t referral;
    tmpl_error_t moving = { 0 };
    apr_status_t rv = route(redis, session, deadline, err, pool);

    *again = 0;
    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = call(redis, session, commands, n, max_reply, deadline, replies, err, pool);
    if (rv == APR_SUCCESS && is_referred(redis, session, &referral, replies, n)) {
        *again = 1;
        return follow(redis, session, &referral, err);
    }
    if (redis->address.mode == TMPL_REDIS_SINGLE ||
        (rv == APR_SUCCESS && !is_deposed(replies, n))) {
        return rv;
    }
    apr_status_t found = look_elsewhere(redis, session, again, deadline, &moving, pool);
    if (*again) {
        return found == APR_SUCCESS ? found : tmpl_fail(err, found, "%s", moving.text);
    }
    /* the others of a cluster answer, so it serves their sites */
    int is_part =
        rv != APR_SUCCESS && redis->address.mode == TMPL_REDIS_CLUSTER && found == APR_SUCCESS;
    if (is_part && err != NULL) {
        err->status = TMPL_EPART;
    }
    return is_part ? TMPL_EPART : rv;
}

apr_status_t tmpl_redis_exchange(tmpl_redis_t *redis, tmpl_redis_session_t *session,
                                 const tmpl_redis_command_t *commands, int n, size_t max_reply,
                                 apr_time_t deadline, redisReply **replies, tmpl_error_t *err,
                                 apr_pool_t *pool)
{
    for (int hops = 0; hops < HOPS_MOST; hops++) {
        int again;
        apr_status_t rv = try_exchange(redis, session, commands, n, max_reply, deadline, replies,
                                       &again, err, pool);

        if (rv != APR_SUCCESS || !again) {
            return rv;
        }
    }
    return tmpl_fail(err, TMPL_EPART, "%s: the servers refer to each other for slot %u",
                     redis->address.name, session->slot);
}

apr_status_t tmpl_redis_sessions(tmpl_redis_t *redis, apr_array_header_t *sessions,
                                 apr_time_t deadline, tmpl_error_t *err, apr_pool_t *pool)
{
    unsigned char listed[NODES_MOST + 1] = { 1 };
    apr_status_t rv = find(redis, deadline, err, pool);

    pthread_mutex_lock(&redis->lock);
    for (unsigned slot = 0; rv == APR_SUCCESS && slot < TMPL_REDIS_SLOTS; slot++) {
        unsigned node = redis->slots[slot];

        if (!listed[node]) {
            listed[node] = 1;
            APR_ARRAY_PUSH(sessions, tmpl_redis_session_t) = (tmpl_redis_session_t){ .slot = slot };
        }
    }
    pthread_mutex_unlock(&redis->lock);
    return rv;
}

/* ---- creating ---- */

static apr_status_t redis_free(void *data)
{
    tmpl_redis_t *redis = data;

    for (unsigned i = 1; i <= redis->n_nodes; i++) {
        if (redis->nodes[i].node != NULL) {
            tmpl_redis_node_destroy(redis->nodes[i].node);
        }
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
    if (address->is_tls) {
        apr_status_t rv = tmpl_redis_tls_create(&redis->tls, address, err, pool);
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    pthread_mutex_init(&redis->lock, NULL);
    pthread_cond_init(&redis->answered, NULL);
    if (address->mode == TMPL_REDIS_SINGLE) {
        tmpl_redis_range_t all = { 0, TMPL_REDIS_SLOTS - 1, *address->places };

        slots_replace(redis, &all, 1);
    }
    /* after that of TLS, so that it runs before it */
    apr_pool_cleanup_register(pool, redis, redis_free, apr_pool_cleanup_null);
    *made = redis;
    return APR_SUCCESS;
}
