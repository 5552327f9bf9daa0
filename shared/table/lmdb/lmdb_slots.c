/* SPDX-License-Identifier: Apache-2.0 */
#include "table/lmdb/lmdb_slots.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

/* A key that was asked for, and what it is sorted by: its place, the bits of the file's order first. */
typedef struct {
    uint64_t by;
    const tmpl_key_t *key;
} ref_t;

/* Places are hashes: they fall apart by their highest bits. */
#define BIN_BITS_LEAST 6
#define BIN_BITS_MOST  12
#define FEW            4  /* in a bin on the average */
#define MANY           64 /* in a bin, for sorting that takes steps by the square */

/* So far ahead the memory is told what will be wanted. */
#define AHEAD 16

static int same_key(const tmpl_key_t *a, const tmpl_key_t *b)
{
    return a->hash == b->hash && a->kind == b->kind;
}

/* Keys of one place, which is hardly ever, one by one; those given more than once in the order given. */
static inline int ref_order(const void *a, const void *b)
{
    const ref_t *x = a, *y = b;

    if (x->by != y->by) {
        return x->by < y->by ? -1 : 1;
    }
    if (!same_key(x->key, y->key)) {
        return x->key->kind != y->key->kind ? (x->key->kind < y->key->kind ? -1 : 1)
                                            : (x->key->hash < y->key->hash ? -1 : 1);
    }
    return x->key < y->key ? -1 : x->key > y->key;
}

/* One bin. What pages of a batch share stands there many times, in order as it came. */
static void bin_sort(ref_t *refs, uint32_t n)
{
    uint32_t i = 1;

    while (i < n && ref_order(&refs[i - 1], &refs[i]) < 0) {
        i++;
    }
    if (i < n && n > MANY) {
        qsort(refs, n, sizeof(*refs), ref_order);
        return;
    }
    for (; i < n; i++) {
        ref_t ref = refs[i];
        uint32_t at = i;

        for (; at > 0 && ref_order(&refs[at - 1], &ref) > 0; at--) {
            refs[at] = refs[at - 1];
        }
        refs[at] = ref;
    }
}

/* In their order, into memory from pool. */
static ref_t *refs_sort(const ref_t *refs, uint32_t n, apr_pool_t *pool)
{
    ref_t *sorted = apr_palloc(pool, (n + (apr_size_t)1) * sizeof(*sorted));
    uint32_t begin = 0, *ends;
    unsigned bits = BIN_BITS_LEAST;

    while (bits < BIN_BITS_MOST && n >> bits > FEW) {
        bits++;
    }
    ends = apr_pcalloc(pool, sizeof(*ends) << bits);
    for (uint32_t i = 0; i < n; i++) {
        ends[refs[i].by >> (64 - bits)]++;
    }
    for (uint32_t bin = 0; bin >> bits == 0; bin++) {
        uint32_t in = ends[bin];

        ends[bin] = begin;
        begin += in;
    }
    for (uint32_t i = 0; i < n; i++) {
        sorted[ends[refs[i].by >> (64 - bits)]++] = refs[i];
    }
    begin = 0;
    for (uint32_t bin = 0; bin >> bits == 0; begin = ends[bin++]) {
        if (ends[bin] - begin > 1) {
            bin_sort(sorted + begin, ends[bin] - begin);
        }
    }
    return sorted;
}

void tmpl_slots_make(tmpl_slots_t *slots, const tmpl_key_t *keys, uint32_t n,
                     const tmpl_site_t *site, apr_pool_t *pool)
{
    ref_t *refs = apr_palloc(pool, (n + (apr_size_t)1) * sizeof(*refs));

    for (uint32_t i = 0; i < n; i++) {
        uint64_t place = tmpl_bucket_place(site->buckets.salt, keys[i]);

        refs[i] =
            (ref_t){ (uint64_t)tmpl_bits_reversed((uint32_t)place) << 32 | place >> 32, &keys[i] };
    }
    refs = refs_sort(refs, n, pool);
    slots->slots = apr_palloc(pool, (n + (apr_size_t)1) * sizeof(*slots->slots));
    slots->of = apr_palloc(pool, (n + (apr_size_t)1) * sizeof(*slots->of));
    slots->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        __builtin_prefetch(refs[i + AHEAD < n ? i + AHEAD : i].key);
        if (i == 0 || !same_key(refs[i].key, refs[i - 1].key)) {
            tmpl_lmdb_slot_t *slot = &slots->slots[slots->n++];

            slot->key = *refs[i].key;
            slot->place = tmpl_bits_reversed((uint32_t)(refs[i].by >> 32));
            slot->held = slot->slot.held = slot->slot.written = 0;
            slot->slot.value.df = 0;
        }
        slots->of[refs[i].key - keys] = slots->n - 1;
    }
}

/* Slots from begin on that are of one bucket: where they end, and its number. */
static uint32_t run_end(const tmpl_slots_t *slots, uint32_t begin, uint32_t n_buckets,
                        uint32_t *number)
{
    uint32_t end = begin + 1;

    *number = tmpl_bucket_at(slots->slots[begin].place, n_buckets);
    while (end < slots->n && tmpl_bucket_at(slots->slots[end].place, n_buckets) == *number) {
        end++;
    }
    return end;
}

int tmpl_slots_load(tmpl_slots_t *slots, tmpl_lmdb_buckets_t *buckets)
{
    uint32_t n_buckets = buckets->site->buckets.n, number, end;
    int rc = 0;

    buckets->in_order = slots->n >= n_buckets;

    for (uint32_t begin = 0; rc == 0 && n_buckets > 0 && begin < slots->n; begin = end) {
        tmpl_bucket_t bucket;

        if (begin + AHEAD < slots->n) {
            tmpl_lmdb_bucket_expect(buckets,
                                    tmpl_bucket_at(slots->slots[begin + AHEAD].place, n_buckets));
        }
        end = run_end(slots, begin, n_buckets, &number);
        rc = tmpl_lmdb_bucket_get(buckets, number, &bucket);
        for (uint32_t i = begin; rc == 0 && i < end; i++) {
            tmpl_lmdb_slot_t *slot = &slots->slots[i];

            slot->held = slot->slot.held = (unsigned char)tmpl_bucket_find(
                bucket.bytes, bucket.len, slot->key, &slot->slot.value);
        }
    }
    return rc;
}

/* What is to be written, run by run of slots of one bucket. */
typedef struct {
    const tmpl_slots_t *slots;
    tmpl_lmdb_buckets_t *buckets;
    const tmpl_lifetimes_t *lifetimes;
    tmpl_bucket_entry_t *entries; /* of a run that have been written to */
    uint32_t n;
    uint32_t end, number; /* the run's end, and its bucket */
} save_t;

/* The next run of slots of which some have been written to; 0: there is none. */
static int run_next(save_t *save)
{
    uint32_t begin;

    save->n = 0;
    for (begin = save->end; save->n == 0 && begin < save->slots->n; begin = save->end) {
        save->end = run_end(save->slots, begin, save->buckets->site->buckets.n, &save->number);
        for (uint32_t i = begin; i < save->end; i++) {
            const tmpl_lmdb_slot_t *slot = &save->slots->slots[i];

            if (slot->slot.written) {
                save->entries[save->n++] = (tmpl_bucket_entry_t){ slot->key, &slot->slot.value };
            }
        }
    }
    return save->n > 0;
}

/* Gives a bucket n entries. */
static int bucket_change(const save_t *save, tmpl_bucket_t *bucket, uint32_t n)
{
    tmpl_site_t *site = save->buckets->site;
    uint32_t dead;

    if (!tmpl_bucket_update(&save->buckets->desk, bucket, save->entries, n, save->lifetimes,
                            site->pages, &dead)) {
        return MDB_CORRUPTED; /* only a record that is not true brings so many together */
    }
    site->entries -= dead < site->entries ? dead : site->entries;
    return 0;
}

/* Writes what has changed, bucket by bucket. */
static int save_some(save_t *save)
{
    int rc = 0;

    while (rc == 0 && run_next(save)) {
        tmpl_bucket_t bucket;

        rc = tmpl_lmdb_bucket_get(save->buckets, save->number, &bucket);
        if (rc == 0) {
            rc = bucket_change(save, &bucket, save->n);
        }
        if (rc == 0) {
            rc = tmpl_lmdb_bucket_put(save->buckets, save->number, &bucket);
        }
    }
    return rc;
}

/* What becomes of a bucket when all are written anew. */
static int bucket_renew(void *baton, uint32_t number, tmpl_bucket_t *bucket)
{
    save_t *save = baton;
    int changes = save->n > 0 && save->number == number;
    int rc = bucket_change(save, bucket, changes ? save->n : 0);

    if (changes) {
        run_next(save);
    }
    return rc;
}

static int save_all(save_t *save)
{
    run_next(save);
    return tmpl_lmdb_buckets_order(save->buckets, bucket_renew, save);
}

int tmpl_slots_save(const tmpl_slots_t *slots, tmpl_lmdb_buckets_t *buckets,
                    const tmpl_lifetimes_t *lifetimes, int all)
{
    tmpl_site_t *site = buckets->site;
    uint64_t before = site->entries;
    save_t save = { .slots = slots, .buckets = buckets, .lifetimes = lifetimes };
    int rc;

    save.entries =
        apr_palloc(buckets->desk.pool, (slots->n + (apr_size_t)1) * sizeof(*save.entries));
    for (uint32_t i = 0; i < slots->n; i++) {
        site->entries += slots->slots[i].slot.written && !slots->slots[i].held;
    }
    /* first, or many new entries of a small site would crowd its few buckets */
    rc = tmpl_lmdb_buckets_grow(buckets, before);
    if (rc != 0) {
        return rc;
    }
    return all ? save_all(&save) : save_some(&save);
}
