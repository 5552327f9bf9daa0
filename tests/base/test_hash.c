/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that collide under APR's hash do not collide under the hash of tables with a page's keys. */
#include "check.h"

#include <stdint.h>

#include "base/hash.h"

enum { KEYS = 4096, PAIRS = 12 };

/* The nth of the keys that APR gives one hash: "Ez" and "FY" have the same. */
static const char *key_of(unsigned n, char *key)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        memcpy(key + 2 * (size_t)i, n >> i & 1 ? "FY" : "Ez", 2);
    }
    key[2 * PAIRS] = '\0';
    return key;
}

static void keys_spread(void **state)
{
    (void)state;
    static unsigned char used[KEYS];
    unsigned slots = 0, same = 0;
    apr_ssize_t len = APR_HASH_KEY_STRING;
    char key[2 * PAIRS + 1];
    unsigned first = apr_hashfunc_default(key_of(0, key), &len);
    for (unsigned n = 0; n < KEYS; n++) {
        len = APR_HASH_KEY_STRING;
        unsigned slot = tmpl_hash_of(key_of(n, key), &len) % KEYS;
        assert_int_equal(len, 2 * PAIRS);
        slots += !used[slot];
        used[slot] = 1;
        same += apr_hashfunc_default(key, &len) == first;
    }
    assert_int_equal(same, KEYS);
    /* of so many slots random keys use 63 of 100 */
    assert_in_range(slots, KEYS / 2, KEYS);
}

static void tables_hold(void **state)
{
    apr_hash_t *table = tmpl_hash_make(*state);
    apr_hash_set(table, "a", APR_HASH_KEY_STRING, "x");
    apr_hash_set(table, "ab", 2, "y");
    assert_string_equal(apr_hash_get(table, "abc", 1), "x");
    assert_string_equal(apr_hash_get(table, "ab", APR_HASH_KEY_STRING), "y");
    assert_null(apr_hash_get(table, "b", APR_HASH_KEY_STRING));
}

static const struct CMUnitTest tests[] = {
    CHECK(keys_spread),
    CHECK(tables_hold),
};

TAP_MAIN(tests)
