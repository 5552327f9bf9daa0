/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oracle_corpus [-v] < LIST: compares tree and edits, with random verdicts, of every file named on
 * standard input with Gumbo's. Prints pages, trees that differ, edits, divergences and declines by
 * reason. Exit status 1 if a tree differs, an edit changed more of a page's tree than it should, or
 * more than 2% of the pages were declined.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>

#include "bench/lib/read_file.h"
#include "oracle.h"

typedef struct {
    unsigned long pages;
    unsigned long trees;
    unsigned long edits;
    unsigned long divergences;
    unsigned long declines[TMPL_DECLINE_COUNT];
} totals_t;

static void judge_page(totals_t *totals, const char *path, int verbose, uint64_t *seed,
                       apr_pool_t *pool)
{
    static const unsigned shares[] = { 100, 85, 50, 20 };
    const tmpl_page_t *page;
    apr_size_t len;
    tmpl_page_opts_t opts = { 0 };
    const char *bytes = need_file(&len, path, pool);
    totals->pages++;
    tmpl_decline_e decline = tmpl_page_parse(&page, bytes, len, &opts, pool);
    totals->declines[decline]++;
    if (decline != TMPL_DECLINE_NONE) {
        return;
    }
    const char *astray = oracle_tree(bytes, len, pool);
    if (astray != NULL) {
        totals->trees++;
        printf("%s: the tree differs from here on: %.60s\n", path, astray);
    }
    tmpl_verdict_t *verdicts = apr_pcalloc(pool, page->n_blocks * sizeof(*verdicts));
    for (unsigned i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        oracle_result_t result;
        oracle_draw(verdicts, page, shares[i], seed);
        oracle_judge(&result, page, verdicts, pool);
        totals->edits += result.cuts;
        if (result.what != NULL) {
            totals->divergences++;
            printf("%s: %s diverges\n", path, result.what);
            if (verbose) {
                printf("--- expected\n%s\n--- found\n%s\n---\n", result.expected, result.found);
            }
            free(result.expected);
            free(result.found);
            return;
        }
    }
}

int main(int argc, char **argv)
{
    int verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    uint64_t seed = 88172645463325252u;
    totals_t totals = { 0 };
    char path[4096];
    apr_pool_t *pool;
    apr_initialize();
    while (fgets(path, sizeof(path), stdin) != NULL) {
        path[strcspn(path, "\n")] = '\0';
        apr_pool_create(&pool, NULL);
        judge_page(&totals, path, verbose, &seed, pool);
        apr_pool_destroy(pool);
    }
    printf("pages %lu, other trees %lu, edits %lu, divergences %lu\n", totals.pages, totals.trees,
           totals.edits, totals.divergences);
    for (unsigned i = 0; i < TMPL_DECLINE_COUNT; i++) {
        if (totals.declines[i] > 0) {
            printf("%8lu %s\n", totals.declines[i],
                   i == 0 ? "not declined" : tmpl_decline_name((tmpl_decline_e)i));
        }
    }
    unsigned long declined = totals.pages - totals.declines[TMPL_DECLINE_NONE];
    return totals.trees > 0 || totals.divergences > 0 || declined * 50 > totals.pages;
}
