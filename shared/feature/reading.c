/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/reading.h"

tmpl_reading_t *tmpl_read_blocks(const tmpl_page_t *page, apr_pool_t *pool)
{
    tmpl_reading_t *reading = apr_pcalloc(pool, sizeof(*reading));
    reading->page = page;
    reading->boxes = apr_palloc(pool, page->n_blocks * sizeof(*reading->boxes));
    tmpl_contexts_read(&reading->contexts, page, pool);
    return reading;
}

/* ---- text ---- */

/* Adds to the tallies the bytes of segments that stand on the page more than once. */
static void count_again(tmpl_tally_t *tallies, const tmpl_page_t *page, apr_pool_t *pool)
{
    enum { ONCE = 1, AGAIN = 2 };
    unsigned char *uses = apr_pcalloc(pool, page->n_keys);
    for (uint32_t i = 0; i < page->n_segments; i++) {
        unsigned char *use = &uses[page->segments[i].key];
        *use = *use == 0 ? ONCE : AGAIN;
    }
    for (uint32_t i = 0; i < page->n_segments; i++) {
        const tmpl_segment_t *segment = &page->segments[i];
        tallies[segment->block].again += uses[segment->key] == AGAIN ? segment->length : 0;
    }
}

static void set_sums(tmpl_before_t *before, uint32_t b, const tmpl_sums_t *sums)
{
    before->words[b] = sums->words;
    before->linked[b] = sums->linked;
    before->length[b] = sums->length;
    before->longs[b] = sums->longs;
}

/* Memory for the sums. */
static void make_before(tmpl_before_t *before, uint32_t n_blocks, apr_pool_t *pool)
{
    size_t n = n_blocks + 1 + 2 * TMPL_BEYOND;
#define TMPL_SUM(name)                                                                             \
    before->name = (uint32_t *)apr_palloc(pool, n * sizeof(*before->name)) + TMPL_BEYOND;
    TMPL_SUMS(TMPL_SUM)
#undef TMPL_SUM
}

static void find_longs(tmpl_reading_t *reading, apr_pool_t *pool)
{
    uint32_t n = reading->page->n_blocks;
    const uint32_t *longs = reading->before.longs;
    reading->last_long = apr_palloc(pool, n * sizeof(*reading->last_long));
    reading->next_long = apr_palloc(pool, n * sizeof(*reading->next_long));
    for (uint32_t b = 0, last = TMPL_NONE; b < n; b++) {
        last = longs[b + 1] > longs[b] ? b : last;
        reading->last_long[b] = last;
    }
    for (uint32_t b = n, next = TMPL_NONE; b-- > 0;) {
        next = longs[b + 1] > longs[b] ? b : next;
        reading->next_long[b] = next;
    }
}

void tmpl_read_text(tmpl_reading_t *reading, apr_pool_t *pool)
{
    const tmpl_page_t *page = reading->page;
    uint32_t n = page->n_blocks;
    tmpl_before_t *before = &reading->before;
    tmpl_tally_scan_t scan;
    tmpl_sums_t sums = { 0 };
    reading->tallies = apr_pcalloc(pool, n * sizeof(*reading->tallies));
    make_before(before, n, pool);
    tmpl_read_said(&reading->said, page, pool);
    count_again(reading->tallies, page, pool);
    tmpl_tally_begin(&scan, page, &reading->contexts);
    reading->title = scan.titled;
    for (uint32_t b = 0; b < n; b++) {
        tmpl_tally_t *tally = &reading->tallies[b];
        tmpl_tally_block(tally, &scan, b);
        uint32_t plain = tally->words - tally->linked;
        set_sums(before, b, &sums);
        sums.words += tally->words;
        sums.linked += tally->linked;
        sums.length += page->blocks[b].length;
        sums.longs += plain >= TMPL_LONG_TEXT ? plain : 0;
    }
    set_sums(before, n, &sums);
    tmpl_sums_beyond(before->words, n);
    tmpl_sums_beyond(before->linked, n);
    tmpl_sums_beyond(before->length, n);
    find_longs(reading, pool);
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
