/* SPDX-License-Identifier: Apache-2.0 */
#include "text/decode.h"

#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/bytes.h"

/* The numbers 0x80 to 0x9F mean characters of windows-1252 (HTML, 13.2.5.80). 0: not changed. */
static const uint16_t windows_1252[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178,
};

static int digit_of(char c, int base)
{
    int value = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : 16;
    return value < base ? value : -1;
}

/* Reads the number behind "&#", which has at least one digit. */
static tmpl_reference_t read_number(const char *text, apr_size_t len)
{
    tmpl_reference_t reference = { { 0 }, 0 };
    int base = len > 2 && (text[2] == 'x' || text[2] == 'X') ? 16 : 10;
    apr_size_t start = base == 16 ? 3 : 2;
    apr_size_t at = start;
    uint32_t code = 0;
    for (; at < len && digit_of(text[at], base) >= 0; at++) {
        if (code <= TMPL_UNICODE_LAST) {
            code = code * (uint32_t)base + (uint32_t)digit_of(text[at], base);
        }
    }
    if (at > start) {
        reference.used = at + (at < len && text[at] == ';');
        if (code >= 0x80 && code < 0xA0 && windows_1252[code - 0x80] != 0) {
            code = windows_1252[code - 0x80];
        }
        reference.codes[0] = tmpl_is_character(code) ? code : TMPL_REPLACEMENT;
    }
    return reference;
}

typedef struct {
    char name[32];
    uint32_t first;
    uint16_t second;
    uint16_t is_bare; /* the semicolon may be left out */
} reference_named_t;

static const reference_named_t named[] = {
#define REFERENCE(name, is_bare, first, second) { name, first, second, is_bare },
#include "text/references.def"
#undef REFERENCE
};

#define N_NAMED (sizeof(named) / sizeof(named[0]))

/* The first name in [first, after) whose byte at i is not below c; `after` if there is none. */
static const reference_named_t *find(const reference_named_t *first, const reference_named_t *after,
                                     apr_size_t i, char c)
{
    while (first < after) {
        const reference_named_t *middle = first + (after - first) / 2;
        if (middle->name[i] < c) {
            first = middle + 1;
        }
        else {
            after = middle;
        }
    }
    return first;
}

/*
 * Reads the longest name that the text begins with. Names are sorted, so the names that begin with
 * the letters read so far stand together, the shortest first: each letter narrows the range.
 */
static tmpl_reference_t read_reference_name(const char *text, apr_size_t len)
{
    const reference_named_t *first = named;
    const reference_named_t *after = named + N_NAMED;
    tmpl_reference_t reference = { { 0 }, 0 };
    for (apr_size_t i = 0; i + 1 < len && tmpl_is_alnum(text[i + 1]); i++) {
        first = find(first, after, i, text[i + 1]);
        after = find(first, after, i, (char)(text[i + 1] + 1));
        if (first == after) {
            break;
        }
        int has_semicolon = i + 2 < len && text[i + 2] == ';';
        if (first->name[i + 1] == '\0' && (has_semicolon || first->is_bare)) {
            reference = (tmpl_reference_t){ { first->first, first->second },
                                            i + 2 + (apr_size_t)has_semicolon };
        }
    }
    return reference;
}

/* The first eight letters of a name as a number: names are in the order of their numbers. */
static inline uint64_t number_of(const char *name)
{
    return __builtin_bswap64(tmpl_bytes8(name));
}

/* The names that most references have. */
#define LETTERS(a, b, c, d)                                                                        \
    ((uint64_t)(a) << 56 | (uint64_t)(b) << 48 | (uint64_t)(c) << 40 | (uint64_t)(d) << 32)
static const struct {
    uint64_t number;
    uint32_t code;
} frequent[] = {
    { LETTERS('n', 'b', 's', 'p'), 0xA0 }, { LETTERS('a', 'm', 'p', 0), '&' },
    { LETTERS('l', 't', 0, 0), '<' },      { LETTERS('g', 't', 0, 0), '>' },
    { LETTERS('q', 'u', 'o', 't'), '"' },
};

/*
 * Reads a name of at most seven letters with its semicolon, as nearly all references have. No other
 * name is longer then, for names have no semicolon inside.
 */
static tmpl_reference_t read_short_name(const char *text, apr_size_t len)
{
    const tmpl_reference_t none = { { 0 }, 0 };
    if (len < 4) {
        return none;
    }
    tmpl_bytes16_t bytes = tmpl_bytes16(text + 1, text + len);
    uint64_t letters = tmpl_bytes16_low(bytes);
    uint64_t ends = tmpl_bytes8_zero(letters ^ TMPL_EACH(';'));
    if (ends == 0) {
        return none;
    }
    unsigned n = tmpl_bytes8_first(ends);
    uint64_t number = __builtin_bswap64(letters) & ~(UINT64_MAX >> 8 * n);
    for (unsigned i = 0; i < sizeof(frequent) / sizeof(frequent[0]); i++) {
        if (number == frequent[i].number) {
            return (tmpl_reference_t){ { frequent[i].code }, n + 2 };
        }
    }
    const reference_named_t *first = named;
    for (size_t left = N_NAMED; left > 1; left -= left / 2) {
        first += number_of(first[left / 2].name) <= number ? left / 2 : 0;
    }
    return number_of(first->name) == number
               ? (tmpl_reference_t){ { first->first, first->second }, n + 2 }
               : none;
}

tmpl_reference_t tmpl_reference_read(const char *text, apr_size_t len, tmpl_reference_e where)
{
    if (len > 1 && text[1] == '#') {
        return read_number(text, len);
    }
    tmpl_reference_t reference = read_short_name(text, len);
    if (reference.used > 0) {
        return reference;
    }
    reference = read_reference_name(text, len);
    if (where == TMPL_IN_ATTRIBUTE && reference.used > 0 && reference.used < len &&
        text[reference.used - 1] != ';' &&
        (text[reference.used] == '=' || tmpl_is_alnum(text[reference.used]))) {
        reference.used = 0;
    }
    return reference;
}

const char *tmpl_value_decode(const char *src, tmpl_span_t value, apr_pool_t *pool)
{
    tmpl_buf_t out;
    tmpl_buf_init(&out, pool);
    for (uint32_t at = value.start; at < value.end;) {
        tmpl_reference_t reference = { { 0 }, 0 };
        if (src[at] == '&') {
            reference = tmpl_reference_read(src + at, value.end - at, TMPL_IN_ATTRIBUTE);
        }
        if (reference.used == 0) {
            const char *next = memchr(src + at + 1, '&', value.end - at - 1);
            uint32_t end = next != NULL ? (uint32_t)(next - src) : value.end;
            tmpl_buf_add(&out, src + at, end - at);
            at = end;
            continue;
        }
        tmpl_buf_add_char(&out, reference.codes[0]);
        if (reference.codes[1] != 0) {
            tmpl_buf_add_char(&out, reference.codes[1]);
        }
        at += (uint32_t)reference.used;
    }
    return out.at;
}
