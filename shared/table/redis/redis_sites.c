/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_sites.h"

#include <stdlib.h>
#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>

#include "table/redis/redis_error.h"
#include "table/redis/redis_fields.h"
#include "table/redis/redis_words.h"

#define SCAN_BATCH "500" /* keys of one SCAN */

/* Sends one command and checks the type of the reply, which is from the pool of words. */
static apr_status_t call(tmpl_redis_t *redis, apr_interval_time_t patience,
                         tmpl_redis_session_t *session, const tmpl_redis_words_t *words, int type,
                         redisReply **reply, tmpl_error_t *err)
{
    tmpl_redis_command_t command = tmpl_redis_words_command(words);
    apr_status_t rv = tmpl_redis_exchange(redis, session, &command, 1, TMPL_REDIS_REPLY_MOST,
                                          tmpl_clock() + patience, reply, err, words->argv->pool);
    const char *server = tmpl_redis_session_name(redis, session);
    if (rv == APR_SUCCESS) {
        rv = tmpl_redis_reply_check(server, *reply, err);
    }
    return rv == APR_SUCCESS && (*reply)->type != type ? tmpl_redis_garbage(server, err) : rv;
}

/* The same for a command about a key, with a reply that is an integer. */
static apr_status_t call_integer(tmpl_redis_t *redis, apr_interval_time_t patience, const char *key,
                                 const tmpl_redis_words_t *words, long long *integer,
                                 tmpl_error_t *err)
{
    tmpl_redis_session_t session = tmpl_redis_session(redis, key);
    redisReply *reply;
    apr_status_t rv = call(redis, patience, &session, words, REDIS_REPLY_INTEGER, &reply, err);
    tmpl_redis_session_end(redis, &session);
    *integer = rv == APR_SUCCESS ? reply->integer : 0;
    return rv;
}

/* Where SCAN is in the keys of a server. */
typedef struct {
    char cursor[24]; /* "0": at the beginning, or at the end */
    char met[24];    /* the cursor after a number of rounds: the last power of two */
    unsigned rounds;
} scan_t;

static int is_at_end(const scan_t *scan)
{
    return strcmp(scan->cursor, "0") == 0;
}

/*
 * Notes a server's next cursor. 0: the server goes round in a circle (Brent's method). Redis never
 * does: each cursor, its bits read from the other end, is larger than the one before. But nothing
 * else would end the walk: each SCAN has a timeout, but the walk has none, because Redis may have
 * any number of keys.
 */
static int scan_advance(scan_t *scan, const char *cursor)
{
    apr_cpystrn(scan->cursor, cursor, sizeof(scan->cursor));
    if (is_at_end(scan)) {
        *scan = (scan_t){ .cursor = "0" };
        return 1;
    }
    if (strcmp(scan->cursor, scan->met) == 0) {
        return 0;
    }
    if ((scan->rounds & (scan->rounds + 1)) == 0) {
        memcpy(scan->met, scan->cursor, sizeof(scan->met));
    }
    scan->rounds++;
    return 1;
}

/* Adds the sites of some keys to seen, a set, because SCAN may return a key twice. */
static apr_status_t sites_scan(tmpl_redis_t *redis, apr_interval_time_t patience,
                               tmpl_redis_session_t *session, scan_t *scan, const char *count,
                               apr_hash_t *seen, tmpl_error_t *err, apr_pool_t *pool)
{
    apr_pool_t *lasting = apr_hash_pool_get(seen);
    static const char pattern[] = TMPL_REDIS_KEY_PREFIX "*}";
    tmpl_redis_words_t words =
        TMPL_REDIS_WORDS(pool, "SCAN", scan->cursor, "MATCH", pattern, "COUNT", count);
    redisReply *reply;
    apr_status_t rv = call(redis, patience, session, &words, REDIS_REPLY_ARRAY, &reply, err);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    session->is_bound = 1; /* a cursor is valid at one server only */
    if (reply->elements != 2 || reply->element[0]->type != REDIS_REPLY_STRING ||
        reply->element[1]->type != REDIS_REPLY_ARRAY) {
        return tmpl_redis_garbage(tmpl_redis_session_name(redis, session), err);
    }
    for (size_t i = 0; i < reply->element[1]->elements; i++) {
        const redisReply *key = reply->element[1]->element[i];
        const char *site = key->type == REDIS_REPLY_STRING
                               ? tmpl_redis_key_site(key->str, key->len, lasting)
                               : NULL;
        if (site != NULL) {
            apr_hash_set(seen, site, APR_HASH_KEY_STRING, site);
        }
    }
    return scan_advance(scan, reply->element[0]->str)
               ? APR_SUCCESS
               : tmpl_redis_garbage(tmpl_redis_session_name(redis, session), err);
}

/* Adds the sites of one server. */
static apr_status_t sites_of(tmpl_redis_t *redis, apr_interval_time_t patience,
                             tmpl_redis_session_t *session, apr_hash_t *seen, tmpl_error_t *err,
                             apr_pool_t *pool)
{
    scan_t scan = { .cursor = "0" };
    apr_pool_t *scratch;
    apr_status_t rv;
    apr_pool_create(&scratch, pool);
    do {
        apr_pool_clear(scratch);
        rv = sites_scan(redis, patience, session, &scan, SCAN_BATCH, seen, err, scratch);
    } while (rv == APR_SUCCESS && !is_at_end(&scan));
    apr_pool_destroy(scratch);
    tmpl_redis_session_end(redis, session);
    return rv;
}

static apr_status_t each_seen(apr_hash_t *seen, apr_status_t (*each)(void *baton, const char *site),
                              void *baton, tmpl_error_t *err, apr_pool_t *pool)
{
    apr_status_t rv = APR_SUCCESS;
    for (apr_hash_index_t *i = apr_hash_first(pool, seen); rv == APR_SUCCESS && i != NULL;
         i = apr_hash_next(i)) {
        rv = each(baton, apr_hash_this_key(i));
    }
    return rv == APR_SUCCESS ? rv : tmpl_fail(err, rv, "listing the sites was broken off");
}

apr_status_t tmpl_redis_sites(tmpl_redis_t *redis, apr_interval_time_t patience,
                              apr_status_t (*each)(void *baton, const char *site), void *baton,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    apr_hash_t *seen = apr_hash_make(pool);
    apr_array_header_t *sessions = apr_array_make(pool, 8, sizeof(tmpl_redis_session_t));
    apr_status_t rv = tmpl_redis_sessions(redis, sessions, tmpl_clock() + patience, err, pool);
    for (int i = 0; rv == APR_SUCCESS && i < sessions->nelts; i++) {
        rv = sites_of(redis, patience, &APR_ARRAY_IDX(sessions, i, tmpl_redis_session_t), seen, err,
                      pool);
    }
    return rv == APR_SUCCESS ? each_seen(seen, each, baton, err, pool) : rv;
}

/*
 * Reads from, the place where a list goes on: a cursor of SCAN; in a cluster, "SLOT-" of its server
 * and the cursor.
 */
static int place_read(const char *from, unsigned *slot, char cursor[24])
{
    const char *dash = strchr(from, '-');
    const char *number = dash != NULL ? dash + 1 : from;
    apr_cpystrn(cursor, number, 24);
    *slot = dash != NULL ? (unsigned)strtoul(from, NULL, 10) : 0;
    return strlen(number) > 0 && strlen(number) < 24 &&
           strspn(number, "0123456789") == strlen(number) &&
           (dash == NULL || strspn(from, "0123456789") == (size_t)(dash - from));
}

apr_status_t tmpl_redis_sites_part(tmpl_redis_t *redis, apr_interval_time_t patience,
                                   const char *from, uint32_t n,
                                   apr_status_t (*each)(void *baton, const char *site), void *baton,
                                   const char **next, tmpl_error_t *err, apr_pool_t *pool)
{
    apr_hash_t *seen = apr_hash_make(pool);
    apr_array_header_t *sessions = apr_array_make(pool, 8, sizeof(tmpl_redis_session_t));
    scan_t scan = { .cursor = "0" };
    unsigned slot = 0;
    int i = 0;
    if (from != NULL && *from != '\0' && !place_read(from, &slot, scan.cursor)) {
        return tmpl_fail(err, APR_EINVAL, "a list of sites in Redis goes on at a number");
    }
    apr_status_t rv = tmpl_redis_sessions(redis, sessions, tmpl_clock() + patience, err, pool);
    while (i < sessions->nelts && APR_ARRAY_IDX(sessions, i, tmpl_redis_session_t).slot < slot) {
        i++;
    }
    /* a part of the database may have keys of other programs only */
    while (rv == APR_SUCCESS && i < sessions->nelts && apr_hash_count(seen) < n) {
        tmpl_redis_session_t *session = &APR_ARRAY_IDX(sessions, i, tmpl_redis_session_t);
        uint32_t left = n - apr_hash_count(seen);
        rv =
            sites_scan(redis, patience, session, &scan, apr_itoa(pool, (int)left), seen, err, pool);
        tmpl_redis_session_end(redis, session);
        i += is_at_end(&scan);
    }
    if (rv == APR_SUCCESS && i < sessions->nelts) {
        slot = APR_ARRAY_IDX(sessions, i, tmpl_redis_session_t).slot;
        *next = slot > 0 ? apr_psprintf(pool, "%u-%s", slot, scan.cursor)
                         : apr_pstrdup(pool, scan.cursor);
    }
    return rv == APR_SUCCESS ? each_seen(seen, each, baton, err, pool) : rv;
}

apr_status_t tmpl_redis_site_bytes(tmpl_redis_t *redis, apr_interval_time_t patience,
                                   const char *key, uint64_t *bytes, apr_pool_t *pool)
{
    tmpl_redis_words_t words = TMPL_REDIS_WORDS(pool, "MEMORY", "USAGE", key, "SAMPLES", "50");
    long long is;
    apr_status_t rv = call_integer(redis, patience, key, &words, &is, NULL);
    *bytes = is > 0 ? (uint64_t)is : 0;
    return rv;
}

apr_status_t tmpl_redis_site_forget(tmpl_redis_t *redis, apr_interval_time_t patience,
                                    const char *site, tmpl_error_t *err, apr_pool_t *pool)
{
    const char *key = tmpl_redis_site_key(site, pool);
    /* UNLINK frees the memory in the background */
    tmpl_redis_words_t words = TMPL_REDIS_WORDS(pool, "UNLINK", key);
    long long forgotten;
    apr_status_t rv = call_integer(redis, patience, key, &words, &forgotten, err);
    return rv == APR_SUCCESS && forgotten == 0
               ? tmpl_fail(err, APR_NOTFOUND, "the store does not know the site %s", site)
               : rv;
}
