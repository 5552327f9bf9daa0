/* SPDX-License-Identifier: Apache-2.0 */
#include "page/balance.h"

#include <string.h>

#include "page/attr.h"
#include "page/open.h"
#include "page/quirks.h"

/*
 * A token, and each element that it opens or that comes back with it, is a search of all that is open
 * and active: this many steps in all are a fraction of a second, and far more than pages take.
 */
#define MAX_STEPS 10000000u

typedef struct {
    tmpl_opens_t s;
    tmpl_tokens_t *page;
    tmpl_token_t *tokens; /* the page's */
    const char *src;
    uint32_t templates;      /* template elements open: what is inside is parsed on its own */
    int template_cells[3];   /* td, th and caption open in it */
    uint32_t noscript;       /* start tag of the noscript that is open, if in_noscript */
    uint32_t noscript_depth; /* elements open when it began */
    uint32_t noscript_active;
    unsigned char in_noscript;
    unsigned char form; /* HTML5's form element pointer is set */
    unsigned char after_body;
    uint32_t raw_end;        /* the last raw text's end tag */
    unsigned char ambiguous; /* parsers do not agree on what the source means */
    tmpl_quirks_e quirks;
} balance_t;

static tmpl_open_t *top(balance_t *b)
{
    return tmpl_opens_top(&b->s);
}

/* Whether body has begun, or something in it: the stack holds more than the document. Body never closes. */
static int in_body(const balance_t *b)
{
    return b->s.n > 1;
}

/* Whether what comes now is in body, in no select, and in nothing that has rules of its own for what is in it. */
static int is_plain(const balance_t *b)
{
    return in_body(b) && !b->after_body && b->s.n_of[TMPL_TAG_SELECT] == 0 &&
           !(b->s.stack[b->s.n - 1].flags & TMPL_IS_FIXED_TEXT);
}

/* Whether what comes now is inside something that is not seen. */
static int is_quiet(const balance_t *b)
{
    return b->in_noscript || b->s.stack[b->s.n - 1].quiet;
}

/* The start tag opens an element where it stands: one of the page's nodes, unless nobody sees it. */
static void add_node(balance_t *b, uint32_t i)
{
    tmpl_token_t *token = &b->tokens[i];
    if (!is_quiet(b)) {
        token->is_node = 1;
        b->page->n_nodes++;
        b->page->n_segments += token->tag == TMPL_TAG_A || token->tag == TMPL_TAG_IMG;
    }
}

static void open_body(balance_t *b, uint32_t token)
{
    tmpl_opens_push(&b->s, token, TMPL_TAG_BODY, TMPL_TAG_BODY);
}

static int is_part(unsigned tag)
{
    return (tmpl_tag_flags((tmpl_tag_e)tag) & TMPL_IS_PART) != 0;
}

/* The table that tags are read for ("in table" and the modes of its parts); 0 in cells and outside. */
static uint32_t table_mode(const balance_t *b)
{
    if (b->s.n_of[TMPL_TAG_TABLE] == 0) {
        return 0;
    }
    for (uint32_t i = b->s.n - 1; i > 0 && !(b->s.stack[i].flags & TMPL_IS_CELL); i--) {
        if (b->s.stack[i].tag == TMPL_TAG_TABLE) {
            return i;
        }
    }
    return 0;
}

/* The select that swallows most tags ("in select"); 0 outside. */
static uint32_t select_mode(const balance_t *b)
{
    uint32_t i = b->s.n - 1;
    if (b->s.n_of[TMPL_TAG_SELECT] == 0) {
        return 0;
    }
    while (b->s.stack[i].flags & TMPL_IS_OPTION) {
        i--;
    }
    return b->s.stack[i].tag == TMPL_TAG_SELECT ? i : 0;
}

/* A colgroup holds nothing but col; anything else closes it. */
static int leave_colgroup(balance_t *b, unsigned tag)
{
    if (top(b)->tag != TMPL_TAG_COLGROUP || tag == TMPL_TAG_COL || tag == TMPL_TAG_TEMPLATE) {
        return 0;
    }
    tmpl_opens_close(&b->s, b->s.n - 1, TMPL_NONE);
    return 1;
}

/* li, dd and dt close the one before them: 13.2.6.4.7. */
static int close_item(balance_t *b, tmpl_tag_e tag)
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
static int close_p(balance_t *b, tmpl_tag_e tag)
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
static int close_before(balance_t *b, tmpl_tag_e tag, unsigned flags)
{
    int closed = 0;
    if (tag == TMPL_TAG_LI || tag == TMPL_TAG_DD || tag == TMPL_TAG_DT) {
        closed = close_item(b, tag);
    }
    if (flags & TMPL_IS_CLOSES_P) {
        closed |= close_p(b, tag);
    }
    while (closes_sibling(tag, flags, top(b))) {
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
static uint32_t find_above(const balance_t *b, uint32_t floor, const tmpl_tag_e *tags, unsigned n)
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
static int table_part(balance_t *b, tmpl_tag_e tag)
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
    if (tag == TMPL_TAG_COL && top(b)->tag == TMPL_TAG_COLGROUP) {
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
static int close_table(balance_t *b)
{
    uint32_t table = table_mode(b);
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

/* Tags that end a select in a table. */
static int ends_select(const balance_t *b, unsigned tag, uint32_t in_scope)
{
    return (tag == TMPL_TAG_TABLE || is_part(tag)) && tag != TMPL_TAG_COL &&
           tag != TMPL_TAG_COLGROUP && tmpl_opens_find(&b->s, in_scope, tmpl_scope_table) != 0;
}

/* A start tag in a select: options, or what browsers drop, each generation in its own way. */
static int select_start(balance_t *b, tmpl_tag_e tag)
{
    uint32_t select = select_mode(b);
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
        ends_select(b, tag, TMPL_TAG_TABLE)) {
        tmpl_opens_close(&b->s, select, TMPL_NONE);
        return 0;
    }
    return 1;
}

/* Whether a start tag is out of place where it stands, so that browsers move or drop something. */
static int is_misplaced(balance_t *b, unsigned tag)
{
    if (tag == TMPL_TAG_FRAME || tag == TMPL_TAG_ISINDEX || tag == TMPL_TAG_MENUITEM) {
        return 1; /* dropped, or parsed otherwise by each generation of browsers */
    }
    if ((top(b)->flags & TMPL_IS_TABLE) && !is_part(tag)) {
        return tag != TMPL_TAG_SCRIPT && tag != TMPL_TAG_STYLE && tag != TMPL_TAG_TEMPLATE;
    }
    if (tag == TMPL_TAG_FORM) {
        return b->form || table_mode(b) != 0;
    }
    return (tag == TMPL_TAG_A || tag == TMPL_TAG_NOBR) && tmpl_opens_active(&b->s, tag) != 0;
}

/* The body has a tag; if it is open already, it gets the attributes. */
static void body_start(balance_t *b, uint32_t i)
{
    if (in_body(b)) {
        tmpl_opens_taint(&b->s, 0);
    }
    else {
        open_body(b, i);
    }
    b->after_body = 0;
}

/* Tags around and in front of body; true if there is no more to do for this one. */
static int head_start(balance_t *b, uint32_t i)
{
    tmpl_tag_e tag = (tmpl_tag_e)b->tokens[i].tag;
    unsigned flags = tmpl_tag_flags(tag);
    if (in_body(b) && !(flags & TMPL_IS_NEVER_EDIT)) {
        return 0;
    }
    if (tag == TMPL_TAG_BODY) {
        body_start(b, i);
        return 1;
    }
    if (tag == TMPL_TAG_HTML && in_body(b)) {
        tmpl_opens_taint(&b->s, 0); /* gives its attributes to the element there is */
    }
    if (tag == TMPL_TAG_HEAD || tag == TMPL_TAG_HTML) {
        return 1;
    }
    if (in_body(b)) {
        return 0; /* a frame */
    }
    /* Of what may stand in the head only these need to be followed. */
    return (flags & TMPL_IS_HEAD) != 0 && (flags & TMPL_IS_RAW) == 0 && tag != TMPL_TAG_TEMPLATE &&
           tag != TMPL_TAG_NOSCRIPT;
}

/* An element without content: void, or raw text whose end tag is the next token. */
static void leaf(balance_t *b, uint32_t i, int edit)
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
static int form_start(balance_t *b, uint32_t i)
{
    int opens = !b->form && table_mode(b) == 0;
    if (!opens) {
        top(b)->mixed = 1; /* how it is read hangs on forms elsewhere */
    }
    if (!opens && !b->form) {
        add_node(b, i);
        b->tokens[i].end = i;
    }
    b->form = 1;
    return opens;
}

/* Makes room for the element; returns whether its start tag does more than open it, -1 if it is dropped. */
static int prepare(balance_t *b, tmpl_tag_e tag, unsigned flags)
{
    int fixed = leave_colgroup(b, tag);
    if (select_start(b, tag)) {
        return -1;
    }
    if (flags & TMPL_IS_PART) {
        int part = table_part(b, tag);
        return part < 0 ? -1 : fixed | part;
    }
    if (tag == TMPL_TAG_TABLE) {
        fixed |= close_table(b);
    }
    if (tag == TMPL_TAG_FORM && (b->form || table_mode(b) != 0)) {
        return fixed; /* will not be opened, so it closes nothing */
    }
    return fixed | close_before(b, tag, flags);
}

/* Whether the element follows directly on the start tag of a pre: a line feed behind it might vanish. */
static int begins_pre(balance_t *b, uint32_t i)
{
    const tmpl_open_t *o = top(b);
    return (o->tag == TMPL_TAG_PRE || o->tag == TMPL_TAG_LISTING) && o->token != TMPL_NONE &&
           b->tokens[o->token].span.end == b->tokens[i].span.start;
}

/* noscript is text to browsers that run scripts, and markup to others: it must be closed off for both. */
static void noscript_start(balance_t *b, uint32_t i)
{
    if (!b->in_noscript) {
        b->in_noscript = 1;
        b->noscript = i;
        b->noscript_depth = b->s.n;
        b->noscript_active = b->s.n_active;
    }
}

/* A link ends the link it stands in, and so does a nobr. */
static void end_own_kind(balance_t *b, tmpl_tag_e tag)
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
static void open_element(balance_t *b, uint32_t i, int fixed, int misplaced)
{
    tmpl_token_t *token = &b->tokens[i];
    tmpl_tag_e tag = (tmpl_tag_e)token->tag;
    if (tmpl_tag_flags(tag) & (TMPL_IS_VOID | TMPL_IS_RAW)) {
        leaf(b, i, !misplaced && !fixed && in_body(b));
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
static int is_ordinary(const balance_t *b, unsigned flags)
{
    unsigned placed = TMPL_IS_PLACED | (b->s.n_active > 0 ? TMPL_IS_FORMATTING : 0) |
                      (b->s.n_of[TMPL_TAG_P] > 0 ? TMPL_IS_CLOSES_P : 0);
    return !(flags & placed) && is_plain(b);
}

/*
 * Does what a start tag does before it opens its element. True if it is to be opened: whether its tag must stay, and
 * whether it is out of place.
 */
static int make_place(balance_t *b, uint32_t i, int *fixed, int *misplaced)
{
    tmpl_tag_e tag = (tmpl_tag_e)b->tokens[i].tag;
    unsigned flags = tmpl_tag_flags(tag);
    int was_after_body = b->after_body;
    if (head_start(b, i)) {
        return 0;
    }
    b->after_body = 0;
    int head = !in_body(b) && (flags & TMPL_IS_HEAD) != 0;
    if (head && tag == TMPL_TAG_NOSCRIPT) {
        noscript_start(b, i);
        return 0;
    }
    int opens_body = !in_body(b) && !head;
    if (opens_body) {
        open_body(b, TMPL_NONE);
    }
    *fixed = head ? 0 : prepare(b, tag, flags);
    if (*fixed < 0) {
        top(b)->mixed = 1;
        return 0;
    }
    *misplaced = is_misplaced(b, tag);
    if (*misplaced) {
        tmpl_opens_taint(&b->s, 0);
    }
    end_own_kind(b, tag);
    *fixed |= opens_body | was_after_body | begins_pre(b, i);
    return 1;
}

static void start_tag(balance_t *b, uint32_t i)
{
    tmpl_tag_e tag = (tmpl_tag_e)b->tokens[i].tag;
    unsigned flags = tmpl_tag_flags(tag);
    int fixed = 0;
    int misplaced = 0;
    if (!is_ordinary(b, flags) && !make_place(b, i, &fixed, &misplaced)) {
        return;
    }
    int head = !in_body(b);
    if (!head && tmpl_opens_is_dangling(&b->s) && !is_plain_block(tag, flags)) {
        b->ambiguous |= tag == TMPL_TAG_INPUT && table_mode(b) != 0; /* a hidden one is let in */
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

static void end_form(balance_t *b, uint32_t end)
{
    uint32_t form = tmpl_opens_find(&b->s, TMPL_TAG_FORM, tmpl_scope_plain);
    int was_open = b->form;
    b->form = 0;
    if (form != 0 && form == b->s.n - 1 && was_open) {
        tmpl_opens_close(&b->s, form, end);
        return;
    }
    tmpl_opens_taint(&b->s, 0);
    top(b)->mixed = 1;
    if (form != 0 && was_open) {
        /* Only the form leaves the stack, and what may be left open in it stays open. */
        while ((top(b)->flags & TMPL_IS_IMPLIED) && b->s.n - 1 > form) {
            tmpl_opens_close(&b->s, b->s.n - 1, TMPL_NONE);
        }
        tmpl_opens_remove(&b->s, form);
    }
}

static void end_heading(balance_t *b, uint32_t end, uint32_t name)
{
    for (uint32_t i = b->s.n - 1; i > 0 && !tmpl_scope_plain(&b->s.stack[i]); i--) {
        if (b->s.stack[i].flags & TMPL_IS_HEADING) {
            tmpl_opens_close(&b->s, i, b->s.stack[i].name == name ? end : TMPL_NONE);
            return;
        }
    }
}

/*
 * Closes nothing: what comes behind goes on in the elements still open, and whatever comes first must
 * stay, because it is what leads the parser back into body.
 */
static void end_body(balance_t *b)
{
    if (!in_body(b)) {
        open_body(b, TMPL_NONE);
    }
    tmpl_opens_taint(&b->s, 1);
    b->after_body = 1;
}

/* The end of a noscript: in its own place, and with nothing left open, or the page is not understood. */
static tmpl_decline_e end_noscript(balance_t *b, uint32_t end)
{
    if (!b->in_noscript || b->tokens[b->noscript].end != end) {
        return TMPL_DECLINE_NONE; /* one that closes nothing */
    }
    b->in_noscript = 0;
    int in_head = b->noscript_depth == 1;
    uint32_t depth = in_head && in_body(b) ? 2 : b->noscript_depth;
    if (!in_head && top(b)->name == TMPL_TAG_NOSCRIPT && b->s.n == depth + 1) {
        tmpl_opens_close(&b->s, depth, end);
    }
    /* the depth alone is no proof: </form> takes its form from the stack wherever that is */
    if (b->s.n != depth || b->s.n_of[TMPL_TAG_NOSCRIPT] != 0 ||
        b->s.n_active != b->noscript_active || b->templates > 0) {
        return TMPL_DECLINE_UNCOVERED;
    }
    return TMPL_DECLINE_NONE;
}

/* Which kind of scope an end tag looks for its element in. */
static tmpl_scope_t scope_of(unsigned tag, unsigned flags)
{
    if (tag == TMPL_TAG_P) {
        return tmpl_scope_button;
    }
    if (tag == TMPL_TAG_LI) {
        return tmpl_scope_item;
    }
    if (tag == TMPL_TAG_TABLE || (flags & TMPL_IS_PART)) {
        return tmpl_scope_table;
    }
    return (flags & TMPL_IS_SPECIAL) || tag == TMPL_TAG_DD || tag == TMPL_TAG_DT
               ? tmpl_scope_plain
               : tmpl_scope_special;
}

/* An end tag in a select ends an option, a group, the select, or with it the cell around it. */
static int select_end(balance_t *b, unsigned tag, uint32_t name)
{
    uint32_t select = select_mode(b);
    if (select == 0 || tag == TMPL_TAG_OPTION || tag == TMPL_TAG_OPTGROUP ||
        tag == TMPL_TAG_SELECT) {
        return 0;
    }
    tmpl_opens_taint(&b->s, 0);
    if (ends_select(b, tag, name)) {
        tmpl_opens_close(&b->s, select, TMPL_NONE);
        return 0;
    }
    return 1;
}

/* End tags that find their element by a search of their own; true if this is one. */
static int special_end(balance_t *b, uint32_t i, unsigned tag, unsigned flags)
{
    uint32_t name = b->tokens[i].name;
    if (flags & TMPL_IS_RAW || tag == TMPL_TAG_HEAD ||
        (tag != TMPL_TAG_BR && (flags & TMPL_IS_VOID))) {
        return 1; /* paired with its start tag, or ignored */
    }
    if (tag == TMPL_TAG_BODY || tag == TMPL_TAG_HTML) {
        end_body(b);
        return 1;
    }
    if (!in_body(b) && tag == TMPL_TAG_BR) {
        open_body(b, TMPL_NONE); /* read as if it were a start tag */
    }
    if (!in_body(b) || select_end(b, tag, name)) {
        return 1;
    }
    leave_colgroup(b, tag == TMPL_TAG_COLGROUP ? TMPL_TAG_COL : tag);
    if (tag == TMPL_TAG_FORM) {
        end_form(b, i);
    }
    else if (flags & TMPL_IS_FORMATTING) {
        tmpl_opens_adopt(&b->s, name, i);
    }
    else if (flags & TMPL_IS_HEADING) {
        end_heading(b, i, name);
    }
    return tag == TMPL_TAG_FORM || (flags & (TMPL_IS_FORMATTING | TMPL_IS_HEADING)) != 0;
}

/* Whether an end tag does nothing but to end the innermost open element. */
static int is_ordinary_end(const balance_t *b, uint32_t i, unsigned flags)
{
    const tmpl_open_t *o = &b->s.stack[b->s.n - 1];
    unsigned own = TMPL_IS_RAW | TMPL_IS_VOID | TMPL_IS_NEVER_EDIT | TMPL_IS_FORMATTING;
    return o->name == b->tokens[i].name && !(flags & own) && o->tag != TMPL_TAG_FORM &&
           !b->after_body && b->s.n_of[TMPL_TAG_SELECT] == 0;
}

static void end_tag(balance_t *b, uint32_t i)
{
    unsigned tag = b->tokens[i].tag;
    unsigned flags = tmpl_tag_flags((tmpl_tag_e)tag);
    if (is_ordinary_end(b, i, flags)) {
        tmpl_opens_close(&b->s, b->s.n - 1, i);
        return;
    }
    if (special_end(b, i, tag, flags)) {
        return;
    }
    if (b->after_body) {
        b->after_body = 0;
        tmpl_opens_taint(&b->s, 1); /* leads back into body, even if it closes nothing */
    }
    uint32_t index = tmpl_opens_find(&b->s, b->tokens[i].name, scope_of(tag, flags));
    if (index > 1) {
        tmpl_opens_close(&b->s, index, i);
    }
    else if (tag == TMPL_TAG_P || tag == TMPL_TAG_BR) {
        tmpl_opens_taint(&b->s, 0); /* makes an element of its own */
        if (tag == TMPL_TAG_BR) {
            tmpl_opens_reconstruct(&b->s);
        }
    }
}

/*
 * Inside svg and math every tag must pair: then it cannot matter how it is parsed. Names are kept
 * apart from those of HTML.
 */
static tmpl_decline_e foreign(balance_t *b, uint32_t i)
{
    enum { FOREIGN_NAME = 0x40000000 };
    tmpl_token_t *token = &b->tokens[i];
    if (token->type == TMPL_TOKEN_START) {
        unsigned is_void = tmpl_tag_flags((tmpl_tag_e)token->tag) & TMPL_IS_VOID;
        if (!(token->flags & TMPL_TOKEN_SELF_CLOSING) && !is_void) {
            tmpl_opens_push(&b->s, i, TMPL_TAG_OTHER, token->name ^ FOREIGN_NAME)->tainted = 1;
        }
        return TMPL_DECLINE_NONE;
    }
    if (top(b)->name != (token->name ^ FOREIGN_NAME)) {
        return TMPL_DECLINE_FOREIGN;
    }
    tmpl_opens_close(&b->s, b->s.n - 1, i);
    return TMPL_DECLINE_NONE;
}

/*
 * Text that is more than white space has come. True if the rest parses the same without it: nothing
 * has to be opened or moved for it.
 */
static int text(balance_t *b, int dangling)
{
    if (is_plain(b) && !dangling) {
        return 1;
    }
    int opens = !in_body(b) || b->after_body;
    if (!in_body(b)) {
        open_body(b, TMPL_NONE);
    }
    if (select_mode(b) == 0) {
        opens |= leave_colgroup(b, TMPL_TAG_OTHER);
        if (top(b)->flags & TMPL_IS_TABLE) {
            tmpl_opens_taint(&b->s, 0); /* is moved in front of the table */
            opens = 1;
        }
        if (dangling) {
            top(b)->mixed = 1;
            tmpl_opens_reconstruct(&b->s);
            opens = 1;
        }
    }
    b->after_body = 0;
    if (opens) {
        top(b)->mixed = 1;
    }
    return !opens && !top(b)->fixed_text;
}

/* White space brings formatting elements back too, where it is not part of a table. */
static void blank(balance_t *b)
{
    if (!in_body(b) || (top(b)->flags & TMPL_IS_TABLE) || top(b)->tag == TMPL_TAG_COLGROUP ||
        select_mode(b) != 0 || !tmpl_opens_is_dangling(&b->s)) {
        return;
    }
    b->ambiguous |= table_mode(b) != 0; /* HTML5 has changed its mind on these */
    tmpl_opens_reconstruct(&b->s);
}

static uint32_t behind_space(const char *src, uint32_t start, uint32_t end)
{
    while (start < end && tmpl_is_space(src[start])) {
        start++;
    }
    return start;
}

/* Whether the bytes hold nothing to see: white space and no-break spaces, as bytes or as entities. */
static int is_unseen(const char *src, uint32_t start, uint32_t end)
{
    static const struct {
        char bytes[7];
        unsigned char len;
    } spaces[] = { { "&nbsp;", 6 }, { "&#160;", 6 }, { "\xc2\xa0", 2 } };
    uint32_t p = start;
    if (p < end && !tmpl_is_space(src[p]) && src[p] != '&' && src[p] != '\xc2') {
        return 0; /* as nearly all texts */
    }
    while ((p = behind_space(src, p, end)) < end) {
        uint32_t from = p;
        for (unsigned i = 0; p == from && i < sizeof(spaces) / sizeof(spaces[0]); i++) {
            if (src[p] == spaces[i].bytes[0] && end - p >= spaces[i].len &&
                memcmp(src + p, spaces[i].bytes, spaces[i].len) == 0) {
                p += spaces[i].len;
            }
        }
        if (p == from) {
            return 0;
        }
    }
    return 1;
}

/* Where text begins that browsers read: they drop a line break right behind the start tag of a pre. */
static uint32_t behind_break(balance_t *b, uint32_t start, uint32_t end)
{
    const tmpl_open_t *o = top(b);
    if ((o->tag == TMPL_TAG_PRE || o->tag == TMPL_TAG_LISTING) && o->token != TMPL_NONE &&
        b->tokens[o->token].span.end == start) {
        start += start < end && b->src[start] == '\r';
        start += start < end && b->src[start] == '\n';
    }
    return start;
}

/* What is between two tokens: TMPL_TOKEN_TEXT_*. */
static unsigned gap(balance_t *b, uint32_t start, uint32_t end)
{
    uint32_t from = behind_break(b, start, end);
    uint32_t first = behind_space(b->src, from, end);
    if (first == end) {
        if (from < end) {
            blank(b);
        }
        return 0;
    }
    /* A NUL is dropped, and what might be in front of it is not worth following. */
    int dangling = tmpl_opens_is_dangling(&b->s);
    b->ambiguous |= dangling && memchr(b->src + from, '\0', end - from) != NULL;
    unsigned may = text(b, dangling) ? TMPL_TOKEN_TEXT_MAY : 0;
    if (is_quiet(b) || is_unseen(b->src, first, end)) {
        return may;
    }
    b->page->n_segments++;
    if (end - start > b->page->longest_text) {
        b->page->longest_text = end - start;
    }
    return TMPL_TOKEN_TEXT_SHOWN | may;
}

/*
 * A tag inside template: only the template's own end matters, if nothing inside shields it from the
 * formatting elements around.
 */
static void template_tag(balance_t *b, uint32_t i)
{
    unsigned tag = b->tokens[i].tag;
    int step = b->tokens[i].type == TMPL_TOKEN_START ? 1 : -1;
    int *cells = b->template_cells;
    b->ambiguous |= tag == TMPL_TAG_NOSCRIPT || tag == TMPL_TAG_OBJECT || tag == TMPL_TAG_APPLET ||
                    tag == TMPL_TAG_MARQUEE;
    if (tmpl_tag_flags((tmpl_tag_e)tag) & TMPL_IS_CELL) {
        int *open = &cells[tag == TMPL_TAG_TD ? 0 : tag == TMPL_TAG_TH ? 1 : 2];
        *open += step;
        b->ambiguous |= *open < 0;
    }
    if (tag == TMPL_TAG_TEMPLATE) {
        b->templates += (uint32_t)step;
        b->ambiguous |= (cells[0] | cells[1] | cells[2]) != 0;
        if (b->templates == 0) {
            tmpl_opens_close(&b->s, b->s.n - 1, i);
        }
    }
}

static int is_svg(unsigned tag)
{
    return tag == TMPL_TAG_SVG || tag == TMPL_TAG_MATH;
}

static tmpl_decline_e token_event(balance_t *b, uint32_t i)
{
    const tmpl_token_t *token = &b->tokens[i];
    if (token->type == TMPL_TOKEN_OTHER) {
        return TMPL_DECLINE_NONE;
    }
    if (token->tag == TMPL_TAG_NOSCRIPT && token->type == TMPL_TOKEN_END) {
        return end_noscript(b, i);
    }
    if (b->templates > 0) {
        template_tag(b, i);
        return TMPL_DECLINE_NONE;
    }
    if (token->flags & TMPL_TOKEN_FOREIGN) {
        return foreign(b, i);
    }
    if (token->type == TMPL_TOKEN_START) {
        start_tag(b, i);
        if ((token->flags & TMPL_TOKEN_SELF_CLOSING) && is_svg(token->tag) && top(b)->token == i) {
            tmpl_opens_pop_above(&b->s, b->s.n - 2);
        }
        return TMPL_DECLINE_NONE;
    }
    if (is_svg(token->tag) && top(b)->name != token->name) {
        return TMPL_DECLINE_FOREIGN;
    }
    end_tag(b, i);
    return TMPL_DECLINE_NONE;
}

tmpl_decline_e tmpl_balance(tmpl_tokens_t *tokens, const char *src, uint32_t len,
                            uint32_t max_depth, apr_pool_t *pool)
{
    balance_t b = { .page = tokens, .tokens = tokens->tokens, .src = src };
    uint32_t at = tokens->begin;
    uint64_t steps = 0;
    tmpl_opens_init(&b.s, tokens->tokens, src, pool);
    b.quirks = tmpl_quirks(tokens, src);
    for (uint32_t i = 0; i < tokens->n; i++) {
        tmpl_token_t *token = &tokens->tokens[i];
        uint32_t opened = b.s.last_id;
        b.s.at = i;
        if (at < token->span.start && b.templates == 0 && (i == 0 || i != b.raw_end) &&
            !(token->flags & TMPL_TOKEN_FOREIGN)) {
            token->flags |= gap(&b, at, token->span.start);
        }
        tmpl_decline_e decline = token_event(&b, i);
        if (decline != TMPL_DECLINE_NONE) {
            return decline;
        }
        if (b.ambiguous || b.s.unsure) {
            return TMPL_DECLINE_UNCOVERED;
        }
        if (b.s.n > max_depth) {
            return TMPL_DECLINE_TOO_DEEP;
        }
        steps += (uint64_t)(1 + b.s.last_id - opened) * (b.s.n + b.s.n_active);
        if (steps > MAX_STEPS) {
            return TMPL_DECLINE_TOO_MANY;
        }
        at = token->span.end;
    }
    if (b.templates > 0) {
        return TMPL_DECLINE_TRUNCATED; /* what is left is inside */
    }
    tokens->text = gap(&b, at, len);
    tmpl_opens_finish(&b.s);
    const tmpl_open_t *body = in_body(&b) ? &b.s.stack[1] : &b.s.stack[0];
    if (body->token != TMPL_NONE && !body->mixed) {
        tokens->tokens[body->token].may = TMPL_NODE_RUN;
    }
    return TMPL_DECLINE_NONE;
}
