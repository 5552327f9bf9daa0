/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounds [LIST [KIND]]: time and memory of the worst pages. Each page has its own process, which
 * parses the page, looks it up in a store, copies it as a page that waits to be learnt, judges it,
 * strips it as if all of it were template, and learns it. With MODE=marks the page is annotated
 * with 16 marks at once instead of stripped; with MODE=markdown, json, reader or text it is also
 * written in this form.
 *
 * Pages of the kinds in a table (kinds.h) have doubling sizes up to the default of TmplMaxBody, for
 * the detectors incremental and auto: prints time and peak memory by size. Pages of the kinds that
 * a grammar derives from each element have one size, for each detector: prints the kinds that take
 * the most memory. Fails if time or memory per byte grows with the size, or if a page takes too
 * much time or memory. LIST is a file that names pages: prints their memory, and how many of them
 * are declined as too dense.
 *
 * KIND is the name of a kind: of the table, or as printed for the grammar.
 */
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apr_file_io.h>
#include <apr_general.h>
#include <apr_strings.h>

#include "body.h"
#include "clean.h"
#include "kinds.h"
#include "measure.h"

#define SMALLEST   (64 * KIB)
#define SIZES      8    /* 64 KiB to 8 MiB */
#define ENOUGH     0.05 /* seconds to measure each size at least: the clock may tick every 10 ms */
#define ROUNDS     5000 /* at most so many runs of a page */
#define SECONDS    10   /* of CPU, after which a page is stopped */
#define MAX_GROWTH 3.0  /* the limit for the growth of time or memory per byte */
#define MAX_TIME   1.0  /* seconds that a page may take */
#define FIXED      (2048.0 * KIB) /* bytes of memory that a page of any size may take (page.h) */

/* What is measured, and the memory it may take: times the page's size plus fixed times FIXED. */
typedef struct {
    const char *name; /* value of MODE */
    tmpl_mode_e mode;
    double times, fixed;
    int by_detector; /* 1: the figures depend on the detector */
} measured_t;

static const measured_t measures[] = {
    { "strip", TMPL_MODE_STRIP, 15, 1, 1 },       { "marks", TMPL_MODE_ANNOTATE, 15, 1, 0 },
    { "markdown", TMPL_MODE_MARKDOWN, 25, 2, 0 }, /* a tree takes memory, too */
    { "json", TMPL_MODE_JSON, 40, 2, 0 },         /* and the text is there twice */
    { "reader", TMPL_MODE_READER, 25, 2, 0 },     { "text", TMPL_MODE_TEXT, 25, 2, 0 },
};
static const measured_t *measured = &measures[0];

static int writes_body(tmpl_mode_e mode)
{
    return mode == TMPL_MODE_MARKDOWN || mode == TMPL_MODE_JSON || mode == TMPL_MODE_READER ||
           mode == TMPL_MODE_TEXT;
}

typedef struct {
    double seconds;
    double memory; /* peak in bytes, without the page itself and without code */
    tmpl_decline_e decline;
    uint32_t cuts;
} cost_t;

static double now(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* A field of /proc/self/status, in bytes. */
static double status_of(const char *field)
{
    char line[256];
    double kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
        if (strncmp(line, field, strlen(field)) == 0) {
            kib = strtod(line + strlen(field) + 1, NULL);
        }
    }
    if (f != NULL) {
        fclose(f);
    }
    return kib * KIB;
}

static void reset_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f == NULL || fputs("5", f) < 0 || fclose(f) != 0) {
        perror("bounds: /proc/self/clear_refs");
        exit(2);
    }
}

static tmpl_clean_opts_t opts;

/* As many marks as there may be: all presets, and attributes. */
static const tmpl_marks_t *most_marks(apr_pool_t *pool)
{
    static const char *const names[] = {
#define NAME(name, attribute, value, elements, against, begin, end, readers) name,
        TMPL_MARKS(NAME)
#undef NAME
    };
    tmpl_marks_t *marks = NULL;
    tmpl_error_t err;
    for (unsigned i = 0; i < TMPL_MARKS_MOST; i++) {
        /* parts has the attribute of data-tmpl */
        const char *name = i < sizeof(names) / sizeof(*names) && strcmp(names[i], "parts") != 0
                               ? names[i]
                               : apr_psprintf(pool, "data-mark-%u", i);
        if (tmpl_marks_add(&marks, name, &err, pool) != APR_SUCCESS) {
            abort();
        }
    }
    return marks;
}

/* Strips or marks a page as if all of it were template: no verdicts give more edits. */
static void edit(cost_t *cost, const tmpl_outcome_t *outcome, const buffer_t *b, apr_pool_t *pool)
{
    const tmpl_page_t *page = outcome->page;
    tmpl_verdict_t *verdicts = apr_palloc(pool, page->n_blocks * sizeof(*verdicts));
    tmpl_guards_t guards = { .control_texts = 1 };
    tmpl_closure_t closure;
    tmpl_edits_t edits;
    apr_size_t len;
    for (uint32_t i = 0; i < page->n_blocks; i++) {
        verdicts[i] = (tmpl_verdict_t){ 1, 1, 0 };
    }
    if (opts.mode == TMPL_MODE_ANNOTATE) {
        tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_MARK, NULL, pool);
        tmpl_annotate(&edits, page, &closure, opts.marks, pool);
    }
    else {
        tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_CUT, NULL, pool);
        tmpl_strip(&edits, &closure, pool);
    }
    tmpl_edits_apply(&len, &edits, b->bytes, b->len, pool);
    cost->cuts = closure.n_cuts;
}

/* All steps of a request. Returns the copy that waits to be learnt, from malloc, or NULL. */
static tmpl_observation_t *request(cost_t *cost, const buffer_t *b, tmpl_store_t *store,
                                   apr_pool_t *pool)
{
    tmpl_outcome_t outcome;
    tmpl_input_t input = { .body = b->bytes, .len = b->len, .site = "s", .uri = "/" };
    input.learn = TMPL_LEARNING_LATER;
    if (!tmpl_clean_read(&outcome, &input, &opts, pool)) {
        cost->decline = outcome.decline;
        return NULL;
    }
    cost->decline = TMPL_DECLINE_NONE;
    tmpl_clean_observe(&outcome, &input, &opts, pool);
    if (outcome.decline != TMPL_DECLINE_NONE) {
        cost->decline = outcome.decline;
        return NULL;
    }
    tmpl_clean_count(&outcome, store, apr_time_from_sec(SECONDS), pool);
    tmpl_observation_t *waiting = tmpl_observation_copy(&outcome.observation);
    tmpl_clean_decide(&outcome, &opts, pool);
    if (writes_body(opts.mode)) {
        apr_size_t len;
        if (tmpl_body(&len, &outcome, &input, &opts, "http://site.example/page", NULL, pool) ==
            NULL) {
            cost->decline = TMPL_DECLINE_MARKDOWN;
        }
    }
    edit(cost, &outcome, b, pool);
    return waiting;
}

/* A pool that returns memory to the system as httpd's pools do (MaxMemFree's default). */
static apr_pool_t *new_pool(void)
{
    enum { MAX_FREE = 2048 * KIB };
    apr_allocator_t *allocator;
    apr_pool_t *pool;
    if (apr_allocator_create(&allocator) != APR_SUCCESS) {
        abort();
    }
    apr_allocator_max_free_set(allocator, MAX_FREE);
    apr_pool_create_ex(&pool, NULL, NULL, allocator);
    apr_allocator_owner_set(allocator, pool);
    return pool;
}

/* Learns the page that waits, after its request has ended, as the watchdog does. */
static void learn(tmpl_observation_t *waiting, tmpl_store_t *store)
{
    const tmpl_observation_t *pages[] = { waiting };
    apr_pool_t *pool = new_pool();
    tmpl_error_t err;
    if (waiting != NULL && tmpl_store_learn(store, pages, 1, apr_time_from_sec(SECONDS), NULL, &err,
                                            pool) != APR_SUCCESS) {
        fprintf(stderr, "bounds: learning: %s\n", err.text);
        exit(2);
    }
    apr_pool_destroy(pool);
    free(waiting);
}

/* A request for a page of a new site, which is learnt if learns is set; returns its CPU time. */
static double round_trip(cost_t *cost, const buffer_t *b, int learns)
{
    tmpl_error_t err;
    tmpl_store_t *store;
    apr_pool_t *process = new_pool();
    apr_pool_t *pool = new_pool();
    if (tmpl_store_open(&store, "memory:", NULL, &err, process) != APR_SUCCESS) {
        abort();
    }
    double begin = now();
    tmpl_observation_t *waiting = request(cost, b, store, pool);
    apr_pool_destroy(pool);
    double took = now() - begin;
    if (learns) {
        learn(waiting, store);
    }
    else {
        free(waiting);
    }
    apr_pool_destroy(process);
    return took;
}

/*
 * Judges pages before the measured page, so that one-time costs of a process do not count: code,
 * random bytes, tables that grow with the length of texts.
 */
static void warm_up(void)
{
    static char small[] = "<!DOCTYPE html><title>t</title><p>x <a href=/>y</a><img src=z><b>x</b>";
    buffer_t pages[] = { { small, sizeof(small) - 1, sizeof(small) }, { 0 } };
    kind_make(&pages[1], &kinds[0], 2 * SMALLEST);
    for (int i = 0; i < 2; i++) {
        cost_t cost;
        round_trip(&cost, &pages[i], 1);
    }
    free(pages[1].bytes);
}

/*
 * Measures the memory of a page's first run, and the mean time of its runs; runs the page at least
 * once, until the runs took enough seconds.
 */
static void measure(cost_t *cost, const buffer_t *b, double enough)
{
    double total = 0;
    int rounds = 0;
    reset_peak();
    double before = status_of("VmRSS:"), code = status_of("RssFile:");
    do {
        total += round_trip(cost, b, rounds == 0);
        if (rounds++ == 0) {
            cost->memory = status_of("VmHWM:") - before - (status_of("RssFile:") - code);
        }
    } while (total < enough && rounds < ROUNDS);
    cost->seconds = total / rounds;
}

/* Measures a page in its own process, so that its memory does not count for the next page. */
static void run(cost_t *cost, const kind_t *kind, apr_size_t size, double enough)
{
    static const struct rlimit limit = { SECONDS, SECONDS + 1 };
    int status;
    *cost = (cost_t){ .seconds = SECONDS };
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        buffer_t b;
        setrlimit(RLIMIT_CPU, &limit);
        apr_initialize();
        kind_make(&b, kind, size);
        measure(cost, &b, enough);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGXCPU) {
        fprintf(stderr, "bounds: %s: signal %d\n", kind->name, WTERMSIG(status));
        exit(2);
    }
}

/* The cost of a byte at the first size that is noted, and the largest cost at any size. */
typedef struct {
    double first;
    double most;
} per_byte_t;

static int is_too_much(double memory, double size)
{
    return memory > measured->times * size + measured->fixed * FIXED;
}

static void note(per_byte_t *p, double cost, double size)
{
    if (p->first == 0) {
        p->first = cost / size;
    }
    p->most = cost / size > p->most ? cost / size : p->most;
}

static int run_kind(const kind_t *kind, cost_t *cost)
{
    double largest = 0;
    int too_much = 0;
    per_byte_t time = { 0, 0 };
    per_byte_t memory = { 0, 0 };
    printf("%-26s %-11s", kind->name, tmpl_detector(opts.detector)->name);
    for (unsigned i = 0; i < SIZES; i++) {
        double size = (double)(SMALLEST << i);
        run(cost, kind, SMALLEST << i, ENOUGH);
        if (cost->seconds >= SECONDS) {
            printf("  NO END\n");
            return 0;
        }
        printf(" %8.2f", cost->seconds * 1e3);
        largest = cost->seconds > largest ? cost->seconds : largest;
        /* If a limit declines the larger pages, only the smaller pages show growth. */
        if (i == 0 || i >= 2) {
            note(&time, cost->seconds, size);
        }
        if (i >= 2) { /* for smaller sizes constant costs dominate */
            note(&memory, cost->memory, size);
            too_much |= is_too_much(cost->memory, size);
        }
    }
    double growth = time.most / time.first;
    double memory_growth = memory.first > 0 ? memory.most / memory.first : 1;
    const char *verdict = largest > MAX_TIME                              ? "  TOO LONG"
                          : growth > MAX_GROWTH && largest > 2e-3         ? "  GROWS"
                          : too_much                                      ? "  TOO MUCH MEMORY"
                          : memory_growth > MAX_GROWTH && memory.most > 1 ? "  MEMORY GROWS"
                                                                          : "";
    printf(" %6.2f %6.1f %6.2f  %s%s\n", growth, memory.most, memory_growth,
           cost->decline != TMPL_DECLINE_NONE ? tmpl_decline_name(cost->decline) : "", verdict);
    return *verdict == '\0';
}

/* Measures a page in a mode, in its own process. */
static void run_page(cost_t *cost, const buffer_t *b, tmpl_mode_e mode)
{
    opts.mode = mode;
    pid_t pid = fork();
    if (pid == 0) {
        apr_initialize();
        warm_up(); /* again here: the first run of code takes memory in each process */
        malloc_trim(0);
        measure(cost, b, 0);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

static void print_ratios(const char *of, double *ratios, unsigned n)
{
    double median = median_of(ratios, n); /* sorts ratios */
    printf("%s over size, median %.1f, 90 of 100 below %.1f, 99 of 100 below %.1f, largest %.1f; ",
           of, median, ratios[n * 90 / 100], ratios[n * 99 / 100], ratios[n - 1]);
}

static void read_page(buffer_t *b, const char *path)
{
    FILE *f = fopen(path, "rb");
    *b = (buffer_t){ malloc(16 * KIB * KIB), 0, 16 * KIB * KIB };
    if (f == NULL || b->bytes == NULL) {
        fprintf(stderr, "bounds: cannot read %s\n", path);
        exit(2);
    }
    b->len = fread(b->bytes, 1, b->room, f);
    fclose(f);
}

/*
 * Prints the memory of the pages that a list names, as a multiple of their size; for Markdown also
 * how much more memory it takes than strip.
 */
static void run_list(const char *list, cost_t *cost)
{
    enum { MAX_PAGES = 20000, SMALL = 16 * KIB };
    static double ratios[MAX_PAGES], above[MAX_PAGES];
    unsigned n = 0;
    unsigned dense = 0;
    char path[4096];
    FILE *names = fopen(list, "r");
    while (names != NULL && n < MAX_PAGES && fgets(path, sizeof(path), names) != NULL) {
        buffer_t b;
        path[strcspn(path, "\n")] = '\0';
        read_page(&b, path);
        if (b.len > 0) {
            run_page(cost, &b, measured->mode);
            dense += cost->decline == TMPL_DECLINE_TOO_MANY;
        }
        if (b.len > SMALL) {
            double memory = cost->memory;
            ratios[n] = memory / (double)b.len;
            if (writes_body(measured->mode)) {
                run_page(cost, &b, TMPL_MODE_STRIP);
                above[n] = (memory - cost->memory) / (double)b.len;
            }
            n++;
        }
        free(b.bytes);
    }
    opts.mode = measured->mode;
    if (n > 0) {
        printf("%s: %u pages of more than %u KiB: ", tmpl_detector(opts.detector)->name, n,
               SMALL / KIB);
        print_ratios("memory", ratios, n);
        if (writes_body(measured->mode)) {
            print_ratios("above strip", above, n);
        }
        printf("%u pages declined as %s\n", dense, tmpl_decline_name(TMPL_DECLINE_TOO_MANY));
    }
    if (names != NULL) {
        fclose(names);
    }
}

#define DERIVED_SIZE  (1024 * KIB)
#define DERIVED_SHOWN 5 /* so many kinds are printed for each detector */

typedef struct {
    const kind_t *kind;
    double memory;
} derived_t;

static int by_memory(const void *a, const void *b)
{
    double x = ((const derived_t *)a)->memory;
    double y = ((const derived_t *)b)->memory;
    return (x < y) - (x > y);
}

/* Prints the derived kinds that take the most memory; returns 1 if all kinds keep to the bound. */
static int run_derived(const apr_array_header_t *derived, const char *only, cost_t *cost)
{
    unsigned n = (unsigned)derived->nelts;
    derived_t *all = apr_pcalloc(derived->pool, n * sizeof(*all));
    unsigned declined = 0;
    for (unsigned i = 0; i < n; i++) {
        all[i].kind = &APR_ARRAY_IDX(derived, i, kind_t);
        if (only == NULL || strcmp(only, all[i].kind->name) == 0) {
            run(cost, all[i].kind, DERIVED_SIZE, 0);
            declined += cost->decline == TMPL_DECLINE_TOO_MANY;
            all[i].memory = cost->memory;
        }
    }
    qsort(all, n, sizeof(*all), by_memory);
    printf("%s: %u derived kinds of %u KiB, %u declined as %s; memory over size of the worst:",
           tmpl_detector(opts.detector)->name, n, DERIVED_SIZE / KIB, declined,
           tmpl_decline_name(TMPL_DECLINE_TOO_MANY));
    for (unsigned i = 0; i < DERIVED_SHOWN && all[i].memory > 0; i++) {
        printf(" %.1f %s", all[i].memory / DERIVED_SIZE, all[i].kind->name);
    }
    int too_much = is_too_much(all[0].memory, DERIVED_SIZE);
    printf("%s\n", too_much ? "  TOO MUCH MEMORY" : "");
    return !too_much;
}

static int run_listed(const char *only, cost_t *cost)
{
    static const tmpl_detector_e detectors[] = { TMPL_DETECTOR_INCREMENTAL, TMPL_DETECTOR_AUTO };
    unsigned n = measured->by_detector ? sizeof(detectors) / sizeof(*detectors) : 1;
    int ok = 1;
    printf("milliseconds by size; the largest time per byte over that of the smallest size; peak "
           "memory over size, and the largest over that of 256 KiB\n%-26s %-11s",
           "", "");
    for (unsigned i = 0; i < SIZES; i++) {
        printf(" %5u KiB", (SMALLEST << i) / KIB);
    }
    printf(" growth memory growth\n");
    for (unsigned i = 0; i < n_kinds; i++) {
        for (unsigned k = 0; k < n; k++) {
            if (only == NULL || strcmp(only, kinds[i].name) == 0) {
                opts.detector = detectors[k];
                ok &= run_kind(&kinds[i], cost);
            }
        }
    }
    return ok;
}

int main(int argc, char **argv)
{
    const char *only = argc > 2 ? argv[2] : NULL;
    apr_pool_t *pool;
    cost_t *cost =
        mmap(NULL, sizeof(*cost), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    apr_initialize();
    apr_pool_create(&pool, NULL);
    opts = tmpl_clean_opts_default();
    const char *mode = getenv("MODE");
    for (unsigned i = 0; i < sizeof(measures) / sizeof(*measures); i++) {
        measured = mode != NULL && strcmp(mode, measures[i].name) == 0 ? &measures[i] : measured;
    }
    opts.mode = measured->mode;
    opts.marks = most_marks(pool);
    if (cost == MAP_FAILED) {
        return 2;
    }
    tmpl_models_builtin(&opts.detect.models, pool);
    warm_up(); /* in the parent, so that each child begins with warm code */
    unsigned detectors = measured->by_detector ? TMPL_DETECTOR_COUNT : 1;
    for (unsigned k = 0; argc > 1 && k < detectors; k++) {
        opts.detector = (tmpl_detector_e)k;
        run_list(argv[1], cost);
    }
    int ok = run_listed(only, cost);
    const apr_array_header_t *derived = kinds_derive(pool);
    for (unsigned k = 0; k < detectors; k++) {
        opts.detector = (tmpl_detector_e)k;
        ok &= run_derived(derived, only, cost);
    }
    return ok ? 0 : 1;
}
