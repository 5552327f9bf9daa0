/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in Redis: what its looking (redis.c), learning (redis_learn.c) and administration (redis_admin.c)
 * share.
 */
#ifndef TMPL_REDIS_STORE_H
#define TMPL_REDIS_STORE_H

#include <pthread.h>

#include <apr_tables.h>

#include "table/provider.h"
#include "table/redis/redis_conn.h"
#include "table/redis/redis_epoch.h"
#include "table/redis/redis_table.h"

#define TMPL_REDIS_SITES 1024 /* sites of which something is remembered */

/*
 * What this process remembers of a site. It may be of no use any more, or of another site that took its
 * place: what is asked for by it is told by the answer, and then asked for again.
 */
typedef struct {
    uint64_t site; /* a hash of its key; 0: nothing */
    tmpl_buckets_t buckets;
    char cursor[24]; /* of the sweeper */
} tmpl_redis_memory_t;

typedef struct {
    tmpl_redis_t *redis;
    tmpl_redis_epochs_t *epochs;
    tmpl_store_opts_t opts;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t freed;
    unsigned char busy[64]; /* sites, by their hash, that a thread is learning */
    tmpl_redis_memory_t *sites;
} tmpl_redis_store_t;

/* A command under construction; arguments are not copied. */
typedef struct {
    apr_array_header_t *argv;
    apr_array_header_t *lens;
} tmpl_redis_words_t;

#define TMPL_REDIS_WORDS(pool, ...)                                                                \
    tmpl_redis_words_make(pool, (const char *const[]){ __VA_ARGS__ },                              \
                          (int)(sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)))
tmpl_redis_words_t tmpl_redis_words_make(apr_pool_t *pool, const char *const *argv, int n);
void tmpl_redis_words_add(tmpl_redis_words_t *words, const void *bytes, size_t len);
/* Adds them to a list of commands. */
void tmpl_redis_words_push(apr_array_header_t *list, tmpl_redis_words_t words);
tmpl_redis_command_t tmpl_redis_words_command(const tmpl_redis_words_t *words);

#define TMPL_REDIS_KEY_PREFIX "tmpl:4:{"
const char *tmpl_redis_site_key(const char *site, apr_pool_t *pool);

/* Seconds after which a site expires that nobody observes. */
uint32_t tmpl_redis_idle(const tmpl_redis_store_t *store);

/* As provider.h has it; *counted grows. */
apr_status_t tmpl_redis_learn(void *ctx, const tmpl_observation_t *const *pages, uint32_t n,
                              apr_time_t deadline, tmpl_counts_t *counts, uint32_t *counted,
                              tmpl_error_t *err, apr_pool_t *pool);

apr_status_t tmpl_redis_sites(void *ctx, apr_status_t (*each)(void *baton, const char *site),
                              void *baton, tmpl_error_t *err, apr_pool_t *pool);
apr_status_t tmpl_redis_forget(void *ctx, const char *site, tmpl_error_t *err, apr_pool_t *pool);
apr_status_t tmpl_redis_dump(void *ctx, const char *site, tmpl_store_stats_t *head,
                             apr_status_t (*each)(void *baton, const tmpl_entry_t *entry),
                             void *baton, tmpl_error_t *err, apr_pool_t *pool);
apr_status_t tmpl_redis_load(void *ctx, const char *site, const tmpl_store_stats_t *head,
                             const tmpl_entry_t *entries, uint32_t n, tmpl_error_t *err,
                             apr_pool_t *pool);

#endif
