/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_node.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "base/breaker.h"
#include "table/provider.h"

#define PAUSE apr_time_from_sec(1)

struct tmpl_redis_node_t {
    tmpl_redis_server_t server;
    char name[320];
    tmpl_breaker_t breaker;
    pthread_mutex_t lock; /* protects all below */
    pthread_cond_t freed;
    unsigned n_idle; /* the one used last is used next, so the others can grow old */
    tmpl_redis_held_t **idle;
    unsigned n;
    tmpl_redis_held_t *conns;
};

tmpl_redis_node_t *tmpl_redis_node_create(const tmpl_redis_server_t *server,
                                          unsigned max_connections)
{
    /* not from a pool: nodes come and go while other threads run */
    tmpl_redis_node_t *node = calloc(1, sizeof(*node));
    tmpl_redis_held_t *conns = calloc(max_connections, sizeof(*conns));
    tmpl_redis_held_t **idle = calloc(max_connections, sizeof(*idle));

    if (node == NULL || conns == NULL || idle == NULL) {
        free(node);
        free(conns);
        free((void *)idle);
        return NULL;
    }
    node->server = *server;
    apr_cpystrn(node->name, server->name, sizeof(node->name));
    node->server.name = node->name;
    tmpl_breaker_init(&node->breaker, PAUSE);
    pthread_mutex_init(&node->lock, NULL);
    pthread_cond_init(&node->freed, NULL);
    node->n = node->n_idle = max_connections;
    node->conns = conns;
    node->idle = idle;
    for (unsigned i = 0; i < node->n; i++) {
        idle[i] = &conns[i];
    }
    return node;
}

void tmpl_redis_node_destroy(tmpl_redis_node_t *node)
{
    for (unsigned i = 0; i < node->n; i++) {
        tmpl_redis_conn_close(&node->conns[i].conn);
    }
    /*
     * The condition is not destroyed: that would wait for its waiters, and prefork may have
     * interrupted one for good to end the process.
     */
    pthread_mutex_destroy(&node->lock);
    free(node->conns);
    free((void *)node->idle);
    free(node);
}

const tmpl_redis_server_t *tmpl_redis_node_server(const tmpl_redis_node_t *node)
{
    return &node->server;
}

apr_status_t tmpl_redis_node_take(tmpl_redis_node_t *node, apr_time_t deadline,
                                  tmpl_redis_held_t **held, tmpl_error_t *err)
{
    struct timespec until = tmpl_clock_timespec(deadline);
    int rc = 0;

    *held = NULL;
    pthread_mutex_lock(&node->lock);
    while (node->n_idle == 0 && rc == 0) {
        rc = pthread_cond_clockwait(&node->freed, &node->lock, CLOCK_MONOTONIC, &until);
    }
    if (node->n_idle > 0) {
        *held = node->idle[--node->n_idle];
        (*held)->is_fresh = 1;
    }
    pthread_mutex_unlock(&node->lock);
    return *held != NULL ? APR_SUCCESS
                         : tmpl_fail(err, APR_TIMEUP, "%s: all %u connections are in use",
                                     node->server.name, node->n);
}

void tmpl_redis_node_give(tmpl_redis_node_t *node, tmpl_redis_held_t *held)
{
    pthread_mutex_lock(&node->lock);
    node->idle[node->n_idle++] = held;
    pthread_cond_signal(&node->freed);
    pthread_mutex_unlock(&node->lock);
}

/* The server has closed an idle connection: it restarted, or its timeout has passed. */
static int is_stale(apr_status_t rv)
{
    return APR_STATUS_IS_EOF(rv) || APR_STATUS_IS_EPIPE(rv) || APR_STATUS_IS_ECONNRESET(rv);
}

apr_status_t tmpl_redis_node_call(const tmpl_redis_node_t *node, tmpl_redis_held_t *held,
                                  const tmpl_redis_command_t *commands, int n, size_t max_reply,
                                  apr_time_t deadline, redisReply **replies, tmpl_error_t *err,
                                  apr_pool_t *pool)
{
    int may_be_stale = held->is_fresh && held->conn.reader != NULL;
    apr_status_t rv = tmpl_redis_conn_call(&held->conn, &node->server, commands, n, max_reply,
                                           deadline, replies, err, pool);

    held->is_fresh = 0;
    return may_be_stale && is_stale(rv)
               ? tmpl_redis_conn_call(&held->conn, &node->server, commands, n, max_reply, deadline,
                                      replies, err, pool)
               : rv;
}

int tmpl_redis_node_allows(tmpl_redis_node_t *node)
{
    return tmpl_breaker_allow(&node->breaker, tmpl_clock());
}

void tmpl_redis_node_report(tmpl_redis_node_t *node, apr_time_t began, apr_status_t status)
{
    (void)tmpl_breaker_report(&node->breaker, began, tmpl_clock(),
                              status == APR_SUCCESS          ? TMPL_CALL_OK
                              : APR_STATUS_IS_TIMEUP(status) ? TMPL_CALL_LATE
                                                             : TMPL_CALL_FAILED);
}
