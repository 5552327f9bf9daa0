/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/feature.h"

#include <math.h>
#include <string.h>

#include <apr_tables.h>

#include "feature/reading.h"
#include "page/slot.h"

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

/* Layout paths while they are told apart. */
typedef struct {
    apr_array_header_t *keys; /* uint64_t */
    uint32_t *slots;          /* 1 + index into keys, by hash; 0: empty */
    uint32_t n_slots;
} paths_t;

/* Where a path stands in slots, or would. */
static uint32_t *slot_of(const paths_t *paths, uint64_t key)
{
    uint32_t slot = tmpl_slot_of(key, paths->n_slots);
    while (paths->slots[slot] != 0 &&
           APR_ARRAY_IDX(paths->keys, paths->slots[slot] - 1, uint64_t) != key) {
        slot = (slot + 1) & (paths->n_slots - 1);
    }
    return &paths->slots[slot];
}

/* Most pages have few paths, some have three for each block: the table grows with them. */
static void set_slots(paths_t *paths, uint32_t n_slots)
{
    paths->n_slots = n_slots;
    paths->slots = apr_pcalloc(paths->keys->pool, n_slots * sizeof(*paths->slots));
    for (int i = 0; i < paths->keys->nelts; i++) {
        *slot_of(paths, APR_ARRAY_IDX(paths->keys, i, uint64_t)) = (uint32_t)i + 1;
    }
}

/* The index of a layout path in keys, where it is added if it is new. */
static uint32_t path_index(paths_t *paths, uint64_t key)
{
    uint32_t *slot = slot_of(paths, key);
    if (*slot == 0) {
        APR_ARRAY_PUSH(paths->keys, uint64_t) = key;
        *slot = (uint32_t)paths->keys->nelts;
        if (*slot > paths->n_slots / 2) {
            set_slots(paths, 4 * paths->n_slots);
            return (uint32_t)paths->keys->nelts - 1;
        }
    }
    return *slot - 1;
}

static uint32_t place_of(const tmpl_reading_t *reading, uint32_t b, uint32_t level)
{
    return level == 0 ? reading->leaf[b] : reading->boxes[b][level - 1];
}

static void find_layout(tmpl_layout_t *layout, const tmpl_reading_t *reading, apr_pool_t *pool)
{
    uint32_t n = reading->page->n_blocks;
    paths_t paths = { .keys = apr_array_make(pool, 64, sizeof(uint64_t)) };
    set_slots(&paths, 256);
    layout->paths = apr_palloc(pool, n * sizeof(*layout->paths));
    for (uint32_t b = 0; b < n; b++) {
        for (uint32_t level = 0; level < TMPL_PATH_LEVELS; level++) {
            uint32_t node = place_of(reading, b, level);
            /* text in a box's own element is another thing than text in the box */
            layout->paths[b][level] =
                b > 0 && node == place_of(reading, b - 1, level)
                    ? layout->paths[b - 1][level]
                    : path_index(&paths, reading->around[node].layout + level);
        }
    }
    layout->keys = (uint64_t *)(void *)paths.keys->elts;
    layout->n_keys = (uint32_t)paths.keys->nelts;
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

/*
 * Logarithms of values seen before: counts are small and come again. Zeroes are a cache that knows that of
 * 0, which no other value's place can be mistaken for.
 */
typedef struct {
    double x;
    float log;
} known_log_t;

#define KNOWN_LOG_BITS 9
#define KNOWN_DF       64

struct tmpl_rows_t {
    const tmpl_reading_t *reading;
    const tmpl_layout_t *layout;
    const tmpl_evidence_t *evidence;
    const tmpl_sums_t *before; /* with what the table says */
    tmpl_sums_t all;           /* of the page */
    uint32_t titled;           /* blocks from here on have an h1 before them */
    float pages;               /* the feature of that name */
    known_log_t *logs;
    double *df_logs; /* natural logarithms of DF below KNOWN_DF; 0: not known yet */
};

static float share(uint32_t part, uint32_t all)
{
    /* most are none or all */
    return part == 0 || all == 0 ? 0.0F : part >= all ? 1.0F : (float)((double)part / all);
}

static float share_of(double part, double all)
{
    return all > 0 ? part >= all ? 1.0F : (float)(part / all) : 0.0F;
}

/* log(1 + x). As floats, log and log1p are the same for all that is counted here, and log is faster. */
static float log_of(const tmpl_rows_t *of, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    known_log_t *known = &of->logs[bits * 0x9E3779B97F4A7C15U >> (64 - KNOWN_LOG_BITS)];
    if (known->x != x) {
        *known = (known_log_t){ x, (float)log(1 + x) };
    }
    return known->log;
}

static float log_count(const tmpl_rows_t *of, uint32_t n)
{
    return n == 0 ? 0.0F : log_of(of, n); /* most are 0 */
}

static float linked(const tmpl_sums_t *sums)
{
    return share(sums->linked, sums->words);
}

static float free_words(const tmpl_rows_t *of, const tmpl_sums_t *sums, uint32_t blocks)
{
    return log_of(of, (sums->words - sums->linked) * 0.5 / (blocks > 0 ? blocks : 1));
}

/* A row's features stand in columns. */
#define F(id) row[TMPL_BLOCK_FEATURE_##id * TMPL_BLOCKS_AT_ONCE]

static void fill_text(float *row, const tmpl_rows_t *of, uint32_t b)
{
    const tmpl_tally_t *own = &of->reading->blocks[b];
    tmpl_sums_t sums = tmpl_sums_between(of->before, b, b + 1);
    F(WORDS) = log_of(of, own->words * 0.5);
    F(FREE) = free_words(of, &sums, 1);
    F(LINKED) = own->words > 0 ? linked(&sums) : (float)(own->links > 0);
    F(LINKS) = log_count(of, own->links);
    F(STOPS) = share(2 * own->stops, own->words);
    F(COMMAS) = log_count(of, own->commas);
    F(ENDS) = own->ends;
    F(LOWER) = own->lower;
    F(CAPITALS) = share(2 * own->capitals, own->words);
    F(DIGITS) = share(own->digits, own->chars);
    F(SIGNS) = share(own->signs, own->chars);
    F(LETTERS) = own->chars >= 10 * (uint64_t)own->words ? own->words > 0 ? 20.0F : 0.0F
                                                         : (float)(own->chars / (own->words * 0.5));
    F(IMAGES) = log_count(of, own->images);
    F(AGAIN) = share(own->again, sums.length);
    F(RIGHTS) = own->rights;
    F(TITLE) = share(own->titled, own->words);
    F(TITLE_SHARE) = share(own->titled, of->reading->title);
    F(LINKS_HERE) = share(own->here, own->links);
    F(LINKS_WHOLE) = share(own->whole, own->links);
}

static float nearness(uint32_t steps)
{
    return steps > 0 ? 1.0F / (float)steps : 0.0F;
}

static void fill_tag(float *row, const tmpl_rows_t *of, uint32_t b)
{
    const tmpl_page_t *page = of->reading->page;
    uint32_t node = page->segments[page->blocks[b].first_segment].node;
    const tmpl_around_t *around = &of->reading->around[node];
    for (unsigned in = around->in & TMPL_IN_FEATURES; in != 0; in &= in - 1) {
        row[(TMPL_BLOCK_FEATURE_HEADING + __builtin_ctz(in)) * TMPL_BLOCKS_AT_ONCE] = 1;
    }
    F(DEPTH) = log_of(of, page->nodes[of->reading->leaf[b]].depth);
    for (unsigned i = TMPL_NAME_COMMENT; i < TMPL_NAME_COUNT; i++) {
        row[(TMPL_BLOCK_FEATURE_NAMED_COMMENT + i - TMPL_NAME_COMMENT) * TMPL_BLOCKS_AT_ONCE] =
            nearness(around->near.steps[i]);
    }
    F(GOOD_NEAR) = nearness(around->near.steps[TMPL_NAME_GOOD]);
    F(BAD_NEAR) = nearness(around->near.steps[TMPL_NAME_BAD]);
    F(NEARER) = F(GOOD_NEAR) > F(BAD_NEAR) ? 1.0F : F(BAD_NEAR) > 0 ? -1.0F : 0.0F;
}

static void fill_place(float *row, const tmpl_rows_t *of, uint32_t b)
{
    F(BEFORE) = share(of->before[b].words, of->all.words);
    F(LEAD) = log_of(of, of->before[b].words * 0.5);
    F(REST) = log_of(of, (of->all.words - of->before[b + 1].words) * 0.5);
    F(LONG_BEFORE) = share(of->before[b].long_text, of->all.long_text);
    uint32_t last = of->reading->last[b];
    uint32_t next = of->reading->next[b];
    F(LONG_NEAR) = nearness(1 + (last < next ? last : next));
    F(LONG_LAST) = nearness(1 + last);
    F(LONG_NEXT) = nearness(1 + next);
    F(TITLED) = (float)(b >= of->titled);
}

/* Sums over so many blocks before a block and so many from it on. */
static inline tmpl_sums_t window(const tmpl_rows_t *of, uint32_t b, uint32_t back, uint32_t on,
                                 uint32_t *blocks)
{
    uint32_t n = of->reading->page->n_blocks;
    uint32_t first = b > back ? b - back : 0;
    uint32_t after = n - b > on ? b + on : n;
    *blocks = after - first;
    return tmpl_sums_between(of->before, first, after);
}

static void fill_beside(float *row, const tmpl_rows_t *of, uint32_t b)
{
    uint32_t n;
    tmpl_sums_t sums = window(of, b, 1, 2, &n);
    F(LINKED_1) = linked(&sums);
    F(FREE_1) = free_words(of, &sums, n);
    F(REPEATED_1) = share(sums.repeated, sums.length);
    sums = window(of, b, 3, 4, &n);
    F(LINKED_3) = linked(&sums);
    F(FREE_3) = free_words(of, &sums, n);
    F(STOPS_3) = share(2 * sums.stops, sums.words);
    F(REPEATED_3) = share(sums.repeated, sums.length);
    sums = window(of, b, 8, 9, &n);
    F(LINKED_8) = linked(&sums);
    F(FREE_8) = free_words(of, &sums, n);
    sums = window(of, b, 3, 0, &n);
    F(LINKED_LAST_3) = linked(&sums);
    F(FREE_LAST_3) = free_words(of, &sums, n);
    sums = window(of, b + 1, 0, 3, &n);
    F(LINKED_NEXT_3) = linked(&sums);
    F(FREE_NEXT_3) = free_words(of, &sums, n);
    sums = window(of, b, 1, 0, &n);
    F(LINKED_LAST) = linked(&sums);
    F(FREE_LAST) = free_words(of, &sums, 1);
    sums = window(of, b + 1, 0, 1, &n);
    F(LINKED_NEXT) = linked(&sums);
    F(FREE_NEXT) = free_words(of, &sums, 1);
}

static void fill_boxes(float *row, const tmpl_rows_t *of, uint32_t b)
{
    const tmpl_reading_t *reading = of->reading;
    const tmpl_around_t *best = &reading->around[reading->best];
    const uint32_t *boxes = reading->boxes[b];
    for (unsigned i = 0; i < TMPL_BOXES; i++) {
        const tmpl_around_t *box = &reading->around[boxes[i]];
        tmpl_sums_t sums = tmpl_sums_between(of->before, box->first_block, box->after_block);
        row[(TMPL_BLOCK_FEATURE_BOX1_LINKED + i) * TMPL_BLOCKS_AT_ONCE] = linked(&sums);
        if (i < 3) {
            row[(TMPL_BLOCK_FEATURE_REPEATED_BOX1 + i) * TMPL_BLOCKS_AT_ONCE] =
                share(sums.repeated, sums.length);
        }
    }
    if (reading->best != 0) {
        tmpl_sums_t sums = tmpl_sums_between(of->before, best->first_block, best->after_block);
        F(BEST) = (float)(b >= best->first_block && b < best->after_block);
        F(BEST_SHARE) = share(sums.words, of->all.words);
        F(SCORE) = share_of(reading->around[boxes[0]].score, best->score);
        F(SCORE_2) = share_of(reading->around[boxes[1]].score, best->score);
        F(SCORE_3) = share_of(reading->around[boxes[2]].score, best->score);
        if (b > best->first_block) {
            F(BEST_BEFORE) = share(
                of->before[b].long_text - of->before[best->first_block].long_text, sums.long_text);
        }
    }
}

/* A site's first page is told of as a page of no site is: the table holds only what it says itself. */
static int is_known(const tmpl_evidence_t *evidence)
{
    return evidence->pages > 1;
}

static double df_log(const tmpl_rows_t *of, uint32_t df)
{
    if (df >= KNOWN_DF) {
        return log(df);
    }
    if (of->df_logs[df] == 0) {
        of->df_logs[df] = log(df);
    }
    return of->df_logs[df];
}

/* What the table says of a block's segments. */
static void fill_df(float *row, const tmpl_rows_t *of, uint32_t b)
{
    const tmpl_page_t *page = of->reading->page;
    const tmpl_evidence_t *evidence = of->evidence;
    double df_sum = 0;
    double log_sum = 0;
    uint32_t template = 0;
    uint32_t length = page->blocks[b].length;
    for (uint32_t i = page->blocks[b].first_segment; i < page->blocks[b].after_segment; i++) {
        const tmpl_segment_t *segment = &page->segments[i];
        uint32_t df = evidence->segments[segment->key].df;
        if (df >= 2) {
            template += df >= evidence->min_df ? segment->length : 0;
            df_sum += (double)segment->length * share(df - 1, evidence->pages - 1);
            log_sum += (double)segment->length * df_log(of, df);
        }
    }
    F(DF) = share_of(df_sum, length);
    F(DF_LOG) = length > 0 ? (float)(log_sum / length) : 0.0F;
    F(RATIO) = share(template, length);
}

static void fill_site(float *row, const tmpl_rows_t *of, uint32_t b)
{
    const tmpl_evidence_t *evidence = of->evidence;
    const uint32_t *paths = of->layout->paths[b];
    if (!is_known(evidence)) {
        return;
    }
    fill_df(row, of, b);
    F(PAGES) = of->pages;
    F(REPEATED) = share(of->before[b + 1].repeated - of->before[b].repeated,
                        of->reading->page->blocks[b].length);
    F(REPEATED_PAGE) = share(of->all.repeated, of->all.length);
    for (unsigned level = 0; level < TMPL_PATH_LEVELS; level++) {
        const tmpl_record_t *path = &evidence->paths[paths[level]];
        row[(TMPL_BLOCK_FEATURE_PATH0_REPEATED + level) * TMPL_BLOCKS_AT_ONCE] =
            share(path->repeated, path->text);
        row[(TMPL_BLOCK_FEATURE_PATH0_DF + level) * TMPL_BLOCKS_AT_ONCE] =
            share(path->df, evidence->pages);
    }
    F(PATH0_TEXT) = log_of(of, evidence->paths[paths[0]].text);
    F(PATH1_TEXT) = log_of(of, evidence->paths[paths[1]].text);
}

static void fill_row(float *row, const tmpl_rows_t *of, uint32_t b)
{
    fill_text(row, of, b);
    fill_tag(row, of, b);
    fill_place(row, of, b);
    fill_beside(row, of, b);
    fill_boxes(row, of, b);
    fill_site(row, of, b);
}

/* Bytes of a block's segments that another page has, too. */
static uint32_t repeated_of(const tmpl_page_t *page, uint32_t b, const tmpl_evidence_t *evidence)
{
    uint32_t repeated = 0;
    for (uint32_t i = page->blocks[b].first_segment;
         is_known(evidence) && i < page->blocks[b].after_segment; i++) {
        const tmpl_segment_t *segment = &page->segments[i];
        repeated += evidence->segments[segment->key].df >= 2 ? segment->length : 0;
    }
    return repeated;
}

const tmpl_rows_t *tmpl_rows_of(tmpl_reading_t *reading, const tmpl_layout_t *layout,
                                const tmpl_evidence_t *evidence, apr_pool_t *pool)
{
    const tmpl_page_t *page = reading->page;
    uint32_t n = page->n_blocks;
    uint32_t repeated = 0;
    tmpl_rows_t *of = apr_palloc(pool, sizeof(*of));
    *of = (tmpl_rows_t){ .reading = reading, .layout = layout, .evidence = evidence, .titled = n };
    for (uint32_t b = 0; b < n; b++) {
        reading->before[b].repeated = repeated;
        repeated += repeated_of(page, b, evidence);
        if (of->titled == n && page->nodes[reading->leaf[b]].tag == TMPL_TAG_H1) {
            of->titled = b + 1;
        }
    }
    reading->before[n].repeated = repeated;
    of->before = reading->before;
    of->all = reading->before[n];
    of->pages = is_known(evidence) ? fminf(6, log2f((float)evidence->pages)) : 0.0F;
    of->logs = apr_pcalloc(pool, sizeof(*of->logs) << KNOWN_LOG_BITS);
    of->df_logs = apr_pcalloc(pool, sizeof(*of->df_logs) * KNOWN_DF);
    return of;
}

void tmpl_rows_fill(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t first, uint32_t after)
{
    for (uint32_t f = 0; f < TMPL_BLOCK_FEATURE_COUNT; f++) {
        memset(columns->of[f], 0, sizeof(columns->of[f]));
    }
    for (uint32_t b = first; b < after; b++) {
        fill_row(&columns->of[0][b - first], of, b);
    }
}

void tmpl_block_feature_rows(float *rows, tmpl_reading_t *reading, const tmpl_layout_t *layout,
                             const tmpl_evidence_t *evidence, apr_pool_t *pool)
{
    uint32_t n = reading->page->n_blocks;
    const tmpl_rows_t *of = tmpl_rows_of(reading, layout, evidence, pool);
    tmpl_columns_t *columns = apr_palloc(pool, sizeof(*columns));
    for (uint32_t b = 0; b < n; b++) {
        uint32_t in = b % TMPL_BLOCKS_AT_ONCE;
        if (in == 0) {
            tmpl_rows_fill(columns, of, b,
                           n - b < TMPL_BLOCKS_AT_ONCE ? n : b + TMPL_BLOCKS_AT_ONCE);
        }
        for (uint32_t f = 0; f < TMPL_BLOCK_FEATURE_COUNT; f++) {
            *rows++ = columns->of[f][in];
        }
    }
}
