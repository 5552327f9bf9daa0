/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_reply.h"

#include <apr_strings.h>

#define ELEMENTS_MOST (1 << 20) /* elements of an array, whose length comes from outside */

/* A reply at its place in the reply that is being read. The reader's private data is the pool. */
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

static void *make_integer(const redisReadTask *task, long long integer)
{
    redisReply *reply = make(task, task->type);

    reply->integer = integer;
    return reply;
}

/* task->type is the type of the value that is absent. */
static void *make_nil(const redisReadTask *task)
{
    return make(task, REDIS_REPLY_NIL);
}

/* A reply is freed with its pool. */
static void unmake(void *reply)
{
    (void)reply;
}

#if HIREDIS_MAJOR >= 1
typedef size_t length_t;

/* Redis sends doubles and booleans only after HELLO, but hiredis takes them from any server. */
static void *make_double(const redisReadTask *task, double number, char *bytes, size_t len)
{
    (void)number;
    return make_string(task, bytes, len);
}

static void *make_bool(const redisReadTask *task, int value)
{
    return make_integer(task, value);
}

#define HIREDIS_1_FUNCTIONS .createDouble = make_double, .createBool = make_bool,
#else
typedef int length_t;

#define HIREDIS_1_FUNCTIONS
#endif

static void *make_array(const redisReadTask *task, length_t n)
{
    if ((size_t)n > ELEMENTS_MOST) {
        return NULL;
    }
    redisReply *reply = make(task, task->type);

    reply->elements = (size_t)n;
    reply->element = apr_palloc(task->privdata, (apr_size_t)n * sizeof(redisReply *));
    return reply;
}

redisReader *tmpl_redis_reader_create(void)
{
    static redisReplyObjectFunctions functions = { .createString = make_string,
                                                   .createArray = make_array,
                                                   .createInteger = make_integer,
                                                   HIREDIS_1_FUNCTIONS.createNil = make_nil,
                                                   .freeObject = unmake };

    return redisReaderCreateWithFunctions(&functions);
}

void tmpl_redis_reader_use(redisReader *reader, apr_pool_t *pool)
{
    reader->privdata = pool;
}
