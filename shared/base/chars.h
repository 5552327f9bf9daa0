/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of characters beyond ASCII that features count. */
#ifndef TMPL_CHARS_H
#define TMPL_CHARS_H

#include <stdint.h>

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

/* Scripts without spaces: kana, CJK ideographs, Thai. */
static inline int tmpl_is_dense(uint32_t c)
{
    return (c >= 0x3040 && c <= 0x9FFF) || (c >= 0x0E00 && c <= 0x0E7F) ||
           (c >= 0x20000 && c <= 0x2FFFF);
}

#endif
