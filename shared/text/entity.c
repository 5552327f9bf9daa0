/* SPDX-License-Identifier: Apache-2.0 */
#include "text/entity.h"

#include <string.h>

#include <apr_lib.h>

#include <libxml/HTMLparser.h>

/* Longer than any name in libxml2's table ("thetasym"). */
#define NAME_MOST 16

/*
 * HTML 13.2.5.80: numbers 0x80 to 0x9F are meant in windows-1252, by those who write them. 0: the
 * number itself.
 */
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

static uint32_t number(const char *text, apr_size_t len, apr_size_t *used)
{
    apr_size_t at = 2;
    int base = 10;
    uint32_t code = 0;
    if (at < len && (text[at] == 'x' || text[at] == 'X')) {
        base = 16;
        at++;
    }
    apr_size_t start = at;
    for (; at < len && digit_of(text[at], base) >= 0; at++) {
        if (code <= 0x10FFFF) {
            code = code * (uint32_t)base + (uint32_t)digit_of(text[at], base);
        }
    }
    if (at == start) {
        return 0;
    }
    *used = at + (at < len && text[at] == ';');
    if (code >= 0x80 && code < 0xA0 && windows_1252[code - 0x80] != 0) {
        return windows_1252[code - 0x80];
    }
    return code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF) ? 0xFFFD : code;
}

/* Nine of ten references are one of these, and libxml2 looks through all of its table. */
static const struct {
    const char *name;
    apr_size_t len;
    uint32_t code;
} frequent[] = {
    { "nbsp", 4, 0xA0 }, { "amp", 3, '&' }, { "gt", 2, '>' }, { "quot", 4, '"' }, { "lt", 2, '<' },
};

static uint32_t look_up(const char *name, apr_size_t len)
{
    char copy[NAME_MOST + 1];
    for (unsigned i = 0; i < sizeof(frequent) / sizeof(frequent[0]); i++) {
        if (len == frequent[i].len && memcmp(name, frequent[i].name, len) == 0) {
            return frequent[i].code;
        }
    }
    memcpy(copy, name, len);
    copy[len] = '\0';
    const htmlEntityDesc *entity = htmlEntityLookup((const xmlChar *)copy);
    return entity != NULL ? entity->value : 0;
}

/* HTML lets the semicolon be left out of the names of Latin-1 and the four of SGML. */
static int stands_alone(uint32_t code)
{
    return code < 0x100 && code != '\'';
}

uint32_t tmpl_entity_next(const char *text, apr_size_t len, apr_size_t *used)
{
    *used = 0;
    if (len > 2 && text[1] == '#') {
        return number(text, len, used);
    }
    apr_size_t n = 0;
    while (n < NAME_MOST && 1 + n < len && apr_isalnum(text[1 + n])) {
        n++;
    }
    if (n > 0 && 1 + n < len && text[1 + n] == ';') {
        uint32_t code = look_up(text + 1, n);
        if (code != 0) {
            *used = n + 2;
            return code;
        }
    }
    for (; n > 1; n--) {
        uint32_t code = look_up(text + 1, n);
        if (code != 0 && stands_alone(code)) {
            *used = n + 1;
            return code;
        }
    }
    return 0;
}
