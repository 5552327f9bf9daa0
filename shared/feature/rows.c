/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a page: the values that all of its blocks share. */
#include <math.h>

#include <apr_tables.h>

#include "feature/box.h"
#include "feature/rows_parts.h"
#include "feature/score.h"

/* Bytes of a block's segments that another page has, too. */
static uint32_t repeated_of(const tmpl_page_t *page, uint32_t b, const tmpl_evidence_t *evidence)
{
    uint32_t repeated = 0;
    for (uint32_t k = page->blocks[b].first_segment; k < page->blocks[b].after_segment; k++) {
        const tmpl_segment_t *segment = &page->segments[k];
        repeated += evidence->segments[segment->key].df >= 2 ? segment->length : 0;
    }
    return repeated;
}

static void sum_repeated(tmpl_before_t *before, const tmpl_page_t *page,
                         const tmpl_evidence_t *evidence)
{
    uint32_t repeated = 0;
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        before->repeated[b] = repeated;
        repeated += tmpl_is_known(evidence) ? repeated_of(page, b, evidence) : 0;
    }
    before->repeated[page->n_blocks] = repeated;
    tmpl_sums_beyond(before->repeated, page->n_blocks);
}

/* The index of the block behind the first h1; the number of blocks if there is none. */
static uint32_t find_titled(const tmpl_page_t *page)
{
    uint32_t b = 0;
    while (b < page->n_blocks && page->nodes[page->blocks[b].node].tag != TMPL_TAG_H1) {
        b++;
    }
    return b < page->n_blocks ? b + 1 : b;
}

static void find_best(tmpl_rows_t *of)
{
    const tmpl_reading_t *reading = of->reading;
    of->best_first = tmpl_first_block(reading->page, reading->best);
    of->best_after = tmpl_after_block(reading->page, reading->best);
    of->long_before_best = tmpl_long_from(reading, of->best_first)->before;
    of->long_in_best = tmpl_long_from(reading, of->best_after)->before - of->long_before_best;
    of->best_share = tmpl_share(
        of->before->words[of->best_after] - of->before->words[of->best_first], of->all.words);
}

static void read_paths(tmpl_rows_t *of, apr_pool_t *pool)
{
    const tmpl_evidence_t *evidence = of->evidence;
    of->paths = apr_palloc(pool, of->layout->n_keys * sizeof(*of->paths));
    for (uint32_t i = 0; i < of->layout->n_keys; i++) {
        const tmpl_record_t *record = &evidence->paths[i];
        of->paths[i] = (tmpl_path_row_t){ .repeated = tmpl_share(record->repeated, record->text),
                                          .text = (float)record->text,
                                          .df = tmpl_share(record->df, evidence->pages),
                                          .others = record->df > 0 ? record->df - 1 : 0 };
    }
}

tmpl_rows_t *tmpl_rows_of(tmpl_reading_t *reading, const tmpl_layout_t *layout,
                          const tmpl_evidence_t *evidence, apr_pool_t *pool)
{
    const tmpl_page_t *page = reading->page;
    uint32_t n = page->n_blocks;
    tmpl_rows_t *of = apr_pcalloc(pool, sizeof(*of));
    if (reading->longs == NULL) {
        tmpl_read_text(reading, pool);
        tmpl_read_score(reading, pool);
    }
    sum_repeated(&reading->before, page, evidence);
    of->reading = reading;
    of->layout = layout;
    of->evidence = evidence;
    of->before = &reading->before;
    of->boxes[0].node = TMPL_NONE;
    for (unsigned i = 0; i < TMPL_KNOWN_BOXES; i++) {
        of->known[i].node = TMPL_NONE;
    }
    of->all = tmpl_sums_between(of->before, 0, n);
    of->titled = find_titled(page);
    of->long_text = tmpl_long_from(reading, n)->before;
    if (reading->best != 0) {
        find_best(of);
    }
    of->df_logs = apr_pcalloc(pool, sizeof(*of->df_logs) * TMPL_KNOWN_DF);
    if (tmpl_is_known(evidence)) {
        of->pages = fminf(6, log2f((float)evidence->pages));
        of->repeated = tmpl_share(of->all.repeated, of->all.length);
        read_paths(of, pool);
    }
    return of;
}

void tmpl_rows_list(float *rows, tmpl_rows_t *of)
{
    uint32_t n = of->reading->page->n_blocks;
    tmpl_columns_t columns;
    for (uint32_t b = 0; b < n; b++) {
        tmpl_rows_fill(&columns, of, b, b + 1);
        if (of->first.templateness != NULL) {
            tmpl_rows_fill_first(&columns, of, &b, 1);
        }
        for (uint32_t f = 0; f < TMPL_BLOCK_FEATURE_COUNT; f++) {
            *rows++ = columns.of[f][0];
        }
    }
}
