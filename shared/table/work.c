/* SPDX-License-Identifier: Apache-2.0 */
#include "table/engine.h"

#include <string.h>

#include "base/hash.h"

#define AHEAD      6   /* buckets: prefetch distance */
#define WRITES     256 /* so many writes in a row give a head different swept */
#define DIGIT_MOST 12  /* bits of a pass of the sort: half of those of TMPL_BUCKETS_MOST */

apr_status_t tmpl_work_begin(tmpl_work_t *w, const tmpl_engine_t *engine, tmpl_txn_t *txn,
                             apr_pool_t *pool)
{
    *w = (tmpl_work_t){ .provider = engine->provider, .txn = txn };
    txn->ctx = engine->ctx;
    apr_pool_create(&txn->pool, pool);
    w->pool = w->scratch.pool = txn->pool;
    apr_status_t rv = engine->provider->begin(txn);
    if (rv != APR_SUCCESS) {
        apr_pool_destroy(txn->pool);
    }
    return rv;
}

apr_status_t tmpl_work_end(tmpl_work_t *w, apr_status_t rv)
{
    w->provider->end(w->txn);
    apr_pool_destroy(w->pool);
    return rv;
}

apr_status_t tmpl_work_changed(const tmpl_work_t *w)
{
    return tmpl_fail(w->txn->err, APR_EBUSY, "site %s: it changes faster than it can be read",
                     w->txn->site);
}

/* ---- keys and entries ---- */

/* The number of a key, and the rank by which keys are sorted. */
typedef struct {
    uint32_t rank;
    uint32_t key;
} work_ranked_t;

_Static_assert(sizeof(tmpl_work_entry_t) + 2 * sizeof(work_ranked_t) + sizeof(tmpl_slot_t *) <=
                   TMPL_STORE_KEY_BYTES,
               "what tmpl_work_entries() takes for a key");

/*
 * A pass of a radix sort, by the bits of ranks from shift on. Refs with equal bits keep their
 * order.
 */
static void refs_pass(work_ranked_t *to, const work_ranked_t *from, uint32_t n, unsigned shift,
                      unsigned bits)
{
    uint32_t at[1u << DIGIT_MOST], sum = 0, mask = (1u << bits) - 1;
    memset(at, 0, sizeof(*at) << bits);
    for (uint32_t i = 0; i < n; i++) {
        at[from[i].rank >> shift & mask]++;
    }
    for (uint32_t digit = 0; digit <= mask; digit++) {
        uint32_t count = at[digit];
        at[digit] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < n; i++) {
        to[at[from[i].rank >> shift & mask]++] = from[i];
    }
}

/*
 * The entry of a key, if it was made. Only the last entries can have the first bits of the key's
 * rank, mostly only one of them.
 */
static tmpl_work_entry_t *entry_find(const tmpl_work_t *w, tmpl_key_t key, uint32_t rank,
                                     unsigned shift)
{
    for (uint32_t i = w->n; i > 0 && (w->entries[i - 1].rank ^ rank) >> shift == 0; i--) {
        tmpl_work_entry_t *entry = &w->entries[i - 1];
        if (entry->key.hash == key.hash && entry->key.kind == key.kind) {
            return entry;
        }
    }
    return NULL;
}

/*
 * Sorts n refs by so many of the highest bits of their ranks as tell most buckets apart. Returns
 * the number of the other bits.
 */
static unsigned refs_sort(work_ranked_t *refs, uint32_t n, uint64_t most, apr_pool_t *pool)
{
    unsigned bits =
        tmpl_buckets_bits(most < TMPL_BUCKETS_MOST ? (uint32_t)most : TMPL_BUCKETS_MOST);
    unsigned low = bits / 2, high = bits - low;
    work_ranked_t *spare = apr_palloc(pool, (n + (apr_size_t)1) * sizeof(*spare));
    if (bits > 0) {
        refs_pass(spare, refs, n, 32 - bits, low);
        refs_pass(refs, spare, n, 32 - high, high);
    }
    return 32 - bits;
}

void tmpl_work_entries(tmpl_work_t *w)
{
    apr_size_t n = w->n_keys;
    work_ranked_t *refs = apr_palloc(w->pool, (n + 1) * sizeof(*refs));
    for (uint32_t i = 0; i < n; i++) {
        refs[i] = (work_ranked_t){ tmpl_bucket_rank(w->txn->head.salt, w->keys[i]), i };
    }
    /* entries of one bucket become neighbours, however many buckets they will need; and few keys
     * have equal bits */
    unsigned shift =
        refs_sort(refs, w->n_keys, w->txn->head.n + TMPL_BUCKETS_GROWTH + (uint64_t)n, w->pool);
    w->entries = apr_palloc(w->pool, (n + 1) * sizeof(*w->entries));
    w->slots = apr_palloc(w->pool, (n + 1) * sizeof(*w->slots));
    w->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        tmpl_key_t key = w->keys[refs[i].key];
        tmpl_work_entry_t *entry = entry_find(w, key, refs[i].rank, shift);
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
static uint32_t *index_at(const tmpl_work_t *w, uint32_t number)
{
    uint32_t i = tmpl_slot_of(number, w->n_index);
    while (w->index[i] != 0 && w->buckets[w->index[i] - 1].number != number) {
        i = (i + 1) & (w->n_index - 1);
    }
    return &w->index[i];
}

/* Makes room for more buckets. There is no index then. */
static void buckets_reserve(tmpl_work_t *w, apr_size_t more)
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
    w->n_index = 0;
}

/* Makes room for more buckets, and an index of all. */
static void buckets_index(tmpl_work_t *w, apr_size_t more)
{
    buckets_reserve(w, more);
    for (w->n_index = 16; w->n_index < 2 * (w->n_buckets + more + 1); w->n_index *= 2) {
    }
    w->index = apr_pcalloc(w->pool, w->n_index * sizeof(*w->index));
    for (uint32_t i = 0; i < w->n_buckets; i++) {
        *index_at(w, w->buckets[i].number) = i + 1;
    }
}

static uint32_t bucket_append(tmpl_work_t *w, uint32_t number)
{
    w->buckets[w->n_buckets] = (tmpl_numbered_t){ number, { NULL, 0 } };
    return w->n_buckets++;
}

/* The index of a bucket by its number; adds an empty one if there is none. */
static uint32_t bucket_add(tmpl_work_t *w, uint32_t number)
{
    uint32_t *at = index_at(w, number);
    if (*at == 0) {
        *at = 1 + bucket_append(w, number);
    }
    return *at - 1;
}

/*
 * Assigns each entry to its bucket by head.n. Entries of one bucket are neighbours. Without an
 * index there are no buckets yet.
 */
static void entries_assign(tmpl_work_t *w)
{
    unsigned shift = 32 - tmpl_buckets_bits(w->txn->head.n);
    uint32_t number = TMPL_NONE, bucket = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        tmpl_work_entry_t *entry = &w->entries[i];
        if (i == 0 || (uint64_t)(entry->rank ^ entry[-1].rank) >> shift != 0) {
            uint32_t is = tmpl_bucket_at(entry->rank, w->txn->head.n);
            if (is != number) {
                number = is;
                bucket = w->n_index > 0 ? bucket_add(w, is) : bucket_append(w, is);
            }
        }
        entry->bucket = bucket;
    }
}

static void entries_find(tmpl_work_t *w)
{
    tmpl_bucket_columns_t columns = { 0 };
    uint32_t bucket = TMPL_NONE;
    for (uint32_t i = 0; i < w->n; i++) {
        tmpl_work_entry_t *entry = &w->entries[i];
        if (entry->bucket != bucket) {
            bucket = entry->bucket;
            if (bucket + AHEAD < w->n_buckets) {
                __builtin_prefetch(w->buckets[bucket + AHEAD].is.bytes);
            }
            (void)tmpl_bucket_open(&columns, &w->buckets[bucket].is);
        }
        entry->slot.held =
            (unsigned char)tmpl_bucket_find(&columns, entry->key, &entry->slot.value);
    }
}

/* Adds the next n buckets to sweep, in the order of ranks: LMDB stores them side by side. */
static void sweep_plan(tmpl_work_t *w, uint32_t n)
{
    const tmpl_head_t *head = &w->txn->head;
    if (n > 0) {
        buckets_index(w, n);
    }
    w->swept = head->swept;
    for (uint32_t i = 0; i < n && i < head->n; i++) {
        bucket_add(w, tmpl_bucket_at(w->swept, head->n));
        w->swept = tmpl_bucket_next(w->swept, head->n);
    }
}

apr_status_t tmpl_work_load(tmpl_work_t *w, uint32_t n_sweep)
{
    tmpl_head_t *head = &w->txn->head;
    for (int guess = 0; guess < TMPL_GUESSES_MOST; guess++) {
        if (head->n == 0) {
            head->salt = tmpl_buckets_salt(); /* for a new site */
        }
        tmpl_head_t guessed = *head;
        tmpl_work_entries(w);
        w->n_buckets = 0;
        if (head->n > 0) {
            buckets_reserve(w, w->n);
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
    return tmpl_work_changed(w);
}

/* ---- writing ---- */

static void bucket_set(tmpl_work_t *w, uint32_t i, const tmpl_bucket_t *is)
{
    w->changed[i] |=
        is->len != w->buckets[i].is.len || (is->len > 0 && is->bytes != w->buckets[i].is.bytes);
    w->buckets[i].is = *is;
}

/* Reads the buckets that must be split to make n of them, unless they were read. */
static apr_status_t resize_load(tmpl_work_t *w, uint32_t n)
{
    tmpl_head_t head = w->txn->head; /* get replaces txn->head, which has the new counts */
    uint32_t from = w->n_buckets;
    apr_status_t rv = APR_SUCCESS;
    buckets_index(w, 2 * (apr_size_t)(n - head.n));
    for (uint32_t i = head.n; i < n; i++) {
        uint32_t other = tmpl_bucket_split_from(i);
        if (other < head.n) {
            bucket_add(w, other);
        }
    }
    if (w->n_buckets > from) {
        rv = w->provider->get(w->txn, w->buckets + from, w->n_buckets - from);
    }
    if (rv == APR_SUCCESS && !tmpl_head_same_buckets(&w->txn->head, &head)) {
        rv = tmpl_work_changed(w);
    }
    w->txn->head = head;
    return rv;
}

static void buckets_split(tmpl_work_t *w, uint32_t n)
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

/* Puts n entries into a bucket and drops its dead entries. */
static apr_status_t bucket_update(tmpl_work_t *w, uint32_t i, const tmpl_entry_t *entries,
                                  uint32_t n)
{
    tmpl_rules_site_t *site = &w->txn->head.site;
    tmpl_bucket_t is = w->buckets[i].is;
    uint32_t dead;
    if (!tmpl_bucket_update(&is, entries, n, w->limit.lifetimes != NULL ? &w->limit : NULL, &dead,
                            &w->scratch)) {
        /* a bucket gets so full only if the number of buckets is wrong */
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
static apr_status_t buckets_update(tmpl_work_t *w)
{
    tmpl_entry_t *entries = apr_palloc(w->pool, (w->n + (apr_size_t)1) * sizeof(*entries));
    unsigned char *done = apr_pcalloc(w->pool, w->n_buckets + (apr_size_t)1);
    apr_status_t rv = APR_SUCCESS;
    for (uint32_t i = 0; rv == APR_SUCCESS && i < w->n;) {
        uint32_t bucket = w->entries[i].bucket, n = 0;
        for (; i < w->n && w->entries[i].bucket == bucket; i++) {
            if (w->entries[i].slot.written) {
                entries[n++] = (tmpl_entry_t){ w->entries[i].key, &w->entries[i].slot.value };
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

/* Commits the buckets that have changed, in the order of their ranks. */
static apr_status_t changes_commit(tmpl_work_t *w)
{
    work_ranked_t *refs = apr_palloc(w->pool, (w->n_buckets + (apr_size_t)1) * sizeof(*refs));
    tmpl_numbered_t *changed =
        apr_palloc(w->pool, (w->n_buckets + (apr_size_t)1) * sizeof(*changed));
    uint32_t n = 0, most = 0;
    for (uint32_t i = 0; i < w->n_buckets; i++) {
        if (w->changed[i]) {
            uint32_t number = w->buckets[i].number;
            refs[n++] = (work_ranked_t){ tmpl_bucket_first(number), i };
            most = number > most ? number : most;
        }
    }
    (void)refs_sort(refs, n, most + (uint64_t)1, w->pool);
    for (uint32_t i = 0; i < n; i++) {
        changed[i] = w->buckets[refs[i].key];
    }
    return w->provider->commit(w->txn, changed, n);
}

apr_status_t tmpl_work_save(tmpl_work_t *w, uint32_t n)
{
    tmpl_head_t *head = &w->txn->head;
    if (w->txn->policy != NULL) {
        w->limit = (tmpl_bucket_limit_t){ tmpl_lifetimes(w->txn->policy), head->site.pages };
    }
    if (head->n == 0) {
        head->n = n;
        w->n_buckets = 0;
        buckets_index(w, n < w->n ? n : w->n);
    }
    else {
        apr_status_t rv = resize_load(w, n);
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    /* split first, because many new entries would crowd the few buckets of a small site */
    buckets_split(w, n);
    entries_assign(w);
    apr_status_t rv = buckets_update(w);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    head->swept = w->swept / WRITES * WRITES + (head->swept + 1) % WRITES;
    return changes_commit(w);
}
