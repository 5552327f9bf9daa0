/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/speed/parse < LIST: the time to read a page, and to judge it with detector auto, beside
 * the time of libxml2 for the same bytes: its SAX parser without callbacks, and its tree. Each
 * parser in turn reads every file named on standard input, ROUNDS times. The figures are medians
 * over the rounds: of the total, and of its ratio to the SAX parser's total. The counts are made
 * up: there is no store.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_file_io.h>
#include <apr_general.h>
#include <apr_tables.h>

#include <libxml/HTMLparser.h>

#include "detect/auto.h"
#include "detect/detector.h"
#include "measure.h"
#include "model/judge_rows.h"
#include "page/page.h"
#include "read_file.h"

#define ROUNDS 5

typedef struct {
    const char *bytes;
    apr_size_t len;
} file_t;

static double now(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static void read_files(apr_array_header_t *files, apr_pool_t *pool)
{
    char path[4096];
    while (fgets(path, sizeof(path), stdin) != NULL) {
        file_t *f = apr_array_push(files);
        path[strcspn(path, "\n")] = '\0';
        f->bytes = need_file(&f->len, path, pool);
    }
}

static void ignore_start(void *baton, const xmlChar *name, const xmlChar **attributes)
{
    (void)baton;
    (void)name;
    (void)attributes;
}

static void ignore_end(void *baton, const xmlChar *name)
{
    (void)baton;
    (void)name;
}

static void ignore_text(void *baton, const xmlChar *text, int len)
{
    (void)baton;
    (void)text;
    (void)len;
}

static const int options = HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING |
                           HTML_PARSE_NONET | HTML_PARSE_IGNORE_ENC;

static void parse_tree(const file_t *file)
{
    xmlFreeDoc(htmlReadMemory(file->bytes, (int)file->len, NULL, NULL, options));
}

static void parse_sax(const file_t *file)
{
    htmlParserCtxtPtr parser = htmlCreateMemoryParserCtxt(file->bytes, (int)file->len);
    if (parser == NULL) {
        return; /* an empty file */
    }
    htmlCtxtUseOptions(parser, options);
    memset(parser->sax, 0, sizeof(*parser->sax));
    parser->sax->startElement = ignore_start;
    parser->sax->endElement = ignore_end;
    parser->sax->characters = ignore_text;
    htmlParseDocument(parser);
    htmlFreeParserCtxt(parser);
}

/* X(id, name): the measured steps. */
#define STEPS(X)                                                                                   \
    X(SAX, "libxml2 SAX alone")                                                                    \
    X(TREE, "libxml2, a tree")                                                                     \
    X(PAGE, "tmpl_page_parse")                                                                     \
    X(LEAVES, "the same, leaf blocks")                                                             \
    X(READ, "features, before counts")                                                             \
    X(JUDGE, "features, with counts, and trees")                                                   \
    X(AUTO, "features and trees")

enum {
#define STEP_ID(id, name) STEP_##id,
    STEPS(STEP_ID)
#undef STEP_ID
        STEP_COUNT
};

static const char *const steps[] = {
#define STEP_NAME(id, name) name,
    STEPS(STEP_NAME)
#undef STEP_NAME
};

static tmpl_models_t models;

static const tmpl_page_t *parse_page(const file_t *file, const tmpl_tag_set_t *separators,
                                     apr_pool_t *pool)
{
    const tmpl_page_t *page = NULL;
    tmpl_page_opts_t opts = { .separators = separators };
    tmpl_page_parse(&page, file->bytes, file->len, &opts, pool);
    return page;
}

/* Counts as if half of the keys were on other pages, too. */
static tmpl_record_t *made_up(const tmpl_observation_t *observation, apr_pool_t *pool)
{
    tmpl_record_t *records = apr_palloc(pool, observation->n * sizeof(*records));
    for (uint32_t i = 0; i < observation->n; i++) {
        uint32_t df =
            observation->keys[i].hash % 2 == 0 ? 1 : (uint32_t)(observation->keys[i].hash % 20);
        records[i] = (tmpl_record_t){ df, 20, 5000, df * 200 };
    }
    return records;
}

/* Judges a page; adds the times of the steps to times. */
static void judge_page(double *times, const file_t *file, apr_pool_t *pool)
{
    tmpl_observation_t observation = { 0 };
    double begin = now();
    const tmpl_page_t *page = parse_page(file, &tmpl_separators_leaf, pool);
    double parsed = now();
    times[STEP_LEAVES] += parsed - begin;
    if (page == NULL) {
        return;
    }
    tmpl_auto_t *read = tmpl_auto_read(&observation, page, pool);
    times[STEP_READ] += now() - parsed;
    const tmpl_record_t *records = made_up(&observation, pool);
    tmpl_evidence_t evidence = { records, records + page->n_keys, 20, 5 };
    float *templateness = apr_palloc(pool, page->n_blocks * sizeof(*templateness));
    double before = now();
    tmpl_rows_t *rows = tmpl_rows_of(read->reading, &read->layout, &evidence, pool);
    tmpl_judge_rows(templateness, models.trees, rows, page->n_blocks, pool);
    times[STEP_JUDGE] += now() - before;
}

/* One round over all files. */
static void time_all(double times[STEP_COUNT], const apr_array_header_t *files, apr_pool_t *pool)
{
    memset(times, 0, STEP_COUNT * sizeof(*times));
    for (int i = 0; i < files->nelts; i++) {
        const file_t *file = &APR_ARRAY_IDX(files, i, file_t);
        double begin = now();
        parse_sax(file);
        double sax = now();
        parse_tree(file);
        double tree = now();
        parse_page(file, NULL, pool);
        times[STEP_SAX] += sax - begin;
        times[STEP_TREE] += tree - sax;
        times[STEP_PAGE] += now() - tree;
        apr_pool_clear(pool);
        judge_page(times, file, pool);
        apr_pool_clear(pool);
    }
    times[STEP_AUTO] = times[STEP_READ] + times[STEP_JUDGE];
}

/* Prints a step: medians over the rounds. */
static void print_step(double rounds[ROUNDS][STEP_COUNT], int step, double megabytes)
{
    double time[ROUNDS];
    double ratio[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        time[i] = rounds[i][step];
        ratio[i] = rounds[i][step] / rounds[i][STEP_SAX];
    }
    printf("%-24s %7.1f MB/s %6.2f of SAX\n", steps[step], megabytes / median_of(time, ROUNDS),
           median_of(ratio, ROUNDS));
}

int main(void)
{
    double rounds[ROUNDS][STEP_COUNT];
    double megabytes = 0;
    apr_pool_t *pool;
    apr_pool_t *scratch;
    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_pool_create(&scratch, pool);
    tmpl_models_builtin(&models, pool);
    apr_array_header_t *files = apr_array_make(pool, 64, sizeof(file_t));
    read_files(files, pool);
    for (int i = 0; i < files->nelts; i++) {
        megabytes += (double)APR_ARRAY_IDX(files, i, file_t).len / 1e6;
    }
    for (int i = 0; i < ROUNDS; i++) {
        time_all(rounds[i], files, scratch);
    }
    printf("%d pages, %.1f MB, %d rounds in turn, medians\n", files->nelts, megabytes, ROUNDS);
    for (int step = 0; step < STEP_COUNT; step++) {
        print_step(rounds, step, megabytes);
    }
    printf("lexbor is not measured: Debian 12 and npm do not have it\n");
    return 0;
}
