/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_fields.h"

#include <string.h>

#include "table/bucket/bucket.h"

#define HEAD_FIELD  "h"
#define BUCKET_FLAG 'b'       /* the first byte of a bucket's field */
#define FIELD_SIZE  4         /* bytes of a bucket's field */
#define FIELDS_MOST (1 << 18) /* fields of one command: Redis accepts up to 2^20 words */

#define REPLY_EXTRA 16   /* bytes around a value in a reply, at most */
#define REPLY_USUAL 2048 /* bytes of a bucket, more than the average of many */

static void field_pack(unsigned char field[FIELD_SIZE], uint32_t n)
{
    field[0] = BUCKET_FLAG;
    field[1] = (unsigned char)(n >> 16);
    field[2] = (unsigned char)(n >> 8);
    field[3] = (unsigned char)n;
}

void tmpl_redis_fields_ask(apr_array_header_t *list, const char *key,
                           const tmpl_numbered_t *buckets, uint32_t n, apr_pool_t *pool)
{
    unsigned char *fields = apr_palloc(pool, (n + (apr_size_t)1) * FIELD_SIZE);
    tmpl_redis_words_t words = TMPL_REDIS_WORDS(pool, "HMGET", key, HEAD_FIELD);
    tmpl_redis_words_push(list, words);
    for (uint32_t i = 0; i < n; i++, fields += FIELD_SIZE) {
        if (i > 0 && i % FIELDS_MOST == 0) {
            words = TMPL_REDIS_WORDS(pool, "HMGET", key);
            tmpl_redis_words_push(list, words);
        }
        field_pack(fields, buckets[i].number);
        tmpl_redis_words_add(&words, fields, FIELD_SIZE);
    }
}

int tmpl_redis_fields_take(redisReply *const *replies, tmpl_head_t *head, int *found,
                           tmpl_numbered_t *buckets, uint32_t n)
{
    int good = 1;
    for (uint32_t i = 0; good && i < n + 1; i++) {
        /* the head, then buckets: the first command has one more element */
        uint32_t which = i == 0 ? 0 : (i - 1) / FIELDS_MOST;
        uint32_t at = i - which * FIELDS_MOST - (which > 0);
        uint32_t left = n - which * FIELDS_MOST;
        size_t elements = (left < FIELDS_MOST ? left : FIELDS_MOST) + (size_t)(which == 0);
        const redisReply *reply = replies[which];
        if (reply->type != REDIS_REPLY_ARRAY || reply->elements != elements) {
            good = 0;
            break;
        }
        reply = reply->element[at];
        good = reply->type == REDIS_REPLY_STRING || reply->type == REDIS_REPLY_NIL;
        if (i > 0) {
            buckets[i - 1].is =
                reply->type == REDIS_REPLY_STRING
                    ? (tmpl_bucket_t){ (const unsigned char *)reply->str, reply->len }
                    : (tmpl_bucket_t){ NULL, 0 };
            continue;
        }
        *found =
            reply->type == REDIS_REPLY_STRING && tmpl_head_unpack(head, reply->str, reply->len);
        if (!*found) {
            *head = (tmpl_head_t){ 0 };
        }
    }
    return good;
}

size_t tmpl_redis_fields_most(uint32_t n)
{
    size_t all = (size_t)n * (TMPL_BUCKET_MOST + REPLY_EXTRA);
    return TMPL_HEAD_SIZE + (size_t)REPLY_EXTRA +
           (all < TMPL_REDIS_REPLY_MOST ? all : TMPL_REDIS_REPLY_MOST + (size_t)n * REPLY_USUAL);
}

void tmpl_redis_fields_change(apr_array_header_t *list, const char *key, const tmpl_head_t *head,
                              const tmpl_numbered_t *buckets, uint32_t n, apr_pool_t *pool)
{
    unsigned char *packed = apr_palloc(pool, TMPL_HEAD_SIZE);
    unsigned char *field = apr_palloc(pool, (n + (apr_size_t)1) * FIELD_SIZE);
    tmpl_redis_words_t put = TMPL_REDIS_WORDS(pool, "HSET", key), del = { 0 };
    uint32_t n_put = 0, n_del = 0;
    tmpl_head_pack(packed, head);
    tmpl_redis_words_push(list, put);
    tmpl_redis_words_add(&put, HEAD_FIELD, strlen(HEAD_FIELD));
    tmpl_redis_words_add(&put, packed, TMPL_HEAD_SIZE);
    for (uint32_t i = 0; i < n; i++, field += FIELD_SIZE) {
        field_pack(field, buckets[i].number);
        if (buckets[i].is.len == 0) {
            if (n_del++ % FIELDS_MOST == 0) {
                del = TMPL_REDIS_WORDS(pool, "HDEL", key);
                tmpl_redis_words_push(list, del);
            }
            tmpl_redis_words_add(&del, field, FIELD_SIZE);
            continue;
        }
        if (++n_put % FIELDS_MOST == 0) {
            put = TMPL_REDIS_WORDS(pool, "HSET", key);
            tmpl_redis_words_push(list, put);
        }
        tmpl_redis_words_add(&put, field, FIELD_SIZE);
        tmpl_redis_words_add(&put, buckets[i].is.bytes, buckets[i].is.len);
    }
}
