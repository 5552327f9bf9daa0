/* SPDX-License-Identifier: Apache-2.0 */
#include "fingerprint/fingerprint.h"

#include <string.h>

#include <apr_strings.h>

#include "base/bytes.h"
#include "base/chars.h"
#include "text/text.h"

/*
 * text -> words -> shingles -> the least hash of each bin: steps 2 to 6 of docs/fingerprint.md.
 * Text is added in pieces of any length, buffered, and divided into words 2 KB at a time.
 */

#define BIN_BITS 6
#define BINS     (1 << BIN_BITS)

/* Bytes in the buffer. */
#define TEXT 2048

/* Bytes of a character in UTF-8 and two blanks, at most. */
#define CHAR_MOST 6

/* Larger than every value: a value is a hash without its top bits, which choose the bin. */
#define EMPTY UINT64_MAX

/* A sketch while text is added. It is meant for the stack. */
typedef struct {
    char text[TEXT + TMPL_BYTES64]; /* UTF-8 that has not been divided into words yet */
    uint32_t len;                   /* bytes in text */
    uint32_t n_words;               /* number of words read */
    uint64_t last;                  /* hash of the last word, as a shingle of one */
    uint64_t last_two;              /* hash of the last two words */
    uint64_t least[BINS];           /* EMPTY: no shingle in the bin */
} sketch_t;

/* Step 4: the hash of a sequence of numbers; hash is that of all numbers but the last one. */
static inline uint64_t hash_of_next(uint64_t hash, uint64_t number)
{
    return __builtin_bswap64((hash ^ number) * 0x9E3779B97F4A7C15);
}

/*
 * The hash of a word of 1 to TMPL_BYTES64 bytes; 7 more may be read. Its ASCII is letters and
 * digits: 0x20 makes letters lower case, and digits have it.
 */
static inline uint64_t hash_sketch_word(const char *bytes, uint32_t len)
{
    uint64_t hash = 0;
    for (;; bytes += 8, len -= 8) {
        uint64_t eight = tmpl_bytes8(bytes);
        eight |= (~eight & TMPL_EACH(0x80)) >> 2;
        if (len <= 8) {
            return hash_of_next(hash, eight << (64 - 8 * len));
        }
        hash = hash_of_next(hash, eight);
    }
}

static inline void add_word(sketch_t *sketch, uint64_t word)
{
    if (++sketch->n_words >= TMPL_FINGERPRINT_SHINGLE) {
        uint64_t hash = hash_of_next(sketch->last_two, word);
        uint64_t *least = &sketch->least[hash >> (64 - BIN_BITS)];
        *least = hash < *least ? hash : *least;
    }
    sketch->last_two = hash_of_next(sketch->last, word);
    sketch->last = hash_of_next(0, word);
}

/*
 * Reads the words of a chunk of n bytes; TMPL_BYTES64 and 7 more may be read. Words are runs of
 * letters, digits and bytes outside of ASCII. Returns how many bytes were read: not those of a word
 * at the end of TMPL_BYTES64 bytes, which may continue, unless it is all of them.
 */
static inline uint32_t read_sketch_chunk(sketch_t *sketch, const char *bytes, uint32_t n)
{
    const uint64_t all = ~(uint64_t)0;
    tmpl_bytes64_t chunk = tmpl_bytes64((const unsigned char *)bytes, n);
    uint64_t words = (chunk.words | chunk.wide) & all >> (TMPL_BYTES64 - n);
    if (words == all) {
        add_word(sketch, hash_sketch_word(bytes, TMPL_BYTES64));
        return n;
    }
    if (n == TMPL_BYTES64 && words >> (TMPL_BYTES64 - 1) != 0) {
        n -= (uint32_t)__builtin_clzll(~words);
        words &= ~(all << n);
    }
    uint64_t lasts = words & ~(words >> 1);
    for (uint64_t firsts = words & ~(words << 1); firsts != 0; firsts &= firsts - 1) {
        uint32_t first = (uint32_t)__builtin_ctzll(firsts);
        uint32_t last = (uint32_t)__builtin_ctzll(lasts);
        lasts &= lasts - 1;
        add_word(sketch, hash_sketch_word(bytes + first, last - first + 1));
    }
    return n;
}

/*
 * Reads the buffer as long as it has `least` bytes, and keeps the others. Not inlined: its callers
 * rarely call it.
 */
static __attribute__((noinline)) void read_sketch_text(sketch_t *sketch, uint32_t least)
{
    uint32_t at = 0, left = sketch->len;
    while (left >= least) {
        uint32_t n = left < TMPL_BYTES64 ? left : TMPL_BYTES64;
        n = read_sketch_chunk(sketch, sketch->text + at, n);
        at += n;
        left -= n;
    }
    sketch->len = left;
    memcpy(sketch->text, sketch->text + at, left);
}

/* Adds len bytes of ASCII; len may be any number. */
static void sketch_add(void *ctx, const char *bytes, apr_size_t len)
{
    sketch_t *sketch = ctx;
    while (len > TEXT - sketch->len) {
        uint32_t some = TEXT - sketch->len;
        memcpy(sketch->text + sketch->len, bytes, some);
        sketch->len = TEXT;
        bytes += some;
        len -= some;
        read_sketch_text(sketch, TMPL_BYTES64);
    }
    memcpy(sketch->text + sketch->len, bytes, len);
    sketch->len += (uint32_t)len;
}

/*
 * Adds a character. One that divides words becomes a blank; one that is a word has blanks around
 * it.
 */
static void sketch_add_code(void *ctx, uint32_t code)
{
    sketch_t *sketch = ctx;
    if (sketch->len > TEXT - CHAR_MOST) {
        read_sketch_text(sketch, TMPL_BYTES64);
    }
    char *to = sketch->text + sketch->len;
    if (code < 0x80) {
        *to = (char)code;
        sketch->len++;
        return;
    }
    int dense = tmpl_is_dense_script(code);
    if (dense || !tmpl_is_word(code)) {
        *to++ = ' ';
    }
    if (tmpl_is_word(code)) {
        to += tmpl_utf8_put(to, code);
    }
    if (dense) {
        *to++ = ' ';
    }
    sketch->len = (uint32_t)(to - sketch->text);
}

/* Step 6: an empty bin takes bit s of the next bin that is not empty, which is s bins behind it. */
static uint64_t sketch_bits(const sketch_t *sketch)
{
    const uint64_t *least = sketch->least;
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
    sketch_t sketch;
    tmpl_decoder_t decoder;
    tmpl_text_sink_t sink = { sketch_add_code, sketch_add, &sketch };
    sketch.len = sketch.n_words = 0;
    sketch.last = sketch.last_two = 0;
    memset(sketch.least, 0xFF, sizeof(sketch.least));
    tmpl_decoder_find(&decoder, page->src, page->len, charset, pool);
    for (uint32_t i = 0; i < page->n_blocks; i++) {
        if (verdicts == NULL || !verdicts[i].template) {
            tmpl_text_block_to(&sink, page, i, &decoder, pool);
            sketch_add_code(&sketch, ' ');
        }
    }
    read_sketch_text(&sketch, 1);
    fingerprint->words = sketch.n_words;
    fingerprint->bits = sketch.n_words >= TMPL_FINGERPRINT_LEAST ? sketch_bits(&sketch) : 0;
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
