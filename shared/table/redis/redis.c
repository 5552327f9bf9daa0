/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared store, "redis://..." and other forms (docs/stores.md). redis_client.h says how a site
 * is stored.
 *
 * The key "tmpl:6:secret" holds the server's secret (counts.h), and does not expire. A process that
 * knows the secret puts it back if the server has lost it.
 *
 * One HMGET looks a page up, so its counts are of one moment. Learning is WATCH and HMGET, then a
 * MULTI that Redis refuses if anybody has written the site in between. Pages are counted here, not
 * by a script in the server, because one server works for many hosts.
 *
 * A site that is not observed for opts.idle expires. A server that takes no writes (read-only
 * replica, out of memory, disk trouble) is a full store: APR_ENOSPC with good counts.
 */
#include <string.h>

#include <apr_strings.h>

#include "base/clock.h"
#include "table/redis/redis_client.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define SECRET_KEY "tmpl:6:secret"

#define TOUCHES 16   /* EXPIREs during opts.idle that keep a site in use */
#define HEADS   1024 /* sites whose last head is known, each at the place of its hash */

/* The head of a site, as this process has seen it last: it tells which buckets to ask for. */
typedef struct {
    uint64_t site; /* its hash */
    tmpl_head_t head;
} redis_head_t;

typedef struct {
    tmpl_redis_t *redis;
    tmpl_store_opts_t opts;
    pthread_mutex_t lock;          /* protects all below */
    char secret[TMPL_SECRET_SIZE]; /* the server's, or the one to give it if it has none */
    redis_head_t heads[HEADS];
} redis_store_t;

/* A transaction on one site. */
typedef struct {
    const char *key;
    tmpl_redis_session_t session;
    int committed;
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

/* Sends the commands of a list in one round trip. The transaction keeps its connection. */
static apr_status_t exchange(tmpl_txn_t *t, const apr_array_header_t *list, redisReply ***replies)
{
    redis_own_t *own = t->own;
    return tmpl_redis_exchange(&own->session, list, t->deadline, replies, t->err);
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
    for (int i = 1; rv == APR_SUCCESS && i < last; i++) {
        rv = write_check(t, replies[i]);
    }
    return rv;
}

/* The last head of a site. Another site may have its place: a wrong guess costs a round trip. */
static redis_head_t *head_of(redis_store_t *store, const tmpl_txn_t *t, uint64_t *site)
{
    *site = XXH3_64bits(t->site, strlen(t->site));
    return &store->heads[*site % HEADS];
}

static void head_keep(const tmpl_txn_t *t)
{
    redis_store_t *store = t->ctx;
    uint64_t site;
    redis_head_t *kept = head_of(store, t, &site);
    pthread_mutex_lock(&store->lock);
    *kept = (redis_head_t){ site, t->head };
    pthread_mutex_unlock(&store->lock);
}

/* Reads the head and n buckets. A transaction that writes watches the site from the first on. */
static apr_status_t redis_get(tmpl_txn_t *t, tmpl_numbered_t *buckets, uint32_t n)
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
        return tmpl_redis_garbage(server_of(t), t->err);
    }
    head_keep(t);
    return APR_SUCCESS;
}

/* ---- transactions ---- */

static apr_status_t redis_begin(tmpl_txn_t *t)
{
    redis_store_t *store = t->ctx;
    redis_own_t *own = apr_pcalloc(t->pool, sizeof(*own));
    uint64_t site;
    const redis_head_t *kept = head_of(store, t, &site);
    t->own = own;
    own->key = tmpl_redis_site_key(t->site, t->pool);
    own->session = tmpl_redis_session(store->redis, own->key);
    pthread_mutex_lock(&store->lock);
    if (kept->site == site) {
        t->head = kept->head;
    }
    pthread_mutex_unlock(&store->lock);
    return APR_SUCCESS;
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
    apr_status_t rv = exchange(t, list, &replies);
    if (rv == APR_SUCCESS) {
        rv = commit_check(t, replies, list->nelts);
    }
    if (rv == APR_SUCCESS) {
        own->committed = 1;
        head_keep(t);
    }
    return rv;
}

static void redis_end(tmpl_txn_t *t)
{
    redis_own_t *own = t->own;
    if (!own->committed && t->policy != NULL && t->fading) {
        /* renews the lifetime of a site that is only read; if it fails, a later page tries again */
        apr_array_header_t *list = tmpl_redis_list(t->pool);
        redisReply **replies;
        expire(t, list);
        t->err = NULL;
        (void)exchange(t, list, &replies);
    }
    tmpl_redis_session_end(&own->session);
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
    return tmpl_redis_site_forget(store->redis, store->opts.patience, site, err, pool);
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
