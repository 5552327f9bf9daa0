/* SPDX-License-Identifier: Apache-2.0 */
#include "table/lmdb/lmdb_slots.h"
#include "table/lmdb/lmdb_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>
#include <apr_tables.h>

/* Buckets deleted in a transaction, and entries imported: others get their turn in between. */
#define BATCH        256
#define BATCH_IMPORT 4096
#define GROWN_MOST   8 /* times that a map may grow for one change */
/* What a transaction of these calls waits for the writers before it. */
#define PATIENCE apr_time_from_sec(30)
/* How long an import may take before the entries of one that died are deleted. */
#define IMPORT_SECONDS 3600

apr_status_t tmpl_lmdb_site_fail(const tmpl_lmdb_store_t *store, int rc, const char *site,
                                 tmpl_error_t *err, const char *doing)
{
    if (rc == MDB_NOTFOUND) {
        return tmpl_fail(err, APR_NOTFOUND, "the store does not know the site %s", site);
    }
    if (rc == TMPL_LMDB_SITES_FULL) {
        return tmpl_fail(err, APR_ENOSPC, "site %s not learnt: the store holds %u sites, its limit",
                         site, store->opts.max_sites);
    }
    if (rc == TMPL_LMDB_SITE_DAMAGED) {
        return tmpl_fail(err, APR_EGENERAL,
                         "lmdb:%s: %s: the record of site %s in data.mdb is damaged: begin it anew "
                         "with tmplctl forget",
                         tmpl_lmdb_dir(store->db), doing, site);
    }
    return tmpl_lmdb_fail(store->db, rc, err, doing);
}

static int write_begin(tmpl_lmdb_store_t *store, MDB_txn **txn)
{
    return tmpl_lmdb_write_begin(store->db, tmpl_clock() + PATIENCE, txn);
}

/* The site's part of all pages that hold buckets, by their number. */
static uint64_t site_bytes(tmpl_lmdb_store_t *store, MDB_txn *txn, const tmpl_site_t *site)
{
    MDB_stat stat;
    int rc = mdb_stat(txn, tmpl_lmdb_dbi(store->db, TMPL_DB_ENTRIES), &stat);

    if (rc != 0 || stat.ms_entries == 0) {
        return 0;
    }
    return (uint64_t)((double)site->buckets.n / (double)stat.ms_entries * stat.ms_psize *
                      (double)(stat.ms_leaf_pages + stat.ms_branch_pages + stat.ms_overflow_pages));
}

static void stats_head(tmpl_lmdb_store_t *store, MDB_txn *txn, const tmpl_site_t *site,
                       tmpl_store_stats_t *stats)
{
    stats->pages = site->pages;
    stats->version = site->version;
    stats->entries = site->entries;
    stats->bytes = site_bytes(store, txn, site);
}

/* Collected first, so that each may itself use the store. */
static int names_read(tmpl_lmdb_store_t *store, apr_array_header_t *names)
{
    MDB_cursor *cursor;
    MDB_val key, data;
    MDB_txn *txn;
    int rc = tmpl_lmdb_read_begin(store->db, &txn);

    if (rc != 0) {
        return rc;
    }
    rc = mdb_cursor_open(txn, tmpl_lmdb_dbi(store->db, TMPL_DB_SITES), &cursor);
    if (rc == 0) {
        while ((rc = mdb_cursor_get(cursor, &key, &data, MDB_NEXT)) == 0) {
            APR_ARRAY_PUSH(names, const char *) =
                apr_pstrmemdup(names->pool, key.mv_data, key.mv_size);
        }
        mdb_cursor_close(cursor);
    }
    tmpl_lmdb_read_end(store->db, txn);
    return rc == MDB_NOTFOUND ? 0 : rc;
}

apr_status_t tmpl_lmdb_sites(void *ctx, apr_status_t (*each)(void *baton, const char *site),
                             void *baton, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_lmdb_store_t *store = ctx;
    apr_array_header_t *names = apr_array_make(pool, 64, sizeof(const char *));
    apr_status_t rv = APR_SUCCESS;
    int rc = names_read(store, names);

    if (rc != 0) {
        return tmpl_lmdb_fail(store->db, rc, err, "cannot list the sites");
    }
    for (int i = 0; rv == APR_SUCCESS && i < names->nelts; i++) {
        rv = each(baton, APR_ARRAY_IDX(names, i, const char *));
    }
    return rv == APR_SUCCESS ? rv : tmpl_fail(err, rv, "listing the sites was broken off");
}

/* One change in a transaction of its own. Where the map has no page left for it, it gets some. */
static int change(tmpl_lmdb_store_t *store,
                  int (*make)(tmpl_lmdb_store_t *store, MDB_txn *txn, void *baton), void *baton)
{
    int rc, grown = 0;

    do {
        MDB_txn *txn;

        rc = write_begin(store, &txn);
        if (rc == 0) {
            rc = tmpl_lmdb_write_end(store->db, txn, make(store, txn, baton));
        }
    } while (rc == MDB_MAP_FULL && grown++ < GROWN_MOST && tmpl_lmdb_grow(store->db) == 0);
    return rc;
}

static int forget(tmpl_lmdb_store_t *store, MDB_txn *txn, void *name)
{
    return tmpl_site_forget(store->db, txn, name);
}

static int sweep_doomed(tmpl_lmdb_store_t *store, MDB_txn *txn, void *done)
{
    return tmpl_doomed_sweep(store->db, txn, BATCH, done);
}

/* Deletes the buckets of doomed sites, a batch a transaction. */
static int doomed_delete(tmpl_lmdb_store_t *store)
{
    int done = 0, rc = 0;

    while (rc == 0 && !done) {
        rc = change(store, sweep_doomed, &done);
    }
    return rc;
}

apr_status_t tmpl_lmdb_forget(void *ctx, const char *name, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_lmdb_store_t *store = ctx;
    int rc = change(store, forget, (void *)name);

    (void)pool;
    if (rc == 0) {
        rc = doomed_delete(store);
    }
    return rc == 0 ? APR_SUCCESS
                   : tmpl_lmdb_site_fail(store, rc, name, err, "cannot forget a site");
}

typedef struct {
    apr_status_t (*each)(void *baton, const tmpl_entry_t *entry);
    void *baton;
    apr_status_t rv;
} dump_t;

static int dump_entry(void *baton, tmpl_key_t key, const tmpl_value_t *value)
{
    dump_t *dump = baton;
    tmpl_entry_t entry;

    tmpl_value_export(&entry, key, value);
    dump->rv = dump->each(dump->baton, &entry);
    return dump->rv == APR_SUCCESS ? 0 : ECANCELED;
}

static int site_walk(tmpl_lmdb_store_t *store, MDB_txn *txn, tmpl_site_t *site, dump_t *dump,
                     apr_pool_t *pool)
{
    tmpl_lmdb_buckets_t buckets;
    int rc = tmpl_lmdb_buckets_begin(&buckets, store->db, txn, site, pool);

    if (rc == 0) {
        rc = tmpl_lmdb_buckets_walk(&buckets, dump_entry, dump);
        tmpl_lmdb_buckets_end(&buckets);
    }
    return rc;
}

apr_status_t tmpl_lmdb_dump(void *ctx, const char *name, tmpl_store_stats_t *head,
                            apr_status_t (*each)(void *baton, const tmpl_entry_t *entry),
                            void *baton, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_lmdb_store_t *store = ctx;
    dump_t dump = { each, baton, APR_SUCCESS };
    tmpl_site_t site;
    MDB_txn *txn;
    int rc = tmpl_lmdb_read_begin(store->db, &txn);

    if (rc == 0) {
        rc = tmpl_site_get(store->db, txn, name, &site);
        if (rc == 0) {
            stats_head(store, txn, &site, head);
            rc = site_walk(store, txn, &site, &dump, pool);
        }
        tmpl_lmdb_read_end(store->db, txn);
    }
    if (dump.rv != APR_SUCCESS) {
        return tmpl_fail(err, dump.rv, "the export of %s was broken off", name);
    }
    return rc == 0 ? APR_SUCCESS
                   : tmpl_lmdb_site_fail(store, rc, name, err, "cannot export a site");
}

/* A new site under a serial that is doomed should this import not come to its end. */
static int load_begin(tmpl_lmdb_store_t *store, const tmpl_store_stats_t *head, tmpl_site_t *site)
{
    uint64_t until = (uint64_t)apr_time_sec(apr_time_now()) + IMPORT_SECONDS;
    MDB_txn *txn;
    int rc = write_begin(store, &txn);

    if (rc != 0) {
        return rc;
    }
    rc = tmpl_site_init(store->db, txn, site);
    if (rc == 0) {
        rc = tmpl_serial_doom(store->db, txn, site->serial, until);
    }
    site->pages = head->pages;
    site->version = head->version;
    return tmpl_lmdb_write_end(store->db, txn, rc);
}

/* An entry to be imported, and what it is sorted by. */
typedef struct {
    uint32_t order;
    const tmpl_entry_t *entry;
} placed_t;

static int placed_order(const void *a, const void *b)
{
    const placed_t *x = a, *y = b;

    return (x->order > y->order) - (x->order < y->order);
}

/* All entries in the order of the file, so that each batch writes behind the one before. */
static placed_t *entries_place(const tmpl_site_t *site, const tmpl_entry_t *entries, uint32_t n,
                               apr_pool_t *pool)
{
    placed_t *placed = apr_palloc(pool, (n + (apr_size_t)1) * sizeof(*placed));

    for (uint32_t i = 0; i < n; i++) {
        uint64_t place = tmpl_bucket_place(site->buckets.salt, entries[i].key);

        placed[i] = (placed_t){ tmpl_bits_reversed((uint32_t)place), &entries[i] };
    }
    qsort(placed, n, sizeof(*placed), placed_order);
    return placed;
}

static int load_in(tmpl_lmdb_buckets_t *buckets, const placed_t *placed, uint32_t n,
                   apr_pool_t *pool)
{
    tmpl_key_t *keys = apr_palloc(pool, n * sizeof(*keys));
    tmpl_slots_t slots;
    int rc;

    for (uint32_t i = 0; i < n; i++) {
        keys[i] = placed[i].entry->key;
    }
    tmpl_slots_make(&slots, keys, n, buckets->site, pool);
    rc = tmpl_slots_load(&slots, buckets);
    for (uint32_t i = 0; rc == 0 && i < n; i++) {
        tmpl_slot_t *slot = &slots.slots[slots.of[i]].slot;

        tmpl_value_import(&slot->value, placed[i].entry);
        slot->written = 1;
    }
    return rc == 0 ? tmpl_slots_save(&slots, buckets, NULL, 0) : rc;
}

static int load_batch(tmpl_lmdb_store_t *store, tmpl_site_t *site, const placed_t *placed,
                      uint32_t n, apr_pool_t *pool)
{
    tmpl_lmdb_buckets_t buckets;
    MDB_txn *txn;
    int rc = write_begin(store, &txn);

    if (rc != 0) {
        return rc;
    }
    rc = tmpl_lmdb_is_tight(store->db, 0)
             ? MDB_MAP_FULL
             : tmpl_lmdb_buckets_begin(&buckets, store->db, txn, site, pool);
    if (rc == 0) {
        rc = load_in(&buckets, placed, n, pool);
        tmpl_lmdb_buckets_end(&buckets);
    }
    return tmpl_lmdb_write_end(store->db, txn, rc);
}

/* Puts the new site in the place of the old. */
static int load_end(tmpl_lmdb_store_t *store, const char *name, tmpl_site_t *site)
{
    MDB_txn *txn;
    int rc = write_begin(store, &txn);

    if (rc != 0) {
        return rc;
    }
    rc = tmpl_site_forget(store->db, txn, name);
    if (rc == MDB_NOTFOUND) {
        rc = tmpl_site_room(store->db, txn, &store->opts);
    }
    if (rc == 0) {
        rc = tmpl_serial_save(store->db, txn, site->serial);
    }
    if (rc == 0) {
        rc = tmpl_site_put(store->db, txn, name, site);
    }
    return tmpl_lmdb_write_end(store->db, txn, rc);
}

/* An import that failed: its entries are of no use. */
static void load_undo(tmpl_lmdb_store_t *store, uint32_t serial)
{
    MDB_txn *txn;

    if (write_begin(store, &txn) == 0) {
        tmpl_lmdb_write_end(store->db, txn, tmpl_serial_doom(store->db, txn, serial, 0));
    }
}

apr_status_t tmpl_lmdb_load(void *ctx, const char *name, const tmpl_store_stats_t *head,
                            const tmpl_entry_t *entries, uint32_t n, tmpl_error_t *err,
                            apr_pool_t *pool)
{
    tmpl_lmdb_store_t *store = ctx;
    tmpl_site_t site = { 0 };
    const placed_t *placed;
    apr_pool_t *scratch;
    int rc = load_begin(store, head, &site);

    if (rc != 0) {
        return tmpl_lmdb_site_fail(store, rc, name, err, "cannot import a site");
    }
    site.buckets.n = tmpl_buckets_for(n);
    placed = entries_place(&site, entries, n, pool);
    apr_pool_create(&scratch, pool);
    for (uint32_t i = 0; rc == 0 && i < n; i += BATCH_IMPORT) {
        rc = load_batch(store, &site, placed + i, n - i < BATCH_IMPORT ? n - i : BATCH_IMPORT,
                        scratch);
        apr_pool_clear(scratch);
    }
    apr_pool_destroy(scratch);
    if (rc == 0) {
        rc = load_end(store, name, &site);
    }
    if (rc != 0) {
        load_undo(store, site.serial);
    }
    doomed_delete(store); /* should it fail, later writes go on with it */
    return rc == 0 ? APR_SUCCESS
                   : tmpl_lmdb_site_fail(store, rc, name, err, "cannot import a site");
}
