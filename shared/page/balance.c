/* SPDX-License-Identifier: Apache-2.0 */
#include "page/balance.h"

#include "page/attr.h"
#include "page/page.h"

/* An element on HTML5's stack of open elements. */
typedef struct {
    uint32_t token; /* TMPL_NONE for an element that no tag in the source opened */
    uint32_t name;
    unsigned flags; /* TMPL_IS_* */
    unsigned char tag;
    unsigned char tainted;    /* not what its tags say: no edits at all */
    unsigned char fixed;      /* its start tag does more than open it: it must stay */
    unsigned char mixed;      /* not all text directly in it may be cut */
    unsigned char fixed_text; /* no text directly in it may be cut */
} open_t;

/* A formatting element that was closed without its end tag: it comes back in what follows. */
typedef struct {
    uint32_t name;
    uint32_t marker; /* index of the innermost marker on the stack; 0 for none */
} dangling_t;

typedef struct {
    tmpl_token_t *tokens;
    const char *src;
    open_t *stack; /* [0] stands for the document, [1] for body once there is one */
    uint32_t n;
    uint32_t max;
    dangling_t *dangling;
    uint32_t n_dangling;
    uint32_t room_dangling;
    uint32_t templates; /* template elements open: what is inside is parsed on its own */
    unsigned char form;
    unsigned char after_body;
    apr_pool_t *pool;
} balance_t;

static open_t *top(balance_t *b)
{
    return &b->stack[b->n - 1];
}

/* Elements that shield the list of active formatting elements: 13.2.4.3, "marker". */
static int is_marker(const open_t *o)
{
    return o->tag == TMPL_TAG_TD || o->tag == TMPL_TAG_TH || o->tag == TMPL_TAG_CAPTION ||
           o->tag == TMPL_TAG_OBJECT || o->tag == TMPL_TAG_APPLET || o->tag == TMPL_TAG_MARQUEE;
}

static uint32_t innermost_marker(const balance_t *b)
{
    uint32_t i = b->n - 1;
    while (i > 0 && !is_marker(&b->stack[i])) {
        i--;
    }
    return i;
}

/* Something happened that may reach any element open above floor. */
static void taint(balance_t *b, uint32_t floor)
{
    for (uint32_t i = floor + 1; i < b->n; i++) {
        b->stack[i].tainted = 1;
    }
}

static int is_dangling(const balance_t *b)
{
    return b->n_dangling > 0 && b->dangling[b->n_dangling - 1].marker == innermost_marker(b);
}

static void add_dangling(balance_t *b, uint32_t name, uint32_t marker)
{
    if (b->n_dangling == b->room_dangling) {
        uint32_t room = b->room_dangling * 2 + 16;
        dangling_t *grown = apr_palloc(b->pool, room * sizeof(*grown));
        for (uint32_t i = 0; i < b->n_dangling; i++) {
            grown[i] = b->dangling[i];
        }
        b->dangling = grown;
        b->room_dangling = room;
    }
    b->dangling[b->n_dangling++] = (dangling_t){ name, marker };
}

static void pop(balance_t *b)
{
    open_t o = *top(b);
    int marker = is_marker(&o);
    b->n--;
    if (marker) {
        while (b->n_dangling > 0 && b->dangling[b->n_dangling - 1].marker >= b->n) {
            b->n_dangling--;
        }
    }
    else if ((o.flags & TMPL_IS_FORMATTING) &&
             (o.token == TMPL_NONE || b->tokens[o.token].pair == TMPL_NONE)) {
        add_dangling(b, o.name, innermost_marker(b));
    }
}

/* Closes what is open above index keep; true if there was anything. */
static int pop_above(balance_t *b, uint32_t keep)
{
    int any = b->n - 1 > keep;
    uint32_t before = b->n_dangling;
    while (b->n - 1 > keep) {
        pop(b);
    }
    if (b->n_dangling > before) {
        taint(b, b->dangling[b->n_dangling - 1].marker);
    }
    return any;
}

/* Closes the element at index, by its own end tag if end is not TMPL_NONE. */
static void close_at(balance_t *b, uint32_t index, uint32_t end)
{
    open_t *o = &b->stack[index];
    if (end != TMPL_NONE && o->token != TMPL_NONE) {
        b->tokens[o->token].pair = end;
    }
    pop_above(b, index);
    if (end != TMPL_NONE && o->token != TMPL_NONE && !o->tainted) {
        b->tokens[o->token].may = (unsigned char)(TMPL_NODE_MARK | (o->fixed ? 0 : TMPL_NODE_CUT) |
                                                  (o->mixed ? 0 : TMPL_NODE_RUN));
    }
    pop_above(b, index - 1);
}

static open_t *push(balance_t *b, uint32_t token, tmpl_tag_e tag, uint32_t name)
{
    open_t *o = &b->stack[b->n++];
    unsigned flags = tmpl_tag_flags(tag);
    *o = (open_t){ .token = token, .name = name, .flags = flags, .tag = (unsigned char)tag };
    o->fixed_text = (flags & TMPL_IS_TABLE) || tag == TMPL_TAG_PRE || tag == TMPL_TAG_LISTING ||
                    tag == TMPL_TAG_SELECT || tag == TMPL_TAG_COLGROUP;
    o->mixed = o->fixed_text;
    return o;
}

/* Kinds of scope, 13.2.4.2: elements beside those of TMPL_IS_SCOPE that end the search. */
static int ends_button_scope(const open_t *o)
{
    return (o->flags & TMPL_IS_SCOPE) || o->tag == TMPL_TAG_BUTTON;
}

static int ends_item_scope(const open_t *o)
{
    return (o->flags & TMPL_IS_SCOPE) || o->tag == TMPL_TAG_OL || o->tag == TMPL_TAG_UL;
}

static int ends_scope(const open_t *o)
{
    return (o->flags & TMPL_IS_SCOPE) != 0;
}

static int ends_table_scope(const open_t *o)
{
    return o->tag == TMPL_TAG_TABLE || o->tag == TMPL_TAG_TEMPLATE;
}

static int ends_special(const open_t *o)
{
    return (o->flags & TMPL_IS_SPECIAL) != 0;
}

/* The innermost open element of that name before one that ends the search; 0 if there is none. */
static uint32_t find_open(const balance_t *b, uint32_t name, int (*ends)(const open_t *))
{
    for (uint32_t i = b->n - 1; i > 0; i--) {
        if (b->stack[i].name == name) {
            return i;
        }
        if (ends(&b->stack[i])) {
            return 0;
        }
    }
    return 0;
}

/* li, dd and dt close the one before them: 13.2.6.4.7. */
static int close_item(balance_t *b, tmpl_tag_e tag)
{
    for (uint32_t i = b->n - 1; i > 0; i--) {
        const open_t *o = &b->stack[i];
        int same = tag == TMPL_TAG_LI ? o->tag == TMPL_TAG_LI
                                      : o->tag == TMPL_TAG_DD || o->tag == TMPL_TAG_DT;
        if (same) {
            close_at(b, i, TMPL_NONE);
            return 1;
        }
        if ((o->flags & TMPL_IS_SPECIAL) && o->tag != TMPL_TAG_ADDRESS && o->tag != TMPL_TAG_DIV &&
            o->tag != TMPL_TAG_P) {
            return 0;
        }
    }
    return 0;
}

/* What a start tag closes before it opens its element; true if it closed anything. */
static int close_before(balance_t *b, tmpl_tag_e tag, unsigned flags)
{
    int closed = 0;
    if (tag == TMPL_TAG_LI || tag == TMPL_TAG_DD || tag == TMPL_TAG_DT) {
        closed = close_item(b, tag);
    }
    if (flags & TMPL_IS_CLOSES_P) {
        uint32_t p = find_open(b, TMPL_TAG_P, ends_button_scope);
        if (p != 0) {
            if (tag == TMPL_TAG_TABLE) {
                taint(b, 0); /* only outside quirks mode */
            }
            close_at(b, p, TMPL_NONE);
            closed = 1;
        }
    }
    if ((flags & TMPL_IS_HEADING) && (top(b)->flags & TMPL_IS_HEADING)) {
        close_at(b, b->n - 1, TMPL_NONE);
        closed = 1;
    }
    if (tag == TMPL_TAG_BUTTON && find_open(b, tag, ends_scope) != 0) {
        taint(b, 0);
        close_at(b, find_open(b, tag, ends_scope), TMPL_NONE);
        closed = 1;
    }
    if ((tag == TMPL_TAG_OPTION || tag == TMPL_TAG_OPTGROUP) && (top(b)->flags & TMPL_IS_IMPLIED) &&
        (top(b)->tag == TMPL_TAG_OPTION ||
         (tag == TMPL_TAG_OPTGROUP && top(b)->tag == TMPL_TAG_OPTGROUP))) {
        close_at(b, b->n - 1, TMPL_NONE);
        closed = 1;
    }
    if (tag == TMPL_TAG_RP || tag == TMPL_TAG_RT || tag == TMPL_TAG_RB || tag == TMPL_TAG_RTC) {
        unsigned t = top(b)->tag;
        if (t == TMPL_TAG_RP || t == TMPL_TAG_RT || t == TMPL_TAG_RB || t == TMPL_TAG_RTC) {
            close_at(b, b->n - 1, TMPL_NONE);
            closed = 1;
        }
    }
    return closed;
}

/* The innermost open element above floor whose tag is one of the given; 0 if there is none. */
static uint32_t find_above(const balance_t *b, uint32_t floor, const tmpl_tag_e *tags, unsigned n)
{
    for (uint32_t i = b->n - 1; i > floor; i--) {
        for (unsigned t = 0; t < n; t++) {
            if (b->stack[i].tag == tags[t]) {
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
    int is_cell = tag == TMPL_TAG_TD || tag == TMPL_TAG_TH;
    uint32_t table = find_open(b, TMPL_TAG_TABLE, ends_table_scope);
    if (table == 0) {
        return -1;
    }
    int fixed = 0;
    uint32_t cell = find_above(b, table, cells, 3);
    if (cell != 0) {
        close_at(b, cell, TMPL_NONE);
        fixed = 1;
    }
    if (tag == TMPL_TAG_COL && top(b)->tag == TMPL_TAG_COLGROUP) {
        return fixed;
    }
    uint32_t section = is_cell || tag == TMPL_TAG_TR ? find_above(b, table, sections, 3) : 0;
    uint32_t row = is_cell ? find_above(b, table, rows, 1) : 0;
    if (pop_above(b, row != 0 ? row : section != 0 ? section : table)) {
        fixed = 1;
    }
    if (is_cell || tag == TMPL_TAG_TR) {
        if (section == 0) {
            push(b, TMPL_NONE, TMPL_TAG_TBODY, TMPL_TAG_TBODY);
            fixed = 1;
        }
        if (is_cell && row == 0) {
            push(b, TMPL_NONE, TMPL_TAG_TR, TMPL_TAG_TR);
            fixed = 1;
        }
    }
    return fixed || tag == TMPL_TAG_COL;
}

static int is_table_part(unsigned tag)
{
    return tag == TMPL_TAG_CAPTION || tag == TMPL_TAG_COL || tag == TMPL_TAG_COLGROUP ||
           tag == TMPL_TAG_TBODY || tag == TMPL_TAG_THEAD || tag == TMPL_TAG_TFOOT ||
           tag == TMPL_TAG_TR || tag == TMPL_TAG_TD || tag == TMPL_TAG_TH;
}

/* Start tags that do not bring back dangling formatting elements: 13.2.6.4.7. */
static int is_plain_block(unsigned tag, unsigned flags)
{
    return (flags & (TMPL_IS_CLOSES_P | TMPL_IS_TABLE | TMPL_IS_HEAD)) || is_table_part(tag);
}

/* The adoption agency (13.2.6.4.7), where it does no more than close the element; else unsafe. */
static void end_formatting(balance_t *b, uint32_t end, uint32_t name)
{
    uint32_t marker = innermost_marker(b);
    uint32_t index = b->n - 1;
    int blocked = 0;
    int special = 0;
    while (index > marker && b->stack[index].name != name) {
        blocked |= ends_scope(&b->stack[index]);
        special |= ends_special(&b->stack[index]);
        index--;
    }
    if (index > marker) {
        if (!blocked && !special) {
            close_at(b, index, end);
        }
        else if (!blocked) {
            /* Its content is taken apart. */
            taint(b, 0);
            for (uint32_t i = index; i + 1 < b->n; i++) {
                b->stack[i] = b->stack[i + 1];
            }
            b->n--;
        }
        return;
    }
    for (uint32_t i = b->n_dangling; i > 0 && b->dangling[i - 1].marker == marker; i--) {
        if (b->dangling[i - 1].name == name) {
            taint(b, marker); /* what it ends began outside the elements now open */
            for (; i < b->n_dangling; i++) {
                b->dangling[i - 1] = b->dangling[i];
            }
            b->n_dangling--;
            return;
        }
    }
}

static int is_formatting_open(const balance_t *b, unsigned tag)
{
    for (uint32_t i = b->n - 1; i > 0 && !is_marker(&b->stack[i]); i--) {
        if (b->stack[i].tag == tag) {
            return 1;
        }
    }
    uint32_t marker = innermost_marker(b);
    for (uint32_t i = b->n_dangling; i > 0 && b->dangling[i - 1].marker == marker; i--) {
        if (b->dangling[i - 1].name == tag) {
            return 1;
        }
    }
    return 0;
}

/* Whether a start tag is out of place where it stands, so that browsers move or drop something. */
static int is_misplaced(const balance_t *b, unsigned tag)
{
    const open_t *parent = &b->stack[b->n - 1];
    if (tag == TMPL_TAG_HTML || tag == TMPL_TAG_BODY || tag == TMPL_TAG_FRAME) {
        return 1;
    }
    if (parent->tag == TMPL_TAG_SELECT || parent->tag == TMPL_TAG_OPTION ||
        parent->tag == TMPL_TAG_OPTGROUP) {
        return tag != TMPL_TAG_OPTION && tag != TMPL_TAG_OPTGROUP && tag != TMPL_TAG_SCRIPT &&
               tag != TMPL_TAG_TEMPLATE && tag != TMPL_TAG_HR;
    }
    if (((parent->flags & TMPL_IS_TABLE) || parent->tag == TMPL_TAG_COLGROUP) &&
        !is_table_part(tag)) {
        return tag != TMPL_TAG_SCRIPT && tag != TMPL_TAG_STYLE && tag != TMPL_TAG_TEMPLATE;
    }
    if (tag == TMPL_TAG_FORM) {
        return b->form;
    }
    if (tag == TMPL_TAG_A || tag == TMPL_TAG_NOBR) {
        return is_formatting_open(b, tag);
    }
    return 0;
}

static void body_start(balance_t *b, uint32_t i)
{
    if (b->n == 1) {
        push(b, i, TMPL_TAG_BODY, TMPL_TAG_BODY);
    }
    else {
        taint(b, 0); /* gives its attributes to the body there is */
    }
}

/* A start tag before body; true if it opens nothing that we follow. */
static int head_start(balance_t *b, const tmpl_token_t *token, int *first)
{
    if (token->tag == TMPL_TAG_HEAD || token->tag == TMPL_TAG_HTML) {
        if (b->n > 1) {
            taint(b, 0); /* gives its attributes to the element there is */
        }
        return 1;
    }
    if (b->n > 1 || (tmpl_tag_flags((tmpl_tag_e)token->tag) & TMPL_IS_HEAD)) {
        return 0;
    }
    /* The first element that cannot stand in the head opens body; it has to stay. */
    push(b, TMPL_NONE, TMPL_TAG_BODY, TMPL_TAG_BODY);
    *first = 1;
    return 0;
}

/* An element without content: void, or raw text whose end tag is the next token. */
static void leaf(balance_t *b, uint32_t i, int edit)
{
    tmpl_token_t *token = &b->tokens[i];
    int raw = tmpl_tag_flags((tmpl_tag_e)token->tag) & TMPL_IS_RAW;
    token->pair = raw ? i + 1 : TMPL_NONE;
    token->may = (unsigned char)(edit ? TMPL_NODE_MARK | TMPL_NODE_CUT : 0);
}

static void start_tag(balance_t *b, uint32_t i)
{
    tmpl_token_t *token = &b->tokens[i];
    tmpl_tag_e tag = (tmpl_tag_e)token->tag;
    unsigned flags = tmpl_tag_flags(tag);
    int fixed = b->after_body;
    b->after_body = 0;
    if (tag == TMPL_TAG_BODY) {
        body_start(b, i);
        return;
    }
    if (head_start(b, token, &fixed)) {
        return;
    }
    if (is_table_part(tag)) {
        int part = table_part(b, tag);
        if (part < 0) {
            return;
        }
        fixed |= part;
    }
    else {
        fixed |= close_before(b, tag, flags);
    }
    int misplaced = is_misplaced(b, tag);
    if (misplaced) {
        taint(b, 0);
        /* A link ends the link it stands in. */
        for (int k = 0; k < 2 && (tag == TMPL_TAG_A || tag == TMPL_TAG_NOBR); k++) {
            end_formatting(b, TMPL_NONE, token->name);
        }
    }
    const open_t *parent = top(b);
    int after_pre = (parent->tag == TMPL_TAG_PRE || parent->tag == TMPL_TAG_LISTING) &&
                    parent->token != TMPL_NONE &&
                    b->tokens[parent->token].span.end == token->span.start;
    fixed |= after_pre || (is_dangling(b) && !is_plain_block(tag, flags));
    if (flags & (TMPL_IS_VOID | TMPL_IS_RAW)) {
        leaf(b, i, !misplaced && !fixed && b->n > 1);
        return;
    }
    if (tag == TMPL_TAG_FORM) {
        if (b->form || (parent->flags & TMPL_IS_TABLE)) {
            b->form = 1;
            return; /* ignored, or opened and closed at once */
        }
        b->form = 1;
    }
    if (tag == TMPL_TAG_TEMPLATE) {
        b->templates++;
    }
    open_t *o = push(b, i, tag, token->name);
    o->fixed = (unsigned char)fixed;
    o->tainted = (unsigned char)misplaced;
}

static void end_form(balance_t *b, uint32_t end)
{
    uint32_t form = find_open(b, TMPL_TAG_FORM, ends_scope);
    b->form = 0;
    if (form != 0 && form == b->n - 1) {
        close_at(b, form, end);
        return;
    }
    taint(b, 0);
    if (form != 0) {
        /* Only the form leaves the stack; what is open in it stays open. */
        for (uint32_t i = form; i + 1 < b->n; i++) {
            b->stack[i] = b->stack[i + 1];
        }
        b->n--;
    }
}

static void end_heading(balance_t *b, uint32_t end, uint32_t name)
{
    for (uint32_t i = b->n - 1; i > 0; i--) {
        if (b->stack[i].flags & TMPL_IS_HEADING) {
            close_at(b, i, b->stack[i].name == name ? end : TMPL_NONE);
            return;
        }
        if (ends_scope(&b->stack[i])) {
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
    if (b->n == 1) {
        push(b, TMPL_NONE, TMPL_TAG_BODY, TMPL_TAG_BODY);
    }
    taint(b, 1);
    b->after_body = 1;
}

static void end_tag(balance_t *b, uint32_t i)
{
    const tmpl_token_t *token = &b->tokens[i];
    tmpl_tag_e tag = (tmpl_tag_e)token->tag;
    unsigned flags = tmpl_tag_flags(tag);
    int (*ends)(const open_t *);
    if (flags & TMPL_IS_RAW) {
        return; /* paired with its start tag, or ignored */
    }
    if (tag == TMPL_TAG_BODY || tag == TMPL_TAG_HTML) {
        end_body(b);
        return;
    }
    if (tag == TMPL_TAG_HEAD || (tag != TMPL_TAG_BR && (flags & TMPL_IS_VOID))) {
        return;
    }
    if (tag == TMPL_TAG_FORM) {
        end_form(b, i);
        return;
    }
    if (flags & TMPL_IS_FORMATTING) {
        end_formatting(b, i, token->name);
        return;
    }
    if (flags & TMPL_IS_HEADING) {
        end_heading(b, i, token->name);
        return;
    }
    if (tag == TMPL_TAG_P) {
        ends = ends_button_scope;
    }
    else if (tag == TMPL_TAG_LI) {
        ends = ends_item_scope;
    }
    else if (tag == TMPL_TAG_TABLE || is_table_part(tag)) {
        ends = ends_table_scope;
    }
    else {
        ends = (flags & TMPL_IS_SPECIAL) ? ends_scope : ends_special;
    }
    uint32_t index = find_open(b, token->name, ends);
    if (index > 0) {
        close_at(b, index, i);
    }
    else if (tag == TMPL_TAG_P || tag == TMPL_TAG_BR) {
        taint(b, 0); /* makes an element of its own */
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
            push(b, i, TMPL_TAG_OTHER, token->name ^ FOREIGN_NAME)->tainted = 1;
        }
        return TMPL_DECLINE_NONE;
    }
    if (top(b)->name != (token->name ^ FOREIGN_NAME)) {
        return TMPL_DECLINE_FOREIGN;
    }
    b->tokens[top(b)->token].pair = i;
    b->n--;
    return TMPL_DECLINE_NONE;
}

/*
 * Text that is more than white space has come. True if the rest parses the same without it: nothing
 * has to be opened or moved for it.
 */
static int text(balance_t *b)
{
    int opens = b->n == 1 || b->after_body || is_dangling(b);
    if (b->n == 1) {
        push(b, TMPL_NONE, TMPL_TAG_BODY, TMPL_TAG_BODY);
    }
    if (top(b)->flags & TMPL_IS_TABLE) {
        taint(b, 0); /* is moved in front of the table */
    }
    if (opens) {
        top(b)->mixed = 1;
    }
    b->after_body = 0;
    return !opens && !top(b)->fixed_text;
}

static int is_blank(const char *src, uint32_t start, uint32_t end)
{
    while (start < end && tmpl_is_space(src[start])) {
        start++;
    }
    return start == end;
}

static tmpl_decline_e token_event(balance_t *b, uint32_t i)
{
    tmpl_token_t *token = &b->tokens[i];
    if (token->type == TMPL_TOKEN_OTHER) {
        return TMPL_DECLINE_NONE;
    }
    if (b->templates > 0) {
        int end = token->type == TMPL_TOKEN_END;
        if (token->tag == TMPL_TAG_TEMPLATE && end && --b->templates == 0) {
            close_at(b, b->n - 1, i);
        }
        else if (token->tag == TMPL_TAG_TEMPLATE && !end) {
            b->templates++;
        }
        return TMPL_DECLINE_NONE;
    }
    if (token->flags & TMPL_TOKEN_FOREIGN) {
        return foreign(b, i);
    }
    if (token->type == TMPL_TOKEN_START) {
        int svg = (token->tag == TMPL_TAG_SVG || token->tag == TMPL_TAG_MATH);
        if (svg && (token->flags & TMPL_TOKEN_SELF_CLOSING)) {
            return TMPL_DECLINE_NONE;
        }
        start_tag(b, i);
        return TMPL_DECLINE_NONE;
    }
    if ((token->tag == TMPL_TAG_SVG || token->tag == TMPL_TAG_MATH) &&
        top(b)->name != token->name) {
        return TMPL_DECLINE_FOREIGN;
    }
    end_tag(b, i);
    return TMPL_DECLINE_NONE;
}

tmpl_decline_e tmpl_balance(tmpl_tokens_t *tokens, const char *src, uint32_t len,
                            uint32_t max_depth, apr_pool_t *pool)
{
    balance_t b = { .tokens = tokens->tokens, .src = src, .n = 1, .max = max_depth, .pool = pool };
    /* A token pushes three elements at most: body, or a section, a row and a cell. */
    b.stack = apr_pcalloc(pool, (max_depth + 8) * sizeof(*b.stack));
    uint32_t at = tokens->begin;
    for (uint32_t i = 0; i < tokens->n; i++) {
        const tmpl_token_t *token = &tokens->tokens[i];
        int raw = i > 0 && tokens->tokens[i - 1].type == TMPL_TOKEN_START &&
                  tokens->tokens[i - 1].pair == i;
        if (b.templates == 0 && !raw && !(token->flags & TMPL_TOKEN_FOREIGN) &&
            !is_blank(src, at, token->span.start)) {
            tokens->tokens[i].text = (unsigned char)text(&b);
        }
        tmpl_decline_e decline = token_event(&b, i);
        if (decline != TMPL_DECLINE_NONE) {
            return decline;
        }
        if (b.n > b.max) {
            return TMPL_DECLINE_TOO_DEEP;
        }
        at = token->span.end;
    }
    tokens->text = b.n > 1 && !is_blank(src, at, len) && text(&b);
    if (b.n > 1 && b.stack[1].token != TMPL_NONE && !b.stack[1].mixed) {
        tokens->tokens[b.stack[1].token].may = TMPL_NODE_RUN;
    }
    return b.templates > 0 ? TMPL_DECLINE_TRUNCATED : TMPL_DECLINE_NONE;
}
