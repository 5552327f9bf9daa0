/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "tap.h"

#include "mod_tmpl/breaker.c"

#define THREADS 8

static void one_probes(void **state)
{
    tmpl_breaker_t b;

    (void)state;
    tmpl_breaker_init(&b, 100);
    assert_true(tmpl_breaker_allow(&b, 1000));
    assert_true(tmpl_breaker_allow(&b, 1000));
    assert_false(tmpl_breaker_report(&b, 1000, 1));
    /* opens, once */
    assert_true(tmpl_breaker_report(&b, 1000, 0));
    assert_false(tmpl_breaker_report(&b, 1001, 0)); /* started before, failed after: a new pause */
    assert_false(tmpl_breaker_allow(&b, 1001));
    assert_false(tmpl_breaker_allow(&b, 1100));
    /* exactly one request tries the store, the others do not */
    assert_true(tmpl_breaker_allow(&b, 1101));
    assert_false(tmpl_breaker_allow(&b, 1101));
    assert_false(tmpl_breaker_allow(&b, 1200));
    /* it fails: another pause, no change to log */
    assert_false(tmpl_breaker_report(&b, 1150, 0));
    assert_false(tmpl_breaker_allow(&b, 1249));
    assert_true(tmpl_breaker_allow(&b, 1250));
    assert_false(tmpl_breaker_allow(&b, 1250));
    /* it never reports: the next request after a pause tries */
    assert_true(tmpl_breaker_allow(&b, 1350));
    /* it succeeds: closed, once */
    assert_true(tmpl_breaker_report(&b, 1360, 1));
    assert_false(tmpl_breaker_report(&b, 1360, 1));
    assert_true(tmpl_breaker_allow(&b, 1361));
    assert_true(tmpl_breaker_allow(&b, 1361));
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
    p->changed += (unsigned)tmpl_breaker_report(p->breaker, 1000, 1);
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
    assert_true(tmpl_breaker_report(&b, 900, 0));
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
    cmocka_unit_test(one_of_many_threads_probes),
};

TAP_MAIN(tests)
