/* SPDX-License-Identifier: Apache-2.0 */
/* Buckets in LMDB: as many as the entries call for, and nothing is lost where they become more or fewer. */
#include "lmdb_fixture.h"
#include "table/lmdb/lmdb_buckets.h"

/*
 * Pages learnt one by one, of sites in turn, leave the file's pages half-empty, where LMDB puts them; then buckets
 * take 15 bytes an entry. They are put in order now and then.
 */
static void pages_of_the_file_stay_full(void **state)
{
    static const tmpl_policy_t brief = {
        .min_df = 5, .lifetime_tb = 60, .lifetime_n = 1, .max_entries = 1000000
    };
    static const char *const sites[] = { "one", "two", "three" };
    ctx_t *c = *state;

    for (unsigned i = 0; i < 600; i++) {
        observe_as(c, sites[i % DIM(sites)], 2 * i, 2 * i + 1, 100 * i, 100, &brief, 1);
    }
    for (unsigned i = 0; i < DIM(sites); i++) {
        tmpl_store_stats_t stats = stats_of(c, sites[i], &brief);

        assert_true(stats.live > 6000);
        assert_in_range(stats.bytes / stats.live, 8, 12);
    }
}

/* As many buckets as the entries of one page call for, at once, be they many or more. */
static void large_pages_have_their_buckets(void **state)
{
    static const unsigned sizes[] = { 1000, 5000, 8000 };
    ctx_t *c = *state;
    apr_pool_t *pool;

    for (size_t i = 0; i < DIM(sizes); i++) {
        c->uri = backend_uri(LMDB, c->pool);
        pool = open_apart(c, 2);
        learn(c, "s", 1, 0, sizes[i]);
        apr_pool_destroy(pool);
        assert_exits(in_child_alone(c, tmpl_buckets_for(sizes[i] + 2), child_counts_buckets));
    }
}

/* A write transaction over the buckets of one site alone. */
typedef struct {
    tmpl_lmdb_t *db;
    MDB_txn *txn;
    tmpl_site_t site;
    tmpl_lmdb_buckets_t buckets;
} buckets_t;

static void buckets_begin(ctx_t *c, buckets_t *b)
{
    memset(b, 0, sizeof(*b));
    b->site.serial = 5;
    b->site.buckets = tmpl_buckets_new(0);
    assert_int_equal(tmpl_lmdb_open(&b->db, lmdb_dir(c), 1 << 24, &c->err), APR_SUCCESS);
    assert_int_equal(tmpl_lmdb_write_begin(b->db, tmpl_clock() + TIMEOUT, &b->txn), 0);
    assert_int_equal(tmpl_lmdb_buckets_begin(&b->buckets, b->db, b->txn, &b->site, c->pool), 0);
}

static void buckets_end(buckets_t *b)
{
    tmpl_lmdb_buckets_end(&b->buckets);
    assert_int_equal(tmpl_lmdb_write_end(b->db, b->txn, 0), 0);
    tmpl_lmdb_close(b->db);
}

/* The file may say that there are entries without end: no page pays for more than its own. */
static void buckets_grow_by_what_is_new(void **state)
{
    ctx_t *c = *state;
    buckets_t b;

    buckets_begin(c, &b);
    b.site.entries = UINT32_MAX;
    for (uint32_t n_new = 0; n_new < 4000; n_new += 1000) {
        uint32_t before = b.site.buckets.n;

        assert_int_equal(tmpl_lmdb_buckets_grow(&b.buckets, b.site.entries - n_new), 0);
        assert_in_range(b.site.buckets.n - before, tmpl_buckets_for(n_new),
                        64 + tmpl_buckets_for(1024 + n_new));
    }
    buckets_end(&b);
}

#define ENTRIES 2000

static int count_entry(void *baton, tmpl_key_t key, const tmpl_value_t *value)
{
    (void)key;
    *(unsigned *)baton += value->df == 1 && value->last == 1 && value->n == 1;
    return 0;
}

static void assert_all_there(buckets_t *b)
{
    unsigned found = 0;

    assert_int_equal(tmpl_lmdb_buckets_walk(&b->buckets, count_entry, &found), 0);
    assert_int_equal(found, ENTRIES);
    for (uint64_t i = 0; i < ENTRIES; i++) {
        tmpl_key_t key = { model_key((unsigned)i), TMPL_KIND_SEGMENT };
        tmpl_bucket_t bucket;
        tmpl_value_t value;

        assert_int_equal(
            tmpl_lmdb_bucket_get(&b->buckets, tmpl_bucket_of(&b->site.buckets, key), &bucket), 0);
        assert_true(tmpl_bucket_find(bucket.bytes, bucket.len, key, &value));
    }
}

/* More buckets and fewer: every entry is where it belongs, and none is lost or there twice. */
static void nothing_is_lost_on_the_way(void **state)
{
    static const tmpl_value_t value = { .df = 1, .last = 1, .n = 1 };
    ctx_t *c = *state;
    buckets_t b;
    uint32_t dead, n = 0;

    buckets_begin(c, &b);
    for (uint64_t i = 0; i < ENTRIES; i++) {
        tmpl_bucket_entry_t entry = { { model_key((unsigned)i), TMPL_KIND_SEGMENT }, &value };
        tmpl_bucket_t bucket;

        assert_int_equal(tmpl_lmdb_buckets_grow(&b.buckets, b.site.entries++), 0);
        n = tmpl_bucket_of(&b.site.buckets, entry.key);
        assert_int_equal(tmpl_lmdb_bucket_get(&b.buckets, n, &bucket), 0);
        assert_true(tmpl_bucket_update(&b.buckets.desk, &bucket, &entry, 1, NULL, 1, &dead));
        assert_int_equal(tmpl_lmdb_bucket_put(&b.buckets, n, &bucket), 0);
    }
    assert_int_equal(b.site.buckets.n, tmpl_buckets_for(ENTRIES - 1));
    assert_all_there(&b);
    for (b.site.entries = ENTRIES; b.site.entries > 0; b.site.entries /= 2) {
        do {
            n = b.site.buckets.n;
            assert_int_equal(tmpl_lmdb_buckets_shrink(&b.buckets), 0);
            assert_in_range(n - b.site.buckets.n, 0, TMPL_BUCKETS_MERGES);
        } while (b.site.buckets.n < n);
        assert_true(n <= tmpl_buckets_enough(b.site.entries));
        assert_all_there(&b);
    }
    assert_int_equal(b.site.buckets.n, 1);
    buckets_end(&b);
}

static const store_test_t table[] = {
    TEST(LMDB, pages_of_the_file_stay_full),
    TEST(LMDB, large_pages_have_their_buckets),
    TEST(LMDB, buckets_grow_by_what_is_new),
    TEST(LMDB, nothing_is_lost_on_the_way),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
