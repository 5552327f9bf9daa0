/* SPDX-License-Identifier: Apache-2.0 */
#include "base/chars.h"

uint32_t tmpl_utf8_put(char *to, uint32_t code)
{
    static const unsigned char leads[] = { 0, 0xC0, 0xE0, 0xF0 };
    code = tmpl_is_character(code) ? code : TMPL_REPLACEMENT;
    uint32_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    to[0] = (char)(leads[more] | code >> 6 * more);
    for (uint32_t i = 1; i <= more; i++) {
        to[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3F));
    }
    return more + 1;
}

uint32_t tmpl_small_letter(uint32_t c)
{
    static const struct {
        uint32_t first, last, step; /* each step-th letter, from the first on, is a capital */
        uint32_t more;
    } capitals[] = {
        { 0xC0, 0xDE, 1, 0x20 },   { 0x100, 0x136, 2, 1 },    { 0x139, 0x147, 2, 1 },
        { 0x14A, 0x176, 2, 1 },    { 0x179, 0x17D, 2, 1 },    { 0x391, 0x3A9, 1, 0x20 },
        { 0x400, 0x40F, 1, 0x50 }, { 0x410, 0x42F, 1, 0x20 },
    };
    const size_t n = sizeof(capitals) / sizeof(capitals[0]);
    for (size_t i = 0; i < n && c >= capitals[i].first; i++) {
        if (c <= capitals[i].last && (c - capitals[i].first) % capitals[i].step == 0) {
            return c + capitals[i].more;
        }
    }
    return c;
}

void tmpl_small_text(char *small, size_t size, const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && at + TMPL_UTF8_MOST < size) {
        size_t used;
        uint32_t code =
            (unsigned char)text[at] < 0x80 ? 0 : tmpl_utf8_next(text + at, len - at, &used);
        if (code == 0 || code == TMPL_REPLACEMENT) {
            small[at] = tmpl_lower(text[at]);
            at++;
        }
        else {
            at += tmpl_utf8_put(small + at, tmpl_small_letter(code));
        }
    }
    small[at] = '\0';
}
