/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a page: the values that all of its blocks share, and those of the group FIRST. */
#include <math.h>

#include "base/names.h"
#include "feature/rows_parts.h"

TMPL_ENUM_COLUMN(tmpl_block_feature_name, tmpl_block_feature_e, TMPL_BLOCK_FEATURES, TMPL_COLUMN_2)
TMPL_ENUM_FIND(tmpl_block_feature_find, TMPL_BLOCK_FEATURES)

TMPL_ENUM_COLUMN(tmpl_block_feature_text, tmpl_block_feature_e, TMPL_BLOCK_FEATURES, TMPL_COLUMN_4)

#define GROUP(id, name, group, text) #group,
TMPL_ENUM_COLUMN(tmpl_block_feature_group, tmpl_block_feature_e, TMPL_BLOCK_FEATURES, GROUP)

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
    tmpl_sums_t best = tmpl_sums_between(of->before, of->best_first, of->best_after);
    of->long_before_best = of->before->longs[of->best_first];
    of->long_in_best = best.longs;
    of->best_share = tmpl_share(best.words, of->all.words);
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
    if (reading->tallies == NULL) {
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

/* ---- the group FIRST ---- */

/*
 * Features of the group FIRST: what a model's first trees say of a block and of those around it. So
 * the trees that judge last know what the rest of the page is, as in Tu, "Auto-context and Its
 * Application to High-level Vision Tasks" (CVPR 2008).
 */

#define COLUMN(id) columns->of[TMPL_BLOCK_FEATURE_##id]

/* The index of the first context with the layout path of a block. */
static uint32_t path_of_block(const tmpl_reading_t *reading, uint32_t b)
{
    const tmpl_page_t *page = reading->page;
    return tmpl_context(reading, page->segments[page->blocks[b].first_segment].node)->first;
}

/* Sums up the blocks of a page. */
static void sum_blocks(tmpl_rows_t *of)
{
    tmpl_first_t *first = &of->first;
    uint32_t n = of->reading->page->n_blocks;
    for (uint32_t b = 0; b < n; b++) {
        uint32_t weight = of->before->words[b + 1] - of->before->words[b] + 1;
        double part = (double)weight * (double)first->templateness[b];
        tmpl_like_t *like = &first->like[path_of_block(of->reading, b)];
        first->weight[b + 1] = first->weight[b] + weight;
        first->sum[b + 1] = first->sum[b] + part;
        like->blocks++;
        like->weight += weight;
        like->sum += part;
    }
    for (uint32_t i = 1; i <= TMPL_BEYOND; i++) {
        first->weight[n + i] = first->weight[n];
        first->sum[n + i] = first->sum[n];
    }
}

void tmpl_rows_judged(tmpl_rows_t *of, const float *templateness, apr_pool_t *pool)
{
    tmpl_first_t *first = &of->first;
    size_t n = of->reading->page->n_blocks + 1 + 2 * TMPL_BEYOND;
    size_t contexts = (size_t)of->reading->contexts.list->nelts * TMPL_CONTEXTS;
    first->templateness = templateness;
    first->weight = (uint32_t *)apr_pcalloc(pool, n * sizeof(*first->weight)) + TMPL_BEYOND;
    first->sum = (double *)apr_pcalloc(pool, n * sizeof(*first->sum)) + TMPL_BEYOND;
    first->like = apr_pcalloc(pool, contexts * sizeof(*first->like));
    first->said = tmpl_said_judged(&of->reading->said, of->reading->page, templateness, pool);
    sum_blocks(of);
}

static inline float mean(double sum, uint32_t weight)
{
    return weight > 0 ? (float)(sum / weight) : 0.5F;
}

/* Mean templateness of the blocks [first, after). */
static inline float mean_of(const tmpl_first_t *judged, int64_t first, int64_t after)
{
    return mean(judged->sum[after] - judged->sum[first],
                judged->weight[after] - judged->weight[first]);
}

static void fill_first_of_boxes(tmpl_columns_t *columns, const tmpl_rows_t *of,
                                const uint32_t *blocks, uint32_t n)
{
    const tmpl_page_t *page = of->reading->page;
    uint32_t boxes[TMPL_BOXES] = { TMPL_NONE };
    float means[TMPL_BOXES] = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        uint32_t innermost = of->reading->boxes[blocks[i]];
        if (innermost != boxes[0]) { /* neighbouring blocks mostly have the same boxes */
            tmpl_climb(boxes, page, innermost);
            for (unsigned k = 0; k < TMPL_BOXES; k++) {
                means[k] = mean_of(&of->first, tmpl_first_block(page, boxes[k]),
                                   tmpl_after_block(page, boxes[k]));
            }
        }
        for (unsigned k = 0; k < TMPL_BOXES; k++) {
            columns->of[TMPL_BLOCK_FEATURE_FIRST_BOX1 + k][i] = means[k];
        }
    }
}

void tmpl_rows_fill_first(tmpl_columns_t *columns, const tmpl_rows_t *of, const uint32_t *blocks,
                          uint32_t n)
{
    const tmpl_first_t *judged = &of->first;
    uint32_t all = of->reading->page->n_blocks;
    double content = judged->weight[all] - judged->sum[all];
    float page = mean_of(judged, 0, all);
    fill_first_of_boxes(columns, of, blocks, n);
    for (uint32_t i = 0; i < n; i++) {
        int64_t b = blocks[i];
        const tmpl_like_t *like = &judged->like[path_of_block(of->reading, blocks[i])];
        COLUMN(FIRST)[i] = judged->templateness[b];
        COLUMN(FIRST_LAST)[i] = mean_of(judged, b - 1, b);
        COLUMN(FIRST_LAST_3)[i] = mean_of(judged, b - 3, b);
        COLUMN(FIRST_LAST_8)[i] = mean_of(judged, b - 8, b);
        COLUMN(FIRST_NEXT)[i] = mean_of(judged, b + 1, b + 2);
        COLUMN(FIRST_NEXT_3)[i] = mean_of(judged, b + 1, b + 4);
        COLUMN(FIRST_NEXT_8)[i] = mean_of(judged, b + 1, b + 9);
        COLUMN(FIRST_LIKE)[i] = mean(like->sum, like->weight);
        COLUMN(FIRST_LIKE_BLOCKS)[i] = (float)like->blocks;
        COLUMN(FIRST_PAGE)[i] = page;
        COLUMN(FIRST_BEFORE)[i] = tmpl_share_in(judged->weight[b] - judged->sum[b], content);
        COLUMN(FIRST_SAID)
        [i] = tmpl_said_best(&of->reading->said, judged->said, of->reading->page, blocks[i]);
        COLUMN(FIRST_CONTENT)[i] = (float)(content / 2);
    }
}

/* ---- all rows ---- */

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
