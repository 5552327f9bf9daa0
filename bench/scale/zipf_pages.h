/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Made-up pages of many sites, with the sizes of real pages. Sites are drawn by Zipf's law: site k
 * of n has the share (1 / k) / (1 + 1/2 + ... + 1/n) of the pages. With a shift s, site k + s takes
 * the place of site k.
 *
 * All pages of a site have the shape of one real page: its keys, shares and blocks, with other
 * hashes. The rates say how many segments are the same on all pages of the site, how many are drawn
 * from RECURRING texts, and how many are new; and how many layout paths are the same on all pages,
 * and how many are new.
 *
 * One page in new_in is a new document of its site. The others are documents that the site has
 * already, drawn by Zipf's law of their age.
 */
#ifndef BENCH_ZIPF_PAGES_H
#define BENCH_ZIPF_PAGES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <apr_tables.h>
#include <xxhash.h>

#include "measure.h"
#include "table/store.h"

#define RECURRING 16 /* texts for a place: 40 / RECURRING of 40 pages have each, DF 2 to 3 */

/* The keys of a page of a known site: shares of its segments and of its layout paths. */
typedef struct {
    double template, recurring; /* of segments; the others are new */
    double known_path;          /* of layout paths; the others are new */
} rates_t;

typedef struct {
    const apr_array_header_t *shapes; /* array of tmpl_observation_t * */
    rates_t rates;
    uint32_t n_sites, shift, new_in;
    double *until; /* for each site, the sum of its share of the pages and of all shares before */
    uint32_t *documents; /* number of each site's documents, in memory that all processes share */
    uint64_t state;
} zipf_t;

/* A page; the next page made in the same zipf_page_t reuses its memory. */
typedef struct {
    char site[32];
    tmpl_key_t *keys;
    uint32_t room; /* keys has space for so many */
    tmpl_document_t document;
    tmpl_observation_t observation;
} zipf_page_t;

static inline uint64_t zipf_hash(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t all[3] = { a, b, c };
    return XXH3_64bits(all, sizeof(all));
}

/* A number from 0 to 1. */
static inline double zipf_unit(uint64_t hash)
{
    return (double)(hash >> 11) / 9007199254740992.0; /* 2^53 */
}

static inline double *zipf_shares(uint32_t n_sites, apr_pool_t *pool)
{
    double *until = apr_palloc(pool, n_sites * sizeof(*until));
    double sum = 0;
    for (uint32_t k = 0; k < n_sites; k++) {
        sum += 1.0 / (k + 1);
        until[k] = sum;
    }
    for (uint32_t k = 0; k < n_sites; k++) {
        until[k] /= sum;
    }
    return until;
}

/* Draws the number of a site, from 0; without a shift site 0 is drawn most often. */
static inline uint32_t zipf_draw(zipf_t *zipf)
{
    double u = zipf_unit(zipf_hash(zipf->state++, 1, 0));
    uint32_t low = 0, high = zipf->n_sites - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (zipf->until[middle] < u) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }
    return (low + zipf->shift) % zipf->n_sites;
}

/* Draws the document of the next page. A document of age a, from 1 on, has a share of 1 / a. */
static inline uint64_t zipf_document(const zipf_t *zipf, uint32_t site)
{
    uint32_t *n = &zipf->documents[site];
    uint32_t last = __atomic_load_n(n, __ATOMIC_RELAXED);
    if (last == 0 || zipf_hash(zipf->state, 10, 0) % zipf->new_in == 0) {
        return __atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
    }
    return last - (uint32_t)pow(last, zipf_unit(zipf_hash(zipf->state, 11, 0)));
}

static inline void zipf_name(char name[32], uint32_t site)
{
    snprintf(name, 32, "site-%u.example", site);
}

/* The hash of key number i of a page. */
static inline uint64_t zipf_key(const zipf_t *zipf, uint32_t site, uint64_t page, uint32_t i,
                                tmpl_kind_e kind)
{
    double u = zipf_unit(zipf_hash(site, i, 2));
    if (kind == TMPL_KIND_PATH) {
        return zipf_hash(site, i, u < zipf->rates.known_path ? 3 : page);
    }
    if (u < zipf->rates.template) {
        return zipf_hash(site, i, 3);
    }
    return u < zipf->rates.template + zipf->rates.recurring
               ? zipf_hash(site, i, 4 + zipf_hash(page, i, 5) % RECURRING)
               : zipf_hash(site, i, page);
}

/* Makes the next page. */
static inline void zipf_make(zipf_page_t *made, zipf_t *zipf, const tmpl_policy_t *policy)
{
    uint32_t site = zipf_draw(zipf);
    const tmpl_observation_t *shape =
        APR_ARRAY_IDX(zipf->shapes, (int)(zipf_hash(site, 6, 0) % (uint64_t)zipf->shapes->nelts),
                      const tmpl_observation_t *);
    uint64_t page = zipf_hash(zipf_document(zipf, site), site, 7) | 1 << 8;
    if (made->room < shape->n) {
        made->room = shape->n;
        made->keys = realloc(made->keys, made->room * sizeof(*made->keys));
        if (made->keys == NULL) {
            perror("zipf_make");
            exit(2);
        }
    }
    for (uint32_t i = 0; i < shape->n; i++) {
        tmpl_kind_e kind = shape->keys[i].kind;
        made->keys[i] = (tmpl_key_t){ zipf_key(zipf, site, page, i, kind) & TMPL_HASH_MASK, kind };
    }
    zipf_name(made->site, site);
    made->document = (tmpl_document_t){ page, zipf_hash(page, 8, 0) };
    made->observation = *shape;
    made->observation.site = made->site;
    made->observation.document = &made->document;
    made->observation.keys = made->keys;
    made->observation.policy = policy;
}

#endif
