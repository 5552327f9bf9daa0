/* SPDX-License-Identifier: Apache-2.0 */
#include <apr_atomic.h>

#include <xxhash.h>

#include "ring.h"
#include "shm.h"

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

apr_uint32_t tmpl_ring_read(tmpl_ring_t *ring, void *items, apr_uint32_t most)
{
    apr_uint64_t i = ring != NULL ? apr_atomic_read64(&ring->next) : 0;
    apr_uint64_t first = ring != NULL && i > ring->n ? i - ring->n : 0;
    apr_uint32_t n = 0;

    while (i-- > first && n < most) {
        const unsigned char *slot = slot_of(ring, i);
        unsigned char *item = (unsigned char *)items + n * ring->item;
        apr_uint64_t hash;

        memcpy(&hash, slot, sizeof(hash));
        memcpy(item, slot + sizeof(hash), ring->item);
        /* checks the copy: the slot may change at any time */
        n += hash == XXH3_64bits_withSeed(item, ring->item, i);
    }
    return n;
}
