/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/parse < LIST: what it costs to read a page, beside what libxml2's SAX parser takes for the same
 * bytes and reports to nobody. Every file named on standard input is read by both in turn, ROUNDS
 * times; the figures are medians of the rounds' totals and their ratio.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <apr_file_io.h>
#include <apr_general.h>
#include <apr_tables.h>

#include <libxml/HTMLparser.h>

#include "page/page.h"

#define ROUNDS 5

typedef struct {
    const char *bytes;
    apr_size_t len;
} file_t;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void read_files(apr_array_header_t *files, apr_pool_t *pool)
{
    char path[4096];
    while (fgets(path, sizeof(path), stdin) != NULL) {
        apr_file_t *file;
        apr_finfo_t info;
        file_t *f = apr_array_push(files);
        path[strcspn(path, "\n")] = '\0';
        if (apr_file_open(&file, path, APR_FOPEN_READ, 0, pool) != APR_SUCCESS ||
            apr_file_info_get(&info, APR_FINFO_SIZE, file) != APR_SUCCESS) {
            fprintf(stderr, "parse: cannot read %s\n", path);
            exit(2);
        }
        char *bytes = apr_palloc(pool, (apr_size_t)info.size + 1);
        apr_file_read_full(file, bytes, (apr_size_t)info.size, &f->len);
        bytes[f->len] = '\0';
        f->bytes = bytes;
        apr_file_close(file);
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

static void parse_sax(const file_t *file, apr_pool_t *pool)
{
    htmlParserCtxtPtr parser = htmlCreateMemoryParserCtxt(file->bytes, (int)file->len);
    (void)pool;
    if (parser == NULL) {
        return; /* an empty file */
    }
    htmlCtxtUseOptions(parser, HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING |
                                   HTML_PARSE_NONET | HTML_PARSE_IGNORE_ENC);
    memset(parser->sax, 0, sizeof(*parser->sax));
    parser->sax->startElement = ignore_start;
    parser->sax->endElement = ignore_end;
    parser->sax->characters = ignore_text;
    htmlParseDocument(parser);
    htmlFreeParserCtxt(parser);
}

static void parse_page(const file_t *file, apr_pool_t *pool)
{
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { 0 };
    tmpl_page_parse(&page, file->bytes, file->len, &opts, pool);
}

static double time_all(void (*parse)(const file_t *, apr_pool_t *), const apr_array_header_t *files,
                       apr_pool_t *pool)
{
    double begin = now();
    for (int i = 0; i < files->nelts; i++) {
        parse(&APR_ARRAY_IDX(files, i, file_t), pool);
        apr_pool_clear(pool);
    }
    return now() - begin;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    double sax[ROUNDS];
    double page[ROUNDS];
    double ratio[ROUNDS];
    apr_size_t bytes = 0;
    apr_pool_t *pool;
    apr_pool_t *scratch;
    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_pool_create(&scratch, pool);
    apr_array_header_t *files = apr_array_make(pool, 64, sizeof(file_t));
    read_files(files, pool);
    for (int i = 0; i < files->nelts; i++) {
        bytes += APR_ARRAY_IDX(files, i, file_t).len;
    }
    for (int i = 0; i < ROUNDS; i++) {
        sax[i] = time_all(parse_sax, files, scratch);
        page[i] = time_all(parse_page, files, scratch);
        ratio[i] = page[i] / sax[i];
    }
    qsort(sax, ROUNDS, sizeof(*sax), by_value);
    qsort(page, ROUNDS, sizeof(*page), by_value);
    qsort(ratio, ROUNDS, sizeof(*ratio), by_value);
    printf("%d pages, %.1f MB, %d rounds in turn, medians\n", files->nelts, (double)bytes / 1e6,
           ROUNDS);
    printf("libxml2 SAX alone   %7.1f MB/s\n", (double)bytes / 1e6 / sax[ROUNDS / 2]);
    printf("tmpl_page_parse     %7.1f MB/s\n", (double)bytes / 1e6 / page[ROUNDS / 2]);
    printf("time, page / SAX    %7.2f\n", ratio[ROUNDS / 2]);
    return 0;
}
