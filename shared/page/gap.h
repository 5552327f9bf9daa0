/* SPDX-License-Identifier: Apache-2.0 */
/* What text does by HTML5 (13.2.6.4), and whether it is seen and may be cut. */
#ifndef TMPL_GAP_H
#define TMPL_GAP_H

#include "page/attr.h"
#include "page/modes.h"

/* Whether the bytes hold nothing to see: white space and no-break spaces, as bytes or as entities. */
int tmpl_is_unseen(const char *src, uint32_t start, uint32_t end);

/* Counts a text, of which first is the first byte that is no white space, unless nobody sees it. */
static inline unsigned tmpl_count_text(tmpl_balance_t *b, uint32_t start, uint32_t first,
                                       uint32_t end)
{
    char c = b->src[first];
    if (tmpl_is_quiet(b) || ((c == '&' || c == '\xc2') && tmpl_is_unseen(b->src, first, end))) {
        return 0;
    }
    b->page->n_segments++;
    if (end - start > b->page->longest_text) {
        b->page->longest_text = end - start;
    }
    return TMPL_TOKEN_TEXT_SHOWN;
}

/* tmpl_gap where there are rules of its own for what is between tokens, or something waits to be opened. */
unsigned tmpl_gap_odd(tmpl_balance_t *b, uint32_t start, uint32_t end, int dangling);

/* Follows what is between two tokens, from start to end, which may be nothing; returns TMPL_TOKEN_TEXT_* of it. */
static inline unsigned tmpl_gap(tmpl_balance_t *b, uint32_t start, uint32_t end)
{
    int dangling = tmpl_opens_is_dangling(&b->s);
    if (dangling || !tmpl_is_plain(b)) {
        return tmpl_gap_odd(b, start, end, dangling);
    }
    uint32_t first = tmpl_behind_space(b->src, start, end);
    return first < end ? TMPL_TOKEN_TEXT_MAY | tmpl_count_text(b, start, first, end) : 0;
}

#endif
