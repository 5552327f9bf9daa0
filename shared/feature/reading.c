/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/reading.h"

/* Takes n numbers from the room. */
static uint32_t *take_numbers(uint32_t **room, size_t n)
{
    uint32_t *taken = *room;
    *room += n;
    return taken;
}

static unsigned char *take_small(unsigned char **room, size_t n)
{
    unsigned char *taken = *room;
    *room += n;
    return taken;
}

/* Memory for all that is kept of blocks, nodes and keys, in one piece that can be used again. */
static void make_columns(tmpl_reading_t *reading, apr_pool_t *pool)
{
    const tmpl_page_t *page = reading->page;
    size_t sums = page->n_blocks + 1 + 2 * TMPL_BEYOND;
    size_t small = TMPL_SMALL_COLUMNS * page->n_blocks;
    size_t n = sizeof(tmpl_before_t) / sizeof(uint32_t *) * sums + page->n_nodes;
    uint32_t *room = apr_palloc(pool, n * sizeof(*room) + small + page->n_blocks + page->n_keys);
#define TMPL_SUM(name) reading->before.name = take_numbers(&room, sums) + TMPL_BEYOND;
    TMPL_SUMS(TMPL_SUM)
#undef TMPL_SUM
    reading->context = take_numbers(&room, page->n_nodes);
    unsigned char *bytes = (unsigned char *)room;
#define TMPL_TALLY(name) reading->small.name = take_small(&bytes, page->n_blocks);
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
    reading->small.marks = take_small(&bytes, page->n_blocks);
    reading->boxes = bytes;
    reading->again = reading->boxes + page->n_blocks;
}

tmpl_reading_t *tmpl_read_blocks(const tmpl_page_t *page, apr_pool_t *pool)
{
    tmpl_reading_t *reading = apr_pcalloc(pool, sizeof(*reading));
    reading->page = page;
    make_columns(reading, pool);
    tmpl_read_contexts(reading, pool);
    return reading;
}
