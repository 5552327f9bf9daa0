/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a hash has its place in a page's own table. Hashes of a page's names and texts can be worked out by
 * whoever writes the page, and enough of them that fall into one place would make the table slow; so
 * the place depends on a factor that is drawn when the process first asks, and that no page can know.
 */
#ifndef TMPL_SLOT_H
#define TMPL_SLOT_H

#include "tmpl.h"

/* A place in a table of n_slots places, a power of two. */
uint32_t tmpl_slot_of(uint64_t hash, uint32_t n_slots);

#endif
