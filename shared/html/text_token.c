/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text between tags: how it changes the tree (13.2.6.4), and whether it is displayed and may be
 * cut.
 */
#include <string.h>

#include "html/attr.h"
#include "html/builder.h"

/* Text that opens and moves nothing: without it the rest of the page parses the same. */
static unsigned in_place(tmpl_builder_t *b)
{
    return tmpl_top(b)->fixed_text ? 0 : TMPL_TOKEN_TEXT_MAY;
}

/* Text that changes more than its own node. */
static unsigned stays(tmpl_builder_t *b)
{
    tmpl_open_mix(tmpl_top(b));
    return 0;
}

/*
 * Text directly in a table, its sections or rows is moved in front of the table, together with
 * white space next to the text. Cutting an element there would join more white space to the text.
 */
static void move_in_front(tmpl_builder_t *b)
{
    tmpl_open_t *top = tmpl_top(b);
    tmpl_taint_all(b);
    for (uint32_t i = top->begin; !top->keeps && i < b->s.at; i++) {
        b->tokens[i].may &= (unsigned char)~TMPL_NODE_CUT;
    }
    top->keeps = 1;
}

/* Text or NUL outside of body: the parser goes into body, or back into it. */
static void enter_body(tmpl_builder_t *b)
{
    b->initial = 0;
    if (b->mode < TMPL_IN_BODY) {
        if (b->mode != TMPL_BEFORE_HEAD && b->mode != TMPL_AFTER_HEAD) {
            tmpl_opens_pop_above(&b->s, 0);
        }
        tmpl_open_body(b, TMPL_NONE);
    }
    b->mode = TMPL_IN_BODY;
}

static inline int is_outside_body(const tmpl_builder_t *b)
{
    return b->mode < TMPL_IN_BODY || b->mode >= TMPL_AFTER_BODY;
}

/* Text with more than white space. */
static unsigned text(tmpl_builder_t *b)
{
    if (tmpl_top(b)->foreign && tmpl_top(b)->point == TMPL_POINT_NONE) {
        return 0;
    }
    if (is_outside_body(b)) {
        enter_body(b);
        tmpl_reconstruct(b);
        return stays(b);
    }
    uint32_t began = b->s.events;
    if (b->mode == TMPL_IN_COLGROUP && tmpl_top(b)->tag == TMPL_TAG_COLGROUP) {
        tmpl_opens_close(&b->s, b->s.n - 1, TMPL_NONE);
        b->mode = TMPL_IN_TABLE;
    }
    int moved = (tmpl_top(b)->flags & TMPL_IS_TABLE) != 0;
    if (moved) {
        move_in_front(b);
    }
    if (tmpl_opens_is_dangling(&b->s)) {
        tmpl_open_mix(tmpl_top(b));
        tmpl_opens_reconstruct(&b->s);
    }
    return moved || b->s.events != began ? stays(b) : in_place(b);
}

/*
 * White space reconstructs formatting elements, too, but not before body or directly in a table or
 * its parts.
 */
static void blank(tmpl_builder_t *b)
{
    const tmpl_open_t *top = tmpl_top(b);
    if (b->mode >= TMPL_IN_BODY && !(top->flags & TMPL_IS_TABLE) && top->tag != TMPL_TAG_COLGROUP &&
        !(top->foreign && top->point == TMPL_POINT_NONE)) {
        tmpl_reconstruct(b);
    }
}

/* Whether the bytes display nothing: white space and no-break spaces, as bytes or as references. */
static int is_unseen(const char *src, uint32_t start, uint32_t end)
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

/* Counts a text that is displayed; first is its first byte that is not white space. */
static inline unsigned count_text(tmpl_builder_t *b, uint32_t start, uint32_t first, uint32_t end)
{
    char c = b->src[first];
    if (tmpl_top(b)->quiet || ((c == '&' || c == '\xc2') && is_unseen(b->src, first, end))) {
        return 0;
    }
    b->out->n_segments++;
    if (end - start > b->out->longest_text) {
        b->out->longest_text = end - start;
    }
    return TMPL_TOKEN_TEXT_SHOWN;
}

/* Skips the line break that browsers drop behind a pre's start tag. */
static uint32_t behind_break(tmpl_builder_t *b, uint32_t start, uint32_t end)
{
    if (tmpl_begins_pre(b, start)) {
        start += start < end && b->src[start] == '\r';
        start += start < end && b->src[start] == '\n';
    }
    return start;
}

/*
 * The first byte from start on that is neither white space nor NUL; end if there is none. Browsers
 * drop NUL in body. A reference to white space is read as text: in front of body HTML5 reads it
 * otherwise, but no page has such a reference there.
 */
static uint32_t behind_nothing(const char *src, uint32_t start, uint32_t end)
{
    uint32_t p = start;
    while (p < end && src[p] == '\0') {
        p = tmpl_behind_space(src, p + 1, end);
    }
    return p;
}

/* White space and NUL. A NUL outside of body leads into body. */
static void nothing(tmpl_builder_t *b, uint32_t start, uint32_t end, int has_nul)
{
    if (has_nul && is_outside_body(b)) {
        enter_body(b);
    }
    else if (!has_nul || tmpl_is_space(b->src[start]) || tmpl_is_space(b->src[end - 1])) {
        blank(b);
    }
}

unsigned tmpl_text_token(tmpl_builder_t *b, uint32_t start, uint32_t end)
{
    uint32_t from = behind_break(b, start, end);
    uint32_t blank = tmpl_behind_spaces(b->src, from, end, b->len);
    uint32_t first = behind_nothing(b->src, blank, end);
    if (first == end) {
        if (from < end) {
            nothing(b, from, end, blank < end);
        }
        return 0;
    }
    unsigned may = tmpl_is_plain(b) && !tmpl_opens_is_dangling(&b->s) ? in_place(b) : text(b);
    return may | count_text(b, start, first, end);
}
