/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the tests of stores: an empty store for each test; pages to observe; tables to compare;
 * and run(), which runs each test over the kinds of store that it is for. Kinds of store are
 * memory, LMDB in a directory of its own, and a real redis-server, on a unix socket or on TCP with
 * user, password and database. The program's argument is a pattern of the tests to run.
 */
#ifndef TESTS_STORE_FIXTURE_H
#define TESTS_STORE_FIXTURE_H

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

#include "table/rules.h"
#include "table/provider.h"

#include "redis_server.h"
#include "store_model.h"

#define DIM(a) (sizeof(a) / sizeof((a)[0]))

/* Long: a test must not fail because it is slow, under a sanitizer or on a loaded machine. */
#define TIMEOUT apr_time_from_sec(60)
/* Short: for tests that wait for the timeout. Nothing may take GROSSLY times as long, which is half
 * a minute, because a busy machine stalls. */
#define SHORT   apr_time_from_msec(100)
#define LONG    apr_time_from_sec(3600)
#define GROSSLY 300

/*
 * REDIS_AGED: pages that are not learnt at once accept counts of any age.
 * REDIS_CLUSTER: a cluster of one node.
 */
typedef enum { LMDB, REDIS_UNIX, REDIS_TCP, REDIS_AGED, REDIS_CLUSTER, MEMORY, BACKENDS } backend_e;

static const char *const backend_names[BACKENDS] = { "lmdb",        "redis+unix",    "redis+tcp",
                                                     "redis, aged", "redis+cluster", "memory" };
static const char acl[] = "user default off\nuser app on >s3cret/@ ~* &* +@all\n";

static char base[] = "/tmp/tmpl-test-store-XXXXXX";
static redis_server_t servers[BACKENDS]; /* only kinds of Redis have a server */
static unsigned dirs;

static const tmpl_policy_t usual = {
    .min_df = 5, .lifetime_tb = 1000, .lifetime_n = 10, .max_entries = 1000000
};

/* The context of a test. */
typedef struct {
    backend_e backend;
    apr_pool_t *pool;
    char *uri;
    tmpl_store_t *store;
    apr_interval_time_t age; /* the age of counts that pages accept */
    tmpl_error_t err;
    tmpl_counts_t counts;
} ctx_t;
/* ---- setting up ---- */

static inline char *dir_new(apr_pool_t *pool)
{
    char *dir = apr_psprintf(pool, "%s/%u", base, ++dirs);

    assert_int_equal(mkdir(dir, 0700), 0);
    return dir;
}

static inline tmpl_store_t *open_with(ctx_t *c, const char *uri, const tmpl_store_opts_t *opts)
{
    tmpl_store_t *store = NULL;
    apr_status_t rv = tmpl_store_open(&store, uri, opts, &c->err, c->pool);

    if (rv != APR_SUCCESS) {
        fail_msg("%s: %s", uri, c->err.text);
    }
    return store;
}

/* Sends a command to a server, past the store; the test fails without an answer. */
static inline redisReply *by_hand(const redis_server_t *server, const char *command)
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

static inline void do_by_hand(const redis_server_t *server, const char *command)
{
    freeReplyObject(by_hand(server, command));
}

static inline long long info_number(const redis_server_t *server, const char *section,
                                    const char *field)
{
    redisReply *reply = by_hand(server, section);
    const char *at = strstr(reply->str, field);
    long long n = at != NULL ? atoll(at + strlen(field)) : 0;

    freeReplyObject(reply);
    return n;
}

/* Whether the answer to a command contains text. */
static inline int says(const redis_server_t *server, const char *command, const char *text)
{
    redisReply *reply = by_hand(server, command);
    int has = strstr(reply->str, text) != NULL;

    freeReplyObject(reply);
    return has;
}

/* How often the server has been asked for fields, alone or together with other commands. */
static inline long long lookups(const redis_server_t *server)
{
    return info_number(server, "INFO commandstats", "cmdstat_hmget:calls=");
}

static inline long long fields_of(const redis_server_t *server)
{
    redisReply *reply = by_hand(server, "HLEN tmpl:6:{s}");
    long long n = reply->integer;

    freeReplyObject(reply);
    return n;
}

static inline char *backend_uri(backend_e backend, apr_pool_t *pool)
{
    switch (backend) {
    case REDIS_UNIX:
    case REDIS_AGED:
        return apr_psprintf(pool, "redis+unix://%s?db=2", servers[backend].socket);
    case REDIS_TCP:
        return apr_psprintf(pool, "redis://app:s3cret%%2F%%40@127.0.0.1:%d/3",
                            servers[REDIS_TCP].port);
    case REDIS_CLUSTER:
        return apr_psprintf(pool, "redis+cluster://127.0.0.1:%d", servers[backend].port);
    case MEMORY:
        return apr_pstrdup(pool, "memory:");
    default:
        return apr_psprintf(pool, "lmdb:%s", dir_new(pool));
    }
}

static inline int backend_start(backend_e backend, apr_pool_t *pool)
{
    int is_cluster = backend == REDIS_CLUSTER;
    const char *more = is_cluster ? apr_psprintf(pool, "cluster-enabled yes\ncluster-port %d",
                                                 redis_server_free_port())
                                  : "";

    if (!redis_server_start(&servers[backend], dir_new(pool), backend == REDIS_TCP || is_cluster,
                            backend == REDIS_TCP ? acl : more)) {
        return 0;
    }
    if (is_cluster) {
        do_by_hand(&servers[backend], "CLUSTER ADDSLOTSRANGE 0 16383");
        while (!says(&servers[backend], "CLUSTER INFO", "cluster_state:ok")) {
            redis_server_nap();
        }
    }
    return 1;
}

/* An empty store of the kind that the test's initial state names. */
static inline int setup(void **state)
{
    backend_e backend = (backend_e)(uintptr_t)*state;
    ctx_t *c = calloc(1, sizeof(*c));

    apr_pool_create(&c->pool, NULL);
    c->backend = backend;
    c->age = backend == REDIS_AGED ? LONG : 0;
    if (backend != LMDB && backend != MEMORY) {
        if (servers[backend].pid == 0 && !backend_start(backend, c->pool)) {
            fail_msg("redis-server does not start");
        }
        do_by_hand(&servers[backend], "FLUSHALL");
    }
    c->uri = backend_uri(backend, c->pool);
    c->store = open_with(c, c->uri, NULL);
    *state = c;
    return 0;
}

static inline int teardown(void **state)
{
    ctx_t *c = *state;

    apr_pool_destroy(c->pool);
    free(c);
    return 0;
}

/* Whether a process sleeps, as its first thread does. */
static inline int sleeps(pid_t pid)
{
    char path[64], stat[512] = "";
    const char *at;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
    file = fopen(path, "r");
    if (file == NULL) {
        return 0;
    }
    (void)!fread(stat, 1, sizeof(stat) - 1, file);
    fclose(file);
    at = strrchr(stat, ')');
    return at != NULL && strncmp(at, ") S", 3) == 0;
}

/* ---- observing ---- */

/* Keys first .. first + n - 1 of the model. */
static inline tmpl_key_t *keys_of(apr_pool_t *pool, unsigned first, unsigned n)
{
    tmpl_key_t *keys = apr_palloc(pool, (n + 1) * sizeof(*keys));

    for (unsigned i = 0; i < n; i++) {
        keys[i] = (tmpl_key_t){ model_key(first + i), TMPL_KIND_SEGMENT };
    }
    return keys;
}

static inline void page_init(tmpl_observation_t *page, tmpl_document_t *document, ctx_t *c,
                             unsigned i, unsigned first, unsigned n)
{
    *document = (tmpl_document_t){ model_document(2 * i), model_document(2 * i + 1) };
    *page = (tmpl_observation_t){ .site = "s",
                                  .document = document,
                                  .keys = keys_of(c->pool, first, n),
                                  .n = n,
                                  .policy = &usual };
}

static inline apr_status_t try_observe(ctx_t *c, const char *site, uint64_t id, uint64_t text,
                                       unsigned first, unsigned n, const tmpl_policy_t *policy,
                                       int learn, apr_interval_time_t timeout)
{
    tmpl_document_t document = { model_document((unsigned)id), model_document((unsigned)text) };

    tmpl_observation_t observation = { .site = site,
                                       .document = &document,
                                       .keys = keys_of(c->pool, first, n),
                                       .n = n,
                                       .policy = policy,
                                       .learn = learn,
                                       .age = c->age };

    return tmpl_store_observe(c->store, &observation, timeout, &c->counts, &c->err, c->pool);
}

/* Observes the page with id, text and keys first .. first + n - 1; the store must not fail. */
static inline void observe_as(ctx_t *c, const char *site, unsigned id, unsigned text,
                              unsigned first, unsigned n, const tmpl_policy_t *policy, int learn)
{
    if (try_observe(c, site, id, text, first, n, policy, learn, TIMEOUT) != APR_SUCCESS) {
        fail_msg("%s: %s", c->uri, c->err.text);
    }
}

/* Learns page number i, which has its own id and text. */
static inline void learn(ctx_t *c, const char *site, unsigned i, unsigned first, unsigned n)
{
    observe_as(c, site, 2 * i, 2 * i + 1, first, n, &usual, 1);
}

/* Advances the clock of a site by n pages without keys. */
static inline void pass_pages(ctx_t *c, const char *site, unsigned from, unsigned n,
                              const tmpl_policy_t *policy)
{
    for (unsigned i = 0; i < n; i++) {
        observe_as(c, site, 2 * (from + i), 2 * (from + i) + 1, 0, 0, policy, 1);
    }
}

/* The document of a page that is only looked up. */
#define LOOKED_ID   1000000
#define LOOKED_TEXT 1000001

static inline void look(ctx_t *c, const char *site, unsigned first, unsigned n)
{
    observe_as(c, site, LOOKED_ID, LOOKED_TEXT, first, n, &usual, 0);
}

static inline tmpl_store_stats_t stats_of(ctx_t *c, const char *site, const tmpl_policy_t *policy)
{
    tmpl_store_stats_t stats;

    if (tmpl_store_stats(c->store, site, policy, &stats, &c->err, c->pool) != APR_SUCCESS) {
        fail_msg("%s", c->err.text);
    }
    return stats;
}

static inline void assert_unknown(ctx_t *c, const char *site)
{
    tmpl_store_stats_t stats;

    assert_int_equal(tmpl_store_stats(c->store, site, &usual, &stats, &c->err, c->pool),
                     APR_NOTFOUND);
    assert_non_null(strstr(c->err.text, site));
}

/* The hash of the path of try_path(); its bytes are letters, so it can be written by hand. */
#define PATH_HASH 0x6161616161ULL

/* Observes a page of one segment and one path; the segment's ten bytes are in the path. */
static inline apr_status_t try_path(ctx_t *c, const char *site, unsigned i,
                                    const tmpl_policy_t *policy, int learning)
{
    static const tmpl_key_t keys[] = { { 1, TMPL_KIND_SEGMENT }, { PATH_HASH, TMPL_KIND_PATH } };
    static const tmpl_share_t share = { .length = 10 };
    static const tmpl_block_paths_t block = { { 1, TMPL_NONE, TMPL_NONE }, 0, 1 };
    const tmpl_document_t document = { model_document(2 * i), model_document(2 * i + 1) };
    const tmpl_observation_t page = { site,   &document, keys,   2,        &share, 1,
                                      &block, 1,         policy, learning, c->age, NULL };

    return tmpl_store_observe(c->store, &page, TIMEOUT, &c->counts, &c->err, c->pool);
}

static inline void assert_path(ctx_t *c, uint32_t df, uint32_t last, uint32_t text,
                               uint32_t repeated)
{
    assert_int_equal(c->counts.records[1].df, df);
    assert_int_equal(c->counts.records[1].last, last);
    assert_int_equal(c->counts.records[1].text, text);
    assert_int_equal(c->counts.records[1].repeated, repeated);
}

/* ---- export and import ---- */

typedef struct {
    apr_pool_t *pool;
    tmpl_store_stats_t head;
    apr_array_header_t *entries; /* of tmpl_entry_t, sorted by key */
} table_t;

static inline apr_status_t table_add(void *baton, const tmpl_entry_t *entry)
{
    table_t *table = baton;
    tmpl_entry_t *e = apr_array_push(table->entries);

    e->key = entry->key;
    e->value = tmpl_value_copy(entry->value, table->pool);
    return APR_SUCCESS;
}

static inline int entry_order(const void *a, const void *b)
{
    const tmpl_entry_t *x = a, *y = b;

    if (x->key.kind != y->key.kind) {
        return x->key.kind < y->key.kind ? -1 : 1;
    }
    return x->key.hash < y->key.hash ? -1 : x->key.hash > y->key.hash;
}

static inline table_t *table_of(ctx_t *c, const char *site)
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

static inline int entry_equal(const tmpl_entry_t *a, const tmpl_entry_t *b)
{
    const tmpl_value_t *x = a->value, *y = b->value;

    return a->key.kind == b->key.kind && a->key.hash == b->key.hash && x->df == y->df &&
           x->last == y->last && x->text == y->text && x->repeated == y->repeated && x->n == y->n &&
           (x->n == 0 || memcmp(x->fingerprints, y->fingerprints, 2 * (size_t)x->n) == 0);
}

static inline void assert_tables_equal(const table_t *a, const table_t *b)
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

static inline void import_into(ctx_t *c, const char *site, const table_t *table)
{
    if (tmpl_store_import(c->store, site, &table->head, (tmpl_entry_t *)table->entries->elts,
                          (uint32_t)table->entries->nelts, &c->err, c->pool) != APR_SUCCESS) {
        fail_msg("%s", c->err.text);
    }
}

static inline apr_status_t site_push(void *baton, const char *site)
{
    apr_array_header_t *sites = baton;

    APR_ARRAY_PUSH(sites, char *) = apr_pstrdup(sites->pool, site);
    return APR_SUCCESS;
}

static inline int site_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline apr_array_header_t *sites_of(ctx_t *c)
{
    apr_array_header_t *sites = apr_array_make(c->pool, 8, sizeof(char *));

    assert_int_equal(tmpl_store_sites(c->store, site_push, sites, &c->err, c->pool), APR_SUCCESS);
    qsort(sites->elts, (size_t)sites->nelts, sizeof(char *), site_order);
    return sites;
}

/* ---- running ---- */

#define ALL_STORES -1
#define NO_STORE   -2
#define TEST(backend, name)                                                                        \
    {                                                                                              \
#name, name, backend                                                                       \
    }

/* A test, and the kind of store that it is for. */
typedef struct {
    const char *name;
    CMUnitTestFunction function;
    int backend;
} store_test_t;

static inline void test_add(struct CMUnitTest *test, const store_test_t *from, int backend,
                            apr_pool_t *pool)
{
    test->test_func = from->function;
    test->name = from->name;
    if (backend != NO_STORE) {
        test->name = apr_pstrcat(pool, backend_names[backend], ": ", from->name, NULL);
        test->setup_func = setup;
        test->teardown_func = teardown;
        test->initial_state = (void *)(uintptr_t)backend;
    }
}

static inline int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static inline int run(const store_test_t *table, size_t n, int argc, char **argv)
{
    struct CMUnitTest *tests = calloc(n * BACKENDS, sizeof(*tests));
    size_t n_tests = 0;
    apr_pool_t *pool;
    int failed;

    apr_initialize();
    apr_pool_create(&pool, NULL);
    signal(SIGPIPE, SIG_DFL); /* a write to a server that is gone must not raise SIGPIPE */
    if (mkdtemp(base) == NULL) {
        perror(base);
        return 1;
    }
    for (size_t i = 0; i < n; i++) {
        for (int backend = NO_STORE; backend < BACKENDS; backend++) {
            if (table[i].backend == backend || (table[i].backend == ALL_STORES && backend >= 0)) {
                if (backend != ALL_STORES) {
                    test_add(&tests[n_tests++], &table[i], backend, pool);
                }
            }
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
    free(tests);
    return failed;
}

#endif
