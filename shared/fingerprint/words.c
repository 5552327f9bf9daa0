/* SPDX-License-Identifier: Apache-2.0 */
#include "fingerprint/words.h"

#include <apr.h>

/*
 * Characters other than TMPL_CHAR_WORD, in ascending order. Indexers have to copy this table, so it
 * is short and does not depend on a version of Unicode.
 */
static const struct {
    uint32_t first;
    uint32_t last;
    tmpl_char_e kind;
} ranges[] = {
    { 0x0080, 0x00A9, TMPL_CHAR_PARTS },   { 0x00AB, 0x00B4, TMPL_CHAR_PARTS },
    { 0x00B6, 0x00B9, TMPL_CHAR_PARTS },   { 0x00BB, 0x00BF, TMPL_CHAR_PARTS },
    { 0x00D7, 0x00D7, TMPL_CHAR_PARTS },   { 0x00F7, 0x00F7, TMPL_CHAR_PARTS },
    { 0x060C, 0x060C, TMPL_CHAR_PARTS },   { 0x061B, 0x061B, TMPL_CHAR_PARTS },
    { 0x061F, 0x061F, TMPL_CHAR_PARTS },   { 0x06D4, 0x06D4, TMPL_CHAR_PARTS },
    { 0x0964, 0x0965, TMPL_CHAR_PARTS },   { 0x0E00, 0x0EFF, TMPL_CHAR_DENSE },
    { 0x1000, 0x109F, TMPL_CHAR_DENSE },   { 0x1780, 0x17FF, TMPL_CHAR_DENSE },
    { 0x2000, 0x206F, TMPL_CHAR_PARTS },   { 0x20A0, 0x20CF, TMPL_CHAR_PARTS },
    { 0x2190, 0x2BFF, TMPL_CHAR_PARTS },   { 0x3000, 0x3004, TMPL_CHAR_PARTS },
    { 0x3005, 0x3007, TMPL_CHAR_DENSE },   { 0x3008, 0x3020, TMPL_CHAR_PARTS },
    { 0x3021, 0x30FA, TMPL_CHAR_DENSE },   { 0x30FB, 0x30FB, TMPL_CHAR_PARTS },
    { 0x30FC, 0x9FFF, TMPL_CHAR_DENSE },   { 0xF900, 0xFAFF, TMPL_CHAR_DENSE },
    { 0xFE10, 0xFE6F, TMPL_CHAR_PARTS },   { 0xFF00, 0xFF0F, TMPL_CHAR_PARTS },
    { 0xFF1A, 0xFF20, TMPL_CHAR_PARTS },   { 0xFF3B, 0xFF40, TMPL_CHAR_PARTS },
    { 0xFF5B, 0xFF65, TMPL_CHAR_PARTS },   { 0xFF66, 0xFF9F, TMPL_CHAR_DENSE },
    { 0xFFE0, 0xFFFF, TMPL_CHAR_PARTS },   { 0x1F000, 0x1FBFF, TMPL_CHAR_PARTS },
    { 0x20000, 0x3FFFF, TMPL_CHAR_DENSE },
};

tmpl_char_e tmpl_char_kind(uint32_t code)
{
    for (apr_size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]) && code >= ranges[i].first; i++) {
        if (code <= ranges[i].last) {
            return ranges[i].kind;
        }
    }
    return TMPL_CHAR_WORD;
}
