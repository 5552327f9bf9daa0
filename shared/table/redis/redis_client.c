/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_client.h"

#include <stdlib.h>

#include <apr_strings.h>

#include "base/clock.h"
#include "table/counts.h"

#define HOPS_MOST 5 /* servers that one exchange goes to */

typedef tmpl_redis_session_t session_t;

/* ---- a node, and its connections ---- */

#define PAUSE apr_time_from_sec(1)

tmpl_redis_node_t *tmpl_redis_node_create(const tmpl_redis_server_t *server,
                                          unsigned max_connections)
{
    /* not from a pool: nodes are created while other threads run */
    tmpl_redis_node_t *node = calloc(1, sizeof(*node) + max_connections * sizeof(*node->conns));
    if (node == NULL) {
        return NULL;
    }
    node->server = *server;
    apr_cpystrn(node->name, server->name, sizeof(node->name));
    node->server.name = node->name;
    tmpl_breaker_init(&node->breaker, PAUSE);
    pthread_mutex_init(&node->lock, NULL);
    pthread_cond_init(&node->freed, NULL);
    for (; node->n < max_connections; node->n++) {
        node->conns[node->n].next = node->idle;
        node->idle = &node->conns[node->n];
    }
    return node;
}

void tmpl_redis_node_destroy(tmpl_redis_node_t *node)
{
    for (unsigned i = 0; i < node->n; i++) {
        tmpl_redis_conn_close(&node->conns[i]);
    }
    /*
     * The condition is not destroyed: that would wait for its waiters, and prefork may have
     * interrupted one for good to end the process.
     */
    pthread_mutex_destroy(&node->lock);
    free(node);
}

void tmpl_redis_node_leave(tmpl_redis_node_t *node)
{
    pthread_mutex_lock(&node->lock);
    for (tmpl_redis_conn_t *conn = node->idle; conn != NULL; conn = conn->next) {
        tmpl_redis_conn_close(conn);
    }
    pthread_mutex_unlock(&node->lock);
}

tmpl_redis_conn_t *tmpl_redis_node_take(tmpl_redis_node_t *node, apr_time_t deadline,
                                        tmpl_error_t *err)
{
    struct timespec until = tmpl_clock_timespec(deadline);
    int rc = 0;
    pthread_mutex_lock(&node->lock);
    while (node->idle == NULL && rc == 0) {
        rc = pthread_cond_clockwait(&node->freed, &node->lock, CLOCK_MONOTONIC, &until);
    }
    tmpl_redis_conn_t *conn = node->idle;
    if (conn != NULL) {
        node->idle = conn->next;
        conn->is_idle = 1;
    }
    pthread_mutex_unlock(&node->lock);
    if (conn == NULL) {
        tmpl_fail(err, APR_TIMEUP, "%s: all %u connections are in use", node->name, node->n);
    }
    return conn;
}

static void node_give(tmpl_redis_node_t *node, tmpl_redis_conn_t *conn)
{
    pthread_mutex_lock(&node->lock);
    conn->next = node->idle;
    node->idle = conn;
    pthread_cond_signal(&node->freed);
    pthread_mutex_unlock(&node->lock);
}

static int is_cluster(const session_t *session)
{
    return tmpl_redis_address(session->redis)->mode == TMPL_REDIS_CLUSTER;
}

/* ---- sessions ---- */

tmpl_redis_session_t tmpl_redis_session(tmpl_redis_t *redis, const char *key)
{
    int has_slots = tmpl_redis_address(redis)->mode == TMPL_REDIS_CLUSTER;
    return (session_t){ .redis = redis, .slot = has_slots ? tmpl_redis_slot(key) : 0 };
}

void tmpl_redis_session_end(session_t *session)
{
    if (session->conn != NULL) {
        node_give(session->node, session->conn);
    }
    *session = (session_t){ .redis = session->redis, .slot = session->slot };
}

const char *tmpl_redis_session_name(const session_t *session)
{
    return session->node != NULL ? session->node->name : tmpl_redis_address(session->redis)->name;
}

/* Finds the session's node, unless it has one. */
static apr_status_t session_route(session_t *session, apr_time_t deadline, tmpl_error_t *err,
                                  apr_pool_t *pool)
{
    if (session->node != NULL) {
        return APR_SUCCESS;
    }
    apr_status_t rv = tmpl_redis_find(session->redis, deadline, err, pool);
    session->node = tmpl_redis_node_of(session->redis, session->slot);
    if (session->node != NULL) {
        return APR_SUCCESS; /* what is known already is enough */
    }
    return rv != APR_SUCCESS ? rv
                             : tmpl_fail(err, TMPL_EPART, "%s: no server has slot %u",
                                         tmpl_redis_session_name(session), session->slot);
}

/* Moves the session to another node. */
static apr_status_t session_move(session_t *session, tmpl_redis_node_t *node, int is_asking,
                                 tmpl_error_t *err)
{
    int was_bound = session->is_bound;
    tmpl_redis_session_end(session);
    session->node = node;
    session->is_asking = is_asking;
    session->is_bound = was_bound;
    return was_bound ? tmpl_fail(err, APR_EBUSY, "%s: the site is at another server now",
                                 tmpl_redis_address(session->redis)->name)
                     : APR_SUCCESS;
}

/* Moves the session to the node of a referral, and notes that a slot has moved. */
static apr_status_t session_follow(session_t *session, const tmpl_redis_referral_t *referral,
                                   tmpl_error_t *err)
{
    tmpl_redis_node_t *node = tmpl_redis_refer(session->redis, referral);
    return node != NULL
               ? session_move(session, node, referral->is_ask, err)
               : tmpl_fail(err, APR_ENOMEM, "%s: it has had more than %d servers",
                           tmpl_redis_address(session->redis)->name, TMPL_REDIS_NODES_MOST);
}

/*
 * After the session's node has failed, with status failed, or turned out to be a replica: moves the
 * session to another node if that has the slot now. Sets *moved.
 */
static apr_status_t look_elsewhere(session_t *session, apr_status_t failed, int *moved,
                                   apr_time_t deadline, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_redis_set_stale(session->redis);
    /* a late call leaves no time to ask: all servers would seem late */
    apr_time_t until = APR_STATUS_IS_TIMEUP(failed) ? 0 : deadline;
    apr_status_t rv = tmpl_redis_find(session->redis, until, NULL, pool);
    tmpl_redis_node_t *node = tmpl_redis_node_of(session->redis, session->slot);
    *moved = node != NULL && node != session->node;
    return *moved ? session_move(session, node, 0, err) : rv;
}

/* ---- exchanges ---- */

/*
 * Sends each command with ASKING in front. Within a transaction, where one ASKING in front would
 * do, it is a command of the transaction, and does no harm.
 */
static apr_status_t session_call_asking(session_t *session, const apr_array_header_t *list,
                                        apr_time_t deadline, redisReply ***replies,
                                        tmpl_error_t *err)
{
    apr_array_header_t *all = tmpl_redis_list(list->pool);
    for (int i = 0; i < list->nelts; i++) {
        tmpl_redis_command(all, "ASKING", NULL);
        APR_ARRAY_PUSH(all, apr_array_header_t *) = APR_ARRAY_IDX(list, i, apr_array_header_t *);
    }
    apr_status_t rv =
        tmpl_redis_conn_call(session->conn, &session->node->server, all, deadline, replies, err);
    for (int i = 0; rv == APR_SUCCESS && i < list->nelts; i++) {
        (*replies)[i] = (*replies)[2 * i + 1];
    }
    return rv;
}

/* Sends the commands to the session's node. APR_EBUSY: the deadline had passed before. */
static apr_status_t session_call(session_t *session, const apr_array_header_t *list,
                                 apr_time_t deadline, redisReply ***replies, tmpl_error_t *err)
{
    tmpl_redis_node_t *node = session->node;
    apr_time_t began = tmpl_clock();
    if (began >= deadline) {
        /* this says nothing about the server: its connection stays, and no failure is noted */
        return tmpl_fail(err, APR_EBUSY, "%s: no time was left to ask", node->name);
    }
    if (session->conn == NULL) {
        session->conn = tmpl_redis_node_take(node, deadline, err);
        if (session->conn == NULL) {
            return APR_TIMEUP;
        }
        if (is_cluster(session) && !tmpl_breaker_allow(&node->breaker, tmpl_clock())) {
            return tmpl_fail(err, TMPL_EPART, "%s: the server has failed a moment ago", node->name);
        }
    }
    apr_status_t rv =
        session->is_asking
            ? session_call_asking(session, list, deadline, replies, err)
            : tmpl_redis_conn_call(session->conn, &node->server, list, deadline, replies, err);
    if (is_cluster(session)) {
        (void)tmpl_breaker_report(&node->breaker, began, tmpl_clock(),
                                  rv == APR_SUCCESS          ? TMPL_CALL_OK
                                  : APR_STATUS_IS_TIMEUP(rv) ? TMPL_CALL_LATE
                                                             : TMPL_CALL_FAILED);
    }
    return rv;
}

/* Whether one of n replies leads to another server. */
static int is_referred(const session_t *session, tmpl_redis_referral_t *referral,
                       redisReply *const *replies, int n)
{
    for (int i = 0; i < n && is_cluster(session); i++) {
        if (tmpl_redis_referral_read(referral, replies[i], &session->node->server.place)) {
            return 1;
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
static int is_part_of_cluster(apr_status_t failed, apr_status_t found)
{
    int is_late = APR_STATUS_IS_TIMEUP(found) && !APR_STATUS_IS_TIMEUP(failed);
    return failed != APR_SUCCESS && (found == APR_SUCCESS || is_late);
}

/*
 * Tries once. Sets *again if the session has moved to another server, to which the commands must be
 * sent.
 */
static apr_status_t try_exchange(session_t *session, const apr_array_header_t *list,
                                 apr_time_t deadline, redisReply ***replies, int *again,
                                 tmpl_error_t *err)
{
    tmpl_redis_referral_t referral;
    tmpl_error_t moving = { 0 };
    *again = 0;
    apr_status_t rv = session_route(session, deadline, err, list->pool);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = session_call(session, list, deadline, replies, err);
    if (rv == APR_SUCCESS && is_referred(session, &referral, *replies, list->nelts)) {
        *again = 1;
        return session_follow(session, &referral, err);
    }
    if (tmpl_redis_address(session->redis)->mode == TMPL_REDIS_SINGLE || rv == APR_EBUSY ||
        (rv == APR_SUCCESS && !is_deposed(*replies, list->nelts))) {
        return rv;
    }
    apr_status_t found = look_elsewhere(session, rv, again, deadline, &moving, list->pool);
    if (*again) {
        return found == APR_SUCCESS ? found : tmpl_fail(err, found, "%s", moving.text);
    }
    if (!is_cluster(session) || !is_part_of_cluster(rv, found)) {
        return rv;
    }
    if (err != NULL) {
        err->status = TMPL_EPART;
    }
    return TMPL_EPART;
}

apr_status_t tmpl_redis_exchange(session_t *session, const apr_array_header_t *list,
                                 apr_time_t deadline, redisReply ***replies, tmpl_error_t *err)
{
    for (int hops = 0; hops < HOPS_MOST; hops++) {
        int again;
        apr_status_t rv = try_exchange(session, list, deadline, replies, &again, err);
        if (rv != APR_SUCCESS || !again) {
            return rv;
        }
    }
    return tmpl_fail(err, TMPL_EPART, "%s: the servers refer to each other for slot %u",
                     tmpl_redis_address(session->redis)->name, session->slot);
}
