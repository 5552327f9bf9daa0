/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/score.h"

#include <math.h>
#include <string.h>

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
