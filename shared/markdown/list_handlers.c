/* SPDX-License-Identifier: Apache-2.0 */
/* Lists and their items; terms with their definitions, "- **term**: definition". */
#include "markdown/handlers.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

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
    return (tag == TMPL_TAG_UL || tag == TMPL_TAG_OL || tag == TMPL_TAG_MENU ||
            tag == TMPL_TAG_DIR) &&
           (w->notes == NULL || w->notes[tmpl_dom_node(node)].kind == TMPL_NOTE_NONE);
}

/* Whether a list follows an item, or a list, directly in a list: it belongs to the item. */
static int has_list_behind(const tmpl_writer_t *w, const xmlNode *node)
{
    return node->next != NULL && is_list(w, node->next) && is_list(w, node->parent);
}

static int enter_list(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_writer_part(w);
    w->n_lists++;
    tmpl_open_list_t *list = tmpl_writer_list(w);
    if (list == NULL) {
        return 0;
    }
    const char *start = tmpl_dom_attribute(node, "start");
    long number = start != NULL ? strtol(start, NULL, 10) : 1;
    list->ordered = tmpl_dom_tag(w->page, node) == TMPL_TAG_OL;
    list->begun = list->holds = 0;
    list->terms = list->term = 0;
    list->number = number >= 0 && number < 100000000 ? (uint32_t)number : 1;
    /* directly behind a list, the same mark would continue that list */
    int again = w->behind_list == w->flow.out.len;
    list->mark = list->ordered ? (again && w->last_mark == '.' ? ')' : '.')
                               : (again && w->last_mark == '-' ? '+' : '-');
    return 0;
}

static void leave_list(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_writer_part(w);
    tmpl_open_list_t *list = tmpl_writer_list(w);
    if (list != NULL && list->begun && w->one_leaf == NULL) {
        w->behind_list = w->flow.out.len;
        w->last_mark = list->mark;
    }
    w->n_lists--;
    list = tmpl_writer_list(w);
    if (list != NULL && list->holds && !has_list_behind(w, node)) {
        list->holds = 0;
        close_item(w);
    }
}

static const xmlNode *no_blank(const xmlNode *node)
{
    int is_blank = node != NULL && node->type == XML_TEXT_NODE &&
                   node->content[strspn((const char *)node->content, " \t\n\r\f")] == '\0';
    return is_blank ? node->next : node;
}

/* Whether an item is a list and nothing else: its items stand for it. */
static int is_list_alone(const tmpl_writer_t *w, const xmlNode *item)
{
    const xmlNode *list = no_blank(item->children);
    return list != NULL && is_list(w, list) && no_blank(list->next) == NULL;
}

static int enter_item(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_writer_part(w);
    if (w->one_leaf != NULL || is_list_alone(w, node)) {
        return 0;
    }
    tmpl_open_list_t *list = tmpl_writer_list(w);
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

static void leave_item(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_writer_part(w);
    tmpl_open_list_t *list = tmpl_writer_list(w);
    if (w->one_leaf != NULL || is_list_alone(w, node)) {
        return;
    }
    if (list != NULL && has_list_behind(w, node)) {
        list->holds = 1;
    }
    else {
        close_item(w);
    }
}

/* --- Terms --- */

static int enter_terms(tmpl_writer_t *w, const xmlNode *node)
{
    enter_list(w, node);
    if (tmpl_writer_list(w) != NULL) {
        tmpl_writer_list(w)->terms = 1;
    }
    return 0;
}

/* Ends the item of the last term, if one is open. */
static void close_term(tmpl_writer_t *w)
{
    tmpl_open_list_t *list = tmpl_writer_list(w);
    if (list != NULL && list->term) {
        list->term = 0;
        close_item(w);
    }
}

static void leave_terms(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_writer_part(w);
    close_term(w);
    leave_list(w, node);
}

/*
 * The list of terms that is open, if a term or definition is its own: one in an item or a footnote
 * of the list is not. NULL also if all text is one leaf.
 */
static tmpl_open_list_t *list_of_terms(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_open_list_t *list = tmpl_writer_list(w);
    tmpl_tag_e around = tmpl_dom_tag(w->page, node->parent);
    int is_own = around == TMPL_TAG_DL || around == TMPL_TAG_DIV;
    return list != NULL && list->terms && is_own && w->one_leaf == NULL ? list : NULL;
}

static void open_term(tmpl_writer_t *w, tmpl_open_list_t *list)
{
    const char marker[] = { list->mark, ' ', '\0' };
    tmpl_flow_item(&w->flow, marker, !list->begun);
    list->term = 1;
}

static int enter_term_of_list(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_writer_part(w);
    tmpl_open_list_t *list = list_of_terms(w, node);
    if (list != NULL) {
        close_term(w);
        open_term(w, list);
    }
    return tmpl_handler_term.enter(w, node);
}

/* The text of the term waits for a definition in the same line. */
static void leave_term_of_list(tmpl_writer_t *w, const xmlNode *node)
{
    if (w->one_leaf != node || tmpl_writer_list(w) == NULL || !tmpl_writer_list(w)->term) {
        tmpl_handler_term.leave(w, node);
        return;
    }
    w->one_leaf = NULL;
    tmpl_leaf_close(&w->leaf, TMPL_FORMAT_STRONG);
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

/* Whether the text of the leaf ends in a colon, whatever formats end there. */
static int ends_in_colon(const tmpl_leaf_t *leaf)
{
    apr_size_t len = leaf->text.len;
    while (len > 0 && (unsigned char)leaf->text.at[len - 1] <= ' ') {
        len--;
    }
    return len > 0 && leaf->text.at[len - 1] == ':';
}

static int enter_definition(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_open_list_t *list = list_of_terms(w, node);
    int waits = list != NULL && list->term && !tmpl_leaf_is_empty(&w->leaf);
    if (waits && is_one_line(w->page, node)) {
        tmpl_leaf_text(&w->leaf, ends_in_colon(&w->leaf) ? " " : ": ");
        w->one_leaf = node;
        w->where = TMPL_WRITE_PARAGRAPH;
        return 0;
    }
    tmpl_writer_part(w);
    if (list != NULL && !list->term) {
        open_term(w, list);
    }
    return 0;
}

static void leave_definition(tmpl_writer_t *w, const xmlNode *node)
{
    if (w->one_leaf == node) {
        w->one_leaf = NULL;
    }
    tmpl_writer_part(w);
}

const tmpl_handler_t tmpl_handler_terms = { enter_terms, leave_terms };
const tmpl_handler_t tmpl_handler_term_of_list = { enter_term_of_list, leave_term_of_list };
const tmpl_handler_t tmpl_handler_definition = { enter_definition, leave_definition };
const tmpl_handler_t tmpl_handler_list = { enter_list, leave_list };
const tmpl_handler_t tmpl_handler_item = { enter_item, leave_item };
