/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listed_pages URI DOCUMENTS: made-up public documents, with addresses of 45 to 60 bytes and titles
 * of some 50, are listed 128 at a time, as in httpd; then all are seen a day later, in another
 * order; then, on the next day, as many made-up addresses. After each round prints: documents,
 * those of them that are not made up, microseconds a document, bytes of the site.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>

#include "clean.h"
#include "measure.h"
#include "page_batch.h"
#include "table/listed.h"

static tmpl_clean_opts_t presets;

#define SITE  "bench.example"
#define BATCH 128
#define STEP  7919 /* a prime: the order of the second round */

#define MADE_UP "/made-up"

static const char *const words[] = { "harbour", "council", "bridge", "season", "report", "museum",
                                     "ferry",   "garden",  "market", "school", "record", "winter" };

static const char *word(uint32_t n)
{
    return words[n % (sizeof(words) / sizeof(words[0]))];
}

/* What a response showed of document i. */
static tmpl_sighting_t sighting(const char *place, uint32_t i, uint32_t most, uint32_t now,
                                apr_pool_t *pool)
{
    const char *address =
        apr_psprintf(pool, "%s/%s/2026/%02u/%s-%s-of-the-%s-%u", place, word(i / 5), i % 12 + 1,
                     word(i), word(i / 12), word(i / 144), i);
    const char *title = apr_psprintf(pool, "%u: the %s and %s of the %s | Harbour News", i, word(i),
                                     word(i / 12), word(i / 144));
    return (tmpl_sighting_t){ .of = { .address = address,
                                      .title = title,
                                      .address_len = (uint32_t)strlen(address),
                                      .title_len = (uint32_t)strlen(title),
                                      .fingerprint = i * 0x9e3779b97f4a7c15,
                                      .text = i },
                              .now = now,
                              .most = most };
}

/* Sees all documents once; returns the seconds that it took. */
static double round_of(tmpl_store_t *store, const char *place, uint32_t n, uint32_t step,
                       uint32_t now, apr_pool_t *pool)
{
    batch_t batch = { .most = BATCH };
    double begin = seconds_of(CLOCK_MONOTONIC);
    apr_pool_t *made;

    apr_pool_create(&made, pool);
    for (uint32_t i = 0; i < n; i++) {
        tmpl_sighting_t seen = sighting(place, (uint32_t)((uint64_t)i * step % n), n, now, made);
        const tmpl_document_t document = { 1, 1 };
        tmpl_observation_t page = { .site = SITE,
                                    .document = &document,
                                    .policy = &presets.policy,
                                    .learn = i == 0 ? TMPL_LEARNING_LATER : TMPL_LEARNING_OFF,
                                    .sighting = &seen };
        batch.pages[batch.n++] = tmpl_observation_copy(&page);
        apr_pool_clear(made);
        if (batch.n == batch.most || i + 1 == n) {
            batch_learn(store, &batch, pool);
            apr_pool_create(&made, pool);
        }
    }
    return seconds_of(CLOCK_MONOTONIC) - begin;
}

/* Counts the documents that are not made up. */
static apr_status_t count_own(void *baton, const tmpl_listed_t *listed)
{
    uint32_t *own = baton;
    *own += strncmp(listed->address, MADE_UP, strlen(MADE_UP)) != 0;
    return APR_SUCCESS;
}

int main(int argc, char **argv)
{
    uint32_t n = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0, now = 20000 * 86400;
    tmpl_store_t *store;
    tmpl_error_t err = { 0 };
    apr_pool_t *pool, *scratch;

    if (n < 1000) {
        fprintf(stderr, "usage: listed_pages URI DOCUMENTS, 1000 or more\n");
        return 2;
    }
    presets = tmpl_clean_opts_default();
    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_pool_create(&scratch, pool);
    check(tmpl_store_open(&store, argv[1], NULL, &err, pool), &err);
    for (uint32_t day = 0; day < 3; day++) {
        double took = round_of(store, day < 2 ? "" : MADE_UP, n, day == 0 ? 1 : STEP,
                               now + day * 86400, scratch);
        tmpl_store_stats_t stats;
        tmpl_store_usage_t usage = { 0 };
        tmpl_listed_head_t head;
        uint32_t own = 0;
        check(tmpl_store_stats(store, SITE, &presets.policy, &stats, &err, pool), &err);
        (void)tmpl_store_usage(store, &usage, &err);
        check(tmpl_site_list_read(store, SITE, 0, TMPL_LISTED_SHARDS, &head, count_own, &own, &err,
                                  pool),
              &err);
        printf("%u %u %.1f %llu\n", stats.listed, own, took * 1e6 / n,
               (unsigned long long)usage.bytes);
    }
    apr_pool_destroy(pool);
    return 0;
}
