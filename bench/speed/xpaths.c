/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xpaths: time of XPath expressions that are hard for libxml2, on pages of 60 KB to 4 MB that are
 * hard for them. Prints for each expression the page that took longest. Fails if one takes
 * more than a second of CPU.
 */
#include <stdio.h>
#include <stdlib.h>

#include <apr_general.h>
#include <apr_strings.h>

#include "clean.h"
#include "dom/xpath.h"
#include "measure.h"
#include "nasty.h"

enum { N_XPATHS = sizeof(nasty_xpaths) / sizeof(*nasty_xpaths) };

typedef struct {
    double seconds;
    const char *page;
    apr_size_t size;
    unsigned taken; /* pages whose nodes were selected, of all */
} longest_t;

/* The tree of a page that mod_tmpl takes, or NULL. */
static xmlDoc *tree_of_kind(const kind_t *kind, apr_size_t size, apr_pool_t *pool)
{
    buffer_t b;
    tmpl_clean_opts_t opts = tmpl_clean_opts_default();
    tmpl_outcome_t outcome;
    tmpl_decoder_t decoder;
    tmpl_dom_opts_t dom = { .decoder = &decoder };
    kind_make(&b, kind, size);
    tmpl_input_t input = { .body = b.bytes, .len = b.len, .site = "s", .uri = "/" };
    if (!tmpl_clean_read(&outcome, &input, &opts, pool)) {
        printf("%s: declined as %s\n", kind->name, tmpl_decline_name(outcome.decline));
        return NULL;
    }
    tmpl_decoder_find(&decoder, b.bytes, b.len, NULL, pool);
    xmlDoc *doc = tmpl_dom(outcome.page, &dom, pool);
    if (doc == NULL) {
        printf("%s: the tree takes too much memory\n", kind->name);
    }
    return doc;
}

/* Measures all expressions on a page. */
static void measure_page(longest_t *longest, const kind_t *kind, apr_size_t size)
{
    apr_pool_t *pool;
    apr_pool_create(&pool, NULL);
    xmlDoc *doc = tree_of_kind(kind, size, pool);
    for (unsigned i = 0; doc != NULL && i < N_XPATHS; i++) {
        uint32_t *nodes, n;
        double begin = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        int taken = tmpl_xpath_select(&nodes, &n, nasty_xpaths[i], doc, pool);
        double took = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin;
        longest[i].taken += taken != 0;
        if (took >= longest[i].seconds) {
            longest[i].seconds = took;
            longest[i].page = kind->name;
            longest[i].size = size;
        }
    }
    apr_pool_destroy(pool);
}

int main(void)
{
    enum { N_PAGES = sizeof(nasty_pages) / sizeof(*nasty_pages), SIZES = 4, SMALLEST = 62500 };
    static longest_t longest[N_XPATHS];
    double most = 0;
    apr_initialize();
    for (unsigned k = 0; k < N_PAGES * SIZES; k++) {
        measure_page(longest, &nasty_pages[k / SIZES], SMALLEST << 2 * (k % SIZES));
    }
    for (unsigned i = 0; i < N_XPATHS; i++) {
        printf("%7.1f ms on %7zu bytes of %-20s %2u of %u pages taken  %s\n",
               longest[i].seconds * 1e3, longest[i].size, longest[i].page, longest[i].taken,
               N_PAGES * SIZES, nasty_xpaths[i]);
        most = longest[i].seconds > most ? longest[i].seconds : most;
    }
    return most > 1;
}
