/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that all children share and restarts keep, in pieces with names. A piece is written with
 * atomic operations, or with a lock of its own: a child may be killed at any time.
 */
#ifndef TMPL_SHM_H
#define TMPL_SHM_H

#include "mod_tmpl.h"

/*
 * The piece of that name, size bytes, all 0 when it is new. For post_config: children inherit the
 * pointer. A graceful restart returns the same piece, but a new one if size or the module's version
 * has changed. NULL, which is logged, if there is no memory: nothing is counted then. Addresses in
 * a piece must not point outside of it: a restart may load the module elsewhere.
 */
void *tmpl_shm(server_rec *s, const char *name, apr_size_t size);

typedef struct tmpl_ring_t tmpl_ring_t;

/*
 * A ring of the last n items of item bytes each, in the piece of that name. NULL if n is 0, or if
 * there is no memory; the functions below have no effect then. Writers never wait, for each other
 * or for a reader. An item is stored with a hash of the item and of its number. An item that does
 * not agree with its hash is not read: the item is being written, or its writer has died, or two
 * writers were a whole round apart.
 */
tmpl_ring_t *tmpl_ring_create(server_rec *s, const char *name, apr_uint32_t n, apr_size_t item);

/* Adds an item in place of the oldest one. */
void tmpl_ring_add(tmpl_ring_t *ring, const void *item);

/* Copies of the items, the newest first. */
apr_array_header_t *tmpl_ring_read(tmpl_ring_t *ring, apr_pool_t *pool);

#endif
