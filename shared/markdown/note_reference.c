/* SPDX-License-Identifier: Apache-2.0 */
#include "content/grid.h"
#include "markdown/note_finder.h"

#include <string.h>

#include <libxml/uri.h>

/* Whether the value of an attribute has a word in it. */
static int attr_has(const tmpl_note_finder_t *f, const xmlNode *element, tmpl_attr_name_e name,
                    const char *word)
{
    const tmpl_node_t *node = &f->page->nodes[tmpl_dom_node(element)];
    const tmpl_known_attr_t *attr = tmpl_node_attr(f->page, node, name);
    return attr != NULL && memmem(f->page->src + attr->value.start, tmpl_span_len(attr->value),
                                  word, strlen(word)) != NULL;
}

int tmpl_note_says(const tmpl_note_finder_t *f, const xmlNode *element, const char *word)
{
    return attr_has(f, element, TMPL_ATTR_CLASS, word) ||
           attr_has(f, element, TMPL_ATTR_ROLE, word);
}

const xmlNode *tmpl_note_sup(const tmpl_note_finder_t *f, const xmlNode *link)
{
    const xmlNode *up = link->parent;
    for (int i = 0; i < 2 && up != f->body && tmpl_dom_tag(f->page, up) != TMPL_TAG_SUP; i++) {
        up = up->parent;
    }
    return up != f->body && tmpl_dom_tag(f->page, up) == TMPL_TAG_SUP ? up : NULL;
}

/* Whether the text in an element is in brackets: "[1]". */
static int is_bracketed_text(const xmlNode *element)
{
    const xmlNode *first = element->children;
    return first->type == XML_TEXT_NODE && first->next == NULL && *first->content == '[' &&
           strchr((const char *)first->content, ']') != NULL;
}

/* Whether an element says that it is, or holds, a reference. */
static int is_named_reference(const tmpl_note_finder_t *f, const xmlNode *element)
{
    const char *src = f->page->src;
    const tmpl_node_t *node = &f->page->nodes[tmpl_dom_node(element)];
    if (!(node->flags & TMPL_NODE_NAMED)) {
        return 0;
    }
    const tmpl_known_attr_t *class = tmpl_node_attr(f->page, node, TMPL_ATTR_CLASS);
    const tmpl_known_attr_t *id = tmpl_node_attr(f->page, node, TMPL_ATTR_ID);
    return tmpl_note_says(f, element, "footnote") || tmpl_note_says(f, element, "noteref") ||
           tmpl_note_says(f, element, "fnref") ||
           (class != NULL && tmpl_span_is(src, class->value, "fn")) ||
           (id != NULL && tmpl_span_len(id->value) >= 5 &&
            memcmp(src + id->value.start, "fnref", 5) == 0);
}

static int holds_reference(const tmpl_note_finder_t *f, const xmlNode *element)
{
    tmpl_tag_e tag = tmpl_dom_tag(f->page, element);
    return tag == TMPL_TAG_CITE || (tag == TMPL_TAG_SPAN && is_named_reference(f, element));
}

static int looks_like_reference(const tmpl_note_finder_t *f, const xmlNode *link)
{
    const xmlNode *first = link->children, *up = link->parent;
    return first != NULL &&
           (tmpl_note_sup(f, link) != NULL || tmpl_dom_tag(f->page, first) == TMPL_TAG_SUP ||
            is_bracketed_text(link) || is_named_reference(f, link) ||
            (up != NULL && up != f->body && holds_reference(f, up)) ||
            (first->type == XML_ELEMENT_NODE && is_named_reference(f, first)));
}

static int is_data_note(const xmlNode *link)
{
    const char *type = tmpl_dom_attribute(link, "data-type");
    return type != NULL && strcmp(type, "noteref") == 0;
}

const char *tmpl_note_fragment(const tmpl_note_finder_t *f, const xmlNode *link)
{
    const tmpl_hrefs_t *hrefs = f->hrefs;
    const char *href = tmpl_dom_attribute(link, "href");
    const char *hash = href != NULL ? strchr(href, '#') : NULL;
    if (hash == NULL || hash[1] == '\0' || hrefs->base.url != hrefs->url) {
        return NULL;
    }
    /* the page's URL, its path, and its file */
    const apr_size_t starts[] = { 0, hrefs->base.origin, hrefs->base.directory };
    apr_size_t len = (apr_size_t)(hash - href);
    int own = len == 0;
    for (int i = 0; i < 3 && !own && hrefs->url != NULL; i++) {
        own = hrefs->base.document - starts[i] == len &&
              memcmp(hrefs->url + starts[i], href, len) == 0;
    }
    /* a page that does not know its address: links that say what they are lead into it */
    own |= hrefs->url == NULL && (tmpl_dom_tag(f->page, link->parent) == TMPL_TAG_CITE ||
                                  tmpl_note_says(f, link, "noteref") || is_data_note(link));
    return own ? xmlURIUnescapeString(hash + 1, 0, apr_palloc(f->pool, strlen(hash))) : NULL;
}

/* Whether a label may belong to a reference: "1", "12a", "[note 1]", "b", "*"; not "new". */
static int is_reference(const tmpl_label_t *label)
{
    return label->characters > 0 && label->letters <= (label->digits > 0 ? 4 : 1);
}

/* Keeps the ids of a reference, and of elements that begin with it: links back lead to them. */
static void add_ids(tmpl_note_finder_t *f, const xmlNode *link, tmpl_note_aim_t *aim)
{
    static const char *const names[] = { "id", "name" };
    const xmlNode *node = link;
    while (node != f->body && !(tmpl_tag_flags(tmpl_dom_tag(f->page, node)) & TMPL_IS_CLOSES_P)) {
        for (int i = 0; i < 2; i++) {
            const char *id = tmpl_dom_attribute(node, names[i]);
            if (id != NULL) {
                apr_hash_set(f->from, id, APR_HASH_KEY_STRING, aim);
            }
        }
        const xmlNode *before = node->prev;
        if (before != NULL && (before->type != XML_TEXT_NODE || before->prev != NULL)) {
            return;
        }
        node = node->parent;
    }
}

int tmpl_note_is_in_html(tmpl_note_finder_t *f)
{
    tmpl_grid_t grid;
    if (f->table == NULL) {
        return 0;
    }
    if (f->is_html < 0) {
        tmpl_grid_read(&grid, f->page, f->table);
        f->is_html = grid.kind == TMPL_GRID_HTML;
    }
    return f->is_html;
}

tmpl_note_aim_t *tmpl_note_refer(tmpl_note_finder_t *f, const xmlNode *element, const char *id,
                                 const tmpl_label_t *label)
{
    tmpl_note_aim_t *aim = apr_hash_get(f->aims, id, APR_HASH_KEY_STRING);
    if (aim == NULL) {
        aim = apr_pcalloc(f->pool, sizeof(*aim));
        aim->label = *label;
        apr_hash_set(f->aims, id, APR_HASH_KEY_STRING, aim);
    }
    aim->sure |= !tmpl_note_is_in_html(f);
    APR_ARRAY_PUSH(f->links, tmpl_note_place_t) = (tmpl_note_place_t){ element, aim };
    return aim;
}

void tmpl_note_see_reference(tmpl_note_finder_t *f, const xmlNode *link)
{
    tmpl_label_t label;
    if (f->links->nelts == TMPL_NOTES_MOST || !looks_like_reference(f, link) ||
        !tmpl_label_read(f, link, &label) || !is_reference(&label)) {
        return;
    }
    int is_in = tmpl_note_around(f, link);
    const char *id = is_in < TMPL_NOTE_IN_LINK ? tmpl_note_fragment(f, link) : NULL;
    tmpl_note_aim_t *aim = id != NULL ? apr_hash_get(f->aims, id, APR_HASH_KEY_STRING) : NULL;
    if (id == NULL || (aim != NULL && aim == f->inside)) {
        return;
    }
    add_ids(f, link, tmpl_note_refer(f, link, id, &label));
}
