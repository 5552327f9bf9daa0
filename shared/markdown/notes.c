/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/notes.h"

#include "base/hash.h"
#include "markdown/note_finder.h"

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
        else if (tag == TMPL_TAG_SUP || tag == TMPL_TAG_B || tag == TMPL_TAG_STRONG) {
            tmpl_note_see_number(f, node);
        }
        else if (tag == TMPL_TAG_HR) {
            f->ruled |= f->links->nelts > 0;
        }
        else if (tag == TMPL_TAG_LI && f->links->nelts > 0) {
            tmpl_note_see_item(f, node);
        }
        else if (tag == TMPL_TAG_SPAN) {
            over |= tmpl_note_see_inline(f, node);
        }
        if (f->links->nelts > 0 && node->type == XML_ELEMENT_NODE) {
            over |= tmpl_note_see(f, node);
        }
    }
}

/* A link whose element is not there, because it was cut, leads nowhere. */
static void leave_out_hanging(tmpl_note_finder_t *f)
{
    const tmpl_note_place_t *links = (const tmpl_note_place_t *)f->links->elts;
    const xmlNode *node = f->body;
    int i = 0;
    while (i < f->links->nelts && links[i].aim->seen) {
        i++;
    }
    for (; i < f->links->nelts && node != NULL; node = tmpl_dom_next(node, f->body, 0)) {
        tmpl_note_aim_t *aim = node->type == XML_ELEMENT_NODE ? tmpl_note_aim(f, node) : NULL;
        if (aim != NULL) {
            aim->seen = 1; /* in front of its references, or in a pre */
        }
    }
    for (; i < f->links->nelts; i++) {
        if (!links[i].aim->seen && tmpl_dom_tag(f->page, links[i].node) == TMPL_TAG_A) {
            tmpl_note_make_room(f);
            tmpl_note_at(f, links[i].node)->kind = TMPL_NOTE_LEFT_OUT;
        }
    }
}

/* A sup that is nothing but references is written as these, or left out with them. */
static void see_sup(const tmpl_note_finder_t *f, const tmpl_note_place_t *link)
{
    tmpl_note_e kind = tmpl_note_at(f, link->node)->kind;
    const xmlNode *sup = kind != TMPL_NOTE_NONE ? tmpl_note_sup(f, link->node) : NULL;
    tmpl_note_t *found = sup != NULL ? tmpl_note_at(f, sup) : NULL;
    if (found == NULL || found->kind == TMPL_NOTE_REFERENCES ||
        !tmpl_note_has_only_references(f, sup)) {
        return;
    }
    if (kind == TMPL_NOTE_REFERENCE) {
        found->kind = TMPL_NOTE_REFERENCES;
    }
    else if (found->kind == TMPL_NOTE_NONE) {
        found->kind = TMPL_NOTE_LEFT_OUT;
    }
}

const tmpl_note_t *tmpl_notes_find(const tmpl_page_t *page, const xmlNode *body,
                                   const tmpl_hrefs_t *hrefs, apr_pool_t *pool)
{
    tmpl_note_finder_t f = { .page = page, .body = body, .hrefs = hrefs, .pool = pool };
    f.aims = tmpl_hash_make(pool);
    f.from = tmpl_hash_make(pool);
    f.links = apr_array_make(pool, 16, sizeof(tmpl_note_place_t));
    f.notes = apr_array_make(pool, 16, sizeof(tmpl_note_place_t));
    walk(&f);
    leave_out_hanging(&f);
    if (f.found == NULL) {
        return NULL;
    }
    const tmpl_note_place_t *links = (const tmpl_note_place_t *)f.links->elts,
                            *notes = (const tmpl_note_place_t *)f.notes->elts;
    for (int i = 0; i < f.links->nelts; i++) {
        if (links[i].aim->number > 0) {
            *tmpl_note_at(&f, links[i].node) =
                (tmpl_note_t){ TMPL_NOTE_REFERENCE, links[i].aim->number };
        }
    }
    for (int i = 0; i < f.notes->nelts; i++) {
        tmpl_note_leave_out(&f, notes[i].node, notes[i].aim);
    }
    for (int i = 0; i < f.links->nelts; i++) {
        see_sup(&f, &links[i]);
    }
    return f.found;
}
