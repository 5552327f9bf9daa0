/* SPDX-License-Identifier: Apache-2.0 */
#include "table/snapshots.h"

#include <pthread.h>
#include <string.h>

#include <apr_allocator.h>
#include <apr_strings.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define SITES       1024 /* cells, chosen by a hash of the site; the latest site takes the cell */
#define GROWTH_MOST 8    /* of 8 pages, one may be new since the snapshot was taken */
#define LACKS_MOST  4    /* of 4 buckets that a writer needs, a snapshot may lack one */

/* Bytes of a snapshot without its buckets: those of the first block of a pool. */
#define POOL_SIZE 8192

typedef struct {
    apr_pool_t *pool; /* of the snapshot and all that it has; has no parent */
    const char *site;
    int64_t stamp;
    uint64_t used;  /* the cache's taken when it was used last */
    uint32_t pages; /* the site's pages when the snapshot began */
    int is_mixed;   /* the buckets came with different heads; head is the newest of them */
    tmpl_head_t head;
    size_t size;
    tmpl_bucket_t *at; /* head.n buckets; bytes NULL: it is missing */
} snapshot_t;

typedef struct {
    snapshot_t *snapshot; /* NULL: none */
    int64_t since;        /* data read before this stamp is outdated */
} cell_t;

struct tmpl_snapshots_t {
    pthread_mutex_t lock;       /* protects all below, and all snapshots */
    apr_allocator_t *allocator; /* keeps the memory of snapshots that have ended for others */
    apr_abortfunc_t abort;      /* what is called if there is no memory, or NULL */
    size_t most, size;
    uint64_t taken; /* how often snapshots were used */
    cell_t cells[SITES];
};

/* Whether nobody has written the site between two heads: each write changes swept at least. */
static int heads_equal(const tmpl_head_t *a, const tmpl_head_t *b)
{
    unsigned char bytes[2][TMPL_HEAD_SIZE];
    tmpl_head_pack(bytes[0], a);
    tmpl_head_pack(bytes[1], b);
    return memcmp(bytes[0], bytes[1], TMPL_HEAD_SIZE) == 0;
}

/* ---- under the lock ---- */

static void cell_clear(tmpl_snapshots_t *cache, cell_t *cell)
{
    if (cell->snapshot != NULL) {
        cache->size -= cell->snapshot->size;
        apr_pool_destroy(cell->snapshot->pool);
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

/* The snapshot of a site whose stamp is from least to most, or NULL. */
static snapshot_t *snapshot_find(tmpl_snapshots_t *cache, const char *site, int64_t least,
                                 int64_t most)
{
    snapshot_t *snapshot = cell_of(cache, site)->snapshot;
    if (snapshot == NULL || strcmp(snapshot->site, site) != 0 || snapshot->stamp < least ||
        snapshot->stamp > most) {
        return NULL;
    }
    snapshot->used = cache->taken++;
    return snapshot;
}

/*
 * Counts size bytes more; to make room, drops snapshots other than but. Returns 0 if there is no
 * room.
 */
static int room_take(tmpl_snapshots_t *cache, size_t size, const snapshot_t *but)
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

/* Copies n buckets into a snapshot, if there is room. */
static void buckets_keep(tmpl_snapshots_t *cache, snapshot_t *snapshot,
                         const tmpl_numbered_t *buckets, uint32_t n)
{
    size_t size = 0;
    for (uint32_t i = 0; i < n; i++) {
        size += buckets[i].is.len;
    }
    if (!room_take(cache, size, snapshot)) {
        return;
    }
    snapshot->size += size;
    for (uint32_t i = 0; i < n; i++) {
        const tmpl_bucket_t *is = &buckets[i].is;
        uint32_t number = buckets[i].number;
        if (number < snapshot->head.n && snapshot->at[number].bytes == NULL) {
            const void *bytes = is->len > 0 ? apr_pmemdup(snapshot->pool, is->bytes, is->len) : "";
            snapshot->at[number] = (tmpl_bucket_t){ bytes, is->len };
        }
    }
}

/*
 * Begins a snapshot with n buckets, unless the site has a younger one, or was outdated after stamp,
 * or there is no room. A store says how many buckets there are: allocates no more than may be kept.
 */
static void snapshot_begin(tmpl_snapshots_t *cache, const char *site, int64_t stamp,
                           const tmpl_head_t *head, const tmpl_numbered_t *buckets, uint32_t n)
{
    cell_t *cell = cell_of(cache, site);
    size_t size = POOL_SIZE + head->n * sizeof(tmpl_bucket_t);
    apr_pool_t *pool;
    if (stamp <= cell->since || snapshot_find(cache, site, stamp, INT64_MAX) != NULL) {
        return;
    }
    cell_clear(cache, cell);
    if (head->n == 0 || !room_take(cache, size, NULL)) {
        return;
    }
    if (apr_pool_create_unmanaged_ex(&pool, cache->abort, cache->allocator) != APR_SUCCESS) {
        cache->size -= size;
        return;
    }
    cell->snapshot = apr_palloc(pool, sizeof(*cell->snapshot));
    *cell->snapshot = (snapshot_t){ .pool = pool,
                                    .site = apr_pstrdup(pool, site),
                                    .stamp = stamp,
                                    .used = cache->taken++,
                                    .pages = head->site.pages,
                                    .head = *head,
                                    .size = size,
                                    .at = apr_pcalloc(pool, head->n * sizeof(tmpl_bucket_t)) };
    buckets_keep(cache, cell->snapshot, buckets, n);
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
        apr_allocator_destroy(cache->allocator);
        pthread_mutex_unlock(&cache->lock);
        pthread_mutex_destroy(&cache->lock);
    }
    return APR_SUCCESS;
}

tmpl_snapshots_t *tmpl_snapshots_create(size_t most, apr_pool_t *pool)
{
    tmpl_snapshots_t *cache = apr_pcalloc(pool, sizeof(*cache));
    cache->most = most;
    cache->abort = apr_pool_abort_get(pool);
    apr_allocator_create(&cache->allocator);
    pthread_mutex_init(&cache->lock, NULL);
    apr_pool_cleanup_register(pool, cache, cache_free, apr_pool_cleanup_null);
    return cache;
}

int tmpl_snapshots_head(tmpl_snapshots_t *cache, const char *site, int64_t least, tmpl_head_t *head)
{
    pthread_mutex_lock(&cache->lock);
    const snapshot_t *snapshot = snapshot_find(cache, site, least, INT64_MAX);
    if (snapshot != NULL) {
        *head = snapshot->head;
    }
    pthread_mutex_unlock(&cache->lock);
    return snapshot != NULL;
}

void tmpl_snapshots_renew(tmpl_snapshots_t *cache, const char *site, int64_t sent, int64_t stamp,
                          const tmpl_head_t *head, const tmpl_numbered_t *buckets, uint32_t n)
{
    cell_t *cell = cell_of(cache, site);
    pthread_mutex_lock(&cache->lock);
    int is_alone = sent > cell->since;
    cell_outdate(cell, stamp - 1);
    if (is_alone) {
        snapshot_begin(cache, site, stamp, head, buckets, n);
    }
    else {
        cell_clear(cache, cell); /* whose write was the last one is unknown */
    }
    pthread_mutex_unlock(&cache->lock);
}

void tmpl_snapshots_clear(tmpl_snapshots_t *cache, int64_t stamp)
{
    pthread_mutex_lock(&cache->lock);
    cells_clear(cache, stamp);
    pthread_mutex_unlock(&cache->lock);
}

/* ---- reading ---- */

/* What a snapshot gave to a transaction. */
typedef struct {
    snapshot_t of;     /* as it was then; only its plain members are of use */
    uint32_t *missing; /* indices of the buckets that it lacks */
    uint32_t n_missing;
} taken_t;

/* Copies those of n buckets that a snapshot has. Returns 0 if there is no snapshot. */
static int buckets_take(tmpl_snapshots_t *cache, int64_t least, int64_t most, const tmpl_txn_t *txn,
                        tmpl_numbered_t *buckets, uint32_t n, taken_t *taken)
{
    taken->missing = apr_palloc(txn->pool, (n + (apr_size_t)1) * sizeof(*taken->missing));
    taken->n_missing = 0;
    pthread_mutex_lock(&cache->lock);
    const snapshot_t *snapshot = snapshot_find(cache, txn->site, least, most);
    int is_usable = snapshot != NULL && tmpl_head_same_buckets(&snapshot->head, &txn->head);
    for (uint32_t i = 0; is_usable && i < n; i++) {
        uint32_t number = buckets[i].number;
        if (number < snapshot->head.n && snapshot->at[number].bytes != NULL) {
            buckets[i].is = snapshot->at[number];
            buckets[i].is.bytes = apr_pmemdup(txn->pool, buckets[i].is.bytes, buckets[i].is.len);
        }
        else {
            taken->missing[taken->n_missing++] = i;
        }
    }
    if (is_usable) {
        taken->of = *snapshot;
    }
    pthread_mutex_unlock(&cache->lock);
    return is_usable;
}

/* Whether what a snapshot gave goes with what has been read since. */
static int is_of_one_site(const taken_t *taken, const tmpl_txn_t *txn)
{
    uint32_t before = taken->of.pages, now = txn->head.site.pages;
    return txn->write ? !taken->of.is_mixed && heads_equal(&txn->head, &taken->of.head)
                      : tmpl_head_same_buckets(&txn->head, &taken->of.head) && now >= before &&
                            now - before <= before / GROWTH_MOST;
}

/* Adds n buckets to the snapshot that lacked them, if it is still there; ends it if not fit. */
static void buckets_add(tmpl_snapshots_t *cache, const taken_t *taken, const tmpl_txn_t *txn,
                        int fit, const tmpl_numbered_t *buckets, uint32_t n)
{
    int64_t stamp = taken->of.stamp;
    pthread_mutex_lock(&cache->lock);
    snapshot_t *snapshot = snapshot_find(cache, txn->site, stamp, stamp);
    if (snapshot != NULL && fit) {
        snapshot->is_mixed |= !heads_equal(&txn->head, &snapshot->head);
        if (txn->head.site.pages >= snapshot->head.site.pages) {
            snapshot->head = txn->head;
        }
        buckets_keep(cache, snapshot, buckets, n);
    }
    else if (snapshot != NULL) {
        cell_clear(cache, cell_of(cache, txn->site));
    }
    pthread_mutex_unlock(&cache->lock);
}

/* Reads what the snapshot lacked. Returns 0 if it does not go with the rest. */
static int missing_read(tmpl_snapshots_t *cache, const taken_t *taken, tmpl_txn_t *txn,
                        tmpl_get_t read, tmpl_numbered_t *buckets, apr_status_t *rv)
{
    uint32_t n = taken->n_missing;
    tmpl_numbered_t *found = apr_palloc(txn->pool, (n + (apr_size_t)1) * sizeof(*found));
    for (uint32_t i = 0; i < n; i++) {
        found[i].number = buckets[taken->missing[i]].number;
    }
    *rv = read(txn, found, n);
    if (*rv != APR_SUCCESS) {
        return 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        buckets[taken->missing[i]].is = found[i].is;
    }
    int fit = is_of_one_site(taken, txn);
    if (!txn->write) {
        buckets_add(cache, taken, txn, fit, found, n);
    }
    return fit;
}

apr_status_t tmpl_snapshots_read(tmpl_snapshots_t *cache, int64_t least, int64_t stamp,
                                 tmpl_txn_t *txn, tmpl_get_t read, tmpl_numbered_t *buckets,
                                 uint32_t n)
{
    const tmpl_head_t asked = txn->head;
    apr_status_t rv = APR_SUCCESS;
    taken_t taken;
    if (buckets_take(cache, least, stamp, txn, buckets, n, &taken) &&
        (!txn->write || taken.n_missing <= n / LACKS_MOST)) {
        txn->head = taken.of.head;
        txn->found = 1;
        if ((taken.n_missing == 0 && !txn->write) ||
            missing_read(cache, &taken, txn, read, buckets, &rv) ||
            !tmpl_head_same_buckets(&txn->head, &asked)) {
            return rv; /* if the site has other buckets, the engine asks again */
        }
    }
    rv = read(txn, buckets, n);
    if (rv == APR_SUCCESS && !txn->write && tmpl_head_same_buckets(&txn->head, &asked)) {
        pthread_mutex_lock(&cache->lock);
        snapshot_begin(cache, txn->site, stamp, &txn->head, buckets, n);
        pthread_mutex_unlock(&cache->lock);
    }
    return rv;
}
