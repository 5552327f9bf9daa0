/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <apr_strings.h>

#include "table/redis/redis_store.h"

tmpl_redis_words_t tmpl_redis_words_make(apr_pool_t *pool, const char *const *argv, int n)
{
    tmpl_redis_words_t w = { apr_array_make(pool, n + 8, sizeof(char *)),
                             apr_array_make(pool, n + 8, sizeof(size_t)) };

    for (int i = 0; i < n; i++) {
        APR_ARRAY_PUSH(w.argv, const char *) = argv[i];
        APR_ARRAY_PUSH(w.lens, size_t) = strlen(argv[i]);
    }
    return w;
}

void tmpl_redis_words_add(tmpl_redis_words_t *w, const void *bytes, size_t len)
{
    APR_ARRAY_PUSH(w->argv, const char *) = bytes;
    APR_ARRAY_PUSH(w->lens, size_t) = len;
}

void tmpl_redis_words_push(apr_array_header_t *list, tmpl_redis_words_t words)
{
    APR_ARRAY_PUSH(list, tmpl_redis_words_t) = words;
}

tmpl_redis_command_t tmpl_redis_words_command(const tmpl_redis_words_t *w)
{
    return (tmpl_redis_command_t){ w->argv->nelts, (const char **)w->argv->elts,
                                   (const size_t *)w->lens->elts };
}

const char *tmpl_redis_site_key(const char *site, apr_pool_t *pool)
{
    char *key = apr_palloc(pool, sizeof(TMPL_REDIS_KEY_PREFIX) + 3 * strlen(site) + 2);
    char *p = key + sizeof(TMPL_REDIS_KEY_PREFIX) - 1;

    memcpy(key, TMPL_REDIS_KEY_PREFIX, sizeof(TMPL_REDIS_KEY_PREFIX));
    for (; *site != '\0'; site++) {
        if (*site == '%' || *site == '{' || *site == '}') {
            p += apr_snprintf(p, 4, "%%%02X", (unsigned char)*site);
        }
        else {
            *p++ = *site;
        }
    }
    *p++ = '}';
    *p = '\0';
    return key;
}
