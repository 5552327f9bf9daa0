/* SPDX-License-Identifier: Apache-2.0 */
#include "metadata/elements.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

/* Words of a headline that stands for the title whatever that says: of one that verdicts call so,
 * and of the only h1, which stays. */
#define JUDGED_WORDS  2
#define ONLY_H1_WORDS 4

/* Headings that are looked at, and titles that they are compared with. */
#define HEADLINES 64
#define TITLES    4

/* Words of an h1 that the title has at least; its likeness; that of the title of this page. */
#define LIKE      0.5
#define LIKE_H1   0.1
#define LIKE_SAME 0.75

/* Elements upwards that may hide a heading. */
#define HIDDEN_UP 3

/* Elements around a heading that may be a link. */
#define AROUND 16

typedef struct {
    const tmpl_node_t *node; /* NULL: there is none */
    const char *text;
    int is_titled; /* a title has half of its words */
    uint32_t n;    /* headings with text that do not name the site */
} heading_t;

static const char *heading_text(tmpl_elements_t *w, const tmpl_node_t *node)
{
    return tmpl_elements_text(w, node->first_segment, node->after_segment, 500);
}

/*
 * The text of a heading without a tagline or a tooltip behind its first segment, which is a title
 * of two words or the first part of one, and without a mark in front of the rest of a title. What
 * stands in front of a colon is of the title.
 */
static const char *text_of_title(tmpl_elements_t *w, const tmpl_node_t *node,
                                 const apr_array_header_t *titles)
{
    uint32_t behind = node->first_segment + 1;
    const char *begin =
        behind < node->after_segment ? tmpl_elements_text(w, behind - 1, behind, 500) : "";
    begin = apr_pstrdup(w->claims->pool, begin);
    for (int i = 0; i < titles->nelts && i < TITLES && *begin != '\0'; i++) {
        const char *rest, *title = APR_ARRAY_IDX(titles, i, const char *);
        const char *first = tmpl_title_first(title, &rest, w->claims->pool);
        if (strcmp(first, begin) != 0 || (*rest != '\0' && rest[-2] == ':')) {
            continue;
        }
        const char *end = tmpl_elements_text(w, behind, node->after_segment, 500);
        if (tmpl_title_words(end, 2) == 2 && strncmp(rest, end, strlen(end)) == 0) {
            return end;
        }
        if (tmpl_title_words(begin, 2) == 2 && tmpl_title_share(end, title) < 1) {
            return begin;
        }
    }
    return heading_text(w, node);
}

/* Whether a heading has, or is in, a link to the site's first page: it is the site's name. */
static int is_logo(const tmpl_page_t *page, const tmpl_node_t *heading)
{
    uint32_t node = (uint32_t)(heading - page->nodes);
    uint32_t first = heading->parent != TMPL_NONE ? heading->parent : node;
    for (uint32_t i = first; i < heading->after && i < node + TMPL_NEAR_WITHIN;
         i = i < node ? node : i + 1) {
        const tmpl_known_attr_t *href = tmpl_node_attr(page, &page->nodes[i], TMPL_ATTR_HREF);
        if (href != NULL && tmpl_href_is_root(page->src, href->value)) {
            return 1;
        }
    }
    return 0;
}

/* Whether a heading is the site's name, and the titles that it is compared with say more. */
static int is_site_heading(const tmpl_elements_t *w, const char *text,
                           const apr_array_header_t *titles)
{
    int is_site = tmpl_site_is_named(w->host, text, strlen(text)) ||
                  (w->site != NULL && tmpl_title_share(text, w->site) == 1);
    for (int i = 0; is_site && i < titles->nelts && i < TITLES; i++) {
        is_site = tmpl_title_share(APR_ARRAY_IDX(titles, i, const char *), text) < 1;
    }
    return is_site;
}

/* Whether a title has half of the words of an h1, and is nearly the same as another heading. */
static int is_titled(const tmpl_node_t *node, const char *text, const apr_array_header_t *titles)
{
    for (int i = 0; i < titles->nelts && i < TITLES; i++) {
        const char *title = APR_ARRAY_IDX(titles, i, const char *);
        double like = tmpl_title_likeness(text, title);
        if (like >= LIKE_SAME || (node->tag == TMPL_TAG_H1 && like >= LIKE_H1 &&
                                  tmpl_title_share(text, title) >= LIKE)) {
            return 1;
        }
    }
    return 0;
}

/* Lists the elements h1 to h6 of the page. */
static void find_headings(tmpl_elements_t *w)
{
    w->headings = apr_array_make(w->claims->pool, 16, sizeof(uint32_t));
    for (uint32_t i = 0; i < w->page->n_nodes; i++) {
        if (tmpl_tag_flags((tmpl_tag_e)w->page->nodes[i].tag) & TMPL_IS_HEADING) {
            APR_ARRAY_PUSH(w->headings, uint32_t) = i;
        }
    }
}

static const tmpl_node_t *heading_at(const tmpl_elements_t *w, int i)
{
    return &w->page->nodes[APR_ARRAY_IDX(w->headings, i, uint32_t)];
}

/* Whether a heading has text that stays. */
static int is_heading_that_stays(const tmpl_elements_t *w, const tmpl_node_t *node)
{
    return node->after_segment > node->first_segment &&
           !tmpl_elements_deletes(w, node->first_segment);
}

/* Whether a declaration of a style hides what has it. */
static int is_hiding(const char *at, const char *end)
{
    static const char *const hiding[] = { "display:none", "display: none",      "visibility:hidden",
                                          "height:0",     "visibility: hidden", "height: 0" };
    for (unsigned i = 0; i < sizeof(hiding) / sizeof(hiding[0]); i++) {
        apr_size_t len = strlen(hiding[i]);
        if ((apr_size_t)(end - at) >= len && apr_cstr_casecmpn(at, hiding[i], len) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Whether the style of a heading, or of an element near around it, hides it. */
static int is_hidden_heading(const tmpl_page_t *page, const tmpl_node_t *heading)
{
    uint32_t node = (uint32_t)(heading - page->nodes);
    for (int up = 0; up < HIDDEN_UP && node != TMPL_NONE; up++, node = page->nodes[node].parent) {
        const tmpl_known_attr_t *style = tmpl_node_attr(page, &page->nodes[node], TMPL_ATTR_STYLE);
        const char *at = style != NULL ? page->src + style->value.start : NULL;
        const char *end = style != NULL ? page->src + style->value.end : NULL;
        while (at != NULL && at < end && !is_hiding(at, end)) {
            at = memchr(at, ';', (apr_size_t)(end - at));
            while (at != NULL && at < end && (*at == ';' || tmpl_is_space(*at))) {
                at++;
            }
        }
        if (at != NULL && at < end) {
            return 1;
        }
    }
    return 0;
}

/* Whether verdicts call all text of a heading that is shown the headline. */
static int is_judged_headline(const tmpl_elements_t *w, const tmpl_node_t *node)
{
    const tmpl_verdict_t *verdicts = w->source->verdicts;
    uint32_t s = node->first_segment;
    if (verdicts == NULL || !is_heading_that_stays(w, node) || is_hidden_heading(w->page, node)) {
        return 0;
    }
    while (s < node->after_segment &&
           verdicts[w->page->segments[s].block].part == TMPL_PART_HEADLINE) {
        s++;
    }
    return s == node->after_segment;
}

/*
 * The best heading of those that do not name the site: of those with a tag, or that verdicts call
 * the headline if tag is 0. One that is titled is better than one that is not, then one that is
 * shown, then an h1, then the first one.
 */
static heading_t find_heading(tmpl_elements_t *w, const apr_array_header_t *titles, tmpl_tag_e tag)
{
    heading_t found = { 0 };
    uint32_t looked = 0;
    int best = 0;
    for (int i = 0; i < w->headings->nelts && looked < HEADLINES; i++) {
        const tmpl_node_t *node = heading_at(w, i);
        int is = tag != 0 ? node->tag == tag : is_judged_headline(w, node);
        const char *text = is ? text_of_title(w, node, titles) : "";
        looked += *text != '\0';
        if (*text == '\0' || is_site_heading(w, text, titles) || is_logo(w->page, node)) {
            continue;
        }
        int titled = is_titled(node, text, titles);
        int rank = 4 * titled + 2 * !is_hidden_heading(w->page, node) + (node->tag == TMPL_TAG_H1);
        if (found.n++ == 0 || rank > best) {
            best = rank;
            found.node = node;
            found.text = apr_pstrdup(w->claims->pool, text);
            found.is_titled = titled;
        }
    }
    return found;
}

/* The first heading that stays is what the content may begin with. */
static const tmpl_node_t *first_heading(const tmpl_elements_t *w)
{
    for (int i = 0; i < w->headings->nelts; i++) {
        if (is_heading_that_stays(w, heading_at(w, i))) {
            return heading_at(w, i);
        }
    }
    return NULL;
}

/* Whether a heading, or what is around it, is a link: it leads to another page. */
static int is_linked_heading(const tmpl_page_t *page, const tmpl_node_t *heading)
{
    uint32_t node = (uint32_t)(heading - page->nodes);
    for (uint32_t i = node + 1; i < page->nodes[node].after && i < node + TMPL_NEAR_WITHIN; i++) {
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

/* Whether a heading is in an article that the headline is not in. */
static int is_of_next_article(const tmpl_elements_t *w, const tmpl_node_t *heading)
{
    const tmpl_node_t *nodes = w->page->nodes;
    uint32_t node = (uint32_t)(heading - nodes);
    for (int up = 0; up < AROUND && node != TMPL_NONE && nodes[node].tag != TMPL_TAG_ARTICLE;
         up++) {
        node = nodes[node].parent;
    }
    return node != TMPL_NONE && nodes[node].tag == TMPL_TAG_ARTICLE && w->headline.text != NULL &&
           nodes[node].first_segment >= w->headline.after;
}

/* Finds where "near the headline" ends: TMPL_NEAR_BEHIND segments behind it, or at a heading that
 * links to another page, or at the headline of an article that is appended. */
static void find_near_end(tmpl_elements_t *w)
{
    tmpl_page_headline_t *headline = &w->headline;
    headline->end = headline->after + TMPL_NEAR_BEHIND;
    for (int i = 0; i < w->headings->nelts; i++) {
        const tmpl_node_t *node = heading_at(w, i);
        if (node->first_segment >= headline->after && node->first_segment < headline->end &&
            (node->tag == TMPL_TAG_H1 ? is_of_next_article(w, node)
                                      : is_linked_heading(w->page, node)) &&
            (headline->text == NULL ||
             tmpl_title_likeness(heading_text(w, node), headline->text) < LIKE_SAME)) {
            headline->end = node->first_segment;
        }
    }
}

/*
 * Whether an h1 that is shown is the headline, though verdicts call another heading so, too: that
 * one says the same and more ("Reviews" and "Reviews of nets"), or it is the only h1, is in front
 * of the other one, and verdicts call it so.
 */
static int is_better_h1(const tmpl_elements_t *w, const heading_t *h1, const heading_t *other)
{
    if (h1->node == NULL || !is_heading_that_stays(w, h1->node) ||
        is_hidden_heading(w->page, h1->node)) {
        return 0;
    }
    return (h1->is_titled && tmpl_title_share(h1->text, other->text) == 1) ||
           (h1->n == 1 && h1->node < other->node && is_judged_headline(w, h1->node) &&
            tmpl_title_words(h1->text, ONLY_H1_WORDS) == ONLY_H1_WORDS);
}

void tmpl_page_headline_find(tmpl_elements_t *w)
{
    const apr_array_header_t *titles = tmpl_claims_all(w->claims, TMPL_METADATA_TITLE);
    find_headings(w);
    heading_t found = find_heading(w, titles, 0);
    int is_judged = found.node != NULL, is_only = 0;
    heading_t h1 = find_heading(w, titles, TMPL_TAG_H1);
    if (is_judged && is_better_h1(w, &h1, &found)) {
        found = h1;
    }
    if (!is_judged) {
        found = h1;
        heading_t other = found.is_titled ? found : find_heading(w, titles, TMPL_TAG_H2);
        found = other.is_titled ? other : found;
        is_only = found.n == 1 && is_heading_that_stays(w, found.node);
    }
    unsigned least = is_judged ? JUDGED_WORDS : ONLY_H1_WORDS;
    int is_title = found.is_titled || ((is_judged || (is_only && titles->nelts > 0)) &&
                                       tmpl_title_words(found.text, least) == least);
    w->headline = (tmpl_page_headline_t){ found.text, is_title, TMPL_NONE, 0, 0, 0 };
    if (found.node != NULL) {
        w->headline.first = found.node->first_segment;
        w->headline.after = found.node->after_segment;
    }
    /* the only h1 begins the content, too, if it is in front of all other headings */
    if (is_judged || is_title || (is_only && found.node == first_heading(w))) {
        w->headline.node = (uint32_t)(found.node - w->page->nodes);
    }
    find_near_end(w);
}
