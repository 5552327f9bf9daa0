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
 * "Clear the stack back to a table (table body, table row) context": closes all elements inside the
 * innermost open element of the set.
 */
static void clear_back_to(tmpl_builder_t *b, unsigned set)
{
    uint32_t keep = b->s.n - 1;
    while (keep > 0 && !(bit_of_tag(b->s.stack[keep].tag) & set) &&
           b->s.stack[keep].tag != TMPL_TAG_TEMPLATE) {
        keep--;
    }
    tmpl_opens_pop_above(&b->s, keep);
}

/* The index of the innermost element of the set in table scope; 0 if there is none. */
static uint32_t find_table_part(const tmpl_builder_t *b, unsigned set)
{
    for (uint32_t i = b->s.n - 1; i > 0; i--) {
        if (bit_of_tag(b->s.stack[i].tag) & set) {
            return i;
        }
        if (tmpl_scope_table(&b->s.stack[i])) {
            return 0;
        }
    }
    return 0;
}

/*
 * Reads a tag that may not stand in a table by a rule of body. If the tag is directly in the table,
 * it is moved in front of the table.
 */
static tmpl_step_e move_out(tmpl_builder_t *b, uint32_t i, tmpl_rule_t rule)
{
    b->foster = 1;
    tmpl_step_e step = rule(b, i);
    b->foster = 0;
    return step;
}

static tmpl_step_e insert_part(tmpl_builder_t *b, uint32_t i, tmpl_insertion_e mode)
{
    tmpl_insert(b, i);
    b->mode = mode;
    return TMPL_DONE;
}

/* Opens a part that the source leaves out; the part's rules read the tag again. */
static tmpl_step_e imply_part(tmpl_builder_t *b, tmpl_tag_e tag, tmpl_insertion_e mode)
{
    tmpl_insert_implied(b, tag);
    return tmpl_again(b, mode);
}

/*
 * Closes the innermost table. end is its end tag, or TMPL_NONE if another table's start tag closes
 * it. Returns 0 if no table is open.
 */
static int close_table(tmpl_builder_t *b, uint32_t end)
{
    uint32_t table = tmpl_opens_find(&b->s, TMPL_TAG_TABLE, tmpl_scope_table);
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

/* A start tag in a table that is not a table part. */
static tmpl_step_e start_other(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    if (tag == TMPL_TAG_TABLE) {
        tmpl_taint_all(b);
        return close_table(b, TMPL_NONE) ? TMPL_AGAIN : tmpl_ignore(b);
    }
    if (tag == TMPL_TAG_STYLE || tag == TMPL_TAG_SCRIPT || tag == TMPL_TAG_TEMPLATE) {
        return tmpl_start_head(b, i);
    }
    if (tag == TMPL_TAG_INPUT && is_hidden_input(b, i)) {
        tmpl_insert_empty(b, i);
        return TMPL_DONE;
    }
    return tag == TMPL_TAG_FORM ? start_form_in_table(b, i) : move_out(b, i, tmpl_start_body);
}

tmpl_step_e tmpl_start_table(tmpl_builder_t *b, uint32_t i)
{
    unsigned part = bit_of_tag(tmpl_tag_at(b, i));
    if (!(part & ANY_PART)) {
        return start_other(b, i);
    }
    clear_back_to(b, TABLE);
    switch (part) {
    case CAPTION:
        return insert_part(b, i, TMPL_IN_CAPTION);
    case COLGROUP:
        return insert_part(b, i, TMPL_IN_COLGROUP);
    case SECTION:
        return insert_part(b, i, TMPL_IN_TABLE_BODY);
    case COL:
        return imply_part(b, TMPL_TAG_COLGROUP, TMPL_IN_COLGROUP);
    default:
        return imply_part(b, TMPL_TAG_TBODY, TMPL_IN_TABLE_BODY);
    }
}

tmpl_step_e tmpl_end_table(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    if (tag == TMPL_TAG_TABLE) {
        return close_table(b, i) ? TMPL_DONE : tmpl_ignore(b);
    }
    if (bit_of_tag(tag) != 0) {
        return tmpl_ignore(b);
    }
    return tag == TMPL_TAG_TEMPLATE ? tmpl_end_template(b, i) : move_out(b, i, tmpl_end_body);
}

/*
 * Closes the open part of the set. end is the part's own end tag, which is done then; if end is
 * TMPL_NONE, the rules of mode read the tag again. Ignores the tag if no such part is open.
 */
static tmpl_step_e close_part(tmpl_builder_t *b, unsigned set, uint32_t end, tmpl_insertion_e mode)
{
    uint32_t part = find_table_part(b, set);
    if (part == 0) {
        return tmpl_ignore(b);
    }
    tmpl_opens_close(&b->s, part, end);
    b->mode = mode;
    return end == TMPL_NONE ? TMPL_AGAIN : TMPL_DONE;
}

static tmpl_step_e close_caption(tmpl_builder_t *b, uint32_t end)
{
    return close_part(b, CAPTION, end, TMPL_IN_TABLE);
}

static tmpl_step_e close_row(tmpl_builder_t *b, uint32_t end)
{
    return close_part(b, ROW, end, TMPL_IN_TABLE_BODY);
}

tmpl_step_e tmpl_start_caption(tmpl_builder_t *b, uint32_t i)
{
    if (bit_of_tag(tmpl_tag_at(b, i)) & ANY_PART) {
        return close_caption(b, TMPL_NONE);
    }
    return tmpl_start_body(b, i);
}

tmpl_step_e tmpl_end_caption(tmpl_builder_t *b, uint32_t i)
{
    unsigned part = bit_of_tag(tmpl_tag_at(b, i));
    if (part == CAPTION || part == TABLE) {
        return close_caption(b, part == TABLE ? TMPL_NONE : i);
    }
    return part != 0 ? tmpl_ignore(b) : tmpl_end_body(b, i);
}

/* Every tag but col ends the colgroup. */
static tmpl_step_e leave_colgroup(tmpl_builder_t *b)
{
    if (tmpl_top(b)->tag != TMPL_TAG_COLGROUP) {
        return tmpl_ignore(b);
    }
    tmpl_opens_close(&b->s, b->s.n - 1, TMPL_NONE);
    return tmpl_again(b, TMPL_IN_TABLE);
}

tmpl_step_e tmpl_start_colgroup(tmpl_builder_t *b, uint32_t i)
{
    switch (tmpl_tag_at(b, i)) {
    case TMPL_TAG_HTML:
        return tmpl_start_body(b, i);
    case TMPL_TAG_COL:
        tmpl_insert(b, i);
        return TMPL_DONE;
    case TMPL_TAG_TEMPLATE:
        return tmpl_start_head(b, i);
    default:
        return leave_colgroup(b);
    }
}

tmpl_step_e tmpl_end_colgroup(tmpl_builder_t *b, uint32_t i)
{
    tmpl_tag_e tag = tmpl_tag_at(b, i);
    if (tag == TMPL_TAG_TEMPLATE) {
        return tmpl_end_template(b, i);
    }
    if (tag == TMPL_TAG_COL) {
        return tmpl_ignore(b);
    }
    if (tag != TMPL_TAG_COLGROUP || tmpl_top(b)->tag != TMPL_TAG_COLGROUP) {
        return tag == TMPL_TAG_COLGROUP ? tmpl_ignore(b) : leave_colgroup(b);
    }
    tmpl_opens_close(&b->s, b->s.n - 1, i);
    b->mode = TMPL_IN_TABLE;
    return TMPL_DONE;
}

/* Closes the open section; the rules of the table read the tag again. */
static tmpl_step_e leave_section(tmpl_builder_t *b)
{
    if (find_table_part(b, SECTION) == 0) {
        return tmpl_ignore(b);
    }
    clear_back_to(b, SECTION);
    tmpl_opens_close(&b->s, b->s.n - 1, TMPL_NONE);
    return tmpl_again(b, TMPL_IN_TABLE);
}

tmpl_step_e tmpl_start_table_body(tmpl_builder_t *b, uint32_t i)
{
    unsigned part = bit_of_tag(tmpl_tag_at(b, i));
    if (part == ROW) {
        clear_back_to(b, SECTION);
        return insert_part(b, i, TMPL_IN_ROW);
    }
    if (part == CELL) {
        clear_back_to(b, SECTION);
        return imply_part(b, TMPL_TAG_TR, TMPL_IN_ROW);
    }
    return (part & ANY_PART) ? leave_section(b) : tmpl_start_table(b, i);
}

tmpl_step_e tmpl_end_table_body(tmpl_builder_t *b, uint32_t i)
{
    unsigned part = bit_of_tag(tmpl_tag_at(b, i));
    if (part == SECTION) {
        uint32_t section = tmpl_opens_find(&b->s, b->tokens[i].name, tmpl_scope_table);
        if (section == 0) {
            return tmpl_ignore(b);
        }
        tmpl_opens_close(&b->s, section, i);
        b->mode = TMPL_IN_TABLE;
        return TMPL_DONE;
    }
    if (part == TABLE) {
        return leave_section(b);
    }
    return part != 0 ? tmpl_ignore(b) : tmpl_end_table(b, i);
}

tmpl_step_e tmpl_start_row(tmpl_builder_t *b, uint32_t i)
{
    unsigned part = bit_of_tag(tmpl_tag_at(b, i));
    if (part == CELL) {
        clear_back_to(b, ROW);
        return insert_part(b, i, TMPL_IN_CELL);
    }
    if (part & ANY_PART) {
        return close_row(b, TMPL_NONE);
    }
    return tmpl_start_table(b, i);
}

tmpl_step_e tmpl_end_row(tmpl_builder_t *b, uint32_t i)
{
    unsigned part = bit_of_tag(tmpl_tag_at(b, i));
    if (part == ROW || part == TABLE) {
        return close_row(b, part == TABLE ? TMPL_NONE : i);
    }
    if (part == SECTION) {
        if (tmpl_opens_find(&b->s, b->tokens[i].name, tmpl_scope_table) == 0) {
            return tmpl_ignore(b);
        }
        return close_row(b, TMPL_NONE);
    }
    return part != 0 ? tmpl_ignore(b) : tmpl_end_table(b, i);
}

/* "Close the cell". */
static tmpl_step_e close_cell(tmpl_builder_t *b)
{
    uint32_t cell = find_table_part(b, CELL);
    if (cell != 0) {
        tmpl_opens_close(&b->s, cell, TMPL_NONE);
    }
    return tmpl_again(b, TMPL_IN_ROW);
}

tmpl_step_e tmpl_start_cell(tmpl_builder_t *b, uint32_t i)
{
    return (bit_of_tag(tmpl_tag_at(b, i)) & ANY_PART) ? close_cell(b) : tmpl_start_body(b, i);
}

tmpl_step_e tmpl_end_cell(tmpl_builder_t *b, uint32_t i)
{
    unsigned part = bit_of_tag(tmpl_tag_at(b, i));
    uint32_t index = (part & (CELL | TABLE | SECTION | ROW))
                         ? tmpl_opens_find(&b->s, b->tokens[i].name, tmpl_scope_table)
                         : 0;
    if (part == 0) {
        return tmpl_end_body(b, i);
    }
    if (index == 0) {
        return tmpl_ignore(b);
    }
    if (part != CELL) {
        return close_cell(b);
    }
    tmpl_opens_close(&b->s, index, i);
    b->mode = TMPL_IN_ROW;
    return TMPL_DONE;
}
