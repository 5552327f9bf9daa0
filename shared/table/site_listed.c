/* SPDX-License-Identifier: Apache-2.0 */
#include "table/listed.h"

#include <stdlib.h>
#include <string.h>

#include "table/engine.h"

#define HEAD_NUMBER (TMPL_LISTED + TMPL_LISTED_SHARDS)

/*
 * Reads the head of the list, and n shards, whose numbers are set; buckets has room for one more.
 * APR_NOTFOUND: the store does not know the site.
 */
static apr_status_t shards_read(tmpl_work_t *w, tmpl_numbered_t *buckets, uint32_t n,
                                tmpl_listed_head_t *head)
{
    buckets[n] = (tmpl_numbered_t){ .number = HEAD_NUMBER };
    apr_status_t rv = w->provider->get(w->txn, buckets, n + 1);
    if (rv == APR_SUCCESS && !w->txn->found) {
        return tmpl_fail(w->txn->err, APR_NOTFOUND, "the store does not know the site %s",
                         w->txn->site);
    }
    *head = rv == APR_SUCCESS ? tmpl_listed_head_unpack(&buckets[n].is) : (tmpl_listed_head_t){ 0 };
    return rv;
}

static apr_status_t txn_find(tmpl_work_t *w, const char *address, uint32_t text,
                             tmpl_listed_t *found)
{
    size_t len = strlen(address);
    tmpl_numbered_t buckets[2] = { { .number = TMPL_LISTED + tmpl_listed_shard(address, len) } };
    tmpl_listed_head_t head;
    apr_status_t rv = shards_read(w, buckets, 1, &head);
    if (rv == APR_SUCCESS && !tmpl_listed_find(found, &buckets[0].is, address, len, text)) {
        *found = (tmpl_listed_t){ 0 }; /* it was another document of the shard */
        rv = tmpl_fail(w->txn->err, APR_NOTFOUND, "%s is not listed", address);
    }
    found->address = found->title = NULL; /* they end with the transaction */
    return rv;
}

apr_status_t tmpl_site_list_find(const tmpl_engine_t *store, const char *site, const char *address,
                                 uint32_t text, apr_interval_time_t timeout, tmpl_listed_t *found,
                                 tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_txn_t txn = { .site = site, .deadline = tmpl_clock() + timeout, .err = err };
    tmpl_work_t w;
    *found = (tmpl_listed_t){ 0 };
    apr_status_t rv = tmpl_work_begin(&w, store, &txn, pool);
    return rv == APR_SUCCESS ? tmpl_work_end(&w, txn_find(&w, address, text, found)) : rv;
}

/* ---- writing ---- */

static int by_number(const void *a, const void *b)
{
    uint32_t x = ((const tmpl_numbered_t *)a)->number, y = ((const tmpl_numbered_t *)b)->number;
    return (x > y) - (x < y);
}

/* The number of the shard of a page's sighting. */
static uint32_t shard_of_page(const tmpl_observation_t *page)
{
    const tmpl_listed_t *of = &page->sighting->of;
    return TMPL_LISTED + tmpl_listed_shard(of->address, of->address_len);
}

/*
 * Lists the shards of some pages, each once, in buckets, which has room for a shard of each page.
 */
static uint32_t shards_of(tmpl_numbered_t *buckets, const tmpl_observation_t *const *pages,
                          uint32_t n)
{
    uint32_t n_buckets = 0, kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (pages[i]->sighting != NULL) {
            buckets[n_buckets++] = (tmpl_numbered_t){ .number = shard_of_page(pages[i]) };
        }
    }
    qsort(buckets, n_buckets, sizeof(*buckets), by_number);
    for (uint32_t i = 0; i < n_buckets; i++) {
        if (i == 0 || buckets[i].number != buckets[kept - 1].number) {
            buckets[kept++] = buckets[i];
        }
    }
    return kept;
}

/* Commits n shards and the head, behind which it is. */
static apr_status_t shards_write(tmpl_work_t *w, tmpl_numbered_t *buckets, uint32_t n,
                                 const tmpl_listed_head_t *head)
{
    unsigned char *bytes = apr_palloc(w->pool, TMPL_LISTED_HEAD_SIZE);
    tmpl_listed_head_pack(bytes, head);
    buckets[n].is = (tmpl_bucket_t){ bytes, TMPL_LISTED_HEAD_SIZE };
    return w->provider->commit(w->txn, buckets, n + 1);
}

/* Pages that show documents. */
typedef struct {
    const tmpl_observation_t *const *pages;
    uint32_t n;
} sightings_t;

static apr_status_t txn_apply(tmpl_work_t *w, void *to)
{
    const tmpl_observation_t *const *pages = ((const sightings_t *)to)->pages;
    uint32_t n = ((const sightings_t *)to)->n;
    tmpl_numbered_t *buckets = apr_pcalloc(w->pool, (n + (apr_size_t)1) * sizeof(*buckets));
    uint32_t n_buckets = shards_of(buckets, pages, n);
    tmpl_listed_head_t head;
    int changed = 0;
    apr_status_t rv = n_buckets > 0 ? shards_read(w, buckets, n_buckets, &head) : APR_NOTFOUND;
    for (uint32_t i = 0; rv == APR_SUCCESS && i < n; i++) {
        if (pages[i]->sighting != NULL) {
            tmpl_numbered_t key = { .number = shard_of_page(pages[i]) };
            tmpl_numbered_t *shard = bsearch(&key, buckets, n_buckets, sizeof(key), by_number);
            changed |= tmpl_listed_apply(&shard->is, &head, pages[i]->sighting, w->pool);
        }
    }
    if (rv != APR_SUCCESS || !changed) {
        return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
    }
    return shards_write(w, buckets, n_buckets, &head);
}

apr_status_t tmpl_site_list_apply(const tmpl_engine_t *store,
                                  const tmpl_observation_t *const *pages, uint32_t n,
                                  apr_time_t deadline, tmpl_error_t *err, apr_pool_t *pool)
{
    sightings_t to = { pages, n };
    return tmpl_engine_change(store, pages[0]->site, deadline, txn_apply, &to, err, pool);
}

/* ---- whole lists ---- */

static apr_status_t txn_read(tmpl_work_t *w, uint32_t first, uint32_t n, tmpl_listed_head_t *head,
                             tmpl_each_listed_t each, void *baton)
{
    tmpl_numbered_t *buckets = apr_pcalloc(w->pool, (n + (apr_size_t)1) * sizeof(*buckets));
    tmpl_listed_t listed;
    for (uint32_t i = 0; i < n; i++) {
        buckets[i].number = TMPL_LISTED + first + i;
    }
    apr_status_t rv = shards_read(w, buckets, n, head);
    for (uint32_t i = 0; i < n && rv == APR_SUCCESS; i++) {
        size_t at = 0;
        while (rv == APR_SUCCESS && tmpl_listed_next(&listed, &buckets[i].is, &at)) {
            rv = each(baton, &listed);
        }
    }
    return rv;
}

apr_status_t tmpl_site_list_read(const tmpl_engine_t *store, const char *site, uint32_t first,
                                 uint32_t n, tmpl_listed_head_t *head, tmpl_each_listed_t each,
                                 void *baton, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_txn_t txn = { .site = site, .deadline = tmpl_clock() + store->patience, .err = err };
    tmpl_work_t w;
    uint32_t left = first < TMPL_LISTED_SHARDS ? TMPL_LISTED_SHARDS - first : 0;
    *head = (tmpl_listed_head_t){ 0 };
    apr_status_t rv = tmpl_work_begin(&w, store, &txn, pool);
    return rv == APR_SUCCESS
               ? tmpl_work_end(&w, txn_read(&w, first, n < left ? n : left, head, each, baton))
               : rv;
}

/* The content of an import. */
typedef struct {
    tmpl_listed_head_t head;
    const tmpl_listed_t *listed;
    uint32_t n;
} list_content_t;

static apr_status_t txn_import(tmpl_work_t *w, void *to)
{
    const list_content_t *import = to;
    tmpl_listed_head_t head = import->head;
    tmpl_numbered_t *buckets = apr_pcalloc(w->pool, TMPL_LISTED_BUCKETS * sizeof(*buckets));
    tmpl_listed_head_t former;
    apr_status_t rv = shards_read(w, buckets, 0, &former);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    head.n = 0;
    for (uint32_t i = 0; i < TMPL_LISTED_BUCKETS; i++) {
        buckets[i] = (tmpl_numbered_t){ .number = TMPL_LISTED + i };
    }
    for (uint32_t i = 0; i < import->n; i++) {
        const tmpl_listed_t *listed = &import->listed[i];
        uint32_t shard = tmpl_listed_shard(listed->address, listed->address_len);
        head.n += (uint32_t)tmpl_listed_add(&buckets[shard].is, listed, w->pool);
    }
    return shards_write(w, buckets, TMPL_LISTED_SHARDS, &head);
}

apr_status_t tmpl_site_list_import(const tmpl_engine_t *store, const char *site,
                                   const tmpl_listed_head_t *head, const tmpl_listed_t *listed,
                                   uint32_t n, tmpl_error_t *err, apr_pool_t *pool)
{
    list_content_t import = { *head, listed, n };
    return tmpl_engine_change(store, site, tmpl_clock() + store->patience, txn_import, &import, err,
                              pool);
}
