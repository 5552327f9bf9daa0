/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/feature.h"

#include <math.h>
#include <string.h>

#include <apr_tables.h>

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
    while (i < TMPL_BLOCK_FEATURE_COUNT &&
           (features[i].name[0] != name[0] || strcmp(features[i].name, name) != 0)) {
        i++;
    }
    return (tmpl_block_feature_e)i;
}

/*
 * The nearest element around node that holds more blocks; the root if there is none. Where an element holds
 * the same segments it holds the same blocks.
 */
static uint32_t box_around(const tmpl_page_t *page, uint32_t node)
{
    const tmpl_node_t *inner = &page->nodes[node];
    uint32_t first = tmpl_first_block(page, node);
    uint32_t after = tmpl_after_block(page, node);
    while (node != 0) {
        node = page->nodes[node].parent;
        const tmpl_node_t *outer = &page->nodes[node];
        if ((outer->first_segment < inner->first_segment && tmpl_first_block(page, node) < first) ||
            (outer->after_segment > inner->after_segment && tmpl_after_block(page, node) > after)) {
            break;
        }
    }
    return node;
}

/* A leaf that holds other blocks as well is a box. */
static uint32_t innermost_box(const tmpl_page_t *page, uint32_t leaf)
{
    return tmpl_after_block(page, leaf) - tmpl_first_block(page, leaf) > 1 ? leaf
                                                                           : box_around(page, leaf);
}

/* The boxes around a block's innermost one, as those of the block before if that has the same. */
static void climb(uint32_t boxes[TMPL_BOXES], const tmpl_page_t *page, uint32_t innermost)
{
    if (boxes[0] == innermost) {
        return;
    }
    boxes[0] = innermost;
    for (int i = 1; i < TMPL_BOXES; i++) {
        boxes[i] = box_around(page, boxes[i - 1]);
    }
}

/* The index of a layout path in keys, where it is added if it is new. */
static uint32_t path_index(apr_array_header_t *keys, tmpl_place_t *place, uint32_t level)
{
    if (place->paths[level] == 0) {
        /* text in a box's own element is another thing than text in the box */
        APR_ARRAY_PUSH(keys, uint64_t) = place->layout + level;
        place->paths[level] = (uint32_t)keys->nelts;
    }
    return place->paths[level] - 1;
}

void tmpl_layout_read(tmpl_layout_t *layout, tmpl_reading_t *reading, apr_pool_t *pool)
{
    const tmpl_page_t *page = reading->page;
    apr_array_header_t *keys = apr_array_make(pool, 64, sizeof(uint64_t));
    tmpl_part_t *parts = apr_palloc(pool, page->n_blocks * sizeof(*parts));
    uint32_t boxes[TMPL_BOXES] = { TMPL_NONE };
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        const tmpl_block_t *block = &page->blocks[b];
        climb(boxes, page, innermost_box(page, block->node));
        for (uint32_t level = 0; level < TMPL_PATH_LEVELS; level++) {
            uint32_t node = level == 0 ? block->node : boxes[level - 1];
            tmpl_place_t *place = tmpl_place_at(reading, tmpl_place(reading, node)->first);
            parts[b].paths[level] = page->n_keys + path_index(keys, place, level);
        }
        parts[b].first = block->first_segment;
        parts[b].after = block->after_segment;
    }
    layout->keys = (const uint64_t *)(const void *)keys->elts;
    layout->n_keys = (uint32_t)keys->nelts;
    layout->parts = parts;
}

/*
 * Room for what is kept of each block, node and key, in one piece: what comes after judging can have that again, and
 * would be too large for pieces.
 */
static void make_room(tmpl_reading_t *reading, apr_pool_t *pool)
{
    const tmpl_page_t *page = reading->page;
    size_t before = (page->n_blocks + 1) * sizeof(*reading->before);
    size_t place = page->n_nodes * sizeof(*reading->place);
    size_t blocks = page->n_blocks * sizeof(*reading->blocks);
    char *room = apr_palloc(pool, before + place + blocks + page->n_keys * sizeof(*reading->again));
    reading->before = (tmpl_sums_t *)(void *)room;
    reading->place = (uint32_t *)(void *)(room + before);
    reading->blocks = (tmpl_small_t *)(void *)(room + before + place);
    reading->again = (unsigned char *)(room + before + place + blocks);
}

tmpl_reading_t *tmpl_read_blocks(const tmpl_page_t *page, apr_pool_t *pool)
{
    tmpl_reading_t *reading = apr_pcalloc(pool, sizeof(*reading));
    reading->page = page;
    make_room(reading, pool);
    tmpl_read_around(reading, pool);
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

#define KNOWN_LOG_BITS 8
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
    double *df_logs;            /* natural logarithms of DF below KNOWN_DF; 0: not known yet */
    uint32_t at;                /* the block whose row was filled last; TMPL_NONE: none was */
    uint32_t boxes[TMPL_BOXES]; /* of it */
    float box_linked[TMPL_BOXES];
    float box_repeated[TMPL_BOXES];
    float box_scores[TMPL_BOXES];
    const tmpl_long_t *next_long; /* from that block on */
    uint32_t long_text;           /* of the page */
    uint32_t best_first,
        best_after; /* blocks of the element that scores best; none: there is none */
    uint32_t long_before_best;
    uint32_t long_in_best;
    float best_share;
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

/* Bytes of a block's segments that stand on the page more than once. */
static uint32_t again_in(const tmpl_reading_t *reading, uint32_t b)
{
    const tmpl_page_t *page = reading->page;
    uint32_t again = 0;
    for (uint32_t i = page->blocks[b].first_segment; i < page->blocks[b].after_segment; i++) {
        again += reading->again[page->segments[i].key] ? page->segments[i].length : 0;
    }
    return again;
}

static void fill_text(float *row, const tmpl_rows_t *of, uint32_t b)
{
    tmpl_tally_t tally = tmpl_tally_of(of->reading, b);
    const tmpl_tally_t *own = &tally;
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
    F(AGAIN) = share(again_in(of->reading, b), sums.length);
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
    const tmpl_place_t *place = tmpl_place(of->reading, node);
    const tmpl_near_t *near = &place->near;
    for (unsigned in = place->in & TMPL_IN_FEATURES; in != 0; in &= in - 1) {
        row[(TMPL_BLOCK_FEATURE_HEADING + __builtin_ctz(in)) * TMPL_BLOCKS_AT_ONCE] = 1;
    }
    F(DEPTH) = log_of(of, page->nodes[page->blocks[b].node].depth);
    for (unsigned i = TMPL_NAME_COMMENT; i < TMPL_NAME_COUNT; i++) {
        row[(TMPL_BLOCK_FEATURE_NAMED_COMMENT + i - TMPL_NAME_COMMENT) * TMPL_BLOCKS_AT_ONCE] =
            nearness(near->steps[i]);
    }
    F(GOOD_NEAR) = nearness(near->steps[TMPL_NAME_GOOD]);
    F(BAD_NEAR) = nearness(near->steps[TMPL_NAME_BAD]);
    F(NEARER) = F(GOOD_NEAR) > F(BAD_NEAR) ? 1.0F : F(BAD_NEAR) > 0 ? -1.0F : 0.0F;
}

/* Blocks back to the last long text, itself 0; all blocks if there is none. */
static uint32_t last_long(const tmpl_rows_t *of, uint32_t b)
{
    const tmpl_long_t *first = (const tmpl_long_t *)(const void *)of->reading->longs->elts;
    uint32_t n = of->reading->page->n_blocks;
    return of->next_long->block == b ? 0 : of->next_long > first ? b - of->next_long[-1].block : n;
}

static void fill_place(float *row, const tmpl_rows_t *of, uint32_t b)
{
    F(BEFORE) = share(of->before[b].words, of->all.words);
    F(LEAD) = log_of(of, of->before[b].words * 0.5);
    F(REST) = log_of(of, (of->all.words - of->before[b + 1].words) * 0.5);
    F(LONG_BEFORE) = share(of->next_long->before, of->long_text);
    uint32_t n = of->reading->page->n_blocks;
    uint32_t at = of->next_long->block;
    uint32_t next = at - b; /* up to n - b, if there is none */
    next = at < n ? next : n;
    uint32_t last = last_long(of, b);
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

/* Ends of sentences in a block and so many on either side. */
static uint32_t stops_near(const tmpl_reading_t *reading, uint32_t b, uint32_t beside)
{
    uint32_t n = reading->page->n_blocks;
    uint32_t after = n - b > beside ? b + beside + 1 : n;
    uint32_t stops = 0;
    for (uint32_t i = b > beside ? b - beside : 0; i < after; i++) {
        const tmpl_small_t *small = &reading->blocks[i];
        stops += small->marks & TMPL_MARK_LARGE ? tmpl_tally_of(reading, i).stops : small->stops;
    }
    return stops;
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
    F(STOPS_3) = share(2 * stops_near(of->reading, b, 3), sums.words);
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

static void fill_best(float *row, const tmpl_rows_t *of, uint32_t b)
{
    F(BEST) = (float)(b >= of->best_first && b < of->best_after);
    F(BEST_SHARE) = of->best_share;
    F(SCORE) = of->box_scores[0];
    F(SCORE_2) = of->box_scores[1];
    F(SCORE_3) = of->box_scores[2];
    if (b > of->best_first) {
        F(BEST_BEFORE) = share(of->next_long->before - of->long_before_best, of->long_in_best);
    }
}

static void fill_boxes(float *row, const tmpl_rows_t *of)
{
    F(BOX1_LINKED) = of->box_linked[0];
    F(BOX2_LINKED) = of->box_linked[1];
    F(BOX3_LINKED) = of->box_linked[2];
    F(BOX4_LINKED) = of->box_linked[3];
    F(REPEATED_BOX1) = of->box_repeated[0];
    F(REPEATED_BOX2) = of->box_repeated[1];
    F(REPEATED_BOX3) = of->box_repeated[2];
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
    const uint32_t *paths = of->layout->parts[b].paths;
    uint32_t first = of->reading->page->n_keys; /* of the paths */
    if (!is_known(evidence)) {
        return;
    }
    fill_df(row, of, b);
    F(PAGES) = of->pages;
    F(REPEATED) = share(of->before[b + 1].repeated - of->before[b].repeated,
                        of->reading->page->blocks[b].length);
    F(REPEATED_PAGE) = share(of->all.repeated, of->all.length);
    for (unsigned level = 0; level < TMPL_PATH_LEVELS; level++) {
        const tmpl_record_t *path = &evidence->paths[paths[level] - first];
        row[(TMPL_BLOCK_FEATURE_PATH0_REPEATED + level) * TMPL_BLOCKS_AT_ONCE] =
            share(path->repeated, path->text);
        row[(TMPL_BLOCK_FEATURE_PATH0_DF + level) * TMPL_BLOCKS_AT_ONCE] =
            share(path->df, evidence->pages);
    }
    F(PATH0_TEXT) = log_of(of, evidence->paths[paths[0] - first].text);
    F(PATH1_TEXT) = log_of(of, evidence->paths[paths[1] - first].text);
}

static void fill_row(float *row, const tmpl_rows_t *of, uint32_t b)
{
    fill_text(row, of, b);
    fill_tag(row, of, b);
    fill_place(row, of, b);
    fill_beside(row, of, b);
    fill_boxes(row, of);
    if (of->best_after > 0) {
        fill_best(row, of, b);
    }
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

/* The first long text from a block on, or what stands behind the last. */
static const tmpl_long_t *find_long(const tmpl_reading_t *reading, uint32_t block)
{
    const tmpl_long_t *longs = (const tmpl_long_t *)(const void *)reading->longs->elts;
    uint32_t first = 0;
    uint32_t after = (uint32_t)reading->longs->nelts - 1;
    while (first < after) {
        uint32_t middle = first + (after - first) / 2;
        if (longs[middle].block < block) {
            first = middle + 1;
        }
        else {
            after = middle;
        }
    }
    return &longs[first];
}

static void find_best(tmpl_rows_t *of)
{
    const tmpl_reading_t *reading = of->reading;
    of->best_first = tmpl_first_block(reading->page, reading->best);
    of->best_after = tmpl_after_block(reading->page, reading->best);
    of->long_before_best = find_long(reading, of->best_first)->before;
    of->long_in_best = find_long(reading, of->best_after)->before - of->long_before_best;
    of->best_share =
        share(of->before[of->best_after].words - of->before[of->best_first].words, of->all.words);
}

tmpl_rows_t *tmpl_rows_of(tmpl_reading_t *reading, const tmpl_layout_t *layout,
                          const tmpl_evidence_t *evidence, apr_pool_t *pool)
{
    const tmpl_page_t *page = reading->page;
    uint32_t n = page->n_blocks;
    uint32_t repeated = 0;
    tmpl_rows_t *of = apr_palloc(pool, sizeof(*of));
    if (reading->longs == NULL) {
        tmpl_read_text(reading, pool);
        tmpl_read_score(reading, pool);
    }
    *of = (tmpl_rows_t){ .reading = reading,
                         .layout = layout,
                         .evidence = evidence,
                         .titled = n,
                         .at = TMPL_NONE,
                         .boxes = { TMPL_NONE } };
    for (uint32_t b = 0; b < n; b++) {
        reading->before[b].repeated = repeated;
        repeated += repeated_of(page, b, evidence);
        if (of->titled == n && page->nodes[page->blocks[b].node].tag == TMPL_TAG_H1) {
            of->titled = b + 1;
        }
    }
    reading->before[n].repeated = repeated;
    of->before = reading->before;
    of->all = reading->before[n];
    of->next_long = find_long(reading, 0);
    of->long_text = find_long(reading, n)->before;
    if (reading->best != 0) {
        find_best(of);
    }
    of->pages = is_known(evidence) ? fminf(6, log2f((float)evidence->pages)) : 0.0F;
    of->logs = apr_pcalloc(pool, sizeof(*of->logs) << KNOWN_LOG_BITS);
    of->df_logs = apr_pcalloc(pool, sizeof(*of->df_logs) * KNOWN_DF);
    return of;
}

/* What the boxes of a block say: blocks beside one another have the same ones. */
static void find_boxes(tmpl_rows_t *of)
{
    const tmpl_page_t *page = of->reading->page;
    float best = tmpl_score(of->reading, of->reading->best);
    for (unsigned i = 0; i < TMPL_BOXES; i++) {
        uint32_t box = of->boxes[i];
        tmpl_sums_t sums =
            tmpl_sums_between(of->before, tmpl_first_block(page, box), tmpl_after_block(page, box));
        of->box_linked[i] = linked(&sums);
        of->box_repeated[i] = share(sums.repeated, sums.length);
        of->box_scores[i] = share_of(tmpl_score(of->reading, box), best);
    }
}

/* Comes to a block. */
static void go_to(tmpl_rows_t *of, uint32_t b)
{
    const tmpl_page_t *page = of->reading->page;
    uint32_t innermost = innermost_box(page, page->blocks[b].node);
    if (innermost != of->boxes[0]) {
        climb(of->boxes, page, innermost);
        find_boxes(of);
    }
    if (b != of->at + 1 || of->next_long->block < b) {
        of->next_long = find_long(of->reading, b);
    }
    of->at = b;
}

void tmpl_rows_fill(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t first, uint32_t after)
{
    for (uint32_t f = 0; f < TMPL_BLOCK_FEATURE_COUNT; f++) {
        memset(columns->of[f], 0, sizeof(columns->of[f]));
    }
    for (uint32_t b = first; b < after; b++) {
        go_to(of, b);
        fill_row(&columns->of[0][b - first], of, b);
    }
}

void tmpl_block_feature_rows(float *rows, tmpl_reading_t *reading, const tmpl_layout_t *layout,
                             const tmpl_evidence_t *evidence, apr_pool_t *pool)
{
    uint32_t n = reading->page->n_blocks;
    tmpl_rows_t *of = tmpl_rows_of(reading, layout, evidence, pool);
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
