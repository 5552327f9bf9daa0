/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements in a line that touch in the source, but that a browser sets apart, because their style
 * makes them boxes: <span class=amount>45 g</span><span class=name>sugar</span>. Styles are not
 * read, so names and letters tell them from parts of a word.
 */
#include <string.h>

#include "base/ascii.h"
#include "html/attr.h"
#include "page/build.h"

/* Elements that are climbed, at most, up to the siblings, and from there to what is around. */
#define CLIMB 8

/* What an element of a line may be. */
enum { NEVER_BOX, MAY_BE_BOX, BOX };

static unsigned box_kind(const tmpl_page_t *page, const tmpl_node_t *node)
{
    static const unsigned char by_tag[TMPL_TAG_COUNT] = {
        [TMPL_TAG_A] = BOX,           [TMPL_TAG_LABEL] = BOX,         [TMPL_TAG_TIME] = BOX,
        [TMPL_TAG_SPAN] = MAY_BE_BOX, [TMPL_TAG_STRONG] = MAY_BE_BOX, [TMPL_TAG_B] = MAY_BE_BOX,
        [TMPL_TAG_EM] = MAY_BE_BOX,   [TMPL_TAG_I] = MAY_BE_BOX,      [TMPL_TAG_SMALL] = MAY_BE_BOX,
        [TMPL_TAG_DATA] = MAY_BE_BOX, [TMPL_TAG_CITE] = MAY_BE_BOX,   [TMPL_TAG_OTHER] = MAY_BE_BOX,
    };
    static const char bare[] = "<span>";
    unsigned kind = by_tag[node->tag];
    if (kind != MAY_BE_BOX) {
        return kind;
    }
    if ((node->flags & TMPL_NODE_NAMED) || tmpl_span_len(node->open) == sizeof(bare) - 1) {
        return BOX;
    }
    /* editors style parts of words */
    return tmpl_node_attr(page, node, TMPL_ATTR_STYLE) != NULL ? NEVER_BOX : MAY_BE_BOX;
}

/* A byte that begins a letter, digit or emoji; no kana: punctuation beside them begins alike. */
static int is_of_word(char c)
{
    return (tmpl_is_of_word(c) && (unsigned char)c != 0xE3) || (unsigned char)c >= 0xF0;
}

/* Whether a text is a quantity: short, and with a digit. */
static int is_quantity(const char *at, const char *end)
{
    enum { LONGEST = 16 };
    int is_short = end - at <= LONGEST;
    while (at < end && !tmpl_is_digit(*at)) {
        at++;
    }
    return is_short && at < end;
}

static int is_number(const char *at, const char *end)
{
    while (at < end && tmpl_is_digit(*at)) {
        at++;
    }
    return at == end;
}

static int is_capital(char c)
{
    return c != tmpl_lower(c);
}

/* The first byte of the last character of a text; '(' for the two colons of a name in code. */
static char last_of_word(const char *at, const char *end)
{
    const char *last = end - 1;
    while (last > at && end - last < 4 && ((unsigned char)*last & 0xC0) == 0x80) {
        last--;
    }
    return *last == ':' && last > at && last[-1] == ':' ? '(' : *last;
}

/* Whether a text begins with a capital letter, and goes on with a small one. */
static int is_begun(const char *at, const char *end)
{
    unsigned char first = (unsigned char)*at, second = end - at > 1 ? (unsigned char)at[1] : 0;
    /* of Latin, Greek and Cyrillic */
    int is_other =
        (first == 0xC3 && second < 0xA0) || ((first == 0xCE || first == 0xD0) && second < 0xB0);
    return is_other || (is_capital(*at) && second != 0 && tmpl_lower(at[1]) == at[1] &&
                        is_of_word(at[1]) && !tmpl_is_digit(at[1]));
}

/* Whether two texts are words of their own. in_text: they may as well be parts of one. */
static int are_words(const char *left, const char *left_end, const char *right,
                     const char *right_end, int in_text)
{
    char last = last_of_word(left, left_end), first = *right;
    while (left < left_end && tmpl_is_space(*left)) {
        left++;
    }
    if (!is_of_word(first) || !is_of_word(last)) {
        int is_price = first == '$' && right_end - right > 1 && tmpl_is_digit(right[1]);
        if (last == '.' && memchr(left, ' ', (apr_size_t)(left_end - left)) != NULL) {
            return is_begun(right, right_end); /* behind a sentence */
        }
        return is_price ? is_of_word(last)
                        : is_of_word(first) && last != '\0' && strchr(":)%!?", last) != NULL;
    }
    int is_single = left_end - left == 1 && right_end - right == 1;
    int is_initial = left_end - left == 1 && is_capital(last) && !is_capital(first);
    if (is_single || is_initial || (is_number(left, left_end) && is_number(right, right_end))) {
        return 0;
    }
    return !in_text || is_quantity(left, left_end) || tmpl_is_digit(first) ||
           (!is_capital(last) && is_capital(first));
}

/* Whether a text is the number of a step: it begins a block, with a sign behind it or without. */
static int is_step(const tmpl_page_t *page, const tmpl_segment_t *segment)
{
    enum { LONGEST = 3 };
    const char *at = page->src + segment->span.start, *end = page->src + segment->span.end;
    int is_first = page->blocks[segment->block].first_segment == segment - page->segments;
    end -= end - at > 1 && (end[-1] == '.' || end[-1] == ')');
    return is_first && end - at < LONGEST && is_number(at, end);
}

/* Whether a segment is a label, "Price:", and all of an element that has ended. */
static int is_label(const tmpl_page_t *page, const tmpl_segment_t *segment)
{
    const tmpl_node_t *node = &page->nodes[segment->node];
    const char *end = page->src + segment->span.end;
    return tmpl_span_len(segment->span) > 1 && end[-1] == ':' && tmpl_is_of_word(end[-2]) &&
           node->close.start == segment->span.end && box_kind(page, node) != NEVER_BOX;
}

/* Whether an element without content, as <span class=sep></span>, is between two texts. */
static int has_empty_element(const tmpl_page_t *page, const tmpl_segment_t *before, uint32_t node)
{
    /* the last one before the element of the second text, or in it */
    const tmpl_node_t *last = &page->nodes[page->n_nodes - 1];
    last -= last == &page->nodes[node] && node > 0;
    return (last->tag == TMPL_TAG_SPAN || last->tag == TMPL_TAG_I) &&
           last->open.start >= before->span.end && last->close.start == last->open.end &&
           tmpl_node_attr(page, last, TMPL_ATTR_CLASS) != NULL &&
           /* it may be a place in a word */
           tmpl_node_attr(page, last, TMPL_ATTR_ID) == NULL;
}

/* What is around two boxes. */
typedef enum { IN_BLOCK, IN_TEXT, IN_CODE } around_e;

static around_e around_boxes(const tmpl_page_t *page, uint32_t node)
{
    static const unsigned char by_tag[TMPL_TAG_COUNT] = {
        [TMPL_TAG_CODE] = IN_CODE, [TMPL_TAG_KBD] = IN_CODE, [TMPL_TAG_SAMP] = IN_CODE,
        [TMPL_TAG_TT] = IN_CODE,   [TMPL_TAG_PRE] = IN_CODE, [TMPL_TAG_LISTING] = IN_CODE,
        [TMPL_TAG_P] = IN_TEXT,    [TMPL_TAG_H1] = IN_TEXT,  [TMPL_TAG_H2] = IN_TEXT,
        [TMPL_TAG_H3] = IN_TEXT,   [TMPL_TAG_H4] = IN_TEXT,  [TMPL_TAG_H5] = IN_TEXT,
        [TMPL_TAG_H6] = IN_TEXT,
    };
    around_e around = IN_BLOCK;
    for (int up = 0; up < CLIMB && node != TMPL_NONE && around == IN_BLOCK; up++) {
        around = (around_e)by_tag[page->nodes[node].tag];
        node = page->nodes[node].parent;
    }
    return around;
}

/* Whether two links lead to the same address: a word in two styles may be two links. */
static int lead_alike(const tmpl_page_t *page, const tmpl_node_t *a, const tmpl_node_t *b)
{
    const tmpl_known_attr_t *one = tmpl_node_attr(page, a, TMPL_ATTR_HREF);
    const tmpl_known_attr_t *two = tmpl_node_attr(page, b, TMPL_ATTR_HREF);
    return one != NULL && two != NULL && tmpl_span_len(one->value) == tmpl_span_len(two->value) &&
           memcmp(page->src + one->value.start, page->src + two->value.start,
                  tmpl_span_len(one->value)) == 0;
}

int tmpl_boxes_are_apart(const tmpl_page_t *page, const tmpl_segment_t *before, uint32_t node,
                         tmpl_span_t text)
{
    const tmpl_node_t *nodes = page->nodes, *a = &nodes[before->node], *b = &nodes[node];
    const char *at = page->src + text.start, *end = page->src + text.end;
    int is_step_behind = a->tag != TMPL_TAG_SUP && b->tag != TMPL_TAG_SUP && is_step(page, before);
    if (((is_step_behind || is_label(page, before)) && is_begun(at, end)) ||
        (has_empty_element(page, before, node) &&
         are_words(page->src + before->span.start, page->src + before->span.end, at, end, 0))) {
        return around_boxes(page, node) != IN_CODE;
    }
    for (int up = 0; up < 2 * CLIMB && a->parent != b->parent; up++) {
        const tmpl_node_t **deeper = a->depth > b->depth ? &a : &b;
        if ((*deeper)->parent == TMPL_NONE) {
            return 0;
        }
        *deeper = &nodes[(*deeper)->parent];
    }
    unsigned first = box_kind(page, a), second = box_kind(page, b);
    if (a == b || a->parent != b->parent || first == NEVER_BOX || second == NEVER_BOX ||
        (first != BOX && second != BOX) || page->src[before->span.start] == '<') {
        return 0;
    }
    around_e around = around_boxes(page, b->parent);
    return around != IN_CODE &&
           are_words(page->src + before->span.start, page->src + before->span.end, at, end,
                     around == IN_TEXT || lead_alike(page, a, b));
}
