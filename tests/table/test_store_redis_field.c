/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in a site's hash in Redis: written by this program, damaged, of another format, or somebody else's. */
#include "store_fixture.h"
#include "table/redis/redis_table.h"

/* A field of a site, which it has, becomes what is given. */
static void set_field(const redis_server_t *server, const char *field, size_t field_len,
                      const void *bytes, size_t len)
{
    redisContext *redis = redisConnectUnix(server->socket);
    redisReply *reply = redisCommand(redis, "HSET tmpl:5:{s} %b %b", field, field_len, bytes, len);

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
    redisReply *reply = by_hand(server, "HGET tmpl:5:{s} h");

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
    assert_true(fields_of(server) > 50);
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
    static const char path[] = "\1\0\0\0\0aaaaa\2\1\7\12\12";
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
        { "\1\0\0\0\0aaaaa", 10 },
        { "\1\0\0\0\0aaaaa\2", 11 },
        { "\1\0\0\0\0aaaaa\10", 11 },
        { "\1\0\0\0\0aaaaa\10\10\1\1\1", 15 },
        { "\1\0\0\0\0aaaaa\2\1\1\1", 14 },
        { "\1\0\0\0\0aaaaa\2\xff\xff\xff\xff\xff\xff", 17 },
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
    do_by_hand(server, "SET tmpl:5:{s} x");
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 5, &usual, 1, TIMEOUT), APR_EGENERAL);
    assert_non_null(strstr(c->err.text, "another program"));
    do_by_hand(server, "DEL tmpl:5:{s}");
    /* a hash with fields of all kinds is read past */
    do_by_hand(server,
               "HSET tmpl:5:{s} a b h c 123456789 x 12345678x xxxxx 1234567xx xxxxxxxxxxxxx");
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
    do_by_hand(server, apr_psprintf(c->pool, "RENAME tmpl:5:{s} %s", key));
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
    static const char *const keys[] = { "tmpl:{s}", "tmpl:2:{s}", "tmpl:3:{s}" };
    ctx_t *c = *state;

    for (unsigned i = 0; i < DIM(keys); i++) {
        former_is_let_be(c, keys[i]);
        assert_int_equal(tmpl_store_forget(c->store, "s", &c->err, c->pool), APR_SUCCESS);
    }
}

static const store_test_t table[] = {
    TEST(REDIS_UNIX, foreign_key_is_told),
    TEST(REDIS_UNIX, sites_in_former_formats_are_let_be),
    TEST(REDIS_UNIX, bucket_of_garbage_is_empty),
    TEST(REDIS_UNIX, endless_bucket_is_empty),
    TEST(NO_STORE, answers_are_bounded),
    TEST(REDIS_UNIX, the_sweeper_goes_on_in_the_next_process),
    TEST(REDIS_UNIX, cursor_of_a_damaged_head_is_not_used),
    TEST(REDIS_UNIX, head_of_too_many_entries_costs_little),
    TEST(REDIS_UNIX, head_of_too_few_entries_loses_nothing),
    TEST(REDIS_UNIX, without_a_head_the_site_begins_anew),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
