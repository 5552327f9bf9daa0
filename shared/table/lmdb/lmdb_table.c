/* SPDX-License-Identifier: Apache-2.0 */
#include "table/lmdb/lmdb_table.h"

#include <string.h>

#include "table/bucket/buckets.h"

#define SERIAL_SIZE 4

/* Sites looked at in search of an idle one: bounds what a flood of new sites costs. */
#define IDLE_LOOKS 64

static uint64_t seconds_now(void)
{
    return (uint64_t)apr_time_sec(apr_time_now());
}

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

static int site_unpack(tmpl_site_t *site, const MDB_val *data)
{
    const unsigned char *at = (const unsigned char *)data->mv_data + TMPL_HEAD_SIZE;
    if (data->mv_size != TMPL_LMDB_SITE_SIZE ||
        !tmpl_head_unpack(&site->head, data->mv_data, TMPL_HEAD_SIZE)) {
        return TMPL_LMDB_SITE_DAMAGED;
    }
    site->serial = (uint32_t)tmpl_get_le(at, 4);
    site->seen = tmpl_get_le(at + 4, 8);
    site->changed = (uint32_t)tmpl_get_le(at + 12, 4);
    return 0;
}

int tmpl_site_get(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, tmpl_site_t *site)
{
    MDB_val key = name_val(name), data;
    int rc = mdb_get(txn, tmpl_lmdb_dbi(db, TMPL_DB_SITES), &key, &data);
    return rc != 0 ? rc : site_unpack(site, &data);
}

int tmpl_site_put(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, const tmpl_site_t *site)
{
    unsigned char bytes[TMPL_LMDB_SITE_SIZE], *at = bytes + TMPL_HEAD_SIZE;
    MDB_val key = name_val(name), data = { sizeof(bytes), bytes };
    tmpl_head_pack(bytes, &site->head);
    tmpl_put_le(at, site->serial, 4);
    tmpl_put_le(at + 4, seconds_now(), 8);
    tmpl_put_le(at + 12, site->changed, 4);
    return mdb_put(txn, tmpl_lmdb_dbi(db, TMPL_DB_SITES), &key, &data, 0);
}

int tmpl_serial_draw(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t *serial)
{
    MDB_dbi meta = tmpl_lmdb_dbi(db, TMPL_DB_META);
    unsigned char bytes[SERIAL_SIZE];
    MDB_val key = name_val("serial"), data;
    int rc = mdb_get(txn, meta, &key, &data);
    *serial = 0;
    if (rc == 0 && data.mv_size == SERIAL_SIZE) {
        *serial = (uint32_t)tmpl_get_le(data.mv_data, SERIAL_SIZE);
    }
    else if (rc != MDB_NOTFOUND) {
        return rc != 0 ? rc : MDB_CORRUPTED;
    }
    tmpl_put_le(bytes, ++*serial, SERIAL_SIZE);
    data = (MDB_val){ SERIAL_SIZE, bytes };
    return mdb_put(txn, meta, &key, &data, 0);
}

static int serial_drop(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t serial)
{
    unsigned char bytes[SERIAL_SIZE];
    MDB_val key = { SERIAL_SIZE, bytes }, data = { 0, bytes };
    put_be(bytes, serial);
    return mdb_put(txn, tmpl_lmdb_dbi(db, TMPL_DB_DROPPED), &key, &data, 0);
}

int tmpl_site_forget(tmpl_lmdb_t *db, MDB_txn *txn, const char *name)
{
    MDB_val key = name_val(name);
    tmpl_site_t site;
    int rc = tmpl_site_get(db, txn, name, &site);
    if (rc == 0) {
        rc = serial_drop(db, txn, site.serial);
    }
    else if (rc == TMPL_LMDB_SITE_DAMAGED) {
        rc = 0; /* its serial may be another site's: what it had stays where it is */
    }
    return rc == 0 ? mdb_del(txn, tmpl_lmdb_dbi(db, TMPL_DB_SITES), &key, NULL) : rc;
}

/* The search goes round: it begins where the last one of this process ended. */
int tmpl_site_forget_idle(tmpl_lmdb_t *db, MDB_txn *txn, const tmpl_store_opts_t *opts)
{
    uint64_t now = seconds_now(), idle = (uint64_t)apr_time_sec(opts->idle);
    char *from = tmpl_lmdb_idle_from(db);
    MDB_val key = name_val(from), data;
    MDB_cursor_op op = from[0] != '\0' ? MDB_SET_RANGE : MDB_FIRST;
    MDB_cursor *cursor;
    tmpl_site_t site;
    int named, damaged, rc = mdb_cursor_open(txn, tmpl_lmdb_dbi(db, TMPL_DB_SITES), &cursor);
    if (rc != 0) {
        return rc;
    }
    for (int looks = 0; looks < IDLE_LOOKS; looks++, op = MDB_NEXT) {
        rc = mdb_cursor_get(cursor, &key, &data, op);
        if (rc != 0) {
            from[0] = '\0';
            break;
        }
        damaged = site_unpack(&site, &data) != 0;
        named = key.mv_size <= TMPL_SITE_MAX;
        if (named) {
            memcpy(from, key.mv_data, key.mv_size);
            from[key.mv_size] = '\0';
        }
        /* no site has a longer name, but a damaged file may; a damaged record stays, for people to
         * see */
        if (!damaged && (!named || (site.seen + idle < now && !site.head.site.frozen))) {
            rc = mdb_cursor_del(cursor, 0);
            if (rc == 0) {
                rc = serial_drop(db, txn, site.serial);
            }
            break;
        }
        rc = MDB_NOTFOUND;
    }
    mdb_cursor_close(cursor);
    return rc;
}

int tmpl_site_room(tmpl_lmdb_t *db, MDB_txn *txn, const tmpl_store_opts_t *opts)
{
    MDB_stat stat;
    int rc = mdb_stat(txn, tmpl_lmdb_dbi(db, TMPL_DB_SITES), &stat);
    if (rc == 0 && stat.ms_entries >= opts->max_sites) {
        rc = tmpl_site_forget_idle(db, txn, opts);
        if (rc == MDB_NOTFOUND) {
            rc = TMPL_LMDB_SITES_FULL;
        }
    }
    return rc;
}

int tmpl_serial_delete(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t serial, unsigned budget, int *left)
{
    unsigned char bytes[TMPL_LMDB_KEY_SIZE];
    MDB_val key = tmpl_bucket_pack(bytes, serial, 0), data;
    MDB_cursor_op op = MDB_SET_RANGE;
    MDB_cursor *cursor;
    int rc = mdb_cursor_open(txn, tmpl_lmdb_dbi(db, TMPL_DB_ENTRIES), &cursor);
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
        op = MDB_NEXT; /* which after a deletion is the one that moved up */
    }
    mdb_cursor_close(cursor);
    return rc == MDB_NOTFOUND ? 0 : rc;
}

int tmpl_dropped_delete(tmpl_lmdb_t *db, MDB_txn *txn, unsigned budget, int *done)
{
    MDB_dbi dropped = tmpl_lmdb_dbi(db, TMPL_DB_DROPPED);
    MDB_cursor *cursor;
    MDB_val key, data;
    int left = 0, rc = mdb_cursor_open(txn, dropped, &cursor);
    if (rc != 0) {
        return rc;
    }
    rc = mdb_cursor_get(cursor, &key, &data, MDB_FIRST);
    *done = rc == MDB_NOTFOUND;
    if (rc == 0 && key.mv_size == SERIAL_SIZE) {
        rc = tmpl_serial_delete(db, txn, get_be(key.mv_data), budget, &left);
    }
    if (rc == 0 && !left) {
        rc = mdb_cursor_del(cursor, 0);
    }
    mdb_cursor_close(cursor);
    return rc == MDB_NOTFOUND ? 0 : rc;
}
