/* SPDX-License-Identifier: Apache-2.0 */
/* The insertion modes "in body", 13.2.6.4.7, and "after body". */
#include "html/builder.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* --- start tags --- */

/* Opens an element that may stand beside text, after the active formatting elements. */
static tmpl_step_e insert_inline(tmpl_builder_t *b, uint32_t i)
{
    tmpl_reconstruct(b);
    tmpl_insert(b, i);
    return TMPL_DONE;
}

/*
 * Closes the innermost element of that name, if it is in scope. end is its end tag, or TMPL_NONE if
 * another tag closes it. Returns 0 if there is none.
 */
static int close_in(tmpl_builder_t *b, uint32_t name, unsigned scope, uint32_t end)
{
    uint32_t index = tmpl_opens_find(&b->s, name, scope);
    if (index != 0) {
        tmpl_opens_close(&b->s, index, end);
    }
    return index != 0;
}

static void close_p(tmpl_builder_t *b)
{
    close_in(b, TMPL_TAG_P, TMPL_BUTTON_SCOPE, TMPL_NONE);
}

/* A further html or body: HTML5 adds the tag's attributes to the element that exists. */
static tmpl_step_e start_again(tmpl_builder_t *b, uint32_t i)
{
    (void)i;
    tmpl_taint_all(b);
    return tmpl_ignore(b);
}

/* Frames replace an empty body that has no tag. */
static tmpl_step_e start_frameset(tmpl_builder_t *b, uint32_t i)
{
    (void)i;
    if (b->out->body == TMPL_NONE) {
        b->decline = TMPL_DECLINE_FRAMESET;
    }
    return tmpl_ignore(b);
}

static tmpl_step_e start_ignored(tmpl_builder_t *b, uint32_t i)
{
    (void)i;
    return tmpl_ignore(b);
}

static tmpl_step_e start_block(tmpl_builder_t *b, uint32_t i)
{
    close_p(b);
    tmpl_insert(b, i);
    return TMPL_DONE;
}

static tmpl_step_e start_heading(tmpl_builder_t *b, uint32_t i)
{
    close_p(b);
    if (tmpl_top(b)->flags & TMPL_IS_HEADING) {
        tmpl_opens_close(&b->s, b->s.n - 1, TMPL_NONE);
    }
    tmpl_insert(b, i);
    return TMPL_DONE;
}

static tmpl_step_e start_form_element(tmpl_builder_t *b, uint32_t i)
{
    int in_template = b->s.n_of[TMPL_TAG_TEMPLATE] > 0;
    if (b->form != 0 && !in_template) {
        tmpl_taint_all(b); /* forms elsewhere change how this one is read */
        return tmpl_ignore(b);
    }
    start_block(b, i);
    if (!in_template) {
        b->form = i + 1;
    }
    return TMPL_DONE;
}

/* li, dd and dt close the item before. */
static tmpl_step_e start_item(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    const uint32_t *n_of = b->s.n_of;
    uint32_t n = tag == TMPL_TAG_LI ? n_of[tag] : n_of[TMPL_TAG_DD] + n_of[TMPL_TAG_DT];
    for (uint32_t k = b->s.n - 1; n > 0 && k > 0; k--) {
        const tmpl_open_t *o = &b->s.stack[k];
        if (tag == TMPL_TAG_LI ? o->tag == TMPL_TAG_LI
                               : o->tag == TMPL_TAG_DD || o->tag == TMPL_TAG_DT) {
            tmpl_opens_close(&b->s, k, TMPL_NONE);
            break;
        }
        if ((o->flags & TMPL_IS_SPECIAL) && o->tag != TMPL_TAG_ADDRESS && o->tag != TMPL_TAG_DIV &&
            o->tag != TMPL_TAG_P) {
            break;
        }
    }
    return start_block(b, i);
}

static tmpl_step_e start_plaintext(tmpl_builder_t *b, uint32_t i)
{
    (void)i;
    b->decline = TMPL_DECLINE_PLAINTEXT;
    return TMPL_DONE;
}

static tmpl_step_e start_button(tmpl_builder_t *b, uint32_t i)
{
    uint32_t button = tmpl_opens_find(&b->s, TMPL_TAG_BUTTON, TMPL_SCOPE);
    if (button != 0) {
        tmpl_taint_all(b);
        tmpl_opens_close(&b->s, button, TMPL_NONE);
    }
    return insert_inline(b, i);
}

/* A link closes the link that it would be inside. */
static tmpl_step_e start_link(tmpl_builder_t *b, uint32_t i)
{
    tmpl_opens_end_active(&b->s, TMPL_TAG_A);
    return insert_inline(b, i);
}

static tmpl_step_e start_nobr(tmpl_builder_t *b, uint32_t i)
{
    tmpl_reconstruct(b);
    if (tmpl_has(b, TMPL_TAG_NOBR, TMPL_SCOPE)) {
        tmpl_taint_all(b);
        tmpl_opens_adopt(&b->s, TMPL_TAG_NOBR, TMPL_NONE);
    }
    return insert_inline(b, i);
}

/* In quirks mode a table may be inside a p. */
static tmpl_step_e start_table(tmpl_builder_t *b, uint32_t i)
{
    if (b->quirks == TMPL_NO_QUIRKS) {
        close_p(b);
    }
    tmpl_insert(b, i);
    b->mode = TMPL_IN_TABLE;
    return TMPL_DONE;
}

static tmpl_step_e start_plain(tmpl_builder_t *b, uint32_t i)
{
    tmpl_insert(b, i);
    return TMPL_DONE;
}

static tmpl_step_e start_xmp(tmpl_builder_t *b, uint32_t i)
{
    close_p(b);
    return insert_inline(b, i);
}

static tmpl_step_e start_foreign(tmpl_builder_t *b, uint32_t i)
{
    tmpl_reconstruct(b);
    tmpl_open_foreign(b, i);
    return TMPL_DONE;
}

static tmpl_step_e start_noscript(tmpl_builder_t *b, uint32_t i)
{
    return b->scripting ? start_plain(b, i) : insert_inline(b, i);
}

/*
 * A control or a select closes the select around it. The tag of a select then does nothing else, as
 * if it were an end tag.
 */
static tmpl_step_e start_control(tmpl_builder_t *b, uint32_t i)
{
    int is_closed = close_in(b, TMPL_TAG_SELECT, TMPL_SCOPE, TMPL_NONE);
    return is_closed && tmpl_tag_at(b, i) == TMPL_TAG_SELECT ? tmpl_ignore(b) : insert_inline(b, i);
}

/* Closes the elements that an option, a group of options, or an hr between options closes. */
static void end_options(tmpl_builder_t *b, tmpl_tag_e tag)
{
    if (tmpl_has(b, TMPL_TAG_SELECT, TMPL_SCOPE)) {
        tmpl_end_implied(b, tag == TMPL_TAG_OPTION ? TMPL_TAG_OPTGROUP : TMPL_TAG_OTHER);
    }
    else if (tag != TMPL_TAG_HR && tmpl_top(b)->tag == TMPL_TAG_OPTION) {
        tmpl_opens_close(&b->s, b->s.n - 1, TMPL_NONE);
    }
}

static tmpl_step_e start_option(tmpl_builder_t *b, uint32_t i)
{
    end_options(b, tmpl_tag_at(b, i));
    return insert_inline(b, i);
}

static tmpl_step_e start_rule(tmpl_builder_t *b, uint32_t i)
{
    close_p(b);
    end_options(b, TMPL_TAG_HR);
    tmpl_insert(b, i);
    return TMPL_DONE;
}

static tmpl_step_e start_ruby(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    if (tmpl_has(b, TMPL_TAG_RUBY, TMPL_SCOPE)) {
        tmpl_end_implied(b,
                         tag == TMPL_TAG_RB || tag == TMPL_TAG_RTC ? TMPL_TAG_OTHER : TMPL_TAG_RTC);
    }
    tmpl_insert(b, i);
    return TMPL_DONE;
}

/* --- end tags --- */

static tmpl_step_e end_block(tmpl_builder_t *b, uint32_t i)
{
    close_in(b, b->tokens[i].name, TMPL_SCOPE, i);
    return TMPL_DONE;
}

/* "Any other end tag". */
static tmpl_step_e end_other(tmpl_builder_t *b, uint32_t i)
{
    close_in(b, b->tokens[i].name, TMPL_ANY_SPECIAL, i);
    return TMPL_DONE;
}

static tmpl_step_e end_item(tmpl_builder_t *b, uint32_t i)
{
    close_in(b, b->tokens[i].name, TMPL_ITEM_SCOPE, i);
    return TMPL_DONE;
}

/* Closes nothing: the rest of the page is still inside the open elements. */
static tmpl_step_e end_page(tmpl_builder_t *b, uint32_t i)
{
    (void)i;
    if (tmpl_has(b, TMPL_TAG_BODY, TMPL_SCOPE)) {
        tmpl_opens_taint(&b->s, 1);
        b->mode = TMPL_AFTER_BODY;
    }
    return TMPL_DONE;
}

static tmpl_step_e end_html(tmpl_builder_t *b, uint32_t i)
{
    end_page(b, i);
    return b->mode == TMPL_AFTER_BODY ? TMPL_AGAIN : TMPL_DONE;
}

/*
 * The index on the stack of the form that the form element pointer points to; 0 if it is not in
 * scope.
 */
static uint32_t find_form(const tmpl_builder_t *b)
{
    for (uint32_t k = b->s.n - 1; b->form != 0 && k > 0; k--) {
        if (b->s.stack[k].token == b->form - 1) {
            return k;
        }
        if (b->s.stack[k].flags & TMPL_SCOPE) {
            return 0;
        }
    }
    return 0;
}

/* Removes the form from the stack; elements that are open inside it stay open. */
static tmpl_step_e end_form(tmpl_builder_t *b, uint32_t i)
{
    if (b->s.n_of[TMPL_TAG_TEMPLATE] > 0) {
        return end_block(b, i);
    }
    uint32_t form = find_form(b);
    b->form = 0;
    if (form != 0) {
        tmpl_end_implied(b, TMPL_TAG_OTHER);
    }
    if (form != 0 && form == b->s.n - 1) {
        tmpl_opens_close(&b->s, form, i);
        return TMPL_DONE;
    }
    tmpl_taint_all(b);
    if (form != 0) {
        tmpl_opens_remove(&b->s, form);
    }
    return TMPL_DONE;
}

/* An end tag of p, without an open p, opens and closes a p. */
static tmpl_step_e end_p(tmpl_builder_t *b, uint32_t i)
{
    if (!close_in(b, TMPL_TAG_P, TMPL_BUTTON_SCOPE, i)) {
        tmpl_taint_all(b);
    }
    return TMPL_DONE;
}

/* HTML5 reads the end tag of br as its start tag. */
static tmpl_step_e end_br(tmpl_builder_t *b, uint32_t i)
{
    (void)i;
    tmpl_taint_all(b);
    tmpl_reconstruct(b);
    return TMPL_DONE;
}

/* Ends the innermost open heading, whatever its level. */
static tmpl_step_e end_heading(tmpl_builder_t *b, uint32_t i)
{
    for (uint32_t k = b->s.n - 1; k > 0; k--) {
        const tmpl_open_t *o = &b->s.stack[k];
        if (o->flags & TMPL_IS_HEADING) {
            tmpl_opens_close(&b->s, k, o->name == b->tokens[i].name ? i : TMPL_NONE);
            break;
        }
        if (o->flags & TMPL_SCOPE) {
            break;
        }
    }
    return TMPL_DONE;
}

static tmpl_step_e end_formatting(tmpl_builder_t *b, uint32_t i)
{
    tmpl_opens_adopt(&b->s, b->tokens[i].name, i);
    return TMPL_DONE;
}

/* --- the rule of a tag --- */

typedef struct {
    tmpl_rule_t start;
    tmpl_rule_t end;
} rules_t;

/* Tags with a rule of their own. */
static const rules_t own_rules[TMPL_TAG_COUNT] = {
    [TMPL_TAG_HTML] = { start_again, end_html },
    [TMPL_TAG_BODY] = { start_again, end_page },
    [TMPL_TAG_FRAMESET] = { .start = start_frameset },
    [TMPL_TAG_FRAME] = { .start = start_ignored },
    [TMPL_TAG_HEAD] = { .start = start_ignored },
    [TMPL_TAG_NOSCRIPT] = { .start = start_noscript },
    [TMPL_TAG_FORM] = { start_form_element, end_form },
    [TMPL_TAG_P] = { .end = end_p },
    [TMPL_TAG_BR] = { .end = end_br },
    [TMPL_TAG_LI] = { start_item, end_item },
    [TMPL_TAG_DD] = { start_item, end_block },
    [TMPL_TAG_DT] = { start_item, end_block },
    [TMPL_TAG_PLAINTEXT] = { start_plaintext, end_other },
    [TMPL_TAG_BUTTON] = { start_button, end_block },
    [TMPL_TAG_A] = { .start = start_link },
    [TMPL_TAG_NOBR] = { .start = start_nobr },
    [TMPL_TAG_TABLE] = { .start = start_table },
    [TMPL_TAG_APPLET] = { .end = end_block },
    [TMPL_TAG_MARQUEE] = { .end = end_block },
    [TMPL_TAG_OBJECT] = { .end = end_block },
    [TMPL_TAG_PARAM] = { .start = start_plain },
    [TMPL_TAG_SOURCE] = { .start = start_plain },
    [TMPL_TAG_TRACK] = { .start = start_plain },
    [TMPL_TAG_TEXTAREA] = { .start = start_plain },
    [TMPL_TAG_IFRAME] = { .start = start_plain },
    [TMPL_TAG_NOEMBED] = { .start = start_plain },
    [TMPL_TAG_XMP] = { start_xmp, end_other },
    [TMPL_TAG_SVG] = { .start = start_foreign },
    [TMPL_TAG_MATH] = { .start = start_foreign },
    [TMPL_TAG_SELECT] = { start_control, end_block },
    [TMPL_TAG_INPUT] = { .start = start_control },
    [TMPL_TAG_OPTION] = { .start = start_option },
    [TMPL_TAG_OPTGROUP] = { .start = start_option },
    [TMPL_TAG_HR] = { start_rule, end_other },
};

/* Rules for the other tags, by flags of tag.h. The first rule that fits applies. */
static const struct {
    unsigned flags;
    rules_t rules;
} rules_by_flags[] = {
    { TMPL_IS_FORMATTING, { .end = end_formatting } },
    { TMPL_IS_HEAD, { .start = tmpl_in_head } },
    { TMPL_IS_PART, { .start = start_ignored } },
    { TMPL_IS_HEADING, { start_heading, end_heading } },
    { TMPL_IS_RUBY, { .start = start_ruby } },
    { TMPL_IS_CLOSES_P, { start_block, end_block } },
};

static tmpl_rule_t rule_of(tmpl_tag_e tag, int is_end)
{
    tmpl_rule_t rule = is_end ? own_rules[tag].end : own_rules[tag].start;
    for (size_t k = 0; rule == NULL && k < LENGTH(rules_by_flags); k++) {
        if (tmpl_tag_flags(tag) & rules_by_flags[k].flags) {
            rule = is_end ? rules_by_flags[k].rules.end : rules_by_flags[k].rules.start;
        }
    }
    return rule != NULL ? rule : is_end ? end_other : insert_inline;
}

/*
 * Whether browsers before 2025 read the tag otherwise, in a select: they ignore most start tags
 * there, and close the select elsewhere.
 */
static int is_new_in_select(const tmpl_builder_t *b, tmpl_tag_e tag, int is_end)
{
    return b->s.n_of[TMPL_TAG_SELECT] > 0 && tag != TMPL_TAG_OPTION && tag != TMPL_TAG_OPTGROUP &&
           tag != TMPL_TAG_TEMPLATE &&
           (is_end ? tag != TMPL_TAG_SELECT : tag != TMPL_TAG_SCRIPT && tag != TMPL_TAG_HR);
}

tmpl_step_e tmpl_in_body(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    int is_end = tmpl_is_end(b, i);
    if (is_new_in_select(b, tag, is_end)) {
        tmpl_taint_all(b);
    }
    return rule_of(tag, is_end)(b, i);
}

/* A tag behind body: the parser is in body again, even if the tag opens or closes nothing. */
tmpl_step_e tmpl_after_body(tmpl_builder_t *b, uint32_t i)
{
    int is_end = tmpl_is_end(b, i);
    if (tmpl_tag_at(b, i) == TMPL_TAG_HTML) {
        b->mode = is_end ? TMPL_AFTER_AFTER_BODY : b->mode;
        return is_end ? TMPL_DONE : start_again(b, i);
    }
    if (is_end) {
        tmpl_opens_taint(&b->s, 1);
    }
    b->fixed |= !is_end; /* the tag must stay */
    return tmpl_again(b, TMPL_IN_BODY);
}
