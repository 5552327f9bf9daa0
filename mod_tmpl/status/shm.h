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

#endif
