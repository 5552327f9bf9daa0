/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text -> words -> shingles -> the least hash of each bin: what a fingerprint is made of, by steps 2 to 6 of
 * docs/fingerprint.md. A text is taken in as it comes, and read a few thousand bytes at a time.
 */
#ifndef TMPL_SKETCH_H
#define TMPL_SKETCH_H

#include <string.h>

#include "base/buf.h"
#include "base/bytes64.h"

#define TMPL_SKETCH_BINS 64

/* Bytes that are read together, and the words that they may hold. */
#define TMPL_SKETCH_TEXT  2048
#define TMPL_SKETCH_WORDS (TMPL_SKETCH_TEXT / 2 + 4)

/* A text in the making; on the stack. */
typedef struct {
    char text[TMPL_SKETCH_TEXT + TMPL_BYTES64]; /* UTF-8 that has not been read */
    uint32_t len;                               /* of it */
    int in_word;                                /* the last word of words goes on in text */
    tmpl_buf_t words;                           /* the last ones, each before a blank */
    uint32_t starts[TMPL_SKETCH_WORDS];         /* of those, and where the next one is or will be */
    uint32_t n;                                 /* of those that are complete */
    uint32_t n_words;                           /* of the whole text */
    uint64_t least[TMPL_SKETCH_BINS];           /* TMPL_SKETCH_EMPTY: nothing fell into the bin */
} tmpl_sketch_t;

/* No value is that large: the top bits are the bin's number, and are taken off. */
#define TMPL_SKETCH_EMPTY UINT64_MAX

/* An empty text; room for its longest words is from pool. */
void tmpl_sketch_init(tmpl_sketch_t *sketch, apr_pool_t *pool);

/* Goes on with len bytes of ASCII, of any length. */
void tmpl_sketch_add(tmpl_sketch_t *sketch, const char *bytes, apr_size_t len);

/* Goes on with a character. */
void tmpl_sketch_add_code(tmpl_sketch_t *sketch, uint32_t code);

/* Reads what has come: the word at its end goes on with what comes next. */
void tmpl_sketch_read(tmpl_sketch_t *sketch);

/* 64 bits of what has been read: one of each bin's least value, by step 6. */
uint64_t tmpl_sketch_bits(const tmpl_sketch_t *sketch);

#endif
