/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/note_finder.h"

#include <string.h>

/* Elements around a reference or a note at most; nodes in a note at most. */
#define AROUND 64
#define WITHIN 500

int tmpl_note_around(const tmpl_note_finder_t *f, const xmlNode *node)
{
    int is = 0;
    for (int n = 0; (node = node->parent) != f->body && is < TMPL_NOTE_IN_LINK; n++) {
        tmpl_tag_e tag = tmpl_dom_tag(f->page, node);
        int leaf = tmpl_tag_flags(tag) & TMPL_IS_HEADING || tag == TMPL_TAG_DT ||
                   tag == TMPL_TAG_SUMMARY || tag == TMPL_TAG_BLOCKQUOTE;
        is |= (tag == TMPL_TAG_TABLE ? TMPL_NOTE_IN_TABLE : 0) | (leaf ? TMPL_NOTE_IN_LEAF : 0) |
              (tag == TMPL_TAG_A ? TMPL_NOTE_IN_LINK : 0) | (n == AROUND ? TMPL_NOTE_IN_MUCH : 0);
    }
    return is;
}

/* The elements that may be notes. */
static const unsigned char note_tags[TMPL_TAG_COUNT] = {
    [TMPL_TAG_LI] = 1,    [TMPL_TAG_P] = 1,  [TMPL_TAG_DIV] = 1,
    [TMPL_TAG_ASIDE] = 1, [TMPL_TAG_DD] = 1,
};

int tmpl_note_may_be(const tmpl_note_finder_t *f, const xmlNode *element)
{
    if (!note_tags[tmpl_dom_tag(f->page, element)] || tmpl_note_around(f, element) != 0) {
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

const xmlNode *tmpl_note_of_anchor(const tmpl_note_finder_t *f, const xmlNode *anchor,
                                   const tmpl_label_t *label)
{
    enum { NEAR = 4 };
    const xmlNode *block = anchor;
    for (int i = 0; i < NEAR && block != f->body; i++, block = block->parent) {
        tmpl_tag_e tag = tmpl_dom_tag(f->page, block);
        tmpl_label_t is;
        if (note_tags[tag]) {
            int empty = tmpl_label_read(f, block, &is) && is.characters == 0;
            return tmpl_note_kind(f, block) == TMPL_NOTE_NONE && !empty ? block : NULL;
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

void tmpl_note_make_room(tmpl_note_finder_t *f)
{
    if (f->found == NULL) {
        f->found = apr_pcalloc(f->pool, f->page->n_nodes * sizeof(*f->found));
    }
}

void tmpl_note_add(tmpl_note_finder_t *f, const xmlNode *note, tmpl_note_aim_t *aim)
{
    tmpl_note_make_room(f);
    APR_ARRAY_PUSH(f->notes, tmpl_note_place_t) = (tmpl_note_place_t){ note, aim };
    aim->seen = 1;
    aim->number = (unsigned)f->notes->nelts;
    *tmpl_note_at(f, note) = (tmpl_note_t){ TMPL_NOTE_TEXT, aim->number };
    f->inside = aim;
    f->behind = tmpl_dom_next(note, f->body, 1);
}

tmpl_note_aim_t *tmpl_note_aim(const tmpl_note_finder_t *f, const xmlNode *node)
{
    const tmpl_node_t *own = &f->page->nodes[tmpl_dom_node(node)];
    const char *id = own->flags & TMPL_NODE_NAMED ? tmpl_dom_attribute(node, "id") : NULL;
    tmpl_note_aim_t *aim = id != NULL ? apr_hash_get(f->aims, id, APR_HASH_KEY_STRING) : NULL;
    if (aim == NULL && own->tag == TMPL_TAG_A) {
        id = tmpl_dom_attribute(node, "name");
        aim = id != NULL ? apr_hash_get(f->aims, id, APR_HASH_KEY_STRING) : NULL;
    }
    return aim != NULL && !aim->seen ? aim : NULL;
}

int tmpl_note_see(tmpl_note_finder_t *f, const xmlNode *node)
{
    tmpl_tag_e tag = tmpl_dom_tag(f->page, node);
    tmpl_note_aim_t *aim = tmpl_note_aim(f, node);
    if (aim == NULL) {
        return 0;
    }
    aim->seen = 1;
    int is_term = tag == TMPL_TAG_DT;
    int is_heading = 0;
    const xmlNode *note = node;
    if (is_term) {
        note = said_of(f, node, &aim->label);
    }
    else if (!note_tags[tag]) {
        note = tmpl_note_of_anchor(f, node, &aim->label);
        is_heading =
            note != NULL && note->children != NULL && tmpl_dom_node(note) > tmpl_dom_node(node);
    }
    if (f->inside != NULL || note == NULL || !aim->sure || !tmpl_note_may_be(f, note)) {
        return 0;
    }
    tmpl_note_add(f, note, aim);
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
