/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd's watchdog, a thread of each child that runs ten times a second, passes the pages that are
 * due to the store, a batch at a time, so that the queue soon has room again. The children of a
 * server take turns: LMDB has one writer at a time, and with Redis the second writer has to read
 * everything again. When a child ends, all pages that wait are learnt.
 */
#include <apr_proc_mutex.h>
#include <apr_thread_mutex.h>

#include <ap_mpm.h>
#include <util_mutex.h>

#include "learner.h"
#include "stopping.h"
#include "learn_queue.h"
#include "status/counters.h"

/* The timeout for the pages of one site. */
#define LEARN_TIMEOUT apr_time_from_sec(1)
/*
 * The time for all pages that wait when a child ends. No client waits for a graceful end. Otherwise
 * httpd sends the child a second signal after three seconds, and kills it after nine.
 */
#define END_TIMEOUT          apr_time_from_sec(1)
#define GRACEFUL_END_TIMEOUT apr_time_from_sec(5)
/* After so many failing sites in a row the store itself is assumed to fail. */
#define SITES_FAIL_MOST 2
/* How long the end of a child waits for a thread that is learning. */
#define CLOSE_TIMEOUT apr_time_from_sec(2)
/* The pause after a batch, so that another child gets its turn: the batch's time / REST_PART. */
#define REST_PART 4
#define REST_MOST apr_time_from_msec(2)
/* The interval at which a child polls for its turn. */
#define TURN_POLL apr_time_from_msec(1)

static const char mutex_type[] = "tmpl-learn";

struct tmpl_learner_t {
    tmpl_health_t *health;
    apr_proc_mutex_t *turn; /* shared by all children; NULL: it could not be created */
    /* each child has its own values of these: */
    tmpl_queue_t *queue;
    /* held while learning; outlives the child's pools, as the watchdog may still run */
    apr_thread_mutex_t *learning;
    apr_uint32_t closed; /* whether tmpl_learner_close() has run: no pages wait any more; atomic */
};

void tmpl_learner_reset(apr_pool_t *pconf)
{
    ap_mutex_register(pconf, mutex_type, NULL, APR_LOCK_DEFAULT, 0);
}

tmpl_learner_t *tmpl_learner_create(tmpl_health_t *health, int number, server_rec *s,
                                    apr_pool_t *pconf)
{
    const char *name = apr_itoa(pconf, number);
    tmpl_learner_t *learner = apr_pcalloc(pconf, sizeof(*learner));
    learner->health = health;
    /* httpd has logged the failure; without the mutex children are only slower */
    if (ap_proc_mutex_create(&learner->turn, NULL, mutex_type, name, s, pconf, 0) != APR_SUCCESS) {
        learner->turn = NULL;
    }
    return learner;
}

void tmpl_learner_open(tmpl_learner_t *learner, server_rec *s, apr_pool_t *pool)
{
    learner->queue = tmpl_queue_create(pool, s->process->pool);
    apr_thread_mutex_create(&learner->learning, APR_THREAD_MUTEX_TIMED, s->process->pool);
    if (learner->turn != NULL &&
        apr_proc_mutex_child_init(&learner->turn, apr_proc_mutex_lockfile(learner->turn), pool) !=
            APR_SUCCESS) {
        learner->turn = NULL;
    }
}

static void report_waiting(tmpl_learner_t *learner)
{
    apr_size_t bytes;
    unsigned pages = tmpl_queue_waiting(learner->queue, &bytes);
    tmpl_stores_waiting(learner->health->number, pages, bytes);
}

int tmpl_learner_put_aside(tmpl_learner_t *learner, const tmpl_observation_t *page,
                           apr_interval_time_t delay)
{
    tmpl_queue_e added = tmpl_queue_add(learner->queue, page, tmpl_clock() + delay);
    tmpl_count(TMPL_COUNTER_LATER, added == TMPL_QUEUE_ADDED);
    tmpl_count(TMPL_COUNTER_LATER_NO_ROOM, added == TMPL_QUEUE_FULL);
    report_waiting(learner);
    return added != TMPL_QUEUE_FULL;
}

/*
 * Passes pages of a site to the store. If the store has learnt them, or is full and they are lost,
 * frees them and returns 1. Otherwise returns 0, and the caller still owns the pages.
 */
static int hand_to_store(tmpl_learner_t *learner, tmpl_store_t *store, const tmpl_queued_t *taken,
                         unsigned n, tmpl_error_t *err, apr_pool_t *pool)
{
    const tmpl_observation_t **pages = apr_palloc(pool, n * sizeof(*pages));
    uint32_t counted;
    for (unsigned i = 0; i < n; i++) {
        pages[i] = taken[i].page;
    }
    err->status = tmpl_store_learn(store, pages, n, LEARN_TIMEOUT, &counted, err, pool);
    int full = APR_STATUS_IS_ENOSPC(err->status);
    tmpl_health_report_room(learner->health, err, counted > 0);
    tmpl_count(TMPL_COUNTER_LATER_RUNS, 1);
    if (full || err->status == APR_SUCCESS) {
        tmpl_count(full ? TMPL_COUNTER_LATER_FULL : TMPL_COUNTER_LATER_DONE, n);
        tmpl_queue_free(learner->queue, taken, n);
    }
    /* last: a reader that waits for this counter finds the others up to date */
    tmpl_count(TMPL_COUNTER_LEARNED, counted);
    return full || err->status == APR_SUCCESS;
}

/*
 * Puts pages back into the queue, and counts the pages that are lost by that. err is the store's
 * answer; NULL: the store was not asked. A page has no failed attempt if the store was busy, or if
 * one of the store's servers failed.
 */
static void put_back(tmpl_learner_t *learner, const tmpl_queued_t *taken, unsigned n,
                     const tmpl_error_t *err)
{
    int tried = err != NULL && err->status != TMPL_EPART && err->status != APR_EBUSY;
    tmpl_count(TMPL_COUNTER_LATER_FAILED, tmpl_queue_put_back(learner->queue, taken, n, tried));
}

/* The number of pages at the front that have the same site. */
static unsigned same_site(const tmpl_queued_t *taken, unsigned n)
{
    unsigned same = 1;
    while (same < n && strcmp(taken[same].page->site, taken[0].page->site) == 0) {
        same++;
    }
    return same;
}

/*
 * Passes pages to the store site by site: a site with which the store fails must not affect other
 * sites. Only the pages of that site have one more failed attempt. err is the error of the last
 * site that failed.
 */
static void learn_by_site(tmpl_learner_t *learner, tmpl_store_t *store, const tmpl_queued_t *taken,
                          unsigned n, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_error_t said;
    unsigned same, in_a_row = 0;
    for (; n > 0 && in_a_row < SITES_FAIL_MOST; taken += same, n -= same) {
        same = same_site(taken, n);
        if (hand_to_store(learner, store, taken, same, &said, pool)) {
            in_a_row = 0;
        }
        else {
            in_a_row += said.status != TMPL_EPART;
            *err = said;
            put_back(learner, taken, same, &said);
        }
    }
    put_back(learner, taken, n, NULL);
}

/* Learns a batch of the pages that wait; returns the store's status. */
static apr_status_t learn_some(tmpl_learner_t *learner, tmpl_store_t *store, apr_pool_t *pool)
{
    tmpl_queued_t taken[TMPL_BATCH_MOST];
    tmpl_error_t err = { APR_SUCCESS, "" };
    apr_time_t began = tmpl_clock();
    unsigned n = tmpl_queue_take(learner->queue, taken, TMPL_BATCH_MOST);
    learn_by_site(learner, store, taken, n, &err, pool);
    report_waiting(learner);
    tmpl_health_report(learner->health, TMPL_PURPOSE_LEARN, began, tmpl_clock(), &err);
    return err.status;
}

/*
 * Whether to continue after that status. A child that ends has no later time to try again, so it is
 * patient with a store that was well: if the store was busy or slow, or one of its servers failed,
 * it may take the pages soon.
 */
static int goes_on(apr_status_t said, int is_patient)
{
    int is_late = said == APR_TIMEUP || said == APR_EBUSY || said == TMPL_EPART;
    return said == APR_SUCCESS || said == TMPL_EDAMAGED || APR_STATUS_IS_ENOSPC(said) ||
           (is_patient && is_late);
}

/* Whether this process is ending; httpd waits for its watchdog. */
static int is_stopping(void)
{
    int state;
    return ap_mpm_query(AP_MPMQ_MPM_STATE, &state) != APR_SUCCESS || state == AP_MPMQ_STOPPING;
}

/*
 * Waits for this child's turn, and learns a batch; returns the store's status. The child whose turn
 * it is may wait for a store that hangs, so a child that is ending waits until end only (at_end),
 * or not at all, and learns without the turn.
 */
static apr_status_t take_turn(tmpl_learner_t *learner, tmpl_store_t *store, int at_end,
                              apr_time_t end, apr_pool_t *pool)
{
    apr_status_t locked = APR_ENOLOCK;
    while (learner->turn != NULL &&
           APR_STATUS_IS_EBUSY(locked = apr_proc_mutex_trylock(learner->turn)) &&
           (at_end ? tmpl_clock() < end : !is_stopping())) {
        apr_sleep(TURN_POLL);
    }
    apr_status_t said = learn_some(learner, store, pool);
    if (locked == APR_SUCCESS) {
        apr_proc_mutex_unlock(learner->turn);
    }
    return said;
}

/*
 * Learns the pages that are due, if the store may be used. At the end of the child (at_end) learns
 * all pages that wait, and tries at least once. The caller holds learner->learning.
 */
static void learn_waiting(tmpl_learner_t *learner, tmpl_store_t *store, int at_end,
                          apr_pool_t *pool)
{
    apr_interval_time_t most = tmpl_stopping_is_graceful() ? GRACEFUL_END_TIMEOUT : END_TIMEOUT;
    apr_time_t now = tmpl_clock(), end = at_end ? now + most : APR_INT64_MAX;
    apr_pool_t *scratch;
    int more = store != NULL; /* no page waits for a store that was never opened */
    /* in a pause after a failure the child tries only once, as the store may be back */
    int is_patient = at_end && tmpl_health_allows(learner->health, TMPL_PURPOSE_LEARN);
    apr_pool_create(&scratch, pool);
    /* tmpl_health_allows() comes last: it may allow the one trial of a failed store */
    while (more && tmpl_queue_is_due(learner->queue, at_end ? APR_INT64_MAX : now) &&
           (at_end || tmpl_health_allows(learner->health, TMPL_PURPOSE_LEARN))) {
        apr_time_t start = now;
        more = goes_on(take_turn(learner, store, at_end, end, scratch), is_patient);
        apr_pool_clear(scratch);
        now = tmpl_clock();
        more &= now < end && (at_end || !is_stopping());
        if (more) {
            apr_interval_time_t pause = (now - start) / REST_PART;
            apr_sleep(pause < REST_MOST ? pause : REST_MOST);
        }
    }
    apr_pool_destroy(scratch);
}

void tmpl_learner_turn(tmpl_learner_t *learner, tmpl_store_t *store, apr_pool_t *pool)
{
    apr_thread_mutex_lock(learner->learning);
    if (!apr_atomic_read32(&learner->closed)) {
        learn_waiting(learner, store, 0, pool);
    }
    apr_thread_mutex_unlock(learner->learning);
}

/*
 * Learns all pages that wait, and counts the lost ones. The caller holds learner->learning.
 */
static void learn_last(tmpl_learner_t *learner, tmpl_store_t *store, apr_pool_t *pool)
{
    tmpl_queued_t lost[TMPL_BATCH_MOST];
    unsigned n;
    learn_waiting(learner, store, 1, pool);
    while ((n = tmpl_queue_take(learner->queue, lost, TMPL_BATCH_MOST)) > 0) {
        tmpl_count(TMPL_COUNTER_LATER_FAILED, n);
        tmpl_queue_free(learner->queue, lost, n);
    }
}

/*
 * prefork ends a child from within a signal handler: the interrupted code never continues. That
 * code may be a request that is adding a page and holds the queue's lock, or the watchdog.
 */
int tmpl_learner_close(tmpl_learner_t *learner, tmpl_store_t *store, int interrupted,
                       apr_pool_t *pool)
{
    int locked = apr_thread_mutex_timedlock(learner->learning, CLOSE_TIMEOUT) == APR_SUCCESS;
    if (locked && !interrupted) {
        learn_last(learner, store, pool);
    }
    else {
        tmpl_count(TMPL_COUNTER_LATER_FAILED, tmpl_queue_abandon(learner->queue));
    }
    apr_atomic_set32(&learner->closed, 1);
    if (locked) {
        apr_thread_mutex_unlock(learner->learning);
    }
    return locked;
}
