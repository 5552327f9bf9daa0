/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status_sites URI N: learns one small page of each of N sites, s000000 and so on, for
 * bench/speed/status. The store may have N sites, which is more than its default.
 */
#include <stdio.h>
#include <stdlib.h>

#include <apr_general.h>
#include <apr_strings.h>

#include "clean.h"

static void learn(tmpl_store_t *store, uint32_t first, uint32_t n, apr_pool_t *pool)
{
    static const tmpl_key_t keys[] = { { 1, TMPL_KIND_SEGMENT }, { 2, TMPL_KIND_SEGMENT } };
    static const tmpl_share_t shares[] = { { 0, 40 }, { 1, 40 } };
    static const tmpl_document_t document = { 1, 1 };
    tmpl_observation_t pages[TMPL_BATCH_MOST];
    const tmpl_observation_t *list[TMPL_BATCH_MOST];
    tmpl_error_t err;

    for (uint32_t i = 0; i < n; i++) {
        pages[i] = (tmpl_observation_t){ .site = apr_psprintf(pool, "s%06u", first + i),
                                         .document = &document,
                                         .keys = keys,
                                         .n = 2,
                                         .shares = shares,
                                         .n_shares = 2,
                                         .policy = &tmpl_clean_opts_default.policy };
        list[i] = &pages[i];
    }
    if (tmpl_store_learn(store, list, n, apr_time_from_sec(60), NULL, &err, pool) != APR_SUCCESS) {
        fprintf(stderr, "status_sites: %s\n", err.text);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    tmpl_store_opts_t opts = tmpl_store_opts_default;
    apr_pool_t *pool, *scratch;
    tmpl_store_t *store;
    tmpl_error_t err;

    if (argc != 3) {
        fprintf(stderr, "usage: status_sites URI N\n");
        return 2;
    }
    uint32_t all = (uint32_t)strtoul(argv[2], NULL, 10);
    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_pool_create(&scratch, pool);
    opts.max_sites = all + 1;
    if (tmpl_store_open(&store, argv[1], &opts, &err, pool) != APR_SUCCESS) {
        fprintf(stderr, "status_sites: %s\n", err.text);
        return 1;
    }
    for (uint32_t i = 0; i < all; i += TMPL_BATCH_MOST) {
        apr_pool_clear(scratch);
        learn(store, i, all - i < TMPL_BATCH_MOST ? all - i : TMPL_BATCH_MOST, scratch);
    }
    apr_pool_destroy(pool);
    return 0;
}
