/* SPDX-License-Identifier: Apache-2.0 */
/* Characters that are not ASCII, as far as the model tells them apart. */
#ifndef TMPL_CHARS_H
#define TMPL_CHARS_H

#include <stdint.h>

#define TMPL_COPYRIGHT 0xA9

/*
 * The next character of UTF-8, from 0x80 on. A byte that is none stands for itself, for pages in other charsets, whose letters
 * are letters to the model; tmpl_utf8_next, which makes text to be read by people, has U+FFFD for it.
 */
static inline uint32_t tmpl_next_char(const unsigned char *s, uint32_t end, uint32_t *at)
{
    static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
    uint32_t c = s[(*at)++];
    uint32_t more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC2 ? 1 : 0;
    if (more == 0 || c > 0xF4 || end - *at < more) {
        return c;
    }
    uint32_t code = c & (0x3FU >> more);
    for (uint32_t i = 0; i < more; i++) {
        if ((s[*at + i] & 0xC0) != 0x80) {
            return c;
        }
        code = code << 6 | (s[*at + i] & 0x3F);
    }
    if (code < least[more]) {
        return c;
    }
    *at += more;
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

/* Scripts without spaces: kana, CJK ideographs, Thai. */
static inline int tmpl_is_dense(uint32_t c)
{
    return (c >= 0x3040 && c <= 0x9FFF) || (c >= 0x0E00 && c <= 0x0E7F) ||
           (c >= 0x20000 && c <= 0x2FFFF);
}

#endif
