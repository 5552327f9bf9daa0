/* SPDX-License-Identifier: Apache-2.0 */
/* Opening every store: its URI, and the secret that it keeps for all processes that open it. */
#include "store_fixture.h"

static const char *const good_uris[] = {
    "lmdb:/var/lib/tmpl",
    "lmdb:relative",
    "lmdb:/d?size=4G&sites=100000",
    "lmdb:/d?sites=1",
    "lmdb:/d?size=1048576",
    "lmdb:/d?size=1024g",
    "lmdb:/d?",
    "redis://h",
    "redis://h:6379",
    "redis://h:1/15",
    "redis://h/",
    "redis://:p@h",
    "redis://u:p@h:6379/0",
    "redis://[::1]:6379/2",
    "redis://u:%40%2f@h",
    "redis+unix:///s",
    "redis+unix:///s?db=3",
    "redis+unix:///s?user=u&pass=p&db=1",
};

static const char *const bad_uris[] = {
    "",
    "redis",
    "redis:",
    "redis://",
    "redis:///1",
    "redis://h:0",
    "redis://h:99999",
    "redis://h:x",
    "redis://h:",
    "redis://h:1x",
    "redis://h/x",
    "redis://h/1x",
    "redis://h/-1",
    "redis://h/99999999999999999",
    "redis://u@h",
    "redis://u:%zz@h",
    "redis://h?db=1",
    "lmdb:",
    "lmdb:?size=4G",
    "lmdb:/d?size",
    "lmdb:/d?size=",
    "lmdb:/d?size=1023K",
    "lmdb:/d?size=1025G",
    "lmdb:/d?size=4T",
    "lmdb:/d?size=-4G",
    "lmdb:/d?sites=0",
    "lmdb:/d?sites=1K",
    "lmdb:/d?sites=100000001",
    "lmdb:/d?sites=99999999999999999999",
    "lmdb:/d?sizes=4G",
    "lmdb:/d?size=4G&map=1",
    "redis+unix://s",
    "redis+unix://",
    "redis+unix:///",
    "redis+unix:///s?db=x",
    "redis+unix:///s?db=",
    "redis+unix:///s?d=1",
    "redis+unix:///s?user=u",
    "file:/x",
    "memory:x",
    "LMDB:/x",
    "redis+unix:///"
    "012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
    "0"
    "12345678901234567890",
};

static void uris(void **state)
{
    tmpl_error_t err;
    apr_pool_t *pool;

    (void)state;
    apr_pool_create(&pool, NULL);
    for (unsigned i = 0; i < DIM(good_uris); i++) {
        assert_int_equal(tmpl_store_check_uri(good_uris[i], &err, pool), APR_SUCCESS);
    }
    for (unsigned i = 0; i < DIM(bad_uris); i++) {
        tmpl_store_t *store;

        err.text[0] = '\0';
        if (tmpl_store_check_uri(bad_uris[i], &err, pool) != APR_EINVAL) {
            fail_msg("%s is taken for good", bad_uris[i]);
        }
        assert_int_not_equal(err.text[0], '\0');
        assert_int_equal(tmpl_store_open(&store, bad_uris[i], NULL, &err, pool), APR_EINVAL);
    }
    /* for programs, not for people */
    assert_int_equal(tmpl_store_check_uri("memory:", &err, pool), APR_EINVAL);
    apr_pool_destroy(pool);
}

static const char *secret_of(ctx_t *c, tmpl_store_t *store)
{
    char *secret = apr_palloc(c->pool, TMPL_SECRET_SIZE);

    assert_int_equal(tmpl_store_secret(store, secret, TIMEOUT, &c->err, c->pool), APR_SUCCESS);
    return secret;
}

/* All users of a store get the same secret, and no other store has it. */
static void secret_is_of_the_store(void **state)
{
    ctx_t *c = *state;
    void *other = (void *)(uintptr_t)(c->backend == LMDB ? REDIS_UNIX : LMDB);
    const char *secret = secret_of(c, c->store);

    if (c->backend == MEMORY) { /* which nobody can read */
        assert_string_equal(secret, "");
        assert_int_equal(tmpl_seed(""), 0);
        return;
    }
    assert_int_equal(strlen(secret), 32);
    assert_int_not_equal(tmpl_seed(secret), 0);
    assert_string_equal(secret_of(c, c->store), secret);
    assert_string_equal(secret_of(c, open_with(c, c->uri, NULL)), secret);
    assert_int_equal(setup(&other), 0);
    assert_string_not_equal(secret_of(c, ((ctx_t *)other)->store), secret);
    teardown(&other);
    /* it is no site */
    assert_int_equal(sites_of(c)->nelts, 0);
}

/* A table that is imported brings its secret, but not to sites that have another one. */
static void secret_comes_with_the_first_table(void **state)
{
    ctx_t *c = *state;
    const char *secret = "another one";

    if (c->backend == MEMORY) {
        return;
    }
    for (int i = 0; i < 3; i++, secret = i == 1 ? "" : "a third") {
        assert_int_equal(tmpl_store_take_secret(c->store, secret, &c->err, c->pool), APR_SUCCESS);
        assert_string_equal(secret_of(c, c->store), secret);
        assert_string_equal(secret_of(c, open_with(c, c->uri, NULL)), secret);
    }
    learn(c, "s", 1, 0, 5);
    assert_int_equal(tmpl_store_take_secret(c->store, "a third", &c->err, c->pool), APR_SUCCESS);
    assert_int_equal(tmpl_store_take_secret(c->store, "", &c->err, c->pool), APR_EINVAL);
    assert_non_null(strstr(c->err.text, "another secret"));
    assert_string_equal(secret_of(c, c->store), "a third");
}

static const store_test_t table[] = {
    TEST(ALL_STORES, secret_is_of_the_store),
    TEST(ALL_STORES, secret_comes_with_the_first_table),
    TEST(NO_STORE, uris),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
