/* SPDX-License-Identifier: Apache-2.0 */
/* What every store must count: one suite, run over each kind, and over a model. */
#include "store_fixture.h"

static void counts_documents(void **state)
{
    ctx_t *c = *state;

    for (unsigned i = 1; i <= 8; i++) {
        learn(c, "s", i, 0, i); /* page i has keys 0 .. i - 1 */
        assert_true(c->counts.counted);
        assert_int_equal(c->counts.pages, i);
        for (unsigned k = 0; k < i; k++) {
            assert_int_equal(c->counts.records[k].df, i - k);
            assert_int_equal(c->counts.records[k].last, i);
        }
    }
    look(c, "s", 0, 9);
    assert_false(c->counts.counted);
    assert_int_equal(c->counts.pages, 8);
    for (unsigned k = 0; k < 8; k++) {
        assert_int_equal(c->counts.records[k].df, 8 - k);
        assert_int_equal(c->counts.records[k].last, 8);
    }
    assert_int_equal(c->counts.records[8].df, 0);
    assert_int_equal(c->counts.records[8].last, 0);
}

static void same_page_again_counts_nothing(void **state)
{
    ctx_t *c = *state;

    for (int i = 0; i < 100; i++) {
        learn(c, "s", 1, 0, 30);
        assert_int_equal(c->counts.counted, i == 0);
        assert_int_equal(c->counts.pages, 1);
        assert_int_equal(c->counts.version, 0);
        for (unsigned k = 0; k < 30; k++) {
            assert_int_equal(c->counts.records[k].df, 1);
        }
    }
}

static void same_text_under_other_ids_counts_nothing(void **state)
{
    ctx_t *c = *state;

    for (unsigned i = 0; i < 20; i++) {
        observe_as(c, "s", 10 + i, 9, 0, 5, &usual, 1);
        assert_int_equal(c->counts.counted, i == 0);
        assert_int_equal(c->counts.pages, 1);
        assert_int_equal(c->counts.records[4].df, 1);
    }
}

/* A page edited ten times is one page: what stays stays at 1, what is new in it is seen once. */
static void same_id_with_changed_text(void **state)
{
    ctx_t *c = *state;

    for (unsigned i = 0; i < 10; i++) {
        observe_as(c, "s", 7, 20 + i, i, 5, &usual, 1);
        assert_int_equal(c->counts.counted, i == 0);
        assert_int_equal(c->counts.pages, 1);
        for (unsigned k = 0; k < 5; k++) {
            assert_int_equal(c->counts.records[k].df, 1);
        }
    }
    /* and does not raise what is template already */
    for (unsigned i = 0; i < 6; i++) {
        learn(c, "s", 100 + i, 50, 1);
    }
    assert_int_equal(c->counts.records[0].df, 6);
    observe_as(c, "s", 7, 60, 50, 1, &usual, 1);
    assert_int_equal(c->counts.records[0].df, 6);
}

static void version_grows_when_min_df_is_reached(void **state)
{
    ctx_t *c = *state;
    static const uint64_t versions[] = { 0, 0, 0, 0, 3, 3, 3 };

    for (unsigned i = 0; i < DIM(versions); i++) {
        learn(c, "s", i, 0, 3);
        assert_int_equal(c->counts.version, versions[i]);
        assert_int_equal(c->counts.records[2].df, i + 1);
    }
    learn(c, "s", 90, 10, 3);
    assert_int_equal(c->counts.version, 3);
    assert_int_equal(stats_of(c, "s", &usual).template, 3);
}

/* Two documents with the same 16 bits of id: below min_df they are taken for one, as designed. */
static void fingerprints_are_16_bits(void **state)
{
    ctx_t *c = *state;

    assert_int_equal(model_document(3) & 0xffff, model_document(100) & 0xffff);
    observe_as(c, "s", 3, 4, 0, 1, &usual, 1);
    observe_as(c, "s", 100, 101, 0, 1, &usual, 1);
    assert_true(c->counts.counted);
    assert_int_equal(c->counts.pages, 2);
    assert_int_equal(c->counts.records[0].df, 1);
    assert_int_equal(c->counts.records[0].last, 2);
}

static void entries_die_after_their_lifetime(void **state)
{
    ctx_t *c = *state;
    tmpl_policy_t policy = { .min_df = 5, .lifetime_tb = 10, .lifetime_n = 3, .max_entries = 100 };

    assert_int_equal(tmpl_lifetime(&policy, 2), 17); /* 30 / (1 + 2 / e) */
    observe_as(c, "s", 0, 1, 0, 2, &policy, 1);      /* keys 0 and 1 at clock 1 */
    observe_as(c, "s", 2, 3, 1, 1, &policy, 1);      /* key 1 again at clock 2: it lives until 19 */
    pass_pages(c, "s", 50, 9, &policy);
    observe_as(c, "s", 0, 0, 0, 2, &policy, 0);
    assert_int_equal(c->counts.pages, 11);
    assert_int_equal(c->counts.records[0].df, 1);
    pass_pages(c, "s", 70, 1, &policy);
    observe_as(c, "s", 0, 0, 0, 2, &policy, 0);
    assert_int_equal(c->counts.records[0].df, 0);
    assert_int_equal(c->counts.records[0].last, 0);
    assert_int_equal(c->counts.records[1].df, 2);
    assert_int_equal(c->counts.records[1].last, 2);
    pass_pages(c, "s", 80, 7, &policy);
    observe_as(c, "s", 0, 0, 0, 2, &policy, 0);
    assert_int_equal(c->counts.records[1].df, 2);
    pass_pages(c, "s", 90, 1, &policy);
    observe_as(c, "s", 0, 0, 0, 2, &policy, 0);
    assert_int_equal(c->counts.records[1].df, 0);
    /* the first page is forgotten as a document as well: it is new, and begins the entries anew */
    observe_as(c, "s", 0, 1, 0, 2, &policy, 1);
    assert_true(c->counts.counted);
    assert_int_equal(c->counts.records[1].df, 1);
    assert_int_equal(c->counts.records[1].last, 21);
}

/*
 * Dead entries count as absent though no sweeper has come by: all of them die at one stroke, by a
 * policy with a shorter life, after which nothing is written.
 */
static void death_needs_no_sweeper(void **state)
{
    ctx_t *c = *state;
    tmpl_policy_t brief = { .min_df = 5, .lifetime_tb = 2, .lifetime_n = 1, .max_entries = 10000 };

    for (unsigned i = 0; i < 4; i++) {
        learn(c, "s", i, 60 * i, 60);
    }
    observe_as(c, "s", 0, 0, 0, 240, &brief, 0);
    for (unsigned k = 0; k < 240; k++) {
        assert_int_equal(c->counts.records[k].df, k >= 60);
    }
    assert_int_equal(stats_of(c, "s", &usual).entries, 4 * 60 + 8);
    assert_int_equal(stats_of(c, "s", &brief).live, 3 * 60 + 6);
}

static void known_text_keeps_its_entries_alive(void **state)
{
    ctx_t *c = *state;
    tmpl_policy_t policy = { .min_df = 5, .lifetime_tb = 20, .lifetime_n = 1, .max_entries = 1000 };
    table_t *before;

    observe_as(c, "s", 0, 1, 0, 3, &policy, 1);
    pass_pages(c, "s", 50, 4, &policy);
    before = table_of(c, "s");
    /* 4 pages old, younger than 20 / 4: nothing is written */
    observe_as(c, "s", 0, 1, 0, 3, &policy, 1);
    assert_int_equal(c->counts.records[0].last, 1);
    assert_tables_equal(before, table_of(c, "s"));
    pass_pages(c, "s", 60, 1, &policy);
    observe_as(c, "s", 0, 1, 0, 3, &policy, 1);
    assert_false(c->counts.counted);
    assert_int_equal(c->counts.pages, 6);
    assert_int_equal(c->counts.records[0].last, 6);
    assert_int_equal(c->counts.records[0].df, 1);
    pass_pages(c, "s", 70, 20, &policy);
    observe_as(c, "s", 0, 0, 0, 3, &policy, 0);
    assert_int_equal(c->counts.records[2].df, 1); /* seen at 6, now it is 26 */
    pass_pages(c, "s", 90, 1, &policy);
    observe_as(c, "s", 0, 0, 0, 3, &policy, 0);
    assert_int_equal(c->counts.records[2].df, 0);
}

static void full_site_takes_no_new_keys(void **state)
{
    ctx_t *c = *state;
    tmpl_policy_t policy = usual;

    policy.max_entries = 12;
    observe_as(c, "s", 0, 1, 0, 5, &policy, 1); /* with its document 7 entries */
    observe_as(c, "s", 2, 3, 4, 8, &policy, 1); /* one known, room for 5 of 7 */
    for (unsigned k = 0; k < 6; k++) {
        assert_int_equal(c->counts.records[k].df, k == 0 ? 2 : 1);
    }
    assert_int_equal(c->counts.records[6].df, 0);
    assert_int_equal(c->counts.records[7].df, 0);
    assert_int_equal(stats_of(c, "s", &policy).entries,
                     14); /* documents are entered all the same */
    /* what is in goes on counting, a flood of new keys changes nothing for it */
    for (unsigned i = 2; i < 10; i++) {
        observe_as(c, "s", 2 * i, 2 * i + 1, 20 * i, 20, &policy, 1);
        assert_int_equal(c->counts.records[7].df, 0);
        assert_int_equal(c->counts.pages, i * 2 - 1);
        observe_as(c, "s", 2 * i + 100, 2 * i + 101, 0, 5, &policy, 1);
        assert_int_equal(c->counts.records[0].df, i);
    }
    assert_int_equal(stats_of(c, "s", &policy).template, 5);
}

static void looking_changes_nothing(void **state)
{
    ctx_t *c = *state;
    table_t *before;

    look(c, "unknown", 0, 10);
    assert_int_equal(c->counts.pages, 0);
    assert_unknown(c, "unknown");
    for (unsigned i = 0; i < 6; i++) {
        learn(c, "s", i, 0, 10);
    }
    before = table_of(c, "s");
    for (unsigned i = 0; i < 10; i++) {
        observe_as(c, "s", 70 + i, 90 + i, 5, 30, &usual, 0);
        assert_int_equal(c->counts.records[0].df, 6);
        assert_int_equal(c->counts.records[20].df, 0);
    }
    assert_tables_equal(before, table_of(c, "s"));
}

static void bad_names_are_refused(void **state)
{
    ctx_t *c = *state;
    char site[TMPL_SITE_MAX + 2];

    memset(site, 'z', sizeof(site));
    site[sizeof(site) - 1] = '\0';
    assert_int_equal(try_observe(c, site, 1, 2, 0, 1, &usual, 1, TIMEOUT), APR_EINVAL);
    assert_int_equal(try_observe(c, "", 1, 2, 0, 1, &usual, 1, TIMEOUT), APR_EINVAL);
    assert_int_equal(sites_of(c)->nelts, 0);
}

static void many_keys(void **state)
{
    ctx_t *c = *state;

    for (unsigned i = 1; i <= 3; i++) {
        learn(c, "s", i, 0, 20000);
        for (unsigned k = 0; k < 20000; k++) {
            assert_int_equal(c->counts.records[k].df, i);
        }
    }
    assert_int_equal(stats_of(c, "s", &usual).live, 20006);
}

/* A site that has one small page gets more at once than it has ever held, and has it all. */
static void many_pages_at_once_fit_a_small_site(void **state)
{
    enum { PAGES = 64, KEYS = 200 };
    ctx_t *c = *state;
    const tmpl_observation_t *pages[PAGES];
    tmpl_observation_t page[PAGES];
    tmpl_document_t document[PAGES];
    uint32_t counted;

    learn(c, "s", 0, 0, 10);
    for (unsigned i = 0; i < PAGES; i++) {
        document[i] = (tmpl_document_t){ model_document(2 * i + 2), model_document(2 * i + 3) };
        page[i] = (tmpl_observation_t){ .site = "s",
                                        .document = &document[i],
                                        .keys = keys_of(c->pool, 10 + i * KEYS, KEYS),
                                        .n = KEYS,
                                        .policy = &usual };
        pages[i] = &page[i];
    }
    assert_int_equal(tmpl_store_learn(c->store, pages, PAGES, TIMEOUT, &counted, &c->err, c->pool),
                     APR_SUCCESS);
    assert_int_equal(counted, PAGES);
    look(c, "s", 0, 10 + PAGES * KEYS);
    for (unsigned i = 0; i < 10 + PAGES * KEYS; i++) {
        assert_int_equal(c->counts.records[i].df, 1);
    }
    assert_int_equal(table_of(c, "s")->entries->nelts, 10 + PAGES * KEYS + 2 * (PAGES + 1));
}

/* Pages of nothing but new keys: the table holds what is alive and not much more. */
static void sweeper_bounds_the_table(void **state)
{
    ctx_t *c = *state;
    tmpl_policy_t policy = {
        .min_df = 5, .lifetime_tb = 10, .lifetime_n = 10, .max_entries = 100000
    };
    tmpl_store_stats_t stats;

    for (unsigned i = 0; i < 300; i++) {
        observe_as(c, "s", 2 * i, 2 * i + 1, 100 + 50 * i, 50, &policy, 1);
    }
    stats = stats_of(c, "s", &policy);
    assert_int_equal(stats.live, 11 * 52);
    assert_in_range(stats.entries, stats.live, 2 * stats.live);
    assert_int_equal(table_of(c, "s")->entries->nelts, stats.entries);
    assert_true(stats.bytes > 5 * stats.entries && stats.bytes < 400 * stats.entries);
}

static void later_writes_nothing_but_says_what_is_due(void **state)
{
    ctx_t *c = *state;

    for (unsigned again = 0; again < 2; again++) {
        observe_as(c, "s", 1, 2, 0, 5, &usual, TMPL_LEARNING_LATER);
        assert_true(c->counts.due);
        assert_true(c->counts.counted);
        assert_int_equal(c->counts.pages, 1);
        assert_int_equal(c->counts.records[4].df, 1);
        assert_unknown(c, "s");
    }
    observe_as(c, "s", 1, 2, 0, 5, &usual, TMPL_LEARNING_NOW);
    assert_false(c->counts.due);
    observe_as(c, "s", 3, 4, 0, 5, &usual, TMPL_LEARNING_LATER);
    assert_true(c->counts.due);
    assert_int_equal(c->counts.pages, 2);
    assert_int_equal(c->counts.records[4].df, 2);
    look(c, "s", 0, 5);
    assert_int_equal(c->counts.pages, 1);
    assert_int_equal(c->counts.records[4].df, 1);
    /* known and fresh: learning would write nothing */
    observe_as(c, "s", 1, 2, 0, 5, &usual, TMPL_LEARNING_LATER);
    assert_false(c->counts.due);
    assert_false(c->counts.counted);
    assert_int_equal(c->counts.records[4].df, 1);
}

static void bad_pages_are_not_learnt(void **state)
{
    ctx_t *c = *state;
    tmpl_document_t document = { 1, 2 };
    tmpl_observation_t good = { .site = "s",
                                .document = &document,
                                .keys = keys_of(c->pool, 0, 3),
                                .n = 3,
                                .policy = &usual },
                       bad = good;
    const tmpl_observation_t *pages[] = { &good, &bad };

    bad.site = "";
    assert_int_equal(tmpl_store_learn(c->store, pages, 2, TIMEOUT, NULL, &c->err, c->pool),
                     APR_EINVAL);
    assert_unknown(c, "s");
    assert_int_equal(tmpl_store_learn(c->store, pages, 0, TIMEOUT, NULL, &c->err, c->pool),
                     APR_SUCCESS);
    assert_unknown(c, "s");
    assert_int_equal(tmpl_store_learn(c->store, pages, 1, TIMEOUT, NULL, &c->err, c->pool),
                     APR_SUCCESS);
    assert_int_equal(stats_of(c, "s", &usual).pages, 1);
}

/* ---- threads ---- */

#define THREADS          8
#define PAGES_PER_THREAD 40

typedef struct {
    ctx_t *c;
    unsigned number;
    unsigned wrong;
} worker_t;

static void *worker(void *data)
{
    worker_t *w = data;
    tmpl_counts_t counts;
    tmpl_error_t err;
    apr_pool_t *pool;

    apr_pool_create(&pool, NULL);
    for (unsigned i = 0; i < PAGES_PER_THREAD; i++) {
        unsigned page = w->number * PAGES_PER_THREAD + i;
        tmpl_document_t document = { 2 * page, 2 * page + 1 };

        /* each page twice: whoever comes second must find it known */
        for (unsigned again = 0; again < 2; again++) {
            tmpl_observation_t observation = { .site = "s",
                                               .document = &document,
                                               .keys = keys_of(pool, again ? 0 : i, 20),
                                               .n = 20,
                                               .policy = &usual,
                                               .learn = 1 };
            apr_status_t rv =
                tmpl_store_observe(w->c->store, &observation, TIMEOUT, &counts, &err, pool);

            w->wrong += rv != APR_SUCCESS || counts.counted != !again;
        }
        apr_pool_clear(pool);
    }
    apr_pool_destroy(pool);
    return NULL;
}

static void threads_share_a_store(void **state)
{
    ctx_t *c = *state;
    tmpl_store_opts_t opts = tmpl_store_opts_default;
    pthread_t threads[THREADS];
    worker_t workers[THREADS];

    opts.max_connections = 3; /* fewer than threads: some wait */
    c->store = open_with(c, c->uri, &opts);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (worker_t){ c, i, 0 };
        assert_int_equal(pthread_create(&threads[i], NULL, worker, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].wrong, 0);
    }
    look(c, "s", 0, 60);
    assert_int_equal(c->counts.pages, THREADS * PAGES_PER_THREAD);
    for (unsigned k = 0; k < 59; k++) {
        /* key k is on pages i = k - 19 .. k of each thread */
        unsigned low = k > 19 ? k - 19 : 0;
        unsigned high = k < PAGES_PER_THREAD ? k : PAGES_PER_THREAD - 1;

        assert_int_equal(c->counts.records[k].df, THREADS * (high - low + 1));
    }
}

static const store_test_t table[] = {
    TEST(ALL_STORES, counts_documents),
    TEST(ALL_STORES, same_page_again_counts_nothing),
    TEST(ALL_STORES, same_text_under_other_ids_counts_nothing),
    TEST(ALL_STORES, same_id_with_changed_text),
    TEST(ALL_STORES, version_grows_when_min_df_is_reached),
    TEST(ALL_STORES, fingerprints_are_16_bits),
    TEST(ALL_STORES, entries_die_after_their_lifetime),
    TEST(ALL_STORES, death_needs_no_sweeper),
    TEST(ALL_STORES, known_text_keeps_its_entries_alive),
    TEST(ALL_STORES, full_site_takes_no_new_keys),
    TEST(ALL_STORES, looking_changes_nothing),
    TEST(ALL_STORES, bad_names_are_refused),
    TEST(ALL_STORES, many_keys),
    TEST(ALL_STORES, many_pages_at_once_fit_a_small_site),
    TEST(ALL_STORES, sweeper_bounds_the_table),
    TEST(ALL_STORES, later_writes_nothing_but_says_what_is_due),
    TEST(MEMORY, later_writes_nothing_but_says_what_is_due),
    TEST(ALL_STORES, bad_pages_are_not_learnt),
    TEST(ALL_STORES, threads_share_a_store),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
