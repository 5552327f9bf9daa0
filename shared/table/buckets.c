/* SPDX-License-Identifier: Apache-2.0 */
#include "table/bucket.h"

#include <endian.h>

#include <apr_general.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define ENTRIES       16   /* in each bucket on the average */
#define ENTRIES_SMALL 32   /* in each bucket of a small site: its pages need all buckets anyway */
#define SMALL         1024 /* entries that count as those of a small site */

uint32_t tmpl_buckets_for(uint64_t entries)
{
    uint64_t small = entries < SMALL ? entries : SMALL;
    uint64_t n = small / ENTRIES_SMALL + (entries - small) / ENTRIES + 1;
    return n < TMPL_BUCKETS_MOST ? (uint32_t)n : TMPL_BUCKETS_MOST;
}

uint64_t tmpl_buckets_salt(void)
{
    uint64_t salt = 0;
    (void)apr_generate_random_bytes((unsigned char *)&salt, sizeof(salt));
    return salt;
}

uint32_t tmpl_bucket_rank(uint64_t salt, tmpl_key_t key)
{
    const uint64_t hash = htole64(key.hash);
    return (uint32_t)(XXH3_64bits_withSeed(&hash, sizeof(hash), salt + key.kind) >> 32);
}

uint32_t tmpl_bucket_next(uint32_t rank, uint32_t n)
{
    uint64_t step = ((uint64_t)1 << 32) >> tmpl_buckets_bits(n), next = rank / step * step + step;
    if (tmpl_bucket_at((uint32_t)next, n) == tmpl_bucket_at(rank, n)) {
        next += step; /* rank's bucket has two such steps */
    }
    return (uint32_t)next;
}

uint32_t tmpl_bucket_split_from(uint32_t n)
{
    return n - (1u << tmpl_buckets_bits(n + 1)) / 2;
}

uint32_t tmpl_buckets_wanted(uint32_t n, uint64_t before, uint64_t entries)
{
    uint64_t n_new = entries > before ? entries - before : 0;
    uint64_t most = n + TMPL_BUCKETS_GROWTH + n_new / ENTRIES;
    uint32_t wanted = tmpl_buckets_for(entries);
    return wanted <= n ? n : wanted < most ? wanted : (uint32_t)most;
}

/* Makes room for rows and for the rests of new rows; discards former contents. */
static void reserve(tmpl_bucket_scratch_t *s, size_t rows, size_t rests)
{
    if (s->rows_room < rows) {
        s->rows_room = 2 * (uint32_t)rows;
        s->rows = apr_palloc(s->pool, s->rows_room * sizeof(*s->rows));
    }
    if (s->rests_room < rests) {
        s->rests_room = 2 * (uint32_t)rests;
        s->rests = apr_palloc(s->pool, s->rests_room * (size_t)TMPL_BUCKET_REST_MOST);
    }
}

/* Whether one of n rows has the key of another. */
static int has_key(const tmpl_bucket_row_t *rows, uint32_t n, const tmpl_bucket_row_t *other)
{
    uint32_t i = 0;
    while (i < n && (rows[i].hash != other->hash ||
                     tmpl_bucket_key(&rows[i]).kind != tmpl_bucket_key(other).kind)) {
        i++;
    }
    return i < n;
}

int tmpl_bucket_update(tmpl_bucket_t *bucket, const tmpl_entry_t *entries, uint32_t n,
                       const tmpl_bucket_limit_t *limit, uint32_t *dead,
                       tmpl_bucket_scratch_t *scratch)
{
    reserve(scratch, (size_t)n + tmpl_bucket_count(bucket), n);
    tmpl_bucket_row_t *rows = scratch->rows;
    for (uint32_t i = 0; i < n; i++) {
        tmpl_bucket_row(&rows[i], entries[i].key, entries[i].value,
                        scratch->rests + (size_t)i * TMPL_BUCKET_REST_MOST);
    }
    uint32_t n_old = tmpl_bucket_read(rows + n, bucket), kept = n;
    *dead = 0;
    for (uint32_t i = n; i < n + n_old; i++) {
        if (has_key(rows, n, &rows[i])) {
            continue;
        }
        if (limit != NULL &&
            !tmpl_is_live(rows[i].df, rows[i].last, limit->lifetimes, limit->now)) {
            ++*dead;
            continue;
        }
        rows[kept++] = rows[i];
    }
    if (n == 0 && *dead == 0 && kept > 0) {
        return 1;
    }
    return tmpl_bucket_write(bucket, rows, kept, scratch->pool);
}

void tmpl_bucket_split(tmpl_bucket_t *from, tmpl_bucket_t *to, uint32_t n, uint64_t salt,
                       tmpl_bucket_scratch_t *scratch)
{
    uint32_t count = tmpl_bucket_count(from), stay = 0, go = 0;
    reserve(scratch, 2 * (size_t)count, 0);
    tmpl_bucket_row_t *rows = scratch->rows, *moved = rows + count;
    count = tmpl_bucket_read(rows, from);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = tmpl_bucket_rank(salt, tmpl_bucket_key(&rows[i]));
        *(tmpl_bucket_at(rank, n) == n - 1 ? &moved[go++] : &rows[stay++]) = rows[i];
    }
    /* neither fails: each bucket is shorter than the old one */
    (void)tmpl_bucket_write(to, moved, go, scratch->pool);
    (void)tmpl_bucket_write(from, rows, stay, scratch->pool);
}
