/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of features, some blocks at a time. What neighbours stand beside one another with is computed column by
 * column, for four blocks at once.
 */
#include <math.h>
#include <string.h>

#include <apr_tables.h>

#include "feature/columns.h"
#include "feature/reading.h"

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

/* What the table says of a layout path. */
typedef struct {
    float repeated;
    float text;
    float df;
} path_t;

#define LANES TMPL_BLOCKS_AT_ONCE

/* What is counted in blocks [first, after), each number for all of them. */
typedef struct {
#define TMPL_TALLY(name) uint32_t name[LANES];
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
    uint32_t words[LANES]; /* in halves */
    uint32_t length[LANES];
    uint32_t again[LANES]; /* bytes of segments that stand on the page more than once */
    uint32_t
        last[LANES]; /* blocks back to the last long text, itself 0; all blocks if there is none */
    uint32_t next[LANES];       /* and on to the next one */
    uint32_t longs[LANES];      /* halves of free words in long text before it */
    uint32_t stops_near[LANES]; /* ends of sentences in it and the three blocks on either side */
} counts_t;

struct tmpl_rows_t {
    const tmpl_reading_t *reading;
    const tmpl_layout_t *layout;
    const tmpl_evidence_t *evidence;
    const tmpl_before_t *before; /* with what the table says */
    tmpl_sums_t all;             /* of the page */
    uint32_t titled;             /* blocks from here on have an h1 before them */
    float pages;                 /* the features of that name, */
    float repeated;              /* and repeated-page */
    known_log_t *logs;
    path_t *paths;              /* as the layout's keys; NULL: nothing is known */
    double *df_logs;            /* natural logarithms of DF below KNOWN_DF; 0: not known yet */
    uint32_t boxes[TMPL_BOXES]; /* of the block whose row was filled last; TMPL_NONE: none was */
    float box_linked[TMPL_BOXES];
    float box_repeated[TMPL_BOXES];
    float box_scores[TMPL_BOXES];
    const tmpl_place_t *place; /* of its first segment; NULL: none was */
    float near[TMPL_NAME_COUNT];
    uint32_t long_text; /* of the page */
    uint32_t best_first,
        best_after; /* blocks of the element that scores best; none: there is none */
    uint32_t long_before_best;
    uint32_t long_in_best;
    float best_share;
    counts_t counts;
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

/* --- logarithms --- */

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

#define HALVES 16384
#define SHARED 512 /* among up to so many */
#define BLOCKS 18

/*
 * log(1 + x) for x = i / 2, and for x = i / 2 / blocks, as the bits of floats: found once by any thread, and the same for all,
 * so it does not matter whose stays. 0: not known yet.
 */
static uint32_t of_halves[HALVES];
static uint32_t of_shared[BLOCKS][SHARED];

static inline float known_log(uint32_t *known, double x)
{
    float value;
    uint32_t bits = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (bits == 0) {
        value = (float)log(1 + x);
        memcpy(&bits, &value, sizeof(bits));
        __atomic_store_n(known, bits, __ATOMIC_RELAXED);
    }
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline float log_halves(const tmpl_rows_t *of, uint32_t halves)
{
    return halves == 0       ? 0.0F
           : halves < HALVES ? known_log(&of_halves[halves], halves * 0.5)
                             : log_of(of, halves * 0.5);
}

/* Of halves that so many blocks share. */
static inline float log_shared(const tmpl_rows_t *of, uint32_t halves, uint32_t blocks)
{
    double x = halves * 0.5 / blocks;
    return halves == 0                          ? 0.0F
           : halves < SHARED && blocks < BLOCKS ? known_log(&of_shared[blocks][halves], x)
                                                : log_of(of, x);
}

/* --- block by block --- */

/* Features of the block at i. */
#define F(id) columns->of[TMPL_BLOCK_FEATURE_##id][i]

/* And those that come in one order with others. */
#define F_OF(id, k) columns->of[TMPL_BLOCK_FEATURE_##id + (k)][i]

/* Bytes of a block's segments that stand on the page more than once. */
static uint32_t again_in(const tmpl_reading_t *reading, uint32_t b)
{
    const tmpl_page_t *page = reading->page;
    uint32_t again = 0;
    for (uint32_t k = page->blocks[b].first_segment; k < page->blocks[b].after_segment; k++) {
        again += reading->again[page->segments[k].key] ? page->segments[k].length : 0;
    }
    return again;
}

static void unpack(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t i, uint32_t b)
{
    const tmpl_small_t *small = &of->reading->blocks[b];
    counts_t *counts = &of->counts;
    counts->words[i] = of->before->words[b + 1] - of->before->words[b];
    counts->length[i] = of->before->length[b + 1] - of->before->length[b];
    counts->again[i] = again_in(of->reading, b);
    if (small->marks & TMPL_MARK_LARGE) {
        tmpl_tally_t large = tmpl_tally_of(of->reading, b);
#define TMPL_TALLY(name) counts->name[i] = large.name;
        TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
        F(RIGHTS) = large.rights;
        F(ENDS) = large.ends;
        F(LOWER) = large.lower;
        return;
    }
#define TMPL_TALLY(name) counts->name[i] = small->name;
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
    F(RIGHTS) = (float)((small->marks & TMPL_MARK_RIGHTS) != 0);
    F(ENDS) = (float)((small->marks & TMPL_MARK_ENDS) != 0);
    F(LOWER) = (float)((small->marks & TMPL_MARK_LOWER) != 0);
}

static uint32_t stops_of(const tmpl_reading_t *reading, uint32_t b)
{
    const tmpl_small_t *small = &reading->blocks[b];
    return small->marks & TMPL_MARK_LARGE ? tmpl_tally_of(reading, b).stops : small->stops;
}

/* Ends of sentences in each block and so many on either side. */
#define STOPS_BESIDE 3

static void find_stops(tmpl_rows_t *of, uint32_t first, uint32_t n)
{
    uint32_t stops[LANES + 2 * STOPS_BESIDE];
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n + 2 * STOPS_BESIDE; i++) {
        uint32_t b = first + i - STOPS_BESIDE;
        stops[i] = b < of->reading->page->n_blocks ? stops_of(of->reading, b) : 0;
        sum += stops[i];
        if (i >= 2 * STOPS_BESIDE) {
            of->counts.stops_near[i - 2 * STOPS_BESIDE] = sum;
            sum -= stops[i - 2 * STOPS_BESIDE];
        }
    }
}

static void fill_logs(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t i, uint32_t b)
{
    const tmpl_page_t *page = of->reading->page;
    const counts_t *counts = &of->counts;
    const uint32_t *words = of->before->words + b;
    uint32_t own = of->counts.words[i];
    F(WORDS) = log_halves(of, own);
    F(LINKS) = log_halves(of, 2 * counts->links[i]);
    F(COMMAS) = log_halves(of, 2 * counts->commas[i]);
    F(IMAGES) = log_halves(of, 2 * counts->images[i]);
    F(DEPTH) = log_halves(of, 2 * (uint32_t)page->nodes[page->blocks[b].node].depth);
    F(LEAD) = log_halves(of, words[0]);
    F(REST) = log_halves(of, of->all.words - words[1]);
    if (own == 0) {
        F(LINKED) = (float)(counts->links[i] > 0);
    }
}

/* Free words in the blocks from so many behind a block to so many behind it, in halves. */
static inline uint32_t free_between(const tmpl_rows_t *of, uint32_t b, int first, int after)
{
    const uint32_t *words = of->before->words + b;
    const uint32_t *linked = of->before->linked + b;
    return words[after] - words[first] - (linked[after] - linked[first]);
}

static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void fill_free(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t i, uint32_t b)
{
    uint32_t on = of->reading->page->n_blocks - b; /* it and those behind it */
    F(FREE) = log_halves(of, free_between(of, b, 0, 1));
    F(FREE_LAST) = log_halves(of, free_between(of, b, -1, 0));
    F(FREE_NEXT) = log_halves(of, free_between(of, b, 1, 2));
    F(FREE_1) = log_shared(of, free_between(of, b, -1, 2), least(b, 1) + least(on, 2));
    F(FREE_3) = log_shared(of, free_between(of, b, -3, 4), least(b, 3) + least(on, 4));
    F(FREE_8) = log_shared(of, free_between(of, b, -8, 9), least(b, 8) + least(on, 9));
    F(FREE_LAST_3) = log_shared(of, free_between(of, b, -3, 0), least(b, 3));
    F(FREE_NEXT_3) = log_shared(of, free_between(of, b, 1, 4), least(on - 1, 3));
}

static float nearness(uint32_t steps)
{
    return steps > 0 ? 1.0F / (float)steps : 0.0F;
}

static void fill_tag(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t i, uint32_t b)
{
    const tmpl_page_t *page = of->reading->page;
    const tmpl_place_t *place =
        tmpl_place(of->reading, page->segments[page->blocks[b].first_segment].node);
    if (place != of->place) { /* many blocks have that of the one before */
        of->place = place;
        for (unsigned k = 0; k < TMPL_NAME_COUNT; k++) {
            of->near[k] = nearness(place->near.steps[k]);
        }
    }
    for (unsigned in = place->in & TMPL_IN_FEATURES; in != 0; in &= in - 1) {
        F_OF(HEADING, (unsigned)__builtin_ctz(in)) = 1;
    }
    for (unsigned k = TMPL_NAME_COMMENT; k < TMPL_NAME_COUNT; k++) {
        F_OF(NAMED_COMMENT, k - TMPL_NAME_COMMENT) = of->near[k];
    }
    float good = of->near[TMPL_NAME_GOOD];
    float bad = of->near[TMPL_NAME_BAD];
    F(GOOD_NEAR) = good;
    F(BAD_NEAR) = bad;
    F(NEARER) = good > bad ? 1.0F : bad > 0 ? -1.0F : 0.0F;
    F(TITLED) = (float)(b >= of->titled);
}

/* What the boxes of a block say: blocks beside one another have the same ones. */
static void find_boxes(tmpl_rows_t *of)
{
    const tmpl_page_t *page = of->reading->page;
    float best = tmpl_score(of->reading, of->reading->best);
    for (unsigned k = 0; k < TMPL_BOXES; k++) {
        uint32_t box = of->boxes[k];
        tmpl_sums_t sums =
            tmpl_sums_between(of->before, tmpl_first_block(page, box), tmpl_after_block(page, box));
        of->box_linked[k] = share(sums.linked, sums.words);
        of->box_repeated[k] = share(sums.repeated, sums.length);
        of->box_scores[k] = share_of(tmpl_score(of->reading, box), best);
    }
}

static void fill_boxes(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t i, uint32_t b)
{
    uint32_t box = tmpl_box_of(of->reading, b);
    if (box != of->boxes[0]) {
        tmpl_climb(of->boxes, of->reading->page, box);
        find_boxes(of);
    }
    for (unsigned k = 0; k < TMPL_BOXES; k++) {
        F_OF(BOX1_LINKED, k) = of->box_linked[k];
    }
    F(REPEATED_BOX1) = of->box_repeated[0];
    F(REPEATED_BOX2) = of->box_repeated[1];
    F(REPEATED_BOX3) = of->box_repeated[2];
    if (of->best_after > 0) {
        F(BEST) = (float)(b >= of->best_first && b < of->best_after);
        F(BEST_SHARE) = of->best_share;
        F(SCORE) = of->box_scores[0];
        F(SCORE_2) = of->box_scores[1];
        F(SCORE_3) = of->box_scores[2];
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
static void fill_df(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t i, uint32_t b)
{
    const tmpl_page_t *page = of->reading->page;
    const tmpl_evidence_t *evidence = of->evidence;
    double df_sum = 0;
    double log_sum = 0;
    uint32_t template = 0;
    uint32_t length = page->blocks[b].length;
    for (uint32_t k = page->blocks[b].first_segment; k < page->blocks[b].after_segment; k++) {
        const tmpl_segment_t *segment = &page->segments[k];
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

static void fill_site(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t i, uint32_t b)
{
    const uint32_t *paths = of->layout->parts[b].paths;
    uint32_t n_keys = of->reading->page->n_keys;                  /* the paths stand behind them */
    if (of->before->repeated[b + 1] != of->before->repeated[b]) { /* else they are 0 */
        fill_df(columns, of, i, b);
    }
    F(PAGES) = of->pages;
    F(REPEATED_PAGE) = of->repeated;
    for (unsigned level = 0; level < TMPL_PATH_LEVELS; level++) {
        const path_t *path = &of->paths[paths[level] - n_keys];
        F_OF(PATH0_REPEATED, level) = path->repeated;
        F_OF(PATH0_DF, level) = path->df;
    }
    F(PATH0_TEXT) = of->paths[paths[0] - n_keys].text;
    F(PATH1_TEXT) = of->paths[paths[1] - n_keys].text;
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

static void find_longs(tmpl_rows_t *of, uint32_t first, uint32_t n)
{
    const tmpl_long_t *longs = (const tmpl_long_t *)(const void *)of->reading->longs->elts;
    const tmpl_long_t *next = find_long(of->reading, first);
    uint32_t all = of->reading->page->n_blocks;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = first + i;
        next += next->block < b;
        of->counts.longs[i] = next->before;
        of->counts.next[i] = next->block < all ? next->block - b : all;
        of->counts.last[i] = next->block == b ? 0 : next > longs ? b - next[-1].block : all;
    }
}

/* --- columns --- */

#define COLUMN(id) columns->of[TMPL_BLOCK_FEATURE_##id]

static void put_text(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t n)
{
    const counts_t *counts = &of->counts;
    tmpl_put_shares(COLUMN(STOPS), counts->stops, 2, counts->words, n);
    tmpl_put_shares(COLUMN(CAPITALS), counts->capitals, 2, counts->words, n);
    tmpl_put_shares(COLUMN(DIGITS), counts->digits, 1, counts->chars, n);
    tmpl_put_shares(COLUMN(SIGNS), counts->signs, 1, counts->chars, n);
    tmpl_put_letters(COLUMN(LETTERS), counts->chars, counts->words, n);
    tmpl_put_shares(COLUMN(AGAIN), counts->again, 1, counts->length, n);
    tmpl_put_shares(COLUMN(TITLE), counts->titled, 1, counts->words, n);
    tmpl_put_shares_of(COLUMN(TITLE_SHARE), counts->titled, of->reading->title, n);
    tmpl_put_shares(COLUMN(LINKS_HERE), counts->here, 1, counts->links, n);
    tmpl_put_shares(COLUMN(LINKS_WHOLE), counts->whole, 1, counts->links, n);
}

static void put_place(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t first, uint32_t n)
{
    counts_t *counts = &of->counts;
    tmpl_put_shares_of(COLUMN(BEFORE), of->before->words + first, of->all.words, n);
    tmpl_put_shares_of(COLUMN(LONG_BEFORE), counts->longs, of->long_text, n);
    tmpl_put_near(COLUMN(LONG_LAST), counts->last, n);
    tmpl_put_near(COLUMN(LONG_NEXT), counts->next, n);
    for (uint32_t i = 0; i < n; i++) {
        counts->next[i] = least(counts->next[i], counts->last[i]);
    }
    tmpl_put_near(COLUMN(LONG_NEAR), counts->next, n);
    for (uint32_t i = 0; i < n; i++) {
        counts->longs[i] = first + i > of->best_first ? counts->longs[i] - of->long_before_best : 0;
    }
    if (of->best_after > 0) {
        tmpl_put_shares_of(COLUMN(BEST_BEFORE), counts->longs, of->long_in_best, n);
    }
}

static void put_beside(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t first, uint32_t n)
{
    const uint32_t *words = of->before->words + first;
    const uint32_t *linked = of->before->linked + first;
    const uint32_t *length = of->before->length + first;
    const uint32_t *repeated = of->before->repeated + first;
    uint32_t near[LANES];
    tmpl_put_shares_between(COLUMN(LINKED), linked, words, 0, 1, n);
    tmpl_put_shares_between(COLUMN(LINKED_LAST), linked, words, -1, 0, n);
    tmpl_put_shares_between(COLUMN(LINKED_NEXT), linked, words, 1, 2, n);
    tmpl_put_shares_between(COLUMN(LINKED_1), linked, words, -1, 2, n);
    tmpl_put_shares_between(COLUMN(LINKED_3), linked, words, -3, 4, n);
    tmpl_put_shares_between(COLUMN(LINKED_8), linked, words, -8, 9, n);
    tmpl_put_shares_between(COLUMN(LINKED_LAST_3), linked, words, -3, 0, n);
    tmpl_put_shares_between(COLUMN(LINKED_NEXT_3), linked, words, 1, 4, n);
    for (uint32_t i = 0; i < n; i++) {
        near[i] = words[i + 4] - words[(int)i - 3];
    }
    tmpl_put_shares(COLUMN(STOPS_3), of->counts.stops_near, 2, near, n);
    if (is_known(of->evidence)) {
        tmpl_put_shares_between(COLUMN(REPEATED), repeated, length, 0, 1, n);
        tmpl_put_shares_between(COLUMN(REPEATED_1), repeated, length, -1, 2, n);
        tmpl_put_shares_between(COLUMN(REPEATED_3), repeated, length, -3, 4, n);
    }
}

static void fill_block(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t i, uint32_t b)
{
    unpack(columns, of, i, b);
    fill_logs(columns, of, i, b);
    fill_free(columns, of, i, b);
    fill_tag(columns, of, i, b);
    fill_boxes(columns, of, i, b);
    if (is_known(of->evidence)) {
        fill_site(columns, of, i, b);
    }
}

/* Four at once may have filled more than there are. */
static void clear_behind(tmpl_columns_t *columns, uint32_t n)
{
    for (uint32_t f = 0; n % 4 != 0 && f < TMPL_BLOCK_FEATURE_COUNT; f++) {
        for (uint32_t i = n; i % 4 != 0; i++) {
            columns->of[f][i] = 0;
        }
    }
}

/* In pieces of a size that is done by wide stores. */
#define CLEARED 4

static void clear(tmpl_columns_t *columns)
{
    _Static_assert(TMPL_BLOCK_FEATURE_COUNT % CLEARED == 0, "pieces of whole columns");
    for (uint32_t f = 0; f < TMPL_BLOCK_FEATURE_COUNT; f += CLEARED) {
        memset(columns->of[f], 0, CLEARED * sizeof(columns->of[f]));
    }
}

void tmpl_rows_fill(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t first, uint32_t after)
{
    uint32_t n = after - first;
    clear(columns);
    find_longs(of, first, n);
    find_stops(of, first, n);
    put_beside(columns, of, first, n);
    for (uint32_t i = 0; i < n; i++) {
        fill_block(columns, of, i, first + i);
    }
    put_text(columns, of, n);
    put_place(columns, of, first, n);
    clear_behind(columns, n);
}

/* --- a page's rows --- */

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
        repeated += is_known(evidence) ? repeated_of(page, b, evidence) : 0;
    }
    before->repeated[page->n_blocks] = repeated;
    tmpl_sums_beyond(before->repeated, page->n_blocks);
}

/* Behind the first block that is an h1; as many as there are blocks: none is. */
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
    of->long_before_best = find_long(reading, of->best_first)->before;
    of->long_in_best = find_long(reading, of->best_after)->before - of->long_before_best;
    of->best_share =
        share(of->before->words[of->best_after] - of->before->words[of->best_first], of->all.words);
}

static void read_paths(tmpl_rows_t *of, apr_pool_t *pool)
{
    const tmpl_evidence_t *evidence = of->evidence;
    of->paths = apr_palloc(pool, of->layout->n_keys * sizeof(*of->paths));
    for (uint32_t i = 0; i < of->layout->n_keys; i++) {
        const tmpl_record_t *record = &evidence->paths[i];
        of->paths[i] = (path_t){ .repeated = share(record->repeated, record->text),
                                 .text = log_of(of, record->text),
                                 .df = share(record->df, evidence->pages) };
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
    of->boxes[0] = TMPL_NONE;
    of->all = tmpl_sums_between(of->before, 0, n);
    of->titled = find_titled(page);
    of->long_text = find_long(reading, n)->before;
    if (reading->best != 0) {
        find_best(of);
    }
    of->logs = apr_pcalloc(pool, sizeof(*of->logs) << KNOWN_LOG_BITS);
    of->df_logs = apr_pcalloc(pool, sizeof(*of->df_logs) * KNOWN_DF);
    if (is_known(evidence)) {
        of->pages = fminf(6, log2f((float)evidence->pages));
        of->repeated = share(of->all.repeated, of->all.length);
        read_paths(of, pool);
    }
    return of;
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
