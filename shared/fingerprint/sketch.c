/* SPDX-License-Identifier: Apache-2.0 */
#include "fingerprint/sketch.h"

#ifndef __clang_analyzer__ /* it does not see that the text is initialised */
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include "fingerprint/fingerprint.h"
#include "fingerprint/words.h"

#define BIN_BITS 6

/* Bytes of a word that are copied first; few words are longer and need a second copy. */
#define COPIED 16

/* Bytes of a character in UTF-8 and two blanks, at most. */
#define CHAR_MOST 6

static inline void add_shingle(uint64_t *bins, const char *first, uint32_t len)
{
    uint64_t hash = XXH64(first, len, 0);
    uint64_t *least = &bins[hash >> (64 - BIN_BITS)];
    uint64_t value = hash << BIN_BITS >> BIN_BITS;
    *least = value < *least ? value : *least;
}

/* The number of consecutive bits that are set, from the lowest one on. */
static inline uint32_t count_run(uint64_t bits)
{
    return ~bits != 0 ? (uint32_t)__builtin_ctzll(~bits) : 64;
}

/* Copies n letters, and bytes behind them, TMPL_BYTES64 in all at most: these must have room. */
static inline void copy_letters(char *to, const unsigned char *letters, uint32_t n)
{
    memcpy(to, letters, COPIED);
    if (n > COPIED) {
        memcpy(to + COPIED, letters + COPIED, TMPL_BYTES64 - COPIED);
    }
}

/* The sketch's words while chunks are added: local, so that the compiler keeps it in registers. */
typedef struct {
    char *at;         /* the words */
    char *end;        /* where the next byte is written */
    uint32_t *starts; /* the entry of the word being written, or of the next one */
    int in_word;
} writer_t;

/* Completes a word. */
static inline void end_word(writer_t *writer)
{
    *writer->end++ = ' ';
    *++writer->starts = (uint32_t)(writer->end - writer->at);
}

/*
 * Writes the words in a chunk of n bytes; TMPL_BYTES64 may be read. Words are runs of letters,
 * digits and bytes outside of ASCII.
 */
static inline void read_chunk(writer_t *writer, const unsigned char *bytes, uint32_t n)
{
    unsigned char letters[2 * TMPL_BYTES64];
    const uint64_t all = ~(uint64_t)0;
    tmpl_bytes64_t chunk = tmpl_bytes64(bytes, n);
    uint64_t words = (chunk.words | chunk.wide) & all >> (TMPL_BYTES64 - n);
    for (uint32_t i = 0; i < TMPL_BYTES64; i++) {
        /* 0x20 makes letters lower case; digits have it anyway */
        letters[i] = bytes[i] | (unsigned char)((~bytes[i] & 0x80) >> 2);
    }
    if (writer->in_word) {
        uint32_t more = count_run(words);
        copy_letters(writer->end, letters, more);
        writer->end += more;
        if (more >= n) {
            return;
        }
        end_word(writer);
        words &= words + 1;
    }
    writer->in_word = (words >> (n - 1) & 1) != 0;
    while (words != 0) {
        uint32_t first = (uint32_t)__builtin_ctzll(words);
        uint32_t length = count_run(words >> first);
        words &= words + ((uint64_t)1 << first); /* without this run */
        copy_letters(writer->end, letters + first, length);
        writer->end += length;
        end_word(writer);
    }
    if (writer->in_word) { /* the last word continues in the next chunk: undo end_word */
        writer->end--;
        writer->starts--;
    }
}

static void read_words(tmpl_sketch_t *sketch)
{
    const unsigned char *bytes = (const unsigned char *)sketch->text;
    /* each byte may be a word with a blank behind it, and copies exceed words */
    char *end = tmpl_buf_room(&sketch->words, 2 * sketch->len + 2 * TMPL_BYTES64);
    writer_t writer = { sketch->words.at, end, sketch->starts + sketch->n, sketch->in_word };
    for (uint32_t at = 0; at < sketch->len; at += TMPL_BYTES64) {
        uint32_t left = sketch->len - at;
        read_chunk(&writer, bytes + at, left < TMPL_BYTES64 ? left : TMPL_BYTES64);
    }
    uint32_t n = (uint32_t)(writer.starts - sketch->starts);
    sketch->n_words += n - sketch->n;
    sketch->n = n;
    sketch->in_word = writer.in_word;
    sketch->words.len = (apr_size_t)(writer.end - writer.at);
    sketch->len = 0;
}

/* Removes the words that no later shingle contains. */
static void remove_old_words(tmpl_sketch_t *sketch)
{
    enum { KEPT = TMPL_FINGERPRINT_SHINGLE - 1 };
    tmpl_buf_t *words = &sketch->words;
    uint32_t removed = sketch->n > KEPT ? sketch->n - KEPT : 0;
    uint32_t start = sketch->starts[removed];
    memmove(words->at, words->at + start, words->len - start);
    words->len -= start;
    sketch->n -= removed;
    for (uint32_t i = 0; i <= sketch->n; i++) {
        sketch->starts[i] = sketch->starts[removed + i] - start;
    }
}

void tmpl_sketch_read(tmpl_sketch_t *sketch)
{
    read_words(sketch);
    sketch->words.at[sketch->words.len] = '\0';
    /* not word by word: the CPU would stall at a read of bytes that were just written in parts */
    for (uint32_t i = 0; i + TMPL_FINGERPRINT_SHINGLE <= sketch->n; i++) {
        const uint32_t *starts = sketch->starts + i;
        add_shingle(sketch->least, sketch->words.at + starts[0],
                    starts[TMPL_FINGERPRINT_SHINGLE] - 1 - starts[0]);
    }
    remove_old_words(sketch);
}

void tmpl_sketch_init(tmpl_sketch_t *sketch, apr_pool_t *pool)
{
    sketch->len = 0;
    sketch->in_word = 0;
    sketch->n = 0;
    sketch->n_words = 0;
    sketch->starts[0] = 0;
    tmpl_buf_init(&sketch->words, pool);
    memset(sketch->least, 0xFF, sizeof(sketch->least));
}

void tmpl_sketch_add(tmpl_sketch_t *sketch, const char *bytes, apr_size_t len)
{
    while (len > TMPL_SKETCH_TEXT - sketch->len) {
        apr_size_t some = TMPL_SKETCH_TEXT - sketch->len;
        memcpy(sketch->text + sketch->len, bytes, some);
        sketch->len = TMPL_SKETCH_TEXT;
        bytes += some;
        len -= some;
        tmpl_sketch_read(sketch);
    }
    memcpy(sketch->text + sketch->len, bytes, len);
    sketch->len += (uint32_t)len;
}

/* Outside of ASCII: a character that divides words becomes a blank; a word has blanks around it. */
void tmpl_sketch_add_code(tmpl_sketch_t *sketch, uint32_t code)
{
    tmpl_char_e kind = code < 0x80 ? TMPL_CHAR_WORD : tmpl_char_kind(code);
    if (sketch->len > TMPL_SKETCH_TEXT - CHAR_MOST) {
        tmpl_sketch_read(sketch);
    }
    if (kind != TMPL_CHAR_WORD) {
        sketch->text[sketch->len++] = ' ';
    }
    if (kind == TMPL_CHAR_PARTS) {
        return;
    }
    sketch->len += tmpl_utf8_put(sketch->text + sketch->len, code);
    if (kind == TMPL_CHAR_DENSE) {
        sketch->text[sketch->len++] = ' ';
    }
}

/* Step 6: an empty bin takes bit s of the next bin that is not empty, which is s bins behind it. */
uint64_t tmpl_sketch_bits(const tmpl_sketch_t *sketch)
{
    const uint64_t *least = sketch->least;
    uint64_t bits = 0;
    for (unsigned bin = 0; bin < TMPL_SKETCH_BINS; bin++) {
        unsigned step = 0;
        while (step < TMPL_SKETCH_BINS - 1 &&
               least[(bin + step) % TMPL_SKETCH_BINS] == TMPL_SKETCH_EMPTY) {
            step++;
        }
        bits |= (least[(bin + step) % TMPL_SKETCH_BINS] >> step & 1) << bin;
    }
    return bits;
}
