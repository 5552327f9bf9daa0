/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "tap.h"

#include "base/breaker.h"

#define THREADS 8

static void one_probes(void **state)
{
    tmpl_breaker_t b;

    (void)state;
    tmpl_breaker_init(&b, 100);
    assert_true(tmpl_breaker_allow(&b, 1000));
    assert_true(tmpl_breaker_allow(&b, 1000));
    assert_false(tmpl_breaker_report(&b, 1000, 1000, TMPL_CALL_OK));
    /* opens, once */
    assert_true(tmpl_breaker_report(&b, 1000, 1000, TMPL_CALL_FAILED));
    assert_false(tmpl_breaker_report(&b, 1000, 1001, TMPL_CALL_FAILED)); /* a new pause */
    assert_false(tmpl_breaker_allow(&b, 1001));
    assert_false(tmpl_breaker_allow(&b, 1100));
    /* exactly one request tries the store, the others do not */
    assert_true(tmpl_breaker_allow(&b, 1101));
    assert_false(tmpl_breaker_allow(&b, 1101));
    assert_false(tmpl_breaker_allow(&b, 1200));
    /* it fails: another pause, no change to log */
    assert_false(tmpl_breaker_report(&b, 1101, 1121, TMPL_CALL_FAILED));
    assert_false(tmpl_breaker_allow(&b, 1220));
    assert_true(tmpl_breaker_allow(&b, 1221));
    assert_false(tmpl_breaker_allow(&b, 1221));
    /* it never reports: the next request after a pause tries */
    assert_true(tmpl_breaker_allow(&b, 1321));
    /* it succeeds: closed, once */
    assert_true(tmpl_breaker_report(&b, 1321, 1330, TMPL_CALL_OK));
    assert_false(tmpl_breaker_report(&b, 1321, 1330, TMPL_CALL_OK));
    assert_true(tmpl_breaker_allow(&b, 1331));
    assert_true(tmpl_breaker_allow(&b, 1331));
}

/* A call that was long in vain is not made again soon, but within ten seconds. */
static void a_long_call_makes_a_long_pause(void **state)
{
    const apr_time_t second = APR_USEC_PER_SEC;
    tmpl_breaker_t b;

    (void)state;
    tmpl_breaker_init(&b, second);
    assert_true(tmpl_breaker_report(&b, 8 * second, 10 * second, TMPL_CALL_FAILED));
    assert_false(tmpl_breaker_allow(&b, 18 * second - 1));
    /* nor is a second trial made while the first is under way */
    assert_true(tmpl_breaker_allow(&b, 18 * second));
    assert_false(tmpl_breaker_allow(&b, 20 * second));
    assert_false(tmpl_breaker_report(&b, 18 * second, 20 * second, TMPL_CALL_LATE));
    assert_false(tmpl_breaker_allow(&b, 28 * second - 1));
    assert_true(tmpl_breaker_allow(&b, 28 * second));
    assert_false(tmpl_breaker_report(&b, 28 * second, 88 * second, TMPL_CALL_LATE));
    assert_false(tmpl_breaker_allow(&b, 98 * second - 1));
    assert_true(tmpl_breaker_allow(&b, 98 * second));
}

/* Calls one after the other: O in time, L late. Returns at which one the breaker opens; 0: none. */
static int opens_at(const char *calls)
{
    tmpl_breaker_t b;
    apr_time_t now = 1000;

    tmpl_breaker_init(&b, 100);
    for (int i = 0; calls[i] != '\0'; i++, now += 10) {
        if (tmpl_breaker_report(&b, now, now + 10,
                                calls[i] == 'L' ? TMPL_CALL_LATE : TMPL_CALL_OK)) {
            return i + 1;
        }
    }
    return 0;
}

/* Of many calls at once some are late: each round has a late one, and many in time. */
static void rounds_of_calls_open_it(void **state)
{
    tmpl_breaker_t b;
    apr_time_t now = 1000;
    int round = 0;

    (void)state;
    tmpl_breaker_init(&b, 100);
    for (int opened = 0; !opened; now += 10, round++) {
        assert_true(round < 3);
        for (int i = 0; i < 12 && !opened; i++) {
            opened = tmpl_breaker_report(&b, now, now + 10, i % 2 ? TMPL_CALL_LATE : TMPL_CALL_OK);
        }
    }
    assert_int_equal(round, 3);
    /* calls that were under way do not close it, a trial does */
    assert_false(tmpl_breaker_report(&b, now - 15, now + 1, TMPL_CALL_OK));
    assert_false(tmpl_breaker_allow(&b, now + 50));
    assert_true(tmpl_breaker_allow(&b, now + 100));
    assert_true(tmpl_breaker_report(&b, now + 100, now + 110, TMPL_CALL_OK));
}

static void late_answers_open_by_their_rate(void **state)
{
    (void)state;
    assert_int_equal(opens_at("L"), 0);
    assert_int_equal(opens_at("LL"), 0);
    assert_int_equal(opens_at("LLL"), 3);
    assert_int_equal(opens_at("LOLOOL"), 6);
    assert_int_equal(opens_at("LOOLOOOL"), 8);
    assert_int_equal(opens_at("LOOOLOOOLOOOLOOOL"), 0);
    assert_int_equal(opens_at("OOOOOOOOLLOOOOOOOOLL"), 0);
}

/* One stall of a server makes the answers to all calls late that wait at that time. */
static void a_stall_is_one_late_answer(void **state)
{
    tmpl_breaker_t b;

    (void)state;
    tmpl_breaker_init(&b, 100);
    for (int i = 0; i < 20; i++) {
        assert_false(tmpl_breaker_report(&b, 1000 + i, 1100 + i, TMPL_CALL_LATE));
    }
    for (int i = 0; i < 20; i++) {
        assert_false(tmpl_breaker_report(&b, 1101 + i, 1201 + i, TMPL_CALL_LATE));
    }
    assert_true(tmpl_breaker_allow(&b, 1300));
    assert_true(tmpl_breaker_report(&b, 1300, 1400, TMPL_CALL_LATE));
    assert_false(tmpl_breaker_allow(&b, 1799));
    /* late answers are forgotten when it opens */
    assert_true(tmpl_breaker_report(&b, 1800, 1801, TMPL_CALL_OK));
    assert_false(tmpl_breaker_report(&b, 1900, 2000, TMPL_CALL_LATE));
    assert_false(tmpl_breaker_report(&b, 2000, 2100, TMPL_CALL_LATE));
    assert_true(tmpl_breaker_report(&b, 2100, 2200, TMPL_CALL_LATE));
    /* a trial that is late is a failure */
    assert_true(tmpl_breaker_allow(&b, 2600));
    assert_false(tmpl_breaker_report(&b, 2600, 2700, TMPL_CALL_LATE));
    assert_false(tmpl_breaker_allow(&b, 3099));
}

typedef struct {
    tmpl_breaker_t *breaker;
    pthread_barrier_t *barrier;
    unsigned allowed, changed;
} prober_t;

static void *prober(void *data)
{
    prober_t *p = data;

    for (apr_time_t now = 1000; now < 1000 + 1000 * 100; now += 100) {
        pthread_barrier_wait(p->barrier);
        if (tmpl_breaker_allow(p->breaker, now)) {
            p->allowed++;
        }
        pthread_barrier_wait(p->barrier);
    }
    pthread_barrier_wait(p->barrier);
    p->changed += (unsigned)tmpl_breaker_report(p->breaker, 101000, 101000, TMPL_CALL_OK);
    return NULL;
}

static void one_of_many_threads_probes(void **state)
{
    pthread_t threads[THREADS];
    prober_t probers[THREADS];
    pthread_barrier_t barrier;
    tmpl_breaker_t b;
    unsigned allowed = 0, changed = 0;

    (void)state;
    tmpl_breaker_init(&b, 100);
    assert_true(tmpl_breaker_report(&b, 900, 900, TMPL_CALL_FAILED));
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (unsigned i = 0; i < THREADS; i++) {
        probers[i] = (prober_t){ &b, &barrier, 0, 0 };
        assert_int_equal(pthread_create(&threads[i], NULL, prober, &probers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        allowed += probers[i].allowed;
        changed += probers[i].changed;
    }
    pthread_barrier_destroy(&barrier);
    assert_int_equal(allowed, 1000); /* once per pause */
    assert_int_equal(changed, 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_probes),
    cmocka_unit_test(a_long_call_makes_a_long_pause),
    cmocka_unit_test(late_answers_open_by_their_rate),
    cmocka_unit_test(rounds_of_calls_open_it),
    cmocka_unit_test(a_stall_is_one_late_answer),
    cmocka_unit_test(one_of_many_threads_probes),
};

TAP_MAIN(tests)
