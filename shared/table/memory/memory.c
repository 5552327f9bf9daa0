/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "memory:", a store in the memory of the process, for a run of tmplctl that names no other store.
 * Its content ends when it is closed. Users cannot name it. It is also the shortest example of a
 * store. Like APR's pools, it ends the process if there is no memory.
 */
#include <stdlib.h>
#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>
#include <apr_thread_rwlock.h>

#include "table/engine.h"

typedef struct {
    tmpl_head_t head;
    tmpl_bucket_t *buckets; /* an array of room buckets; the bytes of each are from malloc */
    uint32_t room;
    tmpl_bucket_t listed[TMPL_LISTED_BUCKETS];
} site_t;

typedef struct {
    apr_thread_rwlock_t *lock; /* a transaction holds it from begin to end */
    apr_hash_t *sites;         /* name -> site_t */
} memory_t;

/* realloc() */
static void *memory_of(void *old, size_t size, apr_pool_t *pool)
{
    void *new = realloc(old, size);
    if (new == NULL) {
        tmpl_no_memory(pool);
    }
    return new;
}

static void site_clear(site_t *site)
{
    for (uint32_t i = 0; i < site->room; i++) {
        free((void *)site->buckets[i].bytes);
    }
    for (uint32_t i = 0; i < TMPL_LISTED_BUCKETS; i++) {
        free((void *)site->listed[i].bytes);
    }
    free(site->buckets);
    *site = (site_t){ 0 };
}

/* ---- transactions ---- */

static apr_status_t memory_begin(tmpl_txn_t *txn)
{
    const memory_t *memory = txn->ctx;
    if (txn->write) {
        apr_thread_rwlock_wrlock(memory->lock);
    }
    else {
        apr_thread_rwlock_rdlock(memory->lock);
    }
    const site_t *site = apr_hash_get(memory->sites, txn->site, APR_HASH_KEY_STRING);
    txn->own = (void *)site;
    txn->found = site != NULL;
    if (site != NULL) {
        txn->head = site->head;
    }
    return APR_SUCCESS;
}

/* Where a bucket is; NULL: the site does not have so many. */
static tmpl_bucket_t *bucket_at(site_t *site, uint32_t number)
{
    return number >= TMPL_LISTED ? &site->listed[number - TMPL_LISTED]
           : number < site->room ? &site->buckets[number]
                                 : NULL;
}

static apr_status_t memory_get(tmpl_txn_t *txn, tmpl_numbered_t *buckets, uint32_t n)
{
    site_t *site = txn->own;
    for (uint32_t i = 0; site != NULL && i < n; i++) {
        const tmpl_bucket_t *at = bucket_at(site, buckets[i].number);
        if (at != NULL) {
            buckets[i].is = *at;
        }
    }
    return APR_SUCCESS;
}

/* Makes room for n buckets. */
static void site_reserve(site_t *site, uint32_t n, apr_pool_t *pool)
{
    uint32_t room = site->room > 0 ? site->room : 1;
    while (room < n) {
        room *= 2;
    }
    site->buckets = memory_of(site->buckets, room * sizeof(*site->buckets), pool);
    memset(site->buckets + site->room, 0, (room - site->room) * sizeof(*site->buckets));
    site->room = room;
}

static void bucket_put(site_t *site, const tmpl_numbered_t *bucket, apr_pool_t *pool)
{
    tmpl_bucket_t *at = bucket_at(site, bucket->number);
    unsigned char *bytes = bucket->is.len > 0 ? memory_of(NULL, bucket->is.len, pool) : NULL;
    if (bytes != NULL) {
        memcpy(bytes, bucket->is.bytes, bucket->is.len);
    }
    free((void *)at->bytes);
    *at = (tmpl_bucket_t){ bytes, bucket->is.len };
}

static apr_status_t memory_commit(tmpl_txn_t *txn, const tmpl_numbered_t *buckets, uint32_t n)
{
    const memory_t *memory = txn->ctx;
    site_t *site = txn->own;
    if (site == NULL) {
        apr_pool_t *pool = apr_hash_pool_get(memory->sites);
        site = apr_pcalloc(pool, sizeof(*site));
        apr_hash_set(memory->sites, apr_pstrdup(pool, txn->site), APR_HASH_KEY_STRING, site);
    }
    if (!txn->found) {
        site_clear(site);
    }
    site_reserve(site, txn->head.n > site->head.n ? txn->head.n : site->head.n, txn->pool);
    for (uint32_t i = 0; i < n; i++) {
        bucket_put(site, &buckets[i], txn->pool);
    }
    site->head = txn->head;
    return APR_SUCCESS;
}

static void memory_end(tmpl_txn_t *txn)
{
    const memory_t *memory = txn->ctx;
    apr_thread_rwlock_unlock(memory->lock);
}

/* ---- sites ---- */

static apr_status_t memory_sites(void *ctx, tmpl_each_site_t each, void *baton, tmpl_error_t *err,
                                 apr_pool_t *pool)
{
    const memory_t *memory = ctx;
    apr_status_t rv = APR_SUCCESS;
    apr_thread_rwlock_rdlock(memory->lock);
    for (apr_hash_index_t *i = apr_hash_first(pool, memory->sites); rv == APR_SUCCESS && i != NULL;
         i = apr_hash_next(i)) {
        rv = each(baton, apr_hash_this_key(i));
    }
    apr_thread_rwlock_unlock(memory->lock);
    return rv == APR_SUCCESS ? rv : tmpl_fail(err, rv, "listing the sites was broken off");
}

static apr_status_t memory_forget(void *ctx, const char *name, tmpl_error_t *err, apr_pool_t *pool)
{
    const memory_t *memory = ctx;
    (void)pool;
    apr_thread_rwlock_wrlock(memory->lock);
    site_t *site = apr_hash_get(memory->sites, name, APR_HASH_KEY_STRING);
    if (site != NULL) {
        site_clear(site);
        apr_hash_set(memory->sites, name, APR_HASH_KEY_STRING, NULL);
    }
    apr_thread_rwlock_unlock(memory->lock);
    return site != NULL ? APR_SUCCESS
                        : tmpl_fail(err, APR_NOTFOUND, "the store does not know the site %s", name);
}

/* ---- opening ---- */

static apr_status_t memory_check(const char *uri, tmpl_error_t *err, apr_pool_t *pool)
{
    (void)pool;
    return tmpl_fail(err, APR_EINVAL, "%s is of one process and does not last: name another", uri);
}

static apr_status_t memory_close(void *data)
{
    const memory_t *memory = data;
    for (apr_hash_index_t *i = apr_hash_first(NULL, memory->sites); i != NULL;
         i = apr_hash_next(i)) {
        site_clear(apr_hash_this_val(i));
    }
    return APR_SUCCESS;
}

static apr_status_t memory_open(void **ctx, const char *uri, const tmpl_store_opts_t *opts,
                                tmpl_error_t *err, apr_pool_t *pool)
{
    memory_t *memory = apr_pcalloc(pool, sizeof(*memory));
    (void)opts;
    if (strcmp(uri, tmpl_provider_memory.scheme) != 0) {
        return memory_check(uri, err, pool);
    }
    apr_status_t rv = apr_thread_rwlock_create(&memory->lock, pool);
    if (rv != APR_SUCCESS) {
        return tmpl_fail(err, rv, "%s: its lock cannot be created", uri);
    }
    apr_pool_create(&pool, pool); /* of the names, which the lock protects */
    memory->sites = apr_hash_make(pool);
    apr_pool_cleanup_register(pool, memory, memory_close, apr_pool_cleanup_null);
    *ctx = memory;
    return APR_SUCCESS;
}

const tmpl_provider_t tmpl_provider_memory = {
    .scheme = "memory:",
    .check = memory_check,
    .open = memory_open,
    .begin = memory_begin,
    .get = memory_get,
    .commit = memory_commit,
    .end = memory_end,
    .sites = memory_sites,
    .forget = memory_forget,
};
