/* SPDX-License-Identifier: Apache-2.0 */
/*
 * annotate_pagelevel MODEL off|max|min OUT < LIST: annotates each file of the list with detector
 * pagelevel and writes it to OUT under its own name. bench/accuracy/pagelevel-accuracy scores the
 * result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_file_io.h>
#include <apr_general.h>
#include <apr_strings.h>

#include "methods/pagelevel.h"
#include "measure.h"
#include "read_file.h"
#include "rewrite/rewrite.h"

static const char *const smoothings[] = { "off", "max", "min" };

static double detecting; /* seconds */
static unsigned pages;

static double now(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static void die(const char *what, const char *name)
{
    fprintf(stderr, "pagelevel: %s: %s\n", what, name);
    exit(2);
}

static const char *annotated(apr_size_t *len, const char *src, const tmpl_model_t *model,
                             int smoothing, apr_pool_t *pool)
{
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { .separators = &tmpl_separators_pagelevel };
    tmpl_guards_t guards = { .min_keep = 0.005 };
    tmpl_closure_t closure;
    tmpl_edits_t edits;
    if (tmpl_page_parse(&page, src, *len, &opts, pool) != TMPL_DECLINE_NONE) {
        return src;
    }
    tmpl_verdict_t *verdicts = apr_pcalloc(pool, page->n_blocks * sizeof(*verdicts));
    double begin = now();
    tmpl_detect_pagelevel(verdicts, page, model, smoothing, -1, pool);
    detecting += now() - begin;
    pages++;
    tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_MARK, NULL, pool);
    if (closure.decline != TMPL_DECLINE_NONE) {
        return src;
    }
    tmpl_annotate(&edits, page, &closure, NULL, pool);
    return tmpl_edits_apply(len, &edits, src, *len, pool);
}

static void one_file(const char *path, const char *dir, const tmpl_model_t *model, int smoothing,
                     apr_pool_t *pool)
{
    apr_size_t len;
    apr_file_t *out;
    const char *src = need_file(&len, path, pool);
    const char *name = strrchr(path, '/');
    const char *text = annotated(&len, src, model, smoothing, pool);
    name = apr_pstrcat(pool, dir, "/", name != NULL ? name + 1 : path, NULL);
    if (apr_file_open(&out, name, APR_FOPEN_WRITE | APR_FOPEN_CREATE | APR_FOPEN_TRUNCATE,
                      APR_FPROT_OS_DEFAULT, pool) != APR_SUCCESS ||
        apr_file_write_full(out, text, len, NULL) != APR_SUCCESS) {
        die("cannot write", name);
    }
    apr_file_close(out);
}

int main(int argc, char **argv)
{
    apr_pool_t *pool;
    apr_pool_t *scratch;
    tmpl_models_t models = { 0 };
    const char *detector;
    tmpl_error_t err;
    char path[4096];
    int smoothing = 0;
    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_pool_create(&scratch, pool);
    if (argc != 4) {
        die("usage", "pagelevel MODEL off|max|min OUT < LIST");
    }
    while (smoothing < 3 && strcmp(argv[2], smoothings[smoothing]) != 0) {
        smoothing++;
    }
    if (smoothing == 3) {
        die("not off, max or min", argv[2]);
    }
    if (tmpl_models_load(&models, &detector, argv[1], &err, pool) != APR_SUCCESS ||
        models.pagelevel == NULL) {
        die("no model of pagelevel", argv[1]);
    }
    while (fgets(path, sizeof(path), stdin) != NULL) {
        path[strcspn(path, "\n")] = '\0';
        one_file(path, argv[3], models.pagelevel, smoothing, scratch);
        apr_pool_clear(scratch);
    }
    printf("%u pages, %.3f ms a page to detect\n", pages, pages > 0 ? detecting * 1e3 / pages : 0);
    return 0;
}
