/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paper-alarte-passing OUT < PAGES: the gain if segments were admitted early by the links of pages
 * that pass, without loading pages. PAGES has a line for each page in the order of passing: NAME,
 * address, file, separated by tabs. Each page is judged by DF alone and written to OUT/0/NAME.html.
 * For each n from 2 to SIZES the page is judged with a second rule, too, and written to
 * OUT/n/NAME.html: a segment is also template if it is on all n pages of a complete subdigraph of
 * the pages that have passed. Prints for each page its name and, for each n, the number of such
 * subdigraphs that the page has completed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_file_io.h>
#include <apr_general.h>
#include <apr_hash.h>
#include <apr_strings.h>

#include "clean.h"
#include "detect/detector.h"
#include "read_file.h"
#include "address/address.h"
#include "methods/warm/warmup.h"

static tmpl_clean_opts_t presets;

#define SIZES      4
#define MIN_DF     5
#define RATIO      0.7
#define MOST_PAGES 500
#define MOST_FOUND 1000 /* at most so many subdigraphs of a size are counted for a page */

/* A page that has passed. */
typedef struct {
    const char *id;
    apr_hash_t *links; /* set of ids */
    apr_hash_t *keys;
} passed_t;

static struct {
    passed_t pages[MOST_PAGES];
    int n;
    apr_hash_t *df;                  /* key -> uint32_t */
    apr_hash_t *admitted[SIZES + 1]; /* for each size, the keys admitted */
    const char *out;
    apr_pool_t *pool;
} site;

static void die(const char *what, const char *name)
{
    fprintf(stderr, "paper-alarte-passing: %s: %s\n", what, name);
    exit(2);
}

/* "/a/index.html" and "/a/" are one page. */
static const char *short_id(const char *id)
{
    apr_size_t len = strlen(id);
    return len >= 11 && strcmp(id + len - 11, "/index.html") == 0
               ? apr_pstrmemdup(site.pool, id, len - 10)
               : id;
}

static int linked(const passed_t *a, const passed_t *b)
{
    return apr_hash_get(a->links, b->id, APR_HASH_KEY_STRING) != NULL &&
           apr_hash_get(b->links, a->id, APR_HASH_KEY_STRING) != NULL;
}

/* Admits the keys that are on all n members. */
static void admit(const int *members, int n)
{
    const passed_t *first = &site.pages[members[0]];
    for (apr_hash_index_t *i = apr_hash_first(NULL, first->keys); i != NULL; i = apr_hash_next(i)) {
        const void *key;
        int on = 1;
        apr_hash_this(i, &key, NULL, NULL);
        for (int m = 1; m < n && on; m++) {
            on = apr_hash_get(site.pages[members[m]].keys, key, sizeof(uint64_t)) != NULL;
        }
        if (on) {
            apr_hash_set(site.admitted[n], key, sizeof(uint64_t), "");
        }
    }
}

/*
 * Finds the complete subdigraphs of size pages: the n members and pages with numbers from at on.
 * Admits their keys; returns found plus their number.
 */
static int grow(int *members, int n, int size, int at, int found)
{
    if (n == size) {
        admit(members, n);
        return found + 1;
    }
    for (; at < site.n - 1 && found < MOST_FOUND; at++) {
        int all = 1;
        for (int m = 0; m < n && all; m++) {
            all = linked(&site.pages[members[m]], &site.pages[at]);
        }
        if (all) {
            members[n] = at;
            found = grow(members, n + 1, size, at + 1, found);
        }
    }
    return found;
}

static void judge(const tmpl_page_t *page, const char *name, int n, apr_pool_t *pool)
{
    tmpl_record_t *records = apr_pcalloc(pool, page->n_keys * sizeof(*records));
    tmpl_verdict_t *verdicts = apr_palloc(pool, page->n_blocks * sizeof(*verdicts));
    tmpl_closure_t closure;
    tmpl_edits_t edits;
    apr_size_t len;
    for (uint32_t k = 0; k < page->n_keys; k++) {
        const uint32_t *df = apr_hash_get(site.df, &page->keys[k], sizeof(uint64_t));
        int early = apr_hash_get(site.admitted[n], &page->keys[k], sizeof(uint64_t)) != NULL;
        records[k].df = early && *df < MIN_DF ? MIN_DF : *df;
    }
    tmpl_detect_incremental(verdicts, page, records, MIN_DF, RATIO);
    tmpl_closure(&closure, page, verdicts, &presets.guards, TMPL_NODE_MARK, NULL, pool);
    tmpl_annotate(&edits, page, &closure, NULL, pool);
    const char *bytes = tmpl_edits_apply(&len, &edits, page->src, page->len, pool);
    const char *dir = apr_psprintf(pool, "%s/%d", site.out, n);
    const char *path = apr_pstrcat(pool, dir, "/", name, ".html", NULL);
    apr_file_t *file;
    apr_dir_make_recursive(dir, APR_FPROT_OS_DEFAULT, pool);
    if (apr_file_open(&file, path, APR_FOPEN_WRITE | APR_FOPEN_CREATE | APR_FOPEN_TRUNCATE,
                      APR_FPROT_OS_DEFAULT, pool) != APR_SUCCESS ||
        apr_file_write_full(file, bytes, len, NULL) != APR_SUCCESS) {
        die("cannot write", path);
    }
    apr_file_close(file);
}

/* Keeps the links and the keys of a page that passes, and counts its keys in df. */
static void take(const tmpl_page_t *page, const char *uri)
{
    passed_t *passed = &site.pages[site.n++];
    tmpl_address_t address = { "http", "localhost", 80, uri };
    apr_array_header_t *links = tmpl_links(page, &address, site.pool);
    passed->id = short_id(tmpl_uri_identity(uri, site.pool));
    passed->links = apr_hash_make(site.pool);
    passed->keys = apr_hash_make(site.pool);
    for (int i = 0; i < links->nelts; i++) {
        apr_hash_set(passed->links, short_id(APR_ARRAY_IDX(links, i, tmpl_link_t).id),
                     APR_HASH_KEY_STRING, "");
    }
    for (uint32_t k = 0; k < page->n_keys; k++) {
        uint32_t *df = apr_hash_get(site.df, &page->keys[k], sizeof(uint64_t));
        if (df == NULL) {
            df = apr_pcalloc(site.pool, sizeof(*df));
            apr_hash_set(site.df, &page->keys[k], sizeof(uint64_t), df);
        }
        (*df)++;
        apr_hash_set(passed->keys, &page->keys[k], sizeof(uint64_t), "");
    }
}

static void pass(const char *name, const char *uri, const char *path)
{
    const tmpl_page_t *page;
    apr_size_t len;
    tmpl_page_opts_t opts = { 0 };
    const char *bytes = need_file(&len, path, site.pool);
    if (tmpl_page_parse(&page, bytes, len, &opts, site.pool) != TMPL_DECLINE_NONE) {
        return;
    }
    take(page, uri);
    printf("%s", name);
    for (int n = 2; n <= SIZES; n++) {
        int members[SIZES] = { site.n - 1 };
        printf("\t%d", grow(members, 1, n, 0, 0));
    }
    printf("\n");
    judge(page, name, 0, site.pool);
    for (int n = 2; n <= SIZES; n++) {
        judge(page, name, n, site.pool);
    }
}

int main(int argc, char **argv)
{
    char line[8192];
    if (argc != 2) {
        fprintf(stderr, "usage: paper-alarte-passing OUT < PAGES\n");
        return 2;
    }
    presets = tmpl_clean_opts_default();
    apr_initialize();
    apr_pool_create(&site.pool, NULL);
    site.out = argv[1];
    site.df = apr_hash_make(site.pool);
    for (int n = 0; n <= SIZES; n++) {
        site.admitted[n] = apr_hash_make(site.pool);
    }
    while (site.n < MOST_PAGES && fgets(line, sizeof(line), stdin) != NULL) {
        char *state;
        char *name = apr_strtok(line, "\t", &state);
        char *uri = apr_strtok(NULL, "\t", &state);
        char *path = apr_strtok(NULL, "\n", &state);
        if (path == NULL) {
            die("three fields are needed", line);
        }
        pass(apr_pstrdup(site.pool, name), apr_pstrdup(site.pool, uri), path);
    }
    apr_pool_destroy(site.pool);
    return 0;
}
