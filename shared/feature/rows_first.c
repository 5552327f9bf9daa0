/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Features of the group FIRST: what a model's first trees say of a block and of those around it. So
 * the trees that judge last know what the rest of the page is, as in Tu, "Auto-context and Its
 * Application to High-level Vision Tasks" (CVPR 2008).
 */
#include "feature/rows_parts.h"

#define COLUMN(id) columns->of[TMPL_BLOCK_FEATURE_##id]

/* The index of the first context with the layout path of a block. */
static uint32_t path_of(const tmpl_reading_t *reading, uint32_t b)
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
        tmpl_like_t *like = &first->like[path_of(of->reading, b)];
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
    sum_blocks(of);
    of->boxes[0].node = TMPL_NONE;
    for (unsigned i = 0; i < TMPL_KNOWN_BOXES; i++) {
        of->known[i].node = TMPL_NONE;
    }
}

static inline float mean(double sum, uint32_t weight)
{
    return weight > 0 ? (float)(sum / weight) : 0.5F;
}

float tmpl_first_mean(const tmpl_rows_t *of, int64_t first, int64_t after)
{
    return mean(of->first.sum[after] - of->first.sum[first],
                of->first.weight[after] - of->first.weight[first]);
}

void tmpl_rows_fill_first(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t first,
                          uint32_t n)
{
    const tmpl_first_t *judged = &of->first;
    uint32_t all = of->reading->page->n_blocks;
    double content = judged->weight[all] - judged->sum[all];
    float page = tmpl_first_mean(of, 0, all);
    float content_log = tmpl_log_of(of, content / 2);
    for (uint32_t i = 0; i < n; i++) {
        int64_t b = first + i;
        const tmpl_like_t *like = &judged->like[path_of(of->reading, first + i)];
        COLUMN(FIRST)[i] = judged->templateness[b];
        COLUMN(FIRST_LAST)[i] = tmpl_first_mean(of, b - 1, b);
        COLUMN(FIRST_LAST_3)[i] = tmpl_first_mean(of, b - 3, b);
        COLUMN(FIRST_LAST_8)[i] = tmpl_first_mean(of, b - 8, b);
        COLUMN(FIRST_NEXT)[i] = tmpl_first_mean(of, b + 1, b + 2);
        COLUMN(FIRST_NEXT_3)[i] = tmpl_first_mean(of, b + 1, b + 4);
        COLUMN(FIRST_NEXT_8)[i] = tmpl_first_mean(of, b + 1, b + 9);
        COLUMN(FIRST_LIKE)[i] = mean(like->sum, like->weight);
        COLUMN(FIRST_LIKE_BLOCKS)[i] = tmpl_log_shared(of, 2 * like->blocks, 1);
        COLUMN(FIRST_PAGE)[i] = page;
        COLUMN(FIRST_BEFORE)[i] = tmpl_share_in(judged->weight[b] - judged->sum[b], content);
        COLUMN(FIRST_CONTENT)[i] = content_log;
    }
}
