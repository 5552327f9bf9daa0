/* SPDX-License-Identifier: Apache-2.0 */
#include "table/snapshots.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define SITES       256 /* cells, chosen by a hash of the site; the latest site takes the cell */
#define GROWTH_MOST 8   /* one new page for so many pages may have been counted meanwhile */
#define LACKS_MOST  4   /* a writer uses a snapshot that lacks at most one bucket in so many */

/* Buckets that came together, side by side. */
typedef struct block_t {
    struct block_t *next;
    size_t size; /* bytes of the whole block */
    unsigned char bytes[];
} block_t;

struct tmpl_snapshot_t {
    unsigned users; /* including its cell */
    uint64_t used;  /* the cache's taken when it was taken last */
    int64_t stamp;
    uint32_t pages; /* the site's pages when the snapshot began */
    int is_mixed;   /* the buckets came with different heads; head is the newest of them */
    tmpl_head_t head;
    size_t size;
    block_t *blocks;
    char site[TMPL_SITE_MAX + 1];
    tmpl_bucket_t at[]; /* head.n buckets; bytes NULL: it is missing */
};

typedef struct {
    tmpl_snapshot_t *snapshot; /* NULL: none */
    int64_t since;             /* data read before this stamp is outdated */
} cell_t;

struct tmpl_snapshots_t {
    pthread_mutex_t lock; /* protects all below, and all snapshots */
    size_t most, size;
    uint64_t taken; /* how often snapshots were taken */
    cell_t cells[SITES];
};

/* A copy of n buckets; NULL if there is no memory. */
static block_t *block_make(const tmpl_numbered_t *buckets, uint32_t n)
{
    size_t size = sizeof(block_t) + 1; /* so that an empty bucket has an address, too */
    for (uint32_t i = 0; i < n; i++) {
        size += buckets[i].is.len;
    }
    block_t *block = malloc(size);
    if (block == NULL) {
        return NULL;
    }
    *block = (block_t){ .size = size };
    unsigned char *at = block->bytes;
    for (uint32_t i = 0; i < n; i++) {
        if (buckets[i].is.len > 0) {
            memcpy(at, buckets[i].is.bytes, buckets[i].is.len);
        }
        at += buckets[i].is.len;
    }
    return block;
}

/* Whether nobody has written the site between two heads: each write changes swept at least. */
static int heads_equal(const tmpl_head_t *a, const tmpl_head_t *b)
{
    unsigned char bytes[2][TMPL_HEAD_SIZE];
    tmpl_head_pack(bytes[0], a);
    tmpl_head_pack(bytes[1], b);
    return memcmp(bytes[0], bytes[1], TMPL_HEAD_SIZE) == 0;
}

/* ---- under the lock ---- */

static void block_add(tmpl_snapshot_t *snapshot, block_t *block, const tmpl_numbered_t *buckets,
                      uint32_t n)
{
    const unsigned char *at = block->bytes;
    for (uint32_t i = 0; i < n; at += buckets[i++].is.len) {
        if (buckets[i].number < snapshot->head.n && snapshot->at[buckets[i].number].bytes == NULL) {
            snapshot->at[buckets[i].number] = (tmpl_bucket_t){ at, buckets[i].is.len };
        }
    }
    block->next = snapshot->blocks;
    snapshot->blocks = block;
    snapshot->size += block->size;
}

static void snapshot_free(tmpl_snapshot_t *snapshot)
{
    for (block_t *block = snapshot->blocks, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    free(snapshot);
}

static void release(tmpl_snapshots_t *cache, tmpl_snapshot_t *snapshot)
{
    if (--snapshot->users == 0) {
        cache->size -= snapshot->size;
        snapshot_free(snapshot);
    }
}

static void cell_clear(tmpl_snapshots_t *cache, cell_t *cell)
{
    if (cell->snapshot != NULL) {
        release(cache, cell->snapshot);
        cell->snapshot = NULL;
    }
}

/* Threads come here in any order, so an older stamp does not replace a younger one. */
static void cell_outdate(cell_t *cell, int64_t since)
{
    cell->since = since > cell->since ? since : cell->since;
}

static void cells_clear(tmpl_snapshots_t *cache, int64_t since)
{
    for (int i = 0; i < SITES; i++) {
        cell_clear(cache, &cache->cells[i]);
        cell_outdate(&cache->cells[i], since);
    }
}

static cell_t *cell_of(tmpl_snapshots_t *cache, const char *site)
{
    return &cache->cells[XXH3_64bits(site, strlen(site)) % SITES];
}

static int cell_is_of(const cell_t *cell, const char *site)
{
    return cell->snapshot != NULL && strcmp(cell->snapshot->site, site) == 0;
}

/*
 * Counts size bytes more; to make room, drops snapshots other than but. Returns 0 if there is no
 * room.
 */
static int room_take(tmpl_snapshots_t *cache, size_t size, const tmpl_snapshot_t *but)
{
    while (size > cache->most - cache->size) {
        cell_t *oldest = NULL;
        for (int i = 0; i < SITES; i++) {
            cell_t *cell = &cache->cells[i];
            if (cell->snapshot != NULL && cell->snapshot != but &&
                (oldest == NULL || cell->snapshot->used < oldest->snapshot->used)) {
                oldest = cell;
            }
        }
        if (oldest == NULL) {
            return 0;
        }
        cell_clear(cache, oldest);
    }
    cache->size += size;
    return 1;
}

/* ---- for all threads ---- */

/*
 * The signal that ends a child of prefork may have interrupted the thread that has the lock, for
 * good. Then do not wait for the lock, and free nothing.
 */
static apr_status_t cache_free(void *data)
{
    tmpl_snapshots_t *cache = data;
    if (pthread_mutex_trylock(&cache->lock) == 0) {
        cells_clear(cache, 0);
        pthread_mutex_unlock(&cache->lock);
        pthread_mutex_destroy(&cache->lock);
    }
    return APR_SUCCESS;
}

tmpl_snapshots_t *tmpl_snapshots_create(size_t most, apr_pool_t *pool)
{
    tmpl_snapshots_t *cache = apr_pcalloc(pool, sizeof(*cache));
    cache->most = most;
    pthread_mutex_init(&cache->lock, NULL);
    apr_pool_cleanup_register(pool, cache, cache_free, apr_pool_cleanup_null);
    return cache;
}

tmpl_snapshot_t *tmpl_snapshots_take(tmpl_snapshots_t *cache, const char *site, int64_t least,
                                     int64_t most)
{
    const cell_t *cell = cell_of(cache, site);
    tmpl_snapshot_t *snapshot = NULL;
    pthread_mutex_lock(&cache->lock);
    if (cell_is_of(cell, site) && cell->snapshot->stamp >= least && cell->snapshot->stamp <= most) {
        snapshot = cell->snapshot;
        snapshot->used = cache->taken++;
        snapshot->users++;
    }
    pthread_mutex_unlock(&cache->lock);
    return snapshot;
}

void tmpl_snapshots_give(tmpl_snapshots_t *cache, tmpl_snapshot_t *snapshot)
{
    pthread_mutex_lock(&cache->lock);
    release(cache, snapshot);
    pthread_mutex_unlock(&cache->lock);
}

uint32_t tmpl_snapshots_get(tmpl_snapshots_t *cache, const tmpl_snapshot_t *snapshot,
                            tmpl_head_t *head, tmpl_numbered_t *buckets, uint32_t n,
                            uint32_t *missing)
{
    uint32_t n_missing = 0;
    pthread_mutex_lock(&cache->lock);
    *head = snapshot->head;
    for (uint32_t i = 0; i < n; i++) {
        if (buckets[i].number < head->n && snapshot->at[buckets[i].number].bytes != NULL) {
            buckets[i].is = snapshot->at[buckets[i].number];
        }
        else {
            missing[n_missing++] = i;
        }
    }
    pthread_mutex_unlock(&cache->lock);
    return n_missing;
}

int tmpl_snapshots_add(tmpl_snapshots_t *cache, tmpl_snapshot_t *snapshot, const tmpl_head_t *head,
                       const tmpl_numbered_t *buckets, uint32_t n)
{
    block_t *block = block_make(buckets, n);
    cell_t *cell = cell_of(cache, snapshot->site);
    pthread_mutex_lock(&cache->lock);
    int same = tmpl_head_same_buckets(head, &snapshot->head) &&
               head->site.pages >= snapshot->pages &&
               head->site.pages - snapshot->pages <= snapshot->pages / GROWTH_MOST;
    if (!same && cell->snapshot == snapshot) {
        cell_clear(cache, cell);
    }
    snapshot->is_mixed |= !heads_equal(head, &snapshot->head);
    if (same && head->site.pages >= snapshot->head.site.pages) {
        snapshot->head = *head;
    }
    if (same && block != NULL && room_take(cache, block->size, snapshot)) {
        block_add(snapshot, block, buckets, n);
        block = NULL;
    }
    pthread_mutex_unlock(&cache->lock);
    free(block);
    return same;
}

/*
 * Makes a snapshot that is in no cell yet; NULL if it has no buckets or too many, or there is no
 * memory.
 */
static tmpl_snapshot_t *snapshot_make(const tmpl_snapshots_t *cache, const char *site,
                                      int64_t stamp, const tmpl_head_t *head,
                                      const tmpl_numbered_t *buckets, uint32_t n)
{
    size_t size = sizeof(tmpl_snapshot_t) + head->n * sizeof(tmpl_bucket_t);
    /* the number comes from a store: allocate no more than may be kept */
    tmpl_snapshot_t *snapshot = head->n > 0 && size < cache->most ? calloc(1, size) : NULL;
    if (snapshot == NULL) {
        return NULL;
    }
    *snapshot = (tmpl_snapshot_t){
        .users = 1, .stamp = stamp, .pages = head->site.pages, .head = *head, .size = size
    };
    apr_cpystrn(snapshot->site, site, sizeof(snapshot->site));
    block_t *block = block_make(buckets, n);
    if (block != NULL) {
        block_add(snapshot, block, buckets, n);
    }
    return snapshot;
}

void tmpl_snapshots_begin(tmpl_snapshots_t *snapshots, const char *site, int64_t stamp,
                          const tmpl_head_t *head, const tmpl_numbered_t *buckets, uint32_t n)
{
    tmpl_snapshot_t *snapshot = snapshot_make(snapshots, site, stamp, head, buckets, n);
    if (snapshot == NULL) {
        return;
    }
    cell_t *cell = cell_of(snapshots, site);
    pthread_mutex_lock(&snapshots->lock);
    if (stamp > cell->since && (!cell_is_of(cell, site) || stamp > cell->snapshot->stamp)) {
        cell_clear(snapshots, cell);
        if (room_take(snapshots, snapshot->size, NULL)) {
            snapshot->used = snapshots->taken++;
            cell->snapshot = snapshot;
            snapshot = NULL;
        }
    }
    pthread_mutex_unlock(&snapshots->lock);
    if (snapshot != NULL) {
        snapshot_free(snapshot);
    }
}

void tmpl_snapshots_renew(tmpl_snapshots_t *snapshots, const char *site, int64_t stamp,
                          const tmpl_head_t *head, const tmpl_numbered_t *buckets, uint32_t n)
{
    cell_t *cell = cell_of(snapshots, site);
    pthread_mutex_lock(&snapshots->lock);
    int was_kept = cell_is_of(cell, site);
    if (was_kept) {
        cell_clear(snapshots, cell);
    }
    cell_outdate(cell, stamp - 1);
    pthread_mutex_unlock(&snapshots->lock);
    if (was_kept) {
        tmpl_snapshots_begin(snapshots, site, stamp, head, buckets, n);
    }
}

/* Whether the whole snapshot is of this head. */
static int snapshot_is_of(tmpl_snapshots_t *cache, const tmpl_snapshot_t *snapshot,
                          const tmpl_head_t *head)
{
    pthread_mutex_lock(&cache->lock);
    int same = !snapshot->is_mixed && heads_equal(head, &snapshot->head);
    pthread_mutex_unlock(&cache->lock);
    return same;
}

/*
 * Reads from a snapshot, and what it lacks from the store. Returns 0 if the snapshot has ended, or
 * does not serve.
 */
static int read_rest(tmpl_snapshots_t *snapshots, tmpl_snapshot_t *cached, tmpl_txn_t *txn,
                     tmpl_get_t read, tmpl_numbered_t *buckets, uint32_t n, apr_status_t *rv)
{
    uint32_t *missing = apr_palloc(txn->pool, (n + (apr_size_t)1) * sizeof(*missing));
    tmpl_head_t head;
    uint32_t n_missing = tmpl_snapshots_get(snapshots, cached, &head, buckets, n, missing);
    *rv = APR_SUCCESS;
    if (!tmpl_head_same_buckets(&head, &txn->head) || (txn->write && n_missing > n / LACKS_MOST)) {
        return 0;
    }
    txn->head = head;
    txn->found = 1;
    if (n_missing == 0 && !txn->write) {
        return 1;
    }
    tmpl_numbered_t *found = apr_palloc(txn->pool, (n_missing + (apr_size_t)1) * sizeof(*found));
    for (uint32_t i = 0; i < n_missing; i++) {
        found[i].number = buckets[missing[i]].number;
    }
    *rv = read(txn, found, n_missing);
    for (uint32_t i = 0; *rv == APR_SUCCESS && i < n_missing; i++) {
        buckets[missing[i]].is = found[i].is;
    }
    return *rv != APR_SUCCESS ||
           (txn->write ? snapshot_is_of(snapshots, cached, &txn->head)
                       : tmpl_snapshots_add(snapshots, cached, &txn->head, found, n_missing));
}

apr_status_t tmpl_snapshots_read(tmpl_snapshots_t *snapshots, tmpl_snapshot_t **cached,
                                 int64_t stamp, tmpl_txn_t *txn, tmpl_get_t read,
                                 tmpl_numbered_t *buckets, uint32_t n)
{
    const tmpl_head_t asked = txn->head;
    apr_status_t rv;
    if (*cached != NULL) {
        if (read_rest(snapshots, *cached, txn, read, buckets, n, &rv)) {
            return rv;
        }
        tmpl_snapshots_give(snapshots, *cached);
        *cached = NULL;
        if (!tmpl_head_same_buckets(&txn->head, &asked)) {
            return APR_SUCCESS; /* the engine asks again */
        }
    }
    rv = read(txn, buckets, n);
    if (rv == APR_SUCCESS && tmpl_head_same_buckets(&txn->head, &asked)) {
        tmpl_snapshots_begin(snapshots, txn->site, stamp, &txn->head, buckets, n);
    }
    return rv;
}

apr_status_t tmpl_snapshots_reuse(tmpl_snapshots_t *snapshots, tmpl_snapshot_t *cached,
                                  tmpl_txn_t *txn, tmpl_get_t read, tmpl_numbered_t *buckets,
                                  uint32_t n)
{
    const tmpl_head_t asked = txn->head;
    apr_status_t rv;
    if (cached != NULL && (read_rest(snapshots, cached, txn, read, buckets, n, &rv) ||
                           !tmpl_head_same_buckets(&txn->head, &asked))) {
        return rv;
    }
    return read(txn, buckets, n);
}

void tmpl_snapshots_clear(tmpl_snapshots_t *cache, int64_t stamp)
{
    pthread_mutex_lock(&cache->lock);
    cells_clear(cache, stamp);
    pthread_mutex_unlock(&cache->lock);
}
