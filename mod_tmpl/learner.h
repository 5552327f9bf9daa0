/* SPDX-License-Identifier: Apache-2.0 */
/* A learner passes the pages that wait for one store, in one child, to that store. */
#ifndef TMPL_LEARNER_H
#define TMPL_LEARNER_H

#include "health.h"
#include "mod_tmpl.h"

typedef struct tmpl_learner_t tmpl_learner_t;

/* pre_config and post_config hooks; number distinguishes the stores. */
void tmpl_learner_reset(apr_pool_t *pconf);
tmpl_learner_t *tmpl_learner_create(tmpl_health_t *health, int number, server_rec *s,
                                    apr_pool_t *pconf);

/* child_init hook; pool is destroyed with the child, and may be used by other threads. */
void tmpl_learner_open(tmpl_learner_t *learner, server_rec *s, apr_pool_t *pool);

/*
 * Queues a copy of a page, to be learnt after delay. Returns 0 if there was no room: the page is
 * lost.
 */
int tmpl_learner_put_aside(tmpl_learner_t *learner, const tmpl_observation_t *page,
                           apr_interval_time_t delay);

/*
 * Learns the pages that are due; store may be NULL. Called by the watchdog, even after the learner
 * was closed.
 */
void tmpl_learner_turn(tmpl_learner_t *learner, tmpl_store_t *store, apr_pool_t *pool);

/*
 * At the end of the child: learns all pages that wait. With interrupted set, an interrupted thread
 * may be using the queue; then the pages are counted as lost instead. Returns whether the learner
 * is done with the store; 0: the watchdog is in a call of the store, which must stay open.
 */
int tmpl_learner_close(tmpl_learner_t *learner, tmpl_store_t *store, int interrupted,
                       apr_pool_t *pool);

#endif
