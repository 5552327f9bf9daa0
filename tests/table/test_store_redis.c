/* SPDX-License-Identifier: Apache-2.0 */
/* Only Redis: round trips, servers that fail in every way, and servers that are missing. */
#include "store_fixture.h"

#include <dlfcn.h>
#include <netdb.h>

/* Those that write; each has one EXPIRE. */
static long long transactions(const redis_server_t *server)
{
    return info_number(server, "INFO commandstats", "cmdstat_expire:calls=");
}

/* A page that is looked up, be it to be learnt later: one; pages that are learnt at once: two for
 * all. */
static void few_round_trips(void **state)
{
    enum { PAGES = 12 };
    ctx_t *c = *state;
    const redis_server_t *server = &servers[c->backend];
    const tmpl_observation_t *pages[PAGES];
    tmpl_observation_t page[PAGES];
    tmpl_document_t document[PAGES];
    uint32_t counted;

    learn(c, "s", 0, 0, 300);
    do_by_hand(server, "CONFIG RESETSTAT");
    for (unsigned i = 0; i < PAGES; i++) {
        page_init(&page[i], &document[i], c, i + 1, 10 * i, 200);
        pages[i] = &page[i];
        observe_as(c, "s", 2 * i + 2, 2 * i + 3, 10 * i, 200, &usual, TMPL_LEARNING_LATER);
        assert_true(c->counts.due);
    }
    assert_int_equal(lookups(server), PAGES);
    assert_int_equal(transactions(server), 0);
    assert_int_equal(tmpl_store_learn(c->store, pages, PAGES, TIMEOUT, &counted, &c->err, c->pool),
                     APR_SUCCESS);
    assert_int_equal(counted, PAGES);
    assert_int_equal(lookups(server), PAGES + 1);
    assert_int_equal(transactions(server), 1);
    assert_int_equal(info_number(server, "INFO commandstats", "cmdstat_select:calls="), 0);
    /* those by hand, this one included */
    assert_int_equal(info_number(server, "INFO stats", "total_connections_received:"), 6);
}

/* As many pages as are best handed over at once, of 250 keys each, share the buckets that one
 * transaction writes. */
static void a_batch_is_one_transaction(void **state)
{
    ctx_t *c = *state;
    const redis_server_t *server = &servers[c->backend];
    const tmpl_observation_t *pages[TMPL_BATCH_MOST];
    tmpl_observation_t page[TMPL_BATCH_MOST];
    tmpl_document_t document[TMPL_BATCH_MOST];
    uint32_t n = TMPL_BATCH_MOST, counted;

    do_by_hand(server, "CONFIG RESETSTAT");
    for (uint32_t i = 0; i < n; i++) {
        page_init(&page[i], &document[i], c, i, 100 * i, 250);
        pages[i] = &page[i];
    }
    assert_int_equal(tmpl_store_learn(c->store, pages, n, TIMEOUT, &counted, &c->err, c->pool),
                     APR_SUCCESS);
    assert_int_equal(counted, n);
    assert_int_equal(transactions(server), 1);
    /* much longer ones do not keep the server from others for as long */
    for (uint32_t i = 0; i < n; i++) {
        page_init(&page[i], &document[i], c, n + i, 0, 1500);
    }
    assert_int_equal(tmpl_store_learn(c->store, pages, n, TIMEOUT, &counted, &c->err, c->pool),
                     APR_SUCCESS);
    assert_int_equal(counted, n);
    assert_true(transactions(server) > 3);
}

/* What the process remembers of a site is no longer so: it is asked again, and told right. */
static void stale_memory_changes_no_answer(void **state)
{
    ctx_t *c = *state;
    const redis_server_t *server = &servers[c->backend];
    tmpl_store_t *other = open_with(c, c->uri, NULL), *own = c->store;

    learn(c, "s", 1, 0, 40);
    learn(c, "s", 2, 0, 20);
    look(c, "s", 0, 40);
    c->store = other; /* the site grows: more buckets */
    learn(c, "s", 3, 0, 3000);
    learn(c, "s", 4, 2000, 3000);
    c->store = own;
    do_by_hand(server, "CONFIG RESETSTAT");
    look(c, "s", 1, 200);
    assert_int_equal(lookups(server), 2);
    assert_int_equal(c->counts.records[18].df, 3);
    assert_int_equal(c->counts.records[38].df, 2);
    assert_int_equal(c->counts.records[39].df, 1);
    /* and comes anew: as many buckets, but another salt */
    assert_int_equal(tmpl_store_forget(own, "s", &c->err, c->pool), APR_SUCCESS);
    learn(c, "s", 5, 0, 3000);
    c->store = other;
    assert_int_equal(tmpl_store_forget(other, "s", &c->err, c->pool), APR_SUCCESS);
    learn(c, "s", 6, 0, 3000);
    c->store = own;
    look(c, "s", 0, 200);
    for (unsigned i = 0; i < 200; i++) {
        assert_int_equal(c->counts.records[i].df, 1);
    }
}

/* A site that held much takes little again once that is dead, and keeps what is not. */
static void buckets_go_with_their_entries(void **state)
{
    tmpl_policy_t brief = { .min_df = 5, .lifetime_tb = 2, .lifetime_n = 1, .max_entries = 100000 };
    ctx_t *c = *state;
    const redis_server_t *server = &servers[REDIS_UNIX];
    unsigned page = 0;

    c->store = open_with(c, apr_psprintf(c->pool, "redis+unix://%s", server->socket), NULL);
    observe_as(c, "s", 0, 1, 0, 3000, &brief, 1);
    assert_true(fields_of(server) > 100);
    while ((fields_of(server) > 80 || stats_of(c, "s", &brief).entries > 80) && page < 300) {
        page++;
        observe_as(c, "s", 2 * page, 2 * page + 1, 0, 20, &brief, 1);
        for (unsigned i = 0; i < 20; i++) {
            assert_int_equal(c->counts.records[i].df, page + 1);
        }
    }
    assert_true(page < 300);
    assert_true(stats_of(c, "s", &brief).entries >= 20 + 3);
    assert_int_equal(table_of(c, "s")->entries->nelts, stats_of(c, "s", &brief).entries);
    observe_as(c, "s", 9000, 9001, 0, 3000, &brief, 1);
    assert_true(fields_of(server) > 50);
    look(c, "s", 0, 3000);
    for (unsigned i = 0; i < 3000; i++) {
        assert_int_equal(c->counts.records[i].df, i < 20 ? page + 2 : 1);
    }
}

/* Another process that learns one page of a site after the other. */
typedef struct {
    pthread_t thread;
    const char *uri;
    unsigned first, n; /* pages */
} writer_t;

static void *write_pages(void *data)
{
    writer_t *w = data;
    ctx_t c = { 0 };

    apr_pool_create(&c.pool, NULL);
    c.store = open_with(&c, w->uri, NULL);
    for (unsigned i = w->first; i < w->first + w->n; i++) {
        learn(&c, "s", i, 0, 30);
    }
    apr_pool_destroy(c.pool);
    return NULL;
}

/* Whoever comes between, no page is lost and none counted twice. */
static void writers_do_not_lose_pages(void **state)
{
    enum { WRITERS = 4, PAGES = 25 };
    ctx_t *c = *state;
    const redis_server_t *server = &servers[c->backend];
    writer_t writers[WRITERS];

    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i] = (writer_t){ .uri = c->uri, .first = 1 + i * PAGES, .n = PAGES };
        assert_int_equal(pthread_create(&writers[i].thread, NULL, write_pages, &writers[i]), 0);
    }
    for (unsigned i = 0; i < WRITERS; i++) {
        pthread_join(writers[i].thread, NULL);
    }
    look(c, "s", 0, 30);
    assert_int_equal(c->counts.pages, WRITERS * PAGES);
    for (unsigned i = 0; i < 30; i++) {
        assert_int_equal(c->counts.records[i].df, WRITERS * PAGES);
    }
    assert_true(transactions(server) >= WRITERS * PAGES);
}

/* A site that takes no writes does not keep the others from being learnt. */
static void full_site_does_not_stop_the_others(void **state)
{
    static const char *const sites[] = { "s", "t", "s", "u" };
    enum { PAGES = DIM(sites) };
    ctx_t *c = *state;
    const redis_server_t *server = &servers[REDIS_UNIX];
    const tmpl_observation_t *pages[PAGES];
    tmpl_observation_t page[PAGES];
    tmpl_document_t document[PAGES];
    uint32_t counted;

    do_by_hand(server, "ACL SETUSER half reset on >p +@all %%R~* ~tmpl:6:{t} ~tmpl:6:{u}");
    c->store = open_with(
        c, apr_psprintf(c->pool, "redis+unix://%s?user=half&pass=p", server->socket), NULL);
    for (unsigned i = 0; i < PAGES; i++) {
        page_init(&page[i], &document[i], c, i, 0, 5);
        page[i].site = sites[i];
        pages[i] = &page[i];
    }
    assert_int_equal(tmpl_store_learn(c->store, pages, PAGES, TIMEOUT, &counted, &c->err, c->pool),
                     APR_ENOSPC);
    assert_int_equal(c->err.status, APR_ENOSPC);
    assert_non_null(strstr(c->err.text, "the user may not do this"));
    assert_int_equal(counted, 2);
    assert_unknown(c, "s");
    look(c, "t", 0, 5);
    assert_int_equal(c->counts.records[4].df, 1);
    look(c, "u", 0, 5);
    assert_int_equal(c->counts.records[4].df, 1);
    do_by_hand(server, "ACL DELUSER half");
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
    reply = by_hand(server, "TTL tmpl:6:{s}");
    assert_in_range(reply->integer, 2900, 3000);
    freeReplyObject(reply);
    /* being looked at is being in use */
    do_by_hand(server, "EXPIRE tmpl:6:{s} 1000");
    look(c, "s", 0, 1);
    reply = by_hand(server, "TTL tmpl:6:{s}");
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
}

static void unknown_name_is_told(void **state)
{
    ctx_t *c = *state;

    c->store = open_with(c, "redis://name.invalid", NULL);
    assert_int_not_equal(try_observe(c, "s", 1, 2, 0, 5, &usual, 1, SHORT), APR_SUCCESS);
    assert_non_null(strstr(c->err.text, "name.invalid"));
}

/* getaddrinfo(3), with a name of two addresses of which the server listens at the second. */
__attribute__((visibility("default"))) int getaddrinfo(const char *host, const char *port,
                                                       const struct addrinfo *hints,
                                                       struct addrinfo **found)
{
    int (*system_one)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
        dlsym(RTLD_NEXT, "getaddrinfo");

    if (host == NULL || strcmp(host, "two.example") != 0) {
        return system_one(host, port, hints, found);
    }
    int rc = system_one("127.0.0.2", port, hints, found);
    return rc != 0 ? rc : system_one("127.0.0.1", port, hints, &(*found)->ai_next);
}

static void names_are_looked_up(void **state)
{
    ctx_t *c = *state;

    c->store = open_with(c,
                         apr_psprintf(c->pool, "redis://app:s3cret%%2f%%40@two.example:%d/1",
                                      servers[REDIS_TCP].port),
                         NULL);
    learn(c, "s", 1, 0, 5);
    assert_int_equal(c->counts.pages, 1);
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
    assert_takes_no_writes(c, "may not do this");
    c->store = open_with(c, apr_psprintf(c->pool, "redis+unix://%s", server.socket), NULL);
    learn(c, "s", i, 0, 6);
    assert_int_equal(c->counts.records[0].df, 5);
    redis_server_stop(&server);
}

/* The name of a master that has become a replica leads to the new master. */
static void name_of_a_former_master_is_looked_up(void **state)
{
    ctx_t *c = *state;
    redis_server_t former, now;
    const char *dir = dir_new(c->pool), *name = apr_pstrcat(c->pool, dir, "/name", NULL);

    assert_true(redis_server_start(&former, dir, 0, ""));
    assert_true(redis_server_start(&now, dir_new(c->pool), 0, ""));
    assert_int_equal(symlink(former.socket, name), 0);
    c->store = open_with(c, apr_psprintf(c->pool, "redis+unix://%s", name), NULL);
    learn(c, "s", 1, 0, 5);
    do_by_hand(&former, "REPLICAOF 127.0.0.1 1");
    assert_int_equal(unlink(name), 0);
    assert_int_equal(symlink(now.socket, name), 0);
    assert_int_equal(try_observe(c, "s", 100, 200, 0, 6, &usual, 1, TIMEOUT), APR_ENOSPC);
    learn(c, "s", 4, 0, 5);
    assert_int_equal(c->counts.pages, 1);
    redis_server_stop(&former);
    redis_server_stop(&now);
}

/* A path where no write is taken: its record as it was before, and nothing learnt. */
static void path_without_writes_still_counts(void **state)
{
    ctx_t *c = *state;
    const redis_server_t *server = &servers[REDIS_UNIX];

    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(try_path(c, "s", i, &usual, 1), APR_SUCCESS);
    }
    do_by_hand(server, "CONFIG SET min-replicas-to-write 3");
    for (unsigned i = 3; i < 6; i++) {
        assert_int_equal(try_path(c, "s", i, &usual, 1), APR_ENOSPC);
        assert_path(c, 3, 3, 30, 30);
    }
    do_by_hand(server, "CONFIG SET min-replicas-to-write 0");
    assert_int_equal(try_path(c, "s", 6, &usual, 1), APR_SUCCESS);
    assert_path(c, 4, 4, 40, 40);
}

/* Learning a known page leaves a WATCH on its connection, which must not refuse an import there. */
static void import_is_not_refused_for_an_older_page(void **state)
{
    ctx_t *c = *state;
    ctx_t other = *c;
    table_t *table;

    learn(c, "s", 1, 0, 5);
    table = table_of(c, "s");
    learn(c, "s", 1, 0, 5);
    other.store = open_with(c, c->uri, NULL);
    learn(&other, "s", 2, 0, 5);
    import_into(c, "s", table);
    assert_tables_equal(table_of(c, "s"), table);
}

/* A server that is emptied gets back the secret that its users have; so does one that lost it. */
static void emptied_server_keeps_its_secret(void **state)
{
    ctx_t *c = *state;
    char before[TMPL_SECRET_SIZE], after[TMPL_SECRET_SIZE];
    tmpl_store_t *late;

    assert_int_equal(tmpl_store_secret(c->store, before, TIMEOUT, &c->err, c->pool), APR_SUCCESS);
    do_by_hand(&servers[c->backend], "FLUSHALL");
    assert_int_equal(tmpl_store_secret(c->store, after, TIMEOUT, &c->err, c->pool), APR_SUCCESS);
    assert_string_equal(after, before);
    late = open_with(c, c->uri, NULL);
    assert_int_equal(tmpl_store_secret(late, after, TIMEOUT, &c->err, c->pool), APR_SUCCESS);
    assert_string_equal(after, before);
    /* somebody else was first */
    do_by_hand(&servers[c->backend], "FLUSHALL");
    assert_int_equal(tmpl_store_take_secret(late, "of an import", &c->err, c->pool), APR_SUCCESS);
    assert_int_equal(tmpl_store_secret(c->store, after, TIMEOUT, &c->err, c->pool), APR_SUCCESS);
    assert_string_equal(after, "of an import");
}

static const store_test_t table[] = {
    TEST(REDIS_UNIX, emptied_server_keeps_its_secret),
    TEST(REDIS_UNIX, few_round_trips),
    TEST(REDIS_UNIX, a_batch_is_one_transaction),
    TEST(REDIS_UNIX, stale_memory_changes_no_answer),
    TEST(REDIS_UNIX, buckets_go_with_their_entries),
    TEST(REDIS_UNIX, writers_do_not_lose_pages),
    TEST(REDIS_UNIX, full_site_does_not_stop_the_others),
    TEST(REDIS_UNIX, uses_its_own_database),
    TEST(REDIS_TCP, uses_its_own_database),
    TEST(REDIS_UNIX, idle_sites_expire),
    TEST(REDIS_UNIX, restarted_server_is_found_again),
    TEST(REDIS_UNIX, missing_server_is_no_error_of_open),
    TEST(REDIS_UNIX, unknown_name_is_told),
    TEST(REDIS_TCP, names_are_looked_up),
    TEST(REDIS_TCP, wrong_password_is_told),
    TEST(REDIS_UNIX, password_alone),
    TEST(REDIS_UNIX, server_without_writes_still_counts),
    TEST(REDIS_UNIX, name_of_a_former_master_is_looked_up),
    TEST(REDIS_UNIX, path_without_writes_still_counts),
    TEST(REDIS_UNIX, import_is_not_refused_for_an_older_page),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
