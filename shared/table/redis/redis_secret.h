/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The secret of a Redis store (store.h), under the key "tmpl:6:secret", which does not expire.
 *
 * A process that knows the secret puts it back if the server has lost it.
 */
#ifndef TMPL_REDIS_SECRET_H
#define TMPL_REDIS_SECRET_H

#include <pthread.h>

#include "table/redis/redis_client.h"
#include "table/store.h"

typedef struct {
    pthread_mutex_t lock;
    char is[TMPL_SECRET_SIZE]; /* the server's secret, or the one to give it if it has none */
} tmpl_redis_secret_t;

void tmpl_redis_secret_init(tmpl_redis_secret_t *secret);
void tmpl_redis_secret_destroy(tmpl_redis_secret_t *secret);

/*
 * Sets the server's secret to put, unless put is NULL. Fills is with the secret that the server
 * has; a server without a secret gets one. All hosts get the secret that came first. Errors: those
 * of tmpl_redis_exchange().
 */
apr_status_t tmpl_redis_secret_ask(tmpl_redis_secret_t *secret, tmpl_redis_t *redis,
                                   const char *put, char is[TMPL_SECRET_SIZE], apr_time_t deadline,
                                   tmpl_error_t *err, apr_pool_t *pool);

#endif
