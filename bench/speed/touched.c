/* SPDX-License-Identifier: Apache-2.0 */
/*
 * touched FILE...: judges pages with detector auto, each of them known to its site, for
 * bench/speed/touched, which counts the memory that this touches. It writes to mark when a page
 * begins and ends, and prints the addresses of mark and main first. Memory of one page is used
 * again for the next, as a thread of httpd does.
 */
#include <stdio.h>

#include <apr_general.h>

#include "clean.h"
#include "read_file.h"

static volatile int mark;

static void judge(const char *path, const tmpl_clean_opts_t *opts, tmpl_store_t *store,
                  tmpl_learning_e learn, apr_pool_t *pool)
{
    tmpl_input_t input = { .site = "bench.example", .uri = path, .learn = learn };
    tmpl_outcome_t outcome;
    apr_pool_t *page;
    apr_size_t len;
    input.body = need_file(&input.len, path, pool);
    apr_pool_create(&page, pool);
    mark = 1;
    tmpl_clean(&outcome, &input, opts, store, apr_time_from_sec(1), page);
    (void)tmpl_edits_apply(&len, &outcome.edits, input.body, input.len, page);
    mark = 2;
    apr_pool_clear(pool);
}

int main(int argc, char **argv)
{
    tmpl_error_t err = { 0 };
    tmpl_store_t *store;
    apr_pool_t *pool, *scratch;
    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_pool_create(&scratch, pool);
    tmpl_clean_opts_t opts = tmpl_clean_opts_default();
    opts.mode = TMPL_MODE_STRIP;
    opts.detector = TMPL_DETECTOR_AUTO;
    tmpl_models_builtin(&opts.detect.models, pool);
    printf("mark %lx %lx\n", (unsigned long)&mark, (unsigned long)main);
    fflush(stdout);
    if (tmpl_store_open(&store, "memory:", NULL, &err, pool) != APR_SUCCESS) {
        fprintf(stderr, "touched: %s\n", err.text);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        judge(argv[i], &opts, store, TMPL_LEARNING_NOW, scratch);
    }
    for (int i = 1; i < argc; i++) {
        judge(argv[i], &opts, store, TMPL_LEARNING_LATER, scratch);
    }
    apr_pool_destroy(pool);
    return 0;
}
