/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands to the server that has a key. A session asks the topology (redis_topology.h) which
 * server has the key's slot. It asks again after the server has failed or refused writes
 * (READONLY). The session follows referrals (MOVED, ASK). If its server fails and another one has
 * the slot now, it goes on there.
 *
 * A session is used by one thread at a time. All waiting ends at a deadline on tmpl_clock.
 */
#ifndef TMPL_REDIS_CLIENT_H
#define TMPL_REDIS_CLIENT_H

#include "table/redis/redis_topology.h"

/* Commands on one slot that belong together, as WATCH and EXEC do. */
typedef struct {
    tmpl_redis_t *redis;
    unsigned slot;
    tmpl_redis_node_t *node; /* NULL: none yet */
    tmpl_redis_conn_t *conn; /* NULL: none yet */
    int is_bound;            /* earlier commands count, so the session must stay at its server */
    int is_asking;           /* the slot is moving to the node, which has the key already */
} tmpl_redis_session_t;

/* A session for a key. It connects when it is first used. The caller ends it. */
tmpl_redis_session_t tmpl_redis_session(tmpl_redis_t *redis, const char *key);
void tmpl_redis_session_end(tmpl_redis_session_t *session);

/* The name of its server, for messages; that of the store while there is none. */
const char *tmpl_redis_session_name(const tmpl_redis_session_t *session);

/*
 * Sends the commands of a list in one round trip, and fills *replies with a reply to each, as
 * tmpl_redis_conn_call() does. The commands may be sent more than once, so they must do no harm if
 * they run twice. APR_SUCCESS, also for error replies to commands; APR_EBUSY: the session is bound,
 * and its slot is at another server now, or the deadline had passed before anything was sent;
 * APR_TIMEUP; TMPL_EPART if only a server of several fails; otherwise the system's error, or
 * APR_EGENERAL for a reply that Redis would not give; with text.
 */
apr_status_t tmpl_redis_exchange(tmpl_redis_session_t *session, const apr_array_header_t *list,
                                 apr_time_t deadline, redisReply ***replies, tmpl_error_t *err);

#endif
