/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In one walk over the body, links that look like references are kept with the fragments that they
 * name, and the elements of those fragments become notes.
 */
#include "content/element_kinds.h"

#include <string.h>

#include <apr_hash.h>
#include <apr_tables.h>
#include <libxml/uri.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "detect/kept_notes.h"

/* Nodes of an element that are read, and bytes of their text: many references may have one. */
#define FEW   32
#define SHORT 400

/* Elements around a reference or a note at most. */
#define AROUND 64

/* The text of a label, without brackets and the like. */
typedef struct {
    char text[32];
    apr_size_t bytes; /* length of the text, with brackets and the like */
    uint32_t characters, letters, digits;
    int without; /* something in it is left out */
} label_t;

/* The element that a fragment names. */
typedef struct {
    int sure;        /* a reference that will be written stands in front of it */
    int seen;        /* the walk has passed the element with that id */
    unsigned number; /* number of the note; 0: the element is no note */
    label_t label;   /* label of the first reference */
} note_target_t;

typedef struct {
    const xmlNode *node; /* a link, or a note */
    note_target_t *target;
} note_place_t;

typedef struct {
    const tmpl_page_t *page;
    const xmlNode *body;
    const tmpl_hrefs_t *hrefs;
    apr_hash_t *targets;         /* note_target_t by the id of its element */
    apr_array_header_t *links;   /* of note_place_t: references */
    apr_array_header_t *notes;   /* of note_place_t */
    const xmlNode *table;        /* the table around the last reference that stands in one */
    int is_html;                 /* whether it is written as HTML */
    const note_target_t *inside; /* target of the note in which the walk is; NULL: in no note */
    const xmlNode *behind;       /* the node behind that note */
    tmpl_note_t *found;          /* by the page's nodes */
    apr_pool_t *pool;
} notes_finder_t;

static tmpl_note_t *note_at(const notes_finder_t *f, const xmlNode *node)
{
    return &f->found[tmpl_dom_node(node)];
}

/* --- Labels and references --- */

/* What is around a reference or a note. */
enum {
    IN_TABLE = 1,
    IN_LEAF = 2 /* or in a quote: cmark-gfm ends a note at its empty lines */,
    IN_LINK = 4,
    IN_MUCH = 8
};

/* Whether a character is no part of a label: white space, brackets and stops, arrows. */
static int is_beside_label(uint32_t c)
{
    return c <= ' ' || (c < 0x80 && strchr("[](){}.,:;^", (int)c) != NULL) || c == 0xA0 ||
           (c >= 0x2190 && c <= 0x21FF) || c == 0xFE0E || c == 0xFE0F;
}

/* Adds text to a label. Returns 0 if the label is too long, or has a legal sign. */
static int add_to_label(label_t *label, const char *text)
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

/*
 * Reads an element that may be a label, without the parts that are left out. Returns 0 if the
 * element is no label: it has a long text, an image, or a reference.
 */
static int read_label(const notes_finder_t *f, const xmlNode *element, label_t *label)
{
    const xmlNode *node = element->children;
    *label = (label_t){ 0 };
    for (int n = 0; node != NULL; n++) {
        tmpl_note_e kind = node->type == XML_ELEMENT_NODE ? note_at(f, node)->kind : TMPL_NOTE_NONE;
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

/* Whether a node is a text with more than the characters that may stand beside labels. */
static int is_label_text(const xmlNode *node)
{
    label_t label = { 0 };
    return node != NULL && node->type == XML_TEXT_NODE &&
           (!add_to_label(&label, (const char *)node->content) || label.characters > 0);
}

/* Whether an element's class or role has a word in it. */
static int says(const notes_finder_t *f, const xmlNode *element, const char *word)
{
    const tmpl_node_t *node = &f->page->nodes[tmpl_dom_node(element)];
    return tmpl_node_says(f->page, node, TMPL_ATTR_CLASS, word) ||
           tmpl_node_says(f->page, node, TMPL_ATTR_ROLE, word);
}

/* Whether a sup is around a link, with two other elements between them at most. */
static int is_in_sup(const notes_finder_t *f, const xmlNode *link)
{
    const xmlNode *up = link->parent;
    for (int i = 0; i < 2 && up != f->body && tmpl_dom_tag(f->page, up) != TMPL_TAG_SUP; i++) {
        up = up->parent;
    }
    return up != f->body && tmpl_dom_tag(f->page, up) == TMPL_TAG_SUP;
}

static int around(const notes_finder_t *f, const xmlNode *node)
{
    int is = 0;
    for (int n = 0; (node = node->parent) != f->body && is < IN_LINK; n++) {
        tmpl_tag_e tag = tmpl_dom_tag(f->page, node);
        int leaf = tmpl_tag_flags(tag) & TMPL_IS_HEADING || tag == TMPL_TAG_DT ||
                   tag == TMPL_TAG_SUMMARY || tag == TMPL_TAG_BLOCKQUOTE;
        is |= (tag == TMPL_TAG_TABLE ? IN_TABLE : 0) | (leaf ? IN_LEAF : 0) |
              (tag == TMPL_TAG_A ? IN_LINK : 0) | (n == AROUND ? IN_MUCH : 0);
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
static int is_named_reference(const notes_finder_t *f, const xmlNode *element)
{
    const char *src = f->page->src;
    const tmpl_node_t *node = &f->page->nodes[tmpl_dom_node(element)];
    if (!(node->flags & TMPL_NODE_NAMED)) {
        return 0;
    }
    const tmpl_known_attr_t *class = tmpl_node_attr(f->page, node, TMPL_ATTR_CLASS);
    const tmpl_known_attr_t *id = tmpl_node_attr(f->page, node, TMPL_ATTR_ID);
    return says(f, element, "footnote") || says(f, element, "noteref") ||
           says(f, element, "fnref") || (class != NULL && tmpl_span_is(src, class->value, "fn")) ||
           (id != NULL && tmpl_span_len(id->value) >= 5 &&
            memcmp(src + id->value.start, "fnref", 5) == 0);
}

static int holds_reference(const notes_finder_t *f, const xmlNode *element)
{
    tmpl_tag_e tag = tmpl_dom_tag(f->page, element);
    return tag == TMPL_TAG_CITE || (tag == TMPL_TAG_SPAN && is_named_reference(f, element));
}

static int looks_like_reference(const notes_finder_t *f, const xmlNode *link)
{
    const xmlNode *first = link->children, *up = link->parent;
    return first != NULL && (is_in_sup(f, link) || tmpl_dom_tag(f->page, first) == TMPL_TAG_SUP ||
                             is_bracketed_text(link) || is_named_reference(f, link) ||
                             (up != NULL && up != f->body && holds_reference(f, up)) ||
                             (first->type == XML_ELEMENT_NODE && is_named_reference(f, first)));
}

/* The fragment of the page that a link names; NULL: the link leads elsewhere. */
static const char *fragment_of(const notes_finder_t *f, const xmlNode *link)
{
    const tmpl_hrefs_t *hrefs = f->hrefs;
    const char *href = tmpl_dom_listed(link, TMPL_ATTR_HREF);
    const char *hash = href != NULL ? strchr(href, '#') : NULL;
    if (hash == NULL || hash[1] == '\0' || (hrefs->url != NULL && hrefs->base.url != hrefs->url)) {
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
    own |= hrefs->url == NULL &&
           (tmpl_dom_tag(f->page, link->parent) == TMPL_TAG_CITE || says(f, link, "noteref"));
    return own ? xmlURIUnescapeString(hash + 1, 0, apr_palloc(f->pool, strlen(hash))) : NULL;
}

/*
 * Whether a link is in a table that is written as HTML, where references are links. A table that is
 * written has no other table in it.
 */
static int is_in_html(notes_finder_t *f, const xmlNode *link)
{
    const xmlNode *table = link;
    while (table != f->body && tmpl_dom_tag(f->page, table) != TMPL_TAG_TABLE) {
        table = table->parent;
    }
    if (table == f->body || (f->table != NULL && tmpl_dom_node(table) < tmpl_dom_node(f->table))) {
        return 0; /* with a table in it, it lays the page out */
    }
    if (table != f->table) {
        tmpl_grid_t grid;
        tmpl_grid_read(&grid, f->page, table);
        f->table = table;
        f->is_html = grid.kind == TMPL_GRID_HTML;
    }
    return f->is_html;
}

/* Keeps a link that is a reference. */
static void see_reference(notes_finder_t *f, const xmlNode *link)
{
    label_t label;
    const tmpl_known_attr_t *href =
        tmpl_node_attr(f->page, &f->page->nodes[tmpl_dom_node(link)], TMPL_ATTR_HREF);
    if (href == NULL ||
        memchr(f->page->src + href->value.start, '#', tmpl_span_len(href->value)) == NULL) {
        return; /* most links end here */
    }
    if (f->links->nelts == TMPL_NOTES_MOST || !looks_like_reference(f, link) ||
        !read_label(f, link, &label) ||
        !tmpl_is_note_label(label.characters, label.letters, label.digits)) {
        return;
    }
    const char *id = around(f, link) < IN_LINK ? fragment_of(f, link) : NULL;
    note_target_t *target = id != NULL ? apr_hash_get(f->targets, id, APR_HASH_KEY_STRING) : NULL;
    if (id == NULL || (target != NULL && target == f->inside)) {
        return;
    }
    if (target == NULL) {
        target = apr_pcalloc(f->pool, sizeof(*target));
        target->label = label;
        apr_hash_set(f->targets, id, APR_HASH_KEY_STRING, target);
    }
    target->sure |= !is_in_html(f, link);
    APR_ARRAY_PUSH(f->links, note_place_t) = (note_place_t){ link, target };
}

/* --- Notes --- */

/* Nodes in a note at most. */
#define WITHIN 500

/* Whether an element may be written as a note. */
static int may_be_note(const notes_finder_t *f, const xmlNode *element)
{
    if (!tmpl_note_tags[tmpl_dom_tag(f->page, element)] || around(f, element) != 0) {
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
static const xmlNode *said_of(const notes_finder_t *f, const xmlNode *dt, const label_t *label)
{
    label_t is;
    const xmlNode *dd = tmpl_dom_element(dt->next);
    int does = dd != NULL && tmpl_dom_tag(f->page, dd) == TMPL_TAG_DD && read_label(f, dt, &is) &&
               strcmp(is.text, label->text) == 0;
    return does ? dd : NULL;
}

/*
 * The note whose anchor an element is: the block that begins with the anchor, or, if that block is
 * a heading with nothing but the label, the block behind it. NULL: there is none.
 */
static const xmlNode *note_of_anchor(const notes_finder_t *f, const xmlNode *anchor,
                                     const label_t *label)
{
    enum { NEAR = 4 };
    const xmlNode *block = anchor;
    for (int i = 0; i < NEAR && block != f->body; i++, block = block->parent) {
        tmpl_tag_e tag = tmpl_dom_tag(f->page, block);
        label_t is;
        if (tmpl_note_tags[tag]) {
            int empty = read_label(f, block, &is) && is.characters == 0;
            return note_at(f, block)->kind == TMPL_NOTE_NONE && !empty ? block : NULL;
        }
        if (tmpl_tag_flags(tag) & TMPL_IS_HEADING) {
            return read_label(f, block, &is) && strcmp(is.text, label->text) == 0
                       ? tmpl_dom_element(block->next)
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

static void add_note(notes_finder_t *f, const xmlNode *note, note_target_t *target)
{
    APR_ARRAY_PUSH(f->notes, note_place_t) = (note_place_t){ note, target };
    target->seen = 1;
    target->number = (unsigned)f->notes->nelts;
    *note_at(f, note) = (tmpl_note_t){ TMPL_NOTE_TEXT, target->number };
    f->inside = target;
    f->behind = tmpl_dom_next(note, f->body, 1);
}

/* The element that a reference names by its id or name, if it was not seen yet; or NULL. */
static note_target_t *target_of(const notes_finder_t *f, const xmlNode *node)
{
    const tmpl_node_t *own = &f->page->nodes[tmpl_dom_node(node)];
    const char *id = own->flags & TMPL_NODE_NAMED ? tmpl_dom_listed(node, TMPL_ATTR_ID) : NULL;
    note_target_t *target = id != NULL ? apr_hash_get(f->targets, id, APR_HASH_KEY_STRING) : NULL;
    if (target == NULL && own->tag == TMPL_TAG_A) {
        id = tmpl_dom_listed(node, TMPL_ATTR_NAME);
        target = id != NULL ? apr_hash_get(f->targets, id, APR_HASH_KEY_STRING) : NULL;
    }
    return target != NULL && !target->seen ? target : NULL;
}

/* Keeps the note of an element that a fragment names. Returns whether to skip its content. */
static int see_note(notes_finder_t *f, const xmlNode *node)
{
    tmpl_tag_e tag = tmpl_dom_tag(f->page, node);
    note_target_t *target = target_of(f, node);
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
        *note_at(f, node) = (tmpl_note_t){ TMPL_NOTE_LEFT_OUT, 0 };
    }
    if (is_heading) {
        const xmlNode *heading = node;
        while (heading->parent != f->body &&
               !(tmpl_tag_flags(tmpl_dom_tag(f->page, heading)) & TMPL_IS_HEADING)) {
            heading = heading->parent;
        }
        *note_at(f, heading) = (tmpl_note_t){ TMPL_NOTE_LEFT_OUT, 0 };
    }
    return is_term;
}

/* Whether a link into the page, which is no reference, is a label or a sign that leads back. */
static int is_link_back(const notes_finder_t *f, const xmlNode *link)
{
    label_t label;
    return read_label(f, link, &label) && fragment_of(f, link) != NULL &&
           (tmpl_is_note_label(label.characters, label.letters, label.digits) ||
            label.characters == 0 || says(f, link, "backref") || says(f, link->parent, "backlink"));
}

static int leads_elsewhere(const notes_finder_t *f, const xmlNode *node)
{
    return tmpl_dom_tag(f->page, node) == TMPL_TAG_A &&
           tmpl_dom_listed(node, TMPL_ATTR_HREF) != NULL && fragment_of(f, node) == NULL;
}

static int has_link_elsewhere(const notes_finder_t *f, const xmlNode *element)
{
    const xmlNode *node = element;
    while (node != NULL && !leads_elsewhere(f, node)) {
        node = tmpl_dom_next(node, element, 0);
    }
    return node != NULL;
}

/* Whether an element in front of a note's text is the note's label, or has only links back. */
static int is_own_label(const notes_finder_t *f, const xmlNode *element,
                        const note_target_t *target)
{
    label_t label;
    return !(tmpl_tag_flags(tmpl_dom_tag(f->page, element)) & TMPL_IS_CLOSES_P) &&
           read_label(f, element, &label) &&
           (label.characters == 0 ? label.without : strcmp(label.text, target->label.text) == 0) &&
           !has_link_elsewhere(f, element);
}

/* Finds the elements that are left out of a note. */
static void leave_out_of_note(const notes_finder_t *f, const xmlNode *note,
                              const note_target_t *target)
{
    const xmlNode *node;
    int over = 0;
    for (node = note->children; node != NULL; node = tmpl_dom_next(node, note, 0)) {
        if (tmpl_dom_tag(f->page, node) == TMPL_TAG_A && note_at(f, node)->kind == TMPL_NOTE_NONE &&
            is_link_back(f, node)) {
            note_at(f, node)->kind = TMPL_NOTE_LEFT_OUT;
        }
    }
    for (node = note->children; node != NULL; node = tmpl_dom_next(node, note, over)) {
        if (node->type == XML_TEXT_NODE) {
            if (!tmpl_dom_is_blank(node)) {
                return;
            }
            continue;
        }
        tmpl_note_t *found = note_at(f, node);
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
static int is_numbered(const notes_finder_t *f, const xmlNode *element, label_t *label)
{
    return element->children != NULL && read_label(f, element, label) && label->digits > 0 &&
           label->digits <= 3 && label->digits == label->characters && *label->text != '0';
}

/* Whether an element is a note in the sentence; *label: the element with its number, or NULL. */
static int is_inline(const notes_finder_t *f, const xmlNode *element, const xmlNode **label)
{
    const char *src = f->page->src;
    const tmpl_known_attr_t *class =
        tmpl_node_attr(f->page, &f->page->nodes[tmpl_dom_node(element)], TMPL_ATTR_CLASS);
    int is_sure =
        class != NULL &&
        tmpl_has_word(src, class->value, "sidenote marginnote inline-footnote", tmpl_span_is_any);
    if (class == NULL ||
        (!is_sure && !tmpl_has_word(src, class->value, "footnote", tmpl_span_is)) ||
        around(f, element) != 0) {
        return 0;
    }
    int beside = 0;
    const xmlNode *before = element->prev;
    for (*label = NULL; before != NULL && *label == NULL; before = before->prev) {
        tmpl_tag_e tag = tmpl_dom_tag(f->page, before);
        if (tag != TMPL_TAG_LABEL && tag != TMPL_TAG_INPUT &&
            (before->type == XML_ELEMENT_NODE || is_label_text(before))) {
            break;
        }
        beside |= tag == TMPL_TAG_INPUT || tag == TMPL_TAG_LABEL;
        *label = tag == TMPL_TAG_LABEL ? before : NULL;
    }
    return is_sure || beside;
}

/* Keeps a note in the sentence. Returns whether the element is one. */
static int see_inline(notes_finder_t *f, const xmlNode *element)
{
    label_t label;
    const xmlNode *number;
    if (f->inside != NULL || f->notes->nelts == TMPL_NOTES_MOST ||
        !is_inline(f, element, &number)) {
        return 0;
    }
    note_target_t *target = apr_pcalloc(f->pool, sizeof(*target));
    const xmlNode *first = element->children;
    if (first != NULL && first->type == XML_TEXT_NODE && !is_label_text(first)) {
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
    note_at(f, element)->kind = TMPL_NOTE_INLINE;
    if (number != NULL && read_label(f, number, &label)) {
        note_at(f, number)->kind = TMPL_NOTE_LEFT_OUT;
    }
    return 1;
}

/* Walks over the links and, behind the first reference, over the elements that may be notes. */
static void walk(notes_finder_t *f)
{
    int over = 0;
    for (const xmlNode *node = tmpl_dom_next(f->body, f->body, 0); node != NULL;
         node = tmpl_dom_next(node, f->body, over)) {
        tmpl_tag_e tag = tmpl_dom_tag(f->page, node);
        over = tmpl_tag_is_pre(tag);
        if (node == f->behind) {
            f->inside = NULL;
        }
        if (tag == TMPL_TAG_A) {
            see_reference(f, node);
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
static void leave_out_hanging(notes_finder_t *f)
{
    const note_place_t *links = (const note_place_t *)f->links->elts;
    const xmlNode *node = f->body;
    int i = 0;
    while (i < f->links->nelts && links[i].target->seen) {
        i++;
    }
    for (; i < f->links->nelts && node != NULL; node = tmpl_dom_next(node, f->body, 0)) {
        note_target_t *target = node->type == XML_ELEMENT_NODE ? target_of(f, node) : NULL;
        if (target != NULL) {
            target->seen = 1; /* in front of its references, or in a pre */
        }
    }
    for (; i < f->links->nelts; i++) {
        if (!links[i].target->seen) {
            note_at(f, links[i].node)->kind = TMPL_NOTE_LEFT_OUT;
        }
    }
}

const tmpl_note_t *tmpl_notes_find(const tmpl_page_t *page, const xmlNode *body,
                                   const tmpl_hrefs_t *hrefs, apr_pool_t *pool)
{
    notes_finder_t f = { .page = page, .body = body, .hrefs = hrefs, .pool = pool };
    f.targets = tmpl_hash_make(pool);
    f.found = apr_pcalloc(pool, page->n_nodes * sizeof(*f.found));
    f.links = apr_array_make(pool, 16, sizeof(note_place_t));
    f.notes = apr_array_make(pool, 16, sizeof(note_place_t));
    walk(&f);
    leave_out_hanging(&f);
    if (f.links->nelts == 0 && f.notes->nelts == 0) {
        return NULL;
    }
    const note_place_t *links = (const note_place_t *)f.links->elts,
                       *notes = (const note_place_t *)f.notes->elts;
    for (int i = 0; i < f.links->nelts; i++) {
        if (links[i].target->number > 0) {
            *note_at(&f, links[i].node) =
                (tmpl_note_t){ TMPL_NOTE_REFERENCE, links[i].target->number };
        }
    }
    for (int i = 0; i < f.notes->nelts; i++) {
        leave_out_of_note(&f, notes[i].node, notes[i].target);
    }
    return f.found;
}
