/* SPDX-License-Identifier: Apache-2.0 */
/* Pools for what is gone soon. */
#ifndef TMPL_SCRATCH_H
#define TMPL_SCRATCH_H

#include <apr_pools.h>

/*
 * A pool in pool, for work on a page of len bytes. That of a large page gives back to the system at once what it took, when it
 * is destroyed: what is taken next would else take the pieces of it, which are larger than what it asks for.
 */
apr_pool_t *tmpl_scratch(apr_size_t len, apr_pool_t *pool);

#endif
