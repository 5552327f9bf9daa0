/* SPDX-License-Identifier: Apache-2.0 */
#include <apr_atomic.h>
#include <apr_shm.h>

#include <xxhash.h>

#include "shm.h"
#include "messages.h"

typedef struct {
    apr_shm_t *shm; /* NULL: there is none */
    apr_size_t size;
} piece_t;

void *tmpl_shm(server_rec *s, const char *name, apr_size_t size)
{
    const char *key = apr_pstrcat(s->process->pool, "mod_tmpl-" TMPL_VERSION "-", name, NULL);
    piece_t *piece = ap_retained_data_get(key); /* outlives restarts */
    apr_status_t rv;

    if (piece == NULL) {
        piece = ap_retained_data_create(key, sizeof(*piece));
    }
    if (piece->shm != NULL && piece->size != size) {
        /* children from before the restart still use their own mapping */
        apr_shm_destroy(piece->shm);
        piece->shm = NULL;
    }
    if (piece->shm == NULL) {
        rv = apr_shm_create(&piece->shm, size, NULL, s->process->pool);
        if (rv != APR_SUCCESS) {
            piece->shm = NULL;
            ap_log_error(APLOG_MARK, APLOG_WARNING, rv, s, TMPL_LOG_COUNTERS);
            return NULL;
        }
        piece->size = size;
        memset(apr_shm_baseaddr_get(piece->shm), 0, size);
    }
    return apr_shm_baseaddr_get(piece->shm);
}

struct tmpl_ring_t {
    volatile apr_uint64_t next; /* number of the next item */
    apr_uint32_t n;
    apr_size_t item; /* bytes of an item */
    /* here n slots follow, each the hash of an item and the item */
};

static apr_size_t slot_size(apr_size_t item)
{
    return sizeof(apr_uint64_t) + item;
}

/* The slot of item number i. */
static unsigned char *slot_of(tmpl_ring_t *ring, apr_uint64_t i)
{
    return (unsigned char *)(ring + 1) + i % ring->n * slot_size(ring->item);
}

tmpl_ring_t *tmpl_ring_create(server_rec *s, const char *name, apr_uint32_t n, apr_size_t item)
{
    tmpl_ring_t *ring = n > 0 ? tmpl_shm(s, name, sizeof(*ring) + n * slot_size(item)) : NULL;

    if (ring != NULL) {
        ring->n = n;
        ring->item = item;
    }
    return ring;
}

void tmpl_ring_add(tmpl_ring_t *ring, const void *item)
{
    apr_uint64_t i, hash;
    unsigned char *slot;

    if (ring == NULL) {
        return;
    }
    i = apr_atomic_inc64(&ring->next);
    slot = slot_of(ring, i);
    hash = XXH3_64bits_withSeed(item, ring->item, i);
    memcpy(slot + sizeof(hash), item, ring->item);
    memcpy(slot, &hash, sizeof(hash));
}

apr_array_header_t *tmpl_ring_read(tmpl_ring_t *ring, apr_pool_t *pool)
{
    apr_uint64_t i = ring != NULL ? apr_atomic_read64(&ring->next) : 0;
    apr_uint64_t first = ring != NULL && i > ring->n ? i - ring->n : 0, hash;
    apr_array_header_t *items =
        apr_array_make(pool, (int)(i - first), ring != NULL ? (int)ring->item : 1);

    while (i-- > first) {
        const unsigned char *slot = slot_of(ring, i);
        void *item = apr_array_push(items);

        memcpy(&hash, slot, sizeof(hash));
        memcpy(item, slot + sizeof(hash), ring->item);
        /* checks the copy: the slot may change at any time */
        if (hash != XXH3_64bits_withSeed(item, ring->item, i)) {
            apr_array_pop(items);
        }
    }
    return items;
}
