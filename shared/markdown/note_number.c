/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/note_finder.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

/* The aim of references without a link, which have nothing but a number. */
static const char *id_of_number(const tmpl_note_finder_t *f, const char *number)
{
    return apr_pstrcat(f->pool, " ", number, NULL);
}

int tmpl_note_is_numbered(const tmpl_note_finder_t *f, const xmlNode *element, tmpl_label_t *label)
{
    return element->children != NULL && tmpl_label_read(f, element, label) && label->digits > 0 &&
           label->digits <= 3 && label->digits == label->characters && *label->text != '0';
}

static int holds_link(const tmpl_note_finder_t *f, const xmlNode *element)
{
    const xmlNode *node = element;
    while (node != NULL && tmpl_dom_tag(f->page, node) != TMPL_TAG_A) {
        node = tmpl_dom_next(node, element, 0);
    }
    return node != NULL;
}

void tmpl_note_see_number(tmpl_note_finder_t *f, const xmlNode *element)
{
    tmpl_label_t label;
    tmpl_tag_e tag = tmpl_dom_tag(f->page, element);
    if (f->links->nelts == TMPL_NOTES_MOST || (tag != TMPL_TAG_SUP && !f->ruled) ||
        !tmpl_note_is_numbered(f, element, &label)) {
        return;
    }
    const char *id = id_of_number(f, label.text);
    tmpl_note_aim_t *aim = apr_hash_get(f->aims, id, APR_HASH_KEY_STRING);
    const xmlNode *note = tmpl_note_of_anchor(f, element, &label);
    if (note != NULL) {
        if (aim != NULL && !aim->seen && f->inside == NULL && aim->sure &&
            tmpl_note_may_be(f, note)) {
            tmpl_note_add(f, note, aim);
        }
        return;
    }
    int is_in = tmpl_note_around(f, element);
    if (tag != TMPL_TAG_SUP || is_in >= TMPL_NOTE_IN_LINK || holds_link(f, element) ||
        (aim != NULL && aim == f->inside)) {
        return;
    }
    tmpl_note_refer(f, element, id, &label);
}

void tmpl_note_see_item(tmpl_note_finder_t *f, const xmlNode *item)
{
    enum { MANY = 200 };
    const xmlNode *list = item->parent, *up = list->parent;
    if (tmpl_dom_tag(f->page, list) != TMPL_TAG_OL ||
        !(tmpl_note_says(f, list, "footnotes") || tmpl_note_says(f, up, "footnotes") ||
          tmpl_dom_tag(f->page, up) == TMPL_TAG_ASIDE)) {
        return;
    }
    const char *start = tmpl_dom_attribute(list, "start");
    long number = start != NULL ? strtol(start, NULL, 10) : 1;
    int n = 0, seen = 0;
    for (const xmlNode *before = item->prev; before != NULL && seen < MANY; before = before->prev) {
        n += tmpl_dom_tag(f->page, before) == TMPL_TAG_LI;
        seen++;
    }
    const char *id = id_of_number(f, apr_psprintf(f->pool, "%ld", number + n));
    tmpl_note_aim_t *aim = apr_hash_get(f->aims, id, APR_HASH_KEY_STRING);
    if (aim != NULL && seen < MANY && !aim->seen && f->inside == NULL && aim->sure &&
        tmpl_note_may_be(f, item)) {
        tmpl_note_add(f, item, aim);
    }
}
