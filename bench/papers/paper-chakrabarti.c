/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/papers/paper-chakrabarti MODEL... < LIST (of bench/papers/paper-sites)
 *
 * Chakrabarti, Kumar and Punera (WWW 2007): F-measure of the template class, raw and smoothed, on
 * text, on anchor text and on links, with page-level detection. Site i is judged by model i mod n
 * of the n models: the caller can train that model without the site.
 */
#include <string.h>

#include <apr_general.h>

#include "methods/pagelevel.h"
#include "paper-items.h"

static const char *const items[PAPER_ITEMS] = { "text", "anchor text", "links" };

static const char *const smoothings[] = {
    [TMPL_SMOOTHING_OFF] = "off", [TMPL_SMOOTHING_MAX] = "max", [TMPL_SMOOTHING_MIN] = "min"
};

#define SMOOTHINGS  3
#define MODELS_MOST 50

typedef struct {
    int sites;
    double f[SMOOTHINGS][PAPER_ITEMS];              /* sums over sites */
    paper_counts_t counts[SMOOTHINGS][PAPER_ITEMS]; /* sums over all pages */
} table_t;

static void one_site(table_t *table, const paper_site_t *site, const tmpl_model_t *model,
                     apr_pool_t *pool)
{
    for (int smoothing = 0; smoothing < SMOOTHINGS; smoothing++) {
        paper_counts_t counts[PAPER_ITEMS] = { { 0 } };
        for (int i = 0; i < site->pages->nelts; i++) {
            const paper_page_t *page = &APR_ARRAY_IDX(site->pages, i, paper_page_t);
            tmpl_verdict_t *verdicts = apr_pcalloc(pool, page->page->n_blocks * sizeof(*verdicts));
            tmpl_detect_pagelevel(verdicts, page->page, model, smoothing, -1, pool);
            paper_counts_add(counts, page, verdicts, pool);
            paper_counts_add(table->counts[smoothing], page, verdicts, pool);
        }
        for (int item = 0; item < PAPER_ITEMS; item++) {
            table->f[smoothing][item] += paper_f(&counts[item]);
        }
    }
    table->sites++;
}

static void print_table(const table_t *table)
{
    printf("%-12s %24s %27s\n%-12s", "", "a mean over sites", "all pages as one", "F");
    for (int k = 0; k < 2 * SMOOTHINGS; k++) {
        printf("%s%9s", k == SMOOTHINGS ? "  " : "", smoothings[k % SMOOTHINGS]);
    }
    for (int item = 0; item < PAPER_ITEMS; item++) {
        printf("\n%-12s", items[item]);
        for (int smoothing = 0; smoothing < SMOOTHINGS; smoothing++) {
            printf("%9.3f", table->f[smoothing][item] / table->sites);
        }
        printf("  ");
        for (int smoothing = 0; smoothing < SMOOTHINGS; smoothing++) {
            printf("%9.3f", paper_f(&table->counts[smoothing][item]));
        }
    }
    printf("\n%d sites\n", table->sites);
}

int main(int argc, char **argv)
{
    apr_pool_t *pool;
    apr_pool_t *scratch;
    tmpl_models_t models[MODELS_MOST] = { 0 };
    const char *detector;
    tmpl_error_t err;
    table_t table = { 0 };
    if (argc < 2 || argc > MODELS_MOST) {
        paper_die("usage", "paper-chakrabarti MODEL... < LIST");
    }
    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_pool_create(&scratch, pool);
    for (int i = 1; i < argc; i++) {
        if (tmpl_models_load(&models[i - 1], &detector, argv[i], &err, pool) != APR_SUCCESS ||
            models[i - 1].pagelevel == NULL) {
            paper_die(argv[i], "no model of pagelevel");
        }
    }
    for (;;) {
        apr_pool_clear(scratch);
        const paper_site_t *site = paper_site_next(stdin, &tmpl_separators_pagelevel, scratch);
        if (site == NULL) {
            break;
        }
        one_site(&table, site, models[table.sites % (argc - 1)].pagelevel, scratch);
    }
    if (table.sites == 0) {
        paper_die("paper-chakrabarti", "the list names no site");
    }
    print_table(&table);
    return 0;
}
