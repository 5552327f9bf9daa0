/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/warm/warmup.h"

#include <string.h>

#include <apr_hash.h>

/* The most steps of the search after one page. */
#define MAX_STEPS 1000000

struct tmpl_subdigraph_t {
    uint32_t size;
    uint32_t n;        /* links */
    uint32_t *indices; /* 0, 1, 2, ...: the values of ids */
    apr_hash_t *ids;   /* of the links, each with its index */
    unsigned char *to; /* [i * n + j]: page i was added and links to page j */
    uint32_t *loaded;  /* the paper's processedLinks */
    uint32_t n_loaded;
    uint32_t best[TMPL_SUBDIGRAPH_SIZE_MOST];
    uint32_t n_best;
};

/* The search for complete subdigraphs with the page that was added last. */
typedef struct {
    tmpl_subdigraph_t *graph;
    uint32_t members[TMPL_SUBDIGRAPH_SIZE_MOST];
    uint32_t n;
    uint32_t steps;
} search_t;

tmpl_subdigraph_t *tmpl_subdigraph_make(const apr_array_header_t *links, uint32_t size,
                                        apr_pool_t *pool)
{
    tmpl_subdigraph_t *graph = apr_pcalloc(pool, sizeof(*graph));
    graph->size = size;
    graph->n = (uint32_t)links->nelts;
    graph->ids = apr_hash_make(pool);
    graph->indices = apr_palloc(pool, graph->n * sizeof(uint32_t));
    graph->loaded = apr_palloc(pool, graph->n * sizeof(uint32_t));
    graph->to = apr_pcalloc(pool, (apr_size_t)graph->n * graph->n);
    for (uint32_t i = 0; i < graph->n; i++) {
        graph->indices[i] = i;
        apr_hash_set(graph->ids, APR_ARRAY_IDX(links, i, tmpl_link_t).id, APR_HASH_KEY_STRING,
                     &graph->indices[i]);
    }
    return graph;
}

static int link_each_other(const tmpl_subdigraph_t *graph, uint32_t i, uint32_t j)
{
    return graph->to[(apr_size_t)i * graph->n + j] && graph->to[(apr_size_t)j * graph->n + i];
}

static int linked_to_all(const search_t *search, uint32_t page)
{
    for (uint32_t i = 0; i < search->n; i++) {
        if (!link_each_other(search->graph, search->members[i], page)) {
            return 0;
        }
    }
    return 1;
}

/*
 * Tries to add loaded pages to the members, from index at on; those before at were tried already.
 * Ends once size pages are found (the paper's incremental argument).
 */
static void grow(search_t *search, uint32_t at)
{
    tmpl_subdigraph_t *graph = search->graph;
    if (search->n > graph->n_best) {
        /* the first member was added last */
        memcpy(graph->best, search->members + 1, (search->n - 1) * sizeof(uint32_t));
        graph->best[search->n - 1] = search->members[0];
        graph->n_best = search->n;
    }
    for (; at < graph->n_loaded; at++) {
        if (graph->n_best == graph->size || search->steps >= MAX_STEPS ||
            search->n + (graph->n_loaded - at) <= graph->n_best) {
            return;
        }
        search->steps++;
        if (linked_to_all(search, graph->loaded[at])) {
            search->members[search->n++] = graph->loaded[at];
            grow(search, at + 1);
            search->n--;
        }
    }
}

int tmpl_subdigraph_add(tmpl_subdigraph_t *graph, uint32_t i, const apr_array_header_t *its)
{
    search_t search = { .graph = graph, .members = { i }, .n = 1 };
    for (int k = 0; k < its->nelts; k++) {
        const uint32_t *j =
            apr_hash_get(graph->ids, APR_ARRAY_IDX(its, k, tmpl_link_t).id, APR_HASH_KEY_STRING);
        if (j != NULL) {
            graph->to[(apr_size_t)i * graph->n + *j] = 1;
        }
    }
    grow(&search, 0);
    graph->loaded[graph->n_loaded++] = i;
    return graph->n_best == graph->size;
}

const uint32_t *tmpl_subdigraph_best(const tmpl_subdigraph_t *graph, uint32_t *n)
{
    *n = graph->n_best;
    return graph->best;
}
