/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/style.h"

#include <endian.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/chars.h"
#include "base/hash.h"
#include "html/attr.h"

/* ---- styles ---- */

/* Ranks from here on count as one. */
#define RANK_MOST 4

/*
 * Attributes for layout. class is left out, although it is what pages use for layout today: classes
 * also name the kind of page, and the detector found fewer blocks with class
 * (bench/papers/paper-chen).
 */
static const char *const layout_attributes[] = { "bgcolor", "width", "height", "align" };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t hash_layout(const tmpl_page_t *page, const tmpl_node_t *node)
{
    uint64_t hash = 0;
    tmpl_attr_t attr;
    for (unsigned i = 0; i < COUNT_OF(layout_attributes); i++) {
        if (tmpl_attr_find(&attr, page->src, node->open, layout_attributes[i])) {
            hash = XXH3_64bits_withSeed(page->src + attr.value.start, tmpl_span_len(attr.value),
                                        hash + i + 1);
        }
    }
    return hash;
}

/* The position of an element in the tree of layout elements. */
typedef struct {
    uint64_t style;
    uint32_t box;      /* the innermost layout element around it, or itself */
    uint32_t children; /* layout elements in it so far */
    uint32_t runs;     /* blocks in it so far */
} position_t;

static uint64_t hash_of_three(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t all[3] = { htole64(a), htole64(b), htole64(c) };
    return XXH3_64bits(all, sizeof(all));
}

/* The rank of a thing that follows *before others of its kind; counts it in *before. */
static uint32_t rank_of(uint32_t *before)
{
    uint32_t rank = *before < RANK_MOST ? *before : RANK_MOST;
    ++*before;
    return rank;
}

/* Layout elements are the default separators; tr and td are not among them (section 3.1). */
static position_t *find_positions(const tmpl_page_t *page, apr_pool_t *pool)
{
    position_t *positions = apr_pcalloc(pool, page->n_nodes * sizeof(*positions));
    positions[0].style = page->nodes[0].path; /* holds the operator's seed */
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        position_t *box = &positions[positions[node->parent].box];
        positions[i].style = box->style;
        positions[i].box = positions[node->parent].box;
        if (tmpl_separators_default.has[node->tag]) {
            uint64_t position = (uint64_t)node->tag << 8 | rank_of(&box->children);
            positions[i].style = hash_of_three(box->style, position, hash_layout(page, node));
            positions[i].box = i;
        }
    }
    return positions;
}

/* ---- words ---- */

/* Reads the words of segments, one after another. */
typedef struct {
    const tmpl_page_t *page;
    uint32_t segment, after;
    uint32_t at;      /* offset in the source */
    int any;          /* a word was read in this segment */
    int is_number;    /* the last word is a run of digits */
    int fold_numbers; /* all numbers are the same word */
} style_scan_t;

/*
 * Whether c begins a character of three bytes in UTF-8: scripts without spaces, such as Thai and
 * CJK, and signs.
 */
static int is_dense_byte(unsigned char c)
{
    return c == 0xE0 || (c >= 0xE2 && c <= 0xED);
}

#define WORD_MAX 64

static uint64_t hash_style_word(style_scan_t *scan, uint32_t start, uint32_t end)
{
    char lower[WORD_MAX];
    uint32_t n = end - start < WORD_MAX ? end - start : WORD_MAX;
    for (uint32_t i = 0; i < n; i++) {
        lower[i] = tmpl_lower(scan->page->src[start + i]);
    }
    if (scan->is_number && scan->fold_numbers) {
        lower[0] = '0';
        n = 1;
    }
    return XXH3_64bits_withSeed(lower, n, scan->page->nodes[0].path);
}

/* Reads the next word of the segment's text, [*start, scan->at). Returns 0 at the end. */
static int next_in_text(style_scan_t *scan, uint32_t end, uint32_t *start)
{
    const unsigned char *src = (const unsigned char *)scan->page->src;
    uint32_t p = scan->at;
    while (p < end && !tmpl_is_word_byte((char)src[p])) {
        p++;
    }
    *start = p;
    scan->is_number = p < end && tmpl_is_digit((char)src[p]);
    if (p < end && is_dense_byte(src[p])) {
        p = end - p < 3 ? end : p + 3;
    }
    else {
        while (p < end && tmpl_is_word_byte((char)src[p]) && !is_dense_byte(src[p]) &&
               tmpl_is_digit((char)src[p]) == scan->is_number) {
            p++;
        }
    }
    scan->at = p;
    return p > *start;
}

static void begin_segment(style_scan_t *scan, uint32_t segment)
{
    scan->segment = segment;
    scan->any = 0;
    if (segment < scan->after) {
        scan->at = scan->page->segments[segment].span.start;
    }
}

static style_scan_t scan_block(const tmpl_page_t *page, const tmpl_block_t *block, int fold_numbers)
{
    style_scan_t scan = { .page = page,
                          .after = block->after_segment,
                          .fold_numbers = fold_numbers };
    begin_segment(&scan, block->first_segment);
    return scan;
}

/*
 * Reads the next word; returns 0 at the end. An image, an empty link and a text without words are
 * one word each, whose hash is the segment's key.
 */
static int next_word(style_scan_t *scan, uint64_t *hash)
{
    const tmpl_page_t *page = scan->page;
    while (scan->segment < scan->after) {
        const tmpl_segment_t *segment = &page->segments[scan->segment];
        tmpl_span_t tag = page->nodes[segment->node].open;
        int is_text = tmpl_span_len(tag) == 0 || segment->span.start != tag.start;
        uint32_t start;
        if (is_text && next_in_text(scan, segment->span.end, &start)) {
            *hash = hash_style_word(scan, start, scan->at);
            scan->any = 1;
            return 1;
        }
        int any = scan->any;
        begin_segment(scan, scan->segment + 1);
        if (!any) {
            *hash = page->keys[segment->key];
            scan->is_number = 0;
            return 1;
        }
    }
    return 0;
}

/* ---- signatures ---- */

/* The most offsets in a signature. Of a word with more, the first ones and the last one count. */
#define OFFSETS_MAX 64

/* A word of a block, and its offsets. */
typedef struct {
    uint64_t hash;
    uint32_t n;
    uint32_t offsets[OFFSETS_MAX];
} sample_t;

/* The words of a block with the least hashes. */
typedef struct {
    sample_t *words[TMPL_STYLE_WORDS]; /* in order of their hashes */
    uint32_t n, most;
    uint32_t length; /* words of the block */
    sample_t room[TMPL_STYLE_WORDS];
} sampler_t;

/* The sample of a word, which is added if its hash is small enough; otherwise NULL. */
static sample_t *sample_of(sampler_t *sampler, uint64_t hash)
{
    uint32_t i = sampler->n;
    while (i > 0 && sampler->words[i - 1]->hash > hash) {
        i--;
    }
    if (i > 0 && sampler->words[i - 1]->hash == hash) {
        return sampler->words[i - 1];
    }
    if (i == sampler->most) {
        return NULL;
    }
    sample_t *free = &sampler->room[sampler->n];
    if (sampler->n == sampler->most) {
        free = sampler->words[--sampler->n]; /* replaces the word with the largest hash */
    }
    memmove(&sampler->words[i + 1], &sampler->words[i], (sampler->n - i) * sizeof(*sampler->words));
    sampler->words[i] = free;
    sampler->n++;
    free->hash = hash;
    free->n = 0;
    return free;
}

static void sample_block(sampler_t *sampler, style_scan_t *scan)
{
    uint64_t hash;
    sampler->n = 0;
    sampler->length = 0;
    while (next_word(scan, &hash)) {
        sample_t *sample = sample_of(sampler, hash);
        if (sample != NULL) {
            sample->offsets[sample->n < OFFSETS_MAX ? sample->n++ : OFFSETS_MAX - 1] =
                sampler->length;
        }
        sampler->length++;
    }
}

/*
 * Computes the bit arrays of a word. Its n offsets have n - 1 differences, and there are the gaps
 * at both ends: words added before the word change only the gap before it, words added behind it
 * only the gap behind.
 */
static void sign(uint32_t bits[TMPL_STYLE_PARTS], const sample_t *sample, uint32_t length)
{
    uint32_t n = sample->n + 1;
    uint32_t last = 0;
    memset(bits, 0, TMPL_STYLE_PARTS * sizeof(*bits));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t offset = i < sample->n ? sample->offsets[i] : length;
        bits[i * TMPL_STYLE_PARTS / n] |= 1U << (offset - last) % 32;
        last = offset;
    }
}

/* ---- keys ---- */

typedef struct {
    const tmpl_page_t *page;
    tmpl_style_t *style;
    position_t *positions;
    unsigned char *counts; /* of each block: its words, at most TMPL_STYLE_WORDS, and HAS_WORDS */
    sampler_t sampler;
    uint32_t n_words;
    tmpl_numbering_t keys;
} style_work_t;

#define HAS_WORDS 0x80 /* the block has words other than numbers */

static void count_words(style_work_t *w, apr_pool_t *pool)
{
    w->counts = apr_palloc(pool, w->page->n_blocks + 1);
    for (uint32_t b = 0; b < w->page->n_blocks; b++) {
        style_scan_t scan = scan_block(w->page, &w->page->blocks[b], 0);
        unsigned n = 0;
        unsigned has_words = 0;
        uint64_t hash;
        while ((n < TMPL_STYLE_WORDS || !has_words) && next_word(&scan, &hash)) {
            n += n < TMPL_STYLE_WORDS;
            has_words |= scan.is_number ? 0 : HAS_WORDS;
        }
        w->counts[b] = (unsigned char)(n | has_words);
    }
}

/* How many words to sample from each block, 1 to TMPL_STYLE_WORDS. */
static uint32_t words_of_each(const style_work_t *w)
{
    for (uint32_t most = TMPL_STYLE_WORDS; most > 1; most--) {
        uint64_t sum = 0;
        for (uint32_t b = 0; b < w->page->n_blocks; b++) {
            uint32_t n = w->counts[b] & (unsigned)~HAS_WORDS;
            sum += n < most ? n : most;
        }
        if (sum * TMPL_STYLE_PARTS <= TMPL_STYLE_KEYS) {
            return most;
        }
    }
    return 1;
}

static void add_style_block(style_work_t *w, uint32_t b)
{
    const tmpl_block_t *block = &w->page->blocks[b];
    style_scan_t scan = scan_block(w->page, block, w->counts[b] & HAS_WORDS);
    position_t *box = &w->positions[w->positions[block->node].box];
    uint64_t style = box->style + rank_of(&box->runs);
    sample_block(&w->sampler, &scan);
    for (uint32_t i = 0; i < w->sampler.n; i++) {
        if (w->keys.n + TMPL_STYLE_PARTS > TMPL_STYLE_KEYS) {
            return;
        }
        uint32_t bits[TMPL_STYLE_PARTS];
        tmpl_style_word_t *word = &w->style->words[w->n_words++];
        sign(bits, w->sampler.words[i], w->sampler.length);
        for (uint32_t part = 0; part < TMPL_STYLE_PARTS; part++) {
            uint64_t signature = (uint64_t)part << 32 | bits[part];
            word->keys[part] = tmpl_numbering_add(
                &w->keys, hash_of_three(style, w->sampler.words[i]->hash, signature));
        }
    }
}

void tmpl_style_read(tmpl_style_t *style, const tmpl_page_t *page, apr_pool_t *pool)
{
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    style_work_t *w = apr_pcalloc(scratch, sizeof(*w));
    w->page = page;
    w->style = style;
    w->positions = find_positions(page, scratch);
    count_words(w, scratch);
    w->sampler.most = words_of_each(w);
    tmpl_numbering_init(&w->keys, 64, pool, scratch);
    uint64_t most = (uint64_t)w->sampler.most * page->n_blocks;
    style->words = apr_palloc(pool, most * sizeof(*style->words));
    style->first_word = apr_palloc(pool, (page->n_blocks + 1) * sizeof(*style->first_word));
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        style->first_word[b] = w->n_words;
        add_style_block(w, b);
    }
    style->first_word[page->n_blocks] = w->n_words;
    style->keys = w->keys.keys;
    style->n_keys = w->keys.n;
    apr_pool_destroy(scratch);
}

/* ---- verdicts ---- */

static int is_template_word(const tmpl_style_word_t *word, const tmpl_record_t *records,
                            uint32_t min_df)
{
    unsigned agree = 0;
    for (unsigned part = 0; part < TMPL_STYLE_PARTS; part++) {
        agree += records[word->keys[part]].df >= min_df;
    }
    return 2 * agree >= TMPL_STYLE_PARTS;
}

void tmpl_detect_style(tmpl_verdict_t *verdicts, const tmpl_page_t *page, const tmpl_style_t *style,
                       const tmpl_record_t *records, uint32_t min_df, double threshold)
{
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        uint32_t n = style->first_word[b + 1] - style->first_word[b];
        uint32_t template_words = 0;
        uint32_t others = 0;
        for (uint32_t i = 0; i < n && others < (1.0 - threshold) * n; i++) {
            const tmpl_style_word_t *word = &style->words[style->first_word[b] + i];
            int is_template = is_template_word(word, records, min_df);
            template_words += (uint32_t)is_template;
            others += (uint32_t)!is_template;
        }
        double ratio = n > 0 ? (double)template_words / n : 0.0;
        verdicts[b].ratio = (float)ratio;
        verdicts[b].template = ratio > threshold;
    }
}
