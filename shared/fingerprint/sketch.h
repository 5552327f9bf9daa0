/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text -> words -> shingles -> the least hash of each bin: steps 2 to 6 of docs/fingerprint.md.
 * Text is added in pieces of any length, buffered, and divided into words 2 KB at a time.
 */
#ifndef TMPL_SKETCH_H
#define TMPL_SKETCH_H

#include <string.h>

#include <apr.h>

#include "base/bytes64.h"

#define TMPL_SKETCH_BINS 64

/* Bytes in the buffer. */
#define TMPL_SKETCH_TEXT 2048

/* A sketch while text is added. It is meant for the stack. */
typedef struct {
    char text[TMPL_SKETCH_TEXT + TMPL_BYTES64]; /* UTF-8 that has not been divided into words yet */
    uint32_t len;                               /* bytes in text */
    uint32_t n_words;                           /* number of words read */
    uint64_t last;                              /* hash of the last word, as a shingle of one */
    uint64_t last_two;                          /* hash of the last two words */
    uint64_t least[TMPL_SKETCH_BINS];           /* TMPL_SKETCH_EMPTY: no shingle in the bin */
} tmpl_sketch_t;

/* Larger than every value: a value is a hash without its top bits, which choose the bin. */
#define TMPL_SKETCH_EMPTY UINT64_MAX

/* Begins an empty text. */
void tmpl_sketch_init(tmpl_sketch_t *sketch);

/* Adds len bytes of ASCII; len may be any number. */
void tmpl_sketch_add(tmpl_sketch_t *sketch, const char *bytes, apr_size_t len);

/* Adds a character, any code point. */
void tmpl_sketch_add_code(tmpl_sketch_t *sketch, uint32_t code);

/* Reads what is left in the buffer: the text ends here. */
void tmpl_sketch_end(tmpl_sketch_t *sketch);

/* The fingerprint of the text (step 6), after tmpl_sketch_end. */
uint64_t tmpl_sketch_bits(const tmpl_sketch_t *sketch);

#endif
