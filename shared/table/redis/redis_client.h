/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which servers a store has, and which of them has each slot: one server, the master that sentinels
 * know, or the masters of a cluster. Servers are nodes.
 *
 * Asks where the servers are when a caller first needs to know, and again, at most once a second,
 * when the answer may have changed.
 *
 * Safe to use from many threads. All waiting ends at a deadline on tmpl_clock.
 */
#ifndef TMPL_REDIS_CLIENT_H
#define TMPL_REDIS_CLIENT_H

#include <pthread.h>

#include "base/breaker.h"
#include "table/redis/redis_conn.h"
#include "table/provider.h"

/*
 * Where the servers of a store are, as sentinels and nodes of a cluster say it, and which keys they
 * have. Their replies come from outside, so a reply that makes no sense is refused.
 */

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

/*
 * A Redis server, and this process's connections to it, at most a fixed number. Safe to use from
 * many threads. A connection that fails is closed, and the next call that takes it connects again.
 *
 * The connections are not an apr_reslist: it has one timeout for all callers instead of a deadline
 * for each, and it aborts the process if its pool is destroyed while a connection is in use, as
 * httpd's prefork does when it ends a child.
 */

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
 * Takes a connection for calls that belong together, as WATCH and EXEC do. The session's end gives
 * it back. NULL if none became free by deadline, with text.
 */
tmpl_redis_conn_t *tmpl_redis_node_take(tmpl_redis_node_t *node, apr_time_t deadline,
                                        tmpl_error_t *err);

/* --- the servers of a store --- */

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

/*
 * Commands to the server that has a key. A session asks the topology which
 * server has the key's slot. It asks again after the server has failed or refused writes
 * (READONLY). The session follows referrals (MOVED, ASK). If its server fails and another one has
 * the slot now, it goes on there.
 *
 * A session is used by one thread at a time. All waiting ends at a deadline on tmpl_clock.
 */

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

/*
 * Sites in Redis. A site is one hash with the key "tmpl:6:{SITE}". So a site expires or is evicted
 * as a whole. The braces keep all keys that a site may ever have in one slot of a cluster; in the
 * name, braces and % are written %7B, %7D and %25. Its fields:
 *
 *     "h"                          the head (provider.h)
 *     "b", number (3, big-endian)  a bucket (bucket.h)
 *     "d", number (3, big-endian)  listed documents (listed.h)
 *
 * 6 is the format. Keys of former formats, "tmpl:{SITE}" to "tmpl:5:{SITE}", are neither read nor
 * changed; they expire.
 */

/* The key of a site. */
const char *tmpl_redis_site_key(const char *site, apr_pool_t *pool);

/*
 * Adds HMGET of the head and n buckets to a list of commands. A site of 1,000,000 entries, the
 * most, has 62,500 buckets; Redis accepts 2^20 words in a command.
 */
void tmpl_redis_site_ask(apr_array_header_t *list, const char *key, const tmpl_numbered_t *buckets,
                         uint32_t n);

/*
 * Takes the reply: fills head, found (whether there is a head), and the bytes of the buckets, which
 * point into the reply. Returns 0 for a reply that Redis would not give.
 */
int tmpl_redis_site_take(const redisReply *reply, tmpl_head_t *head, int *found,
                         tmpl_numbered_t *buckets, uint32_t n);

/* Adds HSET of the head and n buckets, and HDEL of the buckets without bytes. */
void tmpl_redis_site_change(apr_array_header_t *list, const char *key, const tmpl_head_t *head,
                            const tmpl_numbered_t *buckets, uint32_t n);

/*
 * The sites, for administrators: their list, and forgetting one. patience: how long each command
 * waits for its server. Errors are those of tmpl_redis_exchange().
 */
/* tmpl_store_sites_part(). In a cluster all masters are asked. */
apr_status_t tmpl_redis_sites(tmpl_redis_t *redis, apr_interval_time_t patience, const char *from,
                              uint32_t n, tmpl_each_site_t each, void *baton, const char **next,
                              tmpl_error_t *err, apr_pool_t *pool);

/* APR_NOTFOUND: the store does not know the site. */
apr_status_t tmpl_redis_site_forget(tmpl_redis_t *redis, apr_interval_time_t patience,
                                    const char *site, tmpl_error_t *err, apr_pool_t *pool);

#endif
