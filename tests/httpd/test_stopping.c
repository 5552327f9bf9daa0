/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child without threads that has to end ends itself in time.
 *
 * stopping.c is included.
 */
#include "tap.h"

#include "mod_tmpl/stopping.c"

static int threads;

AP_DECLARE(apr_status_t) ap_mpm_query(int query, int *result)
{
    assert_int_equal(query, AP_MPMQ_IS_THREADED);
    *result = threads;
    return APR_SUCCESS;
}

/* Whether the child would end itself. */
static int ends_itself(int has_threads, int graceful)
{
    threads = has_threads;
    tmpl_stopping_child_stopping(NULL, graceful);
    return alarm(0) > 0;
}

static void a_child_without_threads_ends_itself(void **state)
{
    (void)state;
    assert_true(ends_itself(AP_MPMQ_NOT_SUPPORTED, 0));
    assert_false(ends_itself(AP_MPMQ_STATIC, 0));
    assert_false(ends_itself(AP_MPMQ_DYNAMIC, 1));
}

static void a_graceful_end_closes_nothing_early(void **state)
{
    (void)state;
    ends_itself(AP_MPMQ_STATIC, 1);
    assert_true(tmpl_stopping_is_graceful());
    assert_false(tmpl_stopping_is_closing());
    ends_itself(AP_MPMQ_STATIC, 0);
    assert_false(tmpl_stopping_is_graceful());
    assert_true(tmpl_stopping_is_closing());
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_child_without_threads_ends_itself),
    cmocka_unit_test(a_graceful_end_closes_nothing_early),
};

TAP_MAIN(tests)
