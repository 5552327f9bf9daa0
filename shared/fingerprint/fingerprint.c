/* SPDX-License-Identifier: Apache-2.0 */
#include "fingerprint/fingerprint.h"

#include <string.h>

#include <apr_strings.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "feature/piece.h"
#include "fingerprint/words.h"
#include "text/text.h"

/* Sets of bytes are used as numbers; to gather them in vectors first takes longer. */
#pragma GCC optimize("no-tree-slp-vectorize")

#define BINS     64
#define BIN_BITS 6

/* No value is that large: the top bits are the bin's number, and are taken off. */
#define EMPTY UINT64_MAX

/* From how many bytes on words that no shingle needs any more are thrown away. */
#define CROWDED 1024

/* So many bytes are copied at once, and the rest of a word by as many again: most words are shorter. */
#define COPIED 16

/* Bytes of a character. */
#define CHAR_MOST 4

/* A text in the making. */
typedef struct {
    tmpl_buf_t words;                            /* the last ones, each before a blank */
    apr_size_t starts[TMPL_FINGERPRINT_SHINGLE]; /* of those words */
    int in_word;                                 /* the last of them goes on */
    uint32_t n_words;
    uint64_t least[BINS];
} sketch_t;

static inline void add_shingle(sketch_t *sketch, const char *first, const char *end)
{
    uint64_t hash = XXH64(first, (size_t)(end - first), 0);
    uint64_t *least = &sketch->least[hash >> (64 - BIN_BITS)];
    uint64_t value = hash << BIN_BITS >> BIN_BITS;
    *least = value < *least ? value : *least;
}

/* Makes room for len bytes, and if there is much in the buffer moves what the next shingle needs to the front. */
static inline void make_room(sketch_t *sketch, apr_size_t len)
{
    apr_size_t start = sketch->starts[0];
    if (start > CROWDED) {
        memmove(sketch->words.at, sketch->words.at + start, sketch->words.len - start);
        sketch->words.len -= start;
        for (unsigned i = 0; i < TMPL_FINGERPRINT_SHINGLE; i++) {
            sketch->starts[i] -= start;
        }
    }
    if (sketch->words.len + len >= sketch->words.room) {
        tmpl_buf_room(&sketch->words, len);
    }
}

static inline void end_word(sketch_t *sketch)
{
    char *end = sketch->words.at + sketch->words.len;
    if (!sketch->in_word) {
        return;
    }
    sketch->in_word = 0;
    if (++sketch->n_words >= TMPL_FINGERPRINT_SHINGLE) {
        add_shingle(sketch, sketch->words.at + sketch->starts[0], end);
    }
    *end = ' ';
    sketch->words.len++;
}

static inline void begin_word(sketch_t *sketch)
{
    if (sketch->in_word) {
        return;
    }
    for (unsigned i = 0; i + 1 < TMPL_FINGERPRINT_SHINGLE; i++) {
        sketch->starts[i] = sketch->starts[i + 1];
    }
    sketch->starts[TMPL_FINGERPRINT_SHINGLE - 1] = sketch->words.len;
    sketch->in_word = 1;
}

/* Copies the letters of a word, or more of them, to where there is room for a whole piece. */
static inline void copy_letters(char *to, const unsigned char *letters, uint32_t n)
{
    memcpy(to, letters, COPIED);
    if (n > COPIED) {
        memcpy(to + COPIED, letters + COPIED, TMPL_PIECE - COPIED);
    }
}

/* Goes on with the word. */
static inline void add_letters(sketch_t *sketch, const unsigned char *letters, uint32_t n)
{
    copy_letters(sketch->words.at + sketch->words.len, letters, n);
    sketch->words.len += n;
}

/* How many bits are set from the lowest one on. */
static inline uint32_t count_run(uint64_t bits)
{
    return ~bits != 0 ? (uint32_t)__builtin_ctzll(~bits) : 64;
}

/* The functions below are made for each kind of processors. */
#define FOR_EACH_KIND static inline __attribute__((always_inline))

/*
 * Adds words, each of which ends; letters holds a piece from any place of it on. As begin_word, add_letters and end_word do, but what
 * is written to the buffer might be the sketch itself, to a compiler: it would read all of that again after each word.
 */
FOR_EACH_KIND void add_words(sketch_t *sketch, const unsigned char *letters, uint64_t words)
{
    enum { LAST = TMPL_FINGERPRINT_SHINGLE - 1 };
    char *at = sketch->words.at;
    char *end = at + sketch->words.len;
    uint32_t n_words = sketch->n_words;
    apr_size_t starts[TMPL_FINGERPRINT_SHINGLE];
    memcpy(starts, sketch->starts, sizeof(starts));
    for (; words != 0; n_words++) {
        uint32_t first = (uint32_t)__builtin_ctzll(words);
        uint32_t n = count_run(words >> first);
        words &= words + ((uint64_t)1 << first); /* without this run */
        for (unsigned i = 0; i < LAST; i++) {
            starts[i] = starts[i + 1];
        }
        starts[LAST] = (apr_size_t)(end - at);
        copy_letters(end, letters + first, n);
        end += n;
        if (n_words >= LAST) {
            add_shingle(sketch, at + starts[0], end);
        }
        *end++ = ' ';
    }
    memcpy(sketch->starts, starts, sizeof(starts));
    sketch->n_words = n_words;
    sketch->words.len = (apr_size_t)(end - at);
}

/*
 * n bytes of ASCII, which most text is; TMPL_PIECE may be read. Words are runs of letters and digits; the bit that makes
 * letters small is set in digits anyhow.
 */
FOR_EACH_KIND void add_piece(sketch_t *sketch, const unsigned char *bytes, uint32_t n,
                             tmpl_look_t *look)
{
    static const unsigned char nothing[16];
    unsigned char letters[2 * TMPL_PIECE];
    const uint64_t all = ~(uint64_t)0;
    uint64_t words = look(bytes, n, nothing).words & all >> (TMPL_PIECE - n);
    uint64_t others = ~(words << (TMPL_PIECE - n));
    uint32_t before = others != 0 ? n - (uint32_t)__builtin_clzll(others) : 0;
    for (uint32_t i = 0; i < TMPL_PIECE; i++) {
        letters[i] = bytes[i] | 0x20;
    }
    /* each byte may be a word, with a blank behind it */
    make_room(sketch, 3 * TMPL_PIECE);
    if (sketch->in_word) {
        uint32_t more = count_run(words);
        add_letters(sketch, letters, more);
        if (more >= n) {
            return;
        }
        end_word(sketch);
        words &= words + 1;
    }
    add_words(sketch, letters, words & (before < TMPL_PIECE ? ((uint64_t)1 << before) - 1 : all));
    if (before < n) { /* the last word may go on behind the piece */
        begin_word(sketch);
        add_letters(sketch, letters + before, n - before);
    }
}

FOR_EACH_KIND void add_pieces(sketch_t *sketch, const char *text, apr_size_t len, tmpl_look_t *look)
{
    const unsigned char *bytes = (const unsigned char *)text;
    for (; len >= TMPL_PIECE; bytes += TMPL_PIECE, len -= TMPL_PIECE) {
        add_piece(sketch, bytes, TMPL_PIECE, look);
    }
    if (len > 0) {
        unsigned char last[TMPL_PIECE] = { 0 };
        memcpy(last, bytes, len);
        add_piece(sketch, last, (uint32_t)len, look);
    }
}

static void add_ascii_anywhere(void *ctx, const char *bytes, apr_size_t len)
{
    add_pieces(ctx, bytes, len, tmpl_look_anywhere);
}

#ifdef TMPL_FOR_AVX2
TMPL_FOR_AVX2 static void add_ascii_avx2(void *ctx, const char *bytes, apr_size_t len)
{
    add_pieces(ctx, bytes, len, tmpl_look_avx2);
}

static void add_ascii(void *ctx, const char *bytes, apr_size_t len)
{
    (tmpl_has_avx2() ? add_ascii_avx2 : add_ascii_anywhere)(ctx, bytes, len);
}
#else
static void add_ascii(void *ctx, const char *bytes, apr_size_t len)
{
    add_ascii_anywhere(ctx, bytes, len);
}
#endif

static void add_code(void *ctx, uint32_t code)
{
    sketch_t *sketch = ctx;
    if (code < 0x80) {
        char byte = (char)code;
        add_ascii(ctx, &byte, 1);
        return;
    }
    tmpl_char_e kind = tmpl_char_kind(code);
    if (kind != TMPL_CHAR_WORD) {
        end_word(sketch);
    }
    if (kind == TMPL_CHAR_PARTS) {
        return;
    }
    make_room(sketch, CHAR_MOST + 1);
    begin_word(sketch);
    tmpl_buf_add_char(&sketch->words, code);
    if (kind == TMPL_CHAR_DENSE) {
        end_word(sketch);
    }
}

/*
 * One bit of each bin's least value. A bin without one takes another bit of the next that has: of
 * short texts few bins do.
 */
static uint64_t bits_of(const uint64_t *least)
{
    uint64_t bits = 0;
    for (unsigned bin = 0; bin < BINS; bin++) {
        unsigned step = 0;
        while (step < BINS - 1 && least[(bin + step) % BINS] == EMPTY) {
            step++;
        }
        bits |= (least[(bin + step) % BINS] >> step & 1) << bin;
    }
    return bits;
}

void tmpl_fingerprint(tmpl_fingerprint_t *fingerprint, const tmpl_page_t *page,
                      const tmpl_verdict_t *verdicts, const char *charset, apr_pool_t *pool)
{
    sketch_t sketch = { .n_words = 0 };
    tmpl_decoder_t decoder;
    tmpl_text_sink_t sink = { add_code, add_ascii, &sketch };
    tmpl_buf_init(&sketch.words, pool);
    memset(sketch.least, 0xFF, sizeof(sketch.least));
    tmpl_decoder_find(&decoder, page->src, page->len, charset, pool);
    for (uint32_t i = 0; i < page->n_blocks; i++) {
        if (verdicts == NULL || !verdicts[i].template) {
            tmpl_text_block_to(&sink, page, i, &decoder, pool);
            end_word(&sketch);
        }
    }
    fingerprint->words = sketch.n_words;
    fingerprint->bits = sketch.n_words >= TMPL_FINGERPRINT_LEAST ? bits_of(sketch.least) : 0;
}

const char *tmpl_fingerprint_text(const tmpl_page_t *page, const tmpl_verdict_t *verdicts,
                                  const char *charset, apr_pool_t *pool)
{
    tmpl_fingerprint_t fingerprint;
    tmpl_fingerprint(&fingerprint, page, verdicts, charset, pool);
    return fingerprint.words >= TMPL_FINGERPRINT_LEAST
               ? apr_psprintf(pool, "%016" APR_UINT64_T_HEX_FMT, fingerprint.bits)
               : NULL;
}
