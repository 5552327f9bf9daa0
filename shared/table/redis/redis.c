/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared store, "redis://..." and other forms (docs/stores.md): one hash per site, with the key
 * "tmpl:6:{SITE}". So a site expires or is evicted as a whole. The braces keep all keys that a site
 * may ever have in one slot of a cluster; in the name, braces and % are written %7B, %7D and %25.
 * redis_fields.h has the fields of the hash.
 *
 * The key "tmpl:6:secret" holds the server's secret (store.h), and does not expire.
 *
 * 6 is the format. Keys of former formats, "tmpl:{SITE}" to "tmpl:5:{SITE}", are neither read nor
 * changed; they expire.
 *
 * One HMGET looks a page up, so its counts are of one moment; if counts may be older, a snapshot
 * (snapshots.h) saves most of the command. Learning is WATCH and HMGET, then a MULTI that Redis
 * refuses if anybody has written the site in between. Pages are counted here, not by a script in
 * the server, because one server works for many hosts.
 *
 * A site that is not observed for opts.idle expires. A server that takes no writes (read-only
 * replica, out of memory, disk trouble) is a full store: APR_ENOSPC with good counts.
 */
#include <pthread.h>
#include <string.h>

#include <apr_strings.h>

#include "table/bucket/snapshots.h"
#include "table/redis/redis_error.h"
#include "table/redis/redis_fields.h"
#include "table/redis/redis_secret.h"
#include "table/redis/redis_sites.h"
#include "table/redis/redis_turns.h"
#include "table/redis/redis_words.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define KEPT_MOST ((size_t)8 << 20) /* bytes of all snapshots */
#define SITES     1024              /* sites of which the head is remembered */
#define TOUCHES   16                /* EXPIREs during opts.idle that keep a site in use */

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
    tmpl_redis_turns_t turns;
    tmpl_redis_secret_t secret;
    pthread_mutex_t lock; /* protects all below */
    memory_t sites[SITES];
} store_t;

/* A transaction on one site. */
typedef struct {
    const char *key;
    uint64_t site; /* a hash of key */
    tmpl_redis_session_t session;
    int has_turn;
    int committed;
    apr_status_t failed;     /* the status with which the server failed */
    tmpl_snapshot_t *cached; /* NULL: none */
} own_t;

static uint32_t idle_seconds(const store_t *store)
{
    apr_time_t seconds = apr_time_sec(store->opts.idle);
    return seconds < 1 ? 1 : seconds > INT32_MAX ? INT32_MAX : (uint32_t)seconds;
}

/* ---- guesses ---- */

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

/* The name of the server that a transaction talks to. */
static const char *server_of(const tmpl_txn_t *t)
{
    const store_t *store = t->ctx;
    const own_t *own = t->own;
    return tmpl_redis_session_name(store->redis, &own->session);
}

/*
 * Notes that the server failed. A transaction that failed because others wrote the site is no
 * failure.
 */
static apr_status_t note_failure(const tmpl_txn_t *t, apr_status_t rv)
{
    own_t *own = t->own;
    if (rv != APR_SUCCESS && rv != APR_EBUSY) {
        own->failed = rv;
    }
    return rv;
}

/*
 * Sends the commands of a list in one round trip and fills replies with a reply to each. All
 * replies together may have max_reply bytes, plus the bytes of errors. The transaction keeps its
 * connection.
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
                                               max_reply + n * TMPL_REDIS_ERROR_MOST, t->deadline,
                                               *replies, t->err, t->pool));
}

/*
 * Adds an empty transaction, which ends a WATCH that the connection's last user has left. If the
 * server refuses MULTI, its reply says so here; in a commit, such a server would carry out each
 * command by itself.
 */
static void unwatch(apr_array_header_t *list, apr_pool_t *pool)
{
    tmpl_redis_words_push(list, TMPL_REDIS_WORDS(pool, "MULTI"));
    tmpl_redis_words_push(list, TMPL_REDIS_WORDS(pool, "EXEC"));
}

/*
 * Checks the reply to a command that only writers send. A server that refuses it, but lets us read,
 * takes no writes, for whatever reason.
 */
static apr_status_t write_check(const tmpl_txn_t *t, const redisReply *reply)
{
    apr_status_t rv = tmpl_redis_reply_check(server_of(t), reply, t->err);
    if (rv == APR_SUCCESS || rv == APR_EAGAIN || rv == APR_ENOTIMPL) {
        return rv;
    }
    if (t->err != NULL) {
        t->err->status = APR_ENOSPC;
    }
    return APR_ENOSPC;
}

/*
 * Checks the n replies to a question. Replies 1 to first - 1 are to commands that only writers
 * send; the others are to commands of readers, whose errors go first.
 */
static apr_status_t ask_check(const tmpl_txn_t *t, redisReply *const *replies, int first, int n)
{
    apr_status_t rv = tmpl_redis_reply_check(server_of(t), replies[0], t->err);
    for (int i = first; rv == APR_SUCCESS && i < n; i++) {
        rv = tmpl_redis_reply_check(server_of(t), replies[i], t->err);
    }
    if (rv != APR_SUCCESS) {
        return note_failure(t, rv);
    }
    for (int i = 1; rv == APR_SUCCESS && i < first; i++) {
        rv = write_check(t, replies[i]);
    }
    return rv == APR_ENOSPC ? rv : note_failure(t, rv);
}

/* Reads the head and n buckets. A transaction that writes watches the site from the first on. */
static apr_status_t ask(tmpl_txn_t *t, tmpl_numbered_t *buckets, uint32_t n)
{
    own_t *own = t->own;
    apr_array_header_t *list = apr_array_make(t->pool, 8, sizeof(tmpl_redis_words_t));
    redisReply **replies;
    tmpl_redis_words_push(list, TMPL_REDIS_WORDS(t->pool, "TTL", own->key));
    if (t->write && !own->session.is_bound) {
        unwatch(list, t->pool);
        tmpl_redis_words_push(list, TMPL_REDIS_WORDS(t->pool, "WATCH", own->key));
    }
    int first = list->nelts;
    tmpl_redis_fields_ask(list, own->key, buckets, n, t->pool);
    apr_status_t rv = exchange(t, list, tmpl_redis_fields_most(n), &replies);
    if (rv == APR_SUCCESS) {
        rv = ask_check(t, replies, first, list->nelts);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    own->session.is_bound = t->write; /* the WATCH is of this connection */
    uint32_t idle = idle_seconds(t->ctx);
    /* negative: the key never expires, or does not exist */
    t->fading = replies[0]->type == REDIS_REPLY_INTEGER && replies[0]->integer >= 0 &&
                replies[0]->integer < idle - idle / TOUCHES;
    if (!tmpl_redis_fields_take(replies + first, &t->head, &t->found, buckets, n)) {
        return note_failure(t, tmpl_redis_garbage(server_of(t), t->err));
    }
    remember(t);
    return APR_SUCCESS;
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
        if (!tmpl_redis_turn_take(&store->turns, own->site, t->deadline)) {
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

/* Checks the n replies to a commit. The last one is the reply to EXEC. */
static apr_status_t commit_check(const tmpl_txn_t *t, redisReply *const *replies, int n)
{
    const char *server = server_of(t);
    const redisReply *exec = replies[n - 1];
    apr_status_t rv = APR_SUCCESS;
    for (int i = 0; rv == APR_SUCCESS && i < n; i++) {
        rv = write_check(t, replies[i]);
    }
    if (rv == APR_SUCCESS && exec->type == REDIS_REPLY_NIL) {
        return tmpl_fail(t->err, APR_EBUSY, "%s: others write the site", server);
    }
    if (rv == APR_SUCCESS && exec->type != REDIS_REPLY_ARRAY) {
        return tmpl_redis_garbage(server, t->err);
    }
    for (size_t i = 0; rv == APR_SUCCESS && i < exec->elements; i++) {
        rv = tmpl_redis_reply_check(server, exec->element[i], t->err);
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
        unwatch(list, t->pool); /* an import, which reads nothing first */
    }
    tmpl_redis_words_push(list, TMPL_REDIS_WORDS(t->pool, "MULTI"));
    if (!t->found) {
        tmpl_redis_words_push(list, TMPL_REDIS_WORDS(t->pool, "UNLINK", own->key));
    }
    tmpl_redis_fields_change(list, own->key, &t->head, buckets, n, t->pool);
    tmpl_redis_words_push(list, TMPL_REDIS_WORDS(t->pool, "EXPIRE", own->key,
                                                 apr_psprintf(t->pool, "%u", idle_seconds(store))));
    tmpl_redis_words_push(list, TMPL_REDIS_WORDS(t->pool, "EXEC"));
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

/* Renews the lifetime of a site that is only read. If it fails, a later page tries again. */
static void touch(tmpl_txn_t *t)
{
    const own_t *own = t->own;
    apr_array_header_t *list = apr_array_make(t->pool, 1, sizeof(tmpl_redis_words_t));
    redisReply **replies;
    tmpl_redis_words_push(list,
                          TMPL_REDIS_WORDS(t->pool, "EXPIRE", own->key,
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
        tmpl_redis_turn_give(&store->turns, own->site);
    }
    if (own->failed != APR_SUCCESS && own->failed != TMPL_EPART) {
        /* the next look-up must ask: snapshots must not hide that the server fails */
        tmpl_snapshots_clear(store->snapshots, tmpl_clock());
    }
}

/* ---- sites, and the secret ---- */

/* The server's own estimate of the site's bytes, or a guess. */
static uint64_t size(tmpl_txn_t *t)
{
    const store_t *store = t->ctx;
    const own_t *own = t->own;
    uint64_t bytes;
    return tmpl_redis_site_bytes(store->redis, store->opts.patience, own->key, &bytes, t->pool) ==
                       APR_SUCCESS &&
                   bytes > 0
               ? bytes
               : t->head.site.entries * 16;
}

static apr_status_t sites(void *ctx, apr_status_t (*each)(void *baton, const char *site),
                          void *baton, tmpl_error_t *err, apr_pool_t *pool)
{
    const store_t *store = ctx;
    return tmpl_redis_sites(store->redis, store->opts.patience, each, baton, err, pool);
}

static apr_status_t sites_part(void *ctx, const char *from, uint32_t n,
                               apr_status_t (*each)(void *baton, const char *site), void *baton,
                               const char **next, tmpl_error_t *err, apr_pool_t *pool)
{
    const store_t *store = ctx;
    return tmpl_redis_sites_part(store->redis, store->opts.patience, from, n, each, baton, next,
                                 err, pool);
}

static apr_status_t forget(void *ctx, const char *site, tmpl_error_t *err, apr_pool_t *pool)
{
    store_t *store = ctx;
    apr_status_t rv = tmpl_redis_site_forget(store->redis, store->opts.patience, site, err, pool);
    tmpl_snapshots_clear(store->snapshots, tmpl_clock());
    return rv;
}

static apr_status_t secret(void *ctx, const char *put, char is[TMPL_SECRET_SIZE],
                           apr_time_t deadline, tmpl_error_t *err, apr_pool_t *pool)
{
    store_t *store = ctx;
    return tmpl_redis_secret_ask(&store->secret, store->redis, put, is, deadline, err, pool);
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
    tmpl_redis_turns_destroy(&store->turns);
    tmpl_redis_secret_destroy(&store->secret);
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
        tmpl_redis_turns_init(&store->turns);
        tmpl_redis_secret_init(&store->secret);
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
