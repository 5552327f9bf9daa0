/* SPDX-License-Identifier: Apache-2.0 */
#include "store/lmdb_slots.h"

#include <stdlib.h>
#include <string.h>

/* A slot, or what is to become one, and what it is sorted by. */
typedef struct {
    uint64_t by;
    uint32_t kind; /* before by */
    uint32_t i;
} ref_t;

/* What is sorted here is hashes: they fall apart by their highest bits. */
#define FAN_BITS_LEAST 6
#define FAN_BITS_MOST  12
#define FEW            16

static int ref_order(const void *a, const void *b)
{
    const ref_t *x = a, *y = b;

    return x->by != y->by ? (x->by < y->by ? -1 : 1) : x->i < y->i ? -1 : x->i > y->i;
}

static uint32_t bucket_of(const ref_t *ref, unsigned bits)
{
    return ref->kind << bits | (uint32_t)(ref->by >> (64 - bits));
}

/* One bucket; somebody may have aimed many hashes at it. */
static void bucket_sort(ref_t *refs, uint32_t n)
{
    if (n > FEW) {
        qsort(refs, n, sizeof(*refs), ref_order);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        ref_t ref = refs[i];
        uint32_t at = i;

        for (; at > 0 && ref_order(&refs[at - 1], &ref) > 0; at--) {
            refs[at] = refs[at - 1];
        }
        refs[at] = ref;
    }
}

/* By kind, then by what is to be sorted by, then by number; into memory from pool. */
static ref_t *refs_sort(const ref_t *refs, uint32_t n, apr_pool_t *pool)
{
    ref_t *sorted = apr_palloc(pool, (n + (apr_size_t)1) * sizeof(*sorted));
    uint32_t buckets, begin = 0, *ends;
    unsigned bits = FAN_BITS_LEAST;

    while (bits < FAN_BITS_MOST && n >> bits > FEW / 4) {
        bits++;
    }
    buckets = (uint32_t)TMPL_KIND_COUNT << bits;
    ends = apr_pcalloc(pool, buckets * sizeof(*ends));
    for (uint32_t i = 0; i < n; i++) {
        ends[bucket_of(&refs[i], bits)]++;
    }
    for (uint32_t b = 0; b < buckets; b++) {
        uint32_t in = ends[b];

        ends[b] = begin;
        begin += in;
    }
    for (uint32_t i = 0; i < n; i++) {
        sorted[ends[bucket_of(&refs[i], bits)]++] = refs[i];
    }
    begin = 0;
    for (uint32_t b = 0; b < buckets; begin = ends[b++]) {
        if (ends[b] - begin > 1) {
            bucket_sort(sorted + begin, ends[b] - begin);
        }
    }
    return sorted;
}

void tmpl_slots_make(tmpl_slots_t *slots, const tmpl_key_t *keys, uint32_t n, apr_pool_t *pool)
{
    ref_t *refs = apr_palloc(pool, (n + (apr_size_t)1) * sizeof(*refs));

    for (uint32_t i = 0; i < n; i++) {
        refs[i] = (ref_t){ keys[i].hash, (uint32_t)keys[i].kind, i };
    }
    refs = refs_sort(refs, n, pool);
    slots->slots = apr_palloc(pool, (n + (apr_size_t)1) * sizeof(*slots->slots));
    slots->of = apr_palloc(pool, (n + (apr_size_t)1) * sizeof(*slots->of));
    slots->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || refs[i].by != refs[i - 1].by || refs[i].kind != refs[i - 1].kind) {
            tmpl_lmdb_slot_t *slot = &slots->slots[slots->n++];

            slot->key = keys[refs[i].i];
            slot->where = TMPL_HELD_NOT;
            slot->slot.held = slot->slot.written = 0;
            slot->slot.value.df = 0;
        }
        slots->of[refs[i].i] = slots->n - 1;
    }
}

/* One store's entries under one cursor. */
typedef struct {
    MDB_cursor *cursor;
    tmpl_slots_t *slots;
    tmpl_site_t *site;
    ref_t *refs; /* slots that stand, or are to stand, in drawers */
    uint32_t n;
} access_t;

/* Adds a slot to those of drawers, sorted so that these come in the order of the file. */
static void ref_add(access_t *a, uint32_t i)
{
    const tmpl_key_t *key = &a->slots->slots[i].key;

    a->refs[a->n++] =
        (ref_t){ (uint64_t)tmpl_bits_reversed((uint32_t)key->hash) << 32, (uint32_t)key->kind, i };
}

static int has_drawers(const tmpl_site_t *site, tmpl_kind_e kind)
{
    return (unsigned)kind < TMPL_DRAWER_KINDS && site->drawers[kind].n > 0;
}

static void found(tmpl_lmdb_slot_t *slot, tmpl_held_e where)
{
    slot->where = where;
    slot->slot.held = 1;
}

/* LMDB's order of an entry's key and another one: below 0 if the entry's comes first. */
static int key_order(const unsigned char bytes[TMPL_ENTRY_SIZE], const MDB_val *other)
{
    size_t len = other->mv_size < TMPL_ENTRY_SIZE ? other->mv_size : TMPL_ENTRY_SIZE;
    int order = memcmp(bytes, other->mv_data, len);

    return order != 0 ? order : TMPL_ENTRY_SIZE - (int)other->mv_size;
}

/*
 * Entries that stand alone; who does not may stand in a drawer. The cursor stops at the first key that is not
 * before the wanted one, so that those wanted before it need no search.
 */
static int load_alone(access_t *a)
{
    unsigned char bytes[TMPL_ENTRY_SIZE];
    MDB_val at, data;
    int order = 1, rc = 0;

    for (uint32_t i = 0; i < a->slots->n; i++) {
        tmpl_lmdb_slot_t *slot = &a->slots->slots[i];

        tmpl_entry_key(bytes, a->site->serial, slot->key);
        if (rc == 0 && (i == 0 || (order = key_order(bytes, &at)) > 0)) {
            at = (MDB_val){ TMPL_ENTRY_SIZE, bytes };
            rc = mdb_cursor_get(a->cursor, &at, &data, MDB_SET_RANGE);
            order = rc == 0 ? key_order(bytes, &at) : -1;
        }
        if (rc != 0 && rc != MDB_NOTFOUND) {
            return rc;
        }
        if (order == 0) {
            found(slot, TMPL_HELD_ALONE);
            if (!tmpl_value_unpack(&slot->slot.value, slot->key.kind, data.mv_data, data.mv_size)) {
                slot->slot.value.df = 0;
            }
        }
        else if (has_drawers(a->site, slot->key.kind)) {
            ref_add(a, i);
        }
    }
    return 0;
}

/* Slots from begin on that are of one drawer: where they end, and its number. */
static uint32_t run_end(const access_t *a, uint32_t begin, uint32_t *number)
{
    const tmpl_lmdb_slot_t *slots = a->slots->slots;
    const tmpl_key_t *first = &slots[a->refs[begin].i].key;
    uint32_t n = a->site->drawers[first->kind].n, end = begin;

    *number = tmpl_drawer_of(first->hash, n);
    while (end < a->n && slots[a->refs[end].i].key.kind == first->kind &&
           tmpl_drawer_of(slots[a->refs[end].i].key.hash, n) == *number) {
        end++;
    }
    return end;
}

static int load_drawers(access_t *a)
{
    unsigned char bytes[TMPL_DRAWER_SIZE];
    uint32_t number, end;

    for (uint32_t begin = 0; begin < a->n; begin = end) {
        tmpl_kind_e kind = a->slots->slots[a->refs[begin].i].key.kind;
        MDB_val key = { TMPL_DRAWER_SIZE, bytes }, data;
        int rc;

        end = run_end(a, begin, &number);
        tmpl_drawer_key(bytes, a->site->serial, kind, number);
        rc = mdb_cursor_get(a->cursor, &key, &data, MDB_SET);
        if (rc != 0 && rc != MDB_NOTFOUND) {
            return rc;
        }
        for (uint32_t i = begin; rc == 0 && i < end; i++) {
            tmpl_lmdb_slot_t *slot = &a->slots->slots[a->refs[i].i];
            uint32_t at = tmpl_drawer_find(kind, data.mv_data, data.mv_size, slot->key.hash);

            if (at != TMPL_NONE) {
                found(slot, TMPL_HELD_IN_DRAWER);
                tmpl_drawer_value(kind, data.mv_data, at, &slot->slot.value);
            }
        }
    }
    return 0;
}

static int access_begin(access_t *a, tmpl_lmdb_t *db, MDB_txn *txn, apr_pool_t *pool)
{
    a->refs = apr_palloc(pool, (a->slots->n + (apr_size_t)1) * sizeof(*a->refs));
    return mdb_cursor_open(txn, tmpl_lmdb_dbi(db, TMPL_DB_ENTRIES), &a->cursor);
}

int tmpl_slots_load(tmpl_slots_t *slots, tmpl_lmdb_t *db, MDB_txn *txn, const tmpl_site_t *site,
                    apr_pool_t *pool)
{
    tmpl_site_t same = *site;
    access_t a = { .slots = slots, .site = &same };
    int rc = access_begin(&a, db, txn, pool);

    if (rc != 0) {
        return rc;
    }
    rc = load_alone(&a);
    if (rc == 0) {
        a.refs = refs_sort(a.refs, a.n, pool);
        rc = load_drawers(&a);
    }
    mdb_cursor_close(a.cursor);
    return rc;
}

/* Whether a slot is to stand in a drawer from now on. */
static int to_drawer(const tmpl_lmdb_slot_t *slot)
{
    return slot->where != TMPL_HELD_ALONE && tmpl_drawer_takes(slot->key.kind, &slot->slot.value);
}

/* What has changed and stands in drawers, or is to; how many more will stand there, by kind. */
static void changes_find(access_t *a, uint32_t more[TMPL_DRAWER_KINDS])
{
    for (uint32_t i = 0; i < a->slots->n; i++) {
        const tmpl_lmdb_slot_t *slot = &a->slots->slots[i];

        if (!slot->slot.written) {
            continue;
        }
        a->site->entries += slot->where == TMPL_HELD_NOT;
        if (to_drawer(slot) || slot->where == TMPL_HELD_IN_DRAWER) {
            ref_add(a, i);
            more[slot->key.kind] += slot->where == TMPL_HELD_NOT;
        }
    }
}

/* Takes what has changed out of its drawer, and puts back what still belongs there. */
static void drawer_change(access_t *a, tmpl_drawer_t *drawer, uint32_t begin, uint32_t end,
                          const tmpl_lifetimes_t *lifetimes)
{
    tmpl_drawers_t *drawers = &a->site->drawers[drawer->kind];
    uint32_t entries = (uint32_t)(drawer->len / tmpl_drawer_stride(drawer->kind));

    drawers->entries -= entries < drawers->entries ? entries : drawers->entries;
    for (uint32_t i = begin; i < end; i++) {
        const tmpl_lmdb_slot_t *slot = &a->slots->slots[a->refs[i].i];

        uint32_t at =
            slot->where != TMPL_HELD_IN_DRAWER
                ? TMPL_NONE
                : tmpl_drawer_find(drawer->kind, drawer->bytes, drawer->len, slot->key.hash);

        if (at != TMPL_NONE) {
            tmpl_drawer_remove(drawer, at);
        }
    }
    if (lifetimes != NULL) {
        uint32_t dead = tmpl_drawer_trim(drawer, lifetimes, a->site->pages);

        a->site->entries -= dead < a->site->entries ? dead : a->site->entries;
    }
    for (uint32_t i = begin; i < end; i++) {
        tmpl_lmdb_slot_t *slot = &a->slots->slots[a->refs[i].i];

        if (to_drawer(slot) && tmpl_drawer_add(drawer, slot->key.hash, &slot->slot.value)) {
            slot->slot.written = 0; /* what is left is put alone */
        }
    }
    drawers->entries += (uint32_t)(drawer->len / tmpl_drawer_stride(drawer->kind));
}

static int save_drawers(access_t *a, const tmpl_lifetimes_t *lifetimes)
{
    tmpl_drawer_t drawer;
    uint32_t number, end;
    int rc = 0;

    for (uint32_t begin = 0; rc == 0 && begin < a->n; begin = end) {
        end = run_end(a, begin, &number);
        rc = tmpl_drawer_get(a->cursor, a->site, a->slots->slots[a->refs[begin].i].key.kind, number,
                             &drawer);
        if (rc == 0) {
            drawer_change(a, &drawer, begin, end, lifetimes);
            rc = tmpl_drawer_put(a->cursor, a->site, number, &drawer);
        }
    }
    return rc;
}

static int save_alone(access_t *a)
{
    unsigned char bytes[TMPL_ENTRY_SIZE], packed[TMPL_VALUE_MAX];
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < a->slots->n; i++) {
        const tmpl_lmdb_slot_t *slot = &a->slots->slots[i];
        MDB_val key = { TMPL_ENTRY_SIZE, bytes }, data = { 0, packed };

        if (slot->slot.written) {
            tmpl_entry_key(bytes, a->site->serial, slot->key);
            data.mv_size = tmpl_value_pack(packed, &slot->slot.value, slot->key.kind);
            rc = mdb_cursor_put(a->cursor, &key, &data, 0);
        }
    }
    return rc;
}

/*
 * As many drawers of each kind as what they hold and, of so many more, what is to come call for, or a share of
 * these.
 */
static int drawers_grow(access_t *a, const uint32_t more[TMPL_DRAWER_KINDS], int to_come,
                        uint32_t share)
{
    int rc = 0;

    for (unsigned kind = 0; rc == 0 && kind < TMPL_DRAWER_KINDS; kind++) {
        uint32_t entries = a->site->drawers[kind].entries + (to_come ? more[kind] : 0);

        if (entries > 0) {
            rc = tmpl_drawers_grow(a->cursor, a->site, (tmpl_kind_e)kind, entries / share,
                                   more[kind]);
        }
    }
    return rc;
}

int tmpl_slots_save(tmpl_slots_t *slots, tmpl_lmdb_t *db, MDB_txn *txn, tmpl_site_t *site,
                    const tmpl_lifetimes_t *lifetimes, apr_pool_t *pool)
{
    access_t a = { .slots = slots, .site = site };
    uint32_t more[TMPL_DRAWER_KINDS] = { 0 };
    int rc = access_begin(&a, db, txn, pool);

    if (rc != 0) {
        return rc;
    }
    changes_find(&a, more);
    a.refs = refs_sort(a.refs, a.n, pool);
    /* many pages' entries must find room; how much they need in the end shows when the dead are gone */
    rc = drawers_grow(&a, more, 1, 4);
    if (rc == 0) {
        rc = save_drawers(&a, lifetimes);
    }
    if (rc == 0) {
        rc = save_alone(&a);
    }
    if (rc == 0) {
        rc = drawers_grow(&a, more, 0, 1);
    }
    for (unsigned kind = 0; rc == 0 && kind < TMPL_DRAWER_KINDS; kind++) {
        rc = tmpl_drawers_shrink(a.cursor, site, (tmpl_kind_e)kind);
    }
    mdb_cursor_close(a.cursor);
    return rc;
}
