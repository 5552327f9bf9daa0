/* SPDX-License-Identifier: Apache-2.0 */
/* Sites and their pages, as bench/papers/paper-sites lists them. */
#ifndef BENCH_SITE_LIST_H
#define BENCH_SITE_LIST_H

#include <stdio.h>
#include <string.h>

#include <apr_strings.h>
#include <apr_tables.h>

typedef struct {
    const char *key;
    apr_array_header_t *paths; /* of const char *, in the order in which pages are seen */
} listed_site_t;

/* The sites of the list on standard input: an array of listed_site_t, all from pool. */
static inline apr_array_header_t *site_list_read(apr_pool_t *pool)
{
    apr_array_header_t *sites = apr_array_make(pool, 64, sizeof(listed_site_t));
    char line[4096];
    while (fgets(line, sizeof(line), stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "= ", 2) == 0) {
            APR_ARRAY_PUSH(sites, listed_site_t) =
                (listed_site_t){ apr_pstrdup(pool, line + 2),
                                 apr_array_make(pool, 80, sizeof(const char *)) };
        }
        else if (sites->nelts > 0) {
            apr_array_header_t *paths = APR_ARRAY_IDX(sites, sites->nelts - 1, listed_site_t).paths;
            APR_ARRAY_PUSH(paths, const char *) = apr_pstrdup(pool, line);
        }
    }
    return sites;
}

#endif
