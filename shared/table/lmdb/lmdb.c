/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The embedded store, "lmdb:DIR[?size=BYTES&sites=N]": a table in a directory, shared by threads
 * and processes of one machine, without a server. lmdb_env.h describes its content.
 *
 * - Open it after fork. All users of a directory within a process share one environment.
 * - Reading never waits. Learning waits for the one write transaction.
 * - Commits are not flushed (MDB_NOSYNC): the table survives the death of any process at any
 *   moment, kill -9 included, because the kernel has the pages. Closing flushes the table. A power
 *   loss or a kernel crash may lose what was learnt since the last close. On a file system that
 *   does not keep the order of writes, it may also damage the file. Then delete the file: all of
 *   its content can be learnt again.
 * - When the map is nearly full, or the store has its most sites, the least recently used sites are
 *   forgotten for others, a few in each transaction. Frozen sites stay.
 * - Full disk, read-only disk, a map in which nothing may be forgotten: APR_ENOSPC; nothing is
 *   learnt, counts are read. Sites are deleted out of pages kept in reserve.
 * - A damaged file is moved aside when the first process opens it (lmdb_walk.c), and the store
 *   begins anew. LMDB keeps no checksums, and trusts a file that is open.
 */
#include <errno.h>
#include <string.h>

#include <apr_strings.h>

#include "base/number.h"
#include "table/engine.h"
#include "table/lmdb/lmdb_env.h"

#define DELETE_BUCKETS 64  /* buckets of dropped sites that a commit deletes */
#define DELETE_FULL    256 /* the same when the map is nearly full */
#define DELETE_BATCH   256 /* buckets that a commit of forget() deletes */
#define GROWN_MOST     8   /* times that a map may grow for one change */

/*
 * Sites are forgotten until 1 / n of the map is free: n is SPARE_ALWAYS in each commit, SPARE_FULL
 * after a transaction found no room. LMDB writes changed pages to new places, and reuses the old
 * places only two transactions later. A reader that stays keeps LMDB from reusing any: then
 * forgetting more sites would not help.
 */
#define SPARE_ALWAYS 8
#define SPARE_FULL   2

/* The time after which a site that is only read is noted as used again. */
#define TOUCH_AFTER apr_time_from_sec(600)

typedef struct {
    tmpl_lmdb_t *db;
    tmpl_store_opts_t opts;
} lmdb_store_t;

/* A transaction of LMDB's on one site. */
typedef struct {
    MDB_txn *txn; /* NULL: it has ended */
    MDB_cursor *cursor;
    tmpl_lmdb_site_t site;
} lmdb_own_t;

/* Fills err with what rc means for a site. */
static apr_status_t site_fail(const lmdb_store_t *store, int rc, const char *site,
                              tmpl_error_t *err, const char *doing)
{
    if (rc == MDB_NOTFOUND) {
        return tmpl_fail(err, APR_NOTFOUND, "the store does not know the site %s", site);
    }
    if (rc == TMPL_LMDB_SITES_FULL) {
        return tmpl_fail(
            err, APR_ENOSPC,
            "site %s not learnt: the store holds %u sites, its limit, and none that it "
            "may forget",
            site, store->opts.max_sites);
    }
    if (rc == TMPL_LMDB_SITE_DAMAGED) {
        return tmpl_fail(err, TMPL_EDAMAGED,
                         "lmdb:%s: %s: the record of site %s in data.mdb is damaged: begin it anew "
                         "with tmplctl forget",
                         store->db->dir, doing, site);
    }
    return tmpl_lmdb_fail(store->db->dir, rc, err, doing);
}

static apr_status_t txn_fail(const tmpl_txn_t *t, int rc)
{
    return rc == 0 ? APR_SUCCESS
                   : site_fail(t->ctx, rc, t->site, t->err,
                               t->write ? "cannot learn" : "cannot look up");
}

/* ---- transactions ---- */

static int site_open(tmpl_txn_t *t)
{
    const lmdb_store_t *store = t->ctx;
    lmdb_own_t *own = t->own;
    int rc = tmpl_site_get(store->db, own->txn, t->site, &own->site);
    t->found = rc == 0;
    if (rc == 0) {
        t->head = own->site.head;
    }
    if (rc != 0 && rc != MDB_NOTFOUND) {
        return rc;
    }
    return mdb_cursor_open(own->txn, store->db->dbi[TMPL_DB_ENTRIES], &own->cursor);
}

/* Ends LMDB's transaction. If it writes and rc, its result so far, is 0, commits. Returns the
 * result. */
static int txn_finish(tmpl_txn_t *t, int rc)
{
    lmdb_store_t *store = t->ctx;
    lmdb_own_t *own = t->own;
    MDB_txn *txn = own->txn;
    own->txn = NULL;
    if (own->cursor != NULL) {
        mdb_cursor_close(own->cursor);
    }
    if (!t->write) {
        tmpl_lmdb_read_end(store->db, txn);
        return rc;
    }
    return tmpl_lmdb_write_end(store->db, txn, rc);
}

/*
 * Deletes buckets of dropped sites. While less than 1 / share of the map is free, forgets sites
 * other than t's. *made: something was deleted.
 */
static int room_make(const tmpl_txn_t *t, unsigned share, int *made)
{
    const lmdb_store_t *store = t->ctx;
    MDB_txn *txn = ((const lmdb_own_t *)t->own)->txn;
    int done, rc = tmpl_dropped_delete(store->db, txn, DELETE_BUCKETS, &done);
    *made = !done;
    for (int i = 0; rc == 0 && i < TMPL_LMDB_EVICTED_MOST &&
                    tmpl_lmdb_is_tight(store->db, store->db->map_size / share);
         i++) {
        rc = done ? tmpl_site_evict(store->db, txn, t->site) : 0;
        if (rc == 0) {
            *made = 1;
            rc = tmpl_dropped_delete(store->db, txn, DELETE_FULL, &done);
        }
    }
    return rc == MDB_NOTFOUND ? 0 : rc;
}

/*
 * Makes room in a full map, in a transaction of its own. Returns the result of the transaction that
 * found the map full: APR_EBUSY if a new try may find room.
 */
static apr_status_t map_clean(const tmpl_txn_t *full)
{
    lmdb_store_t *store = full->ctx;
    tmpl_txn_t t = *full;
    lmdb_own_t own = { .txn = NULL };
    int made = 0;
    t.own = &own;
    tmpl_lmdb_reader_check(store->db);
    if (tmpl_lmdb_write_begin(store->db, t.deadline, &own.txn) == 0) {
        int rc = tmpl_lmdb_write_end(store->db, own.txn, room_make(&t, SPARE_FULL, &made));
        /* a file that is larger than its limit may have no free page */
        made = rc == MDB_MAP_FULL ? tmpl_lmdb_grow(store->db, 0) == 0 : made && rc == 0;
    }
    return made ? tmpl_fail(full->err, APR_EBUSY, "site %s: other sites are deleted for it",
                            full->site)
                : txn_fail(full, MDB_MAP_FULL);
}

static apr_status_t lmdb_begin(tmpl_txn_t *t)
{
    const lmdb_store_t *store = t->ctx;
    lmdb_own_t *own = apr_pcalloc(t->pool, sizeof(*own));
    t->own = own;
    int rc = t->write ? tmpl_lmdb_write_begin(store->db, t->deadline, &own->txn)
                      : tmpl_lmdb_read_begin(store->db, &own->txn);
    if (rc != 0) {
        return txn_fail(t, rc);
    }
    rc = t->write && tmpl_lmdb_is_tight(store->db, 0) ? MDB_MAP_FULL : site_open(t);
    if (rc != 0) {
        txn_finish(t, rc);
    }
    return rc == MDB_MAP_FULL ? map_clean(t) : txn_fail(t, rc);
}

/*
 * Notes that a site that is only read was used. Does not wait for other writers: a later page tries
 * again.
 */
static void touch(const tmpl_txn_t *t)
{
    lmdb_store_t *store = t->ctx;
    tmpl_lmdb_site_t site = ((const lmdb_own_t *)t->own)->site;
    MDB_txn *txn;
    if (site.seen + TOUCH_AFTER >= (uint64_t)apr_time_now() ||
        tmpl_lmdb_write_begin(store->db, tmpl_clock(), &txn) != 0) {
        return;
    }
    int rc = tmpl_site_get(store->db, txn, t->site, &site);
    tmpl_lmdb_write_end(store->db, txn,
                        rc == 0 ? tmpl_site_put(store->db, txn, t->site, &site) : rc);
}

static void lmdb_end(tmpl_txn_t *t)
{
    lmdb_own_t *own = t->own;
    if (own->txn != NULL) {
        txn_finish(t, ECANCELED);
    }
    if (!t->write && t->found && t->policy != NULL) {
        touch(t);
    }
}

/* The serial under which a bucket of the site lies. */
static uint32_t serial_of(const lmdb_own_t *own, uint32_t number)
{
    return number < TMPL_LISTED ? own->site.serial : own->site.listed;
}

static apr_status_t lmdb_get(tmpl_txn_t *t, tmpl_numbered_t *buckets, uint32_t n)
{
    const lmdb_own_t *own = t->own;
    int rc = 0;
    for (uint32_t i = 0; i < n && (rc == 0 || rc == MDB_NOTFOUND); i++) {
        unsigned char bytes[TMPL_LMDB_KEY_SIZE];
        uint32_t number = buckets[i].number;
        MDB_val key = tmpl_bucket_pack(bytes, serial_of(own, number), number), data;
        rc = mdb_cursor_get(own->cursor, &key, &data, MDB_SET);
        buckets[i].is =
            rc == 0 ? (tmpl_bucket_t){ data.mv_data, data.mv_size } : (tmpl_bucket_t){ 0 };
    }
    return txn_fail(t, rc == MDB_NOTFOUND ? 0 : rc);
}

/* ---- writing ---- */

static int bucket_write(const lmdb_own_t *own, const tmpl_numbered_t *bucket)
{
    unsigned char bytes[TMPL_LMDB_KEY_SIZE];
    MDB_val key = tmpl_bucket_pack(bytes, serial_of(own, bucket->number), bucket->number);
    MDB_val data = { bucket->is.len, (void *)bucket->is.bytes };
    if (bucket->is.len > 0) {
        return mdb_cursor_put(own->cursor, &key, &data, 0);
    }
    int rc = mdb_cursor_get(own->cursor, &key, &data, MDB_SET);
    return rc == 0 ? mdb_cursor_del(own->cursor, 0) : rc == MDB_NOTFOUND ? 0 : rc;
}

/* Begins a site; replaces the site of the same name, if there is one. */
static int site_begin(tmpl_txn_t *t)
{
    lmdb_store_t *store = t->ctx;
    lmdb_own_t *own = t->own;
    int rc = tmpl_site_forget(store->db, own->txn, t->site);
    if (rc == MDB_NOTFOUND) {
        rc = tmpl_site_room(store->db, own->txn, store->opts.max_sites, t->site);
    }
    own->site = (tmpl_lmdb_site_t){ 0 };
    return rc == 0 ? tmpl_serial_draw(store->db, own->txn, &own->site.serial) : rc;
}

static apr_status_t lmdb_commit(tmpl_txn_t *t, const tmpl_numbered_t *buckets, uint32_t n)
{
    const lmdb_store_t *store = t->ctx;
    lmdb_own_t *own = t->own;
    int made, rc = t->found ? 0 : site_begin(t);
    int listed = n > 0 && buckets[0].number >= TMPL_LISTED;
    if (rc == 0 && listed && own->site.listed == 0) {
        rc = tmpl_serial_draw(store->db, own->txn, &own->site.listed);
    }
    for (uint32_t i = 0; rc == 0 && i < n; i++) {
        rc = bucket_write(own, &buckets[i]);
    }
    if (rc == 0) {
        rc = room_make(t, SPARE_ALWAYS, &made);
    }
    if (rc == 0) {
        own->site.head = t->head;
        rc = tmpl_site_put(store->db, own->txn, t->site, &own->site);
    }
    rc = txn_finish(t, rc);
    return rc == MDB_MAP_FULL ? map_clean(t) : txn_fail(t, rc);
}

/* ---- sites ---- */

static apr_status_t lmdb_sites(void *ctx, tmpl_each_site_t each, void *baton, tmpl_error_t *err,
                               apr_pool_t *pool)
{
    lmdb_store_t *store = ctx;
    MDB_cursor *cursor = NULL;
    MDB_val key, data;
    MDB_txn *txn;
    apr_status_t rv = APR_SUCCESS;
    int rc = tmpl_lmdb_read_begin(store->db, &txn);
    if (rc != 0) {
        return tmpl_lmdb_fail(store->db->dir, rc, err, "cannot list the sites");
    }
    rc = mdb_cursor_open(txn, store->db->dbi[TMPL_DB_SITES], &cursor);
    while (rc == 0 && rv == APR_SUCCESS &&
           (rc = mdb_cursor_get(cursor, &key, &data, MDB_NEXT)) == 0) {
        rv = each(baton, apr_pstrmemdup(pool, key.mv_data, key.mv_size));
    }
    if (cursor != NULL) {
        mdb_cursor_close(cursor);
    }
    tmpl_lmdb_read_end(store->db, txn);
    if (rv != APR_SUCCESS) {
        return tmpl_fail(err, rv, "listing the sites was broken off");
    }
    return rc == 0 || rc == MDB_NOTFOUND
               ? APR_SUCCESS
               : tmpl_lmdb_fail(store->db->dir, rc, err, "cannot list the sites");
}

/* Forgets the site, then deletes its buckets in slices. A map without free pages grows for that. */
static apr_status_t lmdb_forget(void *ctx, const char *name, tmpl_error_t *err, apr_pool_t *pool)
{
    lmdb_store_t *store = ctx;
    int rc, done = 0, forgotten = 0, grown = 0;
    (void)pool;
    do {
        MDB_txn *txn;
        rc = tmpl_lmdb_write_begin(store->db, tmpl_clock() + store->opts.patience, &txn);
        if (rc == 0) {
            rc = forgotten ? tmpl_dropped_delete(store->db, txn, DELETE_BATCH, &done)
                           : tmpl_site_forget(store->db, txn, name);
            rc = tmpl_lmdb_write_end(store->db, txn, rc);
        }
        forgotten |= rc == 0;
    } while ((rc == 0 && !done) ||
             (rc == MDB_MAP_FULL && grown++ < GROWN_MOST && tmpl_lmdb_grow(store->db, 0) == 0));
    return rc == 0 ? APR_SUCCESS : site_fail(store, rc, name, err, "cannot forget a site");
}

static apr_status_t lmdb_secret(void *ctx, const char *put, char is[TMPL_SECRET_SIZE],
                                apr_time_t deadline, tmpl_error_t *err, apr_pool_t *pool)
{
    const lmdb_store_t *store = ctx;
    MDB_txn *txn;
    int rc;
    (void)pool;
    if (put != NULL) {
        rc = tmpl_lmdb_write_begin(store->db, deadline, &txn);
        if (rc == 0) {
            rc = tmpl_lmdb_write_end(store->db, txn, tmpl_lmdb_secret_put(store->db, txn, put));
        }
    }
    else {
        rc = tmpl_lmdb_read_begin(store->db, &txn);
        if (rc == 0) {
            rc = tmpl_lmdb_secret_get(store->db, txn, is);
            tmpl_lmdb_read_end(store->db, txn);
        }
    }
    return rc == 0
               ? APR_SUCCESS
               : tmpl_lmdb_fail(store->db->dir, rc, err,
                                put != NULL ? "cannot set the secret" : "cannot read the secret");
}

static apr_status_t lmdb_usage(void *ctx, tmpl_store_usage_t *usage, tmpl_error_t *err)
{
    const lmdb_store_t *store = ctx;
    MDB_txn *txn;
    int rc = tmpl_lmdb_read_begin(store->db, &txn);
    if (rc == 0) {
        tmpl_lmdb_bytes(store->db, txn, &usage->bytes, &usage->max_bytes);
        usage->max_sites = store->opts.max_sites;
        rc = tmpl_sites_count(store->db, txn, &usage->sites, &usage->evicted);
        tmpl_lmdb_read_end(store->db, txn);
    }
    return rc == 0 ? APR_SUCCESS
                   : tmpl_lmdb_fail(store->db->dir, rc, err, "cannot read how full the store is");
}

/* ---- the URI ---- */

/* Reads a limit from "NAME=VALUE"; 0 if the pair has another name, or the value is out of range. */
static int limit_read(int64_t *number, const char *pair, const char *name, const tmpl_unit_t *units,
                      const char *least, const char *most)
{
    size_t len = strlen(name);
    return strncmp(pair, name, len) == 0 &&
           tmpl_number_between(number, pair + len, units, least, most);
}

/* Sets those limits in opts that uri names; the others stay as they are. */
static apr_status_t address_parse(const char *uri, tmpl_store_opts_t *opts, tmpl_error_t *err,
                                  apr_pool_t *pool)
{
    const char *most = sizeof(void *) > 4 ? "1024G" : "1G";
    int64_t size = (int64_t)opts->map_size, sites = opts->max_sites;
    char *state, *query = apr_pstrdup(pool, uri + strcspn(uri, "?"));
    if (tmpl_store_directory(uri, pool)[0] == '\0') {
        return tmpl_fail(err, APR_EINVAL, "lmdb: lacks a directory, as in lmdb:/var/lib/tmpl");
    }
    for (char *pair; (pair = apr_strtok(query, "?&", &state)) != NULL; query = NULL) {
        if (!limit_read(&size, pair, "size=", tmpl_units_bytes, "1M", most) &&
            !limit_read(&sites, pair, "sites=", tmpl_units_none, "1", "100000000")) {
            return tmpl_fail(err, APR_EINVAL,
                             "lmdb: %s is neither size from 1M to %s nor sites from 1 to 100000000",
                             pair, most);
        }
    }
    opts->map_size = (apr_size_t)size;
    opts->max_sites = (uint32_t)sites;
    return APR_SUCCESS;
}

/* ---- opening ---- */

static const char *lmdb_moved(void *ctx)
{
    const lmdb_store_t *store = ctx;
    return store->db->moved[0] != '\0' ? store->db->moved : NULL;
}

static int lmdb_is_lost(void *ctx)
{
    tmpl_lmdb_t *db = ((lmdb_store_t *)ctx)->db;
    pthread_rwlock_rdlock(&db->map_lock); /* which file it is may change when it is opened anew */
    int is_lost = tmpl_lmdb_is_lost(db);
    pthread_rwlock_unlock(&db->map_lock);
    return is_lost;
}

static apr_status_t lmdb_check(const char *uri, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_store_opts_t opts = { 0 };
    return address_parse(uri, &opts, err, pool);
}

static apr_status_t lmdb_examine(const char *uri, tmpl_error_t *err, apr_pool_t *pool)
{
    return tmpl_lmdb_examine(tmpl_store_directory(uri, pool),
                             tmpl_clock() + tmpl_store_opts_default.patience, err, pool);
}

static apr_status_t lmdb_close(void *data)
{
    lmdb_store_t *store = data;
    tmpl_lmdb_close(store->db);
    return APR_SUCCESS;
}

static apr_status_t lmdb_open(void **ctx, const char *uri, const tmpl_store_opts_t *opts,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    lmdb_store_t *store = apr_pcalloc(pool, sizeof(*store));
    store->opts = *opts;
    apr_status_t rv = address_parse(uri, &store->opts, err, pool);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = tmpl_lmdb_open(&store->db, tmpl_store_directory(uri, pool), store->opts.map_size,
                        store->opts.leaves_damaged, err);
    if (rv == APR_SUCCESS) {
        apr_pool_cleanup_register(pool, store, lmdb_close, apr_pool_cleanup_null);
        *ctx = store;
    }
    return rv;
}

const tmpl_provider_t tmpl_provider_lmdb = {
    .scheme = TMPL_STORE_LMDB,
    .check = lmdb_check,
    .open = lmdb_open,
    .begin = lmdb_begin,
    .get = lmdb_get,
    .commit = lmdb_commit,
    .end = lmdb_end,
    .sites = lmdb_sites,
    .forget = lmdb_forget,
    .secret = lmdb_secret,
    .usage = lmdb_usage,
    .moved = lmdb_moved,
    .is_lost = lmdb_is_lost,
    .examine = lmdb_examine,
};
