/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pools for the work on one page. APR returns most of a pool's memory to the system, and the next
 * page pays a page fault for each 4 KB of it; here the memory of a page serves the next one.
 */
#ifndef TMPL_PAGE_POOL_H
#define TMPL_PAGE_POOL_H

#include <apr_pools.h>

/* The free memory that is kept for each page that is judged at once; how long it is kept unused. */
#define TMPL_PAGE_POOL_KEEPS ((apr_uint32_t)4 * 1024 * 1024) /* bytes */
#define TMPL_PAGE_POOL_REST  apr_time_from_sec(10)

/* A child begins; if there is no memory, it ends as the pool does. */
void tmpl_page_pools_open(apr_pool_t *pchild);

/* A pool in parent. Only one thread may use it, which ends it before parent ends. */
apr_pool_t *tmpl_page_pool_begin(apr_pool_t *parent);
void tmpl_page_pool_end(apr_pool_t *pool);

/* Returns memory that had no use for TMPL_PAGE_POOL_REST to the system. */
void tmpl_page_pools_rest(void);

#endif
