/* SPDX-License-Identifier: Apache-2.0 */
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
#ifndef TMPL_REDIS_SITE_H
#define TMPL_REDIS_SITE_H

#include "table/provider.h"
#include "table/redis/redis_client.h"

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
