/* SPDX-License-Identifier: Apache-2.0 */
/* Which characters words consist of, in any script. */
#ifndef TMPL_WORDS_H
#define TMPL_WORDS_H

#include <stdint.h>

typedef enum {
    TMPL_CHAR_PARTS, /* divides words: white space, a sign */
    TMPL_CHAR_WORD,  /* part of a word, together with its neighbours */
    TMPL_CHAR_DENSE  /* a word by itself, in scripts that are written without spaces */
} tmpl_char_e;

/* The kind of a character from U+0080 on, by the table in docs/fingerprint.md. */
tmpl_char_e tmpl_char_kind(uint32_t code);

#endif
