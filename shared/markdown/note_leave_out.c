/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/note_finder.h"

#include <string.h>

/* Nodes of a sup that are read. */
#define FEW 32

/* Whether a link is a sign or word that leads back; "above" in "see above for more" is text. */
static int is_link_back(const tmpl_note_finder_t *f, const xmlNode *link,
                        const tmpl_note_aim_t *aim)
{
    tmpl_label_t label;
    const char *id = tmpl_label_read(f, link, &label) ? tmpl_note_fragment(f, link) : NULL;
    if (id == NULL ||
        (label.letters > 1 && tmpl_label_is_text(link->prev) && tmpl_label_is_text(link->next))) {
        return 0;
    }
    return (apr_hash_get(f->from, id, APR_HASH_KEY_STRING) == aim ||
            tmpl_note_says(f, link, "backref") || tmpl_note_says(f, link, "backlink"));
}

static int leads_elsewhere(const tmpl_note_finder_t *f, const xmlNode *node)
{
    return tmpl_dom_tag(f->page, node) == TMPL_TAG_A && tmpl_dom_attribute(node, "href") != NULL &&
           tmpl_note_fragment(f, node) == NULL;
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
                        const tmpl_note_aim_t *aim)
{
    tmpl_label_t label;
    return !(tmpl_tag_flags(tmpl_dom_tag(f->page, element)) & TMPL_IS_CLOSES_P) &&
           tmpl_label_read(f, element, &label) &&
           (label.characters == 0 ? label.without : strcmp(label.text, aim->label.text) == 0) &&
           !has_link_elsewhere(f, element);
}

void tmpl_note_leave_out(const tmpl_note_finder_t *f, const xmlNode *note,
                         const tmpl_note_aim_t *aim)
{
    const xmlNode *node;
    int over = 0;
    for (node = note->children; node != NULL; node = tmpl_dom_next(node, note, 0)) {
        if (tmpl_dom_tag(f->page, node) == TMPL_TAG_A &&
            tmpl_note_at(f, node)->kind == TMPL_NOTE_NONE && is_link_back(f, node, aim)) {
            tmpl_note_at(f, node)->kind = TMPL_NOTE_LEFT_OUT;
        }
    }
    for (node = note->children; node != NULL; node = tmpl_dom_next(node, note, over)) {
        if (node->type == XML_TEXT_NODE) {
            if (strspn((const char *)node->content, " \t\n\r\f") <
                strlen((const char *)node->content)) {
                return;
            }
            continue;
        }
        tmpl_note_t *found = tmpl_note_at(f, node);
        if (found->kind == TMPL_NOTE_NONE && is_own_label(f, node, aim)) {
            found->kind = TMPL_NOTE_LEFT_OUT;
        }
        else if (leads_elsewhere(f, node)) {
            return; /* the content of this link is the note's text */
        }
        over = found->kind != TMPL_NOTE_NONE;
    }
}

int tmpl_note_has_only_references(const tmpl_note_finder_t *f, const xmlNode *sup)
{
    const xmlNode *node = sup->children;
    for (int n = 0; node != NULL; n++) {
        tmpl_note_e kind =
            node->type == XML_ELEMENT_NODE ? tmpl_note_at(f, node)->kind : TMPL_NOTE_NONE;
        if (n == FEW || kind == TMPL_NOTE_TEXT || tmpl_dom_tag(f->page, node) == TMPL_TAG_IMG ||
            tmpl_label_is_text(node)) {
            return 0;
        }
        node = tmpl_dom_next(node, sup, kind == TMPL_NOTE_REFERENCE || kind == TMPL_NOTE_LEFT_OUT);
    }
    return 1;
}
