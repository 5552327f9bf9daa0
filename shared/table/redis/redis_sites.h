/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sites of a Redis store, for administrators: their list, their memory, and forgetting one.
 * patience: how long each command waits for its server. Errors are those of tmpl_redis_exchange().
 */
#ifndef TMPL_REDIS_SITES_H
#define TMPL_REDIS_SITES_H

#include "table/redis/redis_client.h"

/* tmpl_store_sites() and tmpl_store_sites_part(). In a cluster all masters are asked. */
apr_status_t tmpl_redis_sites(tmpl_redis_t *redis, apr_interval_time_t patience,
                              apr_status_t (*each)(void *baton, const char *site), void *baton,
                              tmpl_error_t *err, apr_pool_t *pool);
apr_status_t tmpl_redis_sites_part(tmpl_redis_t *redis, apr_interval_time_t patience,
                                   const char *from, uint32_t n,
                                   apr_status_t (*each)(void *baton, const char *site), void *baton,
                                   const char **next, tmpl_error_t *err, apr_pool_t *pool);

/* The server's estimate of the memory of a key; 0: it does not know the key. */
apr_status_t tmpl_redis_site_bytes(tmpl_redis_t *redis, apr_interval_time_t patience,
                                   const char *key, uint64_t *bytes, apr_pool_t *pool);

/* APR_NOTFOUND: the store does not know the site. */
apr_status_t tmpl_redis_site_forget(tmpl_redis_t *redis, apr_interval_time_t patience,
                                    const char *site, tmpl_error_t *err, apr_pool_t *pool);

#endif
