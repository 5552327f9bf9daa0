/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/warm/warmup.h"

#include <stdlib.h>
#include <string.h>

#include <apr_cstr.h>
#include <apr_hash.h>

#include "address/address.h"
#include "html/attr.h"
#include "text/decode.h"

/* Extensions of files that are not pages. */
static const char *const not_pages[] = {
    "7z",  "atom", "avi",  "bmp", "bz2",  "css", "csv",  "deb",  "dmg",  "doc",   "docx",
    "eps", "epub", "exe",  "gif", "gz",   "ico", "iso",  "jar",  "jpeg", "jpg",   "js",
    "m4a", "m4v",  "mov",  "mp3", "mp4",  "mpg", "mpeg", "msi",  "odp",  "ods",   "odt",
    "ogg", "ogv",  "pdf",  "png", "pps",  "ppt", "pptx", "ps",   "rar",  "rpm",   "rss",
    "svg", "tar",  "tgz",  "tif", "tiff", "txt", "wav",  "webm", "webp", "woff2", "wmv",
    "xls", "xlsx", "json", "xml", "xz",   "zip",
};

static int is_not_page(const char *uri)
{
    apr_size_t len = strcspn(uri, "?");
    apr_size_t dot = len;
    while (dot > 0 && uri[dot - 1] != '.' && uri[dot - 1] != '/') {
        dot--;
    }
    if (dot == 0 || uri[dot - 1] != '.') {
        return 0;
    }
    for (apr_size_t i = 0; i < sizeof(not_pages) / sizeof(not_pages[0]); i++) {
        if (strlen(not_pages[i]) == len - dot &&
            apr_cstr_casecmpn(not_pages[i], uri + dot, len - dot) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The base of the page's links: HTML5, 2.4.3. */
static tmpl_address_t base_of(const tmpl_page_t *page, const tmpl_address_t *address,
                              apr_pool_t *pool)
{
    tmpl_address_t base;
    const char *href = tmpl_value_decode(page->src, page->base, pool);
    return tmpl_address_parse(&base, href, address, NULL, pool) == APR_SUCCESS ? base : *address;
}

apr_array_header_t *tmpl_links(const tmpl_page_t *page, const tmpl_address_t *address,
                               apr_pool_t *pool)
{
    apr_array_header_t *links = apr_array_make(pool, 64, sizeof(tmpl_link_t));
    apr_hash_t *seen = apr_hash_make(pool);
    tmpl_address_t base = base_of(page, address, pool);
    apr_hash_set(seen, tmpl_uri_identity(address->uri, pool), APR_HASH_KEY_STRING, "");
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        tmpl_attr_t href;
        tmpl_address_t to;
        if (node->tag != TMPL_TAG_A || (node->flags & TMPL_NODE_QUIET) ||
            !tmpl_attr_find(&href, page->src, node->open, "href") ||
            tmpl_address_parse(&to, tmpl_value_decode(page->src, href.value, pool), &base, NULL,
                               pool) != APR_SUCCESS ||
            !tmpl_address_same_host(&to, address) || is_not_page(to.uri)) {
            continue;
        }
        const char *id = tmpl_uri_identity(to.uri, pool);
        if (apr_hash_get(seen, id, APR_HASH_KEY_STRING) == NULL) {
            apr_hash_set(seen, id, APR_HASH_KEY_STRING, "");
            APR_ARRAY_PUSH(links, tmpl_link_t) = (tmpl_link_t){ to.uri, id, i };
        }
    }
    return links;
}

/* --- distances --- */

/* The length of the directory at path with its '/'; 0 if there is none. */
static size_t directory_len(const char *path)
{
    size_t len = strcspn(path, "/?");
    return path[len] == '/' ? len + 1 : 0;
}

static int count_directories(const char *path)
{
    int n = 0;
    for (size_t len; (len = directory_len(path)) > 0; path += len) {
        n++;
    }
    return n;
}

int tmpl_hyperlink_distance(const char *from, const char *to)
{
    size_t len;
    from += from[0] == '/';
    to += to[0] == '/';
    while ((len = directory_len(from)) > 0 && strncmp(from, to, len) == 0) {
        from += len;
        to += len;
    }
    /* the rest of from is the paper's h1, or h if nothing is shared */
    int above = count_directories(from);
    return above > 0 ? -above : count_directories(to);
}

int tmpl_link_relevance(int a, int b)
{
    if ((a < 0) != (b < 0)) {
        return a < 0 ? 1 : -1;
    }
    int near = a < 0 ? -a : a;
    int far = b < 0 ? -b : b;
    return (near > far) - (near < far);
}

uint32_t tmpl_dom_distance(const tmpl_page_t *page, uint32_t a, uint32_t b)
{
    uint32_t edges = 0;
    while (a != b) {
        /* parents come before their children, so the later node is not an ancestor of the other */
        uint32_t *later = a > b ? &a : &b;
        *later = page->nodes[*later].parent;
        edges++;
    }
    return edges;
}

/* --- the order --- */

/* A link to be sorted. */
typedef struct {
    tmpl_link_t link;
    int distance;     /* hyperlink distance from the key page */
    uint32_t nearest; /* DOM distance to the nearest taken link of equal relevance */
} links_ranked_t;

static int by_relevance(const void *a, const void *b)
{
    const links_ranked_t *p = a;
    const links_ranked_t *q = b;
    int order = tmpl_link_relevance(p->distance, q->distance);
    return order != 0 ? order : (p->link.node > q->link.node) - (p->link.node < q->link.node);
}

/* Moves the link farthest from those taken to the front of n links of equal relevance. */
static void take_farthest(links_ranked_t *ranked, int n, const tmpl_page_t *page)
{
    int farthest = 0;
    for (int i = 1; i < n; i++) {
        if (ranked[i].nearest > ranked[farthest].nearest) {
            farthest = i;
        }
    }
    links_ranked_t taken = ranked[farthest];
    memmove(ranked + 1, ranked, (size_t)farthest * sizeof(*ranked));
    ranked[0] = taken;
    for (int i = 1; i < n; i++) {
        uint32_t distance = tmpl_dom_distance(page, taken.link.node, ranked[i].link.node);
        if (distance < ranked[i].nearest) {
            ranked[i].nearest = distance;
        }
    }
}

void tmpl_links_order(apr_array_header_t *links, const tmpl_page_t *page, const char *uri, int most,
                      apr_pool_t *pool)
{
    int n = links->nelts;
    links_ranked_t *ranked = apr_palloc(pool, (apr_size_t)n * sizeof(*ranked));
    for (int i = 0; i < n; i++) {
        tmpl_link_t link = APR_ARRAY_IDX(links, i, tmpl_link_t);
        ranked[i] = (links_ranked_t){ link, tmpl_hyperlink_distance(uri, link.uri), UINT32_MAX };
    }
    qsort(ranked, (size_t)n, sizeof(*ranked), by_relevance);
    if (n > most) {
        links->nelts = most;
    }
    for (int i = 0, end = 0; i < links->nelts; i++) {
        while (end <= i || (end < n && ranked[end].distance == ranked[i].distance)) {
            end++;
        }
        take_farthest(ranked + i, end - i, page);
        APR_ARRAY_IDX(links, i, tmpl_link_t) = ranked[i].link;
    }
}
