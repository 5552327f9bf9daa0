/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_table.h"

#include <string.h>

#include <apr_strings.h>

#include "base/slot.h"

#define HEAD_SIZE    28                 /* without the cursor behind it */
#define BUCKET_FLAG  'b'                /* the first byte of a bucket's field */
#define ROOM_LEAST   64                 /* keys */
#define ENTRIES_MADE 128                /* at once */
#define REPLY_EXTRA  16                 /* bytes around a value in an answer, at most */
#define REPLY_USUAL  2048               /* bytes of a bucket, more than the average of many */
#define REPLY_MOST   ((size_t)32 << 20) /* bytes of an answer, beyond the usual ones */

/* Distinct keys, each with its number. */
typedef struct {
    tmpl_key_t *keys;
    uint32_t n, room;
    uint32_t *places; /* numbers + 1; twice as many as room */
} set_t;

typedef struct {
    tmpl_slot_t slot;
    uint32_t bucket; /* its own, among those of the table; TMPL_NONE: the site has none yet */
} entry_t;

typedef struct {
    tmpl_bucket_t is;
    unsigned char there; /* the server has it */
    unsigned char changed;
} bucket_t;

struct tmpl_redis_table_t {
    apr_pool_t *pool;
    tmpl_redis_head_t head;
    tmpl_buckets_t asked; /* the buckets by which it was asked */
    set_t keys;
    entry_t **entries; /* of each key; they stay where they are */
    entry_t *made;     /* those that no key has yet */
    uint32_t n_made;
    set_t numbers;     /* of buckets, as hashes */
    bucket_t *buckets; /* of each number */
    uint32_t n_asked;  /* buckets to be asked for, or asked for */
    uint64_t n_before; /* entries of the site before pages were counted */
    unsigned char is_new;
    unsigned char full; /* a bucket has no room for what belongs into it */
};

size_t tmpl_redis_head_pack(unsigned char bytes[TMPL_REDIS_HEAD_MOST],
                            const tmpl_redis_head_t *head)
{
    size_t n = strlen(head->cursor);

    tmpl_put_le(bytes, head->site.pages, 4);
    tmpl_put_le(bytes + 4, head->site.version, 8);
    tmpl_put_le(bytes + 12, head->site.entries, 4);
    tmpl_put_le(bytes + 16, head->buckets.n, 4);
    tmpl_put_le(bytes + 20, head->buckets.salt, 8);
    memcpy(bytes + HEAD_SIZE, head->cursor, n);
    return HEAD_SIZE + n;
}

int tmpl_redis_head_unpack(tmpl_redis_head_t *head, const void *bytes, size_t len)
{
    const unsigned char *p = bytes;

    memset(head, 0, sizeof(*head));
    if (len < HEAD_SIZE || len - HEAD_SIZE >= sizeof(head->cursor)) {
        return 0;
    }
    head->site.pages = (uint32_t)tmpl_get_le(p, 4);
    head->site.version = tmpl_get_le(p + 4, 8);
    head->site.entries = tmpl_get_le(p + 12, 4);
    head->buckets.n = (uint32_t)tmpl_get_le(p + 16, 4);
    head->buckets.salt = tmpl_get_le(p + 20, 8);
    memcpy(head->cursor, p + HEAD_SIZE, len - HEAD_SIZE);
    return head->buckets.n <= TMPL_BUCKETS_MOST &&
           strspn(head->cursor, "0123456789") == len - HEAD_SIZE;
}

void tmpl_redis_bucket_field(unsigned char field[TMPL_REDIS_FIELD], uint32_t n)
{
    field[0] = BUCKET_FLAG;
    field[1] = (unsigned char)(n >> 16);
    field[2] = (unsigned char)(n >> 8);
    field[3] = (unsigned char)n;
}

int tmpl_redis_bucket_unpack(const void *field, size_t len, uint32_t *n)
{
    const unsigned char *p = field;

    if (len != TMPL_REDIS_FIELD || p[0] != BUCKET_FLAG) {
        return 0;
    }
    *n = (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    return 1;
}

/* ---- distinct keys ---- */

/* Where a key's number stands, or is to stand. */
static uint32_t *set_place(const set_t *set, tmpl_key_t key)
{
    uint32_t n_places = 2 * set->room;
    uint32_t i = tmpl_slot_of(key.hash * TMPL_KIND_COUNT + key.kind, n_places);

    while (set->places[i] != 0 && (set->keys[set->places[i] - 1].hash != key.hash ||
                                   set->keys[set->places[i] - 1].kind != key.kind)) {
        i = (i + 1) & (n_places - 1);
    }
    return &set->places[i];
}

static uint32_t set_find(const set_t *set, tmpl_key_t key)
{
    uint32_t number = set->n == 0 ? 0 : *set_place(set, key);

    return number == 0 ? TMPL_NONE : number - 1;
}

/* Room for so many at least. */
static void set_reserve(set_t *set, uint32_t room, apr_pool_t *pool)
{
    set_t more = { .n = set->n, .room = ROOM_LEAST };

    while (more.room < room) {
        more.room *= 2;
    }
    more.keys = apr_palloc(pool, more.room * sizeof(*more.keys));
    more.places = apr_pcalloc(pool, 2 * (apr_size_t)more.room * sizeof(*more.places));
    for (uint32_t i = 0; i < set->n; i++) {
        more.keys[i] = set->keys[i];
        *set_place(&more, set->keys[i]) = i + 1;
    }
    *set = more;
}

/* The number of a key, a new one if it has none: then *is_new. */
static uint32_t set_add(set_t *set, tmpl_key_t key, int *is_new, apr_pool_t *pool)
{
    uint32_t *place;

    if (set->n == set->room) {
        set_reserve(set, set->room + 1, pool);
    }
    place = set_place(set, key);
    *is_new = *place == 0;
    if (*is_new) {
        set->keys[set->n] = key;
        *place = ++set->n;
    }
    return *place - 1;
}

/* Room for as many of size bytes as the set has, those up to n kept. */
static void *grown(const void *old, uint32_t n, const set_t *set, size_t size, apr_pool_t *pool)
{
    return memcpy(apr_palloc(pool, set->room * size), old, n * size);
}

tmpl_redis_table_t *tmpl_redis_table_make(uint32_t n, apr_pool_t *pool)
{
    tmpl_redis_table_t *table = apr_pcalloc(pool, sizeof(*table));

    table->pool = pool;
    set_reserve(&table->keys, n, pool);
    table->entries = apr_palloc(pool, table->keys.room * sizeof(*table->entries));
    return table;
}

/* One of those that are made some at a time. Its slot is filled by settle. */
static entry_t *entry_make(tmpl_redis_table_t *table)
{
    if (table->n_made == 0) {
        table->n_made = ENTRIES_MADE;
        table->made = apr_palloc(table->pool, ENTRIES_MADE * sizeof(*table->made));
    }
    table->n_made--;
    table->made->bucket = TMPL_NONE;
    return table->made++;
}

static entry_t *entry_add(tmpl_redis_table_t *table, tmpl_key_t key, int *is_new)
{
    uint32_t n = table->keys.n, room = table->keys.room;
    uint32_t i = set_add(&table->keys, key, is_new, table->pool);

    if (room != table->keys.room) {
        table->entries = grown(table->entries, n, &table->keys, sizeof(entry_t *), table->pool);
    }
    if (*is_new) {
        table->entries[i] = entry_make(table);
    }
    return table->entries[i];
}

tmpl_slot_t *tmpl_redis_table_slot(tmpl_redis_table_t *table, tmpl_key_t key)
{
    int is_new;

    return &entry_add(table, key, &is_new)->slot;
}

static uint32_t bucket_add(tmpl_redis_table_t *table, uint32_t n, int *is_new)
{
    uint32_t before = table->numbers.n, room = table->numbers.room;
    uint32_t i =
        set_add(&table->numbers, (tmpl_key_t){ n, TMPL_KIND_DOCUMENT }, is_new, table->pool);

    if (room != table->numbers.room) {
        table->buckets =
            grown(table->buckets, before, &table->numbers, sizeof(bucket_t), table->pool);
    }
    if (*is_new) {
        table->buckets[i] = (bucket_t){ 0 };
    }
    return i;
}

/* There may be one for each key, and some more. */
static void numbers_clear(tmpl_redis_table_t *table)
{
    memset(&table->numbers, 0, sizeof(table->numbers));
    set_reserve(&table->numbers, table->keys.n, table->pool);
    table->buckets = apr_palloc(table->pool, table->numbers.room * sizeof(*table->buckets));
}

static uint32_t bucket_find(const tmpl_redis_table_t *table, uint32_t n)
{
    return set_find(&table->numbers, (tmpl_key_t){ n, TMPL_KIND_DOCUMENT });
}

/* ---- asking ---- */

void tmpl_redis_table_ask(tmpl_redis_table_t *table, const tmpl_buckets_t *buckets)
{
    int is_new;

    numbers_clear(table);
    table->asked = *buckets;
    for (uint32_t i = 0; i < table->keys.n; i++) {
        table->entries[i]->bucket =
            buckets->n == 0
                ? TMPL_NONE
                : bucket_add(table, tmpl_bucket_of(buckets, table->keys.keys[i]), &is_new);
    }
    table->n_asked = table->numbers.n;
}

uint32_t tmpl_redis_table_fields(const tmpl_redis_table_t *table)
{
    return 1 + table->n_asked;
}

size_t tmpl_redis_table_field(const tmpl_redis_table_t *table, uint32_t i,
                              unsigned char field[TMPL_REDIS_FIELD])
{
    if (i == 0) {
        field[0] = (unsigned char)TMPL_REDIS_HEAD[0];
        return 1;
    }
    tmpl_redis_bucket_field(field, tmpl_redis_table_number(table, i));
    return TMPL_REDIS_FIELD;
}

size_t tmpl_redis_table_max_reply(const tmpl_redis_table_t *table)
{
    size_t n = table->n_asked, all = n * (TMPL_BUCKET_MOST + REPLY_EXTRA);

    return TMPL_REDIS_HEAD_MOST + REPLY_EXTRA +
           (all < REPLY_MOST ? all : REPLY_MOST + n * REPLY_USUAL);
}

static void head_take(tmpl_redis_table_t *table, const redisReply *answer)
{
    if (answer->type != REDIS_REPLY_STRING ||
        !tmpl_redis_head_unpack(&table->head, answer->str, answer->len)) {
        memset(&table->head, 0, sizeof(table->head));
    }
    table->is_new = table->head.buckets.n == 0;
    if (table->is_new) {
        table->head.site.entries = 0;
    }
    table->n_before = table->head.site.entries;
}

static void bucket_take(bucket_t *bucket, const redisReply *answer)
{
    *bucket = (bucket_t){ .there = answer->type == REDIS_REPLY_STRING };
    if (bucket->there && answer->len <= TMPL_BUCKET_MOST) {
        bucket->is = (tmpl_bucket_t){ (const unsigned char *)answer->str, answer->len };
    }
    else if (bucket->there) {
        bucket->changed = 1; /* no bucket of ours: what takes its place is written, or it goes */
    }
}

int tmpl_redis_table_take(tmpl_redis_table_t *table, uint32_t i, const redisReply *answer)
{
    if (answer->type != REDIS_REPLY_STRING && answer->type != REDIS_REPLY_NIL) {
        return 0;
    }
    if (i == 0) {
        head_take(table, answer);
    }
    else {
        bucket_take(&table->buckets[i - 1], answer);
    }
    return 1;
}

uint32_t tmpl_redis_table_number(const tmpl_redis_table_t *table, uint32_t i)
{
    return (uint32_t)table->numbers.keys[i - 1].hash;
}

void tmpl_redis_table_give(tmpl_redis_table_t *table, uint32_t i, const tmpl_redis_bucket_t *bucket)
{
    table->buckets[i - 1] =
        (bucket_t){ .is = { bucket->bytes, bucket->len }, .there = bucket->len > 0 };
}

const tmpl_redis_bucket_t *tmpl_redis_table_buckets(const tmpl_redis_table_t *table, uint32_t *n)
{
    tmpl_redis_bucket_t *all =
        apr_palloc(table->pool, (table->numbers.n + (apr_size_t)1) * sizeof(*all));

    *n = 0;
    for (uint32_t i = 0; i < table->numbers.n; i++) {
        uint32_t number = tmpl_redis_table_number(table, i + 1);

        if (number < table->head.buckets.n) {
            all[(*n)++] = (tmpl_redis_bucket_t){ number, table->buckets[i].is.bytes,
                                                 table->buckets[i].is.len };
        }
    }
    return all;
}

int tmpl_redis_table_settle(tmpl_redis_table_t *table)
{
    const tmpl_buckets_t *is = &table->head.buckets, *asked = &table->asked;

    /* where there are none, it does not matter which were asked for */
    if (is->n > 0 && (is->n != asked->n || is->salt != asked->salt)) {
        return 0;
    }
    for (uint32_t i = 0; i < table->keys.n; i++) {
        entry_t *entry = table->entries[i];
        const bucket_t *bucket;

        memset(&entry->slot, 0, sizeof(entry->slot));
        entry->bucket = is->n > 0 ? entry->bucket : TMPL_NONE;
        if (entry->bucket != TMPL_NONE) {
            bucket = &table->buckets[entry->bucket];
            entry->slot.held = (unsigned char)tmpl_bucket_find(
                bucket->is.bytes, bucket->is.len, table->keys.keys[i], &entry->slot.value);
        }
    }
    return 1;
}

tmpl_redis_head_t *tmpl_redis_table_head(tmpl_redis_table_t *table)
{
    return &table->head;
}

/* ---- what was counted goes to its place ---- */

/* A site begins with as many as its first pages call for. */
static void buckets_begin(tmpl_redis_table_t *table)
{
    tmpl_redis_head_t *head = &table->head;
    int is_new;

    numbers_clear(table);
    head->buckets = tmpl_buckets_new(head->site.entries);
    for (uint32_t i = 0; i < table->keys.n; i++) {
        table->entries[i]->bucket =
            bucket_add(table, tmpl_bucket_of(&head->buckets, table->keys.keys[i]), &is_new);
    }
    table->n_asked = table->numbers.n;
}

/* How many the site is to have. */
static uint32_t buckets_wanted(const tmpl_redis_table_t *table)
{
    return tmpl_buckets_wanted(table->head.buckets.n, table->n_before, table->head.site.entries);
}

uint32_t tmpl_redis_table_grow(tmpl_redis_table_t *table)
{
    uint32_t n = table->head.buckets.n, to = buckets_wanted(table);
    uint32_t before = table->n_asked, most = tmpl_buckets_enough(table->head.site.entries);
    int is_new;

    if (n == 0) {
        buckets_begin(table);
        return 0;
    }
    for (uint32_t i = n; i < to; i++) {
        uint32_t from = tmpl_bucket_split_from(i);

        if (from < n) {
            bucket_add(table, from, &is_new);
        }
    }
    for (uint32_t i = n; i > most && i > n - (n < TMPL_BUCKETS_MERGES ? n : TMPL_BUCKETS_MERGES);
         i--) {
        bucket_add(table, i - 1, &is_new);
        bucket_add(table, tmpl_bucket_split_from(i - 1), &is_new);
    }
    table->n_asked = table->numbers.n;
    return table->n_asked - before;
}

/* A bucket has been made anew on a desk: it is to be written. */
static void bucket_changed(const tmpl_redis_table_t *table, bucket_t *bucket,
                           const tmpl_bucket_t *is)
{
    bucket->is = (tmpl_bucket_t){ apr_pmemdup(table->pool, is->bytes, is->len), is->len };
    bucket->changed = 1;
}

static void forgotten(tmpl_redis_table_t *table, uint32_t n)
{
    tmpl_rules_site_t *site = &table->head.site;

    site->entries -= n < site->entries ? n : site->entries;
}

/* An entry that has been written. */
typedef struct {
    uint32_t bucket;
    tmpl_bucket_entry_t is;
} move_t;

/* All of them, in the order of their buckets; *n of them. */
static move_t *moves_of(const tmpl_redis_table_t *table, size_t *n)
{
    size_t *first = apr_pcalloc(table->pool, (table->numbers.n + (apr_size_t)1) * sizeof(*first));
    move_t *moves;

    for (uint32_t i = 0; i < table->keys.n; i++) {
        if (table->entries[i]->slot.written) {
            first[table->entries[i]->bucket + 1]++;
        }
    }
    for (uint32_t b = 0; b < table->numbers.n; b++) {
        first[b + 1] += first[b];
    }
    *n = first[table->numbers.n];
    moves = apr_palloc(table->pool, (*n + 1) * sizeof(*moves));
    for (uint32_t i = 0; i < table->keys.n; i++) {
        const entry_t *entry = table->entries[i];

        if (entry->slot.written) {
            moves[first[entry->bucket]++] =
                (move_t){ entry->bucket, { table->keys.keys[i], &entry->slot.value } };
        }
    }
    return moves;
}

static void bucket_update(tmpl_redis_table_t *table, tmpl_bucket_desk_t *desk, bucket_t *bucket,
                          const tmpl_bucket_entry_t *entries, uint32_t n,
                          const tmpl_lifetimes_t *lifetimes)
{
    tmpl_bucket_t is = bucket->is;
    uint32_t dead;

    if (!tmpl_bucket_update(desk, &is, entries, n, lifetimes, table->head.site.pages, &dead)) {
        table->full = 1;
        return;
    }
    forgotten(table, dead);
    if (n > 0 || dead > 0) {
        bucket_changed(table, bucket, &is);
    }
}

static tmpl_bucket_desk_t desk_make(const tmpl_redis_table_t *table)
{
    tmpl_bucket_desk_t desk = { 0 };

    apr_pool_create(&desk.pool, table->pool);
    return desk;
}

/* As many buckets more as the entries call for, each with its part of another's. */
static void buckets_split(tmpl_redis_table_t *table)
{
    tmpl_buckets_t *buckets = &table->head.buckets;
    uint32_t to = buckets_wanted(table);
    tmpl_bucket_desk_t desk = desk_make(table);

    while (buckets->n < to) {
        uint32_t old = bucket_find(table, tmpl_bucket_split_from(buckets->n)), new;
        tmpl_bucket_t stay, go;
        int is_new;

        if (old == TMPL_NONE) {
            break; /* a later page does it */
        }
        new = bucket_add(table, buckets->n++, &is_new);
        stay = table->buckets[old].is;
        tmpl_bucket_split(&desk, &stay, &go, buckets);
        bucket_changed(table, &table->buckets[old], &stay);
        bucket_changed(table, &table->buckets[new], &go);
    }
    apr_pool_destroy(desk.pool);
}

/* Where each key belongs now. */
static void entries_place(tmpl_redis_table_t *table)
{
    for (uint32_t i = 0; i < table->keys.n; i++) {
        table->entries[i]->bucket =
            bucket_find(table, tmpl_bucket_of(&table->head.buckets, table->keys.keys[i]));
    }
}

void tmpl_redis_table_put_away(tmpl_redis_table_t *table, const tmpl_lifetimes_t *lifetimes)
{
    const move_t *moves;
    tmpl_bucket_entry_t *entries;
    tmpl_bucket_desk_t desk = desk_make(table);
    size_t n;

    /* first, or many new entries of a small site would crowd its few buckets */
    buckets_split(table);
    entries_place(table);
    moves = moves_of(table, &n);
    entries = apr_palloc(desk.pool, (n + 1) * sizeof(*entries));
    for (size_t from = 0, to = 0; from < n; from = to) {
        for (; to < n && moves[to].bucket == moves[from].bucket; to++) {
            entries[to - from] = moves[to].is;
        }
        bucket_update(table, &desk, &table->buckets[moves[from].bucket], entries,
                      (uint32_t)(to - from), lifetimes);
    }
    apr_pool_destroy(desk.pool);
}

void tmpl_redis_table_sweep(tmpl_redis_table_t *table, const redisReply *field,
                            const redisReply *value, const tmpl_lifetimes_t *lifetimes)
{
    bucket_t *bucket;
    uint32_t n, i;
    tmpl_bucket_desk_t desk;
    int is_new;

    if (table->is_new || !tmpl_redis_bucket_unpack(field->str, field->len, &n) ||
        n >= table->head.buckets.n) {
        return;
    }
    i = bucket_add(table, n, &is_new);
    bucket = &table->buckets[i];
    if (is_new) {
        bucket_take(bucket, value);
    }
    if (!bucket->changed) {
        desk = desk_make(table);
        bucket_update(table, &desk, bucket, NULL, 0, lifetimes);
        apr_pool_destroy(desk.pool);
    }
}

/* Where entries have died, as many buckets fewer: the last one goes back to where it came from. */
static void buckets_merge(tmpl_redis_table_t *table)
{
    tmpl_buckets_t *buckets = &table->head.buckets;
    uint32_t most = tmpl_buckets_enough(table->head.site.entries);
    tmpl_bucket_desk_t desk = desk_make(table);

    while (buckets->n > most) {
        uint32_t last = bucket_find(table, buckets->n - 1);
        uint32_t into = bucket_find(table, tmpl_bucket_split_from(buckets->n - 1));
        tmpl_bucket_t is, from;

        if (last == TMPL_NONE || into == TMPL_NONE) {
            break; /* a later page does it */
        }
        is = table->buckets[into].is;
        from = table->buckets[last].is;
        if (!tmpl_bucket_merge(&desk, &is, &from)) {
            break;
        }
        bucket_changed(table, &table->buckets[into], &is);
        bucket_changed(table, &table->buckets[last], &from);
        buckets->n--;
    }
    apr_pool_destroy(desk.pool);
}

int tmpl_redis_table_write(tmpl_redis_table_t *table, const tmpl_redis_changes_t *changes)
{
    unsigned char *head = apr_palloc(table->pool, TMPL_REDIS_HEAD_MOST);

    if (table->full) {
        return 0;
    }
    buckets_merge(table);
    if (table->is_new) {
        changes->drop(changes->baton);
    }
    for (uint32_t i = 0; i < table->numbers.n; i++) {
        const bucket_t *bucket = &table->buckets[i];
        unsigned char *field;

        if (bucket->changed && (bucket->is.len > 0 || bucket->there)) {
            field = apr_palloc(table->pool, TMPL_REDIS_FIELD);
            tmpl_redis_bucket_field(field, (uint32_t)table->numbers.keys[i].hash);
            if (bucket->is.len > 0) {
                changes->put(changes->baton, field, TMPL_REDIS_FIELD, bucket->is.bytes,
                             bucket->is.len);
            }
            else {
                changes->del(changes->baton, field, TMPL_REDIS_FIELD);
            }
        }
    }
    changes->put(changes->baton, TMPL_REDIS_HEAD, 1, head,
                 tmpl_redis_head_pack(head, &table->head));
    return 1;
}
