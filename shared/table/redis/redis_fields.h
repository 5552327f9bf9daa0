/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash of a site in Redis: commands that read and change its fields, and their replies.
 *
 *     "h"                          the head (provider.h)
 *     "b", number (3, big-endian)  a bucket (bucket.h)
 */
#ifndef TMPL_REDIS_FIELDS_H
#define TMPL_REDIS_FIELDS_H

#include "table/provider.h"
#include "table/redis/redis_words.h"

#define TMPL_REDIS_REPLY_MOST ((size_t)64 << 20) /* bytes of a reply, beyond the usual size */

/*
 * Adds HMGET of the head and n buckets to list (of tmpl_redis_words_t), as several commands if the
 * buckets are many.
 */
void tmpl_redis_fields_ask(apr_array_header_t *list, const char *key,
                           const tmpl_numbered_t *buckets, uint32_t n, apr_pool_t *pool);

/*
 * Takes the replies to these commands: fills head, found (whether there is a head), and the bytes
 * of the buckets, which point into the replies. Returns 0 for replies that Redis would not give.
 */
int tmpl_redis_fields_take(redisReply *const *replies, tmpl_head_t *head, int *found,
                           tmpl_numbered_t *buckets, uint32_t n);

/*
 * The most bytes that these replies may have; the number is bounded even if the buckets are many.
 */
size_t tmpl_redis_fields_most(uint32_t n);

/*
 * Adds the commands that write the head and n buckets and delete buckets without bytes: HSET and
 * HDEL, several of each if the buckets are many.
 */
void tmpl_redis_fields_change(apr_array_header_t *list, const char *key, const tmpl_head_t *head,
                              const tmpl_numbered_t *buckets, uint32_t n, apr_pool_t *pool);

#endif
