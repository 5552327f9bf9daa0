/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_pages DETECTOR URI PAGES < LIST: microseconds of CPU for each step of a new page. The steps
 * are those of a child of httpd: a page is read, looked up, judged, and learnt later,
 * TMPL_BATCH_MOST pages at a time, with the store at URI. The files named on standard input are
 * used repeatedly, with a new number in each paragraph of their content (stamped.h). The first
 * quarter of PAGES is not counted: after it the site is learnt, and its table has its final size.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>

#include "outcome.h"
#include "page_batch.h"
#include "measure.h"
#include "stamped.h"

#define FILES_MOST 1024

/* X(id, name): the measured steps. */
#define STEPS(X)                                                                                   \
    X(READ, "read")                                                                                \
    X(OBSERVE, "what the store is told")                                                           \
    X(COUNT, "looked up")                                                                          \
    X(DECIDE, "judged")                                                                            \
    X(FINGERPRINT, "its fingerprint")                                                              \
    X(COPY, "put aside")                                                                           \
    X(LEARN, "learnt later")

enum {
#define STEP_ID(id, name) STEP_##id,
    STEPS(STEP_ID)
#undef STEP_ID
        N_STEPS
};

static const char *const steps[] = {
#define STEP_NAME(id, name) name,
    STEPS(STEP_NAME)
#undef STEP_NAME
};

static double times[N_STEPS];

/* Adds the time since *begin to a step, and sets *begin to now. */
static void lap(double *begin, int step)
{
    double now = seconds_of(CLOCK_THREAD_CPUTIME_ID);

    times[step] += now - *begin;
    *begin = now;
}

static void take(const tmpl_input_t *input, const tmpl_clean_opts_t *opts, tmpl_store_t *store,
                 batch_t *batch, apr_pool_t *pool)
{
    tmpl_outcome_t outcome;
    double begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);

    if (tmpl_clean_read(&outcome, input, opts, pool)) {
        lap(&begin, STEP_READ);
        tmpl_clean_observe(&outcome, input, opts, pool);
        lap(&begin, STEP_OBSERVE);
        tmpl_clean_count(&outcome, store, apr_time_from_sec(10), pool);
        lap(&begin, STEP_COUNT);
        tmpl_clean_decide(&outcome, opts, pool);
        lap(&begin, STEP_DECIDE);
        tmpl_clean_fingerprint(&outcome, input, pool);
        lap(&begin, STEP_FINGERPRINT);
        if (outcome.counts.due) {
            batch->pages[batch->n++] = tmpl_observation_copy(&outcome.observation);
        }
        lap(&begin, STEP_COPY);
    }
    if (batch->n == batch->most) {
        apr_pool_clear(pool);
        begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        batch_learn(store, batch, pool);
        lap(&begin, STEP_LEARN);
    }
    apr_pool_clear(pool);
}

static unsigned read_pages(page_t *pages, size_t *largest)
{
    char name[4096];
    unsigned n = 0;

    *largest = 0;
    while (n < FILES_MOST && fgets(name, sizeof(name), stdin) != NULL) {
        name[strcspn(name, "\n")] = '\0';
        page_read(&pages[n], name);
        *largest = pages[n].len > *largest ? pages[n].len : *largest;
        n++;
    }
    return n;
}

int main(int argc, char **argv)
{
    static page_t pages[FILES_MOST];
    unsigned total = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0, n_pages;
    tmpl_clean_opts_t opts = tmpl_clean_opts_default;
    batch_t batch = { .most = TMPL_BATCH_MOST };
    tmpl_models_t models;
    tmpl_store_t *store;
    tmpl_error_t err = { 0 };
    apr_pool_t *pool, *scratch;
    size_t largest;
    double sum = 0;
    char *body;

    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_pool_create(&scratch, pool);
    n_pages = read_pages(pages, &largest);
    int detector = argc == 4 ? tmpl_detector_find(argv[1]) : -1;
    if (total < 4 || n_pages == 0 || detector < 0) {
        fprintf(stderr, "usage: new_pages DETECTOR URI PAGES < LIST\n");
        return 2;
    }
    body = apr_palloc(pool, largest);
    tmpl_models_builtin(&models, pool);
    opts.mode = TMPL_MODE_STRIP;
    opts.detect.models = models;
    opts.detector = (tmpl_detector_e)detector;
    check(tmpl_store_open(&store, argv[2], NULL, &err, pool), &err);
    for (unsigned i = 0; i < total; i++) {
        const page_t *page = &pages[i % n_pages];
        char uri[32];
        tmpl_input_t input = {
            .body = body, .len = page->len, .site = "bench.example", .uri = uri
        };

        if (i == total / 4) {
            memset(times, 0, sizeof(times));
        }
        input.charset = "utf-8";
        input.learn = TMPL_LEARNING_LATER;
        snprintf(uri, sizeof(uri), "/new/%u", i);
        memcpy(body, page->bytes, page->len);
        page_stamp(body, page, i * 2654435761u);
        take(&input, &opts, store, &batch, scratch);
    }
    for (int i = 0; i < N_STEPS; i++) {
        double us = times[i] * 1e6 / (total - total / 4);

        printf("%-24s %7.1f us\n", steps[i], us);
        sum += us;
    }
    printf("%-24s %7.1f us\n", "a new page", sum);
    return 0;
}
