/* SPDX-License-Identifier: Apache-2.0 */
#include "html/foreign_marks.h"

#include <string.h>

/*
 * The offset behind all that a reader may trim: white space and controls of ASCII, and any bytes
 * beyond ASCII, which may be white space of Unicode.
 */
static uint32_t behind_trimmed(const char *src, uint32_t p, uint32_t end)
{
    while (p < end && ((unsigned char)src[p] <= ' ' || (unsigned char)src[p] >= 0x7F)) {
        p++;
    }
    return p;
}

uint32_t tmpl_foreign_mark_in_comment(const char *src, tmpl_span_t comment)
{
    static const char begin[] = "<!--", name[] = "tmpl";
    enum { BEGIN = sizeof(begin) - 1, NAME = sizeof(name) - 1, BOGUS = 2 };
    uint32_t len = tmpl_span_len(comment);
    uint32_t from = len >= BEGIN && memcmp(src + comment.start, begin, BEGIN) == 0 ? BEGIN : BOGUS;
    uint32_t p = behind_trimmed(src, comment.start + from, comment.end);
    p += p < comment.end && src[p] == '/';
    return comment.end - p >= NAME && memcmp(src + p, name, NAME) == 0 ? p : 0;
}
