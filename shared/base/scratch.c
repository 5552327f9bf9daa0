/* SPDX-License-Identifier: Apache-2.0 */
#include "base/scratch.h"

#include <apr_allocator.h>

#define LARGE ((apr_size_t)64 * 1024) /* bytes of source */

apr_pool_t *tmpl_scratch(apr_size_t len, apr_pool_t *pool)
{
    apr_allocator_t *allocator = NULL;
    apr_pool_t *scratch;

    if (len >= LARGE && apr_allocator_create(&allocator) == APR_SUCCESS) {
        apr_allocator_max_free_set(allocator, 1);
    }
    apr_pool_create_ex(&scratch, pool, NULL, allocator);
    if (allocator != NULL) {
        apr_allocator_owner_set(allocator, scratch);
    }
    return scratch;
}
