/* SPDX-License-Identifier: Apache-2.0 */
#include "base/numbering.h"

#include <string.h>

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
