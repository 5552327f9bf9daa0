/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/notes.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include <apr_tables.h>
#include <libxml/uri.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "html/attr.h"
#include "markdown/grid.h"

enum {
    AROUND = 64,  /* elements around a reference or a note at most */
    WITHIN = 500, /* nodes in a note at most */
    FEW = 32,     /* nodes that are read to see whether an element is a label, and */
    SHORT = 400   /* bytes of their text: many references may make one element be read again */
};

/* Flags of what is around a reference or a note. */
enum {
    IN_TABLE = 1,
    IN_LEAF = 2 /* or in a quote: cmark-gfm ends a note at its empty lines */,
    IN_LINK = 4,
    IN_MUCH = 8
};

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
} aim_t;

typedef struct {
    const xmlNode *node; /* a link, or a note */
    aim_t *aim;
} note_place_t;

typedef struct {
    const tmpl_page_t *page;
    const xmlNode *body;
    const tmpl_hrefs_t *hrefs;
    apr_hash_t *aims;          /* aim_t by the id of its element */
    apr_hash_t *from;          /* aim_t by the ids of its references */
    apr_array_header_t *links; /* of place_t: references */
    apr_array_header_t *notes; /* of place_t */
    int ruled;                 /* a rule stands behind a reference */
    const aim_t *inside;       /* aim of the note in which the walk is; NULL: in no note */
    const xmlNode *behind;     /* the node behind that note */
    tmpl_note_t *found;        /* by the page's nodes; NULL: there are no notes */
    apr_pool_t *pool;
} finder_t;

static tmpl_note_t *found_at(const finder_t *f, const xmlNode *node)
{
    return &f->found[tmpl_dom_node(node)];
}

static tmpl_note_e found_kind(const finder_t *f, const xmlNode *node)
{
    return f->found != NULL ? found_at(f, node)->kind : TMPL_NOTE_NONE;
}

/* Whether the value of an attribute has a word in it. */
static int value_has(const finder_t *f, const xmlNode *element, tmpl_attr_name_e name,
                     const char *word)
{
    const tmpl_node_t *node = &f->page->nodes[tmpl_dom_node(element)];
    const tmpl_known_attr_t *attr = tmpl_node_attr(f->page, node, name);
    return attr != NULL && memmem(f->page->src + attr->value.start, tmpl_span_len(attr->value),
                                  word, strlen(word)) != NULL;
}

/* Whether an element's class or role has a word in it. */
static int says(const finder_t *f, const xmlNode *element, const char *word)
{
    return value_has(f, element, TMPL_ATTR_CLASS, word) ||
           value_has(f, element, TMPL_ATTR_ROLE, word);
}

/* The sup around a link, with two other elements between them at most; NULL: there is none. */
static const xmlNode *sup_around(const finder_t *f, const xmlNode *link)
{
    const xmlNode *up = link->parent;
    for (int i = 0; i < 2 && up != f->body && tmpl_grid_tag(f->page, up) != TMPL_TAG_SUP; i++) {
        up = up->parent;
    }
    return up != f->body && tmpl_grid_tag(f->page, up) == TMPL_TAG_SUP ? up : NULL;
}

/* Whether the text in an element is in brackets: "[1]". */
static int is_bracketed_text(const xmlNode *element)
{
    const xmlNode *first = element->children;
    return first->type == XML_TEXT_NODE && first->next == NULL && *first->content == '[' &&
           strchr((const char *)first->content, ']') != NULL;
}

/* Whether an element says that it is, or holds, a reference. */
static int is_named_reference(const finder_t *f, const xmlNode *element)
{
    const char *src = f->page->src;
    const tmpl_node_t *node = &f->page->nodes[tmpl_dom_node(element)];
    if (!(node->flags & TMPL_NODE_NAMED)) {
        return 0;
    }
    const tmpl_known_attr_t *class = tmpl_node_attr(f->page, node, TMPL_ATTR_CLASS);
    const tmpl_known_attr_t *id = tmpl_node_attr(f->page, node, TMPL_ATTR_ID);
    return says(f, element, "footnote") || says(f, element, "noteref") ||
           says(f, element, "fnref") ||
           (class != NULL && tmpl_span_is(src, class->value, "fn")) ||
           (id != NULL && tmpl_span_len(id->value) >= 5 &&
            memcmp(src + id->value.start, "fnref", 5) == 0);
}

static int holds_reference(const finder_t *f, const xmlNode *element)
{
    tmpl_tag_e tag = tmpl_grid_tag(f->page, element);
    return tag == TMPL_TAG_CITE || (tag == TMPL_TAG_SPAN && is_named_reference(f, element));
}

static int looks_like_reference(const finder_t *f, const xmlNode *link)
{
    const xmlNode *first = link->children, *up = link->parent;
    return first != NULL &&
           (sup_around(f, link) != NULL || tmpl_grid_tag(f->page, first) == TMPL_TAG_SUP ||
            is_bracketed_text(link) || is_named_reference(f, link) ||
            (up != NULL && up != f->body && holds_reference(f, up)) ||
            (first->type == XML_ELEMENT_NODE && is_named_reference(f, first)));
}

static int is_data_note(const xmlNode *link)
{
    const char *type = tmpl_dom_attribute(link, "data-type");
    return type != NULL && strcmp(type, "noteref") == 0;
}

/* The fragment of the page that a link names; NULL: the link leads elsewhere. */
static const char *fragment_of(const finder_t *f, const xmlNode *link)
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
    own |= hrefs->url == NULL && (tmpl_grid_tag(f->page, link->parent) == TMPL_TAG_CITE ||
                                  says(f, link, "noteref") || is_data_note(link));
    return own ? xmlURIUnescapeString(hash + 1, 0, apr_palloc(f->pool, strlen(hash))) : NULL;
}

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
static int read_label(const finder_t *f, const xmlNode *element, label_t *label)
{
    const xmlNode *node = element->children;
    *label = (label_t){ 0 };
    for (int n = 0; node != NULL; n++) {
        tmpl_note_e kind = f->found != NULL && node->type == XML_ELEMENT_NODE
                               ? found_at(f, node)->kind
                               : TMPL_NOTE_NONE;
        if (n == FEW || kind == TMPL_NOTE_REFERENCE ||
            tmpl_grid_tag(f->page, node) == TMPL_TAG_IMG ||
            (node->type == XML_TEXT_NODE && !add_to_label(label, (const char *)node->content))) {
            return 0;
        }
        label->without |= kind == TMPL_NOTE_LEFT_OUT;
        node = tmpl_dom_next(node, element, kind == TMPL_NOTE_LEFT_OUT);
    }
    return 1;
}

/* Whether a node is a text with more than the characters that may stand beside labels. */
static int is_text(const xmlNode *node)
{
    label_t label = { 0 };
    return node != NULL && node->type == XML_TEXT_NODE &&
           (!add_to_label(&label, (const char *)node->content) || label.characters > 0);
}

/* Whether a label may belong to a reference: "1", "12a", "[note 1]", "b", "*"; not "new". */
static int is_reference(const label_t *label)
{
    return label->characters > 0 && label->letters <= (label->digits > 0 ? 4 : 1);
}

static int flags_around(const finder_t *f, const xmlNode *node)
{
    int is = 0;
    for (int n = 0; (node = node->parent) != f->body && is < IN_LINK; n++) {
        tmpl_tag_e tag = tmpl_grid_tag(f->page, node);
        int leaf = tmpl_tag_flags(tag) & TMPL_IS_HEADING || tag == TMPL_TAG_DT ||
                   tag == TMPL_TAG_SUMMARY || tag == TMPL_TAG_BLOCKQUOTE;
        is |= (tag == TMPL_TAG_TABLE ? IN_TABLE : 0) | (leaf ? IN_LEAF : 0) |
              (tag == TMPL_TAG_A ? IN_LINK : 0) | (n == AROUND ? IN_MUCH : 0);
    }
    return is;
}

/* Keeps the ids of a reference, and of elements that begin with it: links back lead to them. */
static void add_ids(finder_t *f, const xmlNode *link, aim_t *aim)
{
    static const char *const names[] = { "id", "name" };
    const xmlNode *node = link;
    while (node != f->body && !(tmpl_tag_flags(tmpl_grid_tag(f->page, node)) & TMPL_IS_CLOSES_P)) {
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

static void look_for_reference(finder_t *f, const xmlNode *link)
{
    label_t label;
    if (f->links->nelts == TMPL_NOTES_MOST || !looks_like_reference(f, link) ||
        !read_label(f, link, &label) || !is_reference(&label)) {
        return;
    }
    int is_in = flags_around(f, link);
    const char *id = is_in < IN_LINK ? fragment_of(f, link) : NULL;
    aim_t *aim = id != NULL ? apr_hash_get(f->aims, id, APR_HASH_KEY_STRING) : NULL;
    if (id == NULL || (aim != NULL && aim == f->inside)) {
        return;
    }
    if (aim == NULL) {
        aim = apr_pcalloc(f->pool, sizeof(*aim));
        aim->label = label;
        apr_hash_set(f->aims, id, APR_HASH_KEY_STRING, aim);
    }
    /* a table may be written as HTML, where a reference is a link */
    aim->sure |= !(is_in & IN_TABLE);
    APR_ARRAY_PUSH(f->links, note_place_t) = (note_place_t){ link, aim };
    add_ids(f, link, aim);
}

/* The elements that may be notes. */
static const unsigned char note_tags[TMPL_TAG_COUNT] = {
    [TMPL_TAG_LI] = 1,    [TMPL_TAG_P] = 1,  [TMPL_TAG_DIV] = 1,
    [TMPL_TAG_ASIDE] = 1, [TMPL_TAG_DD] = 1,
};

static int may_be_note(const finder_t *f, const xmlNode *element)
{
    if (!note_tags[tmpl_grid_tag(f->page, element)] || flags_around(f, element) != 0) {
        return 0;
    }
    int n = 0;
    for (const xmlNode *node = element; node != NULL; node = tmpl_dom_next(node, element, 0)) {
        if (n++ == WITHIN || tmpl_tag_flags(tmpl_grid_tag(f->page, node)) & TMPL_IS_HEADING) {
            return 0;
        }
    }
    return 1;
}

/* The dd behind a dt if the dt is nothing but a label; else NULL. */
static const xmlNode *said_of(const finder_t *f, const xmlNode *dt, const label_t *label)
{
    label_t is;
    const xmlNode *dd = dt->next;
    while (dd != NULL && dd->type == XML_TEXT_NODE) {
        dd = dd->next;
    }
    int does = dd != NULL && tmpl_grid_tag(f->page, dd) == TMPL_TAG_DD && read_label(f, dt, &is) &&
               strcmp(is.text, label->text) == 0;
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
static const xmlNode *note_of_anchor(const finder_t *f, const xmlNode *anchor, const label_t *label)
{
    enum { NEAR = 4 };
    const xmlNode *block = anchor;
    for (int i = 0; i < NEAR && block != f->body; i++, block = block->parent) {
        tmpl_tag_e tag = tmpl_grid_tag(f->page, block);
        label_t is;
        if (note_tags[tag]) {
            int empty = read_label(f, block, &is) && is.characters == 0;
            return found_kind(f, block) == TMPL_NOTE_NONE && !empty ? block : NULL;
        }
        if (tmpl_tag_flags(tag) & TMPL_IS_HEADING) {
            return read_label(f, block, &is) && strcmp(is.text, label->text) == 0
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

static int holds_link(const finder_t *f, const xmlNode *element)
{
    const xmlNode *node = element;
    while (node != NULL && tmpl_grid_tag(f->page, node) != TMPL_TAG_A) {
        node = tmpl_dom_next(node, element, 0);
    }
    return node != NULL;
}

static void add_note(finder_t *f, const xmlNode *note, aim_t *aim)
{
    if (f->found == NULL) {
        f->found = apr_pcalloc(f->pool, f->page->n_nodes * sizeof(*f->found));
    }
    APR_ARRAY_PUSH(f->notes, note_place_t) = (note_place_t){ note, aim };
    aim->seen = 1;
    aim->number = (unsigned)f->notes->nelts;
    *found_at(f, note) = (tmpl_note_t){ TMPL_NOTE_TEXT, aim->number };
    f->inside = aim;
    f->behind = tmpl_dom_next(note, f->body, 1);
}

/* The element whose id or name is an aim that was not yet seen; NULL: none. */
static aim_t *aim_at(const finder_t *f, const xmlNode *node)
{
    const tmpl_node_t *own = &f->page->nodes[tmpl_dom_node(node)];
    const char *id = own->flags & TMPL_NODE_NAMED ? tmpl_dom_attribute(node, "id") : NULL;
    aim_t *aim = id != NULL ? apr_hash_get(f->aims, id, APR_HASH_KEY_STRING) : NULL;
    if (aim == NULL && own->tag == TMPL_TAG_A) {
        id = tmpl_dom_attribute(node, "name");
        aim = id != NULL ? apr_hash_get(f->aims, id, APR_HASH_KEY_STRING) : NULL;
    }
    return aim != NULL && !aim->seen ? aim : NULL;
}

/* The aim of references without a link, which have nothing but a number. */
static const char *id_of_number(const finder_t *f, const char *number)
{
    return apr_pstrcat(f->pool, " ", number, NULL);
}

/* Whether an element has nothing but a number of three digits at most. */
static int is_numbered(const finder_t *f, const xmlNode *element, label_t *label)
{
    return element->children != NULL && read_label(f, element, label) && label->digits > 0 &&
           label->digits <= 3 && label->digits == label->characters && *label->text != '0';
}

/* A sup with a number: a reference without a link, or the label of a note. */
static void look_at_number(finder_t *f, const xmlNode *element)
{
    label_t label;
    tmpl_tag_e tag = tmpl_grid_tag(f->page, element);
    if (f->links->nelts == TMPL_NOTES_MOST || (tag != TMPL_TAG_SUP && !f->ruled) ||
        !is_numbered(f, element, &label)) {
        return;
    }
    const char *id = id_of_number(f, label.text);
    aim_t *aim = apr_hash_get(f->aims, id, APR_HASH_KEY_STRING);
    const xmlNode *note = note_of_anchor(f, element, &label);
    if (note != NULL) {
        if (aim != NULL && !aim->seen && f->inside == NULL && aim->sure && may_be_note(f, note)) {
            add_note(f, note, aim);
        }
        return;
    }
    int is_in = flags_around(f, element);
    if (tag != TMPL_TAG_SUP || is_in >= IN_LINK || holds_link(f, element) ||
        (aim != NULL && aim == f->inside)) {
        return;
    }
    if (aim == NULL) {
        aim = apr_pcalloc(f->pool, sizeof(*aim));
        aim->label = label;
        apr_hash_set(f->aims, id, APR_HASH_KEY_STRING, aim);
    }
    aim->sure |= !(is_in & IN_TABLE);
    APR_ARRAY_PUSH(f->links, note_place_t) = (note_place_t){ element, aim };
}

/* Whether an element is a note in the sentence; *label: the element with its number, or NULL. */
static int is_inline(const finder_t *f, const xmlNode *element, const xmlNode **label)
{
    static const char *const words[] = { "sidenote", "marginnote", "inline-footnote", "footnote" };
    const tmpl_known_attr_t *class =
        tmpl_node_attr(f->page, &f->page->nodes[tmpl_dom_node(element)], TMPL_ATTR_CLASS);
    apr_size_t i = 0, n = sizeof(words) / sizeof(words[0]);
    while (class != NULL && i < n &&
           !tmpl_has_word(f->page->src, class->value, words[i], tmpl_span_is)) {
        i++;
    }
    if (class == NULL || i == n || flags_around(f, element) != 0) {
        return 0;
    }
    int beside = 0;
    const xmlNode *before = element->prev;
    for (*label = NULL; before != NULL && *label == NULL; before = before->prev) {
        tmpl_tag_e tag = tmpl_grid_tag(f->page, before);
        if (tag != TMPL_TAG_LABEL && tag != TMPL_TAG_INPUT &&
            (before->type == XML_ELEMENT_NODE || is_text(before))) {
            break;
        }
        beside |= tag == TMPL_TAG_INPUT || tag == TMPL_TAG_LABEL;
        *label = tag == TMPL_TAG_LABEL ? before : NULL;
    }
    return i + 1 < n || beside;
}

/* Returns whether the element is a note in the sentence. */
static int look_for_inline(finder_t *f, const xmlNode *element)
{
    label_t label;
    const xmlNode *number;
    if (f->inside != NULL || f->notes->nelts == TMPL_NOTES_MOST ||
        !is_inline(f, element, &number)) {
        return 0;
    }
    aim_t *aim = apr_pcalloc(f->pool, sizeof(*aim));
    const xmlNode *first = element->children;
    if (first != NULL && first->type == XML_TEXT_NODE && !is_text(first)) {
        first = first->next;
    }
    if (first != NULL && (tmpl_grid_tag(f->page, first) == TMPL_TAG_INPUT ||
                          tmpl_grid_tag(f->page, first) == TMPL_TAG_LABEL)) {
        return 0; /* it has the reference, and the note somewhere else in it */
    }
    if (first != NULL && first->type == XML_ELEMENT_NODE && is_numbered(f, first, &label)) {
        aim->label = label;
    }
    add_note(f, element, aim);
    found_at(f, element)->kind = TMPL_NOTE_INLINE;
    if (number != NULL && read_label(f, number, &label)) {
        found_at(f, number)->kind = TMPL_NOTE_LEFT_OUT;
    }
    return 1;
}

/* An item of a list of notes for references without a link. */
static void look_at_item(finder_t *f, const xmlNode *item)
{
    enum { MANY = 200 };
    const xmlNode *list = item->parent, *up = list->parent;
    if (tmpl_grid_tag(f->page, list) != TMPL_TAG_OL ||
        !(says(f, list, "footnotes") || says(f, up, "footnotes") ||
          tmpl_grid_tag(f->page, up) == TMPL_TAG_ASIDE)) {
        return;
    }
    const char *start = tmpl_dom_attribute(list, "start");
    long number = start != NULL ? strtol(start, NULL, 10) : 1;
    int n = 0, seen = 0;
    for (const xmlNode *before = item->prev; before != NULL && seen < MANY; before = before->prev) {
        n += tmpl_grid_tag(f->page, before) == TMPL_TAG_LI;
        seen++;
    }
    const char *id = id_of_number(f, apr_psprintf(f->pool, "%ld", number + n));
    aim_t *aim = apr_hash_get(f->aims, id, APR_HASH_KEY_STRING);
    if (aim != NULL && seen < MANY && !aim->seen && f->inside == NULL && aim->sure &&
        may_be_note(f, item)) {
        add_note(f, item, aim);
    }
}

/* Returns whether the walk skips the element's content. */
static int look_for_note(finder_t *f, const xmlNode *node)
{
    tmpl_tag_e tag = tmpl_grid_tag(f->page, node);
    aim_t *aim = aim_at(f, node);
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
        note = note_of_anchor(f, node, &aim->label);
        is_heading =
            note != NULL && note->children != NULL && tmpl_dom_node(note) > tmpl_dom_node(node);
    }
    if (f->inside != NULL || note == NULL || !aim->sure || !may_be_note(f, note)) {
        return 0;
    }
    add_note(f, note, aim);
    if (is_term) {
        *found_at(f, node) = (tmpl_note_t){ TMPL_NOTE_LEFT_OUT, 0 };
    }
    if (is_heading) {
        const xmlNode *heading = node;
        while (heading->parent != f->body &&
               !(tmpl_tag_flags(tmpl_grid_tag(f->page, heading)) & TMPL_IS_HEADING)) {
            heading = heading->parent;
        }
        *found_at(f, heading) = (tmpl_note_t){ TMPL_NOTE_LEFT_OUT, 0 };
    }
    return is_term;
}

/* Walks over the links and, behind the first reference, over the elements that may be notes. */
static void walk(finder_t *f)
{
    int over = 0;
    for (const xmlNode *node = tmpl_dom_next(f->body, f->body, 0); node != NULL;
         node = tmpl_dom_next(node, f->body, over)) {
        tmpl_tag_e tag = tmpl_grid_tag(f->page, node);
        over = tmpl_tag_is_pre(tag);
        if (node == f->behind) {
            f->inside = NULL;
        }
        if (tag == TMPL_TAG_A) {
            look_for_reference(f, node);
        }
        else if (tag == TMPL_TAG_SUP || tag == TMPL_TAG_B || tag == TMPL_TAG_STRONG) {
            look_at_number(f, node);
        }
        else if (tag == TMPL_TAG_HR) {
            f->ruled |= f->links->nelts > 0;
        }
        else if (tag == TMPL_TAG_LI && f->links->nelts > 0) {
            look_at_item(f, node);
        }
        else if (tag == TMPL_TAG_SPAN) {
            over |= look_for_inline(f, node);
        }
        if (f->links->nelts > 0 && node->type == XML_ELEMENT_NODE) {
            over |= look_for_note(f, node);
        }
    }
}

/* Whether a link is a sign or word that leads back; "above" in "see above for more" is text. */
static int is_link_back(const finder_t *f, const xmlNode *link, const aim_t *aim)
{
    label_t label;
    const char *id = read_label(f, link, &label) ? fragment_of(f, link) : NULL;
    if (id == NULL || (label.letters > 1 && is_text(link->prev) && is_text(link->next))) {
        return 0;
    }
    return (apr_hash_get(f->from, id, APR_HASH_KEY_STRING) == aim || says(f, link, "backref") ||
            says(f, link, "backlink"));
}

static int leads_elsewhere(const finder_t *f, const xmlNode *node)
{
    return tmpl_grid_tag(f->page, node) == TMPL_TAG_A && tmpl_dom_attribute(node, "href") != NULL &&
           fragment_of(f, node) == NULL;
}

static int has_link_elsewhere(const finder_t *f, const xmlNode *element)
{
    const xmlNode *node = element;
    while (node != NULL && !leads_elsewhere(f, node)) {
        node = tmpl_dom_next(node, element, 0);
    }
    return node != NULL;
}

/* Whether an element in front of a note's text is the note's label, or has only links back. */
static int is_own_label(const finder_t *f, const xmlNode *element, const aim_t *aim)
{
    label_t label;
    return !(tmpl_tag_flags(tmpl_grid_tag(f->page, element)) & TMPL_IS_CLOSES_P) &&
           read_label(f, element, &label) &&
           (label.characters == 0 ? label.without : strcmp(label.text, aim->label.text) == 0) &&
           !has_link_elsewhere(f, element);
}

/* Finds the elements that are left out of a note. */
static void leave_out(const finder_t *f, const xmlNode *note, const aim_t *aim)
{
    const xmlNode *node;
    int over = 0;
    for (node = note->children; node != NULL; node = tmpl_dom_next(node, note, 0)) {
        if (tmpl_grid_tag(f->page, node) == TMPL_TAG_A &&
            found_at(f, node)->kind == TMPL_NOTE_NONE && is_link_back(f, node, aim)) {
            found_at(f, node)->kind = TMPL_NOTE_LEFT_OUT;
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
        tmpl_note_t *found = found_at(f, node);
        if (found->kind == TMPL_NOTE_NONE && is_own_label(f, node, aim)) {
            found->kind = TMPL_NOTE_LEFT_OUT;
        }
        else if (leads_elsewhere(f, node)) {
            return; /* the content of this link is the note's text */
        }
        over = found->kind != TMPL_NOTE_NONE;
    }
}

/* Whether a sup is nothing but references, with signs between them. */
static int has_only_references(const finder_t *f, const xmlNode *sup)
{
    const xmlNode *node = sup->children;
    for (int n = 0; node != NULL; n++) {
        tmpl_note_e kind =
            node->type == XML_ELEMENT_NODE ? found_at(f, node)->kind : TMPL_NOTE_NONE;
        if (n == FEW || kind == TMPL_NOTE_TEXT || tmpl_grid_tag(f->page, node) == TMPL_TAG_IMG ||
            is_text(node)) {
            return 0;
        }
        node = tmpl_dom_next(node, sup, kind == TMPL_NOTE_REFERENCE);
    }
    return 1;
}

const tmpl_note_t *tmpl_notes_find(const tmpl_page_t *page, const xmlNode *body,
                                   const tmpl_hrefs_t *hrefs, apr_pool_t *pool)
{
    finder_t f = { .page = page, .body = body, .hrefs = hrefs, .pool = pool };
    f.aims = tmpl_hash_make(pool);
    f.from = tmpl_hash_make(pool);
    f.links = apr_array_make(pool, 16, sizeof(note_place_t));
    f.notes = apr_array_make(pool, 16, sizeof(note_place_t));
    walk(&f);
    if (f.found == NULL) {
        return NULL;
    }
    const note_place_t *links = (const note_place_t *)f.links->elts,
                       *notes = (const note_place_t *)f.notes->elts;
    for (int i = 0; i < f.links->nelts; i++) {
        if (links[i].aim->number > 0) {
            *found_at(&f, links[i].node) =
                (tmpl_note_t){ TMPL_NOTE_REFERENCE, links[i].aim->number };
        }
    }
    for (int i = 0; i < f.notes->nelts; i++) {
        leave_out(&f, notes[i].node, notes[i].aim);
    }
    for (int i = 0; i < f.links->nelts; i++) {
        const xmlNode *sup = sup_around(&f, links[i].node);
        if (links[i].aim->number > 0 && sup != NULL && found_at(&f, sup)->kind == TMPL_NOTE_NONE &&
            has_only_references(&f, sup)) {
            found_at(&f, sup)->kind = TMPL_NOTE_REFERENCES;
        }
    }
    return f.found;
}
