/* SPDX-License-Identifier: Apache-2.0 */
#include "recent.h"
#include "ring.h"
#include "shm.h"

static tmpl_ring_t *decisions; /* NULL: none */
static apr_uint32_t kept;

void tmpl_recent_create(server_rec *s, apr_uint32_t n)
{
    void *memory = n > 0 ? tmpl_shm(s, "recent", tmpl_ring_size(n, sizeof(tmpl_recent_t))) : NULL;

    decisions = memory != NULL ? tmpl_ring_at(memory, n, sizeof(tmpl_recent_t)) : NULL;
    kept = decisions != NULL ? n : 0;
}

apr_uint32_t tmpl_recent_size(void)
{
    return kept;
}

void tmpl_recent_add(const tmpl_recent_t *decision)
{
    if (decisions != NULL) {
        tmpl_ring_add(decisions, decision);
    }
}

apr_array_header_t *tmpl_recent_list(apr_pool_t *pool)
{
    apr_array_header_t *list = apr_array_make(pool, (int)kept + 1, sizeof(tmpl_recent_t));

    if (decisions != NULL) {
        list->nelts = (int)tmpl_ring_read(decisions, list->elts, kept);
    }
    return list;
}
