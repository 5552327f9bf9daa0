/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a site's hash in Redis: written by this program, damaged, of another format, or of
 * another program. */
#include "store_fixture.h"
#include "table/bucket.h"

/* A field of a site, which it has, becomes what is given. */
static void set_field(const redis_server_t *server, const char *field, size_t field_len,
                      const void *bytes, size_t len)
{
    redisContext *redis = redisConnectUnix(server->socket);
    redisReply *reply = redisCommand(redis, "HSET tmpl:6:{s} %b %b", field, field_len, bytes, len);

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

static void head_get(const redis_server_t *server, tmpl_head_t *head)
{
    redisReply *reply = by_hand(server, "HGET tmpl:6:{s} h");

    assert_int_equal(reply->type, REDIS_REPLY_STRING);
    assert_true(tmpl_head_unpack(head, reply->str, reply->len));
    freeReplyObject(reply);
}

/* The head of a site says so many entries, whatever it has. */
static void set_entries(const redis_server_t *server, uint32_t entries)
{
    unsigned char bytes[TMPL_HEAD_SIZE];
    tmpl_head_t head;

    head_get(server, &head);
    head.site.entries = entries;
    tmpl_head_pack(bytes, &head);
    set_field(server, "h", 1, bytes, sizeof(bytes));
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
    tmpl_head_t head[4];

    learn(c, "s", 0, 0, 4000); /* more than a hundred buckets */
    for (unsigned i = 0; i < DIM(head); i++) {
        plain_server(c);
        learn(c, "s", i + 1, 0, 10);
        head_get(server, &head[i]);
        for (unsigned k = 0; k < i; k++) {
            assert_true(head[i].swept > head[k].swept);
        }
    }
}

/* A head that says millions of entries costs a page no more than some buckets. */
static void head_of_too_many_entries_costs_little(void **state)
{
    ctx_t *c = *state;
    const redis_server_t *server = plain_server(c);
    tmpl_policy_t huge = {
        .min_df = 5, .lifetime_tb = 1000, .lifetime_n = 10, .max_entries = 1u << 31
    };
    tmpl_head_t head;
    uint32_t before;

    learn(c, "s", 0, 0, 10);
    set_entries(server, 24000000);
    learn(c, "s", 1, 0, 10);
    head_get(server, &head);
    assert_in_range(head.n, 2, 65);
    before = head.n;
    observe_as(c, "s", 4, 5, 0, 3000, &huge, 1);
    head_get(server, &head);
    assert_in_range(head.n, before + 2990 / 16, before + 64 + 3000 / 16);
    look(c, "s", 0, 3000);
    for (unsigned i = 0; i < 3000; i++) {
        assert_int_equal(c->counts.records[i].df, i < 10 ? 3 : 1);
    }
}

/* A head that says few entries: buckets fill. What finds no room is not learnt, what is there
 * stays. */
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
    set_field(server, "h", 1, "x", 1);
    learn(c, "s", 1, 0, 10);
    assert_int_equal(fields_of(server), 2);
    look(c, "s", 0, 20);
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(c->counts.records[i].df, i < 10);
    }
}

/* An entry of try_path's path, as bytes: n 1, age in one byte, clock 0, one run, of one tag; hash
 * and age; DF 7, text 10, repeated 10. */
#define PATH_ENTRY                                                                                 \
    "\1\0\1\0\0\0\0\1"                                                                             \
    "\2\1"                                                                                         \
    "aaaaa"                                                                                        \
    "\1"                                                                                           \
    "\7\0\0\0"                                                                                     \
    "\12\0\0\0"                                                                                    \
    "\12\0\0\0"

/* A bucket by hand is read, but not one that is longer than any. */
static void endless_bucket_is_empty(void **state)
{
    static const size_t lengths[] = { sizeof(PATH_ENTRY) - 1, TMPL_BUCKET_MOST + 1 };
    ctx_t *c = *state;
    const redis_server_t *server = plain_server(c);
    char *bytes = apr_pcalloc(c->pool, TMPL_BUCKET_MOST + 1);

    memcpy(bytes, PATH_ENTRY, sizeof(PATH_ENTRY));
    for (size_t i = 0; i < DIM(lengths); i++) {
        assert_int_equal(try_path(c, "s", 0, &usual, 1), APR_SUCCESS);
        set_bucket(server, bytes, lengths[i]);
        assert_int_equal(try_path(c, "s", 99, &usual, 0), APR_SUCCESS);
        assert_int_equal(c->counts.records[1].df, i == 0 ? 7 : 0);
        assert_int_equal(try_path(c, "s", 1, &usual, 1), APR_SUCCESS);
        assert_int_equal(c->counts.records[1].df, i == 0 ? 8 : 1);
        assert_int_equal(tmpl_store_forget(c->store, "s", &c->err, c->pool), APR_SUCCESS);
    }
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
        { PATH_ENTRY, 7 },                         /* no entries */
        { PATH_ENTRY, 12 },                        /* no tag */
        { PATH_ENTRY, sizeof(PATH_ENTRY) - 2 },    /* cut short */
        { "\2" PATH_ENTRY, sizeof(PATH_ENTRY) },   /* a wrong width */
        { "\0\0\1\0\0\0\0", 7 },                   /* none */
        { "\xff\xff\xff\xff\xff\xff\xff\xff", 8 }, /* too many */
        { "\1\0\1\0\0\0\0"
          "aaaaa"
          "\1\1"
          "\0\0\0\0",
          18 }, /* DF 0, and a segment */
        { "\1\0\1\0\0\0\0"
          "aaaaa"
          "\376\1"
          "\7\0\0\0",
          18 }, /* more fingerprints than bytes */
        { "\1\0\1\xff\xff\xff\xff"
          "aaaaa"
          "\2\0"
          "\7\0\0\0\1\0\0\0\1\0\0\0",
          26 }, /* to come */
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
    do_by_hand(server, "SET tmpl:6:{s} x");
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 5, &usual, 1, TIMEOUT), TMPL_EDAMAGED);
    assert_non_null(strstr(c->err.text, "another program"));
    do_by_hand(server, "DEL tmpl:6:{s}");
    /* a hash with fields of all kinds is read past */
    do_by_hand(server,
               "HSET tmpl:6:{s} a b h c 123456789 x 12345678x xxxxx 1234567xx xxxxxxxxxxxxx");
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
    do_by_hand(server, apr_psprintf(c->pool, "RENAME tmpl:6:{s} %s", key));
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
    static const char *const keys[] = { "tmpl:{s}", "tmpl:2:{s}", "tmpl:3:{s}", "tmpl:4:{s}",
                                        "tmpl:5:{s}" };
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
    TEST(REDIS_UNIX, the_sweeper_goes_on_in_the_next_process),
    TEST(REDIS_UNIX, head_of_too_many_entries_costs_little),
    TEST(REDIS_UNIX, head_of_too_few_entries_loses_nothing),
    TEST(REDIS_UNIX, without_a_head_the_site_begins_anew),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
