/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/papers/paper-wang STORE < LIST (of bench/papers/paper-sites)
 *
 * Wang et al. (WWW 2008), Table 1: the storage that each method needs for the same recall. As in
 * the paper, methods with a table are tuned by the parameters of the lifetime, batch methods by the
 * number of pages in a batch. AverageSize is the mean of the table's bytes over all pages, or of a
 * batch's bytes over all batches. For each method, of the settings that reach the recall, the
 * program prints the setting with the least storage; settings that also reach the precision of all
 * methods in the paper come first. Recall is measured on template text; all pages of the site are
 * judged in their order.
 */
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>

#include "paper-methods.h"

/* The recall that the paper expects (section 3), and its precision: "higher than 98%". */
#define RECALL    0.8
#define PRECISION 0.98

/* Mean number of pages in a batch of the paper. */
#define PAPERS_BATCH 24

#define DIM(array) (sizeof(array) / sizeof((array)[0]))

static const uint32_t lifetimes[] = { 1, 2, 3, 4, 6, 10, 20, 40 };
static const uint32_t limits[] = { 1, 5, 40 };
static const uint32_t batches[] = { 2, 3, 4, 6, 8, 12, 16, 24, 32, 40, 80 };

/* More pages than a site has. */
#define FOREVER 1000000

/* shingle: template is on at least so many pages; methods with a table need DF >= 5. */
static const uint32_t leasts[] = { 2, 3, 5 };

static const int methods[] = { PAPER_INCREMENTAL, PAPER_STYLE, PAPER_SHINGLE, PAPER_SST };

#define N_METHODS ((int)DIM(methods))

/* The result of a method with its best setting. */
typedef struct {
    int reached; /* 0: neither, 1: the recall, 2: also the precision */
    double recall, precision, bytes, entry;
    char setting[32];
} tuned_t;

static int better(const tuned_t *a, const tuned_t *b)
{
    return b->setting[0] == '\0'      ? 1
           : a->reached != b->reached ? a->reached > b->reached
           : a->reached               ? a->bytes < b->bytes
                                      : a->recall > b->recall;
}

/* Keeps a result if it is better than the one before. */
static void consider(tuned_t *best, const paper_result_t *result, const char *setting)
{
    tuned_t one = { .recall = paper_recall(&result->score),
                    .precision = paper_precision(&result->score),
                    .bytes = result->bytes };
    one.reached = one.recall < RECALL ? 0 : one.precision < PRECISION ? 1 : 2;
    if (result->end.entries > 0) {
        one.entry = (double)result->end.bytes / (double)result->end.entries;
    }
    if (better(&one, best)) {
        *best = one;
        apr_cpystrn(best->setting, setting, sizeof(best->setting));
    }
}

static double try_lifetime(tuned_t *best, const paper_method_t *method, const paper_site_t *site,
                           const paper_opts_t *base, uint32_t tb, uint32_t limit, apr_pool_t *pool)
{
    paper_opts_t opts = *base;
    paper_result_t result;
    opts.policy.lifetime_tb = tb;
    opts.policy.lifetime_n = limit;
    method->run(&result, site, &opts, pool);
    consider(best, &result, apr_psprintf(pool, "Tb %u N %u", tb, limit));
    return paper_recall(&result.score);
}

/* Tries for each N ever longer Tb, until one reaches the recall: a longer one only stores more. */
static void tune_lifetime(tuned_t *best, const paper_method_t *method, const paper_site_t *site,
                          const paper_opts_t *base, apr_pool_t *pool)
{
    if (try_lifetime(best, method, site, base, FOREVER, 1, pool) < RECALL) {
        return; /* not reached even without a lifetime */
    }
    for (size_t n = 0; n < DIM(limits); n++) {
        double recall = 0;
        for (size_t tb = 0; tb < DIM(lifetimes) && recall < RECALL; tb++) {
            recall = try_lifetime(best, method, site, base, lifetimes[tb], limits[n], pool);
        }
    }
}

static void tune_batch(tuned_t *best, const paper_method_t *method, const paper_site_t *site,
                       const paper_opts_t *base, apr_pool_t *pool)
{
    int is_shingle = method == &paper_methods[PAPER_SHINGLE];
    for (size_t least = 0; least < (is_shingle ? DIM(leasts) : 1); least++) {
        double recall = 0;
        for (size_t b = 0; b < DIM(batches) && recall < RECALL; b++) {
            paper_opts_t opts = *base;
            paper_result_t result;
            opts.batch = batches[b];
            opts.shingle.least = leasts[least];
            method->run(&result, site, &opts, pool);
            recall = paper_recall(&result.score);
            consider(best, &result,
                     is_shingle ? apr_psprintf(pool, "%u pages >= %u", batches[b], leasts[least])
                                : apr_psprintf(pool, "%u pages", batches[b]));
        }
    }
}

/* The bytes of a batch of as many pages as the paper's. */
static double batch_bytes(const paper_site_t *site, const paper_opts_t *base, apr_pool_t *pool)
{
    paper_opts_t opts = *base;
    paper_result_t result;
    opts.batch = PAPERS_BATCH;
    paper_methods[PAPER_SHINGLE].run(&result, site, &opts, pool);
    return result.bytes;
}

static void print_tuned(const char *name, const tuned_t *tuned)
{
    printf("  %-12s %9.1f %8.3f %9.3f  %-14s", name, tuned->bytes / 1024, tuned->recall,
           tuned->precision, tuned->setting);
    if (tuned->entry > 0) {
        printf(" %6.1f B/entry", tuned->entry);
    }
    printf("%s\n", tuned->reached ? "" : "  recall not reached");
}

/* Tunes all methods on a site. Returns the bytes of a batch of as many pages as the paper's. */
static double one_site(tuned_t tuned[], const paper_site_t *site, const paper_opts_t *opts,
                       apr_pool_t *pool)
{
    double paper = batch_bytes(site, opts, pool);
    printf("%s: %d pages, %d of them %.1f KB\n", site->key, site->pages->nelts, PAPERS_BATCH,
           paper / 1024);
    for (int m = 0; m < N_METHODS; m++) {
        const paper_method_t *method = &paper_methods[methods[m]];
        memset(&tuned[m], 0, sizeof(tuned[m]));
        (method->is_batch ? tune_batch : tune_lifetime)(&tuned[m], method, site, opts, pool);
        print_tuned(method->name, &tuned[m]);
    }
    fflush(stdout);
    return paper;
}

/* Sums over the sites on which all methods of a set reach the recall. */
typedef struct {
    const char *title;
    unsigned set; /* bits: indices of methods */
    int sites;
    double paper; /* bytes of batches as large as the paper's */
    double bytes[N_METHODS], recall[N_METHODS], precision[N_METHODS];
} mean_t;

static void add_means(mean_t *mean, const tuned_t tuned[], double paper)
{
    for (int m = 0; m < N_METHODS; m++) {
        if (mean->set >> m & 1 && !tuned[m].reached) {
            return;
        }
    }
    mean->sites++;
    mean->paper += paper;
    for (int m = 0; m < N_METHODS; m++) {
        mean->bytes[m] += tuned[m].bytes;
        mean->recall[m] += tuned[m].recall;
        mean->precision[m] += tuned[m].precision;
    }
}

static void print_means(const mean_t *mean)
{
    printf("mean of %d sites where recall %.2f is reached by %s\n", mean->sites, RECALL,
           mean->title);
    for (int m = 0; m < N_METHODS && mean->sites > 0; m++) {
        if (mean->set >> m & 1) {
            int n = mean->sites;
            printf("  %-12s %9.1f %8.3f %9.3f  ours stores %.2f %% of it\n",
                   paper_methods[methods[m]].name, mean->bytes[m] / n / 1024, mean->recall[m] / n,
                   mean->precision[m] / n, 100 * mean->bytes[0] / mean->bytes[m]);
        }
    }
    if (mean->sites > 0) {
        printf("  %-12s %9.1f %18s  ours stores %.2f %% of it\n", "24 pages",
               mean->paper / mean->sites / 1024, "", 100 * mean->bytes[0] / mean->paper);
    }
}

int main(int argc, char **argv)
{
    apr_pool_t *pool;
    apr_pool_t *scratch;
    paper_opts_t opts = paper_opts_default;
    mean_t means[] = { { .title = "incremental, shingle and sst", .set = 0x0D },
                       { .title = "incremental and shingle", .set = 0x05 },
                       { .title = "incremental and style", .set = 0x03 } };
    if (argc != 2) {
        paper_die("usage", "paper-wang STORE < LIST");
    }
    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_pool_create(&scratch, pool);
    opts.store = argv[1];
    printf("%-14s %9s %8s %9s\n", "", "KB", "recall", "precision");
    for (;;) {
        tuned_t tuned[N_METHODS];
        apr_pool_clear(scratch);
        const paper_site_t *site = paper_site_next(stdin, NULL, scratch);
        if (site == NULL) {
            break;
        }
        double paper = one_site(tuned, site, &opts, scratch);
        for (size_t i = 0; i < DIM(means); i++) {
            add_means(&means[i], tuned, paper);
        }
    }
    for (size_t i = 0; i < DIM(means); i++) {
        print_means(&means[i]);
    }
    return 0;
}
