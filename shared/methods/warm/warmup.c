/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/warm/warmup.h"

#include <apr_hash.h>
#include <apr_strings.h>

#include "address/address.h"

/* --- how much of the shared text is template --- */

struct tmpl_overlap_t {
    const tmpl_page_t *key_page;
    apr_hash_t *keys;  /* the key page's keys, each with its element of seen */
    uint32_t *seen;    /* by key: number of pages that have it */
    unsigned char *on; /* [page * n_keys + key]: whether the page has the key */
    apr_hash_t *texts; /* hashes of the texts of the pages added */
    apr_pool_t *pool;
};

tmpl_overlap_t *tmpl_overlap_make(const tmpl_page_t *key_page, uint32_t most, apr_pool_t *pool)
{
    tmpl_overlap_t *overlap = apr_palloc(pool, sizeof(*overlap));
    *overlap = (tmpl_overlap_t){
        .key_page = key_page,
        .keys = apr_hash_make(pool),
        .seen = apr_palloc(pool, key_page->n_keys * sizeof(uint32_t)),
        .on = apr_pcalloc(pool, (apr_size_t)most * key_page->n_keys),
        .texts = apr_hash_make(pool),
        .pool = pool,
    };
    for (uint32_t k = 0; k < key_page->n_keys; k++) {
        overlap->seen[k] = 1;
        apr_hash_set(overlap->keys, &key_page->keys[k], sizeof(uint64_t), &overlap->seen[k]);
    }
    apr_hash_set(overlap->texts, &key_page->text, sizeof(uint64_t), "");
    return overlap;
}

int tmpl_overlap_add(tmpl_overlap_t *overlap, uint32_t i, const uint64_t *keys, uint32_t n_keys,
                     uint64_t text)
{
    if (apr_hash_get(overlap->texts, &text, sizeof(text)) != NULL) {
        return 0;
    }
    apr_hash_set(overlap->texts, apr_pmemdup(overlap->pool, &text, sizeof(text)), sizeof(text), "");
    for (uint32_t k = 0; k < n_keys; k++) {
        uint32_t *seen = apr_hash_get(overlap->keys, &keys[k], sizeof(uint64_t));
        if (seen != NULL) {
            (*seen)++;
            overlap->on[(apr_size_t)i * overlap->key_page->n_keys +
                        (apr_size_t)(seen - overlap->seen)] = 1;
        }
    }
    return 1;
}

/* Whether all n pages have key k. */
static int is_shared(const tmpl_overlap_t *overlap, const uint32_t *pages, uint32_t n, uint32_t k)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!overlap->on[(apr_size_t)pages[i] * overlap->key_page->n_keys + k]) {
            return 0;
        }
    }
    return 1;
}

double tmpl_overlap_settled(const tmpl_overlap_t *overlap, const uint32_t *pages, uint32_t n,
                            uint32_t min_df)
{
    const tmpl_page_t *page = overlap->key_page;
    double shared = 0;
    double settled = 0;
    for (uint32_t i = 0; i < page->n_segments; i++) {
        const tmpl_segment_t *segment = &page->segments[i];
        if (is_shared(overlap, pages, n, segment->key)) {
            shared += segment->length;
            settled += overlap->seen[segment->key] >= min_df ? segment->length : 0;
        }
    }
    if (apr_hash_count(overlap->texts) < min_df) {
        return 0;
    }
    return shared > 0 ? settled / shared : 1;
}

/* --- which page is next --- */

struct tmpl_warmup_t {
    const tmpl_warmup_opts_t *opts;
    apr_array_header_t *links; /* the key page's links, in the order of Algorithm 1 */
    apr_array_header_t *queue; /* tmpl_link_t: these links, then those of pages loaded */
    apr_hash_t *queued;        /* the ids of links in queue, and the key page's */
    int taken;                 /* links of queue that tmpl_warmup_next returned */
    int forbidden;
    tmpl_subdigraph_t *graph;
    tmpl_overlap_t *overlap;
    apr_pool_t *pool;
};

static int is_forbidden(const tmpl_warmup_t *warmup, const char *uri)
{
    return warmup->opts->robots != NULL && !tmpl_robots_allow(warmup->opts->robots, uri);
}

/*
 * Appends a link to the queue, unless the queue has it already or has opts->most links, or the link
 * is forbidden.
 */
static void enqueue(tmpl_warmup_t *warmup, const tmpl_link_t *link)
{
    if (warmup->queue->nelts + 1 >= (int)warmup->opts->most ||
        apr_hash_get(warmup->queued, link->id, APR_HASH_KEY_STRING) != NULL ||
        is_forbidden(warmup, link->uri)) {
        return;
    }
    tmpl_link_t *copy = apr_array_push(warmup->queue);
    copy->uri = apr_pstrdup(warmup->pool, link->uri);
    copy->id = apr_pstrdup(warmup->pool, link->id);
    copy->node = link->node;
    apr_hash_set(warmup->queued, copy->id, APR_HASH_KEY_STRING, "");
}

/* The key page's links that may be followed. */
static apr_array_header_t *allowed_links(tmpl_warmup_t *warmup, const tmpl_page_t *page,
                                         const tmpl_address_t *address)
{
    apr_array_header_t *links = tmpl_links(page, address, warmup->pool);
    int n = 0;
    for (int i = 0; i < links->nelts; i++) {
        tmpl_link_t link = APR_ARRAY_IDX(links, i, tmpl_link_t);
        if (!is_forbidden(warmup, link.uri)) {
            APR_ARRAY_IDX(links, n++, tmpl_link_t) = link;
        }
    }
    warmup->forbidden = links->nelts - n;
    links->nelts = n;
    tmpl_links_order(links, page, address->uri, (int)warmup->opts->most - 1, warmup->pool);
    return links;
}

tmpl_warmup_t *tmpl_warmup_begin(const tmpl_page_t *key_page, const tmpl_address_t *address,
                                 const tmpl_warmup_opts_t *opts, apr_pool_t *pool)
{
    tmpl_warmup_t *warmup = apr_pcalloc(pool, sizeof(*warmup));
    warmup->opts = opts;
    warmup->pool = pool;
    warmup->links = allowed_links(warmup, key_page, address);
    warmup->queue = apr_array_make(pool, (int)opts->most, sizeof(tmpl_link_t));
    warmup->queued = apr_hash_make(pool);
    apr_hash_set(warmup->queued, tmpl_uri_identity(address->uri, pool), APR_HASH_KEY_STRING, "");
    for (int i = 0; i < warmup->links->nelts; i++) {
        enqueue(warmup, &APR_ARRAY_IDX(warmup->links, i, tmpl_link_t));
    }
    warmup->graph = tmpl_subdigraph_make(warmup->links, opts->size, pool);
    warmup->overlap = tmpl_overlap_make(key_page, opts->most, pool);
    return warmup;
}

/*
 * Whether Algorithm 2 has ended, because it found a subdigraph or has no more links, and the
 * template of the subdigraph is known.
 */
static int is_done(const tmpl_warmup_t *warmup)
{
    uint32_t n;
    const uint32_t *best = tmpl_subdigraph_best(warmup->graph, &n);
    if (n < warmup->opts->size && warmup->taken < warmup->links->nelts) {
        return 0;
    }
    return tmpl_overlap_settled(warmup->overlap, best, n, warmup->opts->min_df) >=
           TMPL_WARMUP_SETTLED;
}

const char *tmpl_warmup_next(tmpl_warmup_t *warmup)
{
    if (warmup->taken == warmup->queue->nelts || is_done(warmup)) {
        return NULL;
    }
    return APR_ARRAY_IDX(warmup->queue, warmup->taken++, tmpl_link_t).uri;
}

void tmpl_warmup_add(tmpl_warmup_t *warmup, const apr_array_header_t *links, const uint64_t *keys,
                     uint32_t n_keys, uint64_t text)
{
    uint32_t i = (uint32_t)warmup->taken - 1;
    if (!tmpl_overlap_add(warmup->overlap, i, keys, n_keys, text)) {
        return; /* the same document under another address */
    }
    if ((int)i < warmup->links->nelts) {
        tmpl_subdigraph_add(warmup->graph, i, links);
    }
    for (int k = 0; k < links->nelts; k++) {
        enqueue(warmup, &APR_ARRAY_IDX(links, k, tmpl_link_t));
    }
}

apr_array_header_t *tmpl_warmup_found(const tmpl_warmup_t *warmup, apr_pool_t *pool)
{
    uint32_t n;
    const uint32_t *best = tmpl_subdigraph_best(warmup->graph, &n);
    apr_array_header_t *found = apr_array_make(pool, (int)n, sizeof(const char *));
    for (uint32_t i = 0; i < n; i++) {
        APR_ARRAY_PUSH(found, const char *) =
            APR_ARRAY_IDX(warmup->links, (int)best[i], tmpl_link_t).uri;
    }
    return found;
}

int tmpl_warmup_forbidden(const tmpl_warmup_t *warmup)
{
    return warmup->forbidden;
}
