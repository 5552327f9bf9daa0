/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_client.h"

#include <string.h>

#include "table/redis/redis_error.h"
#include "table/redis/redis_slot.h"
#include "table/redis/redis_topology.h"
#include "table/store.h"

#define HOPS_MOST 5  /* servers that one exchange goes to */
#define WORD_MOST 64 /* bytes of the reply to ASKING */

struct tmpl_redis_t {
    const char *name;
    tmpl_redis_mode_e mode;
    tmpl_redis_topology_t *topology;
};

const char *tmpl_redis_name(const tmpl_redis_t *redis)
{
    return redis->name;
}

static tmpl_redis_node_t *node_of(const tmpl_redis_t *redis, const tmpl_redis_session_t *session)
{
    return tmpl_redis_topology_node(redis->topology, session->node);
}

const char *tmpl_redis_session_name(const tmpl_redis_t *redis, const tmpl_redis_session_t *session)
{
    return session->node != 0 ? tmpl_redis_node_server(node_of(redis, session))->name : redis->name;
}

/* ---- sessions ---- */

tmpl_redis_session_t tmpl_redis_session(const tmpl_redis_t *redis, const char *key)
{
    int is_cluster = redis->mode == TMPL_REDIS_CLUSTER;

    return (tmpl_redis_session_t){ .slot = is_cluster ? tmpl_redis_slot(key) : 0 };
}

void tmpl_redis_session_end(tmpl_redis_t *redis, tmpl_redis_session_t *session)
{
    if (session->held != NULL) {
        tmpl_redis_node_give(node_of(redis, session), session->held);
    }
    if (session->node != 0) {
        tmpl_redis_topology_give(redis->topology, session->node);
    }
    *session = (tmpl_redis_session_t){ .slot = session->slot };
}

/* Finds the session's node, unless it has one. */
static apr_status_t route(tmpl_redis_t *redis, tmpl_redis_session_t *session, apr_time_t deadline,
                          tmpl_error_t *err, apr_pool_t *pool)
{
    if (session->node != 0) {
        return APR_SUCCESS;
    }
    apr_status_t rv = tmpl_redis_topology_find(redis->topology, deadline, err, pool);
    session->node = tmpl_redis_topology_take(redis->topology, session->slot);
    if (session->node != 0) {
        return APR_SUCCESS; /* what is known already is enough */
    }
    return rv != APR_SUCCESS ? rv
                             : tmpl_fail(err, TMPL_EPART, "%s: no server has slot %u", redis->name,
                                         session->slot);
}

/* Moves the session to another node, which counts it as a user already. */
static apr_status_t move(tmpl_redis_t *redis, tmpl_redis_session_t *session, unsigned node,
                         int is_asking, tmpl_error_t *err)
{
    int was_bound = session->is_bound;

    tmpl_redis_session_end(redis, session);
    session->node = node;
    session->is_asking = is_asking;
    session->is_bound = was_bound;
    return was_bound
               ? tmpl_fail(err, APR_EBUSY, "%s: the site is at another server now", redis->name)
               : APR_SUCCESS;
}

/* Moves the session to the node of a referral, and notes that a slot has moved. */
static apr_status_t follow(tmpl_redis_t *redis, tmpl_redis_session_t *session,
                           const tmpl_redis_referral_t *referral, tmpl_error_t *err)
{
    unsigned node = tmpl_redis_topology_refer(redis->topology, referral);
    return node != 0 ? move(redis, session, node, referral->is_ask, err)
                     : tmpl_fail(err, APR_ENOMEM, "%s: it has more than %d servers", redis->name,
                                 TMPL_REDIS_NODES_MOST);
}

/*
 * After the session's node has failed, with status failed, or turned out to be a replica: moves the
 * session to another node if that has the slot now. Sets *moved.
 */
static apr_status_t look_elsewhere(tmpl_redis_t *redis, tmpl_redis_session_t *session,
                                   apr_status_t failed, int *moved, apr_time_t deadline,
                                   tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_redis_topology_set_stale(redis->topology);
    /* a late call leaves no time to ask: all servers would seem late */
    apr_time_t until = APR_STATUS_IS_TIMEUP(failed) ? 0 : deadline;
    apr_status_t rv = tmpl_redis_topology_find(redis->topology, until, NULL, pool);
    unsigned node = tmpl_redis_topology_at(redis->topology, session->slot);
    *moved = node != 0 && node != session->node;
    if (!*moved) {
        return rv;
    }
    tmpl_redis_session_t to = { .slot = session->slot };
    rv = route(redis, &to, deadline, err, pool);
    return rv == APR_SUCCESS ? move(redis, session, to.node, 0, err) : rv;
}

/* ---- exchanges ---- */

/*
 * Fills all with the commands, with ASKING in front of each, but only once for a transaction.
 * Returns their number.
 */
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
        in_transaction &= strcmp(commands[i].argv[0], "EXEC") != 0;
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

/* Sends the commands to the session's node. APR_EBUSY: the deadline had passed before. */
static apr_status_t call(const tmpl_redis_t *redis, tmpl_redis_session_t *session,
                         const tmpl_redis_command_t *commands, int n, size_t max_reply,
                         apr_time_t deadline, redisReply **replies, tmpl_error_t *err,
                         apr_pool_t *pool)
{
    tmpl_redis_node_t *node = node_of(redis, session);
    int is_cluster = redis->mode == TMPL_REDIS_CLUSTER;
    apr_time_t began = tmpl_clock();

    if (began >= deadline) {
        /* this says nothing about the server: its connection stays, and no failure is noted */
        return tmpl_fail(err, APR_EBUSY, "%s: no time was left to ask",
                         tmpl_redis_node_server(node)->name);
    }
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
            return redis->mode == TMPL_REDIS_CLUSTER;
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

/*
 * Whether only a part of a cluster fails: a call failed, and the question where the slots are has
 * ended with found. If a server answered it, the cluster serves other sites. If a server was late,
 * it may serve them, unless the failed call was late, too.
 */
static int is_part(apr_status_t failed, apr_status_t found)
{
    int is_late = APR_STATUS_IS_TIMEUP(found) && !APR_STATUS_IS_TIMEUP(failed);

    return failed != APR_SUCCESS && (found == APR_SUCCESS || is_late);
}

/*
 * Tries once. Sets *again if the session has moved to another server, to which the commands must be
 * sent.
 */
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
    if (redis->mode == TMPL_REDIS_SINGLE || rv == APR_EBUSY ||
        (rv == APR_SUCCESS && !is_deposed(replies, n))) {
        return rv;
    }
    apr_status_t found = look_elsewhere(redis, session, rv, again, deadline, &moving, pool);
    if (*again) {
        return found == APR_SUCCESS ? found : tmpl_fail(err, found, "%s", moving.text);
    }
    if (redis->mode != TMPL_REDIS_CLUSTER || !is_part(rv, found)) {
        return rv;
    }
    if (err != NULL) {
        err->status = TMPL_EPART;
    }
    return TMPL_EPART;
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
                     redis->name, session->slot);
}

apr_status_t tmpl_redis_sessions(tmpl_redis_t *redis, apr_array_header_t *sessions,
                                 apr_time_t deadline, tmpl_error_t *err, apr_pool_t *pool)
{
    apr_array_header_t *slots = apr_array_make(pool, 8, sizeof(unsigned));
    apr_status_t rv = tmpl_redis_topology_find(redis->topology, deadline, err, pool);

    if (rv == APR_SUCCESS) {
        tmpl_redis_topology_firsts(redis->topology, slots);
    }
    for (int i = 0; i < slots->nelts; i++) {
        APR_ARRAY_PUSH(sessions, tmpl_redis_session_t) =
            (tmpl_redis_session_t){ .slot = APR_ARRAY_IDX(slots, i, unsigned) };
    }
    return rv;
}

apr_status_t tmpl_redis_create(tmpl_redis_t **made, const tmpl_redis_address_t *address,
                               unsigned max_connections, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_redis_t *redis = apr_pcalloc(pool, sizeof(*redis));
    tmpl_redis_tls_t *tls = NULL;

    if (address->is_tls) {
        apr_status_t rv = tmpl_redis_tls_create(&tls, address, err, pool);
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    redis->name = address->name;
    redis->mode = address->mode;
    /* created after TLS, so that its cleanup runs before that of TLS */
    redis->topology = tmpl_redis_topology_create(address, tls, max_connections, pool);
    *made = redis;
    return APR_SUCCESS;
}
