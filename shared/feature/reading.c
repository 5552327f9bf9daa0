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

/* ---- boxes ---- */

uint32_t tmpl_box_around(const tmpl_page_t *page, uint32_t node)
{
    const tmpl_node_t *inner = &page->nodes[node];
    uint32_t first = tmpl_first_block(page, node);
    uint32_t after = tmpl_after_block(page, node);
    /* an element with the same segments holds the same blocks: comparing segments is quicker */
    while (node != 0) {
        node = page->nodes[node].parent;
        const tmpl_node_t *outer = &page->nodes[node];
        if ((outer->first_segment < inner->first_segment && tmpl_first_block(page, node) < first) ||
            (outer->after_segment > inner->after_segment && tmpl_after_block(page, node) > after)) {
            break;
        }
    }
    return node;
}

uint32_t tmpl_box_innermost(const tmpl_page_t *page, uint32_t leaf)
{
    return tmpl_after_block(page, leaf) - tmpl_first_block(page, leaf) > 1
               ? leaf
               : tmpl_box_around(page, leaf);
}

void tmpl_climb(uint32_t boxes[TMPL_BOXES], const tmpl_page_t *page, uint32_t innermost)
{
    if (boxes[0] == innermost) {
        return;
    }
    boxes[0] = innermost;
    for (int i = 1; i < TMPL_BOXES; i++) {
        boxes[i] = tmpl_box_around(page, boxes[i - 1]);
    }
}
