/* SPDX-License-Identifier: Apache-2.0 */
#include "table/lmdb/lmdb_buckets.h"

#include <string.h>

#include <apr_strings.h>

#define LINE          64  /* of the processor's caches, bytes */
#define EXPECTED      256 /* bytes of a bucket: its hashes */
#define KEY_SIZE      (TMPL_SERIAL_SIZE + 4)
#define MOVED_AT_ONCE 256 /* buckets of a site that is small: they stand in few pages */

int tmpl_lmdb_buckets_begin(tmpl_lmdb_buckets_t *buckets, tmpl_lmdb_t *db, MDB_txn *txn,
                            tmpl_site_t *site, apr_pool_t *pool)
{
    *buckets = (tmpl_lmdb_buckets_t){ .db = db, .site = site, .desk = { .pool = pool } };
    return mdb_cursor_open(txn, tmpl_lmdb_dbi(db, TMPL_DB_ENTRIES), &buckets->cursor);
}

void tmpl_lmdb_buckets_end(tmpl_lmdb_buckets_t *buckets)
{
    mdb_cursor_close(buckets->cursor);
}

uint32_t tmpl_bits_reversed(uint32_t n)
{
    n = __builtin_bswap32(n);
    n = (n >> 4 & 0x0f0f0f0f) | (n & 0x0f0f0f0f) << 4;
    n = (n >> 2 & 0x33333333) | (n & 0x33333333) << 2;
    return (n >> 1 & 0x55555555) | (n & 0x55555555) << 1;
}

/* The key of the bucket whose number has these bits, reversed. */
static MDB_val key_pack(unsigned char bytes[KEY_SIZE], const tmpl_site_t *site, uint32_t reversed)
{
    tmpl_serial_pack(bytes, site->serial);
    tmpl_serial_pack(bytes + TMPL_SERIAL_SIZE, reversed);
    return (MDB_val){ KEY_SIZE, bytes };
}

/* Whether a key is one of the site's; then *reversed is the number, bits reversed. */
static int key_unpack(const MDB_val *key, const tmpl_site_t *site, uint32_t *reversed)
{
    unsigned char serial[TMPL_SERIAL_SIZE];
    uint32_t n;

    tmpl_serial_pack(serial, site->serial);
    if (key->mv_size != KEY_SIZE || memcmp(key->mv_data, serial, TMPL_SERIAL_SIZE) != 0) {
        return 0;
    }
    memcpy(&n, (const unsigned char *)key->mv_data + TMPL_SERIAL_SIZE, sizeof(n));
    *reversed = be32toh(n);
    return 1;
}

/* Moves the cursor to a key. */
static int seek(const tmpl_lmdb_buckets_t *buckets, const unsigned char bytes[KEY_SIZE],
                MDB_val *data)
{
    MDB_val key;

    if (buckets->in_order && mdb_cursor_get(buckets->cursor, &key, data, MDB_NEXT) == 0 &&
        key.mv_size == KEY_SIZE && memcmp(key.mv_data, bytes, KEY_SIZE) == 0) {
        return 0;
    }
    key = (MDB_val){ KEY_SIZE, (void *)bytes };
    return mdb_cursor_get(buckets->cursor, &key, data, MDB_SET);
}

/* Looks a bucket up in the tree. */
static int bucket_look_up(tmpl_lmdb_buckets_t *buckets, uint32_t n, tmpl_bucket_t *bucket)
{
    unsigned char bytes[KEY_SIZE];
    MDB_val data;
    int rc;

    key_pack(bytes, buckets->site, tmpl_bits_reversed(n));
    rc = seek(buckets, bytes, &data);
    *bucket = rc == 0 ? (tmpl_bucket_t){ data.mv_data, data.mv_size } : (tmpl_bucket_t){ 0 };
    return rc == MDB_NOTFOUND ? 0 : rc;
}

int tmpl_lmdb_bucket_get(tmpl_lmdb_buckets_t *buckets, uint32_t n, tmpl_bucket_t *bucket)
{
    int rc;

    if (buckets->places == NULL) {
        return bucket_look_up(buckets, n, bucket);
    }
    if (tmpl_lmdb_place_get(buckets->places, n, &buckets->anchor, bucket)) {
        return 0;
    }
    rc = bucket_look_up(buckets, n, bucket);
    if (rc == 0) {
        tmpl_lmdb_place_note(buckets->places, n, &buckets->anchor, bucket);
    }
    return rc;
}

void tmpl_lmdb_bucket_expect(const tmpl_lmdb_buckets_t *buckets, uint32_t n)
{
    tmpl_bucket_t bucket;

    if (buckets->places != NULL &&
        tmpl_lmdb_place_get(buckets->places, n, &buckets->anchor, &bucket)) {
        for (size_t at = 0; at < bucket.len && at < EXPECTED; at += LINE) {
            __builtin_prefetch(bucket.bytes + at);
        }
    }
}

int tmpl_lmdb_buckets_begin_reading(tmpl_lmdb_buckets_t *buckets, tmpl_lmdb_t *db, MDB_txn *txn,
                                    tmpl_site_t *site, tmpl_lmdb_notes_t *notes, apr_pool_t *pool)
{
    int rc = tmpl_lmdb_buckets_begin(buckets, db, txn, site, pool);

    if (rc == 0 && site->buckets.n > 0) {
        rc = bucket_look_up(buckets, 0, &buckets->anchor);
        if (rc != 0) {
            tmpl_lmdb_buckets_end(buckets);
            return rc;
        }
        buckets->places = tmpl_lmdb_places_take(notes, txn, site, &buckets->anchor);
    }
    return rc;
}

void tmpl_lmdb_buckets_end_reading(tmpl_lmdb_buckets_t *buckets, tmpl_lmdb_notes_t *notes)
{
    if (buckets->places != NULL) {
        tmpl_lmdb_places_give(notes, buckets->places);
    }
    tmpl_lmdb_buckets_end(buckets);
}

int tmpl_lmdb_bucket_put(tmpl_lmdb_buckets_t *buckets, uint32_t n, const tmpl_bucket_t *bucket)
{
    unsigned char bytes[KEY_SIZE];
    MDB_val key = key_pack(bytes, buckets->site, tmpl_bits_reversed(n));
    MDB_val data = { bucket->len, (void *)bucket->bytes };
    int rc;

    if (bucket->len > 0) {
        return mdb_cursor_put(buckets->cursor, &key, &data, 0);
    }
    rc = mdb_cursor_get(buckets->cursor, &key, &data, MDB_SET);
    return rc == 0 ? mdb_cursor_del(buckets->cursor, 0) : rc == MDB_NOTFOUND ? 0 : rc;
}

/* Puts two buckets of which one has been moved to or from the other. */
static int both_put(tmpl_lmdb_buckets_t *buckets, uint32_t n, const tmpl_bucket_t *one,
                    uint32_t other_n, const tmpl_bucket_t *other)
{
    int rc = tmpl_lmdb_bucket_put(buckets, n, one);

    return rc != 0 ? rc : tmpl_lmdb_bucket_put(buckets, other_n, other);
}

int tmpl_lmdb_buckets_grow(tmpl_lmdb_buckets_t *buckets, uint64_t before)
{
    tmpl_buckets_t *is = &buckets->site->buckets;
    uint32_t wanted = is->n > 0 ? tmpl_buckets_wanted(is->n, before, buckets->site->entries) : 0;
    int rc = 0;

    if (is->n == 0) {
        is->n = tmpl_buckets_for(buckets->site->entries);
    }
    while (rc == 0 && is->n < wanted) {
        uint32_t n = tmpl_bucket_split_from(is->n++);
        tmpl_bucket_t from, to;

        rc = tmpl_lmdb_bucket_get(buckets, n, &from);
        if (rc == 0) {
            tmpl_bucket_split(&buckets->desk, &from, &to, is);
            rc = both_put(buckets, n, &from, is->n - 1, &to);
        }
    }
    return rc;
}

int tmpl_lmdb_buckets_shrink(tmpl_lmdb_buckets_t *buckets)
{
    tmpl_buckets_t *is = &buckets->site->buckets;
    uint32_t enough = tmpl_buckets_enough(buckets->site->entries);
    int rc = 0;

    for (int i = 0; rc == 0 && is->n > enough && i < TMPL_BUCKETS_MERGES; i++) {
        uint32_t n = tmpl_bucket_split_from(is->n - 1);
        tmpl_bucket_t into, last;

        rc = tmpl_lmdb_bucket_get(buckets, is->n - 1, &last);
        if (rc == 0) {
            rc = tmpl_lmdb_bucket_get(buckets, n, &into);
        }
        if (rc == 0 && !tmpl_bucket_merge(&buckets->desk, &into, &last)) {
            break;
        }
        if (rc == 0) {
            rc = both_put(buckets, is->n - 1, &last, n, &into);
        }
        is->n--;
    }
    return rc;
}

/*
 * The buckets of a site that has n > 0 in the order of the file: for order from 0 on, each below the least power
 * of two that is not below n names one, or none, and 0 is returned.
 */
static int bucket_nth(uint32_t n, uint32_t order, uint32_t *number)
{
    *number = n > 1 ? tmpl_bits_reversed(order) >> __builtin_clz(n - 1) : 0;
    return *number < n;
}

/* Buckets that are written anew. */
typedef struct {
    tmpl_lmdb_buckets_t *from, to;
    int (*renew)(void *baton, uint32_t number, tmpl_bucket_t *bucket);
    void *baton;
    uint32_t *numbers; /* of those taken out of the file */
    tmpl_bucket_t *taken;
    uint32_t n_taken;
    unsigned char *bytes; /* room for one that is not */
} move_t;

/* The bucket as it is to be, and whether there is one now. */
static int bucket_renew(const move_t *move, uint32_t number, tmpl_bucket_t *bucket, int *is_there)
{
    int rc = tmpl_lmdb_bucket_get(move->from, number, bucket);

    *is_there = rc == 0 && bucket->len > 0;
    if (rc == 0 && move->renew != NULL) {
        rc = move->renew(move->baton, number, bucket);
    }
    if (bucket->bytes == NULL || tmpl_bucket_count(bucket) == 0) {
        bucket->len = 0;
    }
    return rc;
}

/* Takes a bucket out of the file, to be put back when all are out: in few pages, this leaves none half-empty. */
static int bucket_take(move_t *move, uint32_t number)
{
    tmpl_bucket_t *bucket = &move->taken[move->n_taken];
    int is_there, rc = bucket_renew(move, number, bucket, &is_there);

    if (bucket->len > 0) {
        bucket->bytes = apr_pmemdup(move->from->desk.pool, bucket->bytes, bucket->len);
        move->numbers[move->n_taken++] = number;
    }
    return rc == 0 && is_there ? mdb_cursor_del(move->from->cursor, 0) : rc;
}

/* Writes a bucket behind all others; the old one stays. */
static int bucket_copy(move_t *move, uint32_t number)
{
    tmpl_bucket_t bucket;
    int is_there, rc = bucket_renew(move, number, &bucket, &is_there);

    if (rc != 0 || bucket.len == 0) {
        return rc;
    }
    memcpy(move->bytes, bucket.bytes, bucket.len); /* it may stand in a page that is to change */
    bucket.bytes = move->bytes;
    return tmpl_lmdb_bucket_put(&move->to, number, &bucket);
}

/* All buckets, in the order of the file. */
static int buckets_each(move_t *move, int (*each)(move_t *move, uint32_t number))
{
    uint32_t number, left = move->from->site->buckets.n, n = left;
    int rc = 0;

    move->from->in_order = 1;
    for (uint32_t order = 0; rc == 0 && left > 0; order++) {
        if (bucket_nth(n, order, &number)) {
            rc = each(move, number);
            left--;
        }
    }
    return rc;
}

static int buckets_move_few(move_t *move)
{
    apr_pool_t *pool = move->from->desk.pool;
    int rc;

    move->taken = apr_palloc(pool, MOVED_AT_ONCE * sizeof(*move->taken));
    move->numbers = apr_palloc(pool, MOVED_AT_ONCE * sizeof(*move->numbers));
    rc = buckets_each(move, bucket_take);
    for (uint32_t i = 0; rc == 0 && i < move->n_taken; i++) {
        rc = tmpl_lmdb_bucket_put(&move->to, move->numbers[i], &move->taken[i]);
    }
    return rc;
}

static int buckets_move_many(move_t *move)
{
    MDB_txn *txn = mdb_cursor_txn(move->from->cursor);
    int rc;

    move->bytes = apr_palloc(move->from->desk.pool, TMPL_BUCKET_MOST);
    rc = buckets_each(move, bucket_copy);
    return rc == 0 ? tmpl_serial_doom(move->from->db, txn, move->from->site->serial, 0) : rc;
}

int tmpl_lmdb_buckets_order(tmpl_lmdb_buckets_t *buckets,
                            int (*renew)(void *baton, uint32_t number, tmpl_bucket_t *bucket),
                            void *baton)
{
    MDB_txn *txn = mdb_cursor_txn(buckets->cursor);
    tmpl_site_t moved = *buckets->site;
    move_t move = { .from = buckets, .renew = renew, .baton = baton };
    int rc = tmpl_serial_draw(buckets->db, txn, &moved.serial);

    if (rc == 0) {
        rc = tmpl_lmdb_buckets_begin(&move.to, buckets->db, txn, &moved, buckets->desk.pool);
    }
    if (rc != 0) {
        return rc;
    }
    rc = moved.buckets.n <= MOVED_AT_ONCE ? buckets_move_few(&move) : buckets_move_many(&move);
    tmpl_lmdb_buckets_end(&move.to);
    buckets->site->serial = moved.serial;
    return rc;
}

/* Deletes the dead of the bucket at the cursor. */
static int bucket_sweep(tmpl_lmdb_buckets_t *buckets, const MDB_val *key, tmpl_bucket_t *bucket,
                        const tmpl_lifetimes_t *lifetimes)
{
    tmpl_site_t *site = buckets->site;
    unsigned char bytes[KEY_SIZE]; /* key points into the page that is to change */
    MDB_val same = { KEY_SIZE, bytes }, data;
    uint32_t dead;

    memcpy(bytes, key->mv_data, KEY_SIZE);
    (void)tmpl_bucket_update(&buckets->desk, bucket, NULL, 0, lifetimes, site->pages, &dead);
    site->entries -= dead < site->entries ? dead : site->entries;
    if (dead == 0 && tmpl_bucket_count(bucket) > 0) {
        return 0;
    }
    data = (MDB_val){ bucket->len, (void *)bucket->bytes };
    return bucket->len == 0 || dead == 0
               ? mdb_cursor_del(buckets->cursor, 0)
               : mdb_cursor_put(buckets->cursor, &same, &data, MDB_CURRENT);
}

int tmpl_lmdb_buckets_sweep(tmpl_lmdb_buckets_t *buckets, const tmpl_lifetimes_t *lifetimes,
                            unsigned budget)
{
    tmpl_site_t *site = buckets->site;
    unsigned char bytes[KEY_SIZE];
    MDB_val key = key_pack(bytes, site, site->at), data;
    MDB_cursor_op op = MDB_SET_RANGE;
    int rc;

    for (;; op = MDB_NEXT) {
        tmpl_bucket_t bucket;
        uint32_t entries;

        rc = mdb_cursor_get(buckets->cursor, &key, &data, op);
        if (rc != 0 || !key_unpack(&key, site, &site->at)) {
            site->at = 0; /* round again */
            break;
        }
        if (budget == 0) {
            break;
        }
        bucket = (tmpl_bucket_t){ data.mv_data, data.mv_size };
        entries = tmpl_bucket_count(&bucket);
        rc = bucket_sweep(buckets, &key, &bucket, lifetimes);
        if (rc != 0) {
            break;
        }
        budget -= entries < budget ? entries + 1 : budget;
    }
    return rc == MDB_NOTFOUND ? 0 : rc;
}

static int bucket_walk(const MDB_val *data,
                       int (*each)(void *baton, tmpl_key_t key, const tmpl_value_t *value),
                       void *baton)
{
    tmpl_bucket_reader_t reader;
    tmpl_value_t value;
    tmpl_key_t key;
    int rc = 0;

    tmpl_bucket_open(&reader, data->mv_data, data->mv_size);
    while (rc == 0 && tmpl_bucket_next(&reader, &key, &value)) {
        rc = each(baton, key, &value);
    }
    return rc;
}

int tmpl_lmdb_buckets_walk(tmpl_lmdb_buckets_t *buckets,
                           int (*each)(void *baton, tmpl_key_t key, const tmpl_value_t *value),
                           void *baton)
{
    unsigned char bytes[KEY_SIZE];
    MDB_val key = key_pack(bytes, buckets->site, 0), data;
    MDB_cursor_op op = MDB_SET_RANGE;
    uint32_t unused;
    int rc;

    for (;; op = MDB_NEXT) {
        rc = mdb_cursor_get(buckets->cursor, &key, &data, op);
        if (rc == 0 && !key_unpack(&key, buckets->site, &unused)) {
            break;
        }
        if (rc == 0) {
            rc = bucket_walk(&data, each, baton);
        }
        if (rc != 0) {
            break;
        }
    }
    return rc == MDB_NOTFOUND ? 0 : rc;
}
