/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of features, some blocks at a time. What can be is computed column by column, for as many blocks at once as the
 * processor can; what hangs on where a block stands, block by block.
 */
#include <math.h>
#include <string.h>

#include <apr_tables.h>

#include "feature/columns.h"
#include "feature/reading.h"

/* What is cleared here is so by wide stores, not by memset. */
#pragma GCC optimize("no-tree-loop-distribute-patterns")

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

/* What a box says of the blocks in it. */
typedef struct {
    uint32_t node;
    uint32_t around; /* the box around it */
    float linked;
    float repeated;
    float score;
} box_t;

/* Boxes seen before: those around other boxes come again. */
#define KNOWN_BOXES 64

#define LANES TMPL_BLOCKS_AT_ONCE

/* What the functions that are made for each kind of processors are made with. */
#define FOR_EACH_KIND static inline __attribute__((always_inline))

/* What is counted in blocks [first, after), each number for all of them. */
typedef struct {
#define TMPL_TALLY(name) uint32_t name[LANES];
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
    uint32_t depth[LANES];
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
    path_t *paths;             /* as the layout's keys; NULL: nothing is known */
    double *df_logs;           /* natural logarithms of DF below KNOWN_DF; 0: not known yet */
    box_t boxes[TMPL_BOXES];   /* of the block whose row was filled last; TMPL_NONE: none was */
    box_t known[KNOWN_BOXES];  /* by the lowest bits of their nodes */
    const tmpl_place_t *place; /* of its first segment; NULL: none was */
    float near[sizeof(tmpl_near_t) / sizeof(uint16_t)];
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
#define SHARED 2048 /* among up to so many */
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

static float log_halves(const tmpl_rows_t *of, uint32_t halves)
{
    return halves == 0       ? 0.0F
           : halves < HALVES ? known_log(&of_halves[halves], halves * 0.5)
                             : log_of(of, halves * 0.5);
}

/* Of halves that so many blocks share. */
static float log_shared(const tmpl_rows_t *of, uint32_t halves, uint32_t blocks)
{
    double x = halves * 0.5 / blocks;
    return halves == 0                          ? 0.0F
           : halves < SHARED && blocks < BLOCKS ? known_log(&of_shared[blocks][halves], x)
                                                : log_of(of, x);
}

/* Of halves that are not known yet, as bits. */
static __attribute__((noinline)) void find_logs(float *to, const tmpl_rows_t *of,
                                                const uint32_t *halves, uint64_t unknown)
{
    for (; unknown != 0; unknown &= unknown - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(unknown);
        to[i] = log_halves(of, halves[i]);
    }
}

FOR_EACH_KIND void put_logs(float *to, const tmpl_rows_t *of, const uint32_t *halves, uint32_t n,
                            tmpl_put_known_t *put_known)
{
    uint64_t unknown = put_known(to, halves, of_halves, HALVES, n);
    if (unknown != 0) {
        find_logs(to, of, halves, unknown);
    }
}

/* Of so many times a number. */
FOR_EACH_KIND void put_logs_of(float *to, const tmpl_rows_t *of, const uint32_t *numbers,
                               uint32_t n, tmpl_put_known_t *put_known)
{
    uint32_t halves[LANES];
    for (uint32_t i = 0; i < tmpl_column_end(n); i++) {
        halves[i] = 2 * numbers[i];
    }
    put_logs(to, of, halves, n, put_known);
}

/* --- block by block --- */

/* Features of the block at i. */
#define F(id) columns->of[TMPL_BLOCK_FEATURE_##id][i]

/* And those that come in one order with others. */
#define F_OF(id, k) columns->of[TMPL_BLOCK_FEATURE_##id + (k)][i]

/* The differences of sums before blocks. */
FOR_EACH_KIND void unsum(uint32_t *restrict to, const uint32_t *restrict before, uint32_t n)
{
    for (uint32_t i = 0; i < tmpl_column_end(n); i++) {
        to[i] = before[i + 1] - before[i];
    }
}

FOR_EACH_KIND void widen(uint32_t *restrict to, const unsigned char *restrict bytes, uint32_t n)
{
    for (uint32_t i = 0; i < tmpl_column_end(n); i++) {
        to[i] = bytes[i];
    }
}

FOR_EACH_KIND void put_marks(float *restrict to, const unsigned char *restrict marks, int shift,
                             uint32_t n)
{
    for (uint32_t i = 0; i < tmpl_column_end(n); i++) {
        to[i] = (float)(marks[i] >> shift & 1);
    }
}

/* What a byte cannot say. */
static __attribute__((noinline)) void unpack_large(counts_t *counts, const tmpl_reading_t *reading,
                                                   uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (reading->small.marks[first + i] & TMPL_MARK_LARGE) {
            tmpl_tally_t large = tmpl_tally_of(reading, first + i);
#define TMPL_TALLY(name) counts->name[i] = large.name;
            TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
        }
    }
}

FOR_EACH_KIND void unpack(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t first, uint32_t n)
{
    const tmpl_small_t *small = &of->reading->small;
    const unsigned char *marks = small->marks + first;
    counts_t *counts = &of->counts;
    unsigned all_marks = 0;
    unsum(counts->words, of->before->words + first, n);
    unsum(counts->length, of->before->length + first, n);
    unsum(counts->again, of->before->again + first, n);
#define TMPL_TALLY(name) widen(counts->name, small->name + first, n);
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
    for (uint32_t i = 0; i < n; i++) {
        all_marks |= marks[i];
    }
    if (all_marks & TMPL_MARK_LARGE) {
        unpack_large(counts, of->reading, first, n);
    }
    put_marks(columns->of[TMPL_BLOCK_FEATURE_RIGHTS], marks, 0, n);
    put_marks(columns->of[TMPL_BLOCK_FEATURE_ENDS], marks, 1, n);
    put_marks(columns->of[TMPL_BLOCK_FEATURE_LOWER], marks, 2, n);
    _Static_assert(TMPL_MARK_RIGHTS == 1 && TMPL_MARK_ENDS == 2 && TMPL_MARK_LOWER == 4,
                   "bits by their place");
}

static inline uint32_t stops_of(const tmpl_reading_t *reading, uint32_t b)
{
    return reading->small.marks[b] & TMPL_MARK_LARGE ? tmpl_tally_of(reading, b).stops
                                                     : reading->small.stops[b];
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

FOR_EACH_KIND void fill_tag(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t i, uint32_t b)
{
    const tmpl_page_t *page = of->reading->page;
    const tmpl_place_t *place =
        tmpl_place(of->reading, page->segments[page->blocks[b].first_segment].node);
    if (place != of->place) { /* many blocks have that of the one before */
        of->place = place;
        for (unsigned k = 0; k < sizeof(of->near) / sizeof(of->near[0]); k++) {
            int steps = place->near.steps[k];
            float nearness = 1.0F / (float)(steps > 0 ? steps : 1);
            of->near[k] = steps > 0 ? nearness : 0;
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
}

static __attribute__((noinline)) void learn_box(box_t *known, const tmpl_rows_t *of, uint32_t node)
{
    const tmpl_page_t *page = of->reading->page;
    tmpl_sums_t sums =
        tmpl_sums_between(of->before, tmpl_first_block(page, node), tmpl_after_block(page, node));
    *known = (box_t){ .node = node,
                      .around = tmpl_box_around(page, node),
                      .linked = share(sums.linked, sums.words),
                      .repeated = share(sums.repeated, sums.length),
                      .score = share_of(tmpl_score(of->reading, node),
                                        tmpl_score(of->reading, of->reading->best)) };
}

/* The boxes of a block, from the innermost one on. */
static void find_boxes(tmpl_rows_t *of, uint32_t node)
{
    for (unsigned k = 0; k < TMPL_BOXES; k++) {
        box_t *known = &of->known[node % KNOWN_BOXES];
        if (known->node != node) {
            learn_box(known, of, node);
        }
        of->boxes[k] = *known;
        node = known->around;
    }
}

static inline void fill_boxes(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t i, uint32_t b)
{
    uint32_t box = tmpl_box_of(of->reading, b);
    const box_t *boxes = of->boxes;
    if (box != boxes[0].node) { /* blocks beside one another have the same ones */
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

FOR_EACH_KIND void fill_site(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t i, uint32_t b)
{
    const uint32_t *paths = of->layout->parts[b].paths;
    uint32_t n_keys = of->reading->page->n_keys;                  /* the paths stand behind them */
    if (of->before->repeated[b + 1] != of->before->repeated[b]) { /* else they are 0 */
        fill_df(columns, of, i, b);
    }
    F(PAGES) = of->pages;
    F(REPEATED_PAGE) = of->repeated;
    _Static_assert(TMPL_PATH_LEVELS == 3, "all levels of paths");
    const path_t *own = &of->paths[paths[0] - n_keys];
    const path_t *box = &of->paths[paths[1] - n_keys];
    const path_t *around = &of->paths[paths[2] - n_keys];
    F(PATH0_REPEATED) = own->repeated;
    F(PATH1_REPEATED) = box->repeated;
    F(PATH2_REPEATED) = around->repeated;
    F(PATH0_DF) = own->df;
    F(PATH1_DF) = box->df;
    F(PATH2_DF) = around->df;
    F(PATH0_TEXT) = own->text;
    F(PATH1_TEXT) = box->text;
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

/* Free words in the blocks from so many behind each to so many behind it, in halves. */
FOR_EACH_KIND void find_free(uint32_t *halves, const tmpl_rows_t *of, uint32_t first_block,
                             int first, int after, uint32_t n)
{
    const uint32_t *words = of->before->words + first_block;
    const uint32_t *linked = of->before->linked + first_block;
    for (int i = 0; i < (int)tmpl_column_end(n); i++) {
        halves[i] = words[i + after] - words[i + first] - (linked[i + after] - linked[i + first]);
    }
}

FOR_EACH_KIND void put_free(float *to, const tmpl_rows_t *of, uint32_t first_block, int first,
                            int after, uint32_t n, tmpl_put_known_t *put_known)
{
    uint32_t halves[LANES];
    find_free(halves, of, first_block, first, after, n);
    put_logs(to, of, halves, n, put_known);
}

static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* How many blocks there are from so many behind one to so many behind it. */
static inline uint32_t blocks_between(uint32_t n_blocks, uint32_t b, int first, int after)
{
    int64_t from = (int64_t)b + first;
    int64_t to = (int64_t)b + after;
    return (uint32_t)((to < n_blocks ? to : n_blocks) - (from > 0 ? from : 0));
}

/* At a page's ends are fewer blocks, and not all logarithms are known yet. */
static __attribute__((noinline)) void find_shared(float *to, const tmpl_rows_t *of,
                                                  const uint32_t *halves, uint32_t first_block,
                                                  int first, int after, uint64_t others)
{
    uint32_t n_blocks = of->reading->page->n_blocks;
    for (; others != 0; others &= others - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(others);
        to[i] = log_shared(of, halves[i], blocks_between(n_blocks, first_block + i, first, after));
    }
}

/* The first n bits, up to 64. */
static inline uint64_t first_bits(uint32_t n)
{
    return n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
}

FOR_EACH_KIND void put_shared(float *to, const tmpl_rows_t *of, uint32_t first_block, int first,
                              int after, uint32_t n, tmpl_put_known_t *put_known)
{
    uint32_t halves[LANES];
    uint32_t before = first < 0 ? (uint32_t)-first : 0; /* blocks that must stand on either side */
    uint32_t behind = after > 1 ? (uint32_t)after - 1 : 0;
    uint32_t on = of->reading->page->n_blocks - first_block; /* the first one and those behind it */
    uint64_t few = before > first_block ? first_bits(before - first_block) : 0;
    few |= ~first_bits(on > behind ? on - behind : 0);
    find_free(halves, of, first_block, first, after, n);
    few |= put_known(to, halves, of_shared[after - first], SHARED, n);
    few &= first_bits(n);
    if (few != 0) {
        find_shared(to, of, halves, first_block, first, after, few);
    }
}

FOR_EACH_KIND void put_beside_free(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t first,
                                   uint32_t n, tmpl_put_known_t *put_known)
{
    put_free(COLUMN(FREE), of, first, 0, 1, n, put_known);
    put_free(COLUMN(FREE_LAST), of, first, -1, 0, n, put_known);
    put_free(COLUMN(FREE_NEXT), of, first, 1, 2, n, put_known);
    put_shared(COLUMN(FREE_1), of, first, -1, 2, n, put_known);
    put_shared(COLUMN(FREE_3), of, first, -3, 4, n, put_known);
    put_shared(COLUMN(FREE_8), of, first, -8, 9, n, put_known);
    put_shared(COLUMN(FREE_LAST_3), of, first, -3, 0, n, put_known);
    put_shared(COLUMN(FREE_NEXT_3), of, first, 1, 4, n, put_known);
}

/* Words before each block, and behind it. */
FOR_EACH_KIND void put_around(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t first,
                              uint32_t n, tmpl_put_known_t *put_known)
{
    const uint32_t *words = of->before->words + first;
    uint32_t all = of->all.words;
    uint32_t rest[LANES];
    for (uint32_t i = 0; i < tmpl_column_end(n); i++) {
        rest[i] = all - words[i + 1];
    }
    put_logs(COLUMN(LEAD), of, words, n, put_known);
    put_logs(COLUMN(REST), of, rest, n, put_known);
}

FOR_EACH_KIND void put_text(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t n,
                            tmpl_put_known_t *put_known)
{
    const counts_t *counts = &of->counts;
    put_logs(COLUMN(WORDS), of, counts->words, n, put_known);
    put_logs_of(COLUMN(LINKS), of, counts->links, n, put_known);
    put_logs_of(COLUMN(COMMAS), of, counts->commas, n, put_known);
    put_logs_of(COLUMN(IMAGES), of, counts->images, n, put_known);
    put_logs_of(COLUMN(DEPTH), of, counts->depth, n, put_known);
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

FOR_EACH_KIND void put_place(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t first, uint32_t n)
{
    counts_t *counts = &of->counts;
    float *titled = COLUMN(TITLED);
    float *best = COLUMN(BEST);
    float *best_share = COLUMN(BEST_SHARE);
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
        for (uint32_t i = 0; i < n; i++) {
            best[i] = (float)(first + i - of->best_first < of->best_after - of->best_first);
            best_share[i] = of->best_share;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        titled[i] = (float)(first + i >= of->titled);
    }
}

FOR_EACH_KIND void put_beside(tmpl_columns_t *columns, const tmpl_rows_t *of, uint32_t first,
                              uint32_t n)
{
    const uint32_t *words = of->before->words + first;
    const uint32_t *linked = of->before->linked + first;
    const uint32_t *length = of->before->length + first;
    const uint32_t *repeated = of->before->repeated + first;
    float *own = COLUMN(LINKED);
    uint32_t near[LANES];
    tmpl_put_shares_between(own, linked, words, 0, 1, n);
    tmpl_put_shares_between(COLUMN(LINKED_LAST), linked, words, -1, 0, n);
    tmpl_put_shares_between(COLUMN(LINKED_NEXT), linked, words, 1, 2, n);
    tmpl_put_shares_between(COLUMN(LINKED_1), linked, words, -1, 2, n);
    tmpl_put_shares_between(COLUMN(LINKED_3), linked, words, -3, 4, n);
    tmpl_put_shares_between(COLUMN(LINKED_8), linked, words, -8, 9, n);
    tmpl_put_shares_between(COLUMN(LINKED_LAST_3), linked, words, -3, 0, n);
    tmpl_put_shares_between(COLUMN(LINKED_NEXT_3), linked, words, 1, 4, n);
    for (uint32_t i = 0; i < n; i++) { /* all of it, if it has no words but a link */
        own[i] = of->counts.words[i] > 0 ? own[i] : (float)(of->counts.links[i] > 0);
    }
    for (int i = 0; i < (int)tmpl_column_end(n); i++) {
        near[i] = words[i + 4] - words[i - 3];
    }
    tmpl_put_shares(COLUMN(STOPS_3), of->counts.stops_near, 2, near, n);
    if (is_known(of->evidence)) {
        tmpl_put_shares_between(COLUMN(REPEATED), repeated, length, 0, 1, n);
        tmpl_put_shares_between(COLUMN(REPEATED_1), repeated, length, -1, 2, n);
        tmpl_put_shares_between(COLUMN(REPEATED_3), repeated, length, -3, 4, n);
    }
}

FOR_EACH_KIND void fill_block(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t i, uint32_t b)
{
    const tmpl_page_t *page = of->reading->page;
    of->counts.depth[i] = page->nodes[page->blocks[b].node].depth;
    fill_tag(columns, of, i, b);
    fill_boxes(columns, of, i, b);
    if (is_known(of->evidence)) {
        fill_site(columns, of, i, b);
    }
}

/* Vectors may have filled more than there are. */
static void clear_behind(tmpl_columns_t *columns, uint32_t n)
{
    for (uint32_t f = 0; n % 8 != 0 && f < TMPL_BLOCK_FEATURE_COUNT; f++) {
        for (uint32_t i = n; i % 8 != 0; i++) {
            columns->of[f][i] = 0;
        }
    }
}

FOR_EACH_KIND void clear(tmpl_columns_t *columns)
{
    typedef float wide_t __attribute__((vector_size(32), may_alias));
    for (unsigned f = 0; f < TMPL_BLOCK_FEATURE_COUNT; f++) {
        for (unsigned i = 0; i < LANES; i += sizeof(wide_t) / sizeof(float)) {
            const wide_t none = { 0 };
            memcpy(&columns->of[f][i], &none, sizeof(none));
        }
    }
}

FOR_EACH_KIND void fill(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t first, uint32_t n,
                        tmpl_put_known_t *put_known)
{
    clear(columns);
    find_longs(of, first, n);
    find_stops(of, first, n);
    unpack(columns, of, first, n);
    for (uint32_t i = 0; i < n; i++) {
        fill_block(columns, of, i, first + i);
    }
    put_beside(columns, of, first, n);
    put_beside_free(columns, of, first, n, put_known);
    put_around(columns, of, first, n, put_known);
    put_text(columns, of, n, put_known);
    put_place(columns, of, first, n);
    clear_behind(columns, n);
}

void tmpl_rows_fill_anywhere(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t first,
                             uint32_t after)
{
    fill(columns, of, first, after - first, tmpl_put_known_anywhere);
}

#ifdef TMPL_FOR_AVX2
TMPL_FOR_AVX2 static void fill_avx2(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t first,
                                    uint32_t after)
{
    fill(columns, of, first, after - first, tmpl_put_known_avx2);
}

void tmpl_rows_fill(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t first, uint32_t after)
{
    (tmpl_has_avx2() ? fill_avx2 : tmpl_rows_fill_anywhere)(columns, of, first, after);
}
#else
void tmpl_rows_fill(tmpl_columns_t *columns, tmpl_rows_t *of, uint32_t first, uint32_t after)
{
    tmpl_rows_fill_anywhere(columns, of, first, after);
}
#endif

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
    of->boxes[0].node = TMPL_NONE;
    for (unsigned i = 0; i < KNOWN_BOXES; i++) {
        of->known[i].node = TMPL_NONE;
    }
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
