/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/feature.h"

#include <math.h>
#include <string.h>

#include <apr_hash.h>

#include "feature/reading.h"

static const struct {
    const char *name;
    const char *group;
} features[] = {
#define TMPL_BLOCK_FEATURE_ROW(id, name, group) { name, #group },
    TMPL_BLOCK_FEATURES(TMPL_BLOCK_FEATURE_ROW)
#undef TMPL_BLOCK_FEATURE_ROW
};

const char *tmpl_block_feature_name(tmpl_block_feature_e feature)
{
    return features[feature].name;
}

const char *tmpl_block_feature_group(tmpl_block_feature_e feature)
{
    return features[feature].group;
}

tmpl_block_feature_e tmpl_block_feature_find(const char *name)
{
    unsigned i = 0;
    while (i < TMPL_BLOCK_FEATURE_COUNT && strcmp(features[i].name, name) != 0) {
        i++;
    }
    return (tmpl_block_feature_e)i;
}

/* The separator element that a block's text stands directly in. */
static uint32_t leaf_of(const tmpl_page_t *page, uint32_t b)
{
    uint32_t node = page->segments[page->blocks[b].first_segment].node;
    while (node != 0 && !tmpl_separators_leaf.has[page->nodes[node].tag]) {
        node = page->nodes[node].parent;
    }
    return node;
}

/* The nearest element around node that holds more blocks; the root if there is none. */
static uint32_t box_around(const tmpl_reading_t *reading, uint32_t node)
{
    const tmpl_around_t *inner = &reading->around[node];
    while (node != 0) {
        node = reading->page->nodes[node].parent;
        const tmpl_around_t *outer = &reading->around[node];
        if (outer->first_block < inner->first_block || outer->after_block > inner->after_block) {
            break;
        }
    }
    return node;
}

/* The boxes of a block, the innermost first. A leaf that holds other blocks as well is one. */
static void find_boxes(tmpl_reading_t *reading, uint32_t b)
{
    uint32_t *boxes = reading->boxes[b];
    uint32_t leaf = reading->leaf[b];
    const tmpl_around_t *around = &reading->around[leaf];
    boxes[0] = around->after_block - around->first_block > 1 ? leaf : box_around(reading, leaf);
    for (int i = 1; i < TMPL_BOXES; i++) {
        boxes[i] = box_around(reading, boxes[i - 1]);
    }
}

/* The index of a layout path in layout->keys, where it is added if it is new. */
static uint32_t path_index(tmpl_layout_t *layout, apr_hash_t *known, uint64_t key)
{
    uint64_t *place = apr_hash_get(known, &key, sizeof(key));
    if (place == NULL) {
        place = &layout->keys[layout->n_keys++];
        *place = key;
        apr_hash_set(known, place, sizeof(*place), place);
    }
    return (uint32_t)(place - layout->keys);
}

static void find_layout(tmpl_layout_t *layout, const tmpl_reading_t *reading, apr_pool_t *pool)
{
    uint32_t n = reading->page->n_blocks;
    apr_hash_t *known = apr_hash_make(pool);
    layout->n_keys = 0;
    layout->keys = apr_palloc(pool, (apr_size_t)n * TMPL_PATH_LEVELS * sizeof(*layout->keys));
    layout->paths = apr_palloc(pool, n * sizeof(*layout->paths));
    for (uint32_t b = 0; b < n; b++) {
        for (uint32_t level = 0; level < TMPL_PATH_LEVELS; level++) {
            uint32_t node = level == 0 ? reading->leaf[b] : reading->boxes[b][level - 1];
            /* text in a box's own element is another thing than text in the box */
            layout->paths[b][level] =
                path_index(layout, known, reading->around[node].layout + level);
        }
    }
}

tmpl_reading_t *tmpl_read_blocks(const tmpl_page_t *page, tmpl_layout_t *layout, apr_pool_t *pool)
{
    uint32_t n = page->n_blocks;
    tmpl_reading_t *reading = apr_pcalloc(pool, sizeof(*reading));
    reading->page = page;
    reading->around = apr_pcalloc(pool, page->n_nodes * sizeof(*reading->around));
    reading->blocks = apr_pcalloc(pool, n * sizeof(*reading->blocks));
    reading->before = apr_palloc(pool, (n + 1) * sizeof(*reading->before));
    reading->leaf = apr_palloc(pool, n * sizeof(*reading->leaf));
    reading->boxes = apr_palloc(pool, n * sizeof(*reading->boxes));
    reading->last = apr_palloc(pool, n * sizeof(*reading->last));
    reading->next = apr_palloc(pool, n * sizeof(*reading->next));
    reading->ends = apr_pcalloc(pool, n);
    reading->lower = apr_pcalloc(pool, n);
    for (uint32_t b = 0; b < n; b++) {
        reading->leaf[b] = leaf_of(page, b);
    }
    tmpl_read_around(reading);
    tmpl_read_text(reading, pool);
    tmpl_read_score(reading);
    for (uint32_t b = 0; b < n; b++) {
        find_boxes(reading, b);
    }
    find_layout(layout, reading, pool);
    return reading;
}

/* --- a row --- */

struct tmpl_rows_t {
    const tmpl_reading_t *reading;
    const tmpl_layout_t *layout;
    const tmpl_evidence_t *evidence;
    const tmpl_tally_t *blocks; /* with what the table says */
    const tmpl_tally_t *before;
    tmpl_tally_t all; /* of the page */
    uint32_t titled;  /* blocks from here on have an h1 before them */
};

static float share(double part, double all)
{
    return all > 0 ? (float)fmin(1, fmax(0, part / all)) : 0.0F;
}

/* log(1 + x); differences of sums may be a little below 0 */
static float log_of(double x)
{
    return (float)log1p(fmax(0, x));
}

static float linked(const tmpl_tally_t *tally)
{
    return share(tally->linked, tally->words);
}

static float free_words(const tmpl_tally_t *tally, uint32_t blocks)
{
    return log_of((tally->words - tally->linked) / (blocks > 0 ? blocks : 1));
}

#define F(id) row[TMPL_BLOCK_FEATURE_##id]

static void fill_text(float *row, const tmpl_rows_t *work, uint32_t b)
{
    const tmpl_tally_t *own = &work->blocks[b];
    F(WORDS) = log_of(own->words);
    F(FREE) = free_words(own, 1);
    F(LINKED) = own->words > 0 ? linked(own) : (float)(own->links > 0);
    F(LINKS) = log_of(own->links);
    F(STOPS) = share(own->stops, own->words);
    F(COMMAS) = log_of(own->commas);
    F(ENDS) = work->reading->ends[b];
    F(LOWER) = work->reading->lower[b];
    F(CAPITALS) = share(own->capitals, own->words);
    F(DIGITS) = share(own->digits, own->chars);
    F(SIGNS) = share(own->signs, own->chars);
    F(LETTERS) = own->words > 0 ? (float)fmin(20, own->chars / own->words) : 0.0F;
    F(IMAGES) = log_of(own->images);
    F(AGAIN) = share(own->again, own->length);
    F(RIGHTS) = (float)(own->rights > 0);
    F(TITLE) = share(own->titled, own->words);
    F(TITLE_SHARE) = share(own->titled, work->reading->title);
    F(LINKS_HERE) = share(own->here, own->links);
    F(LINKS_WHOLE) = share(own->whole, own->links);
}

static const struct {
    tmpl_block_feature_e feature;
    unsigned in;
} in_features[] = {
    { TMPL_BLOCK_FEATURE_HEADING, TMPL_IN_HEADING },
    { TMPL_BLOCK_FEATURE_PARAGRAPH, TMPL_IN_PARAGRAPH },
    { TMPL_BLOCK_FEATURE_ITEM, TMPL_IN_ITEM },
    { TMPL_BLOCK_FEATURE_CELL, TMPL_IN_CELL },
    { TMPL_BLOCK_FEATURE_TERM, TMPL_IN_TERM },
    { TMPL_BLOCK_FEATURE_VERBATIM, TMPL_IN_VERBATIM },
    { TMPL_BLOCK_FEATURE_IN_MAIN, TMPL_IN_MAIN },
    { TMPL_BLOCK_FEATURE_IN_ARTICLE, TMPL_IN_ARTICLE },
    { TMPL_BLOCK_FEATURE_IN_NAV, TMPL_IN_NAV },
    { TMPL_BLOCK_FEATURE_IN_ASIDE, TMPL_IN_ASIDE },
    { TMPL_BLOCK_FEATURE_IN_HEADER, TMPL_IN_HEADER },
    { TMPL_BLOCK_FEATURE_IN_FOOTER, TMPL_IN_FOOTER },
    { TMPL_BLOCK_FEATURE_IN_FORM, TMPL_IN_FORM },
    { TMPL_BLOCK_FEATURE_IN_LIST, TMPL_IN_LIST },
    { TMPL_BLOCK_FEATURE_IN_TABLE, TMPL_IN_TABLE },
    { TMPL_BLOCK_FEATURE_IN_FIGURE, TMPL_IN_FIGURE },
    { TMPL_BLOCK_FEATURE_IN_QUOTE, TMPL_IN_QUOTE },
};

static float nearness(uint32_t steps)
{
    return steps > 0 ? 1.0F / (float)steps : 0.0F;
}

static void fill_tag(float *row, const tmpl_rows_t *work, uint32_t b)
{
    const tmpl_page_t *page = work->reading->page;
    uint32_t node = page->segments[page->blocks[b].first_segment].node;
    const tmpl_around_t *around = &work->reading->around[node];
    for (unsigned i = 0; i < sizeof(in_features) / sizeof(in_features[0]); i++) {
        row[in_features[i].feature] = (float)((around->in & in_features[i].in) != 0);
    }
    F(DEPTH) = log_of(page->nodes[work->reading->leaf[b]].depth);
    for (unsigned i = TMPL_NAME_COMMENT; i < TMPL_NAME_COUNT; i++) {
        row[TMPL_BLOCK_FEATURE_NAMED_COMMENT + i - TMPL_NAME_COMMENT] = nearness(around->near[i]);
    }
    F(GOOD_NEAR) = nearness(around->near[TMPL_NAME_GOOD]);
    F(BAD_NEAR) = nearness(around->near[TMPL_NAME_BAD]);
    F(NEARER) = F(GOOD_NEAR) > F(BAD_NEAR) ? 1.0F : F(BAD_NEAR) > 0 ? -1.0F : 0.0F;
}

static void fill_place(float *row, const tmpl_rows_t *work, uint32_t b)
{
    F(BEFORE) = share(work->before[b].words, work->all.words);
    F(LEAD) = log_of(work->before[b].words);
    F(REST) = log_of(work->all.words - work->before[b + 1].words);
    F(LONG_BEFORE) = share(work->before[b].long_text, work->all.long_text);
    uint32_t last = work->reading->last[b];
    uint32_t next = work->reading->next[b];
    F(LONG_NEAR) = nearness(1 + (last < next ? last : next));
    F(LONG_LAST) = nearness(1 + last);
    F(LONG_NEXT) = nearness(1 + next);
}

/* Sums over so many blocks before a block and so many from it on. */
static tmpl_tally_t window(const tmpl_rows_t *work, uint32_t b, uint32_t back, uint32_t on,
                           uint32_t *blocks)
{
    uint32_t n = work->reading->page->n_blocks;
    uint32_t first = b > back ? b - back : 0;
    uint32_t after = n - b > on ? b + on : n;
    *blocks = after - first;
    return tmpl_tally_between(work->before, first, after);
}

static void fill_beside(float *row, const tmpl_rows_t *work, uint32_t b)
{
    uint32_t n1;
    uint32_t n3;
    uint32_t n8;
    uint32_t n_last;
    uint32_t n_next;
    tmpl_tally_t one = window(work, b, 1, 2, &n1);
    tmpl_tally_t three = window(work, b, 3, 4, &n3);
    tmpl_tally_t eight = window(work, b, 8, 9, &n8);
    tmpl_tally_t last = window(work, b, 3, 0, &n_last);
    tmpl_tally_t next = window(work, b + 1, 0, 3, &n_next);
    F(LINKED_8) = linked(&eight);
    F(FREE_8) = free_words(&eight, n8);
    F(FREE_LAST_3) = free_words(&last, n_last);
    F(FREE_NEXT_3) = free_words(&next, n_next);
    F(LINKED_LAST_3) = linked(&last);
    F(LINKED_NEXT_3) = linked(&next);
    F(LINKED_1) = linked(&one);
    F(LINKED_3) = linked(&three);
    F(FREE_1) = free_words(&one, n1);
    F(FREE_3) = free_words(&three, n3);
    F(STOPS_3) = share(three.stops, three.words);
    F(REPEATED_1) = share(one.repeated, one.length);
    F(REPEATED_3) = share(three.repeated, three.length);
    if (b > 0) {
        F(FREE_LAST) = free_words(&work->blocks[b - 1], 1);
        F(LINKED_LAST) = linked(&work->blocks[b - 1]);
    }
    if (b + 1 < work->reading->page->n_blocks) {
        F(FREE_NEXT) = free_words(&work->blocks[b + 1], 1);
        F(LINKED_NEXT) = linked(&work->blocks[b + 1]);
    }
}

static void fill_boxes(float *row, const tmpl_rows_t *work, uint32_t b)
{
    const tmpl_reading_t *reading = work->reading;
    const tmpl_around_t *best = &reading->around[reading->best];
    const uint32_t *boxes = reading->boxes[b];
    for (unsigned i = 0; i < TMPL_BOXES; i++) {
        const tmpl_around_t *box = &reading->around[boxes[i]];
        tmpl_tally_t sum = tmpl_tally_between(work->before, box->first_block, box->after_block);
        row[TMPL_BLOCK_FEATURE_BOX1_LINKED + i] = linked(&sum);
        if (i < 3) {
            row[TMPL_BLOCK_FEATURE_REPEATED_BOX1 + i] = share(sum.repeated, sum.length);
        }
    }
    if (reading->best != 0) {
        tmpl_tally_t sum = tmpl_tally_between(work->before, best->first_block, best->after_block);
        F(BEST) = (float)(b >= best->first_block && b < best->after_block);
        F(BEST_SHARE) = share(sum.words, work->all.words);
        F(SCORE) = share(reading->around[boxes[0]].score, best->score);
        F(SCORE_2) = share(reading->around[boxes[1]].score, best->score);
        F(SCORE_3) = share(reading->around[boxes[2]].score, best->score);
        F(BEST_BEFORE) = share(
            work->before[b].long_text - work->before[best->first_block].long_text, sum.long_text);
    }
}

/* A site's first page is told of as a page of no site is: the table holds only what it says itself. */
static int known(const tmpl_evidence_t *evidence)
{
    return evidence->pages > 1;
}

static void fill_site(float *row, const tmpl_rows_t *work, uint32_t b)
{
    const tmpl_evidence_t *evidence = work->evidence;
    const tmpl_tally_t *own = &work->blocks[b];
    const uint32_t *paths = work->layout->paths[b];
    if (!known(evidence)) {
        return;
    }
    F(PAGES) = fminf(6, log2f((float)evidence->pages));
    F(DF) = share(own->df, own->length);
    F(DF_LOG) = own->length > 0 ? (float)(own->df_log / own->length) : 0.0F;
    F(REPEATED) = share(own->repeated, own->length);
    F(RATIO) = share(own->template, own->length);
    F(REPEATED_PAGE) = share(work->all.repeated, work->all.length);
    for (unsigned level = 0; level < TMPL_PATH_LEVELS; level++) {
        const tmpl_record_t *path = &evidence->paths[paths[level]];
        row[TMPL_BLOCK_FEATURE_PATH0_REPEATED + level] = share(path->repeated, path->text);
        row[TMPL_BLOCK_FEATURE_PATH0_DF + level] = share(path->df, evidence->pages);
    }
    F(PATH0_TEXT) = log_of(evidence->paths[paths[0]].text);
    F(PATH1_TEXT) = log_of(evidence->paths[paths[1]].text);
}

/* Puts into a block's tally what the table says of its segments. */
static void ask_table(tmpl_tally_t *tally, const tmpl_page_t *page, uint32_t b,
                      const tmpl_evidence_t *evidence)
{
    tally->repeated = tally->template = tally->df = tally->df_log = 0;
    for (uint32_t i = page->blocks[b].first_segment;
         known(evidence) && i < page->blocks[b].after_segment; i++) {
        const tmpl_segment_t *segment = &page->segments[i];
        uint32_t df = evidence->segments[segment->key].df;
        double length = segment->length;
        if (df >= 2) {
            tally->repeated += length;
            tally->template += df >= evidence->min_df ? length : 0;
            tally->df += length * share(df - 1, evidence->pages - 1);
            tally->df_log += length * log(df);
        }
    }
}

static void fill_row(float *row, const tmpl_rows_t *of, uint32_t b)
{
    fill_text(row, of, b);
    fill_tag(row, of, b);
    fill_place(row, of, b);
    fill_beside(row, of, b);
    fill_boxes(row, of, b);
    fill_site(row, of, b);
    F(TITLED) = (float)(b >= of->titled);
}

/* Tallies with what the table says, and their sums. */
const tmpl_rows_t *tmpl_rows_of(tmpl_reading_t *reading, const tmpl_layout_t *layout,
                                const tmpl_evidence_t *evidence, apr_pool_t *pool)
{
    const tmpl_page_t *page = reading->page;
    uint32_t n = page->n_blocks;
    tmpl_rows_t *of = apr_pcalloc(pool, sizeof(*of));
    *of = (tmpl_rows_t){ .reading = reading, .layout = layout, .evidence = evidence, .titled = n };
    for (uint32_t b = 0; b < n; b++) {
        ask_table(&reading->blocks[b], page, b, evidence);
        if (of->titled == n && page->nodes[reading->leaf[b]].tag == TMPL_TAG_H1) {
            of->titled = b + 1;
        }
    }
    tmpl_tally_sum(reading->before, reading->blocks, n);
    of->blocks = reading->blocks;
    of->before = reading->before;
    of->all = reading->before[n];
    return of;
}

void tmpl_rows_fill(float *rows, const tmpl_rows_t *of, uint32_t first, uint32_t after)
{
    memset(rows, 0, (size_t)(after - first) * TMPL_BLOCK_FEATURE_COUNT * sizeof(*rows));
    for (uint32_t b = first; b < after; b++) {
        fill_row(&rows[(size_t)(b - first) * TMPL_BLOCK_FEATURE_COUNT], of, b);
    }
}

void tmpl_block_feature_rows(float *rows, tmpl_reading_t *reading, const tmpl_layout_t *layout,
                             const tmpl_evidence_t *evidence, apr_pool_t *pool)
{
    tmpl_rows_fill(rows, tmpl_rows_of(reading, layout, evidence, pool), 0, reading->page->n_blocks);
}
