/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of Redis under construction, and the keys of sites. */
#ifndef TMPL_REDIS_WORDS_H
#define TMPL_REDIS_WORDS_H

#include <apr_tables.h>

#include "table/redis/redis_conn.h"

/* A command; arguments are not copied. */
typedef struct {
    apr_array_header_t *argv;
    apr_array_header_t *lens;
} tmpl_redis_words_t;

#define TMPL_REDIS_WORDS(pool, ...)                                                                \
    tmpl_redis_words_make(pool, (const char *const[]){ __VA_ARGS__ },                              \
                          (int)(sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)))
tmpl_redis_words_t tmpl_redis_words_make(apr_pool_t *pool, const char *const *argv, int n);
void tmpl_redis_words_add(tmpl_redis_words_t *words, const void *bytes, size_t len);
tmpl_redis_command_t tmpl_redis_words_command(const tmpl_redis_words_t *words);

/* Adds a command to a list of tmpl_redis_words_t. */
static inline void tmpl_redis_words_push(apr_array_header_t *list, tmpl_redis_words_t words)
{
    APR_ARRAY_PUSH(list, tmpl_redis_words_t) = words;
}

/* The key of a site, and the site of a key; NULL if it is not the key of a site. */
#define TMPL_REDIS_KEY_PREFIX "tmpl:6:{"
const char *tmpl_redis_site_key(const char *site, apr_pool_t *pool);
const char *tmpl_redis_key_site(const char *key, size_t len, apr_pool_t *pool);

#endif
