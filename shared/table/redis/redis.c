/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared store, "redis://..." and other forms (docs/stores.md). redis_client.h says how a site
 * is stored.
 *
 * The key "tmpl:6:secret" holds the server's secret (counts.h), and does not expire. A process that
 * knows the secret puts it back if the server has lost it.
 *
 * One HMGET looks a page up, so its counts are of one moment; if counts may be older, a snapshot
 * (snapshots.h) saves most of the command. Learning is WATCH and HMGET, which saves as much if the
 * head is that of a snapshot, of any age; then a MULTI that Redis refuses if anybody has written
 * the site in between. Pages are counted here, not by a script in the server, because one server
 * works for many hosts.
 *
 * A site that is not observed for opts.idle expires. A server that takes no writes (read-only
 * replica, out of memory, disk trouble) is a full store: APR_ENOSPC with good counts.
 */
#include <string.h>

#include <apr_strings.h>

#include "base/clock.h"
#include "table/snapshots.h"
#include "table/redis/redis_client.h"

#define SECRET_KEY "tmpl:6:secret"

#define KEPT_MOST ((size_t)8 << 20) /* bytes of all snapshots */
#define TOUCHES   16                /* EXPIREs during opts.idle that keep a site in use */

typedef struct {
    tmpl_redis_t *redis;
    tmpl_snapshots_t *snapshots; /* stamped with tmpl_clock */
    tmpl_store_opts_t opts;
    pthread_mutex_t lock;          /* protects all below */
    char secret[TMPL_SECRET_SIZE]; /* the server's, or the one to give it if it has none */
} redis_store_t;

/* A transaction on one site. */
typedef struct {
    const char *key;
    tmpl_redis_session_t session;
    int committed;
    apr_status_t failed; /* the status with which the server failed */
    int64_t least;       /* the least stamp of a snapshot that may be used */
} redis_own_t;

static uint32_t idle_seconds(const redis_store_t *store)
{
    apr_time_t seconds = apr_time_sec(store->opts.idle);
    return seconds < 1 ? 1 : seconds > INT32_MAX ? INT32_MAX : (uint32_t)seconds;
}

/* Adds the command that has a site live as long as one that is used now. */
static void expire(const tmpl_txn_t *t, apr_array_header_t *list)
{
    const redis_own_t *own = t->own;
    tmpl_redis_command(list, "EXPIRE", own->key,
                       apr_psprintf(list->pool, "%u", idle_seconds(t->ctx)), NULL);
}

/* ---- asking ---- */

/* The name of the server that a transaction talks to. */
static const char *server_of(const tmpl_txn_t *t)
{
    return tmpl_redis_session_name(&((const redis_own_t *)t->own)->session);
}

/*
 * Notes that the server failed. A transaction that failed because others wrote the site is no
 * failure.
 */
static apr_status_t note_failure(const tmpl_txn_t *t, apr_status_t rv)
{
    redis_own_t *own = t->own;
    if (rv != APR_SUCCESS && rv != APR_EBUSY) {
        own->failed = rv;
    }
    return rv;
}

/* Sends the commands of a list in one round trip. The transaction keeps its connection. */
static apr_status_t exchange(tmpl_txn_t *t, const apr_array_header_t *list, redisReply ***replies)
{
    redis_own_t *own = t->own;
    return note_failure(t, tmpl_redis_exchange(&own->session, list, t->deadline, replies, t->err));
}

/*
 * Adds an empty transaction, which ends a WATCH that the connection's last user has left. If the
 * server refuses MULTI, its reply says so here; in a commit, such a server would carry out each
 * command by itself.
 */
static void unwatch(apr_array_header_t *list)
{
    tmpl_redis_command(list, "MULTI", NULL);
    tmpl_redis_command(list, "EXEC", NULL);
}

/*
 * Checks the reply to a command that only writers send. A server that refuses it, but lets us read,
 * takes no writes, for whatever reason.
 */
static apr_status_t write_check(const tmpl_txn_t *t, const redisReply *reply)
{
    apr_status_t rv = tmpl_redis_check(server_of(t), reply, t->err);
    if (rv == APR_SUCCESS || rv == APR_EAGAIN || rv == APR_ENOTIMPL) {
        return rv;
    }
    if (t->err != NULL) {
        t->err->status = APR_ENOSPC;
    }
    return APR_ENOSPC;
}

/*
 * Checks the replies to a question. The first and the last one are to commands of readers, whose
 * errors go first; the others are to commands that only writers send.
 */
static apr_status_t ask_check(const tmpl_txn_t *t, redisReply *const *replies, int last)
{
    apr_status_t rv = tmpl_redis_check(server_of(t), replies[0], t->err);
    if (rv == APR_SUCCESS) {
        rv = tmpl_redis_check(server_of(t), replies[last], t->err);
    }
    if (rv != APR_SUCCESS) {
        return note_failure(t, rv);
    }
    for (int i = 1; rv == APR_SUCCESS && i < last; i++) {
        rv = write_check(t, replies[i]);
    }
    return rv == APR_ENOSPC ? rv : note_failure(t, rv);
}

/* Reads the head and n buckets. A transaction that writes watches the site from the first on. */
static apr_status_t site_ask(tmpl_txn_t *t, tmpl_numbered_t *buckets, uint32_t n)
{
    redis_own_t *own = t->own;
    apr_array_header_t *list = tmpl_redis_list(t->pool);
    redisReply **replies;
    tmpl_redis_command(list, "TTL", own->key, NULL);
    if (t->write && !own->session.is_bound) {
        unwatch(list);
        tmpl_redis_command(list, "WATCH", own->key, NULL);
    }
    int last = list->nelts;
    tmpl_redis_site_ask(list, own->key, buckets, n);
    apr_status_t rv = exchange(t, list, &replies);
    if (rv == APR_SUCCESS) {
        rv = ask_check(t, replies, last);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    own->session.is_bound = t->write; /* the WATCH is of this connection */
    uint32_t idle = idle_seconds(t->ctx);
    /* negative: the key never expires, or does not exist */
    t->fading = replies[0]->type == REDIS_REPLY_INTEGER && replies[0]->integer >= 0 &&
                replies[0]->integer < idle - idle / TOUCHES;
    if (!tmpl_redis_site_take(replies[last], &t->head, &t->found, buckets, n)) {
        return note_failure(t, tmpl_redis_garbage(server_of(t), t->err));
    }
    return APR_SUCCESS;
}

/* ---- transactions ---- */

static apr_status_t redis_begin(tmpl_txn_t *t)
{
    redis_store_t *store = t->ctx;
    redis_own_t *own = apr_pcalloc(t->pool, sizeof(*own));
    apr_interval_time_t most = store->opts.idle / TOUCHES;
    t->own = own;
    own->key = tmpl_redis_site_key(t->site, t->pool);
    own->session = tmpl_redis_session(store->redis, own->key);
    own->least = t->write     ? INT64_MIN
                 : t->age > 0 ? tmpl_clock() - (t->age < most ? t->age : most)
                              : INT64_MAX;
    /* a snapshot that is too old tells which buckets to ask for */
    (void)(tmpl_snapshots_head(store->snapshots, t->site, own->least, &t->head) ||
           tmpl_snapshots_head(store->snapshots, t->site, INT64_MIN, &t->head));
    return APR_SUCCESS;
}

static apr_status_t redis_get(tmpl_txn_t *t, tmpl_numbered_t *buckets, uint32_t n)
{
    const redis_store_t *store = t->ctx;
    const redis_own_t *own = t->own;
    return tmpl_snapshots_read(store->snapshots, own->least, tmpl_clock(), t, site_ask, buckets, n);
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
        rv = tmpl_redis_check(server, exec->element[i], t->err);
    }
    return rv;
}

static apr_status_t redis_commit(tmpl_txn_t *t, const tmpl_numbered_t *buckets, uint32_t n)
{
    const redis_store_t *store = t->ctx;
    redis_own_t *own = t->own;
    apr_array_header_t *list = tmpl_redis_list(t->pool);
    redisReply **replies;
    if (!own->session.is_bound) {
        unwatch(list); /* an import, which reads nothing first */
    }
    tmpl_redis_command(list, "MULTI", NULL);
    if (!t->found) {
        tmpl_redis_command(list, "UNLINK", own->key, NULL);
    }
    tmpl_redis_site_change(list, own->key, &t->head, buckets, n);
    expire(t, list);
    tmpl_redis_command(list, "EXEC", NULL);
    apr_time_t sent = tmpl_clock();
    apr_status_t rv = exchange(t, list, &replies);
    if (rv == APR_SUCCESS) {
        rv = commit_check(t, replies, list->nelts);
        if (rv != APR_ENOSPC) {
            (void)note_failure(t, rv);
        }
    }
    if (rv == APR_SUCCESS) {
        own->committed = 1;
        if (n == 0 || buckets[0].number < TMPL_LISTED) {
            tmpl_snapshots_renew(store->snapshots, t->site, sent, tmpl_clock(), &t->head, buckets,
                                 n);
        }
    }
    return rv;
}

static void redis_end(tmpl_txn_t *t)
{
    redis_store_t *store = t->ctx;
    redis_own_t *own = t->own;
    if (!own->committed && own->failed == APR_SUCCESS && t->policy != NULL && t->fading) {
        /* renews the lifetime of a site that is only read; if it fails, a later page tries again */
        apr_array_header_t *list = tmpl_redis_list(t->pool);
        redisReply **replies;
        expire(t, list);
        t->err = NULL;
        (void)exchange(t, list, &replies);
    }
    tmpl_redis_session_end(&own->session);
    if (own->failed != APR_SUCCESS && own->failed != TMPL_EPART) {
        /* the next look-up must ask: snapshots must not hide that the server fails */
        tmpl_snapshots_clear(store->snapshots, tmpl_clock());
    }
}

/* ---- sites, and the secret ---- */

static apr_status_t redis_sites(void *ctx, tmpl_each_site_t each, void *baton, tmpl_error_t *err,
                                apr_pool_t *pool)
{
    const redis_store_t *store = ctx;
    return tmpl_redis_sites(store->redis, store->opts.patience, each, baton, err, pool);
}

static apr_status_t redis_forget(void *ctx, const char *site, tmpl_error_t *err, apr_pool_t *pool)
{
    const redis_store_t *store = ctx;
    apr_status_t rv = tmpl_redis_site_forget(store->redis, store->opts.patience, site, err, pool);
    tmpl_snapshots_clear(store->snapshots, tmpl_clock());
    return rv;
}

/* Checks the replies to SET and GET of the secret. A server that takes no writes may have one. */
static apr_status_t secret_check(const char *server, int must_set, redisReply *const replies[2],
                                 tmpl_error_t *err)
{
    if (tmpl_redis_is_error(replies[1], "WRONGTYPE")) {
        return tmpl_fail(err, APR_EGENERAL,
                         "%s: another program uses the key " SECRET_KEY ", which holds the secret "
                         "of all sites: delete it",
                         server);
    }
    apr_status_t rv = tmpl_redis_check(server, replies[must_set ? 0 : 1], err);
    if (rv != APR_SUCCESS || replies[1]->type == REDIS_REPLY_STRING) {
        return rv;
    }
    if (replies[1]->type != REDIS_REPLY_NIL) {
        return tmpl_redis_garbage(server, err);
    }
    /* if the server takes writes of sites, each process must not make its keys by itself */
    return tmpl_redis_check(server, replies[0], NULL) == APR_ENOSPC
               ? APR_SUCCESS
               : tmpl_redis_check(server, replies[0], err);
}

/* Sets the secret to put, or, if put is NULL, gives a server without a secret one; fills is. */
static apr_status_t redis_secret(void *ctx, const char *put, char is[TMPL_SECRET_SIZE],
                                 apr_time_t deadline, tmpl_error_t *err, apr_pool_t *pool)
{
    redis_store_t *store = ctx;
    tmpl_redis_session_t session = tmpl_redis_session(store->redis, SECRET_KEY);
    apr_array_header_t *list = tmpl_redis_list(pool);
    redisReply **replies;
    pthread_mutex_lock(&store->lock);
    memcpy(is, store->secret, TMPL_SECRET_SIZE);
    pthread_mutex_unlock(&store->lock);
    /* all hosts get the secret that came first */
    tmpl_redis_command(list, "SET", SECRET_KEY, put != NULL ? put : is, put != NULL ? NULL : "NX",
                       NULL);
    tmpl_redis_command(list, "GET", SECRET_KEY, NULL);
    apr_status_t rv = tmpl_redis_exchange(&session, list, deadline, &replies, err);
    if (rv == APR_SUCCESS) {
        rv = secret_check(tmpl_redis_session_name(&session), put != NULL, replies, err);
    }
    if (rv == APR_SUCCESS && replies[1]->type == REDIS_REPLY_STRING) {
        apr_cpystrn(is, replies[1]->str, TMPL_SECRET_SIZE);
        pthread_mutex_lock(&store->lock);
        memcpy(store->secret, is, TMPL_SECRET_SIZE);
        pthread_mutex_unlock(&store->lock);
    }
    tmpl_redis_session_end(&session);
    return rv;
}

/* ---- opening ---- */

static apr_status_t redis_check(const char *uri, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_redis_address_t address;
    tmpl_redis_tls_t *tls;
    apr_status_t rv = tmpl_redis_address_parse(&address, uri, err, pool);
    return rv == APR_SUCCESS && address.is_tls ? tmpl_redis_tls_create(&tls, &address, err, pool)
                                               : rv;
}

static apr_status_t redis_open(void **ctx, const char *uri, const tmpl_store_opts_t *opts,
                               tmpl_error_t *err, apr_pool_t *pool)
{
    redis_store_t *store = apr_pcalloc(pool, sizeof(*store));
    tmpl_redis_address_t address;
    apr_status_t rv = tmpl_redis_address_parse(&address, uri, err, pool);
    if (rv == APR_SUCCESS) {
        rv = tmpl_redis_create(&store->redis, &address, opts->max_connections, err, pool);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    store->opts = *opts;
    store->snapshots = tmpl_snapshots_create(KEPT_MOST, pool);
    tmpl_secret_draw(store->secret);
    /* never destroyed: prefork may end a child while the code that it interrupted holds it */
    pthread_mutex_init(&store->lock, NULL);
    *ctx = store;
    return APR_SUCCESS;
}

const tmpl_provider_t tmpl_provider_redis = { .scheme = "redis",
                                              .check = redis_check,
                                              .open = redis_open,
                                              .begin = redis_begin,
                                              .get = redis_get,
                                              .commit = redis_commit,
                                              .end = redis_end,
                                              .sites = redis_sites,
                                              .forget = redis_forget,
                                              .secret = redis_secret };
