/* SPDX-License-Identifier: Apache-2.0 */
/* svg and math: "the rules for parsing tokens in foreign content", 13.2.6.5. */
#include "html/attr.h"
#include "html/builder.h"

/* Elements of svg or math (root) that HTML may stand in, or that end HTML's scopes. */
static const struct {
    const char *name;
    tmpl_tag_e root;
    tmpl_point_e point;
} special[] = {
    { "foreignobject", TMPL_TAG_SVG, TMPL_POINT_HTML },
    { "desc", TMPL_TAG_SVG, TMPL_POINT_HTML },
    { "title", TMPL_TAG_SVG, TMPL_POINT_HTML },
    { "mi", TMPL_TAG_MATH, TMPL_POINT_MATH_TEXT },
    { "mo", TMPL_TAG_MATH, TMPL_POINT_MATH_TEXT },
    { "mn", TMPL_TAG_MATH, TMPL_POINT_MATH_TEXT },
    { "ms", TMPL_TAG_MATH, TMPL_POINT_MATH_TEXT },
    { "mtext", TMPL_TAG_MATH, TMPL_POINT_MATH_TEXT },
    { "annotation-xml", TMPL_TAG_MATH, TMPL_POINT_ANNOTATION },
};

/* The name of tag i: behind "<" or "</". */
static tmpl_span_t name_of_foreign(const tmpl_builder_t *b, uint32_t i)
{
    const tmpl_token_t *token = &b->tokens[i];
    uint32_t start = token->span.start + (tmpl_is_end(b, i) ? 2 : 1);
    return (tmpl_span_t){ start, tmpl_tag_name_end(b->src, token->span.end, start) };
}

static int has_attribute(const tmpl_builder_t *b, uint32_t i, const char *name)
{
    tmpl_attr_t attr;
    return tmpl_attr_find(&attr, b->src, b->tokens[i].span, name);
}

/* The kind of an annotation-xml: if its encoding is HTML, it may contain HTML. */
static tmpl_point_e annotation(const tmpl_builder_t *b, uint32_t i)
{
    tmpl_attr_t encoding;
    int is_html = tmpl_attr_find(&encoding, b->src, b->tokens[i].span, "encoding") &&
                  (tmpl_span_is(b->src, encoding.value, "text/html") ||
                   tmpl_span_is(b->src, encoding.value, "application/xhtml+xml"));
    return is_html ? TMPL_POINT_HTML : TMPL_POINT_ANNOTATION;
}

/* Opens an element of svg or math: root says of which. */
static void insert_foreign(tmpl_builder_t *b, uint32_t i, tmpl_tag_e root)
{
    tmpl_span_t name = name_of_foreign(b, i);
    tmpl_point_e point = TMPL_POINT_NONE;
    unsigned flags = 0;
    for (size_t k = 0; k < sizeof(special) / sizeof(special[0]); k++) {
        if (special[k].root == root && tmpl_span_is(b->src, name, special[k].name)) {
            point = special[k].point == TMPL_POINT_ANNOTATION ? annotation(b, i) : special[k].point;
            flags = TMPL_IS_SPECIAL | TMPL_IS_SCOPE;
        }
    }
    uint32_t own_name = TMPL_FOREIGN_NAME(b->tokens[i].name);
    tmpl_open_t *o = tmpl_opens_add(&b->s, i, TMPL_TAG_OTHER, own_name, flags);
    o->quiet = 1;
    o->foreign = (unsigned char)root;
    o->point = (unsigned char)point;
}

void tmpl_open_foreign(tmpl_builder_t *b, uint32_t i)
{
    tmpl_insert_empty(b, i);
    if (b->tokens[i].flags & TMPL_TOKEN_SELF_CLOSING) {
        b->tokens[i].may = 0; /* an attribute might separate the '/' from the '>' */
        return;
    }
    int edit = b->tokens[i].may != 0;
    insert_foreign(b, i, tmpl_tag_at(b, i));
    tmpl_top(b)->tainted = !edit;
    b->tokens[i].end = TMPL_NONE;
    b->tokens[i].may = 0;
}

int tmpl_is_foreign(tmpl_builder_t *b, uint32_t i)
{
    const tmpl_open_t *top = tmpl_top(b);
    if (!top->foreign) {
        return 0;
    }
    if (tmpl_is_end(b, i) || top->point == TMPL_POINT_NONE) {
        return 1;
    }
    if (top->point == TMPL_POINT_ANNOTATION) {
        return tmpl_tag_at(b, i) != TMPL_TAG_SVG;
    }
    tmpl_span_t name = name_of_foreign(b, i);
    return top->point == TMPL_POINT_MATH_TEXT &&
           (tmpl_span_is(b->src, name, "mglyph") || tmpl_span_is(b->src, name, "malignmark"));
}

/* Whether tag i is of HTML and cannot stand in svg or math: svg and math end in front of it. */
static int breaks_out(const tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    if (tmpl_is_end(b, i)) {
        return tag == TMPL_TAG_P || tag == TMPL_TAG_BR;
    }
    return (tmpl_tag_flags(tag) & TMPL_IS_BREAKOUT) ||
           (tag == TMPL_TAG_FONT && (has_attribute(b, i, "color") || has_attribute(b, i, "face") ||
                                     has_attribute(b, i, "size")));
}

/* Closes elements of svg and math, until HTML may stand in the innermost open element. */
static void leave_foreign(tmpl_builder_t *b)
{
    uint32_t keep = b->s.n - 1;
    while (b->s.stack[keep].foreign && b->s.stack[keep].point != TMPL_POINT_HTML &&
           b->s.stack[keep].point != TMPL_POINT_MATH_TEXT) {
        keep--;
    }
    tmpl_opens_pop_above(&b->s, keep);
}

/* Closes the innermost element of svg or math that the end tag names. */
static tmpl_step_e end_foreign(tmpl_builder_t *b, uint32_t i)
{
    uint32_t name = TMPL_FOREIGN_NAME(b->tokens[i].name);
    for (uint32_t k = b->s.n - 1; b->s.stack[k].foreign; k--) {
        if (b->s.stack[k].name == name) {
            tmpl_opens_close(&b->s, k, i);
            return TMPL_DONE;
        }
    }
    return TMPL_AS_HTML;
}

tmpl_step_e tmpl_in_foreign(tmpl_builder_t *b, uint32_t i)
{
    if (breaks_out(b, i)) {
        if (tmpl_is_end(b, i)) {
            tmpl_taint_all(b); /* the tag makes an element, or ends one outside of svg */
        }
        leave_foreign(b);
        return TMPL_AS_HTML;
    }
    if (tmpl_is_end(b, i)) {
        return end_foreign(b, i);
    }
    if (b->tokens[i].flags & TMPL_TOKEN_SELF_CLOSING) {
        b->tokens[i].end = i;
    }
    else {
        insert_foreign(b, i, (tmpl_tag_e)tmpl_top(b)->foreign);
    }
    return TMPL_DONE;
}
