/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/papers/paper-chen STORE MODEL < LIST (of bench/papers/paper-sites)
 *
 * Chen, Ye and Li (SAC 2006), Tables 3 and 4: the share of template blocks that each method finds,
 * as a mean over a site's pages, and its time; all methods in one run. Also the share of content
 * blocks that a method calls template, which the paper does not print, and keys and bytes of the
 * table.
 */
#include <apr_general.h>
#include <apr_strings.h>

#include "paper-methods.h"

/* A column: a method and its parameters. */
typedef struct {
    const char *title;
    int method;
    uint32_t passes;
    uint32_t batch;
} column_t;

static const column_t columns[] = {
    { "incremental", PAPER_INCREMENTAL, 1, 0 },           { "style", PAPER_STYLE, 1, 0 },
    { "incremental, 2 passes", PAPER_INCREMENTAL, 2, 0 }, { "style, 2 passes", PAPER_STYLE, 2, 0 },
    { "shingle, all pages", PAPER_SHINGLE, 1, 0 },        { "sst, all pages", PAPER_SST, 1, 0 },
    { "sst, batches of 20", PAPER_SST, 1, 20 },           { "pagelevel", PAPER_PAGELEVEL, 1, 0 },
};

#define N_COLUMNS ((int)(sizeof(columns) / sizeof(columns[0])))

/* Sums over sites. */
typedef struct {
    double found, lost, text_found, text_lost, f;
    double milliseconds, keys, bytes;
} row_t;

/* Score of a page: right detected template blocks over actual template blocks (section 4.2). */
static row_t row_of(const paper_result_t *result, int n, double parsing)
{
    row_t row = { 0 };
    int with = 0;
    for (int i = 0; i < n; i++) {
        const paper_score_t *s = &result->pages[i];
        if (s->template_blocks > 0) {
            row.found += (double)s->found_blocks / (double)s->template_blocks;
            with++;
        }
    }
    const paper_score_t *all = &result->score;
    double p = paper_precision(all);
    double r = paper_recall(all);
    row.found /= with > 0 ? with : 1;
    row.lost = all->content_blocks > 0 ? (double)all->lost_blocks / (double)all->content_blocks : 0;
    row.text_found = r;
    row.text_lost = all->content_text > 0 ? (double)all->lost_text / (double)all->content_text : 0;
    row.f = p + r > 0 ? 2 * p * r / (p + r) : 0;
    row.milliseconds = (result->seconds + parsing) * 1e3 / n;
    row.keys = result->keys;
    row.bytes = (double)result->end.bytes;
    return row;
}

static void print_row(const char *title, const row_t *row, double n)
{
    printf("  %-24s %8.3f %8.3f %8.3f %8.3f %8.3f %8.2f %7.0f %8.0f\n", title, row->found / n,
           row->lost / n, row->text_found / n, row->text_lost / n, row->f / n,
           row->milliseconds / n, row->keys / n, row->bytes / n / 1024);
}

static void add_row(row_t *sum, const row_t *row)
{
    sum->found += row->found;
    sum->lost += row->lost;
    sum->text_found += row->text_found;
    sum->text_lost += row->text_lost;
    sum->f += row->f;
    sum->milliseconds += row->milliseconds;
    sum->keys += row->keys;
    sum->bytes += row->bytes;
}

static void one_site(row_t *sums, const paper_site_t *site, const paper_opts_t *base,
                     apr_pool_t *pool)
{
    double parsing = 0;
    int n = site->pages->nelts;
    for (int i = 0; i < n; i++) {
        parsing += APR_ARRAY_IDX(site->pages, i, paper_page_t).parsing;
    }
    printf("%s: %d pages, %.1f %% of the text has a label\n", site->key, n,
           100.0 * (double)site->labelled / (double)(site->text > 0 ? site->text : 1));
    for (int c = 0; c < N_COLUMNS; c++) {
        paper_opts_t opts = *base;
        paper_result_t result;
        opts.passes = columns[c].passes;
        opts.batch = columns[c].batch;
        paper_methods[columns[c].method].run(&result, site, &opts, pool);
        row_t row = row_of(&result, n, parsing);
        print_row(columns[c].title, &row, 1);
        add_row(&sums[c], &row);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    apr_pool_t *pool;
    apr_pool_t *scratch;
    row_t sums[N_COLUMNS] = { { 0 } };
    paper_opts_t opts = paper_opts_default;
    tmpl_models_t models = { 0 };
    const char *detector;
    tmpl_error_t err;
    int sites = 0;
    if (argc != 3) {
        paper_die("usage", "paper-chen STORE MODEL < LIST");
    }
    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_pool_create(&scratch, pool);
    if (tmpl_models_load(&models, &detector, argv[2], &err, pool) != APR_SUCCESS ||
        models.pagelevel == NULL) {
        paper_die(argv[2], "no model of pagelevel");
    }
    opts.store = argv[1];
    opts.model = models.pagelevel;
    printf("%-26s %8s %8s %8s %8s %8s %8s %7s %8s\n", "", "found", "lost", "text +", "text -", "F",
           "ms/page", "keys", "KB");
    for (;;) {
        apr_pool_clear(scratch);
        const paper_site_t *site = paper_site_next(stdin, NULL, scratch);
        if (site == NULL) {
            break;
        }
        one_site(sums, site, &opts, scratch);
        sites++;
    }
    if (sites == 0) {
        paper_die("paper-chen", "the list names no site");
    }
    printf("mean of %d sites\n", sites);
    for (int c = 0; c < N_COLUMNS; c++) {
        print_row(columns[c].title, &sums[c], sites);
    }
    return 0;
}
