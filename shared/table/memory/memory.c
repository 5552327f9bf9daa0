/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "memory:", a store in the memory of the process, for a run of tmplctl that names no other store.
 * Its content ends when it is closed. Users cannot name it. It is also the shortest example of a
 * store.
 */
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>
#include <apr_thread_rwlock.h>

#include "table/engine.h"

typedef struct site_t {
    struct site_t *next;
    tmpl_head_t head;
    tmpl_bucket_t *buckets; /* an array of room buckets; the bytes of each are from malloc */
    uint32_t room;
    size_t bytes; /* bytes of all buckets */
    char name[TMPL_SITE_MAX + 1];
} site_t;

typedef struct {
    apr_thread_rwlock_t *lock; /* a transaction holds it from begin to end */
    site_t *sites;
} memory_t;

static site_t **site_find(memory_t *memory, const char *name)
{
    site_t **at = &memory->sites;
    while (*at != NULL && strcmp((*at)->name, name) != 0) {
        at = &(*at)->next;
    }
    return at;
}

static void site_free(site_t *site)
{
    for (uint32_t i = 0; i < site->room; i++) {
        free((void *)site->buckets[i].bytes);
    }
    free(site->buckets);
    free(site);
}

/* ---- transactions ---- */

static apr_status_t begin(tmpl_txn_t *txn)
{
    memory_t *memory = txn->ctx;
    if (txn->write) {
        apr_thread_rwlock_wrlock(memory->lock);
    }
    else {
        apr_thread_rwlock_rdlock(memory->lock);
    }
    site_t *site = *site_find(memory, txn->site);
    txn->own = site;
    txn->found = site != NULL;
    if (site != NULL) {
        txn->head = site->head;
    }
    return APR_SUCCESS;
}

static apr_status_t get(tmpl_txn_t *txn, tmpl_numbered_t *buckets, uint32_t n)
{
    const site_t *site = txn->own;
    for (uint32_t i = 0; i < n; i++) {
        if (site != NULL && buckets[i].number < site->room) {
            buckets[i].is = site->buckets[buckets[i].number];
        }
    }
    return APR_SUCCESS;
}

/* Makes room for n buckets. Returns 0 if there is no memory. */
static int site_reserve(site_t *site, uint32_t n)
{
    uint32_t room = site->room > 0 ? site->room : 1;
    while (room < n) {
        room *= 2;
    }
    tmpl_bucket_t *buckets = realloc(site->buckets, room * sizeof(*buckets));
    if (buckets == NULL) {
        return 0;
    }
    memset(buckets + site->room, 0, (room - site->room) * sizeof(*buckets));
    site->buckets = buckets;
    site->room = room;
    return 1;
}

/* Replaces buckets by copies. Returns 0, and has changed nothing, if there is no memory. */
static int buckets_put(site_t *site, const tmpl_numbered_t *buckets, uint32_t n, apr_pool_t *pool)
{
    unsigned char **copies = apr_pcalloc(pool, (n + (apr_size_t)1) * sizeof(*copies));
    int good = 1;
    for (uint32_t i = 0; good && i < n; i++) {
        if (buckets[i].is.len > 0) {
            copies[i] = malloc(buckets[i].is.len);
            good = copies[i] != NULL;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        tmpl_bucket_t *bucket = &site->buckets[buckets[i].number];
        if (!good) {
            free(copies[i]);
            continue;
        }
        if (copies[i] != NULL) {
            memcpy(copies[i], buckets[i].is.bytes, buckets[i].is.len);
        }
        site->bytes += buckets[i].is.len - bucket->len;
        free((void *)bucket->bytes);
        *bucket = (tmpl_bucket_t){ copies[i], buckets[i].is.len };
    }
    return good;
}

static apr_status_t commit(tmpl_txn_t *txn, const tmpl_numbered_t *buckets, uint32_t n)
{
    site_t **at = site_find(txn->ctx, txn->site), *old = txn->found ? NULL : *at;
    site_t *site = txn->found ? *at : calloc(1, sizeof(*site));
    if (site == NULL ||
        !site_reserve(site, txn->head.n > site->head.n ? txn->head.n : site->head.n) ||
        !buckets_put(site, buckets, n, txn->pool)) {
        if (site != NULL && !txn->found) {
            site_free(site);
        }
        return tmpl_fail(txn->err, APR_ENOSPC, "no memory for site %s", txn->site);
    }
    site->head = txn->head;
    if (!txn->found) {
        apr_cpystrn(site->name, txn->site, sizeof(site->name));
        site->next = old != NULL ? old->next : NULL;
        *at = site;
    }
    if (old != NULL) {
        site_free(old);
    }
    return APR_SUCCESS;
}

static void end(tmpl_txn_t *txn)
{
    memory_t *memory = txn->ctx;
    apr_thread_rwlock_unlock(memory->lock);
}

static uint64_t size(tmpl_txn_t *txn)
{
    const site_t *site = txn->own;
    return site->bytes + site->room * sizeof(*site->buckets);
}

/* ---- sites ---- */

/* All sites are one part. */
static apr_status_t sites(void *ctx, const char *from, uint32_t n,
                          apr_status_t (*each)(void *baton, const char *site), void *baton,
                          const char **next, tmpl_error_t *err, apr_pool_t *pool)
{
    memory_t *memory = ctx;
    apr_status_t rv = APR_SUCCESS;
    (void)from;
    (void)n;
    (void)next;
    (void)pool;
    apr_thread_rwlock_rdlock(memory->lock);
    for (const site_t *site = memory->sites; rv == APR_SUCCESS && site != NULL; site = site->next) {
        rv = each(baton, site->name);
    }
    apr_thread_rwlock_unlock(memory->lock);
    return rv == APR_SUCCESS ? rv : tmpl_fail(err, rv, "listing the sites was broken off");
}

static apr_status_t forget(void *ctx, const char *name, tmpl_error_t *err, apr_pool_t *pool)
{
    memory_t *memory = ctx;
    (void)pool;
    apr_thread_rwlock_wrlock(memory->lock);
    site_t **at = site_find(memory, name), *site = *at;
    if (site != NULL) {
        *at = site->next;
        site_free(site);
    }
    apr_thread_rwlock_unlock(memory->lock);
    return site != NULL ? APR_SUCCESS
                        : tmpl_fail(err, APR_NOTFOUND, "the store does not know the site %s", name);
}

/* ---- opening ---- */

static apr_status_t check(const char *uri, tmpl_error_t *err, apr_pool_t *pool)
{
    (void)pool;
    return tmpl_fail(err, APR_EINVAL, "%s is of one process and does not last: name another", uri);
}

static apr_status_t store_close(void *data)
{
    memory_t *memory = data;
    while (memory->sites != NULL) {
        site_t *site = memory->sites;
        memory->sites = site->next;
        site_free(site);
    }
    return APR_SUCCESS;
}

static apr_status_t store_open(void **ctx, const char *uri, const tmpl_store_opts_t *opts,
                               tmpl_error_t *err, apr_pool_t *pool)
{
    memory_t *memory = apr_pcalloc(pool, sizeof(*memory));
    (void)opts;
    if (strcmp(uri, tmpl_provider_memory.scheme) != 0) {
        return check(uri, err, pool);
    }
    apr_status_t rv = apr_thread_rwlock_create(&memory->lock, pool);
    if (rv != APR_SUCCESS) {
        return tmpl_fail(err, rv, "%s: its lock cannot be created", uri);
    }
    apr_pool_cleanup_register(pool, memory, store_close, apr_pool_cleanup_null);
    *ctx = memory;
    return APR_SUCCESS;
}

const tmpl_provider_t tmpl_provider_memory = {
    .scheme = "memory:",
    .check = check,
    .open = store_open,
    .begin = begin,
    .get = get,
    .commit = commit,
    .end = end,
    .size = size,
    .sites = sites,
    .forget = forget,
};
