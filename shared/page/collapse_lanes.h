/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collapsing white space, LANES bytes at once. Who includes this says how many these are, what a function is for
 * (COLLAPSE), and which bits a vector's top bits are (lanes_bits).
 */
#ifndef TMPL_COLLAPSE_LANES_H
#define TMPL_COLLAPSE_LANES_H

#include <string.h>

#include "html/attr.h"
#include "page/collapse.h"

typedef unsigned char lanes_t __attribute__((vector_size(LANES)));

COLLAPSE uint64_t lanes_bits(lanes_t marks);

/* The bytes from at on. What is from limit on is not read, and is 0. */
COLLAPSE lanes_t lanes_at(const char *at, const char *limit)
{
    lanes_t bytes;
    char last[LANES] = { 0 };
    if (limit - at < LANES) {
        at = memcpy(last, at, (size_t)(limit - at));
    }
    memcpy(&bytes, at, LANES);
    return bytes;
}

/* Which of the bytes are white space: 0xFF for those that are. */
COLLAPSE lanes_t blanks_of(lanes_t bytes)
{
    return (lanes_t)((bytes == ' ') | ((bytes - '\t' <= '\r' - '\t') & (bytes != '\v')));
}

/*
 * Copies the text with white space collapsed; returns its length. Up to LANES bytes behind that may be written, too.
 */
COLLAPSE uint32_t copy_collapsed(char *to, const char *at, const char *end, const char *limit)
{
    char *start = to;
    while (at < end) {
        lanes_t bytes = lanes_at(at, limit);
        lanes_t blanks = blanks_of(bytes);
        uint64_t bits = lanes_bits(blanks);
        /* before the first one that is blank behind a blank */
        long n = __builtin_ctzll((bits & bits << 1) | (uint64_t)1 << LANES);
        n = end - at < n ? end - at : n;
        bytes = (bytes & ~blanks) | (blanks & ' ');
        memcpy(to, &bytes, LANES);
        to += n;
        at += n;
        if (to[-1] == ' ') {
            at += tmpl_behind_space(at, 0, (uint32_t)(end - at));
        }
    }
    return (uint32_t)(to - start);
}

/* Bytes that do not stay as they are: white space but single spaces, and other controls. */
COLLAPSE lanes_t odd_at(const char *at)
{
    lanes_t bytes;
    lanes_t next;
    memcpy(&bytes, at, LANES);
    memcpy(&next, at + 1, LANES);
    return (lanes_t)((bytes < ' ') | ((bytes == ' ') & (next == ' ')));
}

/* Whether the text stays as it is. Behind it are LANES readable bytes. */
COLLAPSE int is_collapsed(const char *at, const char *end)
{
    lanes_t odd = { 0 };
    for (; end - at >= LANES; at += LANES) {
        odd |= odd_at(at);
    }
    uint64_t last = lanes_bits(odd_at(at)) & (((uint64_t)1 << (end - at)) - 1);
    return (lanes_bits(odd) | last) == 0;
}

COLLAPSE tmpl_collapsed_t collapse(char *room, const char *at, const char *end, const char *limit)
{
    if (limit - end > LANES && is_collapsed(at, end)) {
        return (tmpl_collapsed_t){ at, (uint32_t)(end - at) };
    }
    return (tmpl_collapsed_t){ room, copy_collapsed(room, at, end, limit) };
}

#endif
