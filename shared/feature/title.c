/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/tally.h"

#include <string.h>

#include "base/bytes.h"
#include "base/chars.h"

/* FNV-1a of a word in lower case, without apostrophes, which do not divide words. */
static uint32_t hash_of_title_word(const unsigned char *s, uint32_t at, uint32_t end,
                                   uint32_t limit)
{
    uint32_t hash = 2166136261;
    while (at < end) {
        unsigned char byte = s[at];
        uint32_t after = at + 1;
        uint32_t c = byte < 0x80 ? byte | 0x20U : tmpl_next_char(s, limit, &at);
        hash = byte == '\'' ? hash : (hash ^ c) * 16777619;
        at = byte < 0x80 ? after : at;
    }
    return hash;
}

int tmpl_title_has(const tmpl_title_t *title, const unsigned char *s, uint32_t at, uint32_t end,
                   uint32_t limit)
{
    uint32_t hash = hash_of_title_word(s, at, end, limit);
    uint32_t i = 0;
    while (i < title->n && title->words[i].hash != hash) {
        i++;
    }
    return i < title->n;
}

/* A letter or digit of ASCII, in both cases. */
static void allow(unsigned char *begins, uint32_t c, unsigned char bit)
{
    if (c < 0x80) {
        begins[c | 0x20] |= bit;
        begins[c >= 'A' ? c & ~0x20U : c] |= bit;
    }
}

/* Any byte behind a word. */
static void allow_end(unsigned char *begins, unsigned char bit)
{
    for (unsigned byte = 0; byte < 256; byte++) {
        begins[byte] |= tmpl_byte_classes[byte] < TMPL_BYTE_SMALL ? bit : 0;
    }
}

/*
 * The second and third byte of any word may be an apostrophe, which is skipped, or beyond ASCII,
 * which is not compared.
 */
static void allow_breaks(tmpl_title_t *title)
{
    for (unsigned i = 1; i < 3; i++) {
        memset(&title->begins[i][0x80], 0xFF, 0x80);
        title->begins[i]['\''] = 0xFF;
    }
}

/* Allows the first bytes of a word; letters are its first n, or more. */
static void add_begin(tmpl_title_t *title, const uint32_t *letters, unsigned n, unsigned char bit)
{
    uint32_t first = letters[0];
    if (first >= 0x80) {
        title->begins[0][0x80 | (first & 0x7F)] |= bit;
        return;
    }
    allow(title->begins[0], first, bit);
    if (n == 1) {
        allow_end(title->begins[1], bit);
        for (unsigned byte = 0; byte < 256; byte++) {
            title->begins[2][byte] |= bit;
        }
        return;
    }
    allow(title->begins[1], letters[1], bit);
    allow(title->begins[2], letters[1], bit); /* behind an apostrophe */
    if (n == 2) {
        allow_end(title->begins[2], bit);
        return;
    }
    allow(title->begins[2], letters[2], bit);
}

void tmpl_title_add(tmpl_title_t *title, const unsigned char *s, uint32_t at, uint32_t end,
                    uint32_t limit)
{
    uint32_t letters[TMPL_TITLE_LETTERS + 1] = { 0 };
    uint64_t all = 0;
    uint32_t hash = hash_of_title_word(s, at, end, limit);
    int is_plain = 1;
    unsigned n = 0;
    if (title->n == TMPL_TITLE_WORDS) {
        return;
    }
    if (title->n == 0) {
        allow_breaks(title);
    }
    while (at < end && n <= TMPL_TITLE_LETTERS) {
        letters[n] = s[at] < 0x80 ? s[at++] : tmpl_next_char(s, limit, &at);
        n += letters[n] != '\'';
    }
    for (unsigned i = 0; i < n && i < TMPL_TITLE_LETTERS; i++) {
        all |= (uint64_t)(letters[i] | 0x20) << 8 * i;
        is_plain &= letters[i] < 0x80;
    }
    add_begin(title, letters, n, (unsigned char)(1U << title->n % 8));
    title->words[title->n].letters = is_plain ? all : 0;
    title->words[title->n].is_longer = n > TMPL_TITLE_LETTERS;
    title->words[title->n++].hash = hash;
}
