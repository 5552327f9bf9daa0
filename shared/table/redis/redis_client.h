/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The servers of a Redis store, as one process uses them: one server, the master that sentinels
 * know, or the masters of a cluster. Each key belongs to a slot, and each slot to a server.
 *
 * A client asks its topology (redis_topology.h) which server has a slot. It asks again after a
 * server has failed, refused writes (READONLY), or referred to another server (MOVED). The client
 * follows referrals. If a server fails and another one has the slot now, the client goes on there.
 *
 * Safe to use from many threads. All waiting ends at a deadline on tmpl_clock.
 */
#ifndef TMPL_REDIS_CLIENT_H
#define TMPL_REDIS_CLIENT_H

#include "table/redis/redis_node.h"

typedef struct tmpl_redis_t tmpl_redis_t;

/* Commands on one slot that belong together, as WATCH and EXEC do. */
typedef struct {
    unsigned slot;
    unsigned node;           /* its number in the topology; 0: none yet */
    tmpl_redis_held_t *held; /* NULL: none yet */
    int is_bound;            /* earlier commands count, so the session must stay at its server */
    int is_asking;           /* the slot is moving to the node, which has the key already */
} tmpl_redis_session_t;

/*
 * Does not connect yet. A cleanup on pool closes all connections. The strings of address must live
 * as long as the client. Errors: those of tmpl_redis_tls_create().
 */
apr_status_t tmpl_redis_create(tmpl_redis_t **redis, const tmpl_redis_address_t *address,
                               unsigned max_connections, tmpl_error_t *err, apr_pool_t *pool);

/* The store's name for messages, without user and password; for a session, its server's name. */
const char *tmpl_redis_name(const tmpl_redis_t *redis);
const char *tmpl_redis_session_name(const tmpl_redis_t *redis, const tmpl_redis_session_t *session);

/* A session for a key. It connects when it is first used. The caller ends it. */
tmpl_redis_session_t tmpl_redis_session(const tmpl_redis_t *redis, const char *key);
void tmpl_redis_session_end(tmpl_redis_t *redis, tmpl_redis_session_t *session);

/*
 * Sends n commands in one round trip, and fills replies with n replies from pool, which together
 * may take max_reply bytes on the wire. The commands may be sent more than once, so they must do no
 * harm if they run twice. APR_SUCCESS, also for error replies to commands; APR_EBUSY: the session
 * is bound, and its slot is at another server now, or the deadline had passed before anything was
 * sent; APR_TIMEUP; TMPL_EPART if only a server of several fails; otherwise the system's error, or
 * APR_EGENERAL for a reply that Redis would not give; with text.
 */
apr_status_t tmpl_redis_exchange(tmpl_redis_t *redis, tmpl_redis_session_t *session,
                                 const tmpl_redis_command_t *commands, int n, size_t max_reply,
                                 apr_time_t deadline, redisReply **replies, tmpl_error_t *err,
                                 apr_pool_t *pool);

/*
 * Adds a session for each server to sessions (tmpl_redis_session_t). Errors: those of an exchange.
 */
apr_status_t tmpl_redis_sessions(tmpl_redis_t *redis, apr_array_header_t *sessions,
                                 apr_time_t deadline, tmpl_error_t *err, apr_pool_t *pool);

#endif
