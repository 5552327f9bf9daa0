/* SPDX-License-Identifier: Apache-2.0 */
#include "store/lmdb_table.h"

#include <string.h>

#define SERIAL_SIZE 4
#define SITE_SIZE   (4 + 4 + 8 + 8 + 8 + TMPL_KEY_SIZE + TMPL_DRAWER_KINDS * (4 + 4))
#define DRAWER_FLAG 128 /* in the first byte of a drawer's key: behind all other keys of the site */

/* Sites looked at in search of an idle one: bounds what a flood of new sites costs. */
#define IDLE_LOOKS 64
/* Drawers put together in one go. */
#define SHRINK_MOST 8
/* Drawers made in one go, beside those for what is added: the file may say that there are entries without end. */
#define GROW_MOST 64

static uint64_t seconds_now(void)
{
    return (uint64_t)apr_time_sec(apr_time_now());
}

static void serial_pack(unsigned char *bytes, uint32_t serial)
{
    for (unsigned i = 0; i < SERIAL_SIZE; i++) {
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
        return MDB_CORRUPTED;
    }
    site->serial = (uint32_t)tmpl_get_le(p, 4);
    site->pages = (uint32_t)tmpl_get_le(p + 4, 4);
    site->version = tmpl_get_le(p + 8, 8);
    site->entries = tmpl_get_le(p + 16, 8);
    site->seen = tmpl_get_le(p + 24, 8);
    memcpy(site->at, p + 32, TMPL_KEY_SIZE);
    p += 32 + TMPL_KEY_SIZE;
    for (unsigned kind = 0; kind < TMPL_DRAWER_KINDS; kind++, p += 8) {
        site->drawers[kind].n = (uint32_t)tmpl_get_le(p, 4);
        site->drawers[kind].entries = (uint32_t)tmpl_get_le(p + 4, 4);
        if (site->drawers[kind].n > TMPL_DRAWERS_MOST) {
            return MDB_CORRUPTED;
        }
    }
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
    unsigned char bytes[SITE_SIZE], *p = bytes + 32;
    MDB_val key = name_val(name), data = { SITE_SIZE, bytes };

    tmpl_put_le(bytes, site->serial, 4);
    tmpl_put_le(bytes + 4, site->pages, 4);
    tmpl_put_le(bytes + 8, site->version, 8);
    tmpl_put_le(bytes + 16, site->entries, 8);
    tmpl_put_le(bytes + 24, site->seen, 8);
    memcpy(p, site->at, TMPL_KEY_SIZE);
    p += TMPL_KEY_SIZE;
    for (unsigned kind = 0; kind < TMPL_DRAWER_KINDS; kind++, p += 8) {
        tmpl_put_le(p, site->drawers[kind].n, 4);
        tmpl_put_le(p + 4, site->drawers[kind].entries, 4);
    }
    return mdb_put(txn, tmpl_lmdb_dbi(db, TMPL_DB_SITES), &key, &data, 0);
}

int tmpl_site_init(tmpl_lmdb_t *db, MDB_txn *txn, tmpl_site_t *site)
{
    MDB_dbi meta = tmpl_lmdb_dbi(db, TMPL_DB_META);
    unsigned char bytes[SERIAL_SIZE];
    MDB_val key = name_val("serial"), data;
    int rc = mdb_get(txn, meta, &key, &data);

    memset(site, 0, sizeof(*site));
    site->seen = seconds_now();
    if (rc == 0 && data.mv_size == SERIAL_SIZE) {
        site->serial = (uint32_t)tmpl_get_le(data.mv_data, SERIAL_SIZE);
    }
    else if (rc != MDB_NOTFOUND) {
        return rc != 0 ? rc : MDB_CORRUPTED;
    }
    tmpl_put_le(bytes, ++site->serial, SERIAL_SIZE);
    data.mv_size = SERIAL_SIZE;
    data.mv_data = bytes;
    return mdb_put(txn, meta, &key, &data, 0);
}

int tmpl_serial_doom(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t serial, uint64_t from)
{
    unsigned char k[SERIAL_SIZE], v[8];
    MDB_val key = { SERIAL_SIZE, k }, data = { sizeof(v), v };

    serial_pack(k, serial);
    tmpl_put_le(v, from, sizeof(v));
    return mdb_put(txn, tmpl_lmdb_dbi(db, TMPL_DB_DOOMED), &key, &data, 0);
}

int tmpl_serial_save(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t serial)
{
    unsigned char k[SERIAL_SIZE];
    MDB_val key = { SERIAL_SIZE, k };

    serial_pack(k, serial);
    return mdb_del(txn, tmpl_lmdb_dbi(db, TMPL_DB_DOOMED), &key, NULL);
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
    int named, rc = mdb_cursor_open(txn, tmpl_lmdb_dbi(db, TMPL_DB_SITES), &cursor);

    if (rc != 0) {
        return rc;
    }
    for (int looks = 0; looks < IDLE_LOOKS; looks++, op = MDB_NEXT) {
        rc = mdb_cursor_get(cursor, &key, &data, op);
        if (rc == 0) {
            rc = site_unpack(&site, &data);
        }
        if (rc != 0) {
            from[0] = '\0';
            break;
        }
        named = key.mv_size <= TMPL_SITE_MAX;
        if (named) {
            memcpy(from, key.mv_data, key.mv_size);
            from[key.mv_size] = '\0';
        }
        /* a longer name, which a damaged file may hold, is nobody's */
        if (!named || site.seen + idle < now) {
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

void tmpl_entry_key(unsigned char bytes[TMPL_ENTRY_SIZE], uint32_t serial, tmpl_key_t key)
{
    serial_pack(bytes, serial);
    tmpl_key_pack(bytes + SERIAL_SIZE, key);
}

uint32_t tmpl_bits_reversed(uint32_t n)
{
    n = __builtin_bswap32(n);
    n = (n >> 4 & 0x0f0f0f0f) | (n & 0x0f0f0f0f) << 4;
    n = (n >> 2 & 0x33333333) | (n & 0x33333333) << 2;
    return (n >> 1 & 0x55555555) | (n & 0x55555555) << 1;
}

void tmpl_drawer_key(unsigned char bytes[TMPL_DRAWER_SIZE], uint32_t serial, tmpl_kind_e kind,
                     uint32_t n)
{
    serial_pack(bytes, serial);
    bytes[SERIAL_SIZE] = (unsigned char)(DRAWER_FLAG | kind);
    serial_pack(bytes + SERIAL_SIZE + 1, tmpl_bits_reversed(n));
}

int tmpl_drawer_get(MDB_cursor *cursor, const tmpl_site_t *site, tmpl_kind_e kind, uint32_t n,
                    tmpl_drawer_t *drawer)
{
    unsigned char bytes[TMPL_DRAWER_SIZE];
    MDB_val key = { TMPL_DRAWER_SIZE, bytes }, data = { 0, bytes };
    int rc;

    tmpl_drawer_key(bytes, site->serial, kind, n);
    rc = mdb_cursor_get(cursor, &key, &data, MDB_SET);
    tmpl_drawer_read(drawer, kind, data.mv_data, rc == 0 ? data.mv_size : 0);
    return rc == MDB_NOTFOUND ? 0 : rc;
}

int tmpl_drawer_put(MDB_cursor *cursor, const tmpl_site_t *site, uint32_t n,
                    const tmpl_drawer_t *drawer)
{
    unsigned char bytes[TMPL_DRAWER_SIZE];
    MDB_val key = { TMPL_DRAWER_SIZE, bytes }, data = { drawer->len, (void *)drawer->bytes };
    int rc;

    tmpl_drawer_key(bytes, site->serial, drawer->kind, n);
    if (drawer->len > 0) {
        return mdb_cursor_put(cursor, &key, &data, 0);
    }
    rc = mdb_cursor_get(cursor, &key, &data, MDB_SET);
    return rc == 0 ? mdb_cursor_del(cursor, 0) : rc == MDB_NOTFOUND ? 0 : rc;
}

/* So many entries of a drawer are gone. */
static void drawer_lost(tmpl_site_t *site, tmpl_kind_e kind, uint32_t n)
{
    tmpl_drawers_t *drawers = &site->drawers[kind];

    drawers->entries -= n < drawers->entries ? n : drawers->entries;
    site->entries -= n < site->entries ? n : site->entries;
}

int tmpl_drawers_grow(MDB_cursor *cursor, tmpl_site_t *site, tmpl_kind_e kind, uint32_t entries,
                      uint32_t added)
{
    tmpl_drawers_t *drawers = &site->drawers[kind];
    uint32_t wanted = tmpl_drawers_for(entries), most;
    tmpl_drawer_t from, to;
    int rc = 0;

    drawers->n = drawers->n > 0 ? drawers->n : 1;
    most = drawers->n + GROW_MOST + 2 * (added / TMPL_DRAWER_MOST);
    wanted = wanted < most ? wanted : most;
    while (rc == 0 && drawers->n < wanted) {
        uint32_t n = tmpl_drawer_split_from(drawers->n);

        rc = tmpl_drawer_get(cursor, site, kind, n, &from);
        if (rc == 0) {
            tmpl_drawer_split(&from, &to, drawers->n);
            rc = tmpl_drawer_put(cursor, site, n, &from);
        }
        if (rc == 0) {
            rc = tmpl_drawer_put(cursor, site, drawers->n, &to);
        }
        drawers->n++;
    }
    return rc;
}

/* Takes all out of a drawer: as entries that stand alone they are still there. */
static int drawer_scatter(MDB_cursor *cursor, tmpl_site_t *site, tmpl_drawer_t *drawer)
{
    tmpl_drawers_t *drawers = &site->drawers[drawer->kind];
    unsigned char bytes[TMPL_ENTRY_SIZE], packed[TMPL_VALUE_MAX];
    tmpl_value_t value;
    tmpl_key_t k;
    int rc = 0;

    for (size_t i = 0; rc == 0 && tmpl_drawer_at(drawer, i, &k, &value); i++) {
        MDB_val key = { TMPL_ENTRY_SIZE, bytes };
        MDB_val data = { tmpl_value_pack(packed, &value, k.kind), packed };

        tmpl_entry_key(bytes, site->serial, k);
        rc = mdb_cursor_put(cursor, &key, &data, 0);
        drawers->entries -= drawers->entries > 0;
    }
    return rc;
}

/* The last drawer goes back to the one it was parted from. A third too many stay, so that none goes to and fro. */
int tmpl_drawers_shrink(MDB_cursor *cursor, tmpl_site_t *site, tmpl_kind_e kind)
{
    tmpl_drawers_t *drawers = &site->drawers[kind];
    uint32_t most = tmpl_drawers_for(drawers->entries + drawers->entries / 3);
    tmpl_drawer_t into, last;
    int rc = 0;

    for (int i = 0; rc == 0 && drawers->n > most && i < SHRINK_MOST; i++) {
        uint32_t n = tmpl_drawer_split_from(drawers->n - 1);

        rc = tmpl_drawer_get(cursor, site, kind, drawers->n - 1, &last);
        if (rc == 0) {
            rc = tmpl_drawer_get(cursor, site, kind, n, &into);
        }
        if (rc == 0 && !tmpl_drawer_merge(&into, &last)) {
            rc = drawer_scatter(cursor, site, &last);
        }
        last.len = 0;
        if (rc == 0) {
            rc = tmpl_drawer_put(cursor, site, drawers->n - 1, &last);
        }
        if (rc == 0) {
            rc = tmpl_drawer_put(cursor, site, n, &into);
        }
        drawers->n--;
    }
    return rc;
}

/* Whether a key is one of the entries and drawers of the serial. */
static int entry_of(const MDB_val *key, const unsigned char serial[SERIAL_SIZE])
{
    return (key->mv_size == TMPL_ENTRY_SIZE || key->mv_size == TMPL_DRAWER_SIZE) &&
           memcmp(key->mv_data, serial, SERIAL_SIZE) == 0;
}

/* Whether a key of a site's is one of its drawers, and of what kind. */
static int is_drawer(const MDB_val *key, tmpl_kind_e *kind)
{
    unsigned char first = ((const unsigned char *)key->mv_data)[SERIAL_SIZE];

    *kind = (tmpl_kind_e)(first & ~DRAWER_FLAG);
    return key->mv_size == TMPL_DRAWER_SIZE && first >= DRAWER_FLAG &&
           (unsigned)*kind < TMPL_DRAWER_KINDS;
}

/* Deletes up to budget entries of one serial; *left if there are more. */
static int serial_sweep(tmpl_lmdb_t *db, MDB_txn *txn, const unsigned char serial[SERIAL_SIZE],
                        unsigned budget, int *left)
{
    unsigned char start[TMPL_ENTRY_SIZE] = { 0 };
    MDB_val key = { TMPL_ENTRY_SIZE, start }, data;
    MDB_cursor_op op = MDB_SET_RANGE;
    MDB_cursor *cursor;
    int rc = mdb_cursor_open(txn, tmpl_lmdb_dbi(db, TMPL_DB_ENTRIES), &cursor);

    if (rc != 0) {
        return rc;
    }
    memcpy(start, serial, SERIAL_SIZE);
    *left = 0;
    for (;;) {
        rc = mdb_cursor_get(cursor, &key, &data, op);
        if (rc != 0 || !entry_of(&key, serial)) {
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
    unsigned char serial[SERIAL_SIZE];
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
        if (key.mv_size == SERIAL_SIZE && data.mv_size == 8 &&
            tmpl_get_le(data.mv_data, 8) <= now) {
            memcpy(serial, key.mv_data, SERIAL_SIZE);
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

/* Deletes the dead of the drawer at the cursor; *seen: how many entries it held. */
static int drawer_sweep(MDB_cursor *cursor, const MDB_val *key, tmpl_kind_e kind,
                        const MDB_val *data, tmpl_site_t *site, const tmpl_lifetimes_t *lifetimes,
                        unsigned *seen)
{
    tmpl_drawer_t drawer;
    unsigned char bytes[TMPL_DRAWER_SIZE]; /* key points into the page that is to change */
    MDB_val same = { TMPL_DRAWER_SIZE, bytes }, left = { 0, drawer.bytes };
    uint32_t dead;

    tmpl_drawer_read(&drawer, kind, data->mv_data, data->mv_size);
    *seen = (unsigned)(drawer.len / tmpl_drawer_stride(kind));
    dead = tmpl_drawer_trim(&drawer, lifetimes, site->pages);
    drawer_lost(site, kind, dead);
    left.mv_size = drawer.len;
    memcpy(bytes, key->mv_data, TMPL_DRAWER_SIZE);
    if (drawer.len == 0) {
        return mdb_cursor_del(cursor, 0);
    }
    return dead > 0 ? mdb_cursor_put(cursor, &same, &left, MDB_CURRENT) : 0;
}

/* Deletes the entry at the cursor if it is dead. */
static int entry_sweep(MDB_cursor *cursor, const MDB_val *key, const MDB_val *data,
                       tmpl_site_t *site, const tmpl_lifetimes_t *lifetimes)
{
    tmpl_value_t value;
    tmpl_key_t k;

    if (key->mv_size == TMPL_ENTRY_SIZE &&
        tmpl_key_unpack(&k, (unsigned char *)key->mv_data + SERIAL_SIZE) &&
        tmpl_value_unpack(&value, k.kind, data->mv_data, data->mv_size) &&
        tmpl_value_live(&value, lifetimes, site->pages)) {
        return 0;
    }
    site->entries -= site->entries > 0;
    return mdb_cursor_del(cursor, 0);
}

/* Where the sweeper goes on: a drawer's key is shorter than what is kept of it. */
static MDB_val sweep_from(unsigned char bytes[TMPL_ENTRY_SIZE], const tmpl_site_t *site)
{
    MDB_val key = { site->at[0] >= DRAWER_FLAG ? TMPL_DRAWER_SIZE : TMPL_ENTRY_SIZE, bytes };

    serial_pack(bytes, site->serial);
    memcpy(bytes + SERIAL_SIZE, site->at, TMPL_KEY_SIZE);
    return key;
}

int tmpl_site_sweep(tmpl_lmdb_t *db, MDB_txn *txn, tmpl_site_t *site,
                    const tmpl_lifetimes_t *lifetimes, unsigned budget)
{
    unsigned char bytes[TMPL_ENTRY_SIZE];
    MDB_val key = sweep_from(bytes, site), data;
    MDB_cursor_op op = MDB_SET_RANGE;
    MDB_cursor *cursor;
    tmpl_kind_e kind;
    unsigned seen;
    int rc = mdb_cursor_open(txn, tmpl_lmdb_dbi(db, TMPL_DB_ENTRIES), &cursor);

    if (rc != 0) {
        return rc;
    }
    for (;;) {
        rc = mdb_cursor_get(cursor, &key, &data, op);
        if (rc != 0 || !entry_of(&key, bytes)) {
            rc = rc == MDB_NOTFOUND ? 0 : rc;
            memset(site->at, 0, TMPL_KEY_SIZE); /* round again */
            break;
        }
        if (budget == 0) {
            memset(site->at, 0, TMPL_KEY_SIZE);
            memcpy(site->at, (unsigned char *)key.mv_data + SERIAL_SIZE, key.mv_size - SERIAL_SIZE);
            break;
        }
        seen = 1;
        rc = is_drawer(&key, &kind)
                 ? drawer_sweep(cursor, &key, kind, &data, site, lifetimes, &seen)
                 : entry_sweep(cursor, &key, &data, site, lifetimes);
        if (rc != 0) {
            break;
        }
        budget -= seen < budget ? seen : budget;
        op = MDB_NEXT;
    }
    mdb_cursor_close(cursor);
    return rc;
}

/* Calls each with the entries of a drawer. */
static int drawer_walk(tmpl_kind_e kind, const MDB_val *data,
                       int (*each)(void *baton, tmpl_key_t key, const tmpl_value_t *value),
                       void *baton)
{
    tmpl_drawer_t drawer;
    tmpl_value_t value;
    tmpl_key_t key;
    int rc = 0;

    tmpl_drawer_read(&drawer, kind, data->mv_data, data->mv_size);
    for (size_t i = 0; rc == 0 && tmpl_drawer_at(&drawer, i, &key, &value); i++) {
        rc = each(baton, key, &value);
    }
    return rc;
}

/* The same with what stands at a key: an entry, a drawer, or nothing of ours. */
static int node_walk(const MDB_val *at, const MDB_val *data,
                     int (*each)(void *baton, tmpl_key_t key, const tmpl_value_t *value),
                     void *baton)
{
    tmpl_value_t value;
    tmpl_kind_e kind;
    tmpl_key_t key;

    if (is_drawer(at, &kind)) {
        return drawer_walk(kind, data, each, baton);
    }
    if (at->mv_size == TMPL_ENTRY_SIZE &&
        tmpl_key_unpack(&key, (unsigned char *)at->mv_data + SERIAL_SIZE) &&
        tmpl_value_unpack(&value, key.kind, data->mv_data, data->mv_size)) {
        return each(baton, key, &value);
    }
    return 0;
}

int tmpl_site_walk(tmpl_lmdb_t *db, MDB_txn *txn, const tmpl_site_t *site,
                   int (*each)(void *baton, tmpl_key_t key, const tmpl_value_t *value), void *baton)
{
    unsigned char start[TMPL_ENTRY_SIZE] = { 0 };
    MDB_val key = { TMPL_ENTRY_SIZE, start }, data;
    MDB_cursor_op op = MDB_SET_RANGE;
    MDB_cursor *cursor;
    int rc = mdb_cursor_open(txn, tmpl_lmdb_dbi(db, TMPL_DB_ENTRIES), &cursor);

    if (rc != 0) {
        return rc;
    }
    serial_pack(start, site->serial);
    while ((rc = mdb_cursor_get(cursor, &key, &data, op)) == 0 && entry_of(&key, start)) {
        rc = node_walk(&key, &data, each, baton);
        if (rc != 0) {
            break;
        }
        op = MDB_NEXT;
    }
    mdb_cursor_close(cursor);
    return rc == MDB_NOTFOUND ? 0 : rc;
}
