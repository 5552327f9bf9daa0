/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring of the last items, in memory that processes share. Writers never wait, for each other or
 * for a reader. An item is stored with a hash of the item and of its number. An item that does not
 * agree with its hash is not read: the item is being written, or its writer has died, or two
 * writers were a whole round apart.
 */
#ifndef TMPL_RING_H
#define TMPL_RING_H

#include <apr.h>

typedef struct tmpl_ring_t tmpl_ring_t;

/* The bytes of a ring of n >= 1 items of item bytes each, a multiple of 8. */
apr_size_t tmpl_ring_size(apr_uint32_t n, apr_size_t item);

/* Memory of tmpl_ring_size() bytes becomes a ring: an empty one if all of them are 0. */
tmpl_ring_t *tmpl_ring_at(void *memory, apr_uint32_t n, apr_size_t item);

/* Adds an item in place of the oldest one. */
void tmpl_ring_add(tmpl_ring_t *ring, const void *item);

/* Copies the last items, the newest first, most at most. Returns their number. */
apr_uint32_t tmpl_ring_read(tmpl_ring_t *ring, void *items, apr_uint32_t most);

#endif
