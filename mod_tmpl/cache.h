/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions about pages that come again, in one of httpd's shared object caches (TmplCache). */
#ifndef TMPL_CACHE_H
#define TMPL_CACHE_H

#include "mod_tmpl.h"
#include "decision/decision.h"

/* X(id, name): the result of looking a page up. */
#define TMPL_CACHED(X)                                                                             \
    X(MISS, "miss")                                                                                \
    X(STALE, "stale") /* the site has changed since */                                             \
    X(HIT, "hit")

typedef enum {
#define TMPL_CACHED_ID(id, name) TMPL_CACHED_##id,
    TMPL_CACHED(TMPL_CACHED_ID)
#undef TMPL_CACHED_ID
        TMPL_CACHED_COUNT
} tmpl_cached_e;

/* "unknown" for a value out of range. */
const char *tmpl_cached_name(tmpl_cached_e found);

/* A look-up of one page, kept from tmpl_cache_find() to tmpl_cache_keep(). */
typedef struct {
    tmpl_cache_t *cache; /* NULL: the page is not cached */
    server_rec *s;
    apr_pool_t *pool;
    tmpl_decision_key_t page, site;
    tmpl_cached_e found;
} tmpl_cached_t;

/*
 * Sets *cache to the cache of that name, which is created if there is none yet. Returns NULL, or
 * what is wrong. Only for use while the configuration is read.
 */
const char *tmpl_cache_add(tmpl_cache_t **cache, const char *name, apr_pool_t *pconf,
                           apr_pool_t *ptemp);

/* pre_config, post_config and child_init hooks: forget all caches; create them; join them. */
void tmpl_cache_reset(apr_pool_t *pconf);
void tmpl_cache_prepare(server_rec *s, apr_pool_t *pconf);
void tmpl_cache_open(server_rec *s, apr_pool_t *pchild);

/*
 * Whether an earlier decision about the same page still holds; if so, fills outcome and
 * fingerprint. Always fills cached.
 */
int tmpl_cache_find(tmpl_cached_t *cached, tmpl_outcome_t *outcome, const char **fingerprint,
                    const tmpl_input_t *input, const tmpl_conf_t *conf, request_rec *r,
                    apr_pool_t *pool);

/* Keeps what was decided about a page that tmpl_cache_find() did not find. */
void tmpl_cache_keep(tmpl_cached_t *cached, const tmpl_outcome_t *outcome, const char *fingerprint,
                     const tmpl_input_t *input, const tmpl_conf_t *conf);

#endif
