/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text -> words -> shingles -> the least hash of each bin: steps 2 to 6 of docs/fingerprint.md.
 * Text is added in pieces of any length, buffered, and divided into words 2 KB at a time.
 */
#ifndef TMPL_SKETCH_H
#define TMPL_SKETCH_H

#include <string.h>

#include "base/buf.h"
#include "base/bytes64.h"

#define TMPL_SKETCH_BINS 64

/* Bytes in the buffer, and the most words that they can hold. */
#define TMPL_SKETCH_TEXT  2048
#define TMPL_SKETCH_WORDS (TMPL_SKETCH_TEXT / 2 + 4)

/* A sketch while text is added. It is meant for the stack. */
typedef struct {
    char text[TMPL_SKETCH_TEXT + TMPL_BYTES64]; /* UTF-8 that has not been divided into words yet */
    uint32_t len;                               /* bytes in text */
    int in_word;                                /* the last of words continues in text */
    tmpl_buf_t words;                           /* the last words, a blank behind each */
    uint32_t starts[TMPL_SKETCH_WORDS];         /* offset of each word, and of the next one */
    uint32_t n;                                 /* number of complete words in words */
    uint32_t n_words;                           /* number of complete words of the whole text */
    uint64_t least[TMPL_SKETCH_BINS];           /* TMPL_SKETCH_EMPTY: no shingle in the bin */
} tmpl_sketch_t;

/* Larger than every value: a value is a hash without its top bits, which choose the bin. */
#define TMPL_SKETCH_EMPTY UINT64_MAX

/* Begins an empty text. Words are kept in memory from pool. */
void tmpl_sketch_init(tmpl_sketch_t *sketch, apr_pool_t *pool);

/* Adds len bytes of ASCII; len may be any number. */
void tmpl_sketch_add(tmpl_sketch_t *sketch, const char *bytes, apr_size_t len);

/* Adds a character, any code point. */
void tmpl_sketch_add_code(tmpl_sketch_t *sketch, uint32_t code);

/* Divides the buffered text into words and hashes their shingles. The last word may continue. */
void tmpl_sketch_read(tmpl_sketch_t *sketch);

/* The fingerprint of the text up to the last tmpl_sketch_read (step 6). */
uint64_t tmpl_sketch_bits(const tmpl_sketch_t *sketch);

#endif
