/* SPDX-License-Identifier: Apache-2.0 */
#include "table/lmdb/lmdb_places.h"

#include <pthread.h>
#include <stdlib.h>

#define SITES 16 /* whose notes are kept; others' give way to each other */

/* A bucket's place. */
typedef struct {
    int64_t from; /* bytes from the anchor on; atomic, as is len */
    uint32_t len; /* 0: not noted */
} place_t;

struct tmpl_lmdb_places_t {
    uintptr_t env;   /* its name */
    size_t snapshot; /* of it */
    uint32_t serial; /* of the site */
    uint32_t n;
    unsigned users; /* who hold it, and the notes */
    place_t at[];
};

struct tmpl_lmdb_notes_t {
    pthread_mutex_t lock; /* of all below, and of users */
    tmpl_lmdb_places_t *sites[SITES];
};

static apr_status_t notes_free(void *data)
{
    tmpl_lmdb_notes_t *notes = data;

    for (unsigned i = 0; i < SITES; i++) {
        free(notes->sites[i]);
    }
    pthread_mutex_destroy(&notes->lock);
    return APR_SUCCESS;
}

tmpl_lmdb_notes_t *tmpl_lmdb_notes_create(apr_pool_t *pool)
{
    tmpl_lmdb_notes_t *notes = apr_pcalloc(pool, sizeof(*notes));

    pthread_mutex_init(&notes->lock, NULL);
    apr_pool_cleanup_register(pool, notes, notes_free, apr_pool_cleanup_null);
    return notes;
}

/* A name for the environment: what is opened in its place may have its address, and a snapshot of that number. */
static uintptr_t name_of(MDB_env *env)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uintptr_t last;
    uintptr_t name;

    pthread_mutex_lock(&lock);
    name = (uintptr_t)mdb_env_get_userctx(env);
    if (name == 0) {
        name = ++last;
        mdb_env_set_userctx(env, (void *)name);
    }
    pthread_mutex_unlock(&lock);
    return name;
}

static tmpl_lmdb_places_t *places_create(const tmpl_lmdb_places_t *head)
{
    tmpl_lmdb_places_t *places = calloc(1, sizeof(*places) + head->n * sizeof(places->at[0]));

    if (places != NULL) {
        *places = *head;
    }
    return places;
}

static void release(tmpl_lmdb_places_t *places)
{
    if (places != NULL && --places->users == 0) {
        free(places);
    }
}

tmpl_lmdb_places_t *tmpl_lmdb_places_take(tmpl_lmdb_notes_t *notes, MDB_txn *txn,
                                          const tmpl_site_t *site, const tmpl_bucket_t *anchor)
{
    tmpl_lmdb_places_t **at = &notes->sites[site->serial % SITES], *places;
    tmpl_lmdb_places_t head = { .env = name_of(mdb_txn_env(txn)),
                                .snapshot = mdb_txn_id(txn),
                                .serial = site->serial,
                                .n = site->buckets.n,
                                .users = 1 };

    if (head.n > TMPL_PLACES_MOST || anchor->len == 0) {
        return NULL;
    }
    pthread_mutex_lock(&notes->lock);
    places = *at;
    if (places == NULL || places->env != head.env || places->snapshot != head.snapshot ||
        places->serial != head.serial) {
        places = places_create(&head);
        if (places != NULL) {
            release(*at);
            *at = places;
        }
    }
    if (places != NULL) {
        places->users++;
    }
    pthread_mutex_unlock(&notes->lock);
    return places;
}

void tmpl_lmdb_places_give(tmpl_lmdb_notes_t *notes, tmpl_lmdb_places_t *places)
{
    pthread_mutex_lock(&notes->lock);
    release(places);
    pthread_mutex_unlock(&notes->lock);
}

int tmpl_lmdb_place_get(const tmpl_lmdb_places_t *places, uint32_t n, const tmpl_bucket_t *anchor,
                        tmpl_bucket_t *bucket)
{
    const place_t *place = &places->at[n];
    uint32_t len = n < places->n ? __atomic_load_n(&place->len, __ATOMIC_ACQUIRE) : 0;

    if (len == 0) {
        return 0;
    }
    *bucket =
        (tmpl_bucket_t){ anchor->bytes + __atomic_load_n(&place->from, __ATOMIC_RELAXED), len };
    return 1;
}

void tmpl_lmdb_place_note(tmpl_lmdb_places_t *places, uint32_t n, const tmpl_bucket_t *anchor,
                          const tmpl_bucket_t *bucket)
{
    if (n < places->n && bucket->len > 0 && bucket->len <= TMPL_BUCKET_MOST) {
        /* whoever else notes it notes the same */
        __atomic_store_n(&places->at[n].from, (int64_t)(bucket->bytes - anchor->bytes),
                         __ATOMIC_RELAXED);
        __atomic_store_n(&places->at[n].len, (uint32_t)bucket->len, __ATOMIC_RELEASE);
    }
}
