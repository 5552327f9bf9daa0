/* SPDX-License-Identifier: Apache-2.0 */
#include "html/construct.h"

#include "html/attr.h"
#include "html/builder.h"
#include "html/noscript.h"

/*
 * Each token, and each element that a token opens or reconstructs, needs a search of all open and
 * active elements. This many steps take a fraction of a second; pages take far fewer.
 */
#define MAX_STEPS 10000000u

static const tmpl_rule_t start_rules[TMPL_IN_COUNT] = {
    [TMPL_BEFORE_HEAD] = tmpl_start_before_head,
    [TMPL_IN_HEAD] = tmpl_start_head,
    [TMPL_IN_HEAD_NOSCRIPT] = tmpl_start_head_noscript,
    [TMPL_AFTER_HEAD] = tmpl_start_after_head,
    [TMPL_IN_BODY] = tmpl_start_body,
    [TMPL_IN_TABLE] = tmpl_start_table,
    [TMPL_IN_CAPTION] = tmpl_start_caption,
    [TMPL_IN_COLGROUP] = tmpl_start_colgroup,
    [TMPL_IN_TABLE_BODY] = tmpl_start_table_body,
    [TMPL_IN_ROW] = tmpl_start_row,
    [TMPL_IN_CELL] = tmpl_start_cell,
    [TMPL_IN_TEMPLATE] = tmpl_start_in_template,
    [TMPL_AFTER_BODY] = tmpl_start_after_body,
    [TMPL_AFTER_AFTER_BODY] = tmpl_start_after_body,
};

static const tmpl_rule_t end_rules[TMPL_IN_COUNT] = {
    [TMPL_BEFORE_HEAD] = tmpl_end_before_head,
    [TMPL_IN_HEAD] = tmpl_end_head,
    [TMPL_IN_HEAD_NOSCRIPT] = tmpl_end_head_noscript,
    [TMPL_AFTER_HEAD] = tmpl_end_after_head,
    [TMPL_IN_BODY] = tmpl_end_body,
    [TMPL_IN_TABLE] = tmpl_end_table,
    [TMPL_IN_CAPTION] = tmpl_end_caption,
    [TMPL_IN_COLGROUP] = tmpl_end_colgroup,
    [TMPL_IN_TABLE_BODY] = tmpl_end_table_body,
    [TMPL_IN_ROW] = tmpl_end_row,
    [TMPL_IN_CELL] = tmpl_end_cell,
    [TMPL_IN_TEMPLATE] = tmpl_end_in_template,
    [TMPL_AFTER_BODY] = tmpl_end_after_body,
    [TMPL_AFTER_AFTER_BODY] = tmpl_end_after_body,
};

/*
 * Start tag i opens an element: a node of the page, unless an element around it is not displayed.
 */
static inline void add_node(tmpl_builder_t *b, tmpl_token_t *token)
{
    if (!tmpl_top(b)->quiet) {
        token->is_node = 1;
        b->out->n_nodes++;
        b->out->n_segments += (token->tag == TMPL_TAG_A) | (token->tag == TMPL_TAG_IMG);
        if (b->form != 0 && b->tokens[b->form - 1].is_node) {
            token->flags |= TMPL_TOKEN_IN_FORM;
        }
    }
}

/* Whether start tag i must stay because it does more than open its element. */
static inline int is_fixed(tmpl_builder_t *b, uint32_t i)
{
    if (b->tokens[i].name == 0) {
        tmpl_taint_all(b); /* browsers may read its name as another name on the page */
    }
    return b->fixed || b->s.events != b->began || tmpl_top(b)->keeps || b->tokens[i].name == 0;
}

/* Whether the current tag is moved in front of the table that it stands in. */
static inline int is_moved(tmpl_builder_t *b)
{
    if (!b->foster || !(tmpl_top(b)->flags & TMPL_IS_TABLE)) {
        return 0;
    }
    tmpl_taint_all(b);
    return 1;
}

void tmpl_insert_empty(tmpl_builder_t *b, uint32_t i)
{
    int edit = !is_moved(b) & !is_fixed(b, i);
    add_node(b, &b->tokens[i]);
    b->tokens[i].end = i;
    b->tokens[i].may = (unsigned char)(edit ? TMPL_NODE_MARK | TMPL_NODE_CUT : 0);
}

static void insert_raw(tmpl_builder_t *b, uint32_t i)
{
    tmpl_insert_empty(b, i);
    b->tokens[i].end = TMPL_NONE;
    b->raw = i;
    tmpl_scan_raw(&b->scan, tmpl_tag_at(b, i));
    if (b->tokens[i].tag == TMPL_TAG_NOSCRIPT) {
        b->noscript |= !tmpl_noscript_is_closed(b, b->tokens[i].span.end, b->scan.at);
    }
}

/* Whether the content of an element is text up to its end tag. */
static inline int is_raw(const tmpl_builder_t *b, tmpl_tag_e tag)
{
    return (tmpl_tag_flags(tag) & TMPL_IS_RAW) || (tag == TMPL_TAG_NOSCRIPT && b->scripting);
}

void tmpl_insert(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    if (tmpl_tag_flags(tag) & TMPL_IS_VOID) {
        tmpl_insert_empty(b, i);
    }
    else if (is_raw(b, tag)) {
        insert_raw(b, i);
    }
    else {
        int moved = is_moved(b);
        int fixed = is_fixed(b, i);
        add_node(b, &b->tokens[i]);
        tmpl_open_t *o = tmpl_opens_push(&b->s, i, tag, b->tokens[i].name);
        o->may &= (unsigned char)(fixed ? ~TMPL_NODE_CUT : ~0);
        o->tainted |= (unsigned char)moved;
    }
}

void tmpl_insert_implied(tmpl_builder_t *b, tmpl_tag_e tag)
{
    tmpl_opens_push(&b->s, TMPL_NONE, tag, tag);
}

tmpl_rule_t tmpl_rule_of(tmpl_tag_e tag, const tmpl_rule_t *own, const tmpl_flag_rule_t *by_flags,
                         size_t n)
{
    for (size_t k = 0; own[tag] == NULL && k < n; k++) {
        if (tmpl_tag_flags(tag) & by_flags[k].flags) {
            return by_flags[k].rule;
        }
    }
    return own[tag];
}

void tmpl_open_body(tmpl_builder_t *b, uint32_t token)
{
    tmpl_opens_push(&b->s, token, TMPL_TAG_BODY, TMPL_TAG_BODY)->quiet = 0;
    b->out->body = token;
    b->mode = TMPL_IN_BODY;
}

void tmpl_reconstruct(tmpl_builder_t *b)
{
    if (tmpl_opens_is_dangling(&b->s)) {
        tmpl_opens_reconstruct(&b->s);
    }
}

void tmpl_reset_mode(tmpl_builder_t *b)
{
    static const unsigned char modes[TMPL_TAG_COUNT] = {
        [TMPL_TAG_TD] = TMPL_IN_CELL,          [TMPL_TAG_TH] = TMPL_IN_CELL,
        [TMPL_TAG_TR] = TMPL_IN_ROW,           [TMPL_TAG_TBODY] = TMPL_IN_TABLE_BODY,
        [TMPL_TAG_THEAD] = TMPL_IN_TABLE_BODY, [TMPL_TAG_TFOOT] = TMPL_IN_TABLE_BODY,
        [TMPL_TAG_CAPTION] = TMPL_IN_CAPTION,  [TMPL_TAG_COLGROUP] = TMPL_IN_COLGROUP,
        [TMPL_TAG_TABLE] = TMPL_IN_TABLE,      [TMPL_TAG_HEAD] = TMPL_IN_HEAD,
        [TMPL_TAG_BODY] = TMPL_IN_BODY,
    };
    for (uint32_t i = b->s.n - 1; i > 0; i--) {
        tmpl_tag_e tag = b->s.stack[i].tag;
        if (tag == TMPL_TAG_TEMPLATE) {
            b->mode = APR_ARRAY_IDX(b->templates, b->templates->nelts - 1, tmpl_insertion_e);
            return;
        }
        if (modes[tag] != 0) {
            b->mode = (tmpl_insertion_e)modes[tag];
            return;
        }
    }
    b->mode = TMPL_AFTER_HEAD;
}

void tmpl_end_implied(tmpl_builder_t *b, tmpl_tag_e except)
{
    while ((tmpl_top(b)->flags & (TMPL_IS_IMPLIED | TMPL_IS_PART)) == TMPL_IS_IMPLIED &&
           tmpl_top(b)->tag != except) {
        tmpl_opens_close(&b->s, b->s.n - 1, TMPL_NONE);
    }
}

/* A comment or a doctype. The first doctype says whether the page is read in quirks mode. */
static void apply_other_token(tmpl_builder_t *b, const tmpl_token_t *token)
{
    if (b->initial && tmpl_is_doctype(b->src, token->span)) {
        b->quirks = tmpl_quirks(b->src, token->span);
        b->initial = 0;
    }
}

/* Reads the tag by the rules of the current mode, again until a rule is done with the tag. */
static void apply_rules(tmpl_builder_t *b, uint32_t i, const tmpl_rule_t *rules,
                        tmpl_rule_t foreign)
{
    tmpl_step_e step = TMPL_AGAIN;
    while (step != TMPL_DONE && b->decline == TMPL_DECLINE_NONE) {
        int is_foreign = step == TMPL_AGAIN && tmpl_is_foreign(b, i);
        step = is_foreign ? foreign(b, i) : rules[b->mode](b, i);
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
        add_node(b, token);
        tmpl_opens_push(&b->s, i, tag, token->name);
    }
    return 1;
}

static void apply_start_tag(tmpl_builder_t *b, uint32_t i)
{
    b->fixed = (unsigned char)tmpl_begins_pre(b, b->tokens[i].span.start);
    apply_rules(b, i, start_rules, tmpl_start_foreign);
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
        apply_rules(b, i, end_rules, tmpl_end_foreign);
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
                                uint32_t max_depth, apr_pool_t *pool)
{
    tmpl_tokens_t *tokens = b->out;
    tmpl_scan_init(&b->scan, b->src, b->len, max_tokens, pool);
    b->tokens = b->scan.tokens;
    b->scripting = (unsigned char)scripting;
    b->quirks = TMPL_QUIRKS;
    b->initial = 1;
    b->raw = TMPL_NONE;
    b->templates = apr_array_make(pool, 4, sizeof(tmpl_insertion_e));
    tmpl_opens_init(&b->s, b->tokens, b->src, pool);
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
    if (b->scan.foreign_marks != NULL) {
        tokens->foreign_marks = (const uint32_t *)b->scan.foreign_marks->elts;
        tokens->n_foreign_marks = (uint32_t)b->scan.foreign_marks->nelts;
    }
    const tmpl_open_t *body = &b->s.stack[b->s.n > 1 ? 1 : 0];
    if (body->token != TMPL_NONE && body->tag == TMPL_TAG_BODY && (body->may & TMPL_NODE_RUN)) {
        tokens->tokens[body->token].may = TMPL_NODE_RUN;
    }
    return TMPL_DECLINE_NONE;
}

tmpl_decline_e tmpl_construct(tmpl_tokens_t *tokens, const char *src, uint32_t len,
                              uint32_t max_tokens, uint32_t max_depth, apr_pool_t *pool)
{
    tmpl_builder_t b = { .src = src, .len = len, .out = tokens };
    tmpl_decline_e decline = read_page(&b, 1, max_tokens, max_depth, pool);
    if (decline == TMPL_DECLINE_NONE && b.noscript) {
        tmpl_tokens_t without;
        tmpl_builder_t second = { .src = src, .len = len, .out = &without };
        if (read_page(&second, 0, max_tokens, max_depth, pool) != TMPL_DECLINE_NONE) {
            without = (tmpl_tokens_t){ 0 }; /* nothing may be edited */
        }
        tmpl_noscript_agree(tokens, &without, pool);
    }
    return decline;
}
