/* SPDX-License-Identifier: Apache-2.0 */
#include "recent.h"
#include "ring.h"

static tmpl_ring_t *decisions; /* NULL: none */
static apr_uint32_t kept;

void tmpl_recent_create(server_rec *s, apr_uint32_t n)
{
    decisions = tmpl_ring_create(s, "recent", n, sizeof(tmpl_recent_t));
    kept = decisions != NULL ? n : 0;
}

apr_uint32_t tmpl_recent_size(void)
{
    return kept;
}

void tmpl_recent_add(const tmpl_recent_t *decision)
{
    tmpl_ring_add(decisions, decision);
}

apr_array_header_t *tmpl_recent_list(apr_pool_t *pool)
{
    apr_array_header_t *list = apr_array_make(pool, (int)kept + 1, sizeof(tmpl_recent_t));

    list->nelts = (int)tmpl_ring_read(decisions, list->elts, kept);
    return list;
}
