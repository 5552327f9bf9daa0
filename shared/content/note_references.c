/* SPDX-License-Identifier: Apache-2.0 */
/* Labels, and what refers to notes: links, numbers without a link; and notes in the sentence. */
#include "content/note_finder.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>
#include <libxml/uri.h>

#include "base/ascii.h"
#include "content/grid.h"

/* Nodes of an element that are read, and bytes of their text: many references may have one. */
#define FEW   32
#define SHORT 400

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
        tmpl_note_e kind = f->found != NULL && node->type == XML_ELEMENT_NODE
                               ? tmpl_note_at(f, node)->kind
                               : TMPL_NOTE_NONE;
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
static void add_ids(tmpl_note_finder_t *f, const xmlNode *link, tmpl_note_target_t *target)
{
    static const char *const names[] = { "id", "name" };
    const xmlNode *node = link;
    while (node != f->body && !(tmpl_tag_flags(tmpl_dom_tag(f->page, node)) & TMPL_IS_CLOSES_P)) {
        for (int i = 0; i < 2; i++) {
            const char *id = tmpl_dom_attribute(node, names[i]);
            if (id != NULL) {
                apr_hash_set(f->from, id, APR_HASH_KEY_STRING, target);
            }
        }
        const xmlNode *before = node->prev;
        if (before != NULL && (before->type != XML_TEXT_NODE || before->prev != NULL)) {
            return;
        }
        node = node->parent;
    }
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

/* Keeps an element as a reference to id; label is that of the first one. Returns what id names. */
static tmpl_note_target_t *refer(tmpl_note_finder_t *f, const xmlNode *element, const char *id,
                                 const tmpl_label_t *label)
{
    tmpl_note_target_t *target = apr_hash_get(f->targets, id, APR_HASH_KEY_STRING);
    if (target == NULL) {
        target = apr_pcalloc(f->pool, sizeof(*target));
        target->label = *label;
        apr_hash_set(f->targets, id, APR_HASH_KEY_STRING, target);
    }
    target->sure |= !is_in_html(f);
    APR_ARRAY_PUSH(f->links, tmpl_note_place_t) = (tmpl_note_place_t){ element, target };
    return target;
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
    tmpl_note_target_t *target =
        id != NULL ? apr_hash_get(f->targets, id, APR_HASH_KEY_STRING) : NULL;
    if (id == NULL || (target != NULL && target == f->inside)) {
        return;
    }
    add_ids(f, link, refer(f, link, id, &label));
}

/* The target of references without a link, which have nothing but a number. */
static const char *id_of_number(const tmpl_note_finder_t *f, const char *number)
{
    return apr_pstrcat(f->pool, " ", number, NULL);
}

/* Whether an element has nothing but a number of three digits at most. */
static int is_numbered(const tmpl_note_finder_t *f, const xmlNode *element, tmpl_label_t *label)
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
        !is_numbered(f, element, &label)) {
        return;
    }
    const char *id = id_of_number(f, label.text);
    tmpl_note_target_t *target = apr_hash_get(f->targets, id, APR_HASH_KEY_STRING);
    const xmlNode *note = tmpl_note_of_anchor(f, element, &label);
    if (note != NULL) {
        if (target != NULL && !target->seen && f->inside == NULL && target->sure &&
            tmpl_note_may_be(f, note)) {
            tmpl_note_add(f, note, target);
        }
        return;
    }
    int is_in = tmpl_note_around(f, element);
    if (tag != TMPL_TAG_SUP || is_in >= TMPL_NOTE_IN_LINK || holds_link(f, element) ||
        (target != NULL && target == f->inside)) {
        return;
    }
    refer(f, element, id, &label);
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
    tmpl_note_target_t *target = apr_hash_get(f->targets, id, APR_HASH_KEY_STRING);
    if (target != NULL && seen < MANY && !target->seen && f->inside == NULL && target->sure &&
        tmpl_note_may_be(f, item)) {
        tmpl_note_add(f, item, target);
    }
}

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
    tmpl_note_add(f, element, target);
    tmpl_note_at(f, element)->kind = TMPL_NOTE_INLINE;
    if (number != NULL && tmpl_label_read(f, number, &label)) {
        tmpl_note_at(f, number)->kind = TMPL_NOTE_LEFT_OUT;
    }
    return 1;
}
