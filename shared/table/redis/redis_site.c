/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_client.h"

#include <stdlib.h>
#include <string.h>

#include <apr_escape.h>
#include <apr_hash.h>
#include <apr_strings.h>

#include "base/clock.h"

#define KEY_PREFIX  "tmpl:6:{"
#define HEAD_FIELD  "h"
#define BUCKET_FLAG 'b' /* the first byte of a bucket's field */
#define LISTED_FLAG 'd' /* the same for listed documents */
#define FIELD_SIZE  4   /* bytes of a bucket's field */
#define SCAN_MOST   500 /* keys of one SCAN */
#define CURSOR_SIZE 24

const char *tmpl_redis_site_key(const char *site, apr_pool_t *pool)
{
    char *key = apr_palloc(pool, sizeof(KEY_PREFIX) + 3 * strlen(site) + 2);
    char *p = key + sizeof(KEY_PREFIX) - 1;
    memcpy(key, KEY_PREFIX, sizeof(KEY_PREFIX));
    for (; *site != '\0'; site++) {
        if (*site == '%' || *site == '{' || *site == '}') {
            p += apr_snprintf(p, 4, "%%%02X", (unsigned char)*site);
        }
        else {
            *p++ = *site;
        }
    }
    *p++ = '}';
    *p = '\0';
    return key;
}

/* The site of a key; NULL if it is not the key of a site. */
static const char *site_of(const char *key, size_t len, apr_pool_t *pool)
{
    size_t prefix = sizeof(KEY_PREFIX) - 1;
    if (len <= prefix + 1 || memcmp(key, KEY_PREFIX, prefix) != 0 || key[len - 1] != '}') {
        return NULL;
    }
    return apr_punescape_url(pool, apr_pstrmemdup(pool, key + prefix, len - prefix - 1), NULL, NULL,
                             0);
}

static void field_pack(unsigned char field[FIELD_SIZE], uint32_t n)
{
    field[0] = n < TMPL_LISTED ? BUCKET_FLAG : LISTED_FLAG;
    field[1] = (unsigned char)(n >> 16);
    field[2] = (unsigned char)(n >> 8);
    field[3] = (unsigned char)n;
}

/* Room for n fields. */
static unsigned char *fields_make(const apr_array_header_t *list, uint32_t n)
{
    return apr_palloc(list->pool, (n + (apr_size_t)1) * FIELD_SIZE);
}

void tmpl_redis_site_ask(apr_array_header_t *list, const char *key, const tmpl_numbered_t *buckets,
                         uint32_t n)
{
    unsigned char *field = fields_make(list, n);
    apr_array_header_t *get = tmpl_redis_command(list, "HMGET", key, HEAD_FIELD, NULL);
    for (uint32_t i = 0; i < n; i++, field += FIELD_SIZE) {
        field_pack(field, buckets[i].number);
        tmpl_redis_word(get, field, FIELD_SIZE);
    }
}

/* The bytes of an element; none if it is nil. Returns 0 for an element of another type. */
static int element_take(tmpl_bucket_t *bytes, const redisReply *element)
{
    int is_string = element->type == REDIS_REPLY_STRING;
    *bytes = is_string ? (tmpl_bucket_t){ (const unsigned char *)element->str, element->len }
                       : (tmpl_bucket_t){ 0 };
    return is_string || element->type == REDIS_REPLY_NIL;
}

int tmpl_redis_site_take(const redisReply *reply, tmpl_head_t *head, int *found,
                         tmpl_numbered_t *buckets, uint32_t n)
{
    tmpl_bucket_t first;
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != n + (size_t)1 ||
        !element_take(&first, reply->element[0])) {
        return 0;
    }
    *found = first.bytes != NULL && tmpl_head_unpack(head, first.bytes, first.len);
    if (!*found) {
        *head = (tmpl_head_t){ 0 };
    }
    uint32_t i = 0;
    while (i < n && element_take(&buckets[i].is, reply->element[i + 1])) {
        i++;
    }
    return i == n;
}

void tmpl_redis_site_change(apr_array_header_t *list, const char *key, const tmpl_head_t *head,
                            const tmpl_numbered_t *buckets, uint32_t n)
{
    unsigned char *packed = apr_palloc(list->pool, TMPL_HEAD_SIZE);
    unsigned char *field = fields_make(list, n);
    apr_array_header_t *put = tmpl_redis_command(list, "HSET", key, HEAD_FIELD, NULL), *del = NULL;
    tmpl_head_pack(packed, head);
    tmpl_redis_word(put, packed, TMPL_HEAD_SIZE);
    for (uint32_t i = 0; i < n; i++, field += FIELD_SIZE) {
        field_pack(field, buckets[i].number);
        if (buckets[i].is.len == 0) {
            if (del == NULL) {
                del = tmpl_redis_command(list, "HDEL", key, NULL);
            }
            tmpl_redis_word(del, field, FIELD_SIZE);
            continue;
        }
        tmpl_redis_word(put, field, FIELD_SIZE);
        tmpl_redis_word(put, buckets[i].is.bytes, buckets[i].is.len);
    }
}

/* ---- for administrators ---- */

/* Sends one command and checks the type of the reply. */
static apr_status_t site_call(tmpl_redis_session_t *session, apr_interval_time_t patience,
                              const apr_array_header_t *list, int type, redisReply **reply,
                              tmpl_error_t *err)
{
    redisReply **replies;
    apr_status_t rv = tmpl_redis_exchange(session, list, tmpl_clock() + patience, &replies, err);
    if (rv == APR_SUCCESS) {
        *reply = replies[0];
        rv = tmpl_redis_check(tmpl_redis_session_name(session), *reply, err);
    }
    return rv == APR_SUCCESS && (*reply)->type != type
               ? tmpl_redis_garbage(tmpl_redis_session_name(session), err)
               : rv;
}

/*
 * Adds the sites of some keys to seen, a set, because SCAN may return a key twice. Moves cursor,
 * which is "0" at the beginning and at the end.
 */
static apr_status_t scan(tmpl_redis_session_t *session, apr_interval_time_t patience,
                         char cursor[CURSOR_SIZE], uint32_t n, apr_hash_t *seen, tmpl_error_t *err,
                         apr_pool_t *pool)
{
    apr_array_header_t *list = tmpl_redis_list(pool);
    redisReply *reply;
    tmpl_redis_command(list, "SCAN", cursor, "MATCH", KEY_PREFIX "*}", "COUNT",
                       apr_itoa(pool, (int)(n < SCAN_MOST ? n : SCAN_MOST)), NULL);
    apr_status_t rv = site_call(session, patience, list, REDIS_REPLY_ARRAY, &reply, err);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    session->is_bound = 1; /* a cursor is valid at one server only */
    if (reply->elements != 2 || reply->element[0]->type != REDIS_REPLY_STRING ||
        reply->element[1]->type != REDIS_REPLY_ARRAY) {
        return tmpl_redis_garbage(tmpl_redis_session_name(session), err);
    }
    for (size_t i = 0; i < reply->element[1]->elements; i++) {
        const redisReply *key = reply->element[1]->element[i];
        const char *site = key->type == REDIS_REPLY_STRING
                               ? site_of(key->str, key->len, apr_hash_pool_get(seen))
                               : NULL;
        if (site != NULL) {
            apr_hash_set(seen, site, APR_HASH_KEY_STRING, site);
        }
    }
    apr_cpystrn(cursor, reply->element[0]->str, CURSOR_SIZE);
    return APR_SUCCESS;
}

static apr_status_t each_seen(apr_hash_t *seen, tmpl_each_site_t each, void *baton,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    apr_status_t rv = APR_SUCCESS;
    for (apr_hash_index_t *i = apr_hash_first(pool, seen); rv == APR_SUCCESS && i != NULL;
         i = apr_hash_next(i)) {
        rv = each(baton, apr_hash_this_key(i));
    }
    return rv == APR_SUCCESS ? rv : tmpl_fail(err, rv, "listing the sites was broken off");
}

/*
 * Reads from, the place where a list goes on: a cursor of SCAN; in a cluster, "SLOT-" of its server
 * and the cursor.
 */
static int place_read(const char *from, unsigned *slot, char cursor[CURSOR_SIZE])
{
    static const char digits[] = "0123456789";
    const char *dash = strchr(from, '-');
    const char *number = dash != NULL ? dash + 1 : from;
    size_t len = strlen(number);
    apr_cpystrn(cursor, number, CURSOR_SIZE);
    *slot = dash != NULL ? (unsigned)strtoul(from, NULL, 10) : 0;
    return len > 0 && len < CURSOR_SIZE && strspn(number, digits) == len &&
           (dash == NULL || strspn(from, digits) == (size_t)(dash - from));
}

apr_status_t tmpl_redis_sites(tmpl_redis_t *redis, apr_interval_time_t patience, const char *from,
                              uint32_t n, tmpl_each_site_t each, void *baton, const char **next,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    apr_hash_t *seen = apr_hash_make(pool);
    apr_array_header_t *slots = apr_array_make(pool, 8, sizeof(unsigned));
    char cursor[CURSOR_SIZE] = "0";
    unsigned slot = 0;
    apr_pool_t *scratch;
    int i = 0;
    if (from != NULL && *from != '\0' && !place_read(from, &slot, cursor)) {
        return tmpl_fail(err, APR_EINVAL, "a list of sites in Redis goes on at a number");
    }
    apr_status_t rv = tmpl_redis_find(redis, tmpl_clock() + patience, err, pool);
    tmpl_redis_firsts(redis, slots);
    while (i < slots->nelts && APR_ARRAY_IDX(slots, i, unsigned) < slot) {
        i++;
    }
    apr_pool_create(&scratch, pool);
    /* a part of the database may have keys of other programs only */
    for (; rv == APR_SUCCESS && i < slots->nelts && apr_hash_count(seen) < n; i++) {
        tmpl_redis_session_t session = { .redis = redis,
                                         .slot = APR_ARRAY_IDX(slots, i, unsigned) };
        do {
            apr_pool_clear(scratch);
            rv = scan(&session, patience, cursor, n - apr_hash_count(seen), seen, err, scratch);
        } while (rv == APR_SUCCESS && strcmp(cursor, "0") != 0 && apr_hash_count(seen) < n);
        tmpl_redis_session_end(&session);
        if (strcmp(cursor, "0") != 0) {
            break;
        }
    }
    apr_pool_destroy(scratch);
    if (rv == APR_SUCCESS && i < slots->nelts) {
        slot = APR_ARRAY_IDX(slots, i, unsigned);
        *next = slot > 0 ? apr_psprintf(pool, "%u-%s", slot, cursor) : apr_pstrdup(pool, cursor);
    }
    return rv == APR_SUCCESS ? each_seen(seen, each, baton, err, pool) : rv;
}

apr_status_t tmpl_redis_site_forget(tmpl_redis_t *redis, apr_interval_time_t patience,
                                    const char *site, tmpl_error_t *err, apr_pool_t *pool)
{
    const char *key = tmpl_redis_site_key(site, pool);
    tmpl_redis_session_t session = tmpl_redis_session(redis, key);
    apr_array_header_t *list = tmpl_redis_list(pool);
    redisReply *forgotten;
    tmpl_redis_command(list, "UNLINK", key, NULL); /* frees the memory in the background */
    apr_status_t rv = site_call(&session, patience, list, REDIS_REPLY_INTEGER, &forgotten, err);
    tmpl_redis_session_end(&session);
    return rv == APR_SUCCESS && forgotten->integer == 0
               ? tmpl_fail(err, APR_NOTFOUND, "the store does not know the site %s", site)
               : rv;
}
