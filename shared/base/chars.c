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
