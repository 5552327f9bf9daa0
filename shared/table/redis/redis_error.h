/* SPDX-License-Identifier: Apache-2.0 */
/* What error replies of Redis mean. name: the server's name, for the message. */
#ifndef TMPL_REDIS_ERROR_H
#define TMPL_REDIS_ERROR_H

#include <hiredis/hiredis.h>

#include "base/tmpl.h"

#define TMPL_REDIS_ERROR_MOST 4096 /* bytes of an error reply */

/*
 * Returns the status that an error reply stands for, and fills err. APR_ENOSPC: the server takes no
 * writes.
 */
apr_status_t tmpl_redis_fail(const char *name, const redisReply *reply, tmpl_error_t *err);

/* The same for a reply that Redis would not give. */
apr_status_t tmpl_redis_garbage(const char *name, tmpl_error_t *err);

/* tmpl_redis_fail() if reply is an error, otherwise APR_SUCCESS. */
apr_status_t tmpl_redis_reply_check(const char *name, const redisReply *reply, tmpl_error_t *err);

/* Whether a reply is an error that begins with that word. */
int tmpl_redis_is_error(const redisReply *reply, const char *word);

#endif
