/* SPDX-License-Identifier: Apache-2.0 */
#include "base/chars.h"

uint32_t tmpl_utf8_put(char *to, uint32_t code)
{
    uint32_t n;
    if (!tmpl_is_character(code)) {
        code = TMPL_REPLACEMENT;
    }
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xC0 | code >> 6);
        n = 2;
    }
    else if (code < 0x10000) {
        to[0] = (char)(0xE0 | code >> 12);
        n = 3;
    }
    else {
        to[0] = (char)(0xF0 | code >> 18);
        n = 4;
    }
    for (uint32_t i = 1; i < n; i++) {
        to[i] = (char)(0x80 | (code >> 6 * (n - 1 - i) & 0x3F));
    }
    return n;
}
