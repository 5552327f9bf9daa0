/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Positions of hashes in hash tables. An author of a page could compute texts whose hashes collide
 * and make the tables slow; so the position depends on a factor that is drawn at random once in
 * each process.
 */
#ifndef TMPL_SLOT_H
#define TMPL_SLOT_H

#include <stdatomic.h>

#include "base/tmpl.h"

/* The factor; 0 until it is drawn. */
extern _Atomic uint64_t tmpl_slot_factor;

/* Draws the factor if that has not been done, and returns it. */
uint64_t tmpl_slot_draw(void);

/* The slot of the hash in a table of n_slots, a power of two. */
static inline uint32_t tmpl_slot_of(uint64_t hash, uint32_t n_slots)
{
    uint64_t factor = atomic_load_explicit(&tmpl_slot_factor, memory_order_relaxed);
    if (factor == 0) {
        factor = tmpl_slot_draw();
    }
    /* the upper bits of the product: only these depend on all bits of the hash */
    return (uint32_t)(((hash * factor) >> 32) * n_slots >> 32);
}

#endif
