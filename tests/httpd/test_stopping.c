/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child without threads that has to end, and is serving a connection, ends itself.
 *
 * stopping.c is included.
 */
#include "tap.h"

#include "mod_tmpl/stopping.c"

static int threads;
static apr_pool_t *pool;

AP_DECLARE(apr_status_t) ap_mpm_query(int query, int *result)
{
    assert_int_equal(query, AP_MPMQ_IS_THREADED);
    *result = threads;
    return APR_SUCCESS;
}

static int setup(void **state)
{
    (void)state;
    threads = AP_MPMQ_NOT_SUPPORTED;
    serving = 0;
    return apr_pool_create(&pool, NULL) != APR_SUCCESS;
}

static int teardown(void **state)
{
    (void)state;
    apr_pool_destroy(pool);
    return 0;
}

/* A connection that ends with its pool. */
static apr_pool_t *connection(int outgoing)
{
    conn_rec *c = apr_pcalloc(pool, sizeof(*c));

    apr_pool_create(&c->pool, pool);
    c->outgoing = outgoing;
    assert_int_equal(tmpl_stopping_pre_connection(c, NULL), OK);
    return c->pool;
}

/* Whether the child would end itself now. */
static int ends_itself(void)
{
    tmpl_stopping_child_stopping(pool, 0);
    return alarm(0) > 0;
}

static void a_child_ends_itself_while_it_serves(void **state)
{
    apr_pool_t *client;

    (void)state;
    assert_false(ends_itself());
    client = connection(0);
    assert_true(ends_itself());
    apr_pool_destroy(client);
    assert_false(ends_itself());
}

static void a_child_with_threads_does_not(void **state)
{
    (void)state;
    threads = AP_MPMQ_STATIC;
    connection(0);
    assert_false(ends_itself());
}

/* mod_proxy closes one while its page is judged, and keeps another open. */
static void connections_to_backends_do_not_count(void **state)
{
    apr_pool_t *client = connection(0);

    (void)state;
    apr_pool_destroy(connection(1));
    assert_true(ends_itself());
    apr_pool_destroy(client);
    connection(1);
    assert_false(ends_itself());
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
static const struct CMUnitTest tests[] = {
    TEST(a_child_ends_itself_while_it_serves),
    TEST(a_child_with_threads_does_not),
    TEST(connections_to_backends_do_not_count),
};

TAP_MAIN(tests)
