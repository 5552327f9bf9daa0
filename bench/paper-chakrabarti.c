/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/paper-chakrabarti MODEL... < LIST (of bench/paper-sites)
 *
 * Chakrabarti, Kumar and Punera (WWW 2007): F-measure of the template class, raw and smoothed, on text, on
 * anchor text and on links, by page-level detection alone. Site number i is judged by model i mod n of the n
 * that are given, so that each can have been trained without it. Text is counted in bytes, links each as
 * one: a link is what most of its text is.
 */
#include <string.h>

#include <apr_general.h>

#include "detect/pagelevel.h"
#include "paper-pages.h"

enum { TEXT, ANCHOR_TEXT, LINKS, ITEMS };

static const char *const items[ITEMS] = { "text", "anchor text", "links" };

static const char *const smoothings[] = {
    [TMPL_SMOOTHING_OFF] = "off", [TMPL_SMOOTHING_MAX] = "max", [TMPL_SMOOTHING_MIN] = "min"
};

#define SMOOTHINGS  3
#define MODELS_MOST 50

/* Of what was called template, and of what is. */
typedef struct {
    double found, called, template;
} counts_t;

static double f_of(const counts_t *counts)
{
    return counts->called + counts->template > 0
               ? 2 * counts->found / (counts->called + counts->template)
               : 1;
}

static void count(counts_t *counts, double weight, int called, int template)
{
    counts->called += called ? weight : 0;
    counts->template += template ? weight : 0;
    counts->found += called && template ? weight : 0;
}

/* The innermost link around each node, or itself; 0 for none, since the root is no link. */
static uint32_t *find_links(const tmpl_page_t *page, apr_pool_t *pool)
{
    uint32_t *links = apr_pcalloc(pool, page->n_nodes * sizeof(*links));
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        links[i] = page->nodes[i].tag == TMPL_TAG_A ? i : links[page->nodes[i].parent];
    }
    return links;
}

/* Text of a link, by label, and of it what was called template. */
typedef struct {
    double template, content, called;
} link_t;

static void count_page(counts_t counts[ITEMS], const paper_page_t *page,
                       const tmpl_verdict_t *verdicts, apr_pool_t *pool)
{
    const tmpl_page_t *p = page->page;
    uint32_t *links = find_links(p, pool);
    link_t *sums = apr_pcalloc(pool, p->n_nodes * sizeof(*sums));
    for (uint32_t s = 0; s < p->n_segments; s++) {
        const tmpl_segment_t *segment = &p->segments[s];
        int called = verdicts[segment->block].template != 0;
        int is_template = page->labels[s] == 'T';
        link_t *link = &sums[links[segment->node]];
        if (page->labels[s] == ' ') {
            continue;
        }
        count(&counts[TEXT], segment->length, called, is_template);
        if (links[segment->node] != 0) {
            count(&counts[ANCHOR_TEXT], segment->length, called, is_template);
            link->template += is_template ? segment->length : 0;
            link->content += is_template ? 0 : segment->length;
            link->called += called ? segment->length : 0;
        }
    }
    for (uint32_t i = 1; i < p->n_nodes; i++) {
        double all = sums[i].template + sums[i].content;
        if (all > 0) {
            count(&counts[LINKS], 1, 2 * sums[i].called > all, 2 * sums[i].template > all);
        }
    }
}

typedef struct {
    int sites;
    double f[SMOOTHINGS][ITEMS];        /* sums over sites */
    counts_t counts[SMOOTHINGS][ITEMS]; /* of all pages */
} table_t;

static void one_site(table_t *table, const paper_site_t *site, const tmpl_model_t *model,
                     apr_pool_t *pool)
{
    for (int smoothing = 0; smoothing < SMOOTHINGS; smoothing++) {
        counts_t counts[ITEMS] = { { 0 } };
        for (int i = 0; i < site->pages->nelts; i++) {
            const paper_page_t *page = &APR_ARRAY_IDX(site->pages, i, paper_page_t);
            tmpl_verdict_t *verdicts = apr_pcalloc(pool, page->page->n_blocks * sizeof(*verdicts));
            tmpl_detect_pagelevel(verdicts, page->page, model, smoothing, -1, pool);
            count_page(counts, page, verdicts, pool);
            count_page(table->counts[smoothing], page, verdicts, pool);
        }
        for (int item = 0; item < ITEMS; item++) {
            table->f[smoothing][item] += f_of(&counts[item]);
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
    for (int item = 0; item < ITEMS; item++) {
        printf("\n%-12s", items[item]);
        for (int smoothing = 0; smoothing < SMOOTHINGS; smoothing++) {
            printf("%9.3f", table->f[smoothing][item] / table->sites);
        }
        printf("  ");
        for (int smoothing = 0; smoothing < SMOOTHINGS; smoothing++) {
            printf("%9.3f", f_of(&table->counts[smoothing][item]));
        }
    }
    printf("\n%d sites\n", table->sites);
}

int main(int argc, char **argv)
{
    apr_pool_t *pool;
    apr_pool_t *scratch;
    tmpl_model_t *models[MODELS_MOST];
    tmpl_error_t err;
    table_t table = { 0 };
    if (argc < 2 || argc > MODELS_MOST) {
        paper_die("usage", "paper-chakrabarti MODEL... < LIST");
    }
    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_pool_create(&scratch, pool);
    for (int i = 1; i < argc; i++) {
        if (tmpl_model_load(&models[i - 1], argv[i], &err, pool) != APR_SUCCESS) {
            paper_die(argv[i], err.text);
        }
    }
    for (;;) {
        apr_pool_clear(scratch);
        const paper_site_t *site = paper_site_next(stdin, &tmpl_separators_pagelevel, scratch);
        if (site == NULL) {
            break;
        }
        one_site(&table, site, models[table.sites % (argc - 1)], scratch);
    }
    if (table.sites == 0) {
        paper_die("paper-chakrabarti", "the list names no site");
    }
    print_table(&table);
    return 0;
}
