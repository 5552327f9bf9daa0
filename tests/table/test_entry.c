/* SPDX-License-Identifier: Apache-2.0 */
/* The lifetime of Wang et al., section 2.4, and the rules of one entry that follow from it. */
#include <string.h>

#include <apr_general.h>

#include "tap.h"

#include "table/rules.h"

#define DIM(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Worked out apart from the code, with e^-1 = 0.36787944, e^-4 = 0.018315639, e^-49 = 5.2e-22.
 * Tb = 100, N = 10: 1000 / (1 + 9 * 0.36787944) = 1000 / 4.31091 = 231.97;
 *                   1000 / (1 + 9 * 0.018315639) = 1000 / 1.16484 = 858.49
 * Tb = 300, N = 4:  1200 / (1 + 3 * 0.36787944) = 1200 / 2.10364 = 570.44;
 *                   1200 / (1 + 3 * 0.018315639) = 1200 / 1.05495 = 1137.50
 * Tb = 50, N = 1000: 50000 / (1 + 999 * 0.36787944) = 50000 / 368.5116 = 135.68;
 *                   50000 / (1 + 999 * 0.018315639) = 50000 / 19.29732 = 2591.03
 * Tb = 7, N = 1:    always 7
 */
static const struct {
    uint32_t tb, n, df, pages;
} by_hand[] = {
    { 100, 10, 1, 100 }, { 100, 10, 2, 231 },  { 100, 10, 5, 858 },   { 100, 10, 50, 1000 },
    { 300, 4, 1, 300 },  { 300, 4, 2, 570 },   { 300, 4, 5, 1137 },   { 300, 4, 50, 1200 },
    { 50, 1000, 1, 50 }, { 50, 1000, 2, 135 }, { 50, 1000, 5, 2591 }, { 50, 1000, 50, 50000 },
    { 7, 1, 1, 7 },      { 7, 1, 2, 7 },       { 7, 1, 5, 7 },        { 7, 1, 50, 7 },
};

static const tmpl_policy_t policies[] = {
    { .min_df = 5, .lifetime_tb = 1, .lifetime_n = 1 },
    { .min_df = 5, .lifetime_tb = 100, .lifetime_n = 10 },
    { .min_df = 5, .lifetime_tb = 3, .lifetime_n = 1000000 },
    { .min_df = 5, .lifetime_tb = 1000, .lifetime_n = UINT32_MAX },
};

static void formula(void **state)
{
    (void)state;
    for (size_t i = 0; i < DIM(by_hand); i++) {
        tmpl_policy_t policy = { .lifetime_tb = by_hand[i].tb, .lifetime_n = by_hand[i].n };

        assert_int_equal(tmpl_lifetime(&policy, by_hand[i].df), by_hand[i].pages);
    }
}

static void grows_to_its_limit(void **state)
{
    (void)state;
    for (size_t i = 0; i < DIM(policies); i++) {
        const tmpl_policy_t *policy = &policies[i];
        uint64_t limit = (uint64_t)policy->lifetime_tb * policy->lifetime_n;
        uint32_t before = 0;

        limit = limit < UINT32_MAX ? limit : UINT32_MAX;
        assert_int_equal(tmpl_lifetime(policy, 1), policy->lifetime_tb);
        for (uint32_t df = 1; df < 100; df++) {
            uint32_t pages = tmpl_lifetime(policy, df);

            assert_true(pages >= before);
            assert_true(pages <= limit);
            before = pages;
        }
        assert_int_equal(tmpl_lifetime(policy, 1000), limit);
        assert_int_equal(tmpl_lifetime(policy, UINT32_MAX), limit);
    }
}

/* The table of lifetimes that the stores use says what the formula says, at any DF. */
static void table_is_formula(void **state)
{
    (void)state;
    for (size_t i = 0; i < DIM(policies); i++) {
        const tmpl_lifetimes_t *lifetimes = tmpl_lifetimes(&policies[i]);

        for (uint32_t df = 1; df < 200; df++) {
            uint32_t pages = tmpl_lifetime(&policies[i], df);
            uint32_t now = pages < UINT32_MAX - 10 ? pages + 10 : UINT32_MAX;
            tmpl_value_t value = { .df = df, .last = now - pages };

            assert_true(tmpl_value_live(&value, lifetimes, now));
            if (value.last > 0) {
                value.last--;
                assert_false(tmpl_value_live(&value, lifetimes, now));
            }
        }
    }
}

static void from_the_future_is_dead(void **state)
{
    tmpl_value_t value = { .df = 9, .last = 11 };
    const tmpl_lifetimes_t *lifetimes = tmpl_lifetimes(&policies[1]);

    (void)state;
    assert_true(tmpl_value_live(&value, lifetimes, 11));
    assert_false(tmpl_value_live(&value, lifetimes, 10));
}

static void counts_documents_once(void **state)
{
    tmpl_value_t value;
    apr_pool_t *pool;

    (void)state;
    apr_initialize();
    apr_pool_create(&pool, NULL);
    assert_false(tmpl_value_count(&value, 0, 7, 1, 1, 3, pool));
    assert_int_equal(value.df, 1);
    assert_false(tmpl_value_count(&value, 1, 7, 1, 2, 3, pool));
    assert_int_equal(value.df, 1);
    assert_int_equal(value.last, 2);
    assert_false(tmpl_value_count(&value, 1, 8, 0, 3, 3, pool));
    assert_int_equal(value.df, 2);
    assert_true(tmpl_value_count(&value, 1, 9, 1, 4, 3, pool));
    assert_int_equal(value.df, 3);
    assert_int_equal(value.n, 0);
    assert_false(tmpl_value_count(&value, 1, 9, 0, 5, 3, pool));
    assert_int_equal(value.df, 3);
    assert_false(tmpl_value_count(&value, 1, 9, 1, 6, 3, pool));
    assert_int_equal(value.df, 4);
    apr_pool_destroy(pool);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(formula),
    cmocka_unit_test(grows_to_its_limit),
    cmocka_unit_test(table_is_formula),
    cmocka_unit_test(from_the_future_is_dead),
    cmocka_unit_test(counts_documents_once),
};

TAP_MAIN(tests)
