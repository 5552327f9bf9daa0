/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child's stores. A store is opened after the fork, used by all threads of the child, and not
 * used for a pause after it failed. TmplStore makes one for each URI, so every child opens each
 * store once. No store is added after the configuration was read.
 */
#ifndef TMPL_CHILD_STORE_H
#define TMPL_CHILD_STORE_H

#include "health.h"
#include "learner.h"

struct tmpl_child_store_t {
    const char *uri;
    tmpl_health_t health;
    tmpl_learner_t *learner;
    int is_used; /* a request may use it (config_check.c) */
    /* each child has its own values of these: */
    apr_pool_t *pool;            /* of the store; without a parent */
    apr_pool_t *end;             /* ends with the child, and closes the store */
    apr_thread_mutex_t *opening; /* held to open the store; NULL once the store is closed */
    tmpl_store_t *store;         /* NULL until it is open, and once it is closed; atomic */
    apr_uint32_t warned;         /* the second of the last TMPL_LOG_SITE; atomic */
    apr_uint32_t looked;         /* the second of the last look for the store's file; atomic */
    apr_uint32_t has_seed;       /* whether seed is known; atomic, as the next two fields are */
    apr_uint64_t seed;           /* made of the store's secret */
    apr_uint64_t seed_until;     /* when to ask for the secret again, on tmpl_clock() */
};

/* The number of threads of this child that judge a page now. Atomic. */
extern apr_uint32_t tmpl_child_stores_users;

/*
 * The store at uri, which tmpl_store_check_uri() has accepted. Only for use while the configuration
 * is read.
 */
tmpl_child_store_t *tmpl_child_store_add(const char *uri, apr_pool_t *pconf);

/* Forgets the stores without is_used, before they are prepared. */
void tmpl_child_stores_drop_unused(void);

/*
 * pre_config, post_config and child_init hooks: forget all stores; create directories and find the
 * watchdog; open the stores.
 */
void tmpl_child_stores_reset(apr_pool_t *pconf);
void tmpl_child_stores_prepare(server_rec *s, apr_pool_t *pconf, apr_pool_t *ptemp);
void tmpl_child_stores_open(server_rec *s, apr_pool_t *pchild);

/*
 * The store of conf, or the default store; NULL: there is none. Opens it anew if its file is lost.
 */
tmpl_child_store_t *tmpl_child_store_of(const tmpl_conf_t *conf);

/*
 * The store, open, if it may be used now; sets *began to the time before it was opened. NULL: it
 * may not, or it failed, which has been reported. The answer of a store is to be reported to
 * ours->health.
 */
tmpl_store_t *tmpl_child_store_begin(tmpl_child_store_t *ours, apr_time_t *began);

/*
 * Sets *seed, the seed of a page's keys, from the store's secret, unless the operator has chosen a
 * seed (TmplSecret). *timeout shrinks by the time that this took. Returns 0 if no seed is known, or
 * no time is left: then the store is of no use to this page.
 */
int tmpl_child_store_seed(tmpl_child_store_t *ours, apr_uint64_t *seed,
                          apr_interval_time_t *timeout, apr_pool_t *pool);

/* Whether site is a valid name of a site, which is logged if it is not. */
int tmpl_child_store_takes(tmpl_child_store_t *ours, const char *site, request_rec *r);

/* Whether this child learns pages after their requests. */
int tmpl_child_learns_later(void);

/* Queues a page to be learnt after delay. Sets err if the queue or the store has no room. */
void tmpl_child_store_put_aside(tmpl_child_store_t *ours, const tmpl_observation_t *page,
                                apr_interval_time_t delay, tmpl_error_t *err);

/*
 * The store of that name, as tmpl_stores_name() gives it. For requests that ask about
 * stores. Returns NULL, with err filled, if there is no such store, or while the
 * store fails in this child.
 */
tmpl_store_t *tmpl_child_store_named(const char *name, tmpl_error_t *err);

/* How full the store of that name is. Returns 0 if that is not known. */
int tmpl_child_store_usage(const char *name, tmpl_store_usage_t *usage);

#endif
