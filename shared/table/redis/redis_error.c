/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_error.h"

#include <string.h>

#include "table/store.h"

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

apr_status_t tmpl_redis_fail(const char *name, const redisReply *reply, tmpl_error_t *err)
{
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

apr_status_t tmpl_redis_reply_check(const char *name, const redisReply *reply, tmpl_error_t *err)
{
    return reply->type == REDIS_REPLY_ERROR ? tmpl_redis_fail(name, reply, err) : APR_SUCCESS;
}
