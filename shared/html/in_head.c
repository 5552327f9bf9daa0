/* SPDX-License-Identifier: Apache-2.0 */
/* Insertion modes before body: 13.2.6.4.2 to 13.2.6.4.6, and template: 13.2.6.4.16. */
#include "html/attr.h"
#include "html/builder.h"

/* Closes the head: the rest of the page is behind it. */
static tmpl_step_e leave_head(tmpl_builder_t *b)
{
    tmpl_opens_pop_above(&b->s, b->s.n - 2);
    return tmpl_again(b, TMPL_AFTER_HEAD);
}

static tmpl_step_e open_head(tmpl_builder_t *b, uint32_t token)
{
    tmpl_opens_push(&b->s, token, TMPL_TAG_HEAD, TMPL_TAG_HEAD)->quiet = 1;
    return tmpl_again(b, TMPL_IN_HEAD);
}

/* End tags that, in browsers, open the element that the mode waits for. */
static int may_end_anything(tmpl_tag_e tag)
{
    return tag == TMPL_TAG_HEAD || tag == TMPL_TAG_BODY || tag == TMPL_TAG_HTML ||
           tag == TMPL_TAG_BR;
}

tmpl_step_e tmpl_before_head(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    int is_end = tmpl_is_end(b, i);
    if (is_end ? !may_end_anything(tag) : tag == TMPL_TAG_HTML) {
        return TMPL_DONE;
    }
    int is_head = !is_end && tag == TMPL_TAG_HEAD;
    tmpl_step_e step = open_head(b, is_head ? i : TMPL_NONE);
    return is_head ? TMPL_DONE : step;
}

/* Whether an element may have a shadow root: the hosts of the table, and custom elements. */
static int may_have_shadow(const tmpl_builder_t *b, const tmpl_open_t *host)
{
    static const unsigned char hosts[TMPL_TAG_COUNT] = {
        [TMPL_TAG_ARTICLE] = 1, [TMPL_TAG_ASIDE] = 1,   [TMPL_TAG_BLOCKQUOTE] = 1,
        [TMPL_TAG_BODY] = 1,    [TMPL_TAG_DIV] = 1,     [TMPL_TAG_FOOTER] = 1,
        [TMPL_TAG_H1] = 1,      [TMPL_TAG_H2] = 1,      [TMPL_TAG_H3] = 1,
        [TMPL_TAG_H4] = 1,      [TMPL_TAG_H5] = 1,      [TMPL_TAG_H6] = 1,
        [TMPL_TAG_HEADER] = 1,  [TMPL_TAG_MAIN] = 1,    [TMPL_TAG_NAV] = 1,
        [TMPL_TAG_P] = 1,       [TMPL_TAG_SECTION] = 1, [TMPL_TAG_SPAN] = 1,
    };
    if (host->token == TMPL_NONE || host->quiet || host->foreign || host->has_shadow) {
        return 0;
    }
    tmpl_span_t tag = b->tokens[host->token].span;
    uint32_t name_end = tmpl_tag_name_end(b->src, tag.end, tag.start + 1);
    return hosts[host->tag] ||
           (host->tag == TMPL_TAG_OTHER &&
            memchr(b->src + tag.start + 1, '-', name_end - tag.start - 1) != NULL);
}

/*
 * Whether template i is a declarative shadow root: browsers display it in place of its host's
 * content.
 */
static int is_shadow(const tmpl_builder_t *b, uint32_t i, const tmpl_open_t *host)
{
    tmpl_attr_t mode;
    return tmpl_attr_find(&mode, b->src, b->tokens[i].span, "shadowrootmode") &&
           (tmpl_span_is(b->src, mode.value, "open") ||
            tmpl_span_is(b->src, mode.value, "closed")) &&
           may_have_shadow(b, host);
}

static void start_template(tmpl_builder_t *b, uint32_t i)
{
    tmpl_open_t *host = tmpl_top(b);
    int shadow = is_shadow(b, i, host);
    if (shadow) {
        host->has_shadow = 1;
        tmpl_open_mix(host); /* the template may be cut with its host, not with text beside it */
        b->tokens[i].flags |= TMPL_TOKEN_SHADOW;
    }
    tmpl_insert(b, i);
    if (shadow) {
        tmpl_top(b)->quiet = 0;
        tmpl_top(b)->tainted = 1;
        /* the first element in a template decides how the others are read */
        tmpl_top(b)->keeps = 1;
    }
    APR_ARRAY_PUSH(b->templates, tmpl_insertion_e) = TMPL_IN_TEMPLATE;
    b->mode = TMPL_IN_TEMPLATE;
}

static tmpl_step_e start_in_head(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    if (tag == TMPL_TAG_HTML) {
        tmpl_taint_all(b); /* the tag adds its attributes to the open html */
    }
    else if (tag == TMPL_TAG_TEMPLATE) {
        start_template(b, i);
    }
    else if (tmpl_tag_flags(tag) & TMPL_IS_HEAD) {
        tmpl_insert(b, i);
        if (tag == TMPL_TAG_NOSCRIPT && !b->scripting) {
            b->mode = TMPL_IN_HEAD_NOSCRIPT;
        }
    }
    else if (tag != TMPL_TAG_HEAD) {
        return leave_head(b);
    }
    return TMPL_DONE;
}

tmpl_step_e tmpl_in_head(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    if (!tmpl_is_end(b, i)) {
        return start_in_head(b, i);
    }
    if (!may_end_anything(tag)) {
        return TMPL_DONE;
    }
    tmpl_step_e step = leave_head(b);
    return tag == TMPL_TAG_HEAD ? TMPL_DONE : step;
}

tmpl_step_e tmpl_in_head_noscript(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    int is_end = tmpl_is_end(b, i);
    if (is_end && tag == TMPL_TAG_NOSCRIPT) {
        tmpl_opens_close(&b->s, b->s.n - 1, i);
        b->mode = TMPL_IN_HEAD;
        return TMPL_DONE;
    }
    if (!is_end && (tag == TMPL_TAG_HTML || tag == TMPL_TAG_BASEFONT || tag == TMPL_TAG_BGSOUND ||
                    tag == TMPL_TAG_LINK || tag == TMPL_TAG_META || tag == TMPL_TAG_NOFRAMES ||
                    tag == TMPL_TAG_STYLE)) {
        return start_in_head(b, i);
    }
    if (is_end ? tag != TMPL_TAG_BR : tag == TMPL_TAG_HEAD || tag == TMPL_TAG_NOSCRIPT) {
        return TMPL_DONE;
    }
    tmpl_opens_pop_above(&b->s, b->s.n - 2);
    return tmpl_again(b, TMPL_IN_HEAD);
}

/* Start tags behind the head that belong into it: the head is opened again for each. */
static tmpl_step_e start_in_open_head(tmpl_builder_t *b, uint32_t i)
{
    open_head(b, TMPL_NONE);
    b->mode = TMPL_AFTER_HEAD;
    uint32_t head = b->s.n - 1;
    start_in_head(b, i);
    tmpl_opens_remove(&b->s, head);
    return TMPL_DONE;
}

tmpl_step_e tmpl_after_head(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    int is_end = tmpl_is_end(b, i);
    if (is_end ? !may_end_anything(tag) || tag == TMPL_TAG_HEAD
               : tag == TMPL_TAG_HTML || tag == TMPL_TAG_HEAD) {
        return TMPL_DONE;
    }
    if (!is_end && tag == TMPL_TAG_FRAMESET) {
        b->decline = TMPL_DECLINE_FRAMESET;
        return TMPL_DONE;
    }
    if (!is_end && (tmpl_tag_flags(tag) & TMPL_IS_HEAD) && tag != TMPL_TAG_NOSCRIPT) {
        return start_in_open_head(b, i);
    }
    int is_body = !is_end && tag == TMPL_TAG_BODY;
    tmpl_open_body(b, is_body ? i : TMPL_NONE);
    return is_body ? TMPL_DONE : TMPL_AGAIN;
}

/*
 * A cell that the end of a template closes does not end as other cells do: only one marker is
 * removed from the list of active formatting elements, so elements in front of the marker are
 * reconstructed behind the template.
 */
static void forget_cells(tmpl_builder_t *b, uint32_t template)
{
    for (uint32_t k = template + 1; k < b->s.n; k++) {
        if (b->s.stack[k].flags & TMPL_IS_CELL) {
            b->s.stack[k].flags &= ~(unsigned)(TMPL_IS_CELL | TMPL_IS_MARKER);
            tmpl_taint_all(b);
        }
    }
}

tmpl_step_e tmpl_end_template(tmpl_builder_t *b, uint32_t i)
{
    uint32_t template = tmpl_opens_find(&b->s, TMPL_TAG_TEMPLATE, TMPL_WHOLE_STACK);
    forget_cells(b, template);
    tmpl_opens_close(&b->s, template, i);
    apr_array_pop(b->templates);
    tmpl_reset_mode(b);
    return TMPL_DONE;
}

/* The mode for the content of a template, by its first tag. */
static tmpl_insertion_e mode_of_first(tmpl_tag_e tag)
{
    if (tag == TMPL_TAG_COL) {
        return TMPL_IN_COLGROUP;
    }
    if (tag == TMPL_TAG_TR) {
        return TMPL_IN_TABLE_BODY;
    }
    if (tag == TMPL_TAG_TD || tag == TMPL_TAG_TH) {
        return TMPL_IN_ROW;
    }
    return (tmpl_tag_flags(tag) & TMPL_IS_PART) ? TMPL_IN_TABLE : TMPL_IN_BODY;
}

tmpl_step_e tmpl_in_template(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    if (tmpl_is_end(b, i)) {
        return TMPL_DONE;
    }
    if ((tmpl_tag_flags(tag) & TMPL_IS_HEAD) && tag != TMPL_TAG_NOSCRIPT) {
        return start_in_head(b, i);
    }
    b->mode = mode_of_first(tag);
    APR_ARRAY_IDX(b->templates, b->templates->nelts - 1, tmpl_insertion_e) = b->mode;
    return TMPL_AGAIN;
}
