/* SPDX-License-Identifier: Apache-2.0 */
/* Footnotes, as notes.h finds them. */
#include "markdown/handlers.h"

#include <string.h>

#include <apr_strings.h>

static void add_note_reference(tmpl_writer_t *w, const xmlNode *reference)
{
    tmpl_leaf_note(&w->leaf, w->notes[tmpl_dom_node(reference)].number);
}

static int enter_reference(tmpl_writer_t *w, const xmlNode *node)
{
    if (tmpl_writer_in_html(w)) {
        return tmpl_handler_link.enter(w, node);
    }
    add_note_reference(w, node);
    return 1;
}

/* The note itself. If it is an item of a list, it uses up its number: later items keep theirs. */
static int enter_note(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_writer_part(w);
    tmpl_open_list_t *list = tmpl_writer_list(w);
    if (list != NULL && tmpl_dom_tag(w->page, node) == TMPL_TAG_LI) {
        list->number++;
        list->begun = 0;
    }
    tmpl_flow_note(&w->flow, w->notes[tmpl_dom_node(node)].number);
    return 0;
}

static void leave_note(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_writer_part(w);
    if (!w->flow.open[w->flow.n - 1].used) {
        /* an empty note: its references need it */
        tmpl_flow_begin(&w->flow, TMPL_FLOW_OTHER);
        tmpl_flow_end(&w->flow);
    }
    tmpl_flow_close(&w->flow);
}

/* Whether a reference stands directly in front of a note in a sentence: the note is there twice. */
static int is_behind_reference(const tmpl_writer_t *w, const xmlNode *note)
{
    const xmlNode *before = note->prev;
    while (before != NULL && before->type == XML_ELEMENT_NODE &&
           w->notes[tmpl_dom_node(before)].kind != TMPL_NOTE_REFERENCE) {
        before = before->children; /* of the sup around the reference */
    }
    return before != NULL && before->type == XML_ELEMENT_NODE;
}

static int enter_inline(tmpl_writer_t *w, const xmlNode *node)
{
    if (is_behind_reference(w, node)) {
        return 1;
    }
    add_note_reference(w, node);
    APR_ARRAY_PUSH(w->inlines, const xmlNode *) = node;
    return 1;
}

static int enter_left_out(tmpl_writer_t *w, const xmlNode *node)
{
    (void)w;
    (void)node;
    return 1;
}

static void leave_reference(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_handler_link.leave(w, node);
}

/* Whether an element is left out of a note, or a reference in a sup, alone between brackets. */
static int is_bracketed(const tmpl_writer_t *w, const xmlNode *node)
{
    if (w->notes == NULL || node == NULL || node->type != XML_ELEMENT_NODE) {
        return 0;
    }
    tmpl_note_e kind = w->notes[tmpl_dom_node(node)].kind;
    if (kind != TMPL_NOTE_LEFT_OUT && (kind != TMPL_NOTE_REFERENCE || tmpl_writer_in_html(w) ||
                                       tmpl_dom_tag(w->page, node->parent) != TMPL_TAG_SUP)) {
        return 0;
    }
    const xmlNode *before = node->prev, *behind = node->next;
    int length = before != NULL && before->type == XML_TEXT_NODE ? xmlStrlen(before->content) : 0;
    return length > 0 && before->content[length - 1] == '[' && behind != NULL &&
           behind->type == XML_TEXT_NODE && *behind->content == ']';
}

void tmpl_handler_text(tmpl_writer_t *w, const xmlNode *node)
{
    const char *text = (const char *)node->content + is_bracketed(w, node->prev);
    if (is_bracketed(w, node->next)) {
        text = apr_pstrmemdup(w->pool, text, strlen(text) - 1);
    }
    tmpl_leaf_text(&w->leaf, text);
}

void tmpl_handler_inline_notes(tmpl_writer_t *w)
{
    for (int i = 0; i < w->inlines->nelts; i++) {
        const xmlNode *note = APR_ARRAY_IDX(w->inlines, i, const xmlNode *);
        const xmlNode *last = note->last;
        tmpl_flow_note(&w->flow, w->notes[tmpl_dom_node(note)].number);
        tmpl_markdown_content(w, last != NULL && last == note->children->next &&
                                         tmpl_dom_tag(w->page, last) == TMPL_TAG_SPAN
                                     ? last
                                     : note);
        leave_note(w, note);
    }
}

const tmpl_handler_t tmpl_handlers_notes[] = {
    [TMPL_NOTE_NONE] = { NULL, NULL },
    [TMPL_NOTE_REFERENCE] = { enter_reference, leave_reference },
    [TMPL_NOTE_TEXT] = { enter_note, leave_note },
    [TMPL_NOTE_INLINE] = { enter_inline, NULL },
    [TMPL_NOTE_LEFT_OUT] = { enter_left_out, NULL },
};
