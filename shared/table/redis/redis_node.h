/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Redis server, and this process's connections to it, at most a fixed number. Safe to use from
 * many threads. A connection that fails is closed, and the next call that takes it connects again.
 *
 * The connections are not an apr_reslist: it has one timeout for all callers instead of a deadline
 * for each, and it aborts the process if its pool is destroyed while a connection is in use, as
 * httpd's prefork does when it ends a child.
 */
#ifndef TMPL_REDIS_NODE_H
#define TMPL_REDIS_NODE_H

#include <pthread.h>

#include "base/breaker.h"
#include "table/redis/redis_conn.h"

typedef struct {
    tmpl_redis_server_t server;
    char name[320];         /* server.name */
    tmpl_breaker_t breaker; /* for users of a cluster: sites of other servers must not wait */
    pthread_mutex_t lock;   /* protects idle */
    pthread_cond_t freed;
    tmpl_redis_conn_t *idle; /* the one used last is used next, so the others can grow old */
    unsigned n;
    tmpl_redis_conn_t conns[];
} tmpl_redis_node_t;

/*
 * Does not connect yet. The name is copied; the strings of the login must live as long as the node.
 * NULL: no memory.
 */
tmpl_redis_node_t *tmpl_redis_node_create(const tmpl_redis_server_t *server,
                                          unsigned max_connections);

/* Closes all connections; at the end of a process also those in use. */
void tmpl_redis_node_destroy(tmpl_redis_node_t *node);

/* Closes the connections that are not in use: the server has left the store. */
void tmpl_redis_node_leave(tmpl_redis_node_t *node);

/*
 * Takes a connection for calls that belong together, as WATCH and EXEC do. The caller gives it back
 * in any case. NULL if none became free by deadline, with text.
 */
tmpl_redis_conn_t *tmpl_redis_node_take(tmpl_redis_node_t *node, apr_time_t deadline,
                                        tmpl_error_t *err);
void tmpl_redis_node_give(tmpl_redis_node_t *node, tmpl_redis_conn_t *conn);

#endif
