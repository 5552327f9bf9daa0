/* SPDX-License-Identifier: Apache-2.0 */
/* What is particular to Redis: round trips, servers that fail in every way, or are none. */
#include "store_fixture.h"

#include "store/redis_table.h"

static long long transactions(const redis_server_t *server)
{
    return info_number(server, "INFO commandstats", "cmdstat_exec:calls=");
}

static void page_init(tmpl_observation_t *page, tmpl_document_t *document, ctx_t *c, unsigned i,
                      unsigned first, unsigned n)
{
    *document = (tmpl_document_t){ model_document(2 * i), model_document(2 * i + 1) };
    *page = (tmpl_observation_t){ .site = "s",
                                  .document = document,
                                  .keys = keys_of(c->pool, first, n),
                                  .n = n,
                                  .policy = &usual };
}

/* A page that is looked up, be it to be learnt later: one; pages that are learnt at once: two for all. */
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

/* As many pages as are best handed over at once, of 250 keys each, share the buckets that one transaction writes. */
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

static long long fields_of(const redis_server_t *server)
{
    redisReply *reply = by_hand(server, "HLEN tmpl:3:{s}");
    long long n = reply->integer;

    freeReplyObject(reply);
    return n;
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
    while (fields_of(server) > 4 && page < 300) {
        page++;
        observe_as(c, "s", 2 * page, 2 * page + 1, 0, 20, &brief, 1);
        for (unsigned i = 0; i < 20; i++) {
            assert_int_equal(c->counts.records[i].df, page + 1);
        }
    }
    assert_true(page < 300);
    assert_in_range(stats_of(c, "s", &brief).entries, 20 + 3, 20 + 2 * page);
    assert_int_equal(table_of(c, "s")->entries->nelts, stats_of(c, "s", &brief).entries);
    observe_as(c, "s", 9000, 9001, 0, 3000, &brief, 1);
    assert_true(fields_of(server) > 100);
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

static void *write_one(void *data)
{
    learn(data, "s", 2, 0, 5);
    return NULL;
}

/* Who gets no turn in time is told so, and not that the store fails. */
static void no_turn_is_no_failure(void **state)
{
    ctx_t *c = *state, other = *c;
    const redis_server_t *server = &servers[c->backend];
    apr_status_t rv = APR_TIMEUP;
    pthread_t thread;

    learn(c, "s", 1, 0, 5);
    apr_pool_create(&other.pool, NULL);
    kill(server->pid, SIGSTOP);
    assert_int_equal(pthread_create(&thread, NULL, write_one, &other), 0);
    /* until the other one has begun it is the server who keeps us waiting */
    for (unsigned i = 0; rv == APR_TIMEUP && i < GROSSLY; i++) {
        rv = try_observe(c, "s", 8, 9, 0, 5, &usual, 1, SHORT);
    }
    kill(server->pid, SIGCONT);
    pthread_join(thread, NULL);
    apr_pool_destroy(other.pool);
    assert_int_equal(rv, APR_EBUSY);
    assert_int_equal(c->err.status, APR_EBUSY);
    assert_non_null(strstr(c->err.text, "others write the site"));
    learn(c, "s", 3, 0, 5);
    assert_int_equal(c->counts.records[0].df, 3);
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

    do_by_hand(server, "ACL SETUSER half reset on >p +@all %%R~* ~tmpl:3:{t} ~tmpl:3:{u}");
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
    reply = by_hand(server, "TTL tmpl:3:{s}");
    assert_in_range(reply->integer, 2900, 3000);
    freeReplyObject(reply);
    /* being looked at is being in use */
    do_by_hand(server, "EXPIRE tmpl:3:{s} 1000");
    look(c, "s", 0, 1);
    reply = by_hand(server, "TTL tmpl:3:{s}");
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

/* ThreadSanitizer does not stand the threads in which glibc looks up names. */
#ifdef __SANITIZE_THREAD__
#define SKIP_UNDER_TSAN() skip()
#else
#define SKIP_UNDER_TSAN() (void)0
#endif

static void unknown_name_is_told(void **state)
{
    ctx_t *c = *state;

    SKIP_UNDER_TSAN();
    c->store = open_with(c, "redis://name.invalid", NULL);
    assert_int_not_equal(try_observe(c, "s", 1, 2, 0, 5, &usual, 1, SHORT), APR_SUCCESS);
    assert_non_null(strstr(c->err.text, "name.invalid"));
}

static void names_are_looked_up(void **state)
{
    ctx_t *c = *state;
    const redis_server_t *server = &servers[REDIS_TCP];

    SKIP_UNDER_TSAN();
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
    assert_takes_no_writes(c, "may not do this");
    c->store = open_with(c, apr_psprintf(c->pool, "redis+unix://%s", server.socket), NULL);
    learn(c, "s", i, 0, 6);
    assert_int_equal(c->counts.records[0].df, 5);
    redis_server_stop(&server);
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

/* A field of a site, which it has, becomes what is given. */
static void set_field(const redis_server_t *server, const char *field, size_t field_len,
                      const void *bytes, size_t len)
{
    redisContext *redis = redisConnectUnix(server->socket);
    redisReply *reply = redisCommand(redis, "HSET tmpl:3:{s} %b %b", field, field_len, bytes, len);

    assert_non_null(reply);
    assert_int_equal(reply->type, REDIS_REPLY_INTEGER);
    assert_int_equal(reply->integer, 0); /* it has been there */
    freeReplyObject(reply);
    redisFree(redis);
}

/* A site's only bucket becomes what is given. */
static void set_bucket(const redis_server_t *server, const void *bytes, size_t len)
{
    set_field(server, "b\0\0\0", 4, bytes, len);
}

static void head_get(const redis_server_t *server, tmpl_redis_head_t *head)
{
    redisReply *reply = by_hand(server, "HGET tmpl:3:{s} h");

    assert_int_equal(reply->type, REDIS_REPLY_STRING);
    assert_true(tmpl_redis_head_unpack(head, reply->str, reply->len));
    freeReplyObject(reply);
}

/* The head of a site says so many entries, whatever it has. */
static void set_entries(const redis_server_t *server, uint32_t entries)
{
    unsigned char bytes[TMPL_REDIS_HEAD_MOST];
    tmpl_redis_head_t head;

    head_get(server, &head);
    head.site.entries = entries;
    set_field(server, TMPL_REDIS_HEAD, 1, bytes, tmpl_redis_head_pack(bytes, &head));
}

/* The server on its socket, in the database that is asked by hand. */
static const redis_server_t *plain_server(ctx_t *c)
{
    c->store =
        open_with(c, apr_psprintf(c->pool, "redis+unix://%s", servers[REDIS_UNIX].socket), NULL);
    return &servers[REDIS_UNIX];
}

/* Processes that each learn no more than a page get the sweeper around, too. */
static void the_sweeper_goes_on_in_the_next_process(void **state)
{
    ctx_t *c = *state;
    const redis_server_t *server = plain_server(c);
    tmpl_redis_head_t head[4];

    learn(c, "s", 0, 0, 4000); /* some 170 buckets */
    for (unsigned i = 0; i < DIM(head); i++) {
        plain_server(c);
        learn(c, "s", i + 1, 0, 10);
        head_get(server, &head[i]);
        assert_string_not_equal(head[i].cursor, "0");
        for (unsigned k = 0; k < i; k++) {
            assert_string_not_equal(head[i].cursor, head[k].cursor);
        }
    }
}

/* A cursor that Redis would not take is not given to it. */
static void cursor_of_a_damaged_head_is_not_used(void **state)
{
    unsigned char bytes[TMPL_REDIS_HEAD_MOST];
    ctx_t *c = *state;
    const redis_server_t *server = plain_server(c);
    tmpl_redis_head_t head;

    learn(c, "s", 1, 0, 10);
    head_get(server, &head);
    apr_cpystrn(head.cursor, "99999999999999999999999", sizeof(head.cursor));
    set_field(server, TMPL_REDIS_HEAD, 1, bytes, tmpl_redis_head_pack(bytes, &head));
    plain_server(c);
    learn(c, "s", 2, 0, 10);
    assert_int_equal(c->counts.records[9].df, 2);
}

/* A head that says millions of entries costs a page no more than some buckets. */
static void head_of_too_many_entries_costs_little(void **state)
{
    ctx_t *c = *state;
    const redis_server_t *server = plain_server(c);
    tmpl_policy_t huge = {
        .min_df = 5, .lifetime_tb = 1000, .lifetime_n = 10, .max_entries = 1u << 31
    };
    tmpl_redis_head_t head;
    uint32_t before;

    learn(c, "s", 0, 0, 10);
    set_entries(server, 24000000);
    learn(c, "s", 1, 0, 10);
    head_get(server, &head);
    assert_in_range(head.buckets.n, 2, 65);
    before = head.buckets.n;
    observe_as(c, "s", 4, 5, 0, 3000, &huge, 1);
    head_get(server, &head);
    assert_in_range(head.buckets.n, before + 2990 / 24, before + 64 + 3000 / 24);
    look(c, "s", 0, 3000);
    for (unsigned i = 0; i < 3000; i++) {
        assert_int_equal(c->counts.records[i].df, i < 10 ? 3 : 1);
    }
}

/* A head that says few entries: buckets fill. What finds no room is not learnt, what is there stays. */
static void head_of_too_few_entries_loses_nothing(void **state)
{
    enum { KEYS = 20 };
    ctx_t *c = *state;
    const redis_server_t *server = plain_server(c);
    apr_status_t rv = APR_SUCCESS;
    unsigned i;

    for (i = 0; rv == APR_SUCCESS && i < 1000; i++) {
        rv = try_observe(c, "s", 2 * i, 2 * i + 1, KEYS * i, KEYS, &usual, 1, TIMEOUT);
        if (rv == APR_SUCCESS) {
            set_entries(server, 0);
        }
    }
    assert_int_equal(rv, APR_ENOSPC);
    assert_int_equal(c->err.status, APR_ENOSPC);
    assert_int_equal(c->counts.records[0].df, 0);
    assert_in_range(i, 100, 999);
    look(c, "s", 0, KEYS * i);
    for (unsigned k = 0; k < KEYS * i; k++) {
        assert_int_equal(c->counts.records[k].df, k < KEYS * (i - 1));
    }
}

/* Without a head nothing else of the key is of any site. */
static void without_a_head_the_site_begins_anew(void **state)
{
    ctx_t *c = *state;
    const redis_server_t *server = plain_server(c);

    learn(c, "s", 0, 0, 3000);
    assert_true(fields_of(server) > 100);
    set_field(server, TMPL_REDIS_HEAD, 1, "x", 1);
    learn(c, "s", 1, 0, 10);
    assert_int_equal(fields_of(server), 2);
    look(c, "s", 0, 20);
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(c->counts.records[i].df, i < 10);
    }
}

/* No bucket is longer than it may be: what is, holds nothing. */
static void endless_bucket_is_empty(void **state)
{
    static const char path[] = "\1\0\0\0\0aaaaaaaa\2\1\7\12\12";
    ctx_t *c = *state;
    const redis_server_t *server = plain_server(c);
    char *bytes = apr_pcalloc(c->pool, TMPL_BUCKET_MOST + 1);

    memcpy(bytes, path, sizeof(path));
    for (size_t more = 0; more < 2; more++) {
        assert_int_equal(try_path(c, "s", 0, &usual, 1), APR_SUCCESS);
        set_bucket(server, bytes, TMPL_BUCKET_MOST + more);
        assert_int_equal(try_path(c, "s", 99, &usual, 0), APR_SUCCESS);
        assert_int_equal(c->counts.records[1].df, more ? 0 : 7);
        assert_int_equal(try_path(c, "s", 1, &usual, 1), APR_SUCCESS);
        assert_int_equal(c->counts.records[1].df, more ? 1 : 8);
        assert_int_equal(tmpl_store_forget(c->store, "s", &c->err, c->pool), APR_SUCCESS);
    }
}

/* However many fields are asked for, an answer may have some bytes for each, and no gigabyte. */
static void answers_are_bounded(void **state)
{
    enum { KEYS = 20000 };
    const tmpl_buckets_t buckets = { TMPL_BUCKETS_MOST, 1 };
    tmpl_redis_table_t *table;
    apr_pool_t *pool;

    (void)state;
    apr_pool_create(&pool, NULL);
    table = tmpl_redis_table_make(1, pool);
    tmpl_redis_table_slot(table, (tmpl_key_t){ model_key(0), TMPL_KIND_SEGMENT });
    tmpl_redis_table_ask(table, &buckets);
    assert_in_range(tmpl_redis_table_max_reply(table), TMPL_BUCKET_MOST, 2 * TMPL_BUCKET_MOST);
    for (unsigned i = 1; i < KEYS; i++) {
        tmpl_redis_table_slot(table, (tmpl_key_t){ model_key(i), TMPL_KIND_SEGMENT });
    }
    tmpl_redis_table_ask(table, &buckets);
    assert_in_range(tmpl_redis_table_max_reply(table), KEYS * 1000, 80 << 20);
    apr_pool_destroy(pool);
}

/* What is no bucket holds nothing: not for a look, and the next page begins its entries anew. */
static void bucket_of_garbage_is_empty(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
    } garbage[] = {
        { "", 0 },
        { "x", 1 },
        { "\1\0\0\0\0", 5 },
        { "\xff\xff\xff\xff\xff\xff\xff\xff", 8 },
        { "\1\0\0\0\0aaaaaaaa", 13 },
        { "\1\0\0\0\0aaaaaaaa\2", 14 },
        { "\1\0\0\0\0aaaaaaaa\2\1\1\1", 17 },
        { "\1\0\0\0\0aaaaaaaa\2\xff\xff\xff\xff\xff\xff", 20 },
    };
    ctx_t *c = *state;
    const redis_server_t *server = plain_server(c);

    for (unsigned i = 0; i < DIM(garbage); i++) {
        assert_int_equal(try_path(c, "s", 0, &usual, 1), APR_SUCCESS);
        set_bucket(server, garbage[i].bytes, garbage[i].len);
        assert_int_equal(try_path(c, "s", 99, &usual, 0), APR_SUCCESS);
        assert_int_equal(c->counts.pages, 1);
        assert_path(c, 0, 0, 0, 0);
        assert_int_equal(try_path(c, "s", 1, &usual, 1), APR_SUCCESS);
        assert_path(c, 1, 2, 10, 0);
        assert_int_equal(tmpl_store_forget(c->store, "s", &c->err, c->pool), APR_SUCCESS);
    }
}

static void foreign_key_is_told(void **state)
{
    ctx_t *c = *state;
    const redis_server_t *server = &servers[REDIS_UNIX];

    c->store = open_with(c, apr_psprintf(c->pool, "redis+unix://%s", server->socket), NULL);
    do_by_hand(server, "SET tmpl:3:{s} x");
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 5, &usual, 1, TIMEOUT), APR_EGENERAL);
    assert_non_null(strstr(c->err.text, "another program"));
    do_by_hand(server, "DEL tmpl:3:{s}");
    /* a hash with fields of all kinds is read past */
    do_by_hand(server,
               "HSET tmpl:3:{s} a b h c 123456789 x 12345678x xxxxx 1234567xx xxxxxxxxxxxxx");
    learn(c, "s", 1, 0, 5);
    assert_int_equal(c->counts.pages, 1);
    learn(c, "s", 2, 0, 5);
    assert_int_equal(c->counts.records[4].df, 2);
    table_of(c, "s");
}

/* What stands under the key of a former format is not ours, even if it could be read. */
static void former_is_let_be(ctx_t *c, const char *key)
{
    const redis_server_t *server = &servers[REDIS_UNIX];
    redisReply *before, *after;

    c->store = open_with(c, apr_psprintf(c->pool, "redis+unix://%s", server->socket), NULL);
    learn(c, "s", 1, 0, 5);
    do_by_hand(server, apr_psprintf(c->pool, "RENAME tmpl:3:{s} %s", key));
    do_by_hand(server, apr_psprintf(c->pool, "EXPIRE %s 1000", key));
    before = by_hand(server, apr_psprintf(c->pool, "DUMP %s", key));
    assert_int_equal(before->type, REDIS_REPLY_STRING);
    look(c, "s", 0, 5);
    assert_int_equal(c->counts.pages, 0);
    assert_int_equal(c->counts.records[4].df, 0);
    assert_int_equal(sites_of(c)->nelts, 0);
    assert_unknown(c, "s");
    assert_int_equal(tmpl_store_forget(c->store, "s", &c->err, c->pool), APR_NOTFOUND);
    learn(c, "s", 2, 0, 5);
    assert_int_equal(c->counts.pages, 1);
    assert_int_equal(c->counts.records[4].df, 1);
    assert_int_equal(sites_of(c)->nelts, 1);
    after = by_hand(server, apr_psprintf(c->pool, "DUMP %s", key));
    assert_int_equal(after->len, before->len);
    assert_memory_equal(after->str, before->str, before->len);
    freeReplyObject(before);
    freeReplyObject(after);
    after = by_hand(server, apr_psprintf(c->pool, "TTL %s", key));
    assert_in_range(after->integer, 1, 1000);
    freeReplyObject(after);
}

static void sites_in_former_formats_are_let_be(void **state)
{
    static const char *const keys[] = { "tmpl:{s}", "tmpl:2:{s}" };
    ctx_t *c = *state;

    for (unsigned i = 0; i < DIM(keys); i++) {
        former_is_let_be(c, keys[i]);
        assert_int_equal(tmpl_store_forget(c->store, "s", &c->err, c->pool), APR_SUCCESS);
    }
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

/*
 * A server with a site that others write: to whoever asks it shows another site each time, so often; then it refuses
 * every transaction that is longer than fits before the next of theirs.
 */
typedef struct {
    int listener;
    pthread_t thread;
    char path[96];
    unsigned unsteady; /* times */
    size_t fits;       /* bytes */
    unsigned refused, accepted;
} rival_t;

static size_t rival_asked(rival_t *rival, const char *request, size_t len, char *answer)
{
    const char *hmget = memmem(request, len, "$5\r\nHMGET", 9);
    unsigned fields;
    char *at = answer;

    while (*hmget != '*') {
        hmget--;
    }
    fields = (unsigned)strtoul(hmget + 1, NULL, 10) - 2;
    at += sprintf(at, ":-2\r\n+OK\r\n+OK\r\n*2\r\n$1\r\n0\r\n*0\r\n*%u\r\n", fields);
    if (rival->unsteady > 0) {
        tmpl_redis_head_t head = { .buckets = { 1, rival->unsteady-- }, .cursor = "0" };

        at += sprintf(at, "$29\r\n");
        at += tmpl_redis_head_pack((unsigned char *)at, &head);
        at += sprintf(at, "\r\n");
        fields--;
    }
    for (; fields > 0; fields--) {
        at += sprintf(at, "$-1\r\n");
    }
    return (size_t)(at - answer);
}

/* MULTI, UNLINK, HSET, EXPIRE, EXEC. */
static size_t rival_told(rival_t *rival, size_t len, char *answer)
{
    int good = len <= rival->fits;

    *(good ? &rival->accepted : &rival->refused) += 1;
    return (size_t)sprintf(answer, "+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n%s",
                           good ? "*3\r\n:0\r\n:1\r\n:1\r\n" : "*-1\r\n");
}

static void rival_serve(rival_t *rival, int fd)
{
    static const char exec[] = "\r\nEXEC\r\n", multi[] = "*1\r\n$5\r\nMULTI";
    static char request[1 << 20];
    char answer[4096];
    size_t len = 0;
    ssize_t n;

    while ((n = recv(fd, request + len, sizeof(request) - len, 0)) > 0) {
        int telling;

        len += (size_t)n;
        telling = len > sizeof(multi) && memcmp(request, multi, sizeof(multi) - 1) == 0;
        if (!telling || memcmp(request + len - sizeof(exec) + 1, exec, sizeof(exec) - 1) == 0) {
            size_t is =
                telling ? rival_told(rival, len, answer) : rival_asked(rival, request, len, answer);

            send(fd, answer, is, MSG_NOSIGNAL);
            len = 0;
        }
    }
}

static void *rival_run(void *data)
{
    rival_t *rival = data;
    int fd;

    while ((fd = accept(rival->listener, NULL, NULL)) >= 0) {
        rival_serve(rival, fd);
        close(fd);
    }
    return NULL;
}

/* Many pages at once, of 50 keys each, to that server; all are learnt. */
static void learn_beside(rival_t *rival, unsigned n)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    ctx_t c = { 0 };
    const tmpl_observation_t **pages;
    tmpl_observation_t *page;
    tmpl_document_t *document;
    uint32_t counted;

    apr_pool_create(&c.pool, NULL);
    pages = apr_palloc(c.pool, n * sizeof(*pages));
    page = apr_palloc(c.pool, n * sizeof(*page));
    document = apr_palloc(c.pool, n * sizeof(*document));
    snprintf(rival->path, sizeof(rival->path), "%s/rival%u", base, ++dirs);
    memcpy(at.sun_path, rival->path, strlen(rival->path));
    rival->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(rival->listener, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(rival->listener, 8), 0);
    assert_int_equal(pthread_create(&rival->thread, NULL, rival_run, rival), 0);
    c.store = open_with(&c, apr_psprintf(c.pool, "redis+unix://%s", rival->path), NULL);
    for (unsigned i = 0; i < n; i++) {
        page_init(&page[i], &document[i], &c, i, 50 * i, 50);
        pages[i] = &page[i];
    }
    if (tmpl_store_learn(c.store, pages, n, TIMEOUT / 3, &counted, &c.err, c.pool) != APR_SUCCESS) {
        fail_msg("%s", c.err.text);
    }
    assert_int_equal(counted, n);
    apr_pool_destroy(c.pool);
    shutdown(rival->listener, SHUT_RDWR);
    pthread_join(rival->thread, NULL);
    close(rival->listener);
}

/* Who is refused tries half as many: 32, 16, 8, and then 4 at a time. */
static void batches_shrink_where_others_write(void **state)
{
    rival_t refuses = { .fits = 5000 }, changes = { .unsteady = 7, .fits = SIZE_MAX };

    (void)state;
    learn_beside(&refuses, 32);
    assert_int_equal(refuses.refused, 3);
    assert_int_equal(refuses.accepted, 8);
    learn_beside(&changes, 32);
    assert_int_equal(changes.refused, 0);
    assert_int_equal(changes.accepted, 2);
    assert_int_equal(changes.unsteady, 0);
}

/*
 * What a look-up is told at first: how long the site has to live, and its head: clock 3, version 7, one
 * entry, so many buckets, and no salt.
 */
#define LIVES ":100000000\r\n"
#define HEAD_OF(n)                                                                                 \
    "$29\r\n\3\0\0\0\7\0\0\0\0\0\0\0\1\0\0\0" n "\0\0\0\0\0\0\0\0\0\0\0"                           \
    "0\r\n"
#define HEAD   HEAD_OF("\0")
#define NIL    "$-1\r\n"
#define ANSWER LIVES "*1\r\n" HEAD

static void answers_come_in_any_pieces(void **state)
{
    ctx_t *c = *state;
    fake_t fake;

    fake_start(c, &fake, ANSWER, sizeof(ANSWER) - 1, 1000000);
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 1, &usual, 0, TIMEOUT), APR_SUCCESS);
    assert_int_equal(c->counts.pages, 3);
    assert_int_equal(c->counts.version, 7);
    assert_int_equal(c->counts.records[0].df, 0);
    fake_stop(&fake);
}

static void dribbled_answer_costs_the_timeout(void **state)
{
    ctx_t *c = *state;
    apr_time_t start;
    fake_t fake;

    fake_start(c, &fake, ANSWER, sizeof(ANSWER) - 1, 200 * 1000 * 1000); /* 51 bytes: 10 s */
    start = tmpl_clock();
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 1, &usual, 0, SHORT), APR_TIMEUP);
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
        BYTES("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"),
        BYTES(LIVES),
        BYTES(LIVES NIL),
        BYTES(LIVES HEAD),
        BYTES(LIVES "+OK\r\n"),
        BYTES(LIVES "*-1\r\n"),
        BYTES(LIVES "*0\r\n"),
        BYTES(LIVES "*2\r\n" HEAD NIL),
        BYTES(LIVES "*1\r\n:1\r\n"),
        BYTES(LIVES "*1\r\n*0\r\n"),
        BYTES(LIVES "*1\r\n-ERR x\r\n"),
        BYTES(LIVES "*1\r\n$1\r\nxxx"),
        BYTES(LIVES "*1\r\n" HEAD_OF("\1")), /* and never the bucket */
        BYTES(ANSWER "+OK\r\n"),
        BYTES(ANSWER ANSWER),
        BYTES("$999999999999\r\nxxxxxxxxxxxx"),
        BYTES("-\r\n"),
        BYTES("-ERR \xff\xfe\r\n"),
        BYTES("-MOVED 3999 127.0.0.1:6381\r\n"),
        BYTES("-LOADING Redis is loading the dataset in memory\r\n"),
        BYTES("-BUSY Redis is busy running a script.\r\n"),
        BYTES(LIVES "*1\r\n$29\r\n\3\0\0"), /* and closes */
    };

    for (unsigned i = 0; i < DIM(garbage); i++) {
        apr_status_t rv;
        fake_t fake;

        fake_start(c, &fake, garbage[i].bytes, garbage[i].len, 0);
        for (unsigned again = 0; again < 3; again++) { /* a look, then learning */
            rv = try_observe(c, "s", 1, 2, 0, 1, &usual, again != 0, TIMEOUT);
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

/* SCAN may show a key twice, and keys of others. */
static void sites_are_listed_once(void **state)
{
    static const char answer[] = "*2\r\n$1\r\n0\r\n*6\r\n$10\r\ntmpl:3:{a}\r\n$10\r\ntmpl:3:{a}\r\n"
                                 "$9\r\ntmpl:3:{}\r\n$10\r\ntmpl:3:{bc\r\n$10\r\nxmpl:2:{a}\r\n"
                                 "$8\r\ntmpl:{d}\r\n";
    ctx_t *c = *state;
    fake_t fake;

    fake_start(c, &fake, answer, sizeof(answer) - 1, 0);
    assert_int_equal(sites_of(c)->nelts, 1);
    fake_stop(&fake);
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
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 1, &usual, 0, TIMEOUT), APR_EGENERAL);
    fake_stop(&fake);
    free(bytes);
}

static const store_test_t table[] = {
    TEST(REDIS_UNIX, few_round_trips),
    TEST(REDIS_UNIX, a_batch_is_one_transaction),
    TEST(REDIS_UNIX, stale_memory_changes_no_answer),
    TEST(REDIS_UNIX, buckets_go_with_their_entries),
    TEST(REDIS_UNIX, writers_do_not_lose_pages),
    TEST(NO_STORE, batches_shrink_where_others_write),
    TEST(REDIS_UNIX, no_turn_is_no_failure),
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
    TEST(REDIS_UNIX, foreign_key_is_told),
    TEST(REDIS_UNIX, sites_in_former_formats_are_let_be),
    TEST(REDIS_UNIX, stopped_server_costs_the_timeout),
    TEST(REDIS_TCP, stopped_server_costs_the_timeout),
    TEST(REDIS_UNIX, black_hole_costs_the_timeout),
    TEST(REDIS_UNIX, answers_come_in_any_pieces),
    TEST(REDIS_UNIX, dribbled_answer_costs_the_timeout),
    TEST(REDIS_UNIX, path_without_writes_still_counts),
    TEST(REDIS_UNIX, bucket_of_garbage_is_empty),
    TEST(REDIS_UNIX, endless_bucket_is_empty),
    TEST(NO_STORE, answers_are_bounded),
    TEST(REDIS_UNIX, the_sweeper_goes_on_in_the_next_process),
    TEST(REDIS_UNIX, cursor_of_a_damaged_head_is_not_used),
    TEST(REDIS_UNIX, head_of_too_many_entries_costs_little),
    TEST(REDIS_UNIX, head_of_too_few_entries_loses_nothing),
    TEST(REDIS_UNIX, without_a_head_the_site_begins_anew),
    TEST(REDIS_UNIX, garbage_is_an_error),
    TEST(REDIS_UNIX, sites_are_listed_once),
    TEST(REDIS_UNIX, endless_answer_is_an_error),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
