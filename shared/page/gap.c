/* SPDX-License-Identifier: Apache-2.0 */
#include "page/gap.h"

#include <string.h>

#include "page/attr.h"

/*
 * Text that is more than white space has come. True if the rest parses the same without it: nothing
 * has to be opened or moved for it.
 */
static int text(tmpl_balance_t *b, int dangling)
{
    int opens = !tmpl_in_body(b) || b->after_body;
    if (!tmpl_in_body(b)) {
        tmpl_open_body(b, TMPL_NONE);
    }
    if (tmpl_select_mode(b) == 0) {
        opens |= tmpl_leave_colgroup(b, TMPL_TAG_OTHER);
        if (tmpl_balance_top(b)->flags & TMPL_IS_TABLE) {
            tmpl_opens_taint(&b->s, 0); /* is moved in front of the table */
            opens = 1;
        }
        if (dangling) {
            tmpl_balance_top(b)->mixed = 1;
            tmpl_opens_reconstruct(&b->s);
            opens = 1;
        }
    }
    b->after_body = 0;
    if (opens) {
        tmpl_balance_top(b)->mixed = 1;
    }
    return !opens && !tmpl_balance_top(b)->fixed_text;
}

/* White space brings formatting elements back too, where it is not part of a table. */
static void blank(tmpl_balance_t *b)
{
    if (!tmpl_in_body(b) || (tmpl_balance_top(b)->flags & TMPL_IS_TABLE) ||
        tmpl_balance_top(b)->tag == TMPL_TAG_COLGROUP || tmpl_select_mode(b) != 0 ||
        !tmpl_opens_is_dangling(&b->s)) {
        return;
    }
    b->ambiguous |= tmpl_table_mode(b) != 0; /* HTML5 has changed its mind on these */
    tmpl_opens_reconstruct(&b->s);
}

int tmpl_is_unseen(const char *src, uint32_t start, uint32_t end)
{
    static const struct {
        char bytes[7];
        unsigned char len;
    } spaces[] = { { "&nbsp;", 6 }, { "&#160;", 6 }, { "\xc2\xa0", 2 } };
    uint32_t p = start;
    while ((p = tmpl_behind_space(src, p, end)) < end) {
        uint32_t from = p;
        for (unsigned i = 0; p == from && i < sizeof(spaces) / sizeof(spaces[0]); i++) {
            if (src[p] == spaces[i].bytes[0] && end - p >= spaces[i].len &&
                memcmp(src + p, spaces[i].bytes, spaces[i].len) == 0) {
                p += spaces[i].len;
            }
        }
        if (p == from) {
            return 0;
        }
    }
    return 1;
}

/* Where text begins that browsers read. */
static uint32_t behind_break(const tmpl_balance_t *b, uint32_t start, uint32_t end)
{
    if (tmpl_begins_pre(b, start)) {
        start += start < end && b->src[start] == '\r';
        start += start < end && b->src[start] == '\n';
    }
    return start;
}

unsigned tmpl_gap_odd(tmpl_balance_t *b, uint32_t start, uint32_t end, int dangling)
{
    uint32_t from = behind_break(b, start, end);
    uint32_t first = tmpl_behind_space(b->src, from, end);
    if (first == end) {
        if (from < end) {
            blank(b);
        }
        return 0;
    }
    /* A NUL is dropped, and what might be in front of it is not worth following. */
    b->ambiguous |= dangling && memchr(b->src + from, '\0', end - from) != NULL;
    unsigned may = text(b, dangling) ? TMPL_TOKEN_TEXT_MAY : 0;
    return may | tmpl_count_text(b, start, first, end);
}
