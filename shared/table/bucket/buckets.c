/* SPDX-License-Identifier: Apache-2.0 */
#include "table/bucket/buckets.h"

#include <apr_general.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define ENTRIES       24   /* in each bucket on the average */
#define ENTRIES_SMALL 64   /* the same of a small site: its pages need all buckets anyway */
#define SMALL         1024 /* entries */
#define SPLITS_MOST   64 /* buckets that a site gets at once beyond those that new entries call for */

uint32_t tmpl_buckets_for(uint64_t entries)
{
    uint64_t small = entries < SMALL ? entries : SMALL;
    uint64_t n = small / ENTRIES_SMALL + (entries - small) / ENTRIES + 1;

    return n < TMPL_BUCKETS_MOST ? (uint32_t)n : TMPL_BUCKETS_MOST;
}

tmpl_buckets_t tmpl_buckets_new(uint64_t entries)
{
    tmpl_buckets_t buckets = { .n = tmpl_buckets_for(entries) };

    (void)apr_generate_random_bytes((unsigned char *)&buckets.salt, sizeof(buckets.salt));
    return buckets;
}

/* The least power of two that is not below n, which is at most 2^24. */
static uint32_t power_above(uint32_t n)
{
    return n > 1 ? 1u << (32 - __builtin_clz(n - 1)) : 1;
}

uint64_t tmpl_bucket_place(uint64_t salt, tmpl_key_t key)
{
    return XXH3_64bits_withSeed(&key.hash, sizeof(key.hash), salt + key.kind);
}

uint32_t tmpl_bucket_at(uint64_t place, uint32_t n)
{
    uint32_t power = power_above(n);
    uint32_t i = (uint32_t)place & (power - 1);

    return i < n ? i : i - power / 2;
}

uint32_t tmpl_bucket_of(const tmpl_buckets_t *buckets, tmpl_key_t key)
{
    return tmpl_bucket_at(tmpl_bucket_place(buckets->salt, key), buckets->n);
}

uint32_t tmpl_bucket_split_from(uint32_t n)
{
    return n - power_above(n + 1) / 2;
}

uint32_t tmpl_buckets_wanted(uint32_t n, uint64_t before, uint64_t entries)
{
    uint64_t n_new = entries > before ? entries - before : 0;
    uint64_t most = n + SPLITS_MOST + n_new / ENTRIES;
    uint32_t wanted = tmpl_buckets_for(entries);

    return wanted < most ? wanted : (uint32_t)most;
}

uint32_t tmpl_buckets_enough(uint64_t entries)
{
    return tmpl_buckets_for(entries + entries / 3);
}

/* ---- written anew ---- */

#define SORTED_MOST 64 /* rows, in steps by the square */

/* At least so many bytes; what stood there is lost if there were fewer. */
static void *reserve(apr_pool_t *pool, void *old, size_t *room, size_t wanted)
{
    if (*room >= wanted && old != NULL) {
        return old;
    }
    *room = 2 * wanted;
    return apr_palloc(pool, *room);
}

static void rows_reserve(tmpl_bucket_desk_t *desk, size_t n)
{
    desk->rows = reserve(desk->pool, desk->rows, &desk->rows_room, (n + 1) * sizeof(*desk->rows));
}

/* Writes rows at a place of the desk; 0: they are more than a bucket may hold. */
static int rows_write(const tmpl_bucket_row_t *rows, uint32_t n, unsigned char *at,
                      tmpl_bucket_t *to)
{
    size_t len = tmpl_bucket_write(at, rows, n);

    if (len > TMPL_BUCKET_MOST) {
        return 0;
    }
    *to = (tmpl_bucket_t){ at, len };
    return 1;
}

/* Room for rows as bytes. */
static unsigned char *bytes_reserve(tmpl_bucket_desk_t *desk, size_t room)
{
    desk->bytes = reserve(desk->pool, desk->bytes, &desk->bytes_room, room);
    return desk->bytes;
}

/* The first bytes that rows of one DF differ in. */
static inline uint32_t row_start(const tmpl_bucket_row_t *row)
{
    unsigned first = row->len > 0 ? row->rest[0] : 0, second = row->len > 1 ? row->rest[1] : 0;

    return (uint32_t)row->tag << 16 | first << 8 | second;
}

static inline int goes_before(const tmpl_bucket_row_t *a, const tmpl_bucket_row_t *b)
{
    if (a->df != b->df) {
        return a->df > b->df;
    }
    return a->last != b->last ? a->last > b->last : row_start(a) < row_start(b);
}

/*
 * Puts rows in order by their document frequency: those that most pages ask for stand in front; and those that are alike
 * stand beside each other, so that a bucket has their value once. Of many rows, so many at a time.
 */
static void rows_sort(tmpl_bucket_row_t *rows, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        tmpl_bucket_row_t row = rows[i];
        uint32_t at = i, first = i / SORTED_MOST * SORTED_MOST;

        for (; at > first && goes_before(&row, &rows[at - 1]); at--) {
            rows[at] = rows[at - 1];
        }
        rows[at] = row;
    }
}

/* Rows of entries, to be in front of others of which there are so many at most. */
static void rows_begin(tmpl_bucket_desk_t *desk, const tmpl_bucket_entry_t *entries, uint32_t n,
                       size_t others)
{
    rows_reserve(desk, n + others);
    desk->rests =
        reserve(desk->pool, desk->rests, &desk->rests_room, (size_t)n * TMPL_BUCKET_REST_MOST);
    for (uint32_t i = 0; i < n; i++) {
        tmpl_bucket_row(&desk->rows[i], entries[i].key, entries[i].value,
                        desk->rests + (size_t)i * TMPL_BUCKET_REST_MOST);
    }
    rows_sort(desk->rows, n);
}

/* The bucket put together from all rows, under another clock. */
static int change_all(tmpl_bucket_desk_t *desk, tmpl_bucket_t *bucket,
                      const tmpl_bucket_change_t *change)
{
    tmpl_bucket_row_t *rows = desk->rows;
    uint32_t kept = change->n, n = change->n + tmpl_bucket_rows(rows + change->n, bucket);

    for (uint32_t i = change->n, gone = 0; i < n; i++) {
        if (gone < change->n_gone && change->gone[gone].row == i - change->n) {
            gone++;
        }
        else {
            rows[kept++] = rows[i];
        }
    }
    return rows_write(rows, kept, bytes_reserve(desk, tmpl_bucket_room(rows, kept)), bucket);
}

/* New entries stand in front: what is seen often is found soon. */
int tmpl_bucket_update(tmpl_bucket_desk_t *desk, tmpl_bucket_t *bucket,
                       const tmpl_bucket_entry_t *entries, uint32_t n,
                       const tmpl_lifetimes_t *lifetimes, uint32_t now, uint32_t *dead)
{
    uint32_t others = tmpl_bucket_count(bucket);
    tmpl_bucket_change_t change = { *bucket, NULL, n, lifetimes, now, NULL, 0, 0, 0 };
    size_t len;

    rows_begin(desk, entries, n, others);
    desk->gone = reserve(desk->pool, desk->gone, &desk->gone_room, others * sizeof(*desk->gone));
    change.rows = desk->rows;
    change.gone = desk->gone;
    tmpl_bucket_change_find(&change);
    *dead = change.dead;
    if (n + change.n_gone == 0) {
        return 1;
    }
    if (!change.fits) {
        return change_all(desk, bucket, &change);
    }
    bytes_reserve(desk, bucket->len + tmpl_bucket_room(desk->rows, n));
    len = tmpl_bucket_change_write(desk->bytes, &change);
    if (len > TMPL_BUCKET_MOST) {
        return 0;
    }
    *bucket = (tmpl_bucket_t){ desk->bytes, len };
    return 1;
}

void tmpl_bucket_split(tmpl_bucket_desk_t *desk, tmpl_bucket_t *from, tmpl_bucket_t *to,
                       const tmpl_buckets_t *after)
{
    uint32_t count = tmpl_bucket_count(from), n, stay = 0, go = 0;
    tmpl_bucket_row_t *rows, *gone;
    unsigned char *bytes;

    rows_reserve(desk, 2 * (size_t)count);
    rows = desk->rows;
    gone = rows + count;
    n = tmpl_bucket_rows(rows, from);
    for (uint32_t i = 0; i < n; i++) {
        tmpl_key_t key = { rows[i].hash, tmpl_bucket_row_kind(&rows[i]) };

        if (tmpl_bucket_of(after, key) == after->n - 1) {
            gone[go++] = rows[i];
        }
        else {
            rows[stay++] = rows[i];
        }
    }
    bytes = bytes_reserve(desk, tmpl_bucket_room(rows, stay) + tmpl_bucket_room(gone, go));
    /* each is less than there was */
    (void)rows_write(rows, stay, bytes, from);
    (void)rows_write(gone, go, bytes + tmpl_bucket_room(rows, stay), to);
}

int tmpl_bucket_merge(tmpl_bucket_desk_t *desk, tmpl_bucket_t *into, tmpl_bucket_t *from)
{
    uint32_t n;

    rows_reserve(desk, (size_t)tmpl_bucket_count(into) + tmpl_bucket_count(from));
    n = tmpl_bucket_rows(desk->rows, into);
    n += tmpl_bucket_rows(desk->rows + n, from);
    if (!rows_write(desk->rows, n, bytes_reserve(desk, tmpl_bucket_room(desk->rows, n)), into)) {
        return 0;
    }
    from->len = 0;
    return 1;
}
