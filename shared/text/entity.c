/* SPDX-License-Identifier: Apache-2.0 */
#include "text/entity.h"

#include <pthread.h>
#include <string.h>

#include <libxml/HTMLparser.h>

#include "base/ascii.h"

/* As long as the longest name in libxml2's table ("thetasym"): a name is one number. */
#define NAME_MOST 8

/* As long as the longest name that needs no semicolon ("Agrave"). */
#define ALONE_MOST 6

#define SLOTS_LOG 10 /* for 253 names */
#define SLOTS     (1u << SLOTS_LOG)

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

/*
 * libxml2's names by hash, read from it once: it compares a name with each of its own, and a page may be
 * nothing but ampersands before letters.
 */
static struct {
    uint64_t name; /* its bytes, 0 behind them; 0: the slot is free */
    uint32_t code;
} slots[SLOTS];

static pthread_once_t slots_once = PTHREAD_ONCE_INIT;

/* The slot of the name, or the free one where it would be. */
static unsigned slot_of(uint64_t name)
{
    unsigned i = (unsigned)(name * 0x9E3779B97F4A7C15u >> (64 - SLOTS_LOG));
    while (slots[i].name != 0 && slots[i].name != name) {
        i = (i + 1) % SLOTS;
    }
    return i;
}

static void slots_fill(void)
{
    /* where HTML 4 names characters: to ask for all below the last takes milliseconds */
    static const struct {
        unsigned first, last;
    } ranges[] = { { 0x22, 0xFF }, { 0x152, 0x3D6 }, { 0x2002, 0x232A }, { 0x25CA, 0x2666 } };
    for (unsigned i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        for (unsigned code = ranges[i].first; code <= ranges[i].last; code++) {
            const htmlEntityDesc *entity = htmlEntityValueLookup(code);
            apr_size_t len = entity != NULL ? strlen(entity->name) : 0;
            if (len > 0 && len <= NAME_MOST) {
                uint64_t name = 0;
                memcpy(&name, entity->name, len);
                unsigned slot = slot_of(name);
                slots[slot].name = name;
                slots[slot].code = code;
            }
        }
    }
}

static uint32_t look_up(const char *name, apr_size_t len)
{
    uint64_t bytes = 0;
    memcpy(&bytes, name, len);
    return slots[slot_of(bytes)].code;
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
    pthread_once(&slots_once, slots_fill);
    apr_size_t n = 0;
    while (n < NAME_MOST && 1 + n < len && tmpl_is_alnum(text[1 + n])) {
        n++;
    }
    if (n > 0 && 1 + n < len && text[1 + n] == ';') {
        uint32_t code = look_up(text + 1, n);
        if (code != 0) {
            *used = n + 2;
            return code;
        }
    }
    for (n = n < ALONE_MOST ? n : ALONE_MOST; n > 1; n--) {
        uint32_t code = look_up(text + 1, n);
        if (code != 0 && stands_alone(code)) {
            *used = n + 1;
            return code;
        }
    }
    return 0;
}
