/* SPDX-License-Identifier: Apache-2.0 */
#include "shingle.h"

#include <stdlib.h>

#include "paper-words.h"

const shingle_opts_t shingle_opts_default = { .window = 10, .least = 2 };

/* The words of the window, in a ring. */
#define WINDOW_MOST 64

static uint64_t hash_window(const uint64_t *ring, uint32_t words, uint32_t window)
{
    uint64_t hash = 0;
    uint32_t n = words < window ? words : window;
    for (uint32_t i = 0; i < n; i++) {
        hash = XXH3_64bits_withSeed(&ring[(words - n + i) % window], sizeof(*ring), hash);
    }
    return hash;
}

uint64_t shingle_of(const tmpl_page_t *page, uint32_t first, uint32_t after, uint32_t window)
{
    uint64_t ring[WINDOW_MOST];
    uint64_t least = UINT64_MAX;
    uint32_t words = 0;
    window = window < WINDOW_MOST ? window : WINDOW_MOST;
    for (uint32_t s = first; s < after; s++) {
        paper_words_t scan = { .page = page, .segment = s };
        uint64_t word;
        while (paper_word_next(&scan, &word)) {
            ring[words++ % window] = word;
            if (words >= window) {
                uint64_t hash = hash_window(ring, words, window);
                least = hash < least ? hash : least;
            }
        }
    }
    return words < window ? hash_window(ring, words, window) : least;
}

/* A pagelet: a block of a page. */
typedef struct {
    uint64_t shingle;
    uint32_t page;
    uint32_t block;
} pagelet_t;

static int by_shingle(const void *a, const void *b)
{
    const pagelet_t *x = a;
    const pagelet_t *y = b;
    if (x->shingle != y->shingle) {
        return x->shingle < y->shingle ? -1 : 1;
    }
    return x->page < y->page ? -1 : x->page > y->page;
}

/* For each page, whether it is a copy of an earlier page; copies do not count. */
static unsigned char *find_copies(const tmpl_page_t *const *pages, uint32_t n, uint32_t window,
                                  apr_pool_t *pool)
{
    unsigned char *copy = apr_pcalloc(pool, n);
    pagelet_t *all = apr_palloc(pool, n * sizeof(*all));
    for (uint32_t i = 0; i < n; i++) {
        all[i] = (pagelet_t){ shingle_of(pages[i], 0, pages[i]->n_segments, window), i, 0 };
    }
    qsort(all, n, sizeof(*all), by_shingle);
    for (uint32_t i = 1; i < n; i++) {
        copy[all[i].page] = all[i].shingle == all[i - 1].shingle;
    }
    return copy;
}

static pagelet_t *find_pagelets(const tmpl_page_t *const *pages, uint32_t n, uint32_t window,
                                uint32_t *n_pagelets, apr_pool_t *pool)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += pages[i]->n_blocks;
    }
    pagelet_t *pagelets = apr_palloc(pool, (sum + 1) * sizeof(*pagelets));
    *n_pagelets = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t b = 0; b < pages[i]->n_blocks; b++) {
            const tmpl_block_t *block = &pages[i]->blocks[b];
            pagelets[(*n_pagelets)++] = (pagelet_t){
                shingle_of(pages[i], block->first_segment, block->after_segment, window), i, b
            };
        }
    }
    return pagelets;
}

/* The number of pages of a cluster, copies not counted; the cluster is sorted by page. */
static uint32_t pages_of(const pagelet_t *cluster, uint32_t n, const unsigned char *copy)
{
    uint32_t pages = 0;
    for (uint32_t i = 0; i < n; i++) {
        int is_new = i == 0 || cluster[i].page != cluster[i - 1].page;
        pages += is_new && !copy[cluster[i].page];
    }
    return pages;
}

void shingle_detect(tmpl_verdict_t *const *verdicts, const tmpl_page_t *const *pages, uint32_t n,
                    const shingle_opts_t *opts, apr_pool_t *pool)
{
    uint32_t n_pagelets;
    unsigned char *copy = find_copies(pages, n, opts->window, pool);
    pagelet_t *pagelets = find_pagelets(pages, n, opts->window, &n_pagelets, pool);
    qsort(pagelets, n_pagelets, sizeof(*pagelets), by_shingle);
    for (uint32_t first = 0, after; first < n_pagelets; first = after) {
        after = first + 1;
        while (after < n_pagelets && pagelets[after].shingle == pagelets[first].shingle) {
            after++;
        }
        int is_template = pages_of(&pagelets[first], after - first, copy) >= opts->least;
        for (uint32_t i = first; i < after; i++) {
            tmpl_verdict_t *verdict = &verdicts[pagelets[i].page][pagelets[i].block];
            verdict->template = (unsigned char)is_template;
            verdict->ratio = (float)is_template;
        }
    }
}
