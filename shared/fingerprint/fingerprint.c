/* SPDX-License-Identifier: Apache-2.0 */
#include "fingerprint/fingerprint.h"

#include <string.h>

#include <apr_strings.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "fingerprint/words.h"
#include "text/text.h"

#define BINS     64
#define BIN_BITS 6

/* No value is that large: the top bits are the bin's number, and are taken off. */
#define EMPTY UINT64_MAX

/* From how many bytes on words that no shingle needs any more are thrown away. */
#define CROWDED 1024

/* Bytes of text for which room is made at once. */
#define STRETCH 256

/* A text in the making. */
typedef struct {
    tmpl_buf_t words; /* the last ones, each but the first behind a blank */
    apr_size_t starts[TMPL_FINGERPRINT_SHINGLE]; /* of those words, the last one's at `last` */
    unsigned last;
    int in_word;
    uint32_t n_words;
    uint64_t least[BINS];
} sketch_t;

static void add_shingle(sketch_t *sketch, apr_size_t start)
{
    uint64_t hash = XXH64(sketch->words.at + start, sketch->words.len - start, 0);
    uint64_t *least = &sketch->least[hash >> (64 - BIN_BITS)];
    uint64_t value = hash << BIN_BITS >> BIN_BITS;
    if (value < *least) {
        *least = value;
    }
}

/* Moves what the next shingle needs to the front. */
static void make_room(sketch_t *sketch, apr_size_t start)
{
    memmove(sketch->words.at, sketch->words.at + start, sketch->words.len - start);
    sketch->words.len -= start;
    for (unsigned i = 0; i < TMPL_FINGERPRINT_SHINGLE; i++) {
        sketch->starts[i] -= start;
    }
}

/* The place of the word behind that at i; of the last shingle, its first. */
static inline unsigned next_of(unsigned i)
{
    return i + 1 < TMPL_FINGERPRINT_SHINGLE ? i + 1 : 0;
}

static inline void end_word(sketch_t *sketch)
{
    if (!sketch->in_word) {
        return;
    }
    sketch->in_word = 0;
    sketch->n_words++;
    if (sketch->n_words >= TMPL_FINGERPRINT_SHINGLE) {
        apr_size_t start = sketch->starts[next_of(sketch->last)];
        add_shingle(sketch, start);
        if (start > CROWDED) {
            make_room(sketch, start);
        }
    }
}

static inline void begin_word(sketch_t *sketch)
{
    if (sketch->in_word) {
        return;
    }
    if (sketch->n_words > 0) {
        tmpl_buf_add_byte(&sketch->words, ' ');
    }
    sketch->last = next_of(sketch->last);
    sketch->starts[sketch->last] = sketch->words.len;
    sketch->in_word = 1;
}

/* A character of ASCII, which most text is, as it is in a word; 0 for what parts words. */
/* clang-format off */
#define BOTH(upper, lower) [upper] = (lower), [lower] = (lower)
static const char small_of[256] = {
    ['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4',
    ['5'] = '5', ['6'] = '6', ['7'] = '7', ['8'] = '8', ['9'] = '9',
    BOTH('A', 'a'), BOTH('B', 'b'), BOTH('C', 'c'), BOTH('D', 'd'), BOTH('E', 'e'), BOTH('F', 'f'),
    BOTH('G', 'g'), BOTH('H', 'h'), BOTH('I', 'i'), BOTH('J', 'j'), BOTH('K', 'k'), BOTH('L', 'l'),
    BOTH('M', 'm'), BOTH('N', 'n'), BOTH('O', 'o'), BOTH('P', 'p'), BOTH('Q', 'q'), BOTH('R', 'r'),
    BOTH('S', 's'), BOTH('T', 't'), BOTH('U', 'u'), BOTH('V', 'v'), BOTH('W', 'w'), BOTH('X', 'x'),
    BOTH('Y', 'y'), BOTH('Z', 'z'),
};
#undef BOTH
/* clang-format on */

/* Goes on with the word, in room that there is; returns what stands behind it. */
static const char *add_letters(sketch_t *sketch, const char *at, const char *end)
{
    char *to = sketch->words.at + sketch->words.len;
    char small;
    while (at < end && (small = small_of[(unsigned char)*at]) != '\0') {
        *to++ = small;
        at++;
    }
    *to = '\0';
    sketch->words.len = (apr_size_t)(to - sketch->words.at);
    return at;
}

static void add_stretch(sketch_t *sketch, const char *at, const char *end)
{
    /* each byte may be a word, with a blank before it */
    tmpl_buf_room(&sketch->words, 2 * (apr_size_t)(end - at) + 1);
    while (at < end) {
        if (sketch->in_word) {
            at = add_letters(sketch, at, end);
            if (at == end) {
                break;
            }
            end_word(sketch);
        }
        while (at < end && small_of[(unsigned char)*at] == '\0') {
            at++;
        }
        if (at < end) {
            begin_word(sketch);
        }
    }
}

static void add_ascii(void *ctx, const char *bytes, apr_size_t len)
{
    for (apr_size_t n; len > 0; bytes += n, len -= n) {
        n = len < STRETCH ? len : STRETCH;
        add_stretch(ctx, bytes, bytes + n);
    }
}

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
