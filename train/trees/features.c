/* SPDX-License-Identifier: Apache-2.0 */
/*
 * features STORE_DIR SITE ROWS TEXTS [MODEL] < list of files
 *
 * The features of a site's pages for a model, each page seen once, in the order of the list. Writes
 * the rows of all blocks to ROWS, as floats, and to TEXTS a line for each page ("P", file, number
 * of blocks) and for each block ("B", text), separated by tabs. The first trees of MODEL give the
 * features of the group FIRST; without MODEL these are 0. Without arguments the program prints a
 * line for each feature: its name and group. With "-" for SITE each page is the first page of a
 * site.
 */
#include <stdio.h>
#include <string.h>

#include <apr_file_io.h>
#include <apr_general.h>
#include <apr_strings.h>

#include "detect/auto.h"
#include "model/judge_rows.h"
#include "detect/detector.h"
#include "table/store.h"
#include "read_file.h"

typedef struct {
    tmpl_store_t *store;
    const char *site;
    unsigned pages;
    FILE *rows;
    FILE *texts;
    tmpl_models_t models; /* no trees: features of the group FIRST are 0 */
} dump_t;

static void print_text(FILE *out, const tmpl_page_t *page, uint32_t b)
{
    fprintf(out, "B\t");
    for (uint32_t i = page->blocks[b].first_segment; i < page->blocks[b].after_segment; i++) {
        const tmpl_segment_t *segment = &page->segments[i];
        if (segment->span.start == page->nodes[segment->node].open.start) {
            continue; /* an image, or a link without text */
        }
        for (uint32_t p = segment->span.start; p < segment->span.end; p++) {
            fputc(strchr("\n\r\t", page->src[p]) != NULL ? ' ' : page->src[p], out);
        }
        fputc(' ', out);
    }
    fputc('\n', out);
}

static int dump_page(dump_t *dump, const char *path, apr_pool_t *pool)
{
    static const tmpl_policy_t policy = {
        .min_df = 5, .lifetime_tb = 400, .lifetime_n = 20, .max_entries = 1000000
    };
    tmpl_page_opts_t opts = { .separators = &tmpl_separators_leaf };
    const tmpl_page_t *page;
    tmpl_counts_t counts;
    tmpl_error_t err;
    apr_size_t len;
    const char *body = read_file(&len, path, pool);
    if (body == NULL || tmpl_page_parse(&page, body, len, &opts, pool) != TMPL_DECLINE_NONE) {
        fprintf(dump->texts, "P\t%s\t0\n", path);
        return 1;
    }
    tmpl_document_t document = { page->text ^ 1, page->text };
    int is_first = strcmp(dump->site, "-") == 0;
    tmpl_observation_t observation = { .site = is_first ? apr_psprintf(pool, "%u", dump->pages++)
                                                        : dump->site,
                                       .document = &document,
                                       .policy = &policy,
                                       .learn = TMPL_LEARNING_NOW };
    tmpl_auto_t *read = tmpl_auto_read(&observation, page, pool);
    if (tmpl_store_observe(dump->store, &observation, apr_time_from_sec(10), &counts, &err, pool) !=
        APR_SUCCESS) {
        fprintf(stderr, "features: %s: %s\n", path, err.text);
        return 0;
    }
    tmpl_evidence_t evidence = { counts.records, counts.records + page->n_keys, counts.pages,
                                 policy.min_df };
    float *rows = apr_palloc(pool, page->n_blocks * TMPL_BLOCK_FEATURE_COUNT * sizeof(*rows));
    tmpl_rows_t *of = tmpl_rows_of(read->reading, &read->layout, &evidence, pool);
    if (dump->models.trees != NULL) {
        float *first = apr_palloc(pool, page->n_blocks * sizeof(*first));
        tmpl_judge_rows_first(first, dump->models.trees, of, page->n_blocks, pool);
        tmpl_rows_judged(of, first, pool);
    }
    tmpl_rows_list(rows, of);
    fwrite(rows, sizeof(*rows) * TMPL_BLOCK_FEATURE_COUNT, page->n_blocks, dump->rows);
    fprintf(dump->texts, "P\t%s\t%u\n", path, page->n_blocks);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        print_text(dump->texts, page, b);
    }
    return 1;
}

static int dump_list(dump_t *dump, apr_pool_t *pool)
{
    char path[4096];
    int ok = 1;
    while (ok && fgets(path, sizeof(path), stdin) != NULL) {
        apr_pool_t *of_page;
        apr_pool_create(&of_page, pool);
        path[strcspn(path, "\n")] = '\0';
        ok = dump_page(dump, path, of_page);
        apr_pool_destroy(of_page);
    }
    return ok;
}

static int print_names(void)
{
    for (unsigned i = 0; i < TMPL_BLOCK_FEATURE_COUNT; i++) {
        printf("%s\t%s\n", tmpl_block_feature_name((tmpl_block_feature_e)i),
               tmpl_block_feature_group((tmpl_block_feature_e)i));
    }
    return 0;
}

int main(int argc, char **argv)
{
    apr_pool_t *pool;
    tmpl_error_t err;
    apr_initialize();
    apr_pool_create(&pool, NULL);
    if (argc == 1) {
        return print_names();
    }
    if (argc != 5 && argc != 6) {
        fprintf(stderr, "usage: features STORE_DIR SITE ROWS TEXTS [MODEL] < LIST\n");
        return 2;
    }
    dump_t dump = { .site = argv[2], .rows = fopen(argv[3], "wb"), .texts = fopen(argv[4], "wb") };
    if (dump.rows == NULL || dump.texts == NULL) {
        fprintf(stderr, "features: cannot write %s\n", dump.rows == NULL ? argv[3] : argv[4]);
        return 2;
    }
    if (tmpl_store_open(&dump.store, apr_pstrcat(pool, "lmdb:", argv[1], NULL), NULL, &err, pool) !=
        APR_SUCCESS) {
        fprintf(stderr, "features: %s\n", err.text);
        return 2;
    }
    if (argc == 6 && tmpl_models_load(&dump.models, &(const char *){ NULL }, argv[5], &err, pool) !=
                         APR_SUCCESS) {
        fprintf(stderr, "features: %s\n", err.text);
        return 2;
    }
    int ok = dump_list(&dump, pool);
    ok &= fclose(dump.rows) == 0;
    ok &= fclose(dump.texts) == 0;
    apr_pool_destroy(pool);
    return ok ? 0 : 1;
}
