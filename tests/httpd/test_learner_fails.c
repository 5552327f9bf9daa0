/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages that wait for a store that does not learn them: how often they are passed to the store, and
 * what is logged and counted.
 */
#include "child_store_fixture.h"

/* A store that fails is logged once and paused; pages are tried again, and lost in the end. */
static void pages_are_not_tried_for_ever(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);
    unsigned tries;

    (void)state;
    request(ours, "s");
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

/* If other processes write a site all the time, that is no failure, and no page is lost. */
static void who_has_no_turn_waits_for_one(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);
    unsigned i;

    (void)state;
    request(ours, "s");
    clock_now += 1000;
    learns = (tmpl_error_t){ APR_EBUSY, "others write" };
    for (i = 1; i <= 2 * TRIES_MOST; i++) {
        tick();
        assert_string_equal(log_text, "");
        assert_int_equal(handed, i);
    }
    fail_with(APR_EBUSY);
    for (i = 1; i <= 3; i++) {
        assert_string_equal(request(ours, "t"), "");
        assert_int_equal(asked, 1 + i);
    }
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 0);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILURES], 0);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 0);
    store_learns();
    tick();
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 1);
}

/* A store that replies to requests is used even if learning fails: each has its own breaker. */
static void learning_that_fails_leaves_requests_alone(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);
    unsigned i;

    (void)state;
    store_hangs();
    for (i = 0; i < 600; i++) {
        assert_null(strstr(request(ours, "s"), "[T01"));
        clock_now += APR_USEC_PER_SEC / 10;
        tick();
    }
    assert_int_equal(asked, 600);
    assert_in_range(handed, 55, 60); /* paused between the trials */
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 0);
    assert_int_equal(counters[TMPL_COUNTER_STORE_DOWN], 0);
}

/* The reverse: waiting pages are passed to the store while requests do not use it. */
static void a_store_that_does_not_answer_may_learn(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);

    (void)state;
    request(ours, "s");
    fail_with(APR_EGENERAL);
    request(ours, "s");
    tick_after(1000);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 1);
    request(ours, "s");
    assert_int_equal(asked, 2);
}

/* One site that cannot be learnt costs only its own pages. */
static void a_bad_site_takes_no_other_with_it(void **state)
{
    static const char *const sites[] = { "a", "bad", "b", "bad", "a" };
    tmpl_child_store_t *ours = start_waiting(1000);
    unsigned tries;
    size_t i;

    (void)state;
    bad_site = "bad";
    for (i = 0; i < sizeof(sites) / sizeof(sites[0]); i++) {
        request(ours, sites[i]);
    }
    tick_after(1000);
    assert_non_null(strstr(log_text, "[T017]"));
    assert_non_null(strstr(log_text, "a bad site"));
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 3);
    assert_int_equal(counters[TMPL_COUNTER_LEARNED], 3);
    assert_int_equal(ours->learner->queue->n, 2);
    for (tries = 2; tries <= TRIES_MOST; tries++) {
        assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 0);
        request(ours, "b");
        tick_after(PAUSE);
        assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 2 + tries);
    }
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 2);
    request(ours, "b");
    tick_after(PAUSE);
    assert_non_null(strstr(log_text, "[T018]"));
    assert_int_equal(ours->learner->queue->n, 0);
}

/* Each site has the full time, so that many of them are learnt in the end. */
static void many_sites_have_time_of_their_own(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);
    unsigned i;

    (void)state;
    slow = LEARN_TIMEOUT / 3;
    for (i = 0; i < 4; i++) {
        request(ours, i % 2 ? "a" : "b");
    }
    tick_after(1000);
    assert_int_equal(handed, 2);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 4);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILURES], 0);
    assert_string_equal(log_text, "");
}

/* A store that fails completely is not tried for each site; sites that were not tried wait on. */
static void a_store_that_hangs_is_not_tried_for_each_site(void **state)
{
    static const char *const sites[] = { "a", "b", "c", "d", "e", "f" };
    tmpl_child_store_t *ours = start_waiting(1000);
    unsigned round;
    size_t i;

    (void)state;
    store_hangs();
    for (i = 0; i < sizeof(sites) / sizeof(sites[0]); i++) {
        request(ours, sites[i]);
    }
    tick_after(1000);
    assert_int_equal(handed, SITES_FAIL_MOST);
    assert_int_equal(ours->learner->queue->n, 6);
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
    tmpl_child_store_t *ours = start_waiting(1000);

    (void)state;
    request(ours, "s");
    request(ours, "s");
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

/* A full store will not have room soon: its pages are not kept. */
static void a_full_store_loses_what_waits(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);

    (void)state;
    request(ours, "s");
    clock_now += 1000;
    learns = (tmpl_error_t){ APR_ENOSPC, "it is full" };
    tick();
    assert_non_null(strstr(log_text, "[T013]"));
    assert_int_equal(counters[TMPL_COUNTER_LATER_FULL], 1);
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 0);
    assert_int_equal(ours->learner->queue->n, 0);
    store_learns();
    counted = 1;
    assert_string_equal(request(ours, "s"), ""); /* has written nothing yet */
    tick_after(1000);
    assert_non_null(strstr(log_text, "[T014]"));
}

static const struct CMUnitTest tests[] = {
    TEST(pages_are_not_tried_for_ever),
    TEST(who_has_no_turn_waits_for_one),
    TEST(learning_that_fails_leaves_requests_alone),
    TEST(a_store_that_does_not_answer_may_learn),
    TEST(a_bad_site_takes_no_other_with_it),
    TEST(many_sites_have_time_of_their_own),
    TEST(a_store_that_hangs_is_not_tried_for_each_site),
    TEST(pages_are_learnt_when_the_store_is_back),
    TEST(a_full_store_loses_what_waits),
};

TAP_MAIN(tests)
