/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compressed page is kept as it comes, up to the limit; bytes beyond the limit are not read.
 *
 * raw.c and append.c are included.
 */
#include "tap.h"

#include <apr_file_io.h>

#include "mod_tmpl/append.c"
#include "mod_tmpl/raw.c"

enum { MOST = 1000 };

static apr_pool_t *pool;
static apr_bucket_alloc_t *alloc;
static tmpl_ctx_t ctx;
static apr_bucket_brigade *bb;

apr_table_t *tmpl_fields_copy(const apr_table_t *from, const char *const *names, apr_pool_t *p)
{
    (void)names;
    return apr_table_copy(p, from);
}

void tmpl_fields_restore(apr_table_t *to, const char *const *names, const apr_table_t *copy)
{
    (void)to, (void)names, (void)copy;
}

static int setup(void **state)
{
    (void)state;
    apr_pool_create(&pool, NULL);
    alloc = apr_bucket_alloc_create(pool);
    bb = apr_brigade_create(pool, alloc);
    ctx = (tmpl_ctx_t){ .raw = apr_brigade_create(pool, alloc) };
    return alloc == NULL;
}

static int teardown(void **state)
{
    (void)state;
    apr_pool_destroy(pool);
    return 0;
}

/* A file of so many bytes. */
static apr_file_t *file_of(apr_off_t len)
{
    static const char template[] = "tmpl-raw-XXXXXX";
    const char *dir;
    apr_file_t *file;

    assert_int_equal(apr_temp_dir_get(&dir, pool), APR_SUCCESS);
    assert_int_equal(apr_file_mktemp(&file, apr_pstrcat(pool, dir, "/", template, NULL), 0, pool),
                     APR_SUCCESS);
    assert_int_equal(apr_file_trunc(file, len), APR_SUCCESS);
    return file;
}

static void a_short_file_is_copied(void **state)
{
    (void)state;
    apr_brigade_insert_file(bb, file_of(MOST), 0, MOST, pool);
    assert_int_equal(tmpl_raw_keep(&ctx, bb, MOST), APR_SUCCESS);
    assert_int_equal(ctx.raw_length, MOST);
    assert_true(APR_BUCKET_IS_HEAP(APR_BRIGADE_FIRST(ctx.raw)));
    assert_false(APR_BRIGADE_EMPTY(bb));
}

static void a_file_that_is_too_long_is_not_read(void **state)
{
    const apr_off_t len = 1 << 20;

    (void)state;
    apr_brigade_puts(bb, NULL, NULL, "begin");
    assert_int_equal(tmpl_raw_keep(&ctx, bb, MOST), APR_SUCCESS);
    apr_brigade_cleanup(bb);
    apr_brigade_insert_file(bb, file_of(len), 0, len, pool);
    assert_int_equal(tmpl_raw_keep(&ctx, bb, MOST), APR_SUCCESS);
    assert_int_equal(ctx.raw_length, 5 + len);
    assert_true(APR_BUCKET_IS_FILE(APR_BRIGADE_LAST(ctx.raw)));
    assert_true(APR_BRIGADE_EMPTY(bb));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
static const struct CMUnitTest tests[] = {
    TEST(a_short_file_is_copied),
    TEST(a_file_that_is_too_long_is_not_read),
};

TAP_MAIN(tests)
