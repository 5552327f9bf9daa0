/* SPDX-License-Identifier: Apache-2.0 */
/* LMDB with limits: the sites that were used least recently are forgotten for new sites. */
#include "lmdb_fixture.h"

#include "table/lmdb/lmdb_env.h"

/* Nothing dies. */
static const tmpl_policy_t lasting = {
    .min_df = 5, .lifetime_tb = 1000000, .lifetime_n = 1, .max_entries = 1000000
};

static const char *name_of(const ctx_t *c, unsigned i)
{
    return apr_psprintf(c->pool, "site%u", i);
}

static int is_known(ctx_t *c, const char *site)
{
    look(c, site, 0, 1);
    return c->counts.pages > 0;
}

static apr_status_t count(void *baton, const tmpl_entry_t *entry)
{
    (void)entry;
    ++*(uint64_t *)baton;
    return APR_SUCCESS;
}

/* Sites of the store, each of which must have all its entries. */
static int whole_sites(ctx_t *c)
{
    const apr_array_header_t *sites = sites_of(c);

    for (int i = 0; i < sites->nelts; i++) {
        tmpl_store_stats_t head;
        uint64_t n = 0;

        assert_int_equal(tmpl_store_export(c->store, APR_ARRAY_IDX(sites, i, const char *), &head,
                                           count, &n, &c->err, c->pool),
                         APR_SUCCESS);
        assert_int_equal(n, head.entries);
    }
    return sites->nelts;
}

/* Learns as many documents of a site as may speak for it. */
static void learn_well(ctx_t *c, const char *site)
{
    for (unsigned i = 1; i <= 8; i++) {
        learn(c, site, i, 100 * i, 100);
    }
}

/* Whatever their names, in the order of their last use; what is only looked at is in use. */
static void least_recently_used_goes(void **state)
{
    enum { SITES = 20 };
    ctx_t *c = *state;

    c->store = open_with(c, backend_uri_limited(c, "sites=20"), NULL);
    for (unsigned i = 0; i < SITES; i++) {
        learn_well(c, name_of(c, i * 7 % SITES));
    }
    learn(c, name_of(c, 0), 9, 0, 100);
    learn(c, name_of(c, 14), 9, 0, 100);
    for (unsigned i = 0; i < SITES - 2; i++) {
        learn_well(c, apr_psprintf(c->pool, i % 2 ? "after%u" : "zone%u", i));
        for (unsigned k = 0; k < SITES; k++) {
            unsigned site = k * 7 % SITES;
            /* 0 and 14 were the first and the third, and are used again */
            int gone = site != 0 && site != 14 && k <= i + 1 + (i > 0);

            assert_int_equal(is_known(c, name_of(c, site)), !gone);
        }
        assert_int_equal(whole_sites(c), SITES);
    }
    learn(c, "last", 1, 0, 100);
    assert_false(is_known(c, name_of(c, 0)));
    assert_true(is_known(c, name_of(c, 14)));
    tmpl_store_usage_t usage;
    assert_int_equal(tmpl_store_usage(c->store, &usage, &c->err), APR_SUCCESS);
    assert_int_equal(usage.evicted, SITES - 2 + 1);
    assert_int_equal(usage.sites, SITES);
    assert_int_equal(usage.max_sites, SITES);
    assert_true(usage.bytes > 0 && usage.bytes < usage.max_bytes);
    assert_int_equal(usage.max_bytes, tmpl_store_opts_default.map_size);
}

#define HOUR ((uint64_t)3600 * 1000000)

/* Has the record of a site say that it was last used so many hours ago. */
static void age(MDB_val *key, MDB_val *data, unsigned hours)
{
    (void)key;
    tmpl_put_le((unsigned char *)data->mv_data + TMPL_HEAD_SIZE + 4,
                (uint64_t)apr_time_now() - hours * HOUR, 8);
}

static int child_ages(ctx_t *c, unsigned hours)
{
    return raw_patch(c, "sites", apr_psprintf(c->pool, "of %u hours", hours), age, hours);
}

/* Unlike is_known() no use of the site. */
static int is_listed(ctx_t *c, const char *site)
{
    const apr_array_header_t *sites = sites_of(c);

    for (int i = 0; i < sites->nelts; i++) {
        if (strcmp(APR_ARRAY_IDX(sites, i, const char *), site) == 0) {
            return 1;
        }
    }
    return 0;
}

/*
 * A site of many documents stays for eight times as long as one of a single document, and no
 * longer; but not where it is room that lacks.
 */
static void sites_of_many_documents_stay(void **state)
{
    static const struct {
        const char *limits;
        unsigned hours[2]; /* of the site of many documents, of the other one */
        int stays;
    } rows[] = {
        { "sites=2", { 70, 10 }, 1 },
        { "sites=2", { 90, 10 }, 0 },
        { "sites=2", { 5, 10 }, 1 },
        { "size=2M", { 20, 10 }, 0 },
    };
    ctx_t *c = *state;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *names[2];
        const char *uri = backend_uri_limited(c, rows[i].limits);
        apr_pool_t *apart;

        apr_pool_create(&apart, c->pool);
        assert_int_equal(tmpl_store_open(&c->store, uri, NULL, &c->err, apart), APR_SUCCESS);
        for (int k = 0; k < 2; k++) {
            names[k] = apr_psprintf(c->pool, "of %u hours", rows[i].hours[k]);
            for (unsigned n = 1; n <= (k == 0 ? 20U : 1U); n++) {
                learn(c, names[k], n, 400 * n, 400);
            }
        }
        apr_pool_destroy(apart);
        for (int k = 0; k < 2; k++) {
            assert_exits(in_child_alone(c, rows[i].hours[k], child_ages));
        }
        c->store = open_with(c, uri, NULL);
        for (unsigned n = 0; is_listed(c, names[0]) && is_listed(c, names[1]); n++) {
            learn(c, name_of(c, n), 1, 0, 400);
        }
        assert_int_equal(is_listed(c, names[0]), rows[i].stays);
        assert_int_equal(is_listed(c, names[1]), !rows[i].stays);
    }
}

static void frozen_sites_stay(void **state)
{
    ctx_t *c = *state;

    c->store = open_with(c, backend_uri_limited(c, "sites=5&size=8M"), NULL);
    for (unsigned i = 0; i < 5; i++) {
        learn(c, name_of(c, i), 1, 0, 100);
        assert_int_equal(tmpl_store_freeze(c->store, name_of(c, i), 1, &c->err, c->pool),
                         APR_SUCCESS);
    }
    assert_int_equal(try_observe(c, "one more", 1, 2, 0, 5, &usual, 1, TIMEOUT), APR_ENOSPC);
    assert_non_null(strstr(c->err.text, "5 sites"));
    assert_int_equal(c->counts.pages, 0);
    assert_int_equal(c->counts.records[4].df, 0);
    assert_int_equal(tmpl_store_freeze(c->store, name_of(c, 3), 0, &c->err, c->pool), APR_SUCCESS);
    learn(c, "one more", 1, 0, 5);
    assert_unknown(c, name_of(c, 3));
    assert_int_equal(whole_sites(c), 5);
}

/* Each transaction forgets a few at most, until there are as few as may be. */
static void fewer_sites_later(void **state)
{
    ctx_t *c = *state;
    int was = 40;

    c->store = open_with(c, c->uri, NULL);
    for (unsigned i = 0; i < 40; i++) {
        learn(c, name_of(c, i), 1, 0, 20);
    }
    c->store = open_with(c, apr_pstrcat(c->pool, c->uri, "?sites=10", NULL), NULL);
    for (unsigned i = 0; i < 10; i++) {
        learn(c, apr_psprintf(c->pool, "new%u", i), 1, 0, 20);
        int is = sites_of(c)->nelts;
        assert_int_equal(
            is, was - TMPL_LMDB_EVICTED_MOST + 1 > 10 ? was - TMPL_LMDB_EVICTED_MOST + 1 : 10);
        was = is;
    }
    assert_int_equal(whole_sites(c), 10);
}

/* The search looks at some of many sites, and goes on with others the next time. */
static void search_goes_round(void **state)
{
    ctx_t *c = *state;
    const char *uri = backend_uri_limited(c, "sites=2500");
    unsigned n = 0;

    c->store = open_with(c, uri, NULL);
    for (unsigned i = 0; i < 2500; i++) {
        if (i % 1250 != 600) { /* 600 and 1850 are not used again, and are in other parts */
            learn(c, apr_psprintf(c->pool, "site%04u", i), 1, 0, 1);
        }
        if (i == 100) {
            learn(c, "site0600", 1, 0, 1);
            learn(c, "site1850", 1, 0, 1);
            for (unsigned k = 0; k < 100; k++) {
                learn(c, apr_psprintf(c->pool, "site%04u", k), 2, 0, 1);
            }
        }
    }
    while (is_known(c, "site0600") || is_known(c, "site1850")) {
        learn(c, apr_psprintf(c->pool, "new%u", n++), 1, 0, 1);
        assert_true(n < 10);
    }
    assert_int_equal(sites_of(c)->nelts, 2500);
}

/* Sites come without end, and all are learnt; those in use stay. */
static void full_map_forgets_sites(void **state)
{
    ctx_t *c = *state;
    struct stat st;

    c->store = open_with(c, backend_uri_limited(c, "size=2M"), NULL);
    for (unsigned i = 0; i < 1000; i++) {
        for (unsigned page = 0; page < 3; page++) {
            observe_as(c, name_of(c, i), 2 * page, 2 * page + 1, 200 * page, 300, &lasting, 1);
        }
        if (i % 5 == 0) {
            observe_as(c, "used", 2 * i, 2 * i + 1, i % 100, 100, &usual, 1);
            assert_int_equal(c->counts.pages, i / 5 + 1);
        }
    }
    assert_int_equal(stat(apr_pstrcat(c->pool, lmdb_dir(c), "/data.mdb", NULL), &st), 0);
    assert_in_range(st.st_size, 1 << 20, 2 << 20);
    assert_in_range(whole_sites(c), 50, 500);
    assert_true(is_known(c, name_of(c, 999)));
    assert_false(is_known(c, name_of(c, 1)));
}

/* A file that is larger than it may be is opened, grows no further than to delete, and learns. */
static void smaller_size_later(void **state)
{
    ctx_t *c = *state;
    const char *uri = backend_uri_limited(c, "size=16M");
    struct stat before, after;
    apr_pool_t *pool;

    apr_pool_create(&pool, NULL);
    assert_int_equal(tmpl_store_open(&c->store, uri, NULL, &c->err, pool), APR_SUCCESS);
    for (unsigned i = 0; i < 1000; i++) {
        observe_as(c, name_of(c, i), 1, 2, 0, 500, &lasting, 1);
    }
    apr_pool_destroy(pool);
    const char *file = apr_pstrcat(c->pool, lmdb_dir(c), "/data.mdb", NULL);
    assert_int_equal(stat(file, &before), 0);
    assert_true(before.st_size > 4 << 20);
    c->store = open_with(c, apr_pstrcat(c->pool, c->uri, "?size=1M", NULL), NULL);
    for (unsigned i = 0; i < 1000; i++) {
        observe_as(c, apr_psprintf(c->pool, "new%u", i), 1, 2, 0, 500, &lasting, 1);
    }
    assert_int_equal(stat(file, &after), 0);
    assert_true(after.st_size <= before.st_size + (256 << 10));
    assert_in_range(whole_sites(c), 400, 1000);
    assert_true(is_known(c, "new999"));
    assert_false(is_known(c, name_of(c, 0)));
}

/* An administrator's table finds room, too; it is tried again until it does. */
static void import_into_a_full_map(void **state)
{
    enum { ENTRIES = 20000 };
    ctx_t *c = *state;
    tmpl_store_stats_t head = { .pages = 1 };
    tmpl_value_t value = { .df = 9, .last = 1 };
    tmpl_entry_t *entries = apr_pcalloc(c->pool, ENTRIES * sizeof(*entries));

    c->store = open_with(c, backend_uri_limited(c, "size=2M"), NULL);
    for (unsigned i = 0; i < 1000; i++) {
        observe_as(c, name_of(c, i), 1, 2, 0, 300, &lasting, 1);
    }
    for (unsigned i = 0; i < ENTRIES; i++) {
        entries[i] = (tmpl_entry_t){ { i * 7919, TMPL_KIND_SEGMENT }, &value };
    }
    assert_int_equal(
        tmpl_store_import(c->store, "imported", &head, entries, ENTRIES, &c->err, c->pool),
        APR_SUCCESS);
    assert_int_equal(stats_of(c, "imported", &lasting).live, ENTRIES);
    assert_true(is_known(c, name_of(c, 999)));
    assert_in_range(whole_sites(c), 2, 500);
}

static const store_test_t table[] = {
    TEST(LMDB, least_recently_used_goes), TEST(LMDB, sites_of_many_documents_stay),
    TEST(LMDB, frozen_sites_stay),        TEST(LMDB, fewer_sites_later),
    TEST(LMDB, search_goes_round),        TEST(LMDB, full_map_forgets_sites),
    TEST(LMDB, smaller_size_later),       TEST(LMDB, import_into_a_full_map),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
