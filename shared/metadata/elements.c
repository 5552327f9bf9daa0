/* SPDX-License-Identifier: Apache-2.0 */
#include "metadata/elements.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/chars.h"
#include "metadata/dates.h"
#include "metadata/people.h"
#include "text/text.h"

/* Elements that are looked at closely, the first of a page. */
#define ELEMENTS 2000

/* Links to the site's first page that may have its name, the first ones; bytes of a name. */
#define HOME_LINKS 3
#define SITE_BYTES 60

/* Elements upwards that may be a quote or a caption. */
#define TAGS_UP 8

/* Bytes in front of a date that may say that it is one of a change. */
#define LABEL_BYTES 32

/* Segments and items of a breadcrumb at most. */
#define BREADCRUMB_SEGMENTS 40
#define CRUMBS              20

typedef struct {
    tmpl_elements_t *w;
    uint32_t looked;     /* elements that were looked at closely */
    uint32_t questions;  /* items of this type */
    uint32_t home_links; /* links to the site's first page */
    uint32_t breadcrumb; /* the node of the innermost first one; TMPL_NONE: none was seen */
} page_elements_t;

const char *tmpl_elements_text(tmpl_elements_t *w, uint32_t first, uint32_t after, apr_size_t most)
{
    uint32_t length = 0;
    tmpl_buf_clear(&w->text);
    /* references and other charsets may make the text shorter or longer */
    for (uint32_t i = first; i < after && length <= 2 * most; i++) {
        length += w->page->segments[i].length;
    }
    if (length <= 2 * most) {
        tmpl_text_segments(&w->text, w->page, first, after, w->source->decoder);
    }
    if (w->text.len > most) {
        tmpl_buf_clear(&w->text);
    }
    return w->text.len > 0 ? w->text.at : "";
}

static const char *node_text(tmpl_elements_t *w, const tmpl_node_t *node, apr_size_t most)
{
    return tmpl_elements_text(w, node->first_segment, node->after_segment, most);
}

/* An attribute that the page does not list, in UTF-8; NULL: there is none. */
static const char *attribute_text(tmpl_elements_t *w, const tmpl_node_t *node, const char *name)
{
    tmpl_attr_t attr;
    if (!tmpl_attr_find(&attr, w->page->src, node->open, name)) {
        return NULL;
    }
    tmpl_buf_t raw;
    tmpl_buf_init(&raw, w->claims->pool);
    tmpl_decode(&raw, w->source->decoder, w->page->src + attr.value.start,
                tmpl_span_len(attr.value));
    return raw.len > 0 ? raw.at : "";
}

void tmpl_elements_say(tmpl_elements_t *w, const char *place, uint32_t of, const char *value)
{
    tmpl_claims_add(w->claims, TMPL_SAID_ELEMENT, place, of, value);
}

void tmpl_elements_say_authors(tmpl_elements_t *w, const char *place, uint32_t of, const char *text)
{
    apr_array_header_t *names = apr_array_make(w->claims->pool, 1, sizeof(const char *));
    tmpl_people_read(names, text, TMPL_NAMES_WHOLE);
    if (names->nelts > 0) {
        tmpl_elements_say(w, place, of, text);
    }
}

int tmpl_elements_deletes(const tmpl_elements_t *w, uint32_t segment)
{
    const tmpl_edits_t *edits = w->source->edits;
    uint32_t at = w->page->segments[segment].span.start;
    uint32_t low = 0, high = edits->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (edits->edits[middle].span.end <= at) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }
    return low < edits->n && edits->edits[low].span.start <= at;
}

/* Whether verdicts say that a segment is of one of some parts. */
static int is_of_parts(const tmpl_elements_t *w, uint32_t segment, tmpl_part_set_t parts)
{
    const tmpl_verdict_t *verdicts = w->source->verdicts;
    return verdicts != NULL && segment < w->page->n_segments &&
           (parts & TMPL_PART_BIT(verdicts[w->page->segments[segment].block].part)) != 0;
}

/* Whether a node is, or is near in, an element with a tag. */
static int is_in_tag(const tmpl_page_t *page, uint32_t node, tmpl_tag_e tag)
{
    for (int up = 0; up < TAGS_UP && node != TMPL_NONE; up++, node = page->nodes[node].parent) {
        if (page->nodes[node].tag == tag) {
            return 1;
        }
    }
    return 0;
}

int tmpl_elements_is_beside(const tmpl_elements_t *w, uint32_t segment)
{
    const tmpl_page_t *page = w->page;
    uint32_t node = segment < page->n_segments ? page->segments[segment].node : TMPL_NONE;
    if (is_in_tag(page, node, TMPL_TAG_BLOCKQUOTE)) {
        return 1;
    }
    return is_of_parts(w, segment,
                       TMPL_PART_BIT(TMPL_PART_COMMENT) | TMPL_PART_BIT(TMPL_PART_REVIEW) |
                           TMPL_PART_BIT(TMPL_PART_QA));
}

int tmpl_href_is_root(const char *src, tmpl_span_t href)
{
    const char *at = src + href.start, *end = src + href.end;
    int is_absolute = tmpl_span_len(href) > 8 && memcmp(at, "http", 4) == 0;
    const char *host = is_absolute ? memmem(at, tmpl_span_len(href), "://", 3) : NULL;
    if (host == NULL) {
        while (at + 2 < end && memcmp(at, "../", 3) == 0) {
            at += 3;
        }
        return end > at ? tmpl_span_is(src, href, "/") : tmpl_span_len(href) > 0;
    }
    const char *path = memchr(host + 3, '/', (apr_size_t)(end - host) - 3);
    return path == NULL || path + 1 == end;
}

int tmpl_value_has(const char *src, tmpl_span_t value, const char *text)
{
    apr_size_t len = strlen(text);
    for (uint32_t at = value.start; at + len <= value.end; at++) {
        if (tmpl_lower(src[at]) == *text && apr_cstr_casecmpn(src + at, text, len) == 0) {
            return 1;
        }
    }
    return 0;
}

/* --- Microdata --- */

/* What is behind the last slash of an address: "Product" of "https://schema.org/Product". */
static tmpl_span_t end_of_address(const char *src, tmpl_span_t span)
{
    const char *slash = memrchr(src + span.start, '/', tmpl_span_len(span));
    return slash != NULL ? (tmpl_span_t){ (uint32_t)(slash + 1 - src), span.end } : span;
}

/* The type of the item around a node; empty: it has none. *item is the item. */
static tmpl_span_t type_around(const tmpl_page_t *page, uint32_t node, uint32_t *item)
{
    for (uint32_t up = page->nodes[node].parent; up != TMPL_NONE; up = page->nodes[up].parent) {
        const tmpl_known_attr_t *type = tmpl_node_attr(page, &page->nodes[up], TMPL_ATTR_ITEMTYPE);
        if (tmpl_node_attr(page, &page->nodes[up], TMPL_ATTR_ITEMSCOPE) != NULL) {
            *item = up;
            if (type != NULL) {
                return end_of_address(page->src, type->value);
            }
        }
    }
    return (tmpl_span_t){ 0, 0 };
}

/* Whether a type is one of some; the last one is NULL. */
static int is_type(const char *src, tmpl_span_t type, const char *const *types)
{
    while (*types != NULL && !tmpl_span_is(src, type, *types)) {
        types++;
    }
    return *types != NULL;
}

/* The value of an element with an itemprop: content, datetime, an address of a type, or text. */
static const char *item_value(tmpl_elements_t *w, const tmpl_node_t *node)
{
    static const char *const names[] = { "content", "datetime" };
    const char *value = NULL;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]) && value == NULL; i++) {
        value = attribute_text(w, node, names[i]);
    }
    if (value == NULL && node->tag == TMPL_TAG_LINK) {
        value = attribute_text(w, node, "href");
    }
    return value != NULL && *value != '\0' ? value : node_text(w, node, 300);
}

/* The element with itemprop=name in an item; node itself if there is none. */
static const tmpl_node_t *name_within(const tmpl_page_t *page, uint32_t node)
{
    for (uint32_t i = node + 1; i < page->nodes[node].after && i < node + TMPL_NEAR_WITHIN; i++) {
        const tmpl_known_attr_t *prop = tmpl_node_attr(page, &page->nodes[i], TMPL_ATTR_ITEMPROP);
        if (prop != NULL && tmpl_span_is(page->src, prop->value, "name")) {
            return &page->nodes[i];
        }
    }
    return &page->nodes[node];
}

/* Says what an item that may be the page says, as places.def knows it. */
static void see_item(page_elements_t *seen, uint32_t i, tmpl_span_t prop)
{
    /* items that are not the page itself */
    static const char *const beside[] = { "Comment",      "UserComments", "Review", "Answer",
                                          "ImageObject",  "VideoObject",  "Person", "Event",
                                          "Organization", "WebSite",      "Rating", NULL };
    tmpl_elements_t *w = seen->w;
    uint32_t item = 0;
    if (seen->looked++ >= ELEMENTS) {
        return;
    }
    tmpl_span_t type = type_around(w->page, i, &item);
    const char *name =
        apr_pstrmemdup(w->claims->pool, w->page->src + prop.start, tmpl_span_len(prop));
    /* who took the picture */
    int is_credit = strcmp(name, "author") == 0 && is_in_tag(w->page, i, TMPL_TAG_FIGCAPTION);
    if (!is_credit && !is_type(w->page->src, type, beside)) {
        tmpl_claims_add(w->claims, TMPL_SAID_ITEM, name, item,
                        item_value(w, name_within(w->page, i)));
    }
}

/* An item that the page may be, and that is in no other item but a page. */
static void see_type(page_elements_t *seen, uint32_t i, tmpl_span_t address)
{
    static const char *const types[] = { "Question",    "Product",     "Article",
                                         "NewsArticle", "BlogPosting", "DiscussionForumPosting",
                                         NULL };
    const char *src = seen->w->page->src;
    uint32_t item;
    if (seen->looked++ >= ELEMENTS) {
        return;
    }
    tmpl_span_t type = end_of_address(src, address);
    tmpl_span_t around = type_around(seen->w->page, i, &item);
    if (is_type(src, type, types) && (tmpl_span_len(around) == 0 || src[around.end - 1] == 'e')) {
        /* several questions are answers that a page gives, not one that its readers discuss */
        int is_faq = tmpl_span_is(src, type, types[0]) && seen->questions++ > 0;
        tmpl_elements_say(
            seen->w, "itemtype", i,
            is_faq ? "FAQPage"
                   : apr_pstrmemdup(seen->w->claims->pool, src + type.start, tmpl_span_len(type)));
    }
}

/* --- Elements that say what they are --- */

/* Whether a node is near the headline, or there is none, and not of something beside the page. */
static int is_near(const tmpl_elements_t *w, const tmpl_node_t *node)
{
    return node->first_segment + TMPL_NEAR_BEFORE >= w->headline.first &&
           node->first_segment < w->headline.end &&
           !tmpl_elements_is_beside(w, node->first_segment);
}

static void see_rel_author(page_elements_t *seen, uint32_t i, tmpl_span_t rel)
{
    tmpl_elements_t *w = seen->w;
    const tmpl_node_t *node = &w->page->nodes[i];
    if (is_near(w, node) && seen->looked < ELEMENTS &&
        tmpl_has_word(w->page->src, rel, "author", tmpl_span_is)) {
        tmpl_elements_say_authors(w, "rel author", node->parent,
                                  node_text(w, node, TMPL_AUTHOR_BYTES));
    }
}

int tmpl_is_behind_change(const tmpl_page_t *page, uint32_t segment)
{
    const tmpl_segment_t *segments = page->segments;
    if (segment == 0 || segment == page->n_segments) {
        return 0;
    }
    tmpl_span_t span = segments[segment - 1].span;
    int is_beside = segments[segment - 1].block == segments[segment].block;
    int is_label = tmpl_span_len(span) <= LABEL_BYTES;
    span.start = is_label ? span.start : span.end - LABEL_BYTES;
    return (is_beside || is_label) &&
           tmpl_date_is_of_change(page->src + span.start, tmpl_span_len(span));
}

static void see_time(tmpl_elements_t *w, const tmpl_node_t *node)
{
    /* an author may be in a box that is a pointer to other pages; a date there is of one of them */
    if (is_of_parts(w, node->first_segment, TMPL_PART_BIT(TMPL_PART_RELATED))) {
        return;
    }
    const char *value = attribute_text(w, node, "datetime");
    int is_change = tmpl_is_behind_change(w->page, node->first_segment);
    tmpl_elements_say(w, is_change ? "line modified" : "time", 0,
                      value != NULL && *value != '\0' ? value : node_text(w, node, 100));
}

/* The link around a segment of a breadcrumb, or else the item; NULL: neither, or in an aside. */
static const tmpl_node_t *crumb_around(const tmpl_page_t *page, uint32_t segment,
                                       const tmpl_node_t *top)
{
    const tmpl_node_t *crumb = NULL, *node = &page->nodes[page->segments[segment].node];
    for (;; node = &page->nodes[node->parent]) {
        const tmpl_known_attr_t *class = tmpl_node_attr(page, node, TMPL_ATTR_CLASS);
        if (node->tag == TMPL_TAG_A || (node->tag == TMPL_TAG_LI && crumb == NULL)) {
            crumb = node;
        }
        if (node <= top || (class != NULL && tmpl_value_has(page->src, class->value, "aside"))) {
            return node <= top ? crumb : NULL;
        }
    }
}

/* The items of a breadcrumb: links, and items of a list. The last one, no link, is the page. */
static void see_breadcrumb(page_elements_t *seen)
{
    tmpl_elements_t *w = seen->w;
    const tmpl_node_t *node = &w->page->nodes[seen->breadcrumb];
    uint32_t n = 0, s = node->first_segment;
    while (s < node->after_segment && n < CRUMBS) {
        uint32_t first = s;
        const tmpl_node_t *crumb = crumb_around(w->page, first, node);
        do {
            s++;
        } while (s < node->after_segment && crumb_around(w->page, s, node) == crumb);
        const char *text = tmpl_elements_text(w, first, s, 100);
        if (crumb != NULL && (crumb->tag == TMPL_TAG_A ||
                              (s < node->after_segment && tmpl_title_words(text, 1) > 0))) {
            tmpl_elements_say(w, "breadcrumb", node->first_segment, text);
            n++;
        }
    }
}

static int has_two_links(const tmpl_page_t *page, uint32_t node)
{
    uint32_t links = 0;
    for (uint32_t i = node + 1; i < page->nodes[node].after && i < node + TMPL_NEAR_WITHIN; i++) {
        links += page->nodes[i].tag == TMPL_TAG_A;
    }
    return links > 1;
}

/* Whether a class or an id names a breadcrumb, and not the pages of a thread, as MyBB does. */
static int names_breadcrumb(const char *src, tmpl_span_t names)
{
    return tmpl_value_has(src, names, "breadcrumb") && !tmpl_value_has(src, names, "pagination") &&
           !tmpl_value_has(src, names, "multipage");
}

/* The first breadcrumb near the headline or in front of it, or one within it that has links. */
static void find_breadcrumb(page_elements_t *seen, uint32_t i, tmpl_span_t names)
{
    const tmpl_page_t *page = seen->w->page;
    const tmpl_node_t *node = &page->nodes[i];
    int is_first = seen->breadcrumb == TMPL_NONE;
    if ((is_first || i < page->nodes[seen->breadcrumb].after) &&
        node->first_segment <= seen->w->headline.after + TMPL_NEAR_BEHIND &&
        node->after_segment > node->first_segment + 1 &&
        node->after_segment < node->first_segment + BREADCRUMB_SEGMENTS &&
        names_breadcrumb(page->src, names) && (is_first || has_two_links(page, i))) {
        seen->breadcrumb = i;
    }
}

/* A link in front of the headline to the site's first page: its text, picture or label. */
static void see_home_link(page_elements_t *seen, uint32_t i, tmpl_span_t href)
{
    tmpl_elements_t *w = seen->w;
    const tmpl_page_t *page = w->page;
    const tmpl_node_t *node = &page->nodes[i];
    if (node->tag != TMPL_TAG_A || seen->home_links == HOME_LINKS ||
        node->first_segment > w->headline.first || !tmpl_href_is_root(page->src, href)) {
        return;
    }
    const char *name = node_text(w, node, SITE_BYTES);
    for (uint32_t k = i; *name == '\0' && k < node->after && k < i + TMPL_NEAR_WITHIN; k++) {
        static const char *const labels[] = { "aria-label", "alt", "title" };
        for (unsigned n = 0; n < 3 && *name == '\0' && tmpl_span_len(page->nodes[k].open) > 0;
             n++) {
            const char *label = attribute_text(w, &page->nodes[k], labels[n]);
            name = label != NULL ? label : "";
        }
    }
    if (*name != '\0') {
        seen->home_links++;
        tmpl_elements_say(w, "home link", 0, name);
    }
}

/* A breadcrumb, or the name in WordPress' box of a post's author. */
static void see_class(page_elements_t *seen, uint32_t i, tmpl_span_t class)
{
    static const char name[] = "wp-block-post-author__name";
    tmpl_elements_t *w = seen->w;
    find_breadcrumb(seen, i, class);
    if (tmpl_span_len(class) >= sizeof(name) - 1 && w->headline.is_title &&
        memcmp(w->page->src + class.start, name, sizeof(name) - 1) == 0) {
        tmpl_elements_say_authors(w, "last line by", 0,
                                  node_text(w, &w->page->nodes[i], TMPL_AUTHOR_BYTES));
    }
}

/* What is seen in the attributes of an element. */
static const struct {
    tmpl_attr_name_e name;
    void (*see)(page_elements_t *seen, uint32_t node, tmpl_span_t value);
} attributes[] = {
    { TMPL_ATTR_ITEMPROP, see_item },        { TMPL_ATTR_ITEMTYPE, see_type },
    { TMPL_ATTR_REL, see_rel_author },       { TMPL_ATTR_HREF, see_home_link },
    { TMPL_ATTR_CLASS, see_class },          { TMPL_ATTR_ID, find_breadcrumb },
    { TMPL_ATTR_ITEMTYPE, find_breadcrumb },
};

void tmpl_elements_read(tmpl_elements_t *w)
{
    const tmpl_page_t *page = w->page;
    page_elements_t seen = { .w = w, .breadcrumb = TMPL_NONE };
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        for (const tmpl_known_attr_t *attr = page->attrs + node->attrs;
             attr->value.start < node->open.end; attr++) {
            for (unsigned k = 0; k < sizeof(attributes) / sizeof(attributes[0]); k++) {
                if (attributes[k].name == attr->name) {
                    attributes[k].see(&seen, i, attr->value);
                }
            }
        }
        if (node->tag == TMPL_TAG_TIME && is_near(w, node) && seen.looked++ < ELEMENTS) {
            see_time(w, node);
        }
    }
    if (seen.breadcrumb != TMPL_NONE) {
        see_breadcrumb(&seen);
    }
}
