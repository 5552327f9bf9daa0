/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in lines of text: links, images, formats, formulas, references to notes. */
#include "markdown/writer.h"

#include <string.h>

#include <apr_strings.h>

/* Whether there is a text among the first nodes in an element. */
static int has_text(const xmlNode *element)
{
    enum { FEW = 16 };
    const xmlNode *node = element->children;
    for (int n = 0; n < FEW && node != NULL; n++, node = tmpl_dom_next(node, element, 0)) {
        if (node->type == XML_TEXT_NODE && !tmpl_dom_is_blank(node)) {
            return 1;
        }
    }
    return 0;
}

/* Whether an element is a figure, or says that it has a caption, and has one. */
static int is_figure(const xmlNode *node)
{
    const char *class = tmpl_dom_attribute(node, "class");
    return strcmp((const char *)node->name, "figure") == 0 ||
           (class != NULL && has_text(node) &&
            (strstr(class, "caption") != NULL || strstr(class, "gallery") != NULL));
}

/* Whether an image is in a figure, or a paragraph is nothing else. */
static int is_in_figure(const xmlNode *node)
{
    enum { UP = 4 /* elements around an image in which a figure is looked for */ };
    const xmlNode *in = node;
    while (in->prev == NULL && in->next == NULL && in->parent->type == XML_ELEMENT_NODE) {
        in = in->parent;
        if (strcmp((const char *)in->name, "p") == 0) {
            return 1;
        }
    }
    for (int up = 0; up < UP && node->parent->type == XML_ELEMENT_NODE; up++) {
        node = node->parent;
        if (is_figure(node)) {
            return 1;
        }
    }
    return 0;
}

/* Whether an image is left out: it has no text and is in no figure, or it is there twice. */
static int is_image_left_out(const tmpl_writer_t *w, const xmlNode *node, const char *text,
                             const char *address)
{
    if (w->state == TMPL_WRITE_CARD && (text == NULL || *text == '\0')) {
        return 1; /* its title says what it shows */
    }
    if (w->state == TMPL_WRITE_CELL) {
        return 0; /* it is what the cell says */
    }
    if (text != NULL && *text == '\0') {
        return !is_in_figure(node);
    }
    return tmpl_walk_is_repeated(&w->walk, node, address, text);
}

static int enter_image(tmpl_writer_t *w, const xmlNode *node)
{
    const char *text = tmpl_image_text(node);
    if (text != NULL && tmpl_image_is_smiley(node, text)) {
        tmpl_inlines_text(&w->inlines, text);
        return 1;
    }
    const char *address = tmpl_image_address(node, w->pool);
    if (address != NULL && tmpl_writer_keeps(w, node) &&
        !is_image_left_out(w, node, text, address)) {
        tmpl_writer_divide(w, address);
        tmpl_inlines_image(&w->inlines, text != NULL ? text : "", address);
        w->walk.image.address = address;
        w->walk.image.text = text;
        w->walk.image.parent = node->parent;
        if (w->link == NULL && text != NULL && *text != '\0') {
            w->own++;
            w->facts = 1;
        }
    }
    return 1;
}

/* Whether the line behind a break begins as an item. */
static int is_before_item(const xmlNode *node)
{
    do {
        node = node->next;
    } while (node != NULL && node->type == XML_TEXT_NODE && tmpl_dom_is_blank(node));
    const char *text =
        node != NULL && node->type == XML_TEXT_NODE ? (const char *)node->content : "";
    return tmpl_writer_sign(text + strspn(text, " \t\n\r\f")) != NULL;
}

static int enter_break(tmpl_writer_t *w, const xmlNode *node)
{
    const tmpl_buf_t *text = &w->inlines.text;
    if (w->holder == NULL && is_before_item(node)) {
        tmpl_writer_flush(w);
        w->by_break = 1;
        return 1;
    }
    if (w->holder == NULL && text->len > 0 && text->at[text->len - 1] == TMPL_MARK_BREAK) {
        tmpl_writer_flush(w); /* two line breaks separate paragraphs */
        return 1;
    }
    tmpl_inlines_break(&w->inlines);
    return 1;
}

static int enter_link(tmpl_writer_t *w, const xmlNode *node)
{
    const char *href, *mail;
    const xmlNode *heading = w->state != TMPL_WRITE_CELL ? w->holder : NULL;
    tmpl_link_e link = tmpl_walk_link(&href, &mail, &w->walk, node, heading, w->pool);
    if (tmpl_walk_is_parted(&w->walk, node)) {
        tmpl_inlines_space(&w->inlines);
    }
    if (link == TMPL_LINK_LEFT_OUT) {
        return 1;
    }
    if (w->link != NULL) {
        return 0;
    }
    if (link == TMPL_LINK_MAIL) {
        tmpl_writer_link(w, mail, href);
    }
    else if (link == TMPL_LINK_WHOLE) {
        w->link = node;
        tmpl_inlines_open(&w->inlines, TMPL_FORMAT_LINK, href);
    }
    return link == TMPL_LINK_MAIL;
}

static void leave_link(tmpl_writer_t *w, const xmlNode *node)
{
    if (w->link == node) {
        w->link = NULL;
        tmpl_inlines_close(&w->inlines, TMPL_FORMAT_LINK);
    }
}

static int enter_media(tmpl_writer_t *w, const xmlNode *node)
{
    const char *title;
    const char *address = tmpl_player_address(&title, node);
    if (address != NULL && w->link == NULL) {
        tmpl_inlines_space(&w->inlines);
        tmpl_writer_link(w, title, address);
        tmpl_inlines_space(&w->inlines);
    }
    return 1;
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

/* Adds the sign of a reading in ruby, unless the page has one beside it. */
static void add_sign(tmpl_writer_t *w, const xmlNode *beside, const char *sign)
{
    if (beside == NULL || tmpl_dom_tag(w->page, beside) != TMPL_TAG_RP) {
        tmpl_inlines_text(&w->inlines, sign);
    }
}

static int enter_format(tmpl_writer_t *w, const xmlNode *node)
{
    unsigned format = formats[tmpl_dom_tag(w->page, node)];
    if (tmpl_dom_tag(w->page, node) == TMPL_TAG_RT) {
        add_sign(w, node->prev, "(");
    }
    if (format > 0) {
        tmpl_inlines_open(&w->inlines, (tmpl_format_e)(format - 1), NULL);
    }
    return 0;
}

static void leave_format(tmpl_writer_t *w, const xmlNode *node)
{
    unsigned format = formats[tmpl_dom_tag(w->page, node)];
    if (tmpl_dom_tag(w->page, node) == TMPL_TAG_RT) {
        add_sign(w, node->next, ")");
    }
    if (format > 0) {
        tmpl_inlines_close(&w->inlines, (tmpl_format_e)(format - 1));
    }
}

static int enter_formula(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    const tmpl_formula_t *formula = &w->walk.formula;
    if (formula->tex == NULL) {
        return 1;
    }
    if (formula->display && w->holder == NULL && w->link == NULL) {
        tmpl_writer_flush(w);
        tmpl_write_formula(&w->flow, formula->tex);
    }
    else {
        tmpl_inlines_formula(&w->inlines, formula->tex);
    }
    return 1;
}

/* --- Notes --- */

static int enter_reference(tmpl_writer_t *w, const xmlNode *node)
{
    if (tmpl_writer_in_html(w)) {
        return enter_link(w, node);
    }
    tmpl_inlines_note(&w->inlines, w->walk.notes[tmpl_dom_node(node)].number);
    return 1;
}

/* If a reference stands directly in front of a note in a sentence, the note is there twice. */
static int enter_inline_note(tmpl_writer_t *w, const xmlNode *node)
{
    const tmpl_note_t *notes = w->walk.notes;
    const xmlNode *before = node->prev;
    while (before != NULL && before->type == XML_ELEMENT_NODE &&
           notes[tmpl_dom_node(before)].kind != TMPL_NOTE_REFERENCE) {
        before = before->children; /* of the sup around the reference */
    }
    if (before == NULL || before->type != XML_ELEMENT_NODE) {
        tmpl_inlines_note(&w->inlines, notes[tmpl_dom_node(node)].number);
        APR_ARRAY_PUSH(w->side_notes, const xmlNode *) = node;
    }
    return 1;
}

/* The note itself. If it is an item of a list, it uses up its number: later items keep theirs. */
static int enter_note(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_open_list_t *list = tmpl_writer_list(w);
    if (list != NULL && tmpl_dom_tag(w->page, node) == TMPL_TAG_LI) {
        list->number++;
        list->begun = 0;
    }
    tmpl_flow_note(&w->flow, w->walk.notes[tmpl_dom_node(node)].number);
    return 0;
}

static void leave_note(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_writer_border(w);
    if (!w->flow.open[w->flow.n - 1].used) {
        /* an empty note: its references need it */
        tmpl_flow_begin(&w->flow, TMPL_FLOW_OTHER);
        tmpl_flow_end(&w->flow);
    }
    tmpl_flow_close(&w->flow);
}

/* What stands in front of a note in its span is its number. */
void tmpl_writer_inline_notes(tmpl_writer_t *w)
{
    for (int i = 0; i < w->side_notes->nelts; i++) {
        const xmlNode *note = APR_ARRAY_IDX(w->side_notes, i, const xmlNode *);
        const xmlNode *last = note->last;
        tmpl_flow_note(&w->flow, w->walk.notes[tmpl_dom_node(note)].number);
        tmpl_writer_content(w, last != NULL && last == note->children->next &&
                                       tmpl_dom_tag(w->page, last) == TMPL_TAG_SPAN
                                   ? last
                                   : note);
        leave_note(w, note);
    }
}

const tmpl_action_t tmpl_inline_actions[TMPL_ELEMENT_COUNT] = {
    [TMPL_ELEMENT_NOTE] = { enter_note, leave_note },
    [TMPL_ELEMENT_LINK] = { enter_link, leave_link },
    [TMPL_ELEMENT_IMAGE] = { enter_image, NULL },
    [TMPL_ELEMENT_MEDIA] = { enter_media, NULL },
    [TMPL_ELEMENT_FORMULA] = { enter_formula, NULL },
    [TMPL_ELEMENT_FORMAT] = { enter_format, leave_format },
    [TMPL_ELEMENT_BREAK] = { enter_break, NULL },
    [TMPL_ELEMENT_REFERENCE] = { enter_reference, leave_link },
    [TMPL_ELEMENT_INLINE_NOTE] = { enter_inline_note, NULL },
};
