/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lifetime STORE_DIR TB,TB,... N,N,... < list of files
 *
 * The cost and the gain of a lifetime (Wang et al., WWW 2008, section 2.4): passes the pages, in
 * the order of the list, to a new table for every Tb and N, and to a table without a lifetime.
 * Prints for each table its entries at the end and on average (the paper's AverageSize), and how
 * many verdicts of blocks differ from the verdicts without a lifetime.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_file_io.h>
#include <apr_general.h>
#include <apr_strings.h>

#include "clean.h"
#include "detect/incremental.h"
#include "read_file.h"

/* A run measures the table only so often: to measure is to read the whole table. */
#define SAMPLES 60

typedef struct {
    const tmpl_page_t *page;
    tmpl_document_t document;
    tmpl_key_t *keys;
    unsigned char *wanted; /* verdicts of the table without a lifetime */
} seen_t;

/* The result of one run. */
typedef struct {
    tmpl_store_stats_t end;
    double entries, live, bytes; /* sums over the samples */
    int samples;
    uint64_t blocks, template; /* judged blocks, and template blocks */
    uint64_t lost, gained; /* verdicts that differ: content for template, template for content */
    uint64_t lost_length, gained_length, length;
} found_t;

static void add_page(apr_array_header_t *pages, const char *path)
{
    seen_t seen;
    apr_size_t len;
    apr_pool_t *pool = pages->pool;
    const char *body = read_file(&len, path, pool);
    if (body == NULL || tmpl_page_parse(&seen.page, body, len, &tmpl_clean_opts_default.page,
                                        pool) != TMPL_DECLINE_NONE) {
        return;
    }
    seen.document = tmpl_document(seen.page, "/", path, 0, pool);
    seen.keys = apr_palloc(pool, (seen.page->n_keys + 1) * sizeof(*seen.keys));
    tmpl_keys_fill(seen.keys, seen.page->keys, seen.page->n_keys, TMPL_KIND_SEGMENT);
    seen.wanted = apr_pcalloc(pool, seen.page->n_blocks + 1);
    APR_ARRAY_PUSH(pages, seen_t) = seen;
}

static void compare(found_t *found, seen_t *seen, const tmpl_verdict_t *verdicts, int is_reference)
{
    for (uint32_t i = 0; i < seen->page->n_blocks; i++) {
        uint32_t length = seen->page->blocks[i].length;
        int template = verdicts[i].template != 0;
        if (is_reference) {
            seen->wanted[i] = (unsigned char)template;
        }
        int lost = seen->wanted[i] && !template;
        int gained = !seen->wanted[i] && template;
        found->blocks++;
        found->template += (uint64_t) template;
        found->length += length;
        found->lost += (uint64_t)lost;
        found->gained += (uint64_t)gained;
        found->lost_length += lost ? length : 0;
        found->gained_length += gained ? length : 0;
    }
}

static void sample(found_t *found, tmpl_store_t *store, const tmpl_policy_t *policy,
                   apr_pool_t *pool)
{
    tmpl_error_t err;
    if (tmpl_store_stats(store, "bench", policy, &found->end, &err, pool) == APR_SUCCESS) {
        found->entries += (double)found->end.entries;
        found->live += (double)found->end.live;
        found->bytes += (double)found->end.bytes;
        found->samples++;
    }
}

static apr_status_t run(found_t *found, const apr_array_header_t *pages, const char *dir,
                        const tmpl_policy_t *policy, int is_reference, apr_pool_t *pool)
{
    tmpl_store_t *store;
    tmpl_error_t err;
    apr_pool_t *scratch;
    int every = pages->nelts / SAMPLES + 1;
    memset(found, 0, sizeof(*found));
    const char *uri =
        apr_psprintf(pool, "lmdb:%s/%u-%u", dir, policy->lifetime_tb, policy->lifetime_n);
    if (tmpl_store_open(&store, uri, NULL, &err, pool) != APR_SUCCESS) {
        fprintf(stderr, "lifetime: %s: %s\n", uri, err.text);
        return err.status;
    }
    apr_pool_create(&scratch, pool);
    for (int i = 0; i < pages->nelts; i++) {
        seen_t *seen = &APR_ARRAY_IDX(pages, i, seen_t);
        tmpl_counts_t counts;
        tmpl_verdict_t *verdicts =
            apr_palloc(scratch, (seen->page->n_blocks + 1) * sizeof(*verdicts));
        tmpl_observation_t observation = { .site = "bench",
                                           .document = &seen->document,
                                           .keys = seen->keys,
                                           .n = seen->page->n_keys,
                                           .policy = policy,
                                           .learn = TMPL_LEARNING_NOW };
        if (tmpl_store_observe(store, &observation, apr_time_from_sec(30), &counts, &err,
                               scratch) != APR_SUCCESS) {
            fprintf(stderr, "lifetime: %s: %s\n", uri, err.text);
            return err.status;
        }
        tmpl_detect_incremental(verdicts, seen->page, counts.records, policy->min_df,
                                tmpl_clean_opts_default.detect.ratio);
        compare(found, seen, verdicts, is_reference);
        if (i % every == every - 1 || i + 1 == pages->nelts) {
            sample(found, store, policy, scratch);
        }
        apr_pool_clear(scratch);
    }
    return APR_SUCCESS;
}

static void print_titles(void)
{
    printf("%6s %6s %9s %9s %9s %9s %8s %9s %9s %8s %8s %8s\n", "Tb", "N", "at end", "average",
           "live avg", "KB avg", "template", "lost", "gained", "lost %", "text -%", "text +%");
}

static void print_found(const found_t *found, const char *tb, const char *n, uint64_t wanted)
{
    double length = found->length > 0 ? (double)found->length : 1;
    double samples = found->samples > 0 ? found->samples : 1;
    printf("%6s %6s %9llu %9.0f %9.0f %9.0f %8llu %9llu %9llu %8.2f %8.3f %8.3f\n", tb, n,
           (unsigned long long)found->end.entries, found->entries / samples, found->live / samples,
           found->bytes / samples / 1024, (unsigned long long)found->template,
           (unsigned long long)found->lost, (unsigned long long)found->gained,
           wanted > 0 ? 100.0 * (double)found->lost / (double)wanted : 0.0,
           100.0 * (double)found->lost_length / length,
           100.0 * (double)found->gained_length / length);
    fflush(stdout);
}

static int grid(const apr_array_header_t *pages, const char *dir, char *tbs, const char *ns,
                apr_pool_t *pool)
{
    found_t found;
    apr_pool_t *scratch;
    tmpl_policy_t policy = tmpl_clean_opts_default.policy;
    policy.max_entries = UINT32_MAX;
    policy.lifetime_tb = INT32_MAX;
    policy.lifetime_n = 1;
    apr_pool_create(&scratch, pool);
    if (run(&found, pages, dir, &policy, 1, scratch) != APR_SUCCESS) {
        return 1;
    }
    uint64_t wanted = found.template;
    print_titles();
    print_found(&found, "none", "", wanted);
    char *tb_state;
    for (char *tb = apr_strtok(tbs, ",", &tb_state); tb; tb = apr_strtok(NULL, ",", &tb_state)) {
        char *n_state;
        char *copy = apr_pstrdup(pool, ns);
        for (char *n = apr_strtok(copy, ",", &n_state); n; n = apr_strtok(NULL, ",", &n_state)) {
            policy.lifetime_tb = (uint32_t)strtoul(tb, NULL, 10);
            policy.lifetime_n = (uint32_t)strtoul(n, NULL, 10);
            apr_pool_clear(scratch);
            if (run(&found, pages, dir, &policy, 0, scratch) != APR_SUCCESS) {
                return 1;
            }
            print_found(&found, tb, n, wanted);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    char line[8192];
    apr_pool_t *pool;
    if (argc != 4) {
        fprintf(stderr, "usage: lifetime STORE_DIR TB,TB,... N,N,... < list of files\n");
        return 2;
    }
    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_array_header_t *pages = apr_array_make(pool, 1024, sizeof(seen_t));
    int named = 0;
    while (fgets(line, sizeof(line), stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        named++;
        add_page(pages, apr_pstrdup(pool, line));
    }
    if (pages->nelts == 0) {
        fprintf(stderr, "lifetime: no page could be read\n");
        return 1;
    }
    printf("%d pages (%d more declined or not read), min-df %u, ratio %g\n", pages->nelts,
           named - pages->nelts, tmpl_clean_opts_default.policy.min_df,
           tmpl_clean_opts_default.detect.ratio);
    int code = grid(pages, argv[1], argv[2], argv[3], pool);
    apr_pool_destroy(pool);
    apr_terminate();
    return code;
}
