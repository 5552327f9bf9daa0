/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decisions about pages that come again, in one of httpd's shared object caches (TmplCache).
 */
#ifndef TMPL_CACHE_H
#define TMPL_CACHE_H

#include "mod_tmpl.h"
#include "decision/decision.h"

/* X(id, name): the result of looking a page up. */
#define TMPL_CACHED(X)                                                                             \
    X(MISS, "miss")         /* nothing is kept of its address */                                   \
    X(CHANGED, "changed")   /* the page has changed since */                                       \
    X(PERSONAL, "personal") /* it was not learnt, as one person's own or frozen; now it may be */  \
    X(STALE, "stale")       /* the site has changed since */                                       \
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
    tmpl_decision_key_t key;
    tmpl_cached_e found;
    int slot; /* of the decision that was found, or that will be kept: 0 or 1 */
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

/* Decisions that are kept, their bytes, and how many there may be; 0: not known. */
typedef struct {
    apr_int64_t entries, bytes, max_bytes;
} tmpl_cache_usage_t;

/* How full the caches are together. */
tmpl_cache_usage_t tmpl_cache_usage(server_rec *s, apr_pool_t *pool);

/*
 * Finds a decision about a page that differs in its volatile places only; its site may have changed
 * since. Returns 0 if there is none. Always fills cached, whose found the caller may then change.
 */
int tmpl_cache_find(tmpl_cached_t *cached, tmpl_decision_t *decision, const tmpl_input_t *input,
                    const tmpl_conf_t *conf, request_rec *r, apr_pool_t *pool);

/* Counts what was found. */
void tmpl_cache_count(const tmpl_cached_t *cached);

/*
 * Keeps what was decided about a page that was judged. body is what is sent in place of the page,
 * if that may be kept, or NULL.
 */
void tmpl_cache_keep(tmpl_cached_t *cached, const tmpl_outcome_t *outcome, const char *fingerprint,
                     const char *body, apr_size_t body_len, const tmpl_input_t *input,
                     const tmpl_conf_t *conf);

#endif
