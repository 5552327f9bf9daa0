/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replies of Redis, and what its errors mean.
 *
 * hiredis' reader parses the replies and makes its objects in an APR pool here. hiredis' own
 * objects take two blocks of malloc for each bucket, which is 5 % of the cost of a new page.
 */
#ifndef TMPL_REDIS_REPLY_H
#define TMPL_REDIS_REPLY_H

#include <hiredis/hiredis.h>

#include "base/tmpl.h"

/* A reader of redisReply objects, for redisReaderFree() to free; NULL: out of memory. */
redisReader *tmpl_redis_reader_create(void);

/* The replies that are read from now on come from pool. No reply may be half read. */
void tmpl_redis_reader_use(redisReader *reader, apr_pool_t *pool);

/* Whether a reply is an error that begins with that word. */
int tmpl_redis_is_error(const redisReply *reply, const char *word);

/*
 * APR_SUCCESS, or, if the reply is an error, the status that it stands for, with text. APR_ENOSPC:
 * the server takes no writes. name: the server's name, for the message.
 */
apr_status_t tmpl_redis_check(const char *name, const redisReply *reply, tmpl_error_t *err);

/* The same for a reply that Redis would not give. */
apr_status_t tmpl_redis_garbage(const char *name, tmpl_error_t *err);

#endif
