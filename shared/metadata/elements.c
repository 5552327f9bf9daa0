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

/* Lines behind the headline in which a date is looked for; dates of a line, and bytes of one
 * that may have any. */
#define LINES      15
#define DATES      2
#define LINE_BYTES 160

/* Segments at the end of a page, and of what stays, in which the date of a change is looked for. */
#define END       24
#define END_STAYS 8

/* Elements upwards whose class is looked at; bytes of an author's element. */
#define CLASSES_UP   3
#define AUTHOR_BYTES 120

/* The only h1 of so many words, which stays, is the headline, whatever the title says. */
#define HEADLINE_WORDS 4

/* Elements that are looked at closely, the first of a page; elements within one and around one. */
#define ELEMENTS 2000
#define WITHIN   64
#define AROUND   16

/* Lines that say in full who wrote the page, the first ones. */
#define BOXES 8

/* Segments behind the headline in which two posters are looked for. */
#define POSTS 300

/* Links to the site's first page that may have its name, the first ones; bytes of a name. */
#define HOME_LINKS 3
#define SITE_BYTES 60

/* Headings of a level that are looked at, and titles that they are compared with. */
#define HEADLINES 64
#define TITLES    4

/* Words of a headline that the title has at least; the likeness of an h1, or an h2, that is one. */
#define LIKE    0.5
#define LIKE_H1 0.1
#define LIKE_H2 0.75

typedef struct {
    const tmpl_page_t *page;
    const tmpl_metadata_source_t *source;
    tmpl_claims_t *claims;
    tmpl_buf_t text;
    const char *headline;  /* its text; NULL: there is none */
    uint32_t first, after; /* its segments */
    uint32_t looked;       /* elements that were looked at closely */
    uint32_t posters;      /* names of users that were seen: counted up to two */
    uint32_t questions;    /* items of this type */
    uint32_t home_links;   /* links to the site's first page */
    int has_breadcrumb;
    int has_first[2]; /* the author and the date of the first post */
    uint32_t end;     /* segment behind those near the headline: a list of other pages begins */
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
    tmpl_people_read(names, text, TMPL_NAMES_WHOLE);
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

/*
 * How much alike two texts are, 0..1: the harmonic mean of *share, the share of the words of text
 * that the other has, and of that of the other's words.
 */
static double likeness(double *share, const char *text, const char *other)
{
    *share = tmpl_elements_share(text, other);
    double there = *share > 0 ? tmpl_elements_share(other, text) : 0;
    return *share > 0 ? 2 * *share * there / (*share + there) : 0;
}

/* The heading that is most like one of the titles, of those that do not name the site. */
typedef struct {
    const tmpl_node_t *node;
    const char *text;
    double like, share;       /* its likeness; how much of its words the title has */
    uint32_t n;               /* headings with text */
    const tmpl_node_t *first; /* the first of them */
} heading_t;

/* Whether an address is that of its site's first page: "/", or a host alone. */
static int is_root(const char *src, tmpl_span_t href)
{
    uint32_t at = href.start;
    if (tmpl_span_len(href) > 8 && memcmp(src + at, "http", 4) == 0) {
        const char *host = memchr(src + at, '/', tmpl_span_len(href));
        at = host != NULL && host[1] == '/' ? (uint32_t)(host + 2 - src) : href.end;
        while (at < href.end && src[at] != '/') {
            at++;
        }
        return href.end - at <= 1;
    }
    return tmpl_span_is(src, href, "/");
}

/* Whether a heading has, or is in, a link to the site's first page: it is the site's name. */
static int is_logo(const tmpl_page_t *page, const tmpl_node_t *heading)
{
    uint32_t node = (uint32_t)(heading - page->nodes);
    uint32_t up = heading->parent;
    for (uint32_t i = node; i < heading->after && i < node + WITHIN; i++) {
        const tmpl_known_attr_t *href = tmpl_node_attr(page, &page->nodes[i], TMPL_ATTR_HREF);
        if (href != NULL && is_root(page->src, href->value)) {
            return 1;
        }
    }
    const tmpl_known_attr_t *href =
        up != TMPL_NONE ? tmpl_node_attr(page, &page->nodes[up], TMPL_ATTR_HREF) : NULL;
    return href != NULL && is_root(page->src, href->value);
}

/* Whether a heading says the site's name, and the titles that it is compared with say more. */
static int is_site_heading(const char *text, const apr_array_header_t *titles, const char *site)
{
    int is_site = site != NULL && tmpl_elements_share(text, site) == 1;
    for (int i = 0; is_site && i < titles->nelts && i < TITLES; i++) {
        is_site = tmpl_elements_share(APR_ARRAY_IDX(titles, i, const char *), site) < 1;
    }
    return is_site;
}

static void compare_with_title(heading_t *heading, const char *title)
{
    double share, like = likeness(&share, heading->text, title);
    heading->like = like > heading->like ? like : heading->like;
    heading->share = share > heading->share ? share : heading->share;
}

static void compare_with_titles(heading_t *heading, const apr_array_header_t *titles)
{
    for (int i = 0; i < titles->nelts && i < TITLES; i++) {
        compare_with_title(heading, APR_ARRAY_IDX(titles, i, const char *));
    }
}

static void see_heading(elements_t *w, heading_t *best, const tmpl_node_t *node,
                        const apr_array_header_t *titles, const char *site)
{
    const char *text = headline_text(w, node), *before = "";
    heading_t it = { node, text, 0, 0, best->n + 1, best->n > 0 ? best->first : node };
    if (*text == '\0' || is_site_heading(text, titles, site) || is_logo(w->page, node)) {
        return;
    }
    for (int i = 0; i < titles->nelts && i < TITLES; i++) {
        const char *title = APR_ARRAY_IDX(titles, i, const char *);
        /* another heading than h1 must be most of a title, which is quickly seen by its length */
        if (strcmp(title, before) == 0 ||
            (node->tag != TMPL_TAG_H1 &&
             (strlen(text) * 2 < strlen(title) || strlen(text) > strlen(title)))) {
            continue;
        }
        compare_with_title(&it, title);
        before = title;
    }
    if (best->n == 0 || it.like > best->like) {
        it.text = apr_pstrdup(w->claims->pool, text);
        *best = it;
    }
    best->n = it.n;
}

static heading_t find_heading(elements_t *w, tmpl_tag_e tag, const apr_array_header_t *titles,
                              const char *site)
{
    heading_t best = { 0 };
    uint32_t looked = 0;
    for (uint32_t i = 0; i < w->page->n_nodes && looked < HEADLINES; i++) {
        if (w->page->nodes[i].tag == tag) {
            looked++;
            see_heading(w, &best, &w->page->nodes[i], titles, site);
        }
    }
    return best;
}

/* Whether all text of a heading has the part of the headline. */
static int is_judged_headline(const tmpl_metadata_source_t *source, const tmpl_node_t *node)
{
    uint32_t s = node->first_segment;
    while (s < node->after_segment &&
           source->verdicts[source->page->segments[s].block].part == TMPL_PART_HEADLINE) {
        s++;
    }
    return s == node->after_segment && s > node->first_segment;
}

/* Whether a node is a heading with text that stays. */
static int is_heading_that_stays(const elements_t *w, const tmpl_node_t *node)
{
    return (tmpl_tag_flags((tmpl_tag_e)node->tag) & TMPL_IS_HEADING) != 0 &&
           node->after_segment > node->first_segment &&
           !is_deleted(w->source->edits, node->open.start);
}

/* The first heading that stays, of those that verdicts call the headline if that is wanted. */
static const tmpl_node_t *first_heading(const elements_t *w, int is_judged)
{
    for (uint32_t i = 0; i < w->page->n_nodes; i++) {
        const tmpl_node_t *node = &w->page->nodes[i];
        if (is_heading_that_stays(w, node) &&
            (!is_judged || (is_judged_headline(w->source, node) && !is_logo(w->page, node)))) {
            return node;
        }
    }
    return NULL;
}

/* The heading that verdicts call the headline; no node: there is none. */
static heading_t judged_headline(elements_t *w, const apr_array_header_t *titles)
{
    heading_t found = { .node = w->source->verdicts != NULL ? first_heading(w, 1) : NULL };
    if (found.node != NULL) {
        found.text = apr_pstrdup(w->claims->pool, headline_text(w, found.node));
        compare_with_titles(&found, titles);
    }
    return found;
}

/* The h1 that is most like the title, or an h2 where no h1 is like it; no node: there is none. */
static heading_t most_like_title(elements_t *w, const apr_array_header_t *titles, const char *site)
{
    heading_t best = find_heading(w, TMPL_TAG_H1, titles, site);
    if (titles->nelts > 0 && best.share < LIKE) {
        heading_t other = find_heading(w, TMPL_TAG_H2, titles, site);
        best = other.like >= LIKE_H2 && other.share == 1 ? other : best;
    }
    if (best.node != NULL && best.share < LIKE) {
        best.node = best.first;
    }
    return best;
}

/* Finds the headline, and keeps its segments. */
static tmpl_page_headline_t find_page_headline(elements_t *w, const char *site)
{
    const apr_array_header_t *titles = tmpl_claims_all(w->claims, TMPL_METADATA_TITLE);
    heading_t best = most_like_title(w, titles, site), judged = { 0 };
    int stays = best.node != NULL && !is_deleted(w->source->edits, best.node->open.start);
    int is_title =
        (best.share >= LIKE && best.like >= LIKE_H1) ||
        (stays && titles->nelts > 0 && best.n == 1 && has_words(best.text, HEADLINE_WORDS));
    if (!is_title || !stays) {
        judged = judged_headline(w, titles);
    }
    /* what is in front of all others begins the content, if it is the only h1, or the title says a
     * word of it */
    const tmpl_node_t *first = is_title ? NULL : first_heading(w, 0);
    int is_only = best.n == 1 && best.node == first;
    const tmpl_node_t *begins = is_only ? best.node : judged.share > 0 ? judged.node : NULL;
    if (judged.like >= LIKE && judged.like >= best.like) {
        best = judged;
        is_title = 1;
    }
    const tmpl_node_t *node = is_title ? best.node : begins == first ? begins : NULL;
    if (best.node != NULL) {
        w->first = best.node->first_segment;
        w->after = best.node->after_segment;
    }
    return (tmpl_page_headline_t){ best.text, is_title,
                                   node != NULL ? (uint32_t)(node - w->page->nodes) : TMPL_NONE };
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
    double share;
    w->end = w->after + BEHIND;
    for (uint32_t i = 0; i < page->n_nodes && page->nodes[i].first_segment < w->end; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        if (node->first_segment >= w->after && node->tag != TMPL_TAG_H1 &&
            (tmpl_tag_flags((tmpl_tag_e)node->tag) & TMPL_IS_HEADING) &&
            is_linked_heading(page, i) &&
            (w->headline == NULL ||
             likeness(&share, headline_text(w, node), w->headline) < LIKE_H2)) {
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
        /* the author and the date of the first post, whose type does not matter */
        if (k < 2 && !w->has_first[k]) {
            w->has_first[k] = 1;
            say_element(w, TMPL_SAID_ITEM, k == 0 ? "first post" : "first post date", 0, value);
        }
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
            /* several questions are answers that a page gives, not one that its readers discuss */
            say_element(w, TMPL_SAID_ITEM, "type", i,
                        k == 0 && w->questions++ > 0 ? "FAQPage" : types[k]);
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

/* Whether a value has a text, in any case; text begins with two letters in lower case. */
static int has_text(const char *src, tmpl_span_t value, const char *text)
{
    apr_size_t len = strlen(text);
    for (uint32_t at = value.start; at + len <= value.end;) {
        /* in sixteen bytes, the letter that the text begins with, or its capital */
        unsigned char first = (unsigned char)(*text | 0x20);
        unsigned marks = tmpl_bytes16_bits(
            (tmpl_bytes16_t)((tmpl_bytes16(src + at, src + value.end) | 0x20) == first));
        at += marks != 0 ? (uint32_t)__builtin_ctz(marks) : TMPL_BYTES16;
        if (marks != 0 && at + len <= value.end && tmpl_lower(src[at + 1]) == text[1] &&
            apr_cstr_casecmpn(src + at, text, len) == 0) {
            return 1;
        }
        at += marks != 0;
    }
    return 0;
}

/* Whether an element is, or is in, an element with a tag, within top. */
static int is_within(const tmpl_page_t *page, uint32_t node, const tmpl_node_t *top, tmpl_tag_e tag)
{
    while (page->nodes[node].tag != tag && &page->nodes[node] > top) {
        node = page->nodes[node].parent;
    }
    return page->nodes[node].tag == tag;
}

/* Whether a value says that an element is a breadcrumb. */
static int is_breadcrumb(const tmpl_page_t *page, const tmpl_known_attr_t *attr)
{
    return (attr->name == TMPL_ATTR_CLASS || attr->name == TMPL_ATTR_ID ||
            attr->name == TMPL_ATTR_ITEMTYPE) &&
           has_text(page->src, attr->value, "breadcrumb");
}

/* Whether an element within a node is a breadcrumb, too, and has two links or more. */
static int has_breadcrumb_within(const tmpl_page_t *page, uint32_t node)
{
    for (uint32_t i = node + 1; i < page->nodes[node].after && i < node + WITHIN; i++) {
        uint32_t links = 0;
        for (uint32_t k = i + 1; k < page->nodes[i].after && k < i + WITHIN; k++) {
            links += page->nodes[k].tag == TMPL_TAG_A;
        }
        for (const tmpl_known_attr_t *attr = page->attrs + page->nodes[i].attrs;
             links > 1 && attr->value.start < page->nodes[i].open.end; attr++) {
            if (is_breadcrumb(page, attr)) {
                return 1;
            }
        }
    }
    return 0;
}

/* The items of a breadcrumb: links, and items of a list. The last one, no link, is the page. */
static void see_breadcrumb_items(elements_t *w, const tmpl_node_t *node)
{
    uint32_t n = 0;
    for (uint32_t s = node->first_segment; s < node->after_segment && n < 20; s++) {
        uint32_t of = w->page->segments[s].node;
        const char *text = segments_text(w, s, s + 1, 100);
        if (is_within(w->page, of, node, TMPL_TAG_A) ||
            (s + 1 < node->after_segment && is_within(w->page, of, node, TMPL_TAG_LI) &&
             has_words(text, 1))) {
            say_element(w, TMPL_SAID_ELEMENT, "breadcrumb", node->first_segment, text);
            n++;
        }
    }
}

/* The first breadcrumb near the headline or in front of it. */
static void see_breadcrumb_of(elements_t *w, uint32_t i, const tmpl_known_attr_t *attr)
{
    const tmpl_node_t *node = &w->page->nodes[i];
    if (!w->has_breadcrumb && node->first_segment <= w->after + BEHIND &&
        node->after_segment > node->first_segment + 1 &&
        node->after_segment < node->first_segment + 40 && is_breadcrumb(w->page, attr) &&
        !has_breadcrumb_within(w->page, i)) {
        w->has_breadcrumb = 1;
        see_breadcrumb_items(w, node);
    }
}

/* An element whose class says that it is the name of a user: two such are posters. */
static void see_poster(elements_t *w, uint32_t i, tmpl_span_t classes)
{
    static const char *const names[] = { "username", "bigusername", "username-coloured" };
    const tmpl_node_t *node = &w->page->nodes[i];
    if (w->posters > 1 || node->first_segment > w->after + POSTS ||
        node->after_segment - node->first_segment != 1 || node->first_segment < w->first ||
        !has_text(w->page->src, classes, "username")) {
        return;
    }
    for (unsigned k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        if (tmpl_has_word(w->page->src, classes, names[k], tmpl_span_is)) {
            const char *text = node_text(w, node, AUTHOR_BYTES);
            if (w->posters++ == 0) {
                say_element(w, TMPL_SAID_ELEMENT, "first post", 0, text);
            }
            else {
                say_element(w, TMPL_SAID_ELEMENT, "posters", 0, "discussion");
            }
            return;
        }
    }
}

/* A link in front of the headline to the site's first page: its text, picture or label. */
static void see_home_link(elements_t *w, uint32_t i)
{
    const tmpl_page_t *page = w->page;
    const tmpl_node_t *node = &page->nodes[i];
    const char *name = node_text(w, node, SITE_BYTES);
    for (uint32_t k = i; *name == '\0' && k < node->after && k < i + WITHIN; k++) {
        static const char *const labels[] = { "aria-label", "alt", "title" };
        for (unsigned n = 0; n < 3 && *name == '\0' && tmpl_span_len(page->nodes[k].open) > 0;
             n++) {
            const char *label = attribute_text(w, &page->nodes[k], labels[n]);
            name = label != NULL ? label : "";
        }
    }
    if (*name != '\0') {
        w->home_links++;
        say_element(w, TMPL_SAID_ELEMENT, "home link", 0, name);
    }
}

static void see_node(elements_t *w, uint32_t i)
{
    const tmpl_page_t *page = w->page;
    const tmpl_node_t *node = &page->nodes[i];
    for (const tmpl_known_attr_t *attr = page->attrs + node->attrs;
         attr->value.start < node->open.end; attr++) {
        if (attr->name == TMPL_ATTR_CLASS) {
            see_poster(w, i, attr->value);
        }
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
        if (attr->name == TMPL_ATTR_HREF && node->tag == TMPL_TAG_A && w->home_links < HOME_LINKS &&
            node->first_segment <= w->first && is_root(page->src, attr->value)) {
            see_home_link(w, i);
        }
        see_breadcrumb_of(w, i, attr);
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

/* Adds the dates in a line; only that of a change if only_later is set. */
static void see_date_line(elements_t *w, const char *line, int only_later)
{
    char iso[TMPL_DATE_SIZE];
    apr_size_t begin, after, n = 0;
    while (n++ < DATES && (after = tmpl_date_find(iso, &begin, line, strlen(line))) > 0) {
        int later = is_later(line, begin);
        if (later || !only_later) {
            say_element(w, TMPL_SAID_ELEMENT, later ? "line modified" : "line date", 0, iso);
        }
        line += after;
    }
}

/* The segment behind the line that begins at segment s. */
static uint32_t line_end(const tmpl_page_t *page, uint32_t s)
{
    for (s++; s < page->n_segments && !page->segments[s].apart;) {
        s++;
    }
    return s;
}

/* The source of segments [first, after). */
static tmpl_span_t line_span(const tmpl_page_t *page, uint32_t first, uint32_t after)
{
    return (tmpl_span_t){ page->segments[first].span.start, page->segments[after - 1].span.end };
}

/* Adds the dates of changes in lines that begin in segments [s, end). */
static void see_end_lines(elements_t *w, uint32_t s, uint32_t end)
{
    const tmpl_page_t *page = w->page;
    while (s < end) {
        uint32_t after = line_end(page, s);
        tmpl_span_t span = line_span(page, s, after);
        if (tmpl_span_len(span) < 4 * LINE_BYTES &&
            tmpl_date_may_be(page->src + span.start, tmpl_span_len(span))) {
            see_date_line(w, segments_text(w, s, after, LINE_BYTES), 1);
        }
        s = after;
    }
}

/*
 * The last lines of a page, and of what stays of it, say when it was changed, in documentation and
 * wikis.
 */
static void see_end(elements_t *w)
{
    uint32_t n = w->page->n_segments, last = n;
    while (last > w->after &&
           is_deleted(w->source->edits, w->page->segments[last - 1].span.start)) {
        last--;
    }
    see_end_lines(w, n > END ? n - END : 0, n);
    if (last + END < n && last > END_STAYS) {
        see_end_lines(w, last - END_STAYS, last);
    }
}

/* Lines behind the headline that say who wrote the page, in full: "Written by Ann Lee". */
static void see_author_boxes(elements_t *w)
{
    static const char *const begins[] = { "written by", "about the " };
    const tmpl_page_t *page = w->page;
    uint32_t n = 0;
    for (uint32_t s = w->after; s < page->n_segments && n < BOXES; s++) {
        const tmpl_segment_t *segment = &page->segments[s];
        const char *text = page->src + segment->span.start;
        char first = tmpl_lower(*text);
        const char *begin = begins[first == 'a'];
        if ((first != 'w' && first != 'a') || tmpl_span_len(segment->span) < strlen(begin) ||
            apr_cstr_casecmpn(text, begin, strlen(begin)) != 0) {
            continue;
        }
        n++;
        uint32_t after = line_end(page, s);
        const char *line = segments_text(w, s, after, AUTHOR_BYTES);
        apr_size_t len = tmpl_people_by(line);
        if (len > 0 && line[len] == '\0' && after < page->n_segments) {
            say_authors(w, "author box", s,
                        segments_text(w, after, line_end(page, after), AUTHOR_BYTES));
        }
        else if (len > 0) {
            say_authors(w, "author box", s, line + len);
        }
    }
}

/* Whether the class of an element, or of what is around it, says that it is a date. */
static int is_dated(const tmpl_page_t *page, uint32_t node)
{
    for (int up = 0; up < CLASSES_UP && node != 0 && node != TMPL_NONE; up++) {
        const tmpl_known_attr_t *attr = tmpl_node_attr(page, &page->nodes[node], TMPL_ATTR_CLASS);
        if (attr != NULL && has_text(page->src, attr->value, "date")) {
            return 1;
        }
        node = page->nodes[node].parent;
    }
    return 0;
}

/* Reads the line of segments [first, after). *by: the line in front ends in "By". */
static void see_line(elements_t *w, uint32_t first, uint32_t after, int *by)
{
    if (is_deleted(w->source->edits, w->page->segments[first].span.start)) {
        if (is_dated(w->page, w->page->segments[first].node)) {
            see_date_line(w, segments_text(w, first, after, LINE_BYTES), 0);
        }
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
        uint32_t after = line_end(w->page, s);
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

tmpl_page_headline_t tmpl_elements_read(tmpl_claims_t *claims, const tmpl_metadata_source_t *source,
                                        const char *site)
{
    elements_t w = { .page = source->page, .source = source, .claims = claims };
    tmpl_buf_init(&w.text, claims->pool);
    tmpl_page_headline_t headline = find_page_headline(&w, site);
    w.headline = headline.text;
    find_near_end(&w);
    for (uint32_t i = 0; i < w.page->n_nodes; i++) {
        see_node(&w, i);
    }
    see_lines(&w);
    see_end(&w);
    see_author_boxes(&w);
    return headline;
}
