/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "base/map.h"

/* Keys that differ in few bits, some more than once. */
static uint64_t key_at(uint32_t i)
{
    return (uint64_t)(i % 3000) << (i % 2 * 40);
}

static void a_key_keeps_its_first_value(void **state)
{
    uint32_t first[2][3000] = { 0 };
    uint32_t keys = 0;
    tmpl_map_t map;
    tmpl_map_init(&map, 0, *state);
    for (uint32_t i = 0; i < 10000; i++) {
        uint64_t key = key_at(i);
        uint32_t *value = key == 0 ? &first[0][0] : &first[i % 2][i % 3000];
        keys += *value == 0;
        *value = *value == 0 ? i + 1 : *value;
        assert_int_equal(tmpl_map_add(&map, key, i + 1), *value);
    }
    assert_int_equal(map.n, keys);
    for (uint32_t i = 0; i < 10000; i++) {
        uint64_t key = key_at(i);
        assert_int_equal(tmpl_map_find(&map, key)->value,
                         key == 0 ? first[0][0] : first[i % 2][i % 3000]);
    }
    assert_int_equal(tmpl_map_find(&map, UINT64_MAX)->value, 0);
}

static void a_map_has_the_room_that_it_is_made_with(void **state)
{
    tmpl_map_t map;
    tmpl_map_init(&map, 1000, *state);
    const tmpl_map_cell_t *cells = map.cells;
    for (uint32_t i = 0; i < 1000; i++) {
        tmpl_map_add(&map, i, i + 1);
    }
    assert_ptr_equal(map.cells, cells);
    for (uint32_t i = 1000; i < 3000; i++) {
        tmpl_map_add(&map, i, i + 1);
    }
    assert_ptr_not_equal(map.cells, cells);
    assert_true(map.n <= map.n_cells);
    for (uint32_t i = 0; i < 3000; i++) {
        assert_int_equal(tmpl_map_add(&map, i, 9), i + 1);
    }
}

static const struct CMUnitTest tests[] = {
    CHECK(a_key_keeps_its_first_value),
    CHECK(a_map_has_the_room_that_it_is_made_with),
};

TAP_MAIN(tests)
