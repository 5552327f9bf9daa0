/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of 64 bytes of text at once. */
#ifndef TMPL_BYTES64_H
#define TMPL_BYTES64_H

#include "base/bytes16.h"

#define TMPL_BYTES64 64

/* Kinds of bytes. Words consist of the last three. */
enum {
    TMPL_BYTE_SIGN,
    TMPL_BYTE_SPACE,
    TMPL_BYTE_APOSTROPHE,
    TMPL_BYTE_STOP,
    TMPL_BYTE_COMMA,
    TMPL_BYTE_REFERENCE,
    TMPL_BYTE_WIDE,
    TMPL_BYTE_SMALL,
    TMPL_BYTE_CAPITAL,
    TMPL_BYTE_DIGIT
};

static const unsigned char tmpl_byte_classes[256] = {
    ['\t' ... '\r'] = TMPL_BYTE_SPACE,
    [' '] = TMPL_BYTE_SPACE,
    ['\''] = TMPL_BYTE_APOSTROPHE,
    ['.'] = TMPL_BYTE_STOP,
    ['!'] = TMPL_BYTE_STOP,
    ['?'] = TMPL_BYTE_STOP,
    [','] = TMPL_BYTE_COMMA,
    [';'] = TMPL_BYTE_COMMA,
    ['&'] = TMPL_BYTE_REFERENCE,
    ['a' ... 'z'] = TMPL_BYTE_SMALL,
    ['A' ... 'Z'] = TMPL_BYTE_CAPITAL,
    ['0' ... '9'] = TMPL_BYTE_DIGIT,
    [0x80 ... 0xFF] = TMPL_BYTE_WIDE,
};

/* Letters and digits. */
static inline int tmpl_byte_in_word(unsigned char byte)
{
    return tmpl_byte_classes[byte] >= TMPL_BYTE_SMALL;
}

/* Sets of bytes: bit i stands for byte i. */
typedef struct {
    uint64_t wide;  /* not ASCII */
    uint64_t marks; /* apostrophes and ampersands */
    uint64_t words; /* letters and digits */
    uint64_t digits;
    uint64_t capitals;
    uint64_t spaces;
} tmpl_bytes64_t;

/* The sets of n <= TMPL_BYTES64 bytes. TMPL_BYTES64 must be readable. Bits from n on are void. */
static inline tmpl_bytes64_t tmpl_bytes64(const unsigned char *s, uint32_t n)
{
    tmpl_bytes64_t sets = { 0 };
    for (uint32_t at = 0; at < n; at += TMPL_BYTES16) {
        tmpl_bytes16_t bytes;
        memcpy(&bytes, s + at, sizeof(bytes));
        /* unsigned: a byte below the first of a range wraps to a number above the range */
        tmpl_bytes16_t letters = (tmpl_bytes16_t)((bytes | 0x20) - 'a' <= 'z' - 'a');
        tmpl_bytes16_t digits = (tmpl_bytes16_t)(bytes - '0' <= '9' - '0');
        tmpl_bytes16_t spaces = (tmpl_bytes16_t)((bytes == ' ') | (bytes - '\t' <= '\r' - '\t'));
        tmpl_bytes16_t marks = (tmpl_bytes16_t)((bytes | 1) == '\'');
        tmpl_bytes16_t capitals = (tmpl_bytes16_t)(bytes - 'A' <= 'Z' - 'A');
        sets.wide |= (uint64_t)tmpl_bytes16_bits((tmpl_bytes16_t)(bytes >= 0x80)) << at;
        sets.marks |= (uint64_t)tmpl_bytes16_bits(marks) << at;
        sets.words |= (uint64_t)tmpl_bytes16_bits(letters | digits) << at;
        sets.digits |= (uint64_t)tmpl_bytes16_bits(digits) << at;
        sets.capitals |= (uint64_t)tmpl_bytes16_bits(capitals) << at;
        sets.spaces |= (uint64_t)tmpl_bytes16_bits(spaces) << at;
    }
    return sets;
}

#endif
