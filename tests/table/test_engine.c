/* SPDX-License-Identifier: Apache-2.0 */
/* The engine over a site that others change while it is read. */
#include "check.h"

#include <string.h>

#include <apr_strings.h>

#include "table/bucket.h"
#include "table/engine.h"
#include "table/store.h"

#define ENTRIES 100

/* A site of one bucket, which is split after the first call of get. */
typedef struct {
    tmpl_bucket_t one, two[2];
    unsigned unsteady; /* calls of get for which each has another salt */
    unsigned gets;
} site_t;

static apr_status_t begin(tmpl_txn_t *txn)
{
    (void)txn;
    return APR_SUCCESS;
}

/* Buckets come with the head of their moment. */
static apr_status_t get(tmpl_txn_t *txn, tmpl_numbered_t *buckets, uint32_t n)
{
    site_t *site = txn->ctx;
    int is_split = site->gets++ > 0;

    txn->found = 1;
    txn->head = (tmpl_head_t){ .site = { 7, 0, ENTRIES, 0 }, .n = 1, .salt = 1 };
    if (is_split) {
        txn->head.n = 2;
        txn->head.salt += site->gets < site->unsteady ? site->gets : 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        buckets[i].is = is_split ? site->two[buckets[i].number] : site->one;
    }
    return APR_SUCCESS;
}

static void end(tmpl_txn_t *txn)
{
    (void)txn;
}

static const tmpl_provider_t changing = {
    .scheme = "changing:", .begin = begin, .get = get, .end = end
};

static void site_make(site_t *site, apr_pool_t *pool)
{
    tmpl_bucket_scratch_t scratch = { .pool = pool };
    tmpl_entry_t entries[ENTRIES];
    tmpl_value_t value = { .df = 1, .last = 1 };
    uint32_t dead;

    *site = (site_t){ 0 };
    for (uint32_t i = 0; i < ENTRIES; i++) {
        entries[i] = (tmpl_entry_t){ { 1000 + i, TMPL_KIND_SEGMENT }, &value };
    }
    assert_true(tmpl_bucket_update(&site->one, entries, ENTRIES, NULL, &dead, &scratch));
    site->two[0] = site->one;
    tmpl_bucket_split(&site->two[0], &site->two[1], 2, 1, &scratch);
}

static apr_status_t count(void *baton, const tmpl_entry_t *entry)
{
    (void)entry;
    ++*(unsigned *)baton;
    return APR_SUCCESS;
}

static void an_export_has_all_entries_of_a_site_that_grows(void **state)
{
    tmpl_store_stats_t head = { 0 };
    tmpl_error_t err;
    site_t site;
    tmpl_engine_t engine = { &changing, &site, apr_time_from_sec(30) };
    unsigned n = 0;

    site_make(&site, *state);
    assert_int_equal(tmpl_store_export(&engine, "s", &head, count, &n, &err, *state), APR_SUCCESS);
    assert_int_equal(n, ENTRIES);
    assert_int_equal(head.pages, 7);
}

static void an_export_of_a_site_that_never_rests_fails(void **state)
{
    tmpl_store_stats_t head = { 0 };
    tmpl_error_t err;
    site_t site;
    tmpl_engine_t engine = { &changing, &site, apr_time_from_sec(30) };
    unsigned n = 0;

    site_make(&site, *state);
    site.unsteady = 1000;
    assert_int_equal(tmpl_store_export(&engine, "s", &head, count, &n, &err, *state), APR_EBUSY);
    assert_int_equal(n, 0);
}

/* How many answers of get are in memory at the same time, and the most so far. */
typedef struct {
    int live, most;
} answers_t;

static apr_status_t answer_freed(void *data)
{
    ((answers_t *)data)->live--;
    return APR_SUCCESS;
}

static apr_status_t get_nothing(tmpl_txn_t *txn, tmpl_numbered_t *buckets, uint32_t n)
{
    answers_t *answers = txn->ctx;

    memset(buckets, 0, n * sizeof(*buckets));
    txn->found = 1;
    txn->head = (tmpl_head_t){ .n = 1 << 20 };
    answers->live++;
    answers->most = answers->live > answers->most ? answers->live : answers->most;
    apr_pool_cleanup_register(txn->pool, answers, answer_freed, apr_pool_cleanup_null);
    return APR_SUCCESS;
}

/* A damaged head names buckets without end: they must not all be in memory. */
static void an_export_frees_what_it_has_read(void **state)
{
    static const tmpl_provider_t endless = {
        .scheme = "endless:", .begin = begin, .get = get_nothing, .end = end
    };
    tmpl_store_stats_t head = { 0 };
    tmpl_error_t err;
    answers_t answers = { 0 };
    tmpl_engine_t engine = { &endless, &answers, apr_time_from_sec(30) };
    unsigned n = 0;

    assert_int_equal(tmpl_store_export(&engine, "s", &head, count, &n, &err, *state), APR_SUCCESS);
    assert_int_equal(answers.live, 0);
    assert_true(answers.most <= 4);
}

static const struct CMUnitTest tests[] = {
    CHECK(an_export_frees_what_it_has_read),
    CHECK(an_export_has_all_entries_of_a_site_that_grows),
    CHECK(an_export_of_a_site_that_never_rests_fails),
};

TAP_MAIN(tests)
