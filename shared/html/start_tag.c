/* SPDX-License-Identifier: Apache-2.0 */
/* Start tags "in body": 13.2.6.4.7. */
#include "html/builder.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Opens an element that may stand beside text, after the active formatting elements. */
static tmpl_step_e insert_inline(tmpl_builder_t *b, uint32_t i)
{
    tmpl_reconstruct(b);
    tmpl_insert(b, i);
    return TMPL_DONE;
}

static void close_p(tmpl_builder_t *b)
{
    uint32_t p = tmpl_opens_find(&b->s, TMPL_TAG_P, tmpl_scope_button);
    if (p != 0) {
        tmpl_opens_close(&b->s, p, TMPL_NONE);
    }
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
    uint32_t button = tmpl_opens_find(&b->s, TMPL_TAG_BUTTON, tmpl_scope_plain);
    if (button != 0) {
        tmpl_taint_all(b);
        tmpl_opens_close(&b->s, button, TMPL_NONE);
    }
    return insert_inline(b, i);
}

/* A link closes the link that it would be inside. */
static tmpl_step_e start_link(tmpl_builder_t *b, uint32_t i)
{
    uint32_t active = tmpl_opens_active(&b->s, TMPL_TAG_A);
    if (active != 0) {
        tmpl_taint_all(b);
        tmpl_opens_adopt(&b->s, TMPL_TAG_A, TMPL_NONE);
        tmpl_opens_forget(&b->s, active); /* even if a table is between the two links */
    }
    return insert_inline(b, i);
}

static tmpl_step_e start_nobr(tmpl_builder_t *b, uint32_t i)
{
    tmpl_reconstruct(b);
    if (tmpl_has(b, TMPL_TAG_NOBR, tmpl_scope_plain)) {
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
    uint32_t select = tmpl_opens_find(&b->s, TMPL_TAG_SELECT, tmpl_scope_plain);
    if (select != 0) {
        tmpl_opens_close(&b->s, select, TMPL_NONE);
        if (tmpl_tag_at(b, i) == TMPL_TAG_SELECT) {
            return tmpl_ignore(b);
        }
    }
    return insert_inline(b, i);
}

/* Closes the elements that an option, a group of options, or an hr between options closes. */
static void end_options(tmpl_builder_t *b, tmpl_tag_e tag)
{
    if (tmpl_has(b, TMPL_TAG_SELECT, tmpl_scope_plain)) {
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
    if (tmpl_has(b, TMPL_TAG_RUBY, tmpl_scope_plain)) {
        tmpl_end_implied(b,
                         tag == TMPL_TAG_RB || tag == TMPL_TAG_RTC ? TMPL_TAG_OTHER : TMPL_TAG_RTC);
    }
    tmpl_insert(b, i);
    return TMPL_DONE;
}

/* Tags with a rule of their own. */
static const tmpl_rule_t own_rules[TMPL_TAG_COUNT] = {
    [TMPL_TAG_HTML] = start_again,
    [TMPL_TAG_BODY] = start_again,
    [TMPL_TAG_FRAMESET] = start_frameset,
    [TMPL_TAG_FRAME] = start_ignored,
    [TMPL_TAG_HEAD] = start_ignored,
    [TMPL_TAG_NOSCRIPT] = start_noscript,
    [TMPL_TAG_FORM] = start_form_element,
    [TMPL_TAG_LI] = start_item,
    [TMPL_TAG_DD] = start_item,
    [TMPL_TAG_DT] = start_item,
    [TMPL_TAG_PLAINTEXT] = start_plaintext,
    [TMPL_TAG_BUTTON] = start_button,
    [TMPL_TAG_A] = start_link,
    [TMPL_TAG_NOBR] = start_nobr,
    [TMPL_TAG_TABLE] = start_table,
    [TMPL_TAG_PARAM] = start_plain,
    [TMPL_TAG_SOURCE] = start_plain,
    [TMPL_TAG_TRACK] = start_plain,
    [TMPL_TAG_TEXTAREA] = start_plain,
    [TMPL_TAG_IFRAME] = start_plain,
    [TMPL_TAG_NOEMBED] = start_plain,
    [TMPL_TAG_XMP] = start_xmp,
    [TMPL_TAG_SVG] = start_foreign,
    [TMPL_TAG_MATH] = start_foreign,
    [TMPL_TAG_SELECT] = start_control,
    [TMPL_TAG_INPUT] = start_control,
    [TMPL_TAG_OPTION] = start_option,
    [TMPL_TAG_OPTGROUP] = start_option,
    [TMPL_TAG_HR] = start_rule,
};

/* Rules for the other tags, by flags of tag.h. The first rule that fits applies. */
static const tmpl_flag_rule_t rules_by_flags[] = {
    { TMPL_IS_HEAD, tmpl_start_head },  { TMPL_IS_PART, start_ignored },
    { TMPL_IS_HEADING, start_heading }, { TMPL_IS_RUBY, start_ruby },
    { TMPL_IS_CLOSES_P, start_block },
};

/*
 * Whether the tag may stand in a select since 2025 only: older browsers ignore it there, and close
 * the select elsewhere.
 */
static int is_new_in_select(const tmpl_builder_t *b, tmpl_tag_e tag)
{
    return b->s.n_of[TMPL_TAG_SELECT] > 0 && tag != TMPL_TAG_OPTION && tag != TMPL_TAG_OPTGROUP &&
           tag != TMPL_TAG_SCRIPT && tag != TMPL_TAG_TEMPLATE && tag != TMPL_TAG_HR;
}

tmpl_step_e tmpl_start_body(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    if (is_new_in_select(b, tag)) {
        tmpl_taint_all(b);
    }
    tmpl_rule_t rule = tmpl_rule_of(tag, own_rules, rules_by_flags, LENGTH(rules_by_flags));
    return rule != NULL ? rule(b, i) : insert_inline(b, i);
}

/* A start tag behind body: the parser is in body again, so the tag must stay. */
tmpl_step_e tmpl_start_after_body(tmpl_builder_t *b, uint32_t i)
{
    if (tmpl_tag_at(b, i) == TMPL_TAG_HTML) {
        return start_again(b, i);
    }
    b->fixed = 1;
    return tmpl_again(b, TMPL_IN_BODY);
}
