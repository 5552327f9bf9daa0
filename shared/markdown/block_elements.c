/* SPDX-License-Identifier: Apache-2.0 */
/* Quotes, callouts, rules, listings; lists and terms, "- **term**: definition"; tables. */
#include "markdown/writer.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "base/ascii.h"

static int enter_quote(tmpl_writer_t *w, const xmlNode *node)
{
    if (w->holder == NULL) {
        const char *callout = tmpl_callout_of(w->page, node);
        w->said = callout != NULL ? tmpl_callout_title(node, callout) : w->said;
        tmpl_flow_quote(&w->flow, callout);
    }
    return 0;
}

static void leave_quote(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_writer_border(w);
    if (w->holder == NULL) {
        tmpl_flow_close(&w->flow);
    }
}

/* Directly behind the title, a heading or a rule it divides nothing. */
static int enter_rule(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    if (w->holder == NULL && w->flow.fragments == NULL && w->flow.behind > TMPL_BEHIND_RULE) {
        tmpl_flow_begin(&w->flow, TMPL_FLOW_OTHER);
        /* "---" behind a text would be a heading, and behind "- " a rule of its own */
        tmpl_buf_add_text(&w->flow.out, "***");
        tmpl_flow_end(&w->flow);
        w->flow.behind = TMPL_BEHIND_RULE;
    }
    return 1;
}

static int enter_code(tmpl_writer_t *w, const xmlNode *node)
{
    if (w->holder != NULL) {
        return 0;
    }
    if (tmpl_writer_keeps(w, node)) {
        tmpl_buf_t code;
        tmpl_buf_init(&code, w->pool);
        const char *language = tmpl_listing_read(&code, w->page, node, w->pool);
        if (code.len > 0) {
            tmpl_write_code(&w->flow, code.at, code.len, language);
        }
    }
    return 1;
}

/* --- Lists --- */

static void close_item(tmpl_writer_t *w)
{
    tmpl_open_list_t *list = tmpl_writer_list(w);
    if (tmpl_flow_close(&w->flow) && list != NULL) {
        list->begun = 1;
    }
}

static int is_list(const tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_tag_e tag = tmpl_dom_tag(w->page, node);
    const tmpl_note_t *notes = w->walk.notes;
    return (tag == TMPL_TAG_UL || tag == TMPL_TAG_OL || tag == TMPL_TAG_MENU ||
            tag == TMPL_TAG_DIR) &&
           (notes == NULL || notes[tmpl_dom_node(node)].kind == TMPL_NOTE_NONE);
}

/* The number that an attribute of a list or an item says; or another one, if Markdown has none. */
static uint32_t number_said(const xmlNode *node, const char *name, uint32_t otherwise)
{
    const char *value = tmpl_dom_attribute(node, name);
    long number = value != NULL && tmpl_is_digit(*value) ? strtol(value, NULL, 10) : -1;
    return number >= 0 && number < 100000000 ? (uint32_t)number : otherwise;
}

static int enter_list(tmpl_writer_t *w, const xmlNode *node)
{
    w->n_lists++;
    tmpl_open_list_t *list = tmpl_writer_list(w);
    if (list == NULL) {
        return 0;
    }
    tmpl_tag_e tag = tmpl_dom_tag(w->page, node);
    *list = (tmpl_open_list_t){ .mark = tag == TMPL_TAG_OL ? '.' : '-',
                                .terms = tag == TMPL_TAG_DL,
                                .number = number_said(node, "start", 1) };
    int is_behind = w->flow.behind == TMPL_BEHIND_LIST || w->flow.behind == TMPL_BEHIND_CARDS;
    if (is_behind && w->last_mark == list->mark) {
        list->mark = list->mark == '.' ? ')' : '+'; /* the same mark would continue that list */
    }
    return 0;
}

static void leave_list(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_writer_border(w);
    tmpl_open_list_t *list = tmpl_writer_list(w);
    if (list != NULL && list->open) {
        close_item(w);
    }
    if (list != NULL && list->begun && w->holder == NULL) {
        w->flow.behind = TMPL_BEHIND_LIST;
        w->last_mark = list->mark;
    }
    w->n_lists--;
}

static const xmlNode *no_blank(const xmlNode *node)
{
    return node != NULL && node->type == XML_TEXT_NODE && tmpl_dom_is_blank(node) ? node->next
                                                                                  : node;
}

/* Whether an item is a list and nothing else: its items stand for it. */
static int is_list_alone(const tmpl_writer_t *w, const xmlNode *item)
{
    const xmlNode *list = no_blank(item->children);
    return list != NULL && is_list(w, list) && no_blank(list->next) == NULL;
}

/* Whether an item is a heading and nothing else. */
static int is_heading_alone(const tmpl_writer_t *w, const xmlNode *item)
{
    const xmlNode *heading = no_blank(item->children);
    return heading != NULL && no_blank(heading->next) == NULL &&
           (tmpl_tag_flags(tmpl_dom_tag(w->page, heading)) & TMPL_IS_HEADING);
}

/*
 * Whether an item is no item: a list stands for it, or it is a heading of those behind it, which
 * are not all headings.
 */
static int is_passed(const tmpl_writer_t *w, const xmlNode *item)
{
    const xmlNode *next = tmpl_dom_element(item->next);
    return is_list_alone(w, item) ||
           (next != NULL && is_heading_alone(w, item) && !is_heading_alone(w, next));
}

/* task: the sign in its box; '\0': the item is no task. */
static void open_item(tmpl_writer_t *w, tmpl_open_list_t *list, char task)
{
    char marker[16] = "- ";
    if (list != NULL && list->open) {
        close_item(w);
        list->open = 0;
    }
    if (list != NULL && (list->mark == '.' || list->mark == ')')) {
        apr_snprintf(marker, sizeof(marker), "%u%c ", list->number++, list->mark);
    }
    else if (list != NULL) {
        marker[0] = list->mark;
    }
    if (task != '\0') {
        apr_size_t len = strlen(marker);
        apr_snprintf(marker + len, sizeof(marker) - len, "[%c] ", task);
    }
    tmpl_flow_item(&w->flow, marker, list == NULL || !list->begun);
}

static int enter_item(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_open_list_t *list = tmpl_writer_list(w);
    if (w->holder == NULL && list != NULL && is_passed(w, node) && !is_list_alone(w, node)) {
        list->begun = 0; /* behind the heading, another list begins */
    }
    else if (w->holder == NULL && !is_passed(w, node)) {
        if (list != NULL) {
            list->number = number_said(node, "value", list->number);
        }
        open_item(w, list, tmpl_walk_task(&w->walk, node));
    }
    return 0;
}

static void leave_item(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_open_list_t *list = tmpl_writer_list(w);
    tmpl_writer_border(w);
    if (w->holder != NULL || is_passed(w, node)) {
        return;
    }
    const xmlNode *next = no_blank(node->next);
    if (list != NULL && next != NULL && is_list(w, next)) {
        list->open = 1; /* a list directly in the list belongs to the item in front of it */
    }
    else {
        close_item(w);
    }
}

/* --- Terms --- */

/*
 * The list of terms that is open, if a term or definition is its own: one in an item or a footnote
 * of the list is not. NULL also if another element holds all text.
 */
static tmpl_open_list_t *list_of_terms(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_open_list_t *list = tmpl_writer_list(w);
    tmpl_tag_e around = tmpl_dom_tag(w->page, node->parent);
    int is_own = around == TMPL_TAG_DL || around == TMPL_TAG_DIV;
    return list != NULL && list->terms && is_own && w->holder == NULL ? list : NULL;
}

static int enter_summary(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_writer_hold(w, node, TMPL_WRITE_LINE);
    tmpl_inlines_open(&w->inlines, TMPL_FORMAT_STRONG, NULL);
    return 0;
}

static void leave_summary(tmpl_writer_t *w, const xmlNode *node)
{
    if (tmpl_writer_release(w, node)) {
        tmpl_writer_flush(w);
    }
    tmpl_inlines_close(&w->inlines, TMPL_FORMAT_STRONG);
}

static int enter_term(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_open_list_t *list = list_of_terms(w, node);
    if (list != NULL) {
        open_item(w, list, '\0');
        list->open = 1;
    }
    return enter_summary(w, node);
}

/* The text of the term waits for a definition in the same line. */
static void leave_term(tmpl_writer_t *w, const xmlNode *node)
{
    int waits = w->holder == node && tmpl_writer_list(w) != NULL && tmpl_writer_list(w)->open;
    if (!waits) {
        leave_summary(w, node);
        return;
    }
    tmpl_writer_release(w, node);
    tmpl_inlines_close(&w->inlines, TMPL_FORMAT_STRONG);
}

/* Whether an element has neither blocks nor line breaks, as far as it is looked at. */
static int is_one_line(const tmpl_page_t *page, const xmlNode *element)
{
    enum { LOOKED = 64 };
    int n = 0;
    for (const xmlNode *in = tmpl_dom_next(element, element, 0); in != NULL;
         in = tmpl_dom_next(in, element, 0)) {
        tmpl_tag_e tag = tmpl_dom_tag(page, in);
        if (++n > LOOKED || tag == TMPL_TAG_BR || tag == TMPL_TAG_IMG ||
            (tmpl_tag_flags(tag) & (TMPL_IS_CLOSES_P | TMPL_IS_PART))) {
            return 0;
        }
    }
    return n > 0;
}

/* Whether the text ends in a colon, whatever formats end there. */
static int ends_in_colon(const tmpl_inlines_t *inlines)
{
    apr_size_t len = inlines->text.len;
    while (len > 0 && (unsigned char)inlines->text.at[len - 1] <= ' ') {
        len--;
    }
    return len > 0 && inlines->text.at[len - 1] == ':';
}

static int enter_description(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_open_list_t *list = list_of_terms(w, node);
    int waits = list != NULL && list->open && !tmpl_inlines_is_empty(&w->inlines);
    if (waits && is_one_line(w->page, node)) {
        tmpl_inlines_text(&w->inlines, ends_in_colon(&w->inlines) ? " " : ": ");
        tmpl_writer_hold(w, node, TMPL_WRITE_LINE);
        return 0;
    }
    tmpl_writer_border(w);
    if (list != NULL && !list->open) {
        open_item(w, list, '\0');
        list->open = 1;
    }
    return 0;
}

static void leave_description(tmpl_writer_t *w, const xmlNode *node)
{
    if (tmpl_writer_release(w, node)) {
        tmpl_writer_flush(w);
    }
}

/* --- Tables --- */

/* Adds n equal cells: empty cells, or cells of the row below the head. */
static void add_cells(tmpl_flow_t *flow, const char *cell, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        tmpl_buf_add_text(&flow->out, cell);
    }
}

static void add_delimiters(const tmpl_table_t *table, tmpl_flow_t *flow)
{
    tmpl_flow_break(flow);
    tmpl_buf_add_text(&flow->out, "|");
    add_cells(flow, " --- |", table->grid.columns);
}

static void add_span(tmpl_flow_t *flow, const xmlNode *cell, const char *name)
{
    long span = tmpl_grid_span(cell, name);
    char attribute[20];
    if (span > 1 && span <= 1000) {
        apr_snprintf(attribute, sizeof(attribute), " %s=\"%ld\"", name, span);
        tmpl_buf_add_text(&flow->out, attribute);
    }
}

/* Begins the row in front of its first cell. */
static void begin_row(tmpl_table_t *table, tmpl_flow_t *flow)
{
    int simple = table->grid.kind == TMPL_GRID_SIMPLE;
    if (table->rows++ > 0) {
        tmpl_flow_break(flow);
    }
    else {
        tmpl_flow_begin(flow, TMPL_FLOW_OTHER);
        tmpl_buf_add_text(&flow->out, simple ? "" : "<table>");
        if (simple && !table->grid.headed) {
            tmpl_buf_add_text(&flow->out, "|");
            add_cells(flow, "  |", table->grid.columns);
            add_delimiters(table, flow);
        }
        if (!simple || !table->grid.headed) {
            tmpl_flow_break(flow);
        }
    }
    tmpl_buf_add_text(&flow->out, simple ? "|" : "<tr>");
}

static int enter_table(tmpl_writer_t *w, const xmlNode *node)
{
    if (w->holder != NULL || w->table.node != NULL) {
        return 0;
    }
    if (!tmpl_writer_keeps(w, node)) {
        return 1;
    }
    tmpl_grid_read(&w->table.grid, w->page, node);
    w->table.node = w->table.grid.kind != TMPL_GRID_LAYOUT ? node : NULL;
    w->table.rows = 0;
    return 0;
}

static void leave_table(tmpl_writer_t *w, const xmlNode *node)
{
    if (w->table.node != node) {
        tmpl_writer_border(w);
        return;
    }
    w->table.node = NULL;
    if (w->table.rows > 0) {
        if (w->table.grid.kind == TMPL_GRID_HTML) {
            tmpl_flow_break(&w->flow);
            tmpl_buf_add_text(&w->flow.out, "</table>");
        }
        tmpl_flow_end(&w->flow);
    }
}

static int enter_row(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    w->table.cells = 0;
    return 0;
}

static void leave_row(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_table_t *table = &w->table;
    if (table->node == NULL || w->holder != NULL || table->cells == 0) {
        tmpl_writer_border(w);
        return;
    }
    if (w->flow.fragments != NULL) {
        tmpl_fragments_end_row(w->flow.fragments);
    }
    if (table->grid.kind == TMPL_GRID_HTML) {
        tmpl_buf_add_text(&w->flow.out, "</tr>");
    }
    else if (table->rows == 1 && table->grid.headed) {
        add_cells(&w->flow, "  |", table->grid.columns - table->cells);
        add_delimiters(table, &w->flow);
    }
}

static int enter_cell(tmpl_writer_t *w, const xmlNode *node)
{
    if (w->table.node != NULL) {
        tmpl_writer_hold(w, node, TMPL_WRITE_CELL);
    }
    return 0;
}

static void leave_cell(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_flow_t *flow = &w->flow;
    if (!tmpl_writer_release(w, node)) {
        return;
    }
    if (w->table.cells++ == 0) {
        begin_row(&w->table, flow);
    }
    tmpl_inlines_finish(&w->inlines);
    if (w->table.grid.kind == TMPL_GRID_SIMPLE) {
        tmpl_buf_add_text(&flow->out, " ");
        tmpl_write_markdown(flow, &w->inlines, TMPL_WRITE_CELL);
        tmpl_buf_add_text(&flow->out, " |");
        return;
    }
    const char *name = tmpl_tag_name(tmpl_dom_table_tag(w->page, node));
    tmpl_buf_add_text(&flow->out, "<");
    tmpl_buf_add_text(&flow->out, name);
    add_span(flow, node, "colspan");
    add_span(flow, node, "rowspan");
    tmpl_buf_add_text(&flow->out, ">");
    tmpl_write_html(flow, &w->inlines);
    tmpl_buf_add_text(&flow->out, "</");
    tmpl_buf_add_text(&flow->out, name);
    tmpl_buf_add_text(&flow->out, ">");
}

const tmpl_action_t tmpl_block_actions[TMPL_ELEMENT_COUNT] = {
    [TMPL_ELEMENT_QUOTE] = { enter_quote, leave_quote },
    [TMPL_ELEMENT_CALLOUT] = { enter_quote, leave_quote },
    [TMPL_ELEMENT_RULE] = { enter_rule, NULL },
    [TMPL_ELEMENT_CODE] = { enter_code, NULL },
    [TMPL_ELEMENT_LIST] = { enter_list, leave_list },
    [TMPL_ELEMENT_ITEM] = { enter_item, leave_item },
    [TMPL_ELEMENT_TERMS] = { enter_list, leave_list },
    [TMPL_ELEMENT_SUMMARY] = { enter_summary, leave_summary },
    [TMPL_ELEMENT_TERM] = { enter_term, leave_term },
    [TMPL_ELEMENT_DESCRIPTION] = { enter_description, leave_description },
    [TMPL_ELEMENT_TABLE] = { enter_table, leave_table },
    [TMPL_ELEMENT_ROW] = { enter_row, leave_row },
    [TMPL_ELEMENT_CELL] = { enter_cell, leave_cell },
};
