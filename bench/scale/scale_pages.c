/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scale_pages URI SITES PAGES PROCESSES CHECKED MAX_SITES MAP_SIZE SHIFT NEW_IN < list of sites
 *
 * Makes up PAGES pages of SITES sites (zipf_pages.h) and has them looked up and learnt by PROCESSES
 * processes at the same time. All processes work on the same sites, as proxies that share a store
 * do. A page is looked up with counts up to LEARN_DELAY old, and LEARNT_AT_ONCE pages are learnt at
 * a time, as in httpd. An LMDB store may hold MAX_SITES sites in a file of MAP_SIZE bytes. For the
 * second half of the pages the sites are shifted by SHIFT. One page in NEW_IN is a new document.
 *
 * The first good page of each site of the list gives the sizes. The rates at which keys recur are
 * measured on sites of more than KNOWN pages, on the pages behind the first KNOWN.
 *
 * Prints lines of NAME=VALUE: one for the pages read; "at" after each fifth but the last, so that
 * the reader can measure the server; and the results. Times are in milliseconds: "look" and "batch"
 * are elapsed time, "first" and "last" the CPU time of look-ups in the first and the last fifth. In
 * the end CHECKED of the sites are read completely: "halves" counts the sites that lack entries.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apr_general.h>

#include "clean.h"
#include "page_batch.h"
#include "read_file.h"
#include "site_list.h"
#include "zipf_pages.h"

#define LEARN_DELAY    apr_time_from_msec(100) /* TmplLearnDelay's default */
#define LEARNT_AT_ONCE TMPL_BATCH_MOST
#define KNOWN          20 /* so many pages of a site are learnt before rates are measured */
#define PARTS          5  /* the run has so many parts, each with its own figures */
#define PROCESSES_MOST 64
#define TIMEOUT        apr_time_from_sec(10)

/* Figures of a process, in memory that all processes share. */
typedef struct {
    double cpu[PARTS]; /* milliseconds, for each part of the run */
    double looking, learning;
    uint64_t batches, counted, warm, known;
    uint64_t late, full; /* batches with pages that were not learnt: the store was late, or full */
} sum_t;

typedef struct {
    const char *uri;
    uint32_t n_pages, n_processes, checked, shift;
    tmpl_store_opts_t opts;
    zipf_t zipf;
    float *took, *cpu; /* for each page's look-up; a process writes its own pages' */
    float *batch_took;
    uint32_t batches_most; /* at most so many batches of a process */
    sum_t *sums;
} run_t;

static tmpl_clean_opts_t clean_opts;

static void *shared(size_t size)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        perror("scale_pages");
        exit(2);
    }
    return memory;
}

static double milliseconds(clockid_t clock)
{
    return seconds_of(clock) * 1e3;
}

/* ---- real pages ---- */

/* Numbers of keys by kind, and by how often the site has shown them. */
typedef struct {
    double template, recurring, new, known_paths, new_paths;
} tally_t;

static void tally_add(tally_t *tally, const tmpl_observation_t *page, const tmpl_counts_t *counts)
{
    for (uint32_t i = 0; i < page->n; i++) {
        uint32_t df = counts->records[i].df;
        if (page->keys[i].kind == TMPL_KIND_PATH) {
            *(df > 1 ? &tally->known_paths : &tally->new_paths) += 1;
        }
        else {
            *(df >= page->policy->min_df ? &tally->template
              : df > 1                   ? &tally->recurring
                                         : &tally->new) += 1;
        }
    }
}

/* Reads the pages of a site; the first good page becomes a shape. */
static void site_read(apr_array_header_t *shapes, tally_t *tally, const listed_site_t *site,
                      tmpl_store_t *store)
{
    apr_pool_t *pool;
    apr_pool_create(&pool, NULL);
    int good = 0, many = site->paths->nelts > KNOWN;
    for (int i = 0; i < site->paths->nelts && (many || !good); i++) {
        tmpl_outcome_t outcome;
        tmpl_error_t err = { 0 };
        tmpl_counts_t counts;
        tmpl_input_t input = { .site = site->key, .learn = TMPL_LEARNING_NOW };
        input.uri = APR_ARRAY_IDX(site->paths, i, const char *);
        input.body = need_file(&input.len, input.uri, pool);
        if (tmpl_clean_read(&outcome, &input, &clean_opts, pool)) {
            tmpl_clean_observe(&outcome, &input, &clean_opts, pool);
            if (!good++) {
                APR_ARRAY_PUSH(shapes, tmpl_observation_t *) =
                    tmpl_observation_copy(&outcome.observation);
            }
            check(tmpl_store_observe(store, &outcome.observation, TIMEOUT, &counts, &err, pool),
                  &err);
            if (good > KNOWN) {
                tally_add(tally, &outcome.observation, &counts);
            }
        }
        apr_pool_clear(pool);
    }
    apr_pool_destroy(pool);
}

static void sizes_print(const apr_array_header_t *shapes, const rates_t *rates)
{
    apr_size_t n = (apr_size_t)shapes->nelts;
    double *keys = malloc(n * sizeof(*keys)), sum = 0, bytes = 0;
    for (int i = 0; i < shapes->nelts; i++) {
        const tmpl_observation_t *shape = APR_ARRAY_IDX(shapes, i, const tmpl_observation_t *);
        keys[i] = shape->n;
        sum += shape->n;
        bytes += (double)tmpl_observation_size(shape);
    }
    double median = median_of(keys, n);
    printf("shapes=%d keys_p10=%.0f keys_p50=%.0f keys_mean=%.0f keys_p90=%.0f keys_max=%.0f "
           "page_bytes=%.0f template=%.3f recurring=%.3f known_paths=%.3f\n",
           shapes->nelts, keys[n / 10], median, sum / (double)n, keys[n * 9 / 10], keys[n - 1],
           bytes / (double)n, rates->template, rates->recurring, rates->known_path);
    fflush(stdout);
    free(keys);
}

static void pages_read(zipf_t *zipf, apr_pool_t *pool)
{
    apr_array_header_t *shapes = apr_array_make(pool, 1024, sizeof(tmpl_observation_t *));
    const apr_array_header_t *sites = site_list_read(pool);
    tmpl_store_t *store;
    tmpl_error_t err = { 0 };
    tally_t tally = { 0 };
    check(tmpl_store_open(&store, "memory:", NULL, &err, pool), &err);
    for (int i = 0; i < sites->nelts; i++) {
        site_read(shapes, &tally, &APR_ARRAY_IDX(sites, i, listed_site_t), store);
    }
    double segments = tally.template + tally.recurring + tally.new;
    if (shapes->nelts == 0 || segments == 0) {
        fprintf(stderr, "scale_pages: no site of the list has more than %d pages\n", KNOWN);
        exit(2);
    }
    zipf->shapes = shapes;
    zipf->rates = (rates_t){ tally.template / segments, tally.recurring / segments,
                             tally.known_paths / (tally.known_paths + tally.new_paths) };
    sizes_print(shapes, &zipf->rates);
}

/* ---- a process ---- */

static void learn(const run_t *run, uint32_t process, tmpl_store_t *store, batch_t *batch,
                  apr_pool_t *pool)
{
    sum_t *sum = &run->sums[process];
    uint32_t counted = 0;
    tmpl_error_t err = { 0 };
    double begin = milliseconds(CLOCK_MONOTONIC);
    apr_status_t rv = batch_try(store, batch, TIMEOUT, &counted, &err, pool);
    double took = milliseconds(CLOCK_MONOTONIC) - begin;

    sum->full += rv == APR_ENOSPC;
    sum->late += rv == APR_EBUSY || rv == APR_TIMEUP;
    check(rv == APR_ENOSPC || rv == APR_EBUSY || rv == APR_TIMEUP ? APR_SUCCESS : rv, &err);
    run->batch_took[process * run->batches_most + sum->batches++] = (float)took;
    sum->learning += took;
    sum->counted += counted;
}

/* Looks up page number i. */
static void look(const run_t *run, sum_t *sum, tmpl_store_t *store, zipf_page_t *made, uint32_t i,
                 batch_t *batch, apr_pool_t *pool)
{
    tmpl_counts_t counts;
    tmpl_error_t err = { 0 };
    made->observation.learn = TMPL_LEARNING_LATER;
    made->observation.age = LEARN_DELAY;
    double begin = milliseconds(CLOCK_MONOTONIC), cpu = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
    check(tmpl_store_observe(store, &made->observation, TIMEOUT, &counts, &err, pool), &err);
    run->took[i] = (float)(milliseconds(CLOCK_MONOTONIC) - begin);
    run->cpu[i] = (float)(milliseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    sum->looking += run->took[i];
    if (i >= run->n_pages - run->n_pages / PARTS) {
        sum->warm += counts.pages > made->observation.policy->min_df;
        sum->known++;
    }
    if (counts.due) {
        batch->pages[batch->n++] = tmpl_observation_copy(&made->observation);
    }
    apr_pool_clear(pool);
}

/* Looks up and learns every n_processes-th page; keeps the figures. */
static void process_run(run_t *run, uint32_t process)
{
    sum_t *sum = &run->sums[process];
    batch_t batch = { .most = LEARNT_AT_ONCE };
    zipf_page_t made = { 0 };
    tmpl_store_t *store;
    tmpl_error_t err = { 0 };
    apr_pool_t *pool, *scratch;
    uint32_t part = 0;
    char secret[TMPL_SECRET_SIZE];

    apr_pool_create(&pool, NULL);
    apr_pool_create(&scratch, pool);
    run->zipf.state = zipf_hash(process, 9, 0);
    check(tmpl_store_open(&store, run->uri, &run->opts, &err, pool), &err);
    check(tmpl_store_secret(store, secret, TIMEOUT, &err, pool), &err);
    for (uint32_t i = process; i < run->n_pages; i += run->n_processes) {
        run->zipf.shift = i >= run->n_pages / 2 ? run->shift : 0;
        zipf_make(&made, &run->zipf, &clean_opts.policy);
        double begin = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
        look(run, sum, store, &made, i, &batch, scratch);
        if (batch.n == batch.most) {
            learn(run, process, store, &batch, scratch);
        }
        sum->cpu[part] += milliseconds(CLOCK_PROCESS_CPUTIME_ID) - begin;
        if (i >= (uint64_t)(part + 1) * run->n_pages / PARTS && part < PARTS - 1) {
            part++;
            if (process == 0) {
                printf("at=%u\n", i);
                fflush(stdout);
            }
        }
    }
    if (batch.n > 0) {
        learn(run, process, store, &batch, scratch);
    }
    apr_pool_destroy(pool);
}

static void processes_run(run_t *run)
{
    int failed = 0, status;
    for (uint32_t i = 0; i < run->n_processes; i++) {
        pid_t pid = fork();
        if (pid < 0) {
            perror("scale_pages");
            exit(2);
        }
        if (pid == 0) {
            process_run(run, i);
            _exit(0);
        }
    }
    while (wait(&status) > 0) {
        failed |= status != 0;
    }
    if (failed) {
        fprintf(stderr, "scale_pages: a process failed\n");
        exit(2);
    }
}

/* ---- results ---- */

static int by_float(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Sorts the numbers. */
static void percentiles_print(const char *name, float *numbers, uint32_t n)
{
    qsort(numbers, n, sizeof(*numbers), by_float);
    printf(" %s_p50=%.4f %s_p90=%.4f %s_p99=%.4f %s_p999=%.4f %s_max=%.3f", name, numbers[n / 2],
           name, numbers[n - 1 - n / 10], name, numbers[n - 1 - n / 100], name,
           numbers[n - 1 - n / 1000], name, numbers[n - 1]);
}

static void figures_print(run_t *run, double wall)
{
    sum_t all = { 0 };
    double cpu = 0;
    for (uint32_t p = 0; p < run->n_processes; p++) {
        const sum_t *sum = &run->sums[p];
        memmove(run->batch_took + all.batches, run->batch_took + p * run->batches_most,
                sum->batches * sizeof(*run->batch_took));
        for (int i = 0; i < PARTS; i++) {
            all.cpu[i] += sum->cpu[i];
            cpu += sum->cpu[i];
        }
        all.looking += sum->looking;
        all.learning += sum->learning;
        all.batches += sum->batches;
        all.counted += sum->counted;
        all.warm += sum->warm;
        all.known += sum->known;
        all.late += sum->late;
        all.full += sum->full;
    }
    double n = run->n_pages;
    printf("pages=%u wall=%.3f cpu=%.4f cpu_first=%.4f cpu_last=%.4f look=%.4f learn=%.4f "
           "counted=%llu warm=%.4f late=%llu full=%llu",
           run->n_pages, wall, cpu / n, PARTS * all.cpu[0] / n, PARTS * all.cpu[PARTS - 1] / n,
           all.looking / n, all.learning / n, (unsigned long long)all.counted,
           (double)all.warm / (double)all.known, (unsigned long long)all.late,
           (unsigned long long)all.full);
    uint32_t part = run->n_pages / PARTS;
    percentiles_print("first", run->cpu, part);
    percentiles_print("last", run->cpu + run->n_pages - part, part);
    percentiles_print("look", run->took, run->n_pages);
    percentiles_print("batch", run->batch_took, (uint32_t)all.batches);
    putchar('\n');
    fflush(stdout);
}

typedef struct {
    unsigned char *held; /* for each site, whether the store holds it */
    uint32_t n_sites, n_held;
} held_t;

static apr_status_t is_held(void *baton, const char *name)
{
    held_t *held = baton;
    uint32_t site;
    if (sscanf(name, "site-%u.example", &site) == 1 && site < held->n_sites) {
        held->held[site] = 1;
        held->n_held++;
    }
    return APR_SUCCESS;
}

/* Whether the store holds the site with the k-th largest share of the last pages, k from 0. */
static int is_held_at(const run_t *run, const held_t *held, uint32_t k)
{
    return held->held[(k + run->shift) % held->n_sites];
}

static apr_status_t count(void *baton, const tmpl_entry_t *entry)
{
    (void)entry;
    ++*(uint64_t *)baton;
    return APR_SUCCESS;
}

/* Reads every site whose number is a multiple of step. */
static void sites_check(const run_t *run, tmpl_store_t *store, const held_t *held, uint32_t step)
{
    uint32_t halves = 0, checked = 0;
    uint64_t pages = 0, entries = 0;
    apr_pool_t *pool;
    apr_pool_create(&pool, NULL);
    for (uint32_t k = 0; k < run->zipf.n_sites; k += step) {
        tmpl_store_stats_t head = { 0 };
        tmpl_error_t err = { 0 };
        uint64_t n = 0;
        char name[32];
        zipf_name(name, k);
        apr_status_t rv = held->held[k]
                              ? tmpl_store_export(store, name, &head, count, &n, &err, pool)
                              : APR_NOTFOUND;
        if (rv != APR_NOTFOUND) { /* a full Redis also evicts sites for a reply's buffer */
            check(rv, &err);
            checked++;
            halves += n != head.entries;
            entries += n;
            pages += head.pages;
        }
        apr_pool_clear(pool);
    }
    printf("checked=%u halves=%u checked_entries=%llu checked_pages=%llu\n", checked, halves,
           (unsigned long long)entries, (unsigned long long)pages);
    apr_pool_destroy(pool);
}

/*
 * Prints which sites the store holds: their number, their share of the last pages, and, in the
 * order of shares, the first site that is missing.
 */
static void held_print(const run_t *run, apr_pool_t *pool)
{
    held_t held = { apr_pcalloc(pool, run->zipf.n_sites), run->zipf.n_sites, 0 };
    tmpl_store_t *store;
    tmpl_error_t err = { 0 };
    double share = 0;
    uint32_t first = 0;
    check(tmpl_store_open(&store, run->uri, &run->opts, &err, pool), &err);
    check(tmpl_store_sites(store, is_held, &held, &err, pool), &err);
    for (uint32_t k = 0; k < held.n_sites; k++) {
        share += is_held_at(run, &held, k)
                     ? run->zipf.until[k] - (k > 0 ? run->zipf.until[k - 1] : 0)
                     : 0;
    }
    while (first < held.n_sites && is_held_at(run, &held, first)) {
        first++;
    }
    printf("held=%u held_share=%.4f first_missing=%u\n", held.n_held, share, first);
    sites_check(run, store, &held, run->checked < held.n_sites ? held.n_sites / run->checked : 1);
}

static uint32_t number(const char *text)
{
    return (uint32_t)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
    apr_pool_t *pool;
    run_t run = { .opts = tmpl_store_opts_default };

    if (argc != 10 || number(argv[2]) == 0 || number(argv[3]) < 1000 || number(argv[4]) == 0 ||
        number(argv[4]) > PROCESSES_MOST || number(argv[5]) == 0 || number(argv[9]) == 0) {
        fprintf(stderr,
                "usage: scale_pages URI SITES PAGES PROCESSES CHECKED MAX_SITES MAP_SIZE SHIFT "
                "NEW_IN < LIST, 1000 pages or more\n");
        return 2;
    }
    apr_initialize();
    apr_pool_create(&pool, NULL);
    clean_opts = tmpl_clean_opts_default();
    clean_opts.mode = TMPL_MODE_STRIP;
    tmpl_models_builtin(&clean_opts.detect.models, pool);
    run.uri = argv[1];
    run.zipf.n_sites = number(argv[2]);
    run.n_pages = number(argv[3]);
    run.n_processes = number(argv[4]);
    run.checked = number(argv[5]);
    run.opts.max_sites = number(argv[6]);
    run.opts.map_size = strtoul(argv[7], NULL, 10);
    run.shift = number(argv[8]);
    run.zipf.new_in = number(argv[9]);
    run.zipf.documents = shared(run.zipf.n_sites * sizeof(*run.zipf.documents));
    pages_read(&run.zipf, pool);
    run.zipf.until = zipf_shares(run.zipf.n_sites, pool);
    run.took = shared(run.n_pages * sizeof(*run.took));
    run.cpu = shared(run.n_pages * sizeof(*run.cpu));
    run.batches_most = run.n_pages / run.n_processes / LEARNT_AT_ONCE + 2;
    run.batch_took = shared((size_t)run.batches_most * run.n_processes * sizeof(*run.batch_took));
    run.sums = shared(run.n_processes * sizeof(*run.sums));
    double begin = seconds_of(CLOCK_MONOTONIC);
    processes_run(&run);
    figures_print(&run, seconds_of(CLOCK_MONOTONIC) - begin);
    held_print(&run, pool);
    return 0;
}
