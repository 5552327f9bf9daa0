/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A base URL, a page and a robots.txt, separated by a line feed and a NUL: addresses have one
 * spelling, sorting neither loses nor adds a link, and robots.txt is evaluated within the time
 * limit.
 */
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>

#include "methods/warm/warmup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds) {
        abort();
    }
}

/* An address that is parsed from its own URL is the same. */
static void try_address(const tmpl_address_t *address, apr_pool_t *pool)
{
    tmpl_address_t again;
    const char *url = tmpl_address_url(address, pool);
    must(address->uri[0] == '/');
    must(tmpl_address_parse(&again, url, NULL, NULL, pool) == APR_SUCCESS);
    must(strcmp(url, tmpl_address_url(&again, pool)) == 0);
    must(tmpl_address_same_host(address, &again));
}

static void try_page(const char *html, size_t len, const tmpl_address_t *address,
                     const tmpl_robots_t *robots, apr_pool_t *pool)
{
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { 0 };
    if (tmpl_page_parse(&page, html, len, &opts, pool) != TMPL_DECLINE_NONE) {
        return;
    }
    apr_array_header_t *links = tmpl_links(page, address, pool);
    unsigned char *seen = apr_pcalloc(pool, page->n_nodes);
    int n = links->nelts;
    for (int i = 0; i < n; i++) {
        tmpl_address_t to = *address;
        to.uri = APR_ARRAY_IDX(links, i, tmpl_link_t).uri;
        try_address(&to, pool);
        tmpl_robots_allow(robots, to.uri);
        seen[APR_ARRAY_IDX(links, i, tmpl_link_t).node]++;
    }
    tmpl_links_order(links, page, address->uri, n, pool);
    must(links->nelts == n);
    for (int i = 0; i < n; i++) {
        must(seen[APR_ARRAY_IDX(links, i, tmpl_link_t).node]-- == 1);
        must(i == 0 || tmpl_link_relevance(
                           tmpl_hyperlink_distance(address->uri,
                                                   APR_ARRAY_IDX(links, i - 1, tmpl_link_t).uri),
                           tmpl_hyperlink_distance(address->uri,
                                                   APR_ARRAY_IDX(links, i, tmpl_link_t).uri)) <= 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool;
    tmpl_address_t address;
    const char *text = (const char *)data;
    const char *line = memchr(text, '\n', size);
    const char *nul = memchr(text, '\0', size);
    apr_initialize();
    apr_pool_create(&pool, NULL);
    if (line != NULL && nul != NULL && line < nul) {
        const char *url = apr_pstrmemdup(pool, text, (apr_size_t)(line - text));
        const tmpl_robots_t *robots =
            tmpl_robots_parse(nul + 1, size - (size_t)(nul + 1 - text), "tmplctl", pool);
        if (tmpl_address_parse(&address, url, NULL, NULL, pool) == APR_SUCCESS) {
            try_address(&address, pool);
            try_page(line + 1, (size_t)(nul - line - 1), &address, robots, pool);
        }
    }
    apr_pool_destroy(pool);
    return 0;
}
