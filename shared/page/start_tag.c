/* SPDX-License-Identifier: Apache-2.0 */
#include "page/start_tag.h"

/* The start tag opens an element where it stands: one of the page's nodes, unless nobody sees it. */
static inline void add_node(tmpl_balance_t *b, uint32_t i)
{
    tmpl_token_t *token = &b->tokens[i];
    if (!tmpl_is_quiet(b)) {
        token->is_node = 1;
        b->page->n_nodes++;
        b->page->n_segments += token->tag == TMPL_TAG_A || token->tag == TMPL_TAG_IMG;
        if (b->form != 0 && b->tokens[b->form - 1].is_node) {
            token->flags |= TMPL_TOKEN_IN_FORM;
        }
    }
}

/* li, dd and dt close the one before them: 13.2.6.4.7. */
static int close_item(tmpl_balance_t *b, tmpl_tag_e tag)
{
    const uint32_t *n_of = b->s.n_of;
    if ((tag == TMPL_TAG_LI ? n_of[tag] : n_of[TMPL_TAG_DD] + n_of[TMPL_TAG_DT]) == 0) {
        return 0;
    }
    for (uint32_t i = b->s.n - 1; i > 0; i--) {
        const tmpl_open_t *o = &b->s.stack[i];
        int same = tag == TMPL_TAG_LI ? o->tag == TMPL_TAG_LI
                                      : o->tag == TMPL_TAG_DD || o->tag == TMPL_TAG_DT;
        if (same) {
            tmpl_opens_close(&b->s, i, TMPL_NONE);
            return 1;
        }
        if ((o->flags & TMPL_IS_SPECIAL) && o->tag != TMPL_TAG_ADDRESS && o->tag != TMPL_TAG_DIV &&
            o->tag != TMPL_TAG_P) {
            return 0;
        }
    }
    return 0;
}

/* A table closes an open p, but not in quirks mode. */
static int close_p(tmpl_balance_t *b, tmpl_tag_e tag)
{
    uint32_t p = tmpl_opens_find(&b->s, TMPL_TAG_P, tmpl_scope_button);
    if (p == 0 || (tag == TMPL_TAG_TABLE && b->quirks == TMPL_QUIRKS)) {
        return 0;
    }
    if (tag == TMPL_TAG_TABLE && b->quirks == TMPL_QUIRKS_UNSURE) {
        b->ambiguous = 1;
    }
    tmpl_opens_close(&b->s, p, TMPL_NONE);
    return 1;
}

/* Whether a start tag closes the innermost open element, if it is of that tag. */
static int closes_sibling(unsigned tag, unsigned flags, const tmpl_open_t *open)
{
    if (flags & TMPL_IS_HEADING) {
        return (open->flags & TMPL_IS_HEADING) != 0;
    }
    if (flags & TMPL_IS_OPTION) {
        return open->tag == TMPL_TAG_OPTION || (tag == TMPL_TAG_OPTGROUP && open->tag == tag);
    }
    return (flags & open->flags & TMPL_IS_RUBY) != 0;
}

/* What a start tag closes before it opens its element; true if it closed anything. */
static int close_before(tmpl_balance_t *b, tmpl_tag_e tag, unsigned flags)
{
    int closed = 0;
    if (tag == TMPL_TAG_LI || tag == TMPL_TAG_DD || tag == TMPL_TAG_DT) {
        closed = close_item(b, tag);
    }
    if (flags & TMPL_IS_CLOSES_P) {
        closed |= close_p(b, tag);
    }
    while (closes_sibling(tag, flags, tmpl_balance_top(b))) {
        tmpl_opens_close(&b->s, b->s.n - 1, TMPL_NONE);
        closed = 1;
        if (flags & TMPL_IS_HEADING) {
            break;
        }
    }
    uint32_t button = tag == TMPL_TAG_BUTTON ? tmpl_opens_find(&b->s, tag, tmpl_scope_plain) : 0;
    if (button != 0) {
        tmpl_opens_taint(&b->s, 0);
        tmpl_opens_close(&b->s, button, TMPL_NONE);
        closed = 1;
    }
    return closed;
}

/* The innermost open element above floor whose tag is one of the given; 0 if there is none. */
static uint32_t find_above(const tmpl_balance_t *b, uint32_t floor, const tmpl_tag_e *tags,
                           unsigned n)
{
    for (uint32_t i = b->s.n - 1; i > floor; i--) {
        for (unsigned t = 0; t < n; t++) {
            if (b->s.stack[i].tag == tags[t]) {
                return i;
            }
        }
    }
    return 0;
}

/*
 * Parts of tables: closes what stands between the part and its place (13.2.6.4.9 to 13.2.6.4.15)
 * and opens the sections and rows that were left out. Returns -1 if the tag is ignored, 1 if the
 * element must stay because it closed or implied something, else 0.
 */
static int table_part(tmpl_balance_t *b, tmpl_tag_e tag)
{
    static const tmpl_tag_e cells[] = { TMPL_TAG_TD, TMPL_TAG_TH, TMPL_TAG_CAPTION };
    static const tmpl_tag_e sections[] = { TMPL_TAG_TBODY, TMPL_TAG_THEAD, TMPL_TAG_TFOOT };
    static const tmpl_tag_e rows[] = { TMPL_TAG_TR };
    int in_row = tag == TMPL_TAG_TD || tag == TMPL_TAG_TH;
    int in_section = in_row || tag == TMPL_TAG_TR;
    uint32_t table = tmpl_opens_find(&b->s, TMPL_TAG_TABLE, tmpl_scope_table);
    if (table == 0) {
        return -1;
    }
    int fixed = 0;
    uint32_t cell = find_above(b, table, cells, 3);
    if (cell != 0) {
        tmpl_opens_close(&b->s, cell, TMPL_NONE);
        fixed = 1;
    }
    if (tag == TMPL_TAG_COL && tmpl_balance_top(b)->tag == TMPL_TAG_COLGROUP) {
        return fixed;
    }
    uint32_t section = in_section ? find_above(b, table, sections, 3) : 0;
    uint32_t row = in_row ? find_above(b, table, rows, 1) : 0;
    fixed |= tmpl_opens_pop_above(&b->s, row != 0 ? row : section != 0 ? section : table);
    if (in_section && section == 0) {
        tmpl_opens_push(&b->s, TMPL_NONE, TMPL_TAG_TBODY, TMPL_TAG_TBODY);
        fixed = 1;
    }
    if (in_row && row == 0) {
        tmpl_opens_push(&b->s, TMPL_NONE, TMPL_TAG_TR, TMPL_TAG_TR);
        fixed = 1;
    }
    return fixed || tag == TMPL_TAG_COL;
}

/* A table in a table, but in none of its cells, ends the one it stands in. */
static int close_table(tmpl_balance_t *b)
{
    uint32_t table = tmpl_table_mode(b);
    if (table == 0) {
        return 0;
    }
    tmpl_opens_taint(&b->s, 0);
    tmpl_opens_close(&b->s, table, TMPL_NONE);
    return 1;
}

/* Start tags that do not bring back formatting elements that wait: 13.2.6.4.7. */
static int is_plain_block(unsigned tag, unsigned flags)
{
    return (flags &
            (TMPL_IS_CLOSES_P | TMPL_IS_TABLE | TMPL_IS_HEAD | TMPL_IS_PART | TMPL_IS_RUBY)) != 0 ||
           tag == TMPL_TAG_TEXTAREA || tag == TMPL_TAG_IFRAME || tag == TMPL_TAG_NOEMBED ||
           tag == TMPL_TAG_PARAM || tag == TMPL_TAG_SOURCE || tag == TMPL_TAG_TRACK;
}

/* A start tag in a select: options, or what browsers drop, each generation in its own way. */
static int select_start(tmpl_balance_t *b, tmpl_tag_e tag)
{
    uint32_t select = tmpl_select_mode(b);
    if (select == 0 || tag == TMPL_TAG_OPTION || tag == TMPL_TAG_OPTGROUP ||
        tag == TMPL_TAG_SCRIPT || tag == TMPL_TAG_TEMPLATE) {
        return 0;
    }
    tmpl_opens_taint(&b->s, 0);
    /* If it is dropped, what is in it is no raw text. */
    b->ambiguous |= tag == TMPL_TAG_NOSCRIPT ||
                    ((tmpl_tag_flags(tag) & TMPL_IS_RAW) != 0 && tag != TMPL_TAG_TEXTAREA);
    if (tag == TMPL_TAG_SELECT) {
        tmpl_opens_close(&b->s, select, TMPL_NONE);
        return 1;
    }
    if (tag == TMPL_TAG_INPUT || tag == TMPL_TAG_KEYGEN || tag == TMPL_TAG_TEXTAREA ||
        tmpl_ends_select(b, tag, TMPL_TAG_TABLE)) {
        tmpl_opens_close(&b->s, select, TMPL_NONE);
        return 0;
    }
    return 1;
}

/* Whether a start tag is out of place where it stands, so that browsers move or drop something. */
static int is_misplaced(tmpl_balance_t *b, unsigned tag)
{
    if (tag == TMPL_TAG_FRAME || tag == TMPL_TAG_ISINDEX || tag == TMPL_TAG_MENUITEM) {
        return 1; /* dropped, or parsed otherwise by each generation of browsers */
    }
    if ((tmpl_balance_top(b)->flags & TMPL_IS_TABLE) && !tmpl_is_part(tag)) {
        return tag != TMPL_TAG_SCRIPT && tag != TMPL_TAG_STYLE && tag != TMPL_TAG_TEMPLATE;
    }
    if (tag == TMPL_TAG_FORM) {
        return b->form || tmpl_table_mode(b) != 0;
    }
    return (tag == TMPL_TAG_A || tag == TMPL_TAG_NOBR) && tmpl_opens_active(&b->s, tag) != 0;
}

/* The body has a tag; if it is open already, it gets the attributes. */
static void body_start(tmpl_balance_t *b, uint32_t i)
{
    if (tmpl_in_body(b)) {
        tmpl_opens_taint(&b->s, 0);
    }
    else {
        tmpl_open_body(b, i);
    }
    b->after_body = 0;
}

/* Tags around and in front of body; true if there is no more to do for this one. */
static int head_start(tmpl_balance_t *b, uint32_t i)
{
    tmpl_tag_e tag = (tmpl_tag_e)b->tokens[i].tag;
    unsigned flags = tmpl_tag_flags(tag);
    if (tmpl_in_body(b) && !(flags & TMPL_IS_NEVER_EDIT)) {
        return 0;
    }
    if (tag == TMPL_TAG_BODY) {
        body_start(b, i);
        return 1;
    }
    if (tag == TMPL_TAG_HTML && tmpl_in_body(b)) {
        tmpl_opens_taint(&b->s, 0); /* gives its attributes to the element there is */
    }
    if (tag == TMPL_TAG_HEAD || tag == TMPL_TAG_HTML) {
        return 1;
    }
    if (tmpl_in_body(b)) {
        return 0; /* a frame */
    }
    /* Of what may stand in the head only these need to be followed. */
    return (flags & TMPL_IS_HEAD) != 0 && (flags & TMPL_IS_RAW) == 0 && tag != TMPL_TAG_TEMPLATE &&
           tag != TMPL_TAG_NOSCRIPT;
}

/* An element without content: void, or raw text whose end tag is the next token. */
static void leaf(tmpl_balance_t *b, uint32_t i, int edit)
{
    tmpl_token_t *token = &b->tokens[i];
    token->is_paired = (tmpl_tag_flags((tmpl_tag_e)token->tag) & TMPL_IS_RAW) != 0;
    token->end = token->is_paired ? i + 1 : i;
    if (token->is_paired) {
        b->raw_end = token->end;
    }
    token->may = (unsigned char)(edit ? TMPL_NODE_MARK | TMPL_NODE_CUT : 0);
}

/* A form in a table is opened and closed at once, and a form in a form is not opened at all. */
static int form_start(tmpl_balance_t *b, uint32_t i)
{
    int opens = !b->form && tmpl_table_mode(b) == 0;
    if (!opens) {
        tmpl_balance_top(b)->mixed = 1; /* how it is read hangs on forms elsewhere */
    }
    if (!opens && !b->form) {
        add_node(b, i);
        b->tokens[i].end = i;
    }
    if (b->form == 0) {
        b->form = i + 1;
    }
    return opens;
}

/* Makes room for the element; returns whether its start tag does more than open it, -1 if it is dropped. */
static int prepare(tmpl_balance_t *b, tmpl_tag_e tag, unsigned flags)
{
    int fixed = tmpl_leave_colgroup(b, tag);
    uint32_t open = b->s.n;
    if (select_start(b, tag)) {
        return -1;
    }
    fixed |= b->s.n != open;
    if (flags & TMPL_IS_PART) {
        int part = table_part(b, tag);
        return part < 0 ? -1 : fixed | part;
    }
    if (tag == TMPL_TAG_TABLE) {
        fixed |= close_table(b);
    }
    if (tag == TMPL_TAG_FORM && (b->form || tmpl_table_mode(b) != 0)) {
        return fixed; /* will not be opened, so it closes nothing */
    }
    return fixed | close_before(b, tag, flags);
}

/* noscript is text to browsers that run scripts, and markup to others: it must be closed off for both. */
static void noscript_start(tmpl_balance_t *b, uint32_t i)
{
    if (!b->in_noscript) {
        b->in_noscript = 1;
        b->noscript = i;
        b->noscript_depth = b->s.n;
        b->noscript_active = b->s.n_active;
    }
}

/* A link ends the link it stands in, and so does a nobr. */
static void end_own_kind(tmpl_balance_t *b, tmpl_tag_e tag)
{
    uint32_t active = tag == TMPL_TAG_A || tag == TMPL_TAG_NOBR ? tmpl_opens_active(&b->s, tag) : 0;
    if (active != 0) {
        tmpl_opens_adopt(&b->s, tag, TMPL_NONE);
    }
    if (active != 0 && tag == TMPL_TAG_A) {
        tmpl_opens_forget(&b->s, active); /* even if a table is between the two */
    }
}

/* Opens the element of a start tag where it stands now, once all that it ends has ended. */
static void open_element(tmpl_balance_t *b, uint32_t i, int fixed, int misplaced)
{
    tmpl_token_t *token = &b->tokens[i];
    tmpl_tag_e tag = (tmpl_tag_e)token->tag;
    if (tmpl_tag_flags(tag) & (TMPL_IS_VOID | TMPL_IS_RAW)) {
        leaf(b, i, !misplaced && !fixed && tmpl_in_body(b));
        return;
    }
    b->templates += tag == TMPL_TAG_TEMPLATE;
    if (tag == TMPL_TAG_NOSCRIPT) {
        noscript_start(b, i);
    }
    tmpl_open_t *o = tmpl_opens_push(&b->s, i, tag, token->name);
    o->fixed = (unsigned char)fixed;
    o->tainted |= (unsigned char)misplaced;
}

/*
 * Whether there is nothing to a start tag but that it opens an element in body. Formatting elements in each
 * other are looked at more closely, and so is what might end a p.
 */
static int is_ordinary(const tmpl_balance_t *b, unsigned flags)
{
    unsigned placed = TMPL_IS_PLACED | (b->s.n_active > 0 ? TMPL_IS_FORMATTING : 0) |
                      (b->s.n_of[TMPL_TAG_P] > 0 ? TMPL_IS_CLOSES_P : 0);
    return !(flags & placed) && tmpl_is_plain(b);
}

/*
 * Does what a start tag does before it opens its element. True if it is to be opened: whether its tag must stay, and
 * whether it is out of place.
 */
static int make_place(tmpl_balance_t *b, uint32_t i, int *fixed, int *misplaced)
{
    tmpl_tag_e tag = (tmpl_tag_e)b->tokens[i].tag;
    unsigned flags = tmpl_tag_flags(tag);
    int was_after_body = b->after_body;
    if (head_start(b, i)) {
        return 0;
    }
    b->after_body = 0;
    int head = !tmpl_in_body(b) && (flags & TMPL_IS_HEAD) != 0;
    if (head && tag == TMPL_TAG_NOSCRIPT) {
        noscript_start(b, i);
        return 0;
    }
    int opens_body = !tmpl_in_body(b) && !head;
    if (opens_body) {
        tmpl_open_body(b, TMPL_NONE);
    }
    *fixed = head ? 0 : prepare(b, tag, flags);
    if (*fixed < 0) {
        tmpl_balance_top(b)->mixed = 1;
        return 0;
    }
    *misplaced = is_misplaced(b, tag);
    if (*misplaced) {
        tmpl_opens_taint(&b->s, 0);
    }
    end_own_kind(b, tag);
    *fixed |= opens_body | was_after_body | tmpl_begins_pre(b, b->tokens[i].span.start);
    return 1;
}

void tmpl_start_tag(tmpl_balance_t *b, uint32_t i)
{
    tmpl_tag_e tag = (tmpl_tag_e)b->tokens[i].tag;
    unsigned flags = tmpl_tag_flags(tag);
    int fixed = 0;
    int misplaced = 0;
    if (!is_ordinary(b, flags) && !make_place(b, i, &fixed, &misplaced)) {
        return;
    }
    int head = !tmpl_in_body(b);
    /* Browsers that run no scripts open what waits in front of a noscript. */
    fixed |= tag == TMPL_TAG_NOSCRIPT && tmpl_opens_is_dangling(&b->s);
    if (!head && tmpl_opens_is_dangling(&b->s) && !is_plain_block(tag, flags)) {
        b->ambiguous |=
            tag == TMPL_TAG_INPUT && tmpl_table_mode(b) != 0; /* a hidden one is let in */
        tmpl_opens_reconstruct(&b->s);
        fixed = 1;
    }
    if (tag == TMPL_TAG_FORM && !form_start(b, i)) {
        return;
    }
    if (!head) {
        add_node(b, i);
    }
    open_element(b, i, fixed, misplaced);
}
