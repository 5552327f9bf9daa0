/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which servers a store has, and which of them has each slot: one server, the master that sentinels
 * know, or the masters of a cluster. Servers are nodes (redis_node.h).
 *
 * Asks where the servers are when a caller first needs to know, and again, at most once a second,
 * when the answer may have changed.
 *
 * Safe to use from many threads. All waiting ends at a deadline on tmpl_clock.
 */
#ifndef TMPL_REDIS_TOPOLOGY_H
#define TMPL_REDIS_TOPOLOGY_H

#include "table/redis/redis_node.h"
#include "table/redis/redis_places.h"

/* Servers that a process knows at most, with those that it used before: a node is never freed. */
#define TMPL_REDIS_NODES_MOST 1024

typedef struct tmpl_redis_t tmpl_redis_t;

/*
 * Does not connect yet. A cleanup on pool closes all connections. The strings of address must live
 * as long as the result. max_connections: to each server. Errors: those of tmpl_redis_tls_create().
 */
apr_status_t tmpl_redis_create(tmpl_redis_t **redis, const tmpl_redis_address_t *address,
                               unsigned max_connections, tmpl_error_t *err, apr_pool_t *pool);

/* The address; its name is the store's name for messages. */
const tmpl_redis_address_t *tmpl_redis_address(const tmpl_redis_t *redis);

/*
 * Asks where the servers are, if that is due. APR_SUCCESS if the last answer, of now or before, was
 * good; otherwise the error of a server that was late, or of the last one if none was late.
 */
apr_status_t tmpl_redis_find(tmpl_redis_t *redis, apr_time_t deadline, tmpl_error_t *err,
                             apr_pool_t *pool);

/* Notes that the servers may have changed: the next find asks. */
void tmpl_redis_set_stale(tmpl_redis_t *redis);

/* The node that has a slot; NULL: none is known, and the next find asks. */
tmpl_redis_node_t *tmpl_redis_node_of(tmpl_redis_t *redis, unsigned slot);

/* Notes a referral, and returns the node that it names; NULL: there are too many nodes. */
tmpl_redis_node_t *tmpl_redis_refer(tmpl_redis_t *redis, const tmpl_redis_referral_t *referral);

/* Adds to slots (unsigned) the first slot of each server that has slots. */
void tmpl_redis_firsts(tmpl_redis_t *redis, apr_array_header_t *slots);

#endif
