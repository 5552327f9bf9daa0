/* SPDX-License-Identifier: Apache-2.0 */
/* Which characters make words, in any script. */
#ifndef TMPL_WORDS_H
#define TMPL_WORDS_H

#include <stdint.h>

typedef enum {
    TMPL_CHAR_PARTS, /* white space, a sign: stands between words */
    TMPL_CHAR_WORD,  /* part of a word with its neighbours */
    TMPL_CHAR_DENSE  /* a word of its own: of a script that is written without spaces */
} tmpl_char_e;

/* The kind of a character from U+0080 on, by the table in docs/fingerprint.md. */
tmpl_char_e tmpl_char_kind(uint32_t code);

#endif
