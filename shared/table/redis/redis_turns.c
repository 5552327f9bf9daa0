/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_turns.h"

#include "table/provider.h"

void tmpl_redis_turns_init(tmpl_redis_turns_t *turns)
{
    *turns = (tmpl_redis_turns_t){ 0 };
    pthread_mutex_init(&turns->lock, NULL);
    pthread_cond_init(&turns->freed, NULL);
}

void tmpl_redis_turns_destroy(tmpl_redis_turns_t *turns)
{
    /*
     * Not the condition: destroying it waits for waiting threads, and the signal that ends a child
     * of prefork may have interrupted one for good.
     */
    pthread_mutex_destroy(&turns->lock);
}

int tmpl_redis_turn_take(tmpl_redis_turns_t *turns, uint64_t site, apr_time_t deadline)
{
    unsigned char *busy = &turns->busy[site % TMPL_REDIS_TURNS];
    struct timespec until = tmpl_clock_timespec(deadline);
    int rc = 0;
    pthread_mutex_lock(&turns->lock);
    while (*busy && rc == 0) {
        rc = pthread_cond_clockwait(&turns->freed, &turns->lock, CLOCK_MONOTONIC, &until);
    }
    int taken = !*busy;
    *busy = 1;
    pthread_mutex_unlock(&turns->lock);
    return taken;
}

void tmpl_redis_turn_give(tmpl_redis_turns_t *turns, uint64_t site)
{
    pthread_mutex_lock(&turns->lock);
    turns->busy[site % TMPL_REDIS_TURNS] = 0;
    pthread_cond_broadcast(&turns->freed);
    pthread_mutex_unlock(&turns->lock);
}
