/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a site's hash in Redis that some pages need: which fields to ask for, what the answers say,
 * and which fields to write once the pages have been counted (rules.h). No server is asked here.
 *
 * Fields of the hash:
 *     "h"                the head: clock 4, version 8, entries 4, buckets 4, salt 8, all little-endian; then
 *                        the cursor of the sweeper as text
 *     "b", number (3)    a bucket (bucket.h)
 */
#ifndef TMPL_REDIS_TABLE_H
#define TMPL_REDIS_TABLE_H

#include <hiredis/hiredis.h>

#include "table/bucket/buckets.h"
#include "table/rules.h"

#define TMPL_REDIS_HEAD      "h"
#define TMPL_REDIS_HEAD_MOST 64 /* bytes of its value */
#define TMPL_REDIS_FIELD     4  /* bytes of a bucket's field */

typedef struct {
    tmpl_rules_site_t site;
    tmpl_buckets_t buckets;
    char cursor[24];
} tmpl_redis_head_t;

/* To bytes: returns their number. From bytes: 0 if they are no head. */
size_t tmpl_redis_head_pack(unsigned char bytes[TMPL_REDIS_HEAD_MOST],
                            const tmpl_redis_head_t *head);
int tmpl_redis_head_unpack(tmpl_redis_head_t *head, const void *bytes, size_t len);

void tmpl_redis_bucket_field(unsigned char field[TMPL_REDIS_FIELD], uint32_t n);
/* The number of the bucket of a field; 0 if it is none of a bucket. */
int tmpl_redis_bucket_unpack(const void *field, size_t len, uint32_t *n);

typedef struct tmpl_redis_table_t tmpl_redis_table_t;

/* An empty one, in pool, for about n keys. */
tmpl_redis_table_t *tmpl_redis_table_make(uint32_t n, apr_pool_t *pool);

/* The slot of a key, the same one for the same key; it lives as long as the table. Nothing is in it before settle. */
tmpl_slot_t *tmpl_redis_table_slot(tmpl_redis_table_t *table, tmpl_key_t key);

/*
 * Begins to ask, by the buckets that the site is believed to have. Afterwards fields counts the fields to ask
 * for, and field fills the i-th and returns its length; max_reply is how many bytes the answers may have.
 */
void tmpl_redis_table_ask(tmpl_redis_table_t *table, const tmpl_buckets_t *buckets);
uint32_t tmpl_redis_table_fields(const tmpl_redis_table_t *table);
size_t tmpl_redis_table_field(const tmpl_redis_table_t *table, uint32_t i,
                              unsigned char field[TMPL_REDIS_FIELD]);
size_t tmpl_redis_table_max_reply(const tmpl_redis_table_t *table);

/* Takes the answer for the i-th field, which must live on; 0 if it is none that Redis gives. */
int tmpl_redis_table_take(tmpl_redis_table_t *table, uint32_t i, const redisReply *answer);

/* A bucket of a site: its number, and its bytes, none if the server does not have it. */
typedef struct {
    uint32_t number;
    const unsigned char *bytes;
    size_t len;
} tmpl_redis_bucket_t;

/* The number of the bucket that is the i-th field, i > 0. */
uint32_t tmpl_redis_table_number(const tmpl_redis_table_t *table, uint32_t i);
/* As take, for a bucket whose bytes are known. */
void tmpl_redis_table_give(tmpl_redis_table_t *table, uint32_t i,
                           const tmpl_redis_bucket_t *bucket);
/* All buckets of the site that the table knows as they are now, *n of them. */
const tmpl_redis_bucket_t *tmpl_redis_table_buckets(const tmpl_redis_table_t *table, uint32_t *n);

/*
 * All answers are in: fills the slots. Returns 0 if the site has other buckets, those of the head, by which it
 * must be asked again.
 */
int tmpl_redis_table_settle(tmpl_redis_table_t *table);

/* The head; it may be written to. Zero if the server has none. */
tmpl_redis_head_t *tmpl_redis_table_head(tmpl_redis_table_t *table);

/*
 * Pages have been counted. Returns how many buckets more must be asked for before the table can be
 * written, as they are to be parted or put together: as above, the last ones of fields.
 */
uint32_t tmpl_redis_table_grow(tmpl_redis_table_t *table);

/*
 * Buckets are parted, then what was counted goes to its own; what is dead leaves the buckets that change.
 */
void tmpl_redis_table_put_away(tmpl_redis_table_t *table, const tmpl_lifetimes_t *lifetimes);

/* After that: a field that the sweeper has come upon; removes what is dead of it. The value must live on. */
void tmpl_redis_table_sweep(tmpl_redis_table_t *table, const redisReply *field,
                            const redisReply *value, const tmpl_lifetimes_t *lifetimes);

/* Where changes go; what is pointed to lives as long as the table. */
typedef struct {
    void (*put)(void *baton, const void *field, size_t field_len, const void *value, size_t len);
    void (*del)(void *baton, const void *field, size_t field_len);
    void (*drop)(void *baton); /* the whole key */
    void *baton;
} tmpl_redis_changes_t;

/*
 * All that has changed, the head last. Where there was no head the key is dropped first: what else stands in it
 * is of no site. 0: more has come together in one bucket than it may hold, which only a head that is not true
 * brings about; nothing is to be written.
 */
int tmpl_redis_table_write(tmpl_redis_table_t *table, const tmpl_redis_changes_t *changes);

#endif
