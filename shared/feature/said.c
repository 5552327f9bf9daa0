/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/reading.h"

#include "base/hash.h"

void tmpl_read_said(tmpl_said_t *said, const tmpl_page_t *page, apr_pool_t *pool)
{
    tmpl_numbering_t texts;
    said->text = apr_palloc(pool, page->n_segments * sizeof(*said->text));
    said->rank = apr_palloc(pool, page->n_segments * sizeof(*said->rank));
    said->copies = apr_palloc(pool, page->n_segments * sizeof(*said->copies));
    tmpl_numbering_init(&texts, page->n_segments + 1, pool, pool);
    for (uint32_t i = 0; i < page->n_segments; i++) {
        const tmpl_segment_t *segment = &page->segments[i];
        uint32_t n = texts.n;
        uint32_t text = tmpl_numbering_add(&texts, segment->text);
        tmpl_copies_t *copies = &said->copies[text];
        if (text == n) {
            *copies = (tmpl_copies_t){ .first = segment->block };
        }
        said->text[i] = text;
        said->rank[i] = copies->times++;
        copies->last = segment->block;
    }
    said->n = texts.n;
}

#define F(id) columns->of[TMPL_BLOCK_FEATURE_##id][i]

void tmpl_said_fill(tmpl_columns_t *columns, uint32_t i, const tmpl_said_t *said,
                    const tmpl_page_t *page, uint32_t b)
{
    const tmpl_block_t *block = &page->blocks[b];
    uint32_t before = 0;
    uint32_t behind = 0;
    uint64_t times = 0;
    uint64_t rank = 0;
    for (uint32_t k = block->first_segment; k < block->after_segment; k++) {
        const tmpl_copies_t *copies = &said->copies[said->text[k]];
        uint32_t length = page->segments[k].length;
        if (copies->times == 1) {
            continue;
        }
        before += copies->first < b ? length : 0;
        behind += copies->last > b ? length : 0;
        times += (uint64_t)length * (copies->times - 1);
        rank += (uint64_t)length * said->rank[k];
    }
    if (times > 0 && block->length > 0) {
        float length = (float)block->length;
        F(SAID_BEFORE) = (float)before / length;
        F(SAID_BEHIND) = (float)behind / length;
        F(SAID_TIMES) = (float)times / length;
        F(SAID_RANK) = (float)rank / length;
    }
}

tmpl_said_best_t *tmpl_said_judged(const tmpl_said_t *said, const tmpl_page_t *page,
                                   const float *templateness, apr_pool_t *pool)
{
    tmpl_said_best_t *best = apr_palloc(pool, said->n * sizeof(*best));
    for (uint32_t t = 0; t < said->n; t++) {
        best[t] = (tmpl_said_best_t){ .lowest = 1, .other = 1, .block = TMPL_NONE };
    }
    for (uint32_t k = 0; k < page->n_segments; k++) {
        tmpl_said_best_t *of = &best[said->text[k]];
        uint32_t b = page->segments[k].block;
        float value = templateness[b];
        if (b == of->block) {
            continue;
        }
        if (value < of->lowest) {
            *of = (tmpl_said_best_t){ .lowest = value, .other = of->lowest, .block = b };
        }
        else if (value < of->other) {
            of->other = value;
        }
    }
    return best;
}

float tmpl_said_best(const tmpl_said_t *said, const tmpl_said_best_t *best, const tmpl_page_t *page,
                     uint32_t b)
{
    const tmpl_block_t *block = &page->blocks[b];
    double sum = 0;
    for (uint32_t k = block->first_segment; k < block->after_segment; k++) {
        const tmpl_said_best_t *of = &best[said->text[k]];
        sum += (double)page->segments[k].length * (double)(of->block == b ? of->other : of->lowest);
    }
    return block->length > 0 ? (float)(sum / block->length) : 1.0F;
}
