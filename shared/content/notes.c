/* SPDX-License-Identifier: Apache-2.0 */
#include "content/notes.h"

#include <string.h>

#include "base/hash.h"
#include "content/note_finder.h"

/* Nodes in a note at most. */
#define WITHIN 500

/* Whether an element may be written as a note. */
static int may_be_note(const tmpl_note_finder_t *f, const xmlNode *element)
{
    if (!tmpl_note_tags[tmpl_dom_tag(f->page, element)] || tmpl_note_around(f, element) != 0) {
        return 0;
    }
    int n = 0;
    for (const xmlNode *node = element; node != NULL; node = tmpl_dom_next(node, element, 0)) {
        if (n++ == WITHIN || tmpl_tag_flags(tmpl_dom_tag(f->page, node)) & TMPL_IS_HEADING) {
            return 0;
        }
    }
    return 1;
}

/* The dd behind a dt if the dt is nothing but a label; else NULL. */
static const xmlNode *said_of(const tmpl_note_finder_t *f, const xmlNode *dt,
                              const tmpl_label_t *label)
{
    tmpl_label_t is;
    const xmlNode *dd = dt->next;
    while (dd != NULL && dd->type == XML_TEXT_NODE) {
        dd = dd->next;
    }
    int does = dd != NULL && tmpl_dom_tag(f->page, dd) == TMPL_TAG_DD &&
               tmpl_label_read(f, dt, &is) && strcmp(is.text, label->text) == 0;
    return does ? dd : NULL;
}

static const xmlNode *next_element(const xmlNode *node)
{
    do {
        node = node->next;
    } while (node != NULL && node->type != XML_ELEMENT_NODE);
    return node;
}

/*
 * The note whose anchor an element is: the block that begins with the anchor, or, if that block is
 * a heading with nothing but the label, the block behind it. NULL: there is none.
 */
static const xmlNode *note_of_anchor(const tmpl_note_finder_t *f, const xmlNode *anchor,
                                     const tmpl_label_t *label)
{
    enum { NEAR = 4 };
    const xmlNode *block = anchor;
    for (int i = 0; i < NEAR && block != f->body; i++, block = block->parent) {
        tmpl_tag_e tag = tmpl_dom_tag(f->page, block);
        tmpl_label_t is;
        if (tmpl_note_tags[tag]) {
            int empty = tmpl_label_read(f, block, &is) && is.characters == 0;
            return tmpl_note_at(f, block)->kind == TMPL_NOTE_NONE && !empty ? block : NULL;
        }
        if (tmpl_tag_flags(tag) & TMPL_IS_HEADING) {
            return tmpl_label_read(f, block, &is) && strcmp(is.text, label->text) == 0
                       ? next_element(block)
                       : NULL;
        }
        for (const xmlNode *before = block->prev; before != NULL; before = before->prev) {
            if (before->type != XML_TEXT_NODE ||
                before->content[strspn((const char *)before->content, " \n\t[(")] != '\0') {
                return NULL;
            }
        }
    }
    return NULL;
}

static void add_note(tmpl_note_finder_t *f, const xmlNode *note, tmpl_note_target_t *target)
{
    APR_ARRAY_PUSH(f->notes, tmpl_note_place_t) = (tmpl_note_place_t){ note, target };
    target->seen = 1;
    target->number = (unsigned)f->notes->nelts;
    *tmpl_note_at(f, note) = (tmpl_note_t){ TMPL_NOTE_TEXT, target->number };
    f->inside = target;
    f->behind = tmpl_dom_next(note, f->body, 1);
}

/* The element that a reference names by its id or name, if it was not seen yet; or NULL. */
static tmpl_note_target_t *target_of(const tmpl_note_finder_t *f, const xmlNode *node)
{
    const tmpl_node_t *own = &f->page->nodes[tmpl_dom_node(node)];
    const char *id = own->flags & TMPL_NODE_NAMED ? tmpl_dom_listed(node, TMPL_ATTR_ID) : NULL;
    tmpl_note_target_t *target =
        id != NULL ? apr_hash_get(f->targets, id, APR_HASH_KEY_STRING) : NULL;
    if (target == NULL && own->tag == TMPL_TAG_A) {
        id = tmpl_dom_listed(node, TMPL_ATTR_NAME);
        target = id != NULL ? apr_hash_get(f->targets, id, APR_HASH_KEY_STRING) : NULL;
    }
    return target != NULL && !target->seen ? target : NULL;
}

/* Keeps the note of an element that a fragment names. Returns whether to skip its content. */
static int see_note(tmpl_note_finder_t *f, const xmlNode *node)
{
    tmpl_tag_e tag = tmpl_dom_tag(f->page, node);
    tmpl_note_target_t *target = target_of(f, node);
    if (target == NULL) {
        return 0;
    }
    target->seen = 1;
    int is_term = tag == TMPL_TAG_DT;
    int is_heading = 0;
    const xmlNode *note = node;
    if (is_term) {
        note = said_of(f, node, &target->label);
    }
    else if (!tmpl_note_tags[tag]) {
        note = note_of_anchor(f, node, &target->label);
        is_heading =
            note != NULL && note->children != NULL && tmpl_dom_node(note) > tmpl_dom_node(node);
    }
    if (f->inside != NULL || note == NULL || !target->sure || !may_be_note(f, note)) {
        return 0;
    }
    add_note(f, note, target);
    if (is_term) {
        *tmpl_note_at(f, node) = (tmpl_note_t){ TMPL_NOTE_LEFT_OUT, 0 };
    }
    if (is_heading) {
        const xmlNode *heading = node;
        while (heading->parent != f->body &&
               !(tmpl_tag_flags(tmpl_dom_tag(f->page, heading)) & TMPL_IS_HEADING)) {
            heading = heading->parent;
        }
        *tmpl_note_at(f, heading) = (tmpl_note_t){ TMPL_NOTE_LEFT_OUT, 0 };
    }
    return is_term;
}

/* Whether a link into the page, which is no reference, is a label or a sign that leads back. */
static int is_link_back(const tmpl_note_finder_t *f, const xmlNode *link)
{
    tmpl_label_t label;
    return tmpl_label_read(f, link, &label) && tmpl_note_fragment(f, link) != NULL &&
           (tmpl_is_note_label(label.characters, label.letters, label.digits) ||
            label.characters == 0 || tmpl_note_says(f, link, "backref") ||
            tmpl_note_says(f, link->parent, "backlink"));
}

static int leads_elsewhere(const tmpl_note_finder_t *f, const xmlNode *node)
{
    return tmpl_dom_tag(f->page, node) == TMPL_TAG_A &&
           tmpl_dom_listed(node, TMPL_ATTR_HREF) != NULL && tmpl_note_fragment(f, node) == NULL;
}

static int has_link_elsewhere(const tmpl_note_finder_t *f, const xmlNode *element)
{
    const xmlNode *node = element;
    while (node != NULL && !leads_elsewhere(f, node)) {
        node = tmpl_dom_next(node, element, 0);
    }
    return node != NULL;
}

/* Whether an element in front of a note's text is the note's label, or has only links back. */
static int is_own_label(const tmpl_note_finder_t *f, const xmlNode *element,
                        const tmpl_note_target_t *target)
{
    tmpl_label_t label;
    return !(tmpl_tag_flags(tmpl_dom_tag(f->page, element)) & TMPL_IS_CLOSES_P) &&
           tmpl_label_read(f, element, &label) &&
           (label.characters == 0 ? label.without : strcmp(label.text, target->label.text) == 0) &&
           !has_link_elsewhere(f, element);
}

/* Finds the elements that are left out of a note. */
static void leave_out_of_note(const tmpl_note_finder_t *f, const xmlNode *note,
                              const tmpl_note_target_t *target)
{
    const xmlNode *node;
    int over = 0;
    for (node = note->children; node != NULL; node = tmpl_dom_next(node, note, 0)) {
        if (tmpl_dom_tag(f->page, node) == TMPL_TAG_A &&
            tmpl_note_at(f, node)->kind == TMPL_NOTE_NONE && is_link_back(f, node)) {
            tmpl_note_at(f, node)->kind = TMPL_NOTE_LEFT_OUT;
        }
    }
    for (node = note->children; node != NULL; node = tmpl_dom_next(node, note, over)) {
        if (node->type == XML_TEXT_NODE) {
            if (node->content[strspn((const char *)node->content, " \t\n\r\f")] != '\0') {
                return;
            }
            continue;
        }
        tmpl_note_t *found = tmpl_note_at(f, node);
        if (found->kind == TMPL_NOTE_NONE && is_own_label(f, node, target)) {
            found->kind = TMPL_NOTE_LEFT_OUT;
        }
        else if (leads_elsewhere(f, node)) {
            return; /* the content of this link is the note's text */
        }
        over = found->kind != TMPL_NOTE_NONE;
    }
}

/* Whether an element has nothing but a number of three digits at most. */
static int is_numbered(const tmpl_note_finder_t *f, const xmlNode *element, tmpl_label_t *label)
{
    return element->children != NULL && tmpl_label_read(f, element, label) && label->digits > 0 &&
           label->digits <= 3 && label->digits == label->characters && *label->text != '0';
}

/* Whether an element is a note in the sentence; *label: the element with its number, or NULL. */
static int is_inline(const tmpl_note_finder_t *f, const xmlNode *element, const xmlNode **label)
{
    const char *src = f->page->src;
    const tmpl_known_attr_t *class =
        tmpl_node_attr(f->page, &f->page->nodes[tmpl_dom_node(element)], TMPL_ATTR_CLASS);
    int is_sure =
        class != NULL &&
        tmpl_has_word(src, class->value, "sidenote marginnote inline-footnote", tmpl_span_is_any);
    if (class == NULL ||
        (!is_sure && !tmpl_has_word(src, class->value, "footnote", tmpl_span_is)) ||
        tmpl_note_around(f, element) != 0) {
        return 0;
    }
    int beside = 0;
    const xmlNode *before = element->prev;
    for (*label = NULL; before != NULL && *label == NULL; before = before->prev) {
        tmpl_tag_e tag = tmpl_dom_tag(f->page, before);
        if (tag != TMPL_TAG_LABEL && tag != TMPL_TAG_INPUT &&
            (before->type == XML_ELEMENT_NODE || tmpl_label_is_text(before))) {
            break;
        }
        beside |= tag == TMPL_TAG_INPUT || tag == TMPL_TAG_LABEL;
        *label = tag == TMPL_TAG_LABEL ? before : NULL;
    }
    return is_sure || beside;
}

/* Keeps a note in the sentence. Returns whether the element is one. */
static int see_inline(tmpl_note_finder_t *f, const xmlNode *element)
{
    tmpl_label_t label;
    const xmlNode *number;
    if (f->inside != NULL || f->notes->nelts == TMPL_NOTES_MOST ||
        !is_inline(f, element, &number)) {
        return 0;
    }
    tmpl_note_target_t *target = apr_pcalloc(f->pool, sizeof(*target));
    const xmlNode *first = element->children;
    if (first != NULL && first->type == XML_TEXT_NODE && !tmpl_label_is_text(first)) {
        first = first->next;
    }
    if (first != NULL && (tmpl_dom_tag(f->page, first) == TMPL_TAG_INPUT ||
                          tmpl_dom_tag(f->page, first) == TMPL_TAG_LABEL)) {
        return 0; /* it has the reference, and the note somewhere else in it */
    }
    if (first != NULL && first->type == XML_ELEMENT_NODE && is_numbered(f, first, &label)) {
        target->label = label;
    }
    add_note(f, element, target);
    tmpl_note_at(f, element)->kind = TMPL_NOTE_INLINE;
    if (number != NULL && tmpl_label_read(f, number, &label)) {
        tmpl_note_at(f, number)->kind = TMPL_NOTE_LEFT_OUT;
    }
    return 1;
}

/* Walks over the links and, behind the first reference, over the elements that may be notes. */
static void walk(tmpl_note_finder_t *f)
{
    int over = 0;
    for (const xmlNode *node = tmpl_dom_next(f->body, f->body, 0); node != NULL;
         node = tmpl_dom_next(node, f->body, over)) {
        tmpl_tag_e tag = tmpl_dom_tag(f->page, node);
        over = tmpl_tag_is_pre(tag);
        if (node == f->behind) {
            f->inside = NULL;
        }
        if (node == f->behind_table) {
            f->table = NULL;
        }
        if (tag == TMPL_TAG_TABLE) {
            f->table = node;
            f->behind_table = tmpl_dom_next(node, f->body, 1);
            f->is_html = -1;
        }
        if (tag == TMPL_TAG_A) {
            tmpl_note_see_reference(f, node);
        }
        else if (tag == TMPL_TAG_SPAN) {
            over |= see_inline(f, node);
        }
        if (f->links->nelts > 0 && node->type == XML_ELEMENT_NODE) {
            over |= see_note(f, node);
        }
    }
}

/* A link whose element is not there, because it was cut, leads nowhere. */
static void leave_out_hanging(tmpl_note_finder_t *f)
{
    const tmpl_note_place_t *links = (const tmpl_note_place_t *)f->links->elts;
    const xmlNode *node = f->body;
    int i = 0;
    while (i < f->links->nelts && links[i].target->seen) {
        i++;
    }
    for (; i < f->links->nelts && node != NULL; node = tmpl_dom_next(node, f->body, 0)) {
        tmpl_note_target_t *target = node->type == XML_ELEMENT_NODE ? target_of(f, node) : NULL;
        if (target != NULL) {
            target->seen = 1; /* in front of its references, or in a pre */
        }
    }
    for (; i < f->links->nelts; i++) {
        if (!links[i].target->seen) {
            tmpl_note_at(f, links[i].node)->kind = TMPL_NOTE_LEFT_OUT;
        }
    }
}

const tmpl_note_t *tmpl_notes_find(const tmpl_page_t *page, const xmlNode *body,
                                   const tmpl_hrefs_t *hrefs, apr_pool_t *pool)
{
    tmpl_note_finder_t f = { .page = page, .body = body, .hrefs = hrefs, .pool = pool };
    f.targets = tmpl_hash_make(pool);
    f.found = apr_pcalloc(pool, page->n_nodes * sizeof(*f.found));
    f.links = apr_array_make(pool, 16, sizeof(tmpl_note_place_t));
    f.notes = apr_array_make(pool, 16, sizeof(tmpl_note_place_t));
    walk(&f);
    leave_out_hanging(&f);
    if (f.links->nelts == 0 && f.notes->nelts == 0) {
        return NULL;
    }
    const tmpl_note_place_t *links = (const tmpl_note_place_t *)f.links->elts,
                            *notes = (const tmpl_note_place_t *)f.notes->elts;
    for (int i = 0; i < f.links->nelts; i++) {
        if (links[i].target->number > 0) {
            *tmpl_note_at(&f, links[i].node) =
                (tmpl_note_t){ TMPL_NOTE_REFERENCE, links[i].target->number };
        }
    }
    for (int i = 0; i < f.notes->nelts; i++) {
        leave_out_of_note(&f, notes[i].node, notes[i].target);
    }
    return f.found;
}
