/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a word is, and characters beyond ASCII that features count. A word is a run of ASCII's
 * letters and digits and of characters beyond ASCII for which tmpl_is_word() is true. Of scripts
 * without spaces each character is a word: tmpl_is_dense() for the features that models were
 * trained with, tmpl_is_dense_script() for fingerprints (docs/fingerprint.md).
 *
 * methods/style.c knows words by their bytes alone, tmpl_is_word_byte(): its keys are in stores.
 */
#ifndef TMPL_CHARS_H
#define TMPL_CHARS_H

#include <stdint.h>

#include "base/ascii.h"
#include "base/utf8.h"

#define TMPL_COPYRIGHT 0xA9

/*
 * The next character of UTF-8, from 0x80 on. A byte that is not UTF-8 stands for itself: in pages
 * of other charsets such bytes are mostly letters.
 */
static inline uint32_t tmpl_next_char(const unsigned char *s, uint32_t end, uint32_t *at)
{
    uint32_t code;
    uint32_t n = tmpl_utf8_read(&code, s + *at, end - *at);
    *at += n > 0 ? n : 1;
    return code;
}

/* The ends of sentences. */
static inline int tmpl_is_stop(uint32_t c)
{
    return c == 0x2026 /* ellipsis */ || c == 0x3002 || c == 0xFF01 || c == 0xFF1F /* CJK */ ||
           c == 0x0964 /* danda */ || c == 0x06D4 || c == 0x061F /* Arabic */;
}

static inline int tmpl_is_comma(uint32_t c)
{
    return c == 0x3001 || c == 0xFF0C /* CJK */ || c == 0x060C /* Arabic */;
}

static inline int tmpl_is_word(uint32_t c)
{
    return (c < 0x2000 || c > 0x206F) && c != TMPL_COPYRIGHT && !tmpl_is_stop(c) &&
           !tmpl_is_comma(c);
}

/* Whether a byte may be part of a word, in UTF-8 and in charsets of one byte for each character. */
static inline int tmpl_is_word_byte(char c)
{
    return (unsigned char)c >= 0x80 || tmpl_is_alnum(c);
}

/* Scripts without spaces: kana, CJK ideographs, Thai. */
static inline int tmpl_is_dense(uint32_t c)
{
    return (c >= 0x3040 && c <= 0x9FFF) || (c >= 0x0E00 && c <= 0x0E7F) ||
           (c >= 0x20000 && c <= 0x2FFFF);
}

/* The same, and Lao, Burmese, Khmer. */
static inline int tmpl_is_dense_script(uint32_t c)
{
    return c >= 0x0E00 && (tmpl_is_dense(c) || (c >= 0x0E80 && c <= 0x0EFF) ||
                           (c >= 0x1000 && c <= 0x109F) || (c >= 0x1780 && c <= 0x17FF));
}

#endif
