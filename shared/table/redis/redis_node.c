/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_node.h"

#include <stdlib.h>

#include <apr_strings.h>

#include "base/clock.h"

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

void tmpl_redis_node_give(tmpl_redis_node_t *node, tmpl_redis_conn_t *conn)
{
    pthread_mutex_lock(&node->lock);
    conn->next = node->idle;
    node->idle = conn;
    pthread_cond_signal(&node->freed);
    pthread_mutex_unlock(&node->lock);
}
