/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the servers of a store are, as sentinels and nodes of a cluster say it. Their replies come
 * from outside, so a reply that makes no sense is refused.
 */
#ifndef TMPL_REDIS_PLACES_H
#define TMPL_REDIS_PLACES_H

#include <apr_tables.h>

#include "table/redis/redis_conn.h"

/* The slots from first to last are at a place. */
typedef struct {
    unsigned first, last;
    tmpl_redis_place_t place;
} tmpl_redis_range_t;

/*
 * Make the command that asks for the place of a master, and read its reply: adds one range of all
 * slots to ranges. asked: the server that replied. APR_SUCCESS, or fills err.
 */
tmpl_redis_command_t tmpl_redis_sentinel_ask(const tmpl_redis_address_t *address, apr_pool_t *pool);
apr_status_t tmpl_redis_sentinel_read(const redisReply *reply, const tmpl_redis_server_t *asked,
                                      apr_array_header_t *ranges, tmpl_error_t *err);

/* The same for all masters of a cluster. */
tmpl_redis_command_t tmpl_redis_cluster_ask(const tmpl_redis_address_t *address, apr_pool_t *pool);
apr_status_t tmpl_redis_cluster_read(const redisReply *reply, const tmpl_redis_server_t *asked,
                                     apr_array_header_t *ranges, tmpl_error_t *err);

/* The server that a node refers to. */
typedef struct {
    tmpl_redis_range_t to; /* one slot */
    int is_ask;            /* for these commands only: the slot is still moving */
} tmpl_redis_referral_t;

/* Whether a reply is MOVED or ASK; fills referral. */
int tmpl_redis_referral_read(tmpl_redis_referral_t *referral, const redisReply *reply,
                             const tmpl_redis_place_t *asked);

#endif
