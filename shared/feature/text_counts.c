/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the text of all blocks and keeps the counts. */
#include <limits.h>
#include <string.h>

#include "feature/tally.h"

/* Sets uses for each key that is on the page more than once. */
static void find_again(unsigned char *uses, const tmpl_page_t *page)
{
    enum { ONCE = 1, AGAIN = 2 };
    memset(uses, 0, page->n_keys);
    for (uint32_t i = 0; i < page->n_segments; i++) {
        unsigned char *use = &uses[page->segments[i].key];
        *use = *use == 0 ? ONCE : AGAIN;
    }
    for (uint32_t i = 0; i < page->n_keys; i++) {
        uses[i] = uses[i] == AGAIN;
    }
}

/* Keeps the counts that are not sums. */
static void keep_tally(tmpl_reading_t *reading, uint32_t b, const tmpl_tally_t *tally)
{
    uint32_t bits = 0;
    unsigned marks = (tally->rights ? TMPL_MARK_RIGHTS : 0) | (tally->ends ? TMPL_MARK_ENDS : 0) |
                     (tally->lower ? TMPL_MARK_LOWER : 0);
#define TMPL_TALLY(name)                                                                           \
    bits |= tally->name;                                                                           \
    reading->small.name[b] = (unsigned char)tally->name;
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
    if (bits > UCHAR_MAX) {
        marks |= TMPL_MARK_LARGE;
        APR_ARRAY_PUSH(reading->large, tmpl_large_t) = (tmpl_large_t){ b, *tally };
    }
    reading->small.marks[b] = (unsigned char)marks;
}

/* The counts of a block that is among large. */
static const tmpl_tally_t *find_large(const tmpl_reading_t *reading, uint32_t b)
{
    const tmpl_large_t *large = (const tmpl_large_t *)(const void *)reading->large->elts;
    uint32_t first = 0;
    uint32_t after = (uint32_t)reading->large->nelts;
    while (large[first].block != b && after - first > 1) {
        uint32_t middle = first + (after - first) / 2;
        if (large[middle].block <= b) {
            first = middle;
        }
        else {
            after = middle;
        }
    }
    return &large[first].tally;
}

tmpl_tally_t tmpl_tally_of(const tmpl_reading_t *reading, uint32_t b)
{
    const tmpl_small_t *small = &reading->small;
    if (small->marks[b] & TMPL_MARK_LARGE) {
        return *find_large(reading, b);
    }
    tmpl_sums_t sums = tmpl_sums_between(&reading->before, b, b + 1);
    return (tmpl_tally_t){ .words = sums.words,
                           .linked = sums.linked,
                           .again = sums.again,
#define TMPL_TALLY(name) .name = small->name[b],
                           TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
                               .rights = (small->marks[b] & TMPL_MARK_RIGHTS) != 0,
                           .ends = (small->marks[b] & TMPL_MARK_ENDS) != 0,
                           .lower = (small->marks[b] & TMPL_MARK_LOWER) != 0 };
}

static void set_sums(tmpl_before_t *before, uint32_t b, const tmpl_sums_t *sums)
{
    before->words[b] = sums->words;
    before->linked[b] = sums->linked;
    before->again[b] = sums->again;
    before->length[b] = sums->length;
}

void tmpl_read_text(tmpl_reading_t *reading, apr_pool_t *pool)
{
    const tmpl_page_t *page = reading->page;
    uint32_t n = page->n_blocks;
    tmpl_title_t title;
    tmpl_tally_scan_t scan;
    tmpl_sums_t sums = { 0 };
    uint32_t long_text = 0;
    find_again(reading->again, page);
    tmpl_read_said(&reading->said, page, pool);
    reading->longs = apr_array_make(pool, 32, sizeof(tmpl_long_t));
    reading->large = apr_array_make(pool, 16, sizeof(tmpl_large_t));
    tmpl_tally_begin(&scan, &title, reading);
    reading->title = scan.titled;
    for (uint32_t b = 0; b < n; b++) {
        tmpl_tally_t tally = { 0 };
        tmpl_tally_block(&tally, &scan, b);
        keep_tally(reading, b, &tally);
        uint32_t plain = tally.words - tally.linked;
        set_sums(&reading->before, b, &sums);
        sums.words += tally.words;
        sums.linked += tally.linked;
        sums.again += tally.again;
        sums.length += page->blocks[b].length;
        if (plain >= TMPL_LONG_TEXT) {
            APR_ARRAY_PUSH(reading->longs, tmpl_long_t) = (tmpl_long_t){ b, long_text };
            long_text += plain;
        }
    }
    set_sums(&reading->before, n, &sums);
    tmpl_sums_beyond(reading->before.words, n);
    tmpl_sums_beyond(reading->before.linked, n);
    tmpl_sums_beyond(reading->before.again, n);
    tmpl_sums_beyond(reading->before.length, n);
    APR_ARRAY_PUSH(reading->longs, tmpl_long_t) = (tmpl_long_t){ n, long_text };
}
