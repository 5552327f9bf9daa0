/* SPDX-License-Identifier: Apache-2.0 */
#include "metadata/elements.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/chars.h"
#include "metadata/dates.h"
#include "metadata/people.h"
#include "text/text.h"

/* Segments in front of the headline and behind it in which bylines are looked for. */
#define BEFORE 8
#define BEHIND 40

/* Lines behind the headline in which a date is looked for; bytes of a line that may have one. */
#define LINES      15
#define LINE_BYTES 160

/* Segments at a page's end in which the date of a change is looked for. */
#define END 24

/* Elements upwards whose class is looked at; bytes of an author's element. */
#define CLASSES_UP   3
#define AUTHOR_BYTES 120

/* The only h1 of so many words, which stays, is the headline, whatever the title says. */
#define HEADLINE_WORDS 4

/* Elements that are looked at closely, the first of a page; elements within one and around one. */
#define ELEMENTS 2000
#define WITHIN   64
#define AROUND   16

/* h1 elements that are looked at. */
#define HEADLINES 64

typedef struct {
    const tmpl_page_t *page;
    const tmpl_metadata_source_t *source;
    tmpl_claims_t *claims;
    tmpl_buf_t text;
    uint32_t first, after; /* segments of the headline */
    uint32_t looked;       /* elements that were looked at closely */
    uint32_t end; /* segment behind those near the headline: a list of other pages begins */
} elements_t;

/* Whether white space or a boundary of words is between a segment and the one in front of it. */
static int is_apart(const tmpl_page_t *page, uint32_t segment)
{
    const tmpl_segment_t *here = &page->segments[segment];
    const char *src = page->src;
    if (here->apart || tmpl_is_space(src[here->span.start]) ||
        tmpl_is_space(src[here[-1].span.end - 1])) {
        return 1;
    }
    for (uint32_t at = here[-1].span.end; at < here->span.start; at++) {
        const char *tag = memchr(src + at, '<', here->span.start - at);
        if (tmpl_is_space(src[at])) {
            return 1;
        }
        const char *end =
            tag != NULL ? memchr(tag, '>', (apr_size_t)(src + here->span.start - tag)) : NULL;
        at = end != NULL ? (uint32_t)(end - src) : here->span.start;
    }
    return 0;
}

/* The text of segments, with a space between words, in w->text; at most that many bytes. */
static const char *segments_text(elements_t *w, uint32_t first, uint32_t after, apr_size_t most)
{
    uint32_t length = 0;
    tmpl_buf_clear(&w->text);
    /* references and other charsets may make the text shorter or longer */
    for (uint32_t i = first; i < after && length <= 2 * most; i++) {
        length += w->page->segments[i].length;
    }
    for (uint32_t i = first; i < after && length <= 2 * most && w->text.len <= most; i++) {
        if (i > first && w->text.len > 0 && is_apart(w->page, i)) {
            tmpl_buf_add_byte(&w->text, ' ');
        }
        tmpl_text_segment(&w->text, w->page, i, w->source->decoder);
    }
    if (w->text.len > most) {
        tmpl_buf_clear(&w->text);
    }
    return w->text.len > 0 ? w->text.at : "";
}

static const char *node_text(elements_t *w, const tmpl_node_t *node, apr_size_t most)
{
    return segments_text(w, node->first_segment, node->after_segment, most);
}

/* An attribute that the page does not list, in UTF-8; NULL: there is none. */
static const char *attribute_text(elements_t *w, const tmpl_node_t *node, const char *name)
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

static void say_element(elements_t *w, tmpl_said_e said, const char *name, uint32_t of,
                        const char *value)
{
    tmpl_claims_add(w->claims, said, name, of, value);
}

/* Says that a text near the headline names authors, if it names anybody. */
static void say_authors(elements_t *w, const char *place, uint32_t of, const char *text)
{
    apr_array_header_t *names = apr_array_make(w->claims->pool, 1, sizeof(const char *));
    tmpl_people_read(names, text);
    if (names->nelts > 0) {
        say_element(w, TMPL_SAID_ELEMENT, place, of, text);
    }
}

/* The length of a sign beyond ASCII at at; 0: there is none. */
static apr_size_t sign_len(const char *at)
{
    /* U+0080 to U+00BF, and general punctuation */
    return strncmp(at, "\xE2\x80", 2) == 0 && at[2] != '\0' ? 3
           : *at == '\xC2' && at[1] != '\0'                 ? 2
                                                            : 0;
}

/* The next word of a text; returns 0 behind the last one. */
static int next_title_word(const char **word, apr_size_t *len, const char **at)
{
    while (**at != '\0' && !tmpl_is_word_byte(**at)) {
        ++*at;
    }
    for (apr_size_t sign; (sign = sign_len(*at)) > 0;) {
        *at += sign;
        while (**at != '\0' && !tmpl_is_word_byte(**at)) {
            ++*at;
        }
    }
    *word = *at;
    while (tmpl_is_word_byte(**at) && (!(**at & 0x80) || sign_len(*at) == 0)) {
        ++*at;
    }
    *len = (apr_size_t)(*at - *word);
    return *len > 0;
}

double tmpl_elements_share(const char *text, const char *other)
{
    const char *word, *theirs;
    apr_size_t len, length;
    uint32_t n = 0, found = 0;
    for (const char *at = text; n < 64 && next_title_word(&word, &len, &at); n++) {
        int has = 0;
        for (const char *in = other; !has && next_title_word(&theirs, &length, &in);) {
            has = length == len && apr_cstr_casecmpn(word, theirs, len) == 0;
        }
        found += has ? 1 : 0;
    }
    return n > 0 ? (double)found / n : 0;
}

/* Whether edits delete the byte. */
static int is_deleted(const tmpl_edits_t *edits, uint32_t at)
{
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

/* --- The headline --- */

static int has_words(const char *text, int least)
{
    const char *word;
    apr_size_t len;
    while (least > 0 && next_title_word(&word, &len, &text)) {
        least--;
    }
    return least == 0;
}

/* The text of a heading without the sign of its permalink. */
static const char *headline_text(elements_t *w, const tmpl_node_t *node)
{
    static const char *const signs[] = { " ", "#", "\xC2\xB6", "\xC2\xA7" };
    tmpl_buf_t *text = &w->text;
    node_text(w, node, 500);
    for (unsigned i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        apr_size_t len = strlen(signs[i]);
        if (text->len > len && memcmp(text->at + text->len - len, signs[i], len) == 0) {
            text->at[text->len -= len] = '\0';
            i = (unsigned)-1;
        }
    }
    return text->len > 0 ? text->at : "";
}

/* The h1 that is most like title, and does not name the site. */
static const char *find_title_heading(elements_t *w, int *is_like, const char *title,
                                      const char *site)
{
    const char *best = NULL;
    double most = -1;
    uint32_t n = 0;
    *is_like = 0;
    for (uint32_t i = 0; i < w->page->n_nodes; i++) {
        const tmpl_node_t *node = &w->page->nodes[i];
        if (node->tag != TMPL_TAG_H1 || w->looked++ >= HEADLINES) {
            continue;
        }
        const char *text = headline_text(w, node);
        if (*text == '\0' || (site != NULL && tmpl_elements_share(text, site) == 1 &&
                              (title == NULL || tmpl_elements_share(title, site) < 1))) {
            continue;
        }
        double like =
            title != NULL ? tmpl_elements_share(text, title) + tmpl_elements_share(title, text) : 0;
        n++;
        if (like > most) {
            most = like;
            best = apr_pstrdup(w->claims->pool, text);
            w->first = node->first_segment;
            w->after = node->after_segment;
        }
    }
    *is_like = best != NULL && title != NULL &&
               (tmpl_elements_share(best, title) >= 0.5 ||
                (n == 1 && has_words(best, HEADLINE_WORDS) &&
                 !is_deleted(w->source->edits, w->page->segments[w->first].span.start)));
    return best;
}

/* Whether a heading, or what is around it, is a link: it leads to another page. */
static int is_linked_heading(const tmpl_page_t *page, uint32_t node)
{
    for (uint32_t i = node + 1; i < page->nodes[node].after && i < node + WITHIN; i++) {
        if (page->nodes[i].tag == TMPL_TAG_A) {
            return 1;
        }
    }
    uint32_t up = page->nodes[node].parent;
    for (int n = 0; n < AROUND && up != TMPL_NONE; n++, up = page->nodes[up].parent) {
        if (page->nodes[up].tag == TMPL_TAG_A) {
            return 1;
        }
    }
    return 0;
}

/* What is near the headline ends BEHIND segments behind it, or with the title of another page. */
static void find_near_end(elements_t *w)
{
    const tmpl_page_t *page = w->page;
    w->end = w->after + BEHIND;
    for (uint32_t i = 0; i < page->n_nodes && page->nodes[i].first_segment < w->end; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        if (node->first_segment >= w->after && node->tag != TMPL_TAG_H1 &&
            (tmpl_tag_flags((tmpl_tag_e)node->tag) & TMPL_IS_HEADING) &&
            is_linked_heading(page, i)) {
            w->end = node->first_segment;
        }
    }
}

/* --- Microdata, and elements that say what they are --- */

/* The end of the itemtype of the item around a node, as "Product"; *item is the item. */
static tmpl_span_t type_around(const tmpl_page_t *page, uint32_t node, uint32_t *item)
{
    for (uint32_t up = page->nodes[node].parent; up != TMPL_NONE; up = page->nodes[up].parent) {
        if (tmpl_node_attr(page, &page->nodes[up], TMPL_ATTR_ITEMSCOPE) == NULL) {
            continue;
        }
        const tmpl_known_attr_t *type = tmpl_node_attr(page, &page->nodes[up], TMPL_ATTR_ITEMTYPE);
        *item = up;
        if (type != NULL) {
            tmpl_span_t span = type->value;
            for (uint32_t at = span.start; at < span.end; at++) {
                span.start = page->src[at] == '/' && at + 1 < span.end ? at + 1 : span.start;
            }
            return span;
        }
    }
    return (tmpl_span_t){ 0, 0 };
}

/* Whether an item is not the page itself. */
static int is_other_item(const tmpl_page_t *page, tmpl_span_t type)
{
    static const char *const beside[] = { "Comment",      "UserComments", "Review", "Answer",
                                          "ImageObject",  "VideoObject",  "Person", "Event",
                                          "Organization", "WebSite" };
    for (unsigned i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
        if (tmpl_span_is(page->src, type, "rating") ||
            (tmpl_span_len(type) == strlen(beside[i]) &&
             memcmp(page->src + type.start, beside[i], strlen(beside[i])) == 0)) {
            return 1;
        }
    }
    return 0;
}

/* The value of an element with an itemprop: content, datetime, an address of a type, or text. */
static const char *item_value(elements_t *w, const tmpl_node_t *node)
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
    for (uint32_t i = node + 1; i < page->nodes[node].after && i < node + WITHIN; i++) {
        const tmpl_known_attr_t *prop = tmpl_node_attr(page, &page->nodes[i], TMPL_ATTR_ITEMPROP);
        if (prop != NULL && tmpl_span_is(page->src, prop->value, "name")) {
            return &page->nodes[i];
        }
    }
    return &page->nodes[node];
}

static void see_item(elements_t *w, uint32_t i, tmpl_span_t prop)
{
    static const char *const told[] = { "author",    "datePublished", "dateModified", "dateCreated",
                                        "publisher", "price",         "availability", "ratingValue",
                                        "brand",     "priceCurrency" };
    const tmpl_page_t *page = w->page;
    uint32_t item = 0;
    tmpl_span_t type = type_around(page, i, &item);
    for (unsigned k = 0; k < sizeof(told) / sizeof(told[0]); k++) {
        if (!tmpl_span_is(page->src, prop, told[k])) {
            continue;
        }
        const char *value = item_value(w, name_within(page, i));
        const tmpl_known_attr_t *is = tmpl_node_attr(page, &page->nodes[i], TMPL_ATTR_ITEMTYPE);
        int is_organization =
            is != NULL && memmem(page->src + is->value.start, tmpl_span_len(is->value),
                                 "Organization", sizeof("Organization") - 1) != NULL;
        if (!is_other_item(page, type)) {
            say_element(w, TMPL_SAID_ITEM, k == 0 && is_organization ? "publisher" : told[k], item,
                        value);
        }
        return;
    }
}

/* An item that the page may be, and that is in no other item but a page. */
static void see_type(elements_t *w, uint32_t i, tmpl_span_t type)
{
    static const char *const types[] = { "Question",    "Product",     "Article",
                                         "NewsArticle", "BlogPosting", "DiscussionForumPosting" };
    uint32_t item = 0;
    const char *src = w->page->src;
    tmpl_span_t around = type_around(w->page, i, &item);
    for (unsigned k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
        apr_size_t len = strlen(types[k]);
        if (tmpl_span_len(type) > len && src[type.end - len - 1] == '/' &&
            memcmp(src + type.end - len, types[k], len) == 0 &&
            (tmpl_span_len(around) == 0 || src[around.end - 1] == 'e')) {
            say_element(w, TMPL_SAID_ITEM, "type", i, types[k]);
        }
    }
}

/* Whether a node is near the headline, or there is none. */
static int is_near(const elements_t *w, const tmpl_node_t *node)
{
    return node->first_segment + BEFORE >= w->first && node->first_segment < w->end;
}

static void see_time(elements_t *w, const tmpl_node_t *node)
{
    const char *value = attribute_text(w, node, "datetime");
    say_element(w, TMPL_SAID_ELEMENT, "time", 0,
                value != NULL && *value != '\0' ? value : node_text(w, node, 100));
}

/* Whether a value has a text, in any case. */
static int has_text(const char *src, tmpl_span_t value, const char *text)
{
    apr_size_t len = strlen(text);
    for (uint32_t at = value.start; at + len <= value.end;) {
        /* in sixteen bytes, the letter that the text begins with, or its capital */
        unsigned marks = tmpl_bytes16_bits(
            (tmpl_bytes16_t)((tmpl_bytes16(src + at, src + value.end) | 0x20) == (*text | 0x20)));
        at += marks != 0 ? (uint32_t)__builtin_ctz(marks) : TMPL_BYTES16;
        if (marks != 0 && at + len <= value.end && apr_cstr_casecmpn(src + at, text, len) == 0) {
            return 1;
        }
        at += marks != 0;
    }
    return 0;
}

/* Whether an element is in a link within top. */
static int is_in_link(const tmpl_page_t *page, uint32_t node, const tmpl_node_t *top)
{
    while (page->nodes[node].tag != TMPL_TAG_A && &page->nodes[node] > top) {
        node = page->nodes[node].parent;
    }
    return page->nodes[node].tag == TMPL_TAG_A;
}

/* The items of a breadcrumb: its links. What is no link is the page itself. */
static void see_breadcrumb_links(elements_t *w, const tmpl_node_t *node)
{
    uint32_t n = 0;
    for (uint32_t s = node->first_segment; s < node->after_segment && n < 20; s++) {
        uint32_t of = w->page->segments[s].node;
        const char *text = segments_text(w, s, s + 1, 100);
        if (is_in_link(w->page, of, node)) {
            say_element(w, TMPL_SAID_ELEMENT, "breadcrumb", node->first_segment, text);
            n++;
        }
    }
}

static void see_node(elements_t *w, uint32_t i, int *has_breadcrumb)
{
    const tmpl_page_t *page = w->page;
    const tmpl_node_t *node = &page->nodes[i];
    for (const tmpl_known_attr_t *attr = page->attrs + node->attrs;
         attr->value.start < node->open.end; attr++) {
        if (attr->name == TMPL_ATTR_ITEMPROP && w->looked++ < ELEMENTS) {
            see_item(w, i, attr->value);
        }
        else if (attr->name == TMPL_ATTR_REL && is_near(w, node) && w->looked < ELEMENTS &&
                 tmpl_has_word(page->src, attr->value, "author", tmpl_span_is)) {
            say_authors(w, "rel author", node->parent, node_text(w, node, AUTHOR_BYTES));
        }
        else if (attr->name == TMPL_ATTR_ITEMTYPE && w->looked++ < ELEMENTS) {
            see_type(w, i, attr->value);
        }
        else if (!*has_breadcrumb &&
                 (attr->name == TMPL_ATTR_CLASS || attr->name == TMPL_ATTR_ID) &&
                 node->first_segment <= w->after + BEHIND &&
                 node->after_segment > node->first_segment + 1 &&
                 node->after_segment < node->first_segment + 40 &&
                 has_text(page->src, attr->value, "breadcrumb")) {
            *has_breadcrumb = 1;
            see_breadcrumb_links(w, node);
        }
    }
    if (node->tag == TMPL_TAG_TIME && is_near(w, node) && w->looked++ < ELEMENTS) {
        see_time(w, node);
    }
}

/* --- Lines and names of elements near the headline --- */

/*
 * The element near a segment whose class says that it names an author; TMPL_NONE: there is
 * none.
 */
static uint32_t author_around(const tmpl_page_t *page, uint32_t node)
{
    static const char *const names[] = { "author", "byline", "writer" };
    for (int up = 0; up < CLASSES_UP && node != 0 && node != TMPL_NONE; up++) {
        const tmpl_known_attr_t *attr = tmpl_node_attr(page, &page->nodes[node], TMPL_ATTR_CLASS);
        for (unsigned i = 0; attr != NULL && i < sizeof(names) / sizeof(names[0]); i++) {
            if (has_text(page->src, attr->value, names[i]) &&
                !has_text(page->src, attr->value, "authori")) {
                return node;
            }
        }
        node = page->nodes[node].parent;
    }
    return TMPL_NONE;
}

/* Whether a text says that what follows is the date of a change. */
static int is_later(const char *text, apr_size_t len)
{
    static const char *const later[] = { "updated",    "modified",   "edited",    "aktualisiert",
                                         "geändert",   "mis à jour", "modifié",   "actualizado",
                                         "aggiornato", "bijgewerkt", "atualizado" };
    for (unsigned i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
        if (has_text(text, (tmpl_span_t){ 0, (uint32_t)len }, later[i])) {
            return 1;
        }
    }
    return 0;
}

/* Adds the date in a line; only that of a change if only_later is set. */
static void see_date_line(elements_t *w, const char *line, int only_later)
{
    char iso[TMPL_DATE_SIZE];
    apr_size_t begin;
    if (tmpl_date_find(iso, &begin, line, strlen(line)) == 0) {
        return;
    }
    int later = is_later(line, begin);
    if (later || !only_later) {
        say_element(w, TMPL_SAID_ELEMENT, later ? "line modified" : "line date", 0, iso);
    }
}

/* Lines at a page's end say when it was changed, in documentation and wikis. */
static void see_end(elements_t *w)
{
    uint32_t n = w->page->n_segments;
    for (uint32_t s = n > END ? n - END : 0; s < n;) {
        uint32_t after = s + 1;
        while (after < n && !w->page->segments[after].apart) {
            after++;
        }
        tmpl_span_t span = { w->page->segments[s].span.start,
                             w->page->segments[after - 1].span.end };
        if (tmpl_span_len(span) < 4 * LINE_BYTES &&
            tmpl_date_may_be(w->page->src + span.start, tmpl_span_len(span))) {
            see_date_line(w, segments_text(w, s, after, LINE_BYTES), 1);
        }
        s = after;
    }
}

/* Reads the line of segments [first, after). *by: the line in front ends in "By". */
static void see_line(elements_t *w, uint32_t first, uint32_t after, int *by)
{
    if (is_deleted(w->source->edits, w->page->segments[first].span.start)) {
        return;
    }
    const char *line = segments_text(w, first, after, LINE_BYTES);
    apr_size_t len = tmpl_people_by(line);
    if (*line == '\0') {
        return;
    }
    if (*by || (len > 0 && line[len] != '\0')) {
        say_authors(w, "line by", 0, line + len);
    }
    *by = len > 0 && line[len] == '\0';
    see_date_line(w, line, 0);
}

/* The first line of an element that says more than "By". */
static const char *author_text(elements_t *w, const tmpl_node_t *node)
{
    const char *text = "";
    for (uint32_t s = node->first_segment; s < node->after_segment;) {
        uint32_t after = s + 1;
        while (after < node->after_segment && !w->page->segments[after].apart) {
            after++;
        }
        text = segments_text(w, s, after, AUTHOR_BYTES);
        text += tmpl_people_by(text);
        if (*text != '\0') {
            return text;
        }
        s = after;
    }
    return text;
}

static void see_lines(elements_t *w)
{
    const tmpl_segment_t *segments = w->page->segments;
    uint32_t n = w->page->n_segments;
    uint32_t first = w->first > BEFORE ? w->first - BEFORE : 0;
    uint32_t last = TMPL_NONE;
    int by = 0;
    for (uint32_t s = first, lines = 0; s < n && s < w->end && lines < LINES + BEFORE; lines++) {
        uint32_t after = s + 1;
        while (after < n && !segments[after].apart) {
            after++;
        }
        int is_headline = s >= w->first && s < w->after;
        uint32_t node = author_around(w->page, segments[s].node);
        if (!is_headline && node != TMPL_NONE && node != last) {
            last = node;
            say_authors(w, "class author", w->page->nodes[node].parent,
                        author_text(w, &w->page->nodes[node]));
        }
        if (!is_headline) {
            see_line(w, s, after, &by);
        }
        if (s < w->after && after >= w->after) {
            lines = BEFORE;
        }
        s = after;
    }
}

const char *tmpl_elements_read(tmpl_claims_t *claims, int *is_like,
                               const tmpl_metadata_source_t *source, const char *title,
                               const char *site)
{
    elements_t w = { .page = source->page, .source = source, .claims = claims };
    int has_breadcrumb = 0;
    tmpl_buf_init(&w.text, claims->pool);
    const char *headline = find_title_heading(&w, is_like, title, site);
    find_near_end(&w);
    for (uint32_t i = 0; i < w.page->n_nodes; i++) {
        see_node(&w, i, &has_breadcrumb);
    }
    see_lines(&w);
    see_end(&w);
    return headline;
}
