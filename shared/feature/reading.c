/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/reading.h"

#include <math.h>
#include <string.h>

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

/* ---- scores ---- */

/*
 * The fewest free words for which a block gives points; and how many elements around it get points.
 */
#define LEAST_WORDS 5
#define REACH       5

int tmpl_has_thread_address(const tmpl_page_t *page)
{
    static const char *const parts[] = { "forum",       "thread",     "/topic", "viewtopic",
                                         "/discussion", "/questions", "/t/",    "community.",
                                         "boards.",     "/comments/", "/board/" };
    const char *address = page->src + page->canonical.start;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (memmem(address, tmpl_span_len(page->canonical), parts[i], strlen(parts[i])) != NULL) {
            return 1;
        }
    }
    return 0;
}

/* Names far above, as those of body, are of something else. */
#define REPLY_STEPS 8

int tmpl_is_reply(const tmpl_reading_t *reading, uint32_t b)
{
    const uint16_t *steps = tmpl_context(reading, reading->page->blocks[b].node)->near.steps;
    return b >= reading->main_after ||
           (steps[TMPL_NAME_COMMENT] > 0 && steps[TMPL_NAME_COMMENT] < REPLY_STEPS) ||
           (steps[TMPL_NAME_REVIEW] > 0 && steps[TMPL_NAME_REVIEW] < REPLY_STEPS);
}

static void give_points(tmpl_reading_t *reading, uint32_t b)
{
    const tmpl_page_t *page = reading->page;
    tmpl_sums_t sums = tmpl_sums_between(&reading->before, b, b + 1);
    double plain = (sums.words - sums.linked) * 0.5;
    if (plain < LEAST_WORDS) {
        return;
    }
    tmpl_tally_t tally = tmpl_tally_of(reading, b);
    double points = 1 + tally.commas + fmin(plain / 20, 3) + fmin(tally.stops, 5);
    uint32_t node = page->blocks[b].node;
    /* an element that holds only this block is not a container */
    if (tmpl_after_block(page, node) - tmpl_first_block(page, node) < 2 && node != 0) {
        node = page->nodes[node].parent;
    }
    double part = 1;
    for (int up = 0; up < REACH && node != 0; up++) {
        reading->scores[node] += (float)(points * part);
        part *= up == 0 ? 0.5 : 0.6;
        node = page->nodes[node].parent;
    }
}

static uint32_t main_after(const tmpl_reading_t *reading)
{
    uint32_t n = reading->page->n_blocks;
    uint32_t after = n;
    while (after > 0 &&
           !(tmpl_context(reading, reading->page->blocks[after - 1].node)->in & TMPL_IN_MAIN)) {
        after--;
    }
    return after > 0 ? after : n;
}

void tmpl_read_score(tmpl_reading_t *reading, apr_pool_t *pool)
{
    const tmpl_page_t *page = reading->page;
    float best = 0;
    reading->best = 0;
    reading->scores = apr_pcalloc(pool, page->n_nodes * sizeof(*reading->scores));
    int is_thread = tmpl_has_thread_address(page);
    reading->main_after = main_after(reading);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        if (is_thread || !tmpl_is_reply(reading, b)) {
            give_points(reading, b);
        }
    }
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        if (reading->scores[i] > 0) {
            float *score = &reading->scores[i];
            tmpl_sums_t sum = tmpl_sums_between(&reading->before, tmpl_first_block(page, i),
                                                tmpl_after_block(page, i));
            const tmpl_near_t *near = &tmpl_context(reading, i)->near;
            double named = (near->steps[TMPL_NAME_GOOD] == 1 ? 1.25 : 1) *
                           (near->steps[TMPL_NAME_BAD] == 1 ? 0.75 : 1);
            *score *= (float)(named * (sum.words > 0 ? 1 - (double)sum.linked / sum.words : 1));
            if (*score > best) {
                best = *score;
                reading->best = i;
            }
        }
    }
}
