/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/note_finder.h"

/* Whether an element is a note in the sentence; *label: the element with its number, or NULL. */
static int is_inline(const tmpl_note_finder_t *f, const xmlNode *element, const xmlNode **label)
{
    static const char *const words[] = { "sidenote", "marginnote", "inline-footnote", "footnote" };
    const tmpl_known_attr_t *class =
        tmpl_node_attr(f->page, &f->page->nodes[tmpl_dom_node(element)], TMPL_ATTR_CLASS);
    apr_size_t i = 0, n = sizeof(words) / sizeof(words[0]);
    while (class != NULL && i < n &&
           !tmpl_has_word(f->page->src, class->value, words[i], tmpl_span_is)) {
        i++;
    }
    if (class == NULL || i == n || tmpl_note_around(f, element) != 0) {
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
    return i + 1 < n || beside;
}

int tmpl_note_see_inline(tmpl_note_finder_t *f, const xmlNode *element)
{
    tmpl_label_t label;
    const xmlNode *number;
    if (f->inside != NULL || f->notes->nelts == TMPL_NOTES_MOST ||
        !is_inline(f, element, &number)) {
        return 0;
    }
    tmpl_note_aim_t *aim = apr_pcalloc(f->pool, sizeof(*aim));
    const xmlNode *first = element->children;
    if (first != NULL && first->type == XML_TEXT_NODE && !tmpl_label_is_text(first)) {
        first = first->next;
    }
    if (first != NULL && (tmpl_dom_tag(f->page, first) == TMPL_TAG_INPUT ||
                          tmpl_dom_tag(f->page, first) == TMPL_TAG_LABEL)) {
        return 0; /* it has the reference, and the note somewhere else in it */
    }
    if (first != NULL && first->type == XML_ELEMENT_NODE &&
        tmpl_note_is_numbered(f, first, &label)) {
        aim->label = label;
    }
    tmpl_note_add(f, element, aim);
    tmpl_note_at(f, element)->kind = TMPL_NOTE_INLINE;
    if (number != NULL && tmpl_label_read(f, number, &label)) {
        tmpl_note_at(f, number)->kind = TMPL_NOTE_LEFT_OUT;
    }
    return 1;
}
