/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_pages URI SEGMENTS PAGES [BATCH [SITES [look|quiet]]]: made-up pages of a site, or of
 * several sites in turn. The store at URI learns them one after the other. With BATCH > 0 they are
 * looked up one after the other, with counts up to LEARN_DELAY old, and BATCH pages are learnt at a
 * time. Half of a page's segments are template, a tenth recurs rarely, the others are new; every
 * fourth segment begins a block with three layout paths. With look the pages that are measured are
 * only looked up. With quiet no look-up gets counts of an earlier one, as on a site with few
 * requests.
 *
 * The time of a page is the median of the WINDOW pages before each power of ten. The program
 * prints "begin" before a window and a line of figures after it; after each of these lines it
 * waits for a line on standard input, so that the reader can measure the server. The figures:
 * pages, milliseconds a page, CPU milliseconds a page of this process, entries, live entries,
 * bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>

#include "clean.h"
#include "page_batch.h"
#include "measure.h"

static tmpl_clean_opts_t presets;

#define WINDOW      256                     /* pages; a multiple of 128: all have as many batches */
#define RARE        20000                   /* texts that recur rarely */
#define LAYOUTS     120                     /* layout paths of the site */
#define LEARN_DELAY apr_time_from_msec(100) /* TmplLearnDelay's default */

static uint64_t state = 1;

/* splitmix64: the same pages in every run */
static uint64_t hash_of(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static uint32_t draw(uint32_t below)
{
    return (uint32_t)(hash_of(state++) % below);
}

typedef struct {
    tmpl_key_t *keys;
    tmpl_share_t *shares;
    tmpl_block_paths_t *blocks;
    tmpl_document_t document;
    tmpl_observation_t observation;
} made_t;

static uint64_t text_of(uint32_t page, uint32_t i, uint32_t segments)
{
    if (i < segments / 2) {
        return hash_of(i);
    }
    if (i < segments / 2 + segments / 10) {
        return hash_of(((uint64_t)1 << 32) + (draw(RARE) / segments) * segments + i);
    }
    return hash_of(((uint64_t)page + 2) << 32 | i);
}

static const char *const sites[] = { "bench.example", "two.example", "three.example",
                                     "four.example" };
static uint32_t n_sites = 1;

static void make(made_t *made, uint32_t page, uint32_t segments)
{
    uint32_t paths = segments / 4 < LAYOUTS ? segments / 4 : LAYOUTS;

    for (uint32_t i = 0; i < segments; i++) {
        made->keys[i] =
            (tmpl_key_t){ text_of(page, i, segments) & TMPL_HASH_MASK, TMPL_KIND_SEGMENT };
        made->shares[i] = (tmpl_share_t){ .key = i, .length = 40 };
    }
    for (uint32_t i = 0; i < paths; i++) {
        made->keys[segments + i] =
            (tmpl_key_t){ hash_of(~(uint64_t)i) & TMPL_HASH_MASK, TMPL_KIND_PATH };
    }
    for (uint32_t i = 0; i < segments / 4; i++) {
        uint32_t path = i % paths;

        made->blocks[i] = (tmpl_block_paths_t){ { segments + path, segments + path / 4, segments },
                                                4 * i,
                                                4 * i + 4 };
    }
    made->document = (tmpl_document_t){ hash_of(hash_of(page)), hash_of(~hash_of(page)) };
    made->observation = (tmpl_observation_t){ .site = sites[page % n_sites],
                                              .document = &made->document,
                                              .keys = made->keys,
                                              .n = segments + paths,
                                              .shares = made->shares,
                                              .n_shares = segments,
                                              .blocks = made->blocks,
                                              .n_blocks = segments / 4,
                                              .policy = &presets.policy,
                                              .learn = TMPL_LEARNING_NOW };
}

static double milliseconds(clockid_t clock)
{
    return seconds_of(clock) * 1e3;
}

static void await(void)
{
    int c;

    fflush(stdout);
    while ((c = getchar()) != '\n' && c != EOF) {
    }
}

/* Learns a page; returns the milliseconds that the store took. */
static double learn(tmpl_store_t *store, made_t *made, apr_pool_t *pool)
{
    tmpl_counts_t counts;
    tmpl_error_t err = { 0 };
    double begin = milliseconds(CLOCK_MONOTONIC);
    apr_status_t rv =
        tmpl_store_observe(store, &made->observation, apr_time_from_sec(10), &counts, &err, pool);
    double took = milliseconds(CLOCK_MONOTONIC) - begin;

    check(rv, &err);
    apr_pool_clear(pool);
    return took;
}

static void tell(tmpl_store_t *store, uint32_t page, double *took, double cpu, apr_pool_t *pool)
{
    tmpl_store_stats_t all = { 0 }, stats;
    tmpl_store_usage_t usage;
    tmpl_error_t err = { 0 };
    for (uint32_t i = 0; i < n_sites; i++) {
        check(tmpl_store_stats(store, sites[i], &presets.policy, &stats, &err, pool), &err);
        all.entries += stats.entries;
        all.live += stats.live;
        all.bytes += stats.bytes;
    }
    if (tmpl_store_usage(store, &usage, &err) == APR_SUCCESS) {
        all.bytes = usage.bytes;
    }
    printf("%u %.4f %.4f %llu %llu %llu\n", page, median_of(took, WINDOW), cpu / WINDOW,
           (unsigned long long)all.entries, (unsigned long long)all.live,
           (unsigned long long)all.bytes);
    apr_pool_clear(pool);
    await();
}

int main(int argc, char **argv)
{
    uint32_t segments = argc > 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    uint32_t pages = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
    batch_t batch = { .most = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 0 };
    uint32_t milestone = 1000;
    double took[WINDOW], cpu = 0;
    tmpl_store_opts_t opts = tmpl_store_opts_default;
    tmpl_store_t *store;
    tmpl_error_t err = { 0 };
    apr_pool_t *pool, *scratch;
    made_t made;

    int looks = argc > 6 && strcmp(argv[6], "look") == 0;
    apr_interval_time_t age = argc > 6 && !looks ? 1 : LEARN_DELAY;
    n_sites = argc > 5 ? (uint32_t)strtoul(argv[5], NULL, 10) : 1;
    if (segments < 8 || pages < milestone || batch.most > BATCH_MOST || n_sites == 0 ||
        n_sites > sizeof(sites) / sizeof(sites[0])) {
        fprintf(stderr,
                "usage: store_pages URI SEGMENTS PAGES [BATCH [SITES [look|quiet]]], 1000 pages or "
                "more, "
                "batches "
                "of %d at most, 4 sites at most\n",
                BATCH_MOST);
        return 2;
    }
    presets = tmpl_clean_opts_default();
    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_pool_create(&scratch, pool);
    made.keys = apr_palloc(pool, 2 * segments * sizeof(*made.keys));
    made.shares = apr_palloc(pool, segments * sizeof(*made.shares));
    made.blocks = apr_palloc(pool, segments * sizeof(*made.blocks));
    check(tmpl_store_open(&store, argv[1], &opts, &err, pool), &err);
    for (uint32_t page = 1; page <= pages && milestone <= pages; page++) {
        if (page == milestone - WINDOW + 1) {
            puts("begin");
            await();
            cpu = 0;
        }
        make(&made, page, segments);
        cpu -= milliseconds(CLOCK_PROCESS_CPUTIME_ID);
        made.observation.learn = batch.most > 0 ? TMPL_LEARNING_LATER : TMPL_LEARNING_NOW;
        made.observation.age = age;
        if (looks && page + WINDOW > milestone) {
            made.observation.learn = TMPL_LEARNING_LATER;
            made.observation.age = 0;
        }
        took[page % WINDOW] = learn(store, &made, scratch);
        if (batch.most > 0) {
            batch.pages[batch.n++] = tmpl_observation_copy(&made.observation);
        }
        if (batch.n > 0 && batch.n == batch.most) {
            batch_learn(store, &batch, scratch);
        }
        cpu += milliseconds(CLOCK_PROCESS_CPUTIME_ID);
        if (page == milestone) {
            tell(store, page, took, cpu, scratch);
            milestone *= 10;
        }
    }
    apr_pool_destroy(pool);
    return 0;
}
