/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns of the threads of a process: only one thread at a time learns a site, because two threads
 * would only make each other's transactions fail. Sites are told apart by a hash, so a few sites
 * share a turn.
 */
#ifndef TMPL_REDIS_TURNS_H
#define TMPL_REDIS_TURNS_H

#include <pthread.h>
#include <stdint.h>

#include <apr_time.h>

#define TMPL_REDIS_TURNS 64

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t freed;
    unsigned char busy[TMPL_REDIS_TURNS];
} tmpl_redis_turns_t;

void tmpl_redis_turns_init(tmpl_redis_turns_t *turns);
void tmpl_redis_turns_destroy(tmpl_redis_turns_t *turns);

/* Waits for the turn of a site, until a deadline on tmpl_clock. Returns 0 if it did not come. */
int tmpl_redis_turn_take(tmpl_redis_turns_t *turns, uint64_t site, apr_time_t deadline);

/* Ends a turn that was taken. */
void tmpl_redis_turn_give(tmpl_redis_turns_t *turns, uint64_t site);

#endif
