/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/markdown.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "base/ascii.h"
#include "dom/dom.h"
#include "markdown/front.h"
#include "markdown/callout.h"
#include "markdown/formula.h"
#include "markdown/grid_write.h"
#include "markdown/leaf.h"
#include "markdown/flow.h"
#include "content/image.h"
#include "markdown/listing.h"
#include "markdown/notes.h"
#include "markdown/permalink.h"
#include "markdown/write.h"

/* A list that is open. */
typedef struct {
    int ordered;
    int begun; /* an item was written */
    int holds; /* the last item is still open: a list follows that belongs to it */
    char mark; /* '-' or '+', '.' or ')' */
    uint32_t number;
} list_t;

typedef struct {
    const tmpl_page_t *page;
    tmpl_flow_t flow;
    tmpl_leaf_t leaf;
    tmpl_buf_t code;          /* the code of a pre */
    const tmpl_note_t *notes; /* by the page's nodes; NULL: there are none */
    const xmlNode *link;      /* the open link; NULL: none */
    const char *href;         /* of the link that began last; NULL: it is not written */
    const xmlNode *one_leaf;  /* open element whose text is one leaf: a heading, a cell; or NULL */
    tmpl_write_e where;       /* where the text of one_leaf goes */
    list_t lists[TMPL_FLOW_DEPTH];
    uint32_t n_lists;       /* some may be beyond the limit */
    apr_size_t behind_list; /* bytes of Markdown when the last list ended */
    char last_mark;         /* mark of the last list that ended */
    tmpl_grid_writer_t table;
    apr_array_header_t *inlines; /* notes in sentences, which are written at the end */
    const xmlNode *said;         /* text that the line of a callout says; NULL: none */
    tmpl_formulas_t formulas;
    tmpl_formula_t formula; /* the last one that was found */
    apr_pool_t *pool;
} markdown_writer_t;

/*
 * Functions called at an element's begin and end; NULL: nothing is written there. enter_t returns
 * whether to skip its content.
 */
typedef int enter_t(markdown_writer_t *w, const xmlNode *node);
typedef void leave_t(markdown_writer_t *w, const xmlNode *node);

/* Writes the paragraph that was collected, if it has any text. */
static void flush(markdown_writer_t *w)
{
    tmpl_leaf_finish(&w->leaf);
    if (!tmpl_leaf_is_empty(&w->leaf)) {
        tmpl_flow_begin(&w->flow, TMPL_FLOW_TEXT);
        tmpl_write_markdown(&w->flow, &w->leaf, TMPL_WRITE_PARAGRAPH);
        tmpl_flow_end(&w->flow);
    }
}

/* A boundary of blocks: ends a paragraph. In a heading or cell it separates words or lines. */
static void part(markdown_writer_t *w)
{
    if (w->one_leaf == NULL) {
        flush(w);
    }
    else if (w->where == TMPL_WRITE_CELL) {
        tmpl_leaf_break(&w->leaf);
    }
    else {
        tmpl_leaf_space(&w->leaf);
    }
}

static int enter_block(markdown_writer_t *w, const xmlNode *node)
{
    (void)node;
    part(w);
    return 0;
}

static void leave_block(markdown_writer_t *w, const xmlNode *node)
{
    (void)node;
    part(w);
}

/* Begins an element whose text is one leaf. Returns 0 if the element is in another one. */
static int begin_leaf(markdown_writer_t *w, const xmlNode *node, tmpl_write_e where)
{
    part(w);
    if (w->one_leaf != NULL) {
        return 0;
    }
    w->one_leaf = node;
    w->where = where;
    return 1;
}

/* Ends an element whose text is one leaf. Returns 0 if the element is in another one. */
static int end_leaf(markdown_writer_t *w, const xmlNode *node)
{
    if (w->one_leaf != node) {
        part(w);
        return 0;
    }
    w->one_leaf = NULL;
    return 1;
}

static int enter_heading(markdown_writer_t *w, const xmlNode *node)
{
    w->leaf.plain |= begin_leaf(w, node, TMPL_WRITE_HEADING);
    return 0;
}

static void leave_heading(markdown_writer_t *w, const xmlNode *node)
{
    if (!end_leaf(w, node)) {
        return;
    }
    tmpl_leaf_finish(&w->leaf);
    w->leaf.plain = 0;
    if (!tmpl_leaf_is_empty(&w->leaf)) {
        tmpl_flow_begin(&w->flow, TMPL_FLOW_TEXT);
        /* h1 to h6 */
        tmpl_buf_add(&w->flow.out, "######", (apr_size_t)(node->name[1] - '0'));
        tmpl_buf_add_text(&w->flow.out, " ");
        tmpl_write_markdown(&w->flow, &w->leaf, TMPL_WRITE_HEADING);
        tmpl_flow_end(&w->flow);
    }
}

/* A term or a summary: a paragraph in bold. */
static int enter_term(markdown_writer_t *w, const xmlNode *node)
{
    begin_leaf(w, node, TMPL_WRITE_PARAGRAPH);
    tmpl_leaf_open(&w->leaf, TMPL_FORMAT_STRONG, NULL);
    return 0;
}

static void leave_term(markdown_writer_t *w, const xmlNode *node)
{
    int ended = end_leaf(w, node);
    if (ended) {
        flush(w);
    }
    tmpl_leaf_close(&w->leaf, TMPL_FORMAT_STRONG);
}

static int enter_quote(markdown_writer_t *w, const xmlNode *node)
{
    part(w);
    if (w->one_leaf == NULL) {
        const char *callout = tmpl_callout_of(w->page, node);
        w->said = callout != NULL ? tmpl_callout_title(node, callout) : w->said;
        tmpl_flow_quote(&w->flow, callout);
    }
    return 0;
}

static void leave_quote(markdown_writer_t *w, const xmlNode *node)
{
    part(w);
    if (w->one_leaf == NULL) {
        tmpl_flow_close(&w->flow);
    }
    (void)node;
}

static list_t *list_of(markdown_writer_t *w)
{
    return w->n_lists > 0 && w->n_lists <= TMPL_FLOW_DEPTH ? &w->lists[w->n_lists - 1] : NULL;
}

static void close_item(markdown_writer_t *w)
{
    list_t *list = list_of(w);
    if (tmpl_flow_close(&w->flow) && list != NULL) {
        list->begun = 1;
    }
}

static int is_list(const markdown_writer_t *w, const xmlNode *node)
{
    tmpl_tag_e tag = tmpl_grid_tag(w->page, node);
    return (tag == TMPL_TAG_UL || tag == TMPL_TAG_OL || tag == TMPL_TAG_MENU ||
            tag == TMPL_TAG_DIR) &&
           (w->notes == NULL || w->notes[tmpl_dom_node(node)].kind == TMPL_NOTE_NONE);
}

/* Whether a list follows an item, or a list, directly in a list: it belongs to the item. */
static int has_list_behind(const markdown_writer_t *w, const xmlNode *node)
{
    return node->next != NULL && is_list(w, node->next) && is_list(w, node->parent);
}

static int enter_list(markdown_writer_t *w, const xmlNode *node)
{
    part(w);
    w->n_lists++;
    list_t *list = list_of(w);
    if (list == NULL) {
        return 0;
    }
    const char *start = tmpl_dom_attribute(node, "start");
    long number = start != NULL ? strtol(start, NULL, 10) : 1;
    list->ordered = tmpl_grid_tag(w->page, node) == TMPL_TAG_OL;
    list->begun = list->holds = 0;
    list->number = number >= 0 && number < 100000000 ? (uint32_t)number : 1;
    /* directly behind a list, the same mark would continue that list */
    int again = w->behind_list == w->flow.out.len;
    list->mark = list->ordered ? (again && w->last_mark == '.' ? ')' : '.')
                               : (again && w->last_mark == '-' ? '+' : '-');
    return 0;
}

static void leave_list(markdown_writer_t *w, const xmlNode *node)
{
    part(w);
    list_t *list = list_of(w);
    if (list != NULL && list->begun && w->one_leaf == NULL) {
        w->behind_list = w->flow.out.len;
        w->last_mark = list->mark;
    }
    w->n_lists--;
    list = list_of(w);
    if (list != NULL && list->holds && !has_list_behind(w, node)) {
        list->holds = 0;
        close_item(w);
    }
}

static int enter_item(markdown_writer_t *w, const xmlNode *node)
{
    (void)node;
    part(w);
    if (w->one_leaf != NULL) {
        return 0;
    }
    list_t *list = list_of(w);
    char marker[12] = "- ";
    if (list != NULL && list->ordered) {
        apr_snprintf(marker, sizeof(marker), "%u%c ", list->number++, list->mark);
    }
    else if (list != NULL) {
        marker[0] = list->mark;
    }
    tmpl_flow_item(&w->flow, marker, list == NULL || !list->begun);
    return 0;
}

static void leave_item(markdown_writer_t *w, const xmlNode *node)
{
    part(w);
    list_t *list = list_of(w);
    if (w->one_leaf != NULL) {
        return;
    }
    if (list != NULL && has_list_behind(w, node)) {
        list->holds = 1;
    }
    else {
        close_item(w);
    }
}

/* A dd: an item. */
static int enter_definition(markdown_writer_t *w, const xmlNode *node)
{
    (void)node;
    part(w);
    if (w->one_leaf == NULL) {
        tmpl_flow_item(&w->flow, "- ", 1);
    }
    return 0;
}

static int enter_rule(markdown_writer_t *w, const xmlNode *node)
{
    (void)node;
    part(w);
    if (w->one_leaf == NULL) {
        tmpl_flow_begin(&w->flow, TMPL_FLOW_OTHER);
        /* "---" behind a text would be a heading, and behind "- " a rule of its own */
        tmpl_buf_add_text(&w->flow.out, "***");
        tmpl_flow_end(&w->flow);
    }
    return 1;
}

static int enter_break(markdown_writer_t *w, const xmlNode *node)
{
    (void)node;
    const tmpl_buf_t *text = &w->leaf.text;
    if (w->one_leaf == NULL && text->len > 0 && text->at[text->len - 1] == TMPL_MARK_BREAK) {
        flush(w); /* two line breaks separate paragraphs */
        return 1;
    }
    tmpl_leaf_break(&w->leaf);
    return 1;
}

/* Whether an element is to be written, which what is written next is of. */
static int is_kept(const markdown_writer_t *w, const xmlNode *node)
{
    return w->flow.pieces == NULL ||
           tmpl_pieces_keep_node(w->flow.pieces, tmpl_dom_node(node), tmpl_leaf_is_empty(&w->leaf));
}

static int enter_pre(markdown_writer_t *w, const xmlNode *node)
{
    part(w);
    if (w->one_leaf != NULL) {
        return 0;
    }
    if (!is_kept(w, node)) {
        return 1;
    }
    tmpl_buf_clear(&w->code);
    const char *language = tmpl_listing_read(&w->code, w->page, node, w->pool);
    if (w->code.len > 0) {
        tmpl_write_code(&w->flow, w->code.at, w->code.len, language);
    }
    return 1;
}

static int enter_table(markdown_writer_t *w, const xmlNode *node)
{
    part(w);
    if (w->one_leaf == NULL && w->table.node == NULL) {
        if (!is_kept(w, node)) {
            return 1;
        }
        tmpl_grid_begin(&w->table, w->page, node);
    }
    return 0;
}

static void leave_table(markdown_writer_t *w, const xmlNode *node)
{
    if (w->table.node == node) {
        tmpl_grid_end(&w->table, &w->flow);
    }
    else {
        part(w);
    }
}

static int enter_row(markdown_writer_t *w, const xmlNode *node)
{
    (void)node;
    part(w);
    w->table.cells = 0;
    return 0;
}

static void leave_row(markdown_writer_t *w, const xmlNode *node)
{
    (void)node;
    if (w->table.node == NULL || w->one_leaf != NULL || w->table.cells == 0) {
        part(w);
    }
    else {
        tmpl_grid_end_row(&w->table, &w->flow);
    }
}

static int enter_cell(markdown_writer_t *w, const xmlNode *node)
{
    if (w->table.node == NULL || w->one_leaf != NULL) {
        part(w);
        return 0;
    }
    begin_leaf(w, node, TMPL_WRITE_CELL);
    return 0;
}

static void leave_cell(markdown_writer_t *w, const xmlNode *node)
{
    if (end_leaf(w, node)) {
        tmpl_grid_write_cell(&w->table, &w->flow, &w->leaf, node);
    }
}

static int enter_image(markdown_writer_t *w, const xmlNode *node)
{
    const char *alt = tmpl_dom_attribute(node, "alt");
    const char *address = tmpl_image_address(node, w->pool);
    if (address != NULL && is_kept(w, node)) {
        tmpl_leaf_image(&w->leaf, alt != NULL ? alt : "", address);
    }
    return 1;
}

/*
 * Whether a link to href stands directly behind a link to before: styles part such links. If both
 * lead to the same address, they may be parts of one word.
 */
static int is_parted(const markdown_writer_t *w, const xmlNode *link, const char *before,
                     const char *href)
{
    const xmlNode *prev = link->prev;
    return prev != NULL && tmpl_grid_tag(w->page, prev) == TMPL_TAG_A &&
           (before == NULL || href == NULL || strcmp(before, href) != 0);
}

static int enter_link(markdown_writer_t *w, const xmlNode *node)
{
    const char *before = w->href;
    const char *href = tmpl_dom_attribute(node, "href");
    w->href = href != NULL && tmpl_href_is_safe(href) ? href : NULL;
    if (is_parted(w, node, before, w->href)) {
        tmpl_leaf_space(&w->leaf);
    }
    if (w->link != NULL) {
        return 0;
    }
    if (href != NULL && w->one_leaf != NULL && w->where != TMPL_WRITE_CELL &&
        tmpl_permalink_is(w->page, w->one_leaf, node, href)) {
        return 1;
    }
    if (href != NULL && w->one_leaf != NULL && w->where != TMPL_WRITE_CELL &&
        tmpl_permalink_is_whole(w->one_leaf, node, href)) {
        return 0;
    }
    if (w->href != NULL) {
        w->link = node;
        tmpl_leaf_open(&w->leaf, TMPL_FORMAT_LINK, w->href);
    }
    return 0;
}

static void leave_link(markdown_writer_t *w, const xmlNode *node)
{
    if (w->link == node) {
        w->link = NULL;
        tmpl_leaf_close(&w->leaf, TMPL_FORMAT_LINK);
    }
}

/* Whether a table is being written as HTML: no Markdown is read in it. */
static int is_in_html(const markdown_writer_t *w)
{
    return w->table.node != NULL && w->table.grid.kind == TMPL_GRID_HTML;
}

static void add_note_reference(markdown_writer_t *w, const xmlNode *reference)
{
    tmpl_leaf_note(&w->leaf, w->notes[tmpl_dom_node(reference)].number);
}

static int enter_reference(markdown_writer_t *w, const xmlNode *node)
{
    if (is_in_html(w)) {
        return enter_link(w, node);
    }
    add_note_reference(w, node);
    return 1;
}

/* The note itself. If it is an item of a list, it uses up its number: later items keep theirs. */
static int enter_note(markdown_writer_t *w, const xmlNode *node)
{
    part(w);
    list_t *list = list_of(w);
    if (list != NULL && tmpl_grid_tag(w->page, node) == TMPL_TAG_LI) {
        list->number++;
        list->begun = 0;
    }
    tmpl_flow_note(&w->flow, w->notes[tmpl_dom_node(node)].number);
    return 0;
}

static void leave_note(markdown_writer_t *w, const xmlNode *node)
{
    (void)node;
    part(w);
    if (!w->flow.open[w->flow.n - 1].used) {
        /* an empty note: its references need it */
        tmpl_flow_begin(&w->flow, TMPL_FLOW_OTHER);
        tmpl_flow_end(&w->flow);
    }
    tmpl_flow_close(&w->flow);
}

static int enter_inline(markdown_writer_t *w, const xmlNode *node)
{
    add_note_reference(w, node);
    APR_ARRAY_PUSH(w->inlines, const xmlNode *) = node;
    return 1;
}

static int enter_left_out(markdown_writer_t *w, const xmlNode *node)
{
    (void)w;
    (void)node;
    return 1;
}

static int enter_spaced(markdown_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_leaf_space(&w->leaf);
    return 0;
}

static void leave_spaced(markdown_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_leaf_space(&w->leaf);
}

/* The format of an element, plus one; 0: none. */
static const unsigned char formats[TMPL_TAG_COUNT] = {
    [TMPL_TAG_B] = 1 + TMPL_FORMAT_STRONG,  [TMPL_TAG_STRONG] = 1 + TMPL_FORMAT_STRONG,
    [TMPL_TAG_I] = 1 + TMPL_FORMAT_EM,      [TMPL_TAG_EM] = 1 + TMPL_FORMAT_EM,
    [TMPL_TAG_CITE] = 1 + TMPL_FORMAT_EM,   [TMPL_TAG_DFN] = 1 + TMPL_FORMAT_EM,
    [TMPL_TAG_VAR] = 1 + TMPL_FORMAT_EM,    [TMPL_TAG_DEL] = 1 + TMPL_FORMAT_DEL,
    [TMPL_TAG_S] = 1 + TMPL_FORMAT_DEL,     [TMPL_TAG_STRIKE] = 1 + TMPL_FORMAT_DEL,
    [TMPL_TAG_SUP] = 1 + TMPL_FORMAT_SUP,   [TMPL_TAG_SUB] = 1 + TMPL_FORMAT_SUB,
    [TMPL_TAG_CODE] = 1 + TMPL_FORMAT_CODE, [TMPL_TAG_KBD] = 1 + TMPL_FORMAT_CODE,
    [TMPL_TAG_SAMP] = 1 + TMPL_FORMAT_CODE, [TMPL_TAG_TT] = 1 + TMPL_FORMAT_CODE,
};

static int enter_format(markdown_writer_t *w, const xmlNode *node)
{
    tmpl_leaf_open(&w->leaf, (tmpl_format_e)(formats[tmpl_grid_tag(w->page, node)] - 1), NULL);
    return 0;
}

static void leave_format(markdown_writer_t *w, const xmlNode *node)
{
    tmpl_leaf_close(&w->leaf, (tmpl_format_e)(formats[tmpl_grid_tag(w->page, node)] - 1));
}

/* Writes the references in a sup, but neither the sup nor the text between them. */
static int enter_references(markdown_writer_t *w, const xmlNode *node)
{
    if (is_in_html(w)) {
        return enter_format(w, node);
    }
    for (const xmlNode *in = node->children; in != NULL; in = tmpl_dom_next(in, node, 0)) {
        if (in->type == XML_ELEMENT_NODE &&
            w->notes[tmpl_dom_node(in)].kind == TMPL_NOTE_REFERENCE) {
            add_note_reference(w, in);
        }
    }
    return 1;
}

static void leave_references(markdown_writer_t *w, const xmlNode *node)
{
    if (is_in_html(w)) {
        leave_format(w, node);
    }
}

typedef struct {
    enter_t *enter;
    leave_t *leave;
} element_rule_t;

static const element_rule_t *rule_of_tag(tmpl_tag_e tag)
{
    static const element_rule_t rules[TMPL_TAG_COUNT] = {
        [TMPL_TAG_H1] = { enter_heading, leave_heading },
        [TMPL_TAG_H2] = { enter_heading, leave_heading },
        [TMPL_TAG_H3] = { enter_heading, leave_heading },
        [TMPL_TAG_H4] = { enter_heading, leave_heading },
        [TMPL_TAG_H5] = { enter_heading, leave_heading },
        [TMPL_TAG_H6] = { enter_heading, leave_heading },
        [TMPL_TAG_DT] = { enter_term, leave_term },
        [TMPL_TAG_SUMMARY] = { enter_term, leave_term },
        [TMPL_TAG_DD] = { enter_definition, leave_quote },
        [TMPL_TAG_BLOCKQUOTE] = { enter_quote, leave_quote },
        [TMPL_TAG_UL] = { enter_list, leave_list },
        [TMPL_TAG_OL] = { enter_list, leave_list },
        [TMPL_TAG_MENU] = { enter_list, leave_list },
        [TMPL_TAG_DIR] = { enter_list, leave_list },
        [TMPL_TAG_LI] = { enter_item, leave_item },
        [TMPL_TAG_HR] = { enter_rule, NULL },
        [TMPL_TAG_BR] = { enter_break, NULL },
        [TMPL_TAG_PRE] = { enter_pre, leave_block },
        [TMPL_TAG_LISTING] = { enter_pre, leave_block },
        [TMPL_TAG_TABLE] = { enter_table, leave_table },
        [TMPL_TAG_TR] = { enter_row, leave_row },
        [TMPL_TAG_TD] = { enter_cell, leave_cell },
        [TMPL_TAG_TH] = { enter_cell, leave_cell },
        [TMPL_TAG_IMG] = { enter_image, NULL },
        [TMPL_TAG_A] = { enter_link, leave_link },
        [TMPL_TAG_BUTTON] = { enter_spaced, leave_spaced },
    };
    static const element_rule_t format = { enter_format, leave_format };
    static const element_rule_t block = { enter_block, leave_block };
    static const element_rule_t nothing = { NULL, NULL };
    if (rules[tag].enter != NULL) {
        return &rules[tag];
    }
    int is_block = (tmpl_tag_flags(tag) & (TMPL_IS_CLOSES_P | TMPL_IS_PART)) != 0;
    return formats[tag] != 0 ? &format : is_block || tag == TMPL_TAG_LEGEND ? &block : &nothing;
}

static int enter_formula(markdown_writer_t *w, const xmlNode *node)
{
    (void)node;
    const tmpl_formula_t *formula = &w->formula;
    if (formula->tex == NULL) {
        return 1;
    }
    if (formula->display && w->one_leaf == NULL && w->link == NULL) {
        flush(w);
        tmpl_write_formula(&w->flow, formula->tex);
    }
    else {
        tmpl_leaf_formula(&w->leaf, formula->tex);
    }
    return 1;
}

/* The tag of the elements that an element is written like. */
static tmpl_tag_e tag_like(const tmpl_page_t *page, const xmlNode *element)
{
    /* elements whose classes may say that they are something else */
    static const unsigned char any[TMPL_TAG_COUNT] = {
        [TMPL_TAG_DIV] = 1,        [TMPL_TAG_ASIDE] = 1,   [TMPL_TAG_CODE] = 1,
        [TMPL_TAG_BLOCKQUOTE] = 1, [TMPL_TAG_SECTION] = 1,
    };
    const tmpl_node_t *node = &page->nodes[tmpl_dom_node(element)];
    if (!any[node->tag] || !(node->flags & TMPL_NODE_NAMED)) {
        return (tmpl_tag_e)node->tag;
    }
    return tmpl_dom_is_listing(page, node)          ? TMPL_TAG_PRE
           : tmpl_callout_of(page, element) != NULL ? TMPL_TAG_BLOCKQUOTE
                                                    : (tmpl_tag_e)node->tag;
}

static const element_rule_t *rule_of(const markdown_writer_t *w, const xmlNode *node)
{
    static const element_rule_t rules[] = {
        [TMPL_NOTE_REFERENCE] = { enter_reference, leave_link },
        [TMPL_NOTE_REFERENCES] = { enter_references, leave_references },
        [TMPL_NOTE_TEXT] = { enter_note, leave_note },
        [TMPL_NOTE_INLINE] = { enter_inline, NULL },
        [TMPL_NOTE_LEFT_OUT] = { enter_left_out, NULL },
    };
    const element_rule_t *rule =
        &rules[w->notes != NULL ? w->notes[tmpl_dom_node(node)].kind : TMPL_NOTE_NONE];
    return rule->enter != NULL ? rule : rule_of_tag(tag_like(w->page, node));
}

/* Whether an element is left out of a note and stands alone between brackets. */
static int is_bracketed(const markdown_writer_t *w, const xmlNode *node)
{
    if (w->notes == NULL || node == NULL || node->type != XML_ELEMENT_NODE ||
        w->notes[tmpl_dom_node(node)].kind != TMPL_NOTE_LEFT_OUT) {
        return 0;
    }
    const xmlNode *before = node->prev, *behind = node->next;
    int length = before != NULL && before->type == XML_TEXT_NODE ? xmlStrlen(before->content) : 0;
    return length > 0 && before->content[length - 1] == '[' && behind != NULL &&
           behind->type == XML_TEXT_NODE && *behind->content == ']';
}

static void write_text_node(markdown_writer_t *w, const xmlNode *node)
{
    if (w->flow.pieces != NULL && tmpl_dom_segment(node) != TMPL_NONE &&
        !tmpl_pieces_keep(w->flow.pieces, tmpl_dom_segment(node), tmpl_leaf_is_empty(&w->leaf))) {
        tmpl_leaf_space(&w->leaf);
        return;
    }
    const char *text = (const char *)node->content + is_bracketed(w, node->prev);
    if (is_bracketed(w, node->next)) {
        text = apr_pstrmemdup(w->pool, text, strlen(text) - 1);
    }
    tmpl_leaf_text(&w->leaf, text);
}

static void leave_element(markdown_writer_t *w, const element_rule_t *rule, const xmlNode *node)
{
    if (rule->leave != NULL) {
        rule->leave(w, node);
    }
}

/* Writes the content of an element, in one walk. */
static void write_content(markdown_writer_t *w, const xmlNode *top)
{
    static const element_rule_t formula = { enter_formula, NULL };
    const xmlNode *node = top->children;
    while (node != NULL && !w->flow.over) {
        if (node->type == XML_TEXT_NODE) {
            if (node != w->said) {
                write_text_node(w, node);
            }
        }
        else {
            const element_rule_t *rule = rule_of(w, node);
            if (tmpl_formula_is(&w->formula, &w->formulas, w->page, node, w->pool)) {
                rule = &formula;
            }
            int skips = rule->enter != NULL && rule->enter(w, node);
            if (!skips && node->children != NULL) {
                node = node->children;
                continue;
            }
            leave_element(w, rule, node);
        }
        w->flow.over |= w->leaf.text.len > w->flow.limit;
        while (node->next == NULL && node->parent != top) {
            node = node->parent;
            leave_element(w, rule_of(w, node), node);
        }
        node = node->next;
    }
    flush(w);
}

/* Writes the notes in sentences; what stands in front of a note in its span is its number. */
static void write_inlines(markdown_writer_t *w)
{
    for (int i = 0; i < w->inlines->nelts; i++) {
        const xmlNode *note = APR_ARRAY_IDX(w->inlines, i, const xmlNode *);
        const xmlNode *last = note->last;
        tmpl_flow_note(&w->flow, w->notes[tmpl_dom_node(note)].number);
        write_content(w, last != NULL && last == note->children->next &&
                                 tmpl_grid_tag(w->page, last) == TMPL_TAG_SPAN
                             ? last
                             : note);
        leave_note(w, note);
    }
}

/* pieces is NULL: with front matter. */
static const char *write_page(apr_size_t *len, const tmpl_content_t *content, tmpl_pieces_t *pieces,
                              apr_pool_t *pool)
{
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    markdown_writer_t *w = apr_pcalloc(scratch, sizeof(*w));
    w->page = content->page;
    w->pool = scratch;
    tmpl_flow_init(&w->flow, tmpl_markdown_most(content->page->len), pieces, pool);
    tmpl_leaf_init(&w->leaf, &content->hrefs, scratch);
    tmpl_buf_init(&w->code, scratch);
    if (pieces == NULL) {
        tmpl_front_write(&w->flow.out, content, scratch);
    }
    w->behind_list = (apr_size_t)-1;
    w->notes = tmpl_notes_find(content->page, content->body, &content->hrefs, scratch);
    w->inlines = apr_array_make(scratch, 4, sizeof(const xmlNode *));
    write_content(w, content->body);
    write_inlines(w);
    *len = w->flow.out.len;
    const char *markdown = w->flow.over ? NULL : w->flow.out.at;
    apr_pool_destroy(scratch);
    return markdown;
}

const char *tmpl_markdown(apr_size_t *len, const tmpl_content_t *content, apr_pool_t *pool)
{
    return write_page(len, content, NULL, pool);
}

const char *tmpl_markdown_pieces(apr_size_t *len, const tmpl_content_t *content,
                                 tmpl_pieces_t *pieces, apr_pool_t *pool)
{
    return write_page(len, content, pieces, pool);
}
