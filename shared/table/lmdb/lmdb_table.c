/* SPDX-License-Identifier: Apache-2.0 */
#include "table/lmdb/lmdb_env.h"

#include <string.h>

#include "table/bucket.h"

#define SERIAL_SIZE 4

/* Sites that one search for a site to forget looks at: bounds the cost of a flood of new sites. */
#define LOOKS_MOST 1000

/* A site of so many documents, or more, is kept so many times as long as a site of one document. */
#define WEIGHT_MOST 8

static void put_be(unsigned char bytes[4], uint32_t x)
{
    x = htobe32(x);
    memcpy(bytes, &x, 4);
}

static uint32_t get_be(const unsigned char *bytes)
{
    uint32_t x;
    memcpy(&x, bytes, 4);
    return be32toh(x);
}

MDB_val tmpl_bucket_pack(unsigned char bytes[TMPL_LMDB_KEY_SIZE], uint32_t serial, uint32_t number)
{
    put_be(bytes, serial);
    put_be(bytes + SERIAL_SIZE, tmpl_bucket_first(number));
    return (MDB_val){ TMPL_LMDB_KEY_SIZE, bytes };
}

static MDB_val name_val(const char *name)
{
    return (MDB_val){ strlen(name), (void *)name };
}

static int site_unpack(tmpl_lmdb_site_t *site, const MDB_val *data)
{
    const unsigned char *at = (const unsigned char *)data->mv_data + TMPL_HEAD_SIZE;
    int has_listed = data->mv_size == TMPL_LMDB_SITE_SIZE + SERIAL_SIZE;
    if ((data->mv_size != TMPL_LMDB_SITE_SIZE && !has_listed) ||
        !tmpl_head_unpack(&site->head, data->mv_data, TMPL_HEAD_SIZE)) {
        return TMPL_LMDB_SITE_DAMAGED;
    }
    site->serial = (uint32_t)tmpl_get_le(at, 4);
    site->seen = tmpl_get_le(at + 4, 8);
    site->listed = has_listed ? (uint32_t)tmpl_get_le(at + 16, SERIAL_SIZE) : 0;
    return 0;
}

int tmpl_site_get(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, tmpl_lmdb_site_t *site)
{
    MDB_val key = name_val(name), data;
    int rc = mdb_get(txn, db->dbi[TMPL_DB_SITES], &key, &data);
    return rc != 0 ? rc : site_unpack(site, &data);
}

int tmpl_site_put(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, const tmpl_lmdb_site_t *site)
{
    unsigned char bytes[TMPL_LMDB_SITE_SIZE + SERIAL_SIZE], *at = bytes + TMPL_HEAD_SIZE;
    MDB_val key = name_val(name);
    MDB_val data = { site->listed != 0 ? sizeof(bytes) : TMPL_LMDB_SITE_SIZE, bytes };
    uint64_t now = (uint64_t)apr_time_now();
    tmpl_head_pack(bytes, &site->head);
    tmpl_put_le(at, site->serial, 4);
    tmpl_put_le(at + 4, now > site->seen ? now : site->seen + 1, 8);
    tmpl_put_le(at + 12, 0, 4);
    tmpl_put_le(at + 16, site->listed, SERIAL_SIZE);
    return mdb_put(txn, db->dbi[TMPL_DB_SITES], &key, &data, 0);
}

/* A number of the file; 0 if it is not there. */
static int number_get(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, uint32_t *number)
{
    MDB_val key = name_val(name), data;
    int rc = mdb_get(txn, db->dbi[TMPL_DB_META], &key, &data);
    *number = 0;
    if (rc == 0 && data.mv_size == SERIAL_SIZE) {
        *number = (uint32_t)tmpl_get_le(data.mv_data, SERIAL_SIZE);
        return 0;
    }
    return rc == MDB_NOTFOUND ? 0 : rc != 0 ? rc : MDB_CORRUPTED;
}

/* Adds one to a number of the file, and sets *number to the result. */
static int number_next(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, uint32_t *number)
{
    unsigned char bytes[SERIAL_SIZE];
    MDB_val key = name_val(name), data = { SERIAL_SIZE, bytes };
    int rc = number_get(db, txn, name, number);
    if (rc != 0) {
        return rc;
    }
    tmpl_put_le(bytes, ++*number, SERIAL_SIZE);
    return mdb_put(txn, db->dbi[TMPL_DB_META], &key, &data, 0);
}

int tmpl_serial_draw(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t *serial)
{
    return number_next(db, txn, "serial", serial);
}

int tmpl_sites_count(tmpl_lmdb_t *db, MDB_txn *txn, uint64_t *sites, uint64_t *evicted)
{
    MDB_stat stat;
    uint32_t n = 0;
    int rc = mdb_stat(txn, db->dbi[TMPL_DB_SITES], &stat);
    if (rc == 0) {
        rc = number_get(db, txn, "evicted", &n);
        *sites = stat.ms_entries;
        *evicted = n;
    }
    return rc;
}

/* Drops both serials of a site; listed may be 0. */
static int serials_drop(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t serial, uint32_t listed)
{
    unsigned char bytes[SERIAL_SIZE];
    MDB_val key = { SERIAL_SIZE, bytes }, data = { 0, bytes };
    put_be(bytes, serial);
    int rc = mdb_put(txn, db->dbi[TMPL_DB_DROPPED], &key, &data, 0);
    if (rc == 0 && listed != 0) {
        put_be(bytes, listed);
        rc = mdb_put(txn, db->dbi[TMPL_DB_DROPPED], &key, &data, 0);
    }
    return rc;
}

int tmpl_site_forget(tmpl_lmdb_t *db, MDB_txn *txn, const char *name)
{
    MDB_val key = name_val(name);
    tmpl_lmdb_site_t site;
    int rc = tmpl_site_get(db, txn, name, &site);
    if (rc == 0) {
        rc = serials_drop(db, txn, site.serial, site.listed);
    }
    else if (rc == TMPL_LMDB_SITE_DAMAGED) {
        rc = 0; /* its serial may be another site's: its buckets stay where they are */
    }
    return rc == 0 ? mdb_del(txn, db->dbi[TMPL_DB_SITES], &key, NULL) : rc;
}

/* A site that may be forgotten for others. */
typedef struct {
    MDB_val key;
    uint64_t idle; /* idle_of(); 0: no site */
    uint32_t serial, listed;
} victim_t;

/* How long a site was not used, divided by its documents, up to weight_most. */
static uint64_t idle_of(const tmpl_lmdb_site_t *site, uint64_t now, uint32_t weight_most)
{
    uint32_t pages = site->head.site.pages;
    uint32_t weight = pages < 1 ? 1 : pages < weight_most ? pages : weight_most;
    return (now > site->seen ? now - site->seen : 0) / weight + 1;
}

/* Whether a site may be forgotten, and is a better choice than the victim so far. */
static int is_better(victim_t *site, const MDB_val *data, const char *spared, uint64_t now,
                     uint32_t weight_most, const victim_t *victim)
{
    tmpl_lmdb_site_t is;
    if (site_unpack(&is, data) != 0) {
        return 0; /* an administrator must see the damage */
    }
    site->serial = is.serial;
    site->listed = is.listed;
    /* no site has such a long name, but a damaged file may hold one */
    site->idle = site->key.mv_size > TMPL_SITE_MAX ? UINT64_MAX : idle_of(&is, now, weight_most);
    return site->idle > victim->idle && !is.head.site.frozen &&
           (site->key.mv_size != strlen(spared) ||
            memcmp(site->key.mv_data, spared, site->key.mv_size) != 0);
}

/* The search goes round: it begins where the last one of this process ended. */
static int victim_find(tmpl_lmdb_t *db, MDB_cursor *cursor, uint64_t n_sites, const char *spared,
                       uint32_t weight_most, victim_t *victim)
{
    char *from = db->search_from;
    victim_t site = { .key = name_val(from) };
    MDB_cursor_op op = from[0] != '\0' ? MDB_SET_RANGE : MDB_FIRST;
    MDB_val data;
    uint64_t now = (uint64_t)apr_time_now();
    int rc = 0;
    for (uint64_t i = 0; rc == 0 && i < n_sites && i < LOOKS_MOST; i++, op = MDB_NEXT) {
        rc = mdb_cursor_get(cursor, &site.key, &data, op);
        if (rc == MDB_NOTFOUND) {
            rc = mdb_cursor_get(cursor, &site.key, &data, MDB_FIRST);
        }
        if (rc == 0 && is_better(&site, &data, spared, now, weight_most, victim)) {
            *victim = site;
        }
    }
    if (rc == 0 && n_sites > 0 && site.key.mv_size <= TMPL_SITE_MAX) {
        memcpy(from, site.key.mv_data, site.key.mv_size);
        from[site.key.mv_size] = '\0';
    }
    return rc;
}

/* Looks at some sites, and forgets the one with the longest idle time. */
static int evict(tmpl_lmdb_t *db, MDB_txn *txn, const char *spared, uint32_t weight_most)
{
    MDB_dbi sites = db->dbi[TMPL_DB_SITES];
    victim_t victim = { .idle = 0 };
    uint32_t evicted;
    MDB_cursor *cursor;
    MDB_stat stat;
    int rc = mdb_stat(txn, sites, &stat);
    if (rc == 0) {
        rc = mdb_cursor_open(txn, sites, &cursor);
    }
    if (rc != 0) {
        return rc;
    }
    rc = victim_find(db, cursor, stat.ms_entries, spared, weight_most, &victim);
    mdb_cursor_close(cursor);
    if (rc == 0) {
        rc = victim.idle == 0 ? MDB_NOTFOUND : mdb_del(txn, sites, &victim.key, NULL);
    }
    if (rc == 0) {
        rc = serials_drop(db, txn, victim.serial, victim.listed);
    }
    return rc == 0 ? number_next(db, txn, "evicted", &evicted) : rc;
}

int tmpl_site_evict(tmpl_lmdb_t *db, MDB_txn *txn, const char *spared)
{
    /* documents take room, so here a site is not kept longer for them */
    return evict(db, txn, spared, 1);
}

int tmpl_site_room(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t most, const char *spared)
{
    MDB_stat stat;
    int rc = mdb_stat(txn, db->dbi[TMPL_DB_SITES], &stat);
    for (uint64_t i = 0; rc == 0 && i < TMPL_LMDB_EVICTED_MOST && most + i <= stat.ms_entries;
         i++) {
        rc = evict(db, txn, spared, WEIGHT_MOST);
    }
    return rc == MDB_NOTFOUND ? TMPL_LMDB_SITES_FULL : rc;
}

/* Deletes up to budget buckets of one serial. *left: the serial has more buckets. */
static int serial_delete(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t serial, unsigned budget, int *left)
{
    unsigned char bytes[TMPL_LMDB_KEY_SIZE];
    MDB_val key = tmpl_bucket_pack(bytes, serial, 0), data;
    MDB_cursor_op op = MDB_SET_RANGE;
    MDB_cursor *cursor;
    int rc = mdb_cursor_open(txn, db->dbi[TMPL_DB_ENTRIES], &cursor);
    if (rc != 0) {
        return rc;
    }
    *left = 0;
    while ((rc = mdb_cursor_get(cursor, &key, &data, op)) == 0 && key.mv_size >= SERIAL_SIZE &&
           get_be(key.mv_data) == serial) {
        if (budget-- == 0) {
            *left = 1;
            break;
        }
        rc = mdb_cursor_del(cursor, 0);
        if (rc != 0) {
            break;
        }
        op = MDB_NEXT; /* after a deletion, MDB_NEXT is the entry that moved up */
    }
    mdb_cursor_close(cursor);
    return rc == MDB_NOTFOUND ? 0 : rc;
}

int tmpl_dropped_delete(tmpl_lmdb_t *db, MDB_txn *txn, unsigned budget, int *done)
{
    MDB_dbi dropped = db->dbi[TMPL_DB_DROPPED];
    MDB_cursor *cursor;
    MDB_val key, data;
    int left = 0, rc = mdb_cursor_open(txn, dropped, &cursor);
    if (rc != 0) {
        return rc;
    }
    rc = mdb_cursor_get(cursor, &key, &data, MDB_FIRST);
    *done = rc == MDB_NOTFOUND;
    if (rc == 0 && key.mv_size == SERIAL_SIZE) {
        rc = serial_delete(db, txn, get_be(key.mv_data), budget, &left);
    }
    if (rc == 0 && !left) {
        rc = mdb_cursor_del(cursor, 0);
    }
    mdb_cursor_close(cursor);
    return rc == MDB_NOTFOUND ? 0 : rc;
}
