/* SPDX-License-Identifier: Apache-2.0 */
/* End tags "in body": 13.2.6.4.7. */
#include "html/builder.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Closes the element of the end tag's name, if it is in scope. */
static tmpl_step_e close_in(tmpl_builder_t *b, uint32_t i, tmpl_scope_t scope)
{
    uint32_t index = tmpl_opens_find(&b->s, b->tokens[i].name, scope);
    if (index != 0) {
        tmpl_opens_close(&b->s, index, i);
    }
    return TMPL_DONE;
}

static tmpl_step_e end_block(tmpl_builder_t *b, uint32_t i)
{
    return close_in(b, i, tmpl_scope_plain);
}

/* "Any other end tag". */
static tmpl_step_e end_other(tmpl_builder_t *b, uint32_t i)
{
    return close_in(b, i, tmpl_scope_special);
}

static tmpl_step_e end_item(tmpl_builder_t *b, uint32_t i)
{
    return close_in(b, i, tmpl_scope_item);
}

/* Closes nothing: the rest of the page is still inside the open elements. */
static tmpl_step_e end_page(tmpl_builder_t *b, uint32_t i)
{
    (void)i;
    if (tmpl_has(b, TMPL_TAG_BODY, tmpl_scope_plain)) {
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
        if (tmpl_scope_plain(&b->s.stack[k])) {
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
    tmpl_open_mix(tmpl_top(b));
    if (form != 0) {
        tmpl_opens_remove(&b->s, form);
    }
    return TMPL_DONE;
}

/* An end tag of p, without an open p, opens and closes a p. */
static tmpl_step_e end_p(tmpl_builder_t *b, uint32_t i)
{
    uint32_t p = tmpl_opens_find(&b->s, TMPL_TAG_P, tmpl_scope_button);
    if (p == 0) {
        tmpl_taint_all(b);
        tmpl_open_mix(tmpl_top(b));
        return TMPL_DONE;
    }
    tmpl_opens_close(&b->s, p, i);
    return TMPL_DONE;
}

/* HTML5 reads the end tag of br as its start tag. */
static tmpl_step_e end_br(tmpl_builder_t *b, uint32_t i)
{
    (void)i;
    tmpl_taint_all(b);
    tmpl_reconstruct(b);
    tmpl_open_mix(tmpl_top(b));
    return TMPL_DONE;
}

/* Ends the innermost open heading, whatever its level. */
static tmpl_step_e end_heading(tmpl_builder_t *b, uint32_t i)
{
    for (uint32_t k = b->s.n - 1; k > 0; k--) {
        const tmpl_open_t *o = &b->s.stack[k];
        if ((o->flags & TMPL_IS_HEADING) && !o->foreign) {
            tmpl_opens_close(&b->s, k, o->name == b->tokens[i].name ? i : TMPL_NONE);
            break;
        }
        if (tmpl_scope_plain(o)) {
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

/* End tags with a rule of their own. */
static const tmpl_rule_t own_rules[TMPL_TAG_COUNT] = {
    [TMPL_TAG_BODY] = end_page,       [TMPL_TAG_HTML] = end_html,
    [TMPL_TAG_FORM] = end_form,       [TMPL_TAG_P] = end_p,
    [TMPL_TAG_BR] = end_br,           [TMPL_TAG_LI] = end_item,
    [TMPL_TAG_DD] = end_block,        [TMPL_TAG_DT] = end_block,
    [TMPL_TAG_BUTTON] = end_block,    [TMPL_TAG_SELECT] = end_block,
    [TMPL_TAG_APPLET] = end_block,    [TMPL_TAG_MARQUEE] = end_block,
    [TMPL_TAG_OBJECT] = end_block,    [TMPL_TAG_TEMPLATE] = tmpl_end_template,
    [TMPL_TAG_PLAINTEXT] = end_other, [TMPL_TAG_XMP] = end_other,
    [TMPL_TAG_HR] = end_other,
};

static const tmpl_flag_rule_t rules_by_flags[] = {
    { TMPL_IS_FORMATTING, end_formatting },
    { TMPL_IS_HEADING, end_heading },
    { TMPL_IS_CLOSES_P, end_block },
};

tmpl_step_e tmpl_end_body(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    if (b->s.n_of[TMPL_TAG_SELECT] > 0 && tag != TMPL_TAG_SELECT && tag != TMPL_TAG_OPTION &&
        tag != TMPL_TAG_OPTGROUP && tag != TMPL_TAG_TEMPLATE) {
        tmpl_taint_all(b); /* browsers before 2025 read the tag otherwise */
    }
    tmpl_rule_t rule = tmpl_rule_of(tag, own_rules, rules_by_flags, LENGTH(rules_by_flags));
    return rule != NULL ? rule(b, i) : end_other(b, i);
}

/* An end tag behind body: the parser is in body again, even if the tag closes nothing. */
tmpl_step_e tmpl_end_after_body(tmpl_builder_t *b, uint32_t i)
{
    if (tmpl_tag_at(b, i) == TMPL_TAG_HTML) {
        b->mode = TMPL_AFTER_AFTER_BODY;
        return TMPL_DONE;
    }
    tmpl_opens_taint(&b->s, 1);
    return tmpl_again(b, TMPL_IN_BODY);
}
