/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <apr_strings.h>

#include "table/redis/redis_words.h"

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

const char *tmpl_redis_key_site(const char *key, size_t len, apr_pool_t *pool)
{
    static const struct {
        char code[4];
        char is;
    } escapes[] = { { "%25", '%' }, { "%7B", '{' }, { "%7D", '}' } };
    size_t prefix = sizeof(TMPL_REDIS_KEY_PREFIX) - 1, to = 0;
    if (len <= prefix + 1 || memcmp(key, TMPL_REDIS_KEY_PREFIX, prefix) != 0 ||
        key[len - 1] != '}') {
        return NULL;
    }
    char *site = apr_palloc(pool, len);
    for (size_t i = prefix; i < len - 1; i++) {
        site[to] = key[i];
        for (int e = 0; e < 3 && key[i] == '%' && i + 3 < len; e++) {
            if (memcmp(key + i, escapes[e].code, 3) == 0) {
                site[to] = escapes[e].is;
                i += 2;
                break;
            }
        }
        to++;
    }
    site[to] = '\0';
    return site;
}
