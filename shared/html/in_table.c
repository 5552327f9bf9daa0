/* SPDX-License-Identifier: Apache-2.0 */
/* Insertion modes of tables and their parts: 13.2.6.4.9 to 13.2.6.4.15. */
#include "html/attr.h"
#include "html/builder.h"

/* Sets of tags of table parts: each part has a bit. */
enum {
    CAPTION = 1,
    COL = 2,
    COLGROUP = 4,
    SECTION = 8, /* tbody, thead, tfoot */
    CELL = 16,   /* td, th */
    ROW = 32,
    TABLE = 64,
    OUTER = 128, /* html, body */
    ANY_PART = CAPTION | COL | COLGROUP | SECTION | CELL | ROW
};

static unsigned bit_of_tag(tmpl_tag_e tag)
{
    static const unsigned char bits[TMPL_TAG_COUNT] = {
        [TMPL_TAG_CAPTION] = CAPTION, [TMPL_TAG_COL] = COL,       [TMPL_TAG_COLGROUP] = COLGROUP,
        [TMPL_TAG_TBODY] = SECTION,   [TMPL_TAG_THEAD] = SECTION, [TMPL_TAG_TFOOT] = SECTION,
        [TMPL_TAG_TD] = CELL,         [TMPL_TAG_TH] = CELL,       [TMPL_TAG_TR] = ROW,
        [TMPL_TAG_TABLE] = TABLE,     [TMPL_TAG_HTML] = OUTER,    [TMPL_TAG_BODY] = OUTER,
    };
    return bits[tag];
}

/*
 * Closes the innermost table. end is its end tag, or TMPL_NONE if another table's start tag closes
 * it. Returns 0 if no table is open.
 */
static int close_table(tmpl_builder_t *b, uint32_t end)
{
    uint32_t table = tmpl_opens_find(&b->s, TMPL_TAG_TABLE, TMPL_TABLE_SCOPE);
    if (table == 0) {
        return 0;
    }
    tmpl_opens_close(&b->s, table, end);
    tmpl_reset_mode(b);
    return 1;
}

static int is_hidden_input(const tmpl_builder_t *b, uint32_t i)
{
    tmpl_attr_t type;
    return tmpl_attr_find(&type, b->src, b->tokens[i].span, "type") &&
           tmpl_span_is(b->src, type.value, "hidden");
}

/* A form in a table is opened and closed at once. */
static tmpl_step_e start_form_in_table(tmpl_builder_t *b, uint32_t i)
{
    tmpl_taint_all(b);
    tmpl_open_mix(tmpl_top(b)); /* forms elsewhere change how this one is read */
    if (b->form == 0 && b->s.n_of[TMPL_TAG_TEMPLATE] == 0) {
        tmpl_insert_empty(b, i);
        b->tokens[i].may = 0;
        b->form = i + 1;
    }
    return TMPL_DONE;
}

/*
 * A tag that may not stand in a table is read by the rules of body. If it is directly in the table,
 * it is moved in front of the table.
 */
static tmpl_step_e move_out(tmpl_builder_t *b, uint32_t i)
{
    b->foster = 1;
    tmpl_step_e step = tmpl_in_body(b, i);
    b->foster = 0;
    return step;
}

/* A tag in a table, its sections or rows that is not a part of a table. */
static tmpl_step_e in_table_other(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    if (tmpl_is_end(b, i)) {
        return move_out(b, i);
    }
    if (tag == TMPL_TAG_TABLE) {
        tmpl_taint_all(b);
        return close_table(b, TMPL_NONE) ? TMPL_AGAIN : tmpl_ignore(b);
    }
    if (tag == TMPL_TAG_STYLE || tag == TMPL_TAG_SCRIPT || tag == TMPL_TAG_TEMPLATE) {
        return tmpl_in_head(b, i);
    }
    if (tag == TMPL_TAG_INPUT && is_hidden_input(b, i)) {
        tmpl_insert_empty(b, i);
        return TMPL_DONE;
    }
    return tag == TMPL_TAG_FORM ? start_form_in_table(b, i) : move_out(b, i);
}

/* What the modes have in common. All but "in table" read the content of a part of a table. */
static const struct {
    unsigned char own;      /* the element whose content the mode reads */
    unsigned char closes;   /* end tags that close it before they are read again: always, or */
    unsigned char in_scope; /* only if their own element is in table scope, as with its own */
    unsigned char outside;  /* the mode behind it */
    tmpl_rule_t other;      /* for tags that are no part of a table */
} contexts[TMPL_IN_COUNT] = {
    [TMPL_IN_TABLE] = { TABLE, 0, 0, 0, in_table_other },
    [TMPL_IN_CAPTION] = { CAPTION, TABLE, 0, TMPL_IN_TABLE, tmpl_in_body },
    [TMPL_IN_TABLE_BODY] = { SECTION, TABLE, 0, TMPL_IN_TABLE, in_table_other },
    [TMPL_IN_ROW] = { ROW, TABLE, SECTION, TMPL_IN_TABLE_BODY, in_table_other },
    [TMPL_IN_CELL] = { CELL, 0, TABLE | SECTION | ROW, TMPL_IN_ROW, tmpl_in_body },
};

/* Parts that open an element in a mode; all other parts close the mode's own element. */
static const struct {
    unsigned char mode;
    unsigned char parts;
    unsigned char
        implied;          /* the tag that the source leaves out, and not the part is opened; or 0 */
    unsigned char inside; /* the mode for its content */
} openings[] = {
    { TMPL_IN_ROW, CELL, 0, TMPL_IN_CELL },
    { TMPL_IN_TABLE_BODY, CELL, TMPL_TAG_TR, TMPL_IN_ROW },
    { TMPL_IN_TABLE_BODY, ROW, 0, TMPL_IN_ROW },
    { TMPL_IN_TABLE, ROW | CELL, TMPL_TAG_TBODY, TMPL_IN_TABLE_BODY },
    { TMPL_IN_TABLE, SECTION, 0, TMPL_IN_TABLE_BODY },
    { TMPL_IN_TABLE, COL, TMPL_TAG_COLGROUP, TMPL_IN_COLGROUP },
    { TMPL_IN_TABLE, COLGROUP, 0, TMPL_IN_COLGROUP },
    { TMPL_IN_TABLE, CAPTION, 0, TMPL_IN_CAPTION },
};

/* "Clear the stack back to a table (table body, table row) context." */
static void clear_back_to(tmpl_builder_t *b, unsigned own)
{
    uint32_t keep = b->s.n - 1;
    while (keep > 0 && !(bit_of_tag(b->s.stack[keep].tag) & own) &&
           b->s.stack[keep].tag != TMPL_TAG_TEMPLATE) {
        keep--;
    }
    tmpl_opens_pop_above(&b->s, keep);
}

/*
 * Closes the mode's own element, if it is in table scope; else ignores the tag. end is the
 * element's own end tag, which is done then; with TMPL_NONE the tag is read again outside.
 */
static tmpl_step_e close_own(tmpl_builder_t *b, uint32_t end)
{
    for (uint32_t k = b->s.n - 1; k > 0; k--) {
        if (bit_of_tag(b->s.stack[k].tag) & contexts[b->mode].own) {
            tmpl_opens_close(&b->s, k, end);
            b->mode = contexts[b->mode].outside;
            return end == TMPL_NONE ? TMPL_AGAIN : TMPL_DONE;
        }
        if (b->s.stack[k].flags & TMPL_TABLE_SCOPE) {
            break;
        }
    }
    return tmpl_ignore(b);
}

static tmpl_step_e start_part(tmpl_builder_t *b, uint32_t i, unsigned part)
{
    for (size_t k = 0; k < sizeof(openings) / sizeof(openings[0]); k++) {
        if (openings[k].mode != b->mode || !(openings[k].parts & part)) {
            continue;
        }
        tmpl_tag_e implied = openings[k].implied;
        clear_back_to(b, contexts[b->mode].own);
        b->mode = openings[k].inside;
        if (implied != TMPL_TAG_OTHER) {
            tmpl_opens_push(&b->s, TMPL_NONE, implied, implied);
            return TMPL_AGAIN;
        }
        tmpl_insert(b, i);
        return TMPL_DONE;
    }
    return close_own(b, TMPL_NONE);
}

static tmpl_step_e end_part(tmpl_builder_t *b, uint32_t i, unsigned part)
{
    unsigned own = contexts[b->mode].own;
    if (b->mode == TMPL_IN_TABLE) {
        return part == TABLE && close_table(b, i) ? TMPL_DONE : tmpl_ignore(b);
    }
    if (contexts[b->mode].closes & part) {
        return close_own(b, TMPL_NONE);
    }
    if (!((own | contexts[b->mode].in_scope) & part) ||
        tmpl_opens_find(&b->s, b->tokens[i].name, TMPL_TABLE_SCOPE) == 0) {
        return tmpl_ignore(b);
    }
    return close_own(b, part == own ? i : TMPL_NONE);
}

tmpl_step_e tmpl_in_table(tmpl_builder_t *b, uint32_t i)
{
    unsigned part = bit_of_tag(tmpl_tag_at(b, i));
    if (tmpl_is_end(b, i) ? part != 0 : (part & ANY_PART) != 0) {
        return tmpl_is_end(b, i) ? end_part(b, i, part) : start_part(b, i, part);
    }
    return contexts[b->mode].other(b, i);
}

/* Every tag but col ends the colgroup. */
tmpl_step_e tmpl_in_colgroup(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    int is_end = tmpl_is_end(b, i);
    int is_own_end = is_end && tag == TMPL_TAG_COLGROUP;
    if (tag == TMPL_TAG_COL && !is_end) {
        tmpl_insert(b, i);
        return TMPL_DONE;
    }
    if (!is_end && (tag == TMPL_TAG_HTML || tag == TMPL_TAG_TEMPLATE)) {
        return tag == TMPL_TAG_HTML ? tmpl_in_body(b, i) : tmpl_in_head(b, i);
    }
    if ((is_end && (tag == TMPL_TAG_COL || tag == TMPL_TAG_TEMPLATE)) ||
        tmpl_top(b)->tag != TMPL_TAG_COLGROUP) {
        return tmpl_ignore(b);
    }
    tmpl_opens_close(&b->s, b->s.n - 1, is_own_end ? i : TMPL_NONE);
    b->mode = TMPL_IN_TABLE;
    return is_own_end ? TMPL_DONE : TMPL_AGAIN;
}
