/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Features of the group FIRST: what a model's first trees say of a block and of those around it. So
 * the trees that judge last know what the rest of the page is, as in Tu, "Auto-context and Its
 * Application to High-level Vision Tasks" (CVPR 2008).
 */
#include "feature/box.h"
#include "feature/rows_parts.h"

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
    size_t contexts = (size_t)of->reading->contexts->nelts * TMPL_CONTEXTS;
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
        uint32_t innermost = tmpl_box_of(of->reading, blocks[i]);
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
