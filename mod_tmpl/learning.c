/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages that wait are handed to their store by httpd's watchdog, a thread of each child that looks ten times a
 * second: those that are due, a few at a time, so that there is room again soon. The children of a server take
 * turns: LMDB has one writer at a time, and with Redis who writes second has to read all again. What is there
 * when a child ends is handed over then.
 */
#include <apr_proc_mutex.h>
#include <apr_thread_mutex.h>

#include <ap_mpm.h>
#include <util_mutex.h>

#include "mod_tmpl.h"

/* How long the store may take for them, or for one site's. */
#define LEARN_TIMEOUT apr_time_from_sec(1)
/*
 * How long what waits may take in all at the end of a child. For one that ends gracefully nobody waits; one that does not
 * end otherwise is told so again after three seconds, and killed after nine.
 */
#define END_TIMEOUT          apr_time_from_sec(1)
#define GRACEFUL_END_TIMEOUT apr_time_from_sec(5)
/* After so many sites in a row that failed it is the store that fails: the others need not be tried. */
#define SITES_FAIL_MOST 2
/* How long the end of a child waits for whoever is just learning. */
#define CLOSE_TIMEOUT apr_time_from_sec(2)
/* The rest after a step, so that another child gets its turn: a part of what it took. */
#define REST_PART 4
#define REST_MOST apr_time_from_msec(2)
/* How often it looks whether that is now. */
#define TURN_POLL apr_time_from_msec(1)

static const char mutex_type[] = "tmpl-learn";

struct tmpl_learner_t {
    tmpl_health_t *health;
    apr_proc_mutex_t *turn; /* of all children; NULL: it could not be made */
    /* of the child: */
    tmpl_later_t *later;
    /* by who learns what waits; it stays when the child's pools go: the watchdog may still come */
    apr_thread_mutex_t *learning;
    apr_uint32_t closed; /* nothing waits any more; atomic */
};

void tmpl_learning_reset(apr_pool_t *pconf)
{
    ap_mutex_register(pconf, mutex_type, NULL, APR_LOCK_DEFAULT, 0);
}

tmpl_learner_t *tmpl_learner_create(tmpl_health_t *health, int number, server_rec *s,
                                    apr_pool_t *pconf)
{
    const char *name = apr_itoa(pconf, number);
    tmpl_learner_t *learner = apr_pcalloc(pconf, sizeof(*learner));

    learner->health = health;
    /* without it, of which httpd has told, children are in each other's way, and no more than that */
    if (ap_proc_mutex_create(&learner->turn, NULL, mutex_type, name, s, pconf, 0) != APR_SUCCESS) {
        learner->turn = NULL;
    }
    return learner;
}

void tmpl_learner_open(tmpl_learner_t *learner, server_rec *s, apr_pool_t *pool)
{
    learner->later = tmpl_later_create(pool, s->process->pool);
    apr_thread_mutex_create(&learner->learning, APR_THREAD_MUTEX_TIMED, s->process->pool);
    if (learner->turn != NULL &&
        apr_proc_mutex_child_init(&learner->turn, apr_proc_mutex_lockfile(learner->turn), pool) !=
            APR_SUCCESS) {
        learner->turn = NULL;
    }
}

int tmpl_learner_put_aside(tmpl_learner_t *learner, const tmpl_observation_t *page,
                           apr_interval_time_t delay, apr_interval_time_t timeout)
{
    tmpl_later_e added = tmpl_later_add(learner->later, page, tmpl_clock() + delay, timeout);

    tmpl_count(TMPL_COUNTER_LATER, added == TMPL_LATER_ADDED);
    tmpl_count(TMPL_COUNTER_LATER_NO_ROOM, added == TMPL_LATER_FULL);
    return added != TMPL_LATER_FULL;
}

/* Hands pages that have waited to the store. What it fails to learn, as err says, is left to the caller. */
static int hand_over(tmpl_learner_t *learner, tmpl_store_t *store, const tmpl_waiting_t *taken,
                     unsigned n, tmpl_error_t *err, apr_pool_t *pool)
{
    const tmpl_observation_t **pages = apr_palloc(pool, n * sizeof(*pages));
    uint32_t counted;
    unsigned i;
    int full;

    for (i = 0; i < n; i++) {
        pages[i] = taken[i].page;
    }
    err->status = tmpl_store_learn(store, pages, n, LEARN_TIMEOUT, &counted, err, pool);
    full = APR_STATUS_IS_ENOSPC(err->status);
    tmpl_health_report_room(learner->health, err, counted > 0, NULL, pool);
    tmpl_count(TMPL_COUNTER_LATER_RUNS, 1);
    if (full || err->status == APR_SUCCESS) {
        tmpl_count(full ? TMPL_COUNTER_LATER_FULL : TMPL_COUNTER_LATER_DONE, n);
        tmpl_later_free(taken, n);
    }
    tmpl_count(TMPL_COUNTER_LEARNED, counted); /* last: who waits for it finds the others */
    return full || err->status == APR_SUCCESS;
}

/* Puts back what the store failed to learn. */
static void put_back(tmpl_learner_t *learner, const tmpl_waiting_t *taken, unsigned n, int tried)
{
    tmpl_count(TMPL_COUNTER_LATER_FAILED, tmpl_later_put_back(learner->later, taken, n, tried));
}

/* How many of the first stand together, as pages of a site do. */
static unsigned same_site(const tmpl_waiting_t *taken, unsigned n)
{
    unsigned same = 1;

    while (same < n && strcmp(taken[same].page->site, taken[0].page->site) == 0) {
        same++;
    }
    return same;
}

/*
 * The same site by site: one that the store fails must not take the others with it. Only its pages come nearer to
 * being given up. err: of the last of those that fail.
 */
static void learn_by_site(tmpl_learner_t *learner, tmpl_store_t *store, const tmpl_waiting_t *taken,
                          unsigned n, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_error_t said = { APR_SUCCESS, "" };
    unsigned same, in_a_row = 0;

    *err = said;
    for (; n > 0 && in_a_row < SITES_FAIL_MOST; taken += same, n -= same) {
        same = same_site(taken, n);
        if (hand_over(learner, store, taken, same, &said, pool)) {
            in_a_row = 0;
        }
        else {
            in_a_row++;
            *err = said;
            put_back(learner, taken, same, !tmpl_health_had_no_turn(&said));
        }
    }
    put_back(learner, taken, n, 0);
}

/* Has some of what waits learnt; what the store has said. */
static apr_status_t learn_some(tmpl_learner_t *learner, tmpl_store_t *store, apr_pool_t *pool)
{
    tmpl_waiting_t taken[TMPL_BATCH_MOST];
    tmpl_error_t err = { APR_SUCCESS, "" };
    unsigned n = tmpl_later_take(learner->later, taken, TMPL_BATCH_MOST);

    if (n > 0 && !hand_over(learner, store, taken, n, &err, pool)) {
        if (same_site(taken, n) == n) {
            put_back(learner, taken, n, !tmpl_health_had_no_turn(&err));
        }
        else {
            learn_by_site(learner, store, taken, n, &err, pool);
        }
    }
    tmpl_health_report(learner->health, TMPL_PURPOSE_LEARN, &err, NULL, pool);
    return err.status;
}

/* Whether others had the store all the time, or it was slow: it may take what waits in a moment. */
static int is_late(apr_status_t said)
{
    return said == APR_TIMEUP || said == APR_EBUSY;
}

/* Whether that is no reason to stop. There is no later for a child that ends. */
static int goes_on(apr_status_t said, int at_end)
{
    return said == APR_SUCCESS || APR_STATUS_IS_ENOSPC(said) || (at_end && is_late(said));
}

/* Whether this process is to end: its watchdog is waited for. */
static int is_stopping(void)
{
    int state;

    return ap_mpm_query(AP_MPMQ_MPM_STATE, &state) != APR_SUCCESS || state == AP_MPMQ_STOPPING;
}

/*
 * Waits for this child's turn; 0: there is none. Others may have a store that hangs, so it is not waited for when the
 * child is to end, and then not past that time.
 */
static int wait_for_turn(tmpl_learner_t *learner, int at_end, apr_time_t end)
{
    apr_status_t rv;

    if (learner->turn == NULL) {
        return 0;
    }
    while ((rv = apr_proc_mutex_trylock(learner->turn)) != APR_SUCCESS && APR_STATUS_IS_EBUSY(rv) &&
           (at_end ? tmpl_clock() < end : !is_stopping())) {
        apr_sleep(TURN_POLL);
    }
    return rv == APR_SUCCESS;
}

/* Has some of what waits learnt when it is this child's turn, or none will come; what the store has said. */
static apr_status_t take_turn(tmpl_learner_t *learner, tmpl_store_t *store, int at_end,
                              apr_time_t end, apr_pool_t *pool)
{
    int locked = wait_for_turn(learner, at_end, end);
    apr_status_t said = learn_some(learner, store, pool);

    if (locked) {
        apr_proc_mutex_unlock(learner->turn);
    }
    return said;
}

static void rest(apr_interval_time_t worked)
{
    apr_interval_time_t pause = worked / REST_PART;

    if (pause > 0) {
        apr_sleep(pause < REST_MOST ? pause : REST_MOST);
    }
}

static apr_interval_time_t end_timeout(void)
{
    return tmpl_ending_is_graceful() ? GRACEFUL_END_TIMEOUT : END_TIMEOUT;
}

/* Has what is due learnt, or at the end all that waits, if the store may be asked; by who holds learner->learning. */
static void learn_waiting(tmpl_learner_t *learner, tmpl_store_t *store, int at_end,
                          apr_pool_t *pool)
{
    apr_time_t now = tmpl_clock(), end = at_end ? now + end_timeout() : APR_INT64_MAX;
    apr_pool_t *scratch;
    int more = store != NULL; /* nothing waits for a store that was never opened */
    apr_status_t said = APR_SUCCESS;

    apr_pool_create(&scratch, pool);
    /* a trial of a store that failed must be used, so that is asked last */
    while (more && tmpl_later_is_due(learner->later, at_end ? APR_INT64_MAX : now) &&
           (is_late(said) || tmpl_health_allows(learner->health, TMPL_PURPOSE_LEARN))) {
        apr_time_t start = now;

        said = take_turn(learner, store, at_end, end, scratch);
        more = goes_on(said, at_end);
        apr_pool_clear(scratch);
        now = tmpl_clock();
        more &= now < end && (at_end || !is_stopping());
        if (more) {
            rest(now - start);
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

/* Learns what waits, and counts what cannot be; by who holds learner->learning. */
static void learn_last(tmpl_learner_t *learner, tmpl_store_t *store, apr_pool_t *pool)
{
    tmpl_waiting_t lost[TMPL_BATCH_MOST];
    unsigned n;

    learn_waiting(learner, store, 1, pool);
    while ((n = tmpl_later_take(learner->later, lost, TMPL_BATCH_MOST)) > 0) {
        tmpl_count(TMPL_COUNTER_LATER_FAILED, n);
        tmpl_later_free(lost, n);
    }
}

/*
 * prefork ends a child from within a signal's handler: whom that interrupts never goes on. It may be a request
 * that is just putting a page aside, and holds a lock, or the watchdog.
 */
void tmpl_learner_close(tmpl_learner_t *learner, tmpl_store_t *store, int interrupted,
                        apr_pool_t *pool)
{
    int locked = apr_thread_mutex_timedlock(learner->learning, CLOSE_TIMEOUT) == APR_SUCCESS;

    if (locked && !interrupted) {
        learn_last(learner, store, pool);
    }
    else {
        tmpl_count(TMPL_COUNTER_LATER_FAILED, tmpl_later_abandon(learner->later));
    }
    apr_atomic_set32(&learner->closed, 1);
    if (locked) {
        apr_thread_mutex_unlock(learner->learning);
    }
}
