/* SPDX-License-Identifier: Apache-2.0 */
/* Entries side by side in a bucket: every form of an entry, bytes that are none, and who goes where. */
#include <stdlib.h>

#include "tap.h"

#include <apr_strings.h>

#include "base/slot.h"
#include "table/bucket/buckets.h"

#define DIM(a) (sizeof(a) / sizeof((a)[0]))
#define MOST   200
#define ROOM   (MOST * 200)

static uint64_t state = 7;

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

/* Numbers of all lengths. */
static uint32_t draw_number(void)
{
    return (uint32_t)(draw(UINT64_MAX) >> (32 + draw(32)));
}

static void draw_value(tmpl_value_t *value, tmpl_kind_e kind)
{
    memset(value, 0, sizeof(*value));
    value->last = draw_number();
    value->df = kind == TMPL_KIND_DOCUMENT && draw(4) > 0 ? 1 : 1 + draw_number() / 2;
    if (kind == TMPL_KIND_PATH) {
        value->text = draw_number();
        value->repeated = (uint32_t)draw((uint64_t)value->text + 1);
    }
    if (kind == TMPL_KIND_SEGMENT && draw(2) == 0) {
        value->n = (uint32_t)draw(TMPL_FINGERPRINTS_MAX + 1);
        value->df = draw(3) == 0 ? value->n + 1 + (uint32_t)draw(300) : value->n;
        value->df += value->df == 0;
    }
    for (uint32_t i = 0; i < value->n; i++) {
        value->fingerprints[i] = (uint16_t)draw(65536);
    }
}

static void assert_values_equal(const tmpl_value_t *a, const tmpl_value_t *b)
{
    assert_int_equal(a->df, b->df);
    assert_int_equal(a->last, b->last);
    assert_int_equal(a->text, b->text);
    assert_int_equal(a->repeated, b->repeated);
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->fingerprints, b->fingerprints, a->n * sizeof(a->fingerprints[0]));
}

static tmpl_value_t values[MOST];
static tmpl_bucket_entry_t entries[MOST];
static tmpl_bucket_row_t rows[MOST];
static unsigned char rests[MOST][TMPL_BUCKET_REST_MOST];
static unsigned char *bytes;

/* Entries as a bucket, in their order. */
static size_t write_all(const tmpl_bucket_entry_t *all, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        tmpl_bucket_row(&rows[i], all[i].key, all[i].value, rests[i]);
    }
    assert_true(tmpl_bucket_room(rows, n) <= ROOM);
    return tmpl_bucket_write(bytes, rows, n);
}

static uint64_t hash_of(uint32_t i)
{
    return i * 0x9E3779B97F4A7C15U & TMPL_HASH_MASK;
}

/* n random entries, written; some of them differ in their kind only, some in their key. */
static size_t write_some(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        tmpl_kind_e kind = (tmpl_kind_e)(i % TMPL_KIND_COUNT);

        draw_value(&values[i], kind);
        if (i >= TMPL_KIND_COUNT && draw(3) > 0) {
            values[i] = values[i - TMPL_KIND_COUNT];
        }
        entries[i].key = (tmpl_key_t){ hash_of(i / TMPL_KIND_COUNT), kind };
        entries[i].value = &values[i];
    }
    return write_all(entries, n);
}

static void what_is_written_is_read(void **unused)
{
    (void)unused;
    for (uint32_t n = 0; n < MOST; n++) {
        size_t len = write_some(n);
        tmpl_bucket_reader_t reader;
        tmpl_value_t value;
        tmpl_key_t key;

        assert_true(len <= tmpl_bucket_room(rows, n));
        assert_int_equal(len == 0, n == 0);
        tmpl_bucket_open(&reader, bytes, len);
        for (uint32_t i = 0; i < n; i++) {
            assert_true(tmpl_bucket_next(&reader, &key, &value));
            assert_int_equal(key.hash, entries[i].key.hash);
            assert_int_equal(key.kind, entries[i].key.kind);
            assert_values_equal(&value, &values[i]);
            assert_true(tmpl_bucket_find(bytes, len, key, &value));
            assert_values_equal(&value, &values[i]);
        }
        assert_false(tmpl_bucket_next(&reader, &key, &value));
        assert_ptr_equal(reader.at, n == 0 ? NULL : bytes + len);
        assert_false(tmpl_bucket_find(bytes, len, (tmpl_key_t){ 1, TMPL_KIND_SEGMENT }, &value));
    }
}

/* A bucket that is cut short or altered is read without a step beside it, and gives values that make sense. */
static void bytes_that_are_none_do_no_harm(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < 20000; round++) {
        size_t len = write_some((uint32_t)draw(6)), cut = (size_t)draw(len + 1);
        unsigned char *copy = malloc(cut + 1); /* of just that size: for the sanitizers */
        tmpl_bucket_reader_t reader;
        tmpl_value_t value;
        tmpl_key_t key;
        unsigned n = 0;

        copy = realloc(copy, cut > 0 ? cut : 1);
        memcpy(copy, bytes, cut);
        for (unsigned i = 0; cut > 0 && i < 3; i++) {
            copy[draw(cut)] = (unsigned char)draw(256);
        }
        tmpl_bucket_open(&reader, copy, cut);
        while (tmpl_bucket_next(&reader, &key, &value)) {
            assert_true(key.kind < TMPL_KIND_COUNT);
            assert_true(value.n <= TMPL_FINGERPRINTS_MAX && value.n <= value.df);
            assert_true(value.repeated <= value.text);
            n++;
        }
        assert_true(n <= cut / 5);
        tmpl_bucket_find(copy, cut, (tmpl_key_t){ 0, TMPL_KIND_SEGMENT }, &value);
        free(copy);
    }
}

static size_t size_of(tmpl_kind_e kind, const tmpl_value_t *value)
{
    tmpl_value_t first = { .df = 1, .last = value->last - 300 };
    tmpl_bucket_entry_t two[] = { { { 1, TMPL_KIND_DOCUMENT }, &first }, { { 2, kind }, value } };

    return write_all(two, 2) - write_all(two, 1);
}

static void entries_take_few_bytes(void **unused)
{
    tmpl_value_t once = { .df = 1, .last = 70000, .n = 1 };
    tmpl_value_t template = { .df = 90, .last = 70000 };
    tmpl_value_t document = { .df = 1, .last = 70000 };
    tmpl_value_t path = { .df = 90, .last = 70000, .text = 9000, .repeated = 8900 };

    (void)unused;
    assert_int_equal(size_of(TMPL_KIND_SEGMENT, &once), 10);
    assert_int_equal(size_of(TMPL_KIND_SEGMENT, &template), 9);
    assert_int_equal(size_of(TMPL_KIND_DOCUMENT, &document), 8);
    assert_int_equal(size_of(TMPL_KIND_PATH, &path), 12);
}

/* Entries beside each other that are alike have their value once, be they more or fewer than a run has at most. */
static void what_is_alike_stands_there_once(void **unused)
{
    static const tmpl_value_t once = { .df = 1, .last = 9, .n = 1 };
    static const tmpl_value_t twice = { .df = 2, .last = 9, .n = 2 };
    static const tmpl_value_t document = { .df = 1, .last = 9 };

    (void)unused;
    for (uint32_t n = 1; n < MOST - 2; n++) {
        size_t value = 1 + 1 + 2, run = 1, runs = (n + 62) / 63, alone = n % 63 == 1;
        size_t head = (n + 2 > 127 ? 2 : 1) + 4;
        tmpl_value_t value_read;

        for (uint32_t i = 0; i < n; i++) {
            entries[i] = (tmpl_bucket_entry_t){ { hash_of(i), TMPL_KIND_SEGMENT }, &once };
        }
        entries[n] = (tmpl_bucket_entry_t){ { hash_of(n), TMPL_KIND_SEGMENT }, &twice };
        entries[n + 1] = (tmpl_bucket_entry_t){ { hash_of(n), TMPL_KIND_DOCUMENT }, &document };
        size_t len = write_all(entries, n + 2);
        assert_int_equal(len,
                         head + 5 * (n + 2) + runs * (run + value) - alone * run + value + 2 + 2);
        for (uint32_t i = 0; i < n + 2; i++) {
            assert_true(tmpl_bucket_find(bytes, len, entries[i].key, &value_read));
            assert_values_equal(&value_read, entries[i].value);
        }
    }
}

/* The value of a run is that of an entry, not again of a run: else it would be written back as one. */
static void a_run_of_runs_is_none(void **unused)
{
    static const unsigned char run[] = {
        2, 9, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4, 2 << 2, 0, 7
    };
    unsigned char again[sizeof(run) + 1];
    tmpl_bucket_reader_t reader;
    tmpl_value_t value;
    tmpl_key_t key;

    (void)unused;
    tmpl_bucket_open(&reader, run, sizeof(run));
    assert_true(tmpl_bucket_next(&reader, &key, &value));
    assert_int_equal(key.hash, 0x301010101);
    assert_true(tmpl_bucket_next(&reader, &key, &value));
    assert_int_equal(key.hash, 0x402020202);
    assert_int_equal(value.last, 16);
    assert_false(tmpl_bucket_next(&reader, &key, &value));
    memcpy(again, run, sizeof(run) - 2);
    again[sizeof(run) - 2] = 2 << 2;
    memcpy(again + sizeof(run) - 1, run + sizeof(run) - 2, 2);
    tmpl_bucket_open(&reader, again, sizeof(again));
    assert_false(tmpl_bucket_next(&reader, &key, &value));
}

/* A key is all 40 bits of it, so a site of n entries is mistaken for a new text with probability n / 2^40. */
static void every_bit_of_a_key_counts(void **unused)
{
    static const tmpl_value_t value = { .df = 1, .last = 9, .n = 1 };
    const uint64_t hash = hash_of(77);
    tmpl_value_t found;

    (void)unused;
    assert_int_equal(TMPL_HASH_MASK, ((uint64_t)1 << 40) - 1);
    for (unsigned place = 0; place < 5; place++) {
        for (unsigned i = 0; i < 5; i++) {
            uint64_t other = i == place ? hash : hash_of(i);

            entries[i] = (tmpl_bucket_entry_t){ { other, TMPL_KIND_SEGMENT }, &value };
        }
        size_t len = write_all(entries, 5);
        assert_true(tmpl_bucket_find(bytes, len, entries[place].key, &found));
        for (unsigned bit = 0; bit < 40; bit++) {
            tmpl_key_t key = { hash ^ (uint64_t)1 << bit, TMPL_KIND_SEGMENT };

            assert_false(tmpl_bucket_find(bytes, len, key, &found));
        }
    }
}

#define KEYS    48
#define KIND(k) ((tmpl_kind_e)((k) / 5 % TMPL_KIND_COUNT))

/* What a bucket should hold: each key once, or not. */
static void assert_holds(const tmpl_bucket_t *bucket, const tmpl_value_t *held, const int *is_held)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < KEYS; i++) {
        tmpl_key_t key = { i, KIND(i) };
        tmpl_value_t value;

        assert_int_equal(tmpl_bucket_find(bucket->bytes, bucket->len, key, &value), is_held[i]);
        if (is_held[i]) {
            assert_values_equal(&value, &held[i]);
            n++;
        }
    }
    assert_int_equal(tmpl_bucket_count(bucket), n);
}

/* Entries come, come again and die, under clocks near and far: each stands there once, as it was written last. */
static void what_changes_is_there_once(void **unused)
{
    static const tmpl_policy_t policy = { .min_df = 5, .lifetime_tb = 200, .lifetime_n = 1 };
    tmpl_bucket_desk_t desk = { 0 };
    tmpl_value_t held[KEYS];
    int is_held[KEYS] = { 0 };
    tmpl_bucket_t bucket = { 0 };
    tmpl_lifetimes_t lifetimes;
    static unsigned char kept[TMPL_BUCKET_MOST];
    uint32_t now = 1, died = 0;

    (void)unused;
    apr_pool_create(&desk.pool, NULL);
    tmpl_lifetimes_init(&lifetimes, &policy);
    for (unsigned round = 0; round < 4000; round++) {
        tmpl_bucket_entry_t change[KEYS / 3];
        uint32_t n = (uint32_t)draw(draw(3) > 0 ? 4 : KEYS / 3 + 1), dead, expected = 0;
        int is_new[KEYS] = { 0 };

        now += (uint32_t)draw(round % 100 == 0 ? 20000 : 50);
        for (uint32_t i = 0, first = (uint32_t)draw(KEYS); i < n; i++) {
            uint32_t k = (first + i * 3) % KEYS; /* none twice */

            if (draw(3) == 0) {
                draw_value(&held[k], KIND(k));
                held[k].last = now - (uint32_t)draw(2) * (now > 150 ? 150 : 0);
            }
            else {
                held[k] = (tmpl_value_t){ .df = 1, .last = now };
            }
            is_held[k] = is_new[k] = 1;
            change[i] = (tmpl_bucket_entry_t){ { k, KIND(k) }, &held[k] };
        }
        for (uint32_t k = 0; k < KEYS; k++) {
            if (is_held[k] && !is_new[k] && !tmpl_value_live(&held[k], &lifetimes, now)) {
                is_held[k] = 0;
                expected++;
            }
        }
        assert_true(tmpl_bucket_update(&desk, &bucket, change, n, &lifetimes, now, &dead));
        assert_int_equal(dead, expected);
        memcpy(kept, bucket.bytes != NULL ? (const void *)bucket.bytes : "", bucket.len);
        bucket.bytes = kept;
        assert_holds(&bucket, held, is_held);
        died += dead;
    }
    assert_true(died > 500);
    apr_pool_destroy(desk.pool);
}

/* What is passed on the way to an entry takes longer than to read it. */
static void what_most_pages_ask_for_stands_in_front(void **unused)
{
    static const uint32_t expected[] = { 9, 7, 2, 1, 3 };
    tmpl_bucket_desk_t desk = { 0 };
    tmpl_bucket_t bucket = { 0 };
    tmpl_bucket_reader_t reader;
    tmpl_value_t before = { .df = 3, .last = 5 },
                 now[4] = { { .df = 1 }, { .df = 7 }, { .df = 2 }, { .df = 9 } };
    tmpl_bucket_entry_t old = { { 10, TMPL_KIND_SEGMENT }, &before }, new[4];
    tmpl_key_t key;
    tmpl_value_t value;
    uint32_t dead;

    (void)unused;
    apr_pool_create(&desk.pool, NULL);
    assert_true(tmpl_bucket_update(&desk, &bucket, &old, 1, NULL, 5, &dead));
    bucket.bytes = apr_pmemdup(desk.pool, bucket.bytes, bucket.len);
    for (uint32_t i = 0; i < 4; i++) {
        now[i].last = 6;
        new[i] = (tmpl_bucket_entry_t){ { i, TMPL_KIND_SEGMENT }, &now[i] };
    }
    assert_true(tmpl_bucket_update(&desk, &bucket, new, 4, NULL, 6, &dead));
    tmpl_bucket_open(&reader, bucket.bytes, bucket.len);
    for (uint32_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_true(tmpl_bucket_next(&reader, &key, &value));
        assert_int_equal(value.df, expected[i]);
    }
    apr_pool_destroy(desk.pool);
}

/* Two that are too long for one stay as they are. */
static void what_is_too_long_stays_apart(void **unused)
{
    enum { MANY = 8000 };
    tmpl_bucket_desk_t desk = { 0 }, other = { 0 };
    static tmpl_bucket_entry_t many[2][MANY];
    static const tmpl_value_t value = { .df = 1, .last = 1, .n = 1 };
    tmpl_bucket_t one = { 0 }, two = { 0 }, before;
    uint32_t dead;

    (void)unused;
    apr_pool_create(&desk.pool, NULL);
    other.pool = desk.pool;
    for (uint32_t i = 0; i < 2 * MANY; i++) {
        many[i / MANY][i % MANY] = (tmpl_bucket_entry_t){ { i, TMPL_KIND_SEGMENT }, &value };
    }
    assert_true(tmpl_bucket_update(&desk, &one, many[0], MANY, NULL, 1, &dead));
    assert_true(tmpl_bucket_update(&other, &two, many[1], MANY, NULL, 1, &dead));
    before = one;
    desk = (tmpl_bucket_desk_t){ .pool = desk.pool };
    assert_false(tmpl_bucket_merge(&desk, &one, &two));
    assert_ptr_equal(one.bytes, before.bytes);
    assert_int_equal(one.len, before.len);
    assert_int_equal(tmpl_bucket_count(&two), MANY);
    assert_false(tmpl_bucket_update(&desk, &one, many[1], MANY, NULL, 1, &dead));
    assert_int_equal(tmpl_bucket_count(&one), MANY);
    apr_pool_destroy(desk.pool);
}

/* One bucket more changes the place of those alone that move there, and they come from one bucket. */
static void a_split_moves_what_belongs_there(void **unused)
{
    (void)unused;
    for (uint32_t n = 1; n < 70; n++) {
        tmpl_buckets_t before = { n, 99 }, after = { n + 1, 99 };
        unsigned moved = 0;

        for (uint64_t hash = 0; hash < 3000; hash++) {
            tmpl_key_t key = { hash, TMPL_KIND_SEGMENT };
            uint32_t from = tmpl_bucket_of(&before, key), to = tmpl_bucket_of(&after, key);

            assert_true(from < n && to <= n);
            if (from != to) {
                assert_int_equal(to, n);
                assert_int_equal(from, tmpl_bucket_split_from(n));
                moved++;
            }
        }
        assert_true(moved > 0);
    }
}

/* Hashes that end in the same bits, as somebody might make them, are spread, and by no rule he can know. */
static void nobody_can_aim(void **unused)
{
    tmpl_buckets_t one = { 64, 1 }, other = { 64, 2 };
    unsigned count[64] = { 0 }, same = 0;

    (void)unused;
    for (uint64_t i = 0; i < 6400; i++) {
        tmpl_key_t key = { i << 24, TMPL_KIND_SEGMENT };

        count[tmpl_bucket_of(&one, key)]++;
        same += tmpl_bucket_of(&one, key) == tmpl_bucket_of(&other, key);
    }
    for (unsigned i = 0; i < DIM(count); i++) {
        assert_in_range(count[i], 50, 170);
    }
    assert_in_range(same, 30, 300);
}

/* Nor are there hashes that all have one place in a table of this process, wherever they differ. */
static void nobody_can_aim_at_a_place(void **unused)
{
    enum { PLACES = 1024 };

    (void)unused;
    for (unsigned shift = 0; shift <= 48; shift += 16) {
        unsigned count[PLACES] = { 0 }, most = 0;

        for (uint64_t i = 0; i < PLACES; i++) {
            uint32_t place = tmpl_slot_of(i << shift, PLACES);

            assert_in_range(place, 0, PLACES - 1);
            count[place]++;
            most = count[place] > most ? count[place] : most;
        }
        assert_in_range(most, 1, PLACES / 2);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_written_is_read),
    cmocka_unit_test(bytes_that_are_none_do_no_harm),
    cmocka_unit_test(entries_take_few_bytes),
    cmocka_unit_test(what_is_alike_stands_there_once),
    cmocka_unit_test(a_run_of_runs_is_none),
    cmocka_unit_test(every_bit_of_a_key_counts),
    cmocka_unit_test(what_changes_is_there_once),
    cmocka_unit_test(what_most_pages_ask_for_stands_in_front),
    cmocka_unit_test(what_is_too_long_stays_apart),
    cmocka_unit_test(a_split_moves_what_belongs_there),
    cmocka_unit_test(nobody_can_aim),
    cmocka_unit_test(nobody_can_aim_at_a_place),
};

static int setup(void **none)
{
    (void)none;
    bytes = malloc(ROOM);
    return bytes == NULL;
}

TAP_MAIN_WITH(tests, setup)
