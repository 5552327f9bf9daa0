/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One suite of tests that every store must pass, run over LMDB in a directory of its own and over
 * a real redis-server, on a unix socket and on TCP with user, password and database; then what is
 * particular to each; and the breaker. An argument is a pattern of the tests to run.
 */
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>
#include <hiredis/hiredis.h>

#include <apr_general.h>
#include <apr_strings.h>
#include <apr_tables.h>

#include "store/breaker.h"
#include "store/entry.h"
#include "store/provider.h"

#include "redis_server.h"
#include "store_model.h"

#define DIM(a) (sizeof(a) / sizeof((a)[0]))

/* Long: on a loaded machine under a sanitizer a test must not fail for being slow. */
#define TIMEOUT apr_time_from_sec(60)
/* Short, where waiting it out is the test; nothing may take GROSSLY times as long. */
#define SHORT   apr_time_from_msec(100)
#define GROSSLY 20

typedef enum { LMDB, REDIS_UNIX, REDIS_TCP, BACKENDS } backend_e;

static const char *const backend_names[BACKENDS] = { "lmdb", "redis+unix", "redis+tcp" };
static const char acl[] = "user default off\nuser app on >s3cret/@ ~* &* +@all\n";

static char base[] = "/tmp/tmpl-test-store-XXXXXX";
static redis_server_t servers[BACKENDS]; /* [LMDB] is none */
static unsigned dirs;

static const tmpl_policy_t usual = {
    .min_df = 5, .lifetime_tb = 1000, .lifetime_n = 10, .max_entries = 1000000
};

/* What a test works with. */
typedef struct {
    backend_e backend;
    apr_pool_t *pool;
    char *uri;
    tmpl_store_t *store;
    tmpl_error_t err;
    tmpl_counts_t counts;
} ctx_t;

/* ---- setting up ---- */

static char *dir_new(apr_pool_t *pool)
{
    char *dir = apr_psprintf(pool, "%s/%u", base, ++dirs);

    assert_int_equal(mkdir(dir, 0700), 0);
    return dir;
}

static tmpl_store_t *open_with(ctx_t *c, const char *uri, const tmpl_store_opts_t *opts)
{
    tmpl_store_t *store = NULL;
    apr_status_t rv = tmpl_store_open(&store, uri, opts, &c->err, c->pool);

    if (rv != APR_SUCCESS) {
        fail_msg("%s: %s", uri, c->err.text);
    }
    return store;
}

/* An answer to a command given by hand; the test fails if there is none. */
static redisReply *by_hand(const redis_server_t *server, const char *command)
{
    redisContext *redis = redisConnectUnix(server->socket);
    redisReply *reply;

    assert_non_null(redis);
    assert_int_equal(redis->err, 0);
    if (server == &servers[REDIS_TCP]) {
        reply = redisCommand(redis, "AUTH app s3cret/@");
        assert_non_null(reply);
        freeReplyObject(reply);
    }
    reply = redisCommand(redis, command);
    redisFree(redis);
    assert_non_null(reply);
    if (reply->type == REDIS_REPLY_ERROR) {
        fail_msg("%s: %s", command, reply->str);
    }
    return reply;
}

static void do_by_hand(const redis_server_t *server, const char *command)
{
    freeReplyObject(by_hand(server, command));
}

static char *backend_uri(backend_e backend, apr_pool_t *pool)
{
    switch (backend) {
    case REDIS_UNIX:
        return apr_psprintf(pool, "redis+unix://%s?db=2", servers[REDIS_UNIX].socket);
    case REDIS_TCP:
        return apr_psprintf(pool, "redis://app:s3cret%%2F%%40@127.0.0.1:%d/3",
                            servers[REDIS_TCP].port);
    default:
        return apr_psprintf(pool, "lmdb:%s", dir_new(pool));
    }
}

/* An empty store of the kind that the test's initial state names. */
static int setup(void **state)
{
    backend_e backend = (backend_e)(uintptr_t)*state;
    ctx_t *c = calloc(1, sizeof(*c));

    apr_pool_create(&c->pool, NULL);
    c->backend = backend;
    if (backend != LMDB) {
        if (servers[backend].pid == 0 &&
            !redis_server_start(&servers[backend], dir_new(c->pool), backend == REDIS_TCP,
                                backend == REDIS_TCP ? acl : "")) {
            fail_msg("redis-server does not start");
        }
        do_by_hand(&servers[backend], "FLUSHALL");
    }
    c->uri = backend_uri(backend, c->pool);
    c->store = open_with(c, c->uri, NULL);
    *state = c;
    return 0;
}

static int teardown(void **state)
{
    ctx_t *c = *state;

    apr_pool_destroy(c->pool);
    free(c);
    return 0;
}

/* ---- observing ---- */

/* Keys first .. first + n - 1, by the model's numbers. */
static tmpl_key_t *keys_of(apr_pool_t *pool, unsigned first, unsigned n)
{
    tmpl_key_t *keys = apr_palloc(pool, (n + 1) * sizeof(*keys));

    for (unsigned i = 0; i < n; i++) {
        keys[i] = (tmpl_key_t){ model_key(first + i), TMPL_KIND_SEGMENT };
    }
    return keys;
}

static apr_status_t try_observe(ctx_t *c, const char *site, uint64_t id, uint64_t text,
                                unsigned first, unsigned n, const tmpl_policy_t *policy, int learn,
                                apr_interval_time_t timeout)
{
    tmpl_document_t document = { model_document((unsigned)id), model_document((unsigned)text) };

    return tmpl_store_observe(c->store, site, &document, keys_of(c->pool, first, n), n, policy,
                              learn, timeout, &c->counts, &c->err, c->pool);
}

/* The page with this id and text, and with keys first .. first + n - 1, must be counted well. */
static void observe_as(ctx_t *c, const char *site, unsigned id, unsigned text, unsigned first,
                       unsigned n, const tmpl_policy_t *policy, int learn)
{
    if (try_observe(c, site, id, text, first, n, policy, learn, TIMEOUT) != APR_SUCCESS) {
        fail_msg("%s: %s", c->uri, c->err.text);
    }
}

/* Page number i, with an id and a text of its own. */
static void learn(ctx_t *c, const char *site, unsigned i, unsigned first, unsigned n)
{
    observe_as(c, site, 2 * i, 2 * i + 1, first, n, &usual, 1);
}

static void look(ctx_t *c, const char *site, unsigned first, unsigned n)
{
    observe_as(c, site, 1000000, 1000001, first, n, &usual, 0);
}

static tmpl_store_stats_t stats_of(ctx_t *c, const char *site, const tmpl_policy_t *policy)
{
    tmpl_store_stats_t stats;

    if (tmpl_store_stats(c->store, site, policy, &stats, &c->err, c->pool) != APR_SUCCESS) {
        fail_msg("%s", c->err.text);
    }
    return stats;
}

static void assert_unknown(ctx_t *c, const char *site)
{
    tmpl_store_stats_t stats;

    assert_int_equal(tmpl_store_stats(c->store, site, &usual, &stats, &c->err, c->pool),
                     APR_NOTFOUND);
    assert_non_null(strstr(c->err.text, site));
}

/* ---- export and import ---- */

typedef struct {
    apr_pool_t *pool;
    tmpl_store_stats_t head;
    apr_array_header_t *entries; /* of tmpl_entry_t, sorted by key */
} table_t;

static apr_status_t table_add(void *baton, const tmpl_entry_t *entry)
{
    table_t *table = baton;
    tmpl_entry_t *e = apr_array_push(table->entries);

    *e = *entry;
    if (entry->n_fingerprints > 0) {
        e->fingerprints =
            apr_pmemdup(table->pool, entry->fingerprints, entry->n_fingerprints * sizeof(uint16_t));
    }
    return APR_SUCCESS;
}

static int entry_order(const void *a, const void *b)
{
    const tmpl_entry_t *x = a, *y = b;

    if (x->key.kind != y->key.kind) {
        return x->key.kind < y->key.kind ? -1 : 1;
    }
    return x->key.hash < y->key.hash ? -1 : x->key.hash > y->key.hash;
}

static table_t *table_of(ctx_t *c, const char *site)
{
    table_t *table = apr_pcalloc(c->pool, sizeof(*table));

    table->pool = c->pool;
    table->entries = apr_array_make(c->pool, 64, sizeof(tmpl_entry_t));
    if (tmpl_store_export(c->store, site, &table->head, table_add, table, &c->err, c->pool) !=
        APR_SUCCESS) {
        fail_msg("%s", c->err.text);
    }
    qsort(table->entries->elts, (size_t)table->entries->nelts, sizeof(tmpl_entry_t), entry_order);
    return table;
}

static int entry_equal(const tmpl_entry_t *a, const tmpl_entry_t *b)
{
    return a->key.kind == b->key.kind && a->key.hash == b->key.hash &&
           a->record.df == b->record.df && a->record.last == b->record.last &&
           a->n_fingerprints == b->n_fingerprints &&
           (a->n_fingerprints == 0 ||
            memcmp(a->fingerprints, b->fingerprints, a->n_fingerprints * sizeof(uint16_t)) == 0);
}

static void assert_tables_equal(const table_t *a, const table_t *b)
{
    assert_int_equal(a->head.pages, b->head.pages);
    assert_int_equal(a->head.version, b->head.version);
    assert_int_equal(a->head.entries, b->head.entries);
    assert_int_equal(a->entries->nelts, b->entries->nelts);
    assert_int_equal(a->entries->nelts, a->head.entries);
    for (int i = 0; i < a->entries->nelts; i++) {
        assert_true(entry_equal(&APR_ARRAY_IDX(a->entries, i, tmpl_entry_t),
                                &APR_ARRAY_IDX(b->entries, i, tmpl_entry_t)));
    }
}

static void import_into(ctx_t *c, const char *site, const table_t *table)
{
    if (tmpl_store_import(c->store, site, &table->head, (tmpl_entry_t *)table->entries->elts,
                          (uint32_t)table->entries->nelts, &c->err, c->pool) != APR_SUCCESS) {
        fail_msg("%s", c->err.text);
    }
}

/* ---- the suite ---- */

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

/* A page edited ten times is one page: what stays stays at 1, what was written anew is seen once. */
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

static apr_status_t site_push(void *baton, const char *site)
{
    apr_array_header_t *sites = baton;

    APR_ARRAY_PUSH(sites, char *) = apr_pstrdup(sites->pool, site);
    return APR_SUCCESS;
}

static int site_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static apr_array_header_t *sites_of(ctx_t *c)
{
    apr_array_header_t *sites = apr_array_make(c->pool, 8, sizeof(char *));

    assert_int_equal(tmpl_store_sites(c->store, site_push, sites, &c->err, c->pool), APR_SUCCESS);
    qsort(sites->elts, (size_t)sites->nelts, sizeof(char *), site_order);
    return sites;
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
        { { 1, TMPL_KIND_COUNT }, { 1, 1 }, NULL, 0 },
        { { 1, TMPL_KIND_SEGMENT }, { 0, 1 }, NULL, 0 },
        { { 1, TMPL_KIND_SEGMENT }, { 1, 11 }, NULL, 0 },
        { { 1, TMPL_KIND_SEGMENT }, { 1, 1 }, NULL, 2 },
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
    assert_int_equal(tmpl_store_observe(c->store, "s", &document, &key, 1, &usual, 1, TIMEOUT,
                                        &c->counts, &c->err, c->pool),
                     APR_EINVAL);
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
    assert_true(stats.bytes > 10 * stats.entries && stats.bytes < 400 * stats.entries);
}

/* ---- thousands of random observations against the model ---- */

typedef struct {
    uint64_t state;
} random_t;

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
        const model_entry_t *entries = kind == TMPL_KIND_DOCUMENT ? model->documents : model->keys;
        unsigned n = kind == TMPL_KIND_DOCUMENT ? MODEL_DOCUMENTS : MODEL_KEYS;

        for (unsigned i = 0; i < n; i++) {
            const model_entry_t *e = &entries[i];
            uint64_t hash = kind == TMPL_KIND_DOCUMENT ? model_document(i) : model_key(i);
            tmpl_entry_t want = { { hash, (tmpl_kind_e)kind }, { e->df, e->last }, e->fp, e->n };
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

/* One life per site: shorter ones would let the sweeper take what a longer one finds alive. */
static void random_pages_agree_with_the_model(void **state)
{
    static const char *const sites[] = { "one", "two", "three" };
    ctx_t *c = *state;
    model_t *models = calloc(DIM(sites), sizeof(*models));
    tmpl_policy_t policies[DIM(sites)];
    apr_pool_t *whole = c->pool;
    random_t r = { 20240607 };
    unsigned crossings = 0, counted_pages = 0;

    for (unsigned i = 0; i < DIM(sites); i++) {
        policies[i] = usual;
        draw_policy(&r, &policies[i]);
        policies[i].lifetime_tb = 4 + 20 * i;
    }
    apr_pool_create(&c->pool, whole);
    for (unsigned round = 0; round < 6000; round++) {
        unsigned s = draw(&r, DIM(sites)), numbers[MODEL_KEYS];
        unsigned id = draw(&r, 150), text = 90 + draw(&r, 150);
        int to_learn = draw(&r, 8) != 0;
        tmpl_key_t keys[MODEL_KEYS];
        unsigned n = draw_keys(&r, numbers, keys);
        tmpl_document_t document = { model_document(id), model_document(text) };
        uint64_t version = models[s].version;
        int counted;

        if (draw(&r, 50) == 0) {
            tmpl_policy_t changed = policies[s];

            draw_policy(&r, &changed);
            policies[s].min_df = changed.min_df;
        }
        counted = model_observe(&models[s], id, text, numbers, n, &policies[s], to_learn);
        assert_int_equal(tmpl_store_observe(c->store, sites[s], &document, keys, n, &policies[s],
                                            to_learn, TIMEOUT, &c->counts, &c->err, c->pool),
                         APR_SUCCESS);
        assert_int_equal(c->counts.counted, counted);
        assert_int_equal(c->counts.pages, models[s].pages);
        assert_int_equal(c->counts.version, models[s].version);
        for (unsigned i = 0; i < n; i++) {
            const model_entry_t *e = &models[s].keys[numbers[i]];
            int live = model_live(e, &policies[s], models[s].pages);

            assert_int_equal(c->counts.records[i].df, live ? e->df : 0);
            assert_int_equal(c->counts.records[i].last, live ? e->last : 0);
        }
        counted_pages += (unsigned)counted;
        crossings += models[s].version != version;
        if (round % 500 == 499) {
            assert_model_held(c, sites[s], &models[s], &policies[s]);
        }
        apr_pool_clear(c->pool);
    }
    apr_pool_destroy(c->pool);
    c->pool = whole;
    /* the draw is of any use only if much has happened */
    assert_true(counted_pages > 500 && crossings > 100);
    free(models);
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
            apr_status_t rv =
                tmpl_store_observe(w->c->store, "s", &document, keys_of(pool, again ? 0 : i, 20),
                                   20, &usual, 1, TIMEOUT, &counts, &err, pool);

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

/* ---- what is particular to LMDB ---- */

static const char *lmdb_dir(const ctx_t *c)
{
    return c->uri + strlen("lmdb:");
}

/* Runs child in a process of its own with a store of its own; its exit status must be 0. */
static pid_t in_child(ctx_t *c, unsigned number, int (*child)(ctx_t *c, unsigned number))
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        ctx_t *own = calloc(1, sizeof(*own));
        apr_status_t rv;

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        apr_pool_create(&own->pool, NULL);
        own->uri = c->uri;
        rv = tmpl_store_open(&own->store, own->uri, NULL, &own->err, own->pool);
        if (rv == APR_SUCCESS) {
            rv = child(own, number);
            apr_pool_destroy(own->pool);
        }
        _exit(rv == APR_SUCCESS ? 0 : 1);
    }
    return pid;
}

static void assert_exits(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define PROCESSES        4
#define PAGES_OF_PROCESS 50

static int child_learns(ctx_t *c, unsigned number)
{
    apr_status_t rv = APR_SUCCESS;

    for (unsigned i = 0; rv == APR_SUCCESS && i < PAGES_OF_PROCESS; i++) {
        unsigned page = number * PAGES_OF_PROCESS + i;

        rv = try_observe(c, "s", 2 * page, 2 * page + 1, 0, 20, &usual, 1, TIMEOUT);
    }
    return rv;
}

static void processes_share_a_directory(void **state)
{
    ctx_t *c = *state;
    pid_t pids[PROCESSES];

    /* not opened here before they fork: LMDB would not stand it */
    apr_pool_clear(c->pool);
    c->uri = backend_uri(LMDB, c->pool);
    for (unsigned i = 0; i < PROCESSES; i++) {
        pids[i] = in_child(c, i, child_learns);
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        assert_exits(pids[i]);
    }
    c->store = open_with(c, c->uri, NULL);
    look(c, "s", 0, 20);
    assert_int_equal(c->counts.pages, PROCESSES * PAGES_OF_PROCESS);
    assert_int_equal(c->counts.records[19].df, PROCESSES * PAGES_OF_PROCESS);
    assert_int_equal(c->counts.version, 20);
}

static int child_learns_for_ever(ctx_t *c, unsigned number)
{
    apr_pool_create(&c->pool, c->pool);
    for (unsigned page = number;; page++) {
        if (try_observe(c, "s", 2 * page, 2 * page + 1, page % 200, 200, &usual, 1, TIMEOUT) !=
            APR_SUCCESS) {
            return 1;
        }
        apr_pool_clear(c->pool);
    }
}

static void survives_kill_9(void **state)
{
    ctx_t *c = *state;
    uint32_t pages = 0;

    for (unsigned round = 0; round < 20; round++) {
        pid_t pid = in_child(c, 1000 + 100000 * round, child_learns_for_ever);
        uint32_t until = pages + 3 + round;

        do {
            learn(c, "s", round, 0, 200);
            pages = c->counts.pages;
        } while (pages < until);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        learn(c, "s", 500 + round, 0, 200);
        assert_true(c->counts.counted);
        assert_true(c->counts.pages >= pages + 1);
        pages = c->counts.pages;
    }
    assert_int_equal(table_of(c, "s")->entries->nelts, stats_of(c, "s", &usual).entries);
}

static void reopened_it_knows_all(void **state)
{
    ctx_t *c = *state;
    table_t *before;
    apr_pool_t *first;

    apr_pool_create(&first, NULL);
    assert_int_equal(
        tmpl_store_open(&c->store, c->uri = backend_uri(LMDB, c->pool), NULL, &c->err, first),
        APR_SUCCESS);
    for (unsigned i = 0; i < 7; i++) {
        learn(c, "s", i, i, 20);
    }
    before = table_of(c, "s");
    apr_pool_destroy(first);
    c->store = open_with(c, c->uri, NULL);
    assert_tables_equal(before, table_of(c, "s"));
    learn(c, "s", 3, 3, 20);
    assert_false(c->counts.counted);
}

/* Virtual hosts of one server open one directory, and their pools end in any order. */
static void one_directory_opened_twice(void **state)
{
    ctx_t *c = *state;
    tmpl_store_t *first = c->store, *second, *third;
    apr_pool_t *pool;

    apr_pool_create(&pool, NULL);
    second = open_with(
        c, apr_psprintf(c->pool, "lmdb:%s/../%s", lmdb_dir(c), strrchr(lmdb_dir(c), '/') + 1),
        NULL);
    assert_int_equal(tmpl_store_open(&third, c->uri, NULL, &c->err, pool), APR_SUCCESS);
    c->store = third;
    learn(c, "s", 1, 0, 3);
    apr_pool_destroy(pool);
    c->store = second;
    learn(c, "s", 2, 0, 3);
    c->store = first;
    look(c, "s", 0, 3);
    assert_int_equal(c->counts.records[2].df, 2);
}

/* Learns new pages of 100 new keys until the store is full; the number learnt. */
static unsigned fill(ctx_t *c, const char *site)
{
    for (unsigned i = 0; i < 100000; i++) {
        apr_status_t rv =
            try_observe(c, site, 2 * i, 2 * i + 1, 1000 + 100 * i, 100, &usual, 1, TIMEOUT);

        if (rv != APR_SUCCESS) {
            assert_int_equal(rv, APR_ENOSPC);
            assert_int_equal(c->counts.pages, i);
            assert_false(c->counts.counted);
            return i;
        }
    }
    fail_msg("a map that is never full");
    return 0;
}

static void full_map_still_counts(void **state)
{
    ctx_t *c = *state;
    tmpl_store_opts_t opts = tmpl_store_opts_default;
    unsigned learnt, pages = 6, refused = 0;

    opts.map_size = 1 << 20;
    c->store = open_with(c, c->uri = backend_uri(LMDB, c->pool), &opts);
    for (unsigned i = 0; i < 6; i++) {
        learn(c, "small", i, 0, 10);
    }
    learnt = fill(c, "big");
    assert_in_range(learnt, 20, 1000);
    assert_non_null(strstr(c->err.text, "map is full"));
    assert_non_null(strstr(c->err.text, lmdb_dir(c)));
    /* little pages may still find room for a while; whatever does not is counted all the same */
    for (unsigned i = 0; i < 500; i++) {
        apr_status_t rv =
            try_observe(c, "small", 900 + i, 1900 + i, 20 + 30 * i, 30, &usual, 1, TIMEOUT);

        pages += rv == APR_SUCCESS;
        refused += rv == APR_ENOSPC;
        assert_int_equal(c->counts.pages, pages);
        assert_int_equal(c->counts.counted, rv == APR_SUCCESS);
    }
    assert_int_equal(pages + refused, 506);
    assert_true(refused > 100);
    look(c, "small", 0, 10);
    assert_int_equal(c->counts.records[9].df, 6);
    look(c, "big", 1000, 100);
    assert_int_equal(c->counts.records[99].df, 1);
    /* there is a way out */
    assert_int_equal(tmpl_store_forget(c->store, "big", &c->err, c->pool), APR_SUCCESS);
    learn(c, "small", 3000, 0, 11);
    assert_int_equal(c->counts.records[0].df, 7);
    assert_in_range(fill(c, "big"), learnt / 4, learnt * 2);
}

/* What is dead makes room on a full map by itself. */
static void full_map_heals(void **state)
{
    ctx_t *c = *state;
    tmpl_store_opts_t opts = tmpl_store_opts_default;
    tmpl_policy_t brief = {
        .min_df = 5, .lifetime_tb = 3, .lifetime_n = 1, .max_entries = 1000000
    };
    apr_status_t rv = APR_ENOSPC;

    opts.map_size = 1 << 20;
    c->store = open_with(c, c->uri = backend_uri(LMDB, c->pool), &opts);
    fill(c, "s");
    for (unsigned i = 0; rv != APR_SUCCESS && i < 500; i++) {
        rv = try_observe(c, "s", 1, 77, 0, 10, &brief, 1, TIMEOUT);
    }
    assert_int_equal(rv, APR_SUCCESS);
    assert_true(c->counts.counted);
}

static int child_has_no_disk(ctx_t *c, unsigned number)
{
    struct rlimit limit = { 0, 0 };
    struct stat st;
    unsigned i;

    (void)number;
    signal(SIGXFSZ, SIG_IGN);
    if (try_observe(c, "s", 1, 2, 0, 10, &usual, 1, TIMEOUT) != APR_SUCCESS ||
        stat(apr_psprintf(c->pool, "%s/data.mdb", lmdb_dir(c)), &st) != 0) {
        return 1;
    }
    limit.rlim_cur = limit.rlim_max = (rlim_t)st.st_size + 65536;
    setrlimit(RLIMIT_FSIZE, &limit);
    for (i = 1; i < 200; i++) {
        if (try_observe(c, "s", 2 * i + 1, 2 * i + 2, 50 * i, 50, &usual, 1, TIMEOUT) !=
            APR_SUCCESS) {
            break;
        }
    }
    /* full: nothing learnt, counts read, again and again */
    for (unsigned again = 0; again < 5; again++) {
        if (try_observe(c, "s", 900, 901, 0, 60, &usual, 1, TIMEOUT) != APR_ENOSPC ||
            c->counts.pages != i || c->counts.records[0].df != 1 ||
            strstr(c->err.text, "may not grow") == NULL) {
            return 2;
        }
    }
    return i < 200 && try_observe(c, "s", 1, 2, 0, 10, &usual, 1, TIMEOUT) == APR_SUCCESS ? 0 : 3;
}

static void full_disk_still_counts(void **state)
{
    ctx_t *c = *state;

    apr_pool_clear(c->pool);
    c->uri = backend_uri(LMDB, c->pool);
    assert_exits(in_child(c, 0, child_has_no_disk));
    c->store = open_with(c, c->uri, NULL);
    learn(c, "s", 5000, 0, 10);
    assert_int_equal(c->counts.records[0].df, 2);
}

static void sites_are_limited(void **state)
{
    ctx_t *c = *state;
    tmpl_store_opts_t opts = tmpl_store_opts_default;

    opts.max_sites = 5;
    c->store = open_with(c, c->uri, &opts);
    for (unsigned i = 0; i < 5; i++) {
        learn(c, apr_psprintf(c->pool, "site%u", i), 1, 0, 100);
    }
    assert_int_equal(try_observe(c, "one more", 1, 2, 0, 5, &usual, 1, TIMEOUT), APR_ENOSPC);
    assert_non_null(strstr(c->err.text, "5 sites"));
    assert_int_equal(c->counts.pages, 0);
    assert_int_equal(c->counts.records[4].df, 0);
    learn(c, "site2", 2, 0, 100);
    assert_int_equal(c->counts.records[99].df, 2);
    /* idle ones make room: with no patience at all, a second later */
    opts.idle = 1;
    c->store = open_with(c, c->uri, &opts);
    while (try_observe(c, "one more", 1, 2, 0, 5, &usual, 1, TIMEOUT) == APR_ENOSPC) {
        redis_server_nap();
    }
    assert_int_equal(c->counts.pages, 1);
    assert_int_equal(sites_of(c)->nelts, 5);
}

/* Holds the writers' lock until it is killed. */
static int child_holds_the_lock(ctx_t *c, unsigned number)
{
    int fd = open(apr_psprintf(c->pool, "%s/writer.lock", lmdb_dir(c)), O_RDWR);
    pthread_mutex_t *mutex = mmap(NULL, sizeof(*mutex), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    (void)number;
    pthread_mutex_lock(mutex);
    for (;;) {
        pause();
    }
    return 0;
}

static void stopped_writer_holds_nobody(void **state)
{
    ctx_t *c = *state;
    apr_time_t start;
    apr_status_t rv;
    unsigned page = 10;
    pid_t pid;

    learn(c, "s", 1, 0, 5);
    pid = in_child(c, 0, child_holds_the_lock);
    do {
        start = tmpl_clock();
        page++;
        rv = try_observe(c, "s", 2 * page, 2 * page + 1, 0, 5, &usual, 1, SHORT);
    } while (rv == APR_SUCCESS); /* it has not got it yet */
    assert_int_equal(rv, APR_TIMEUP);
    assert_true(tmpl_clock() - start < GROSSLY * SHORT);
    assert_non_null(strstr(c->err.text, lmdb_dir(c)));
    /* who has nothing to learn does not wait */
    assert_int_equal(try_observe(c, "s", 2, 3, 0, 5, &usual, 1, SHORT), APR_SUCCESS);
    assert_int_equal(try_observe(c, "s", 9, 9, 0, 5, &usual, 0, SHORT), APR_SUCCESS);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    learn(c, "s", 500, 0, 5);
    assert_true(c->counts.counted);
}

/* Opening uri must fail, and name it. */
static apr_status_t cannot_open(ctx_t *c, const char *uri)
{
    tmpl_store_t *store = NULL;
    apr_status_t rv = tmpl_store_open(&store, uri, NULL, &c->err, c->pool);

    assert_int_not_equal(rv, APR_SUCCESS);
    assert_int_equal(rv, c->err.status);
    assert_non_null(strstr(c->err.text, uri));
    return rv;
}

static void write_file(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    fclose(file);
}

static void damaged_file_is_an_error(void **state)
{
    ctx_t *c = *state;
    char garbage[20000], *path;
    struct stat st;

    for (unsigned i = 0; i < sizeof(garbage); i++) {
        garbage[i] = (char)model_mix(i);
    }
    for (size_t len = 1; len <= sizeof(garbage); len = 3 * len + 17) {
        c->uri = backend_uri(LMDB, c->pool);
        write_file(apr_psprintf(c->pool, "%s/data.mdb", lmdb_dir(c)), garbage, len);
        cannot_open(c, c->uri);
    }
    /* cut short, at every page */
    c->uri = backend_uri(LMDB, c->pool);
    path = apr_psprintf(c->pool, "%s/data.mdb", lmdb_dir(c));
    assert_exits(in_child(c, 0, child_learns));
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size > 4 * 4096);
    for (off_t size = st.st_size - 4096; size > 0; size -= 4096) {
        assert_int_equal(truncate(path, size), 0);
        cannot_open(c, c->uri);
    }
    /* an empty file is a new one */
    assert_int_equal(truncate(path, 0), 0);
    c->store = open_with(c, c->uri, NULL);
    learn(c, "s", 1, 0, 5);
    assert_int_equal(c->counts.pages, 1);
}

static void bad_directories(void **state)
{
    ctx_t *c = *state;
    char *file = apr_psprintf(c->pool, "%s/data.mdb", lmdb_dir(c));
    char *fresh = apr_psprintf(c->pool, "%s/fresh", lmdb_dir(c));
    struct stat st;

    assert_int_equal(cannot_open(c, apr_psprintf(c->pool, "lmdb:%s", file)), ENOTDIR);
    assert_int_equal(cannot_open(c, apr_psprintf(c->pool, "lmdb:%s/a/b", fresh)), ENOENT);
    assert_int_equal(cannot_open(c, "lmdb:/proc/tmpl"), ENOENT);
    c->store = open_with(c, apr_psprintf(c->pool, "lmdb:%s", fresh), NULL);
    assert_int_equal(stat(fresh, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    learn(c, "s", 1, 0, 1);
}

/* The map one process has grown is followed by one that has it open. */
static int child_grows_the_map(ctx_t *c, unsigned number)
{
    tmpl_store_opts_t opts = tmpl_store_opts_default;

    (void)number;
    opts.map_size = 8 << 20;
    if (tmpl_store_open(&c->store, c->uri, &opts, &c->err, c->pool) != APR_SUCCESS) {
        return 1;
    }
    return try_observe(c, "grown", 1, 2, 0, 60000, &usual, 1, TIMEOUT);
}

static void follows_a_larger_map(void **state)
{
    ctx_t *c = *state;
    tmpl_store_opts_t opts = tmpl_store_opts_default;

    opts.map_size = 1 << 20;
    c->uri = backend_uri(LMDB, c->pool);
    c->store = open_with(c, c->uri, &opts);
    learn(c, "s", 1, 0, 5);
    assert_exits(in_child(c, 0, child_grows_the_map));
    look(c, "grown", 0, 60000);
    assert_int_equal(c->counts.records[59999].df, 1);
    learn(c, "grown", 2, 0, 100);
    assert_int_equal(c->counts.records[99].df, 2);
}

/* ---- what is particular to Redis ---- */

static long long info_number(const redis_server_t *server, const char *section, const char *field)
{
    redisReply *reply = by_hand(server, section);
    const char *at = strstr(reply->str, field);
    long long n = at != NULL ? atoll(at + strlen(field)) : 0;

    freeReplyObject(reply);
    return n;
}

static void one_round_trip_a_page(void **state)
{
    ctx_t *c = *state;
    const redis_server_t *server = &servers[c->backend];
    static const char calls[] = "cmdstat_evalsha:calls=";

    do_by_hand(server, "SCRIPT FLUSH");
    learn(c, "s", 1, 0, 5);
    do_by_hand(server, "CONFIG RESETSTAT");
    for (unsigned i = 2; i < 12; i++) {
        learn(c, "s", i, 0, 300);
    }
    assert_int_equal(info_number(server, "INFO commandstats", calls), 10);
    assert_int_equal(info_number(server, "INFO commandstats", "cmdstat_eval:calls="), 0);
    assert_int_equal(info_number(server, "INFO commandstats", "cmdstat_select:calls="), 0);
    assert_int_equal(info_number(server, "INFO stats", "total_connections_received:"), 4);
}

static void flushed_script_is_sent_again(void **state)
{
    ctx_t *c = *state;

    for (unsigned i = 1; i < 5; i++) {
        do_by_hand(&servers[c->backend], "SCRIPT FLUSH");
        learn(c, "s", i, 0, 5);
        assert_int_equal(c->counts.records[4].df, i);
    }
}

static void uses_its_own_database(void **state)
{
    ctx_t *c = *state;
    redisReply *reply;

    learn(c, "s", 1, 0, 5);
    reply = by_hand(&servers[c->backend], "DBSIZE"); /* of database 0 */
    assert_int_equal(reply->integer, 0);
    freeReplyObject(reply);
    assert_int_equal(info_number(&servers[c->backend], "INFO keyspace",
                                 c->backend == REDIS_TCP ? "db3:keys=" : "db2:keys="),
                     1);
}

static void idle_sites_expire(void **state)
{
    ctx_t *c = *state;
    tmpl_store_opts_t opts = tmpl_store_opts_default;
    const redis_server_t *server = &servers[REDIS_UNIX];
    redisReply *reply;

    opts.idle = apr_time_from_sec(3000);
    c->store = open_with(c, apr_psprintf(c->pool, "redis+unix://%s", server->socket), &opts);
    learn(c, "s", 1, 0, 5);
    reply = by_hand(server, "TTL tmpl:{s}");
    assert_in_range(reply->integer, 2900, 3000);
    freeReplyObject(reply);
    /* being looked at is being in use */
    do_by_hand(server, "EXPIRE tmpl:{s} 1000");
    look(c, "s", 0, 1);
    reply = by_hand(server, "TTL tmpl:{s}");
    assert_in_range(reply->integer, 2900, 3000);
    freeReplyObject(reply);
}

static void restarted_server_is_found_again(void **state)
{
    ctx_t *c = *state;
    redis_server_t server;
    char *dir = dir_new(c->pool);

    assert_true(redis_server_start(&server, dir, 0, ""));
    c->store = open_with(c, apr_psprintf(c->pool, "redis+unix://%s", server.socket), NULL);
    learn(c, "s", 1, 0, 5);
    redis_server_stop(&server);
    assert_int_not_equal(try_observe(c, "s", 4, 5, 0, 5, &usual, 1, TIMEOUT), APR_SUCCESS);
    assert_non_null(strstr(c->err.text, server.socket));
    assert_true(redis_server_start(&server, dir, 0, ""));
    learn(c, "s", 1, 0, 5);
    assert_true(c->counts.counted); /* it came back empty */
    /* restarted between two pages: the connection has died unnoticed, the page does not suffer */
    redis_server_stop(&server);
    assert_true(redis_server_start(&server, dir, 0, ""));
    learn(c, "s", 2, 0, 5);
    assert_int_equal(c->counts.pages, 1);
    redis_server_stop(&server);
}

static void missing_server_is_no_error_of_open(void **state)
{
    ctx_t *c = *state;

    c->store = open_with(c, apr_psprintf(c->pool, "redis+unix://%s/none", base), NULL);
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 5, &usual, 1, TIMEOUT), ENOENT);
    c->store =
        open_with(c, apr_psprintf(c->pool, "redis://127.0.0.1:%d", redis_server_free_port()), NULL);
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 5, &usual, 1, TIMEOUT), ECONNREFUSED);
    c->store = open_with(c, "redis://name.invalid", NULL);
    assert_int_not_equal(try_observe(c, "s", 1, 2, 0, 5, &usual, 1, SHORT), APR_SUCCESS);
    assert_non_null(strstr(c->err.text, "name.invalid"));
}

static void names_are_looked_up(void **state)
{
    ctx_t *c = *state;
    const redis_server_t *server = &servers[REDIS_TCP];

    c->store = open_with(
        c, apr_psprintf(c->pool, "redis://app:s3cret%%2f%%40@localhost:%d/1", server->port), NULL);
    /* localhost may be ::1 first, where nobody listens: then the next one is tried */
    while (try_observe(c, "s", 2, 3, 0, 5, &usual, 1, TIMEOUT) == ECONNREFUSED) {
    }
    learn(c, "s", 2, 0, 5);
    assert_int_equal(c->counts.pages, 2);
}

static void wrong_password_is_told(void **state)
{
    ctx_t *c = *state;
    static const char *const who[] = { "app:wrong@", "nobody:s3cret%2f%40@", "", ":s3cret%2f%40@" };

    for (unsigned i = 0; i < DIM(who); i++) {
        c->store = open_with(
            c, apr_psprintf(c->pool, "redis://%s127.0.0.1:%d/3", who[i], servers[REDIS_TCP].port),
            NULL);
        assert_int_equal(try_observe(c, "s", 1, 2, 0, 5, &usual, 1, TIMEOUT), APR_EACCES);
        assert_null(strstr(c->err.text, "s3cret"));
        assert_null(strstr(c->err.text, "wrong@"));
        assert_non_null(strstr(c->err.text, "127.0.0.1"));
    }
}

static void password_alone(void **state)
{
    ctx_t *c = *state;
    redis_server_t server;

    assert_true(redis_server_start(&server, dir_new(c->pool), 0, "requirepass a&b=c\n"));
    c->store = open_with(
        c, apr_psprintf(c->pool, "redis+unix://%s?pass=a%%26b%%3Dc&db=1", server.socket), NULL);
    learn(c, "s", 1, 0, 5);
    assert_int_equal(c->counts.pages, 1);
    redis_server_stop(&server);
}

/* A server that takes no writes: counts are good, nothing is learnt, and it is called full. */
static void assert_takes_no_writes(ctx_t *c, const char *says)
{
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(try_observe(c, "s", 100 + i, 200 + i, 0, 6, &usual, 1, TIMEOUT),
                         APR_ENOSPC);
        assert_int_equal(c->err.status, APR_ENOSPC);
        if (strstr(c->err.text, says) == NULL) {
            fail_msg("\"%s\" does not say \"%s\"", c->err.text, says);
        }
        assert_int_equal(c->counts.pages, 4);
        assert_false(c->counts.counted);
        assert_int_equal(c->counts.records[4].df, 4);
        assert_int_equal(c->counts.records[5].df, 0);
    }
    look(c, "s", 0, 5);
    assert_int_equal(c->counts.records[0].df, 4);
}

static void server_without_writes_still_counts(void **state)
{
    ctx_t *c = *state;
    redis_server_t server;
    unsigned i;

    assert_true(redis_server_start(&server, dir_new(c->pool), 0,
                                   "user mute on nopass ~* &* +@all -hset\n"));
    c->store = open_with(c, apr_psprintf(c->pool, "redis+unix://%s", server.socket), NULL);
    for (i = 0; i < 4; i++) {
        learn(c, "s", i, 0, 5);
    }
    do_by_hand(&server, "CONFIG SET maxmemory 1");
    assert_takes_no_writes(c, "out of memory");
    do_by_hand(&server, "CONFIG SET maxmemory 0");
    do_by_hand(&server, "REPLICAOF 127.0.0.1 1");
    assert_takes_no_writes(c, "read-only replica");
    do_by_hand(&server, "REPLICAOF NO ONE");
    do_by_hand(&server, "CONFIG SET min-replicas-to-write 3");
    assert_takes_no_writes(c, "lacks replicas");
    do_by_hand(&server, "CONFIG SET min-replicas-to-write 0");
    c->store = open_with(
        c, apr_psprintf(c->pool, "redis+unix://%s?user=mute&pass=x", server.socket), NULL);
    assert_takes_no_writes(c, "can't run this command");
    c->store = open_with(c, apr_psprintf(c->pool, "redis+unix://%s", server.socket), NULL);
    learn(c, "s", i, 0, 6);
    assert_int_equal(c->counts.records[0].df, 5);
    redis_server_stop(&server);
}

static void foreign_key_is_told(void **state)
{
    ctx_t *c = *state;
    const redis_server_t *server = &servers[REDIS_UNIX];

    c->store = open_with(c, apr_psprintf(c->pool, "redis+unix://%s", server->socket), NULL);
    do_by_hand(server, "SET tmpl:{s} x");
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 5, &usual, 1, TIMEOUT), APR_EGENERAL);
    assert_non_null(strstr(c->err.text, "another program"));
    do_by_hand(server, "DEL tmpl:{s}");
    /* a hash with fields of all kinds is read past */
    do_by_hand(server, "HSET tmpl:{s} a b h c 123456789 x 12345678x xxxxx 1234567xx xxxxxxxxxxxxx");
    learn(c, "s", 1, 0, 5);
    assert_int_equal(c->counts.pages, 1);
    learn(c, "s", 2, 0, 5);
    assert_int_equal(c->counts.records[4].df, 2);
    table_of(c, "s");
}

static void stopped_server_costs_the_timeout(void **state)
{
    ctx_t *c = *state;
    const redis_server_t *server = &servers[c->backend];

    learn(c, "s", 1, 0, 5);
    kill(server->pid, SIGSTOP);
    for (unsigned i = 0; i < 3; i++) { /* on the connection there was, then on new ones */
        apr_time_t start = tmpl_clock();

        assert_int_equal(try_observe(c, "s", 4, 5, 0, 5, &usual, 1, SHORT), APR_TIMEUP);
        assert_true(tmpl_clock() - start < GROSSLY * SHORT);
        assert_non_null(strstr(c->err.text, c->backend == REDIS_TCP ? "127.0.0.1" : "redis.sock"));
    }
    kill(server->pid, SIGCONT);
    /* whatever arrived late is not taken for an answer to this */
    learn(c, "s", 50, 0, 9);
    assert_int_equal(c->counts.records[8].df, 1);
}

/* ---- a server that is none ---- */

typedef struct {
    int listener;
    pthread_t thread;
    char path[96];
    const char *answer; /* to whatever is asked; NULL: never any */
    size_t len;
    long nap; /* nanoseconds before each byte; 0: all at once */
} fake_t;

static void fake_serve(const fake_t *fake, int fd)
{
    char request[65536];
    struct timespec nap = { 0, fake->nap };

    if (recv(fd, request, sizeof(request), 0) <= 0) {
        return;
    }
    if (fake->nap == 0 && fake->len > 0) {
        send(fd, fake->answer, fake->len, MSG_NOSIGNAL);
    }
    for (size_t i = 0; fake->nap > 0 && i < fake->len; i++) {
        nanosleep(&nap, NULL);
        if (send(fd, fake->answer + i, 1, MSG_NOSIGNAL) != 1) {
            return;
        }
    }
}

static void *fake_run(void *data)
{
    fake_t *fake = data;
    int fd;

    while ((fd = accept(fake->listener, NULL, NULL)) >= 0) {
        fake_serve(fake, fd);
        close(fd);
    }
    return NULL;
}

static void fake_start(ctx_t *c, fake_t *fake, const char *answer, size_t len, long nap)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };

    fake->answer = answer;
    fake->len = len;
    fake->nap = nap;
    snprintf(fake->path, sizeof(fake->path), "%s/fake%u", base, ++dirs);
    memcpy(at.sun_path, fake->path, strlen(fake->path));
    fake->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fake->listener, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(fake->listener, 8), 0);
    c->store = open_with(c, apr_psprintf(c->pool, "redis+unix://%s", fake->path), NULL);
    if (answer != NULL) {
        assert_int_equal(pthread_create(&fake->thread, NULL, fake_run, fake), 0);
    }
}

static void fake_stop(fake_t *fake)
{
    shutdown(fake->listener, SHUT_RDWR);
    if (fake->answer != NULL) {
        pthread_join(fake->thread, NULL);
    }
    close(fake->listener);
}

static void black_hole_costs_the_timeout(void **state)
{
    ctx_t *c = *state;
    fake_t fake;

    fake_start(c, &fake, NULL, 0, 0);
    for (unsigned i = 0; i < 5; i++) {
        apr_time_t start = tmpl_clock();

        assert_int_equal(try_observe(c, "s", 1, 2, 0, 5, &usual, 1, SHORT), APR_TIMEUP);
        assert_true(tmpl_clock() - start < GROSSLY * SHORT);
    }
    fake_stop(&fake);
}

/* Answer of one key: clock 3, version 7, not counted; DF 2 last 3. */
#define ANSWER "$21\r\n\3\0\0\0\7\0\0\0\0\0\0\0\0\2\0\0\0\3\0\0\0\r\n"

static void answers_come_in_any_pieces(void **state)
{
    ctx_t *c = *state;
    fake_t fake;

    fake_start(c, &fake, ANSWER, sizeof(ANSWER) - 1, 1000000);
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 1, &usual, 1, TIMEOUT), APR_SUCCESS);
    assert_int_equal(c->counts.pages, 3);
    assert_int_equal(c->counts.version, 7);
    assert_int_equal(c->counts.records[0].df, 2);
    assert_int_equal(c->counts.records[0].last, 3);
    fake_stop(&fake);
}

static void dribbled_answer_costs_the_timeout(void **state)
{
    ctx_t *c = *state;
    apr_time_t start;
    fake_t fake;

    fake_start(c, &fake, ANSWER, sizeof(ANSWER) - 1, 20 * 1000 * 1000); /* 28 bytes: 560 ms */
    start = tmpl_clock();
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 1, &usual, 1, SHORT), APR_TIMEUP);
    assert_true(tmpl_clock() - start < GROSSLY * SHORT);
    fake_stop(&fake);
}

static void garbage_is_an_error(void **state)
{
    ctx_t *c = *state;
#define BYTES(text)                                                                                \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }
    static const struct {
        const char *bytes;
        size_t len;
    } garbage[] = {
        BYTES("HTTP/1.1 400 Bad Request\r\n\r\n"),
        BYTES("\0\0\0\0\0\0\0\0"),
        BYTES("\r\n\r\n\r\n"),
        BYTES(":1\r\n"),
        BYTES("+OK\r\n"),
        BYTES("$-1\r\n"),
        BYTES("$-2\r\n"),
        BYTES("$0\r\n\r\n"),
        BYTES("*0\r\n"),
        BYTES("*-1\r\n"),
        BYTES("*2147483647\r\n"),
        BYTES("*1000000000000000000\r\n"),
        BYTES("*2\r\n" ANSWER ":1\r\n"),
        BYTES("*2\r\n*1\r\n:1\r\n$3\r\nabc\r\n"),
        BYTES("*3\r\n" ANSWER "$3\r\nabc\r\n:1\r\n"),
        BYTES("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"),
        BYTES("$20\r\n\3\0\0\0\7\0\0\0\0\0\0\0\0\2\0\0\0\3\0\0\r\n"),
        BYTES("$22\r\n\3\0\0\0\7\0\0\0\0\0\0\0\0\2\0\0\0\3\0\0\0\0\r\n"),
        BYTES("$21\r\n\3\0\0\0\7\0\0\0\0\0\0\0\0\2\0\0\0\3\0\0\0xx"),
        BYTES(ANSWER ANSWER),
        BYTES("$999999999999\r\nxxxxxxxxxxxx"),
        BYTES("-\r\n"),
        BYTES("-ERR \xff\xfe\r\n"),
        BYTES("-MOVED 3999 127.0.0.1:6381\r\n"),
        BYTES("-LOADING Redis is loading the dataset in memory\r\n"),
        BYTES("-BUSY Redis is busy running a script.\r\n"),
        BYTES("$21\r\n\3\0\0"), /* and closes */
    };

    for (unsigned i = 0; i < DIM(garbage); i++) {
        apr_status_t rv;
        fake_t fake;

        fake_start(c, &fake, garbage[i].bytes, garbage[i].len, 0);
        for (unsigned again = 0; again < 2; again++) {
            rv = try_observe(c, "s", 1, 2, 0, 1, &usual, 1, TIMEOUT);
            if (rv == APR_SUCCESS) {
                fail_msg("number %u is taken for an answer", i);
            }
            assert_int_not_equal(rv, APR_TIMEUP);
            assert_int_not_equal(rv, APR_ENOSPC);
            assert_int_equal(rv, c->err.status);
            assert_non_null(strstr(c->err.text, fake.path));
        }
        fake_stop(&fake);
    }
}

/* More bytes than any answer has: refused before they pile up. */
static void endless_answer_is_an_error(void **state)
{
    ctx_t *c = *state;
    size_t len = 1 << 20;
    char *bytes = malloc(len);
    fake_t fake;

    memset(bytes, 'x', len);
    memcpy(bytes, "+", 1);
    fake_start(c, &fake, bytes, len, 0);
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 1, &usual, 1, TIMEOUT), APR_EGENERAL);
    fake_stop(&fake);
    free(bytes);
}

/* ---- URIs ---- */

static void uris(void **state)
{
    static const char *const good[] = {
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
    static const char *const bad[] = {
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
        "LMDB:/x",
        "redis+unix:///"
        "012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
        "0"
        "12345678901234567890",
    };
    tmpl_error_t err;
    apr_pool_t *pool;

    (void)state;
    apr_pool_create(&pool, NULL);
    for (unsigned i = 0; i < DIM(good); i++) {
        assert_int_equal(tmpl_store_check_uri(good[i], &err, pool), APR_SUCCESS);
    }
    for (unsigned i = 0; i < DIM(bad); i++) {
        tmpl_store_t *store;

        err.text[0] = '\0';
        if (tmpl_store_check_uri(bad[i], &err, pool) != APR_EINVAL) {
            fail_msg("%s is taken for good", bad[i]);
        }
        assert_int_not_equal(err.text[0], '\0');
        assert_int_equal(tmpl_store_open(&store, bad[i], NULL, &err, pool), APR_EINVAL);
    }
    apr_pool_destroy(pool);
}

/* ---- the breaker ---- */

static void breaker_lets_one_probe(void **state)
{
    tmpl_breaker_t b;

    (void)state;
    tmpl_breaker_init(&b, 100);
    assert_true(tmpl_breaker_allow(&b, 1000));
    assert_true(tmpl_breaker_allow(&b, 1000));
    assert_false(tmpl_breaker_report(&b, 1000, 1));
    assert_false(tmpl_breaker_is_open(&b));
    /* opens, once */
    assert_true(tmpl_breaker_report(&b, 1000, 0));
    assert_false(tmpl_breaker_report(&b, 1001, 0)); /* begun before, failed after: pause anew */
    assert_true(tmpl_breaker_is_open(&b));
    assert_false(tmpl_breaker_allow(&b, 1001));
    assert_false(tmpl_breaker_allow(&b, 1100));
    /* exactly one probes, the others pass by */
    assert_true(tmpl_breaker_allow(&b, 1101));
    assert_false(tmpl_breaker_allow(&b, 1101));
    assert_false(tmpl_breaker_allow(&b, 1200));
    /* it fails: another pause, no change to tell */
    assert_false(tmpl_breaker_report(&b, 1150, 0));
    assert_false(tmpl_breaker_allow(&b, 1249));
    assert_true(tmpl_breaker_allow(&b, 1250));
    assert_false(tmpl_breaker_allow(&b, 1250));
    /* it never reports: the next one after a pause */
    assert_true(tmpl_breaker_allow(&b, 1350));
    /* it succeeds: closed, once */
    assert_true(tmpl_breaker_report(&b, 1360, 1));
    assert_false(tmpl_breaker_report(&b, 1360, 1));
    assert_false(tmpl_breaker_is_open(&b));
    assert_true(tmpl_breaker_allow(&b, 1361));
    assert_true(tmpl_breaker_allow(&b, 1361));
}

typedef struct {
    tmpl_breaker_t *breaker;
    pthread_barrier_t *barrier;
    unsigned allowed, changed;
} prober_t;

static void *prober(void *data)
{
    prober_t *p = data;

    for (apr_time_t now = 1000; now < 1000 + 1000 * 100; now += 100) {
        pthread_barrier_wait(p->barrier);
        if (tmpl_breaker_allow(p->breaker, now)) {
            p->allowed++;
        }
        pthread_barrier_wait(p->barrier);
    }
    pthread_barrier_wait(p->barrier);
    p->changed += (unsigned)tmpl_breaker_report(p->breaker, 1000, 1);
    return NULL;
}

static void breaker_lets_one_of_many_threads_probe(void **state)
{
    pthread_t threads[THREADS];
    prober_t probers[THREADS];
    pthread_barrier_t barrier;
    tmpl_breaker_t b;
    unsigned allowed = 0, changed = 0;

    (void)state;
    tmpl_breaker_init(&b, 100);
    assert_true(tmpl_breaker_report(&b, 900, 0));
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (unsigned i = 0; i < THREADS; i++) {
        probers[i] = (prober_t){ &b, &barrier, 0, 0 };
        assert_int_equal(pthread_create(&threads[i], NULL, prober, &probers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        allowed += probers[i].allowed;
        changed += probers[i].changed;
    }
    pthread_barrier_destroy(&barrier);
    assert_int_equal(allowed, 1000); /* once per pause */
    assert_int_equal(changed, 1);
}

/* ---- running ---- */

#define ALL_STORES -1
#define NO_STORE   -2
#define TEST(backend, name)                                                                        \
    {                                                                                              \
#name, name, backend                                                                       \
    }

static const struct {
    const char *name;
    CMUnitTestFunction function;
    int backend;
} table[] = {
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
    TEST(ALL_STORES, sites_do_not_mix),
    TEST(ALL_STORES, forget_forgets_one_site),
    TEST(ALL_STORES, export_and_import),
    TEST(ALL_STORES, import_refuses_nonsense),
    TEST(ALL_STORES, bad_arguments_are_refused),
    TEST(ALL_STORES, many_keys),
    TEST(ALL_STORES, sweeper_bounds_the_table),
    TEST(ALL_STORES, random_pages_agree_with_the_model),
    TEST(ALL_STORES, threads_share_a_store),
    TEST(LMDB, processes_share_a_directory),
    TEST(LMDB, survives_kill_9),
    TEST(LMDB, reopened_it_knows_all),
    TEST(LMDB, one_directory_opened_twice),
    TEST(LMDB, full_map_still_counts),
    TEST(LMDB, full_map_heals),
    TEST(LMDB, full_disk_still_counts),
    TEST(LMDB, sites_are_limited),
    TEST(LMDB, stopped_writer_holds_nobody),
    TEST(LMDB, damaged_file_is_an_error),
    TEST(LMDB, bad_directories),
    TEST(LMDB, follows_a_larger_map),
    TEST(REDIS_UNIX, one_round_trip_a_page),
    TEST(REDIS_UNIX, flushed_script_is_sent_again),
    TEST(REDIS_UNIX, uses_its_own_database),
    TEST(REDIS_TCP, uses_its_own_database),
    TEST(REDIS_UNIX, idle_sites_expire),
    TEST(REDIS_UNIX, restarted_server_is_found_again),
    TEST(REDIS_UNIX, missing_server_is_no_error_of_open),
    TEST(REDIS_TCP, names_are_looked_up),
    TEST(REDIS_TCP, wrong_password_is_told),
    TEST(REDIS_UNIX, password_alone),
    TEST(REDIS_UNIX, server_without_writes_still_counts),
    TEST(REDIS_UNIX, foreign_key_is_told),
    TEST(REDIS_UNIX, stopped_server_costs_the_timeout),
    TEST(REDIS_TCP, stopped_server_costs_the_timeout),
    TEST(REDIS_UNIX, black_hole_costs_the_timeout),
    TEST(REDIS_UNIX, answers_come_in_any_pieces),
    TEST(REDIS_UNIX, dribbled_answer_costs_the_timeout),
    TEST(REDIS_UNIX, garbage_is_an_error),
    TEST(REDIS_UNIX, endless_answer_is_an_error),
    TEST(NO_STORE, uris),
    TEST(NO_STORE, breaker_lets_one_probe),
    TEST(NO_STORE, breaker_lets_one_of_many_threads_probe),
};

static struct CMUnitTest tests[DIM(table) * BACKENDS];
static size_t n_tests;

static void add(apr_pool_t *pool, unsigned i, int backend)
{
    struct CMUnitTest *test = &tests[n_tests++];

    test->test_func = table[i].function;
    test->name = table[i].name;
    if (backend != NO_STORE) {
        test->name = apr_pstrcat(pool, backend_names[backend], ": ", table[i].name, NULL);
        test->setup_func = setup;
        test->teardown_func = teardown;
        test->initial_state = (void *)(uintptr_t)backend;
    }
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

int main(int argc, char **argv)
{
    apr_pool_t *pool;
    int failed;

    apr_initialize();
    apr_pool_create(&pool, NULL);
    signal(SIGPIPE, SIG_DFL); /* a write to a server that is gone must not need its being ignored */
    if (mkdtemp(base) == NULL) {
        perror(base);
        return 1;
    }
    for (unsigned i = 0; i < DIM(table); i++) {
        for (int backend = 0; backend < BACKENDS; backend++) {
            if (table[i].backend == backend || table[i].backend == ALL_STORES) {
                add(pool, i, backend);
            }
        }
        if (table[i].backend == NO_STORE) {
            add(pool, i, NO_STORE);
        }
    }
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    cmocka_set_message_output(CM_OUTPUT_TAP);
    failed = _cmocka_run_group_tests("store", tests, n_tests, NULL, NULL);
    for (unsigned i = 0; i < BACKENDS; i++) {
        redis_server_stop(&servers[i]);
    }
    nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    apr_terminate();
    return failed;
}
