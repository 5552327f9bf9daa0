/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This process's connections to one Redis server, at most a fixed number. Safe to use from many
 * threads. A connection that fails is closed, and the next call that takes it connects again.
 *
 * The connections are not an apr_reslist: it has one timeout for all callers instead of a deadline
 * for each, and it aborts the process if its pool is destroyed while a connection is in use, as
 * httpd's prefork does when it ends a child.
 */
#ifndef TMPL_REDIS_NODE_H
#define TMPL_REDIS_NODE_H

#include "table/redis/redis_conn.h"

typedef struct tmpl_redis_node_t tmpl_redis_node_t;

/* A connection that is in use. */
typedef struct {
    tmpl_redis_conn_t conn;
    int is_fresh; /* no call since it was taken */
} tmpl_redis_held_t;

/*
 * Does not connect yet. The name is copied; the strings of the login must live as long as the node.
 * NULL: no memory.
 */
tmpl_redis_node_t *tmpl_redis_node_create(const tmpl_redis_server_t *server,
                                          unsigned max_connections);

/* Closes all connections; at the end of a process also those in use. */
void tmpl_redis_node_destroy(tmpl_redis_node_t *node);

const tmpl_redis_server_t *tmpl_redis_node_server(const tmpl_redis_node_t *node);

/*
 * Takes a connection for calls that belong together, as WATCH and EXEC do. The caller gives it back
 * in any case. APR_SUCCESS, or APR_TIMEUP if none became free by deadline.
 */
apr_status_t tmpl_redis_node_take(tmpl_redis_node_t *node, apr_time_t deadline,
                                  tmpl_redis_held_t **held, tmpl_error_t *err);
void tmpl_redis_node_give(tmpl_redis_node_t *node, tmpl_redis_held_t *held);

/*
 * tmpl_redis_conn_call(). If the first call after take finds the connection closed, the call is
 * repeated on a new connection, so its commands must do no harm if they run twice.
 */
apr_status_t tmpl_redis_node_call(const tmpl_redis_node_t *node, tmpl_redis_held_t *held,
                                  const tmpl_redis_command_t *commands, int n, size_t max_reply,
                                  apr_time_t deadline, redisReply **replies, tmpl_error_t *err,
                                  apr_pool_t *pool);

/*
 * Whether the server may be called (breaker.h). While the server fails, only one caller per pause
 * tries it, so that pages of its sites do not wait for it. A caller that got 1 reports the result
 * of its call, which began at began.
 */
int tmpl_redis_node_allows(tmpl_redis_node_t *node);
void tmpl_redis_node_report(tmpl_redis_node_t *node, apr_time_t began, apr_status_t status);

#endif
