/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/tally.h"

#include <string.h>

#include "base/bytes.h"
#include "base/chars.h"

/* The letter or digit at *at, in lower case; *at moves behind it. The text ends at limit. */
static uint32_t next_letter(const unsigned char *s, uint32_t *at, uint32_t limit)
{
    return s[*at] < 0x80 ? s[(*at)++] | 0x20U : tmpl_next_char(s, limit, at);
}

/* FNV-1a of a word in lower case, without apostrophes, which do not divide words. */
static uint32_t hash_of_title_word(const unsigned char *s, uint32_t at, uint32_t end,
                                   uint32_t limit)
{
    uint32_t hash = 2166136261;
    while (at < end) {
        uint32_t c = next_letter(s, &at, limit);
        hash = c == '\'' ? hash : (hash ^ c) * 16777619;
    }
    return hash;
}

int tmpl_title_has(const tmpl_title_t *title, const unsigned char *s, uint32_t at, uint32_t end,
                   uint32_t limit)
{
    uint32_t hash = hash_of_title_word(s, at, end, limit);
    uint32_t i = 0;
    while (i < title->n && title->hashes[i] != hash) {
        i++;
    }
    return i < title->n;
}

/* A letter or digit, of ASCII in both cases. */
static void allow(unsigned char *begins, unsigned char c, unsigned char bit)
{
    begins[c < 0x80 ? c | 0x20 : c] |= bit;
    begins[c >= 'A' && c < 0x80 ? c & ~0x20U : c] |= bit;
}

void tmpl_title_add(tmpl_title_t *title, const unsigned char *s, uint32_t at, uint32_t end,
                    uint32_t limit)
{
    unsigned char bit = (unsigned char)(1U << title->n % 8);
    int is_plain = 1;
    if (title->n == TMPL_TITLE_WORDS) {
        return;
    }
    if (title->n == 0) { /* an apostrophe is skipped, a byte beyond ASCII is not compared */
        memset(&title->begins[1][0x80], 0xFF, 0x80);
        title->begins[1]['\''] = 0xFF;
    }
    title->hashes[title->n++] = hash_of_title_word(s, at, end, limit);
    uint32_t n = 0;
    uint64_t letters = 0;
    for (uint32_t i = at; i < end && n <= TMPL_TITLE_LETTERS;) {
        uint32_t c = next_letter(s, &i, limit);
        if (c != '\'') {
            letters |= n < TMPL_TITLE_LETTERS ? (uint64_t)c << 8 * n : 0;
            is_plain &= c < 0x80;
            n++;
        }
    }
    title->lengths[n] |= bit;
    title->letters[title->n - 1] = is_plain && n <= TMPL_TITLE_LETTERS ? letters : 0;
    uint32_t second = at;
    uint32_t first = next_letter(s, &second, limit);
    if (first >= 0x80) {
        title->begins[0][0x80 | (first & 0x7F)] |= bit;
    }
    else {
        allow(title->begins[0], s[at], bit);
    }
    while (second < end && s[second] == '\'') {
        second++;
    }
    if (second < end) {
        allow(title->begins[1], s[second], bit);
        return;
    }
    for (unsigned byte = 0; byte < 0x80; byte++) { /* any byte may be behind a word of one letter */
        title->begins[1][byte] |= tmpl_byte_classes[byte] < TMPL_BYTE_SMALL ? bit : 0;
    }
}
