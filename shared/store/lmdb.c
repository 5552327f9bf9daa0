/* SPDX-License-Identifier: Apache-2.0 */
#include "store/lmdb_store.h"
#include "store/parts.h"

#include <errno.h>
#include <string.h>

#include <apr_strings.h>

/*
 * Entries the sweeper visits per page, and per entry that is new: with twice as many visits as
 * insertions, the dead that wait for it are at most a third of the table.
 */
#define SWEEP_LEAST   16
#define SWEEP_PER_NEW 2
#define SWEEP_DOOMED  64
#define SWEEP_FULL    256 /* on a full map, where nothing else is written */

/* One observation on its way through a transaction. */
typedef struct {
    tmpl_lmdb_store_t *store;
    MDB_txn *txn;
    const tmpl_observation_t *obs;
    apr_time_t deadline;
    apr_pool_t *pool;
    tmpl_lifetimes_t lifetimes;
    tmpl_counts_t *counts;
    tmpl_site_t site;
    uint32_t wanted; /* entries that were new, taken or not */
} work_t;

static tmpl_key_t document_key(uint64_t hash)
{
    tmpl_key_t key = { hash, TMPL_KIND_DOCUMENT };

    return key;
}

/* *held: where there is an entry; *live: a look-up finds it. */
static int entry_look(work_t *w, tmpl_key_t key, tmpl_value_t *value, tmpl_held_e *held, int *live)
{
    int rc = tmpl_entry_get(w->store->db, w->txn, &w->site, key, value, held);

    *live =
        rc == 0 && *held != TMPL_HELD_NOT && tmpl_value_live(value, &w->lifetimes, w->site.pages);
    return rc;
}

static int entry_write(work_t *w, tmpl_key_t key, const tmpl_value_t *value, tmpl_held_e held)
{
    return tmpl_entry_put(w->store->db, w->txn, &w->site, key, value, held, &w->lifetimes);
}

static void record_set(work_t *w, uint32_t i, const tmpl_value_t *value)
{
    w->counts->records[i] = tmpl_value_record(value);
}

static void counts_head(work_t *w, int counted)
{
    w->counts->pages = w->site.pages;
    w->counts->version = w->site.version;
    w->counts->counted = counted;
}

/* The counts as they stand. */
static int look(work_t *w)
{
    for (uint32_t i = 0; i < w->obs->n; i++) {
        tmpl_value_t value;
        tmpl_held_e held;
        int live;
        int rc = entry_look(w, w->obs->keys[i], &value, &held, &live);

        if (rc != 0) {
            return rc;
        }
        if (live) {
            record_set(w, i, &value);
        }
    }
    counts_head(w, 0);
    return 0;
}

/* last = now in the live entries of the keys from one on. */
static int keys_refresh(work_t *w, uint32_t from)
{
    int rc = 0;

    for (uint32_t i = from; rc == 0 && i < w->obs->n; i++) {
        tmpl_value_t value;
        tmpl_held_e held;
        int live;

        rc = entry_look(w, w->obs->keys[i], &value, &held, &live);
        if (rc == 0 && live) {
            value.last = w->site.pages;
            record_set(w, i, &value);
            rc = entry_write(w, w->obs->keys[i], &value, held);
        }
    }
    return rc;
}

/* Step 2 of learning, for a text seen long enough ago. */
static int refresh(work_t *w, tmpl_value_t *text, tmpl_held_e held)
{
    int rc;

    text->last = w->site.pages;
    rc = entry_write(w, document_key(w->obs->document->text), text, held);
    if (rc == 0) {
        rc = keys_refresh(w, 0);
    }
    counts_head(w, 0);
    return rc;
}

/* Step 3 of learning, for one key; *times: how often its text is repeated text of a path. */
static int key_count(work_t *w, uint32_t i, int counted, unsigned char *times)
{
    const tmpl_observation_t *obs = w->obs;
    tmpl_value_t value;
    tmpl_held_e held;
    uint32_t before;
    int live;
    int rc = entry_look(w, obs->keys[i], &value, &held, &live);

    if (rc != 0) {
        return rc;
    }
    w->wanted += held == TMPL_HELD_NOT;
    if (held == TMPL_HELD_NOT && w->site.entries >= obs->policy->max_entries) {
        return 0;
    }
    before = live ? value.df : 0;
    w->site.version += (uint64_t)tmpl_value_count(&value, live, (uint16_t)obs->document->id,
                                                  counted, w->site.pages, obs->policy->min_df);
    *times = (unsigned char)tmpl_share_times(before, value.df);
    record_set(w, i, &value);
    return entry_write(w, obs->keys[i], &value, held);
}

/* Learning for the key of one path, of a document that counts. */
static int path_count(work_t *w, uint32_t i, const tmpl_credit_t *credit)
{
    tmpl_value_t value;
    tmpl_held_e held;
    int live;
    int rc = entry_look(w, w->obs->keys[i], &value, &held, &live);

    if (rc != 0) {
        return rc;
    }
    if (!credit->named) {
        if (live) {
            record_set(w, i, &value);
        }
        return 0;
    }
    w->wanted += held == TMPL_HELD_NOT;
    if (held == TMPL_HELD_NOT && w->site.entries >= w->obs->policy->max_entries) {
        return 0;
    }
    tmpl_value_path(&value, live, credit->text, credit->repeated, w->site.pages);
    record_set(w, i, &value);
    return entry_write(w, w->obs->keys[i], &value, held);
}

static int keys_count(work_t *w, int counted)
{
    const tmpl_observation_t *obs = w->obs;
    uint32_t n_segments = tmpl_observation_segments(obs);
    unsigned char *times = apr_pcalloc(w->pool, n_segments + (apr_size_t)1);
    const tmpl_credit_t *credits;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < n_segments; i++) {
        rc = key_count(w, i, counted, &times[i]);
    }
    if (rc != 0 || !counted) {
        return rc != 0 ? rc : keys_refresh(w, n_segments);
    }
    credits = tmpl_parts_credit(obs, times, w->pool);
    for (uint32_t i = n_segments; rc == 0 && i < obs->n; i++) {
        rc = path_count(w, i, &credits[i - n_segments]);
    }
    return rc;
}

static int document_enter(work_t *w, uint64_t hash)
{
    tmpl_value_t value;
    tmpl_held_e held;
    int live;
    int rc = entry_look(w, document_key(hash), &value, &held, &live);

    if (rc != 0) {
        return rc;
    }
    tmpl_value_document(&value, w->site.pages);
    return entry_write(w, document_key(hash), &value, held);
}

/* Steps 1 and 3 of learning. */
static int count(work_t *w, int id_live)
{
    const tmpl_observation_t *obs = w->obs;
    int counted = !id_live && w->site.pages < UINT32_MAX;
    int rc;

    w->site.pages += (uint32_t)counted;
    rc = keys_count(w, counted);
    if (rc == 0) {
        rc = document_enter(w, obs->document->id);
    }
    if (rc == 0) {
        rc = document_enter(w, obs->document->text);
    }
    counts_head(w, counted);
    return rc;
}

/* The site as it stands, or as it would begin: what is not there has no pages and no entries. */
static int site_find(work_t *w, int *known)
{
    int rc = tmpl_site_get(w->store->db, w->txn, w->obs->site, &w->site);

    *known = rc == 0;
    if (rc == MDB_NOTFOUND) {
        memset(&w->site, 0, sizeof(w->site));
        rc = 0;
    }
    return rc;
}

/* Learning within a write transaction. */
static int learn_in(work_t *w)
{
    tmpl_lmdb_t *db = w->store->db;
    tmpl_value_t id, text;
    tmpl_held_e held;
    int known, id_live, text_live, done;
    int rc = site_find(w, &known);

    if (rc == 0 && !known) {
        rc = tmpl_site_room(db, w->txn, &w->store->opts);
        if (rc == 0) {
            rc = tmpl_site_init(db, w->txn, &w->site);
        }
    }
    if (rc == 0) {
        rc = entry_look(w, document_key(w->obs->document->id), &id, &held, &id_live);
    }
    if (rc == 0) {
        rc = entry_look(w, document_key(w->obs->document->text), &text, &held, &text_live);
    }
    if (rc != 0) {
        return rc;
    }
    if (text_live && tmpl_value_fresh(&text, w->obs->policy, w->site.pages)) {
        return look(w); /* somebody else was faster */
    }
    rc = text_live ? refresh(w, &text, held) : count(w, id_live);
    if (rc == 0) {
        rc = tmpl_site_sweep(db, w->txn, &w->site, &w->lifetimes,
                             SWEEP_LEAST + SWEEP_PER_NEW * w->wanted);
    }
    if (rc == 0) {
        rc = tmpl_doomed_sweep(db, w->txn, SWEEP_DOOMED, &done);
    }
    if (rc == 0) {
        w->site.seen = (uint64_t)apr_time_sec(apr_time_now());
        rc = tmpl_site_put(db, w->txn, w->obs->site, &w->site);
    }
    return rc;
}

/* What a full map still allows: deleting what is dead. */
static int clean_in(work_t *w)
{
    tmpl_lmdb_t *db = w->store->db;
    int known, done = 1;
    int rc = tmpl_doomed_sweep(db, w->txn, SWEEP_FULL, &done);

    if (rc == 0 && done) {
        rc = tmpl_site_forget_idle(db, w->txn, &w->store->opts);
        rc = rc == MDB_NOTFOUND ? 0 : rc;
    }
    if (rc == 0) {
        rc = site_find(w, &known);
    }
    if (rc == 0 && known) {
        rc = tmpl_site_sweep(db, w->txn, &w->site, &w->lifetimes, SWEEP_FULL);
        if (rc == 0) {
            rc = tmpl_site_put(db, w->txn, w->obs->site, &w->site);
        }
    }
    return rc;
}

static void clean(work_t *w)
{
    if (tmpl_lmdb_write_begin(w->store->db, w->deadline, &w->txn) == 0) {
        tmpl_lmdb_write_end(w->store->db, w->txn, clean_in(w));
    }
}

static int learn(work_t *w)
{
    tmpl_lmdb_t *db = w->store->db;
    int rc = tmpl_lmdb_write_begin(db, w->deadline, &w->txn);

    if (rc != 0) {
        return rc;
    }
    rc = tmpl_lmdb_is_tight(db) ? MDB_MAP_FULL : learn_in(w);
    rc = tmpl_lmdb_write_end(db, w->txn, rc);
    if (rc == MDB_MAP_FULL) {
        tmpl_lmdb_reader_check(db);
        clean(w);
    }
    return rc;
}

/* Keeps a site that is only read from looking idle; should it fail, a next page tries again. */
static void touch(work_t *w)
{
    tmpl_lmdb_t *db = w->store->db;
    uint64_t now = (uint64_t)apr_time_sec(apr_time_now());
    int rc;

    if (w->site.seen + (uint64_t)apr_time_sec(w->store->opts.idle) / 16 >= now ||
        tmpl_lmdb_write_begin(db, w->deadline, &w->txn) != 0) {
        return;
    }
    rc = tmpl_site_get(db, w->txn, w->obs->site, &w->site);
    if (rc == 0) {
        w->site.seen = now;
        rc = tmpl_site_put(db, w->txn, w->obs->site, &w->site);
    }
    tmpl_lmdb_write_end(db, w->txn, rc);
}

/*
 * What a read transaction can do: all of it if nothing is to be learnt (*done), otherwise nothing.
 */
static int read_only(work_t *w, int learning, int *done)
{
    tmpl_lmdb_t *db = w->store->db;
    tmpl_value_t text;
    tmpl_held_e held;
    int known, live = 0;
    int rc = tmpl_lmdb_read_begin(db, &w->txn);

    if (rc != 0) {
        return rc;
    }
    rc = site_find(w, &known);
    if (rc == 0 && learning && known) {
        rc = entry_look(w, document_key(w->obs->document->text), &text, &held, &live);
        live = live && tmpl_value_fresh(&text, w->obs->policy, w->site.pages);
    }
    *done = !learning || live;
    if (rc == 0 && *done && known) {
        rc = look(w);
    }
    tmpl_lmdb_read_end(db, w->txn);
    if (rc == 0 && *done && known) {
        touch(w);
    }
    return rc;
}

static apr_status_t observe(void *ctx, const tmpl_observation_t *obs, apr_time_t deadline,
                            tmpl_counts_t *counts, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_lmdb_store_t *store = ctx;
    work_t w = { .store = store, .obs = obs, .deadline = deadline, .pool = pool, .counts = counts };
    tmpl_counts_t none = { .records = counts->records };
    int done = 1, full = 0, rc;

    tmpl_lifetimes_init(&w.lifetimes, obs->policy);
    rc = read_only(&w, obs->learn, &done);
    if (rc == 0 && !done) {
        rc = learn(&w);
        full = rc;
        if (rc == TMPL_LMDB_SITES_FULL || tmpl_lmdb_is_full(rc)) {
            /* forget what the failed transaction counted */
            *counts = none;
            memset(counts->records, 0, obs->n * sizeof(*counts->records));
            rc = read_only(&w, 0, &done);
        }
    }
    if (rc != 0) {
        return tmpl_lmdb_fail(store->db, rc, err, "cannot observe a page");
    }
    if (full == TMPL_LMDB_SITES_FULL) {
        return tmpl_fail(err, APR_ENOSPC, "site %s not learnt: the store holds %u sites, its limit",
                         obs->site, store->opts.max_sites);
    }
    return full == 0 ? APR_SUCCESS : tmpl_lmdb_fail(store->db, full, err, "cannot learn a page");
}

static const char *uri_dir(const char *uri)
{
    return uri + strlen(tmpl_provider_lmdb.scheme);
}

static apr_status_t check(const char *uri, tmpl_error_t *err, apr_pool_t *pool)
{
    (void)pool;
    if (uri_dir(uri)[0] == '\0') {
        return tmpl_fail(err, APR_EINVAL, "lmdb: lacks a directory, as in lmdb:/var/lib/tmpl");
    }
    return APR_SUCCESS;
}

static apr_status_t store_close(void *data)
{
    tmpl_lmdb_store_t *store = data;

    tmpl_lmdb_close(store->db);
    return APR_SUCCESS;
}

static apr_status_t store_open(void **ctx, const char *uri, const tmpl_store_opts_t *opts,
                               tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_lmdb_store_t *store = apr_pcalloc(pool, sizeof(*store));
    apr_status_t rv = check(uri, err, pool);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    store->opts = *opts;
    rv = tmpl_lmdb_open(&store->db, uri_dir(uri), opts->map_size, err);
    if (rv == APR_SUCCESS) {
        apr_pool_cleanup_register(pool, store, store_close, apr_pool_cleanup_null);
        *ctx = store;
    }
    return rv;
}

const tmpl_provider_t tmpl_provider_lmdb = {
    .scheme = "lmdb:",
    .check = check,
    .open = store_open,
    .observe = observe,
    .sites = tmpl_lmdb_sites,
    .forget = tmpl_lmdb_forget,
    .dump = tmpl_lmdb_dump,
    .load = tmpl_lmdb_load,
};
