/* SPDX-License-Identifier: Apache-2.0 */
#include "page/collapse.h"

#include <string.h>

#include "base/bytes.h"
#include "html/attr.h"

/*
 * Copies the text with white space collapsed; returns its length. May write up to TMPL_BYTES16
 * bytes more.
 */
static inline uint32_t copy_collapsed(char *to, const char *at, const char *end, const char *limit)
{
    char *start = to;
    while (at < end) {
        tmpl_bytes16_t bytes = tmpl_bytes16(at, limit);
        tmpl_bytes16_t blanks = tmpl_bytes16_spaces(bytes);
        uint32_t bits = tmpl_bytes16_bits(blanks);
        /* up to the first blank behind a blank */
        long n = __builtin_ctzll((bits & bits << 1) | (uint64_t)1 << TMPL_BYTES16);
        n = end - at < n ? end - at : n;
        bytes = (bytes & ~blanks) | (blanks & ' ');
        memcpy(to, &bytes, TMPL_BYTES16);
        to += n;
        at += n;
        if (to[-1] == ' ') {
            at += tmpl_behind_space(at, 0, (uint32_t)(end - at));
        }
    }
    return (uint32_t)(to - start);
}

/* Marks bytes that may change: white space other than single spaces, and other controls. */
static inline tmpl_bytes16_t odd_at(const char *at)
{
    tmpl_bytes16_t bytes;
    tmpl_bytes16_t next;
    memcpy(&bytes, at, TMPL_BYTES16);
    memcpy(&next, at + 1, TMPL_BYTES16);
    return (tmpl_bytes16_t)((bytes < ' ') | ((bytes == ' ') & (next == ' ')));
}

/* Whether the text is collapsed already. TMPL_BYTES16 bytes behind it must be readable. */
static inline int is_collapsed(const char *at, const char *end)
{
    tmpl_bytes16_t odd = { 0 };
    for (; end - at >= TMPL_BYTES16; at += TMPL_BYTES16) {
        odd |= odd_at(at);
    }
    uint64_t last = tmpl_bytes16_bits(odd_at(at)) & (((uint64_t)1 << (end - at)) - 1);
    return (tmpl_bytes16_bits(odd) | last) == 0;
}

tmpl_collapsed_t tmpl_collapse(char *room, const char *at, const char *end, const char *limit)
{
    if (limit - end > TMPL_BYTES16 && is_collapsed(at, end)) {
        return (tmpl_collapsed_t){ at, (uint32_t)(end - at) };
    }
    return (tmpl_collapsed_t){ room, copy_collapsed(room, at, end, limit) };
}
