/* SPDX-License-Identifier: Apache-2.0 */
/* Entries side by side in a bucket: every form of an entry, bytes that are no entry, and the bucket
 * of each key. */
#include <stdlib.h>

#include "tap.h"

#include <apr_strings.h>

#include "base/hash.h"
#include "table/bucket.h"

#define DIM(a) (sizeof(a) / sizeof((a)[0]))
#define MOST   200

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

static apr_pool_t *pool; /* of a test */

static const unsigned char one_fingerprint[2];

static void draw_value(tmpl_value_t *value, tmpl_kind_e kind)
{
    memset(value, 0, sizeof(*value));
    value->last = draw_number();
    value->df = kind == TMPL_KIND_DOCUMENT ? 1 : 1 + draw_number() / 2;
    if (kind == TMPL_KIND_PATH) {
        value->text = draw_number();
        value->repeated = (uint32_t)draw((uint64_t)value->text + 1);
    }
    if (kind == TMPL_KIND_SEGMENT && draw(2) == 0) {
        value->n = (uint32_t)draw(TMPL_FINGERPRINTS_MAX + 1);
        value->df = draw(3) == 0 ? value->n + 1 + (uint32_t)draw(300) : value->n;
        value->df += value->df == 0;
    }
    unsigned char *fingerprints = apr_palloc(pool, 2 * (size_t)value->n + 1);

    for (uint32_t i = 0; i < value->n; i++) {
        tmpl_put_le(fingerprints + 2 * (size_t)i, draw(65536), 2);
    }
    value->fingerprints = fingerprints;
}

static void assert_values_equal(const tmpl_value_t *a, const tmpl_value_t *b)
{
    assert_int_equal(a->df, b->df);
    assert_int_equal(a->last, b->last);
    assert_int_equal(a->text, b->text);
    assert_int_equal(a->repeated, b->repeated);
    assert_int_equal(a->n, b->n);
    for (uint32_t i = 0; i < a->n; i++) {
        assert_int_equal(tmpl_value_fingerprint(a, i), tmpl_value_fingerprint(b, i));
    }
}

static tmpl_value_t values[MOST];
static tmpl_entry_t entries[MOST];

/* Entries as a bucket, in their order. */
static tmpl_bucket_t write_all(const tmpl_entry_t *all, uint32_t n)
{
    static tmpl_bucket_row_t rows[MOST];
    static unsigned char rests[MOST][TMPL_BUCKET_REST_MOST];
    tmpl_bucket_t bucket;

    for (uint32_t i = 0; i < n; i++) {
        tmpl_bucket_row(&rows[i], all[i].key, all[i].value, rests[i]);
    }
    assert_true(tmpl_bucket_write(&bucket, rows, n, pool));
    return bucket;
}

static uint64_t hash_of(uint32_t i)
{
    return i * 0x9E3779B97F4A7C15U & TMPL_HASH_MASK;
}

static int find(const tmpl_bucket_t *bucket, tmpl_key_t key, tmpl_value_t *value)
{
    tmpl_bucket_columns_t columns;

    (void)tmpl_bucket_open(&columns, bucket);
    return tmpl_bucket_find(&columns, key, value);
}

/* n random entries, written; some of them differ in their kind only, some in their key. */
static tmpl_bucket_t write_some(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        tmpl_kind_e kind = (tmpl_kind_e)(i % TMPL_KIND_COUNT);

        draw_value(&values[i], kind);
        entries[i].key = (tmpl_key_t){ hash_of(i / TMPL_KIND_COUNT), kind };
        entries[i].value = &values[i];
    }
    return write_all(entries, n);
}

/* The value of a key among the first n entries. */
static const tmpl_value_t *value_of(tmpl_key_t key, uint32_t n)
{
    uint32_t i = 0;

    while (i < n && (entries[i].key.hash != key.hash || entries[i].key.kind != key.kind)) {
        i++;
    }
    return i < n ? &values[i] : NULL;
}

static void what_is_written_is_read(void **unused)
{
    static tmpl_bucket_row_t rows[MOST];

    (void)unused;
    for (uint32_t n = 0; n < MOST; n++) {
        tmpl_bucket_t bucket = write_some(n);
        tmpl_value_t value;

        assert_int_equal(bucket.len == 0, n == 0);
        assert_int_equal(tmpl_bucket_count(&bucket), n);
        assert_int_equal(tmpl_bucket_read(rows, &bucket), n);
        for (uint32_t i = 0; i < n; i++) {
            const tmpl_value_t *is = value_of(tmpl_bucket_key(&rows[i]), n);

            assert_non_null(is);
            tmpl_bucket_value(&value, &rows[i]);
            assert_values_equal(&value, is);
            assert_int_equal(rows[i].df, is->df);
            assert_true(find(&bucket, entries[i].key, &value));
            assert_values_equal(&value, &values[i]);
        }
        assert_false(find(&bucket, (tmpl_key_t){ 1, TMPL_KIND_SEGMENT }, &value));
        apr_pool_clear(pool);
    }
}

/* Entries of one tag, so many that their number takes several runs; some of another tag. */
static void long_runs_are_read(void **unused)
{
    static const uint32_t sizes[] = { 254, 255, 256, 511, 600 };
    static tmpl_bucket_row_t rows[600], read[600];
    static unsigned char rests[600][TMPL_BUCKET_REST_MOST];

    (void)unused;
    for (size_t s = 0; s < DIM(sizes); s++) {
        tmpl_bucket_t bucket;
        tmpl_value_t value;

        for (uint32_t i = 0; i < sizes[s]; i++) {
            tmpl_kind_e kind = i % 50 == 7 ? TMPL_KIND_PATH : TMPL_KIND_SEGMENT;

            value = (tmpl_value_t){ .df = 1 + i, .last = 100 + i };
            tmpl_bucket_row(&rows[i], (tmpl_key_t){ hash_of(i), kind }, &value, rests[i]);
        }
        assert_true(tmpl_bucket_write(&bucket, rows, sizes[s], pool));
        assert_int_equal(tmpl_bucket_read(read, &bucket), sizes[s]);
        for (uint32_t i = 0; i < sizes[s]; i++) {
            tmpl_kind_e kind = i % 50 == 7 ? TMPL_KIND_PATH : TMPL_KIND_SEGMENT;

            assert_true(find(&bucket, (tmpl_key_t){ hash_of(i), kind }, &value));
            assert_int_equal(value.df, 1 + i);
            assert_int_equal(value.last, 100 + i);
        }
        apr_pool_clear(pool);
    }
}

/* A bucket that is cut short or altered is read without a step beside it, and gives values that
 * make sense. */
static void bytes_that_are_none_do_no_harm(void **unused)
{
    static tmpl_bucket_row_t rows[MOST];

    (void)unused;
    for (unsigned round = 0; round < 20000; round++) {
        tmpl_bucket_t whole = write_some((uint32_t)draw(6)), bucket;
        size_t cut = draw(2) == 0 ? whole.len : (size_t)draw(whole.len + 1);
        unsigned char *copy = malloc(cut > 0 ? cut : 1); /* of just that size: for the sanitizers */
        tmpl_value_t value;
        uint32_t n;

        if (cut > 0) {
            memcpy(copy, whole.bytes, cut);
        }
        for (unsigned i = 0; cut > 0 && i < 3; i++) {
            copy[draw(cut)] = (unsigned char)draw(256);
        }
        bucket = (tmpl_bucket_t){ copy, cut };
        n = tmpl_bucket_read(rows, &bucket);
        assert_true(n <= cut / TMPL_BUCKET_ENTRY_LEAST && n <= tmpl_bucket_count(&bucket));
        for (uint32_t i = 0; i < n; i++) {
            assert_true(tmpl_bucket_key(&rows[i]).kind < TMPL_KIND_COUNT);
            tmpl_bucket_value(&value, &rows[i]);
            assert_true(value.n <= TMPL_FINGERPRINTS_MAX && value.n <= value.df);
            assert_true(value.repeated <= value.text);
        }
        for (uint32_t i = 0; i < 2; i++) {
            find(&bucket, (tmpl_key_t){ hash_of(i), TMPL_KIND_SEGMENT }, &value);
        }
        free(copy);
        apr_pool_clear(pool);
    }
}

static size_t size_of(tmpl_kind_e kind, tmpl_value_t *value)
{
    tmpl_value_t first = { .df = 1, .last = value->last - 300 }; /* an age takes two bytes */
    tmpl_entry_t all[] = { { { 1, TMPL_KIND_DOCUMENT }, &first },
                           { { 2, kind }, value },
                           { { 3, kind }, value } };

    return write_all(all, 3).len - write_all(all, 2).len;
}

static void entries_take_few_bytes(void **unused)
{
    tmpl_value_t once = { .df = 1, .last = 70000, .n = 1, .fingerprints = one_fingerprint };
    tmpl_value_t template = { .df = 90, .last = 70000 };
    tmpl_value_t document = { .df = 1, .last = 70000 };
    tmpl_value_t path = { .df = 90, .last = 70000, .text = 9000, .repeated = 8900 };

    (void)unused;
    assert_int_equal(size_of(TMPL_KIND_SEGMENT, &once), 9);
    assert_int_equal(size_of(TMPL_KIND_SEGMENT, &template), 11);
    assert_int_equal(size_of(TMPL_KIND_DOCUMENT, &document), 7);
    assert_int_equal(size_of(TMPL_KIND_PATH, &path), 19);
}

/* A key is all 40 bits of it, so a site of n entries is mistaken for a new text with probability n
 * / 2^40. */
static void every_bit_of_a_key_counts(void **unused)
{
    static tmpl_value_t value = { .df = 1, .last = 9, .n = 1, .fingerprints = one_fingerprint };
    const uint64_t hash = hash_of(77);
    tmpl_value_t found;

    (void)unused;
    assert_int_equal(TMPL_HASH_MASK, ((uint64_t)1 << 40) - 1);
    for (unsigned rank = 0; rank < 20; rank++) {
        for (unsigned i = 0; i < 20; i++) {
            uint64_t other = i == rank ? hash : hash_of(i);

            entries[i] = (tmpl_entry_t){ { other, TMPL_KIND_SEGMENT }, &value };
        }
        tmpl_bucket_t bucket = write_all(entries, 20);
        assert_true(find(&bucket, entries[rank].key, &found));
        for (unsigned bit = 0; bit < 40; bit++) {
            tmpl_key_t key = { hash ^ (uint64_t)1 << bit, TMPL_KIND_SEGMENT };

            assert_false(find(&bucket, key, &found));
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

        assert_int_equal(find(bucket, key, &value), is_held[i]);
        if (is_held[i]) {
            assert_values_equal(&value, &held[i]);
            n++;
        }
    }
    assert_int_equal(tmpl_bucket_count(bucket), n);
}

/* Entries come, come again and die, under clocks near and far: each stands there once, as it was
 * written last. */
static void what_changes_is_there_once(void **unused)
{
    static const tmpl_policy_t policy = { .min_df = 5, .lifetime_tb = 200, .lifetime_n = 1 };
    tmpl_bucket_scratch_t scratch = { .pool = pool };
    tmpl_value_t held[KEYS];
    int is_held[KEYS] = { 0 };
    tmpl_bucket_t bucket = { 0 };
    const tmpl_lifetimes_t *lifetimes = tmpl_lifetimes(&policy);
    uint32_t now = 1, died = 0;

    (void)unused;
    for (unsigned round = 0; round < 4000; round++) {
        tmpl_entry_t change[KEYS / 3];
        uint32_t n = (uint32_t)draw(draw(3) > 0 ? 4 : KEYS / 3 + 1), dead, expected = 0;
        int is_new[KEYS] = { 0 };

        now += (uint32_t)draw(round % 100 == 0 ? 20000 : 50);
        for (uint32_t i = 0, first = (uint32_t)draw(KEYS); i < n; i++) {
            uint32_t k = (first + i * 3) % KEYS; /* none twice */

            draw_value(&held[k], KIND(k));
            held[k].last = now - (uint32_t)draw(2) * (now > 150 ? 150 : 0);
            is_held[k] = is_new[k] = 1;
            change[i] = (tmpl_entry_t){ { k, KIND(k) }, &held[k] };
        }
        for (uint32_t k = 0; k < KEYS; k++) {
            if (is_held[k] && !is_new[k] && !tmpl_value_live(&held[k], lifetimes, now)) {
                is_held[k] = 0;
                expected++;
            }
        }
        tmpl_bucket_limit_t limit = { lifetimes, now };
        assert_true(tmpl_bucket_update(&bucket, change, n, &limit, &dead, &scratch));
        assert_int_equal(dead, expected);
        assert_holds(&bucket, held, is_held);
        died += dead;
    }
    assert_true(died > 500);
}

/* What would make a bucket too long is not put there. */
static void what_is_too_long_stays_out(void **unused)
{
    enum { MANY = 5000 };
    static tmpl_entry_t many[2][MANY];
    static tmpl_value_t value = { .df = 1, .last = 1, .n = 1, .fingerprints = one_fingerprint };
    tmpl_bucket_scratch_t scratch = { .pool = pool };
    tmpl_bucket_t one = { 0 }, before;
    uint32_t dead;

    (void)unused;
    for (uint32_t i = 0; i < 2 * MANY; i++) {
        many[i / MANY][i % MANY] = (tmpl_entry_t){ { i, TMPL_KIND_SEGMENT }, &value };
    }
    assert_true(tmpl_bucket_update(&one, many[0], MANY, NULL, &dead, &scratch));
    before = one;
    assert_false(tmpl_bucket_update(&one, many[1], MANY, NULL, &dead, &scratch));
    assert_ptr_equal(one.bytes, before.bytes);
    assert_int_equal(one.len, before.len);
    assert_int_equal(tmpl_bucket_count(&one), MANY);
}

static uint32_t bucket_of(tmpl_key_t key, uint32_t n, uint64_t salt)
{
    return tmpl_bucket_at(tmpl_bucket_rank(salt, key), n);
}

/* More and more buckets: every entry is where it belongs, and none is lost or there twice. */
static void nothing_is_lost_on_the_way(void **unused)
{
    enum { KEYS_OF_ALL = 500, BUCKETS = 40 };
    static tmpl_value_t value = { .df = 1, .last = 1, .n = 1, .fingerprints = one_fingerprint };
    tmpl_bucket_scratch_t scratch = { .pool = pool };
    tmpl_bucket_t buckets[BUCKETS] = { { 0 } };
    uint32_t dead;

    (void)unused;
    for (uint32_t i = 0; i < KEYS_OF_ALL; i++) {
        tmpl_entry_t entry = { { hash_of(i), TMPL_KIND_SEGMENT }, &value };

        assert_true(tmpl_bucket_update(&buckets[0], &entry, 1, NULL, &dead, &scratch));
    }
    for (uint32_t n = 2; n <= BUCKETS; n++) {
        uint32_t found = 0;

        tmpl_bucket_split(&buckets[tmpl_bucket_split_from(n - 1)], &buckets[n - 1], n, 7, &scratch);
        for (uint32_t i = 0; i < BUCKETS; i++) {
            found += tmpl_bucket_count(&buckets[i]);
        }
        assert_int_equal(found, KEYS_OF_ALL);
        for (uint32_t i = 0; i < KEYS_OF_ALL; i++) {
            tmpl_key_t key = { hash_of(i), TMPL_KIND_SEGMENT };
            tmpl_value_t is;

            assert_true(find(&buckets[bucket_of(key, n, 7)], key, &is));
        }
    }
}

/* One bucket more changes the rank of those alone that move there, and they come from one bucket.
 */
static void a_split_moves_what_belongs_there(void **unused)
{
    (void)unused;
    for (uint32_t n = 1; n < 70; n++) {
        unsigned moved = 0;

        for (uint64_t hash = 0; hash < 3000; hash++) {
            tmpl_key_t key = { hash, TMPL_KIND_SEGMENT };
            uint32_t from = bucket_of(key, n, 99), to = bucket_of(key, n + 1, 99);

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

/* In the order of ranks each bucket comes once, at its least rank. */
static void places_go_through_all_buckets(void **unused)
{
    (void)unused;
    for (uint32_t n = 1; n < 300; n++) {
        unsigned char seen[300] = { 0 };
        uint32_t rank = 0, found = 0;

        do {
            uint32_t bucket = tmpl_bucket_at(rank, n), next = tmpl_bucket_next(rank, n);

            assert_true(bucket < n && !seen[bucket]);
            assert_int_equal(tmpl_bucket_first(bucket), rank);
            assert_int_equal(tmpl_bucket_at(next - 1, n), bucket);
            seen[bucket] = 1;
            found++;
            rank = next;
        } while (rank != 0);
        assert_int_equal(found, n);
    }
}

/* A head may say that there are entries without end, or none: no page pays for more than its own
 * and some. */
static void buckets_grow_by_what_is_new(void **unused)
{
    (void)unused;
    for (uint32_t n_new = 0; n_new < 4000; n_new += 1000) {
        uint32_t n = tmpl_buckets_wanted(10, UINT32_MAX - n_new, UINT32_MAX);

        assert_in_range(n - 10, tmpl_buckets_for(n_new), 64 + tmpl_buckets_for(1024 + n_new));
        assert_int_equal(tmpl_buckets_wanted(1000, n_new, 0), 1000);
    }
    assert_int_equal(tmpl_buckets_wanted(tmpl_buckets_for(5000), 5000, 5000),
                     tmpl_buckets_for(5000));
    assert_int_equal(tmpl_buckets_wanted(tmpl_buckets_for(5000), 5000, 4500),
                     tmpl_buckets_for(5000));
    assert_int_equal(tmpl_buckets_for(UINT64_MAX / 2), TMPL_BUCKETS_MOST);
}

static void heads_are_read_as_written(void **unused)
{
    tmpl_head_t head = { { 1, (uint64_t)2 << 40, (uint64_t)3 << 40, 1 }, 4, (uint64_t)5 << 40, 6 },
                is;
    unsigned char bytes[TMPL_HEAD_SIZE];

    (void)unused;
    tmpl_head_pack(bytes, &head);
    assert_true(tmpl_head_unpack(&is, bytes, sizeof(bytes)));
    assert_int_equal(is.site.pages, 1);
    assert_int_equal(is.site.version, (uint64_t)2 << 40);
    assert_int_equal(is.site.entries, (uint64_t)3 << 40);
    assert_true(is.site.frozen);
    assert_int_equal(is.n, 4);
    assert_int_equal(is.salt, (uint64_t)5 << 40);
    assert_int_equal(is.swept, 6);
    assert_false(tmpl_head_unpack(&is, bytes, sizeof(bytes) - 1));
    head.n = TMPL_BUCKETS_MOST + 1;
    tmpl_head_pack(bytes, &head);
    assert_false(tmpl_head_unpack(&is, bytes, sizeof(bytes)));
}

/* Hashes that end in the same bits, as somebody might make them, are spread, and by no rule he can
 * know. */
static void nobody_can_aim(void **unused)
{
    unsigned count[64] = { 0 }, same = 0;

    (void)unused;
    for (uint64_t i = 0; i < 6400; i++) {
        tmpl_key_t key = { i << 24, TMPL_KIND_SEGMENT };

        count[bucket_of(key, 64, 1)]++;
        same += bucket_of(key, 64, 1) == bucket_of(key, 64, 2);
    }
    for (unsigned i = 0; i < DIM(count); i++) {
        assert_in_range(count[i], 50, 170);
    }
    assert_in_range(same, 30, 300);
}

/* Nor are there hashes that all have one rank in a table of this process, wherever they differ. */
static void nobody_can_aim_at_a_place(void **unused)
{
    enum { PLACES = 1024 };

    (void)unused;
    for (unsigned shift = 0; shift <= 48; shift += 16) {
        unsigned count[PLACES] = { 0 }, most = 0;

        for (uint64_t i = 0; i < PLACES; i++) {
            uint32_t rank = tmpl_slot_of(i << shift, PLACES);

            assert_in_range(rank, 0, PLACES - 1);
            count[rank]++;
            most = count[rank] > most ? count[rank] : most;
        }
        assert_in_range(most, 1, PLACES / 2);
    }
}

static int pool_begin(void **unused)
{
    (void)unused;
    apr_pool_create(&pool, NULL);
    return 0;
}

static int pool_end(void **unused)
{
    (void)unused;
    apr_pool_destroy(pool);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pool_begin, pool_end)

static const struct CMUnitTest tests[] = {
    TEST(what_is_written_is_read),
    TEST(long_runs_are_read),
    TEST(bytes_that_are_none_do_no_harm),
    TEST(entries_take_few_bytes),
    TEST(every_bit_of_a_key_counts),
    TEST(what_changes_is_there_once),
    TEST(what_is_too_long_stays_out),
    TEST(nothing_is_lost_on_the_way),
    TEST(a_split_moves_what_belongs_there),
    TEST(places_go_through_all_buckets),
    TEST(buckets_grow_by_what_is_new),
    TEST(heads_are_read_as_written),
    TEST(nobody_can_aim),
    TEST(nobody_can_aim_at_a_place),
};

TAP_MAIN(tests)
