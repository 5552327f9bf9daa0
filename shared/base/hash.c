/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <string.h>

#include <xxhash.h>

#include "base/slot.h"

unsigned int tmpl_hash_of(const char *key, apr_ssize_t *len)
{
    if (*len == APR_HASH_KEY_STRING) {
        *len = (apr_ssize_t)strlen(key);
    }
    return (unsigned int)XXH3_64bits_withSeed(key, (size_t)*len, tmpl_slot_draw());
}

apr_hash_t *tmpl_hash_make(apr_pool_t *pool)
{
    return apr_hash_make_custom(pool, tmpl_hash_of);
}
