/* SPDX-License-Identifier: Apache-2.0 */
/* Features that depend on where a block stands, block by block. */
#include "feature/rows_parts.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Features of the block at i. */
#define F(id) columns->of[TMPL_BLOCK_FEATURE_##id][i]

/* The same for the k-th feature from id on. */
#define F_OF(id, k) columns->of[TMPL_BLOCK_FEATURE_##id + (k)][i]

/* Blocks on either side whose ends of sentences are counted. */
#define STOPS_BESIDE 3

static void find_stops(tmpl_rows_t *of, uint32_t first, uint32_t n)
{
    uint32_t stops[TMPL_BLOCKS_AT_ONCE + 2 * STOPS_BESIDE];
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n + 2 * STOPS_BESIDE; i++) {
        uint32_t b = first + i - STOPS_BESIDE;
        stops[i] = b < of->reading->page->n_blocks ? of->reading->tallies[b].stops : 0;
        sum += stops[i];
        if (i >= 2 * STOPS_BESIDE) {
            of->counts.stops_near[i - 2 * STOPS_BESIDE] = sum;
            sum -= stops[i - 2 * STOPS_BESIDE];
        }
    }
}

static inline void fill_tag(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t i, uint32_t b)
{
    _Static_assert(TMPL_BLOCK_FEATURE_NAMED_LANG - TMPL_BLOCK_FEATURE_GOOD_NEAR == TMPL_NAME_LANG,
                   "a feature of each kind, in its order");
    const tmpl_page_t *page = of->reading->page;
    const tmpl_context_t *context =
        tmpl_context(of->reading, page->segments[page->blocks[b].first_segment].node);
    for (unsigned in = context->in & TMPL_IN_FEATURES; in != 0; in &= in - 1) {
        F_OF(HEADING, (unsigned)__builtin_ctz(in)) = 1;
    }
    for (unsigned w = 0; w < COUNT(context->near.words); w++) { /* most contexts have few kinds */
        for (uint64_t left = context->near.words[w]; left != 0;) {
            unsigned in_word = (unsigned)__builtin_ctzll(left) / 16;
            unsigned kind = 4 * w + in_word;
            F_OF(GOOD_NEAR, kind) = 1.0F / (float)context->near.steps[kind];
            left &= ~((uint64_t)0xFFFF << 16 * in_word);
        }
    }
    float good = F(GOOD_NEAR);
    float bad = F(BAD_NEAR);
    F(NEARER) = good > bad ? 1.0F : bad > 0 ? -1.0F : 0.0F;
}

static __attribute__((noinline)) void learn_box(tmpl_box_row_t *known, const tmpl_rows_t *of,
                                                uint32_t node)
{
    const tmpl_page_t *page = of->reading->page;
    const float *scores = of->reading->scores;
    tmpl_sums_t sums =
        tmpl_sums_between(of->before, tmpl_first_block(page, node), tmpl_after_block(page, node));
    *known = (tmpl_box_row_t){ .node = node,
                               .around = tmpl_box_around(page, node),
                               .linked = tmpl_share(sums.linked, sums.words),
                               .repeated = tmpl_share(sums.repeated, sums.length),
                               .score = tmpl_share_in(scores[node], scores[of->reading->best]) };
}

/* Finds the boxes of a block, from the innermost one outwards. */
static void find_boxes(tmpl_rows_t *of, uint32_t node)
{
    for (unsigned k = 0; k < TMPL_BOXES; k++) {
        tmpl_box_row_t *known = &of->known[node % TMPL_KNOWN_BOXES];
        if (known->node != node) {
            learn_box(known, of, node);
        }
        of->boxes[k] = *known;
        node = known->around;
    }
}

static inline void fill_box_features(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t i,
                                     uint32_t b)
{
    uint32_t box = of->reading->boxes[b];
    const tmpl_box_row_t *boxes = of->boxes;
    if (box != boxes[0].node) { /* neighbouring blocks mostly have the same boxes */
        find_boxes(of, box);
    }
    for (unsigned k = 0; k < TMPL_BOXES; k++) {
        F_OF(BOX1_LINKED, k) = boxes[k].linked;
    }
    F(REPEATED_BOX1) = boxes[0].repeated;
    F(REPEATED_BOX2) = boxes[1].repeated;
    F(REPEATED_BOX3) = boxes[2].repeated;
    F(SCORE) = boxes[0].score;
    F(SCORE_2) = boxes[1].score;
    F(SCORE_3) = boxes[2].score;
}

static double df_log(const tmpl_rows_t *of, uint32_t df)
{
    if (df >= TMPL_KNOWN_DF) {
        return log(df);
    }
    if (of->df_logs[df] == 0) {
        of->df_logs[df] = log(df);
    }
    return of->df_logs[df];
}

/* What the table says of a block's layout path. */
static inline const tmpl_path_row_t *path_row(const tmpl_rows_t *of, uint32_t b, unsigned level)
{
    /* paths are numbered behind the page's keys */
    return &of->paths[of->layout->blocks[b].paths[level] - of->reading->page->n_keys];
}

/* Features of a block's segments in the site's table. */
static void fill_df(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t i, uint32_t b)
{
    const tmpl_page_t *page = of->reading->page;
    const tmpl_evidence_t *evidence = of->evidence;
    double others_sum = 0;
    double log_sum = 0;
    uint32_t template = 0;
    uint32_t length = page->blocks[b].length;
    for (uint32_t k = page->blocks[b].first_segment; k < page->blocks[b].after_segment; k++) {
        const tmpl_segment_t *segment = &page->segments[k];
        uint32_t df = evidence->segments[segment->key].df;
        if (df >= 2) {
            template += df >= evidence->min_df ? segment->length : 0;
            others_sum += (double)segment->length * (df - 1);
            log_sum += (double)segment->length * df_log(of, df);
        }
    }
    double others = length > 0 ? others_sum / length : 0;
    F(DF) = tmpl_share_in(others, evidence->pages - 1);
    _Static_assert(TMPL_PATH_LEVELS == 3, "all levels of paths");
    for (unsigned level = 0; level < TMPL_PATH_LEVELS; level++) {
        F_OF(DF_PATH0, level) = tmpl_share_in(others, path_row(of, b, level)->others);
    }
    F(DF_LOG) = length > 0 ? (float)(log_sum / length) : 0.0F;
    F(RATIO) = tmpl_share(template, length);
}

static inline void fill_site(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t i, uint32_t b)
{
    if (of->before->repeated[b + 1] != of->before->repeated[b]) { /* otherwise they are 0 */
        fill_df(columns, of, i, b);
    }
    F(PAGES) = of->pages;
    F(REPEATED_PAGE) = of->repeated;
    const tmpl_path_row_t *own = path_row(of, b, 0);
    const tmpl_path_row_t *box = path_row(of, b, 1);
    const tmpl_path_row_t *around = path_row(of, b, 2);
    F(PATH0_REPEATED) = own->repeated;
    F(PATH1_REPEATED) = box->repeated;
    F(PATH2_REPEATED) = around->repeated;
    F(PATH0_DF) = own->df;
    F(PATH1_DF) = box->df;
    F(PATH2_DF) = around->df;
    F(PATH0_TEXT) = own->text;
    F(PATH1_TEXT) = box->text;
}

static void columns_of_longs(tmpl_rows_t *of, uint32_t first, uint32_t n)
{
    const tmpl_reading_t *reading = of->reading;
    uint32_t all = reading->page->n_blocks;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t last = reading->last_long[first + i];
        uint32_t next = reading->next_long[first + i];
        of->counts.longs[i] = of->before->longs[first + i];
        of->counts.last[i] = last != TMPL_NONE ? first + i - last : all;
        of->counts.next[i] = next != TMPL_NONE ? next - (first + i) : all;
    }
}

static inline void fill_block(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t i, uint32_t b)
{
    const tmpl_page_t *page = of->reading->page;
    of->counts.depth[i] = page->nodes[page->blocks[b].node].depth;
    fill_tag(columns, of, i, b);
    fill_box_features(columns, of, i, b);
    tmpl_said_fill(columns, i, &of->reading->said, page, b);
    if (tmpl_is_known(of->evidence)) {
        fill_site(columns, of, i, b);
    }
}

void tmpl_rows_fill_blocks(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t first, uint32_t n)
{
    columns_of_longs(of, first, n);
    find_stops(of, first, n);
    for (uint32_t i = 0; i < n; i++) {
        fill_block(columns, of, i, first + i);
    }
}
