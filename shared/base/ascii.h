/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Characters of ASCII in any locale. tolower() and strncasecmp() follow the locale, which other
 * modules in the process may set (PHP's setlocale() does): in Turkish 'I' is not the capital of
 * 'i', and bytes above 0x7F may be letters. apr_cstr_casecmpn() compares names in any case.
 */
#ifndef TMPL_ASCII_H
#define TMPL_ASCII_H

#include <stdint.h>

static inline int tmpl_is_alpha(char c)
{
    return (unsigned)((c | 0x20) - 'a') < 26u;
}

static inline int tmpl_is_digit(char c)
{
    return (unsigned)(c - '0') < 10u;
}

static inline int tmpl_is_alnum(char c)
{
    return tmpl_is_alpha(c) || tmpl_is_digit(c);
}

/* Whether a byte of UTF-8 begins a letter or a digit: beyond ASCII, if its block is no signs. */
static inline int tmpl_is_of_word(char c)
{
    unsigned char byte = (unsigned char)c;
    return tmpl_is_alnum(c) || (byte >= 0xC3 && byte != 0xE2 && byte < 0xEE);
}

/* HTML's white space: tab, line feed, form feed, carriage return, space. */
static inline int tmpl_is_space(char c)
{
    const uint64_t spaces = 1u << '\t' | 1u << '\n' | 1u << '\f' | 1u << '\r' | 1ull << ' ';
    return (unsigned char)c <= ' ' && (spaces >> c & 1) != 0;
}

/* The byte, in lower case if it is a letter. */
static inline char tmpl_lower(char c)
{
    return (unsigned)(c - 'A') < 26u ? (char)(c | 0x20) : c;
}

/* The value of a hexadecimal digit; -1: it is none. */
static inline int tmpl_hex_digit(char c)
{
    return tmpl_is_digit(c)                               ? c - '0'
           : tmpl_lower(c) >= 'a' && tmpl_lower(c) <= 'f' ? tmpl_lower(c) - 'a' + 10
                                                          : -1;
}

/* The byte of the %XX at text; -1: there is no %XX. */
static inline int tmpl_escaped_byte(const char *text)
{
    int high = text[0] == '%' ? tmpl_hex_digit(text[1]) : -1;
    int low = high >= 0 ? tmpl_hex_digit(text[2]) : -1;
    return low >= 0 ? high << 4 | low : -1;
}

#endif
