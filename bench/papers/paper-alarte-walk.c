/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paper-alarte-walk ROOT PAGES OUT < KEYS: Algorithm 2 of Alarte et al. from each key page of a
 * site whose pages are files below ROOT; "/a/" is "/a/index.html". PAGES lists the addresses of the
 * site's pages, for random draws. KEYS has lines of a name and an address, separated by a tab.
 * Links to pages that do not exist are removed first.
 *
 * For each size n of subdigraph, 1 to SIZES, the key page is annotated with the pages that were
 * loaded until the subdigraph was found, and written to OUT/WAY-n/NAME.html. Prints a line for each
 * n: NAME n SIZE LOADS LOADS_ON. SIZE is the size of the subdigraph found, LOADS the number of
 * loads (including the key page), LOADS_ON the number of loads of the way "on". The ways:
 *   all     a segment is template if it is on every page of the subdigraph
 *   df      a segment is template if it is on MIN_DF of the loaded pages
 *   admit   a segment is template if "all" or "df" says so
 *   on      the rule of "df", on the pages that tmplctl warm loads: it goes on after the subdigraph
 *           until every segment of all pages of the subdigraph is on MIN_DF of the loaded pages
 *   random  the rule of "df", on as many random pages as "on" loads, including the key page
 *   nrandom the rule of "all", on n random pages
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
#include "methods/warm/warmup.h"

#define SIZES      8
#define MIN_DF     5
#define RATIO      0.7
#define WARM_LOADS 40 /* tmplctl warm's default */

/* A page that was read. */
typedef struct {
    apr_array_header_t *links; /* array of tmpl_link_t */
    uint64_t *keys;            /* sorted */
    uint32_t n_keys;
    uint64_t text;
} loaded_t;

static struct {
    const char *root, *out;
    apr_array_header_t *pages; /* array of const char *: addresses */
    apr_hash_t *loaded;        /* address -> loaded_t; &nowhere: no such page */
    apr_pool_t *pool;
} site;

static const loaded_t nowhere;

static const char *const names[] = { "all", "df", "admit", "on", "random", "nrandom" };

#define N_WAYS ((int)(sizeof(names) / sizeof(names[0])))

static void die(const char *what, const char *name)
{
    fprintf(stderr, "paper-alarte-walk: %s: %s\n", what, name);
    exit(2);
}

/* The bytes of an address; NULL if there is no such file. */
static char *read_page(apr_size_t *len, const char *uri, apr_pool_t *pool)
{
    apr_finfo_t info;
    char *name = apr_pstrdup(pool, uri);
    name[strcspn(name, "?")] = '\0';
    char *to = name;
    for (const char *p = name; *p != '\0'; p++) {
        unsigned byte;
        if (*p == '%' && sscanf(p + 1, "%2x", &byte) == 1) {
            *to++ = (char)byte;
            p += 2;
        }
        else {
            *to++ = *p;
        }
    }
    *to = '\0';
    const char *path = apr_pstrcat(pool, site.root, name, NULL);
    if (apr_stat(&info, path, APR_FINFO_TYPE, pool) == APR_SUCCESS && info.filetype == APR_DIR) {
        path = apr_pstrcat(pool, path, "/index.html", NULL);
    }
    return read_file(len, path, pool);
}

static int by_value(const void *a, const void *b)
{
    uint64_t p = *(const uint64_t *)a;
    uint64_t q = *(const uint64_t *)b;
    return (p > q) - (p < q);
}

static int has_key(const loaded_t *page, uint64_t key)
{
    return page->n_keys > 0 &&
           bsearch(&key, page->keys, page->n_keys, sizeof(key), by_value) != NULL;
}

/* The address of a page of the site: hosts and ports do not matter here. */
static tmpl_address_t address_of(const char *uri)
{
    return (tmpl_address_t){ "http", "localhost", 80, uri };
}

/* The page of an address, read once; &nowhere if there is none, or the parser declines it. */
static const loaded_t *load(const char *uri)
{
    const loaded_t *known = apr_hash_get(site.loaded, uri, APR_HASH_KEY_STRING);
    if (known != NULL) {
        return known;
    }
    apr_pool_t *scratch;
    apr_size_t len = 0;
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { 0 };
    apr_pool_create(&scratch, site.pool);
    char *bytes = read_page(&len, uri, scratch);
    known = &nowhere;
    if (bytes != NULL && tmpl_page_parse(&page, bytes, len, &opts, scratch) == TMPL_DECLINE_NONE) {
        loaded_t *new = apr_pcalloc(site.pool, sizeof(*new));
        tmpl_address_t address = address_of(uri);
        apr_array_header_t *links = tmpl_links(page, &address, scratch);
        tmpl_links_order(links, page, uri, TMPL_SUBDIGRAPH_LINKS_MOST, scratch);
        new->links = apr_array_make(site.pool, links->nelts, sizeof(tmpl_link_t));
        for (int i = 0; i < links->nelts; i++) {
            tmpl_link_t link = APR_ARRAY_IDX(links, i, tmpl_link_t);
            link.id = apr_pstrdup(site.pool, link.id);
            link.uri = apr_pstrdup(site.pool, link.uri);
            APR_ARRAY_PUSH(new->links, tmpl_link_t) = link;
        }
        new->n_keys = page->n_keys;
        new->keys = apr_pmemdup(site.pool, page->keys, page->n_keys * sizeof(uint64_t));
        new->text = page->text;
        qsort(new->keys, new->n_keys, sizeof(uint64_t), by_value);
        known = new;
    }
    apr_pool_destroy(scratch);
    apr_hash_set(site.loaded, apr_pstrdup(site.pool, uri), APR_HASH_KEY_STRING, known);
    return known;
}

/* A walk from a key page, and its state when a subdigraph of each size was found. */
typedef struct {
    const char *name;
    const char *uri;
    const tmpl_page_t *page;
    const loaded_t **pages; /* in the order of loading, the key page first */
    int n_pages;
    int loads[SIZES + 1];
    const loaded_t *found[SIZES + 1][SIZES];
    apr_pool_t *pool;
} walk_t;

/* Whether a page is the same document as a loaded page: it has the same keys. */
static int is_known(const walk_t *walk, const loaded_t *page)
{
    for (int i = 0; i < walk->n_pages; i++) {
        if (walk->pages[i]->text == page->text) {
            return 1;
        }
    }
    return 0;
}

/* Removes links to pages that do not exist. */
static void keep_what_is_there(apr_array_header_t *links)
{
    int n = 0;
    for (int i = 0; i < links->nelts; i++) {
        tmpl_link_t link = APR_ARRAY_IDX(links, i, tmpl_link_t);
        if (load(link.uri) != &nowhere) {
            APR_ARRAY_IDX(links, n++, tmpl_link_t) = link;
        }
    }
    links->nelts = n;
}

/* Algorithm 2 for all sizes at once: a subdigraph of n pages is found before one of n + 1. */
static void follow(walk_t *walk)
{
    tmpl_address_t address = address_of(walk->uri);
    apr_array_header_t *links = tmpl_links(walk->page, &address, walk->pool);
    keep_what_is_there(links);
    tmpl_links_order(links, walk->page, walk->uri, TMPL_SUBDIGRAPH_LINKS_MOST, walk->pool);
    tmpl_subdigraph_t *graph = tmpl_subdigraph_make(links, SIZES, walk->pool);
    walk->pages = apr_palloc(walk->pool, (apr_size_t)(links->nelts + 1) * sizeof(*walk->pages));
    walk->pages[walk->n_pages++] = load(walk->uri);
    uint32_t size = 0;
    for (int i = 0; i < links->nelts; i++) {
        const loaded_t *page = load(APR_ARRAY_IDX(links, i, tmpl_link_t).uri);
        uint32_t n = size;
        const uint32_t *best = NULL;
        if (is_known(walk, page)) {
            page = &nowhere;
        }
        else {
            tmpl_subdigraph_add(graph, (uint32_t)i, page->links);
            best = tmpl_subdigraph_best(graph, &n);
        }
        walk->pages[walk->n_pages++] = page;
        for (; size < n; size++) {
            walk->loads[size + 1] = walk->n_pages;
            for (uint32_t k = 0; k < n; k++) {
                walk->found[size + 1][k] =
                    load(APR_ARRAY_IDX(links, (int)best[k], tmpl_link_t).uri);
            }
        }
    }
}

/* The number of the n pages that have a key. */
static uint32_t df_of(const loaded_t *const *pages, int n, uint64_t key)
{
    uint32_t df = 0;
    for (int i = 0; i < n; i++) {
        df += (uint32_t)has_key(pages[i], key);
    }
    return df;
}

static void write_file(const char *path, const char *bytes, apr_size_t len, apr_pool_t *pool)
{
    apr_file_t *file;
    if (apr_file_open(&file, path, APR_FOPEN_WRITE | APR_FOPEN_CREATE | APR_FOPEN_TRUNCATE,
                      APR_FPROT_OS_DEFAULT, pool) != APR_SUCCESS ||
        apr_file_write_full(file, bytes, len, NULL) != APR_SUCCESS) {
        die("cannot write", path);
    }
    apr_file_close(file);
}

/* Annotates the key page by records and writes it. */
static void judge(const walk_t *walk, const char *way, int n, const tmpl_record_t *records)
{
    const tmpl_page_t *page = walk->page;
    tmpl_clean_opts_t opts = tmpl_clean_opts_default();
    tmpl_verdict_t *verdicts = apr_palloc(walk->pool, page->n_blocks * sizeof(*verdicts));
    tmpl_closure_t closure;
    tmpl_edits_t edits;
    apr_size_t len;
    tmpl_detect_incremental(verdicts, page, records, MIN_DF, RATIO);
    tmpl_closure(&closure, page, verdicts, &opts.guards, TMPL_NODE_MARK, NULL, walk->pool);
    tmpl_annotate(&edits, page, &closure, NULL, walk->pool);
    const char *bytes = tmpl_edits_apply(&len, &edits, page->src, page->len, walk->pool);
    const char *dir = apr_psprintf(walk->pool, "%s/%s-%d", site.out, way, n);
    apr_dir_make_recursive(dir, APR_FPROT_OS_DEFAULT, walk->pool);
    write_file(apr_pstrcat(walk->pool, dir, "/", walk->name, ".html", NULL), bytes, len,
               walk->pool);
}

/*
 * Loads the pages that tmplctl warm would load, and adds to df for each key of the key page.
 * Returns the number of loads, including the key page.
 */
static int warm_up(const walk_t *walk, int size, uint32_t *df)
{
    tmpl_warmup_opts_t opts = { (uint32_t)size, WARM_LOADS, MIN_DF, NULL };
    tmpl_address_t address = address_of(walk->uri);
    tmpl_warmup_t *warmup = tmpl_warmup_begin(walk->page, &address, &opts, walk->pool);
    apr_hash_t *texts = apr_hash_make(walk->pool);
    int loads = 1;
    apr_hash_set(texts, &walk->page->text, sizeof(uint64_t), "");
    for (const char *next; (next = tmpl_warmup_next(warmup)) != NULL;) {
        const loaded_t *page = load(next);
        if (page == &nowhere) {
            continue;
        }
        loads++;
        tmpl_warmup_add(warmup, page->links, page->keys, page->n_keys, page->text);
        if (apr_hash_get(texts, &page->text, sizeof(uint64_t)) == NULL) {
            apr_hash_set(texts, &page->text, sizeof(uint64_t), "");
            for (uint32_t k = 0; k < walk->page->n_keys; k++) {
                df[k] += (uint32_t)has_key(page, walk->page->keys[k]);
            }
        }
    }
    return loads;
}

/* Draws n random pages of the site, each once and without the key page. */
static const loaded_t **draw(const walk_t *walk, int n, unsigned *seed)
{
    const loaded_t **drawn = apr_palloc(walk->pool, (apr_size_t)n * sizeof(*drawn));
    for (int i = 0, tries = 0; i < n; tries++) {
        int at = rand_r(seed) % site.pages->nelts;
        drawn[i] = load(APR_ARRAY_IDX(site.pages, at, const char *));
        int again = drawn[i] == &nowhere || drawn[i]->text == walk->pages[0]->text;
        for (int k = 0; k < i; k++) {
            again |= drawn[k] == drawn[i];
        }
        i += !again || tries > 100 * n;
    }
    return drawn;
}

static void judge_all(const walk_t *walk, int n, unsigned *seed)
{
    int size = n;
    while (size > 0 && walk->loads[size] == 0) {
        size--;
    }
    const tmpl_page_t *page = walk->page;
    /* the paper's loads: if no subdigraph of n pages was found, all links were followed */
    int loads = size == n ? walk->loads[n] : walk->n_pages;
    const loaded_t *const *found = walk->found[size];
    uint32_t *warm = apr_palloc(walk->pool, page->n_keys * sizeof(*warm));
    tmpl_record_t *ways[N_WAYS];
    for (int w = 0; w < N_WAYS; w++) {
        ways[w] = apr_pcalloc(walk->pool, page->n_keys * sizeof(tmpl_record_t));
    }
    for (uint32_t k = 0; k < page->n_keys; k++) {
        warm[k] = 1; /* the key page counts */
    }
    int on = warm_up(walk, n, warm);
    const loaded_t **drawn = draw(walk, on - 1 > n ? on - 1 : n, seed);
    for (uint32_t k = 0; k < page->n_keys; k++) {
        uint64_t key = page->keys[k];
        uint32_t df = df_of(walk->pages, loads, key);
        int shared = size > 0 && df_of(found, size, key) == (uint32_t)size;
        ways[0][k].df = shared ? MIN_DF : 0;
        ways[1][k].df = df;
        ways[2][k].df = shared && df < MIN_DF ? MIN_DF : df;
        ways[3][k].df = warm[k];
        ways[4][k].df = 1 + df_of(drawn, on - 1, key);
        ways[5][k].df = df_of(drawn, n, key) == (uint32_t)n ? MIN_DF : 0;
    }
    for (int w = 0; w < N_WAYS; w++) {
        judge(walk, names[w], n, ways[w]);
    }
    printf("%s\t%d\t%d\t%d\t%d\n", walk->name, n, size, loads, on);
}

static void key_page(const char *name, const char *uri)
{
    walk_t walk = { .name = name, .uri = uri };
    apr_size_t len = 0;
    tmpl_page_opts_t opts = { 0 };
    unsigned seed = 1;
    apr_pool_create(&walk.pool, site.pool);
    char *bytes = read_page(&len, uri, walk.pool);
    if (bytes == NULL) {
        die("no such page", uri);
    }
    if (tmpl_page_parse(&walk.page, bytes, len, &opts, walk.pool) == TMPL_DECLINE_NONE) {
        follow(&walk);
        for (int n = 1; n <= SIZES; n++) {
            judge_all(&walk, n, &seed);
        }
    }
    apr_pool_destroy(walk.pool);
}

int main(int argc, char **argv)
{
    char line[8192];
    apr_initialize();
    apr_pool_create(&site.pool, NULL);
    FILE *list = argc == 4 ? fopen(argv[2], "r") : NULL;
    if (list == NULL) {
        fprintf(stderr, "usage: paper-alarte-walk ROOT PAGES OUT < KEYS\n");
        return 2;
    }
    site.root = argv[1];
    site.out = argv[3];
    site.loaded = apr_hash_make(site.pool);
    site.pages = apr_array_make(site.pool, 1000, sizeof(const char *));
    while (fgets(line, sizeof(line), list) != NULL) {
        APR_ARRAY_PUSH(site.pages, const char *) =
            apr_pstrmemdup(site.pool, line, strcspn(line, "\n"));
    }
    fclose(list);
    while (fgets(line, sizeof(line), stdin) != NULL) {
        char *tab = strchr(line, '\t');
        if (tab == NULL) {
            die("no tab", line);
        }
        *tab = '\0';
        tab[1 + strcspn(tab + 1, "\n")] = '\0';
        key_page(line, tab + 1);
    }
    apr_pool_destroy(site.pool);
    return 0;
}
