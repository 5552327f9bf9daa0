/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A visit to a site in Redis: what some pages need of it is asked for, from the server or from what has been kept
 * (redis_epoch.h). What becomes of it, a look (redis.c) or learning (redis_learn.c), is not settled here.
 */
#ifndef TMPL_REDIS_VISIT_H
#define TMPL_REDIS_VISIT_H

#include "table/redis/redis_store.h"

#define TMPL_REDIS_FIELDS_MOST (1 << 18) /* of one command: Redis takes up to 2^20 words */

typedef struct {
    tmpl_redis_store_t *store;
    const tmpl_observation_t *const *pages; /* of one site */
    uint32_t n;
    const char *key;
    uint64_t site; /* a hash of it */
    apr_time_t deadline;
    apr_interval_time_t age; /* how old what is asked for may be; 0 for who learns */
    tmpl_error_t *err;
    apr_pool_t *pool;
    tmpl_redis_conn_t *conn; /* NULL: any will do */
    tmpl_redis_memory_t memory;
    tmpl_redis_epoch_t *epoch; /* NULL: all is asked for */
    apr_time_t asked_at;
    tmpl_redis_table_t *table;  /* what was asked for */
    tmpl_rules_page_t *rules;   /* of each page, with its slots in the table */
    apr_array_header_t *fields; /* uint32_t: those of the table that are asked for */
    apr_array_header_t *replies;
} tmpl_redis_visit_t;

/* Of n > 0 pages. Whatever the visit needs is from pool. */
void tmpl_redis_visit_init(tmpl_redis_visit_t *v, tmpl_redis_store_t *store,
                           const tmpl_observation_t *const *pages, uint32_t n, apr_time_t deadline,
                           tmpl_error_t *err, apr_pool_t *pool);

/*
 * In front of the first question, with the pool as it is then, and behind the last one, with what came of it: if the
 * server has failed, nothing that is kept holds any more.
 */
void tmpl_redis_visit_begin(tmpl_redis_visit_t *v);
void tmpl_redis_visit_end(const tmpl_redis_visit_t *v, apr_status_t rv);

/* What else is asked, in front of the fields. The first reply of all is the site's TTL. */
typedef void (*tmpl_redis_preface_t)(tmpl_redis_visit_t *v, apr_array_header_t *list);

/*
 * Fills table and rules, for pages that are then counted by the rules; preface may be NULL. By what is remembered of
 * the site the right buckets are asked for; if that is no longer so, all is asked for again. If there is nothing to
 * ask, there are no replies. APR_EBUSY: the site changes faster than it can be read.
 */
apr_status_t tmpl_redis_visit_ask(tmpl_redis_visit_t *v, tmpl_redis_preface_t preface);

/* Behind that, for who has learnt: buckets that are to be parted or put together, and that no page has asked for. */
apr_status_t tmpl_redis_visit_ask_more(tmpl_redis_visit_t *v);

/*
 * Commands (tmpl_redis_words_t) in one round trip, with replies of max_reply bytes or errors; they stay until the
 * next question. *first: where they begin.
 */
apr_status_t tmpl_redis_visit_exchange(tmpl_redis_visit_t *v, const apr_array_header_t *words,
                                       size_t max_reply, int *first);
const redisReply *tmpl_redis_visit_reply(const tmpl_redis_visit_t *v, int i);
/* The first error among the replies from one on, if there is any. */
apr_status_t tmpl_redis_visit_refusal(const tmpl_redis_visit_t *v, int first);

/* Keeps v->memory for the next visit. */
void tmpl_redis_visit_remember(const tmpl_redis_visit_t *v);

/* What was just learnt, and stands in the table, is what pages go by from now on, if any go by what is kept. */
void tmpl_redis_visit_renew(const tmpl_redis_visit_t *v);

/* Being looked at is being in use, for who has asked. Should it fail, a next page tries again. */
void tmpl_redis_visit_touch(tmpl_redis_visit_t *v);

#endif
