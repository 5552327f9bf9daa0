/* SPDX-License-Identifier: Apache-2.0 */
#include "html/foreign_marks.h"

#include <string.h>

uint32_t tmpl_foreign_mark_in_comment(const char *src, tmpl_span_t comment)
{
    if (tmpl_span_len(comment) < 11 || memcmp(src + comment.start, "<!--", 4) != 0) {
        return 0;
    }
    uint32_t p = tmpl_behind_space(src, comment.start + 4, comment.end);
    p += src[p] == '/';
    return comment.end - p > 4 && memcmp(src + p, "tmpl", 4) == 0 ? p : 0;
}
