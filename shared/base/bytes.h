/* SPDX-License-Identifier: Apache-2.0 */
/* Eight, sixteen and 64 bytes of text at once. */
#ifndef TMPL_BYTES_H
#define TMPL_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/*
 * Eight bytes of text as a number whose lowest byte is the first one. A search returns marks: the
 * top bit of each byte that matches. Only the first mark is exact; bytes behind it may be marked,
 * too.
 */

/* A number each of whose bytes is byte. */
#define TMPL_EACH(byte) (0x0101010101010101u * (uint64_t)(byte))

/* The eight bytes at `at`. */
static inline uint64_t tmpl_bytes8(const char *at)
{
    uint64_t eight;
    memcpy(&eight, at, sizeof(eight));
    return le64toh(eight);
}

/* The four bytes at `at`. */
static inline uint32_t tmpl_bytes4(const char *at)
{
    uint32_t four;
    memcpy(&four, at, sizeof(four));
    return le32toh(four);
}

/* Marks bytes that are 0. */
static inline uint64_t tmpl_bytes8_zero(uint64_t eight)
{
    return (eight - TMPL_EACH(1)) & ~eight & TMPL_EACH(0x80);
}

/* Marks bytes below limit, which is at most 0x80. */
static inline uint64_t tmpl_bytes8_below(uint64_t eight, unsigned limit)
{
    return (eight - TMPL_EACH(limit)) & ~eight & TMPL_EACH(0x80);
}

/* The number of bytes before the first mark; marks is not 0. */
static inline unsigned tmpl_bytes8_first(uint64_t marks)
{
    return (unsigned)__builtin_ctzll(marks) / 8;
}

/* --- sixteen bytes of text in a vector: compilers make each operation one instruction --- */

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define TMPL_BYTES16 16

typedef unsigned char tmpl_bytes16_t __attribute__((vector_size(TMPL_BYTES16)));

/* The n < 16 bytes at `at`, and 0 behind them: by loads that overlap, without a call of memcpy. */
static inline tmpl_bytes16_t tmpl_bytes16_part(const char *at, size_t n)
{
    uint64_t halves[2] = { 0, 0 };
    if (n >= 8) {
        halves[0] = tmpl_bytes8(at);
        halves[1] = n > 8 ? tmpl_bytes8(at + n - 8) >> 8 * (16 - n) : 0;
    }
    else if (n >= 4) {
        halves[0] = tmpl_bytes4(at) | (uint64_t)tmpl_bytes4(at + n - 4) << 8 * (n - 4);
    }
    else if (n > 0) {
        const unsigned char *byte = (const unsigned char *)at;
        halves[0] =
            byte[0] | (uint64_t)byte[n / 2] << 8 * (n / 2) | (uint64_t)byte[n - 1] << 8 * (n - 1);
    }
    halves[0] = htole64(halves[0]);
    halves[1] = htole64(halves[1]);
    tmpl_bytes16_t bytes;
    memcpy(&bytes, halves, sizeof(bytes));
    return bytes;
}

/* The bytes at `at`. Bytes from limit on are not read, and are 0 in the result. */
static inline tmpl_bytes16_t tmpl_bytes16(const char *at, const char *limit)
{
    tmpl_bytes16_t bytes;
    if (limit - at < TMPL_BYTES16) {
        return tmpl_bytes16_part(at, (size_t)(limit - at));
    }
    memcpy(&bytes, at, TMPL_BYTES16);
    return bytes;
}

/* The halves of sixteen bytes. */
static inline uint64_t tmpl_bytes16_low(tmpl_bytes16_t bytes)
{
    return tmpl_bytes8((const char *)&bytes);
}

static inline uint64_t tmpl_bytes16_high(tmpl_bytes16_t bytes)
{
    return tmpl_bytes8((const char *)&bytes + TMPL_BYTES16 / 2);
}

/* A number whose bit i is set if byte i of marks is 0xFF. All bytes of marks are 0xFF or 0. */
static inline unsigned tmpl_bytes16_bits(tmpl_bytes16_t marks)
{
#ifdef __SSE2__
    return (unsigned)_mm_movemask_epi8((__m128i)marks);
#else
    /* the multiplication moves the bit of each byte to the top byte; no two sums meet */
    const uint64_t bits = 0x8040201008040201u;
    uint64_t first = (tmpl_bytes16_low(marks) & bits) * TMPL_EACH(1) >> 56;
    uint64_t second = (tmpl_bytes16_high(marks) & bits) * TMPL_EACH(1) >> 56;
    return (unsigned)(first | second << 8);
#endif
}

/* The sixteen bytes at `at`, all of which may be read. */
static inline tmpl_bytes16_t tmpl_bytes16_load(const char *at)
{
    tmpl_bytes16_t bytes;
    memcpy(&bytes, at, TMPL_BYTES16);
    return bytes;
}

/* 0xFF for each byte that is HTML's white space. */
static inline tmpl_bytes16_t tmpl_bytes16_spaces(tmpl_bytes16_t bytes)
{
    return (tmpl_bytes16_t)((bytes == ' ') | ((bytes - '\t' <= '\r' - '\t') & (bytes != '\v')));
}

/* --- the kinds of 64 bytes of text at once --- */

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
    uint64_t words; /* letters and digits */
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
        sets.wide |= (uint64_t)tmpl_bytes16_bits((tmpl_bytes16_t)(bytes >= 0x80)) << at;
        sets.words |= (uint64_t)tmpl_bytes16_bits(letters | digits) << at;
    }
    return sets;
}

#endif
