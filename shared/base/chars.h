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

#include <stddef.h>
#include <stdint.h>

#include "base/ascii.h"

/* --- UTF-8, read and written --- */

#define TMPL_UNICODE_LAST 0x10FFFFu
#define TMPL_REPLACEMENT  0xFFFDu /* stands for a code point that is no character */

/* Whether a code point is a character: neither NUL nor half of a surrogate pair. */
static inline int tmpl_is_character(uint32_t code)
{
    return code != 0 && code <= TMPL_UNICODE_LAST && (code < 0xD800 || code > 0xDFFF);
}

/*
 * Reads the code point at s; len bytes, at least 1, may be read. Returns the length of its
 * sequence. Returns 0, and the first byte in *code, if the bytes are not UTF-8 or the sequence is
 * longer than the code point needs. The code point need not be a character.
 */
static inline uint32_t tmpl_utf8_read(uint32_t *code, const unsigned char *s, size_t len)
{
    static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
    uint32_t c = s[0];
    uint32_t more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC2 ? 1 : 0;
    *code = c;
    if (c < 0x80) {
        return 1;
    }
    if (more == 0 || c > 0xF4 || len <= more) {
        return 0;
    }
    if (more == 1 && (s[1] & 0xC0) == 0x80) { /* not in the loop: most letters beyond ASCII */
        *code = (c & 0x1F) << 6 | (s[1] & 0x3F);
        return 2;
    }
    c &= 0x3FU >> more;
    for (uint32_t i = 1; i <= more; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
        c = c << 6 | (s[i] & 0x3F);
    }
    if (c < least[more]) {
        return 0;
    }
    *code = c;
    return more + 1;
}

/*
 * The character at text, with its length in *used; TMPL_REPLACEMENT, with 1, for a byte that is not
 * UTF-8. len bytes, at least 1, may be read.
 */
static inline uint32_t tmpl_utf8_next(const char *text, size_t len, size_t *used)
{
    uint32_t code;
    uint32_t n = tmpl_utf8_read(&code, (const unsigned char *)text, len);
    int is_read = n > 0 && (code == 0 || tmpl_is_character(code));
    *used = is_read ? n : 1;
    return is_read ? code : TMPL_REPLACEMENT;
}

/*
 * Writes a character in UTF-8, TMPL_UTF8_MOST bytes at most, and returns its length. Writes
 * TMPL_REPLACEMENT for a code point that is no character.
 */
#define TMPL_UTF8_MOST 4
uint32_t tmpl_utf8_put(char *to, uint32_t code);

/* --- letters --- */

/* The small letter of one of Latin, Greek or Cyrillic, but not of Greek with accents. */
uint32_t tmpl_small_letter(uint32_t c);

/*
 * Writes text to small in small letters, which take as many bytes: len bytes of it, fewer if size
 * ends in front of them, and a NUL.
 */
void tmpl_small_text(char *small, size_t size, const char *text, size_t len);

/* --- words --- */

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
