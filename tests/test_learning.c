/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that wait to be learnt: which, for how long, how they are, and what becomes of those that cannot be. */
#include <sched.h>
#include <unistd.h>

#include "link_fixture.h"

/* Without a watchdog, or with no delay, a page is learnt while its client waits. */
static void without_a_watchdog_nothing_waits(void **state)
{
    tmpl_link_t *link = start_waiting(0);

    (void)state;
    delay = 1000;
    request(link, "s");
    assert_int_equal(was_asked, TMPL_LEARNING_NOW);
    link = start_waiting(1000);
    delay = 0;
    request(link, "s");
    assert_int_equal(was_asked, TMPL_LEARNING_NOW);
    link = start_waiting(1000);
    request(link, "s");
    assert_int_equal(was_asked, TMPL_LEARNING_LATER);
    watch(AP_WATCHDOG_STATE_STOPPING, NULL, pool);
    request(link, "s");
    assert_int_equal(was_asked, TMPL_LEARNING_NOW);
}

static void what_waits_is_learnt_when_it_is_due(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    tick();
    assert_int_equal(handed, 0);
    request(link, "s");
    clock_now += 999;
    request(link, "s");
    tick();
    assert_int_equal(handed, 0);
    clock_now += 1;
    tick();
    assert_int_equal(handed, 1);
    assert_int_equal(last_n, 2); /* the second with the first */
    tick_after(1000);
    assert_int_equal(handed, 1);
    assert_int_equal(counters[TMPL_COUNTER_LATER], 2);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 2);
    assert_int_equal(counters[TMPL_COUNTER_LATER_RUNS], 1);
    assert_int_equal(counters[TMPL_COUNTER_LEARNED], 2);
}

/* A few at a time: so there is room again soon. But all that are due, and no others. */
static void a_turn_is_made_of_short_steps(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    requests(link, "s", 2 * LEARN_AT_ONCE + 1);
    clock_now += 1000;
    requests(link, "s", LEARN_AT_ONCE);
    tick();
    assert_int_equal(handed, 3);
    assert_int_equal(last_n, LEARN_AT_ONCE);
    assert_int_equal(link->learner->later->n, 1);
    assert_int_equal(counters[TMPL_COUNTER_LATER_RUNS], 3);
}

/* httpd waits for its watchdog: the turn ends when the child is to end. */
static void a_turn_ends_when_httpd_does(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    requests(link, "s", 3 * LEARN_AT_ONCE);
    clock_now += 1000;
    mpm_state = AP_MPMQ_STOPPING;
    tick();
    assert_int_equal(handed, 1);
    apr_pool_destroy(link->pool); /* which learns the others */
    assert_int_equal(handed, 3);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 3 * LEARN_AT_ONCE);
}

/* Children of a server would be in each other's way, so they take turns. */
static void children_take_turns(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    request(link, "s");
    clock_now += 1000;
    turn_of = link->learner;
    tick();
    assert_int_equal(handed, 1);
    assert_int_equal(turn_was_taken, 1);
    assert_int_equal(turn_is_taken(link->learner), 0);
}

static int others_end; /* of a pipe: closed, the other child gives up its turn */
static pid_t other;

/* Another child takes its turn. */
static void other_takes_turn(tmpl_link_t *link)
{
    int has_it[2], keeps_it[2];
    char byte = 1;

    assert_int_equal(pipe(has_it) | pipe(keeps_it), 0);
    other = fork();
    if (other == 0) {
        close(keeps_it[1]);
        byte = apr_proc_mutex_lock(link->learner->turn) == APR_SUCCESS;
        _exit(write(has_it[1], &byte, 1) != 1 || read(keeps_it[0], &byte, 1) != 0 ||
              apr_proc_mutex_unlock(link->learner->turn) != APR_SUCCESS);
    }
    assert_int_equal(read(has_it[0], &byte, 1), 1);
    assert_int_equal(byte, 1);
    close(has_it[0]);
    close(has_it[1]);
    close(keeps_it[0]);
    others_end = keeps_it[1];
}

static void other_gives_up_turn(apr_interval_time_t slept_now)
{
    int status = -1;

    (void)slept_now;
    meanwhile = NULL;
    assert_int_equal(handed, 0);
    close(others_end);
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
}

static void who_learns_waits_for_its_turn(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    request(link, "s");
    other_takes_turn(link);
    meanwhile = other_gives_up_turn;
    tick_after(1000);
    assert_int_equal(handed, 1);
    assert_int_equal(slept, TURN_POLL);
}

static void time_passes(apr_interval_time_t time)
{
    clock_now += time;
}

/* Another child's store may hang: who is to end does not wait for that. */
static void who_ends_waits_for_no_turn(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    requests(link, "s", LEARN_AT_ONCE + 1);
    other_takes_turn(link);
    meanwhile = time_passes;
    mpm_state = AP_MPMQ_STOPPING;
    alarm(20); /* which ends a test that waits for ever */
    tick_after(1000);
    assert_int_equal(handed, 1);
    assert_int_equal(slept, 0);
    apr_pool_destroy(link->pool);
    alarm(0);
    assert_int_equal(handed, 2);
    assert_int_equal(slept, LEARN_TIMEOUT);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], LEARN_AT_ONCE + 1);
    handed = 0;
    other_gives_up_turn(0);
}

/* A site's pages stand together, as they do in a store; the oldest page's come first. */
static void pages_are_handed_over_by_site(void **state)
{
    tmpl_link_t *link = start_waiting(1000);
    unsigned i;

    (void)state;
    for (i = 0; i < 6; i++) {
        requests(link, "b", 1);
        requests(link, "a", 1);
    }
    requests(link, "b", LEARN_AT_ONCE - 12);
    requests(link, "a", 1);
    tick_after(1000);
    assert_int_equal(handed, 2);
    assert_int_equal(last_n, 1);
    assert_int_equal(last_sites[0], 'a');
    assert_int_equal(last_sites[1], 'b');
    assert_int_equal(last_sites[LEARN_AT_ONCE - 7], 'b');
    assert_int_equal(last_sites[LEARN_AT_ONCE - 6], 'a');
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], LEARN_AT_ONCE + 1);
}

static void fill(tmpl_link_t *link)
{
    requests(link, "s", PAGES_MOST - link->learner->later->n);
    assert_int_equal(link->learner->later->n, PAGES_MOST);
}

static unsigned who_waits_for_room(tmpl_link_t *link)
{
    unsigned n;

    apr_thread_mutex_lock(link->learner->later->lock);
    n = link->learner->later->waiting;
    apr_thread_mutex_unlock(link->learner->later->lock);
    return n;
}

static void *APR_THREAD_FUNC ask_in_a_thread(apr_thread_t *thread, void *link)
{
    (void)thread;
    ask(link, "s");
    return NULL;
}

/* Who finds no room waits until some pages are learnt, which they are at the watchdog's next turn, due or not. */
static void who_finds_no_room_waits_for_it(void **state)
{
    enum { LEFT = PAGES_MOST / 2 - LEARN_AT_ONCE };
    tmpl_link_t *link = start_waiting(1000);
    apr_status_t rv;
    apr_thread_t *thread;

    (void)state;
    fill(link);
    request(link, "s"); /* in vain, for a microsecond */
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 1);
    tick();
    assert_int_equal(link->learner->later->n, LEFT);
    fill(link);
    room = apr_time_from_sec(60);
    alarm(20); /* which ends a test that waits for ever */
    apr_thread_create(&thread, NULL, ask_in_a_thread, link, pool);
    while (who_waits_for_room(link) == 0) {
        apr_thread_yield();
    }
    tick();
    apr_thread_join(&rv, thread);
    alarm(0);
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 1);
    assert_int_equal(counters[TMPL_COUNTER_LATER], 2 * PAGES_MOST - LEFT + 1);
    assert_int_equal(link->learner->later->n, LEFT + 1);
}

/* n pages are taken, as if to learn them. */
static void take(tmpl_link_t *link, unsigned n)
{
    tmpl_waiting_t taken[TMPL_BATCH_MOST];

    assert_int_equal(tmpl_later_take(link->learner->later, taken, n), n);
    tmpl_later_free(taken, n);
}

static apr_interval_time_t slept_for(tmpl_link_t *link)
{
    slept = 0;
    request(link, "s");
    return slept;
}

/* With so little room that each is to come as fast as one is learnt, in 1 ms: each waits for those before it. */
static tmpl_link_t *start_slowed(void)
{
    enum { HALFWAY = PAGES_MOST / FILLED_PARTS * (FILLED_SLOWED + FILLED_PARTS) / 2 };
    tmpl_link_t *link = start_waiting(1000);

    requests(link, "s", HALFWAY + 20);
    take(link, 10);
    clock_now += 10 * 1000;
    take(link, 10);
    room = apr_time_from_sec(60);
    return link;
}

static void requests_are_as_fast_as_learning(void **state)
{
    tmpl_link_t *link = start_slowed();

    (void)state;
    assert_int_equal(slept_for(link), 1000);
    assert_int_equal(slept_for(link), 2000);
    clock_now += 1500;
    assert_int_equal(slept_for(link), 1500);
    clock_now += apr_time_from_sec(1);
    assert_int_equal(slept_for(link), 1000);
    pages_come_again = 1;
    assert_int_equal(slept_for(link), 0);
    pages_come_again = 0;
    room = 500;
    assert_int_equal(slept_for(link), 500); /* as long as may be */
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 0);
}

/* A store that was slow for once is not paid for when it is quick again: nobody waits longer than he may. */
static void no_debt_is_left(void **state)
{
    tmpl_link_t *link = start_slowed();
    int i;

    (void)state;
    room = 3000;
    for (i = 0; i < 20; i++) {
        slept_for(link);
    }
    assert_int_equal(slept, 3000);
    clock_now += 3000;
    assert_in_range(slept_for(link), 1000, 2000);
}

/* The nearer the end of the room, the more. */
static void the_less_room_the_slower(void **state)
{
    tmpl_link_t *link = start_slowed();
    unsigned most = 0, i;

    (void)state;
    for (i = link->learner->later->n; i < PAGES_MOST; i++) {
        clock_now += apr_time_from_sec(1);
        assert_in_range(slept_for(link), most, 2000);
        most = (unsigned)slept;
    }
    assert_in_range(most, 1900, 2000);
}

static void who_has_room_is_not_slowed_down(void **state)
{
    tmpl_link_t *link = start_slowed();

    (void)state;
    take(link, TMPL_BATCH_MOST);
    clock_now += 1000;
    take(link, TMPL_BATCH_MOST);
    assert_int_equal(slept_for(link), 0);
}

/* What was learnt at leisure tells no pace. */
static void leisure_is_no_pace(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    requests(link, "s", 20);
    take(link, 10);
    clock_now += apr_time_from_sec(1);
    take(link, 10);
    requests(link, "s", PAGES_MOST);
    assert_int_equal(slept, 0);
}

/* Nobody waits for a store that does not learn. */
static void who_waits_in_vain_is_not_slowed_down(void **state)
{
    tmpl_link_t *link = start_slowed();

    (void)state;
    store_hangs();
    clock_now += apr_time_from_sec(1);
    tick();
    assert_int_equal(slept_for(link), 0);
}

/* Where no room is to be expected, nobody waits for it: such pages are lost, and counted. */
static void who_finds_no_room_does_not_wait_for_nothing(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    fill(link);
    assert_int_equal(store_said, APR_SUCCESS);
    assert_string_equal(request(link, "s"), ""); /* the watchdog does not come */
    assert_int_equal(store_said, APR_ENOSPC);    /* not to be said or kept as learnt */
    room = apr_time_from_sec(60);
    alarm(20); /* which ends a test that waits for that long */
    requests(link, "s", 2);
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 3);
    store_hangs();
    tick();
    requests(link, "s", 2);
    alarm(0);
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 5);
    assert_int_equal(asked, PAGES_MOST + 5);
    assert_int_equal(link->learner->later->n, PAGES_MOST);
}

/* A page that comes again before it is learnt waits once. */
static void the_same_page_waits_once(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    request(link, "s");
    pages_come_again = 1;
    request(link, "s");
    assert_int_equal(link->learner->later->n, 1);
    request(link, "t"); /* of another site */
    assert_int_equal(link->learner->later->n, 2);
    document.text++; /* or with another text, which is as its address from the next one on */
    assert_int_equal(tmpl_later_add(link->learner->later, &a_page, 0, 0), TMPL_LATER_ADDED);
    assert_int_equal(link->learner->later->n, 3);
    assert_int_equal(counters[TMPL_COUNTER_LATER], 2);
    assert_int_equal(handed, 0);
}

/* It does not when others have been taken, either. */
static void pages_are_known_that_stay(void **state)
{
    tmpl_link_t *link = start_waiting(1000);
    tmpl_waiting_t taken[LEARN_AT_ONCE];

    (void)state;
    requests(link, "s", LEARN_AT_ONCE + 1);
    assert_int_equal(tmpl_later_take(link->learner->later, taken, LEARN_AT_ONCE), LEARN_AT_ONCE);
    pages_come_again = 1;
    request(link, "s");
    assert_int_equal(link->learner->later->n, 1);
    document = taken[0].document;
    request(link, "s");
    assert_int_equal(link->learner->later->n, 2);
    tmpl_later_free(taken, LEARN_AT_ONCE);
}

/* Pages are bounded in bytes, too: a large one waits alone. */
static void a_page_that_is_too_large_waits_alone(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    a_page.n = (uint32_t)(BYTES_MOST / sizeof(tmpl_key_t));
    a_page.keys = apr_pcalloc(pool, a_page.n * sizeof(tmpl_key_t));
    requests(link, "s", 2);
    assert_int_equal(link->learner->later->n, 1);
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 1);
    tick();
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 1);
    a_page.n = a_page.n * 2 / 5;
    requests(link, "s", 2); /* no room for three of these */
    assert_int_equal(link->learner->later->n, 2);
    request(link, "s");
    assert_int_equal(link->learner->later->n, 2);
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 2);
    tick(); /* and they are learnt early */
    assert_int_equal(link->learner->later->size, 0);
    assert_int_equal(link->learner->later->n, 0);
}

/* A store that fails is told of once and left alone; pages are tried again, and given up in the end. */
static void pages_are_not_tried_for_ever(void **state)
{
    tmpl_link_t *link = start_waiting(1000);
    unsigned tries;

    (void)state;
    request(link, "s");
    clock_now += 1000;
    store_hangs();
    tick();
    assert_non_null(strstr(log_text, "[T017] store " URI " does not learn"));
    assert_non_null(strstr(log_text, "it hangs"));
    tick();
    assert_int_equal(handed, 1);
    for (tries = 2; tries <= TRIES_MOST; tries++) {
        assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 0);
        tick_after(PAUSE);
        assert_string_equal(log_text, "");
        assert_int_equal(handed, tries);
    }
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 1);
    tick_after(PAUSE);
    assert_int_equal(handed, TRIES_MOST);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILURES], TRIES_MOST);
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 0);
}

/* Where others write a site so often that there is no turn, nobody fails, and nothing is given up. */
static void who_has_no_turn_waits_for_one(void **state)
{
    tmpl_link_t *link = start_waiting(1000);
    unsigned i;

    (void)state;
    request(link, "s");
    clock_now += 1000;
    learns = (tmpl_error_t){ APR_EBUSY, "others write" };
    for (i = 1; i <= 2 * TRIES_MOST; i++) {
        tick();
        assert_string_equal(log_text, "");
        assert_int_equal(handed, i);
    }
    fail_with(APR_EBUSY);
    for (i = 1; i <= 3; i++) {
        assert_string_equal(request(link, "t"), "");
        assert_int_equal(asked, 1 + i);
    }
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 0);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILURES], 0);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 0);
    store_learns();
    tick();
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 1);
}

/* A store that answers is asked, whatever becomes of learning: neither is the other's trial, or its end. */
static void learning_that_fails_leaves_requests_alone(void **state)
{
    tmpl_link_t *link = start_waiting(1000);
    unsigned i;

    (void)state;
    store_hangs();
    for (i = 0; i < 600; i++) {
        assert_null(strstr(request(link, "s"), "[T01"));
        clock_now += APR_USEC_PER_SEC / 10;
        tick();
    }
    assert_int_equal(asked, 600);
    assert_in_range(handed, 55, 60); /* it is left alone between its trials */
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 0);
    assert_int_equal(counters[TMPL_COUNTER_STORE_DOWN], 0);
}

/* The other way round: what waits is handed over while requests leave the store alone. */
static void a_store_that_does_not_answer_may_learn(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    request(link, "s");
    fail_with(APR_TIMEUP);
    request(link, "s");
    tick_after(1000);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 1);
    request(link, "s");
    assert_int_equal(asked, 2);
}

/* One site that cannot be learnt costs only its own pages. */
static void a_bad_site_takes_no_other_with_it(void **state)
{
    static const char *const sites[] = { "a", "bad", "b", "bad", "a" };
    tmpl_link_t *link = start_waiting(1000);
    unsigned tries;
    size_t i;

    (void)state;
    bad_site = "bad";
    for (i = 0; i < sizeof(sites) / sizeof(sites[0]); i++) {
        request(link, sites[i]);
    }
    tick_after(1000);
    assert_non_null(strstr(log_text, "[T017]"));
    assert_non_null(strstr(log_text, "a bad site"));
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 3);
    assert_int_equal(counters[TMPL_COUNTER_LEARNED], 3);
    assert_int_equal(link->learner->later->n, 2);
    for (tries = 2; tries <= TRIES_MOST; tries++) {
        assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 0);
        request(link, "b");
        tick_after(PAUSE);
        assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 2 + tries);
    }
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 2);
    request(link, "b");
    tick_after(PAUSE);
    assert_non_null(strstr(log_text, "[T018]"));
    assert_int_equal(link->learner->later->n, 0);
}

/* Each site has the whole time, so that many of them are learnt in the end. */
static void many_sites_have_time_of_their_own(void **state)
{
    tmpl_link_t *link = start_waiting(1000);
    unsigned i;

    (void)state;
    slow = LEARN_TIMEOUT / 3;
    for (i = 0; i < 4; i++) {
        request(link, i % 2 ? "a" : "b");
    }
    tick_after(1000);
    assert_int_equal(handed, 3);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 4);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILURES], 0);
    assert_string_equal(log_text, "");
}

/* A store that fails altogether is not asked once for each site; who was not tried waits on. */
static void a_store_that_hangs_is_not_tried_for_each_site(void **state)
{
    static const char *const sites[] = { "a", "b", "c", "d", "e", "f" };
    tmpl_link_t *link = start_waiting(1000);
    unsigned round;
    size_t i;

    (void)state;
    store_hangs();
    for (i = 0; i < sizeof(sites) / sizeof(sites[0]); i++) {
        request(link, sites[i]);
    }
    tick_after(1000);
    assert_int_equal(handed, 1 + SITES_FAIL_MOST);
    assert_int_equal(link->learner->later->n, 6);
    for (round = 1; round < TRIES_MOST; round++) {
        tick_after(PAUSE);
    }
    store_learns();
    tick_after(PAUSE);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE] + counters[TMPL_COUNTER_LATER_FAILED], 6);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], SITES_FAIL_MOST);
}

static void pages_are_learnt_when_the_store_is_back(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    request(link, "s");
    request(link, "s");
    clock_now += 1000;
    store_hangs();
    tick();
    store_learns();
    tick_after(PAUSE);
    assert_non_null(strstr(log_text, "[T018]"));
    assert_int_equal(last_n, 2);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 2);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 0);
}

/* A full store takes nothing soon: its pages are not kept. */
static void a_full_store_loses_what_waits(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    request(link, "s");
    clock_now += 1000;
    learns = (tmpl_error_t){ APR_ENOSPC, "it is full" };
    tick();
    assert_non_null(strstr(log_text, "[T013]"));
    assert_int_equal(counters[TMPL_COUNTER_LATER_FULL], 1);
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 0);
    assert_int_equal(link->learner->later->n, 0);
    store_learns();
    counted = 1;
    assert_string_equal(request(link, "s"), ""); /* has written nothing yet */
    tick_after(1000);
    assert_non_null(strstr(log_text, "[T014]"));
}

/* At the end of a child all that waits is learnt, due or not; what cannot be is counted. */
static void the_end_of_a_child_learns_what_waits(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    request(link, "s");
    apr_pool_destroy(link->pool);
    assert_int_equal(handed, 1);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 1);
    tick(); /* the watchdog's thread may end later than the stores */
    assert_int_equal(handed, 1);

    link = start_waiting(1000);
    request(link, "s");
    store_hangs();
    apr_pool_destroy(link->pool);
    assert_int_equal(handed, 1);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 1);
}

/* Waits for room that never comes. */
static void *APR_THREAD_FUNC wait_in_vain(apr_thread_t *thread, void *data)
{
    tmpl_document_t another = { .id = 1u << 20, .text = 1u << 20 };
    tmpl_observation_t page = a_page;

    page.document = &another;
    tmpl_later_add(data, &page, 0, apr_time_from_sec(60));
    apr_thread_exit(thread, APR_SUCCESS);
    return NULL;
}

/* So ends a child in which somebody waits for room: prefork's handler of SIGTERM never comes back to who waits. */
static void end_while_one_waits(tmpl_link_t *link)
{
    tmpl_later_t *later = link->learner->later;
    apr_thread_t *thread;
    unsigned waiting = 0;

    alarm(20); /* where it is waited for */
    apr_thread_create(&thread, NULL, wait_in_vain, later, pool);
    while (waiting == 0) {
        apr_thread_mutex_lock(later->lock);
        waiting = later->waiting;
        apr_thread_mutex_unlock(later->lock);
        sched_yield();
    }
    apr_atomic_set32(&inside, 1);
    apr_pool_destroy(link->pool);
    _exit(0);
}

static void a_child_may_end_while_one_waits_for_room(void **state)
{
    tmpl_link_t *link = start_waiting(1000);
    pid_t pid;
    int status = -1;

    (void)state;
    requests(link, "s", PAGES_MOST);
    pid = fork();
    if (pid == 0) {
        end_while_one_waits(link);
    }
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    apr_pool_destroy(link->pool);
}

static jmp_buf process_end;
static tmpl_link_t *ending;
static tmpl_observation_t *left[2]; /* what waited: the process that ends leaves it to the system */

/* As prefork's handler of SIGTERM: what it interrupts holds its lock and never goes on. */
static void process_ends(void)
{
    apr_thread_mutex_lock(ending->learner->later->lock);
    left[0] = ending->learner->later->pages[0].page;
    left[1] = ending->learner->later->pages[1].page;
    apr_pool_destroy(ending->pool);
    longjmp(process_end, 1);
}

/* A child that ends in the midst of a request ends: it waits for no lock, and counts what it loses. */
static void a_child_may_end_within_a_request(void **state)
{
    (void)state;
    ending = start_waiting(1000);
    request(ending, "s");
    request(ending, "s");
    within = process_ends;
    alarm(20); /* which ends a test that waits for ever */
    if (setjmp(process_end) == 0) {
        request(ending, "s");
        fail_msg("it went on");
    }
    alarm(0);
    assert_int_equal(handed, 0);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 2);
    tick(); /* nor does the watchdog touch what has gone */
    assert_int_equal(handed, 0);
    free(left[0]);
    free(left[1]);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(without_a_watchdog_nothing_waits),
        TEST(what_waits_is_learnt_when_it_is_due),
        TEST(a_turn_is_made_of_short_steps),
        TEST(a_turn_ends_when_httpd_does),
        TEST(children_take_turns),
        TEST(who_learns_waits_for_its_turn),
        TEST(who_ends_waits_for_no_turn),
        TEST(pages_are_handed_over_by_site),
        TEST(who_finds_no_room_waits_for_it),
        TEST(requests_are_as_fast_as_learning),
        TEST(no_debt_is_left),
        TEST(the_less_room_the_slower),
        TEST(who_has_room_is_not_slowed_down),
        TEST(leisure_is_no_pace),
        TEST(who_waits_in_vain_is_not_slowed_down),
        TEST(who_finds_no_room_does_not_wait_for_nothing),
        TEST(the_same_page_waits_once),
        TEST(pages_are_known_that_stay),
        TEST(a_page_that_is_too_large_waits_alone),
        TEST(pages_are_not_tried_for_ever),
        TEST(who_has_no_turn_waits_for_one),
        TEST(learning_that_fails_leaves_requests_alone),
        TEST(a_store_that_does_not_answer_may_learn),
        TEST(a_bad_site_takes_no_other_with_it),
        TEST(many_sites_have_time_of_their_own),
        TEST(a_store_that_hangs_is_not_tried_for_each_site),
        TEST(pages_are_learnt_when_the_store_is_back),
        TEST(a_full_store_loses_what_waits),
        TEST(the_end_of_a_child_learns_what_waits),
        TEST(a_child_may_end_while_one_waits_for_room),
        TEST(a_child_may_end_within_a_request),
    };

    apr_initialize();
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
