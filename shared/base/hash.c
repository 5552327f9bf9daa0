/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <string.h>

#include <apr_general.h>
#include <apr_time.h>

#include <xxhash.h>

uint64_t tmpl_slot_factor;

__attribute__((constructor)) static void draw_factor(void)
{
    unsigned char *bytes = (unsigned char *)&tmpl_slot_factor;
    if (apr_generate_random_bytes(bytes, sizeof(tmpl_slot_factor)) != APR_SUCCESS) {
        tmpl_slot_factor = (uint64_t)apr_time_now() * 0x9E3779B97F4A7C15u;
    }
    tmpl_slot_factor |= 1;
}

unsigned int tmpl_hash_of(const char *key, apr_ssize_t *len)
{
    if (*len == APR_HASH_KEY_STRING) {
        *len = (apr_ssize_t)strlen(key);
    }
    return (unsigned int)XXH3_64bits_withSeed(key, (size_t)*len, tmpl_slot_factor);
}

apr_hash_t *tmpl_hash_make(apr_pool_t *pool)
{
    return apr_hash_make_custom(pool, tmpl_hash_of);
}

/* A fifth of the slots stays free. */
static void make_slots(tmpl_numbering_t *numbering, uint32_t room)
{
    numbering->room = room;
    numbering->keys = apr_palloc(numbering->pool, room * sizeof(*numbering->keys));
    numbering->n_slots = 16;
    while (numbering->n_slots < room + room / 4) {
        numbering->n_slots *= 2;
    }
    numbering->slots =
        apr_pcalloc(numbering->scratch, numbering->n_slots * sizeof(*numbering->slots));
}

void tmpl_numbering_init(tmpl_numbering_t *numbering, uint32_t n, apr_pool_t *pool,
                         apr_pool_t *scratch)
{
    *numbering = (tmpl_numbering_t){ .pool = pool, .scratch = scratch };
    make_slots(numbering, n);
}

void tmpl_numbering_grow(tmpl_numbering_t *numbering)
{
    const uint64_t *keys = numbering->keys;
    make_slots(numbering, 2 * numbering->room);
    memcpy(numbering->keys, keys, numbering->n * sizeof(*keys));
    for (uint32_t number = 0; number < numbering->n; number++) {
        uint32_t i = tmpl_slot_of(keys[number], numbering->n_slots);
        while (numbering->slots[i] != 0) {
            i = (i + 1) & (numbering->n_slots - 1);
        }
        numbering->slots[i] = number + 1;
    }
}
