/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replies of Redis in a pool: hiredis' reader parses them, and makes its objects here. It would allocate two
 * blocks for each bucket that is asked for, and free them again.
 */
#ifndef TMPL_REDIS_REPLY_H
#define TMPL_REDIS_REPLY_H

#include <hiredis/hiredis.h>

#include <apr_pools.h>

/* A reader whose replies are redisReply, as hiredis' own; NULL: no memory. redisReaderFree frees it. */
redisReader *tmpl_redis_reader_create(void);

/* From now on its replies come from pool, and live as long. None may be half read. */
void tmpl_redis_reader_use(redisReader *reader, apr_pool_t *pool);

#endif
