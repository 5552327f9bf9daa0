/* SPDX-License-Identifier: Apache-2.0 */
#include "cut/joined_text.h"

#include <string.h>

#include "base/ascii.h"

/* Whether the bytes before end begin a UTF-8 sequence that more bytes would complete. */
static int is_incomplete_utf8(const char *src, uint32_t end)
{
    uint32_t p = end;
    while (p > 0 && end - p < 3 && ((unsigned char)src[p - 1] & 0xC0) == 0x80) {
        p--;
    }
    unsigned lead = p > 0 ? (unsigned char)src[p - 1] : 0;
    uint32_t want = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    return end - p < want;
}

/* Whether text that ends at end and text that begins at begin would be read as something new. */
static int would_join(const tmpl_page_t *page, uint32_t end, uint32_t begin)
{
    enum { LONGEST_REFERENCE = 40 };
    if (end == 0 || begin >= page->len || page->src[begin] == '<') {
        return 0;
    }
    char left = page->src[end - 1];
    char right = page->src[begin];
    if (left == '<' || (left == '\r' && right == '\n')) {
        return 1;
    }
    if (((unsigned char)right & 0xC0) == 0x80 && is_incomplete_utf8(page->src, end)) {
        return 1;
    }
    uint32_t p = end;
    while (p > 0 && end - p < LONGEST_REFERENCE &&
           (tmpl_is_alnum(page->src[p - 1]) || page->src[p - 1] == '#')) {
        p--;
    }
    return end - p == LONGEST_REFERENCE || (p > 0 && page->src[p - 1] == '&');
}

uint32_t tmpl_joined_text_drop(tmpl_cut_t *cuts, uint32_t n, const tmpl_page_t *page)
{
    uint32_t kept = 0;
    uint32_t next;
    for (uint32_t i = 0; i < n; i = next) {
        for (next = i + 1; next < n && cuts[next].span.start == cuts[next - 1].span.end;) {
            next++;
        }
        if (!would_join(page, cuts[i].span.start, cuts[next - 1].span.end)) {
            memmove(&cuts[kept], &cuts[i], (next - i) * sizeof(*cuts));
            kept += next - i;
        }
    }
    return kept;
}
