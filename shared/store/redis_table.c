/* SPDX-License-Identifier: Apache-2.0 */
#include "store/redis_table.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>
#include <apr_tables.h>

#include "page/slot.h"

#define HEAD_SIZE   32  /* without the cursor behind it */
#define DRAWER_FLAG 128 /* in the first byte of a drawer's field */
#define DRAWER_MOST 48  /* entries in each drawer on the average */
#define REPLY_EXTRA 16  /* bytes around a value in an answer, at most */

/* Distinct keys, each with its number. */
typedef struct {
    tmpl_key_t *keys;
    uint32_t n, room;
    uint32_t *places; /* numbers + 1; twice as many as room */
} set_t;

typedef struct {
    tmpl_slot_t slot;
    uint32_t drawer;     /* the one in which it stands, or would; or TMPL_NONE */
    unsigned char there; /* the server has it as a field of its own */
    unsigned char alone;
    unsigned char in_drawer;
    unsigned char gone; /* to be deleted */
} entry_t;

typedef struct {
    const unsigned char *bytes;
    size_t len;
    unsigned char there; /* the server has it */
    unsigned char changed;
} drawer_t;

struct tmpl_redis_table_t {
    apr_pool_t *pool;
    tmpl_redis_head_t head;
    int has_head;
    set_t keys;
    entry_t **entries; /* of each key; they stay where they are */
    set_t places;      /* of drawers: the number for a hash */
    drawer_t *drawers;
    uint32_t n_asked; /* drawers to be asked for, or asked for */
};

size_t tmpl_redis_head_pack(unsigned char bytes[TMPL_REDIS_HEAD_MOST],
                            const tmpl_redis_head_t *head)
{
    size_t n = strlen(head->cursor);

    tmpl_put_le(bytes, head->site.pages, 4);
    tmpl_put_le(bytes + 4, head->site.version, 8);
    tmpl_put_le(bytes + 12, head->site.entries, 4);
    for (unsigned kind = 0; kind < TMPL_DRAWER_KINDS; kind++) {
        tmpl_put_le(bytes + 16 + 8 * kind, head->drawers[kind].n, 4);
        tmpl_put_le(bytes + 20 + 8 * kind, head->drawers[kind].entries, 4);
    }
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
    for (unsigned kind = 0; kind < TMPL_DRAWER_KINDS; kind++) {
        head->drawers[kind].n = (uint32_t)tmpl_get_le(p + 16 + 8 * kind, 4);
        head->drawers[kind].entries = (uint32_t)tmpl_get_le(p + 20 + 8 * kind, 4);
        if (head->drawers[kind].n > TMPL_REDIS_DRAWERS_MOST) {
            return 0;
        }
    }
    memcpy(head->cursor, p + HEAD_SIZE, len - HEAD_SIZE);
    return strspn(head->cursor, "0123456789") == len - HEAD_SIZE;
}

void tmpl_redis_drawer_field(unsigned char field[TMPL_REDIS_DRAWER_FIELD], tmpl_kind_e kind,
                             uint32_t n)
{
    field[0] = (unsigned char)(DRAWER_FLAG | kind);
    field[1] = (unsigned char)(n >> 16);
    field[2] = (unsigned char)(n >> 8);
    field[3] = (unsigned char)n;
}

int tmpl_redis_drawer_unpack(const void *field, size_t len, tmpl_kind_e *kind, uint32_t *n)
{
    const unsigned char *p = field;

    if (len != TMPL_REDIS_DRAWER_FIELD || p[0] < DRAWER_FLAG ||
        p[0] >= DRAWER_FLAG + TMPL_DRAWER_KINDS) {
        return 0;
    }
    *kind = (tmpl_kind_e)(p[0] - DRAWER_FLAG);
    *n = (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    return 1;
}

uint32_t tmpl_redis_drawers_for(uint32_t entries)
{
    uint32_t n = entries / DRAWER_MOST + 1;

    return n < TMPL_REDIS_DRAWERS_MOST ? n : TMPL_REDIS_DRAWERS_MOST;
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

static void set_grow(set_t *set, apr_pool_t *pool)
{
    set_t more = { .n = set->n, .room = set->room == 0 ? 64 : 2 * set->room };

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
        set_grow(set, pool);
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
static void *grown(void *old, uint32_t n, const set_t *set, size_t size, apr_pool_t *pool)
{
    void *more = apr_pcalloc(pool, set->room * size);

    if (n > 0) {
        memcpy(more, old, n * size);
    }
    return more;
}

tmpl_redis_table_t *tmpl_redis_table_make(apr_pool_t *pool)
{
    tmpl_redis_table_t *table = apr_pcalloc(pool, sizeof(*table));

    table->pool = pool;
    return table;
}

static entry_t *entry_add(tmpl_redis_table_t *table, tmpl_key_t key, int *is_new)
{
    uint32_t n = table->keys.n, room = table->keys.room;
    uint32_t i = set_add(&table->keys, key, is_new, table->pool);

    if (room != table->keys.room) {
        table->entries = grown(table->entries, n, &table->keys, sizeof(entry_t *), table->pool);
    }
    if (*is_new) {
        table->entries[i] = apr_pcalloc(table->pool, sizeof(entry_t));
        table->entries[i]->drawer = TMPL_NONE;
    }
    return table->entries[i];
}

tmpl_slot_t *tmpl_redis_table_slot(tmpl_redis_table_t *table, tmpl_key_t key)
{
    int is_new;

    return &entry_add(table, key, &is_new)->slot;
}

static uint32_t drawer_add(tmpl_redis_table_t *table, tmpl_kind_e kind, uint32_t n, int *is_new)
{
    uint32_t before = table->places.n, room = table->places.room;
    uint32_t i = set_add(&table->places, (tmpl_key_t){ n, kind }, is_new, table->pool);

    if (room != table->places.room) {
        table->drawers =
            grown(table->drawers, before, &table->places, sizeof(drawer_t), table->pool);
    }
    if (*is_new) {
        table->drawers[i] = (drawer_t){ 0 };
    }
    return i;
}

static uint32_t drawer_find(const tmpl_redis_table_t *table, tmpl_kind_e kind, uint32_t n)
{
    return set_find(&table->places, (tmpl_key_t){ n, kind });
}

/* The number of the drawer of a key, if there are any; or TMPL_NONE. */
static uint32_t drawer_of(const tmpl_drawers_t drawers[], tmpl_key_t key)
{
    return (unsigned)key.kind < TMPL_DRAWER_KINDS && drawers[key.kind].n > 0
               ? tmpl_drawer_of(key.hash, drawers[key.kind].n)
               : TMPL_NONE;
}

/* ---- asking ---- */

void tmpl_redis_table_ask(tmpl_redis_table_t *table, const tmpl_redis_guess_t *guess)
{
    memset(&table->places, 0, sizeof(table->places));
    for (uint32_t i = 0; i < table->keys.n; i++) {
        tmpl_key_t key = table->keys.keys[i];
        uint32_t n = drawer_of(guess->drawers, key);
        int is_new;

        if (n != TMPL_NONE &&
            (guess->stands_alone == NULL || !guess->stands_alone(guess->baton, key))) {
            drawer_add(table, key.kind, n, &is_new);
        }
    }
    table->n_asked = table->places.n;
}

uint32_t tmpl_redis_table_fields(const tmpl_redis_table_t *table)
{
    return 1 + table->keys.n + table->n_asked;
}

size_t tmpl_redis_table_field(const tmpl_redis_table_t *table, uint32_t i,
                              unsigned char field[TMPL_KEY_SIZE])
{
    if (i == 0) {
        field[0] = TMPL_REDIS_HEAD[0];
        return 1;
    }
    if (i <= table->keys.n) {
        tmpl_key_pack(field, table->keys.keys[i - 1]);
        return TMPL_KEY_SIZE;
    }
    i -= 1 + table->keys.n;
    tmpl_redis_drawer_field(field, table->places.keys[i].kind,
                            (uint32_t)table->places.keys[i].hash);
    return TMPL_REDIS_DRAWER_FIELD;
}

size_t tmpl_redis_table_max_reply(const tmpl_redis_table_t *table)
{
    return TMPL_REDIS_HEAD_MOST + REPLY_EXTRA +
           (size_t)table->keys.n * (TMPL_VALUE_MAX + REPLY_EXTRA) +
           (size_t)table->n_asked * (TMPL_DRAWER_MAX + REPLY_EXTRA);
}

static int head_take(tmpl_redis_table_t *table, const redisReply *answer)
{
    memset(&table->head, 0, sizeof(table->head));
    table->has_head = answer->type == REDIS_REPLY_STRING &&
                      tmpl_redis_head_unpack(&table->head, answer->str, answer->len);
    if (!table->has_head) {
        /* what is no head is overwritten, as if there were none */
        memset(&table->head, 0, sizeof(table->head));
    }
    return 1;
}

static void entry_take(entry_t *entry, tmpl_kind_e kind, const redisReply *answer)
{
    memset(entry, 0, sizeof(*entry));
    entry->drawer = TMPL_NONE;
    entry->there = entry->alone = entry->slot.held = answer->type == REDIS_REPLY_STRING;
    if (entry->alone && !tmpl_value_unpack(&entry->slot.value, kind, answer->str, answer->len)) {
        entry->slot.value.df = 0;
    }
}

static void drawer_take(drawer_t *drawer, tmpl_kind_e kind, const redisReply *answer)
{
    size_t stride = tmpl_drawer_stride(kind);

    *drawer = (drawer_t){ .there = answer->type == REDIS_REPLY_STRING };
    if (drawer->there && answer->len % stride == 0 && answer->len <= stride * TMPL_DRAWER_FULL) {
        drawer->bytes = (const unsigned char *)answer->str;
        drawer->len = answer->len;
    }
}

int tmpl_redis_table_take(tmpl_redis_table_t *table, uint32_t i, const redisReply *answer)
{
    if (answer->type != REDIS_REPLY_STRING && answer->type != REDIS_REPLY_NIL) {
        return 0;
    }
    if (i == 0) {
        return head_take(table, answer);
    }
    if (i <= table->keys.n) {
        entry_take(table->entries[i - 1], table->keys.keys[i - 1].kind, answer);
    }
    else {
        i -= 1 + table->keys.n;
        drawer_take(&table->drawers[i], table->places.keys[i].kind, answer);
    }
    return 1;
}

/* Looks into the drawer of an entry that does not stand alone; 0 if it has not been asked for. */
static int entry_settle(tmpl_redis_table_t *table, entry_t *entry, tmpl_key_t key)
{
    uint32_t n = drawer_of(table->head.drawers, key), at;
    const drawer_t *drawer;

    if (entry->alone || n == TMPL_NONE) {
        return 1;
    }
    entry->drawer = drawer_find(table, key.kind, n);
    if (entry->drawer == TMPL_NONE) {
        return 0;
    }
    drawer = &table->drawers[entry->drawer];
    at = tmpl_drawer_find(key.kind, drawer->bytes, drawer->len, key.hash);
    if (at != TMPL_NONE) {
        entry->in_drawer = entry->slot.held = 1;
        tmpl_drawer_value(key.kind, drawer->bytes, at, &entry->slot.value);
    }
    return 1;
}

int tmpl_redis_table_settle(tmpl_redis_table_t *table)
{
    int good = 1;

    for (uint32_t i = 0; good && i < table->keys.n; i++) {
        good = entry_settle(table, table->entries[i], table->keys.keys[i]);
    }
    return good;
}

tmpl_redis_head_t *tmpl_redis_table_head(tmpl_redis_table_t *table)
{
    return &table->head;
}

int tmpl_redis_table_has_head(const tmpl_redis_table_t *table)
{
    return table->has_head;
}

void tmpl_redis_table_alone(const tmpl_redis_table_t *table,
                            void (*each)(void *baton, tmpl_key_t key), void *baton)
{
    for (uint32_t i = 0; i < table->keys.n; i++) {
        if (table->entries[i]->alone && !table->entries[i]->gone) {
            each(baton, table->keys.keys[i]);
        }
    }
}

/* ---- what was counted goes to its place ---- */

/* Whether an entry that is written goes into a drawer. */
static int goes_in(const entry_t *entry, tmpl_kind_e kind)
{
    return entry->slot.written && !entry->alone && tmpl_drawer_takes(kind, &entry->slot.value);
}

uint32_t tmpl_redis_table_grow(tmpl_redis_table_t *table, uint32_t *from)
{
    uint32_t more[TMPL_DRAWER_KINDS] = { 0 };
    int is_new;

    *from = 1 + table->keys.n + table->n_asked;
    for (uint32_t i = 0; i < table->keys.n; i++) {
        const entry_t *entry = table->entries[i];

        if (goes_in(entry, table->keys.keys[i].kind) && !entry->in_drawer) {
            more[table->keys.keys[i].kind]++;
        }
    }
    for (unsigned kind = 0; kind < TMPL_DRAWER_KINDS; kind++) {
        tmpl_drawers_t *drawers = &table->head.drawers[kind];
        uint32_t to = tmpl_redis_drawers_for(drawers->entries + more[kind]);

        if (drawers->n == 0) {
            drawers->n = tmpl_redis_drawers_for(more[kind]);
        }
        for (uint32_t n = drawers->n; n < to; n++) {
            uint32_t split = tmpl_drawer_split_from(n);

            if (split < drawers->n) {
                drawer_add(table, (tmpl_kind_e)kind, split, &is_new);
            }
        }
    }
    is_new = (int)(table->places.n - table->n_asked);
    table->n_asked = table->places.n;
    return (uint32_t)is_new;
}

static void lost(tmpl_redis_head_t *head, tmpl_kind_e kind, uint32_t n)
{
    tmpl_drawers_t *drawers = &head->drawers[kind];

    drawers->entries -= n < drawers->entries ? n : drawers->entries;
}

static void forgotten(tmpl_redis_head_t *head, uint32_t n)
{
    head->site.entries -= n < head->site.entries ? n : head->site.entries;
}

/* What is left of a drawer takes the place of what was read. */
static void drawer_keep(tmpl_redis_table_t *table, drawer_t *drawer, const tmpl_drawer_t *is)
{
    drawer->bytes = apr_pmemdup(table->pool, is->bytes, is->len);
    drawer->len = is->len;
    drawer->changed = 1;
}

static uint32_t drawer_trim(tmpl_redis_table_t *table, tmpl_drawer_t *drawer,
                            const tmpl_lifetimes_t *lifetimes)
{
    uint32_t dead = tmpl_drawer_trim(drawer, lifetimes, table->head.site.pages);

    lost(&table->head, drawer->kind, dead);
    forgotten(&table->head, dead);
    return dead;
}

static void sweep_drawer(tmpl_redis_table_t *table, tmpl_kind_e kind, uint32_t n,
                         const redisReply *value, const tmpl_lifetimes_t *lifetimes)
{
    int is_new;
    uint32_t i = n < table->head.drawers[kind].n ? drawer_add(table, kind, n, &is_new) : TMPL_NONE;
    tmpl_drawer_t scratch;
    drawer_t *drawer;

    if (i == TMPL_NONE) {
        return;
    }
    drawer = &table->drawers[i];
    if (is_new) {
        drawer_take(drawer, kind, value);
    }
    tmpl_drawer_read(&scratch, kind, drawer->bytes, drawer->len);
    if (drawer_trim(table, &scratch, lifetimes) > 0) {
        drawer_keep(table, drawer, &scratch);
    }
}

static void sweep_entry(tmpl_redis_table_t *table, tmpl_key_t key, const redisReply *value,
                        const tmpl_lifetimes_t *lifetimes)
{
    int is_new;
    entry_t *entry = entry_add(table, key, &is_new);

    if (is_new) {
        entry_take(entry, key.kind, value);
    }
    if (entry->alone && !entry->gone && !entry->slot.written &&
        !tmpl_value_live(&entry->slot.value, lifetimes, table->head.site.pages)) {
        entry->gone = 1;
        forgotten(&table->head, 1);
    }
}

void tmpl_redis_table_sweep(tmpl_redis_table_t *table, const redisReply *field,
                            const redisReply *value, const tmpl_lifetimes_t *lifetimes)
{
    tmpl_kind_e kind;
    tmpl_key_t key;
    uint32_t n;

    if (tmpl_redis_drawer_unpack(field->str, field->len, &kind, &n)) {
        sweep_drawer(table, kind, n, value, lifetimes);
    }
    else if (field->len == TMPL_KEY_SIZE &&
             tmpl_key_unpack(&key, (const unsigned char *)field->str)) {
        sweep_entry(table, key, value, lifetimes);
    }
}

/* An entry that has been written, and does not stand alone. */
typedef struct {
    uint32_t drawer;
    uint32_t last;
    tmpl_key_t key;
    entry_t *entry;
} move_t;

/* By drawer, the last seen last, as drawers have it. */
static int by_drawer(const void *a, const void *b)
{
    const move_t *x = a, *y = b;

    return x->drawer != y->drawer ? (x->drawer > y->drawer) - (x->drawer < y->drawer)
                                  : (x->last > y->last) - (x->last < y->last);
}

/* All of them, in the order of their drawers; *n of them. */
static move_t *moves_of(tmpl_redis_table_t *table, size_t *n)
{
    move_t *moves = apr_palloc(table->pool, (table->keys.n + (apr_size_t)1) * sizeof(*moves));
    int is_new;

    *n = 0;
    for (uint32_t i = 0; i < table->keys.n; i++) {
        tmpl_key_t key = table->keys.keys[i];
        entry_t *entry = table->entries[i];

        if (entry->slot.written && !entry->alone && (unsigned)key.kind < TMPL_DRAWER_KINDS) {
            if (entry->drawer == TMPL_NONE) {
                /* the site has had none yet */
                entry->drawer =
                    drawer_add(table, key.kind, drawer_of(table->head.drawers, key), &is_new);
            }
            moves[(*n)++] = (move_t){ entry->drawer, entry->slot.value.last, key, entry };
        }
    }
    qsort(moves, *n, sizeof(*moves), by_drawer);
    return moves;
}

/* The moves of one drawer. */
static void drawer_update(tmpl_redis_table_t *table, drawer_t *drawer, const move_t *moves,
                          size_t n, const tmpl_lifetimes_t *lifetimes)
{
    tmpl_kind_e kind = moves[0].key.kind;
    tmpl_drawer_t scratch;

    tmpl_drawer_read(&scratch, kind, drawer->bytes, drawer->len);
    for (size_t i = 0; i < n; i++) {
        uint32_t at = moves[i].entry->in_drawer
                          ? tmpl_drawer_find(kind, scratch.bytes, scratch.len, moves[i].key.hash)
                          : TMPL_NONE;
        if (at != TMPL_NONE) {
            tmpl_drawer_remove(&scratch, at);
            lost(&table->head, kind, 1);
        }
    }
    drawer_trim(table, &scratch, lifetimes);
    for (size_t i = 0; i < n; i++) {
        entry_t *entry = moves[i].entry;

        entry->in_drawer = goes_in(entry, kind) &&
                           tmpl_drawer_add(&scratch, moves[i].key.hash, &entry->slot.value);
        entry->alone = !entry->in_drawer;
        table->head.drawers[kind].entries += entry->in_drawer;
    }
    drawer_keep(table, drawer, &scratch);
}

/* As many drawers more as the entries call for, each with its part of another's. */
static void drawers_split(tmpl_redis_table_t *table, tmpl_kind_e kind)
{
    tmpl_drawers_t *drawers = &table->head.drawers[kind];
    tmpl_drawer_t from, to;
    int is_new;

    while (drawers->n < tmpl_redis_drawers_for(drawers->entries)) {
        uint32_t old = drawer_find(table, kind, tmpl_drawer_split_from(drawers->n));
        uint32_t new;

        if (old == TMPL_NONE) {
            return; /* a later page does it */
        }
        tmpl_drawer_read(&from, kind, table->drawers[old].bytes, table->drawers[old].len);
        tmpl_drawer_split(&from, &to, drawers->n);
        new = drawer_add(table, kind, drawers->n, &is_new);
        drawer_keep(table, &table->drawers[old], &from);
        drawer_keep(table, &table->drawers[new], &to);
        drawers->n++;
    }
}

static void put_alone(tmpl_redis_table_t *table, tmpl_key_t key, const entry_t *entry,
                      const tmpl_redis_changes_t *changes)
{
    unsigned char value[TMPL_VALUE_MAX];
    size_t len = tmpl_value_pack(value, &entry->slot.value, key.kind);
    unsigned char *bytes = apr_palloc(table->pool, TMPL_KEY_SIZE + len);

    tmpl_key_pack(bytes, key);
    memcpy(bytes + TMPL_KEY_SIZE, value, len);
    changes->put(changes->baton, bytes, TMPL_KEY_SIZE, bytes + TMPL_KEY_SIZE, len);
}

static uint32_t write_entries(tmpl_redis_table_t *table, const tmpl_redis_changes_t *changes)
{
    uint32_t n_new = 0;

    for (uint32_t i = 0; i < table->keys.n; i++) {
        const entry_t *entry = table->entries[i];
        tmpl_key_t key = table->keys.keys[i];

        if (entry->gone) {
            unsigned char *field = apr_palloc(table->pool, TMPL_KEY_SIZE);

            tmpl_key_pack(field, key);
            changes->del(changes->baton, field, TMPL_KEY_SIZE);
        }
        else if (entry->slot.written && !entry->in_drawer) {
            put_alone(table, key, entry, changes);
            n_new += !entry->there;
        }
    }
    return n_new;
}

static uint32_t write_drawers(tmpl_redis_table_t *table, const tmpl_redis_changes_t *changes)
{
    uint32_t n_new = 0;

    for (uint32_t i = 0; i < table->places.n; i++) {
        const drawer_t *drawer = &table->drawers[i];
        unsigned char *field;

        if (drawer->changed) {
            field = apr_palloc(table->pool, TMPL_REDIS_DRAWER_FIELD);
            tmpl_redis_drawer_field(field, table->places.keys[i].kind,
                                    (uint32_t)table->places.keys[i].hash);
            if (drawer->len > 0) {
                changes->put(changes->baton, field, TMPL_REDIS_DRAWER_FIELD, drawer->bytes,
                             drawer->len);
                n_new += !drawer->there;
            }
            else if (drawer->there) {
                changes->del(changes->baton, field, TMPL_REDIS_DRAWER_FIELD);
            }
        }
    }
    return n_new;
}

void tmpl_redis_table_put_away(tmpl_redis_table_t *table, const tmpl_lifetimes_t *lifetimes)
{
    size_t n;
    const move_t *moves = moves_of(table, &n);

    for (size_t from = 0, to = 0; from < n; from = to) {
        while (to < n && moves[to].drawer == moves[from].drawer) {
            to++;
        }
        drawer_update(table, &table->drawers[moves[from].drawer], moves + from, to - from,
                      lifetimes);
    }
}

uint32_t tmpl_redis_table_write(tmpl_redis_table_t *table, const tmpl_redis_changes_t *changes)
{
    unsigned char *head = apr_palloc(table->pool, TMPL_REDIS_HEAD_MOST);
    uint32_t n_new;

    for (unsigned kind = 0; kind < TMPL_DRAWER_KINDS; kind++) {
        drawers_split(table, (tmpl_kind_e)kind);
    }
    n_new = write_entries(table, changes) + write_drawers(table, changes);
    changes->put(changes->baton, TMPL_REDIS_HEAD, 1, head,
                 tmpl_redis_head_pack(head, &table->head));
    return n_new;
}
