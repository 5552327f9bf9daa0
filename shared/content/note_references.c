/* SPDX-License-Identifier: Apache-2.0 */
/* Labels, and the links that refer to notes. */
#include "content/note_finder.h"

#include <string.h>

#include <libxml/uri.h>

#include "base/ascii.h"
#include "content/grid.h"

/* Nodes of an element that are read, and bytes of their text: many references may have one. */
#define FEW   32
#define SHORT 400

/* Elements around a reference or a note at most. */
#define AROUND 64

/* Whether a character is no part of a label: white space, brackets and stops, arrows. */
static int is_beside_label(uint32_t c)
{
    return c <= ' ' || (c < 0x80 && strchr("[](){}.,:;^", (int)c) != NULL) || c == 0xA0 ||
           (c >= 0x2190 && c <= 0x21FF) || c == 0xFE0E || c == 0xFE0F;
}

/* Adds text to a label. Returns 0 if the label is too long, or has a legal sign. */
static int add_to_label(tmpl_label_t *label, const char *text)
{
    apr_size_t used, len = strlen(label->text);
    apr_size_t left = strnlen(text, SHORT + 1);
    label->bytes += left;
    for (; left > 0 && label->bytes <= SHORT; left -= used, text += used) {
        uint32_t c = tmpl_utf8_next(text, left, &used);
        if (is_beside_label(c)) {
            continue;
        }
        /* signs that belong to what stands in front of them: (c), (r), SM, TM */
        int is_legal = c == 0xA9 || c == 0xAE || c == 0x2120 || c == 0x2122;
        if (++label->characters > 8 || len + used >= sizeof(label->text) || is_legal) {
            return 0;
        }
        label->digits += c >= '0' && c <= '9';
        int beyond = c >= 0xC0 && (c < 0x2000 || c > 0x2BFF);
        label->letters += (uint32_t)(c < 0x80 ? tmpl_is_alpha((char)c) : beyond);
        memcpy(label->text + len, text, used);
        label->text[len += used] = '\0';
    }
    return label->bytes <= SHORT;
}

int tmpl_label_read(const tmpl_note_finder_t *f, const xmlNode *element, tmpl_label_t *label)
{
    const xmlNode *node = element->children;
    *label = (tmpl_label_t){ 0 };
    for (int n = 0; node != NULL; n++) {
        tmpl_note_e kind =
            node->type == XML_ELEMENT_NODE ? tmpl_note_at(f, node)->kind : TMPL_NOTE_NONE;
        if (n == FEW || kind == TMPL_NOTE_REFERENCE ||
            tmpl_dom_tag(f->page, node) == TMPL_TAG_IMG ||
            (node->type == XML_TEXT_NODE && !add_to_label(label, (const char *)node->content))) {
            return 0;
        }
        label->without |= kind == TMPL_NOTE_LEFT_OUT;
        node = tmpl_dom_next(node, element, kind == TMPL_NOTE_LEFT_OUT);
    }
    return 1;
}

int tmpl_label_is_text(const xmlNode *node)
{
    tmpl_label_t label = { 0 };
    return node != NULL && node->type == XML_TEXT_NODE &&
           (!add_to_label(&label, (const char *)node->content) || label.characters > 0);
}

int tmpl_note_says(const tmpl_note_finder_t *f, const xmlNode *element, const char *word)
{
    const tmpl_node_t *node = &f->page->nodes[tmpl_dom_node(element)];
    return tmpl_node_says(f->page, node, TMPL_ATTR_CLASS, word) ||
           tmpl_node_says(f->page, node, TMPL_ATTR_ROLE, word);
}

/* Whether a sup is around a link, with two other elements between them at most. */
static int is_in_sup(const tmpl_note_finder_t *f, const xmlNode *link)
{
    const xmlNode *up = link->parent;
    for (int i = 0; i < 2 && up != f->body && tmpl_dom_tag(f->page, up) != TMPL_TAG_SUP; i++) {
        up = up->parent;
    }
    return up != f->body && tmpl_dom_tag(f->page, up) == TMPL_TAG_SUP;
}

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
    return first != NULL && (is_in_sup(f, link) || tmpl_dom_tag(f->page, first) == TMPL_TAG_SUP ||
                             is_bracketed_text(link) || is_named_reference(f, link) ||
                             (up != NULL && up != f->body && holds_reference(f, up)) ||
                             (first->type == XML_ELEMENT_NODE && is_named_reference(f, first)));
}

const char *tmpl_note_fragment(const tmpl_note_finder_t *f, const xmlNode *link)
{
    const tmpl_hrefs_t *hrefs = f->hrefs;
    const char *href = tmpl_dom_listed(link, TMPL_ATTR_HREF);
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
                                  tmpl_note_says(f, link, "noteref"));
    return own ? xmlURIUnescapeString(hash + 1, 0, apr_palloc(f->pool, strlen(hash))) : NULL;
}

/*
 * Whether the place of the walk is in a table that is written as HTML, where references are links.
 * A table that is written has no other table in it.
 */
static int is_in_html(tmpl_note_finder_t *f)
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

void tmpl_note_see_reference(tmpl_note_finder_t *f, const xmlNode *link)
{
    tmpl_label_t label;
    const tmpl_known_attr_t *href =
        tmpl_node_attr(f->page, &f->page->nodes[tmpl_dom_node(link)], TMPL_ATTR_HREF);
    if (href == NULL ||
        memchr(f->page->src + href->value.start, '#', tmpl_span_len(href->value)) == NULL) {
        return; /* most links end here */
    }
    if (f->links->nelts == TMPL_NOTES_MOST || !looks_like_reference(f, link) ||
        !tmpl_label_read(f, link, &label) ||
        !tmpl_is_note_label(label.characters, label.letters, label.digits)) {
        return;
    }
    const char *id =
        tmpl_note_around(f, link) < TMPL_NOTE_IN_LINK ? tmpl_note_fragment(f, link) : NULL;
    tmpl_note_target_t *target =
        id != NULL ? apr_hash_get(f->targets, id, APR_HASH_KEY_STRING) : NULL;
    if (id == NULL || (target != NULL && target == f->inside)) {
        return;
    }
    if (target == NULL) {
        target = apr_pcalloc(f->pool, sizeof(*target));
        target->label = label;
        apr_hash_set(f->targets, id, APR_HASH_KEY_STRING, target);
    }
    target->sure |= !is_in_html(f);
    APR_ARRAY_PUSH(f->links, tmpl_note_place_t) = (tmpl_note_place_t){ link, target };
}
