/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eight bytes of text as a number whose lowest byte is the first one. A search returns marks: the
 * top bit of each byte that matches. Only the first mark is exact; bytes behind it may be marked,
 * too.
 */
#ifndef TMPL_BYTES8_H
#define TMPL_BYTES8_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

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

#endif
