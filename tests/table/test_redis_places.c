/* SPDX-License-Identifier: Apache-2.0 */
/* Where the servers of a Redis store are: by its URI, by sentinels, and by nodes of a cluster. */
#include <string.h>

#include "tap.h"

#include <apr_strings.h>

#include "table/redis/redis_client.h"
#include "table/redis/redis_conn.h"
#include "table/store.h"

#define DIM(a) (sizeof(a) / sizeof((a)[0]))

static apr_pool_t *pool;

static int setup(void **state)
{
    (void)state;
    return apr_pool_create(&pool, NULL) != APR_SUCCESS;
}

static int teardown(void **state)
{
    (void)state;
    apr_pool_destroy(pool);
    return 0;
}

/* An address in one line. */
static const char *show(const tmpl_redis_address_t *a)
{
#define OR_NONE(text) ((text) != NULL ? (text) : "-")
    return apr_psprintf(pool, "%s user %s pass %s master %s sentinel %s %s tls %d %s %s %s %s",
                        a->name, OR_NONE(a->login.user), OR_NONE(a->login.password),
                        OR_NONE(a->master), OR_NONE(a->sentinel_login.user),
                        OR_NONE(a->sentinel_login.password), a->is_tls, OR_NONE(a->ca),
                        OR_NONE(a->cert), OR_NONE(a->key), OR_NONE(a->server));
}

static void uris_have_parts(void **state)
{
    static const char *const good[][2] = {
        { "redis://h", "redis://h:6379/0 user - pass - master - sentinel - - tls 0 - - - -" },
        { "redis://u:p%40@h:1/2",
          "redis://h:1/2 user u pass p@ master - sentinel - - tls 0 - - - -" },
        { "redis://:p@[::1]:1/",
          "redis://[::1]:1/0 user - pass p master - sentinel - - tls 0 - - - -" },
        { "redis+unix:///s%20t?db=3&user=u&pass=p",
          "redis+unix:///s t?db=3 user u pass p master - sentinel - - tls 0 - - - -" },
        { "rediss://h/1?ca=/ca&cert=/c&key=/k&server=n",
          "rediss://h:6379/1 user - pass - master - sentinel - - tls 1 /ca /c /k n" },
        { "redis+sentinel://u:p@a,b:2,[::3]:4/m/5?sentinel-user=x&sentinel-pass=y",
          "redis+sentinel://a:26379,b:2,[::3]:4/m/5 user u pass p master m sentinel x y "
          "tls 0 - - - -" },
        { "rediss+sentinel://a/m",
          "rediss+sentinel://a:26379/m/0 user - pass - master m sentinel - - tls 1 - - - -" },
        { "redis+cluster://a,b:7000",
          "redis+cluster://a:6379,b:7000 user - pass - master - sentinel - - tls 0 - - - -" },
        { "rediss+cluster://:p@a/?server=n",
          "rediss+cluster://a:6379 user - pass p master - sentinel - - tls 1 - - - n" },
    };
    (void)state;
    for (size_t i = 0; i < DIM(good); i++) {
        tmpl_redis_address_t address;
        tmpl_error_t err = { 0 };

        tmpl_redis_address_parse(&address, good[i][0], &err, pool);
        assert_string_equal(err.text, "");
        assert_string_equal(show(&address), good[i][1]);
    }
}

static void bad_uris_are_refused(void **state)
{
    /* each with a part of what is said */
    static const char *const bad[][2] = {
        { "redis:h", "a Redis store is one of redis://, rediss://, redis+unix://, redis+sentinel" },
        { "redis+tls://h", "redis+cluster://" },
        { "redis://", "not of the form redis://[user:pass@]host[:port][/db]" },
        { "redis://:1", "not of the form" },
        { "redis://a,b", "not of the form" },
        { "redis://h?db=1", "not of the form" },
        { "redis://h#x", "not of the form" },
        { "redis://[::1", "not of the form" },
        { "redis://[::1]x", "not of the form" },
        { "redis://h:0", "not of the form" },
        { "redis://h:65536", "not of the form" },
        { "redis://h:x", "not of the form" },
        { "redis://h/x", "not of the form" },
        { "redis://u@h", "not of the form" },
        { "redis://u:%zz@h", "not of the form" },
        { "redis://u:S3cr/etT@h/0", "/ ? # & in user and password are %2F %3F %23 %26" },
        { "redis://u:S3cr?etT@h/0", "%2F" },
        { "redis://u:S3cr#etT@h/0", "%2F" },
        { "rediss://u:S3cr?ca=etT@h/0", "%2F" },
        { "redis://u:12/S3cr@h/0", "%2F" },
        { "redis+sentinel://u:12/S3cr@h/m", "%2F" },
        { "redis://u:S3cr", "not of the form" },
        { "redis+unix:///s?user=u&pass=a&S3cr", "not of the form" },
        { "redis+unix:///s?user=u&pass=a&S3cr=etT", "not of the form" },
        { "redis+unix:///s?user=u&pass=S3cr#etT", "not of the form redis+unix" },
        { "redis+unix://rel", "not of the form redis+unix:///path" },
        { "redis+unix:///", "not of the form" },
        { "redis+unix:///s?db=", "not of the form" },
        { "redis+unix:///s?ca=/x", "not of the form" },
        { "redis+unix:///s?user=u", "not of the form" },
        { "redis+sentinel://a", "not of the form redis+sentinel://" },
        { "redis+sentinel://a/m/x", "not of the form" },
        { "redis+sentinel://a/m?sentinel-user=u", "not of the form" },
        { "redis+cluster://a/1", "not of the form" },
        { "redis+cluster://a,,b", "not of the form" },
        { "redis+cluster://1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "not of the form" },
        { "rediss://h?verify=no", "not of the form" },
        { "rediss://h?cert=/c", "not of the form" },
    };
    (void)state;
    for (size_t i = 0; i < DIM(bad); i++) {
        tmpl_redis_address_t address;
        tmpl_error_t err = { 0 };

        assert_int_equal(tmpl_redis_address_parse(&address, bad[i][0], &err, pool), APR_EINVAL);
        if (strstr(err.text, bad[i][1]) == NULL) {
            fail_msg("%s: \"%s\" does not say \"%s\"", bad[i][0], err.text, bad[i][1]);
        }
        assert_null(strstr(err.text, "S3cr"));
        assert_null(strstr(err.text, "etT"));
    }
}

/* As CLUSTER KEYSLOT of Redis 7.0 says; the first is the example of the specification. */
static void keys_have_slots(void **state)
{
    (void)state;
    assert_int_equal(tmpl_redis_slot("123456789"), 0x31c3);
    assert_int_equal(tmpl_redis_slot("foo"), 12182);
    assert_int_equal(tmpl_redis_slot("{foo}.bar"), 12182);
    assert_int_equal(tmpl_redis_slot("bar{foo}{x}"), 12182);
    assert_int_equal(tmpl_redis_slot("{}foo"), 9500);
    assert_int_equal(tmpl_redis_slot("{foo"), 13308);
    assert_int_equal(tmpl_redis_slot(""), 0);
    assert_int_equal(tmpl_redis_slot("tmpl:6:{example.org}"), tmpl_redis_slot("example.org"));
}

static apr_status_t reply_free(void *reply)
{
    freeReplyObject(reply);
    return APR_SUCCESS;
}

/* The reply of which these are the bytes. */
static redisReply *reply_of(const char *bytes)
{
    redisReader *reader = tmpl_redis_reader_create();
    void *reply = NULL;

    assert_int_equal(redisReaderFeed(reader, bytes, strlen(bytes)), REDIS_OK);
    assert_int_equal(redisReaderGetReply(reader, &reply), REDIS_OK);
    assert_non_null(reply);
    apr_pool_cleanup_register(pool, reply, reply_free, apr_pool_cleanup_null);
    redisReaderFree(reader);
    return reply;
}

static const tmpl_redis_server_t asked = { .name = "asked", .place = { "10.0.0.9", 7 } };

/* What a reply says, as "first-last place", or the error. */
static const char *read_as(const char *bytes, int sentinel)
{
    apr_array_header_t *ranges = apr_array_make(pool, 1, sizeof(tmpl_redis_range_t));
    tmpl_error_t err = { 0 };
    const char *said = "";

    if ((sentinel ? tmpl_redis_sentinel_read : tmpl_redis_cluster_read)(
            reply_of(bytes), &asked, ranges, &err) != APR_SUCCESS) {
        return apr_pstrdup(pool, err.text);
    }
    for (int i = 0; i < ranges->nelts; i++) {
        const tmpl_redis_range_t *r = &APR_ARRAY_IDX(ranges, i, tmpl_redis_range_t);

        said = apr_psprintf(pool, "%s%s%u-%u %s", said, i > 0 ? ", " : "", r->first, r->last,
                            tmpl_redis_place_show(&r->place, pool));
    }
    return said;
}

#define NODE(host, port) "*3\r\n" host "\r\n:" port "\r\n$2\r\nid\r\n"
#define GARBAGE          "asked: a reply that Redis would not give"

static void clusters_are_read(void **state)
{
    (void)state;
    assert_string_equal(
        read_as("*2\r\n*4\r\n:0\r\n:99\r\n" NODE("$1\r\na", "1")
                    NODE("$1\r\nb", "2") "*3\r\n:100\r\n:16383\r\n" NODE("$3\r\n::1", "3"),
                0),
        "0-99 a:1, 100-16383 [::1]:3");
    assert_string_equal(read_as("*1\r\n*3\r\n:5\r\n:5\r\n" NODE("$-1", "1"), 0), "5-5 10.0.0.9:1");
    assert_string_equal(read_as("*1\r\n*3\r\n:5\r\n:5\r\n" NODE("$0\r\n", "1"), 0),
                        "5-5 10.0.0.9:1");
    assert_string_equal(read_as("*0\r\n", 0),
                        "asked: no server of the Redis Cluster has a slot yet");
    static const char *const bad[] = {
        ":1\r\n",
        "*1\r\n:1\r\n",
        "*1\r\n*2\r\n:0\r\n:1\r\n",
        "*1\r\n*3\r\n:0\r\n:16384\r\n" NODE("$1\r\na", "1"),
        "*1\r\n*3\r\n:2\r\n:1\r\n" NODE("$1\r\na", "1"),
        "*1\r\n*3\r\n:-1\r\n:1\r\n" NODE("$1\r\na", "1"),
        "*1\r\n*3\r\n:0\r\n:1\r\n" NODE("$1\r\na", "0"),
        "*1\r\n*3\r\n:0\r\n:1\r\n" NODE("$1\r\na", "65536"),
        "*1\r\n*3\r\n:0\r\n:1\r\n" NODE("$1\r\n?", "1"),
        "*1\r\n*3\r\n:0\r\n:1\r\n" NODE(":4", "1"),
        "*1\r\n*3\r\n:0\r\n:1\r\n*1\r\n$1\r\na\r\n",
    };
    for (size_t i = 0; i < DIM(bad); i++) {
        assert_string_equal(read_as(bad[i], 0), GARBAGE);
    }
}

static void sentinels_are_read(void **state)
{
    (void)state;
    assert_string_equal(read_as("*2\r\n$1\r\na\r\n$4\r\n6379\r\n", 1), "0-16383 a:6379");
    assert_string_equal(read_as("*-1\r\n", 1), "asked: the sentinel knows no master of that name");
    assert_string_equal(read_as("*2\r\n$1\r\na\r\n$1\r\nx\r\n", 1), GARBAGE);
    assert_string_equal(read_as("*2\r\n$1\r\na\r\n:6379\r\n", 1), GARBAGE);
    assert_string_equal(read_as("*1\r\n$1\r\na\r\n", 1), GARBAGE);
    assert_string_equal(read_as("+OK\r\n", 1), GARBAGE);
    char *host = apr_palloc(pool, 301);
    memset(host, 'a', 300);
    host[300] = '\0';
    assert_string_equal(read_as(apr_psprintf(pool, "*2\r\n$300\r\n%s\r\n$4\r\n6379\r\n", host), 1),
                        GARBAGE);
}

static const char *referred(const char *bytes)
{
    tmpl_redis_referral_t r;

    return tmpl_redis_referral_read(&r, reply_of(bytes), &asked.place)
               ? apr_psprintf(pool, "%s %u-%u %s", r.is_ask ? "ask" : "moved", r.to.first,
                              r.to.last, tmpl_redis_place_show(&r.to.place, pool))
               : "";
}

static void referrals_are_read(void **state)
{
    static const char *const none[] = {
        "+OK\r\n",
        "+MOVED 1 a:1\r\n",
        "-MOVED\r\n",
        "-MOVED 1\r\n",
        "-MOVED 1 a\r\n",
        "-MOVED 1 a:\r\n",
        "-MOVED 1 a:0\r\n",
        "-MOVED 1 a:x\r\n",
        "-MOVED 16384 a:1\r\n",
        "-MOVED -1 a:1\r\n",
        "-MOVED x a:1\r\n",
        "-ASKING 1 a:1\r\n",
        "-READONLY You can't write\r\n",
    };
    (void)state;
    assert_string_equal(referred("-MOVED 3999 127.0.0.1:6381\r\n"),
                        "moved 3999-3999 127.0.0.1:6381");
    assert_string_equal(referred("-ASK 0 h.example:1\r\n"), "ask 0-0 h.example:1");
    assert_string_equal(referred("-MOVED 16383 ::1:6381\r\n"), "moved 16383-16383 [::1]:6381");
    assert_string_equal(referred("-MOVED 1 :6381\r\n"), "moved 1-1 10.0.0.9:6381");
    for (size_t i = 0; i < DIM(none); i++) {
        assert_string_equal(referred(none[i]), "");
    }
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(uris_have_parts),   TEST(bad_uris_are_refused), TEST(keys_have_slots),
    TEST(clusters_are_read), TEST(sentinels_are_read),   TEST(referrals_are_read),
};

TAP_MAIN(tests)
