/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring of the last items, in memory that processes share. Writers never wait, for each other or
 * for a reader. An item is stored with a hash of the item and of its number. An item that does not
 * agree with its hash is not read: the item is being written, or its writer has died, or two
 * writers were a whole round apart.
 */
#ifndef TMPL_RING_H
#define TMPL_RING_H

#include "mod_tmpl.h"

typedef struct tmpl_ring_t tmpl_ring_t;

/*
 * A ring of n items of item bytes each, in the shared memory of that name (shm.h). NULL if n is 0,
 * or if there is no memory; the functions below have no effect then.
 */
tmpl_ring_t *tmpl_ring_create(server_rec *s, const char *name, apr_uint32_t n, apr_size_t item);

/* Adds an item in place of the oldest one. */
void tmpl_ring_add(tmpl_ring_t *ring, const void *item);

/* Copies the last items, the newest first, most at most. Returns their number. */
apr_uint32_t tmpl_ring_read(tmpl_ring_t *ring, void *items, apr_uint32_t most);

#endif
