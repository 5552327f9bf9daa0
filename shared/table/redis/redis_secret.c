/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_secret.h"

#include <string.h>

#include <apr_strings.h>

#include "table/provider.h"
#include "table/redis/redis_error.h"
#include "table/redis/redis_words.h"

#define KEY "tmpl:6:secret"

void tmpl_redis_secret_init(tmpl_redis_secret_t *secret)
{
    pthread_mutex_init(&secret->lock, NULL);
    tmpl_secret_draw(secret->is);
}

void tmpl_redis_secret_destroy(tmpl_redis_secret_t *secret)
{
    pthread_mutex_destroy(&secret->lock);
}

static void keep(tmpl_redis_secret_t *secret, const char *is)
{
    pthread_mutex_lock(&secret->lock);
    apr_cpystrn(secret->is, is, sizeof(secret->is));
    pthread_mutex_unlock(&secret->lock);
}

/* Takes the replies to SET and GET. */
static apr_status_t take(tmpl_redis_secret_t *secret, const char *server, const char *put,
                         redisReply *const replies[2], tmpl_error_t *err)
{
    if (tmpl_redis_is_error(replies[1], "WRONGTYPE")) {
        return tmpl_fail(err, APR_EGENERAL,
                         "%s: another program uses the key " KEY ", which holds the secret "
                         "of all sites: delete it",
                         server);
    }
    /* a server that takes no writes may have a secret */
    apr_status_t rv = tmpl_redis_reply_check(server, replies[put != NULL ? 0 : 1], err);
    if (rv == APR_SUCCESS && replies[1]->type == REDIS_REPLY_STRING) {
        keep(secret, replies[1]->str);
    }
    else if (rv == APR_SUCCESS && replies[1]->type != REDIS_REPLY_NIL) {
        rv = tmpl_redis_garbage(server, err);
    }
    else if (rv == APR_SUCCESS && tmpl_redis_reply_check(server, replies[0], NULL) != APR_ENOSPC) {
        /*
         * the server may take writes of sites: it must not get keys that each process makes by
         * itself
         */
        rv = tmpl_redis_reply_check(server, replies[0], err);
    }
    return rv;
}

apr_status_t tmpl_redis_secret_ask(tmpl_redis_secret_t *secret, tmpl_redis_t *redis,
                                   const char *put, char is[TMPL_SECRET_SIZE], apr_time_t deadline,
                                   tmpl_error_t *err, apr_pool_t *pool)
{
    char own[TMPL_SECRET_SIZE];
    pthread_mutex_lock(&secret->lock);
    memcpy(own, secret->is, sizeof(own));
    pthread_mutex_unlock(&secret->lock);
    tmpl_redis_words_t words[] = { put != NULL ? TMPL_REDIS_WORDS(pool, "SET", KEY, put)
                                               : TMPL_REDIS_WORDS(pool, "SET", KEY, own, "NX"),
                                   TMPL_REDIS_WORDS(pool, "GET", KEY) };
    tmpl_redis_command_t commands[] = { tmpl_redis_words_command(&words[0]),
                                        tmpl_redis_words_command(&words[1]) };
    tmpl_redis_session_t session = tmpl_redis_session(redis, KEY);
    redisReply *replies[2];
    apr_status_t rv = tmpl_redis_exchange(redis, &session, commands, 2, 2 * TMPL_REDIS_ERROR_MOST,
                                          deadline, replies, err, pool);
    if (rv == APR_SUCCESS) {
        rv = take(secret, tmpl_redis_session_name(redis, &session), put, replies, err);
    }
    tmpl_redis_session_end(redis, &session);
    pthread_mutex_lock(&secret->lock);
    memcpy(is, secret->is, TMPL_SECRET_SIZE);
    pthread_mutex_unlock(&secret->lock);
    return rv;
}
