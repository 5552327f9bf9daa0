/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which servers a store has, and which of them has each slot: one server, the master that sentinels
 * know, or the masters of a cluster. Servers are nodes (redis_node.h), known by numbers from 1.
 *
 * The topology asks where the servers are when a caller first needs to know. It asks again, at most
 * once a second, when the answer may have changed.
 *
 * Safe to use from many threads. All waiting ends at a deadline on tmpl_clock.
 */
#ifndef TMPL_REDIS_TOPOLOGY_H
#define TMPL_REDIS_TOPOLOGY_H

#include "table/redis/redis_node.h"
#include "table/redis/redis_places.h"

#define TMPL_REDIS_NODES_MOST 1024

typedef struct tmpl_redis_topology_t tmpl_redis_topology_t;

/*
 * Does not connect yet. A cleanup on pool closes all connections. The strings of address must live
 * as long as the topology. tls: for all connections, or NULL. max_connections: to each server.
 */
tmpl_redis_topology_t *tmpl_redis_topology_create(const tmpl_redis_address_t *address,
                                                  tmpl_redis_tls_t *tls, unsigned max_connections,
                                                  apr_pool_t *pool);

/*
 * Asks where the servers are, if that is due. APR_SUCCESS if the last answer, of now or before, was
 * good; otherwise the error of a server that was late, or of the last one if none was late.
 */
apr_status_t tmpl_redis_topology_find(tmpl_redis_topology_t *topology, apr_time_t deadline,
                                      tmpl_error_t *err, apr_pool_t *pool);

/* Notes that the servers may have changed: the next find asks. */
void tmpl_redis_topology_set_stale(tmpl_redis_topology_t *topology);

/* The number of the slot's node; 0: none is known. */
unsigned tmpl_redis_topology_at(tmpl_redis_topology_t *topology, unsigned slot);

/*
 * The number of a node that the caller is going to use: the node lives while it has users. take
 * finds the node of a slot; refer finds the node of a referral, and notes the referral. 0: no node
 * is known, or there is no room for one more.
 */
unsigned tmpl_redis_topology_take(tmpl_redis_topology_t *topology, unsigned slot);
unsigned tmpl_redis_topology_refer(tmpl_redis_topology_t *topology,
                                   const tmpl_redis_referral_t *referral);
void tmpl_redis_topology_give(tmpl_redis_topology_t *topology, unsigned number);

/* A node that is in use. */
tmpl_redis_node_t *tmpl_redis_topology_node(const tmpl_redis_topology_t *topology, unsigned number);

/* Adds to slots (unsigned) the first slot of each server that has slots. */
void tmpl_redis_topology_firsts(tmpl_redis_topology_t *topology, apr_array_header_t *slots);

#endif
