/* SPDX-License-Identifier: Apache-2.0 */
/* The sites of every store: listed, forgotten, frozen, exported and imported. */
#include "store_fixture.h"

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

/* Redis names them in several answers, and may name one twice. */
static void many_sites_are_listed_once(void **state)
{
    enum { SITES = 1200 };
    ctx_t *c = *state;
    apr_array_header_t *sites = apr_array_make(c->pool, SITES, sizeof(char *));
    for (unsigned i = 0; i < SITES; i++) {
        learn(c, apr_psprintf(c->pool, "site %u", i), 1, 0, 1);
    }
    assert_int_equal(tmpl_store_sites(c->store, site_push, sites, &c->err, c->pool), APR_SUCCESS);
    qsort(sites->elts, (size_t)sites->nelts, sizeof(char *), site_order);
    assert_int_equal(sites->nelts, SITES);
    for (int i = 1; i < SITES; i++) {
        assert_string_not_equal(APR_ARRAY_IDX(sites, i - 1, const char *),
                                APR_ARRAY_IDX(sites, i, const char *));
    }
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

/* Its pages are looked up, and what has waited to be learnt is not learnt. */
static void frozen_sites_learn_nothing(void **state)
{
    ctx_t *c = *state;
    table_t *before;

    assert_int_equal(tmpl_store_freeze(c->store, "a", 1, &c->err, c->pool), APR_NOTFOUND);
    for (unsigned i = 0; i < 10; i++) {
        learn(c, "a", i, i, 200);
    }
    assert_int_equal(tmpl_store_freeze(c->store, "a", 1, &c->err, c->pool), APR_SUCCESS);
    assert_int_equal(tmpl_store_freeze(c->store, "a", 1, &c->err, c->pool), APR_SUCCESS);
    assert_true(stats_of(c, "a", &usual).frozen);
    before = table_of(c, "a");
    for (unsigned i = 0; i < 10; i++) {
        learn(c, "a", 50 + i, 9, 200);
        assert_int_equal(c->counts.pages, 10);
        assert_false(c->counts.counted);
        assert_int_equal(c->counts.records[0].df, 10);
    }
    assert_tables_equal(before, table_of(c, "a"));
    learn(c, "b", 1, 1, 5);
    assert_int_equal(c->counts.pages, 1);
    assert_int_equal(tmpl_store_freeze(c->store, "a", 0, &c->err, c->pool), APR_SUCCESS);
    assert_false(stats_of(c, "a", &usual).frozen);
    learn(c, "a", 70, 9, 200);
    assert_int_equal(c->counts.pages, 11);
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

/* A site without entries is one. */
static void import_of_nothing_is_a_site(void **state)
{
    ctx_t *c = *state;
    tmpl_store_stats_t head = { .pages = 10 };

    assert_int_equal(tmpl_store_import(c->store, "s", &head, NULL, 0, &c->err, c->pool),
                     APR_SUCCESS);
    assert_int_equal(stats_of(c, "s", &usual).pages, 10);
}

/* Of two entries with one key, the last one counts. */
static void import_takes_the_last_of_a_key(void **state)
{
    ctx_t *c = *state;
    tmpl_store_stats_t head = { .pages = 10 };
    const tmpl_key_t key = { model_key(0), TMPL_KIND_SEGMENT };
    tmpl_value_t former = { .df = 2, .last = 1 }, last = { .df = 7, .last = 9 };
    const tmpl_entry_t entries[] = { { key, &former }, { key, &last } };

    assert_int_equal(tmpl_store_import(c->store, "s", &head, entries, 2, &c->err, c->pool),
                     APR_SUCCESS);
    look(c, "s", 0, 1);
    assert_int_equal(c->counts.records[0].df, 7);
    assert_int_equal(stats_of(c, "s", &usual).entries, 1);
}

static const store_test_t table[] = {
    TEST(ALL_STORES, sites_do_not_mix),
    TEST(ALL_STORES, many_sites_are_listed_once),
    TEST(ALL_STORES, forget_forgets_one_site),
    TEST(ALL_STORES, frozen_sites_learn_nothing),
    TEST(ALL_STORES, export_and_import),
    TEST(ALL_STORES, import_of_nothing_is_a_site),
    TEST(ALL_STORES, import_takes_the_last_of_a_key),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
