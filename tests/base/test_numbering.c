/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "base/hash.h"

/* Numbers of keys that differ in few bits; some keys come more than once. */
static uint64_t key_at(uint32_t i)
{
    return (uint64_t)(i % 3000) << (i % 2 * 40);
}

/* The number of the key by a search through all; n if it is not there. */
static uint32_t number_of(const uint64_t *keys, uint32_t n, uint64_t key)
{
    uint32_t i = 0;
    while (i < n && keys[i] != key) {
        i++;
    }
    return i;
}

static void keys_are_numbered_as_they_come(void **state)
{
    static uint64_t keys[10000];
    uint32_t n = 0;
    tmpl_numbering_t numbering;
    tmpl_numbering_init(&numbering, 1, *state, *state);
    for (uint32_t i = 0; i < 10000; i++) {
        uint32_t number = number_of(keys, n, key_at(i));
        n += number == n;
        keys[number] = key_at(i);
        assert_int_equal(tmpl_numbering_add(&numbering, key_at(i)), number);
    }
    assert_int_equal(numbering.n, n);
    assert_memory_equal(numbering.keys, keys, n * sizeof(*keys));
}

static void the_room_that_is_made_first_is_kept(void **state)
{
    tmpl_numbering_t numbering;
    tmpl_numbering_init(&numbering, 1000, *state, *state);
    const uint64_t *keys = numbering.keys;
    for (uint32_t i = 0; i < 999; i++) {
        tmpl_numbering_add(&numbering, i);
    }
    assert_ptr_equal(numbering.keys, keys);
    for (uint32_t i = 999; i < 3000; i++) {
        tmpl_numbering_add(&numbering, i);
    }
    assert_ptr_not_equal(numbering.keys, keys);
    for (uint32_t i = 0; i < 3000; i++) {
        assert_int_equal(tmpl_numbering_add(&numbering, i), i);
    }
}

static const struct CMUnitTest tests[] = {
    CHECK(keys_are_numbered_as_they_come),
    CHECK(the_room_that_is_made_first_is_kept),
};

TAP_MAIN(tests)
