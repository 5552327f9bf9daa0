/* SPDX-License-Identifier: Apache-2.0 */
/* The stores of a child: when a request uses one, when it does not, and what is logged. */
#include "child_store_fixture.h"

/*
 * After any error but a late answer, also APR_EINVAL, a store is not used for a second, and the log
 * has one line.
 */
static void a_store_that_fails_is_left_alone(void **state)
{
    static const apr_status_t failures[] = { APR_EINVAL, APR_EGENERAL, ECONNREFUSED };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
        tmpl_child_store_t *ours = start(APR_SUCCESS);

        fail_with(failures[i]);
        assert_non_null(strstr(request(ours, "s"), "[T011] store " URI " fails"));
        assert_non_null(strstr(log_text, "it fails"));
        clock_now += PAUSE - 1;
        assert_string_equal(request(ours, "s"), "");
        assert_int_equal(asked, 1);
        clock_now += 1;
        assert_string_equal(request(ours, "s"), "");
        assert_int_equal(asked, 2);
        assert_string_equal(request(ours, "s"), "");
        assert_int_equal(asked, 2);
        assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 2);
        assert_int_equal(counters[TMPL_COUNTER_STORE_DOWN], 1);
        clock_now += PAUSE;
        answer = (tmpl_error_t){ APR_SUCCESS, "" };
        assert_non_null(strstr(request(ours, "s"), "[T012]"));
        assert_string_equal(request(ours, "s"), "");
        assert_int_equal(asked, 4);
        assert_int_equal(counters[TMPL_COUNTER_STORE_UP], 1);
    }
}

/* A healthy server is late now and then: only the third late answer of eight opens the breaker. */
static void a_late_answer_is_no_outage(void **state)
{
    tmpl_child_store_t *ours = start(APR_SUCCESS);

    (void)state;
    for (int i = 0; i < 20; i++) {
        answer = (tmpl_error_t){ APR_SUCCESS, "" };
        if (i % 4 == 0) {
            fail_with(APR_TIMEUP);
        }
        assert_string_equal(request(ours, "s"), "");
        clock_now += 1;
    }
    assert_int_equal(asked, 20);
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 5);
    assert_int_equal(counters[TMPL_COUNTER_STORE_DOWN], 0);
    fail_with(APR_TIMEUP);
    assert_string_equal(request(ours, "s"), "");
    clock_now += 1;
    assert_non_null(strstr(request(ours, "s"), "[T011] store " URI " fails"));
    assert_string_equal(request(ours, "s"), "");
    assert_int_equal(asked, 22);
    assert_int_equal(counters[TMPL_COUNTER_STORE_DOWN], 1);
}

static void a_store_that_does_not_open_is_tried_again(void **state)
{
    tmpl_child_store_t *ours = start(APR_EGENERAL);

    (void)state;
    assert_non_null(
        strstr(log_text, "[T011] store " URI " fails, pages are not counted: no such store"));
    assert_string_equal(request(ours, "s"), "");
    clock_now += PAUSE;
    assert_string_equal(request(ours, "s"), ""); /* still failing: no new line */
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 1);
    clock_now += PAUSE;
    opens = APR_SUCCESS;
    assert_non_null(strstr(request(ours, "s"), "[T012]"));
    assert_int_equal(asked, 1);
}

/* A request that does not use the store must not be the one that may try it. */
static void only_who_asks_is_a_trial(void **state)
{
    tmpl_child_store_t *ours = start(APR_SUCCESS);
    char site[TMPL_SITE_MAX + 2];

    (void)state;
    memset(site, 's', sizeof(site) - 1);
    site[sizeof(site) - 1] = '\0';
    fail_with(APR_EGENERAL);
    request(ours, "s");
    clock_now += PAUSE;
    understood = 0;
    request(ours, "s");
    understood = 1;
    request(ours, site);
    request(ours, "");
    assert_int_equal(asked, 1);
    request(ours, "s");
    assert_int_equal(asked, 2);
}

/* A client can influence the site's key: at most one line in the log a second, and no failure. */
static void bad_names_of_sites_do_not_fill_the_log(void **state)
{
    tmpl_child_store_t *ours = start(APR_SUCCESS);
    char site[TMPL_SITE_MAX + 2];
    unsigned lines = 0;
    int i;

    (void)state;
    memset(site, 's', sizeof(site) - 1);
    site[sizeof(site) - 1] = '\0';
    for (i = 0; i < 100; i++) {
        lines += strstr(request(ours, site), "[T015]") != NULL;
        clock_now += APR_USEC_PER_SEC / 100;
    }
    assert_int_equal(lines, 1);
    assert_non_null(strstr(request(ours, ""), "[T015] a site's name of 0 bytes"));
    assert_int_equal(asked, 0);
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 0);
    site[TMPL_SITE_MAX] = '\0';
    assert_string_equal(request(ours, site), "");
    assert_int_equal(asked, 1);
}

/* A full store replies, so it is used; one line in the log until something new could be stored. */
static void a_full_store_is_told_of_once(void **state)
{
    tmpl_child_store_t *ours = start(APR_SUCCESS);

    (void)state;
    fail_with(APR_ENOSPC);
    assert_non_null(strstr(request(ours, "s"), "[T013]"));
    assert_string_equal(request(ours, "s"), "");
    answer = (tmpl_error_t){ APR_SUCCESS, "" };
    assert_string_equal(request(ours, "s"),
                        ""); /* a page that is counted already: nothing was written */
    fail_with(APR_EGENERAL);
    assert_null(strstr(request(ours, "s"), "[T014]"));
    clock_now += PAUSE;
    answer = (tmpl_error_t){ APR_SUCCESS, "" };
    assert_null(strstr(request(ours, "s"), "[T014]"));
    fail_with(APR_ENOSPC);
    assert_string_equal(request(ours, "s"), "");
    answer = (tmpl_error_t){ APR_SUCCESS, "" };
    counted = 1;
    assert_non_null(strstr(request(ours, "s"), "[T014]"));
    assert_string_equal(request(ours, "s"), "");
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 1);
}

/* Keys hold the store's secret, unless the operator has chosen one. */
static void keys_hold_the_secret_of_the_store(void **state)
{
    tmpl_child_store_t *ours = start(APR_SUCCESS);

    (void)state;
    request(ours, "s");
    request(ours, "s");
    assert_int_equal(seed_of_page, strlen("of the store"));
    assert_int_equal(asked_secret, 1);
    clock_now += SEED_AGE;
    request(ours, "s");
    assert_int_equal(asked_secret, 2);
    operators_seed = 99;
    clock_now += SEED_AGE;
    request(ours, "s");
    assert_int_equal(seed_of_page, 99);
    assert_int_equal(asked_secret, 2);
}

/* Without it no page uses the store: its table must not get keys of another secret. */
static void a_store_without_its_secret_is_not_used(void **state)
{
    tmpl_child_store_t *ours = start(APR_SUCCESS);

    (void)state;
    secret_says = APR_EGENERAL;
    assert_non_null(strstr(request(ours, "s"), "[T011]"));
    assert_string_equal(request(ours, "s"), "");
    assert_int_equal(asked_secret, 1);
    clock_now += PAUSE;
    assert_string_equal(request(ours, "s"), "");
    assert_int_equal(asked_secret, 2);
    assert_int_equal(asked, 0);
    clock_now += PAUSE;
    secret_says = APR_SUCCESS;
    assert_non_null(strstr(request(ours, "s"), "[T012]"));
    assert_int_equal(asked, 1);
    /* later the secret that is known goes on to be used */
    clock_now += SEED_AGE;
    secret_says = APR_TIMEUP;
    assert_string_equal(request(ours, "s"), "");
    assert_int_equal(asked, 2);
    assert_string_equal(request(ours, "s"), "");
    assert_int_equal(asked, 3);
    assert_int_equal(seed_of_page, strlen("of the store"));
}

/* Looked for once a second, not for each page. */
static void a_file_that_is_taken_away_is_made_anew(void **state)
{
    tmpl_child_store_t *ours = start(APR_SUCCESS);

    (void)state;
    assert_string_equal(request(ours, "s"), "");
    lost = 1;
    assert_string_equal(request(ours, "s"), "");
    assert_int_equal(looked, 1);
    assert_int_equal(asked_secret, 1);
    clock_now += APR_USEC_PER_SEC;
    assert_non_null(strstr(request(ours, "s"), "[T024] store " URI));
    assert_int_equal(asked, 3);
    lost = 0;
    clock_now += APR_USEC_PER_SEC;
    assert_string_equal(request(ours, "s"), "");
    assert_int_equal(looked, 3);
    assert_int_equal(asked_secret, 2); /* a new file has another one */
    lost = 1;
    opens = APR_EACCES;
    clock_now += APR_USEC_PER_SEC;
    assert_non_null(strstr(request(ours, "s"), "[T011]"));
    assert_int_equal(asked, 4);
}

/* A site that a replica has looked up is kept by the store, which another thread is opening. */
static void a_store_being_opened_has_not_answered(void **state)
{
    tmpl_child_store_t *ours = start(APR_EGENERAL);
    tmpl_counts_t counts;

    (void)state;
    clock_now += PAUSE;
    log_text[0] = '\0';
    apr_thread_mutex_lock(ours->opening);
    assert_false(ask_site(&counts, ours, &a_page, 1000, pool));
    apr_thread_mutex_unlock(ours->opening);
    assert_string_equal(log_text, "");
    assert_false(tmpl_health_is_well(&ours->health));
}

static const struct CMUnitTest tests[] = {
    TEST(a_store_that_fails_is_left_alone),          TEST(a_late_answer_is_no_outage),
    TEST(a_store_that_does_not_open_is_tried_again), TEST(only_who_asks_is_a_trial),
    TEST(bad_names_of_sites_do_not_fill_the_log),    TEST(a_full_store_is_told_of_once),
    TEST(keys_hold_the_secret_of_the_store),         TEST(a_store_without_its_secret_is_not_used),
    TEST(a_file_that_is_taken_away_is_made_anew),    TEST(a_store_being_opened_has_not_answered),
};

TAP_MAIN(tests)
