/* SPDX-License-Identifier: Apache-2.0 */
#include "html/attr.h"
#include "html/builder.h"

/*
 * Each token, and each element that a token opens or reconstructs, needs a search of all open and
 * active elements. This many steps take a fraction of a second; pages take far fewer.
 */
#define MAX_STEPS 10000000u

static const tmpl_rule_t rules[TMPL_IN_COUNT] = {
    [TMPL_BEFORE_HEAD] = tmpl_before_head,
    [TMPL_IN_HEAD] = tmpl_in_head,
    [TMPL_IN_HEAD_NOSCRIPT] = tmpl_in_head_noscript,
    [TMPL_AFTER_HEAD] = tmpl_after_head,
    [TMPL_IN_BODY] = tmpl_in_body,
    [TMPL_IN_TABLE] = tmpl_in_table,
    [TMPL_IN_CAPTION] = tmpl_in_table,
    [TMPL_IN_COLGROUP] = tmpl_in_colgroup,
    [TMPL_IN_TABLE_BODY] = tmpl_in_table,
    [TMPL_IN_ROW] = tmpl_in_table,
    [TMPL_IN_CELL] = tmpl_in_table,
    [TMPL_IN_TEMPLATE] = tmpl_in_template,
    [TMPL_AFTER_BODY] = tmpl_after_body,
    [TMPL_AFTER_AFTER_BODY] = tmpl_after_body,
};

/* A comment or a doctype. The first doctype says whether the page is read in quirks mode. */
static void apply_other_token(tmpl_builder_t *b, const tmpl_token_t *token)
{
    if (b->initial && tmpl_is_doctype(b->src, token->span)) {
        b->quirks = tmpl_quirks(b->src, token->span);
        b->initial = 0;
    }
}

/* Reads the tag by the rules of the current mode, again until a rule is done with the tag. */
static void apply_rules(tmpl_builder_t *b, uint32_t i)
{
    int ends_template = tmpl_is_end(b, i) && tmpl_tag_at(b, i) == TMPL_TAG_TEMPLATE &&
                        b->s.n_of[TMPL_TAG_TEMPLATE] > 0;
    tmpl_step_e step = TMPL_AGAIN;
    while (step != TMPL_DONE && b->decline == TMPL_DECLINE_NONE) {
        int is_foreign = step == TMPL_AGAIN && tmpl_is_foreign(b, i);
        step = is_foreign      ? tmpl_in_foreign(b, i)
               : ends_template ? tmpl_end_template(b, i)
                               : rules[b->mode](b, i);
    }
}

/*
 * Opens the element of a start tag, if the tag does nothing else in body. Returns 0 for formatting
 * elements inside others and for tags that may end a p, too: their rules decide.
 */
static inline int open_ordinary(tmpl_builder_t *b, uint32_t i, tmpl_token_t *token)
{
    tmpl_tag_e tag = (tmpl_tag_e)token->tag;
    unsigned flags = tmpl_tag_flags(tag);
    unsigned placed = TMPL_IS_PLACED | (b->s.n_active > 0 ? TMPL_IS_FORMATTING : 0) |
                      (b->s.n_of[TMPL_TAG_P] > 0 ? TMPL_IS_CLOSES_P : 0);
    if ((flags & placed) || !tmpl_is_plain(b) || tmpl_opens_is_dangling(&b->s)) {
        return 0;
    }
    if ((flags & (TMPL_IS_VOID | TMPL_IS_RAW)) || tag == TMPL_TAG_NOSCRIPT || token->name == 0 ||
        tmpl_top(b)->keeps) {
        tmpl_insert(b, i);
    }
    else {
        tmpl_add_node(b, token);
        tmpl_opens_push(&b->s, i, tag, token->name);
    }
    return 1;
}

static void apply_start_tag(tmpl_builder_t *b, uint32_t i)
{
    b->fixed = (unsigned char)tmpl_begins_pre(b, b->tokens[i].span.start);
    apply_rules(b, i);
    b->fixed = 0;
}

/*
 * An end tag that does not pair with a start tag: it is ignored, or ends an element that HTML5
 * reconstructed. The text on both sides of it must not be cut as one.
 */
static void keep_apart(tmpl_builder_t *b)
{
    uint32_t k = b->s.n - 1;
    while (k > 0 && b->s.stack[k].token == TMPL_NONE) {
        tmpl_open_mix(&b->s.stack[k--]);
    }
    tmpl_open_mix(&b->s.stack[k]);
}

/* Whether an end tag only ends the innermost open element. */
static inline int ends_top(tmpl_builder_t *b, uint32_t name)
{
    const unsigned odd = TMPL_IS_MARKER | TMPL_IS_PART | TMPL_IS_NEVER_EDIT;
    const tmpl_open_t *top = tmpl_top(b);
    return top->name == name && !(top->flags & odd) && top->tag != TMPL_TAG_FORM &&
           tmpl_is_plain(b);
}

static void apply_end_tag(tmpl_builder_t *b, uint32_t i, uint32_t name)
{
    if (name == 0) {
        tmpl_taint_all(b); /* may end an element whose name browsers read as the same */
    }
    if (name == 0 || !ends_top(b, name)) {
        apply_rules(b, i);
    }
    else if (tmpl_top(b)->flags & TMPL_IS_FORMATTING) {
        tmpl_opens_adopt(&b->s, name, i);
    }
    else {
        tmpl_opens_close_top(&b->s);
    }
    if (b->s.paired != i) {
        keep_apart(b);
    }
}

/* The end tag of raw text. */
static void end_raw(tmpl_builder_t *b, uint32_t i)
{
    b->tokens[b->raw].end = i;
    b->tokens[b->raw].is_paired = 1;
    b->raw = TMPL_NONE;
}

static inline void follow_tag(tmpl_builder_t *b, uint32_t i, tmpl_token_t *token)
{
    b->began = b->s.events;
    if (b->raw != TMPL_NONE) {
        end_raw(b, i);
    }
    else if (token->type == TMPL_TOKEN_OTHER) {
        apply_other_token(b, token);
    }
    else {
        b->initial = 0;
        if (token->type == TMPL_TOKEN_END) {
            apply_end_tag(b, i, token->name);
        }
        else if (!open_ordinary(b, i, token)) {
            apply_start_tag(b, i);
        }
    }
    b->scan.in_foreign = tmpl_top(b)->foreign;
}

/* Reads a text. Most are white space between tags, which only reconstructs elements. */
static inline unsigned construct_read_text(tmpl_builder_t *b, uint32_t start, uint32_t end)
{
    int is_blank = tmpl_behind_spaces(b->src, start, end, b->len) == end;
    return is_blank && !tmpl_opens_is_dangling(&b->s) ? 0 : tmpl_text_token(b, start, end);
}

static tmpl_decline_e token_declined(tmpl_builder_t *b, const tmpl_token_t *token,
                                     tmpl_decline_e reason)
{
    b->out->declined_at = token->span.start;
    return reason;
}

static tmpl_decline_e read_all(tmpl_builder_t *b, uint32_t max_depth)
{
    uint64_t steps = 0;
    uint32_t at = b->scan.begin;
    for (uint32_t i = 0; tmpl_scan_next(&b->scan); i++) {
        uint32_t opened = b->s.last_id;
        tmpl_token_t *token = &b->tokens[i];
        b->s.at = i;
        if (at < token->span.start && b->raw == TMPL_NONE) {
            token->flags |= (unsigned char)construct_read_text(b, at, token->span.start);
        }
        follow_tag(b, i, token);
        if (b->decline != TMPL_DECLINE_NONE) {
            return token_declined(b, token, b->decline);
        }
        if (b->s.n > max_depth) {
            return token_declined(b, token, TMPL_DECLINE_TOO_DEEP);
        }
        steps += (uint64_t)(1 + b->s.last_id - opened) * (b->s.n + b->s.n_active);
        if (steps > MAX_STEPS) {
            return token_declined(b, token, TMPL_DECLINE_TOO_MANY);
        }
        at = token->span.end;
    }
    if (b->scan.n > b->scan.max) {
        return token_declined(b, &b->tokens[b->scan.max], TMPL_DECLINE_TOO_MANY);
    }
    b->s.at = b->scan.n;
    if (b->raw == TMPL_NONE) {
        b->out->text = at < b->scan.text_end ? construct_read_text(b, at, b->scan.text_end) : 0;
    }
    else {
        b->tokens[b->raw].may = 0; /* the source ends inside it */
    }
    return TMPL_DECLINE_NONE;
}

/* Reads the page as a browser does: one that runs scripts if scripting is set. */
static tmpl_decline_e read_page(tmpl_builder_t *b, int scripting, uint32_t max_tokens,
                                uint32_t max_depth, apr_pool_t *pool, apr_pool_t *scratch)
{
    tmpl_tokens_t *tokens = b->out;
    tmpl_scan_init(&b->scan, b->src, b->len, max_tokens, pool, scratch);
    b->tokens = b->scan.tokens;
    b->scripting = (unsigned char)scripting;
    b->quirks = TMPL_QUIRKS;
    b->initial = 1;
    b->raw = TMPL_NONE;
    b->templates = apr_array_make(scratch, 4, sizeof(tmpl_insertion_e));
    tmpl_opens_init(&b->s, b->tokens, b->src, scratch);
    *tokens = (tmpl_tokens_t){ .tokens = b->tokens, .body = TMPL_NONE, .declined_at = TMPL_NONE };
    tmpl_decline_e decline = read_all(b, max_depth);
    if (decline != TMPL_DECLINE_NONE) {
        return decline;
    }
    tmpl_opens_finish(&b->s);
    tokens->n = b->scan.n;
    tokens->n_attrs = b->scan.n_attrs;
    tokens->attrs = b->scan.attrs;
    b->scan.attrs[tokens->n_attrs] = TMPL_ATTRS_END;
    tokens->begin = b->scan.begin;
    tokens->text_end = b->scan.text_end;
    tokens->foreign_marks = (const uint32_t *)b->scan.foreign_marks->elts;
    tokens->n_foreign_marks = (uint32_t)b->scan.foreign_marks->nelts;
    const tmpl_open_t *body = &b->s.stack[b->s.n > 1 ? 1 : 0];
    if (body->token != TMPL_NONE && body->tag == TMPL_TAG_BODY && (body->may & TMPL_NODE_RUN)) {
        tokens->tokens[body->token].may = TMPL_NODE_RUN;
    }
    return TMPL_DECLINE_NONE;
}

tmpl_decline_e tmpl_construct(tmpl_tokens_t *tokens, const char *src, uint32_t len,
                              uint32_t max_tokens, uint32_t max_depth, apr_pool_t *pool,
                              apr_pool_t *scratch)
{
    tmpl_builder_t b = { .src = src, .len = len, .out = tokens };
    tmpl_decline_e decline = read_page(&b, 1, max_tokens, max_depth, pool, scratch);
    if (decline == TMPL_DECLINE_NONE && b.noscript) {
        tmpl_tokens_t without;
        tmpl_builder_t second = { .src = src, .len = len, .out = &without };
        if (read_page(&second, 0, max_tokens, max_depth, scratch, scratch) != TMPL_DECLINE_NONE) {
            without = (tmpl_tokens_t){ 0 }; /* nothing may be edited */
        }
        tmpl_noscript_agree(tokens, &without, pool);
        tokens->is_read_twice = 1;
    }
    return decline;
}
