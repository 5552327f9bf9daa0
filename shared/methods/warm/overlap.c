/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/warm/overlap.h"

#include <apr_hash.h>
#include <apr_strings.h>

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
