/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_epoch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define GROWTH_MOST 8   /* pages, of which one more may have been counted meanwhile */
#define SITES       256 /* places for epochs, by a hash of the site: the last one to come has it */

/* A bucket that is kept; the next one follows. */
typedef struct {
    uint32_t number, len;
    unsigned char bytes[];
} kept_t;

/* Buckets that came together. */
typedef struct block_t {
    struct block_t *next;
    size_t size; /* of it all */
    uint32_t n;
    uint32_t words[]; /* n of kept_t */
} block_t;

struct tmpl_redis_epoch_t {
    char *key;
    apr_time_t begun;
    tmpl_buckets_t buckets;
    uint32_t pages; /* of the site, when it began */
    /* of the following only kept is read without the lock of all */
    unsigned users; /* its place is one */
    uint64_t used;  /* when it was taken last: how many had been before */
    tmpl_redis_head_t head;
    size_t size;
    block_t *blocks;
    const kept_t *kept[]; /* of each bucket; NULL: it is not there; atomic */
};

typedef struct {
    tmpl_redis_epoch_t *epoch; /* NULL: none */
    apr_time_t since;          /* what was read before may lack what this process has learnt */
} place_t;

struct tmpl_redis_epochs_t {
    pthread_mutex_t lock; /* of all below */
    size_t most, size;
    uint64_t taken; /* counts them */
    place_t places[SITES];
};

/* ---- blocks ---- */

static size_t words_of(size_t len)
{
    return (sizeof(kept_t) + len + sizeof(uint32_t) - 1) / sizeof(uint32_t);
}

static const kept_t *kept_at(const tmpl_redis_epoch_t *epoch, uint32_t number)
{
    return __atomic_load_n(&epoch->kept[number], __ATOMIC_ACQUIRE);
}

static int lacks(const tmpl_redis_epoch_t *epoch, const tmpl_redis_bucket_t *bucket)
{
    return bucket->number < epoch->buckets.n && kept_at(epoch, bucket->number) == NULL;
}

/* The buckets that an epoch lacks, in a block; NULL: none, or no memory. */
static block_t *block_make(const tmpl_redis_epoch_t *epoch, const tmpl_redis_bucket_t *buckets,
                           uint32_t n)
{
    size_t words = 0;
    uint32_t *at;
    block_t *block;

    for (uint32_t i = 0; i < n; i++) {
        words += lacks(epoch, &buckets[i]) ? words_of(buckets[i].len) : 0;
    }
    block = words > 0 ? malloc(sizeof(*block) + words * sizeof(*at)) : NULL;
    if (block == NULL) {
        return NULL;
    }
    *block = (block_t){ .size = sizeof(*block) + words * sizeof(*at) };
    at = block->words;
    for (uint32_t i = 0; i < n; i++) {
        /* others may have added some meanwhile: never fewer */
        if (lacks(epoch, &buckets[i])) {
            kept_t *kept = (kept_t *)at;

            *kept = (kept_t){ buckets[i].number, (uint32_t)buckets[i].len };
            if (kept->len > 0) {
                memcpy(kept->bytes, buckets[i].bytes, kept->len);
            }
            at += words_of(kept->len);
            block->n++;
        }
    }
    return block;
}

/* ---- under the lock ---- */

static void block_add(tmpl_redis_epoch_t *epoch, block_t *block)
{
    const uint32_t *at = block->words;

    for (uint32_t i = 0; i < block->n; i++) {
        const kept_t *kept = (const kept_t *)at;

        if (kept_at(epoch, kept->number) == NULL) {
            __atomic_store_n(&epoch->kept[kept->number], kept, __ATOMIC_RELEASE);
        }
        at += words_of(kept->len);
    }
    block->next = epoch->blocks;
    epoch->blocks = block;
    epoch->size += block->size;
}

/* NULL: none. */
static void epoch_free(tmpl_redis_epoch_t *epoch)
{
    if (epoch == NULL) {
        return;
    }
    for (block_t *block = epoch->blocks, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    free(epoch->key);
    free(epoch);
}

static void unuse(tmpl_redis_epochs_t *epochs, tmpl_redis_epoch_t *epoch)
{
    if (--epoch->users == 0) {
        epochs->size -= epoch->size;
        epoch_free(epoch);
    }
}

static place_t *place_of(tmpl_redis_epochs_t *epochs, const char *key)
{
    return &epochs->places[XXH3_64bits(key, strlen(key)) % SITES];
}

/* From now on nobody takes it. */
static void place_clear(tmpl_redis_epochs_t *epochs, place_t *place)
{
    if (place->epoch != NULL) {
        unuse(epochs, place->epoch);
        place->epoch = NULL;
    }
}

static int is_of(const place_t *place, const char *key)
{
    return place->epoch != NULL && strcmp(place->epoch->key, key) == 0;
}

/* The place of the epoch that has not been used for longest; NULL: there is none but this one. */
static place_t *oldest(tmpl_redis_epochs_t *epochs, const tmpl_redis_epoch_t *but)
{
    place_t *found = NULL;

    for (int i = 0; i < SITES; i++) {
        place_t *place = &epochs->places[i];

        if (place->epoch != NULL && place->epoch != but &&
            (found == NULL || place->epoch->used < found->epoch->used)) {
            found = place;
        }
    }
    return found;
}

/* Counts so many bytes more, and makes room for them; 0: there is none. Does not end the epoch that gets them. */
static int room_take(tmpl_redis_epochs_t *epochs, size_t size, const tmpl_redis_epoch_t *of)
{
    while (size > epochs->most - epochs->size) {
        place_t *place = oldest(epochs, of);

        if (place == NULL) {
            return 0;
        }
        place_clear(epochs, place);
    }
    epochs->size += size;
    return 1;
}

static void use(tmpl_redis_epochs_t *epochs, tmpl_redis_epoch_t *epoch)
{
    epoch->used = epochs->taken++;
    epoch->users++;
}

/* ---- for all threads ---- */

static void places_clear(tmpl_redis_epochs_t *epochs, apr_time_t since)
{
    for (int i = 0; i < SITES; i++) {
        place_clear(epochs, &epochs->places[i]);
        epochs->places[i].since = since;
    }
}

/*
 * Who has the lock may be whom prefork has interrupted for good, to end the process: it is not waited for, and nothing is
 * freed then.
 */
static apr_status_t epochs_free(void *data)
{
    tmpl_redis_epochs_t *epochs = data;

    if (pthread_mutex_trylock(&epochs->lock) == 0) {
        places_clear(epochs, 0);
        pthread_mutex_unlock(&epochs->lock);
        pthread_mutex_destroy(&epochs->lock);
    }
    return APR_SUCCESS;
}

tmpl_redis_epochs_t *tmpl_redis_epochs_create(size_t most, apr_pool_t *pool)
{
    tmpl_redis_epochs_t *epochs = apr_pcalloc(pool, sizeof(*epochs));

    epochs->most = most;
    pthread_mutex_init(&epochs->lock, NULL);
    apr_pool_cleanup_register(pool, epochs, epochs_free, apr_pool_cleanup_null);
    return epochs;
}

size_t tmpl_redis_epochs_size(tmpl_redis_epochs_t *epochs)
{
    size_t size;

    pthread_mutex_lock(&epochs->lock);
    size = epochs->size;
    pthread_mutex_unlock(&epochs->lock);
    return size;
}

void tmpl_redis_epochs_end(tmpl_redis_epochs_t *epochs)
{
    apr_time_t now = tmpl_clock();

    pthread_mutex_lock(&epochs->lock);
    places_clear(epochs, now);
    pthread_mutex_unlock(&epochs->lock);
}

tmpl_redis_epoch_t *tmpl_redis_epoch_take(tmpl_redis_epochs_t *epochs, const char *key,
                                          apr_time_t since)
{
    place_t *place = place_of(epochs, key);
    tmpl_redis_epoch_t *epoch = NULL;

    pthread_mutex_lock(&epochs->lock);
    if (is_of(place, key) && place->epoch->begun >= since) {
        epoch = place->epoch;
        use(epochs, epoch);
    }
    pthread_mutex_unlock(&epochs->lock);
    return epoch;
}

void tmpl_redis_epoch_give(tmpl_redis_epochs_t *epochs, tmpl_redis_epoch_t *epoch)
{
    pthread_mutex_lock(&epochs->lock);
    unuse(epochs, epoch);
    pthread_mutex_unlock(&epochs->lock);
}

tmpl_buckets_t tmpl_redis_epoch_buckets(const tmpl_redis_epoch_t *epoch)
{
    return epoch->buckets;
}

int tmpl_redis_epoch_find(const tmpl_redis_epoch_t *epoch, tmpl_redis_bucket_t *bucket)
{
    const kept_t *kept = bucket->number < epoch->buckets.n ? kept_at(epoch, bucket->number) : NULL;

    if (kept != NULL) {
        bucket->bytes = kept->bytes;
        bucket->len = kept->len;
    }
    return kept != NULL;
}

tmpl_redis_head_t tmpl_redis_epoch_head(tmpl_redis_epochs_t *epochs,
                                        const tmpl_redis_epoch_t *epoch)
{
    tmpl_redis_head_t head;

    pthread_mutex_lock(&epochs->lock);
    head = epoch->head;
    pthread_mutex_unlock(&epochs->lock);
    return head;
}

/* An epoch that stands nowhere yet; NULL: no buckets, too many, or no memory. */
static tmpl_redis_epoch_t *epoch_make(const tmpl_redis_epochs_t *epochs, const char *key,
                                      apr_time_t begun, const tmpl_redis_head_t *head,
                                      const tmpl_redis_bucket_t *buckets, uint32_t n)
{
    size_t size = sizeof(tmpl_redis_epoch_t) + head->buckets.n * sizeof(kept_t *);
    /* their number is what a server says: no more is allocated than may be kept */
    tmpl_redis_epoch_t *epoch = head->buckets.n > 0 && size < epochs->most ? calloc(1, size) : NULL;
    block_t *block;

    if (epoch == NULL) {
        return NULL;
    }
    epoch->key = strdup(key);
    if (epoch->key == NULL) {
        free(epoch);
        return NULL;
    }
    epoch->size = size + strlen(key) + 1;
    epoch->begun = begun;
    epoch->buckets = head->buckets;
    epoch->pages = head->site.pages;
    epoch->head = *head;
    block = block_make(epoch, buckets, n);
    if (block != NULL) {
        block_add(epoch, block);
    }
    return epoch;
}

/* Puts an epoch in place of what is there of that site or of another. 0: it finds no room. */
static int epoch_install(tmpl_redis_epochs_t *epochs, place_t *place, tmpl_redis_epoch_t *epoch)
{
    place_clear(epochs, place);
    if (epoch == NULL || !room_take(epochs, epoch->size, NULL)) {
        return 0;
    }
    place->epoch = epoch;
    use(epochs, epoch);
    return 1;
}

void tmpl_redis_epoch_begin(tmpl_redis_epochs_t *epochs, const char *key, apr_time_t begun,
                            const tmpl_redis_head_t *head, const tmpl_redis_bucket_t *buckets,
                            uint32_t n)
{
    tmpl_redis_epoch_t *epoch = epoch_make(epochs, key, begun, head, buckets, n);
    place_t *place = place_of(epochs, key);

    pthread_mutex_lock(&epochs->lock);
    if (begun > place->since && (!is_of(place, key) || begun > place->epoch->begun) &&
        epoch_install(epochs, place, epoch)) {
        epoch = NULL;
    }
    pthread_mutex_unlock(&epochs->lock);
    epoch_free(epoch);
}

/* Whether somebody goes by what is kept of a site; what was read of it up to now no longer holds. */
static int outdate(tmpl_redis_epochs_t *epochs, place_t *place, const char *key, apr_time_t now)
{
    int kept;

    pthread_mutex_lock(&epochs->lock);
    place->since = now;
    kept = is_of(place, key);
    pthread_mutex_unlock(&epochs->lock);
    return kept;
}

void tmpl_redis_epoch_renew(tmpl_redis_epochs_t *epochs, const char *key,
                            const tmpl_redis_head_t *head, const tmpl_redis_bucket_t *buckets,
                            uint32_t n)
{
    apr_time_t now = tmpl_clock();
    place_t *place = place_of(epochs, key);
    tmpl_redis_epoch_t *epoch;

    if (!outdate(epochs, place, key, now)) {
        return;
    }
    epoch = epoch_make(epochs, key, now, head, buckets, n);
    pthread_mutex_lock(&epochs->lock);
    if (epoch_install(epochs, place, epoch)) {
        epoch = NULL;
    }
    pthread_mutex_unlock(&epochs->lock);
    epoch_free(epoch);
}

/* Whether a head may be that of the buckets of an epoch. */
static int fits(const tmpl_redis_epoch_t *epoch, const tmpl_redis_head_t *head)
{
    return head->buckets.n == epoch->buckets.n && head->buckets.salt == epoch->buckets.salt &&
           head->site.pages >= epoch->pages &&
           head->site.pages - epoch->pages <= epoch->pages / GROWTH_MOST;
}

/* The head goes in before buckets that came with it: whoever finds them then finds a head that is no older. */
static void read_add(tmpl_redis_epochs_t *epochs, tmpl_redis_epoch_t *epoch,
                     const tmpl_redis_head_t *head, block_t *block)
{
    if (head->site.pages >= epoch->head.site.pages) {
        epoch->head = *head;
    }
    if (block != NULL && room_take(epochs, block->size, epoch)) {
        block_add(epoch, block);
    }
    else {
        free(block);
    }
}

int tmpl_redis_epoch_add(tmpl_redis_epochs_t *epochs, tmpl_redis_epoch_t *epoch,
                         const tmpl_redis_head_t *head, const tmpl_redis_bucket_t *buckets,
                         uint32_t n)
{
    int fit = fits(epoch, head);
    block_t *block = fit ? block_make(epoch, buckets, n) : NULL;
    place_t *place = place_of(epochs, epoch->key);

    pthread_mutex_lock(&epochs->lock);
    if (fit) {
        read_add(epochs, epoch, head, block);
    }
    else if (place->epoch == epoch) {
        place_clear(epochs, place);
    }
    pthread_mutex_unlock(&epochs->lock);
    return fit;
}
