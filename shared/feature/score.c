/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The element that most likely holds the page's content, in the way of Arc90's Readability: each
 * block of free text gives points to the elements around it, less the farther they are, and an
 * element's score is its points times what is not links.
 */
#include <math.h>

#include "feature/reading.h"

/* Free words below which a block gives no points, and elements up to which it gives them. */
#define LEAST_WORDS 5
#define REACH       5

static void give_points(tmpl_reading_t *reading, uint32_t b)
{
    const tmpl_page_t *page = reading->page;
    const tmpl_tally_t *tally = &reading->blocks[b];
    double plain = (tally->words - tally->linked) * 0.5;
    if (plain < LEAST_WORDS) {
        return;
    }
    double points = 1 + tally->commas + fmin(plain / 20, 3) + fmin(tally->stops, 5);
    uint32_t node = reading->leaf[b];
    /* the block's own element is nobody's container */
    if (reading->around[node].after_block - reading->around[node].first_block < 2 && node != 0) {
        node = page->nodes[node].parent;
    }
    double part = 1;
    for (int up = 0; up < REACH && node != 0; up++) {
        reading->around[node].score += (float)(points * part);
        part *= up == 0 ? 0.5 : 0.6;
        node = page->nodes[node].parent;
    }
}

void tmpl_read_score(tmpl_reading_t *reading)
{
    float best = 0;
    for (uint32_t b = 0; b < reading->page->n_blocks; b++) {
        give_points(reading, b);
    }
    reading->best = 0;
    for (uint32_t i = 1; i < reading->page->n_nodes; i++) {
        tmpl_around_t *around = &reading->around[i];
        if (around->score > 0) {
            tmpl_sums_t sum =
                tmpl_sums_between(reading->before, around->first_block, around->after_block);
            double named = (around->near.steps[TMPL_NAME_GOOD] == 1 ? 1.25 : 1) *
                           (around->near.steps[TMPL_NAME_BAD] == 1 ? 0.75 : 1);
            around->score *=
                (float)(named * (sum.words > 0 ? 1 - (double)sum.linked / sum.words : 1));
        }
        if (around->score > best) {
            best = around->score;
            reading->best = i;
        }
    }
}
