/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the servers of a store are, as sentinels and nodes of a cluster say it, and which keys they
 * have. Their replies come from outside, so a reply that makes no sense is refused.
 */
#ifndef TMPL_REDIS_PLACES_H
#define TMPL_REDIS_PLACES_H

#include "table/redis/redis_conn.h"

#define TMPL_REDIS_SLOTS 16384

/*
 * The slot of a key in a cluster: CRC16 (XMODEM: polynomial 0x1021, from 0) modulo 16384 of the
 * key's hash tag: the bytes between the first { and the next }. Without a tag, or if it is empty,
 * the whole key counts. Source: Redis Cluster specification, "Key distribution model" and "Hash
 * tags".
 */
unsigned tmpl_redis_slot(const char *key);

/* The slots from first to last are at a place. */
typedef struct {
    unsigned first, last;
    tmpl_redis_place_t place;
} tmpl_redis_range_t;

/*
 * Read the reply to SENTINEL get-master-addr-by-name, and to CLUSTER SLOTS: add to ranges the range
 * of all slots, or those of the masters of a cluster. asked: the server that replied. APR_SUCCESS,
 * or fills err.
 */
apr_status_t tmpl_redis_sentinel_read(const redisReply *reply, const tmpl_redis_server_t *asked,
                                      apr_array_header_t *ranges, tmpl_error_t *err);
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
