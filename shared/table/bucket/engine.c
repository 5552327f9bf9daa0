/* SPDX-License-Identifier: Apache-2.0 */
#include "table/engine.h"

#include <string.h>

#include <apr_general.h>

#include "base/slot.h"
#include "table/bucket/buckets.h"

#define GUESSES_MOST 5     /* wrong heads in a row */
#define SWEPT_LEAST  2     /* buckets that learning sweeps, and one more a page */
#define AHEAD        8     /* entries: prefetch distance */
#define DUMP_MOST    65536 /* buckets that an export reads at once */

/* The random wait before a refused transaction is tried again; it doubles with each refusal. */
#define PAUSE_LEAST   apr_time_from_msec(1)
#define PAUSE_DOUBLED 4 /* times at most */

/* An entry that some page needs, or that an import brings. */
typedef struct {
    tmpl_key_t key;
    uint32_t rank;
    uint32_t bucket; /* index of its bucket in work_t.buckets */
    tmpl_slot_t slot;
} entry_t;

/* A transaction at work. */
typedef struct {
    const tmpl_provider_t *provider;
    tmpl_txn_t *txn;
    apr_pool_t *pool;
    const tmpl_key_t *keys; /* of all pages, a key perhaps more than once */
    uint32_t n_keys;
    tmpl_slot_t **slots; /* of each key */
    entry_t *entries;    /* one for each key, in the order of their ranks */
    uint32_t n;
    tmpl_numbered_t *buckets; /* those that were read, then those that were split off */
    unsigned char *changed;   /* of each bucket: it is to be written */
    uint32_t n_buckets;
    uint32_t *index; /* of buckets by their numbers: open addressing, 1 + index, 0: free */
    uint32_t n_index;
    uint32_t swept; /* the head's next swept */
    tmpl_bucket_scratch_t scratch;
    tmpl_bucket_limit_t limit;
    tmpl_lifetimes_t lifetimes;
} work_t;

/* Begins a transaction, in a pool of its own. If that fails there is nothing to end. */
static apr_status_t work_begin(work_t *w, const tmpl_engine_t *engine, tmpl_txn_t *txn,
                               apr_pool_t *pool)
{
    *w = (work_t){ .provider = engine->provider, .txn = txn };
    txn->ctx = engine->ctx;
    apr_pool_create(&txn->pool, pool);
    w->pool = w->scratch.pool = txn->pool;
    apr_status_t rv = engine->provider->begin(txn);
    if (rv != APR_SUCCESS) {
        apr_pool_destroy(txn->pool);
    }
    return rv;
}

static apr_status_t work_end(work_t *w, apr_status_t rv)
{
    w->provider->end(w->txn);
    apr_pool_destroy(w->pool);
    return rv;
}

/* ---- keys and entries ---- */

/* A key by its number, and what it is sorted by. */
typedef struct {
    uint32_t rank;
    uint32_t key;
} ref_t;

_Static_assert(sizeof(entry_t) + 2 * sizeof(ref_t) + sizeof(tmpl_slot_t *) <= TMPL_STORE_KEY_BYTES,
               "what entries_make() takes for a key");

/* Radix sort by rank. Equal ranks keep their order. The result is in refs. */
static void refs_sort(ref_t *refs, ref_t *spare, uint32_t n)
{
    for (unsigned shift = 0; shift < 32; shift += 8) {
        uint32_t at[256] = { 0 }, sum = 0;
        for (uint32_t i = 0; i < n; i++) {
            at[refs[i].rank >> shift & 255]++;
        }
        for (unsigned digit = 0; digit < 256; digit++) {
            uint32_t count = at[digit];
            at[digit] = sum;
            sum += count;
        }
        for (uint32_t i = 0; i < n; i++) {
            spare[at[refs[i].rank >> shift & 255]++] = refs[i];
        }
        ref_t *sorted = spare;
        spare = refs;
        refs = sorted;
    }
}

/* The entry of a key, if it was made: one of the last, which have its rank. Mostly there is one. */
static entry_t *entry_find(const work_t *w, tmpl_key_t key, uint32_t rank)
{
    for (uint32_t i = w->n; i > 0 && w->entries[i - 1].rank == rank; i--) {
        entry_t *entry = &w->entries[i - 1];
        if (entry->key.hash == key.hash && entry->key.kind == key.kind) {
            return entry;
        }
    }
    return NULL;
}

/* Makes one entry for each distinct key, in the order of ranks, and points slots to them. */
static void entries_make(work_t *w)
{
    apr_size_t n = w->n_keys;
    ref_t *refs = apr_palloc(w->pool, (n + 1) * sizeof(*refs));
    for (uint32_t i = 0; i < n; i++) {
        refs[i] = (ref_t){ tmpl_bucket_rank(w->txn->head.salt, w->keys[i]), i };
    }
    refs_sort(refs, apr_palloc(w->pool, (n + 1) * sizeof(*refs)), w->n_keys);
    w->entries = apr_palloc(w->pool, (n + 1) * sizeof(*w->entries));
    w->slots = apr_palloc(w->pool, (n + 1) * sizeof(*w->slots));
    w->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        tmpl_key_t key = w->keys[refs[i].key];
        entry_t *entry = entry_find(w, key, refs[i].rank);
        if (entry == NULL) {
            entry = &w->entries[w->n++];
            entry->key = key;
            entry->rank = refs[i].rank;
            entry->slot.held = entry->slot.written = 0;
            entry->slot.value.df = 0;
        }
        w->slots[refs[i].key] = &entry->slot;
    }
}

/* ---- buckets ---- */

/* The cell of the index where a number is, or belongs. */
static uint32_t *index_at(const work_t *w, uint32_t number)
{
    uint32_t i = tmpl_slot_of(number, w->n_index);
    while (w->index[i] != 0 && w->buckets[w->index[i] - 1].number != number) {
        i = (i + 1) & (w->n_index - 1);
    }
    return &w->index[i];
}

/* Makes room for more buckets, and a new index. */
static void buckets_reserve(work_t *w, apr_size_t more)
{
    apr_size_t room = w->n_buckets + more + 1;
    tmpl_numbered_t *buckets = apr_palloc(w->pool, room * sizeof(*buckets));
    unsigned char *changed = apr_pcalloc(w->pool, room);
    if (w->n_buckets > 0) {
        memcpy(buckets, w->buckets, w->n_buckets * sizeof(*buckets));
        memcpy(changed, w->changed, w->n_buckets);
    }
    w->buckets = buckets;
    w->changed = changed;
    for (w->n_index = 16; w->n_index < 2 * room; w->n_index *= 2) {
    }
    w->index = apr_pcalloc(w->pool, w->n_index * sizeof(*w->index));
    for (uint32_t i = 0; i < w->n_buckets; i++) {
        *index_at(w, w->buckets[i].number) = i + 1;
    }
}

/* The index of a bucket by its number; adds an empty one if there is none. */
static uint32_t bucket_add(work_t *w, uint32_t number)
{
    uint32_t *at = index_at(w, number);
    if (*at == 0) {
        w->buckets[w->n_buckets] = (tmpl_numbered_t){ number, { NULL, 0 } };
        *at = ++w->n_buckets;
    }
    return *at - 1;
}

/* Assigns each entry to its bucket by head.n. Entries of one bucket are neighbours. */
static void entries_assign(work_t *w)
{
    uint32_t number = TMPL_NONE, bucket = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t is = tmpl_bucket_at(w->entries[i].rank, w->txn->head.n);
        if (is != number) {
            number = is;
            bucket = bucket_add(w, number);
        }
        w->entries[i].bucket = bucket;
    }
}

static void entries_find(work_t *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        entry_t *entry = &w->entries[i];
        __builtin_prefetch(
            w->buckets[w->entries[i + AHEAD < w->n ? i + AHEAD : i].bucket].is.bytes);
        entry->slot.held = (unsigned char)tmpl_bucket_find(&w->buckets[entry->bucket].is,
                                                           entry->key, &entry->slot.value);
    }
}

/* Adds the next n buckets to sweep, in the order of ranks: LMDB stores them side by side. */
static void sweep_plan(work_t *w, uint32_t n)
{
    const tmpl_head_t *head = &w->txn->head;
    w->swept = head->swept;
    for (uint32_t i = 0; i < n && i < head->n; i++) {
        bucket_add(w, tmpl_bucket_at(w->swept, head->n));
        w->swept = tmpl_bucket_next(w->swept, head->n);
    }
}

/*
 * Reads the entries of all keys, and n_sweep more buckets. txn->head may be a guess: if the site
 * turns out to have other buckets, reads those.
 */
static apr_status_t entries_load(work_t *w, uint32_t n_sweep)
{
    tmpl_head_t *head = &w->txn->head;
    for (int guess = 0; guess < GUESSES_MOST; guess++) {
        if (head->n == 0) {
            head->salt = tmpl_buckets_salt(); /* for a site that is new */
        }
        tmpl_head_t guessed = *head;
        entries_make(w);
        w->n_buckets = 0;
        if (head->n > 0) {
            buckets_reserve(w, (apr_size_t)w->n + n_sweep);
            entries_assign(w);
            sweep_plan(w, n_sweep);
        }
        apr_status_t rv = w->provider->get(w->txn, w->buckets, w->n_buckets);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        if (!w->txn->found || head->n == 0) {
            w->txn->found = 0;
            head->n = head->swept = 0;
            head->salt = guessed.salt;
            head->site.entries = 0;
            return APR_SUCCESS;
        }
        if (tmpl_head_same_buckets(head, &guessed)) {
            entries_find(w);
            return APR_SUCCESS;
        }
    }
    return tmpl_fail(w->txn->err, APR_EBUSY, "site %s: it changes faster than it can be read",
                     w->txn->site);
}

/* ---- writing ---- */

static void bucket_set(work_t *w, uint32_t i, const tmpl_bucket_t *is)
{
    w->changed[i] |=
        is->len != w->buckets[i].is.len || (is->len > 0 && is->bytes != w->buckets[i].is.bytes);
    w->buckets[i].is = *is;
}

/* Reads the buckets that must be split or merged to make n of them, unless they were read. */
static apr_status_t resize_load(work_t *w, uint32_t n)
{
    tmpl_head_t head = w->txn->head; /* get replaces it, but it has the new counts */
    uint32_t from = w->n_buckets;
    apr_status_t rv = APR_SUCCESS;
    buckets_reserve(w, 2 * (apr_size_t)(n > head.n ? n - head.n : head.n - n));
    for (uint32_t i = n < head.n ? n : head.n; i < n || i < head.n; i++) {
        uint32_t other = tmpl_bucket_split_from(i);
        if (other < head.n) {
            bucket_add(w, other);
        }
        if (i < head.n) {
            bucket_add(w, i);
        }
    }
    if (w->n_buckets > from) {
        rv = w->provider->get(w->txn, w->buckets + from, w->n_buckets - from);
    }
    if (rv == APR_SUCCESS && !tmpl_head_same_buckets(&w->txn->head, &head)) {
        rv =
            tmpl_fail(w->txn->err, APR_EBUSY, "site %s: it changes while it is read", w->txn->site);
    }
    w->txn->head = head;
    return rv;
}

static void buckets_split(work_t *w, uint32_t n)
{
    tmpl_head_t *head = &w->txn->head;
    while (head->n < n) {
        uint32_t old = bucket_add(w, tmpl_bucket_split_from(head->n));
        uint32_t new = bucket_add(w, head->n++);
        tmpl_bucket_t stays = w->buckets[old].is, goes;
        tmpl_bucket_split(&stays, &goes, head->n, head->salt, &w->scratch);
        bucket_set(w, old, &stays);
        bucket_set(w, new, &goes);
    }
}

static void buckets_merge(work_t *w, uint32_t n)
{
    tmpl_head_t *head = &w->txn->head;
    while (head->n > n) {
        uint32_t last = bucket_add(w, head->n - 1);
        uint32_t into = bucket_add(w, tmpl_bucket_split_from(head->n - 1));
        tmpl_bucket_t all = w->buckets[into].is, from = w->buckets[last].is;
        if (!tmpl_bucket_merge(&all, &from, &w->scratch)) {
            return;
        }
        bucket_set(w, into, &all);
        bucket_set(w, last, &from);
        head->n--;
    }
}

/* Puts n entries into a bucket and drops its dead. */
static apr_status_t bucket_update(work_t *w, uint32_t i, const tmpl_bucket_entry_t *entries,
                                  uint32_t n)
{
    tmpl_rules_site_t *site = &w->txn->head.site;
    tmpl_bucket_t is = w->buckets[i].is;
    uint32_t dead;
    if (!tmpl_bucket_update(&is, entries, n, w->limit.lifetimes != NULL ? &w->limit : NULL, &dead,
                            &w->scratch)) {
        /* only a wrong number of buckets crowds a bucket so */
        return tmpl_fail(w->txn->err, APR_ENOSPC,
                         "site %s: its record in the store is damaged: begin it anew with tmplctl "
                         "forget",
                         w->txn->site);
    }
    site->entries -= dead < site->entries ? dead : site->entries;
    bucket_set(w, i, &is);
    return APR_SUCCESS;
}

/* Puts changed entries into their buckets. Drops the dead of all buckets that were read. */
static apr_status_t buckets_update(work_t *w)
{
    tmpl_bucket_entry_t *entries = apr_palloc(w->pool, (w->n + (apr_size_t)1) * sizeof(*entries));
    unsigned char *done = apr_pcalloc(w->pool, w->n_buckets + (apr_size_t)1);
    apr_status_t rv = APR_SUCCESS;
    for (uint32_t i = 0; rv == APR_SUCCESS && i < w->n;) {
        uint32_t bucket = w->entries[i].bucket, n = 0;
        for (; i < w->n && w->entries[i].bucket == bucket; i++) {
            if (w->entries[i].slot.written) {
                entries[n++] =
                    (tmpl_bucket_entry_t){ w->entries[i].key, &w->entries[i].slot.value };
            }
        }
        done[bucket] = 1;
        rv = bucket_update(w, bucket, entries, n);
    }
    for (uint32_t i = 0; rv == APR_SUCCESS && i < w->n_buckets; i++) {
        if (!done[i]) {
            rv = bucket_update(w, i, NULL, 0);
        }
    }
    return rv;
}

static apr_status_t changes_commit(work_t *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n_buckets; i++) {
        if (w->changed[i]) {
            w->buckets[n++] = w->buckets[i];
        }
    }
    return w->provider->commit(w->txn, w->buckets, n);
}

/* Writes all changes. The site will have n buckets. */
static apr_status_t entries_save(work_t *w, uint32_t n)
{
    tmpl_head_t *head = &w->txn->head;
    if (w->txn->policy != NULL) {
        tmpl_lifetimes_init(&w->lifetimes, w->txn->policy);
        w->limit = (tmpl_bucket_limit_t){ &w->lifetimes, head->site.pages };
    }
    if (head->n == 0) {
        head->n = n;
        w->n_buckets = 0;
        buckets_reserve(w, n < w->n ? n : w->n);
    }
    else {
        apr_status_t rv = resize_load(w, n);
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    /* first, because many new entries would crowd the few buckets of a small site */
    buckets_split(w, n);
    entries_assign(w);
    apr_status_t rv = buckets_update(w);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    buckets_merge(w, n);
    head->swept = w->swept;
    return changes_commit(w);
}

/* ---- pages ---- */

tmpl_counts_t tmpl_counts_make(const tmpl_observation_t *page, apr_pool_t *pool)
{
    return (tmpl_counts_t){ .records = apr_pcalloc(pool, (page->n + (apr_size_t)1) *
                                                             sizeof(tmpl_record_t)) };
}

/* The keys of n pages: of each page its keys, then the two keys of its document. */
static void keys_fill(work_t *w, const tmpl_observation_t *const *pages, uint32_t n)
{
    apr_size_t total = 0;
    for (uint32_t i = 0; i < n; i++) {
        total += pages[i]->n + (apr_size_t)2;
    }
    tmpl_key_t *keys = apr_palloc(w->pool, total * sizeof(*keys));
    w->keys = keys;
    w->n_keys = (uint32_t)total;
    for (uint32_t i = 0; i < n; i++) {
        if (pages[i]->n > 0) {
            memcpy(keys, pages[i]->keys, pages[i]->n * sizeof(*keys));
        }
        keys += pages[i]->n;
        *keys++ = tmpl_document_id(pages[i]->document);
        *keys++ = tmpl_document_text(pages[i]->document);
    }
}

/* A page with its slots, which begin at *slots; moves *slots to those of the next page. */
static tmpl_rules_page_t rules_page(const tmpl_observation_t *page, tmpl_slot_t *const **slots)
{
    tmpl_slot_t *const *at = *slots;
    *slots += page->n + 2;
    return (tmpl_rules_page_t){ page, at, at[page->n], at[page->n + 1] };
}

static apr_status_t look(work_t *w, const tmpl_observation_t *page, tmpl_counts_t *counts)
{
    keys_fill(w, &page, 1);
    apr_status_t rv = entries_load(w, 0);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    tmpl_slot_t *const *slots = w->slots;
    tmpl_rules_page_t rules = rules_page(page, &slots);
    if (page->learn == TMPL_LEARNING_LATER) {
        counts->due = tmpl_rules_learn(&rules, &w->txn->head.site, counts, w->pool);
    }
    else {
        tmpl_rules_look(&rules, &w->txn->head.site, counts);
    }
    counts->fading = w->txn->fading;
    return APR_SUCCESS;
}

apr_status_t tmpl_engine_look(const tmpl_engine_t *engine, const tmpl_observation_t *page,
                              apr_time_t deadline, tmpl_counts_t *counts, tmpl_error_t *err,
                              apr_pool_t *pool)
{
    tmpl_txn_t txn = { .site = page->site,
                       .age = page->age,
                       .policy = page->policy,
                       .deadline = deadline,
                       .err = err };
    work_t w;
    apr_status_t rv = work_begin(&w, engine, &txn, pool);
    return rv == APR_SUCCESS ? work_end(&w, look(&w, page, counts)) : rv;
}

static apr_status_t learn(work_t *w, const tmpl_observation_t *const *pages, uint32_t n,
                          tmpl_counts_t *counts, uint32_t *counted)
{
    tmpl_rules_site_t *site = &w->txn->head.site;
    keys_fill(w, pages, n);
    apr_status_t rv = entries_load(w, SWEPT_LEAST + n);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    tmpl_slot_t *const *slots = w->slots;
    uint64_t before = site->entries;
    int written = 0;
    for (uint32_t i = 0; i < n; i++) {
        tmpl_rules_page_t rules = rules_page(pages[i], &slots);
        tmpl_counts_t own = counts != NULL ? counts[i] : tmpl_counts_make(pages[i], w->pool);
        written |= tmpl_rules_learn(&rules, site, &own, w->pool);
        *counted += (uint32_t)own.counted;
        if (counts != NULL) {
            counts[i] = own;
        }
    }
    if (!written) {
        return APR_SUCCESS;
    }
    return entries_save(w, w->txn->head.n > 0
                               ? tmpl_buckets_wanted(w->txn->head.n, before, site->entries)
                               : tmpl_buckets_for(site->entries));
}

/* One try. Sets *counted. */
static apr_status_t learn_once(const tmpl_engine_t *engine, const tmpl_observation_t *const *pages,
                               uint32_t n, apr_time_t deadline, tmpl_counts_t *counts,
                               uint32_t *counted, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_txn_t txn = { .site = pages[0]->site,
                       .write = 1,
                       .policy = pages[n - 1]->policy,
                       .deadline = deadline,
                       .err = err };
    work_t w;
    *counted = 0;
    for (uint32_t i = 0; counts != NULL && i < n; i++) {
        memset(counts[i].records, 0, pages[i]->n * sizeof(*counts->records));
    }
    apr_status_t rv = work_begin(&w, engine, &txn, pool);
    return rv == APR_SUCCESS ? work_end(&w, learn(&w, pages, n, counts, counted)) : rv;
}

/* Waits a random time that grows with tries. Returns 0 if it would end after the deadline. */
static int pause_before(uint32_t tries, apr_time_t deadline)
{
    apr_interval_time_t most = PAUSE_LEAST << (tries < PAUSE_DOUBLED ? tries : PAUSE_DOUBLED);
    uint16_t drawn = 0;
    (void)apr_generate_random_bytes((unsigned char *)&drawn, sizeof(drawn));
    if (drawn % most >= deadline - tmpl_clock()) {
        return 0;
    }
    apr_sleep(drawn % most);
    return 1;
}

/*
 * The more pages a transaction has, the longer it takes and the more probably another one gets
 * ahead of it. So each refusal halves the number of pages.
 */
apr_status_t tmpl_engine_learn(const tmpl_engine_t *engine, const tmpl_observation_t *const *pages,
                               uint32_t n, apr_time_t deadline, tmpl_counts_t *counts,
                               uint32_t *counted, tmpl_error_t *err, apr_pool_t *pool)
{
    uint32_t size = n, tries = 0;
    int was_busy = 0;
    for (uint32_t done = 0, count; done < n;) {
        uint32_t some = size < n - done ? size : n - done;
        apr_status_t rv = learn_once(engine, pages + done, some, deadline,
                                     counts != NULL ? counts + done : NULL, &count, err, pool);
        if (rv == APR_SUCCESS) {
            done += some;
            *counted += count;
            tries = 0;
        }
        else if (rv == APR_EBUSY && pause_before(tries++, deadline)) {
            size = (some + 1) / 2;
            was_busy = 1;
        }
        else if (rv == APR_TIMEUP && was_busy) {
            /* the store is well: the others took the time */
            return tmpl_fail(err, APR_EBUSY, "site %s: others write it", pages[0]->site);
        }
        else {
            return rv;
        }
    }
    return APR_SUCCESS;
}

apr_status_t tmpl_engine_sweep(const tmpl_provider_t *provider, tmpl_txn_t *txn, uint32_t n)
{
    work_t w = {
        .provider = provider, .txn = txn, .pool = txn->pool, .scratch = { .pool = txn->pool }
    };
    apr_status_t rv = entries_load(&w, n);
    return rv != APR_SUCCESS || !txn->found ? rv : entries_save(&w, txn->head.n);
}

/* ---- whole sites ---- */

/* Gives each the entries of a bucket. */
static apr_status_t bucket_dump(const work_t *w, const tmpl_bucket_t *bucket,
                                apr_status_t (*each)(void *baton, const tmpl_entry_t *entry),
                                void *baton, tmpl_bucket_row_t *rows)
{
    uint32_t n = tmpl_bucket_read(rows, bucket);
    apr_status_t rv = APR_SUCCESS;
    for (uint32_t i = 0; rv == APR_SUCCESS && i < n; i++) {
        tmpl_value_t value;
        tmpl_entry_t entry;
        tmpl_bucket_value(&value, &rows[i]);
        tmpl_value_export(&entry, tmpl_bucket_key(&rows[i]), &value);
        rv = each(baton, &entry);
        if (rv != APR_SUCCESS) {
            tmpl_fail(w->txn->err, rv, "the export of %s was broken off", w->txn->site);
        }
    }
    return rv;
}

static apr_status_t site_unknown(const work_t *w)
{
    return tmpl_fail(w->txn->err, APR_NOTFOUND, "the store does not know the site %s",
                     w->txn->site);
}

static tmpl_numbered_t *dump_plan(work_t *w, uint32_t from, uint32_t *n)
{
    *n = w->txn->head.n - from < DUMP_MOST ? w->txn->head.n - from : DUMP_MOST;
    tmpl_numbered_t *buckets = apr_pcalloc(w->txn->pool, (*n + (apr_size_t)1) * sizeof(*buckets));
    for (uint32_t i = 0; i < *n; i++) {
        buckets[i].number = from + i;
    }
    return buckets;
}

/* Reads the first buckets and the head in one get, as others may write the site between two. */
static apr_status_t dump_begin(work_t *w, tmpl_numbered_t **buckets, uint32_t *n)
{
    for (int guess = 0; guess < GUESSES_MOST; guess++) {
        tmpl_head_t guessed = w->txn->head;
        *buckets = dump_plan(w, 0, n);
        apr_status_t rv = w->provider->get(w->txn, *buckets, *n);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        if (!w->txn->found) {
            return site_unknown(w);
        }
        if (tmpl_head_same_buckets(&w->txn->head, &guessed)) {
            return APR_SUCCESS;
        }
    }
    return tmpl_fail(w->txn->err, APR_EBUSY, "site %s: it changes faster than it can be read",
                     w->txn->site);
}

/*
 * A site with more buckets than one get reads may have learnt between two of them; if it was split
 * or merged, entries would be missing or come twice.
 */
static apr_status_t dump(work_t *w, tmpl_store_stats_t *stats,
                         apr_status_t (*each)(void *baton, const tmpl_entry_t *entry), void *baton)
{
    tmpl_bucket_row_t *rows =
        apr_palloc(w->pool, TMPL_BUCKET_MOST / TMPL_BUCKET_ENTRY_LEAST * sizeof(*rows));
    tmpl_numbered_t *buckets;
    uint32_t n;
    apr_pool_t *scratch;
    apr_status_t rv = dump_begin(w, &buckets, &n);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    apr_pool_create(&scratch, w->pool);
    const tmpl_head_t head = w->txn->head;
    stats->pages = head.site.pages;
    stats->version = head.site.version;
    stats->entries = head.site.entries;
    stats->frozen = head.site.frozen;
    stats->bytes = w->provider->size(w->txn);
    for (uint32_t from = 0; rv == APR_SUCCESS && from < head.n;) {
        for (uint32_t i = 0; rv == APR_SUCCESS && i < n; i++) {
            rv = bucket_dump(w, &buckets[i].is, each, baton, rows);
        }
        from += n;
        if (rv == APR_SUCCESS && from < head.n) {
            /* a damaged head may name 2^24 buckets */
            apr_pool_clear(scratch);
            w->txn->pool = scratch;
            buckets = dump_plan(w, from, &n);
            rv = w->provider->get(w->txn, buckets, n);
            if (rv == APR_SUCCESS && !tmpl_head_same_buckets(&w->txn->head, &head)) {
                rv = tmpl_fail(w->txn->err, APR_EBUSY, "site %s: it changes while it is read",
                               w->txn->site);
            }
        }
    }
    return rv;
}

apr_status_t tmpl_engine_dump(const tmpl_engine_t *engine, const char *site,
                              tmpl_store_stats_t *head,
                              apr_status_t (*each)(void *baton, const tmpl_entry_t *entry),
                              void *baton, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_txn_t txn = { .site = site, .deadline = tmpl_clock() + engine->patience, .err = err };
    work_t w;
    apr_status_t rv = work_begin(&w, engine, &txn, pool);
    return rv == APR_SUCCESS ? work_end(&w, dump(&w, head, each, baton)) : rv;
}

/* Changes a whole site in a transaction, which is repeated while others write the site. */
static apr_status_t site_change(const tmpl_engine_t *engine, const char *site,
                                apr_status_t (*change)(work_t *w, const void *to), const void *to,
                                tmpl_error_t *err, apr_pool_t *pool)
{
    apr_time_t deadline = tmpl_clock() + engine->patience;
    apr_status_t rv;
    uint32_t tries = 0;
    do {
        tmpl_txn_t txn = { .site = site, .write = 1, .deadline = deadline, .err = err };
        work_t w;
        rv = work_begin(&w, engine, &txn, pool);
        rv = rv == APR_SUCCESS ? work_end(&w, change(&w, to)) : rv;
    } while (rv == APR_EBUSY && pause_before(tries++, deadline));
    return rv;
}

static apr_status_t freeze(work_t *w, const void *to)
{
    int frozen = *(const int *)to;
    tmpl_numbered_t none = { 0 }; /* stores sort what they get, and that may not be NULL */
    apr_status_t rv = w->provider->get(w->txn, &none, 0);
    if (rv == APR_SUCCESS && !w->txn->found) {
        rv = site_unknown(w);
    }
    if (rv == APR_SUCCESS && w->txn->head.site.frozen != frozen) {
        w->txn->head.site.frozen = frozen;
        rv = w->provider->commit(w->txn, &none, 0);
    }
    return rv;
}

apr_status_t tmpl_engine_freeze(const tmpl_engine_t *engine, const char *site, int frozen,
                                tmpl_error_t *err, apr_pool_t *pool)
{
    return site_change(engine, site, freeze, &frozen, err, pool);
}

/* What an import brings. */
typedef struct {
    const tmpl_store_stats_t *head;
    const tmpl_entry_t *entries;
    uint32_t n;
} import_t;

static apr_status_t load(work_t *w, const void *to)
{
    const import_t *import = to;
    const tmpl_store_stats_t *head = import->head;
    const tmpl_entry_t *entries = import->entries;
    uint32_t n = import->n;
    tmpl_key_t *keys = apr_palloc(w->pool, (n + (apr_size_t)1) * sizeof(*keys));
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = entries[i].key;
    }
    w->keys = keys;
    w->n_keys = n;
    w->txn->found = 0;
    w->txn->head =
        (tmpl_head_t){ .site = { head->pages, head->version, 0, 0 }, .salt = tmpl_buckets_salt() };
    entries_make(w);
    for (uint32_t i = 0; i < n; i++) {
        tmpl_value_import(&w->slots[i]->value, &entries[i]);
        w->slots[i]->written = 1;
    }
    w->txn->head.site.entries = w->n;
    return entries_save(w, tmpl_buckets_for(w->n));
}

apr_status_t tmpl_engine_load(const tmpl_engine_t *engine, const char *site,
                              const tmpl_store_stats_t *head, const tmpl_entry_t *entries,
                              uint32_t n, tmpl_error_t *err, apr_pool_t *pool)
{
    const import_t import = { head, entries, n };
    return site_change(engine, site, load, &import, err, pool);
}
