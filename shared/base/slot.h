/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a hash has its place in a table in memory. Hashes of a page's names and texts can be worked out by
 * whoever writes the page, and enough of them that fall into one place would make the table slow; so
 * the place depends on a factor that is drawn when the process first asks, and that no page can know.
 */
#ifndef TMPL_SLOT_H
#define TMPL_SLOT_H

#include <stdatomic.h>

#include "base/tmpl.h"

/* The factor; 0 until it is drawn. */
extern _Atomic uint64_t tmpl_slot_factor;

/* Draws it, unless that was done; returns it. */
uint64_t tmpl_slot_draw(void);

/* A place in a table of n_slots places, a power of two. */
static inline uint32_t tmpl_slot_of(uint64_t hash, uint32_t n_slots)
{
    uint64_t factor = atomic_load_explicit(&tmpl_slot_factor, memory_order_relaxed);
    if (factor == 0) {
        factor = tmpl_slot_draw();
    }
    /* the upper bits of the product: no others depend on all bits of the hash */
    return (uint32_t)(((hash * factor) >> 32) * n_slots >> 32);
}

#endif
