/* SPDX-License-Identifier: Apache-2.0 */
#include "table/lmdb/lmdb_table.h"

#include <string.h>

#define SITE_SIZE (4 + 4 + 8 + 8 + 8 + 4 + 4 + 8)

/* Sites looked at in search of an idle one: bounds what a flood of new sites costs. */
#define IDLE_LOOKS 64

static uint64_t seconds_now(void)
{
    return (uint64_t)apr_time_sec(apr_time_now());
}

void tmpl_serial_pack(unsigned char bytes[TMPL_SERIAL_SIZE], uint32_t serial)
{
    for (unsigned i = 0; i < TMPL_SERIAL_SIZE; i++) {
        bytes[i] = (unsigned char)(serial >> (24 - 8 * i));
    }
}

static MDB_val name_val(const char *name)
{
    MDB_val val = { strlen(name), (void *)name };

    return val;
}

static int site_unpack(tmpl_site_t *site, const MDB_val *data)
{
    const unsigned char *p = data->mv_data;

    if (data->mv_size != SITE_SIZE) {
        return TMPL_LMDB_SITE_DAMAGED;
    }
    site->serial = (uint32_t)tmpl_get_le(p, 4);
    site->pages = (uint32_t)tmpl_get_le(p + 4, 4);
    site->version = tmpl_get_le(p + 8, 8);
    site->entries = tmpl_get_le(p + 16, 8);
    site->seen = tmpl_get_le(p + 24, 8);
    site->at = (uint32_t)tmpl_get_le(p + 32, 4);
    site->buckets.n = (uint32_t)tmpl_get_le(p + 36, 4);
    site->buckets.salt = tmpl_get_le(p + 40, 8);
    return site->buckets.n <= TMPL_BUCKETS_MOST ? 0 : TMPL_LMDB_SITE_DAMAGED;
}

int tmpl_site_get(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, tmpl_site_t *site)
{
    MDB_val key = name_val(name), data;
    int rc = mdb_get(txn, tmpl_lmdb_dbi(db, TMPL_DB_SITES), &key, &data);

    return rc != 0 ? rc : site_unpack(site, &data);
}

int tmpl_site_put(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, const tmpl_site_t *site)
{
    unsigned char bytes[SITE_SIZE];
    MDB_val key = name_val(name), data = { SITE_SIZE, bytes };

    tmpl_put_le(bytes, site->serial, 4);
    tmpl_put_le(bytes + 4, site->pages, 4);
    tmpl_put_le(bytes + 8, site->version, 8);
    tmpl_put_le(bytes + 16, site->entries, 8);
    tmpl_put_le(bytes + 24, site->seen, 8);
    tmpl_put_le(bytes + 32, site->at, 4);
    tmpl_put_le(bytes + 36, site->buckets.n, 4);
    tmpl_put_le(bytes + 40, site->buckets.salt, 8);
    return mdb_put(txn, tmpl_lmdb_dbi(db, TMPL_DB_SITES), &key, &data, 0);
}

int tmpl_serial_draw(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t *serial)
{
    MDB_dbi meta = tmpl_lmdb_dbi(db, TMPL_DB_META);
    unsigned char bytes[TMPL_SERIAL_SIZE];
    MDB_val key = name_val("serial"), data;
    int rc = mdb_get(txn, meta, &key, &data);

    *serial = 0;
    if (rc == 0 && data.mv_size == TMPL_SERIAL_SIZE) {
        *serial = (uint32_t)tmpl_get_le(data.mv_data, TMPL_SERIAL_SIZE);
    }
    else if (rc != MDB_NOTFOUND) {
        return rc != 0 ? rc : MDB_CORRUPTED;
    }
    tmpl_put_le(bytes, ++*serial, TMPL_SERIAL_SIZE);
    data = (MDB_val){ TMPL_SERIAL_SIZE, bytes };
    return mdb_put(txn, meta, &key, &data, 0);
}

int tmpl_site_init(tmpl_lmdb_t *db, MDB_txn *txn, tmpl_site_t *site)
{
    memset(site, 0, sizeof(*site));
    site->seen = seconds_now();
    site->buckets = tmpl_buckets_new(0);
    site->buckets.n = 0; /* it begins with as many as its first pages call for */
    return tmpl_serial_draw(db, txn, &site->serial);
}

int tmpl_serial_doom(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t serial, uint64_t from)
{
    unsigned char k[TMPL_SERIAL_SIZE], v[8];
    MDB_val key = { TMPL_SERIAL_SIZE, k }, data = { sizeof(v), v };

    tmpl_serial_pack(k, serial);
    tmpl_put_le(v, from, sizeof(v));
    return mdb_put(txn, tmpl_lmdb_dbi(db, TMPL_DB_DOOMED), &key, &data, 0);
}

int tmpl_serial_save(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t serial)
{
    unsigned char k[TMPL_SERIAL_SIZE];
    MDB_val key = { TMPL_SERIAL_SIZE, k };

    tmpl_serial_pack(k, serial);
    return mdb_del(txn, tmpl_lmdb_dbi(db, TMPL_DB_DOOMED), &key, NULL);
}

int tmpl_site_forget(tmpl_lmdb_t *db, MDB_txn *txn, const char *name)
{
    MDB_val key = name_val(name);
    tmpl_site_t site;
    int rc = tmpl_site_get(db, txn, name, &site);

    if (rc == 0) {
        rc = tmpl_serial_doom(db, txn, site.serial, 0);
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
        /* a longer name, which a damaged file may hold, is nobody's; a damaged record is to be seen by somebody */
        if (!damaged && (!named || site.seen + idle < now)) {
            rc = mdb_cursor_del(cursor, 0);
            if (rc == 0) {
                rc = tmpl_serial_doom(db, txn, site.serial, 0);
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

/* Deletes up to budget buckets of one serial; *left if there are more. */
static int serial_sweep(tmpl_lmdb_t *db, MDB_txn *txn, const unsigned char serial[TMPL_SERIAL_SIZE],
                        unsigned budget, int *left)
{
    unsigned char start[TMPL_SERIAL_SIZE];
    MDB_val key = { TMPL_SERIAL_SIZE, start }, data;
    MDB_cursor_op op = MDB_SET_RANGE;
    MDB_cursor *cursor;
    int rc = mdb_cursor_open(txn, tmpl_lmdb_dbi(db, TMPL_DB_ENTRIES), &cursor);

    if (rc != 0) {
        return rc;
    }
    memcpy(start, serial, TMPL_SERIAL_SIZE);
    *left = 0;
    for (;;) {
        rc = mdb_cursor_get(cursor, &key, &data, op);
        if (rc != 0 || key.mv_size < TMPL_SERIAL_SIZE ||
            memcmp(key.mv_data, serial, TMPL_SERIAL_SIZE) != 0) {
            rc = rc == MDB_NOTFOUND ? 0 : rc;
            break;
        }
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
    return rc;
}

int tmpl_doomed_sweep(tmpl_lmdb_t *db, MDB_txn *txn, unsigned budget, int *done)
{
    uint64_t now = seconds_now();
    unsigned char serial[TMPL_SERIAL_SIZE];
    MDB_cursor_op op = MDB_FIRST;
    MDB_cursor *cursor;
    MDB_val key, data;
    int left = 0;
    int rc = mdb_cursor_open(txn, tmpl_lmdb_dbi(db, TMPL_DB_DOOMED), &cursor);

    if (rc != 0) {
        return rc;
    }
    *done = 1;
    while ((rc = mdb_cursor_get(cursor, &key, &data, op)) == 0) {
        if (key.mv_size == TMPL_SERIAL_SIZE && data.mv_size == 8 &&
            tmpl_get_le(data.mv_data, 8) <= now) {
            memcpy(serial, key.mv_data, TMPL_SERIAL_SIZE);
            rc = serial_sweep(db, txn, serial, budget, &left);
            if (rc == 0 && !left) {
                rc = mdb_cursor_del(cursor, 0);
            }
            *done = 0;
            break;
        }
        op = MDB_NEXT;
    }
    mdb_cursor_close(cursor);
    return rc == MDB_NOTFOUND ? 0 : rc;
}
