/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replies that name the places of other servers: the bytes are read as a sentinel's reply, as the
 * reply of a cluster's node, and as a referral. Values that are accepted must be in range.
 */
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>

#include "table/redis/redis_client.h"
#include "table/redis/redis_conn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const tmpl_redis_range_t *range)
{
    if (range->first > range->last || range->last >= TMPL_REDIS_SLOTS || range->place.port == 0 ||
        range->place.host[0] == '\0' ||
        memchr(range->place.host, '\0', sizeof(range->place.host)) == NULL) {
        abort();
    }
}

static void read_all(const redisReply *reply, apr_pool_t *pool)
{
    static const tmpl_redis_server_t asked = { .name = "asked", .place = { "asked", 1 } };
    apr_array_header_t *ranges = apr_array_make(pool, 8, sizeof(tmpl_redis_range_t));
    tmpl_redis_referral_t referral;

    (void)tmpl_redis_sentinel_read(reply, &asked, ranges, NULL);
    (void)tmpl_redis_cluster_read(reply, &asked, ranges, NULL);
    for (int i = 0; i < ranges->nelts; i++) {
        check(&APR_ARRAY_IDX(ranges, i, tmpl_redis_range_t));
    }
    if (tmpl_redis_referral_read(&referral, reply, &asked.place)) {
        check(&referral.to);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool;
    void *reply = NULL;

    apr_initialize();
    apr_pool_create(&pool, NULL);
    redisReader *reader = tmpl_redis_reader_create();
    if (redisReaderFeed(reader, (const char *)data, size) == REDIS_OK &&
        redisReaderGetReply(reader, &reply) == REDIS_OK && reply != NULL) {
        read_all(reply, pool);
        freeReplyObject(reply);
    }
    redisReaderFree(reader);
    apr_pool_destroy(pool);
    return 0;
}
