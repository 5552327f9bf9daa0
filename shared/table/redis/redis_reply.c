/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_reply.h"

#include <apr_strings.h>

#define ELEMENTS_MOST (1 << 20) /* of an array in a reply: a number from outside is no size */

/* In its place in the reply that is being read, whose pool the reader's private data is. */
static redisReply *make(const redisReadTask *task, int type)
{
    redisReply *reply = apr_pcalloc(task->privdata, sizeof(*reply));

    reply->type = type;
    if (task->parent != NULL) {
        ((redisReply *)task->parent->obj)->element[task->idx] = reply;
    }
    return reply;
}

static void *make_string(const redisReadTask *task, char *bytes, size_t len)
{
    redisReply *reply = make(task, task->type);

    reply->str = apr_pstrmemdup(task->privdata, bytes, len);
    reply->len = len;
    return reply;
}

static void *make_array(const redisReadTask *task, int n)
{
    redisReply *reply;

    if (n < 0 || n > ELEMENTS_MOST) {
        return NULL;
    }
    reply = make(task, task->type);
    reply->elements = (size_t)n;
    reply->element = apr_palloc(task->privdata, (apr_size_t)n * sizeof(redisReply *));
    return reply;
}

static void *make_integer(const redisReadTask *task, long long integer)
{
    redisReply *reply = make(task, task->type);

    reply->integer = integer;
    return reply;
}

static void *make_nil(const redisReadTask *task)
{
    return make(task, REDIS_REPLY_NIL); /* the task's is that of what there might have been */
}

/* It goes with its pool. */
static void unmake(void *reply)
{
    (void)reply;
}

redisReader *tmpl_redis_reader_create(void)
{
    static redisReplyObjectFunctions functions = { make_string, make_array, make_integer, make_nil,
                                                   unmake };

    return redisReaderCreateWithFunctions(&functions);
}

void tmpl_redis_reader_use(redisReader *reader, apr_pool_t *pool)
{
    reader->privdata = pool;
}
