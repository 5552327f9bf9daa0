/* SPDX-License-Identifier: Apache-2.0 */
/* Entries seen once, side by side: where they stand, and that none is lost on the way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "store/drawer.h"

static const tmpl_policy_t policy = { .min_df = 5, .lifetime_tb = 100, .lifetime_n = 10 };

static tmpl_value_t seen_once(uint32_t last)
{
    return (tmpl_value_t){ .df = 1, .last = last, .n = 1, .fingerprints = { 7 } };
}

/* With one drawer more, whatever changes its drawer goes from the one named to the new one. */
static void growing_moves_from_one_to_one(void **state)
{
    (void)state;
    for (uint32_t n = 1; n < 200; n++) {
        unsigned moved = 0;

        for (uint64_t hash = 0; hash < 4096; hash++) {
            uint64_t spread = hash * 0x9e3779b97f4a7c15;
            uint32_t before = tmpl_drawer_of(spread, n), after = tmpl_drawer_of(spread, n + 1);

            assert_true(before < n);
            if (before != after) {
                assert_int_equal(before, tmpl_drawer_split_from(n));
                assert_int_equal(after, n);
                moved++;
            }
        }
        assert_true(moved > 0);
    }
}

static void split_keeps_all(void **state)
{
    static tmpl_drawer_t from, to;
    tmpl_value_t value = seen_once(3);

    (void)state;
    for (uint32_t n = 1; n < 40; n++) {
        uint32_t source = tmpl_drawer_split_from(n);
        unsigned put = 0;

        tmpl_drawer_read(&from, TMPL_KIND_SEGMENT, "", 0);
        for (uint64_t hash = 0; hash < 2000; hash++) {
            if (tmpl_drawer_of(hash, n) == source && put < TMPL_DRAWER_FULL) {
                assert_true(tmpl_drawer_add(&from, hash, &value));
                put++;
            }
        }
        tmpl_drawer_split(&from, &to, n);
        for (uint64_t hash = 0; hash < 2000; hash++) {
            const tmpl_drawer_t *home = tmpl_drawer_of(hash, n + 1) == n ? &to : &from;
            const tmpl_drawer_t *other = home == &to ? &from : &to;

            put -= tmpl_drawer_find(home->kind, home->bytes, home->len, hash) != TMPL_NONE;
            assert_int_equal(tmpl_drawer_find(other->kind, other->bytes, other->len, hash),
                             TMPL_NONE);
        }
        assert_int_equal(put, 0);
    }
}

/* Two drawers put together: all entries of both, the last seen last; too many stay apart. */
static void merged_in_order(void **state)
{
    static tmpl_drawer_t into, from;
    uint32_t before = 0;
    tmpl_value_t value;
    tmpl_key_t key;

    (void)state;
    for (uint32_t split = 0; split <= 30; split++) {
        tmpl_drawer_read(&into, TMPL_KIND_SEGMENT, "", 0);
        tmpl_drawer_read(&from, TMPL_KIND_SEGMENT, "", 0);
        for (uint32_t i = 0; i < 30; i++) {
            value = seen_once(i / 2);
            assert_true(tmpl_drawer_add(i * 7 % 30 < split ? &into : &from, i, &value));
        }
        assert_true(tmpl_drawer_merge(&into, &from));
        for (uint32_t i = 0; i < 30; i++) {
            assert_true(tmpl_drawer_at(&into, i, &key, &value));
            assert_true(i == 0 || value.last >= before);
            assert_int_equal(value.last, key.hash / 2);
            assert_int_not_equal(tmpl_drawer_find(into.kind, into.bytes, into.len, i), TMPL_NONE);
            before = value.last;
        }
        assert_int_equal(into.len, 30 * tmpl_drawer_stride(into.kind));
    }
    value = seen_once(1);
    for (uint64_t hash = 100; tmpl_drawer_add(&from, hash, &value); hash++) {
    }
    assert_false(tmpl_drawer_merge(&into, &from));
    assert_int_equal(into.len, 30 * tmpl_drawer_stride(into.kind));
}

static void holds_what_was_put(void **state)
{
    static tmpl_drawer_t drawer;
    tmpl_value_t value, document;
    tmpl_key_t key;
    uint32_t i;

    (void)state;
    tmpl_drawer_read(&drawer, TMPL_KIND_SEGMENT, "", 0);
    for (uint32_t n = 0; n < TMPL_DRAWER_FULL; n++) {
        value = seen_once(n);
        assert_true(tmpl_drawer_add(&drawer, n * 0x100000001, &value));
    }
    assert_false(tmpl_drawer_add(&drawer, UINT64_MAX, &value));
    assert_int_equal(drawer.len, TMPL_DRAWER_FULL * tmpl_drawer_stride(TMPL_KIND_SEGMENT));
    i = tmpl_drawer_find(drawer.kind, drawer.bytes, drawer.len, 300 * 0x100000001);
    assert_int_equal(i, 300);
    tmpl_drawer_remove(&drawer, 299);
    assert_true(tmpl_drawer_at(&drawer, 299, &key, &value));
    assert_int_equal(key.hash, 300 * 0x100000001);
    assert_int_equal(value.last, 300);
    assert_int_equal(value.df, 1);
    assert_int_equal(value.fingerprints[0], 7);
    assert_false(tmpl_drawer_at(&drawer, TMPL_DRAWER_FULL - 1, &key, &value));

    tmpl_drawer_read(&drawer, TMPL_KIND_DOCUMENT, "", 0);
    tmpl_value_document(&document, 9);
    assert_true(tmpl_drawer_add(&drawer, 5, &document));
    assert_int_equal(drawer.len, 12);
    assert_true(tmpl_drawer_at(&drawer, 0, &key, &value));
    assert_int_equal(value.last, 9);
    assert_int_equal(value.n, 0);
}

static void takes_what_was_seen_once(void **state)
{
    tmpl_value_t value = seen_once(1), document, path = { .df = 1 };

    (void)state;
    tmpl_value_document(&document, 1);
    assert_true(tmpl_drawer_takes(TMPL_KIND_SEGMENT, &value));
    assert_true(tmpl_drawer_takes(TMPL_KIND_DOCUMENT, &document));
    assert_false(tmpl_drawer_takes(TMPL_KIND_SEGMENT, &document));
    assert_false(tmpl_drawer_takes(TMPL_KIND_PATH, &path));
    value.df = 2;
    assert_false(tmpl_drawer_takes(TMPL_KIND_SEGMENT, &value));
}

static void the_dead_leave(void **state)
{
    static tmpl_drawer_t drawer;
    tmpl_lifetimes_t lifetimes;
    tmpl_value_t value;
    tmpl_key_t key;

    (void)state;
    tmpl_lifetimes_init(&lifetimes, &policy);
    tmpl_drawer_read(&drawer, TMPL_KIND_SEGMENT, "", 0);
    for (uint32_t n = 1; n <= 10; n++) {
        value = seen_once(n);
        tmpl_drawer_add(&drawer, n, &value);
    }
    assert_int_equal(tmpl_drawer_trim(&drawer, &lifetimes, 101), 0);
    assert_int_equal(tmpl_drawer_trim(&drawer, &lifetimes, 104), 3);
    assert_true(tmpl_drawer_at(&drawer, 0, &key, &value));
    assert_int_equal(key.hash, 4);
    assert_int_equal(tmpl_drawer_trim(&drawer, &lifetimes, 1000), 7);
    assert_int_equal(drawer.len, 0);
}

/* Bytes that make no whole entry, or too many, are none of ours. */
static void garbage_is_an_empty_drawer(void **state)
{
    static const unsigned char bytes[TMPL_DRAWER_MAX + 14];
    static tmpl_drawer_t drawer;

    (void)state;
    tmpl_drawer_read(&drawer, TMPL_KIND_SEGMENT, bytes, 28);
    assert_int_equal(drawer.len, 28);
    tmpl_drawer_read(&drawer, TMPL_KIND_SEGMENT, bytes, 27);
    assert_int_equal(drawer.len, 0);
    tmpl_drawer_read(&drawer, TMPL_KIND_SEGMENT, bytes, sizeof(bytes));
    assert_int_equal(drawer.len, 0);
    /* nor is the rest of one found in */
    assert_int_equal(tmpl_drawer_find(TMPL_KIND_SEGMENT, bytes, 13, 0), TMPL_NONE);
    assert_int_equal(tmpl_drawer_find(TMPL_KIND_SEGMENT, bytes, 14, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growing_moves_from_one_to_one),
        cmocka_unit_test(split_keeps_all),
        cmocka_unit_test(merged_in_order),
        cmocka_unit_test(holds_what_was_put),
        cmocka_unit_test(takes_what_was_seen_once),
        cmocka_unit_test(the_dead_leave),
        cmocka_unit_test(garbage_is_an_empty_drawer),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
