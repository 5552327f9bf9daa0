/* SPDX-License-Identifier: Apache-2.0 */
#include "page_pool.h"

#include <limits.h>

#include <apr_allocator.h>
#include <apr_reslist.h>

/* Allocators without a pool. */
static apr_reslist_t *kept;

static apr_status_t allocator_create(void **allocator, void *params, apr_pool_t *pool)
{
    apr_allocator_t *made;
    apr_status_t rv = apr_allocator_create(&made);
    (void)params;
    (void)pool;
    if (rv == APR_SUCCESS) {
        apr_allocator_max_free_set(made, TMPL_PAGE_POOL_KEEPS);
        *allocator = made;
    }
    return rv;
}

static apr_status_t allocator_destroy(void *allocator, void *params, apr_pool_t *pool)
{
    (void)params;
    (void)pool;
    apr_allocator_destroy(allocator);
    return APR_SUCCESS;
}

void tmpl_page_pools_open(apr_pool_t *pchild)
{
    apr_pool_t *pool;
    /* it ends with the process: a child may end while a thread still works on a page */
    apr_pool_create_unmanaged_ex(&pool, apr_pool_abort_get(pchild), NULL);
    apr_reslist_create(&kept, 0, 0, INT_MAX, TMPL_PAGE_POOL_REST, allocator_create,
                       allocator_destroy, NULL, pool);
}

apr_pool_t *tmpl_page_pool_begin(apr_pool_t *parent)
{
    void *allocator = NULL;
    apr_pool_t *pool;
    /* without one, the pool uses its parent's */
    (void)apr_reslist_acquire(kept, &allocator);
    apr_pool_create_ex(&pool, parent, NULL, allocator);
    apr_pool_tag(pool, "tmpl_page");
    return pool;
}

void tmpl_page_pool_end(apr_pool_t *pool)
{
    apr_allocator_t *allocator = apr_pool_allocator_get(pool);
    int is_kept = allocator != apr_pool_allocator_get(apr_pool_parent_get(pool));
    apr_pool_destroy(pool);
    if (is_kept) {
        apr_reslist_release(kept, allocator);
    }
}

void tmpl_page_pools_rest(void)
{
    apr_reslist_maintain(kept);
}
