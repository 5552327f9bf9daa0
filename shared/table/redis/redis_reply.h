/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Redis replies in an APR pool: hiredis' reader parses them and makes its objects here. hiredis'
 * own objects take two blocks of malloc for each bucket, which is 5 % of the cost of a new page.
 */
#ifndef TMPL_REDIS_REPLY_H
#define TMPL_REDIS_REPLY_H

#include <hiredis/hiredis.h>

#include <apr_pools.h>

/* A reader of redisReply objects, for redisReaderFree() to free; NULL: out of memory. */
redisReader *tmpl_redis_reader_create(void);

/* The replies that are read from now on come from pool. No reply may be half read. */
void tmpl_redis_reader_use(redisReader *reader, apr_pool_t *pool);

#endif
