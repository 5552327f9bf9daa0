/* SPDX-License-Identifier: Apache-2.0 */
#include "recent.h"
#include "ring.h"
#include "shm.h"

static tmpl_ring_t *ring; /* NULL: none */
static apr_uint32_t ring_size;

void tmpl_recent_create(server_rec *s, apr_uint32_t n)
{
    void *memory = n > 0 ? tmpl_shm(s, "recent", tmpl_ring_size(n, sizeof(tmpl_recent_t))) : NULL;

    ring = memory != NULL ? tmpl_ring_at(memory, n, sizeof(tmpl_recent_t)) : NULL;
    ring_size = ring != NULL ? n : 0;
}

apr_uint32_t tmpl_recent_size(void)
{
    return ring_size;
}

void tmpl_recent_add(const tmpl_recent_t *decision)
{
    if (ring != NULL) {
        tmpl_ring_add(ring, decision);
    }
}

apr_array_header_t *tmpl_recent_list(apr_pool_t *pool)
{
    apr_array_header_t *list = apr_array_make(pool, (int)ring_size + 1, sizeof(tmpl_recent_t));

    if (ring != NULL) {
        list->nelts = (int)tmpl_ring_read(ring, list->elts, ring_size);
    }
    return list;
}
