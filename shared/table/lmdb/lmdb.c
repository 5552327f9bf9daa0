/* SPDX-License-Identifier: Apache-2.0 */
#include "table/lmdb/lmdb_slots.h"
#include "table/lmdb/lmdb_store.h"

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

/*
 * Changes one by one leave the file's pages half-empty by and by, those of many pages at once soon. So all buckets are
 * put in order when one in so many entries is new since the last time, or by one transaction.
 */
#define NEW_PER_ORDER 8
#define NEW_AT_ONCE   16
#define ENTRY_USUAL   24 /* bytes of an entry in the file, and some to spare */

/* Keys of the pages that one transaction learns, about: others get their turn in between. */
#define KEYS_MOST 40000

/* Pages of one site on their way through a transaction: nothing is written before all are counted. */
typedef struct {
    tmpl_lmdb_store_t *store;
    MDB_txn *txn;
    apr_time_t deadline;
    apr_pool_t *pool;
    tmpl_site_t site;
    tmpl_lmdb_buckets_t buckets; /* of site */
    tmpl_slots_t slots;
    uint32_t counted; /* documents */
    uint64_t ordered; /* entries of sites whose buckets this transaction has put in order */
} work_t;

/* One of them. */
typedef struct {
    tmpl_rules_page_t rules; /* its slots are filled when they are loaded */
    tmpl_counts_t *counts;   /* NULL: nobody wants to know */
} page_t;

/* What the rules are told of the site, and what they make of it. */
static tmpl_rules_site_t rules_site(const work_t *w)
{
    return (tmpl_rules_site_t){ w->site.pages, w->site.version, w->site.entries };
}

/* Counts that nobody looks at. */
static tmpl_counts_t counts_unseen(const tmpl_observation_t *obs, apr_pool_t *pool)
{
    return (tmpl_counts_t){ .records = apr_pcalloc(pool, (obs->n + (apr_size_t)1) *
                                                             sizeof(tmpl_record_t)) };
}

/* Learning of one page, in memory; whether anything has been written. */
static int page_learn(work_t *w, const page_t *page, tmpl_rules_site_t *site)
{
    tmpl_counts_t unseen, *counts = page->counts;
    int written;

    if (counts == NULL) {
        unseen = counts_unseen(page->rules.obs, w->pool);
        counts = &unseen;
    }
    written = tmpl_rules_learn(&page->rules, site, counts, w->pool);
    w->counted += (uint32_t)counts->counted;
    return written;
}

/* The site as it stands, or as it would begin: what is not there has no pages and no entries. */
static int site_find(work_t *w, const char *name, int *known)
{
    int rc = tmpl_site_get(w->store->db, w->txn, name, &w->site);

    *known = rc == 0;
    if (rc == MDB_NOTFOUND) {
        memset(&w->site, 0, sizeof(w->site));
        rc = 0;
    }
    return rc;
}

/* A page's keys and documents; returns where the next page's go. */
static tmpl_key_t *keys_fill(tmpl_key_t *keys, const tmpl_observation_t *obs)
{
    if (obs->n > 0) {
        memcpy(keys, obs->keys, obs->n * sizeof(*keys));
    }
    keys[obs->n] = tmpl_document_id(obs->document);
    keys[obs->n + 1] = tmpl_document_text(obs->document);
    return keys + obs->n + 2;
}

/* Reads all that pages need of their site. */
static int pages_load(work_t *w, page_t *pages, uint32_t n)
{
    tmpl_key_t *keys, *at;
    tmpl_slot_t **slots;
    apr_size_t total = 0;

    for (uint32_t i = 0; i < n; i++) {
        total += pages[i].rules.obs->n + 2;
    }
    keys = at = apr_palloc(w->pool, total * sizeof(*keys));
    for (uint32_t i = 0; i < n; i++) {
        at = keys_fill(at, pages[i].rules.obs);
    }
    tmpl_slots_make(&w->slots, keys, (uint32_t)total, &w->site, w->pool);
    slots = apr_palloc(w->pool, total * sizeof(*slots));
    for (apr_size_t i = 0; i < total; i++) {
        slots[i] = &w->slots.slots[w->slots.of[i]].slot;
    }
    for (uint32_t i = 0; i < n; i++) {
        pages[i].rules.slots = slots;
        slots += pages[i].rules.obs->n;
        pages[i].rules.id = *slots++;
        pages[i].rules.text = *slots++;
    }
    return tmpl_slots_load(&w->slots, &w->buckets);
}

/* Entries that are new to the site, be there room for them or not. */
static uint32_t new_entries(const work_t *w)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->slots.n; i++) {
        n += !w->slots.slots[i].held;
    }
    return n;
}

/*
 * Whether all buckets of the site are to be written in order, now that so many pages have been counted that bring so
 * many new entries: many at once always, others whenever the clock passes a multiple of so many pages as
 * bring, if they are like these, one new entry in NEW_PER_ORDER.
 */
static int is_to_be_ordered(const tmpl_site_t *site, uint32_t counted, uint32_t n_new)
{
    uint64_t entries = site->entries + n_new, pages = 1;

    while (pages <= site->pages && pages * n_new * NEW_PER_ORDER < entries * counted) {
        pages *= 2;
    }
    return site->pages % pages < counted || (uint64_t)n_new * NEW_AT_ONCE > entries;
}

/* Whether the map has room for the buckets in order beside the old ones, which are deleted by and by. */
static int has_room_for_order(work_t *w, uint32_t n_new)
{
    w->ordered += w->site.entries + n_new;
    return !tmpl_lmdb_is_tight(w->store->db, w->ordered * ENTRY_USUAL);
}

/* Writes what so many pages have changed, of which so many have been counted, and sweeps. */
static int pages_save(work_t *w, const tmpl_observation_t *last, uint32_t changes, uint32_t counted)
{
    tmpl_lmdb_t *db = w->store->db;
    tmpl_lifetimes_t lifetimes;
    uint32_t n_new = new_entries(w);
    int done, rc;
    int all = is_to_be_ordered(&w->site, counted, n_new) && has_room_for_order(w, n_new);

    tmpl_lifetimes_init(&lifetimes, last->policy);
    rc = tmpl_slots_save(&w->slots, &w->buckets, &lifetimes, all);
    if (rc == 0 && !all) {
        rc = tmpl_lmdb_buckets_sweep(&w->buckets, &lifetimes,
                                     changes * SWEEP_LEAST + SWEEP_PER_NEW * n_new);
    }
    if (rc == 0) {
        rc = tmpl_lmdb_buckets_shrink(&w->buckets);
    }
    if (rc == 0) {
        rc = tmpl_doomed_sweep(db, w->txn, changes * SWEEP_DOOMED, &done);
    }
    if (rc == 0) {
        w->site.seen = (uint64_t)apr_time_sec(apr_time_now());
        rc = tmpl_site_put(db, w->txn, last->site, &w->site);
    }
    return rc;
}

/* Learning of pages of one site that has been found, or begun. */
static int pages_learn(work_t *w, page_t *pages, uint32_t n)
{
    uint32_t changes = 0, before = w->site.pages;
    tmpl_rules_site_t site;
    int rc = pages_load(w, pages, n);

    if (rc != 0) {
        return rc;
    }
    site = rules_site(w);
    for (uint32_t i = 0; i < n; i++) {
        changes += (uint32_t)page_learn(w, &pages[i], &site);
    }
    w->site.pages = site.pages;
    w->site.version = site.version;
    return changes > 0 ? pages_save(w, pages[n - 1].rules.obs, changes, site.pages - before) : 0;
}

/* Learning of pages of one site within a write transaction. */
static int learn_in(work_t *w, page_t *pages, uint32_t n)
{
    tmpl_lmdb_t *db = w->store->db;
    int known;
    int rc = site_find(w, pages[0].rules.obs->site, &known);

    if (rc == 0 && !known) {
        rc = tmpl_site_room(db, w->txn, &w->store->opts);
        if (rc == 0) {
            rc = tmpl_site_init(db, w->txn, &w->site);
        }
    }
    if (rc == 0) {
        rc = tmpl_lmdb_buckets_begin(&w->buckets, db, w->txn, &w->site, w->pool);
    }
    if (rc == 0) {
        rc = pages_learn(w, pages, n);
        tmpl_lmdb_buckets_end(&w->buckets);
    }
    return rc;
}

/* Takes away what is dead of a site. */
static int site_clean(work_t *w, const tmpl_observation_t *page)
{
    tmpl_lmdb_t *db = w->store->db;
    tmpl_lifetimes_t lifetimes;
    int rc = tmpl_lmdb_buckets_begin(&w->buckets, db, w->txn, &w->site, w->pool);

    if (rc != 0) {
        return rc;
    }
    tmpl_lifetimes_init(&lifetimes, page->policy);
    rc = tmpl_lmdb_buckets_sweep(&w->buckets, &lifetimes, SWEEP_FULL);
    if (rc == 0) {
        rc = tmpl_lmdb_buckets_shrink(&w->buckets);
    }
    tmpl_lmdb_buckets_end(&w->buckets);
    return rc == 0 ? tmpl_site_put(db, w->txn, page->site, &w->site) : rc;
}

/* What a full map still allows: deleting what is dead. */
static int clean_in(work_t *w, const tmpl_observation_t *page)
{
    tmpl_lmdb_t *db = w->store->db;
    int known, done = 1;
    int rc = tmpl_doomed_sweep(db, w->txn, SWEEP_FULL, &done);

    if (rc == 0 && done) {
        rc = tmpl_site_forget_idle(db, w->txn, &w->store->opts);
        rc = rc == MDB_NOTFOUND ? 0 : rc;
    }
    if (rc == 0) {
        rc = site_find(w, page->site, &known);
        rc = rc == TMPL_LMDB_SITE_DAMAGED ? 0 : rc;
    }
    return rc == 0 && known ? site_clean(w, page) : rc;
}

static void clean(work_t *w, const tmpl_observation_t *page)
{
    if (tmpl_lmdb_write_begin(w->store->db, w->deadline, &w->txn) == 0) {
        tmpl_lmdb_write_end(w->store->db, w->txn, clean_in(w, page));
    }
}

/*
 * Learns pages in one transaction, site by site, keeping the order of each one's. A site there is no room
 * for is left out: *refused is its name, and that of one that fails. The pages are used up.
 */
static int learn(work_t *w, page_t *pages, uint32_t n, const char **refused)
{
    tmpl_lmdb_t *db = w->store->db;
    page_t *same = apr_palloc(w->pool, n * sizeof(*same));
    const tmpl_observation_t *first = pages[0].rules.obs;
    int rc = tmpl_lmdb_write_begin(db, w->deadline, &w->txn);

    if (rc != 0) {
        return rc;
    }
    rc = tmpl_lmdb_is_tight(db, 0) ? MDB_MAP_FULL : 0;
    while (rc == 0 && n > 0) {
        const char *name = pages[0].rules.obs->site;
        uint32_t n_same = 0, left = 0;

        for (uint32_t i = 0; i < n; i++) {
            *(strcmp(pages[i].rules.obs->site, name) == 0 ? &same[n_same++] : &pages[left++]) =
                pages[i];
        }
        n = left;
        rc = learn_in(w, same, n_same);
        if (rc != 0) {
            *refused = name;
            rc = rc == TMPL_LMDB_SITES_FULL ? 0 : rc;
        }
    }
    rc = tmpl_lmdb_write_end(db, w->txn, rc);
    if (rc == MDB_MAP_FULL) {
        tmpl_lmdb_reader_check(db);
        clean(w, first);
    }
    return rc;
}

/* Keeps a site that is only read from looking idle; should it fail, a next page tries again. */
static void touch(work_t *w, const char *name)
{
    tmpl_lmdb_t *db = w->store->db;
    uint64_t now = (uint64_t)apr_time_sec(apr_time_now());
    int rc;

    if (w->site.seen + (uint64_t)apr_time_sec(w->store->opts.idle) / 16 >= now ||
        tmpl_lmdb_write_begin(db, w->deadline, &w->txn) != 0) {
        return;
    }
    rc = tmpl_site_get(db, w->txn, name, &w->site);
    if (rc == 0) {
        w->site.seen = now;
        rc = tmpl_site_put(db, w->txn, name, &w->site);
    }
    tmpl_lmdb_write_end(db, w->txn, rc);
}

/* Whether the page's text is so fresh that learning it now would write nothing. */
static int text_find(work_t *w, const tmpl_observation_t *obs, int *fresh)
{
    tmpl_key_t key = tmpl_document_text(obs->document);
    tmpl_lifetimes_t lifetimes;
    const tmpl_value_t *text;
    int rc;

    tmpl_slots_make(&w->slots, &key, 1, &w->site, w->pool);
    rc = tmpl_slots_load(&w->slots, &w->buckets);
    text = &w->slots.slots[0].slot.value;
    tmpl_lifetimes_init(&lifetimes, obs->policy);
    *fresh = rc == 0 && tmpl_value_live(text, &lifetimes, w->site.pages) &&
             tmpl_value_fresh(text, obs->policy, w->site.pages);
    return rc;
}

/* What is to be known of a page of a site that has been looked for. */
static int page_look(work_t *w, page_t *page, tmpl_learning_e learning, int *done)
{
    tmpl_rules_site_t site = rules_site(w);
    int rc = learning == TMPL_LEARNING_NOW ? text_find(w, page->rules.obs, done) : 0;

    if (rc == 0 && *done) {
        rc = pages_load(w, page, 1);
    }
    if (rc != 0 || !*done) {
        return rc;
    }
    if (learning == TMPL_LEARNING_LATER) {
        page->counts->due = page_learn(w, page, &site);
    }
    else {
        tmpl_rules_look(&page->rules, &site, page->counts);
    }
    return 0;
}

/* The same within a read transaction. */
static int read_in(work_t *w, page_t *page, tmpl_learning_e learning, int *done)
{
    int known;
    int rc = site_find(w, page->rules.obs->site, &known);

    *done = 1;
    if (rc == 0) {
        rc = tmpl_lmdb_buckets_begin_reading(&w->buckets, w->store->db, w->txn, &w->site,
                                             w->store->notes, w->pool);
    }
    if (rc == 0) {
        rc = page_look(w, page, learning, done);
        tmpl_lmdb_buckets_end_reading(&w->buckets, w->store->notes);
    }
    return rc;
}

/* What a read transaction can do: all of it (*done), but for a page that is to be learnt now. */
static int read_only(work_t *w, page_t *page, tmpl_learning_e learning, int *done)
{
    tmpl_lmdb_t *db = w->store->db;
    int rc = tmpl_lmdb_read_begin(db, &w->txn);

    if (rc != 0) {
        return rc;
    }
    rc = read_in(w, page, learning, done);
    tmpl_lmdb_read_end(db, w->txn);
    if (rc == 0 && *done && !page->counts->due && w->site.serial != 0) {
        touch(w, page->rules.obs->site);
    }
    return rc;
}

/* What learning came to, for who is told. */
static apr_status_t learn_status(const tmpl_lmdb_store_t *store, int rc, const char *refused,
                                 tmpl_error_t *err)
{
    if (rc == 0 && refused == NULL) {
        return APR_SUCCESS;
    }
    return tmpl_lmdb_site_fail(store, rc != 0 ? rc : TMPL_LMDB_SITES_FULL, refused, err,
                               "cannot learn a page");
}

static apr_status_t observe(void *ctx, const tmpl_observation_t *obs, apr_time_t deadline,
                            tmpl_counts_t *counts, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_lmdb_store_t *store = ctx;
    work_t w = { .store = store, .deadline = deadline, .pool = pool };
    page_t page = { .rules = { .obs = obs }, .counts = counts }, learnt = page;
    tmpl_counts_t none = { .records = counts->records };
    const char *refused = NULL;
    int done = 1, full = 0;
    int rc = read_only(&w, &page, obs->learn, &done);

    if (rc == 0 && !done) {
        rc = full = learn(&w, &learnt, 1, &refused);
        if ((rc == 0 && refused != NULL) || tmpl_lmdb_is_full(rc)) {
            /* forget what the failed transaction counted */
            *counts = none;
            memset(counts->records, 0, obs->n * sizeof(*counts->records));
            rc = read_only(&w, &page, TMPL_LEARNING_OFF, &done);
        }
    }
    if (rc != 0) {
        return tmpl_lmdb_site_fail(store, rc, obs->site, err, "cannot observe a page");
    }
    return learn_status(store, full, refused, err);
}

/* The pages of the next transaction, and counts of each or NULL; returns their number. */
static uint32_t batch_fill(page_t *batch, const tmpl_observation_t *const *pages, uint32_t n,
                           tmpl_counts_t *counts)
{
    apr_size_t keys = 0;
    uint32_t i = 0;

    while (i < n && i < TMPL_BATCH_MOST && (i == 0 || keys + pages[i]->n <= KEYS_MOST)) {
        keys += pages[i]->n;
        batch[i] =
            (page_t){ .rules = { .obs = pages[i] }, .counts = counts != NULL ? &counts[i] : NULL };
        i++;
    }
    return i;
}

static apr_status_t learn_all(void *ctx, const tmpl_observation_t *const *pages, uint32_t n,
                              apr_time_t deadline, tmpl_counts_t *counts, uint32_t *counted,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_lmdb_store_t *store = ctx;
    const char *refused = NULL;
    page_t batch[TMPL_BATCH_MOST];
    apr_pool_t *scratch;
    uint32_t size;
    int rc = 0;

    apr_pool_create(&scratch, pool);
    for (uint32_t i = 0; rc == 0 && i < n; i += size) {
        work_t w = { .store = store, .deadline = deadline, .pool = scratch };

        size = batch_fill(batch, pages + i, n - i, counts != NULL ? counts + i : NULL);
        rc = learn(&w, batch, size, &refused);
        *counted += rc == 0 ? w.counted : 0;
        apr_pool_clear(scratch);
    }
    apr_pool_destroy(scratch);
    return learn_status(store, rc, refused, err);
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
    store->notes = tmpl_lmdb_notes_create(pool);
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
    .learn = learn_all,
    .sites = tmpl_lmdb_sites,
    .forget = tmpl_lmdb_forget,
    .dump = tmpl_lmdb_dump,
    .load = tmpl_lmdb_load,
};
