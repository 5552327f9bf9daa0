/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copies < list of sites (bench/papers/paper-sites)
 *
 * The effect and the cost of the rule for near copies (store.h): how many pages of the sites count
 * as near copies if all pages of a site have one path; and, with the rule and without it, how many
 * pages are lost that show a clock and are requested with made-up URLs.
 */
#include <stdio.h>
#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>

#include "clean.h"
#include "read_file.h"
#include "site_list.h"

#define KNOWN    10  /* the pages of a site that are learnt; the pages behind them get a clock */
#define CLOCKED  3   /* pages with a clock for each site */
#define REQUESTS 8   /* for each page with a clock */
#define LOST     0.9 /* a page that keeps less than this share of its text is lost */

/* How a page is observed. */
typedef struct {
    tmpl_store_t *store;
    const char *site;
    tmpl_clean_opts_t opts;
    int without; /* 1: no rule, for the store gets no shares; not for auto */
    uint32_t documents;
    apr_pool_t *pool; /* cleared for each page */
} run_t;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "copies: %s: %s\n", what, why);
    exit(2);
}

/*
 * Learns and judges a page at a new URL; all URLs have the same path. Returns the bytes of text
 * kept, or -1 if the page is declined.
 */
static double observe(run_t *run, const char *body, apr_size_t len, int *near_copy)
{
    tmpl_input_t input = {
        .body = body, .len = len, .site = run->site, .uri = "/", .learn = TMPL_LEARNING_NOW
    };
    tmpl_outcome_t outcome;
    double kept = 0;

    apr_pool_clear(run->pool);
    if (!tmpl_clean_read(&outcome, &input, &run->opts, run->pool)) {
        return -1;
    }
    tmpl_clean_observe(&outcome, &input, &run->opts, run->pool);
    outcome.document.id = (uint64_t)++run->documents * TMPL_DOCUMENT_PLACES;
    if (run->without) {
        outcome.observation.n_shares = 0;
    }
    tmpl_clean_count(&outcome, run->store, apr_time_from_sec(30), run->pool);
    if (outcome.store_error.status != APR_SUCCESS) {
        fail(run->site, outcome.store_error.text);
    }
    *near_copy = outcome.counts.near_copy;
    tmpl_clean_decide(&outcome, &run->opts, run->pool);
    for (uint32_t b = 0; outcome.verdicts != NULL && b < outcome.page->n_blocks; b++) {
        kept += outcome.verdicts[b].template ? 0 : outcome.page->blocks[b].length;
    }
    return kept;
}

static double observe_file(run_t *run, const char *path, int *near_copy)
{
    apr_pool_t *pool;
    apr_size_t len;
    const char *body;
    double kept;

    apr_pool_create(&pool, NULL);
    body = need_file(&len, path, pool);
    kept = observe(run, body, len, near_copy);
    apr_pool_destroy(pool);
    return kept;
}

/* As observe_file, for the page with a clock at its end. */
static double observe_clocked(run_t *run, const char *path, int request)
{
    apr_pool_t *pool;
    apr_size_t len;
    const char *body, *end = NULL;
    double kept;
    int near_copy;

    apr_pool_create(&pool, NULL);
    body = need_file(&len, path, pool);
    for (const char *at = body; (at = strstr(at, "</body>")) != NULL; at++) {
        end = at;
    }
    end = end != NULL ? end : body + strlen(body);
    body = apr_psprintf(pool, "%.*s<div>Served at 12:%02d:%02d to visitor %d</div>%s",
                        (int)(end - body), body, request, 7 * request, 812345 + 37 * request, end);
    kept = observe(run, body, strlen(body), &near_copy);
    apr_pool_destroy(pool);
    return kept;
}

/*
 * Learns the first pages of a site, then requests one page repeatedly and sets *lost. Returns 0 if
 * the page is declined.
 */
static int attack(run_t *run, const apr_array_header_t *pages, int known, int page, int *lost)
{
    const char *path = APR_ARRAY_IDX(pages, page, const char *);
    double first, last = -1;
    int near_copy;

    for (int i = 0; i < known; i++) {
        observe_file(run, APR_ARRAY_IDX(pages, i, const char *), &near_copy);
    }
    first = observe_clocked(run, path, 0);
    for (int i = 1; i < REQUESTS; i++) {
        last = observe_clocked(run, path, i);
    }
    *lost = last < LOST * first;
    return first > 0;
}

typedef struct {
    int sites, pages, near_copies;
    int tried[2], lost[2]; /* on a cold site, and on a learnt one */
} found_t;

static void site_run(found_t *found, run_t *run, const char *key, const apr_array_header_t *pages)
{
    apr_pool_t *pool;
    int lost, near_copy;

    apr_pool_create(&pool, NULL);
    run->site = apr_pstrcat(pool, key, " whole", NULL);
    for (int i = 0; i < pages->nelts; i++) {
        found->pages += observe_file(run, APR_ARRAY_IDX(pages, i, const char *), &near_copy) >= 0;
        found->near_copies += near_copy;
    }
    for (int page = KNOWN; pages->nelts >= KNOWN + CLOCKED && page < KNOWN + CLOCKED; page++) {
        for (int known = 0; known < 2; known++) {
            run->site = apr_psprintf(pool, "%s %d %d", key, page, known);
            if (attack(run, pages, known * KNOWN, page, &lost)) {
                found->tried[known]++;
                found->lost[known] += lost;
            }
        }
    }
    found->sites++;
    apr_pool_destroy(pool);
}

static void sites_run(found_t *found, run_t *run, const apr_array_header_t *sites)
{
    for (int i = 0; i < sites->nelts; i++) {
        const listed_site_t *site = &APR_ARRAY_IDX(sites, i, listed_site_t);

        site_run(found, run, site->key, site->paths);
    }
}

int main(void)
{
    static const tmpl_detector_e detectors[] = { TMPL_DETECTOR_INCREMENTAL,
                                                 TMPL_DETECTOR_INCREMENTAL, TMPL_DETECTOR_STYLE,
                                                 TMPL_DETECTOR_STYLE, TMPL_DETECTOR_AUTO };
    apr_array_header_t *sites;
    apr_pool_t *pool;
    tmpl_error_t err;

    apr_initialize();
    apr_pool_create(&pool, NULL);
    sites = site_list_read(pool);
    printf(
        "%-20s %6s %6s %12s   pages with a clock: tried, and lost, on sites not known and known\n",
        "", "sites", "pages", "near copies");
    for (unsigned i = 0; i < sizeof(detectors) / sizeof(detectors[0]); i++) {
        run_t run = { .opts = tmpl_clean_opts_default,
                      .without = i % 2 == 0 && detectors[i] != TMPL_DETECTOR_AUTO };
        found_t found = { 0 };

        run.opts.mode = TMPL_MODE_ANNOTATE;
        run.opts.detector = detectors[i];
        apr_pool_create(&run.pool, pool);
        tmpl_models_builtin(&run.opts.detect.models, pool);
        if (tmpl_store_open(&run.store, "memory:", NULL, &err, pool) != APR_SUCCESS) {
            fail("memory", err.text);
        }
        sites_run(&found, &run, sites);
        printf("%-12s %-7s %6d %6d %12d   %4d %4d %4d %4d\n", tmpl_detector(detectors[i])->name,
               run.without ? "without" : "with", found.sites, found.pages, found.near_copies,
               found.tried[0], found.lost[0], found.tried[1], found.lost[1]);
        fflush(stdout);
    }
    apr_pool_destroy(pool);
    apr_terminate();
    return 0;
}
