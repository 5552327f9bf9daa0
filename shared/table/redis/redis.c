/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared store, "redis://..." and other forms (docs/redis.md): one hash per site, with the key
 * "tmpl:5:{SITE}". So a site expires or is evicted as a whole. The braces keep all keys that a site
 * may ever have in one slot of a cluster; in the name, braces and % are written %7B, %7D and %25.
 * Fields of the hash:
 *
 *     "h"                          the head (provider.h)
 *     "b", number (3, big-endian)  a bucket (bucket.h)
 *
 * The key "tmpl:5:secret" holds the server's secret (store.h), and does not expire.
 *
 * 5 is the format. Keys of former formats, "tmpl:{SITE}" to "tmpl:4:{SITE}", are neither read nor
 * changed; they expire.
 *
 * One HMGET looks a page up, so its counts are of one moment; if they may be older, a snapshot
 * (snapshots.h) spares most of it. Learning is WATCH and HMGET, then a MULTI that Redis refuses if
 * anybody has written the site in between. Pages are counted here, not by a script in the server,
 * because one server works for many hosts.
 *
 * A site that is not observed for opts.idle expires. A server that takes no writes (read-only
 * replica, out of memory, disk trouble) is a full store: APR_ENOSPC with good counts.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>

#include "table/bucket/bucket.h"
#include "table/bucket/snapshots.h"
#include "table/redis/redis_client.h"
#include "table/redis/redis_error.h"
#include "table/redis/redis_words.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define SECRET_KEY  "tmpl:5:secret"
#define HEAD_FIELD  "h"
#define BUCKET_FLAG 'b'       /* the first byte of a bucket's field */
#define FIELD_SIZE  4         /* of a bucket */
#define FIELDS_MOST (1 << 18) /* of one command: Redis accepts up to 2^20 words */

#define ERROR_MOST  4096               /* bytes of an error reply */
#define REPLY_EXTRA 16                 /* bytes around a value in a reply, at most */
#define REPLY_USUAL 2048               /* bytes of a bucket, more than the average of many */
#define REPLY_MOST  ((size_t)64 << 20) /* bytes of a reply, beyond the usual size */
#define KEPT_MOST   ((size_t)8 << 20)  /* bytes of all snapshots */
#define SITES       1024               /* sites of which the head is remembered */
#define TURNS       64                 /* locks of sites, by a hash */
#define TOUCHES     16                 /* EXPIREs during opts.idle that keep a site in use */
#define SCAN_BATCH  "500"              /* keys of one SCAN */

/* What the process remembers of a site's head: a guess, for the next question. */
typedef struct {
    uint64_t site; /* a hash of its key; 0: nothing */
    uint32_t n, swept;
    uint64_t salt;
} memory_t;

typedef struct {
    tmpl_redis_t *redis;
    tmpl_snapshots_t *snapshots; /* stamped with tmpl_clock */
    tmpl_store_opts_t opts;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t freed;
    unsigned char busy[TURNS];
    memory_t sites[SITES];
    char secret[TMPL_SECRET_SIZE]; /* the server's, or the one that it gets if it has none */
} store_t;

/* A transaction on one site. */
typedef struct {
    const char *key;
    uint64_t site; /* a hash of it */
    tmpl_redis_session_t session;
    int has_turn;
    int committed;
    apr_status_t failed;     /* with this status the server failed */
    tmpl_snapshot_t *cached; /* NULL: none */
} own_t;

static uint32_t idle_seconds(const store_t *store)
{
    apr_time_t seconds = apr_time_sec(store->opts.idle);
    return seconds < 1 ? 1 : seconds > INT32_MAX ? INT32_MAX : (uint32_t)seconds;
}

/* ---- turns, and guesses ---- */

/* One thread of the process at a time learns a site: two would only refuse each other. 0: late. */
static int turn_take(store_t *store, uint64_t site, apr_time_t deadline)
{
    unsigned char *busy = &store->busy[site % TURNS];
    struct timespec until = tmpl_clock_timespec(deadline);
    int rc = 0;
    pthread_mutex_lock(&store->lock);
    while (*busy && rc == 0) {
        rc = pthread_cond_clockwait(&store->freed, &store->lock, CLOCK_MONOTONIC, &until);
    }
    int taken = !*busy;
    *busy = 1;
    pthread_mutex_unlock(&store->lock);
    return taken;
}

static void turn_give(store_t *store, uint64_t site)
{
    pthread_mutex_lock(&store->lock);
    store->busy[site % TURNS] = 0;
    pthread_cond_broadcast(&store->freed);
    pthread_mutex_unlock(&store->lock);
}

static void recall(tmpl_txn_t *t)
{
    store_t *store = t->ctx;
    const own_t *own = t->own;
    pthread_mutex_lock(&store->lock);
    memory_t memory = store->sites[own->site % SITES];
    pthread_mutex_unlock(&store->lock);
    if (memory.site == own->site) {
        t->head = (tmpl_head_t){ .n = memory.n, .salt = memory.salt, .swept = memory.swept };
    }
}

static void remember(const tmpl_txn_t *t)
{
    store_t *store = t->ctx;
    const own_t *own = t->own;
    pthread_mutex_lock(&store->lock);
    store->sites[own->site % SITES] =
        (memory_t){ own->site, t->head.n, t->head.swept, t->head.salt };
    pthread_mutex_unlock(&store->lock);
}

/* ---- asking ---- */

static void push(apr_array_header_t *list, tmpl_redis_words_t words)
{
    APR_ARRAY_PUSH(list, tmpl_redis_words_t) = words;
}

/* The error that a reply is, or APR_SUCCESS. server: its name. */
static apr_status_t reply_check(const char *server, const redisReply *reply, tmpl_error_t *err)
{
    return reply->type == REDIS_REPLY_ERROR ? tmpl_redis_fail(server, reply, err) : APR_SUCCESS;
}

/* The name of the server that a transaction talks to. */
static const char *server_of(const tmpl_txn_t *t)
{
    const store_t *store = t->ctx;
    const own_t *own = t->own;
    return tmpl_redis_session_name(store->redis, &own->session);
}

/* Notes that the server failed; others writing the site are no failure. */
static apr_status_t note_failure(const tmpl_txn_t *t, apr_status_t rv)
{
    own_t *own = t->own;
    if (rv != APR_SUCCESS && rv != APR_EBUSY) {
        own->failed = rv;
    }
    return rv;
}

/*
 * Sends the commands of a list in one round trip and fills replies with a reply to each. Together
 * they may have max_reply bytes, and errors. The transaction keeps its connection.
 */
static apr_status_t exchange(tmpl_txn_t *t, const apr_array_header_t *list, size_t max_reply,
                             redisReply ***replies)
{
    const store_t *store = t->ctx;
    own_t *own = t->own;
    apr_size_t n = (apr_size_t)list->nelts;
    tmpl_redis_command_t *commands = apr_palloc(t->pool, n * sizeof(*commands));
    *replies = apr_palloc(t->pool, n * sizeof(**replies));
    for (int i = 0; i < list->nelts; i++) {
        commands[i] = tmpl_redis_words_command(&APR_ARRAY_IDX(list, i, tmpl_redis_words_t));
    }
    return note_failure(t, tmpl_redis_exchange(store->redis, &own->session, commands, list->nelts,
                                               max_reply + n * ERROR_MOST, t->deadline, *replies,
                                               t->err, t->pool));
}

static void field_pack(unsigned char field[FIELD_SIZE], uint32_t n)
{
    field[0] = BUCKET_FLAG;
    field[1] = (unsigned char)(n >> 16);
    field[2] = (unsigned char)(n >> 8);
    field[3] = (unsigned char)n;
}

/* Adds HMGET of the head and n buckets, as several commands if they are many. */
static void fields_ask(const tmpl_txn_t *t, apr_array_header_t *list,
                       const tmpl_numbered_t *buckets, uint32_t n)
{
    const own_t *own = t->own;
    unsigned char *fields = apr_palloc(t->pool, (n + (apr_size_t)1) * FIELD_SIZE);
    tmpl_redis_words_t words = TMPL_REDIS_WORDS(t->pool, "HMGET", own->key, HEAD_FIELD);
    push(list, words);
    for (uint32_t i = 0; i < n; i++, fields += FIELD_SIZE) {
        if (i > 0 && i % FIELDS_MOST == 0) {
            words = TMPL_REDIS_WORDS(t->pool, "HMGET", own->key);
            push(list, words);
        }
        field_pack(fields, buckets[i].number);
        tmpl_redis_words_add(&words, fields, FIELD_SIZE);
    }
}

/* Takes the replies to these HMGETs. */
static apr_status_t fields_take(tmpl_txn_t *t, redisReply *const *replies, tmpl_numbered_t *buckets,
                                uint32_t n)
{
    int good = 1;
    for (uint32_t i = 0; good && i < n + 1; i++) {
        /* the head, then buckets: of the first command one more */
        uint32_t which = i == 0 ? 0 : (i - 1) / FIELDS_MOST;
        uint32_t at = i - which * FIELDS_MOST - (which > 0);
        uint32_t left = n - which * FIELDS_MOST;
        size_t elements = (left < FIELDS_MOST ? left : FIELDS_MOST) + (size_t)(which == 0);
        const redisReply *reply = replies[which];
        if (reply->type != REDIS_REPLY_ARRAY || reply->elements != elements) {
            good = 0;
            break;
        }
        reply = reply->element[at];
        good = reply->type == REDIS_REPLY_STRING || reply->type == REDIS_REPLY_NIL;
        if (i > 0) {
            buckets[i - 1].is =
                reply->type == REDIS_REPLY_STRING
                    ? (tmpl_bucket_t){ (const unsigned char *)reply->str, reply->len }
                    : (tmpl_bucket_t){ NULL, 0 };
            continue;
        }
        t->found =
            reply->type == REDIS_REPLY_STRING && tmpl_head_unpack(&t->head, reply->str, reply->len);
        if (!t->found) {
            t->head = (tmpl_head_t){ 0 };
        }
    }
    if (!good) {
        return note_failure(t, tmpl_redis_garbage(server_of(t), t->err));
    }
    remember(t);
    return APR_SUCCESS;
}

/* The bytes of a reply with n buckets are bounded, also if they are many. */
static size_t reply_most(uint32_t n)
{
    size_t all = (size_t)n * (TMPL_BUCKET_MOST + REPLY_EXTRA);
    return TMPL_HEAD_SIZE + (size_t)REPLY_EXTRA +
           (all < REPLY_MOST ? all : REPLY_MOST + (size_t)n * REPLY_USUAL);
}

/* Reads the head and n buckets. A transaction that writes watches the site from the first on. */
static apr_status_t ask(tmpl_txn_t *t, tmpl_numbered_t *buckets, uint32_t n)
{
    own_t *own = t->own;
    apr_array_header_t *list = apr_array_make(t->pool, 8, sizeof(tmpl_redis_words_t));
    redisReply **replies;
    push(list, TMPL_REDIS_WORDS(t->pool, "TTL", own->key));
    if (t->write && !own->session.is_bound) {
        /* the transaction before this one may have left a WATCH */
        push(list, TMPL_REDIS_WORDS(t->pool, "UNWATCH"));
        push(list, TMPL_REDIS_WORDS(t->pool, "WATCH", own->key));
    }
    int first = list->nelts;
    fields_ask(t, list, buckets, n);
    apr_status_t rv = exchange(t, list, reply_most(n), &replies);
    for (int i = 0; rv == APR_SUCCESS && i < list->nelts; i++) {
        rv = note_failure(t, reply_check(server_of(t), replies[i], t->err));
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    own->session.is_bound = t->write; /* the WATCH is of this connection */
    uint32_t idle = idle_seconds(t->ctx);
    /* negative: it never expires, or does not exist */
    t->fading = replies[0]->type == REDIS_REPLY_INTEGER && replies[0]->integer >= 0 &&
                replies[0]->integer < idle - idle / TOUCHES;
    return fields_take(t, replies + first, buckets, n);
}

/* ---- transactions ---- */

static apr_status_t begin(tmpl_txn_t *t)
{
    store_t *store = t->ctx;
    own_t *own = apr_pcalloc(t->pool, sizeof(*own));
    apr_interval_time_t most = store->opts.idle / TOUCHES;
    t->own = own;
    own->key = tmpl_redis_site_key(t->site, t->pool);
    own->site = XXH3_64bits(own->key, strlen(own->key)) | 1;
    own->session = tmpl_redis_session(store->redis, own->key);
    if (t->write) {
        if (!turn_take(store, own->site, t->deadline)) {
            return tmpl_fail(t->err, APR_EBUSY, "%s: no turn in time (others write the site)",
                             tmpl_redis_name(store->redis));
        }
        own->has_turn = 1;
    }
    else if (t->age > 0) {
        own->cached = tmpl_snapshots_take(
            store->snapshots, t->site, tmpl_clock() - (t->age < most ? t->age : most), INT64_MAX);
    }
    if (own->cached != NULL) {
        (void)tmpl_snapshots_get(store->snapshots, own->cached, &t->head, NULL, 0, NULL);
    }
    else {
        recall(t);
    }
    return APR_SUCCESS;
}

/* Reads all buckets, and begins a snapshot of them. */
static apr_status_t get_all(tmpl_txn_t *t, tmpl_numbered_t *buckets, uint32_t n)
{
    const store_t *store = t->ctx;
    tmpl_head_t asked = t->head;
    apr_time_t now = tmpl_clock();
    apr_status_t rv = ask(t, buckets, n);
    if (rv == APR_SUCCESS && t->age > 0 && tmpl_head_same_buckets(&t->head, &asked)) {
        tmpl_snapshots_begin(store->snapshots, t->site, now, &t->head, buckets, n);
    }
    return rv;
}

static apr_status_t get(tmpl_txn_t *t, tmpl_numbered_t *buckets, uint32_t n)
{
    const store_t *store = t->ctx;
    own_t *own = t->own;
    tmpl_head_t asked = t->head;
    if (own->cached == NULL) {
        return get_all(t, buckets, n);
    }
    uint32_t *missing = apr_palloc(t->pool, (n + (apr_size_t)1) * sizeof(*missing));
    uint32_t n_missing =
        tmpl_snapshots_get(store->snapshots, own->cached, &t->head, buckets, n, missing);
    if (n_missing == 0) {
        t->found = 1;
        return APR_SUCCESS;
    }
    tmpl_numbered_t *found = apr_palloc(t->pool, n_missing * sizeof(*found));
    for (uint32_t i = 0; i < n_missing; i++) {
        found[i].number = buckets[missing[i]].number;
    }
    apr_status_t rv = ask(t, found, n_missing);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (uint32_t i = 0; i < n_missing; i++) {
        buckets[missing[i]].is = found[i].is;
    }
    if (tmpl_snapshots_add(store->snapshots, own->cached, &t->head, found, n_missing)) {
        return APR_SUCCESS;
    }
    tmpl_snapshots_give(store->snapshots, own->cached);
    own->cached = NULL;
    /* if the site has other buckets, the engine asks again */
    return tmpl_head_same_buckets(&t->head, &asked) ? get_all(t, buckets, n) : APR_SUCCESS;
}

/* Adds HSET and HDEL, as several commands if they are many. */
static void changes_add(const tmpl_txn_t *t, apr_array_header_t *list,
                        const tmpl_numbered_t *buckets, uint32_t n)
{
    const own_t *own = t->own;
    unsigned char *head = apr_palloc(t->pool, TMPL_HEAD_SIZE);
    unsigned char *field = apr_palloc(t->pool, (n + (apr_size_t)1) * FIELD_SIZE);
    tmpl_redis_words_t put = TMPL_REDIS_WORDS(t->pool, "HSET", own->key), del = { 0 };
    uint32_t n_put = 0, n_del = 0;
    tmpl_head_pack(head, &t->head);
    push(list, put);
    tmpl_redis_words_add(&put, HEAD_FIELD, strlen(HEAD_FIELD));
    tmpl_redis_words_add(&put, head, TMPL_HEAD_SIZE);
    for (uint32_t i = 0; i < n; i++, field += FIELD_SIZE) {
        field_pack(field, buckets[i].number);
        if (buckets[i].is.len == 0) {
            if (n_del++ % FIELDS_MOST == 0) {
                del = TMPL_REDIS_WORDS(t->pool, "HDEL", own->key);
                push(list, del);
            }
            tmpl_redis_words_add(&del, field, FIELD_SIZE);
            continue;
        }
        if (++n_put % FIELDS_MOST == 0) {
            put = TMPL_REDIS_WORDS(t->pool, "HSET", own->key);
            push(list, put);
        }
        tmpl_redis_words_add(&put, field, FIELD_SIZE);
        tmpl_redis_words_add(&put, buckets[i].is.bytes, buckets[i].is.len);
    }
}

/* Checks the n replies to a commit, of which the last one is that to EXEC. */
static apr_status_t commit_check(const tmpl_txn_t *t, redisReply *const *replies, int n)
{
    const char *server = server_of(t);
    const redisReply *exec = replies[n - 1];
    apr_status_t rv = APR_SUCCESS;
    for (int i = 0; rv == APR_SUCCESS && i < n; i++) {
        rv = reply_check(server, replies[i], t->err);
    }
    if (rv != APR_SUCCESS && rv != APR_EAGAIN && rv != APR_ENOTIMPL) {
        /* it let us read, so it takes no writes, for whatever reason */
        if (t->err != NULL) {
            t->err->status = APR_ENOSPC;
        }
        return APR_ENOSPC;
    }
    if (rv == APR_SUCCESS && exec->type == REDIS_REPLY_NIL) {
        return tmpl_fail(t->err, APR_EBUSY, "%s: others write the site", server);
    }
    if (rv == APR_SUCCESS && exec->type != REDIS_REPLY_ARRAY) {
        return tmpl_redis_garbage(server, t->err);
    }
    for (size_t i = 0; rv == APR_SUCCESS && i < exec->elements; i++) {
        rv = reply_check(server, exec->element[i], t->err);
    }
    return rv;
}

static apr_status_t commit(tmpl_txn_t *t, const tmpl_numbered_t *buckets, uint32_t n)
{
    const store_t *store = t->ctx;
    own_t *own = t->own;
    apr_array_header_t *list = apr_array_make(t->pool, 8, sizeof(tmpl_redis_words_t));
    redisReply **replies;
    if (!own->session.is_bound) {
        /* an import; the transaction before this one may have left a WATCH */
        push(list, TMPL_REDIS_WORDS(t->pool, "UNWATCH"));
    }
    push(list, TMPL_REDIS_WORDS(t->pool, "MULTI"));
    if (!t->found) {
        push(list, TMPL_REDIS_WORDS(t->pool, "UNLINK", own->key));
    }
    changes_add(t, list, buckets, n);
    push(list, TMPL_REDIS_WORDS(t->pool, "EXPIRE", own->key,
                                apr_psprintf(t->pool, "%u", idle_seconds(store))));
    push(list, TMPL_REDIS_WORDS(t->pool, "EXEC"));
    apr_status_t rv = exchange(t, list, 0, &replies);
    if (rv == APR_SUCCESS) {
        rv = commit_check(t, replies, list->nelts);
        if (rv != APR_ENOSPC) {
            (void)note_failure(t, rv);
        }
    }
    if (rv == APR_SUCCESS) {
        own->committed = 1;
        remember(t);
        tmpl_snapshots_renew(store->snapshots, t->site, tmpl_clock(), &t->head, buckets, n);
    }
    return rv;
}

/* Keeps a site that is only read from expiring. If it fails, a later page tries again. */
static void touch(tmpl_txn_t *t)
{
    const own_t *own = t->own;
    apr_array_header_t *list = apr_array_make(t->pool, 1, sizeof(tmpl_redis_words_t));
    redisReply **replies;
    push(list, TMPL_REDIS_WORDS(t->pool, "EXPIRE", own->key,
                                apr_psprintf(t->pool, "%u", idle_seconds(t->ctx))));
    t->err = NULL;
    (void)exchange(t, list, 0, &replies);
}

static void end(tmpl_txn_t *t)
{
    store_t *store = t->ctx;
    own_t *own = t->own;
    if (!own->committed && own->failed == APR_SUCCESS && t->policy != NULL && t->fading) {
        touch(t);
    }
    tmpl_redis_session_end(store->redis, &own->session);
    if (own->cached != NULL) {
        tmpl_snapshots_give(store->snapshots, own->cached);
    }
    if (own->has_turn) {
        turn_give(store, own->site);
    }
    if (own->failed != APR_SUCCESS && own->failed != TMPL_EPART) {
        /* so that the next look-up asks: snapshots must not hide that the server fails */
        tmpl_snapshots_clear(store->snapshots, tmpl_clock());
    }
}

/* ---- sites ---- */

/* Sends one command and checks the type of the reply, which is from the pool of words. */
static apr_status_t call(const store_t *store, tmpl_redis_session_t *session,
                         const tmpl_redis_words_t *words, int type, redisReply **reply,
                         tmpl_error_t *err)
{
    tmpl_redis_command_t command = tmpl_redis_words_command(words);
    apr_status_t rv =
        tmpl_redis_exchange(store->redis, session, &command, 1, REPLY_MOST,
                            tmpl_clock() + store->opts.patience, reply, err, words->argv->pool);
    const char *server = tmpl_redis_session_name(store->redis, session);
    if (rv == APR_SUCCESS) {
        rv = reply_check(server, *reply, err);
    }
    return rv == APR_SUCCESS && (*reply)->type != type ? tmpl_redis_garbage(server, err) : rv;
}

/* The same for a command about a key, with a reply that is an integer. */
static apr_status_t call_integer(const store_t *store, const char *key,
                                 const tmpl_redis_words_t *words, long long *integer,
                                 tmpl_error_t *err)
{
    tmpl_redis_session_t session = tmpl_redis_session(store->redis, key);
    redisReply *reply;
    apr_status_t rv = call(store, &session, words, REDIS_REPLY_INTEGER, &reply, err);
    tmpl_redis_session_end(store->redis, &session);
    *integer = rv == APR_SUCCESS ? reply->integer : 0;
    return rv;
}

/* The server's own estimate, or a guess. */
static uint64_t size(tmpl_txn_t *t)
{
    const own_t *own = t->own;
    tmpl_redis_words_t words =
        TMPL_REDIS_WORDS(t->pool, "MEMORY", "USAGE", own->key, "SAMPLES", "50");
    long long bytes;
    return call_integer(t->ctx, own->key, &words, &bytes, NULL) == APR_SUCCESS && bytes > 0
               ? (uint64_t)bytes
               : t->head.site.entries * 16;
}

/* Adds the sites of some keys to seen, a set, because SCAN may return a key twice. */
static apr_status_t sites_scan(const store_t *store, tmpl_redis_session_t *session, char cursor[24],
                               const char *count, apr_hash_t *seen, tmpl_error_t *err,
                               apr_pool_t *pool)
{
    apr_pool_t *lasting = apr_hash_pool_get(seen);
    static const char pattern[] = TMPL_REDIS_KEY_PREFIX "*}";
    tmpl_redis_words_t words =
        TMPL_REDIS_WORDS(pool, "SCAN", cursor, "MATCH", pattern, "COUNT", count);
    redisReply *reply;
    apr_status_t rv = call(store, session, &words, REDIS_REPLY_ARRAY, &reply, err);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    session->is_bound = 1; /* a cursor is of one server */
    if (reply->elements != 2 || reply->element[0]->type != REDIS_REPLY_STRING ||
        reply->element[1]->type != REDIS_REPLY_ARRAY) {
        return tmpl_redis_garbage(tmpl_redis_session_name(store->redis, session), err);
    }
    for (size_t i = 0; i < reply->element[1]->elements; i++) {
        const redisReply *key = reply->element[1]->element[i];
        const char *site = key->type == REDIS_REPLY_STRING
                               ? tmpl_redis_key_site(key->str, key->len, lasting)
                               : NULL;
        if (site != NULL) {
            apr_hash_set(seen, site, APR_HASH_KEY_STRING, site);
        }
    }
    apr_cpystrn(cursor, reply->element[0]->str, 24);
    return APR_SUCCESS;
}

/* Adds the sites of one server. */
static apr_status_t sites_of(const store_t *store, tmpl_redis_session_t *session, apr_hash_t *seen,
                             tmpl_error_t *err, apr_pool_t *pool)
{
    char cursor[24] = "0";
    apr_pool_t *scratch;
    apr_status_t rv;
    apr_pool_create(&scratch, pool);
    do {
        apr_pool_clear(scratch);
        rv = sites_scan(store, session, cursor, SCAN_BATCH, seen, err, scratch);
    } while (rv == APR_SUCCESS && strcmp(cursor, "0") != 0);
    apr_pool_destroy(scratch);
    tmpl_redis_session_end(store->redis, session);
    return rv;
}

static apr_status_t each_seen(apr_hash_t *seen, apr_status_t (*each)(void *baton, const char *site),
                              void *baton, tmpl_error_t *err, apr_pool_t *pool)
{
    apr_status_t rv = APR_SUCCESS;
    for (apr_hash_index_t *i = apr_hash_first(pool, seen); rv == APR_SUCCESS && i != NULL;
         i = apr_hash_next(i)) {
        rv = each(baton, apr_hash_this_key(i));
    }
    return rv == APR_SUCCESS ? rv : tmpl_fail(err, rv, "listing the sites was broken off");
}

static apr_status_t sites(void *ctx, apr_status_t (*each)(void *baton, const char *site),
                          void *baton, tmpl_error_t *err, apr_pool_t *pool)
{
    store_t *store = ctx;
    apr_hash_t *seen = apr_hash_make(pool);
    apr_array_header_t *sessions = apr_array_make(pool, 8, sizeof(tmpl_redis_session_t));
    apr_status_t rv =
        tmpl_redis_sessions(store->redis, sessions, tmpl_clock() + store->opts.patience, err, pool);
    for (int i = 0; rv == APR_SUCCESS && i < sessions->nelts; i++) {
        rv = sites_of(store, &APR_ARRAY_IDX(sessions, i, tmpl_redis_session_t), seen, err, pool);
    }
    return rv == APR_SUCCESS ? each_seen(seen, each, baton, err, pool) : rv;
}

/* Reads where a list goes on: a cursor of SCAN, in a cluster behind "SLOT-" of its server. */
static int place_read(const char *from, unsigned *slot, char cursor[24])
{
    const char *dash = strchr(from, '-');
    const char *number = dash != NULL ? dash + 1 : from;
    apr_cpystrn(cursor, number, 24);
    *slot = dash != NULL ? (unsigned)strtoul(from, NULL, 10) : 0;
    return strlen(number) > 0 && strlen(number) < 24 &&
           strspn(number, "0123456789") == strlen(number) &&
           (dash == NULL || strspn(from, "0123456789") == (size_t)(dash - from));
}

static apr_status_t sites_part(void *ctx, const char *from, uint32_t n,
                               apr_status_t (*each)(void *baton, const char *site), void *baton,
                               const char **next, tmpl_error_t *err, apr_pool_t *pool)
{
    store_t *store = ctx;
    apr_hash_t *seen = apr_hash_make(pool);
    apr_array_header_t *sessions = apr_array_make(pool, 8, sizeof(tmpl_redis_session_t));
    char cursor[24] = "0";
    unsigned slot = 0;
    int i = 0;
    if (from != NULL && *from != '\0' && !place_read(from, &slot, cursor)) {
        return tmpl_fail(err, APR_EINVAL, "a list of sites in Redis goes on at a number");
    }
    apr_status_t rv =
        tmpl_redis_sessions(store->redis, sessions, tmpl_clock() + store->opts.patience, err, pool);
    while (i < sessions->nelts && APR_ARRAY_IDX(sessions, i, tmpl_redis_session_t).slot < slot) {
        i++;
    }
    /* a part of the database may have keys of others only */
    while (rv == APR_SUCCESS && i < sessions->nelts && apr_hash_count(seen) < n) {
        tmpl_redis_session_t *session = &APR_ARRAY_IDX(sessions, i, tmpl_redis_session_t);
        uint32_t left = n - apr_hash_count(seen);
        rv = sites_scan(store, session, cursor, apr_itoa(pool, (int)left), seen, err, pool);
        tmpl_redis_session_end(store->redis, session);
        i += strcmp(cursor, "0") == 0;
    }
    if (rv == APR_SUCCESS && i < sessions->nelts) {
        slot = APR_ARRAY_IDX(sessions, i, tmpl_redis_session_t).slot;
        *next = slot > 0 ? apr_psprintf(pool, "%u-%s", slot, cursor) : apr_pstrdup(pool, cursor);
    }
    return rv == APR_SUCCESS ? each_seen(seen, each, baton, err, pool) : rv;
}

static apr_status_t forget(void *ctx, const char *site, tmpl_error_t *err, apr_pool_t *pool)
{
    store_t *store = ctx;
    const char *key = tmpl_redis_site_key(site, pool);
    /* UNLINK frees the memory in the background */
    tmpl_redis_words_t words = TMPL_REDIS_WORDS(pool, "UNLINK", key);
    long long forgotten;
    apr_status_t rv = call_integer(store, key, &words, &forgotten, err);
    tmpl_snapshots_clear(store->snapshots, tmpl_clock());
    return rv == APR_SUCCESS && forgotten == 0
               ? tmpl_fail(err, APR_NOTFOUND, "the store does not know the site %s", site)
               : rv;
}

static void secret_keep(store_t *store, const char *is)
{
    pthread_mutex_lock(&store->lock);
    apr_cpystrn(store->secret, is, sizeof(store->secret));
    pthread_mutex_unlock(&store->lock);
}

/* Takes the replies to SET and GET. */
static apr_status_t secret_take(store_t *store, const char *server, const char *put,
                                redisReply *const replies[2], tmpl_error_t *err)
{
    if (tmpl_redis_is_error(replies[1], "WRONGTYPE")) {
        return tmpl_fail(err, APR_EGENERAL,
                         "%s: another program uses the key " SECRET_KEY ", which holds the secret "
                         "of all sites: delete it",
                         server);
    }
    /* a server that takes no writes may have a secret; if not, it knows no site of this format */
    apr_status_t rv = reply_check(server, replies[put != NULL ? 0 : 1], err);
    if (rv == APR_SUCCESS && replies[1]->type == REDIS_REPLY_STRING) {
        secret_keep(store, replies[1]->str);
    }
    else if (rv == APR_SUCCESS && replies[1]->type != REDIS_REPLY_NIL) {
        rv = tmpl_redis_garbage(server, err);
    }
    return rv;
}

/* The server's secret, which it gets if it has none; all hosts get the one that came first. */
static apr_status_t secret(void *ctx, const char *put, char is[TMPL_SECRET_SIZE],
                           apr_time_t deadline, tmpl_error_t *err, apr_pool_t *pool)
{
    store_t *store = ctx;
    char own[TMPL_SECRET_SIZE];
    pthread_mutex_lock(&store->lock);
    memcpy(own, store->secret, sizeof(own));
    pthread_mutex_unlock(&store->lock);
    tmpl_redis_words_t words[] = { put != NULL
                                       ? TMPL_REDIS_WORDS(pool, "SET", SECRET_KEY, put)
                                       : TMPL_REDIS_WORDS(pool, "SET", SECRET_KEY, own, "NX"),
                                   TMPL_REDIS_WORDS(pool, "GET", SECRET_KEY) };
    tmpl_redis_command_t commands[] = { tmpl_redis_words_command(&words[0]),
                                        tmpl_redis_words_command(&words[1]) };
    tmpl_redis_session_t session = tmpl_redis_session(store->redis, SECRET_KEY);
    redisReply *replies[2];
    apr_status_t rv = tmpl_redis_exchange(store->redis, &session, commands, 2, 2 * ERROR_MOST,
                                          deadline, replies, err, pool);
    if (rv == APR_SUCCESS) {
        rv = secret_take(store, tmpl_redis_session_name(store->redis, &session), put, replies, err);
    }
    tmpl_redis_session_end(store->redis, &session);
    pthread_mutex_lock(&store->lock);
    memcpy(is, store->secret, TMPL_SECRET_SIZE);
    pthread_mutex_unlock(&store->lock);
    return rv;
}

/* ---- opening ---- */

static apr_status_t check(const char *uri, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_redis_address_t address;
    tmpl_redis_tls_t *tls;
    apr_status_t rv = tmpl_redis_address_parse(&address, uri, err, pool);
    return rv == APR_SUCCESS && address.is_tls ? tmpl_redis_tls_create(&tls, &address, err, pool)
                                               : rv;
}

static apr_status_t store_free(void *data)
{
    store_t *store = data;
    /*
     * Not the condition: destroying it waits for waiting threads, and the signal that ends a child
     * of prefork may have interrupted one for good.
     */
    pthread_mutex_destroy(&store->lock);
    return APR_SUCCESS;
}

static apr_status_t store_open(void **ctx, const char *uri, const tmpl_store_opts_t *opts,
                               tmpl_error_t *err, apr_pool_t *pool)
{
    store_t *store = apr_pcalloc(pool, sizeof(*store));
    tmpl_redis_address_t address;
    apr_status_t rv = tmpl_redis_address_parse(&address, uri, err, pool);
    if (rv == APR_SUCCESS) {
        rv = tmpl_redis_create(&store->redis, &address, opts->max_connections, err, pool);
    }
    if (rv == APR_SUCCESS) {
        store->opts = *opts;
        store->snapshots = tmpl_snapshots_create(KEPT_MOST, pool);
        pthread_mutex_init(&store->lock, NULL);
        pthread_cond_init(&store->freed, NULL);
        tmpl_secret_draw(store->secret);
        apr_pool_cleanup_register(pool, store, store_free, apr_pool_cleanup_null);
        *ctx = store;
    }
    return rv;
}

const tmpl_provider_t tmpl_provider_redis = { .scheme = "redis",
                                              .check = check,
                                              .open = store_open,
                                              .begin = begin,
                                              .get = get,
                                              .commit = commit,
                                              .end = end,
                                              .size = size,
                                              .sites = sites,
                                              .sites_part = sites_part,
                                              .forget = forget,
                                              .secret = secret };
