/* SPDX-License-Identifier: Apache-2.0 */
/* Pools for temporary data. */
#ifndef TMPL_SCRATCH_H
#define TMPL_SCRATCH_H

#include <apr_pools.h>

/*
 * A pool in pool, for work on a page of len bytes. If the page is large, destroying the pool
 * returns its memory to the system at once: APR would hand its large blocks to small requests.
 */
apr_pool_t *tmpl_scratch(apr_size_t len, apr_pool_t *pool);

#endif
