/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_conn.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "table/counts.h"

#define ELEMENTS_MOST (1 << 20) /* elements of an array, whose length comes from outside */

#if HIREDIS_MAJOR >= 1
typedef size_t length_t;
#else
typedef int length_t;
#endif

static redisReplyObjectFunctions usual, bounded;

static void *make_array(const redisReadTask *task, length_t n)
{
    return (size_t)n > ELEMENTS_MOST ? NULL : usual.createArray(task, n);
}

static void functions_find(void)
{
    redisReader *reader = redisReaderCreate();
    if (reader == NULL) {
        abort(); /* no memory, as in APR's pools */
    }
    usual = bounded = *reader->fn;
    bounded.createArray = make_array;
    redisReaderFree(reader);
}

redisReader *tmpl_redis_reader_create(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, functions_find);
    return redisReaderCreateWithFunctions(&bounded);
}

/* ---- errors ---- */

static const struct {
    const char *prefix;
    apr_status_t status;
    const char *text;
} refusals[] = {
    { "NOAUTH", APR_EACCES, "the server wants a password" },
    { "WRONGPASS", APR_EACCES, "the server does not accept user and password" },
    { "ERR invalid password", APR_EACCES, "the server does not accept the password" },
    { "NOPERM", APR_EACCES, "the user may not do this" },
    { "LOADING", APR_EAGAIN, "the server is still loading its data" },
    { "MASTERDOWN", APR_EAGAIN, "the replica has lost its master" },
    { "BUSY", APR_EAGAIN, "the server is busy with somebody's script" },
    { "MOVED", APR_ENOTIMPL, "the server is a node of a Redis Cluster: use redis+cluster://" },
    { "ASK", APR_ENOTIMPL, "the server is a node of a Redis Cluster: use redis+cluster://" },
    { "CLUSTERDOWN", APR_EAGAIN, "the Redis Cluster is down" },
    { "READONLY", APR_ENOSPC, "the server is a read-only replica" },
    { "OOM", APR_ENOSPC, "the server is out of memory (maxmemory)" },
    { "MISCONF", APR_ENOSPC, "the server cannot write its disk and takes no changes" },
    { "NOREPLICAS", APR_ENOSPC, "the server lacks replicas and takes no changes" },
    { "WRONGTYPE", TMPL_EDAMAGED, "the site's key is in use by another program" },
};

int tmpl_redis_is_error(const redisReply *reply, const char *word)
{
    size_t n = strlen(word);
    return reply->type == REDIS_REPLY_ERROR && reply->len >= n && memcmp(reply->str, word, n) == 0;
}

/* The length of an error without the command's arguments: one may be a secret. */
static int len_without_arguments(const redisReply *reply)
{
    static const char arguments[] = ", with args";
    const char *at = memmem(reply->str, reply->len, arguments, sizeof(arguments) - 1);
    return (int)(at != NULL ? (size_t)(at - reply->str) : reply->len);
}

apr_status_t tmpl_redis_check(const char *name, const redisReply *reply, tmpl_error_t *err)
{
    if (reply->type != REDIS_REPLY_ERROR) {
        return APR_SUCCESS;
    }
    int len = len_without_arguments(reply);
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        if (tmpl_redis_is_error(reply, refusals[i].prefix)) {
            return tmpl_fail(err, refusals[i].status, "%s: %s: %.*s", name, refusals[i].text,
                             len < 80 ? len : 80, reply->str);
        }
    }
    return tmpl_fail(err, APR_EGENERAL, "%s: the server says: %.*s", name, len < 160 ? len : 160,
                     reply->str);
}

apr_status_t tmpl_redis_garbage(const char *name, tmpl_error_t *err)
{
    return tmpl_fail(err, APR_EGENERAL, "%s: a reply that Redis would not give", name);
}
