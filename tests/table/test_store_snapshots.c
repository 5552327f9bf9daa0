/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that accept counts of a moment ago: the counts that they get, and how rarely Redis is
 * asked. */
#include "store_fixture.h"

#include "table/bucket.h"
#include "table/snapshots.h"

/* Keys that are asked for first: too few to be in every bucket of the site, whatever its salt. */
#define FEW 10

static const redis_server_t *server_of(const ctx_t *c)
{
    return &servers[c->backend];
}

/* What another process learns: through a store of its own. */
static void learn_elsewhere(ctx_t *c, unsigned i, unsigned first, unsigned n)
{
    ctx_t other = *c;

    other.store = open_with(c, c->uri, NULL);
    learn(&other, "s", i, first, n);
}

/* Pages that another process has learnt before. */
static void learn_pages(ctx_t *c, unsigned n, unsigned keys)
{
    ctx_t other = *c;

    other.store = open_with(c, c->uri, NULL);
    for (unsigned i = 0; i < n; i++) {
        learn(&other, "s", i, 0, keys);
    }
}

/* Looks, and says how often the server was asked for fields. */
static long long asked_by_look(ctx_t *c, unsigned first, unsigned n)
{
    long long before = lookups(server_of(c));

    look(c, "s", first, n);
    return lookups(server_of(c)) - before;
}

static void nothing_is_asked_twice(void **state)
{
    ctx_t *c = *state;
    long long before;

    learn_pages(c, 2, 3000);
    assert_int_equal(asked_by_look(c, 0, 20), 2); /* for the head, too, which is not known yet */
    assert_int_equal(asked_by_look(c, 0, 20), 0);
    assert_int_equal(asked_by_look(c, 5, 10), 0);
    assert_int_equal(c->counts.pages, 2);
    assert_int_equal(c->counts.records[9].df, 2);
    /* another one lacks something, but not all */
    look(c, "s", 0, 150);
    before = info_number(server_of(c), "INFO stats", "total_net_output_bytes:");
    assert_int_equal(asked_by_look(c, 0, 3000), 1);
    assert_int_equal(c->counts.records[2999].df, 2);
    assert_in_range(info_number(server_of(c), "INFO stats", "total_net_output_bytes:") - before,
                    1000, 30000);
    assert_int_equal(asked_by_look(c, 0, 3000), 0);
    assert_int_equal(c->counts.records[2999].df, 2);
    /* judged as if they were learnt: the same */
    before = lookups(server_of(c));
    observe_as(c, "s", 900, 901, 0, 3000, &usual, TMPL_LEARNING_LATER);
    assert_int_equal(lookups(server_of(c)), before);
    assert_true(c->counts.due && c->counts.counted);
    assert_int_equal(c->counts.pages, 3);
    assert_int_equal(c->counts.records[2999].df, 3);
}

/* Who says nothing of age gets counts of now, and who learns as well. */
static void others_ask_each_time(void **state)
{
    ctx_t *c = *state;

    learn_pages(c, 2, 100);
    look(c, "s", 0, 100);
    learn_elsewhere(c, 2, 0, 100);
    c->age = 0;
    assert_int_equal(asked_by_look(c, 0, 100), 1);
    assert_int_equal(c->counts.records[0].df, 3);
    c->age = LONG;
    assert_int_equal(asked_by_look(c, 0, 100), 0);
    assert_int_equal(c->counts.records[0].df, 3);
    learn(c, "s", 3, 0, 100);
    assert_int_equal(c->counts.records[0].df, 4);
    assert_int_equal(c->counts.pages, 4);
    /* what it has read and written is what is known from then on */
    assert_int_equal(asked_by_look(c, 0, 100), 0);
    assert_int_equal(c->counts.records[0].df, 4);
    assert_int_equal(c->counts.pages, 4);
}

/* Learns a page that waited, as httpd does afterwards. Returns the bytes that the server sent. */
static long long learn_later(ctx_t *c, unsigned i, unsigned first, unsigned n,
                             const tmpl_policy_t *policy)
{
    tmpl_document_t document = { model_document(2 * i), model_document(2 * i + 1) };
    tmpl_observation_t page = { .site = "s",
                                .document = &document,
                                .keys = keys_of(c->pool, first, n),
                                .n = n,
                                .policy = policy,
                                .learn = TMPL_LEARNING_LATER,
                                .age = LONG };
    const tmpl_observation_t *pages[] = { &page };
    uint32_t counted;
    long long before = info_number(server_of(c), "INFO stats", "total_net_output_bytes:");
    assert_int_equal(tmpl_store_learn(c->store, pages, 1, TIMEOUT, &counted, &c->err, c->pool),
                     APR_SUCCESS);
    assert_int_equal(counted, 1);
    return info_number(server_of(c), "INFO stats", "total_net_output_bytes:") - before;
}

/* Pages that waited, and are learnt together, are counted from what stands in the server. */
static void learning_asks_anew(void **state)
{
    ctx_t *c = *state;
    learn_pages(c, 2, 100);
    look(c, "s", 0, 100);
    learn_elsewhere(c, 2, 0, 100);
    learn_later(c, 500, 0, 100, &usual);
    assert_int_equal(asked_by_look(c, 0, 100), 0);
    assert_int_equal(c->counts.records[99].df, 4);
    assert_int_equal(c->counts.pages, 4);
}

/* What a look-up has read is not read again to learn the page, if nobody has written the site. */
static void learning_reads_once(void **state)
{
    ctx_t *c = *state;
    for (unsigned i = 0; i < 2; i++) {
        learn_elsewhere(c, i, 0, 3000);
    }
    observe_as(c, "s", 1000, 1001, 0, 3000, &usual, TMPL_LEARNING_LATER);
    assert_in_range(learn_later(c, 500, 0, 3000, &usual), 1, 10000);
    c->age = 0;
    look(c, "s", 0, 3000);
    assert_int_equal(c->counts.records[0].df, 3);
    assert_int_equal(c->counts.records[2999].df, 3);
    assert_int_equal(c->counts.pages, 3);
}

/* A snapshot whose buckets were read before and after a write serves no learning. */
static void learning_needs_one_moment(void **state)
{
    ctx_t *c = *state;
    learn_pages(c, 16, 3000);
    c->store = open_with(c, c->uri, NULL); /* without a snapshot */
    look(c, "s", 0, 4 * FEW);
    learn_elsewhere(c, 16, 0, 3000);
    look(c, "s", 4 * FEW, FEW);
    learn_later(c, 500, 0, 5 * FEW, &usual);
    c->age = 0;
    look(c, "s", 0, 5 * FEW);
    assert_int_equal(c->counts.records[0].df, 18);
    assert_int_equal(c->counts.records[5 * FEW - 1].df, 18);
}

/* A page of another process that only refreshes entries, in a site of one bucket, is no loss. */
static void refreshing_elsewhere_is_noticed(void **state)
{
    static const tmpl_policy_t brief = {
        .min_df = 5, .lifetime_tb = 16, .lifetime_n = 10, .max_entries = 1000000
    };
    ctx_t *c = *state;
    ctx_t other = *c;
    learn(c, "s", 0, 0, 5);
    pass_pages(c, "s", 100, 8, &brief);
    look(c, "s", 0, 5);
    other.store = open_with(c, c->uri, NULL);
    observe_as(&other, "s", 0, 1, 0, 5, &brief, TMPL_LEARNING_NOW);
    assert_int_equal(other.counts.records[0].last, 9);
    learn_later(c, 500, 5, 1, &brief);
    c->age = 0;
    look(c, "s", 0, 5);
    assert_int_equal(c->counts.records[0].last, 9);
}

/* What others have learnt is seen once what is kept is too old for a page. */
static void snapshot_ends_with_its_age(void **state)
{
    ctx_t *c = *state;

    learn_pages(c, 20, 100);
    look(c, "s", 0, 100);
    learn_elsewhere(c, 20, 0, 100);
    assert_int_equal(asked_by_look(c, 0, 100), 0);
    assert_int_equal(c->counts.pages, 20);
    assert_int_equal(c->counts.records[0].df, 20);
    c->age = 1;
    assert_int_equal(asked_by_look(c, 0, 100), 1);
    assert_int_equal(c->counts.pages, 21);
    assert_int_equal(c->counts.records[0].df, 21);
    /* which is what is kept from now on */
    c->age = LONG;
    assert_int_equal(asked_by_look(c, 0, 100), 0);
    assert_int_equal(c->counts.records[0].df, 21);
}

/* How the site's keys are placed, from its record in the server. */
static tmpl_head_t head_of(ctx_t *c)
{
    redisContext *redis = redisConnectUnix(server_of(c)->socket);
    redisReply *reply;
    tmpl_head_t head;

    freeReplyObject(redisCommand(redis, "SELECT 2"));
    reply = redisCommand(redis, "HGET tmpl:6:{s} h");
    assert_non_null(reply);
    assert_int_equal(reply->type, REDIS_REPLY_STRING);
    assert_true(tmpl_head_unpack(&head, reply->str, reply->len));
    freeReplyObject(reply);
    redisFree(redis);
    return head;
}

static uint32_t bucket_of(const tmpl_head_t *head, tmpl_key_t key)
{
    return tmpl_bucket_at(tmpl_bucket_rank(head->salt, key), head->n);
}

/* Whether a look at the first FEW keys, as look() does it, asks for this key's bucket. */
static int is_asked_for(ctx_t *c, const tmpl_head_t *head, tmpl_key_t key)
{
    tmpl_key_t *asked = apr_palloc(c->pool, (FEW + 2) * sizeof(*asked));
    unsigned i = 0;

    memcpy(asked, keys_of(c->pool, 0, FEW), FEW * sizeof(*asked));
    asked[FEW] = (tmpl_key_t){ model_document(LOOKED_ID) & TMPL_HASH_MASK, TMPL_KIND_DOCUMENT };
    asked[FEW + 1] =
        (tmpl_key_t){ model_document(LOOKED_TEXT) & TMPL_HASH_MASK, TMPL_KIND_DOCUMENT };
    while (i < FEW + 2 && bucket_of(head, asked[i]) != bucket_of(head, key)) {
        i++;
    }
    return i < FEW + 2;
}

/* Buckets of several moments: the site's pages are those of the youngest. */
static void no_bucket_is_younger_than_the_clock(void **state)
{
    ctx_t *c = *state;
    tmpl_key_t *keys = keys_of(c->pool, 0, 1000);
    tmpl_head_t head;

    learn_pages(c, 20, 1000);
    look(c, "s", 0, FEW);
    learn_elsewhere(c, 20, 0, 1000);
    learn_elsewhere(c, 21, 0, 1000);
    look(c, "s", 0, 1000);
    assert_int_equal(c->counts.pages, 22);
    head = head_of(c);
    assert_in_range(head.n, FEW + 3, 1000); /* so that some were asked for later */
    for (unsigned i = 0; i < 1000; i++) {
        uint32_t then = is_asked_for(c, &head, keys[i]) ? 20 : 22;

        assert_int_equal(c->counts.records[i].df, then);
        assert_int_equal(c->counts.records[i].last, then);
    }
    /* also for who asks for nothing */
    assert_int_equal(asked_by_look(c, 0, FEW), 0);
    assert_int_equal(c->counts.pages, 22);
    assert_int_equal(c->counts.records[0].df, 20);
}

/* An eighth more pages, and shares of pages would be other ones in each bucket. */
static void snapshot_ends_when_the_site_grows(void **state)
{
    ctx_t *c = *state;

    learn_pages(c, 8, 600);
    look(c, "s", 0, FEW);
    learn_elsewhere(c, 8, 0, 600);
    look(c, "s", 0, 600);
    assert_int_equal(c->counts.records[0].df, 8);
    assert_int_equal(c->counts.pages, 9);
    c->age = 1;
    look(c, "s", 0, FEW);
    c->age = LONG;
    learn_elsewhere(c, 9, 0, 600);
    learn_elsewhere(c, 10, 0, 600);
    assert_int_equal(asked_by_look(c, 0, 600), 2);
    assert_int_equal(c->counts.pages, 11);
    for (unsigned i = 0; i < 600; i++) {
        assert_int_equal(c->counts.records[i].df, 11);
    }
    assert_int_equal(asked_by_look(c, 0, 600), 0);
}

/* Other buckets, as many of another salt, and none: whatever was kept is no longer so. */
static void snapshot_ends_with_its_buckets(void **state)
{
    ctx_t *c = *state;
    ctx_t other = *c;

    other.store = open_with(c, c->uri, NULL);
    learn_pages(c, 30, 1000);
    c->age = 1;
    look(c, "s", 0, 10);
    c->age = LONG;
    learn(&other, "s", 30, 1000, 2000);
    assert_int_equal(asked_by_look(c, 0, 1000), 2);
    assert_int_equal(c->counts.pages, 31);
    assert_int_equal(c->counts.records[999].df, 30);
    c->age = 1;
    look(c, "s", 0, 10);
    c->age = LONG;
    assert_int_equal(tmpl_store_forget(other.store, "s", &other.err, c->pool), APR_SUCCESS);
    assert_int_equal(asked_by_look(c, 0, 10), 0);
    assert_int_equal(asked_by_look(c, 0, 1000), 1);
    assert_int_equal(c->counts.pages, 0);
    assert_int_equal(c->counts.records[0].df, 0);
    learn(&other, "s", 3, 0, 3000);
    look(c, "s", 0, 3000);
    for (unsigned i = 0; i < 3000; i++) {
        assert_int_equal(c->counts.records[i].df, 1);
    }
}

/* What this process forgets or imports it knows at once. */
static void own_changes_are_seen(void **state)
{
    ctx_t *c = *state;
    table_t *table;

    learn_pages(c, 2, 100);
    table = table_of(c, "s");
    learn(c, "s", 2, 0, 100);
    look(c, "s", 0, 100);
    import_into(c, "s", table);
    look(c, "s", 0, 100);
    assert_int_equal(c->counts.records[0].df, 2);
    assert_int_equal(tmpl_store_forget(c->store, "s", &c->err, c->pool), APR_SUCCESS);
    look(c, "s", 0, 100);
    assert_int_equal(c->counts.pages, 0);
    assert_int_equal(c->counts.records[0].df, 0);
}

/* Pages that lack nothing are judged while the server is gone, until one has found that out. */
static void failure_ends_all(void **state)
{
    ctx_t *c = *state;
    redis_server_t server;

    assert_true(redis_server_start(&server, dir_new(c->pool), 0, ""));
    c->uri = apr_psprintf(c->pool, "redis+unix://%s", server.socket);
    c->store = open_with(c, c->uri, NULL);
    learn_pages(c, 2, 2000);
    learn(c, "t", 1, 0, 5);
    look(c, "s", 0, 10);
    look(c, "t", 0, 5);
    redis_server_stop(&server);
    look(c, "s", 0, 10);
    assert_int_equal(c->counts.records[9].df, 2);
    assert_int_not_equal(
        try_observe(c, "s", 900, 901, 0, 2000, &usual, TMPL_LEARNING_LATER, TIMEOUT), APR_SUCCESS);
    assert_int_not_equal(try_observe(c, "s", 900, 901, 0, 10, &usual, TMPL_LEARNING_LATER, TIMEOUT),
                         APR_SUCCESS);
    assert_int_not_equal(try_observe(c, "t", 900, 901, 0, 5, &usual, TMPL_LEARNING_LATER, TIMEOUT),
                         APR_SUCCESS);
}

/* A site that is looked at is in use, however old its counts may be. */
static void use_is_told_to_the_server(void **state)
{
    ctx_t *c = *state;
    tmpl_store_opts_t opts = tmpl_store_opts_default;

    opts.idle = apr_time_from_msec(16);
    c->store = open_with(c, c->uri, &opts);
    learn(c, "s", 1, 0, 5);
    do_by_hand(server_of(c), "CONFIG RESETSTAT");
    for (apr_time_t until = tmpl_clock() + TIMEOUT; lookups(server_of(c)) < 3;) {
        assert_true(tmpl_clock() < until);
        look(c, "s", 0, 5);
    }
}

/* Buckets that are none are kept as that, and of more buckets than there may be none is. */
static void damage_is_kept_as_it_is(void **state)
{
    ctx_t *c = *state;
    tmpl_head_t head = { .site = { 30, 0, 1000, 0 }, .n = 1, .salt = 7 };
    unsigned char bytes[TMPL_HEAD_SIZE];
    redisContext *redis = redisConnectUnix(server_of(c)->socket);

    freeReplyObject(redisCommand(redis, "SELECT 2"));
    tmpl_head_pack(bytes, &head);
    freeReplyObject(redisCommand(redis, "HSET tmpl:6:{s} h %b b%b garbage", bytes, sizeof(bytes),
                                 "\0\0\0", (size_t)3));
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(asked_by_look(c, 0, 100), i == 0 ? 2 : 0);
        assert_int_equal(c->counts.pages, 30);
        assert_int_equal(c->counts.records[0].df, 0);
    }
    head.n = TMPL_BUCKETS_MOST;
    tmpl_head_pack(bytes, &head);
    freeReplyObject(redisCommand(redis, "HSET tmpl:6:{s} h %b", bytes, sizeof(bytes)));
    c->age = 1;
    for (unsigned i = 0; i < 2; i++) {
        assert_in_range(asked_by_look(c, 0, 100), 1, 2);
        assert_int_equal(c->counts.pages, 30);
        assert_int_equal(c->counts.records[0].df, 0);
    }
    redisFree(redis);
}

/* ---- many threads ---- */

#define LEARNERS 2
#define LOOKERS  4
#define PAGES    30

typedef struct {
    ctx_t *c;
    pthread_t thread;
    unsigned number, wrong;
} worker_t;

static unsigned learned; /* documents; atomic */

static void *learner(void *data)
{
    worker_t *w = data;
    ctx_t c = *w->c;

    apr_pool_create(&c.pool, NULL);
    for (unsigned i = 0; i < PAGES; i++) {
        w->wrong += try_observe(&c, "s", 1000 * w->number + 2 * i, 1000 * w->number + 2 * i + 1, 0,
                                50, &usual, TMPL_LEARNING_NOW, TIMEOUT) != APR_SUCCESS;
        __atomic_add_fetch(&learned, 1, __ATOMIC_RELEASE);
    }
    apr_pool_destroy(c.pool);
    return NULL;
}

/* Never fewer documents than had been learnt before it looked. */
static void *looker(void *data)
{
    worker_t *w = data;
    ctx_t c = *w->c;
    unsigned before = 0;

    apr_pool_create(&c.pool, NULL);
    while (before < LEARNERS * PAGES) {
        before = __atomic_load_n(&learned, __ATOMIC_ACQUIRE);
        w->wrong += try_observe(&c, "s", 1, 2, w->number, 50, &usual, TMPL_LEARNING_OFF, TIMEOUT) !=
                    APR_SUCCESS;
        w->wrong += c.counts.pages < before;
        for (unsigned i = 0; i + w->number < 50; i++) {
            w->wrong += c.counts.records[i].df < before;
            w->wrong += c.counts.records[i].df > c.counts.pages;
        }
        apr_pool_clear(c.pool);
    }
    apr_pool_destroy(c.pool);
    return NULL;
}

static void threads_share_a_snapshot(void **state)
{
    worker_t workers[LEARNERS + LOOKERS];

    learned = 0;
    for (unsigned i = 0; i < DIM(workers); i++) {
        workers[i] = (worker_t){ .c = *state, .number = i };
        assert_int_equal(
            pthread_create(&workers[i].thread, NULL, i < LEARNERS ? learner : looker, &workers[i]),
            0);
    }
    for (unsigned i = 0; i < DIM(workers); i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].wrong, 0);
    }
}

/* ---- without a server ---- */

#define MOST 100000 /* bytes: each site takes 8 KB, and its buckets */

static const unsigned char some[10000];
static const tmpl_head_t four = { .site = { 10, 0, 100, 0 }, .n = 4, .salt = 1 };

static tmpl_snapshots_t *all;
static apr_pool_t *scratch;
static size_t in_store; /* bytes of each bucket in a store that is none */
static unsigned n_read; /* buckets that were read from it */

static apr_status_t read_store(tmpl_txn_t *txn, tmpl_numbered_t *buckets, uint32_t n)
{
    (void)txn;
    for (uint32_t i = 0; i < n; i++, n_read++) {
        buckets[i].is = (tmpl_bucket_t){ some, in_store };
    }
    return APR_SUCCESS;
}

/* Looks for a bucket in the snapshots, then in the store. */
static size_t get(const char *site, int64_t least, int64_t stamp, const tmpl_head_t *head,
                  uint32_t number)
{
    tmpl_numbered_t bucket = { .number = number };
    tmpl_txn_t txn = { .site = site, .age = 1, .head = *head, .pool = scratch };

    assert_int_equal(tmpl_snapshots_read(all, least, stamp, &txn, read_store, &bucket, 1),
                     APR_SUCCESS);
    return bucket.is.len;
}

/* A snapshot of a site with a bucket of that many bytes. */
static void begin(const char *site, int64_t stamp, size_t len)
{
    in_store = len;
    assert_int_equal(get(site, stamp, stamp, &four, 1), len);
}

static int is_kept(const char *site, int64_t least)
{
    tmpl_head_t head;

    return tmpl_snapshots_head(all, site, least, &head);
}

static void make(size_t most)
{
    apr_pool_create(&scratch, NULL);
    all = tmpl_snapshots_create(most, scratch);
}

/* However many sites (which do not share their places): those go that have not been used for
 * longest. */
static void what_is_kept_is_bounded(void **state)
{
    char site[8];

    (void)state;
    make(MOST);
    begin("first", 1, 500);
    begin("site", 1, 1000);
    for (unsigned i = 0; i < 100; i++) {
        apr_snprintf(site, sizeof(site), "%u", i);
        begin(site, 1, 1000);
        assert_true(is_kept(site, 0));
        assert_true(is_kept("site", 0));
    }
    assert_false(is_kept("first", 0));
    assert_false(is_kept("50", 0));
    tmpl_snapshots_clear(all, 2);
    assert_false(is_kept("99", 0));
    apr_pool_destroy(scratch);
}

/* What finds no room is not kept. */
static void without_room_nothing_is_kept(void **state)
{
    tmpl_head_t many = four;

    (void)state;
    make(20000);
    begin("a", 1, 1000);
    in_store = sizeof(some);
    n_read = 0;
    assert_int_equal(get("a", 1, 1, &four, 1), 1000);
    assert_int_equal(n_read, 0);
    assert_int_equal(get("a", 1, 1, &four, 2), sizeof(some));
    assert_int_equal(get("a", 1, 1, &four, 2), sizeof(some));
    assert_int_equal(n_read, 1);
    assert_int_equal(get("a", 1, 1, &four, 3), sizeof(some));
    assert_int_equal(get("a", 1, 1, &four, 3), sizeof(some));
    assert_int_equal(n_read, 3);
    many.n = TMPL_BUCKETS_MOST;
    (void)get("c", 1, 1, &many, 1);
    assert_false(is_kept("c", 0));
    apr_pool_destroy(scratch);
}

/* What was read before does not replace what was read after, or learnt, be it that nothing was
 * kept. */
static void older_does_not_replace_newer(void **state)
{
    (void)state;
    make(MOST);
    begin("a", 5, 10);
    begin("a", 4, 11);
    assert_false(is_kept("a", 6));
    assert_true(is_kept("a", 5));
    begin("a", 6, 10);
    assert_true(is_kept("a", 6));
    assert_false(is_kept("b", 0));
    tmpl_snapshots_renew(all, "b", 9, 9, &four, NULL, 0);
    begin("b", 8, 10);
    assert_true(is_kept("b", 9));
    tmpl_snapshots_renew(all, "a", 9, 9, &four, NULL, 0);
    begin("a", 8, 10);
    assert_true(is_kept("a", 9));
    tmpl_snapshots_clear(all, 10);
    begin("a", 10, 10);
    assert_false(is_kept("a", 0));
    begin("a", 11, 10);
    assert_true(is_kept("a", 0));
    apr_pool_destroy(scratch);
}

/* Of two threads that write at once, who writes first may come here last: neither is kept. */
static void an_older_change_does_not_undo_a_newer_one(void **state)
{
    tmpl_numbered_t bucket = { 1, { some, 10 } };

    (void)state;
    make(MOST);
    tmpl_snapshots_renew(all, "s", 18, 20, &four, &bucket, 1);
    assert_true(is_kept("s", 20));
    tmpl_snapshots_renew(all, "s", 19, 21, &four, &bucket, 1);
    assert_false(is_kept("s", 0));
    tmpl_snapshots_renew(all, "s", 21, 23, &four, &bucket, 1);
    assert_true(is_kept("s", 23));
    tmpl_snapshots_renew(all, "s", 9, 10, &four, &bucket, 1);
    begin("s", 15, 10);
    assert_false(is_kept("s", 0));
    tmpl_snapshots_clear(all, 5);
    begin("s", 15, 10);
    assert_false(is_kept("s", 0));
    begin("s", 23, 10);
    assert_true(is_kept("s", 23));
    apr_pool_destroy(scratch);
}

static const store_test_t table[] = {
    TEST(REDIS_AGED, nothing_is_asked_twice),
    TEST(REDIS_AGED, others_ask_each_time),
    TEST(REDIS_AGED, learning_asks_anew),
    TEST(REDIS_AGED, learning_reads_once),
    TEST(REDIS_AGED, learning_needs_one_moment),
    TEST(REDIS_AGED, refreshing_elsewhere_is_noticed),
    TEST(REDIS_AGED, snapshot_ends_with_its_age),
    TEST(REDIS_AGED, no_bucket_is_younger_than_the_clock),
    TEST(REDIS_AGED, snapshot_ends_when_the_site_grows),
    TEST(REDIS_AGED, snapshot_ends_with_its_buckets),
    TEST(REDIS_AGED, own_changes_are_seen),
    TEST(REDIS_AGED, failure_ends_all),
    TEST(REDIS_AGED, use_is_told_to_the_server),
    TEST(REDIS_AGED, damage_is_kept_as_it_is),
    TEST(REDIS_AGED, threads_share_a_snapshot),
    TEST(NO_STORE, what_is_kept_is_bounded),
    TEST(NO_STORE, without_room_nothing_is_kept),
    TEST(NO_STORE, older_does_not_replace_newer),
    TEST(NO_STORE, an_older_change_does_not_undo_a_newer_one),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
