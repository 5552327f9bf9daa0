/* SPDX-License-Identifier: Apache-2.0 */
/* What every store must do: one suite, run over each kind, and over a model. */
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

/* Moves the clock on by n pages that have nothing to do with the keys of a test. */
static void pass_pages(ctx_t *c, const char *site, unsigned from, unsigned n,
                       const tmpl_policy_t *policy)
{
    for (unsigned i = 0; i < n; i++) {
        observe_as(c, site, 2 * (from + i), 2 * (from + i) + 1, 0, 0, policy, 1);
    }
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

static const tmpl_policy_t near_policy = {
    .min_df = 5, .lifetime_tb = 40, .lifetime_n = 10, .max_entries = 1000000
};

/* A page of n keys from the first on, 10 bytes each, but for the last one; its address is in a place of 64. */
static tmpl_observation_t *near_page(ctx_t *c, unsigned place, unsigned number, unsigned first,
                                     unsigned n, uint32_t last_length)
{
    tmpl_document_t *document = apr_palloc(c->pool, sizeof(*document));
    tmpl_observation_t *page = apr_pcalloc(c->pool, sizeof(*page));
    tmpl_share_t *shares = apr_palloc(c->pool, n * sizeof(*shares));
    tmpl_key_t *keys = keys_of(c->pool, first, n);

    for (unsigned i = 0; i < n; i++) {
        shares[i] = (tmpl_share_t){ i, i + 1 < n ? 10 : last_length };
    }
    keys[n - 1].hash = model_key(1000 + number); /* what only this page has */
    document->id = (uint64_t)number * 64 + place;
    document->text = model_document(number * 100 + last_length);
    page->site = "s";
    page->document = document;
    page->keys = keys;
    page->n = n;
    page->shares = shares;
    page->n_shares = n;
    page->policy = &near_policy;
    page->age = c->age;
    return page;
}

static void observe_near(ctx_t *c, unsigned place, unsigned number, unsigned first, unsigned n,
                         uint32_t last_length, tmpl_learning_e learning)
{
    tmpl_observation_t *page = near_page(c, place, number, first, n, last_length);

    page->learn = learning;
    assert_int_equal(tmpl_store_observe(c->store, page, TIMEOUT, &c->counts, &c->err, c->pool),
                     APR_SUCCESS);
}

static void assert_near(ctx_t *c, int near_copy, uint32_t pages, uint32_t df)
{
    assert_int_equal(c->counts.near_copy, near_copy);
    assert_int_equal(c->counts.counted, !near_copy);
    assert_int_equal(c->counts.pages, pages);
    assert_int_equal(c->counts.records[0].df, df);
}

/* An article with a clock, asked for as ?a=1, ?a=2 and so on: one document, of which nothing more is kept. */
static void near_copies_do_not_count(void **state)
{
    ctx_t *c = *state;
    uint64_t entries;

    observe_near(c, 3, 1, 0, 10, 9, TMPL_LEARNING_NOW);
    assert_near(c, 0, 1, 1);
    entries = stats_of(c, "s", &near_policy).entries;
    for (unsigned i = 2; i < 20; i++) {
        observe_near(c, 3, i, 0, 10, 9, TMPL_LEARNING_NOW); /* 90 bytes of 99 */
        assert_near(c, 1, 1, 1);
        assert_int_equal(c->counts.records[9].df, 0);
        observe_near(c, 3, i, 0, 10, 9, TMPL_LEARNING_LATER);
        assert_near(c, 1, 1, 1);
        assert_false(c->counts.due);
    }
    assert_int_equal(stats_of(c, "s", &near_policy).entries, entries);
    observe_near(c, 3, 20, 0, 10, 10,
                 TMPL_LEARNING_NOW); /* 90 of 100: not more than nine parts of ten */
    assert_near(c, 0, 2, 2);
}

/* They may come so close to each other that none was known when they were judged: then learning tells. */
static void near_copies_at_once_do_not_count(void **state)
{
    ctx_t *c = *state;
    const tmpl_observation_t *pages[TMPL_BATCH_MOST + 1];
    uint32_t counted;

    for (unsigned i = 0; i < DIM(pages); i++) {
        observe_near(c, 3, i + 1, 0, 10, 9, TMPL_LEARNING_LATER);
        assert_true(c->counts.due);
        pages[i] = near_page(c, 3, i + 1, 0, 10, 9);
    }
    assert_int_equal(
        tmpl_store_learn(c->store, pages, DIM(pages), TIMEOUT, &counted, &c->err, c->pool),
        APR_SUCCESS);
    assert_int_equal(counted, 1);
    look(c, "s", 0, 1);
    assert_int_equal(c->counts.records[0].df, 1);
}

/* However long it is: with 201 bytes of its own a page is a document. */
static void near_copies_have_little_of_their_own(void **state)
{
    ctx_t *c = *state;

    observe_near(c, 3, 1, 0, 401, 1, TMPL_LEARNING_NOW);
    observe_near(c, 3, 2, 0, 401, 200, TMPL_LEARNING_NOW); /* of 4200 */
    assert_near(c, 1, 1, 1);
    observe_near(c, 3, 3, 0, 401, 201, TMPL_LEARNING_NOW);
    assert_near(c, 0, 2, 2);
}

/* At another place so little in common is a template that nobody knows yet. */
static void near_copies_elsewhere_have_template_in_common(void **state)
{
    ctx_t *c = *state;

    for (unsigned i = 1; i < near_policy.min_df; i++) {
        observe_near(c, i, i, 0, 5, 1, TMPL_LEARNING_NOW); /* 40 bytes of 41 */
        assert_near(c, 0, i, i);
    }
    observe_near(c, 9, 9, 0, 54, 1,
                 TMPL_LEARNING_NOW); /* the same, now template, and 490 of its own */
    assert_near(c, 0, near_policy.min_df, near_policy.min_df);
    observe_near(c, 10, 10, 0, 54, 9, TMPL_LEARNING_NOW); /* 490 of 499: 98.2 % */
    assert_near(c, 1, near_policy.min_df, near_policy.min_df);
    observe_near(c, 10, 10, 0, 54, 10, TMPL_LEARNING_NOW); /* 490 of 500: 98 % */
    assert_near(c, 0, near_policy.min_df + 1, near_policy.min_df + 1);
}

/* Half of its text from each of two documents; and a document that is known, with a text that is not. */
static void near_copies_are_of_one_document(void **state)
{
    ctx_t *c = *state;

    observe_near(c, 3, 1, 0, 6, 1, TMPL_LEARNING_NOW);
    observe_near(c, 3, 2, 5, 6, 1, TMPL_LEARNING_NOW);
    observe_near(c, 3, 3, 0, 11, 1, TMPL_LEARNING_NOW);
    assert_near(c, 0, 3, 2);
    observe_near(c, 3, 1, 0, 6, 2, TMPL_LEARNING_NOW); /* what it says of itself it may change */
    assert_int_equal(c->counts.near_copy, 0);
    assert_int_equal(c->counts.counted, 0);
    assert_int_equal(c->counts.records[5].df, 1);
    assert_int_equal(c->counts.records[0].last, 3);
}

/* What is asked for under many addresses is in use, and lives. */
static void near_copies_keep_entries_alive(void **state)
{
    ctx_t *c = *state;
    const uint32_t tb = near_policy.lifetime_tb;

    observe_near(c, 3, 1, 0, 10, 1, TMPL_LEARNING_NOW);
    pass_pages(c, "s", 1000, tb / 4 - 1, &near_policy);
    observe_near(c, 3, 2, 0, 10, 1, TMPL_LEARNING_LATER);
    assert_near(c, 1, tb / 4, 1);
    assert_int_equal(c->counts.records[0].last, 1);
    assert_false(c->counts.due);
    pass_pages(c, "s", 2000, 1, &near_policy);
    observe_near(c, 3, 2, 0, 10, 1, TMPL_LEARNING_LATER);
    assert_true(c->counts.due);
    observe_near(c, 3, 2, 0, 10, 1, TMPL_LEARNING_NOW);
    assert_near(c, 1, tb / 4 + 1, 1);
    assert_int_equal(c->counts.records[0].last, tb / 4 + 1);
    pass_pages(c, "s", 3000, tb, &near_policy);
    look(c, "s", 0, 9);
    assert_int_equal(c->counts.records[0].df, 1);
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

static apr_status_t site_stop(void *baton, const char *site)
{
    (void)site;
    ++*(int *)baton;
    return APR_EINTR;
}

static void sites_do_not_mix(void **state)
{
    ctx_t *c = *state;
    char longest[TMPL_SITE_MAX + 1];
    const char *names[] = { "a", "a.example", "b",          "%7B",        "x}y",
                            "{", "}",         "{a}:import", "\xff\x01*?[" };
    apr_array_header_t *sites;
    int calls = 0;

    memset(longest, 'z', TMPL_SITE_MAX);
    longest[TMPL_SITE_MAX] = '\0';
    assert_int_equal(sites_of(c)->nelts, 0);
    for (unsigned i = 0; i < DIM(names); i++) {
        for (unsigned page = 0; page <= i; page++) {
            learn(c, names[i], page, 0, 3);
        }
    }
    for (unsigned i = 0; i < DIM(names); i++) {
        look(c, names[i], 0, 3);
        assert_int_equal(c->counts.pages, i + 1);
        assert_int_equal(c->counts.records[1].df, i + 1);
    }
    learn(c, longest, 1, 0, 1);
    sites = sites_of(c);
    assert_int_equal(sites->nelts, DIM(names) + 1);
    qsort(names, DIM(names), sizeof(char *), site_order);
    for (unsigned i = 0, j = 0; i <= DIM(names); i++) {
        const char *site = APR_ARRAY_IDX(sites, i, const char *);

        assert_string_equal(site, strcmp(site, longest) == 0 ? longest : names[j++]);
    }
    assert_int_equal(tmpl_store_sites(c->store, site_stop, &calls, &c->err, c->pool), APR_EINTR);
    assert_int_equal(calls, 1);
}

static void forget_forgets_one_site(void **state)
{
    ctx_t *c = *state;

    for (unsigned i = 0; i < 40; i++) {
        learn(c, "a", i, i, 200);
        learn(c, "b", i, i, 20);
    }
    assert_int_equal(tmpl_store_forget(c->store, "a", &c->err, c->pool), APR_SUCCESS);
    assert_unknown(c, "a");
    assert_int_equal(tmpl_store_forget(c->store, "a", &c->err, c->pool), APR_NOTFOUND);
    look(c, "a", 0, 200);
    assert_int_equal(c->counts.pages, 0);
    assert_int_equal(c->counts.records[39].df, 0);
    look(c, "b", 39, 1);
    assert_int_equal(c->counts.records[0].df, 20);
    assert_int_equal(sites_of(c)->nelts, 1);
    learn(c, "a", 3, 0, 50);
    assert_int_equal(c->counts.pages, 1);
    assert_int_equal(stats_of(c, "a", &usual).entries, 52);
}

/* From this kind of store into each of the others, and on they count alike. */
static void export_and_import(void **state)
{
    ctx_t *c = *state;
    table_t *table;

    for (unsigned i = 0; i < 60; i++) {
        learn(c, "s", i, i, 30);
    }
    table = table_of(c, "s");
    assert_true(table->entries->nelts > 200);
    for (uintptr_t to = 0; to < BACKENDS; to++) {
        void *other = (void *)to;
        ctx_t *d;

        if (to == c->backend) {
            continue;
        }
        assert_int_equal(setup(&other), 0);
        d = other;
        learn(d, "t", 1, 0, 300); /* is replaced */
        import_into(d, "t", table);
        assert_tables_equal(table, table_of(d, "t"));
        assert_int_equal(sites_of(d)->nelts, 1);
        import_into(c, "copy", table);
        for (unsigned i = 58; i < 64; i++) {
            learn(c, "copy", i, i, 30);
            learn(d, "t", i, i, 30);
            assert_int_equal(d->counts.pages, c->counts.pages);
            assert_int_equal(d->counts.version, c->counts.version);
            assert_memory_equal(d->counts.records, c->counts.records, 30 * sizeof(tmpl_record_t));
        }
        teardown(&other);
    }
}

static void import_refuses_nonsense(void **state)
{
    ctx_t *c = *state;
    tmpl_store_stats_t head = { .pages = 10 };
    const tmpl_entry_t bad[] = {
        { { 1, TMPL_KIND_COUNT }, { 1, 1, 0, 0 }, NULL, 0 },
        { { 1, TMPL_KIND_SEGMENT }, { 0, 1, 0, 0 }, NULL, 0 },
        { { 1, TMPL_KIND_SEGMENT }, { 1, 11, 0, 0 }, NULL, 0 },
        { { 1, TMPL_KIND_SEGMENT }, { 1, 1, 0, 0 }, NULL, 2 },
        { { 1, TMPL_KIND_SEGMENT }, { 1, 1, 1, 0 }, NULL, 0 },
        { { 1, TMPL_KIND_PATH }, { 1, 1, 1, 2 }, NULL, 0 },
        { { 1, TMPL_KIND_PATH }, { 1, 1, 2, 1 }, NULL, 1 },
    };

    for (unsigned i = 0; i < DIM(bad); i++) {
        assert_int_equal(tmpl_store_import(c->store, "s", &head, &bad[i], 1, &c->err, c->pool),
                         APR_EINVAL);
    }
    assert_unknown(c, "s");
    /* a site without entries is one */
    assert_int_equal(tmpl_store_import(c->store, "s", &head, NULL, 0, &c->err, c->pool),
                     APR_SUCCESS);
    assert_int_equal(stats_of(c, "s", &usual).pages, 10);
}

static void bad_arguments_are_refused(void **state)
{
    ctx_t *c = *state;
    char site[TMPL_SITE_MAX + 2];
    tmpl_document_t document = { 1, 2 };
    tmpl_key_t key = { 1, TMPL_KIND_DOCUMENT };
    tmpl_policy_t policy = usual;
    tmpl_observation_t observation = {
        .site = "s", .document = &document, .keys = &key, .n = 1, .policy = &usual, .learn = 1
    };

    memset(site, 'z', sizeof(site));
    site[sizeof(site) - 1] = '\0';
    assert_int_equal(try_observe(c, site, 1, 2, 0, 1, &usual, 1, TIMEOUT), APR_EINVAL);
    assert_int_equal(try_observe(c, "", 1, 2, 0, 1, &usual, 1, TIMEOUT), APR_EINVAL);
    policy.min_df = TMPL_MIN_DF_MOST + 1;
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 1, &policy, 1, TIMEOUT), APR_EINVAL);
    policy.min_df = TMPL_MIN_DF_LEAST - 1;
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 1, &policy, 1, TIMEOUT), APR_EINVAL);
    policy = usual;
    policy.lifetime_tb = 0;
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 1, &policy, 1, TIMEOUT), APR_EINVAL);
    assert_int_equal(
        tmpl_store_observe(c->store, &observation, TIMEOUT, &c->counts, &c->err, c->pool),
        APR_EINVAL);
    assert_int_equal(sites_of(c)->nelts, 0);
}

/* A page of two segments and two paths, a table for each thing that may be wrong with it. */
static void bad_parts_are_refused(void **state)
{
    ctx_t *c = *state;
    const tmpl_document_t document = { 1, 2 };
    const tmpl_key_t good[] = { { 1, TMPL_KIND_SEGMENT },
                                { 2, TMPL_KIND_SEGMENT },
                                { 1, TMPL_KIND_PATH },
                                { 2, TMPL_KIND_PATH } };
    const tmpl_key_t order[] = { good[0], good[2], good[1], good[3] };
    const struct {
        const tmpl_key_t *keys;
        tmpl_share_t share;
        tmpl_part_t part;
        apr_status_t status;
    } pages[] = {
        { order, { 0, 1 }, { { 2, 3, TMPL_NONE }, 0, 1 }, APR_EINVAL },
        { good, { 2, 1 }, { { 2, 3, TMPL_NONE }, 0, 1 }, APR_EINVAL },
        { good, { 0, 1 }, { { 2, 1, TMPL_NONE }, 0, 1 }, APR_EINVAL },
        { good, { 0, 1 }, { { 4, 3, TMPL_NONE }, 0, 1 }, APR_EINVAL },
        { good, { 0, 1 }, { { 2, 3, TMPL_NONE }, 0, 2 }, APR_EINVAL },
        { good, { 0, 1 }, { { 2, 3, TMPL_NONE }, 1, 0 }, APR_EINVAL },
        { good, { 1, 1 }, { { 2, 3, TMPL_NONE }, 0, 1 }, APR_SUCCESS },
    };

    for (unsigned i = 0; i < DIM(pages); i++) {
        tmpl_observation_t page = {
            "s", &document, pages[i].keys, 4, &pages[i].share, 1, &pages[i].part, 1, &usual, 1, 0
        };

        assert_int_equal(tmpl_store_observe(c->store, &page, TIMEOUT, &c->counts, &c->err, c->pool),
                         pages[i].status);
    }
}

/* One segment in a box, twice; the path named twice; and what the halving leaves. */
static void paths_are_credited(void **state)
{
    ctx_t *c = *state;
    const tmpl_key_t keys[] = { { 1, TMPL_KIND_SEGMENT }, { 1, TMPL_KIND_PATH } };
    static const struct {
        uint32_t length, df, text, repeated;
    } pages[] = {
        { 100, 1, 100, 0 },
        { 100, 2, 200, 200 }, /* from 1 to 2: both are credited */
        { 101, 3, 301, 301 },
        { 1U << 31, 4, (1U << 31) + 150, (1U << 31) + 150 },
        { UINT32_MAX, 5, UINT32_MAX, UINT32_MAX },
    };

    for (unsigned i = 0; i < DIM(pages); i++) {
        tmpl_document_t document = { model_document(2 * i), model_document(2 * i + 1) };
        tmpl_share_t share = { 0, pages[i].length };
        tmpl_part_t part = { { 1, 1, TMPL_NONE }, 0, 1 };
        tmpl_observation_t page = { "s", &document, keys, 2, &share, 1, &part, 1, &usual, 1, 0 };

        assert_int_equal(tmpl_store_observe(c->store, &page, TIMEOUT, &c->counts, &c->err, c->pool),
                         APR_SUCCESS);
        assert_int_equal(c->counts.records[0].text, 0);
        assert_int_equal(c->counts.records[1].df, pages[i].df);
        assert_int_equal(c->counts.records[1].last, i + 1);
        assert_int_equal(c->counts.records[1].text, pages[i].text);
        assert_int_equal(c->counts.records[1].repeated, pages[i].repeated);
    }
    assert_int_equal(stats_of(c, "s", &usual).template, 1); /* the path has DF 5 as well */
}

/* Paths go from this kind of store into each of the others, and on they count alike. */
static void paths_are_exported(void **state)
{
    ctx_t *c = *state;
    table_t *table;

    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(try_path(c, "s", i, &usual, 1), APR_SUCCESS);
    }
    table = table_of(c, "s");
    for (uintptr_t to = 0; to < BACKENDS; to++) {
        void *other = (void *)to;

        if (to != c->backend) {
            assert_int_equal(setup(&other), 0);
            import_into(other, "s", table);
            assert_tables_equal(table, table_of(other, "s"));
            assert_int_equal(try_path(other, "s", 9, &usual, 0), APR_SUCCESS);
            assert_path(other, 3, 3, 30, 30);
            assert_int_equal(try_path(other, "s", 9, &usual, 1), APR_SUCCESS);
            assert_path(other, 4, 4, 40, 40);
            teardown(&other);
        }
    }
}

/* A text known for long: last moves on, and nothing else. Without it the path dies. */
static void known_text_keeps_its_paths_alive(void **state)
{
    ctx_t *c = *state;
    tmpl_policy_t policy = { .min_df = 5, .lifetime_tb = 20, .lifetime_n = 1, .max_entries = 1000 };

    assert_int_equal(try_path(c, "s", 0, &policy, 1), APR_SUCCESS);
    pass_pages(c, "s", 50, 5, &policy);
    assert_int_equal(try_path(c, "s", 0, &policy, 1), APR_SUCCESS);
    assert_path(c, 1, 6, 10, 0);
    pass_pages(c, "s", 60, 20, &policy);
    assert_int_equal(try_path(c, "s", 99, &policy, 0), APR_SUCCESS);
    assert_path(c, 1, 6, 10, 0);
    pass_pages(c, "s", 90, 1, &policy);
    assert_int_equal(try_path(c, "s", 99, &policy, 0), APR_SUCCESS);
    assert_path(c, 0, 0, 0, 0);
}

/* How many entries of a kind a site's table holds. */
static unsigned kind_held(ctx_t *c, const char *site, tmpl_kind_e kind)
{
    const table_t *table = table_of(c, site);
    unsigned n = 0;

    for (int i = 0; i < table->entries->nelts; i++) {
        n += APR_ARRAY_IDX(table->entries, i, tmpl_entry_t).key.kind == kind;
    }
    return n;
}

/* The sweeper goes by the DF of a path, 1 and 20, not by what its bytes say of another kind. */
static void sweeper_knows_paths(void **state)
{
    ctx_t *c = *state;
    tmpl_policy_t policy = {
        .min_df = 5, .lifetime_tb = 2, .lifetime_n = 1000, .max_entries = 100000
    };

    assert_int_equal(try_path(c, "s", 0, &policy, 1), APR_SUCCESS);
    pass_pages(c, "s", 100, 40, &policy);
    assert_int_equal(kind_held(c, "s", TMPL_KIND_PATH), 0);
    for (unsigned i = 1; i <= 20; i++) {
        assert_int_equal(try_path(c, "s", i, &policy, 1), APR_SUCCESS);
    }
    pass_pages(c, "s", 200, 300, &policy); /* a DF of 6 would live for 258 */
    assert_int_equal(kind_held(c, "s", TMPL_KIND_PATH), 1);
    assert_int_equal(try_path(c, "s", 99, &policy, 0), APR_SUCCESS);
    assert_path(c, 20, 61, 200, 200);
}

/* Segments come first: at max_entries the path finds no room, and its record says so. */
static void full_site_takes_no_new_paths(void **state)
{
    ctx_t *c = *state;
    const tmpl_key_t keys[] = { { 1, TMPL_KIND_SEGMENT }, { 1, TMPL_KIND_PATH } };
    const tmpl_document_t document = { 1, 2 };
    const tmpl_share_t share = { 0, 10 };
    const tmpl_part_t part = { { 1, TMPL_NONE, TMPL_NONE }, 0, 1 };
    tmpl_policy_t policy = usual;
    tmpl_observation_t page = { "s", &document, keys, 2, &share, 1, &part, 1, &policy, 1, 0 };

    policy.max_entries = 1;
    assert_int_equal(tmpl_store_observe(c->store, &page, TIMEOUT, &c->counts, &c->err, c->pool),
                     APR_SUCCESS);
    assert_int_equal(c->counts.records[0].df, 1);
    assert_int_equal(c->counts.records[1].df, 0);
    assert_int_equal(c->counts.records[1].text, 0);
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

/* Pages of nothing but new keys: the table holds what is alive and not much more. */
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
    assert_true(stats.bytes > 10 * stats.entries && stats.bytes < 400 * stats.entries);
}

/* ---- thousands of random observations against the model ---- */

typedef struct {
    uint64_t state;
} random_t;

#define PARTS_MOST 12

static unsigned draw(random_t *r, unsigned below)
{
    r->state += 0x9e3779b97f4a7c15ULL;
    return (unsigned)((model_mix(model_mix(r->state)) >> 16) % below);
}

/* A page as a site would have it: some keys of all pages, some of many, some of few. */
static unsigned draw_keys(random_t *r, unsigned *numbers, tmpl_key_t *keys)
{
    unsigned n = 0, every = 1 + draw(r, 40);

    for (unsigned k = draw(r, every); k < MODEL_KEYS; k += 1 + draw(r, every)) {
        numbers[n] = k;
        keys[n++] = (tmpl_key_t){ model_key(k), TMPL_KIND_SEGMENT };
    }
    return n;
}

/* Parts of up to four shares each, in up to four of the first paths of a page; after its
   segments. */
static void draw_parts(random_t *r, unsigned *numbers, tmpl_key_t *keys, unsigned n,
                       tmpl_share_t *shares, tmpl_part_t *parts, tmpl_observation_t *page)
{
    unsigned n_paths = draw(r, 5), first = draw(r, MODEL_PATHS);

    for (unsigned i = 0; i < n_paths; i++) {
        numbers[n + i] = (first + 3 * i) % MODEL_PATHS;
        keys[n + i] = (tmpl_key_t){ model_path(numbers[n + i]), TMPL_KIND_PATH };
    }
    page->n = n + n_paths;
    while (n > 0 && page->n_parts < PARTS_MOST) {
        tmpl_part_t *part = &parts[page->n_parts++];

        for (unsigned level = 0; level < TMPL_PATH_LEVELS; level++) {
            unsigned path = draw(r, 6);

            part->paths[level] = path < n_paths ? n + path : TMPL_NONE;
        }
        part->first = page->n_shares;
        for (unsigned i = draw(r, 5); i > 0; i--) {
            uint32_t length = draw(r, 40) == 0 ? 1U << 30 : draw(r, 300);

            shares[page->n_shares++] = (tmpl_share_t){ draw(r, n), length };
        }
        part->after = page->n_shares;
    }
}

static void draw_policy(random_t *r, tmpl_policy_t *policy)
{
    static const uint32_t min_dfs[] = { 2, 3, 5, 5, 5, 8, 64 };
    static const uint32_t tbs[] = { 1, 5, 20, 20, 100 };

    policy->min_df = min_dfs[draw(r, DIM(min_dfs))];
    policy->lifetime_tb = tbs[draw(r, DIM(tbs))];
    policy->lifetime_n = 1 + draw(r, 2) * draw(r, 20);
}

/* The entries that are alive, of store and model: the same ones, down to their fingerprints. */
static void assert_model_held(ctx_t *c, const char *site, const model_t *model,
                              const tmpl_policy_t *policy)
{
    table_t *table = table_of(c, site);
    unsigned found = 0, alive = 0;

    for (unsigned kind = 0; kind < TMPL_KIND_COUNT; kind++) {
        const model_entry_t *entries = kind == TMPL_KIND_DOCUMENT  ? model->documents
                                       : kind == TMPL_KIND_SEGMENT ? model->keys
                                                                   : model->paths;
        unsigned n = kind == TMPL_KIND_DOCUMENT  ? MODEL_DOCUMENTS
                     : kind == TMPL_KIND_SEGMENT ? MODEL_KEYS
                                                 : MODEL_PATHS;

        for (unsigned i = 0; i < n; i++) {
            const model_entry_t *e = &entries[i];
            uint64_t hash = kind == TMPL_KIND_DOCUMENT ? model_document(i) : model_key(i);
            tmpl_entry_t want = { { hash, (tmpl_kind_e)kind },
                                  { e->df, e->last, (uint32_t)e->text, (uint32_t)e->repeated },
                                  e->fp,
                                  e->n };
            const tmpl_entry_t *got =
                bsearch(&want, table->entries->elts, (size_t)table->entries->nelts, sizeof(want),
                        entry_order);

            if (!model_live(e, policy, model->pages)) {
                continue;
            }
            alive++;
            if (got != NULL) {
                found++;
                assert_true(entry_equal(got, &want));
            }
        }
    }
    assert_int_equal(found, alive);
    assert_int_equal(stats_of(c, site, policy).live, alive);
}

typedef struct {
    model_t model;
    tmpl_policy_t policy;
    unsigned counted, crossed, repeats, late, near; /* how often */
} walk_t;

typedef struct {
    void *at;
    size_t size;
} place_t;

/* The same bytes somewhere else, where they can be spoilt. */
static void *moved(ctx_t *c, const void *from, size_t size, apr_array_header_t *places)
{
    place_t *place = apr_array_push(places);

    place->at = apr_palloc(c->pool, size + 1);
    memcpy(place->at, from, size);
    place->size = size;
    return place->at;
}

/* Learns a page from a copy of it; what the copy was made from is spoilt by then. */
static void learn_copy(ctx_t *c, const tmpl_observation_t *page, uint32_t counted)
{
    apr_array_header_t *places = apr_array_make(c->pool, 8, sizeof(place_t));
    tmpl_observation_t whole = *page;
    const tmpl_observation_t *pages[1];
    tmpl_observation_t *copy;
    uint32_t new_ones = 1000;

    whole.site = moved(c, page->site, strlen(page->site) + 1, places);
    whole.document = moved(c, page->document, sizeof(*page->document), places);
    whole.policy = moved(c, page->policy, sizeof(*page->policy), places);
    whole.keys = moved(c, page->keys, page->n * sizeof(*page->keys), places);
    whole.shares = moved(c, page->shares, page->n_shares * sizeof(*page->shares), places);
    whole.parts = moved(c, page->parts, page->n_parts * sizeof(*page->parts), places);
    copy = tmpl_observation_copy(&whole);
    assert_non_null(copy);
    for (int i = 0; i < places->nelts; i++) {
        place_t *place = &APR_ARRAY_IDX(places, i, place_t);

        memset(place->at, 0xff, place->size);
    }
    pages[0] = copy;
    assert_int_equal(tmpl_store_learn(c->store, pages, 1, TIMEOUT, &new_ones, &c->err, c->pool),
                     APR_SUCCESS);
    assert_int_equal(new_ones, counted);
    free(copy);
}

/* One random page, into store and model: both must say the same, whenever it is learnt. */
static void walk_page(ctx_t *c, random_t *r, const char *site, walk_t *w)
{
    unsigned numbers[MODEL_KEYS + MODEL_PATHS], id = draw(r, 150), text = 90 + draw(r, 150);
    tmpl_document_t document = { model_document(id), model_document(text) };
    tmpl_key_t keys[MODEL_KEYS + MODEL_PATHS];
    tmpl_share_t shares[4 * PARTS_MOST];
    tmpl_part_t parts[PARTS_MOST];
    unsigned n = draw_keys(r, numbers, keys);
    tmpl_observation_t page = { .site = site,
                                .document = &document,
                                .keys = keys,
                                .shares = shares,
                                .parts = parts,
                                .policy = &w->policy,
                                .learn = draw(r, 8) == 0   ? TMPL_LEARNING_OFF
                                         : draw(r, 2) == 0 ? TMPL_LEARNING_NOW
                                                           : TMPL_LEARNING_LATER };
    uint64_t version = w->model.version;
    int counted;

    draw_parts(r, numbers, keys, n, shares, parts, &page);
    counted = model_observe(&w->model, id, text, numbers, n, &page);
    assert_int_equal(tmpl_store_observe(c->store, &page, TIMEOUT, &c->counts, &c->err, c->pool),
                     APR_SUCCESS);
    assert_int_equal(c->counts.counted, counted);
    assert_int_equal(c->counts.pages, w->model.pages);
    assert_int_equal(c->counts.version, w->model.version);
    for (unsigned i = 0; i < page.n; i++) {
        const model_entry_t *e = i < n ? &w->model.keys[numbers[i]] : &w->model.paths[numbers[i]];
        int live = model_live(e, &w->policy, w->model.pages);

        assert_int_equal(c->counts.records[i].df, live ? e->df : 0);
        assert_int_equal(c->counts.records[i].last, live ? e->last : 0);
        assert_int_equal(c->counts.records[i].text, live ? e->text : 0);
        assert_int_equal(c->counts.records[i].repeated, live ? e->repeated : 0);
        w->repeats += live && e->repeated > 0 && e->repeated < e->text;
    }
    assert_true(!c->counts.due || page.learn == TMPL_LEARNING_LATER);
    if (c->counts.due) {
        learn_copy(c, &page, (uint32_t)counted);
        w->late++;
    }
    w->counted += (unsigned)counted;
    w->crossed += w->model.version != version;
    w->near += (unsigned)c->counts.near_copy;
}

/* One life per site: shorter ones would let the sweeper take what a longer one finds alive. */
static void random_pages_agree_with_the_model(void **state)
{
    static const char *const sites[] = { "one", "two", "three" };
    walk_t *walks = calloc(DIM(sites), sizeof(*walks));
    ctx_t *c = *state;
    apr_pool_t *whole = c->pool;
    random_t r = { 20240607 };

    for (unsigned i = 0; i < DIM(sites); i++) {
        walks[i].policy = usual;
        draw_policy(&r, &walks[i].policy);
        walks[i].policy.lifetime_tb = 4 + 8 * i;
    }
    apr_pool_create(&c->pool, whole);
    for (unsigned round = 0; round < 6000; round++) {
        unsigned s = draw(&r, DIM(sites));

        if (draw(&r, 50) == 0) {
            tmpl_policy_t changed;

            draw_policy(&r, &changed);
            walks[s].policy.min_df = changed.min_df;
        }
        walk_page(c, &r, sites[s], &walks[s]);
        if (round % 500 == 499) {
            assert_model_held(c, sites[s], &walks[s].model, &walks[s].policy);
        }
        apr_pool_clear(c->pool);
    }
    apr_pool_destroy(c->pool);
    c->pool = whole;
    for (unsigned i = 0; i < DIM(sites); i++) {
        /* the draw is of any use only if much has happened */
        assert_true(walks[i].counted > 100 && walks[i].crossed > 30 && walks[i].repeats > 100);
        assert_true(walks[i].late > 100 && walks[i].near > 20);
    }
    free(walks);
}

/* Pages of two sites, in turn, that share segments and paths with those before them. */
#define BATCH_USUAL 40
#define BATCH_MOST  (TMPL_BATCH_MOST + 12) /* more than a store learns in one transaction */

typedef struct {
    tmpl_key_t keys[MODEL_KEYS + MODEL_PATHS];
    unsigned numbers[MODEL_KEYS + MODEL_PATHS];
    tmpl_share_t shares[4 * PARTS_MOST];
    tmpl_part_t parts[PARTS_MOST];
    tmpl_document_t document;
    tmpl_observation_t page;
} drawn_t;

static void draw_page(drawn_t *drawn, random_t *r, const char *site)
{
    unsigned n = draw_keys(r, drawn->numbers, drawn->keys);

    drawn->document =
        (tmpl_document_t){ model_document(draw(r, 150)), model_document(90 + draw(r, 150)) };
    drawn->page = (tmpl_observation_t){ .site = site,
                                        .document = &drawn->document,
                                        .keys = drawn->keys,
                                        .shares = drawn->shares,
                                        .parts = drawn->parts,
                                        .policy = &usual };
    draw_parts(r, drawn->numbers, drawn->keys, n, drawn->shares, drawn->parts, &drawn->page);
}

/* The same pages one by one and many at once: whatever is asked of the store then is the same. */
static void many_pages_at_once_are_learnt_as_one_by_one(void **state)
{
    static const char *const alone[] = { "one", "two" }, *const together[] = { "1", "2" };
    drawn_t *drawn = calloc(BATCH_MOST, sizeof(*drawn));
    const tmpl_observation_t *pages[BATCH_MOST];
    random_t r = { 4711 };
    ctx_t *c = *state;
    unsigned most = 0;

    for (unsigned batch = 0; batch < 40; batch++) {
        unsigned n = batch > 0 ? 1 + draw(&r, BATCH_USUAL) : BATCH_MOST, counted = 0;
        uint32_t new_ones;

        for (unsigned i = 0; i < n; i++) {
            unsigned site = draw(&r, DIM(alone));

            draw_page(&drawn[i], &r, alone[site]);
            drawn[i].page.learn = TMPL_LEARNING_NOW;
            assert_int_equal(
                tmpl_store_observe(c->store, &drawn[i].page, TIMEOUT, &c->counts, &c->err, c->pool),
                APR_SUCCESS);
            counted += (unsigned)c->counts.counted;
            drawn[i].page.site = together[site];
            drawn[i].page.learn = TMPL_LEARNING_OFF;
            pages[i] = &drawn[i].page;
        }
        assert_int_equal(tmpl_store_learn(c->store, pages, n, TIMEOUT, &new_ones, &c->err, c->pool),
                         APR_SUCCESS);
        assert_int_equal(new_ones, counted);
        most = counted > most ? counted : most;
        for (unsigned i = 0; i < DIM(alone); i++) {
            assert_tables_equal(table_of(c, alone[i]), table_of(c, together[i]));
        }
    }
    assert_true(most > 10);
    free(drawn);
}

/* Observed at once, each page has the counts that it has alone. */
static void many_pages_at_once_are_observed_as_one_by_one(void **state)
{
    drawn_t *drawn = calloc(BATCH_MOST, sizeof(*drawn));
    const tmpl_observation_t *pages[BATCH_MOST];
    tmpl_counts_t alone[BATCH_MOST], together[BATCH_MOST];
    random_t r = { 815 };
    ctx_t *c = *state;
    unsigned counted = 0;

    for (unsigned batch = 0; batch < 40; batch++) {
        unsigned n = batch > 0 ? 1 + draw(&r, BATCH_USUAL) : BATCH_MOST;

        for (unsigned i = 0; i < n; i++) {
            draw_page(&drawn[i], &r, "one");
            drawn[i].page.learn = TMPL_LEARNING_NOW;
            assert_int_equal(
                tmpl_store_observe(c->store, &drawn[i].page, TIMEOUT, &alone[i], &c->err, c->pool),
                APR_SUCCESS);
            drawn[i].page.site = "1";
            pages[i] = &drawn[i].page;
        }
        assert_int_equal(
            tmpl_store_observe_many(c->store, pages, n, TIMEOUT, together, &c->err, c->pool),
            APR_SUCCESS);
        for (unsigned i = 0; i < n; i++) {
            assert_int_equal(together[i].pages, alone[i].pages);
            assert_int_equal(together[i].version, alone[i].version);
            assert_int_equal(together[i].counted, alone[i].counted);
            assert_memory_equal(together[i].records, alone[i].records,
                                pages[i]->n * sizeof(*alone->records));
            counted += (unsigned)alone[i].counted;
        }
        assert_tables_equal(table_of(c, "one"), table_of(c, "1"));
    }
    assert_true(counted > 50);
    drawn[1].page.site = "2";
    assert_int_equal(
        tmpl_store_observe_many(c->store, pages, 2, TIMEOUT, together, &c->err, c->pool),
        APR_EINVAL);
    free(drawn);
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

/* ---- URIs ---- */

static const char *const good_uris[] = {
    "lmdb:/var/lib/tmpl",
    "lmdb:relative",
    "redis://h",
    "redis://h:6379",
    "redis://h:1/15",
    "redis://h/",
    "redis://:p@h",
    "redis://u:p@h:6379/0",
    "redis://[::1]:6379/2",
    "redis://u:%40%2f@h",
    "redis+unix:///s",
    "redis+unix:///s?db=3",
    "redis+unix:///s?user=u&pass=p&db=1",
};

static const char *const bad_uris[] = {
    "",
    "redis",
    "redis:",
    "redis://",
    "redis:///1",
    "redis://h:0",
    "redis://h:99999",
    "redis://h:x",
    "redis://h:",
    "redis://h:1x",
    "redis://h/x",
    "redis://h/1x",
    "redis://h/-1",
    "redis://h/99999999999999999",
    "redis://u@h",
    "redis://u:%zz@h",
    "redis://h?db=1",
    "lmdb:",
    "redis+unix://s",
    "redis+unix://",
    "redis+unix:///",
    "redis+unix:///s?db=x",
    "redis+unix:///s?db=",
    "redis+unix:///s?d=1",
    "redis+unix:///s?user=u",
    "file:/x",
    "memory:x",
    "LMDB:/x",
    "redis+unix:///"
    "012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
    "0"
    "12345678901234567890",
};

static void uris(void **state)
{
    tmpl_error_t err;
    apr_pool_t *pool;

    (void)state;
    apr_pool_create(&pool, NULL);
    for (unsigned i = 0; i < DIM(good_uris); i++) {
        assert_int_equal(tmpl_store_check_uri(good_uris[i], &err, pool), APR_SUCCESS);
    }
    for (unsigned i = 0; i < DIM(bad_uris); i++) {
        tmpl_store_t *store;

        err.text[0] = '\0';
        if (tmpl_store_check_uri(bad_uris[i], &err, pool) != APR_EINVAL) {
            fail_msg("%s is taken for good", bad_uris[i]);
        }
        assert_int_not_equal(err.text[0], '\0');
        assert_int_equal(tmpl_store_open(&store, bad_uris[i], NULL, &err, pool), APR_EINVAL);
    }
    /* for programs, not for people */
    assert_int_equal(tmpl_store_check_uri("memory:", &err, pool), APR_EINVAL);
    apr_pool_destroy(pool);
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
    TEST(ALL_STORES, near_copies_do_not_count),
    TEST(ALL_STORES, near_copies_at_once_do_not_count),
    TEST(ALL_STORES, near_copies_have_little_of_their_own),
    TEST(ALL_STORES, near_copies_elsewhere_have_template_in_common),
    TEST(ALL_STORES, near_copies_are_of_one_document),
    TEST(ALL_STORES, near_copies_keep_entries_alive),
    TEST(ALL_STORES, full_site_takes_no_new_keys),
    TEST(ALL_STORES, looking_changes_nothing),
    TEST(ALL_STORES, sites_do_not_mix),
    TEST(ALL_STORES, forget_forgets_one_site),
    TEST(ALL_STORES, export_and_import),
    TEST(ALL_STORES, import_refuses_nonsense),
    TEST(ALL_STORES, bad_arguments_are_refused),
    TEST(ALL_STORES, bad_parts_are_refused),
    TEST(ALL_STORES, paths_are_credited),
    TEST(ALL_STORES, paths_are_exported),
    TEST(ALL_STORES, known_text_keeps_its_paths_alive),
    TEST(ALL_STORES, sweeper_knows_paths),
    TEST(ALL_STORES, full_site_takes_no_new_paths),
    TEST(ALL_STORES, many_keys),
    TEST(ALL_STORES, many_pages_at_once_fit_a_small_site),
    TEST(ALL_STORES, sweeper_bounds_the_table),
    TEST(ALL_STORES, random_pages_agree_with_the_model),
    TEST(ALL_STORES, many_pages_at_once_are_learnt_as_one_by_one),
    TEST(ALL_STORES, many_pages_at_once_are_observed_as_one_by_one),
    TEST(ALL_STORES, later_writes_nothing_but_says_what_is_due),
    TEST(MEMORY, later_writes_nothing_but_says_what_is_due),
    TEST(ALL_STORES, bad_pages_are_not_learnt),
    TEST(ALL_STORES, threads_share_a_store),
    TEST(NO_STORE, uris),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
